//! Private haplotype search: protocol S, a scan, by the length of queries, and protocol W, the walk of the PBWT under encryption.

use std::{fmt::Write, time::Instant};

use asanoha_genome::{
    PanelError,
    panel::{Panel, RandomPanel, longest_from},
    protocol::{Client, ProtocolError, RING_DEGREE, Search, Server, Shape, Window},
};
use asanoha_kernels::{Backend, NttTable};
use asanoha_ring::{Seed, keep_unused_memory, transforms};
use serde::Serialize;
use thiserror::Error;

use crate::{
    Effort, Machine, Operation, Settings, Tell, measure, memory,
    ntt::modulus,
    operation::{residues, transform},
};

/// The published panel, in size.
const HAPLOTYPES: usize = 2184;
const SITES: usize = 10_000;
/// The published time of a search by the walk, on 12 threads.
///
/// Source: Tsuji, Endo, Oguchi, "Comparison of FHE schemes and libraries for efficient cryptographic processing" (2024), Table 8:
/// HElib's BGV with bootstrapping.
const PUBLISHED: (f64, usize) = (477.33, 12);
/// The lengths of queries of protocol S.
const SCANS: [usize; 8] = [1, 2, 4, 8, 16, 32, 200, 1000];
/// The lengths of queries of protocol W, and their strides.
const WALKS: [(usize, usize); 6] = [(2, 1), (4, 1), (6, 1), (8, 1), (10, 1), (32, 8)];
/// Answers, of which the fastest counts: the first finds the memory that others use again.
const REPEATS: usize = 3;
/// The memory that is kept between answers, in bytes.
const KEPT: usize = 8 << 30;
/// The width of the prime whose transform is measured, about that of a search's primes.
const PRIME_BITS: u32 = 46;

/// What is measured.
#[derive(Clone, Debug)]
pub struct GenomeSettings {
    /// Whether a scan of 32 letters on one thread is enough. The kernels are those of the process.
    pub settings: Settings,
    /// Threads, beside one.
    pub threads: usize,
}

/// What went wrong.
#[derive(Debug, Error)]
pub enum GenomeError {
    /// A panel that can't be made.
    #[error(transparent)]
    Panel(#[from] PanelError),
    /// A search without parameters, or one that failed.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// No threads.
    #[error("no threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// An answer that isn't one: a bug.
    #[error("a search of {0} letters gave another answer than the panel in the clear: please report this")]
    Wrong(usize),
}

/// One search.
#[derive(Clone, Debug, Serialize)]
pub struct GenomeRow {
    /// `S`, the scan, or `W`, the walk.
    pub protocol: &'static str,
    /// The letters between two moves of the walk.
    pub stride: Option<usize>,
    /// The panel's haplotypes.
    pub haplotypes: usize,
    /// The panel's sites.
    pub sites: usize,
    /// The letters of the query.
    pub length: usize,
    /// The threads.
    pub threads: usize,
    /// The server's time, in seconds.
    pub seconds: f64,
    /// Of it, rotations and the like, and the walk's moves with their masks. On several threads the average of what threads began and
    /// did themselves: the parts that others took over are missing.
    pub rotate_s: f64,
    /// Of it, products of ciphertexts with relinearisations, likewise.
    pub multiply_s: f64,
    /// The share of transforms: their number, times the time of one alone.
    pub ntt_share: f64,
    /// Bytes of the query.
    pub bytes_up: usize,
    /// Bytes of the answer.
    pub bytes_down: usize,
    /// Bytes of the client's keys in memory, sent once.
    pub key_bytes: usize,
    /// The bits that the modulus of the answer leaves above its noise and what floods it.
    pub margin_bits: f64,
    /// The process's peak memory in bytes, keys included.
    pub peak_bytes: Option<u64>,
    /// Whether length and count are those of the panel in the clear.
    pub correct: bool,
}

/// The published figure beside the rows.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GenomePublished {
    /// The time of a search by the walk, in seconds.
    pub seconds: f64,
    /// The threads that it took.
    pub threads: usize,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct GenomeReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each search.
    pub rows: Vec<GenomeRow>,
    /// The published figure for a panel of this size.
    pub published: GenomePublished,
}

/// Measures searches in a random panel of the published size, on one thread and on those asked for.
///
/// # Errors
/// [`GenomeError`].
pub fn genome(settings: &GenomeSettings, tell: Tell<'_>) -> Result<GenomeReport, GenomeError> {
    let GenomeSettings { settings, threads } = settings;
    let backend = *settings.backends.last().expect("at least one back-end is measured");
    keep_unused_memory(KEPT);
    let panel = RandomPanel { haplotypes: HAPLOTYPES, sites: SITES, recombination: 0.01, mutation: 0.002 };
    let panel = panel.generate(&Seed([1; 32]))?;
    let mut all_threads = vec![1, *threads];
    all_threads.dedup();
    let (scans, walks) =
        if settings.quick { (vec![32], Vec::new()) } else { (SCANS.to_vec(), WALKS.to_vec()) };
    let mut cases: Vec<(usize, Option<usize>)> = scans.into_iter().map(|length| (length, None)).collect();
    cases.extend(walks.into_iter().map(|(length, stride)| (length, Some(stride))));
    if settings.quick {
        all_threads.truncate(1);
    }
    let steps = all_threads.len() * cases.len();
    let transform = transform_seconds(backend);
    let mut rows = Vec::new();
    for &threads in &all_threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        for &(length, stride) in &cases {
            rows.push(pool.install(|| search(&panel, length, stride, transform))?);
            tell(rows.len(), steps);
        }
    }
    let machine = Machine { threads: *all_threads.last().unwrap_or(&1), ..Machine::this(&[backend]) };
    let (seconds, threads) = PUBLISHED;
    Ok(GenomeReport { machine, rows, published: GenomePublished { seconds, threads } })
}

