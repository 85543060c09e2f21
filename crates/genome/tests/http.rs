//! A server over HTTP and its clients: asked, misused, stopped.
#![cfg(feature = "http")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    thread::JoinHandle,
    time::Duration,
};

use asanoha_genome::{
    Panel,
    http::{
        Ask, HttpClient, HttpServer, KeysDigest, Limits, Remote, SearchError, SentKeys, Settings,
        agreed_search,
    },
    panel::{RandomPanel, longest_from},
    protocol::{Client, ProtocolError, Search, Server, Window},
};
use asanoha_http::{HttpError, Identity, Kind};
use asanoha_ring::Seed;
use tokio::sync::oneshot;

/// Nothing is secret in it, and it's fast.
const RING: usize = 64;
const LETTERS: usize = 9;

fn panel() -> Panel {
    let shape = RandomPanel { haplotypes: 21, sites: 40, recombination: 0.03, mutation: 0.02 };
    shape.generate(&Seed([9; 32])).unwrap()
}

fn settings() -> Settings {
    Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        identity: None,
        threads: 2,
        limits: Limits::default(),
        insecure_ring: Some(RING),
        grace: Duration::from_secs(5),
    }
}

/// A server that runs.
struct Running {
    url: String,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<Result<(), HttpError>>,
}

impl Running {
    fn start(settings: Settings) -> Self {
        let server = HttpServer::bind(panel(), settings).unwrap();
        let (url, address) = (server.url(), server.address());
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || server.run(async { _ = stopped.await }));
        Self { url, address, stop, thread }
    }

    fn client(&self) -> HttpClient {
        HttpClient::new(&self.url, None).unwrap()
    }

    fn stop(self) {
        self.stop.send(()).unwrap();
        self.thread.join().unwrap().unwrap();
    }
}

fn search(letters: usize) -> Search {
    agreed_search((letters, 1), panel().haplotypes(), Some(RING)).unwrap()
}

/// Asks for a haplotype of the panel, one letter of which is changed, and holds the answer against the plain one.
fn asks_rightly(http: &HttpClient, start: usize, haplotype: usize) {
    let (panel, search) = (panel(), search(LETTERS));
    let client = Client::new(&search);
    let (keys, public) = client.server_keys();
    let digest = http.send_keys(&search, (&keys, &public)).unwrap();
    let mut letters = panel.letters(haplotype, start..start + LETTERS);
    letters[haplotype % LETTERS] ^= true;
    for _ in 0..2 {
        let query = client.query(&letters, 0).unwrap();
        let found = client.answer(&http.ask(digest, &[start], &query).unwrap()).unwrap();
        let longest = longest_from(&panel, &letters, start).unwrap();
        assert_eq!((found.length, found.count), (longest.length, Some(longest.references.len())));
    }
}

fn refused<T: std::fmt::Debug>(result: Result<T, SearchError>, kind: Kind, says: &str) {
    match result.unwrap_err() {
        SearchError::Http(HttpError::Refused { refusal, .. }) => {
            assert!(refusal.kind == kind && refusal.message.contains(says), "{says}: {refusal:?}");
        }
        other => panic!("{says}: {other}"),
    }
}

