//! Matrix triples modulo a prime of 128 bits, by batch products and by the published products of squares.

mod batch;
mod published;
mod square;

use std::fmt::Write;

use asanoha_circuits::matrix::SquareError;
use asanoha_lattice::security_bits;
use asanoha_mpc::{GenerateError, TripleParamsError};
use asanoha_scheme::{
    SchemeError,
    candidates::{CandidateError, CandidateParams, TripleSetting, matrix_triples_table_1},
};
use serde::Serialize;
use thiserror::Error;

use crate::{Machine, Settings, Tell};

/// The rows and columns of the paper's Table 2.
const DIMENSIONS: [usize; 5] = [128, 256, 384, 512, 1024];

/// What is measured.
#[derive(Clone, Debug)]
pub struct TripleSettings {
    /// The kernels, of which the fastest are measured, and whether few dimensions are enough.
    pub settings: Settings,
    /// Threads, beside one.
    pub threads: usize,
    /// The rows and columns of the matrices; all that are measured by default if there are none.
    pub dimensions: Vec<usize>,
}

/// What went wrong.
#[derive(Debug, Error)]
pub enum TripleError {
    /// A dimension that isn't measured.
    #[error("--dim {dimension}: what's measured has {all} rows and columns")]
    Dimension {
        /// The dimension asked for.
        dimension: usize,
        /// Those that there are.
        all: String,
    },
    /// No parameters for batch products.
    #[error(transparent)]
    Params(#[from] TripleParamsError),
    /// A generation that failed.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// No parameters by the published algorithm.
    #[error(transparent)]
    Candidates(#[from] CandidateError),
    /// A product of squares that can't be planned or computed.
    #[error(transparent)]
    Square(#[from] SquareError),
    /// An operation that failed.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// No threads.
    #[error("no threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A product that isn't one: a bug.
    #[error("{0} gave a wrong product: please report this")]
    Wrong(String),
}

/// The time of one phase of one method.
#[derive(Clone, Debug, Serialize)]
pub struct TripleRow {
    /// The table of Mono, Güneysu, "Implementing and optimizing matrix triples with homomorphic encryption" (AsiaCCS 2023) that
    /// has figures of this kind.
    pub table: u32,
    /// `batch`; or `square` with how it rotates and what it keeps.
    pub method: String,
    /// What was measured; `total` is all of it. On one thread, batch products have `one party`: what a party does for itself and
    /// on what all have, as the paper counts.
    pub phase: &'static str,
    /// The rows and columns of matrices.
    pub dim: usize,
    /// The size of the prime that they are computed modulo, in bits.
    pub modulus_bits: u64,
    /// The threads.
    pub threads: usize,
    /// Products that were computed together.
    pub products: usize,
    /// The time, in seconds.
    pub seconds: f64,
    /// The time over the products.
    pub seconds_per_triple: f64,
    /// The process's peak memory in bytes, keys included.
    pub peak_bytes: Option<u64>,
    /// Where the times and the memory come from, and how good that is, if they weren't measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<String>,
}

/// The parameters that the published algorithm gives (its Table 1).
#[derive(Clone, Debug, Serialize)]
pub struct TripleColumn {
    /// `published`: under the paper's rules; or `asanoha`: under what this library promises.
    pub rules: &'static str,
    /// The ring degree.
    pub ring_degree: usize,
    /// log2 of the ciphertext modulus, rounded.
    pub log2_q: f64,
    /// log2 of the special modulus, rounded.
    pub log2_p: f64,
    /// The size of the plaintext modulus, in bits.
    pub modulus_bits: u32,
    /// The primes that each switch drops.
    pub switches: Vec<usize>,
    /// The width of primes, in bits.
    pub prime_bits: u32,
    /// The security in bits, by the table of 2024.
    pub security_bits: u32,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct TriplesReport {
    /// The machine.
    pub machine: Machine,
    /// The parameters of the published circuit, under two sets of rules.
    pub table_1: Vec<TripleColumn>,
    /// A row for each phase of each method.
    pub rows: Vec<TripleRow>,
    /// What the machine has too little memory for.
    pub skipped: Vec<String>,
}

/// What the rows of one measurement have in common.
struct Measured<'a> {
    table: u32,
    method: String,
    dim: usize,
    modulus_bits: u64,
    products: usize,
    peak_bytes: Option<u64>,
    phases: &'a [(&'static str, f64)],
}

impl Measured<'_> {
    /// A row for each phase, and one for all together.
    fn rows(&self) -> impl Iterator<Item = TripleRow> {
        let total = ("total", self.phases.iter().map(|(_, seconds)| seconds).sum());
        self.phases.iter().copied().chain([total]).map(|(phase, seconds)| self.row(phase, seconds))
    }

    fn row(&self, phase: &'static str, seconds: f64) -> TripleRow {
        TripleRow {
            table: self.table,
            method: self.method.clone(),
            phase,
            dim: self.dim,
            modulus_bits: self.modulus_bits,
            threads: rayon::current_num_threads(),
            products: self.products,
            seconds,
            seconds_per_triple: seconds / self.products as f64,
            peak_bytes: self.peak_bytes,
            predicted: None,
        }
    }
}

