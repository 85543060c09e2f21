//! `asanoha genome query`: how far haplotypes agree with a panel's.

use std::path::Path;

use asanoha::{
    genome::{
        Panel,
        panel::{Haplotype, Variants, longest_from},
        protocol::{Answer, Client, Search, SearchShape, Server, Window},
    },
    scheme::Scheme,
};
use serde::Serialize;

use super::{
    answers::Found,
    mine::{Mine, read_mine},
    records::Records,
};
use crate::{
    args::{QueryArgs, RecordsArgs},
    error::Failure,
    figures,
    report::{self, Report, counted, security_words},
    session::{Purpose, Session, timed},
};

/// Lists have an element for each haplotype that was asked for.
#[derive(Debug, Serialize)]
struct QueryReport<'a> {
    sample: Vec<&'a str>,
    /// The numbers that `--haplotype` takes.
    haplotype: Vec<usize>,
    doubled: Vec<usize>,
    length: Vec<usize>,
    count: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plain_length: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plain_count: Option<Vec<usize>>,
    start: usize,
    letters: usize,
    #[serde(flatten)]
    records: Records,
    sites_digest: String,
    security_bits: u32,
    /// Of encryption, search and decryption, all queries together.
    seconds: f64,
    keygen_s: f64,
    query_bytes: usize,
    answer_bytes: usize,
}

pub(super) fn query(session: &Session, args: &QueryArgs) -> Result<Report, Failure> {
    session.admit_ring(args.ring.ring_degree)?;
    let (mine, found, records, plain) = match (&args.local, &args.server) {
        (Some(panel), _) => {
            let (mine, found, records, plain) = locally(session, args, panel)?;
            (mine, found, records, Some(plain))
        }
        #[cfg(feature = "http")]
        (None, Some(url)) => {
            let (mine, found, records) = super::remote::ask(session, args, url)?;
            (mine, found, records, None)
        }
        #[cfg(not(feature = "http"))]
        (None, Some(_)) => return Err(Failure::without_http()),
        (None, None) => unreachable!("clap requires one of them"),
    };
    let pairs = || (mine.first..).zip(found.answers.iter().zip(plain.iter().flatten()));
    let failure = pairs().find(|(_, (found, plain))| found != plain).map(|(number, (found, plain))| {
        Failure::check(format!("haplotype {number}: {found:?} was found, and {plain:?} is right"))
    });
    let numbers = |answers: &[Answer], number: fn(&Answer) -> usize| answers.iter().map(number).collect();
    let (length, count) = (|answer: &Answer| answer.length, |answer: &Answer| answer.count.unwrap_or(0));
    let report = QueryReport {
        sample: mine.haplotypes.iter().map(|haplotype| haplotype.sample.as_str()).collect(),
        haplotype: (mine.first..mine.first + mine.haplotypes.len()).collect(),
        doubled: mine.haplotypes.iter().map(|haplotype| haplotype.doubled).collect(),
        length: numbers(&found.answers, length),
        count: numbers(&found.answers, count),
        plain_length: plain.as_ref().map(|plain| numbers(plain, length)),
        plain_count: plain.as_ref().map(|plain| numbers(plain, count)),
        start: args.start,
        letters: args.length,
        records,
        sites_digest: mine.digest.to_string(),
        security_bits: found.security_bits,
        seconds: found.seconds,
        keygen_s: found.keygen_s,
        query_bytes: found.query_bytes,
        answer_bytes: found.answer_bytes,
    };
    let mut lines = report::lines();
    for ((number, haplotype), answer) in (mine.first..).zip(&mine.haplotypes).zip(&found.answers) {
        let Haplotype { sample, doubled, .. } = haplotype;
        let (length, count) = (answer.length, answer.count.unwrap_or(0));
        let haploid = match doubled {
            0 => String::new(),
            sites => {
                format!("; {sample} is haploid at {sites} of these sites, where both haplotypes are equal")
            }
        };
        lines.line(
            "match",
            format_args!(
                "haplotype {number} ({sample}): {length} of {} letters, with {count}{haploid}",
                args.length
            ),
        );
    }
    if records.skipped > 0 {
        let skipped = counted(records.skipped, "record");
        lines.line("panel", format_args!("{skipped} left out, which --start does not count"));
    }
    records.print_doubled(&mut lines);
    let [keys, all] = [found.keygen_s, found.seconds].map(figures::seconds);
    let [query, answer] = [found.query_bytes, found.answer_bytes].map(|bytes| figures::bytes(bytes as u64));
    lines
        .line("time", format_args!("keys {keys}, queries {all}"))
        .line("size", format_args!("a query {query}, an answer {answer}"))
        .line("sites", format_args!("digest {}", mine.digest))
        .line("security", security_words(report.security_bits, false));
    Ok(Report::new(&report, lines.text()).failing(failure))
}

/// Both sides of a search in this process, and the plain answers.
fn locally(
    session: &Session,
    args: &QueryArgs,
    panel: &Path,
) -> Result<(Mine, Found, Records, Vec<Answer>), Failure> {
    let (panel, records) = read_panel(panel, &args.records)?;
    let mine = read_mine(args, panel.chromosome(), &panel.window_sites(args.start, args.length)?)?;
    let shape =
        SearchShape { letters: args.length, haplotypes: panel.haplotypes(), candidates: 1, counts: true };
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
    Ok((mine, found, records, plain))
}

/// A panel out of its index or of a file of variants.
fn read_panel(path: &Path, records: &RecordsArgs) -> Result<(Panel, Records), Failure> {
    if Panel::is_index(path)? {
        return Ok((Panel::read(path)?, Records::default()));
    }
    let variants = Variants::read(path, records.policy())?;
    let records = Records::from(&variants);
    Ok((variants.panel, records))
}
