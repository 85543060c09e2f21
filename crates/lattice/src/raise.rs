//! Modulus raising, the step of bootstrapping that gives a ciphertext its levels back.

use asanoha_ring::{Basis, Coefficient, Evaluation, Poly};

use crate::{EvaluationKeys, KeyName, Level, MissingKey, RlweCiphertext, RlweParams, key_switch::switched};

/// Raises a ciphertext of two parts of level 0 to the highest level: the result decrypts to m + q₀·I, m the ciphertext's
/// message with its noise and I a polynomial of small integers.
///
/// It's switched to a sparse ephemeral secret first, its residues are then taken as integers of [−q₀/2, q₀/2), and it's
/// switched back. So every coefficient of m/q₀ + I is the sum of 33 numbers of (−½, ½).
///
/// Source: Bossuat, Troncoso-Pastoriza, Hubaux, "Bootstrapping for approximate homomorphic encryption with negligible
/// failure-probability by using sparse-secret encapsulation" (ACNS 2022).
///
/// # Errors
/// [`MissingKey`].
///
/// # Panics
/// Unless the ciphertext has two parts and level 0.
pub fn raise(
    params: &RlweParams,
    ciphertext: &RlweCiphertext,
    keys: &EvaluationKeys,
) -> Result<RlweCiphertext, MissingKey> {
    assert!(ciphertext.parts.len() == 2 && ciphertext.level() == Level(0));
    let to_sparse = keys.encapsulation(params, KeyName::ToSparse, Level(0))?;
    let from_sparse = keys.encapsulation(params, KeyName::FromSparse, params.max_level())?;
    let sparse = switched(params, ciphertext, to_sparse)?;
    let highest = params.q(params.max_level());
    let raised = RlweCiphertext { parts: sparse.parts.into_iter().map(|part| lift(part, highest)).collect() };
    switched(params, &raised, from_sparse)
}

/// The polynomial modulo q₀ whose residues are taken as the integers nearest to 0, modulo the primes of a basis.
fn lift(part: Poly<Evaluation>, basis: &Basis) -> Poly<Evaluation> {
    let residues = part.into_coefficient();
    let coefficients: Vec<i64> = residues.to_i128().into_iter().map(|c| c as i64).collect();
    Poly::<Coefficient>::from_small(basis, &coefficients).into_evaluation()
}
