//! A server over HTTP under good and bad requests of several clients at once: every answer is compared with the plain one, every
//! refusal with the one that it should be, and the process's memory after a while with that at the end.
//!
//! ```text
//! cargo run --release -p asanoha-genome --features http --example soak -- --minutes 30 --ring-degree 64
//! cargo run --release -p asanoha-genome --features http --example soak -- --minutes 30 --letters 32
//! ```
//!
//! Without a ring degree, parameters are secure.

use std::{
    collections::BTreeMap,
    error::Error,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Mutex,
    time::{Duration, Instant},
};

use asanoha_genome::{
    Panel,
    http::{
        Ask, HttpClient, HttpServer, KeysDigest, Limits, Remote, SearchError, SentKeys, Settings,
        agreed_search,
    },
    panel::{RandomPanel, longest_from},
    protocol::{Client, ProtocolError, Search},
};
use asanoha_http::{HttpError, Kind};
use asanoha_ring::{Sampler, Seed};
use tokio::sync::oneshot;

const MAX_HAPLOTYPES: usize = 2184;
const SITES: usize = 3000;
/// A client takes new keys after so many requests, and the server drops those of others for them.
const REQUESTS_OF_KEYS: usize = 200;

struct Options {
    minutes: f64,
    ring_degree: Option<usize>,
    letters: usize,
    clients: usize,
    threads: usize,
}

impl Options {
    fn read() -> Result<Self, Box<dyn Error>> {
        let mut options = Self { minutes: 30.0, ring_degree: None, letters: 9, clients: 3, threads: 2 };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} takes a value"))?;
            match name.as_str() {
                "--minutes" => options.minutes = value.parse()?,
                "--ring-degree" => options.ring_degree = Some(value.parse()?),
                "--letters" => options.letters = value.parse()?,
                "--clients" => options.clients = value.parse()?,
                "--threads" => options.threads = value.parse()?,
                _ => {
                    return Err(format!(
                        "{name} is none of --minutes, --ring-degree, --letters, --clients, --threads"
                    )
                    .into());
                }
            }
        }
        Ok(options)
    }
}

/// How many requests of each kind went as they should, and what went otherwise.
#[derive(Default)]
struct Tally {
    right: BTreeMap<&'static str, u64>,
    wrong: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    let haplotypes = options.ring_degree.map_or(MAX_HAPLOTYPES, |degree| MAX_HAPLOTYPES.min(degree / 3));
    let shape = RandomPanel { haplotypes, sites: SITES, recombination: 0.01, mutation: 0.002 };
    let panel = shape.generate(&Seed([1; 32]))?;
    let search = agreed_search((options.letters, 1), haplotypes, options.ring_degree)?;
    let of_a_client = Client::new(&search).server_keys().0.bytes();
    let settings = Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        identity: None,
        threads: options.threads,
        limits: Limits {
            general: asanoha_http::Limits {
                // All clients have one address.
                requests: u32::MAX,
                client_time: Duration::MAX,
                time: Duration::MAX,
                client_bodies: 64,
                client_waiting: 64,
                head: Duration::from_secs(2),
                // Clients wait in line, however long that is.
                wait: Duration::from_mins(20),
                ..Limits::default().general
            },
            all_key_bytes: options.clients * of_a_client,
            ..Limits::default()
        },
        insecure_ring: options.ring_degree,
        grace: Duration::from_mins(1),
    };
    let server = HttpServer::bind(panel.clone(), settings)?;
    let (address, url) = (server.address(), server.url());
    let (stop, stopped) = oneshot::channel();
    let server = std::thread::spawn(move || server.run(async { _ = stopped.await }));

    let (started, length) = (Instant::now(), Duration::from_secs_f64(60.0 * options.minutes));
    let tally = Mutex::new(Tally::default());
    // After a minute, or half of a shorter time, and then at every tenth of the whole.
    let memory: Vec<u64> = std::thread::scope(|scope| {
        for number in 0..options.clients {
            let visitor = Visitor { panel: &panel, search: &search, address, url: &url, tally: &tally };
            scope.spawn(move || visitor.ask(number as u8, started + length));
        }
        let first = Duration::from_mins(1).min(length / 2);
        let after = std::iter::once(first)
            .chain((1..=10).map(|tenth| length * tenth / 10).filter(|&after| after > first));
        let at = |after: Duration| {
            std::thread::sleep((started + after).saturating_duration_since(Instant::now()));
            resident_bytes()
        };
        after.map(at).collect()
    });
    stop.send(()).map_err(|()| "the server ended by itself")?;
    server.join().map_err(|_| "the server panicked")??;

    let Tally { right, wrong } = tally.into_inner()?;
    let all: u64 = right.values().sum();
    println!(
        "{} clients, {haplotypes} haplotypes, {} letters, {:.1} minutes",
        options.clients, options.letters, options.minutes
    );
    right.iter().for_each(|(kind, count)| println!("{count:>9} {kind}"));
    println!("{all:>9} requests in all, {} wrong", wrong.len());
    let mib: Vec<String> = memory.iter().map(|bytes| (bytes >> 20).to_string()).collect();
    println!("memory in MiB after the first minute, and at every tenth of the time then: {}", mib.join(", "));
    wrong.iter().take(20).for_each(|what| println!("wrong: {what}"));
    if wrong.is_empty() { Ok(()) } else { Err("answers or refusals were wrong".into()) }
}