/// What a server says to bytes that may be no request.
fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut said = Vec::new();
    _ = stream.read_to_end(&mut said);
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn two_clients_at_once_get_their_own_right_answers() {
    let server = Running::start(settings());
    let about = server.client().about().unwrap();
    assert_eq!((about.haplotypes, about.sites, about.insecure_ring), (21, 40, Some(RING)));
    assert_eq!(server.client().sites(3, 4).unwrap(), panel().window_sites(3, 4).unwrap());
    std::thread::scope(|scope| {
        for client in 0..2 {
            let http = server.client();
            scope.spawn(move || (0..3).for_each(|start| asks_rightly(&http, start, 5 * client + start)));
        }
    });
    assert!(
        raw(server.address, b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").ends_with("ok")
    );
    server.stop();
}

#[test]
fn what_is_no_request_is_refused_and_the_server_lives() {
    let limits = Limits { key_bytes: 1 << 20, letters: 16, ..Limits::default() };
    let server = Running::start(Settings { limits, ..settings() });
    let http = server.client();
    let client = Client::new(&search(LETTERS));
    let (keys, public) = client.server_keys();
    let digest = http.send_keys(&search(LETTERS), (&keys, &public)).unwrap();
    let letters = panel().letters(0, 0..LETTERS);
    let query = client.query(&letters, 0).unwrap();
    let malformed = |query: &[u8], says| refused(http.ask(digest, &[0], query), Kind::Malformed, says);

    malformed(&[], "another kind or version");
    malformed(&query[..query.len() - 1], "cut short");
    malformed(&[&query[..], &[0]].concat(), "too many");
    malformed(&vec![0xa5; 1000], "another kind or version");
    refused(http.ask(digest, &[0], &vec![0; 9 << 20]), Kind::TooLarge, "bytes");
    refused(http.ask_bytes(b"asagask1 and so on"), Kind::Malformed, "cut short");
    for starts in [&[][..], &[0, 1]] {
        refused(http.ask(digest, starts, &query), Kind::Malformed, "starts");
    }
    refused(http.ask(digest, &[32], &query), Kind::Malformed, "40 sites");
    // Of another search, and under keys that the server hasn't.
    let other = Client::new(&search(8));
    let foreign = other.query(&letters[..8], 0).unwrap();
    malformed(&foreign, "another shape");
    let ask = Ask { keys: [7; 32], starts: vec![0], query: &query };
    refused(http.ask_bytes(&ask.write()), Kind::UnknownKeys, "send them again");

    assert_eq!(client.answer(&http.ask(digest, &[0], &query).unwrap()).unwrap().length, LETTERS);
    malformed_replay(&http, &client, digest, &query);
    // Encrypted under other keys than those that it names: the client sees it.
    let stranger = Client::new(&search(LETTERS));
    let answer = http.ask(digest, &[0], &stranger.query(&letters, 0).unwrap()).unwrap();
    assert!(matches!(stranger.answer(&answer), Err(ProtocolError::Noise { .. })));

    for (says, bytes) in [
        ("another kind", b"no keys".to_vec()),
        (
            "cut short",
            SentKeys { letters: LETTERS, candidates: 1, public: b"", evaluation: b"" }.write()[..20].to_vec(),
        ),
        (
            "can't be read",
            SentKeys { letters: LETTERS, candidates: 1, public: b"public", evaluation: b"" }.write(),
        ),
    ] {
        refused(http.send_key_bytes(&bytes), Kind::Malformed, says);
    }
    let many = SentKeys { letters: 17, candidates: 1, public: b"", evaluation: b"" }.write();
    refused(http.send_key_bytes(&many), Kind::TooLarge, "17 letters");
    let head = format!("PUT /v1/keys/{} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n", "0".repeat(64));
    let put = |body: &[u8]| {
        let length = format!("Content-Length: {}\r\n\r\n", body.len());
        raw(server.address, &[head.as_bytes(), length.as_bytes(), body].concat())
    };
    assert!(put(b"keys").contains("damaged on their way"));
    assert!(raw(server.address, b"\x16\x03\x01 what is this?\r\n\r\n").starts_with("HTTP/1.1 400"));
    assert!(
        raw(
            server.address,
            b"GET /v1/sites?start=-1&letters=x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        )
        .starts_with("HTTP/1.1 400")
    );
    refused(http.sites(0, 17), Kind::TooLarge, "17 letters");
    refused(http.sites(39, 2), Kind::Malformed, "40 sites");

    asks_rightly(&http, 1, 2);
    server.stop();
}

fn malformed_replay(http: &HttpClient, client: &Client, digest: KeysDigest, query: &[u8]) {
    refused(http.ask(digest, &[0], query), Kind::Replayed, "encrypt it anew");
    refused(http.ask(digest, &[1], query), Kind::Replayed, "encrypt it anew");
    let anew = client.query(&panel().letters(0, 0..LETTERS), 0).unwrap();
    assert!(http.ask(digest, &[0], &anew).is_ok());
}

#[test]
fn an_address_has_so_many_requests_and_slow_ones_are_given_up() {
    let short = Duration::from_millis(150);
    let general =
        asanoha_http::Limits { requests: 2, window: short, grace: short, ..Limits::default().general };
    let limits = Limits { general, ..Limits::default() };
    let server = Running::start(Settings { limits, ..settings() });
    let mut slow = TcpStream::connect(server.address).unwrap();
    slow.write_all(
        b"POST /v1/queries HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 99\r\n\r\nasag",
    )
    .unwrap();
    let mut said = String::new();
    slow.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 408") && said.contains("too slowly"), "{said}");
    refused(server.client().ask_bytes(b"?"), Kind::Malformed, "another kind");
    refused(server.client().ask_bytes(b"?"), Kind::TooMany, "ask later");
    assert!(server.client().about().is_ok());
    server.stop();
}

#[test]
fn a_client_says_that_the_server_went_away_in_a_query() {
    // It takes the request, and is killed.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let http = HttpClient::new(&format!("http://{}", listener.local_addr().unwrap()), None).unwrap();
    let killed = std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        stream.read_exact(&mut [0; 100]).unwrap();
    });
    let error = http.ask_bytes(&[0; 100]).unwrap_err();
    assert!(
        matches!(error, SearchError::Http(HttpError::Broken { .. }))
            && error.to_string().contains("ask again"),
        "{error}"
    );
    killed.join().unwrap();
    assert!(matches!(http.about(), Err(SearchError::Http(HttpError::Unreachable { .. }))));

    // It's restarted where it was, without the keys.
    let search = search(LETTERS);
    let client = Client::new(&search);
    let server = Running::start(settings());
    let (address, http) = (server.address, server.client());
    let mut remote = Remote::new(&http, &search, &client, None);
    let letters = panel().letters(0, 0..LETTERS);
    let ask = |remote: &mut Remote<'_>| {
        let answer = remote.ask(&[0], &client.query(&letters, 0).unwrap())?;
        Ok::<_, SearchError>(client.answer(&answer).unwrap().length)
    };
    assert_eq!(ask(&mut remote).unwrap(), LETTERS);
    let first = remote.sent().unwrap();
    server.stop();
    assert!(ask(&mut remote).is_err());
    let server = Running::start(Settings { listen: address, ..settings() });
    refused(http.ask(first, &[0], &client.query(&letters, 0).unwrap()), Kind::UnknownKeys, "restarted");
    assert_eq!(ask(&mut remote).unwrap(), LETTERS);
    assert!(remote.sent() != Some(first) && http.holds(remote.sent().unwrap()).unwrap());
    // A later call finds them, and one with a digest of no keys sends its own.
    for (sent, is_kept) in [(remote.sent(), true), (Some(first), false)] {
        let mut later = Remote::new(&http, &search, &client, sent);
        assert_eq!(ask(&mut later).unwrap(), LETTERS);
        assert_eq!(later.sent() == remote.sent(), is_kept);
    }
    server.stop();
}

