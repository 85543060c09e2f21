//! Products of n encrypted numbers and inner products of two vectors of n, by integers of TFHE and by slots of CKKS.
//!
//! Equations 3 and 4 of Tsuji, Endo, Oguchi, "Comparison of FHE schemes and libraries for efficient cryptographic
//! processing" (2024): ∏ xᵢ and Σ aᵢ·bᵢ. There CKKS packs the n numbers of a product into one ciphertext and rotates and
//! multiplies n times, with 0, 0, 2, 3, 4 and 5 bootstrappings for the lengths of this bench; that is a chain here.

mod ckks;
mod tfhe;

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use asanoha_circuits::bootstrap::BootstrapError;
use asanoha_ckks::CkksParamsError;
use asanoha_kernels::Backend;
use asanoha_scheme::{NoPrimes, SchemeError};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use serde::Serialize;
use thiserror::Error;

use crate::{Machine, Settings, Tell, TfheBenchError, memory, tfhe::shortest_and_median};

/// The lengths of vectors.
const LENGTHS: [usize; 6] = [2, 20, 40, 60, 80, 100];
/// Samples are taken until they have taken this long, but at most three.
const PATIENCE: Duration = Duration::from_secs(4);
const MOST_SAMPLES: usize = 3;

/// What is computed of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorOperation {
    /// The product of a vector's numbers: in TFHE modulo 2^8.
    Product,
    /// The inner product of two vectors.
    Dot,
}

/// The schemes that it's computed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorScheme {
    /// Integers of 8 bits, exactly, each encrypted by itself.
    Tfhe,
    /// Real numbers of at most 1, approximately, a vector in the slots of a ciphertext.
    Ckks,
}

/// The order in which numbers are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorMethod {
    /// Products of halves: log2(n) products one after another.
    Tree,
    /// One number after another: n − 1 products one after another.
    Chain,
    /// The products of an inner product side by side, and then their sum.
    Sum,
}

/// The settings of the bench.
#[derive(Clone, Debug)]
pub struct VectorSettings {
    /// The back-ends, of which the last one is measured, and whether a quick look is enough.
    pub settings: Settings,
    /// A number of threads to measure on, besides one.
    pub threads: usize,
    /// The only scheme to measure.
    pub scheme: Option<VectorScheme>,
}

/// One operation at one length.
#[derive(Clone, Debug, Serialize)]
pub struct VectorRow {
    /// What is computed.
    #[serde(flatten)]
    pub case: VectorCase,
    /// The parameters.
    pub parameters: String,
    /// The bits of a number, of integers.
    pub bits: Option<u32>,
    /// Bits of the error of the result, of real numbers.
    pub bits_worst: Option<f64>,
    /// Bits of the error that was predicted, of real numbers.
    pub bits_predicted: Option<f64>,
    /// The number of threads.
    pub threads: usize,
    /// The shortest time in milliseconds.
    pub ms_min: f64,
    /// The median time in milliseconds.
    pub ms_median: f64,
    /// The blind rotations of TFHE, or the bootstrappings of CKKS.
    pub bootstraps: usize,
    /// The batches of blind rotations, one after another.
    pub layers: Option<usize>,
    /// The bytes of the server's keys: in TFHE as they're stored, in CKKS in memory, the uniform halves included.
    pub key_bytes: usize,
    /// The peak memory of the process during the operation, in bytes, keys included.
    pub peak_bytes: Option<u64>,
    /// log2 of the largest probability that a bootstrapping may be wrong with, where there are any.
    pub log2_failure: Option<f64>,
}

/// What a row measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VectorCase {
    /// The operation.
    pub operation: VectorOperation,
    /// The scheme.
    pub scheme: VectorScheme,
    /// The order of multiplication.
    pub method: VectorMethod,
    /// The length of the vectors.
    pub n: usize,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct VectorReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each scheme, length, method and number of threads.
    pub rows: Vec<VectorRow>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

/// The error of the bench.
#[derive(Debug, Error)]
pub enum VectorError {
    /// One of TFHE.
    #[error(transparent)]
    Tfhe(#[from] TfheBenchError),
    /// A set without primes.
    #[error(transparent)]
    Primes(#[from] NoPrimes),
    /// A set of CKKS that is refused.
    #[error(transparent)]
    Params(#[from] CkksParamsError),
    /// A bootstrapping that can't be prepared.
    #[error(transparent)]
    Prepare(#[from] BootstrapError),
    /// An operation that is refused.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// No threads.
    #[error("no threads: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    /// A result that is off by more than was predicted.
    #[error("{case} is off by 2^{found:.1}, and 2^{predicted:.1} was predicted")]
    Wrong {
        /// What was computed.
        case: VectorCase,
        /// log2 of the error.
        found: f64,
        /// log2 of the bound on it.
        predicted: f64,
    },
}

/// What the rows of all schemes have in common.
struct Bench<'b> {
    backend: Backend,
    /// One for each number of threads.
    pools: Vec<ThreadPool>,
    /// What becomes of a row.
    push: &'b mut dyn FnMut(VectorRow),
}

/// The times of an operation.
struct Times {
    ms_min: f64,
    ms_median: f64,
    peak_bytes: Option<u64>,
}

impl Times {
    /// Of some runs, each of which looks at its result, and tells what it took before that.
    fn of<E>(mut run: impl FnMut() -> Result<Duration, E>) -> Result<Self, E> {
        memory::mark();
        let (begun, mut times) = (Instant::now(), Vec::new());
        while times.is_empty() || (times.len() < MOST_SAMPLES && begun.elapsed() < PATIENCE) {
            times.push(run()?.as_secs_f64() * 1e3);
        }
        let (ms_min, ms_median) = shortest_and_median(times);
        Ok(Self { ms_min, ms_median, peak_bytes: memory::peak_bytes() })
    }
}

impl VectorOperation {
    fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Dot => "dot",
        }
    }

    /// How many numbers are encrypted: one vector, or two one behind another.
    fn count(self, n: usize) -> usize {
        match self {
            Self::Product => n,
            Self::Dot => 2 * n,
        }
    }
}

impl VectorScheme {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Tfhe, Self::Ckks];