/// The process's memory; 0 where the system doesn't tell.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// What a visit's outcome was instead of what it should have been.
type Outcome = Result<(), String>;

/// One who asks rightly and wrongly in turn.
#[derive(Clone, Copy)]
struct Visitor<'a> {
    panel: &'a Panel,
    search: &'a Search,
    address: SocketAddr,
    url: &'a str,
    tally: &'a Mutex<Tally>,
}

impl Visitor<'_> {
    fn ask(self, number: u8, until: Instant) {
        let http = HttpClient::new(self.url, None).expect("a server's address");
        let mut sampler = Sampler::new(&Seed([number; 32]));
        while Instant::now() < until {
            let client = Client::new(self.search);
            let mut remote = Remote::new(&http, self.search, &client, None);
            for _ in 0..REQUESTS_OF_KEYS {
                let words = sampler.uniform(3);
                let (kind, outcome) = self.visit(&http, &client, &mut remote, &words);
                let mut tally = self.tally.lock().expect("nobody panics with it");
                match outcome {
                    Ok(()) => *tally.right.entry(kind).or_default() += 1,
                    Err(what) => tally.wrong.push(format!("{kind}: {what}")),
                }
                drop(tally);
                if Instant::now() >= until {
                    return;
                }
            }
        }
    }

    fn visit(
        self,
        http: &HttpClient,
        client: &Client,
        remote: &mut Remote<'_>,
        words: &[u64],
    ) -> (&'static str, Outcome) {
        let letters = self.search.shape().letters;
        let start = words[1] as usize % (self.panel.sites() - letters);
        let mut asked =
            self.panel.letters(words[2] as usize % self.panel.haplotypes(), start..start + letters);
        asked[(words[2] >> 32) as usize % letters] ^= true;
        let query = client.query(&asked, 0).expect("letters of the search");
        let of = |keys: KeysDigest, query: &[u8]| http.ask(keys, &[start], query);
        let with_keys = |remote: &mut Remote<'_>, query: &[u8]| {
            remote.sent().map_or_else(|| remote.prepare(), Ok).and_then(|keys| of(keys, query))
        };
        // Another client's keys may have taken the place of these.
        let refused_or_gone = |outcome, kind| match refused_as(&outcome, Kind::UnknownKeys) {
            Ok(()) => Ok(()),
            Err(_) => refused_as(&outcome, kind),
        };
        match words[0] % 16 {
            0 => ("health", self.says(b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "ok")),
            1 => (
                "panel and sites",
                http.about().and_then(|_| http.sites(start, letters)).map(|_| ()).map_err(text),
            ),
            2 => ("garbage", refused_as(&http.ask_bytes(&garbage(words)), Kind::Malformed)),
            3 => {
                let cut = &query[..words[1] as usize % query.len()];
                ("cut short", refused_or_gone(with_keys(remote, cut), Kind::Malformed))
            }
            4 => (
                "unknown keys",
                refused_as(&http.ask_bytes(&unknown(words, start, &query)), Kind::UnknownKeys),
            ),
            5 => {
                _ = with_keys(remote, &query);
                ("replayed", refused_or_gone(with_keys(remote, &query), Kind::Replayed))
            }
            6 => ("too large", refused_as(&http.ask_bytes(&vec![0; 9 << 20]), Kind::TooLarge)),
            7 => {
                let sent =
                    SentKeys { letters, candidates: 1, public: &garbage(words), evaluation: b"" }.write();
                (
                    "keys that are none",
                    refused_as(&http.send_key_bytes(&sent).map(|_| Vec::new()), Kind::Malformed),
                )
            }
            8 => ("no HTTP", self.says(b"\x16\x03\x01\r\n\r\n", "HTTP/1.1 400")),
            kind @ (9 | 10) => {
                let Ok(KeysDigest(keys)) = remote.sent().map_or_else(|| remote.prepare(), Ok) else {
                    return ("gone", Err("no keys".to_owned()));
                };
                let request = Ask { keys, starts: vec![start], query: &query }.write();
                if kind == 9 {
                    ("gone amid its request", self.leaves(&request, request.len() / 2))
                } else {
                    ("gone before its answer", self.leaves(&request, request.len()))
                }
            }
            11 => {
                let stranger = Client::new(self.search).query(&asked, 0).expect("letters of the search");
                let outcome = match remote.ask(&[start], &stranger).map(|answer| client.answer(&answer)) {
                    Ok(Err(ProtocolError::Noise { .. })) => Ok(()),
                    other => Err(format!("{other:?}")),
                };
                ("under other keys", outcome)
            }
            _ => ("right", self.is_right(client, remote, (&asked, start), &query)),
        }
    }

    fn is_right(
        self,
        client: &Client,
        remote: &mut Remote<'_>,
        (letters, start): (&[bool], usize),
        query: &[u8],
    ) -> Outcome {
        let answer = match remote.ask(&[start], query) {
            // Others' keys came in between, twice.
            Err(SearchError::Http(HttpError::Refused { refusal, .. }))
                if refusal.kind == Kind::UnknownKeys =>
            {
                return Ok(());
            }
            answer => answer.map_err(text)?,
        };
        let found = client.answer(&answer).map_err(text)?;
        let longest = longest_from(self.panel, letters, start).map_err(text)?;
        let expected = (longest.length, Some(longest.references.len()));
        let is_right = (found.length, found.count) == expected;
        is_right.then_some(()).ok_or_else(|| format!("{found:?} in place of {expected:?}"))
    }

    /// Sends bytes that may be no request, and reads what is said.
    fn says(self, bytes: &[u8], part: &str) -> Outcome {
        let mut said = Vec::new();
        let mut exchange = || {
            let mut stream = TcpStream::connect(self.address)?;
            stream.write_all(bytes)?;
            stream.read_to_end(&mut said)
        };
        exchange().map_err(text)?;
        let said = String::from_utf8_lossy(&said);
        said.contains(part).then_some(()).ok_or_else(|| format!("{said:?} without {part:?}"))
    }

    /// Sends the first bytes of a request, and goes.
    fn leaves(self, request: &[u8], sent: usize) -> Outcome {
        let head =
            format!("POST /v1/queries HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n", request.len());
        let mut stream = TcpStream::connect(self.address).map_err(text)?;
        stream.write_all(&[head.as_bytes(), &request[..sent]].concat()).map_err(text)
    }
}

#[allow(clippy::needless_pass_by_value)] // Errors are mapped by it.
fn text(error: impl ToString) -> String {
    error.to_string()
}

fn refused_as(outcome: &Result<Vec<u8>, SearchError>, kind: Kind) -> Outcome {
    match outcome {
        Err(SearchError::Http(HttpError::Refused { refusal, .. })) if refusal.kind == kind => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(_) => Err("it was accepted".to_owned()),
    }
}

fn garbage(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A query under keys that were never sent.
fn unknown(words: &[u64], start: usize, query: &[u8]) -> Vec<u8> {
    let mut keys = [0; 32];
    keys[..24].copy_from_slice(&garbage(words));
    Ask { keys, starts: vec![start], query }.write()
}
