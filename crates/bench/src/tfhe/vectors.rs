//! Products of n encrypted numbers and inner products of two vectors of n, by integers of TFHE.
//!
//! Equations 3 and 4 of Tsuji, Endo, Oguchi, "Comparison of FHE schemes and libraries for efficient cryptographic
//! processing" (2024), for numbers of 8 bits: ∏ xᵢ modulo 2^8, in a tree, and Σ aᵢ·bᵢ exactly.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use asanoha_ring::Sampler;
use asanoha_tfhe::{ClientKey, Cost, EncryptedInteger, IntegerType, Integers, ServerKey, TfheError};
use rayon::{ThreadPoolBuilder, prelude::*};
use serde::Serialize;

use super::{Set, TfheBenchError, shortest_and_median};
use crate::{Machine, Settings, Tell, memory};

/// The lengths of vectors.
const LENGTHS: [usize; 6] = [2, 20, 40, 60, 80, 100];
/// The type of 8 bits.
const BLOCKS: usize = 4;
/// Samples are taken until they have taken this long, but at most three.
const PATIENCE: Duration = Duration::from_secs(4);
const MOST_SAMPLES: usize = 3;

/// What is computed of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorOperation {
    /// The product of a vector's numbers modulo 2^8.
    Product,
    /// The inner product of two vectors.
    Dot,
}

/// The settings of the bench.
#[derive(Clone, Debug)]
pub struct VectorSettings {
    /// The back-ends, of which the last one is measured, and whether a quick look is enough.
    pub settings: Settings,
    /// A number of threads to measure on, besides one.
    pub threads: usize,
}

/// One operation at one length.
#[derive(Clone, Debug, Serialize)]
pub struct VectorRow {
    /// `product` or `dot`.
    pub operation: &'static str,
    /// The scheme.
    pub scheme: &'static str,
    /// The name of the parameters.
    pub parameters: &'static str,
    /// The length of the vectors.
    pub n: usize,
    /// The bits of a number.
    pub bits: u32,
    /// The number of threads.
    pub threads: usize,
    /// The shortest time in milliseconds.
    pub ms_min: f64,
    /// The median time in milliseconds.
    pub ms_median: f64,
    /// The blind rotations.
    pub bootstraps: usize,
    /// The batches of these, one after another.
    pub layers: usize,
    /// The bytes of the server key as it's stored.
    pub key_bytes: usize,
    /// The peak memory of the process during the operation, in bytes, keys included.
    pub peak_bytes: Option<u64>,
    /// log2 of the largest probability that a bootstrapping may be wrong with.
    pub log2_failure: f64,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct VectorReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each length and number of threads.
    pub rows: Vec<VectorRow>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

impl VectorOperation {
    fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Dot => "dot",
        }
    }

    /// The numbers that are encrypted: one vector, or two one behind another. They're odd, so that no product is 0
    /// modulo 2^8.
    fn numbers(self, n: usize) -> Vec<i128> {
        let count = if self == Self::Product { n } else { 2 * n };
        (0..count as u64).map(|i| i128::from((i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56 | 1)).collect()
    }

    fn plain(self, numbers: &[i128]) -> i128 {
        match self {
            Self::Product => numbers.iter().fold(1, |product, x| product * x % 256),
            Self::Dot => {
                let (a, b) = numbers.split_at(numbers.len() / 2);
                a.iter().zip(b).map(|(a, b)| a * b).sum()
            }
        }
    }

    fn encrypted(
        self,
        integers: &Integers<'_>,
        numbers: &[EncryptedInteger],
    ) -> Result<EncryptedInteger, TfheError> {
        match self {
            Self::Product => product(integers, numbers),
            Self::Dot => {
                let (a, b) = numbers.split_at(numbers.len() / 2);
                let products = a.par_iter().zip(b).map(|(a, b)| integers.mul_wide(a, b));
                let products: Vec<_> = products.collect::<Result<_, _>>()?;
                // Digits for a sum of so many products.
                let carries = products.len().next_power_of_two().ilog2().div_ceil(2) as usize;
                let integer_type = IntegerType::unsigned(2 * BLOCKS + carries);
                integers.sum(&products.iter().collect::<Vec<_>>(), integer_type)
            }
        }
    }
}

