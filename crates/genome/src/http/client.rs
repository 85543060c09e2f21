//! The client's side of the connection.

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use asanoha_lattice::{EvaluationKeys, PublicKey};
use asanoha_scheme::Scheme;
use serde::de::DeserializeOwned;
use ureq::{
    Agent, Body, Error,
    http::{Response, Uri, header::EXPECT},
    tls::{Certificate, RootCerts, TlsConfig, TlsProvider},
};

use super::{About, Ask, HttpError, Kind, Limits, Refusal, SentKeys, Sites};
use crate::{
    Panel,
    panel::{MAX_SITES, Site},
    protocol::Search,
};

/// The most bytes of what a server says of itself, or why it refuses.
const MAX_TEXT: u64 = 1 << 20;
const CONNECT: Duration = Duration::from_secs(10);
/// Longer than a server's limits, so that it's the server who says what is wrong.
const EXCHANGE: Duration = Duration::from_hours(1);

/// What is asked of a server that may refuse a request by its head, before the rest is sent.
const CONTINUE: &str = "100-continue";

/// What a server knows a client's keys by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysDigest(pub [u8; 32]);

/// As 64 hex digits.
impl fmt::Display for KeysDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl KeysDigest {
    /// Parses the text that `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

/// A connection to a server.
#[derive(Debug)]
pub struct HttpClient {
    agent: Agent,
    url: String,
}

impl HttpClient {
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
        Ok(Self { agent: config.into(), url })
    }

    /// What the server says of itself.
    ///
    /// # Errors
    /// [`HttpError::Unreachable`], [`HttpError::Refused`], [`HttpError::Answer`].
    pub fn about(&self) -> Result<About, HttpError> {
        let unreachable =
            |error: Error| HttpError::Unreachable { url: self.url.clone(), error: error.to_string() };
        let response = self.agent.get(self.path("/v1/panel")).call().map_err(unreachable)?;
        let about: About = self.json(self.accepted(response)?)?;
        // Its name goes to a terminal too.
        if Panel::new(&about.chromosome, about.haplotypes).is_ok() && about.sites <= MAX_SITES {
            Ok(about)
        } else {
            Err(self.wrong("describes no panel"))
        }
    }

    /// A window of the panel.
    ///
    /// # Errors
    /// [`HttpError::Broken`], [`HttpError::Refused`], [`HttpError::Answer`].
    pub fn sites(&self, start: usize, letters: usize) -> Result<Vec<Site>, HttpError> {
        let path = self.path(&format!("/v1/sites?start={start}&letters={letters}"));
        let response = self.agent.get(path).call().map_err(self.broken("asking for the sites"))?;
        let Sites { sites } = self.json(self.accepted(response)?)?;
        if sites.len() == letters && sites.is_sorted_by_key(|site| site.position) {
            Ok(sites)
        } else {
            Err(self.wrong("has other sites than were asked for"))
        }
    }

    /// Sends keys, unless the server holds them, and returns their digest.
    ///
    /// # Errors
    /// [`HttpError::File`], [`HttpError::System`], [`HttpError::Broken`], [`HttpError::Refused`], [`HttpError::Answer`].
    pub fn send_keys(
        &self,
        search: &Search,
        (keys, public): (&EvaluationKeys, &PublicKey),
    ) -> Result<KeysDigest, HttpError> {
        let folder = tempfile::tempdir()?;
        let (params, digest) = (search.params().rlwe(), search.params().digest());
        let [of_public, of_keys] = ["public-key", "evaluation-keys"].map(|name| folder.path().join(name));
        public.write(params, digest, &of_public)?;
        keys.write_for(params, digest, &of_keys)?;
        let shape = search.shape();
        let sent = SentKeys {
            letters: shape.letters,
            candidates: shape.candidates,
            public: &std::fs::read(of_public)?,
            evaluation: &std::fs::read(of_keys)?,
        };
        self.send_key_bytes(&sent.write())
    }

    /// As [`HttpClient::send_keys`], with [`SentKeys`]' bytes.
    ///
    /// # Errors
    /// Those of [`HttpClient::send_keys`].
    pub fn send_key_bytes(&self, bytes: &[u8]) -> Result<KeysDigest, HttpError> {
        let digest = KeysDigest(*blake3::hash(bytes).as_bytes());
        if !self.holds(digest)? {
            let request = self.agent.put(self.keys_path(digest)).header(EXPECT, CONTINUE);
            self.accepted(request.send(bytes).map_err(self.broken("sending the keys"))?)?;
        }
        Ok(digest)
    }

    /// Whether the server holds keys.
    ///
    /// # Errors
    /// [`HttpError::Broken`], [`HttpError::Refused`], [`HttpError::Answer`].
    pub fn holds(&self, digest: KeysDigest) -> Result<bool, HttpError> {
        let response =
            self.agent.get(self.keys_path(digest)).call().map_err(self.broken("asking for keys"))?;
        match self.accepted(response) {
            Ok(_) => Ok(true),
            Err(HttpError::Refused { refusal, .. }) if refusal.kind == Kind::UnknownKeys => Ok(false),
            Err(other) => Err(other),
        }
    }

    fn keys_path(&self, digest: KeysDigest) -> String {
        self.path(&format!("/v1/keys/{digest}"))
    }

    /// Sends a query under keys that were sent, and returns the answer.
    ///
    /// # Errors
    /// [`HttpError::Broken`], [`HttpError::Refused`], [`HttpError::Answer`].
    pub fn ask(&self, keys: KeysDigest, starts: &[usize], query: &[u8]) -> Result<Vec<u8>, HttpError> {
        let ask = Ask { keys: keys.0, starts: starts.to_vec(), query };
        self.ask_bytes(&ask.write())
    }

    /// As [`HttpClient::ask`], with [`Ask`]'s bytes.
    ///
    /// # Errors
    /// Those of [`HttpClient::ask`].
    pub fn ask_bytes(&self, bytes: &[u8]) -> Result<Vec<u8>, HttpError> {
        let broken = self.broken("waiting for an answer");
        let response = self
            .agent
            .post(self.path("/v1/queries"))
            .header(EXPECT, CONTINUE)
            .send(bytes)
            .map_err(&broken)?;
        let mut body = self.accepted(response)?;
        body.with_config().limit(Limits::QUERY_BYTES as u64).read_to_vec().map_err(broken)
    }

    fn path(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    fn broken(&self, doing: &'static str) -> impl Fn(Error) -> HttpError {
        move |error| HttpError::Broken { url: self.url.clone(), doing, error: error.to_string() }
    }

    fn wrong(&self, what: &'static str) -> HttpError {
        HttpError::Answer { url: self.url.clone(), what }
    }

    fn json<T: DeserializeOwned>(&self, mut body: Body) -> Result<T, HttpError> {
        let bytes = body.with_config().limit(MAX_TEXT).read_to_vec();
        let bytes = bytes.map_err(self.broken("reading what it says"))?;
        serde_json::from_slice(&bytes).map_err(|_| self.wrong("isn't JSON of the expected form"))
    }

    /// The body of what isn't a refusal.
    fn accepted(&self, response: Response<Body>) -> Result<Body, HttpError> {
        let status = response.status();
        let body = response.into_body();
        if status.is_success() {
            return Ok(body);
        }
        let mut refusal: Refusal = self.json(body)?;
        // It comes from outside, and goes to a terminal.
        refusal.message = refusal.message.chars().filter(|c| !c.is_control()).take(500).collect();
        Err(HttpError::Refused { url: self.url.clone(), status: status.as_u16(), refusal })
    }
}
