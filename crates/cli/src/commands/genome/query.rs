//! `asanoha genome query`: how far haplotypes agree with a panel's.

use std::path::Path;

use asanoha::{
    genome::{
        panel::{Haplotype, Site, SitesDigest, letters_at, longest_from},
        protocol::{Answer, Client, Search, Server, Shape, Window},
    },
    scheme::Scheme,
};
use serde::Serialize;

use crate::{
    args::QueryArgs,
    error::Failure,
    figures,
    report::{self, Report, security_words},
    session::{Purpose, Session, timed},
};

/// Of each haplotype that was asked for.
#[derive(Debug, Serialize)]
struct QueryReport {
    length: Vec<usize>,
    count: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plain_length: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plain_count: Option<Vec<usize>>,
    start: usize,
    letters: usize,
    sites_digest: String,
    security_bits: u32,
    /// Of encryption, search and decryption, all queries together.
    seconds: f64,
    keygen_s: f64,
    query_bytes: usize,
    answer_bytes: usize,
}

/// The haplotypes that are asked for.
pub(super) struct Mine {
    pub(super) haplotypes: Vec<Haplotype>,
    /// The digest of the sites of their letters.
    digest: SitesDigest,
}

/// What the queries gave.
pub(super) struct Found {
    pub(super) answers: Vec<Answer>,
    pub(super) security_bits: u32,
    pub(super) keygen_s: f64,
    pub(super) seconds: f64,
    pub(super) query_bytes: usize,
    pub(super) answer_bytes: usize,
}

pub(super) fn query(session: &Session, args: &QueryArgs) -> Result<Report, Failure> {
    session.admit_ring(args.ring.ring_degree)?;
    let (mine, found, plain) = match (&args.local, &args.server) {
        (Some(panel), _) => {
            let (mine, found, plain) = locally(session, args, panel)?;
            (mine, found, Some(plain))
        }
        #[cfg(feature = "http")]
        (None, Some(url)) => {
            let (mine, found) = super::remote::ask(session, args, url)?;
            (mine, found, None)
        }
        #[cfg(not(feature = "http"))]
        (None, Some(_)) => return Err(super::no_http()),
        (None, None) => unreachable!("clap requires one of them"),
    };
    let pairs = || found.answers.iter().zip(plain.iter().flatten()).enumerate();
    let failure = pairs().find(|(_, (found, plain))| found != plain).map(|(at, (found, plain))| {
        Failure::check(format!("haplotype {at}: {found:?} was found, and {plain:?} is right"))
    });
    let numbers = |answers: &[Answer], number: fn(&Answer) -> usize| answers.iter().map(number).collect();
    let (length, count) = (|answer: &Answer| answer.length, |answer: &Answer| answer.count.unwrap_or(0));
    let report = QueryReport {
        length: numbers(&found.answers, length),
        count: numbers(&found.answers, count),
        plain_length: plain.as_ref().map(|plain| numbers(plain, length)),
        plain_count: plain.as_ref().map(|plain| numbers(plain, count)),
        start: args.start,
        letters: args.length,
        sites_digest: mine.digest.to_string(),
        security_bits: found.security_bits,
        seconds: found.seconds,
        keygen_s: found.keygen_s,
        query_bytes: found.query_bytes,
        answer_bytes: found.answer_bytes,
    };
    let mut lines = report::lines();
    for (Haplotype { sample: name, which, .. }, answer) in mine.haplotypes.iter().zip(&found.answers) {
        let count = answer.count.unwrap_or(0);
        lines.line(
            "match",
            format_args!(
                "{name} haplotype {which}: {} of {} letters, with {count}",
                answer.length, args.length
            ),
        );
    }
    let [keys, all] = [found.keygen_s, found.seconds].map(figures::seconds);
    let [query, answer] = [found.query_bytes, found.answer_bytes].map(|bytes| figures::bytes(bytes as u64));
    lines
        .line("time", format_args!("keys {keys}, queries {all}"))
        .line("size", format_args!("a query {query}, an answer {answer}"))
        .line("sites", format_args!("digest {}", mine.digest))
        .line("security", security_words(report.security_bits, false));
    Ok(Report::new(&report, lines.text()).failing(failure))
}

/// The haplotypes that are asked for, with their letters at sites of the panel's chromosome: a file may hold a whole genome.
pub(super) fn read_mine(args: &QueryArgs, chromosome: &str, sites: &[Site]) -> Result<Mine, Failure> {
    let digest = SitesDigest::of(chromosome, sites);
    let mut all = letters_at(&args.vcf, chromosome, sites)?;
    let Some(asked) = args.haplotype else { return Ok(Mine { haplotypes: all, digest }) };
    if asked >= all.len() {
        let (file, there) = (args.vcf.display(), all.len());
        return Err(Failure::bad_input(format!(
            "{file}: it has {there} haplotypes, and --haplotype {asked} counts from 0"
        )));
    }
    Ok(Mine { haplotypes: vec![all.swap_remove(asked)], digest })
}

/// Both sides of a search in this process, and the plain answers.
fn locally(session: &Session, args: &QueryArgs, panel: &Path) -> Result<(Mine, Found, Vec<Answer>), Failure> {
    let panel = super::read_panel(panel, &args.records)?;
    let mine = read_mine(args, panel.chromosome(), &panel.window_sites(args.start, args.length)?)?;
    let shape = Shape { letters: args.length, haplotypes: panel.haplotypes(), candidates: 1, counts: true };
    let search =
        args.ring.ring_degree.map_or_else(|| Search::new(shape), |degree| Search::insecure(shape, degree))?;
    let window = Window::new(&panel, &shape, &[args.start])?;
    let (parties, keygen_s) = timed(|| {
        let client = Client::with_sampler(&search, &mut session.sampler(Purpose::Keys));
        let (keys, public) = client.server_keys();
        Ok::<_, Failure>((client, Server::new(&search, keys, public)?))
    });
    let (client, server) = parties?;
    let about_keys = (search.params().rlwe().security_bits(), keygen_s);
    let found =
        Found::ask(&client, about_keys, &mine.haplotypes, |query| Ok(server.answer(&window, query)?))?;
    let plain = mine.haplotypes.iter().map(|Haplotype { letters, .. }| {
        let longest = longest_from(&panel, letters, args.start)?;
        Ok(Answer { length: longest.length, count: Some(longest.references.len()) })
    });
    let plain = plain.collect::<Result<_, Failure>>()?;
    Ok((mine, found, plain))
}

impl Found {
    /// Asks a server, whatever carries queries to it, for each haplotype's letters.
    pub(super) fn ask(
        client: &Client,
        (security_bits, keygen_s): (u32, f64),
        haplotypes: &[Haplotype],
        mut server: impl FnMut(&[u8]) -> Result<Vec<u8>, Failure>,
    ) -> Result<Self, Failure> {
        let (mut query_bytes, mut answer_bytes) = (0, 0);
        let (answers, seconds) = timed(|| {
            let answer = |haplotype: &Haplotype| {
                let query = client.query(&haplotype.letters, 0)?;
                let answer = server(&query)?;
                (query_bytes, answer_bytes) = (query.len(), answer.len());
                Ok(client.answer(&answer)?)
            };
            haplotypes.iter().map(answer).collect::<Result<_, Failure>>()
        });
        Ok(Self { answers: answers?, security_bits, keygen_s, seconds, query_bytes, answer_bytes })
    }
}
