//! Private haplotype search: protocol S, a scan, by the length of queries, and protocol W, the walk of the PBWT under encryption.

use std::{cell::RefCell, fmt::Write, time::Instant};

use asanoha_genome::{
    PanelError,
    panel::{Panel, RandomPanel, longest_from},
    protocol::{
        Client, OperationTimes, Phase, ProtocolError, RING_DEGREE, Search, SearchShape, Server, Window,
    },
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
    /// The phases of the search.
    pub phases: GenomePhases,
    /// Of the server's time, rotations, row swaps, traces and the walk's moves, without the encoding of their masks. On several threads
    /// the average of what threads began and did themselves: the parts that others took over are missing.
    pub rotate_s: f64,
    /// Of it, products of ciphertexts with relinearisations, likewise.
    pub multiply_s: f64,
    /// Of it, encoding of the panel, of masks and of random numbers as plaintexts, likewise.
    pub encode_s: f64,
    /// Of it, products and sums with plaintexts, likewise.
    pub plain_s: f64,
    /// Of it, sums and differences of ciphertexts, likewise.
    pub add_s: f64,
    /// Of it, changes of level, likewise.
    pub switch_s: f64,
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

/// The times of the phases of a search, in order and in seconds. Those from `read_s` to `write_s` add up to the server's time.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct GenomePhases {
    /// The client generates its keys, once for all queries.
    pub keys_s: f64,
    /// The server reduces the panel to the haplotypes that differ in the query's window, once for all queries there.
    pub window_s: f64,
    /// The client encrypts the query.
    pub encrypt_s: f64,
    /// The server reads the query and, in a walk, sorts the haplotypes at each stride.
    pub read_s: f64,
    /// Expansion of the query to a ciphertext for each column of letters.
    pub expand_s: f64,
    /// The check that the letters are bits.
    pub check_s: f64,
    /// The comparison of the query with the panel, letter by letter, with the walk's moves.
    pub match_s: f64,
    /// Blinding of all but length and count.
    pub blind_s: f64,
    /// Packing into one ciphertext.
    pub pack_s: f64,
    /// Flooding, and writing the answer.
    pub write_s: f64,
    /// The client decrypts the answer.
    pub decrypt_s: f64,
}

impl GenomePhases {
    /// Sets the times of the server's phases from their beginnings and the end of the last one.
    fn set_server(&mut self, begun: &[(Phase, Instant)], end: Instant) {
        let ends = begun.iter().skip(1).map(|(_, begun)| *begun).chain([end]);
        for (&(phase, begun), end) in begun.iter().zip(ends) {
            let seconds = match phase {
                Phase::Read => &mut self.read_s,
                Phase::Expand => &mut self.expand_s,
                Phase::Check => &mut self.check_s,
                Phase::Match => &mut self.match_s,
                Phase::Blind => &mut self.blind_s,
                Phase::Pack => &mut self.pack_s,
                Phase::Write => &mut self.write_s,
            };
            *seconds = end.duration_since(begun).as_secs_f64();
        }
    }

    fn named(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("keys", self.keys_s),
            ("window", self.window_s),
            ("encrypt", self.encrypt_s),
            ("read", self.read_s),
            ("expand", self.expand_s),
            ("check", self.check_s),
            ("match", self.match_s),
            ("blind", self.blind_s),
            ("pack", self.pack_s),
            ("write", self.write_s),
            ("decrypt", self.decrypt_s),
        ]
    }
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

/// The result of some work, and its time in seconds.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64())
}

