//! The four steps of a run: keys, encryption, evaluation, decryption.

use std::borrow::Cow;

use asanoha_backends::{
    Checkpoints, DecryptionKey, EncryptionKey, Evaluation, Fresh, InputColumn, Noise, OpenedNumbers,
    Progress, Reencryptions, Resumed, go_on,
};
use asanoha_lattice::KeyId;
use asanoha_ring::Sampler;
use num_rational::BigRational;

use super::{
    Centres,
    collect::{Collected, collect_exact, collect_real},
    correction::Corrections,
    encrypted::Encrypted,
    error::ExecuteError,
    keys::EvaluationKey,
    progress::{Parts, unwatched},
    publish::Publication,
    reencryption::check_room,
};
use crate::{
    data::{Centre, Column, ColumnSchema, Table, outside},
    plan::{OnZero, Plan, RowsError},
    program::{
        Outputs, OutsideAssumed, Undecided, Undefined, first_outside, first_undecided, first_undefined,
        ranges,
    },
};

/// Encrypts the columns that a plan needs. The data must be as the plan's schema says, but for the order of a column's texts: for
/// fewer rows, see [`Plan::for_rows`].
pub fn encrypt(
    plan: &Plan,
    key: &EncryptionKey,
    table: &Table,
    sampler: &mut Sampler,
) -> Result<Encrypted, ExecuteError> {
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
) -> Result<Encrypted, ExecuteError> {
    let parts = Parts::begin(plan.circuit.inputs.len(), progress)?;
    let centres = Centres::of(plan, table)?;
    let table = &*centres.apart(plan, table)?;
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
    Ok(Encrypted {
        key: id,
        seeded,
        inputs: None,
        reencryptions: Reencryptions::default(),
        centres,
        canaries: None,
        values,
        seeds,
    })
}

/// Refuses data that [`encrypt`] would refuse, without encrypting them.
///
/// # Errors
/// Those of [`encrypt`].
pub fn check(plan: &Plan, table: &Table) -> Result<(), ExecuteError> {
    let centres = Centres::of(plan, table)?;
    checked_columns(plan, &*centres.apart(plan, table)?).map(|_| ())
}

/// As [`check`], of some of the rows.
pub(super) fn check_values(plan: &Plan, table: &Table) -> Result<(), ExecuteError> {
    let centres = Centres::of(plan, table)?;
    valid_columns(plan, &*centres.apart(plan, table)?).map(|_| ())
}

/// The values of a plan's inputs in a table that has been prepared by [`Centres::apart`].
fn checked_columns<'a>(plan: &'a Plan, table: &Table) -> Result<Vec<InputColumn<'a>>, ExecuteError> {
    if table.rows != plan.schema.rows {
        return Err(RowsError::Other { found: table.rows, planned: plan.schema.rows }.into());
    }
    valid_columns(plan, table)
}

/// As [`checked_columns`], of any number of rows.
fn valid_columns<'a>(plan: &'a Plan, table: &Table) -> Result<Vec<InputColumn<'a>>, ExecuteError> {
    // Also of columns of which the ranges tell all that's computed.
    plan.program.input_names().iter().try_for_each(|name| column_in_range(plan, table, name).map(|_| ()))?;
    let columns = plan
        .circuit
        .inputs
        .iter()
        .map(|input| {
            let name = &input.column;
            let (column, ColumnSchema { range, places, .. }) = column_in_range(plan, table, name)?;
            let not_whole =
                || ExecuteError::NotWhole { column: name.clone(), first: column.values.first_fraction() };
            let values = if plan.params.backend().is_exact() {
                column.values.digits(*places).ok_or_else(not_whole)?
            } else {
                Cow::Borrowed(&column.values)
            };
            let values = Cow::Owned(input.values(&values)?.ok_or_else(not_whole)?);
            Ok(InputColumn { name, values, range })
        })
        .collect::<Result<Vec<_>, ExecuteError>>()?;
    check_defined(plan, table)?;
    Ok(columns)
}

/// A column of a table, all of whose values are in the range that's planned for.
fn column_in_range<'p, 't>(
    plan: &'p Plan,
    table: &'t Table,
    name: &str,
) -> Result<(&'t Column, &'p ColumnSchema), ExecuteError> {
    let column = table.column(name).ok_or_else(|| ExecuteError::MissingColumn(name.to_owned()))?;
    let planned = plan.schema.column(name).expect("checked with the plan");
    if let Some((row, _)) = outside(&column.values, &planned.range) {
        let range = match &planned.centre {
            None => planned.range.to_string(),
            Some(Centre::Public(centre)) => planned.range.offset(centre).to_string(),
            Some(Centre::Secret) => format!("{} around the middle of its values", planned.range),
        };
        return Err(ExecuteError::OutsideRange { column: name.to_owned(), row, range });
    }
    Ok((column, planned))
}

