//! The four steps of a run: keys, encryption, evaluation, decryption.

use std::{borrow::Cow, ops::ControlFlow, sync::Arc};

use asanoha_circuits::parallel::try_map_owned;
use asanoha_ckks::{Ckks, CkksCiphertext};
use asanoha_lattice::{EvaluationKeys, KeyId, SecretKey};
use asanoha_ring::{Sampler, Seed};
use asanoha_scheme::{Ciphertext, Evaluator, Exact, SchemeError};
use asanoha_tfhe::Bootstrapper;
use num_rational::BigRational;

use super::{
    Centres,
    checkpoints::{Checkpoints, Codec, Evaluation, Finished, IntegerCodec, Keeper, Kept, SlotsCodec, Unkept},
    collect::{Collected, collect_ckks, collect_exact, errors_of},
    correction::Corrections,
    encrypted::{Ciphertexts, Encrypted},
    error::ExecuteError,
    exact, integers,
    keys::{DecryptionKey, EncryptionKey, EvaluationKey},
    progress::{Parts, Progress, go_on, unwatched},
    publish::Publication,
    reencryption::{Reencryptions, check_room},
    walk::{Resumed, walk_from},
};
use crate::{
    data::{Centre, Column, ColumnSchema, ColumnValues, Range, Table, outside},
    plan::{OnZero, Plan, RowsError, SchemeParams},
    program::{
        Outputs, OutsideAssumed, Shape, Undecided, Undefined, first_outside, first_undecided,
        first_undefined, ranges,
    },
};
use asanoha_backends::slots::{Columns, Numbers, Planned, SlotsKey};

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
        columns.iter().map(|(name, ..)| samplers.branch("column", &[name.as_bytes()])).collect();
    let slots_key = match key {
        EncryptionKey::Slots(key) => Some(SlotsKey::Public(key)),
        EncryptionKey::Secret(key) => Some(SlotsKey::Secret(key)),
        EncryptionKey::Tfhe(_) => None,
    };
    let place = (plan, &parts);
    let (values, seeds) = match (&plan.params, key, slots_key) {
        (SchemeParams::Bgv(params), _, Some(key)) => {
            let (values, seeds) = encrypt_columns(place, params, key, &columns, samplers)?;
            (Ciphertexts::Bgv(values), seeds)
        }
        (SchemeParams::Bfv(params), _, Some(key)) => {
            let (values, seeds) = encrypt_columns(place, params, key, &columns, samplers)?;
            (Ciphertexts::Bfv(values), seeds)
        }
        (SchemeParams::Ckks(params), _, Some(key)) => {
            let (values, seeds) = encrypt_columns(place, params, key, &columns, samplers)?;
            (Ciphertexts::Ckks(values), seeds)
        }
        (SchemeParams::Tfhe(_), EncryptionKey::Tfhe(key), None) => {
            let (values, seeds) = integers::encrypt_columns(place, key, &columns, samplers)?;
            (Ciphertexts::Tfhe(values), seeds)
        }
        _ => return Err(ExecuteError::OtherScheme),
    };
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
            let values = match plan.params {
                SchemeParams::Ckks(_) => Cow::Borrowed(&column.values),
                _ => column.values.digits(*places).ok_or_else(not_whole)?,
            };
            let values = input.values(&values)?.ok_or_else(not_whole)?;
            Ok((name, values, range))
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
    if let SchemeParams::Ckks(_) = plan.params
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

/// A column's name, its values, and its range.
pub(super) type InputColumn<'a> = (&'a String, ColumnValues, &'a Range);

/// The ciphertexts of every column, and their seeds.
type Seeded<S> = (Vec<Vec<Ciphertext<S>>>, Vec<Vec<Seed>>);

