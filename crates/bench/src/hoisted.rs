//! Rotations of one ciphertext, one by one and hoisted, in each scheme.

use asanoha_kernels::Backend;
use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::{Sampler, Seed};
use asanoha_scheme::{Encryptor, EvaluationKeysBuilder, Evaluator, GenerateKeys, Holds, Scheme};
use serde::Serialize;

use crate::{
    BFV_DEPTHS, best, bfv_literal, bgv_literal,
    chain::{ROTATIONS, SchemeName},
    ckks_literal,
};

/// The times of rotations of fresh ciphertexts, in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct HoistedRow {
    /// The scheme.
    pub scheme: SchemeName,
    /// The ring degree.
    pub ring_degree: usize,
    /// log2 of the ciphertext modulus.
    pub log2_q: f64,
    /// The number of rotations that share one decomposition.
    pub rotations: usize,
    /// One rotation, by itself.
    pub rotate_ms: f64,
    /// One of `rotations` hoisted rotations of a ciphertext, each with a result of its own.
    pub hoisted_rotation_ms: f64,
    /// The sum of all slots of a row.
    pub sum_ms: f64,
}

/// Measures on the threads of the current pool, at the parameter sets of depth 10.
///
/// # Panics
/// Never: the parameters are valid.
pub(crate) fn hoisted(backend: Backend, repeats: usize) -> Vec<HoistedRow> {
    const VALID: &str = "the set is valid";
    let [.., depth] = BFV_DEPTHS;
    vec![
        row(SchemeName::Bgv, &bgv_literal().check(backend).expect(VALID), repeats),
        row(SchemeName::Bfv, &bfv_literal(depth).check(backend).expect(VALID), repeats),
        row(SchemeName::Ckks, &ckks_literal().check(backend).expect(VALID), repeats),
    ]
}

fn row<S: Holds<<S as Scheme>::Value>>(scheme: SchemeName, params: &S, repeats: usize) -> HoistedRow
where
    S::Value: Clone + From<i8>,
{
    const KEYS: &str = "the keys are there";
    let mut sampler = Sampler::new(&Seed([17; 32]));
    let secret = SecretKey::generate(params.rlwe(), &mut sampler);
    let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
    let rotations: Vec<i64> = (1..=ROTATIONS as i64).collect();
    let row_slots = params.row_slots().expect("all sets have slots");
    let keys = EvaluationKeysBuilder::new(params, &secret).rotate(rotations.iter().copied()).sum(row_slots);
    let evaluator = Evaluator::new(params, keys.build_with(&mut sampler).expect("all sets have slots"));
    let ones = vec![S::Value::from(1); params.slots()];
    let plain = params.encode(&ones).expect("ones fit");
    let a = Encryptor::new(params).encrypt(&public, &plain, &mut sampler).expect("the top has room");
    let (_, rotate_ms) = best(repeats, || evaluator.rotate(&a, 1).expect(KEYS));
    let (_, hoisted_ms) = best(repeats, || evaluator.rotate_many(&a, &rotations).expect(KEYS));
    let (_, sum_ms) = best(repeats, || evaluator.sum(&a, row_slots).expect(KEYS));
    HoistedRow {
        scheme,
        ring_degree: params.rlwe().ring_degree(),
        log2_q: params.rlwe().q(params.max_level()).log2_product(),
        rotations: ROTATIONS,
        rotate_ms,
        hoisted_rotation_ms: hoisted_ms / ROTATIONS as f64,
        sum_ms,
    }
}