/// Measures triples by batch products on the threads asked for, those of 128 rows and columns also on one, and the published products of squares by every way of rotating, each on
/// the threads of the paper's tables that have it: one in Tables 3 and 5. Squares of more than 256 rows are predicted. If it's quick, only triples of 128 rows and columns by batch
/// products.
///
/// # Errors
/// [`TripleError`].
pub fn triples(settings: &TripleSettings, tell: Tell<'_>) -> Result<TriplesReport, TripleError> {
    let TripleSettings { settings, threads, dimensions } = settings;
    let backend = *settings.backends.last().expect("at least one back-end is measured");
    let mut all_threads = vec![1, *threads];
    all_threads.dedup();
    let (mut batches, mut squares) =
        if settings.quick { (vec![128], Vec::new()) } else { (DIMENSIONS.to_vec(), square::cases()) };
    let mut all: Vec<usize> = squares.iter().map(|case| case.dimension).chain(batches.clone()).collect();
    all.sort_unstable();
    all.dedup();
    if let Some(&dimension) = dimensions.iter().find(|dimension| !all.contains(dimension)) {
        let all = all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        return Err(TripleError::Dimension { dimension, all });
    }
    if !dimensions.is_empty() {
        batches.retain(|dimension| dimensions.contains(dimension));
        squares.retain(|case| dimensions.contains(&case.dimension));
    }
    let most = *threads;
    let squares_on = |threads: usize| squares.iter().filter(move |case| case.is_measured_on(threads, most));
    // As the paper counts, the smallest ones also on one thread.
    let batches_on = |threads: usize| {
        batches.iter().copied().filter(move |&dimension| threads == most || dimension == DIMENSIONS[0])
    };
    let steps =
        all_threads.iter().map(|&threads| batches_on(threads).count() + squares_on(threads).count()).sum();
    let (mut rows, mut skipped) = (Vec::new(), Vec::new());
    let mut done = 0;
    let mut finish = || {
        done += 1;
        tell(done, steps);
    };
    for &threads in &all_threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        for dimension in batches_on(threads) {
            rows.extend(pool.install(|| batch::measure(dimension, backend))?);
            finish();
        }
        for case in squares_on(threads) {
            match pool.install(|| square::measure(case, backend)) {
                Err(TripleError::Square(error @ SquareError::Memory { .. })) => {
                    skipped.push(format!("{case} on {threads} threads: {error}"));
                }
                measured => rows.extend(measured?),
            }
            finish();
        }
        // From all that was measured, so only if nothing was left out.
        if !settings.quick && dimensions.is_empty() {
            rows.extend(square::predicted(&rows, &square::larger(threads, most), threads, backend)?);
        }
    }
    let setting = TripleSetting::default();
    let [published, ours] = matrix_triples_table_1(&setting)?;
    let table_1 = vec![column("published", &setting, &published), column("asanoha", &setting, &ours)];
    let machine = Machine { threads: *threads, ..Machine::this(&[backend]) };
    Ok(TriplesReport { machine, table_1, rows, skipped })
}

fn column(rules: &'static str, setting: &TripleSetting, params: &CandidateParams) -> TripleColumn {
    TripleColumn {
        rules,
        ring_degree: params.ring_degree,
        log2_q: params.log2_q().round(),
        log2_p: params.log2_p().round(),
        modulus_bits: setting.modulus_bits,
        switches: params.switches.clone(),
        prime_bits: params.prime_bits,
        security_bits: security_bits(params.ring_degree, params.log2_q() + params.log2_p()),
    }
}

impl TriplesReport {
    /// Tables for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {}\n\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:10} {:>6} {:>6} {:>6} {:>6} {:>10}",
            "rules", "N", "log2 q", "log2 P", "log2 t", "switches"
        );
        for it in &self.table_1 {
            let switches = it.switches.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let _ = writeln!(
                text,
                "{:10} {:>6} {:>6} {:>6} {:>6} {switches:>10}",
                it.rules, it.ring_degree, it.log2_q, it.log2_p, it.modulus_bits
            );
        }
        let _ = writeln!(
            text,
            "\n{:44} {:>5} {:>8} {:>8} {:16} {:>9} {:>11} {:>9} {:>9}",
            "method", "dim", "threads", "products", "phase", "seconds", "s a triple", "published", "peak MiB"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:44} {:>5} {:>8} {:>8} {:16} {:>9.3} {:>11.4} {:>9} {:>9.0}",
                row.method,
                row.dim,
                row.threads,
                row.products,
                if row.predicted.is_some() { format!("{} (pred.)", row.phase) } else { row.phase.to_owned() },
                row.seconds,
                row.seconds_per_triple,
                published::seconds(row).map_or(String::new(), |seconds| format!("{seconds:.2}")),
                row.peak_bytes.unwrap_or(0) as f64 / (1 << 20) as f64
            );
        }
        let _ = writeln!(text, "\npublished: {}", published::MACHINE);
        for skipped in &self.skipped {
            let _ = writeln!(text, "left out: {skipped}");
        }
        text
    }
}

/// A prime of 128 bits with as many slots as the ring has coefficients.
fn modulus() -> num_bigint::BigUint {
    asanoha_scheme::batching_primes(128, 1 << 16, 1).remove(0)
}
