//! The back-end of a scheme with slots.

use std::{marker::PhantomData, ops::ControlFlow, path::Path, sync::Arc};

use asanoha_circuits::sum_trace;
use asanoha_compile::{Circuit, LevelOp, Op, Prepared, Step, ViewedColumns};
use asanoha_kernels::Backend as Kernels;
use asanoha_lang::{Analysed, Range};
use asanoha_lattice::{Destination, FileError, FileReader, KeyLevels, ReencryptionKey, SecretKey, Source};
use asanoha_numeric::precision::Precision;
use asanoha_ring::{Sampler, Seed};
use asanoha_scheme::SchemeError;

use crate::backend::{Backend, Listed, Ordinal, Request, Scheduled, SchemeParams, ServerBackend};
use crate::backend_error::BackendError;
use crate::checkpoints::{Evaluation, Resumed};
use crate::ciphertexts::{Ciphertexts, Fresh, Stated};
use crate::column::InputColumn;
use crate::contents::Contents;
use crate::done::{Done, Progress};
use crate::error::GenerateError;
use crate::hints::{ScheduleHints, SearchResult};
use crate::keys::{DecryptionKey, EncryptionKey, EvaluationKey, Keeping, NewKeys};
use crate::literal::ParamsLiteral;
use crate::machine::Machine;
use crate::opened::{Opened, Published};
use crate::params::Parameters;
use crate::reading::Reading;
use crate::reencryptions::Reencryptions;
use crate::scheme_name::SchemeName;
use crate::shared::Shared;
use crate::slots::cost;
use crate::slots::failure::log2_failure;
use crate::slots::slots_scheme::{AllCiphertexts, SlotsScheme};
use crate::slots::states::states;
use crate::slots::{file, keys, run};

/// What's said of parameters that programs can't run on.
const NO_SLOTS: &str = "its plaintexts have no slots, which programs compute on";

/// The back-end of a scheme with slots.
#[derive(Debug)]
pub(crate) struct SlotsBackend<S>(PhantomData<fn() -> S>);

impl<S: SlotsScheme> SlotsBackend<S> {
    /// It has no state.
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<S: SlotsScheme> From<S> for SchemeParams {
    fn from(params: S) -> Self {
        Self::new(const { Listed::whole(&SlotsBackend::<S>::NEW) }, params)
    }
}

impl<S: SlotsScheme> Backend for SlotsBackend<S> {
    fn scheme(&self) -> SchemeName {
        S::SCHEME
    }

    fn is_exact(&self) -> bool {
        S::IS_EXACT
    }

    fn viewed_columns(&self) -> ViewedColumns {
        if S::IS_EXACT { ViewedColumns::Real } else { ViewedColumns::All }
    }

    fn shares_search_of(&self) -> SchemeName {
        S::SEARCH
    }

    fn check(&self, literal: &ParamsLiteral, kernels: Kernels) -> Result<Arc<dyn Parameters>, String> {
        let params = S::read(literal, kernels)?;
        if params.row_slots().is_some() { Ok(Arc::new(params)) } else { Err(NO_SLOTS.to_owned()) }
    }

    fn schedule(
        &self,
        analysed: &Analysed<'_>,
        precision: Precision,
        params: &SchemeParams,
        hints: &ScheduleHints,
        prepared: &Prepared,
    ) -> Result<Circuit, GenerateError> {
        let params: &S = params.get().expect("a back-end is called with its own parameters");
        params.schedule(analysed, precision, hints, prepared)
    }

    fn bytes(&self, of: Scheduled<'_>, keys: &KeyLevels) -> u64 {
        let rlwe = of.own::<S>().rlwe();
        keys.bytes(rlwe) + cost::ciphertext_bytes(of.circuit, rlwe.ring_degree(), of.layout())
    }

    fn reading(&self, of: Scheduled<'_>) -> Reading {
        let (chunks, ring_degree) = (of.layout().chunks() as u64, of.own::<S>().rlwe().ring_degree());
        let mut reading = Reading::default();
        for at in of.circuit.input_steps() {
            let half = ((of.circuit.steps[at].level.0 + 1) * ring_degree) as u64;
            reading.held += chunks * (half + Seed::WORDS as u64);
            reading.expanded += chunks * half;
        }
        reading
    }