/// Refuses rows on which the program's functions have no value but what the circuits define.
fn check_defined(plan: &Plan, table: &Table) -> Result<(), ExecuteError> {
    if let Some(OutsideAssumed { row, value, assumed }) = first_outside(&plan.program, table)? {
        return Err(ExecuteError::OutsideAssumed { row, value, assumed });
    }
    if !plan.params.backend().is_exact()
        && let Some(undecided) = first_undecided(&plan.program, table, &plan.gaps())?
    {
        let Undecided { function, row, difference, gap } = undecided;
        return Err(ExecuteError::Undecided { row, function, difference, gap });
    }
    let zero_divides = plan.on_zero == OnZero::Value;
    let Some(undefined) = first_undefined(&plan.program, table, zero_divides)? else { return Ok(()) };
    let Undefined { function, row, column, value } = undefined;
    let operand =
        column.map_or_else(|| format!("an operand of `{function}`"), |name| format!("column `{name}`"));
    Err(if matches!(function, "//" | "%") {
        ExecuteError::DivisorZero { row, operand, function }
    } else {
        ExecuteError::OutsideTable { row, operand, value, function }
    })
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
    let Encrypted { key, seeded, inputs: of, reencryptions, centres, canaries, values, .. } = inputs;
    check_room(plan, reencryptions)?;
    let kept = checkpoints.and_then(|checkpoints| {
        let (digest, files) = (plan.digest(), (keys.digest(), of.as_deref()));
        Evaluation::new(checkpoints, (&*plan.params, &digest), (key, seeded), files, reencryptions)
    });
    let (values, resumed) =
        plan.params.backend().evaluate(plan.scheduled(), keys.into_inner(), values, kept.as_ref(), &done)?;
    let results =
        Encrypted { key, seeded, inputs: of, reencryptions, centres, canaries, values, seeds: Vec::new() };
    Ok((results, resumed))
}

pub(super) fn same_keys(which: &'static str, key: KeyId, ciphertexts: KeyId) -> Result<(), ExecuteError> {
    if key == ciphertexts { Ok(()) } else { Err(ExecuteError::OtherKeys { which, key, ciphertexts }) }
}

/// Decrypted results.
#[derive(Clone, Debug)]
pub struct Decrypted {
    /// The results as numbers: the outputs of the program that are shown, finished ones, and constants.
    pub outputs: Outputs<f64>,
    /// The results as fractions, where the scheme is exact.
    pub exact: Option<Outputs<BigRational>>,
    /// How far each result may be off, by noise and by approximation, where the scheme isn't exact; not a number for what's
    /// missing.
    pub error_bounds: Option<Vec<f64>>,
    /// The noise.
    pub noise: Noise,
    /// What was counted, where results were published.
    pub publication: Option<Publication>,
}

/// Decrypts the results of a plan, for the key's holder.
pub fn decrypt(
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
) -> Result<Decrypted, ExecuteError> {
    decrypt_with_progress(plan, secret, encrypted, &unwatched)
}

/// As [`decrypt`], telling how many outputs are decrypted.
///
/// # Errors
/// Those of [`decrypt`], and [`ExecuteError::Stopped`].
pub fn decrypt_with_progress(
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    progress: Progress,
) -> Result<Decrypted, ExecuteError> {
    let (collected, corrections) = collect(plan, secret, encrypted, progress)?;
    Ok(collected.finish(plan, &corrections.schema, &corrections.shifts))
}

/// The values of all encrypted outputs, and what the client knows to correct them by.
pub(super) fn collect<'a>(
    plan: &'a Plan,
    secret: &DecryptionKey,
    encrypted: &'a Encrypted,
    progress: Progress,
) -> Result<(Collected, Corrections<'a>), ExecuteError> {
    let parts = &Parts::begin(plan.circuit.outputs.len(), progress)?;
    same_keys("secret key", secret.id(), encrypted.key)?;
    let corrections = Corrections::new(plan, encrypted)?;
    let ranges = ranges(&plan.program, &plan.schema)?;
    let of_outputs: Vec<_> = plan.program.outputs().iter().map(|(_, id)| &ranges[id.0]).collect();
    let done = || parts.finish_one();
    let (backend, values) = (plan.params.backend(), &encrypted.values);
    let opened = backend.decrypt(plan.scheduled(), &of_outputs, secret, values, &done)?;
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