#[test]
fn keys_are_dropped_after_their_last_query_and_when_others_need_the_room() {
    let search = search(LETTERS);
    let letters = panel().letters(0, 0..LETTERS);
    let [one, other] = [(); 2].map(|()| Client::new(&search));
    // Whether the keys that were sent before served.
    let asks = |remote: &mut Remote<'_>, client: &Client| {
        let before = remote.sent();
        let answer = remote.ask(&[0], &client.query(&letters, 0).unwrap()).unwrap();
        assert_eq!(client.answer(&answer).unwrap().length, LETTERS);
        before == remote.sent()
    };
    let server =
        Running::start(Settings { limits: Limits { queries: 2, ..Limits::default() }, ..settings() });
    let http = server.client();
    let mut remote = Remote::new(&http, &search, &one, None);
    assert_eq!([(); 5].map(|()| asks(&mut remote, &one)), [false, true, false, true, false]);
    server.stop();

    // Room for one client's keys: those that weren't used for the longest time go.
    let server =
        Running::start(Settings { limits: Limits { all_key_bytes: 1, ..Limits::default() }, ..settings() });
    let http = server.client();
    let clients = [&one, &other];
    let mut remotes = clients.map(|client| Remote::new(&http, &search, client, None));
    let served = [0, 0, 1, 1, 0].map(|at| asks(&mut remotes[at], clients[at]));
    assert_eq!(served, [false, true, false, true, false]);
    server.stop();
}

#[test]
fn a_server_that_is_stopped_finishes_what_is_under_way_and_takes_no_more() {
    let server = Running::start(settings());
    let address = server.address;
    let mut slow = TcpStream::connect(address).unwrap();
    slow.write_all(b"POST /v1/queries HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nasag").unwrap();
    let asked = server.client().ask_bytes(b"asag");
    refused(asked, Kind::Malformed, "another kind");
    server.stop.send(()).unwrap();
    // Now it takes no more; what came before is answered.
    while TcpStream::connect(address).is_ok() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!server.thread.is_finished());
    slow.write_all(b"garb").unwrap();
    let mut said = String::new();
    slow.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 400") && said.contains("another kind"), "{said}");
    server.thread.join().unwrap().unwrap();
}

#[test]
fn a_search_goes_over_https_to_those_who_trust_the_certificate() {
    let (identity, pem) = Identity::own(vec!["127.0.0.1".to_owned()]).unwrap();
    let server = Running::start(Settings { identity: Some(identity), ..settings() });
    assert!(server.url.starts_with("https://"));
    asks_rightly(&HttpClient::new(&server.url, Some(pem.as_bytes())).unwrap(), 0, 1);
    let error = HttpClient::new(&server.url, None).unwrap().about().unwrap_err();
    assert!(matches!(error, SearchError::Http(HttpError::Unreachable { .. })), "{error}");
    server.stop();
}