/// One search from the panel's middle on, of a haplotype's letters with another one at three quarters.
fn search(
    panel: &Panel,
    length: usize,
    stride: Option<usize>,
    transform: f64,
) -> Result<GenomeRow, GenomeError> {
    memory::mark();
    let shape = SearchShape { letters: length, haplotypes: HAPLOTYPES, candidates: 1, counts: true };
    let search = match stride {
        Some(stride) => Search::walk(shape, stride)?,
        None => Search::new(shape)?,
    };
    let ((client, (keys, public)), keys_s) = timed(|| {
        let client = Client::new(&search);
        let keys = client.server_keys();
        (client, keys)
    });
    let key_bytes = keys.bytes();
    let server = Server::new(&search, keys, public)?;
    let start = SITES / 2;
    let mut query = panel.letters(HAPLOTYPES / 2, start..start + length);
    query[length * 3 / 4] ^= true;
    let longest = longest_from(panel, &query, start)?;
    let expected = (longest.length, Some(longest.references.len()));
    let (window, window_s) = timed(|| Window::new(panel, &shape, &[start]));
    let window = window?;
    let threads = rayon::current_num_threads();

    let mut fastest: Option<GenomeRow> = None;
    for _ in 0..REPEATS {
        let (message, encrypt_s) = timed(|| client.query(&query, 0));
        let message = message?;
        let phases_begun = RefCell::new(Vec::new());
        let phase = |phase| phases_begun.borrow_mut().push((phase, Instant::now()));
        let (begun, before) = (Instant::now(), transforms());
        let (answer, times) = server.answer_timed(&window, &message, &phase)?;
        let (end, transforms) = (Instant::now(), transforms() - before);
        let seconds = end.duration_since(begun).as_secs_f64();
        let (found, decrypt_s) = timed(|| client.answer(&answer));
        let found = found?;
        if (found.length, found.count) != expected {
            return Err(GenomeError::Wrong(length));
        }
        let mut phases = GenomePhases { keys_s, window_s, encrypt_s, decrypt_s, ..GenomePhases::default() };
        phases.set_server(&phases_begun.borrow(), end);
        let OperationTimes { rotate, multiply, encode, plain, add, switch } = times;
        let [rotate_s, multiply_s, encode_s, plain_s, add_s, switch_s] =
            [rotate, multiply, encode, plain, add, switch].map(|time| time.as_secs_f64() / threads as f64);
        let row = GenomeRow {
            protocol: if stride.is_some() { "W" } else { "S" },
            stride,
            haplotypes: HAPLOTYPES,
            sites: SITES,
            length,
            threads,
            seconds,
            phases,
            rotate_s,
            multiply_s,
            encode_s,
            plain_s,
            add_s,
            switch_s,
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
            "{:8} {:>6} {:>6} {:>7} {:>8} {:>7} {:>8} {:>9} {:>8} {:>6} {:>9}",
            "protocol",
            "length",
            "stride",
            "threads",
            "seconds",
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
                "{:8} {:>6} {:>6} {:>7} {:>8.3} {:>6.0}% {:>8.1} {:>9.1} {:>8.0} {:>6.1} {:>9.0}",
                row.protocol,
                row.length,
                row.stride.map_or(String::new(), |stride| stride.to_string()),
                row.threads,
                row.seconds,
                100.0 * row.ntt_share,
                row.bytes_up as f64 / 1e3,
                row.bytes_down as f64 / 1e3,
                row.key_bytes as f64 / 1e6,
                row.margin_bits,
                row.peak_bytes.unwrap_or(0) as f64 / (1 << 20) as f64
            );
        }
        self.times(&mut text, "phases", |row| row.phases.named());
        self.times(&mut text, "the server's time by operation", |row| {
            vec![
                ("rotate", row.rotate_s),
                ("multiply", row.multiply_s),
                ("encode", row.encode_s),
                ("plain", row.plain_s),
                ("add", row.add_s),
                ("switch", row.switch_s),
            ]
        });
        let GenomePublished { seconds, threads } = self.published;
        let _ = writeln!(text, "\npublished: {seconds} s on {threads} threads, by the walk");
        text
    }

    /// Writes a table of times in seconds.
    fn times(&self, text: &mut String, title: &str, times: impl Fn(&GenomeRow) -> Vec<(&'static str, f64)>) {
        let Some(first) = self.rows.first() else { return };
        let _ = write!(text, "\n{title}, in seconds\n{:8} {:>6} {:>7}", "protocol", "length", "threads");
        times(first).iter().for_each(|(name, _)| {
            let _ = write!(text, " {name:>8}");
        });
        text.push('\n');
        for row in &self.rows {
            let _ = write!(text, "{:8} {:>6} {:>7}", row.protocol, row.length, row.threads);
            times(row).iter().for_each(|(_, seconds)| {
                let _ = write!(text, " {seconds:>8.3}");
            });
            text.push('\n');
        }
    }
}
