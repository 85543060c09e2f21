//! The published products of squares (Tables 2 to 6), by every way of rotating, with codes and decryption to shares.

mod bfv;
mod cases;
mod parties;
mod plan;
mod predict;

use std::time::Instant;

use asanoha_bgv::{BgvParams, Evaluator};
use asanoha_circuits::matrix::{Keep, MatrixBatch, SquareError, SquareProduct};
use asanoha_kernels::Backend;
use asanoha_lattice::{EvaluationKeys, SecretKey};
use asanoha_ring::{Sampler, Seed, WideModulus, keep_unused_memory};
use asanoha_scheme::{Ciphertext, Exact, Scheme, SchemeError};
use num_bigint::BigUint;
use rayon::prelude::*;

use super::{TripleError, TripleRow, measured::Measured};
use crate::memory;
pub(super) use bfv::BfvSquare;
pub(super) use cases::{Case, cases};
use parties::{PARTIES, Parties};
pub(super) use predict::predicted;

/// The memory that is kept between products, in bytes: all images of one.
const KEPT: usize = 16 << 30;

/// What some work takes is added to a number of seconds.
fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *seconds += start.elapsed().as_secs_f64();
    result
}

/// The phases of one product of as many matrices as ciphertexts hold.
///
/// # Errors
/// [`TripleError`]; [`SquareError::Memory`] if the machine has too little.
pub(super) fn measure(case: &Case, backend: Backend) -> Result<Vec<TripleRow>, TripleError> {
    memory::mark();
    keep_unused_memory(KEPT);
    let params = plan::params(backend);
    let plan = plan::plan(&params, case, memory::available_bytes())?;
    plan.prepare();
    let mut sampler = Sampler::new(&Seed([6; 32]));
    let secret = SecretKey::generate(params.rlwe(), &mut sampler);
    let keys = EvaluationKeys::generate_levels(params.rlwe(), &secret, &plan.keys(), &mut sampler);
    let evaluator = Evaluator::new(&params, keys);
    let parties = Parties::new(&evaluator, &secret, plan.levels().result, &mut sampler)?;
    let modulus = WideModulus::new(params.plaintext_modulus()).expect("it's a prime of 128 bits");
    let mut matrices = || {
        let mut matrices = MatrixBatch::zero(&modulus, [case.dimension; 2], plan.packing().batch());
        let words = sampler.uniform(matrices.words().len());
        // Words of half the width are below the modulus.
        matrices.words_mut().iter_mut().zip(&*words).for_each(|(entry, word)| *entry = word >> 1);
        matrices
    };
    let [a, b] = [(); 2].map(|()| [(); PARTIES].map(|()| matrices()));

    // The first product finds the memory that the second uses again. Of several blocks whose images are recomputed, the first
    // block does.
    if case.images == Keep::Stored || plan.blocks() == [1; 3] {
        drop(compute(&plan, &parties, [&a, &b], &mut sampler)?);
    }
    let (mut code_slots, coded, phases) = compute(&plan, &parties, [&a, &b], &mut sampler)?;
    let peak_bytes = memory::peak_bytes();

    let method = cases::method(case.side, plan.options().rotations, plan.options().images);
    let product_slots = code_slots.split_off(coded);
    let shares = [a, b].map(|shares| sum(&modulus, &shares));
    let is_right = are_triples(&plan, &params, &shares, &parties.mac_key, [&product_slots, &code_slots])?;
    if !is_right {
        return Err(TripleError::Wrong(method));
    }
    let measured = Measured {
        table: case.table,
        method,
        dim: case.dimension,
        modulus_bits: params.plaintext_modulus().bits(),
        products: plan.packing().batch(),
        peak_bytes,
        phases: &phases,
    };
    Ok(measured.rows().collect())
}

