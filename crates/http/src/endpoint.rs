//! The client's side of a connection.

use std::{
    fmt::Display,
    io::{self, Read, Write},
    net::IpAddr,
    sync::Arc,
    time::Duration,
};

use asanoha_numeric::text::without_steering;
use serde::{Serialize, de::DeserializeOwned};
use ureq::{
    Agent, AsSendBody, Body, SendBody,
    http::{
        HeaderName, HeaderValue, Method, Request, Response, Uri,
        header::{AUTHORIZATION, CONTENT_LENGTH, EXPECT},
    },
    tls::{Certificate, RootCerts, TlsConfig, TlsProvider},
};

use crate::{BearerToken, HttpError, Refusal, refusal::MAX_RETRY};

/// The most bytes of an answer in JSON, and of a refusal.
const MAX_JSON: u64 = 1 << 20;
/// The most characters of a refusal's message, and of an error's text.
const MAX_MESSAGE: usize = 500;
const CONNECT: Duration = Duration::from_secs(10);
/// Longer than a server's limits, so that it's the server who says what is wrong.
const EXCHANGE: Duration = Duration::from_hours(1);
/// How much of an answer is in memory while it's written elsewhere.
const CHUNK: usize = 256 << 10;

/// What is asked of a server that may refuse a request by its head, before the rest is sent.
const CONTINUE: HeaderValue = HeaderValue::from_static("100-continue");

/// A server as its client reaches it. Nothing is redirected, and no proxy is used.
#[derive(Debug)]
pub struct Endpoint {
    agent: Agent,
    url: String,
    token: Option<BearerToken>,
}

impl Endpoint {
    /// For a server's address, `https://HOST:PORT`, or `http://` for this machine's own. The server's certificate has to be one of
    /// those given as PEM, or vouched for by one; without, by a public authority.
    ///
    /// # Errors
    /// [`HttpError::Url`], [`HttpError::Plain`], [`HttpError::Certificate`].
    pub fn new(url: &str, certificates: Option<&[u8]>) -> Result<Self, HttpError> {
        let url = url.trim_end_matches('/').to_owned();
        let refused = || HttpError::Url(url.clone());
        let uri: Uri = url.parse().map_err(|_| refused())?;
        let host = uri.host().ok_or_else(refused)?;
        let is_own = host == "localhost"
            || host.trim_matches(['[', ']']).parse().is_ok_and(|host: IpAddr| host.is_loopback());
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if is_own => {}
            Some("http") => return Err(HttpError::Plain(url)),
            _ => return Err(refused()),
        }
        let mut tls = TlsConfig::builder().provider(TlsProvider::Rustls);
        if let Some(pem) = certificates {
            let what = "the certificate to trust";
            let certificate = Certificate::from_pem(pem)
                .map_err(|error| HttpError::Certificate { what, error: error.to_string() })?;
            tls = tls.root_certs(RootCerts::Specific(Arc::new(vec![certificate])));
        }
        let config = Agent::config_builder()
            .tls_config(tls.build())
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(EXCHANGE))
            .build();
        Ok(Self { agent: config.into(), url, token: None })
    }

    /// Sends a token with every request.
    pub fn with_token(self, token: BearerToken) -> Self {
        Self { token: Some(token), ..self }
    }

    /// The server's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Asks for what is under a path, which begins with `/`.
    pub fn get(&self, path: &str) -> Exchange<'_> {
        self.exchange(Method::GET, path)
    }

    /// Puts something under a path.
    pub fn put(&self, path: &str) -> Exchange<'_> {
        self.exchange(Method::PUT, path)
    }

    /// Sends something to a path.
    pub fn post(&self, path: &str) -> Exchange<'_> {
        self.exchange(Method::POST, path)
    }

    /// Removes what is under a path.
    pub fn delete(&self, path: &str) -> Exchange<'_> {
        self.exchange(Method::DELETE, path)
    }

    fn exchange(&self, method: Method, path: &str) -> Exchange<'_> {
        let path = format!("{}{path}", self.url);
        Exchange { endpoint: self, method, path, doing: None, within: None, headers: Vec::new() }
    }

    fn broken<E: Display>(&self, doing: &'static str) -> impl Fn(E) -> HttpError {
        move |error| HttpError::Broken { url: self.url.clone(), doing, error: said(error) }
    }

    /// The error of a body that can't be read. One that is longer than it may be would be so again.
    fn unread(&self, doing: &'static str, error: ureq::Error) -> HttpError {
        match error {
            ureq::Error::BodyExceedsLimit(_) => self.wrong("is longer than it may be"),
            other => self.broken(doing)(other),
        }
    }

    /// The error of an answer that has another form than it should.
    pub fn wrong(&self, what: &'static str) -> HttpError {
        HttpError::Answer { url: self.url.clone(), what }
    }
}

