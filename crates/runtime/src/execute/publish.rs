//! Results for others than the key's holder.

use std::{collections::BTreeMap, num::NonZeroU64, path::Path};

use asanoha_ckks::{CkksCiphertext, CkksParams, Decryptor, PublicationId, Published, publication_tau};
use asanoha_lattice::{Norm, SecretKey};
use asanoha_scheme::SchemeError;

use super::{
    collect::collect_ckks,
    correction::Corrections,
    encrypted::{Ciphertexts, Contents, Encrypted},
    error::ExecuteError,
    keys::DecryptionKey,
    record::{PublicationRecord, RecordError},
    reencryption::{ReencryptionError, Reencryptions},
    run::{Decrypted, decrypt, same_keys},
    states,
};
use crate::plan::{Plan, SchemeParams};

/// The place of results among all that are handed out under a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Publication {
    /// How many ciphertexts are published under the key, these included.
    pub count: u64,
    /// The largest τ that one of these is flooded for ([`publication_tau`]).
    pub tau: f64,
}

/// Decrypts the results of a plan so that they can be handed to others: CKKS results are flooded with noise that
/// hides what their low bits tell of the key, to a given number of bits. Exact results have nothing to hide.
///
/// Every ciphertext is counted in the record beside the secret key, in the folder of keys ([`PublicationRecord`]), before its
/// result is given back. The same results again with as many bits are the same numbers, and count once.
///
/// `all_rows` is the plan that `plan` was narrowed from ([`Plan::for_rows`]), or `plan` again. The flooding is for the most noise
/// that results have for any of its numbers of rows, so that it doesn't depend on how many rows the results are said to have.
pub fn publish(
    all_rows: &Plan,
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    statistical_bits: u32,
    folder: &Path,
) -> Result<Decrypted, ExecuteError> {
    same_keys("secret key", secret.id(), encrypted.key)?;
    let (SchemeParams::Ckks(params), Ciphertexts::Ckks(values), DecryptionKey::Slots(secret)) =
        (&plan.params, &encrypted.values, secret)
    else {
        return decrypt(plan, secret, encrypted);
    };
    refuse_reencrypted(encrypted)?;
    let values = &with_largest_noise(&[all_rows, plan], params, values)?;
    let mut record = PublicationRecord::open(folder, secret)?;
    let (published, tau) = publish_all(params, secret, values, statistical_bits, |id| record.ordinal(id))?;
    let corrections = Corrections::new(plan, encrypted)?;
    // What can't be counted isn't given away.
    record.write(secret)?;
    let publication = Publication { count: record.count(), tau };
    collect_published((plan, &corrections), params, values, (&published, publication))
}

/// As [`publish`], with a key that nothing is published under before or after: the count begins with these results and ends
/// with them.
pub fn publish_once(
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    statistical_bits: u32,
) -> Result<Decrypted, ExecuteError> {
    same_keys("secret key", secret.id(), encrypted.key)?;
    let (SchemeParams::Ckks(params), Ciphertexts::Ckks(values), DecryptionKey::Slots(secret)) =
        (&plan.params, &encrypted.values, secret)
    else {
        return decrypt(plan, secret, encrypted);
    };
    refuse_reencrypted(encrypted)?;
    let mut ordinals = BTreeMap::new();
    let (published, tau) = publish_all(params, secret, values, statistical_bits, |id| {
        let next = NonZeroU64::MIN.saturating_add(ordinals.len() as u64);
        Ok(*ordinals.entry(id).or_insert(next))
    })?;
    let publication = Publication { count: ordinals.len() as u64, tau };
    let corrections = Corrections::new(plan, encrypted)?;
    collect_published((plan, &corrections), params, values, (&published, publication))
}

/// Refuses what was under another key before: its noise depends on that key, of which another record counts the publications.
fn refuse_reencrypted(encrypted: &Encrypted) -> Result<(), ReencryptionError> {
    if encrypted.reencryptions.is_none() { Ok(()) } else { Err(ReencryptionError::Published) }
}

/// The ciphertexts of every output with the largest noise, relative to the scale, that it has in any plan of these for any
/// of its numbers of rows.
fn with_largest_noise(
    plans: &[&Plan],
    params: &CkksParams,
    values: &[Vec<CkksCiphertext>],
) -> Result<Vec<Vec<CkksCiphertext>>, SchemeError> {
    let mut largest = vec![Norm::from(0.0); values.len()];
    for plan in plans.iter().flat_map(|plan| plan.of_representative_rows()) {
        for (largest, states) in
            largest.iter_mut().zip(states(&plan, params, Contents::Outputs, Reencryptions::default())?)
        {
            let noises = states.iter().map(|state| state.noise / state.scale());
            *largest = noises.fold(*largest, Ord::max);
        }
    }
    let raised = |(value, largest): (&Vec<CkksCiphertext>, &Norm)| {
        let raised = |ciphertext: &CkksCiphertext| {
            let state = ciphertext.state();
            let state = state.with_noise(state.noise.max(*largest * state.scale()));
            CkksCiphertext::from_checked_parts(params, ciphertext.rlwe().clone(), state)
        };
        value.iter().map(raised).collect()
    };
    values.iter().zip(&largest).map(raised).collect()
}

/// Results out of flooded slots.
fn collect_published(
    (plan, corrections): (&Plan, &Corrections<'_>),
    params: &CkksParams,
    values: &[Vec<CkksCiphertext>],
    (published, publication): (&[Vec<Published>], Publication),
) -> Result<Decrypted, ExecuteError> {
    let (mut slots, mut errors) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
    for value in published {
        errors.push(value.iter().map(|published| published.error_bound).collect());
        slots.push(value.iter().map(Published::real).collect::<Vec<_>>());
    }
    let collected = collect_ckks((plan, corrections), params, (values, &errors), &slots)?;
    let decrypted = collected.finish(plan, &corrections.schema, &corrections.shifts);
    Ok(Decrypted { publication: Some(publication), ..decrypted })
}

/// The flooded slots of every ciphertext, and the largest τ of them.
fn publish_all(
    params: &CkksParams,
    secret: &SecretKey,
    values: &[Vec<CkksCiphertext>],
    statistical_bits: u32,
    mut ordinal: impl FnMut(PublicationId) -> Result<NonZeroU64, RecordError>,
) -> Result<(Vec<Vec<Published>>, f64), ExecuteError> {
    let decryptor = Decryptor::new(params);
    let mut largest: Option<NonZeroU64> = None;
    let mut publish = |ciphertext| {
        let ordinal = ordinal(decryptor.publication_id(secret, ciphertext, statistical_bits))?;
        largest = largest.max(Some(ordinal));
        Ok::<_, ExecuteError>(decryptor.publish(secret, ciphertext, ordinal, statistical_bits)?)
    };
    let published = values
        .iter()
        .map(|value| value.iter().map(&mut publish).collect::<Result<Vec<_>, _>>())
        .collect::<Result<Vec<_>, _>>()?;
    Ok((published, largest.map_or(0.0, publication_tau)))
}
