//! The back-end of TFHE.

use std::{ops::ControlFlow, path::Path, sync::Arc};

use asanoha_compile::{Circuit, Prepared};
use asanoha_kernels::Backend as Kernels;
use asanoha_lang::{Analysed, Range, Shape};
use asanoha_lattice::{Destination, FileError, FileReader, KeyLevels, Source};
use asanoha_numeric::precision::Precision;
use asanoha_ring::{Sampler, Seed};
use asanoha_tfhe::{TfheLiteral, TfheParams};

use crate::backend::{Backend, Listed, Request, Scheduled, SchemeParams, ServerBackend};
use crate::backend_error::BackendError;
use crate::checkpoints::{Evaluation, Resumed};
use crate::ciphertexts::{Ciphertexts, Fresh, Stated};
use crate::column::InputColumn;
use crate::contents::Contents;
use crate::done::{Done, Progress};
use crate::error::GenerateError;
use crate::failure_bits::LEAST_DEFAULT_FAILURE_BITS;
use crate::hints::{ScheduleHints, SearchResult};
use crate::keys::{DecryptionKey, EncryptionKey, EvaluationKey, Keeping, NewKeys};
use crate::literal::ParamsLiteral;
use crate::machine::Machine;
use crate::opened::Opened;
use crate::params::Parameters;
use crate::reading::Reading;
use crate::scheme_name::SchemeName;
use crate::shared::Shared;
use crate::tfhe::search::{generate_tfhe, schedule_tfhe_at};
use crate::tfhe::{bootstraps, file, keys, run};

/// The back-end of TFHE.
#[derive(Debug)]
pub(crate) struct TfheBackend;

impl From<TfheParams> for SchemeParams {
    fn from(params: TfheParams) -> Self {
        Self::new(Listed::whole(&TfheBackend), params)
    }
}

