//! Encryption, evaluation and re-encryption in schemes with slots.

use std::ops::ControlFlow;

use asanoha_circuits::parallel::try_map_owned;
use asanoha_lattice::{EvaluationKeys, PublicKey, ReencryptionKey, SecretKey};
use asanoha_ring::{Sampler, Seed};
use asanoha_scheme::{Ciphertext, Evaluator};

use crate::backend::Scheduled;
use crate::backend_error::BackendError;
use crate::checkpoints::codec::Codec;
use crate::checkpoints::keeper::{Keeper, Unkept};
use crate::checkpoints::kept::Kept;
use crate::checkpoints::needed::Finished;
use crate::checkpoints::{Evaluation, Resumed};
use crate::ciphertexts::{Ciphertexts, Fresh};
use crate::column::InputColumn;
use crate::done::{Done, go_on};
use crate::keys::{EncryptionKey, EvaluationKey};
use crate::slots::codec::SlotsCodec;
use crate::slots::engine::Columns;
use crate::slots::numbers::{Numbers, SlotsKey};
use crate::slots::slots_scheme::{AllCiphertexts, SlotsScheme};
use crate::slots::walk::run::walk_from;

/// Encrypts columns, each from a stream of its own.
pub(crate) fn encrypt<S: SlotsScheme>(
    of: Scheduled<'_>,
    key: &EncryptionKey,
    columns: &[InputColumn<'_>],
    samplers: Vec<Sampler>,
    done: Done<'_>,
) -> Result<Fresh, BackendError> {
    let public = key.get::<PublicKey>().map(SlotsKey::Public);
    let key = public.or_else(|| key.get::<SecretKey>().map(SlotsKey::Secret));
    let (key, scheme) = (key.ok_or(BackendError::OtherScheme)?, of.own::<S>());
    let steps = of.circuit.input_steps();
    let encrypt = |place: usize, mut sampler: Sampler| {
        let InputColumn { name, values, range } = &columns[place];
        let place = (of.layout(), of.circuit.steps[steps[place]].level);
        let encrypted = S::Numbers::encrypt(scheme, key, place, values, range, &mut sampler)?;
        let not_whole =
            || BackendError::NotWhole { column: (*name).to_owned(), first: values.first_fraction() };
        let encrypted = encrypted.ok_or_else(not_whole)?;
        go_on(done())?;
        let (ciphertexts, seeds): (_, Vec<Option<Seed>>) = encrypted.into_iter().unzip();
        Ok::<_, BackendError>((ciphertexts, seeds.into_iter().flatten().collect()))
    };
    let (values, seeds): (AllCiphertexts<S>, _) = try_map_owned(samplers, &encrypt)?.into_iter().unzip();
    Ok(Fresh { values: Ciphertexts::new(values), seeds })
}

/// Evaluates a schedule on encrypted columns.
pub(crate) fn evaluate<S: SlotsScheme>(
    of: Scheduled<'_>,
    key: &EvaluationKey,
    inputs: Ciphertexts,
    kept: Option<&Evaluation<'_>>,
    done: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<(Ciphertexts, Resumed), BackendError> {
    let inputs: AllCiphertexts<S> = inputs.into_own().ok_or(BackendError::OtherScheme)?;
    let keys = key.shared::<EvaluationKeys>().ok_or(BackendError::OtherScheme)?;
    let (scheme, circuit, layout) = (of.own::<S>(), of.circuit, of.layout());
    let engine = Columns::new(Evaluator::new(scheme, keys), layout);
    let kept = kept.map(|kept| {
        let codec = SlotsCodec::new(scheme, circuit, layout, kept.reencryptions);
        Kept::new((scheme, circuit), kept, codec)
    });
    let from = kept.as_ref().map_or((Finished::default(), &Unkept as _), from_kept);
    let (values, resumed) = walk_from(&engine, layout, circuit, inputs, from, done)?;
    Ok((Ciphertexts::new(values), resumed))
}

/// What was kept, and where more is kept.
fn from_kept<'k, C: Codec>(kept: &'k Kept<'_, C>) -> (Finished<C::Value>, &'k dyn Keeper<C::Value>) {
    (kept.finished(), kept)
}

/// Re-encrypts all values under the new key. Each ciphertext takes the place of the old one.
pub(crate) fn reencrypt<S: SlotsScheme>(
    of: Scheduled<'_>,
    key: &ReencryptionKey,
    values: Ciphertexts,
    done: Done<'_>,
) -> Result<Ciphertexts, BackendError> {
    let values: AllCiphertexts<S> = values.into_own().ok_or(BackendError::OtherScheme)?;
    let evaluator = Evaluator::new(of.own::<S>(), EvaluationKeys::default());
    let value = |ciphertexts| {
        let switched = try_map_owned(ciphertexts, &|_, a: Ciphertext<S>| evaluator.reencrypt(&a, key))?;
        go_on(done())?;
        Ok(switched)
    };
    let switched: Result<AllCiphertexts<S>, BackendError> = values.into_iter().map(value).collect();
    switched.map(Ciphertexts::new)
}
