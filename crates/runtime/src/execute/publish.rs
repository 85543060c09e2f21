//! Results for others than the key's holder.

use std::{collections::BTreeMap, num::NonZeroU64, path::Path};

use asanoha_backends::{BackendError, DecryptionKey, OpenedNumbers, Published, ResultPlace};
use asanoha_ckks::PublicationId;
use asanoha_numeric::number;
use num_traits::Signed;

use super::{
    checks::same_keys,
    collect::collect_real,
    correction::Corrections,
    decrypted::{Decrypted, Publication, ShownBits},
    encrypted::Encrypted,
    error::ExecuteError,
    input_secrets::InputSecrets,
    keys::Keys,
    record::PublicationRecord,
    record_error::{RecordError, RecordProblem},
    reencryption_error::ReencryptionError,
    run::decrypt,
    showing_error::ShowingError,
};
use crate::{
    data::Table,
    plan::{OnZero, Plan},
    program::{Shape, ranges},
};

/// The ground on which results may be shown to others than the key holder.
///
/// A server that doesn't follow the plan can add a multiple of a ciphertext's second part to results. Their numbers then hold linear
/// equations in the secret key, whatever the scheme. Flooding hides the noise of approximate results and not the message.
#[derive(Clone, Copy, Debug)]
pub enum Confirmation<'a> {
    /// A second evaluation, on a machine that the server doesn't control, gave results with this digest.
    SecondEvaluation(&'a str),
    /// The results equal the plain computation on these data, which must be all that was encrypted.
    PlainComputation(&'a Table),
    /// The caller answers for the server. Every number is counted with its bits, up to a limit.
    TrustedServer,
}

/// Decrypts results that may be shown to others, on some ground. Approximate results are flooded with noise that hides the part of
/// their errors that depends on the secret key, to a number of bits.
///
/// Every flooded ciphertext, and every number that is shown unchecked, is counted in the record beside the secret key, in the folder of
/// keys ([`PublicationRecord`]), before results are returned. The same results again with as many bits are the same numbers, and count
/// once.
///
/// `all_rows` is the plan that `plan` was narrowed from ([`Plan::for_rows`]), or `plan` again. The flooding is for the most noise
/// that results have for any of its numbers of rows, so that it doesn't depend on how many rows the results are said to have.
///
/// # Errors
/// Those of [`decrypt`], [`ShowingError`] and [`RecordError`](super::RecordError).
pub fn publish(
    all_rows: &Plan,
    plan: &Plan,
    secret: &DecryptionKey,
    (encrypted, inputs): (&Encrypted, &InputSecrets),
    (statistical_bits, confirmation): (Option<u32>, Confirmation<'_>),
    folder: &Path,
) -> Result<Decrypted, ExecuteError> {
    same_keys("secret key", secret.id(), encrypted.key)?;
    let mut record =
        if needs_record(plan, confirmation) { Some(PublicationRecord::open(folder, secret)?) } else { None };
    let shown = (statistical_bits, confirmation);
    let decrypted = publish_by(all_rows, plan, secret, (encrypted, inputs), shown, record.as_mut())?;
    // Nothing is given away that can't be counted.
    record.as_mut().map_or(Ok(()), PublicationRecord::write)?;
    Ok(decrypted)
}

/// Whether results of a plan are counted in a record if they are shown on some ground.
pub fn needs_record(plan: &Plan, confirmation: Confirmation<'_>) -> bool {
    !plan.params.backend().is_exact() || matches!(confirmation, Confirmation::TrustedServer)
}

/// Does the same as [`publish`] with a record in memory, if one is needed ([`needs_record`]). The caller keeps the bytes of the record before it
/// gives the results away.
///
/// # Errors
/// Those of [`publish`], but for those of files.
pub fn publish_by(
    all_rows: &Plan,
    plan: &Plan,
    secret: &DecryptionKey,
    (encrypted, inputs): (&Encrypted, &InputSecrets),
    (statistical_bits, confirmation): (Option<u32>, Confirmation<'_>),
    record: Option<&mut PublicationRecord>,
) -> Result<Decrypted, ExecuteError> {
    same_keys("secret key", secret.id(), encrypted.key)?;
    let is_exact = plan.params.backend().is_exact();
    confirm_digest(plan, encrypted, confirmation)?;
    if let (Confirmation::PlainComputation(_), false) = (confirmation, is_exact) {
        return Err(ShowingError::NotExact.into());
    }
    let missing = || RecordError { path: Keys::RECORD.into(), problem: RecordProblem::Missing };
    let mut record = match record {
        None if needs_record(plan, confirmation) => return Err(missing().into()),
        record => record,
    };
    let (decrypted, bits) = if is_exact {
        let decrypted = decrypt(plan, secret, encrypted, inputs)?;
        confirm_plain(plan, &decrypted, confirmation)?;
        let bits = exact_bits(plan)?;
        (decrypted, bits)
    } else {
        let flooding = statistical_bits.ok_or(ShowingError::NoFlooding)?;
        refuse_reencrypted(encrypted)?;
        let record = record.as_deref_mut().ok_or_else(missing)?;
        let all: Vec<Plan> = [all_rows, plan].iter().flat_map(|plan| plan.of_representative_rows()).collect();
        let published = published((plan, &all), secret, encrypted, flooding, &mut |id| {
            record.ordinal(PublicationId(id)).map_err(|error| BackendError::Other(error.into()))
        })?;
        let (bits, corrections) = (published.bits, Corrections::new(plan, encrypted, inputs)?);
        (finish((plan, &corrections), published, record.count())?, bits)
    };
    let shown = match (confirmation, record) {
        (Confirmation::TrustedServer, Some(record)) => {
            let flooding = statistical_bits.filter(|_| !is_exact);
            let (these, limit) = (bits.ceil() as u64, plan.params.shown_bits_limit());
            record.show(&encrypted.digest_of_results(plan)?, flooding, these, limit)?;
            Some(ShownBits { these, all: record.shown_bits(), limit })
        }
        _ => None,
    };
    Ok(Decrypted { shown, ..decrypted })
}

/// Refuses results of which a second evaluation gave others, and grounds to show approximate results without flooding. For the key
/// holder, who decrypts results and does not show them.
///
/// # Errors
/// [`ShowingError`].
pub fn check_evaluation(
    plan: &Plan,
    encrypted: &Encrypted,
    confirmation: Confirmation<'_>,
) -> Result<(), ExecuteError> {
    match confirmation {
        Confirmation::SecondEvaluation(_) => confirm_digest(plan, encrypted, confirmation),
        Confirmation::PlainComputation(_) => Err(ShowingError::NotExact.into()),
        Confirmation::TrustedServer => Err(ShowingError::NoFlooding.into()),
    }
}

/// Refuses results of which a second evaluation gave others.
fn confirm_digest(
    plan: &Plan,
    encrypted: &Encrypted,
    confirmation: Confirmation<'_>,
) -> Result<(), ExecuteError> {
    let Confirmation::SecondEvaluation(second) = confirmation else { return Ok(()) };
    let these = encrypted.digest_of_results(plan)?;
    if these == second {
        return Ok(());
    }
    Err(ShowingError::OtherResults { these, second: second.to_owned() }.into())
}

/// Refuses exact results that aren't those of the plain computation.
fn confirm_plain(
    plan: &Plan,
    decrypted: &Decrypted,
    confirmation: Confirmation<'_>,
) -> Result<(), ExecuteError> {
    let Confirmation::PlainComputation(table) = confirmation else { return Ok(()) };
    let expected = plan.for_rows(table.rows)?.evaluate_exact(table)?;
    let (expected, found) = expected.as_ref().zip(decrypted.exact.as_ref()).ok_or(ShowingError::NotExact)?;
    for ((name, expected), (_, found)) in expected.iter().zip(found) {
        if expected == found {
            continue;
        }
        let pairs = expected.as_slice().iter().zip(found.as_slice());
        let row = pairs.enumerate().find(|(_, (expected, found))| expected != found).map(|(row, _)| row);
        let row = row.filter(|_| expected.shape() == Shape::Column);
        let place = ResultPlace::of(name, row).to_string();
        return Err(ShowingError::NotPlain { place }.into());
    }
    Ok(())
}

/// The bits of all numbers that exact results of a plan have: each lies in the range of its output, or decryption refuses it.
fn exact_bits(plan: &Plan) -> Result<f64, ExecuteError> {
    let ranges = ranges(&plan.program, &plan.schema)?;
    let outputs = plan.circuit.outputs.iter().zip(plan.program.outputs());
    let bits = outputs.map(|(output, (_, id))| {
        let range = &ranges[id.0];
        let values = number::to_f64(&((range.hi() - range.lo()) / &output.factor).abs()) + 1.0;
        let numbers = match plan.circuit.steps[output.step].shape {
            Shape::Column => plan.schema.rows,
            Shape::Number => 1,
        };
        let modulus = plan.params.plaintext_modulus().filter(|_| plan.on_zero == OnZero::Value);
        let modulus = modulus.map_or(0.0, |modulus| modulus.bits() as f64);
        numbers as f64 * values.log2().max(modulus)
    });
    Ok(bits.sum())
}

/// Decrypts results that the caller evaluated itself, so that they may be shown, under a key that serves for nothing else: the count
/// of publications begins with these results and ends with them.
///
/// # Errors
/// Those of [`publish`].
pub fn publish_once(
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    inputs: &InputSecrets,
    statistical_bits: u32,
) -> Result<Decrypted, ExecuteError> {
    same_keys("secret key", secret.id(), encrypted.key)?;
    if plan.params.backend().is_exact() {
        return decrypt(plan, secret, encrypted, inputs);
    }
    refuse_reencrypted(encrypted)?;
    let mut ordinals = BTreeMap::new();
    let published = published((plan, &[]), secret, encrypted, statistical_bits, &mut |id| {
        let next = NonZeroU64::MIN.saturating_add(ordinals.len() as u64);
        Ok(*ordinals.entry(id).or_insert(next))
    })?;
    let corrections = Corrections::new(plan, encrypted, inputs)?;
    finish((plan, &corrections), published, ordinals.len() as u64)
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
    Published { opened, tau, .. }: Published,
    count: u64,
) -> Result<Decrypted, ExecuteError> {
    let OpenedNumbers::Real { numbers, errors } = opened.numbers else {
        return Err(ExecuteError::OtherScheme);
    };
    let collected = collect_real((plan, corrections), numbers, errors, opened.noise)?;
    let decrypted = collected.finish(plan, &corrections.schema, &corrections.shifts);
    Ok(Decrypted { publication: Some(Publication { count, tau }), ..decrypted })
}
