//! Matrix triples modulo a prime of 128 bits, by batch products and by the published products of squares.

mod alone;
mod batch;
mod error;
mod measured;
mod published;
mod report;
mod square;

use asanoha_circuits::matrix::SquareError;
use asanoha_kernels::Backend;
use asanoha_lattice::security_bits;
use asanoha_scheme::{
    Scheme as _,
    candidates::{CandidateParams, TripleSetting, matrix_triples_table_1},
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{Machine, Settings, Tell};
pub use error::TripleError;
pub use measured::TripleRow;
use published::DIMENSIONS;
pub use report::{TripleColumn, TriplesReport};
use square::BfvSquare;

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

/// Measures the published products of squares by every way of rotating, each on the threads of the paper's tables that have it: one in
/// Tables 3 and 5; then triples by batch products on the threads asked for, whole batches and two alone, those of 128 rows and columns also
/// on one thread. Squares that the memory doesn't hold are predicted. If it's quick, only triples of 128 rows and columns by batch
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
    let all_steps = |threads: usize| 2 * batches_on(threads).count() + squares_on(threads).count();
    let steps = all_threads.iter().map(|&threads| all_steps(threads)).sum();
    let pools: Vec<ThreadPool> = all_threads
        .iter()
        .map(|&threads| ThreadPoolBuilder::new().num_threads(threads).build())
        .collect::<Result<_, _>>()?;
    let (mut rows, mut skipped) = (Vec::new(), Vec::new());
    let mut done = 0;
    let mut finish = || {
        done += 1;
        tell(done, steps);
    };
    // Batches leave more than a gigabyte of unused memory, which would count for squares that are measured after them.
    for pool in &pools {
        let threads = pool.current_num_threads();
        let mut left = Vec::new();
        for case in squares_on(threads) {
            let measured = match pool.install(|| square::measure(case, backend)) {
                Err(TripleError::Square(error @ SquareError::Memory { .. })) => {
                    skipped.push(format!("{case} on {threads} threads: {error}"));
                    Vec::new()
                }
                measured => measured?,
            };
            left.extend(case.left(&measured));
            rows.extend(measured);
            finish();
        }
        rows.extend(square::predicted(&rows, &left, threads, backend)?);
    }
    for pool in &pools {
        for dimension in batches_on(pool.current_num_threads()) {
            rows.extend(pool.install(|| batch::measure(dimension, backend))?);
            finish();
            rows.extend(pool.install(|| alone::measure(dimension))?);
            finish();
        }
    }
    let machine = Machine { threads: *threads, ..Machine::this(&[backend]) };
    Ok(TriplesReport { machine, table_1: table_1(backend)?, rows, skipped })
}

/// The parameters of the product of squares: of BGV by both sets of rules, and of BFV by ours.
fn table_1(backend: Backend) -> Result<Vec<TripleColumn>, TripleError> {
    let setting = TripleSetting::default();
    let [published, ours] = matrix_triples_table_1(&setting)?;
    let mut columns = vec![column("published", &setting, &published), column("asanoha", &setting, &ours)];
    if let Some(BfvSquare { params, dropped }) = BfvSquare::smallest(&setting, &measured::modulus(), backend)
    {
        let (rlwe, q) = (params.rlwe(), params.rlwe().q(params.max_level()));
        columns.push(TripleColumn {
            rules: "asanoha, BFV",
            ring_degree: rlwe.ring_degree(),
            log2_q: q.log2_product().round(),
            log2_p: (rlwe.log2_qp() - q.log2_product()).round(),
            modulus_bits: setting.modulus_bits,
            switches: dropped.to_vec(),
            prime_bits: q.primes().map(|prime| prime.ilog2() + 1).max().unwrap_or(0),
            security_bits: rlwe.security_bits(),
        });
    }
    Ok(columns)
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
