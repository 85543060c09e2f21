//! Attacks of one client on the others, by the requests of a search. `asanoha_http` has those of every server.

use std::{
    io::{Read, Write},
    net::{IpAddr, SocketAddr, TcpStream},
    sync::atomic::{AtomicUsize, Ordering},
    thread::{JoinHandle, sleep},
    time::{Duration, Instant},
};

use asanoha_http::{Admission, ClientAddress, HttpError, Kind};
use asanoha_ring::Seed;
use tokio::{
    net::TcpSocket,
    runtime::{Builder, Runtime},
    sync::oneshot,
};

use super::{Ask, HttpClient, HttpServer, KeysDigest, Limits, SearchError, Settings, agreed_search};
use crate::{
    Panel,
    panel::{RandomPanel, longest_from},
    protocol::Client,
};

/// Nothing is secret in it, and it's fast.
const RING: usize = 64;
const LETTERS: usize = 9;
/// This machine's usual address, and another one that it has on Linux.
const HONEST: [u8; 4] = [127, 0, 0, 1];
const ATTACKER: [u8; 4] = [127, 0, 0, 2];
/// What takes longer than this doesn't happen at all.
const NEVER: Duration = Duration::from_mins(1);

fn panel() -> Panel {
    let shape = RandomPanel { haplotypes: 21, sites: 40, recombination: 0.03, mutation: 0.02 };
    shape.generate(&Seed([9; 32])).unwrap()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// A server that runs.
struct Running {
    url: String,
    address: SocketAddr,
    admission: Admission,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<Result<(), HttpError>>,
}

impl Running {
    fn start(general: asanoha_http::Limits) -> Self {
        let settings = Settings {
            listen: SocketAddr::from((HONEST, 0)),
            identity: None,
            threads: 2,
            limits: Limits { general, ..Limits::default() },
            insecure_ring: Some(RING),
            grace: Duration::from_secs(5),
        };
        let server = HttpServer::bind(panel(), settings).unwrap();
        let (url, address, admission) = (server.url(), server.address(), server.shared.admission.clone());
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || server.run(async { _ = stopped.await }));
        Self { url, address, admission, stop, thread }
    }

    /// A connection from an address of this machine, on which bytes were sent.
    fn send(&self, from: [u8; 4], bytes: &[u8]) -> TcpStream {
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

    fn stop(self) {
        self.stop.send(()).unwrap();
        self.thread.join().unwrap().unwrap();
    }
}

/// A client whose keys the server has.
struct Asker {
    http: HttpClient,
    client: Client,
    keys: KeysDigest,
    letters: Vec<bool>,
}

impl Asker {
    fn new(running: &Running) -> Self {
        let http = HttpClient::new(&running.url, None).unwrap();
        let search = agreed_search((LETTERS, 1), panel().haplotypes(), Some(RING)).unwrap();
        let client = Client::new(&search);
        let (keys, public) = client.server_keys();
        let keys = http.send_keys(&search, (&keys, &public)).unwrap();
        Self { http, client, keys, letters: panel().letters(3, 5..5 + LETTERS) }
    }

    fn ask(&self) -> Result<Vec<u8>, SearchError> {
        self.http.ask(self.keys, &[5], &self.client.query(&self.letters, 0).unwrap())
    }

    fn asks_rightly(&self) {
        let found = self.client.answer(&self.ask().unwrap()).unwrap();
        let longest = longest_from(&panel(), &self.letters, 5).unwrap();
        assert_eq!((found.length, found.count), (longest.length, Some(longest.references.len())));
    }

    /// A request with a query.
    fn request(&self) -> Vec<u8> {
        let query = self.client.query(&self.letters, 0).unwrap();
        let body = Ask { keys: self.keys.0, starts: vec![5], query: &query }.write();
        let head = "POST /v1/queries HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
        [format!("{head}Content-Length: {}\r\n\r\n", body.len()).as_bytes(), &body].concat()
    }
}

/// The head of a request with keys.
fn keys_head(length: usize) -> String {
    let digest = "0".repeat(64);
    format!(
        "PUT /v1/keys/{digest} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
    )
}

/// All that a server sends until it closes the connection.
fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Waits until the server asks for a body.
fn await_continue(stream: &mut TcpStream) {
    let mut says = [0; 25];
    stream.read_exact(&mut says).unwrap();
    assert_eq!(&says, b"HTTP/1.1 100 Continue\r\n\r\n");
}

fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < NEVER, "it never is so");
        sleep(Duration::from_millis(5));
    }
}

