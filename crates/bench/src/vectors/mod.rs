//! Products of n encrypted numbers and inner products of two vectors of n: by integers and by fixed-point reals of TFHE, and by slots
//! of CKKS.
//!
//! Equations 3 and 4 of Tsuji, Endo, Oguchi, "Comparison of FHE schemes and libraries for efficient cryptographic
//! processing" (2024): ∏ xᵢ and Σ aᵢ·bᵢ. There TFHE encodes reals in fixed point of 8 bits, and CKKS packs the n numbers of a product into one ciphertext and rotates and
//! multiplies n times, with 0, 0, 2, 3, 4 and 5 bootstrappings for the lengths of this bench; that is a chain here.

mod bench;
mod case;
mod ckks;
mod error;
mod fixed;
mod report;
mod tfhe;

use std::time::Instant;

use rayon::ThreadPoolBuilder;

use crate::{Machine, Settings, Tell};
use bench::Bench;
pub use case::{VectorCase, VectorMethod, VectorOperation, VectorScheme};
pub use error::VectorError;
pub use report::{VectorReport, VectorRow};

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
    let [of_integers, of_fixed, of_ckks] = cases;
    tfhe::measure(&mut bench, &[of_integers, of_fixed].concat())?;
    ckks::measure(&mut bench, &of_ckks)?;
    let machine = Machine { threads: *threads, ..Machine::this(backends) };
    Ok(VectorReport { machine, rows, seconds: start.elapsed().as_secs_f64() })
}