/// The text of an error, which may have words of a server.
fn said(error: impl Display) -> String {
    without_steering(&error.to_string(), MAX_MESSAGE)
}

/// A request that isn't sent yet.
#[derive(Debug)]
pub struct Exchange<'e> {
    endpoint: &'e Endpoint,
    method: Method,
    path: String,
    doing: Option<&'static str>,
    within: Option<Duration>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl<'e> Exchange<'e> {
    /// Says what is going on, as in "sending the keys", for the message of a connection that breaks off: [`HttpError::Broken`].
    /// Without, that's the first request to a server: [`HttpError::Unreachable`].
    pub fn doing(self, what: &'static str) -> Self {
        Self { doing: Some(what), ..self }
    }

    /// Sends a header, whose name is in small letters.
    ///
    /// # Panics
    /// If it isn't a name of a header.
    pub fn header(mut self, name: &'static str, value: HeaderValue) -> Self {
        self.headers.push((HeaderName::from_static(name), value));
        self
    }

    /// Gives the exchange as long as this, with its answer's body. Without, it's an hour.
    pub fn within(self, longest: Duration) -> Self {
        Self { within: Some(longest), ..self }
    }

    /// Sends the request without a body.
    ///
    /// # Errors
    /// [`HttpError::Unreachable`] or [`HttpError::Broken`]; [`HttpError::Refused`], [`HttpError::Answer`].
    pub fn call(self) -> Result<Answer<'e>, HttpError> {
        if [Method::PUT, Method::POST].contains(&self.method) {
            return self.send(&[]);
        }
        let request = self.request(());
        self.answer(self.run(request))
    }

    /// Sends the request with a body.
    ///
    /// # Errors
    /// Those of [`Exchange::call`].
    pub fn send(self, bytes: &[u8]) -> Result<Answer<'e>, HttpError> {
        let mut request = self.request(bytes);
        if !bytes.is_empty() {
            request.headers_mut().insert(EXPECT, CONTINUE);
        }
        self.answer(self.run(request))
    }

    /// Sends the request with a body in JSON.
    ///
    /// # Errors
    /// Those of [`Exchange::call`].
    pub fn send_json(self, value: &impl Serialize) -> Result<Answer<'e>, HttpError> {
        let bytes = serde_json::to_vec(value).map_err(|error| HttpError::Source(error.into()))?;
        self.send(&bytes)
    }

    /// Sends the request with a body of so many bytes, which are read while they're sent.
    ///
    /// # Errors
    /// Those of [`Exchange::call`]; [`HttpError::Source`] if the bytes can't be read, or are fewer.
    pub fn send_reader(self, reader: impl Read, length: u64) -> Result<Answer<'e>, HttpError> {
        let mut source = Source { reader, left: length, failed: None };
        let mut request = self.request(SendBody::from_reader(&mut source));
        let headers = request.headers_mut();
        headers.insert(EXPECT, CONTINUE);
        headers.insert(CONTENT_LENGTH, length.into());
        let response = self.run(request);
        match source.failed {
            Some(error) => Err(HttpError::Source(error)),
            None => self.answer(response),
        }
    }

    fn request<B: AsSendBody>(&self, body: B) -> Request<B> {
        let mut request = Request::new(body);
        *request.method_mut() = self.method.clone();
        request.headers_mut().extend(self.headers.iter().cloned());
        if let Some(token) = &self.endpoint.token {
            request.headers_mut().insert(AUTHORIZATION, token.header());
        }
        request
    }

    fn run(&self, mut request: Request<impl AsSendBody>) -> Result<Response<Body>, ureq::Error> {
        *request.uri_mut() = self.path.parse().map_err(|_| ureq::Error::BadUri(self.path.clone()))?;
        let agent = &self.endpoint.agent;
        if let Some(longest) = self.within {
            request = agent.configure_request(request).timeout_global(Some(longest)).build();
        }
        agent.run(request)
    }

    /// What isn't a refusal.
    fn answer(&self, response: Result<Response<Body>, ureq::Error>) -> Result<Answer<'e>, HttpError> {
        let (endpoint, url) = (self.endpoint, &self.endpoint.url);
        let response = response.map_err(|error| match self.doing {
            Some(doing) => endpoint.broken(doing)(error),
            None => HttpError::Unreachable { url: url.clone(), error: said(error) },
        })?;
        let status = response.status();
        let length = response.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
        let doing = self.doing.unwrap_or("reading what it says");
        let answer = Answer { endpoint, body: response.into_body(), status: status.as_u16(), length, doing };
        if status.is_success() {
            return Ok(answer);
        }
        let mut refusal: Refusal = answer.json()?;
        // It comes from outside. The message goes to a terminal, and clients wait for the time.
        refusal.message = without_steering(&refusal.message, MAX_MESSAGE);
        refusal.retry_after_s = refusal.retry_after_s.map(|seconds| seconds.min(MAX_RETRY));
        Err(HttpError::Refused { url: url.clone(), status: status.as_u16(), refusal })
    }
}