/// The product in a tree, whose depth is log2 of the length.
fn product(integers: &Integers<'_>, numbers: &[EncryptedInteger]) -> Result<EncryptedInteger, TfheError> {
    if let [number] = numbers {
        return Ok(number.clone());
    }
    let (left, right) = numbers.split_at(numbers.len().div_ceil(2));
    let (left, right) = rayon::join(|| product(integers, left), || product(integers, right));
    integers.mul(&left?, &right?)
}

/// Measures each length, on one thread and on the number of threads that was asked for, at the standard parameters. A quick
/// look is two numbers on one thread.
///
/// # Errors
/// [`TfheBenchError`], also for any wrong result.
///
/// # Panics
/// If the system has no threads.
pub fn vectors(
    settings: &VectorSettings,
    operation: VectorOperation,
    tell: Tell<'_>,
) -> Result<VectorReport, TfheBenchError> {
    let start = Instant::now();
    let Settings { backends, quick } = &settings.settings;
    let set = Set::standard(*backends.last().expect("at least one back-end is measured"))?;
    let threads_of: &[usize] = if *quick || settings.threads == 1 { &[1] } else { &[1, settings.threads] };
    let lengths = if *quick { &LENGTHS[..1] } else { &LENGTHS };
    let client = ClientKey::generate(&set.params, &mut Sampler::from_os());
    let server = client.server_key(&mut Sampler::from_os());
    let mut rows = Vec::new();
    for &threads in threads_of {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        for &n in lengths {
            rows.push(pool.install(|| row(operation, n, &set, &client, &server))?);
            tell(rows.len(), threads_of.len() * lengths.len());
        }
    }
    let machine = Machine { threads: settings.threads, ..Machine::this(backends) };
    Ok(VectorReport { machine, rows, seconds: start.elapsed().as_secs_f64() })
}

fn row(
    operation: VectorOperation,
    n: usize,
    set: &Set,
    client: &ClientKey,
    server: &ServerKey,
) -> Result<VectorRow, TfheBenchError> {
    memory::mark();
    let (numbers, mut sampler) = (operation.numbers(n), Sampler::from_os());
    let encrypt = |&number| client.encrypt_integer(number, IntegerType::unsigned(BLOCKS), &mut sampler);
    let encrypted: Vec<EncryptedInteger> = numbers.iter().map(encrypt).collect::<Result<_, _>>()?;
    let (begun, mut times, mut cost) = (Instant::now(), Vec::new(), Cost::default());
    while times.is_empty() || (times.len() < MOST_SAMPLES && begun.elapsed() < PATIENCE) {
        let integers = Integers::new(server)?;
        let start = Instant::now();
        let result = operation.encrypted(&integers, &encrypted)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        cost = integers.cost();
        if client.decrypt_integer(&result)? != operation.plain(&numbers) {
            return Err(TfheBenchError::Wrong { operation: operation.name(), parameters: set.name });
        }
    }
    let (ms_min, ms_median) = shortest_and_median(times);
    Ok(VectorRow {
        operation: operation.name(),
        scheme: "tfhe",
        parameters: set.name,
        n,
        bits: IntegerType::unsigned(BLOCKS).bits(),
        threads: rayon::current_num_threads(),
        ms_min,
        ms_median,
        bootstraps: cost.bootstraps,
        layers: cost.layers,
        key_bytes: set.params.server_key_bytes(),
        peak_bytes: memory::peak_bytes(),
        log2_failure: set.params.literal().log2_failure,
    })
}

impl VectorReport {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} kernels\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:9} {:>4} {:>7} {:>11} {:>11} {:>11} {:>7} {:>8} {:>8}  parameters",
            "operation", "n", "threads", "min ms", "median ms", "bootstraps", "layers", "key MB", "peak MB"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:9} {:>4} {:>7} {:>11.1} {:>11.1} {:>11} {:>7} {:>8.0} {:>8.0}  {} {}, failure 2^{:.0}",
                row.operation,
                row.n,
                row.threads,
                row.ms_min,
                row.ms_median,
                row.bootstraps,
                row.layers,
                row.key_bytes as f64 / 1e6,
                row.peak_bytes.unwrap_or(0) as f64 / 1e6,
                row.scheme,
                row.parameters,
                row.log2_failure
            );
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }
}
