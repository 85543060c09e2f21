//! Batches of programmable bootstrappings, with keys that stand anywhere.

use std::borrow::Cow;

use asanoha_lattice::{GlweCiphertext, KeyId, LweCiphertext, switch_modulus};

use crate::{Ciphertext, Table, TfheError, TfheParams};

/// A table and the number that it's applied to.
pub(crate) type Job<'a> = (&'a Table, &'a Ciphertext);

/// A switched number and the polynomial that it turns.
pub(crate) type Rotation<'a> = (&'a [u64], &'a [u64]);

/// Refuses numbers and tables of other parameters, numbers of another key than the given one, numbers that are too noisy or
/// too large for their table.
pub(crate) fn check(params: &TfheParams, key: KeyId, jobs: &[Job<'_>]) -> Result<(), TfheError> {
    jobs.iter().try_for_each(|(table, number)| {
        number.check_key(params, key)?;
        params.is(&table.params)?;
        params.check_noise(number.variance)?;
        let messages = params.messages() >> table.log2_outputs();
        if number.largest < messages {
            Ok(())
        } else {
            Err(TfheError::TooLarge { found: number.largest, messages })
        }
    })
}

/// The values of all of the tables' functions at their numbers, one behind another: key switch, modulus switch, blind
/// rotation, and a coefficient for each function.
///
/// A table of 2^h functions has numbers below `messages`/2^h: scaled by 2^h they leave phases that are multiples of 2^h,
/// and what stands between these are the other functions.
///
/// # Errors
/// Those of `rotate`.
pub(crate) fn bootstrap<E>(
    params: &TfheParams,
    jobs: &[Job<'_>],
    switch: impl FnOnce(&[&LweCiphertext]) -> Vec<LweCiphertext>,
    rotate: impl FnOnce(&[Rotation<'_>]) -> Result<Vec<GlweCiphertext>, E>,
) -> Result<Vec<Ciphertext>, E> {
    let log2_positions = params.0.ring.ring_degree().ilog2() + 1;
    let scaled: Vec<Cow<'_, LweCiphertext>> = jobs
        .iter()
        .map(|(table, number)| match table.log2_outputs() {
            0 => Cow::Borrowed(&number.lwe),
            spare => {
                let mut lwe = number.lwe.clone();
                lwe.scale_assign(1 << spare);
                Cow::Owned(lwe)
            }
        })
        .collect();
    let small = switch(&scaled.iter().map(AsRef::as_ref).collect::<Vec<_>>());
    let switched: Vec<Vec<u64>> = small
        .iter()
        .zip(jobs)
        .map(|(small, (table, _))| {
            let spare = table.log2_outputs();
            let mut switched = switch_modulus(small, log2_positions - spare, params.0.backend);
            switched.iter_mut().for_each(|word| *word <<= spare);
            switched
        })
        .collect();
    let rotations: Vec<Rotation<'_>> = switched
        .iter()
        .zip(jobs)
        .map(|(switched, (table, _))| (&switched[..], &table.polynomial[..]))
        .collect();
    let values = |(turned, (table, number)): (&GlweCiphertext, &Job<'_>)| -> Vec<Ciphertext> {
        let value = |(index, &largest): (usize, &u64)| Ciphertext {
            params: params.clone(),
            id: number.id,
            lwe: turned.coefficient(index),
            largest,
            variance: params.0.noise.bootstrapped,
        };
        table.largest.iter().enumerate().map(value).collect()
    };
    Ok(rotate(&rotations)?.iter().zip(jobs).flat_map(values).collect())
}