/// Exactly so many bytes of a reader. What fails here is the client's, not the connection's.
struct Source<R> {
    reader: R,
    left: u64,
    failed: Option<io::Error>,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = loop {
            match self.reader.read(&mut buffer[..most]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) if most > 0 => {
                    let missing = format!("{} bytes are missing at its end", self.left);
                    break Err(io::Error::new(io::ErrorKind::UnexpectedEof, missing));
                }
                other => break other,
            }
        };
        match read {
            Ok(count) => {
                self.left -= count as u64;
                Ok(count)
            }
            Err(error) => {
                let kind = error.kind();
                self.failed = Some(error);
                Err(kind.into())
            }
        }
    }
}

/// What a server answers. Its body is still to be read.
#[derive(Debug)]
pub struct Answer<'e> {
    endpoint: &'e Endpoint,
    body: Body,
    status: u16,
    length: Option<u64>,
    doing: &'static str,
}

impl Answer<'_> {
    /// The status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The number of bytes, if the server says it.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// Reads JSON of at most a mebibyte.
    ///
    /// # Errors
    /// [`HttpError::Broken`], [`HttpError::Answer`].
    pub fn json<T: DeserializeOwned>(mut self) -> Result<T, HttpError> {
        let bytes = self.body.with_config().limit(MAX_JSON).read_to_vec();
        let bytes = bytes.map_err(|error| self.endpoint.unread("reading what it says", error))?;
        serde_json::from_slice(&bytes).map_err(|_| self.endpoint.wrong("isn't JSON of the expected form"))
    }

    /// Reads at most so many bytes.
    ///
    /// # Errors
    /// [`HttpError::Broken`]; [`HttpError::Answer`] if there are more.
    pub fn bytes(mut self, most: u64) -> Result<Vec<u8>, HttpError> {
        let bytes = self.body.with_config().limit(most).read_to_vec();
        bytes.map_err(|error| self.endpoint.unread(self.doing, error))
    }

    /// Writes at most so many bytes elsewhere while they arrive, and returns their number.
    ///
    /// # Errors
    /// [`HttpError::Broken`], [`HttpError::Sink`]; [`HttpError::Answer`] if there are more.
    pub fn write_to(self, mut sink: impl Write, most: u64) -> Result<u64, HttpError> {
        let mut reader = self.body.into_with_config().limit(most).reader();
        let (mut chunk, mut written) = (vec![0; CHUNK], 0);
        loop {
            match reader.read(&mut chunk) {
                Ok(0) => return Ok(written),
                Ok(count) => {
                    sink.write_all(&chunk[..count]).map_err(HttpError::Sink)?;
                    written += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.endpoint.unread(self.doing, error.into())),
            }
        }
    }
}
