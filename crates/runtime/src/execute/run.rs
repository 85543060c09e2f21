//! The four steps of a run: keys, encryption, evaluation, decryption.

use asanoha_backends::{
    Checkpoints, DecryptionKey, EncryptionKey, Evaluation, Fresh, OpenedNumbers, Progress, Reencryptions,
    Resumed, go_on,
};
use asanoha_ring::Sampler;

use super::{
    Centres,
    checks::{checked_columns, same_keys},
    collect::{Collected, collect_exact, collect_real},
    correction::Corrections,
    decrypted::Decrypted,
    encrypted::Encrypted,
    error::ExecuteError,
    input_secrets::InputSecrets,
    keys::EvaluationKey,
    progress::{Parts, unwatched},
    reencryption_counts::check_room,
};
use crate::{data::Table, plan::Plan, program::ranges};

/// Encrypts the columns that a plan needs. The data must be as the plan's schema says, but for the order of a column's texts: for
/// fewer rows, see [`Plan::for_rows`]. Returns the encrypted columns, for the server, and the client's secrets of them, without which
/// their results aren't decrypted.
pub fn encrypt(
    plan: &Plan,
    key: &EncryptionKey,
    table: &Table,
    sampler: &mut Sampler,
) -> Result<(Encrypted, InputSecrets), ExecuteError> {
    encrypt_with_progress(plan, key, table, sampler, &unwatched)
}

/// As [`encrypt`], telling how many columns are encrypted.
///
/// # Errors
/// Those of [`encrypt`], and [`ExecuteError::Stopped`].
pub fn encrypt_with_progress(
    plan: &Plan,
    key: &EncryptionKey,
    table: &Table,
    sampler: &mut Sampler,
    progress: Progress,
) -> Result<(Encrypted, InputSecrets), ExecuteError> {
    let parts = Parts::begin(plan.circuit.inputs.len(), progress)?;
    let centres = Centres::of(&plan.program, &plan.schema, table)?;
    let table = &*centres.apart(&plan.schema, table)?;
    let columns = checked_columns(plan, table)?;
    let (digest, id) = (plan.digest(), key.id());
    let domain = [plan.params.digest().as_bytes(), digest.as_bytes(), id.as_bytes()];
    let mut samplers = sampler.branch("encryption", &domain);
    let samplers: Vec<Sampler> =
        columns.iter().map(|column| samplers.branch("column", &[column.name.as_bytes()])).collect();
    let done = || parts.finish_one();
    let Fresh { values, seeds } =
        plan.params.backend().encrypt(plan.scheduled(), key, &columns, samplers, &done)?;
    let seeded = id.is_seeded() || sampler.is_seeded();
    let reencryptions = Reencryptions::default();
    let encrypted = Encrypted { key: id, seeded, inputs: None, digest: None, reencryptions, values, seeds };
    Ok((encrypted, InputSecrets::new(centres)))
}

/// Evaluates a plan's schedule on encrypted columns, telling how many of its steps are done.
///
/// # Errors
/// Keys or columns of another scheme or another key generation, a missing key, re-encrypted columns whose results wouldn't decrypt, and
/// [`ExecuteError::Stopped`].
pub fn evaluate(
    plan: &Plan,
    keys: EvaluationKey,
    inputs: Encrypted,
    progress: Progress,
) -> Result<Encrypted, ExecuteError> {
    evaluate_with_checkpoints(plan, keys, inputs, None, progress).map(|(results, _)| results)
}

/// As [`evaluate`], keeping what is finished in a folder, from which a later evaluation on the same plan, keys and inputs goes on, with
/// the same results. Also returns how much an earlier one had finished. Keys and inputs that weren't read from files aren't known again:
/// nothing is kept then.
///
/// # Errors
/// Those of [`evaluate`]. A folder that can't be read or written is no error: the evaluation goes on without it.
pub fn evaluate_with_checkpoints(
    plan: &Plan,
    keys: EvaluationKey,
    inputs: Encrypted,
    checkpoints: Option<&Checkpoints>,
    progress: Progress,
) -> Result<(Encrypted, Resumed), ExecuteError> {
    let steps = plan.circuit.steps.len();
    go_on(progress(0, steps))?;
    let done = |done| progress(done, steps);
    same_keys("evaluation keys", keys.id(), inputs.key)?;
    let Encrypted { key, seeded, inputs: of, reencryptions, values, .. } = inputs;
    check_room(plan, reencryptions)?;
    let kept = checkpoints.and_then(|checkpoints| {
        let (digest, files) = (plan.digest(), (keys.digest(), of.as_deref()));
        Evaluation::new(checkpoints, (&*plan.params, &digest), (key, seeded), files, reencryptions)
    });
    let (values, resumed) =
        plan.params.server().evaluate(plan.scheduled(), keys.into_inner(), values, kept.as_ref(), &done)?;
    let results =
        Encrypted { key, seeded, inputs: of, digest: None, reencryptions, values, seeds: Vec::new() };
    Ok((results, resumed))
}

/// Decrypts the results of a plan, for the key's holder, by the client's secrets of the inputs.
pub fn decrypt(
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    inputs: &InputSecrets,
) -> Result<Decrypted, ExecuteError> {
    decrypt_with_progress(plan, secret, encrypted, inputs, &unwatched)
}

/// As [`decrypt`], telling how many outputs are decrypted.
///
/// # Errors
/// Those of [`decrypt`], and [`ExecuteError::Stopped`].
pub fn decrypt_with_progress(
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    inputs: &InputSecrets,
    progress: Progress,
) -> Result<Decrypted, ExecuteError> {
    let (collected, corrections) = collect(plan, secret, (encrypted, inputs), progress)?;
    Ok(collected.finish(plan, &corrections.schema, &corrections.shifts))
}

/// The values of all encrypted outputs, and what the client knows to correct them by.
pub(super) fn collect<'a>(
    plan: &'a Plan,
    secret: &DecryptionKey,
    (encrypted, inputs): (&Encrypted, &'a InputSecrets),
    progress: Progress,
) -> Result<(Collected, Corrections<'a>), ExecuteError> {
    let parts = &Parts::begin(plan.circuit.outputs.len(), progress)?;
    same_keys("secret key", secret.id(), encrypted.key)?;
    let corrections = Corrections::new(plan, encrypted, inputs)?;
    let ranges = ranges(&plan.program, &plan.schema)?;
    let of_outputs: Vec<_> = plan.program.outputs().iter().map(|(_, id)| &ranges[id.0]).collect();
    let done = || parts.finish_one();
    let (backend, values) = (plan.params.backend(), &encrypted.values);
    let opened = backend
        .decrypt(plan.scheduled(), &of_outputs, secret, values, &done)
        .map_err(|error| corrections.of_data(error.into()))?;
    let collected = match opened.numbers {
        OpenedNumbers::Whole(numbers) => {
            collect_exact((plan, &corrections), &of_outputs, numbers, opened.noise)?
        }
        OpenedNumbers::Real { numbers, errors } => {
            collect_real((plan, &corrections), numbers, errors, opened.noise)?
        }
    };
    Ok((collected, corrections))
}
