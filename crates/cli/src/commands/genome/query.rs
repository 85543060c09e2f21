//! `asanoha genome query`: how far haplotypes agree with a panel's.

use std::ops::Range;

use asanoha::{
    genome::{
        Panel,
        panel::{Site, Variants, longest_from},
        protocol::{Answer, Client, Search, Server, Shape, Window},
    },
    scheme::Scheme,
};
use serde::Serialize;

use crate::{
    args::{QueryArgs, RingArgs},
    error::Failure,
    figures,
    report::{Lines, Report, security_words},
    session::{Purpose, Session, timed},
};

/// A number if one haplotype was asked for, and else a list.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Numbers {
    One(usize),
    Each(Vec<usize>),
}

#[derive(Debug, Serialize)]
struct QueryReport {
    length: Numbers,
    count: Numbers,
    plain_length: Numbers,
    plain_count: Numbers,
    start: usize,
    letters: usize,
    security_bits: u32,
    /// Of encryption, search and decryption, all queries together.
    seconds: f64,
    keygen_s: f64,
    query_bytes: usize,
    answer_bytes: usize,
}

/// What the queries gave.
struct Found {
    answers: Vec<Answer>,
    keygen_s: f64,
    seconds: f64,
    query_bytes: usize,
    answer_bytes: usize,
}

pub(super) fn query(session: &Session, args: &QueryArgs) -> Result<Report, Failure> {
    let panel = super::read_panel(&args.local, &args.records)?;
    let sites = panel.window_sites(args.start, args.length)?;
    let mine = Mine::read(args)?;
    let letters = mine.letters(panel.chromosome(), &sites)?;
    let shape = Shape { letters: args.length, haplotypes: panel.haplotypes(), candidates: 1, counts: true };
    let search = args.ring.search(session, shape)?;
    let found = search_locally(session, &search, &panel, args.start, &letters)?;

    let plain = letters.iter().map(|letters| {
        let longest = longest_from(&panel, letters, args.start)?;
        Ok(Answer { length: longest.length, count: Some(longest.references.len()) })
    });
    let plain: Vec<Answer> = plain.collect::<Result<_, Failure>>()?;
    let other = found.answers.iter().zip(&plain).position(|(found, plain)| found != plain);
    let failure = other.map(|at| {
        let (found, plain) = (found.answers[at], plain[at]);
        Failure::check(format!("haplotype {at}: {found:?} was found, and {plain:?} is right"))
    });
    let numbers = |answers: &[Answer], number: fn(&Answer) -> usize| {
        let numbers = answers.iter().map(number);
        if args.haplotype.is_some() { Numbers::One(numbers.sum()) } else { Numbers::Each(numbers.collect()) }
    };
    let (length, count) = (|answer: &Answer| answer.length, |answer: &Answer| answer.count.unwrap_or(0));
    let report = QueryReport {
        length: numbers(&found.answers, length),
        count: numbers(&found.answers, count),
        plain_length: numbers(&plain, length),
        plain_count: numbers(&plain, count),
        start: args.start,
        letters: args.length,
        security_bits: search.params().rlwe().security_bits(),
        seconds: found.seconds,
        keygen_s: found.keygen_s,
        query_bytes: found.query_bytes,
        answer_bytes: found.answer_bytes,
    };
    let mut lines = Lines::default();
    for (haplotype, answer) in mine.haplotypes.zip(&found.answers) {
        let (name, which) = (&mine.variants.samples[haplotype / 2], 1 + haplotype % 2);
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
        .line("security", security_words(report.security_bits, false));
    Ok(Report::new(&report, lines.text()).failing(failure))
}

impl RingArgs {
    fn search(&self, session: &Session, shape: Shape) -> Result<Search, Failure> {
        session.admit_ring(self.ring_degree)?;
        let search =
            self.ring_degree.map_or_else(|| Search::new(shape), |degree| Search::insecure(shape, degree));
        Ok(search?)
    }
}

/// The haplotypes that are asked for.
struct Mine {
    variants: Variants,
    haplotypes: Range<usize>,
}

impl Mine {
    fn read(args: &QueryArgs) -> Result<Self, Failure> {
        let variants = Variants::read(&args.vcf, args.records.policy())?;
        let there = variants.panel.haplotypes();
        let haplotypes = args.haplotype.map_or(0..there, |haplotype| haplotype..haplotype.saturating_add(1));
        if haplotypes.end > there {
            let (file, asked) = (args.vcf.display(), haplotypes.start);
            return Err(Failure::bad_input(format!(
                "{file}: it has {there} haplotypes, and --haplotype {asked} counts from 0"
            )));
        }
        Ok(Self { variants, haplotypes })
    }

    /// The letters of each haplotype at sites of a chromosome.
    fn letters(&self, chromosome: &str, sites: &[Site]) -> Result<Vec<Vec<bool>>, Failure> {
        let panel = &self.variants.panel;
        let sites = panel.sites_at(chromosome, sites)?;
        let letters = |haplotype| sites.iter().map(|&site| panel.allele(site, haplotype)).collect();
        Ok(self.haplotypes.clone().map(letters).collect())
    }
}

/// Both sides of a search in this process.
fn search_locally(
    session: &Session,
    search: &Search,
    panel: &Panel,
    start: usize,
    letters: &[Vec<bool>],
) -> Result<Found, Failure> {
    let window = Window::new(panel, search.shape(), &[start])?;
    let (parties, keygen_s) = timed(|| {
        let client = Client::with_sampler(search, &mut session.sampler(Purpose::Keys));
        let (keys, public) = client.server_keys();
        Ok::<_, Failure>((client, Server::new(search, keys, public)?))
    });
    let (client, server) = parties?;
    let (mut query_bytes, mut answer_bytes) = (0, 0);
    let (answers, seconds) = timed(|| {
        let answer = |letters: &Vec<bool>| {
            let query = client.query(letters, 0)?;
            let answer = server.answer(&window, &query)?;
            (query_bytes, answer_bytes) = (query.len(), answer.len());
            Ok(client.answer(&answer)?)
        };
        letters.iter().map(answer).collect::<Result<_, Failure>>()
    });
    Ok(Found { answers: answers?, keygen_s, seconds, query_bytes, answer_bytes })
}