/// The time of one transform.
fn transform_seconds(backend: Backend) -> f64 {
    let modulus = modulus(PRIME_BITS, RING_DEGREE);
    let table = NttTable::new(modulus, RING_DEGREE).expect("the prime is congruent to 1");
    let mut words = residues(&modulus, RING_DEGREE, 0);
    let kernel = transform(backend.kernels(PRIME_BITS), Operation::NttForward);
    let work = || kernel(&mut words, &table);
    measure(Effort::FULL, work).ns_median * 1e-9
}

/// One search from the panel's middle on, of a haplotype's letters with another one at three quarters.
fn search(
    panel: &Panel,
    length: usize,
    stride: Option<usize>,
    transform: f64,
) -> Result<GenomeRow, GenomeError> {
    memory::mark();
    let shape = Shape { letters: length, haplotypes: HAPLOTYPES, candidates: 1, counts: true };
    let search = match stride {
        Some(stride) => Search::walk(shape, stride)?,
        None => Search::new(shape)?,
    };
    let client = Client::new(&search);
    let (keys, public) = client.server_keys();
    let key_bytes = keys.bytes();
    let server = Server::new(&search, keys, public)?;
    let start = SITES / 2;
    let mut query = panel.letters(HAPLOTYPES / 2, start..start + length);
    query[length * 3 / 4] ^= true;
    let longest = longest_from(panel, &query, start)?;
    let expected = (longest.length, Some(longest.references.len()));
    let window = Window::new(panel, &shape, &[start])?;
    let threads = rayon::current_num_threads();

    let mut fastest: Option<GenomeRow> = None;
    for _ in 0..REPEATS {
        let message = client.query(&query, 0)?;
        let (begun, before) = (Instant::now(), transforms());
        let (answer, times) = server.answer_timed(&window, &message)?;
        let (seconds, transforms) = (begun.elapsed().as_secs_f64(), transforms() - before);
        let found = client.answer(&answer)?;
        if (found.length, found.count) != expected {
            return Err(GenomeError::Wrong(length));
        }
        let row = GenomeRow {
            protocol: if stride.is_some() { "W" } else { "S" },
            stride,
            haplotypes: HAPLOTYPES,
            sites: SITES,
            length,
            threads,
            seconds,
            rotate_s: times.rotate.as_secs_f64() / threads as f64,
            multiply_s: times.multiply.as_secs_f64() / threads as f64,
            ntt_share: transforms as f64 * transform / (seconds * threads as f64),
            bytes_up: message.len(),
            bytes_down: answer.len(),
            key_bytes,
            margin_bits: search.margin_bits(),
            peak_bytes: None,
            correct: true,
        };
        if fastest.as_ref().is_none_or(|fastest| seconds < fastest.seconds) {
            fastest = Some(row);
        }
    }
    let fastest = fastest.expect("it's repeated");
    Ok(GenomeRow { peak_bytes: memory::peak_bytes(), ..fastest })
}

impl GenomeReport {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}, {}: {HAPLOTYPES} haplotypes, {SITES} sites\n\n",
            self.machine.cpu, self.machine.kernels
        );
        let _ = writeln!(
            text,
            "{:8} {:>6} {:>6} {:>7} {:>8} {:>8} {:>8} {:>7} {:>8} {:>9} {:>8} {:>6} {:>9}",
            "protocol",
            "length",
            "stride",
            "threads",
            "seconds",
            "rotate",
            "multiply",
            "ntt",
            "kB up",
            "kB down",
            "MB keys",
            "margin",
            "peak MiB"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:8} {:>6} {:>6} {:>7} {:>8.3} {:>8.3} {:>8.3} {:>6.0}% {:>8.1} {:>9.1} {:>8.0} {:>6.1} {:>9.0}",
                row.protocol,
                row.length,
                row.stride.map_or(String::new(), |stride| stride.to_string()),
                row.threads,
                row.seconds,
                row.rotate_s,
                row.multiply_s,
                100.0 * row.ntt_share,
                row.bytes_up as f64 / 1e3,
                row.bytes_down as f64 / 1e3,
                row.key_bytes as f64 / 1e6,
                row.margin_bits,
                row.peak_bytes.unwrap_or(0) as f64 / (1 << 20) as f64
            );
        }
        let GenomePublished { seconds, threads } = self.published;
        let _ = writeln!(text, "\npublished: {seconds} s on {threads} threads, by the walk");
        text
    }
}