/// Encrypts columns, each from a stream of its own.
fn encrypt_columns<S: Planned>(
    (plan, parts): (&Plan, &Parts),
    scheme: &S,
    key: SlotsKey<'_>,
    columns: &[InputColumn],
    samplers: Vec<Sampler>,
) -> Result<Seeded<S>, ExecuteError> {
    let steps = plan.circuit.input_steps();
    let encrypt = |place: usize, mut sampler: Sampler| {
        let (name, values, range) = &columns[place];
        let place = (plan.layout(), plan.circuit.steps[steps[place]].level);
        let encrypted = S::Numbers::encrypt(scheme, key, place, values, range, &mut sampler)?;
        let not_whole = || ExecuteError::NotWhole { column: (*name).clone(), first: values.first_fraction() };
        let encrypted = encrypted.ok_or_else(not_whole)?;
        parts.finish_one()?;
        let (ciphertexts, seeds): (_, Vec<Option<Seed>>) = encrypted.into_iter().unzip();
        Ok::<_, ExecuteError>((ciphertexts, seeds.into_iter().flatten().collect()))
    };
    Ok(try_map_owned(samplers, &encrypt)?.into_iter().unzip())
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
        Evaluation::new(checkpoints, plan, (key, seeded), (keys.digest(), of.as_deref()), reencryptions)
    });
    let kept = kept.as_ref();
    let (values, resumed) = match (&plan.params, values, keys) {
        (SchemeParams::Bgv(params), Ciphertexts::Bgv(inputs), EvaluationKey::Slots(keys)) => {
            let (values, resumed) = evaluate_slots((plan, kept), params, keys, inputs, done)?;
            (Ciphertexts::Bgv(values), resumed)
        }
        (SchemeParams::Bfv(params), Ciphertexts::Bfv(inputs), EvaluationKey::Slots(keys)) => {
            let (values, resumed) = evaluate_slots((plan, kept), params, keys, inputs, done)?;
            (Ciphertexts::Bfv(values), resumed)
        }
        (SchemeParams::Ckks(params), Ciphertexts::Ckks(inputs), EvaluationKey::Slots(keys)) => {
            let (values, resumed) = evaluate_slots((plan, kept), params, keys, inputs, done)?;
            (Ciphertexts::Ckks(values), resumed)
        }
        (SchemeParams::Tfhe(params), Ciphertexts::Tfhe(inputs), keys) => {
            let (expanded, stored);
            let key: &dyn Bootstrapper = match keys {
                EvaluationKey::Tfhe(key) => {
                    expanded = key.expand();
                    &expanded
                }
                EvaluationKey::StoredTfhe(key) => {
                    stored = key;
                    &*stored
                }
                EvaluationKey::Slots(_) => return Err(ExecuteError::OtherScheme),
            };
            let codec = || IntegerCodec::new(plan, params, key.id());
            let kept = kept.map(|of| Kept::new(plan, of, codec()));
            let (finished, keeper) = kept.as_ref().map_or((Finished::default(), &Unkept as _), from_kept);
            let (values, resumed) = integers::evaluate(plan, key, inputs, (finished, keeper), &done)?;
            (Ciphertexts::Tfhe(values), resumed)
        }
        _ => return Err(ExecuteError::OtherScheme),
    };
    let results =
        Encrypted { key, seeded, inputs: of, reencryptions, centres, canaries, values, seeds: Vec::new() };
    Ok((results, resumed))
}

/// What was kept, and where more is kept.
fn from_kept<'k, C: Codec>(kept: &'k Kept<'_, C>) -> (Finished<C::Value>, &'k dyn Keeper<C::Value>) {
    (kept.finished(), kept)
}

/// The ciphertexts of every value, and how many of them are taken over.
type Evaluated<S> = (Vec<Vec<Ciphertext<S>>>, Resumed);