    fn result_bytes(&self, of: Scheduled<'_>) -> u64 {
        let (circuit, ring_degree) = (of.circuit, of.own::<S>().rlwe().ring_degree());
        let (steps, chunks) =
            (Contents::Outputs.steps(circuit), Contents::Outputs.chunks(circuit, of.layout()));
        let words = steps.iter().zip(chunks).map(|(&step, chunks)| {
            // Products are relinearised: two parts.
            2 * chunks * (circuit.steps[step].level.0 + 1) * ring_degree
        });
        (size_of::<u64>() * words.sum::<usize>()) as u64
    }

    fn log2_failure(&self, of: Scheduled<'_>) -> f64 {
        log2_failure(of.circuit, of.layout())
    }

    fn weights(&self, of: Scheduled<'_>) -> Vec<f64> {
        let (rlwe, layout) = (of.own::<S>().rlwe(), of.layout());
        let weight = |step| cost::step_work(of.circuit, step, S::SCHEME, rlwe, layout).in_transforms();
        of.circuit.steps.iter().map(weight).collect()
    }

    fn key_levels(&self, of: Scheduled<'_>) -> KeyLevels {
        let (params, steps) = (of.own::<S>(), &of.circuit.steps);
        let (rlwe, mut levels) = (params.rlwe(), KeyLevels::default());
        for Step { instruction, level, .. } in steps {
            match instruction {
                Op::Mul(a, _) | Op::Own(LevelOp::MulTo(a, ..)) => {
                    levels.add_relinearisation(rlwe, steps[*a].level);
                }
                Op::Functions(operands, _) => {
                    let highest = operands.iter().map(|&at| steps[at].level).max();
                    levels.add_relinearisations(rlwe, *level..=highest.unwrap_or(*level));
                }
                Op::Sum(_, factors) => {
                    let row = params.row_slots().expect("plans are of schemes with slots");
                    let trace = sum_trace(rlwe.ring_degree(), row, factors);
                    trace.elements().for_each(|g| levels.add_automorphism(rlwe, g, *level));
                }
                _ => {}
            }
        }
        params.add_bootstrapping(of, &mut levels);
        levels
    }

    fn errors(&self, of: Scheduled<'_>, publish: Option<u32>) -> Option<Vec<f64>> {
        of.own::<S>().errors(of, publish)
    }

    fn gaps(&self, analysed: &Analysed<'_>, precision: Precision) -> Vec<Option<f64>> {
        S::gaps(analysed, precision)
    }

    fn generate_keys_to(
        &self,
        of: Scheduled<'_>,
        levels: &KeyLevels,
        to: Destination<'_>,
        progress: Progress<'_>,
        sampler: &mut Sampler,
    ) -> Result<(DecryptionKey, EncryptionKey), BackendError> {
        keys::generate_to(&**of.params, levels, to, progress, sampler)
    }

    fn write_secret(
        &self,
        params: &SchemeParams,
        key: &DecryptionKey,
        to: Destination<'_>,
    ) -> Result<u64, FileError> {
        keys::write_secret(&**params, key, to)
    }

    fn read_secret(&self, params: &SchemeParams, from: Source<'_>) -> Result<DecryptionKey, FileError> {
        keys::read_secret(&**params, from)
    }

    fn has_public_key(&self) -> bool {
        true
    }

    fn write_public(
        &self,
        params: &SchemeParams,
        key: &EncryptionKey,
        to: Destination<'_>,
    ) -> Result<Option<u64>, FileError> {
        keys::write_public(&**params, key, to)
    }

    fn read_public(
        &self,
        params: &SchemeParams,
        from: Source<'_>,
    ) -> Result<Option<EncryptionKey>, FileError> {
        keys::read_public(&**params, from).map(Some)
    }

