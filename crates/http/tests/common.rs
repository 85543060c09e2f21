//! A server for tests, and what clients send to it.

use std::{
    io::{Read, Seek, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread::{JoinHandle, sleep},
    time::{Duration, Instant},
};

use asanoha_http::{
    Admission, BearerToken, Client, ClientAddress, Endpoint, FileBody, HttpError, Identity, Kind, Limits,
    Listener, Refusal, Size,
};
use axum::{
    Router,
    body::Body,
    extract::{Query, State},
    routing::{get, post, put},
};
use serde::Deserialize;
use tempfile::{NamedTempFile, TempDir};
use tokio::{
    net::TcpSocket,
    runtime::{Builder, Runtime},
    sync::oneshot,
};

/// The most bytes of a body in memory, and of one in a file.
pub(crate) const MOST: usize = 1 << 30;
/// The token that the server knows.
pub(crate) const TOKEN: &str = "a-known-token==";
/// This machine's usual address, and another one that it has on Linux.
pub(crate) const HONEST: [u8; 4] = [127, 0, 0, 1];
pub(crate) const ATTACKER: [u8; 4] = [127, 0, 0, 2];
/// What takes longer than this doesn't happen at all.
pub(crate) const NEVER: Duration = Duration::from_mins(1);

pub(crate) const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

struct App {
    admission: Admission,
    folder: Arc<TempDir>,
}

type SharedApp = State<Arc<App>>;

/// A body's length, if it has to be that, and an answer's.
#[derive(Deserialize)]
struct Asked {
    bytes: Option<u64>,
}

fn failed(error: std::io::Error) -> Refusal {
    Refusal::new(Kind::Internal, error)
}

/// How many bytes arrived.
async fn count(State(app): SharedApp, client: ClientAddress, body: Body) -> Result<String, Refusal> {
    app.admission.admit(client)?;
    let body = app.admission.receive(client, body, MOST).await?;
    Ok(body.bytes.len().to_string())
}

/// What arrived in a file.
async fn store(
    State(app): SharedApp,
    client: ClientAddress,
    Query(asked): Query<Asked>,
    body: Body,
) -> Result<FileBody, Refusal> {
    app.admission.admit(client)?;
    let temporary = NamedTempFile::new_in(app.folder.path()).map_err(failed)?;
    let file = temporary.reopen().map_err(failed)?;
    let size = asked.bytes.map_or(Size::AtMost(MOST as u64), Size::Exactly);
    let mut received = app.admission.receive_to(client, body, file, size).await?;
    assert_eq!(received.sink.metadata().map_err(failed)?.len(), received.bytes);
    received.sink.rewind().map_err(failed)?;
    FileBody::new(received.sink).map_err(failed)
}

/// The sum of numbers, on the threads for computing.
async fn sum(State(app): SharedApp, client: ClientAddress, body: Body) -> Result<String, Refusal> {
    app.admission.admit(client)?;
    let body = app.admission.receive(client, body, 1 << 20).await?;
    let turn = app.admission.turn(client).await?;
    let work = move || {
        let sum = body.json::<Vec<u8>>()?.into_iter().try_fold(0, u8::checked_add);
        Ok(sum.expect("tests send numbers whose sum is a byte").to_string())
    };
    app.admission.compute(turn, work).await
}

/// A file of many bytes.
async fn large(State(app): SharedApp, Query(asked): Query<Asked>) -> Result<FileBody, Refusal> {
    let file = tempfile::tempfile_in(app.folder.path()).map_err(failed)?;
    file.set_len(asked.bytes.unwrap_or(0)).map_err(failed)?;
    FileBody::new(file).map_err(failed)
}

/// Only for those who have the token, whose requests count together.
async fn secret(State(app): SharedApp, token: BearerToken) -> Result<&'static str, Refusal> {
    if token.expose() != TOKEN {
        return Err(Refusal::new(
            Kind::Unauthorized,
            "the server does not know this token: ask its operator",
        ));
    }
    app.admission.admit(Client::Token(1))?;
    Ok("known")
}

