//! The published products of squares (Tables 2 to 6), by every way of rotating.

use std::{mem, time::Instant};

use asanoha_bgv::{BgvLiteral, BgvModel, BgvParams, Decryptor, Encryptor, Evaluator};
use asanoha_circuits::matrix::{Keep, MatrixBatch, Rotations, SquareOptions, SquareProduct};
use asanoha_kernels::Backend;
use asanoha_lattice::{EvaluationKeys, KeyTier, Level, PublicKey, SecretKey, largest_log2_modulus};
use asanoha_ring::{Sampler, Seed, WideModulus};
use asanoha_scheme::{Exact, Primes, Scheme, with_digits};

use super::{Measured, TripleError, TripleRow, modulus};
use crate::{RING_DEGREE, memory};

/// The ciphertext primes: seven hold the products' noise, and two bring down that of masked rotations.
const PRIMES: usize = 9;
const PRIME_BITS: f64 = 50.0;
/// The digits of key switching: one would take a modulus beyond 128-bit security.
const DIGITS: usize = 2;
/// Keys of the level of products, in two digits too.
const TIER: KeyTier = KeyTier { level: Level(6), special: 5, digit_primes: 4 };

/// A product that is measured.
pub(super) struct Case {
    table: u32,
    dimension: usize,
    side: usize,
    options: SquareOptions,
}

/// Table 2 by the fastest way; Tables 3 to 5 at 128 by hoisting, re-use of keys and recomputation; Table 6 in slices.
pub(super) fn cases() -> Vec<Case> {
    let case = |table, dimension, side, rotations, images| Case {
        table,
        dimension,
        side,
        options: SquareOptions { rotations, images, ..SquareOptions::default() },
    };
    let mut cases = vec![case(2, 128, 128, Rotations::Hoisted, Keep::Recomputed)];
    for (table, rotations) in [
        (3, Rotations::Plain),
        (3, Rotations::Hoisted),
        (4, Rotations::Reused),
        (5, Rotations::HoistedReused { group: 16 }),
    ] {
        cases.extend([Keep::Stored, Keep::Recomputed].map(|images| case(table, 128, 128, rotations, images)));
    }
    cases.extend([32, 64, 128].map(|side| case(6, 192, side, Rotations::Hoisted, Keep::Stored)));
    cases
}

/// The fewest primes that the noise allows, and special ones.
fn params(backend: Backend) -> BgvParams {
    let mut primes = Primes::new(RING_DEGREE, &[]);
    let q: Result<Vec<u64>, _> = (0..PRIMES).map(|_| primes.at_most(PRIME_BITS, 1)).collect();
    let largest = largest_log2_modulus(RING_DEGREE, 128).expect("the ring degree is in the table");
    let literal = q.and_then(|q| with_digits(&q, &primes, largest.into(), DIGITS));
    let mut rlwe = literal.ok().flatten().expect("there are primes, and the modulus is within the table's");
    rlwe.tiers = vec![TIER];
    BgvLiteral::new(rlwe, modulus()).check(backend).expect("the parameters go together")
}

/// The phases of one product of as many matrices as ciphertexts hold.
pub(super) fn measure(case: &Case, backend: Backend) -> Result<Vec<TripleRow>, TripleError> {
    memory::mark();
    let params = params(backend);
    let rlwe = params.rlwe();
    let model = BgvModel::new(&params);
    let fresh = model.fresh_public(params.max_level(), &())?;
    let plan =
        SquareProduct::new(&model, [case.dimension; 3], case.side, case.options, [&fresh, &fresh], 0.0)?;
    plan.prepare();
    let mut sampler = Sampler::new(&Seed([6; 32]));
    let secret = SecretKey::generate(rlwe, &mut sampler);
    let public = PublicKey::generate(rlwe, &secret, &mut sampler);
    let keys = EvaluationKeys::generate_levels(rlwe, &secret, &plan.keys(), &mut sampler);
    let evaluator = Evaluator::new(&params, keys);
    let modulus = WideModulus::new(params.plaintext_modulus()).expect("it's a prime of 128 bits");
    let mut matrices = || {
        let mut matrices = MatrixBatch::zero(&modulus, [case.dimension; 2], plan.packing().batch());
        let words = sampler.uniform(matrices.words().len());
        // Words of half the width are below the modulus.
        matrices.words_mut().iter_mut().zip(&*words).for_each(|(entry, word)| *entry = word >> 1);
        matrices
    };
    let (a, b) = (matrices(), matrices());

    let mut start = Instant::now();
    let mut seconds = || mem::replace(&mut start, Instant::now()).elapsed().as_secs_f64();
    let encryptor = Encryptor::new(&params);
    let mut encrypt = |blocks: Vec<_>| {
        let encrypt = |block| encryptor.encrypt(&public, block, &mut sampler);
        blocks.iter().map(encrypt).collect::<Result<Vec<_>, _>>()
    };
    let left = encrypt(plan.encode_left(&a)?)?;
    let right = encrypt(plan.encode_right(&b)?)?;
    let encryption = seconds();
    let (products, phases) = match case.options.images {
        Keep::Stored => {
            let lefts = plan.left_rotations(&evaluator, &left)?;
            let left_seconds = seconds();
            let rights = plan.right_rotations(&evaluator, &right)?;
            let right_seconds = seconds();
            let products = plan.multiply_rotations(&evaluator, &lefts, &rights)?;
            let phases =
                vec![("rotate A", left_seconds), ("rotate B", right_seconds), ("multiply", seconds())];
            (products, phases)
        }
        Keep::Recomputed => {
            let products = plan.multiply(&evaluator, &left, &right)?;
            (products, vec![("rotate, multiply", seconds())])
        }
    };
    let peak_bytes = memory::peak_bytes();
    let phases = [vec![("encrypt", encryption)], phases].concat();

    let method = format!("square of {}, {:?}, {:?}", case.side, case.options.rotations, case.options.images);
    let decryptor = Decryptor::new(&params);
    let slots = products.iter().map(|product| decryptor.decrypt_unsigned(&secret, product));
    let found = plan.decode(&slots.collect::<Result<Vec<_>, _>>()?, a.count())?;
    if !is_product(&modulus, &a, &b, &found) {
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