    fn encrypt(
        &self,
        of: Scheduled<'_>,
        key: &EncryptionKey,
        columns: &[InputColumn<'_>],
        samplers: Vec<Sampler>,
        done: Done<'_>,
    ) -> Result<Fresh, BackendError> {
        run::encrypt::<S>(of, key, columns, samplers, done)
    }

    fn decrypt(
        &self,
        of: Scheduled<'_>,
        ranges: &[&Range],
        secret: &DecryptionKey,
        results: &Ciphertexts,
        done: Done<'_>,
    ) -> Result<Opened, BackendError> {
        let (secret, values) = own::<S>(secret, results)?;
        of.own::<S>().open(of, ranges, secret, values, done)
    }

    fn publish(
        &self,
        of: Scheduled<'_>,
        all: &[Scheduled<'_>],
        secret: &DecryptionKey,
        results: &Ciphertexts,
        statistical_bits: u32,
        ordinal: Ordinal<'_>,
    ) -> Result<Published, BackendError> {
        let (secret, values) = own::<S>(secret, results)?;
        of.own::<S>().publish((of, all), secret, values, statistical_bits, ordinal)
    }

    fn check_noise(&self, of: Scheduled<'_>, reencryptions: Reencryptions) -> Result<(), SchemeError> {
        states(of.own::<S>(), of.circuit, of.layout(), Contents::Outputs, reencryptions).map(drop)
    }

    fn states_ciphertexts(&self) -> bool {
        true
    }

    fn read(&self, of: Scheduled<'_>, stated: Stated<'_>, file: &FileReader<'_>) -> Result<Fresh, FileError> {
        file::read::<S>(of, stated, file)
    }
}

impl<S: SlotsScheme> ServerBackend for SlotsBackend<S> {
    fn search(
        &self,
        request: &Request<'_>,
        shared: &mut Shared,
    ) -> Result<SearchResult<SchemeParams>, GenerateError> {
        S::search(request, shared).map(|found| found.map(Into::into))
    }

    fn seconds(&self, of: Scheduled<'_>, machine: &mut Machine) -> Result<f64, GenerateError> {
        let rlwe = of.own::<S>().rlwe();
        Ok(machine.seconds(cost::evaluation_work(of.circuit, S::SCHEME, rlwe, of.layout()), rlwe))
    }

    fn generate_keys(
        &self,
        of: Scheduled<'_>,
        levels: &KeyLevels,
        keeping: Keeping<'_>,
        sampler: &mut Sampler,
    ) -> Result<NewKeys, BackendError> {
        keys::generate(&**of.params, levels, keeping, sampler)
    }

    fn write_evaluation(
        &self,
        params: &SchemeParams,
        key: &EvaluationKey,
        to: Destination<'_>,
    ) -> Result<u64, FileError> {
        keys::write_evaluation(&**params, key, to)
    }

    fn read_evaluation(
        &self,
        params: &SchemeParams,
        levels: &KeyLevels,
        from: Source<'_>,
    ) -> Result<EvaluationKey, FileError> {
        keys::read_evaluation(&**params, levels, from)
    }

    fn open_evaluation(
        &self,
        params: &SchemeParams,
        levels: &KeyLevels,
        path: &Path,
    ) -> Result<EvaluationKey, FileError> {
        keys::open_evaluation(&**params, levels, path)
    }

    fn evaluate(
        &self,
        of: Scheduled<'_>,
        key: EvaluationKey,
        inputs: Ciphertexts,
        kept: Option<&Evaluation<'_>>,
        done: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<(Ciphertexts, Resumed), BackendError> {
        run::evaluate::<S>(of, &key, inputs, kept, done)
    }

    fn measure(
        &self,
        of: Scheduled<'_>,
        secret: &DecryptionKey,
        results: &Ciphertexts,
        columns: &[InputColumn<'_>],
    ) -> Result<f64, BackendError> {
        let (secret, values) = own::<S>(secret, results)?;
        of.own::<S>().measure(of, secret, values, columns)
    }

    fn reencrypt(
        &self,
        of: Scheduled<'_>,
        key: &ReencryptionKey,
        values: Ciphertexts,
        done: Done<'_>,
    ) -> Result<Ciphertexts, BackendError> {
        run::reencrypt::<S>(of, key, values, done)
    }
}

/// A secret key and ciphertexts of a scheme.
fn own<'a, S: SlotsScheme>(
    secret: &'a DecryptionKey,
    results: &'a Ciphertexts,
) -> Result<(&'a SecretKey, &'a AllCiphertexts<S>), BackendError> {
    secret.get().zip(results.get()).ok_or(BackendError::OtherScheme)
}