fn routes(app: App) -> Router {
    Router::new()
        .route("/health", get(|| async { "ok" }))
        .route("/count", put(count))
        .route("/store", put(store))
        .route("/sum", post(sum))
        .route("/large", get(large))
        .route("/secret", get(secret))
        .fallback(|| async { Refusal::new(Kind::UnknownPath, "there's nothing under this path") })
        .with_state(Arc::new(app))
}

/// A server that runs.
pub(crate) struct Running {
    pub(crate) url: String,
    pub(crate) address: SocketAddr,
    pub(crate) admission: Admission,
    /// Where uploads are.
    pub(crate) folder: Arc<TempDir>,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<Result<(), HttpError>>,
}

impl Running {
    pub(crate) fn start(limits: Limits) -> Self {
        Self::start_with(limits, None)
    }

    pub(crate) fn start_with(limits: Limits, identity: Option<Identity>) -> Self {
        let admission = Admission::new(&limits, 2).unwrap();
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let routes = routes(App { admission: admission.clone(), folder: Arc::clone(&folder) });
        let listener = Listener::bind((HONEST, 0).into(), identity).unwrap();
        let (url, address) = (listener.url(), listener.address());
        let (stop, stopped) = oneshot::channel();
        let grace = Duration::from_secs(5);
        let thread =
            std::thread::spawn(move || listener.run(routes, &limits, grace, async { _ = stopped.await }));
        Self { url, address, admission, folder, stop, thread }
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::new(&self.url, None).unwrap()
    }

    /// A connection from an address of this machine, on which bytes were sent.
    pub(crate) fn send(&self, from: [u8; 4], bytes: &[u8]) -> TcpStream {
        let connect = async {
            let socket = TcpSocket::new_v4()?;
            socket.bind((from, 0).into())?;
            socket.connect(self.address).await?.into_std()
        };
        let mut stream = runtime().block_on(connect).unwrap();
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(NEVER)).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    }

    /// What the server says to bytes that may be no request.
    pub(crate) fn says(&self, bytes: &[u8]) -> String {
        rest(self.send(HONEST, bytes))
    }

    /// Asks for something right.
    pub(crate) fn serves(&self) {
        assert_eq!(self.endpoint().post("/sum").send(b"[3, 1, 4]").unwrap().bytes(9).unwrap(), b"8");
    }

    pub(crate) fn uploaded_files(&self) -> usize {
        self.folder.path().read_dir().unwrap().count()
    }

    /// Asks the server to stop, and returns the thread that ends with it.
    pub(crate) fn ask_to_stop(self) -> JoinHandle<Result<(), HttpError>> {
        self.stop.send(()).unwrap();
        self.thread
    }

    pub(crate) fn stop(self) {
        self.ask_to_stop().join().unwrap().unwrap();
    }
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// The head of an upload, which is sent once the server asks for the rest.
pub(crate) fn upload_head(path: &str, length: usize) -> Vec<u8> {
    let expect = "Host: a\r\nExpect: 100-continue\r\nConnection: close";
    format!("PUT {path} HTTP/1.1\r\n{expect}\r\nContent-Length: {length}\r\n\r\n").into_bytes()
}

/// All that a server sends until it closes the connection.
pub(crate) fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Waits until the server asks for a body.
pub(crate) fn await_continue(stream: &mut TcpStream) {
    let mut says = [0; 25];
    stream.read_exact(&mut says).unwrap();
    assert_eq!(&says, b"HTTP/1.1 100 Continue\r\n\r\n");
}

pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < NEVER, "it never is so");
        sleep(Duration::from_millis(5));
    }
}

/// The refusal that an exchange ends with.
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, HttpError>) -> Refusal {
    match result.unwrap_err() {
        HttpError::Refused { refusal, .. } => refusal,
        other => panic!("{other}"),
    }
}

/// The address of a server that reads a head and says the same to every request.
pub(crate) fn liar(says: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut head) = (stream.unwrap(), Vec::new());
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if stream.read_exact(&mut byte).is_err() {
                    return;
                }
                head.extend(byte);
            }
            // The client may have read enough.
            _ = stream.write_all(&says);
        }
    });
    url
}

pub(crate) fn reply(status: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}