fn refusal(result: Result<Vec<u8>, SearchError>) -> (Kind, String, Option<u64>) {
    match result.unwrap_err() {
        SearchError::Http(HttpError::Refused { refusal, .. }) => {
            (refusal.kind, refusal.message, refusal.retry_after_s)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn two_slow_uploads_hold_up_nobody() {
    let running = Running::start(Limits::default().general);
    let mut slow = [(); 2].map(|()| running.send(HONEST, keys_head(1_000_000).as_bytes()));
    slow.iter_mut().for_each(await_continue);
    slow.iter_mut().for_each(|stream| stream.write_all(b"asagkey1").unwrap());
    Asker::new(&running).asks_rightly();
    let load = running.admission.load();
    assert_eq!((load.bodies, load.body_bytes, load.free_turns), (2, 2_000_000, 1));
    drop(slow);
    wait_until(|| running.admission.load().bodies == 0);
    running.stop();
}

#[test]
fn computing_time_that_is_used_up_comes_back_later() {
    let short = Duration::from_nanos(1);
    // Its keys take more than all of it.
    let running = Running::start(asanoha_http::Limits { client_time: short, ..Limits::default().general });
    let (kind, message, wait) = refusal(Asker::new(&running).ask());
    assert!(kind == Kind::TooMany && message.contains("s of computing an hour: ask later, in"), "{message}");
    assert_eq!(wait, Some(24 * 3600));
    running.stop();
    let running = Running::start(asanoha_http::Limits { time: short, ..Limits::default().general });
    let (kind, message, _) = refusal(Asker::new(&running).ask());
    assert!(kind == Kind::Busy && message.contains("all clients together"), "{message}");
    running.stop();
}

/// Only Linux has the attacker's address.
#[cfg(target_os = "linux")]
#[test]
fn queries_of_one_client_wait_for_those_of_others_and_most_are_refused() {
    let running = Running::start(Limits::default().general);
    let asker = Asker::new(&running);
    let other = ClientAddress::from(IpAddr::from([192, 0, 2, 1]));
    let turn = runtime().block_on(running.admission.turn(other)).unwrap();
    let waiting = || running.admission.load().waiting;
    let ended = AtomicUsize::new(0);
    let said: Vec<String> = std::thread::scope(|scope| {
        let (asker, ended) = (&asker, &ended);
        let greedy = [(); 12].map(|()| {
            let stream = running.send(ATTACKER, &asker.request());
            scope.spawn(move || {
                let said = rest(stream);
                ended.fetch_add(1, Ordering::Relaxed);
                said
            })
        });
        // Four wait, and the others are refused.
        wait_until(|| ended.load(Ordering::Relaxed) == 8 && waiting() == 4);
        let honest = scope.spawn(move || asker.asks_rightly());
        wait_until(|| waiting() == 5);
        drop(turn);
        honest.join().unwrap();
        greedy.map(|one| one.join().unwrap()).into()
    });
    let of = |status: &str| said.iter().filter(|said| said.starts_with(status)).collect::<Vec<_>>();
    let refused = of("HTTP/1.1 429");
    assert_eq!((of("HTTP/1.1 200").len(), refused.len()), (4, 8), "{said:?}");
    assert!(refused.iter().all(|said| said.contains("retry-after: 10\r\n")), "{refused:?}");
    running.stop();
}

/// Only Linux has the attacker's address.
#[cfg(target_os = "linux")]
#[test]
fn uploads_of_one_client_leave_places_for_others() {
    let running = Running::start(asanoha_http::Limits { client_bodies: 3, ..Limits::default().general });
    let mut slow = [(); 3].map(|()| running.send(ATTACKER, keys_head(1_000_000).as_bytes()));
    slow.iter_mut().for_each(await_continue);
    let said = rest(running.send(ATTACKER, keys_head(1000).as_bytes()));
    assert!(said.starts_with("HTTP/1.1 429") && said.contains("too many requests at a time"), "{said}");
    Asker::new(&running).asks_rightly();
    // Nor may a client's bodies take all memory.
    drop(slow);
    wait_until(|| running.admission.load().bodies == 0);
    let mut large = running.send(ATTACKER, keys_head(1 << 30).as_bytes());
    await_continue(&mut large);
    let said = rest(running.send(ATTACKER, keys_head(1000).as_bytes()));
    assert!(said.starts_with("HTTP/1.1 429"), "{said}");
    Asker::new(&running).asks_rightly();
    drop(large);
    running.stop();
}