/// Seconds of some phases.
type Phases = Vec<(&'static str, f64)>;

/// The slots of codes and then of products, shared and opened; how many are of codes; and what that took.
type Computed = (Vec<Vec<BigUint>>, usize, Phases);

/// Encrypts the parties' shares of matrices, multiplies them, and decrypts the products and all codes.
fn compute(
    plan: &SquareProduct<BgvParams>,
    parties: &Parties<'_>,
    [a, b]: [&[MatrixBatch; PARTIES]; 2],
    sampler: &mut Sampler,
) -> Result<Computed, TripleError> {
    let (mut encryption, mut codes, mut decryption) = (0.0, 0.0, 0.0);
    let left = parties.encrypt(a, |share| plan.encode_left(share), sampler, &mut encryption)?;
    let right = parties.encrypt(b, |share| plan.encode_right(share), sampler, &mut encryption)?;
    let (products, rotated) = multiply(plan, parties.evaluator, &left, &right)?;
    let blocks: Vec<&Ciphertext<BgvParams>> = [&left, &right, &products].into_iter().flatten().collect();
    let code = || blocks.par_iter().map(|block| parties.code(block)).collect::<Result<Vec<_>, _>>();
    let mut all: Vec<Ciphertext<BgvParams>> = timed(&mut codes, code)?;
    let coded = all.len();
    all.extend(products);
    let slots = parties.decrypt(&all, sampler, &mut decryption)?;
    let phases =
        [vec![("encrypt", encryption)], rotated, vec![("add MAC", codes), ("decrypt", decryption)]].concat();
    Ok((slots, coded, phases))
}

/// The product of encrypted blocks, with its phases. Left blocks are rotated a row at a time.
fn multiply(
    plan: &SquareProduct<BgvParams>,
    evaluator: &Evaluator,
    left: &[Ciphertext<BgvParams>],
    right: &[Ciphertext<BgvParams>],
) -> Result<(Vec<Ciphertext<BgvParams>>, Phases), SchemeError> {
    if plan.options().images == Keep::Recomputed {
        let mut seconds = 0.0;
        let products = timed(&mut seconds, || plan.multiply(evaluator, left, right))?;
        return Ok((products, vec![("rotate, multiply", seconds)]));
    }
    let (mut rotate_left, mut rotate_right, mut multiply) = (0.0, 0.0, 0.0);
    let rights = timed(&mut rotate_right, || plan.right_rotations(evaluator, right))?;
    let mut products = Vec::new();
    for row in left.chunks(plan.blocks()[1]) {
        let lefts = timed(&mut rotate_left, || plan.left_rotations(evaluator, row))?;
        products.extend(timed(&mut multiply, || plan.multiply_rotations(evaluator, &lefts, &rights))?);
    }
    Ok((products, vec![("rotate A", rotate_left), ("rotate B", rotate_right), ("multiply", multiply)]))
}

/// The matrices that the parties' shares add up to.
fn sum(modulus: &WideModulus, shares: &[MatrixBatch]) -> MatrixBatch {
    let mut sum = shares[0].clone();
    shares[1..].iter().for_each(|share| modulus.add_assign(sum.words_mut(), share.words()));
    sum
}

/// Whether the slots of decrypted products are those of A·B, and the slots of codes the MAC key times those of A, B and A·B.
fn are_triples(
    plan: &SquareProduct<BgvParams>,
    params: &BgvParams,
    [a, b]: &[MatrixBatch; 2],
    mac_key: &BigUint,
    [products, codes]: [&[Vec<BigUint>]; 2],
) -> Result<bool, SquareError> {
    let t = params.plaintext_modulus();
    let modulus = WideModulus::new(t).expect("it's a prime of 128 bits");
    let encoded = [plan.encode_left(a)?, plan.encode_right(b)?].concat();
    let values = encoded.iter().map(|block| params.space().decode_unsigned(block.plain().clone()));
    let expected = values.chain(products.iter().cloned()).map(|mut slots| {
        slots.iter_mut().for_each(|slot| *slot = &*slot * mac_key % t);
        slots
    });
    let is_coded = expected.eq(codes.iter().cloned());
    Ok(is_coded && is_product(&modulus, a, b, &plan.decode(products, a.count())?))
}

/// Whether C is A·B, by C·v = A·(B·v) for the columns v = (1, 1, …) and (1, 2, …).
fn is_product(modulus: &WideModulus, a: &MatrixBatch, b: &MatrixBatch, c: &MatrixBatch) -> bool {
    let columns = a.shape()[1];
    let mut v = MatrixBatch::zero(modulus, [columns, 2], a.count());
    for index in 0..a.count() {
        for row in 0..columns {
            v.entry_mut(index, row, 0)[0] = 1;
            v.entry_mut(index, row, 1)[0] = row as u64 + 1;
        }
    }
    c.product(modulus, &v) == a.product(modulus, &b.product(modulus, &v))
}

#[cfg(test)]
mod tests {
    use asanoha_circuits::matrix::Rotations;

    use super::{cases::Threads, *};

    #[test]
    #[ignore = "slow"]
    fn products_and_codes_are_decrypted_to_right_shares_by_both_ways_of_keeping_images() {
        let published = ["encrypt", "rotate A", "rotate B", "multiply", "add MAC", "decrypt", "total"];
        let merged = ["encrypt", "rotate, multiply", "add MAC", "decrypt", "total"];
        for (images, phases) in [(Keep::Stored, &published[..]), (Keep::Recomputed, &merged)] {
            let rotations = &[Rotations::Reused];
            let case = Case { table: 2, dimension: 40, side: 32, rotations, images, threads: Threads::Every };
            let rows = measure(&case, Backend::detect().unwrap()).unwrap();
            assert_eq!(rows.iter().map(|row| row.phase).collect::<Vec<_>>(), phases);
        }
    }

    #[test]
    fn the_threads_of_tables_3_to_5_are_the_paper_s() {
        let large = |case: &&Case| case.dimension > 128 && (3..=5).contains(&case.table);
        for case in cases().iter().filter(large) {
            let measured = [1, 2].map(|threads| case.is_measured_on(threads, 2));
            assert_eq!(measured, [case.table != 4, case.table == 4], "{case}");
            assert!(case.is_measured_on(1, 1));
        }
    }

    #[test]
    fn what_memory_does_not_hold_is_rotated_by_fewer_keys_or_refused() {
        let params = plan::params(Backend::Scalar);
        let case = &cases()[0];
        let keys = |memory| plan::plan(&params, case, memory).map(|plan| plan.keys().bytes(params.rlwe()));
        let hoisted = plan::plan(&params, case, None).unwrap().cost().bytes();
        assert!(keys(Some(hoisted)).unwrap() * 4 < keys(Some(2 * hoisted)).unwrap());
        let error = keys(Some(1 << 30)).unwrap_err();
        assert!(
            matches!(error, SquareError::Memory { needed, limit } if limit == 1 << 30 && needed < hoisted)
        );
    }
}
