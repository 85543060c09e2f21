//! Vectors of integers of 8 bits by TFHE, at the standard parameters: products modulo 2^8, and inner products exactly. Reals in fixed
//! point take the same keys.

use std::time::Instant;

use asanoha_ring::Sampler;
use asanoha_tfhe::{ClientKey, Cost, EncryptedInteger, IntegerType, Integers, ServerKey, TfheError};
use rayon::prelude::*;

use super::{
    VectorCase, VectorOperation, VectorRow, VectorScheme,
    bench::{Bench, Times},
    fixed,
};
use crate::{TfheBenchError, tfhe::Set};

/// The type of 8 bits.
const BLOCKS: usize = 4;

/// A row for each case and number of threads, with the keys of all of them.
pub(super) fn measure(bench: &mut Bench<'_>, cases: &[VectorCase]) -> Result<(), TfheBenchError> {
    if cases.is_empty() {
        return Ok(());
    }
    let set = Set::standard(bench.backend)?;
    let client = ClientKey::generate(&set.params, &mut Sampler::from_os());
    let server = client.server_key(&mut Sampler::from_os());
    for &case in cases {
        for pool in &bench.pools {
            (bench.push)(pool.install(|| row(case, &set, &client, &server))?);
        }
    }
    Ok(())
}

/// Odd numbers, so that no product is 0 modulo 2^8.
fn numbers(count: usize) -> Vec<i128> {
    (0..count as u64).map(|i| i128::from((i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56 | 1)).collect()
}

fn plain(operation: VectorOperation, numbers: &[i128]) -> i128 {
    match operation {
        VectorOperation::Product => numbers.iter().fold(1, |product, x| product * x % 256),
        VectorOperation::Dot => {
            let (a, b) = numbers.split_at(numbers.len() / 2);
            a.iter().zip(b).map(|(a, b)| a * b).sum()
        }
    }
}

fn encrypted(
    operation: VectorOperation,
    integers: &Integers<'_>,
    numbers: &[EncryptedInteger],
) -> Result<EncryptedInteger, TfheError> {
    match operation {
        VectorOperation::Product => product(integers, numbers),
        VectorOperation::Dot => {
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

/// The product in a tree, whose depth is log2 of the length.
fn product(integers: &Integers<'_>, numbers: &[EncryptedInteger]) -> Result<EncryptedInteger, TfheError> {
    if let [number] = numbers {
        return Ok(number.clone());
    }
    let (left, right) = numbers.split_at(numbers.len().div_ceil(2));
    let (left, right) = rayon::join(|| product(integers, left), || product(integers, right));
    integers.mul(&left?, &right?)
}

fn row(
    case: VectorCase,
    set: &Set,
    client: &ClientKey,
    server: &ServerKey,
) -> Result<VectorRow, TfheBenchError> {
    let (times, cost, bits, errors) = if case.scheme == VectorScheme::Fixed {
        let found = fixed::measure(case, client, server, set.name)?;
        (found.times, found.cost, fixed::BITS, Some([found.worst, found.predicted]))
    } else {
        let (times, cost) = exact(case, set, client, server)?;
        (times, cost, IntegerType::unsigned(BLOCKS).bits(), None)
    };
    Ok(VectorRow {
        case,
        parameters: set.name.to_owned(),
        ring_degree: None,
        log2_q: None,
        depth: None,
        bits: Some(bits),
        bits_worst: errors.map(|[worst, _]| -worst.log2()),
        bits_predicted: errors.map(|[_, predicted]| -predicted.log2()),
        threads: rayon::current_num_threads(),
        ms_min: times.ms_min,
        ms_median: times.ms_median,
        bootstraps: cost.bootstraps,
        layers: Some(cost.layers),
        key_bytes: set.params.server_key_bytes(),
        peak_bytes: times.peak_bytes,
        log2_failure: Some(set.params.literal().log2_failure),
    })
}

/// The times of a case of integers, whose results are checked.
fn exact(
    case: VectorCase,
    set: &Set,
    client: &ClientKey,
    server: &ServerKey,
) -> Result<(Times, Cost), TfheBenchError> {
    let VectorCase { operation, n, .. } = case;
    let (numbers, mut sampler) = (numbers(operation.count(n)), Sampler::from_os());
    let encrypt = |&number| client.encrypt_integer(number, IntegerType::unsigned(BLOCKS), &mut sampler);
    let fresh: Vec<EncryptedInteger> = numbers.iter().map(encrypt).collect::<Result<_, _>>()?;
    let mut cost = Cost::default();
    let times = Times::of(|| {
        let integers = Integers::new(server)?;
        let start = Instant::now();
        let result = encrypted(operation, &integers, &fresh)?;
        let time = start.elapsed();
        cost = integers.cost();
        if client.decrypt_integer(&result)? != plain(operation, &numbers) {
            return Err(TfheBenchError::Wrong { operation: operation.name(), parameters: set.name });
        }
        Ok(time)
    })?;
    Ok((times, cost))
}