impl Backend for TfheBackend {
    fn scheme(&self) -> SchemeName {
        SchemeName::Tfhe
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn check(&self, literal: &ParamsLiteral, kernels: Kernels) -> Result<Arc<dyn Parameters>, String> {
        let params = literal.read::<TfheLiteral>()?.check(kernels).map_err(|error| error.to_string())?;
        Ok(Arc::new(params))
    }

    fn schedule(
        &self,
        analysed: &Analysed<'_>,
        _: Precision,
        params: &SchemeParams,
        hints: &ScheduleHints,
        _: &Prepared,
    ) -> Result<Circuit, GenerateError> {
        schedule_tfhe_at(analysed, own(params), hints)
    }

    fn bytes(&self, of: Scheduled<'_>, _: &KeyLevels) -> u64 {
        bootstraps::bytes(of.circuit, of.own(), of.rows)
    }

    fn reading(&self, of: Scheduled<'_>) -> Reading {
        let params: &TfheParams = of.own();
        let mut reading = Reading::default();
        for at in of.circuit.input_steps() {
            let digits = of.rows as u64 * of.circuit.steps[at].width.map_or(0, |width| width.blocks);
            reading.held += digits * (Seed::WORDS as u64 + 1);
            reading.expanded += digits * (params.ciphertext_words() as u64 - 1);
        }
        reading
    }

    fn result_bytes(&self, of: Scheduled<'_>) -> u64 {
        let (circuit, words) = (of.circuit, own(of.params).ciphertext_words() as u64);
        let (steps, rows) =
            (Contents::Outputs.steps(circuit), Contents::Outputs.chunks(circuit, of.layout()));
        let digits = |step: usize| circuit.steps[step].width.map_or(0, |width| width.blocks);
        let digits: u64 = steps.into_iter().zip(rows).map(|(step, rows)| rows as u64 * digits(step)).sum();
        size_of::<u64>() as u64 * words * digits
    }

    /// By the union of all bootstrappings.
    fn log2_failure(&self, of: Scheduled<'_>) -> f64 {
        let params: &TfheParams = of.own();
        bootstraps::count(of.circuit, of.rows).max(1.0).log2() + params.literal().log2_failure
    }

    /// Each bootstrapping may fail with 2^−128, so that two together promise less.
    fn default_failure_bits(&self) -> u32 {
        LEAST_DEFAULT_FAILURE_BITS
    }

    fn weights(&self, of: Scheduled<'_>) -> Vec<f64> {
        let rows = |shape| if shape == Shape::Column { of.rows } else { 1 };
        let steps = of.circuit.steps.iter();
        steps.map(|step| (step.bootstraps.unwrap_or(0) * rows(step.shape)) as f64).collect()
    }

    /// One of bootstrapping and one of key switching.
    fn key_count(&self, _: &KeyLevels) -> usize {
        2
    }

    fn bootstraps(&self, of: Scheduled<'_>) -> Option<f64> {
        Some(bootstraps::count(of.circuit, of.rows))
    }

    fn generate_keys_to(
        &self,
        of: Scheduled<'_>,
        _: &KeyLevels,
        to: Destination<'_>,
        progress: Progress<'_>,
        sampler: &mut Sampler,
    ) -> Result<(DecryptionKey, EncryptionKey), BackendError> {
        keys::generate_to(of.own(), to, progress, sampler)
    }

    fn write_secret(
        &self,
        _: &SchemeParams,
        key: &DecryptionKey,
        to: Destination<'_>,
    ) -> Result<u64, FileError> {
        keys::write_secret(key, to)
    }

    fn read_secret(&self, params: &SchemeParams, from: Source<'_>) -> Result<DecryptionKey, FileError> {
        keys::read_secret(own(params), from)
    }

    fn encrypt(
        &self,
        of: Scheduled<'_>,
        key: &EncryptionKey,
        columns: &[InputColumn<'_>],
        samplers: Vec<Sampler>,
        done: Done<'_>,
    ) -> Result<Fresh, BackendError> {
        run::encrypt(of, key, columns, samplers, done)
    }

    fn decrypt(
        &self,
        of: Scheduled<'_>,
        _: &[&Range],
        secret: &DecryptionKey,
        results: &Ciphertexts,
        done: Done<'_>,
    ) -> Result<Opened, BackendError> {
        run::decrypt(of, secret, results, done)
    }

    fn read(&self, of: Scheduled<'_>, stated: Stated<'_>, file: &FileReader<'_>) -> Result<Fresh, FileError> {
        file::read(of, stated, file)
    }
}

impl ServerBackend for TfheBackend {
    fn search(
        &self,
        request: &Request<'_>,
        _: &mut Shared,
    ) -> Result<SearchResult<SchemeParams>, GenerateError> {
        let &Request { analysed, security, kernels, threads, progress, .. } = request;
        generate_tfhe(analysed, security, kernels, threads, progress).map(|found| found.map(Into::into))
    }

    fn seconds(&self, of: Scheduled<'_>, machine: &mut Machine) -> Result<f64, GenerateError> {
        let seconds = match machine.stated_bootstrapping_s() {
            Some(stated) => stated,
            None => {
                bootstraps::bootstrap_seconds(of.own(), machine.kernels).map_err(GenerateError::Refused)?
            }
        };
        Ok(seconds * bootstraps::count(of.circuit, of.rows) / machine.threads as f64)
    }

    fn generate_keys(
        &self,
        of: Scheduled<'_>,
        _: &KeyLevels,
        keeping: Keeping<'_>,
        sampler: &mut Sampler,
    ) -> Result<NewKeys, BackendError> {
        keys::generate(of.own(), keeping, sampler)
    }

    fn write_evaluation(
        &self,
        _: &SchemeParams,
        key: &EvaluationKey,
        to: Destination<'_>,
    ) -> Result<u64, FileError> {
        keys::write_evaluation(key, to)
    }

    fn read_evaluation(
        &self,
        params: &SchemeParams,
        _: &KeyLevels,
        from: Source<'_>,
    ) -> Result<EvaluationKey, FileError> {
        keys::read_evaluation(own(params), from)
    }

    fn open_evaluation(
        &self,
        params: &SchemeParams,
        _: &KeyLevels,
        path: &Path,
    ) -> Result<EvaluationKey, FileError> {
        keys::open_evaluation(own(params), path)
    }

    fn evaluate(
        &self,
        of: Scheduled<'_>,
        key: EvaluationKey,
        inputs: Ciphertexts,
        kept: Option<&Evaluation<'_>>,
        done: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<(Ciphertexts, Resumed), BackendError> {
        run::evaluate(of, &key, inputs, kept, done)
    }

    fn measure(
        &self,
        _: Scheduled<'_>,
        secret: &DecryptionKey,
        results: &Ciphertexts,
        _: &[InputColumn<'_>],
    ) -> Result<f64, BackendError> {
        run::measure(secret, results)
    }
}

/// The parameters of TFHE.
fn own(params: &SchemeParams) -> &TfheParams {
    params.get().expect("a back-end is called with its own parameters")
}