/// A client of a server that says the same to every request.
fn liar(says: Vec<u8>) -> HttpClient {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let http = HttpClient::new(&format!("http://{}", listener.local_addr().unwrap()), None).unwrap();
    std::thread::spawn(move || {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let mut body = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            let line = line.trim_end().to_lowercase();
            if let Some(length) = line.strip_prefix("content-length: ") {
                body = length.parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        if body > 0 {
            stream.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap();
            stream.read_exact(&mut vec![0; body]).unwrap();
        }
        // The client may have heard enough.
        _ = stream.get_mut().write_all(&says);
    });
    http
}

fn reply(status: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

#[test]
fn a_server_that_lies_is_found_out() {
    let search = search(LETTERS);
    let client = Client::new(&search);
    let query = client.query(&[true; LETTERS], 0).unwrap();
    let digest = KeysDigest::parse(&"7".repeat(64)).unwrap();
    // What isn't HTTP, breaks off, is too much, or refuses in its own way.
    let large = "x".repeat(2 << 20).into_bytes();
    let cut = reply("200 OK", b"asagans1")[..].strip_suffix(b"1").unwrap().to_vec();
    for says in [
        b"\x16\x03\x01 no HTTP".to_vec(),
        Vec::new(),
        cut,
        reply("200 OK", &large.repeat(5)),
        reply("302 Found\r\nLocation: http://127.0.0.1:1/", b""),
        reply("500 Oops", b"<html>"),
        reply("404 Not Found", &large),
        reply("404 Not Found", br#"{"kind":"unknown_keys","message":"a\u001b[2Jb"}"#),
    ] {
        let error = liar(says.clone()).ask(digest, &[0], &query).unwrap_err().to_string();
        assert!(!error.contains(char::is_control), "{error:?}");
        assert!(liar(says.clone()).about().is_err() && liar(says.clone()).sites(0, 2).is_err());
    }
    let sites = [
        r#"{"sites":[{"position":3,"variant":1}]}"#,
        r#"{"sites":[{"position":3,"variant":1},{"position":2,"variant":1}]}"#,
        r#"{"sites":[{"position":3,"variant":1},{"position":-4,"variant":1}]}"#,
        "[]",
    ];
    for sites in sites {
        let refused = liar(reply("200 OK", sites.as_bytes())).sites(0, 2);
        assert!(matches!(refused, Err(SearchError::Answer { .. })), "{sites}");
    }
    let about = |chromosome: &str, haplotypes: usize| {
        let rest = r#""sites":40,"insecure_ring":null,"most_letters":9"#;
        let text = format!(r#"{{"chromosome":"{chromosome}","haplotypes":{haplotypes},{rest}}}"#);
        liar(reply("200 OK", text.as_bytes())).about()
    };
    assert!(about("20", 1).is_ok());
    for (chromosome, haplotypes) in [("20", 0), ("20", 1 << 17), ("", 1), ("2\\u001b", 1)] {
        assert!(about(chromosome, haplotypes).is_err(), "{chromosome} {haplotypes}");
    }

    // Answers that are none: of the right length, but of other words.
    let (keys, public) = client.server_keys();
    let server = Server::new(&search, keys, public).unwrap();
    let window = panel();
    let window = Window::new(&window, search.shape(), &[0]).unwrap();
    let right = server.answer(&window, &query).unwrap();
    assert!(client.answer(&liar(reply("200 OK", &right)).ask(digest, &[0], &query).unwrap()).is_ok());
    let changed = |at: usize| {
        let mut bytes = right.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    let lies = [
        Vec::new(),
        right[1..].to_vec(),
        right[..right.len() - 8].to_vec(),
        changed(0),
        changed(20),
        changed(60),
    ];
    for lie in lies {
        let answer = liar(reply("200 OK", &lie)).ask(digest, &[0], &query).unwrap();
        let refused = client.answer(&answer);
        assert!(
            matches!(refused, Err(ProtocolError::Message { .. } | ProtocolError::Noise { .. })),
            "{refused:?}"
        );
    }
    // It holds no keys, whatever is sent: that's said once, and not tried for ever.
    let says = reply("404 Not Found", br#"{"kind":"unknown_keys","message":"none"}"#);
    let http = liar(says);
    assert!(Remote::new(&http, &search, &client, Some(digest)).ask(&[0], &query).is_err());
}