    fn cases(self, operation: VectorOperation, quick: bool) -> Vec<VectorCase> {
        let methods: &[VectorMethod] = match (operation, self) {
            (VectorOperation::Dot, _) => &[VectorMethod::Sum],
            (VectorOperation::Product, Self::Tfhe) => &[VectorMethod::Tree],
            (VectorOperation::Product, Self::Ckks) => &[VectorMethod::Tree, VectorMethod::Chain],
        };
        let lengths = match self {
            _ if !quick => &LENGTHS[..],
            Self::Tfhe => &LENGTHS[..1],
            Self::Ckks => &LENGTHS[..2],
        };
        let case = |n, method| VectorCase { operation, scheme: self, method, n };
        lengths.iter().flat_map(|&n| methods.iter().map(move |&method| case(n, method))).collect()
    }
}

/// Measures each scheme, length and method, on one thread and on the number of threads that was asked for. A quick look is at
/// vectors of two numbers, and in CKKS of 20 too, on one thread.
///
/// # Errors
/// [`VectorError`], also for any wrong result.
///
/// # Panics
/// If there are no kernels to measure.
pub fn vectors(
    settings: &VectorSettings,
    operation: VectorOperation,
    tell: Tell<'_>,
) -> Result<VectorReport, VectorError> {
    let start = Instant::now();
    let VectorSettings { settings: Settings { backends, quick }, threads, scheme } = settings;
    let counts: &[usize] = if *quick || *threads == 1 { &[1] } else { &[1, *threads] };
    let pool = |&count: &usize| ThreadPoolBuilder::new().num_threads(count).build();
    let cases = VectorScheme::ALL.map(|each| {
        if scheme.is_none_or(|only| only == each) { each.cases(operation, *quick) } else { vec![] }
    });
    let steps = cases.iter().flatten().count() * counts.len();
    let mut rows = Vec::new();
    let mut push = |row| {
        rows.push(row);
        tell(rows.len(), steps);
    };
    let mut bench = Bench {
        backend: *backends.last().expect("at least one back-end is measured"),
        pools: counts.iter().map(pool).collect::<Result<_, _>>()?,
        push: &mut push,
    };
    let [of_tfhe, of_ckks] = &cases;
    tfhe::measure(&mut bench, of_tfhe)?;
    ckks::measure(&mut bench, of_ckks)?;
    let machine = Machine { threads: *threads, ..Machine::this(backends) };
    Ok(VectorReport { machine, rows, seconds: start.elapsed().as_secs_f64() })
}

/// What figures are in tables where there are none.
fn or_dash<T>(figure: Option<T>, text: impl Fn(T) -> String) -> String {
    figure.map_or_else(|| "-".to_owned(), text)
}

impl std::fmt::Display for VectorCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { operation, scheme, method, n } = self;
        let text = format!("{operation:?} {scheme:?} {method:?}").to_lowercase();
        f.pad(&format!("{text} {n:>4}"))
    }
}

impl VectorReport {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} kernels\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:>23} {:>7} {:>11} {:>11} {:>11} {:>7} {:>6} {:>9} {:>8} {:>8} {:>8}  parameters",
            "n",
            "threads",
            "min ms",
            "median ms",
            "bootstraps",
            "layers",
            "bits",
            "predicted",
            "key MB",
            "peak MB",
            "failure"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:>23} {:>7} {:>11.1} {:>11.1} {:>11} {:>7} {:>6} {:>9} {:>8.0} {:>8} {:>8}  {}",
                row.case,
                row.threads,
                row.ms_min,
                row.ms_median,
                row.bootstraps,
                or_dash(row.layers, |layers| layers.to_string()),
                or_dash(row.bits_worst, |bits| format!("{bits:.1}")),
                or_dash(row.bits_predicted, |bits| format!("{bits:.1}")),
                row.key_bytes as f64 / 1e6,
                or_dash(row.peak_bytes, |bytes| format!("{:.0}", bytes as f64 / 1e6)),
                or_dash(row.log2_failure, |log2| format!("2^{log2:.0}")),
                row.parameters
            );
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }
}
