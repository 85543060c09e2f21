//! Results for others than the key's holder.

use std::{collections::BTreeMap, num::NonZeroU64, path::Path};

use asanoha_backends::{BackendError, DecryptionKey, OpenedNumbers, Published};
use asanoha_ckks::PublicationId;
use asanoha_lattice::SecretKey;

use super::{
    checks::same_keys,
    collect::collect_real,
    correction::Corrections,
    decrypted::{Decrypted, Publication},
    encrypted::Encrypted,
    error::ExecuteError,
    record::PublicationRecord,
    reencryption_error::ReencryptionError,
    run::decrypt,
};
use crate::plan::Plan;

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
    let Some(key) = flooding_key(plan, secret) else { return decrypt(plan, secret, encrypted) };
    refuse_reencrypted(encrypted)?;
    let mut record = PublicationRecord::open(folder, key)?;
    let decrypted = publish_by(all_rows, plan, secret, encrypted, statistical_bits, &mut record)?;
    // What can't be counted isn't given away.
    record.write(key)?;
    Ok(decrypted)
}

/// As [`publish`], with a record in memory. The caller keeps the bytes of the record before it gives the results away.
///
/// # Errors
/// Those of [`publish`], but for those of files.
pub fn publish_by(
    all_rows: &Plan,
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    statistical_bits: u32,
    record: &mut PublicationRecord,
) -> Result<Decrypted, ExecuteError> {
    same_keys("secret key", secret.id(), encrypted.key)?;
    if flooding_key(plan, secret).is_none() {
        return decrypt(plan, secret, encrypted);
    }
    refuse_reencrypted(encrypted)?;
    let all: Vec<Plan> = [all_rows, plan].iter().flat_map(|plan| plan.of_representative_rows()).collect();
    let published = published((plan, &all), secret, encrypted, statistical_bits, &mut |id| {
        record.ordinal(PublicationId(id)).map_err(|error| BackendError::Other(error.into()))
    })?;
    let corrections = Corrections::new(plan, encrypted)?;
    finish((plan, &corrections), published, record.count())
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
    if flooding_key(plan, secret).is_none() {
        return decrypt(plan, secret, encrypted);
    }
    refuse_reencrypted(encrypted)?;
    let mut ordinals = BTreeMap::new();
    let published = published((plan, &[]), secret, encrypted, statistical_bits, &mut |id| {
        let next = NonZeroU64::MIN.saturating_add(ordinals.len() as u64);
        Ok(*ordinals.entry(id).or_insert(next))
    })?;
    let corrections = Corrections::new(plan, encrypted)?;
    finish((plan, &corrections), published, ordinals.len() as u64)
}

/// The secret key that publications are counted under, where results aren't exact.
fn flooding_key<'k>(plan: &Plan, secret: &'k DecryptionKey) -> Option<&'k SecretKey> {
    secret.get().filter(|_| !plan.params.backend().is_exact())
}

/// Refuses what was under another key before: its noise depends on that key, of which another record counts the publications.
fn refuse_reencrypted(encrypted: &Encrypted) -> Result<(), ReencryptionError> {
    if encrypted.reencryptions.is_none() { Ok(()) } else { Err(ReencryptionError::Published) }
}

/// The flooded numbers of a plan's results, with the noise that they have in any of some plans.
fn published(
    (plan, all): (&Plan, &[Plan]),
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    statistical_bits: u32,
    ordinal: &mut dyn FnMut([u8; 32]) -> Result<NonZeroU64, BackendError>,
) -> Result<Published, BackendError> {
    let all: Vec<_> = all.iter().map(Plan::scheduled).collect();
    let (backend, values) = (plan.params.backend(), &encrypted.values);
    backend.publish(plan.scheduled(), &all, secret, values, statistical_bits, ordinal)
}

/// Results out of flooded numbers, of which so many are published.
fn finish(
    (plan, corrections): (&Plan, &Corrections<'_>),
    Published { opened, tau }: Published,
    count: u64,
) -> Result<Decrypted, ExecuteError> {
    let OpenedNumbers::Real { numbers, errors } = opened.numbers else {
        return Err(ExecuteError::OtherScheme);
    };
    let collected = collect_real((plan, corrections), numbers, errors, opened.noise)?;
    let decrypted = collected.finish(plan, &corrections.schema, &corrections.shifts);
    Ok(Decrypted { publication: Some(Publication { count, tau }), ..decrypted })
}