fn evaluate_slots<S: Planned>(
    (plan, kept): (&Plan, Option<&Evaluation<'_>>),
    scheme: &S,
    keys: Arc<EvaluationKeys>,
    inputs: Vec<Vec<Ciphertext<S>>>,
    done: impl Fn(usize) -> ControlFlow<()> + Sync,
) -> Result<Evaluated<S>, ExecuteError> {
    let layout = plan.layout();
    let engine = Columns::new(Evaluator::new(scheme, keys), layout);
    let kept = kept.map(|of| Kept::new(plan, of, SlotsCodec::new(plan, scheme, of.reencryptions())));
    let from = kept.as_ref().map_or((Finished::default(), &Unkept as _), from_kept);
    Ok(walk_from(&engine, layout, &plan.circuit, inputs, from, done)?)
}

pub(super) fn same_keys(which: &'static str, key: KeyId, ciphertexts: KeyId) -> Result<(), ExecuteError> {
    if key == ciphertexts { Ok(()) } else { Err(ExecuteError::OtherKeys { which, key, ciphertexts }) }
}

/// Noise of the outputs in bits, worst output: predicted, and what the modulus would hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// log2 of the predicted bound.
    pub predicted_bits: f64,
    /// log2 of the modulus' half over what it must hold: what's left.
    pub budget_bits: f64,
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
    let collected = match (&plan.params, &encrypted.values, secret) {
        (SchemeParams::Bgv(params), Ciphertexts::Bgv(values), DecryptionKey::Slots(secret)) => {
            decrypt_exact((plan, &corrections, parts), params, secret, values)?
        }
        (SchemeParams::Bfv(params), Ciphertexts::Bfv(values), DecryptionKey::Slots(secret)) => {
            decrypt_exact((plan, &corrections, parts), params, secret, values)?
        }
        (SchemeParams::Tfhe(_), Ciphertexts::Tfhe(values), DecryptionKey::Tfhe(secret)) => {
            let (numbers, noise) = integers::decrypt((plan, parts), secret, values)?;
            collect_exact((plan, &corrections), &ranges(&plan.program, &plan.schema)?, numbers, noise)?
        }
        (SchemeParams::Ckks(params), Ciphertexts::Ckks(values), DecryptionKey::Slots(secret)) => {
            let slots = values
                .iter()
                .map(|value| {
                    let slots = decrypt_slots(params, secret, value)?;
                    parts.finish_one()?;
                    Ok(slots)
                })
                .collect::<Result<Vec<_>, ExecuteError>>()?;
            collect_ckks((plan, &corrections), params, (values, &errors_of(values)), &slots)?
        }
        _ => return Err(ExecuteError::OtherScheme),
    };
    Ok((collected, corrections))
}

fn decrypt_exact<S: Exact>(
    (plan, corrections, parts): (&Plan, &Corrections<'_>, &Parts),
    params: &S,
    secret: &SecretKey,
    values: &[Vec<Ciphertext<S>>],
) -> Result<Collected, ExecuteError> {
    let ranges = ranges(&plan.program, &plan.schema)?;
    let mut results = Vec::with_capacity(values.len());
    let mut noise = Noise { predicted_bits: f64::NEG_INFINITY, budget_bits: f64::INFINITY };
    let outputs = plan.circuit.outputs.iter().zip(plan.program.outputs());
    for ((output, (_, id)), ciphertexts) in outputs.zip(values) {
        let range = &ranges[id.0];
        let ends = [range.lo() / &output.factor, range.hi() / &output.factor];
        let least = ends.iter().min().expect("two ends").floor().to_integer();
        let column = plan.circuit.steps[output.step].shape == Shape::Column;
        let numbers = exact::decrypt_values(params, secret, plan.layout(), ciphertexts, column)?;
        for ciphertext in ciphertexts {
            noise.predicted_bits = noise.predicted_bits.max(ciphertext.noise().log2());
            noise.budget_bits = noise.budget_bits.min(ciphertext.noise_budget_bits());
        }
        let t = params.plaintext_modulus();
        results.push(numbers.into_iter().map(|value| exact::at_least(&value, &least, t)).collect());
        parts.finish_one()?;
    }
    collect_exact((plan, corrections), &ranges, results, noise)
}

/// Decrypts all slots of a value's ciphertexts, one after another.
pub(super) fn decrypt_slots(
    params: &Ckks,
    secret: &SecretKey,
    ciphertexts: &[CkksCiphertext],
) -> Result<Vec<Vec<f64>>, SchemeError> {
    let decryptor = asanoha_ckks::Decryptor::new(params);
    ciphertexts.iter().map(|ciphertext| decryptor.decrypt_real(secret, ciphertext)).collect()
}
