import os
os.chdir('/work/wt-serve')
p='crates/asanoha/Cargo.toml'; s=open(p).read()
s=s.replace('genome = ["dep:asanoha-genome"]\n','genome = ["dep:asanoha-genome"]\n# The same over HTTPS.\ngenome-http = ["genome", "asanoha-genome/http"]\n')
open(p,'w').write(s)
p='crates/asanoha/src/lib.rs'; s=open(p).read()
s=s.replace('private search of haplotypes. `bench`','private search of haplotypes; `genome-http`: over HTTPS. `bench`')
open(p,'w').write(s)
p='crates/cli/Cargo.toml'; s=open(p).read()
s=s.replace('[dev-dependencies]','[features]\n# `genome serve`, and `genome query --server`.\nhttp = ["asanoha/genome-http"]\n\n[dev-dependencies]',1)
open(p,'w').write(s)
p='crates/cli/src/args.rs'; s=open(p).read()
s=s.replace("""    Query(QueryArgs),
}
""","""    Query(QueryArgs),
    /// Answer encrypted queries over HTTPS until stopped; needs a build with the feature http
    Serve(ServeArgs),
}
""",1)
s=s.replace("""    #[arg(long, value_name = "PANEL")]
    pub(crate) local: PathBuf,
""","""    #[arg(long, value_name = "PANEL", required_unless_present = "server")]
    pub(crate) local: Option<PathBuf>,
    /// The server to ask, as https://HOST:PORT; needs a build with the feature http
    #[arg(long, value_name = "URL", conflicts_with = "local")]
    pub(crate) server: Option<String>,
    /// The certificate to trust, as PEM [default: those that public authorities vouch for]
    #[arg(long, value_name = "F.pem", requires = "server")]
    pub(crate) certificate: Option<PathBuf>,
""",1)
s=s.replace("""/// The ring of a search.
""","""#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The index of the panel
    #[arg(long, value_name = "F")]
    pub(crate) index: PathBuf,
    /// Where to listen, as IP:PORT; port 0 is any that's free
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: SocketAddr,
    /// The certificate, with those that vouch for it, as PEM. Without any, plain HTTP is spoken, at this machine's own
    /// addresses only
    #[arg(long, value_name = "F.pem", requires = "key")]
    pub(crate) certificate: Option<PathBuf>,
    /// The certificate's secret key, as PEM
    #[arg(long, value_name = "F.pem", requires = "certificate")]
    pub(crate) key: Option<PathBuf>,
    /// Make a certificate for this call, and write it to a file for clients to trust
    #[arg(long, value_name = "F.pem", conflicts_with = "certificate")]
    pub(crate) own_certificate: Option<PathBuf>,
    /// A name or address that the server's own certificate is for [default: that of --listen]
    #[arg(long = "name", value_name = "HOST", requires = "own_certificate")]
    pub(crate) names: Vec<String>,
    /// The most letters of a query
    #[arg(long, value_name = "L", default_value = "1024")]
    pub(crate) most_letters: usize,
    /// How many queries and keys a client's address may send in an hour
    #[arg(long, value_name = "COUNT", default_value = "1000")]
    pub(crate) requests: u32,
    #[command(flatten)]
    pub(crate) ring: RingArgs,
}

/// The ring of a search.
""",1)
s=s.replace("use std::path::PathBuf;","use std::{net::SocketAddr, path::PathBuf};",1)
open(p,'w').write(s)
p='crates/cli/src/error.rs'; s=open(p).read()
s=s.replace("""/// Reports a panic, which""","""#[cfg(feature = "http")]
impl From<HttpError> for Failure {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Protocol(error) => error.into(),
            HttpError::Unreachable { .. } | HttpError::Broken { .. } | HttpError::System(_) => {
                Self::impossible(error)
            }
            HttpError::Refused { ref refusal, .. }
                if !matches!(refusal.kind, Kind::Malformed | Kind::TooLarge) =>
            {
                Self::impossible(error)
            }
            _ => Self::bad_input(error),
        }
    }
}

/// Reports a panic, which""",1)
s=s.replace("use asanoha::{\n","#[cfg(feature = \"http\")]\nuse asanoha::genome::http::{HttpError, Kind};\nuse asanoha::{\n",1)
open(p,'w').write(s)
p='crates/cli/src/commands/genome/mod.rs'; s=open(p).read()
s=s.replace("mod query;\n","mod query;\n#[cfg(feature = \"http\")]\nmod remote;\n#[cfg(feature = \"http\")]\nmod serve;\n")
s=s.replace("""        GenomeCommand::Query(args) => query::query(session, args),
""","""        GenomeCommand::Query(args) => query::query(session, args),
        #[cfg(feature = "http")]
        GenomeCommand::Serve(args) => serve::serve(session, args),
        #[cfg(not(feature = "http"))]
        GenomeCommand::Serve(_) => Err(no_http()),
""")
s=s.replace("""impl RecordsArgs""","""#[cfg(not(feature = "http"))]
fn no_http() -> Failure {
    Failure::bad_input("this build of asanoha speaks no HTTP: build it with --features http")
}

impl RecordsArgs""",1)
open(p,'w').write(s)
p='crates/cli/src/commands/genome/query.rs'; s=open(p).read()
a=s.index("pub(super) fn query(session"); b=s.index("    let numbers = |answers")
s=s[:a]+'''pub(super) fn query(session: &Session, args: &QueryArgs) -> Result<Report, Failure> {
    session.admit_ring(args.ring.ring_degree)?;
    let mine = Mine::read(args)?;
    let (found, plain) = match (&args.local, &args.server) {
        (Some(panel), _) => locally(session, args, &mine, panel)?,
        #[cfg(feature = "http")]
        (None, Some(url)) => (super::remote::ask(session, args, &mine, url)?, None),
        #[cfg(not(feature = "http"))]
        (None, Some(_)) => return Err(super::no_http()),
        (None, None) => unreachable!("clap requires one of them"),
    };
    let differ = |plain: &Vec<Answer>| found.answers.iter().zip(plain).position(|(found, plain)| found != plain);
    let failure = plain.as_ref().and_then(|plain| differ(plain).map(|at| (at, plain[at]))).map(|(at, plain)| {
        Failure::check(format!("haplotype {at}: {:?} was found, and {plain:?} is right", found.answers[at]))
    });
'''+s[b:]
s=s.replace("plain_length: numbers(&plain, length)","plain_length: plain.as_ref().map(|plain| numbers(plain, length))")
s=s.replace("plain_count: numbers(&plain, count)","plain_count: plain.as_ref().map(|plain| numbers(plain, count))")
s=s.replace("    plain_length: Numbers,\n    plain_count: Numbers,","    #[serde(skip_serializing_if = \"Option::is_none\")]\n    plain_length: Option<Numbers>,\n    #[serde(skip_serializing_if = \"Option::is_none\")]\n    plain_count: Option<Numbers>,")
s=s.replace("security_bits: search.params().rlwe().security_bits(),","security_bits: found.security_bits,")
a=s.index("/// What the queries gave."); b=s.index("pub(super) fn query(session")
s=s[:a]+'''/// What the queries gave.
pub(super) struct Found {
    pub(super) answers: Vec<Answer>,
    pub(super) security_bits: u32,
    pub(super) keygen_s: f64,
    pub(super) seconds: f64,
    pub(super) query_bytes: usize,
    pub(super) answer_bytes: usize,
}

'''+s[b:]
s=s.replace("struct Mine {","pub(super) struct Mine {").replace("    fn letters(&self, chrom","    pub(super) fn letters(&self, chrom")
a=s.index("impl RingArgs"); b=s.index("/// The haplotypes that are asked for.")
s=s[:a]+s[b:]
a=s.index("/// Both sides of a search in this process.")
s=s[:a]+'''/// Both sides of a search in this process, and the plain answers.
fn locally(
    session: &Session,
    args: &QueryArgs,
    mine: &Mine,
    panel: &Path,
) -> Result<(Found, Option<Vec<Answer>>), Failure> {
    let panel = super::read_panel(panel, &args.records)?;
    let letters = mine.letters(panel.chromosome(), panel.window_positions(args.start, args.length)?)?;
    let shape = Shape { letters: args.length, haplotypes: panel.haplotypes(), candidates: 1, counts: true };
    let search = args.ring.ring_degree.map_or_else(|| Search::new(shape), |degree| Search::insecure(shape, degree))?;
    let window = Window::new(&panel, &shape, &[args.start])?;
    let (parties, keygen_s) = timed(|| {
        let client = Client::with_sampler(&search, &mut session.sampler(Purpose::Keys));
        let (keys, public) = client.server_keys();
        Ok::<_, Failure>((client, Server::new(&search, keys, public)?))
    });
    let (client, server) = parties?;
    let found = Found::ask(&client, keygen_s, &letters, |query| Ok(server.answer(&window, query)?))?;
    let plain = letters.iter().map(|letters| {
        let longest = longest_from(&panel, letters, args.start)?;
        Ok(Answer { length: longest.length, count: Some(longest.references.len()) })
    });
    Ok((found, Some(plain.collect::<Result<_, Failure>>()?)))
}

impl Found {
    /// Asks a server, whatever carries queries to it, for each haplotype's letters.
    pub(super) fn ask(
        client: &Client,
        (security_bits, keygen_s): (u32, f64),
        letters: &[Vec<bool>],
        server: impl Fn(&[u8]) -> Result<Vec<u8>, Failure>,
    ) -> Result<Self, Failure> {
        let (mut query_bytes, mut answer_bytes) = (0, 0);
        let (answers, seconds) = timed(|| {
            let answer = |letters: &Vec<bool>| {
                let query = client.query(letters, 0)?;
                let answer = server(&query)?;
                (query_bytes, answer_bytes) = (query.len(), answer.len());
                Ok(client.answer(&answer)?)
            };
            letters.iter().map(answer).collect::<Result<_, Failure>>()
        });
        Ok(Self { answers: answers?, security_bits, keygen_s, seconds, query_bytes, answer_bytes })
    }
}
'''
s=s.replace("Found::ask(&client, keygen_s, &letters,","Found::ask(&client, (search.params().rlwe().security_bits(), keygen_s), &letters,")
s=s.replace("use std::ops::Range;","use std::{ops::Range, path::Path};")
s=s.replace("    Panel,\n","").replace("args::{QueryArgs, RingArgs},","args::QueryArgs,")
open(p,'w').write(s)
open('crates/cli/src/commands/genome/remote.rs','w').write('''//! The queries of `asanoha genome query --server`.

use asanoha::genome::{
    http::{HttpClient, agreed_search},
    protocol::Client,
};

use super::query::{Found, Mine};
use crate::{
    args::QueryArgs,
    error::Failure,
    files::read_small,
    session::{Purpose, Session, timed},
};

/// Asks a server for each haplotype; the keys are sent once.
pub(super) fn ask(session: &Session, args: &QueryArgs, mine: &Mine, url: &str) -> Result<Found, Failure> {
    let certificate = args.certificate.as_deref().map(read_small).transpose()?;
    let http = HttpClient::new(url, certificate.as_deref())?;
    let about = http.about()?;
    if about.insecure_ring != args.ring.ring_degree {
        return Err(Failure::bad_input(format!(
            "{url}: the server searches in another ring than the client ({:?} and {:?}): a small one is for tests, and both sides have to be told so",
            about.insecure_ring, args.ring.ring_degree
        )));
    }
    let positions = http.positions(args.start, args.length)?;
    let letters = mine.letters(&about.chromosome, &positions)?;
    let search = agreed_search((args.length, 1), about.haplotypes, args.ring.ring_degree)?;
    let (client, keygen_s) = timed(|| Client::with_sampler(&search, &mut session.sampler(Purpose::Keys)));
    let (keys, public) = client.server_keys();
    let digest = http.send_keys(&search, (&keys, &public))?;
    drop(keys);
    let about_keys = (search.params().rlwe().security_bits(), keygen_s);
    Found::ask(&client, about_keys, &letters, |query| Ok(http.ask(digest, &[args.start], query)?))
}
''')
open('crates/cli/src/commands/genome/serve.rs','w').write('''//! `asanoha genome serve`: answers until stopped.

use std::{io::Write, net::SocketAddr, time::Duration};

use asanoha::genome::{
    Panel,
    http::{HttpServer, Identity, Limits, Settings, stopped_by_signal},
};
use serde::Serialize;

use crate::{
    args::ServeArgs,
    error::Failure,
    figures,
    files::{check_writable, read_small, write_text},
    report::{Lines, Report},
    session::{Session, timed},
};

/// How long queries that are under way may go on after the server is stopped.
const GRACE: Duration = Duration::from_secs(30);

#[derive(Debug, Serialize)]
struct ServeReport {
    url: String,
    seconds: f64,
}

pub(super) fn serve(session: &Session, args: &ServeArgs) -> Result<Report, Failure> {
    session.admit_ring(args.ring.ring_degree)?;
    let panel = Panel::read(&args.index)?;
    let settings = Settings {
        listen: args.listen,
        identity: identity(args)?,
        threads: session.threads,
        limits: Limits { letters: args.most_letters, requests: args.requests, ..Limits::default() },
        insecure_ring: args.ring.ring_degree,
        grace: GRACE,
    };
    let server = HttpServer::bind(panel, settings)?;
    let url = server.url();
    // If stderr is closed, nobody waits for the address.
    let _ = writeln!(std::io::stderr(), "listening at {url}");
    let (served, seconds) = timed(|| server.run(stopped_by_signal()));
    served?;
    let mut lines = Lines::default();
    lines.line("stopped", format_args!("{url}, after {}", figures::seconds(seconds)));
    Ok(Report::new(&ServeReport { url, seconds }, lines.text()))
}

/// The certificate that is given, or made.
fn identity(args: &ServeArgs) -> Result<Option<Identity>, Failure> {
    if let Some((certificate, key)) = args.certificate.as_deref().zip(args.key.as_deref()) {
        return Ok(Some(Identity::from_pem(&read_small(certificate)?, &read_small(key)?)?));
    }
    let Some(path) = &args.own_certificate else { return Ok(None) };
    check_writable(path)?;
    let listen = || vec![SocketAddr::ip(&args.listen).to_string()];
    let (identity, pem) = Identity::own(if args.names.is_empty() { listen() } else { args.names.clone() })?;
    write_text(path, &pem)?;
    Ok(Some(identity))
}
''')
p='crates/cli/src/files.rs'; s=open(p).read()
s=s.replace("""/// The folder that contains a file.""","""/// Reads a small file, such as a certificate, of at most 1 MiB.
#[cfg(feature = "http")]
pub(crate) fn read_small(path: &Path) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 1 << 20;
    let unreadable =
        |error: std::io::Error| Failure::bad_input(format!("{}: cannot be read: {error}", path.display()));
    let mut bytes = Vec::new();
    File::open(path).map_err(unreadable)?.take(MOST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::bad_input(format!("{}: it has more than {MOST} bytes", path.display())));
    }
    Ok(bytes)
}

/// The folder that contains a file.""",1)
open(p,'w').write(s)
