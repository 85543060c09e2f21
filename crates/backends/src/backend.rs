//! What a scheme does for programs.

use std::{
    any::Any,
    fmt::Debug,
    num::NonZeroU64,
    ops::{ControlFlow, Deref},
    path::Path,
    sync::Arc,
};

use asanoha_compile::{Circuit, Layout, Prepared, ViewedColumns};
use asanoha_kernels::Backend as Kernels;
use asanoha_lang::{Analysed, Range};
use asanoha_lattice::{Destination, FileError, FileReader, KeyLevels, ReencryptionKey, Source};
use asanoha_numeric::precision::Precision;
use asanoha_ring::Sampler;
use asanoha_scheme::SchemeError;

use crate::backend_error::BackendError;
use crate::checkpoints::{Evaluation, Resumed};
use crate::ciphertexts::{Ciphertexts, Fresh, Stated};
use crate::column::InputColumn;
use crate::done::{Done, Progress};
use crate::error::GenerateError;
use crate::failure_bits::DEFAULT_FAILURE_BITS;
use crate::hints::{ScheduleHints, SearchResult};
use crate::keys::{DecryptionKey, EncryptionKey, EvaluationKey, Keeping, NewKeys};
use crate::literal::ParamsLiteral;
use crate::machine::Machine;
use crate::opened::{Opened, Published};
use crate::params::Parameters;
use crate::progress::SearchProgress;
use crate::reading::Reading;
use crate::reencryptions::Reencryptions;
use crate::scheme_name::SchemeName;
use crate::shared::Shared;

/// A scheme that programs run on. Each is a folder of this crate and an entry of [`BACKENDS`](crate::BACKENDS), or a type of another
/// crate's that the planner is given.
///
/// Exact back-ends get programs in whole numbers, the others programs as they are.
pub trait Backend: Debug + Sync {
    /// The scheme's name: as in files, and where a user asks for it.
    fn scheme(&self) -> SchemeName;

    /// Whether results are exact. Approximate results have a bound of their errors ([`Backend::errors`]).
    fn is_exact(&self) -> bool;

    /// The scheme whose search has much in common with this one's: they run one after another, and share what they make.
    fn shares_search_of(&self) -> SchemeName {
        self.scheme()
    }

    /// The columns whose conditions the client computes.
    fn viewed_columns(&self) -> ViewedColumns {
        ViewedColumns::All
    }

    /// Checks parameters on which programs can run.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    fn check(&self, literal: &ParamsLiteral, kernels: Kernels) -> Result<Arc<dyn Parameters>, String>;

    /// The schedule of a program at parameters that a search found, or others: a function of its arguments and of nothing else.
    /// Schedules share the tables in `prepared`.
    ///
    /// # Errors
    /// What the parameters can't compute to the precision.
    fn schedule(
        &self,
        analysed: &Analysed<'_>,
        precision: Precision,
        params: &SchemeParams,
        hints: &ScheduleHints,
        prepared: &Prepared,
    ) -> Result<Circuit, GenerateError>;

    /// The bytes of evaluation keys and ciphertexts in memory; `keys` are those of [`Backend::key_levels`] for all numbers of rows.
    fn bytes(&self, of: Scheduled<'_>, keys: &KeyLevels) -> u64;

    /// The words of the encrypted inputs.
    fn reading(&self, of: Scheduled<'_>) -> Reading;

    /// The bytes of a file of results, but for its header.
    fn result_bytes(&self, of: Scheduled<'_>) -> u64;

    /// log2 of a bound on the probability that a run gives a wrong result.
    fn log2_failure(&self, of: Scheduled<'_>) -> f64;

    /// The bits that a plan promises against failure if nothing else is asked for and it keeps them.
    fn default_failure_bits(&self) -> u32 {
        DEFAULT_FAILURE_BITS
    }

    /// What each step is predicted to take, in some unit.
    fn weights(&self, of: Scheduled<'_>) -> Vec<f64>;

    /// The keys that an evaluation needs, up to the levels where it does, in schemes whose keys have levels.
    fn key_levels(&self, _of: Scheduled<'_>) -> KeyLevels {
        KeyLevels::default()
    }

    /// The number of keys that an evaluation needs, of which these have levels.
    fn key_count(&self, levels: &KeyLevels) -> usize {
        levels.iter().len()
    }

    /// The bootstrappings of a run, in schemes whose failures are counted by them.
    fn bootstraps(&self, _of: Scheduled<'_>) -> Option<f64> {
        None
    }

    /// A bound on the error of every output, in approximate schemes; of results that are published first under a key with so many bits
    /// of statistical security, if any.
    fn errors(&self, _of: Scheduled<'_>, _publish: Option<u32>) -> Option<Vec<f64>> {
        None
    }

    /// For every operation of a program, how far numbers have to be apart to be told apart, where it's an approximate comparison of
    /// numbers that may be nearer to each other.
    fn gaps(&self, analysed: &Analysed<'_>, _precision: Precision) -> Vec<Option<f64>> {
        vec![None; analysed.program().nodes().len()]
    }

    /// Generates the keys of a schedule, of which those with levels are `levels`; the evaluation keys are written to a file or to memory,
    /// in the form of [`ServerBackend::write_evaluation`]. `sampler` is for nothing else.
    ///
    /// # Errors
    /// What the operating system says, and [`BackendError::Stopped`].
    fn generate_keys_to(
        &self,
        of: Scheduled<'_>,
        levels: &KeyLevels,
        to: Destination<'_>,
        progress: Progress<'_>,
        sampler: &mut Sampler,
    ) -> Result<(DecryptionKey, EncryptionKey), BackendError>;

    /// Writes a secret key, and returns the length.
    ///
    /// # Errors
    /// A key of another scheme, and what the operating system says.
    fn write_secret(
        &self,
        params: &SchemeParams,
        key: &DecryptionKey,
        to: Destination<'_>,
    ) -> Result<u64, FileError>;

    /// Reads a secret key.
    ///
    /// # Errors
    /// What is damaged, or of other parameters.
    fn read_secret(&self, params: &SchemeParams, from: Source<'_>) -> Result<DecryptionKey, FileError>;

    /// Whether a public key encrypts; otherwise the secret key does.
    fn has_public_key(&self) -> bool {
        false
    }

    /// Writes a key if it's public, and returns the length.
    ///
    /// # Errors
    /// What the operating system says.
    fn write_public(
        &self,
        _params: &SchemeParams,
        _key: &EncryptionKey,
        _to: Destination<'_>,
    ) -> Result<Option<u64>, FileError> {
        Ok(None)
    }

    /// Reads a public key; `None` in schemes that have none, where the secret key encrypts.
    ///
    /// # Errors
    /// What is damaged, or of other parameters.
    fn read_public(
        &self,
        _params: &SchemeParams,
        _from: Source<'_>,
    ) -> Result<Option<EncryptionKey>, FileError> {
        Ok(None)
    }

    /// Encrypts columns, each from a stream of its own.
    ///
    /// # Errors
    /// A key of another scheme, columns that aren't whole where they have to be, and [`BackendError::Stopped`].
    fn encrypt(
        &self,
        of: Scheduled<'_>,
        key: &EncryptionKey,
        columns: &[InputColumn<'_>],
        samplers: Vec<Sampler>,
        done: Done<'_>,
    ) -> Result<Fresh, BackendError>;

    /// Decrypts results, each of which the program gives in one of the ranges.
    ///
    /// # Errors
    /// Keys or ciphertexts of another scheme, what doesn't decrypt, and [`BackendError::Stopped`].
    fn decrypt(
        &self,
        of: Scheduled<'_>,
        ranges: &[&Range],
        secret: &DecryptionKey,
        results: &Ciphertexts,
        done: Done<'_>,
    ) -> Result<Opened, BackendError>;

    /// Decrypts results for others than the key's holder, with so many bits of statistical security, in approximate schemes: exact results
    /// have nothing to hide. The noise is that of any schedule in `all`. `ordinal` counts a ciphertext's publication by its name.
    ///
    /// # Errors
    /// Those of [`Backend::decrypt`] and of `ordinal`.
    fn publish(
        &self,
        _of: Scheduled<'_>,
        _all: &[Scheduled<'_>],
        _secret: &DecryptionKey,
        _results: &Ciphertexts,
        _statistical_bits: u32,
        _ordinal: Ordinal<'_>,
    ) -> Result<Published, BackendError> {
        Err(BackendError::OtherScheme)
    }

    /// Refuses ciphertexts that have too much noise after some re-encryptions.
    ///
    /// # Errors
    /// What doesn't fit.
    fn check_noise(&self, _of: Scheduled<'_>, _reencryptions: Reencryptions) -> Result<(), SchemeError> {
        Ok(())
    }

    /// Whether a file says something of every ciphertext ([`EncryptedValues::stated`](crate::EncryptedValues::stated)).
    fn states_ciphertexts(&self) -> bool {
        false
    }

    /// Reads what [`EncryptedValues::put`](crate::EncryptedValues::put) wrote, and the seeds in it. Noise, levels, scales and bounds are what
    /// the schedule gives, and a file that states others is refused.
    ///
    /// # Errors
    /// What is damaged, or isn't of the schedule.
    fn read(&self, of: Scheduled<'_>, stated: Stated<'_>, file: &FileReader<'_>) -> Result<Fresh, FileError>;
}

/// What planning and evaluation need of a scheme besides. A program that only has clients links none of it, and is smaller.
pub trait ServerBackend: Backend {
    /// Finds the smallest parameters that compute a program, and a schedule.
    ///
    /// # Errors
    /// Why there are none.
    fn search(
        &self,
        request: &Request<'_>,
        shared: &mut Shared,
    ) -> Result<SearchResult<SchemeParams>, GenerateError>;

    /// The seconds that an evaluation is predicted to take.
    ///
    /// # Errors
    /// Parameters that can't be measured.
    fn seconds(&self, of: Scheduled<'_>, machine: &mut Machine) -> Result<f64, GenerateError>;

    /// As [`Backend::generate_keys_to`], bit for bit, but the evaluation keys stay in memory or in a file of a folder.
    ///
    /// # Errors
    /// What the operating system says, and [`BackendError::Stopped`].
    fn generate_keys(
        &self,
        of: Scheduled<'_>,
        levels: &KeyLevels,
        keeping: Keeping<'_>,
        sampler: &mut Sampler,
    ) -> Result<NewKeys, BackendError>;

    /// Writes evaluation keys, and returns the length.
    ///
    /// # Errors
    /// Keys of another scheme or that can't be written, and what the operating system says.
    fn write_evaluation(
        &self,
        params: &SchemeParams,
        key: &EvaluationKey,
        to: Destination<'_>,
    ) -> Result<u64, FileError>;

    /// Reads evaluation keys into memory, of which those with levels are at least `levels`.
    ///
    /// # Errors
    /// What is damaged, of other parameters, or lacks a key.
    fn read_evaluation(
        &self,
        params: &SchemeParams,
        levels: &KeyLevels,
        from: Source<'_>,
    ) -> Result<EvaluationKey, FileError>;

    /// As [`ServerBackend::read_evaluation`], of keys that stay in their file and are read while they're used.
    ///
    /// # Errors
    /// Those of [`ServerBackend::read_evaluation`].
    fn open_evaluation(
        &self,
        params: &SchemeParams,
        levels: &KeyLevels,
        path: &Path,
    ) -> Result<EvaluationKey, FileError>;

    /// Evaluates a schedule on encrypted columns, from what is kept of an earlier evaluation, if anything. `done` hears how many steps are
    /// done.
    ///
    /// # Errors
    /// Keys or ciphertexts of another scheme, a missing key, and [`BackendError::Stopped`].
    fn evaluate(
        &self,
        of: Scheduled<'_>,
        key: EvaluationKey,
        inputs: Ciphertexts,
        kept: Option<&Evaluation<'_>>,
        done: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<(Ciphertexts, Resumed), BackendError>;

    /// log2 of the noise of the noisiest result, with the data at hand.
    ///
    /// # Errors
    /// Keys or ciphertexts of another scheme, and what doesn't decrypt.
    fn measure(
        &self,
        of: Scheduled<'_>,
        secret: &DecryptionKey,
        results: &Ciphertexts,
        columns: &[InputColumn<'_>],
    ) -> Result<f64, BackendError>;

    /// Re-encrypts ciphertexts under new keys, in schemes on RLWE.
    ///
    /// # Errors
    /// Ciphertexts of another scheme, and [`BackendError::Stopped`].
    fn reencrypt(
        &self,
        _of: Scheduled<'_>,
        _key: &ReencryptionKey,
        _values: Ciphertexts,
        _done: Done<'_>,
    ) -> Result<Ciphertexts, BackendError> {
        Err(BackendError::OtherScheme)
    }
}

/// Counts a publication by its name, and returns its ordinal under the key, from 1.
pub type Ordinal<'a> = &'a mut dyn FnMut([u8; 32]) -> Result<NonZeroU64, BackendError>;

/// What parameters are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The program on its data.
    pub analysed: &'a Analysed<'a>,
    /// The precision of results that aren't exact.
    pub precision: Precision,
    /// The bits of statistical security that results are to be published with, to the precision.
    pub publish: Option<u32>,
    /// The security in bits.
    pub security: u32,
    /// The kernels to plan for.
    pub kernels: Kernels,
    /// The threads to plan for.
    pub threads: usize,
    /// What the search says of what it has done, and is stopped by.
    pub progress: &'a SearchProgress,
}

/// A schedule with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Scheduled<'a> {
    /// The parameters.
    pub params: &'a SchemeParams,
    /// What the search chose besides.
    pub hints: &'a ScheduleHints,
    /// The schedule.
    pub circuit: &'a Circuit,
    /// The rows of columns.
    pub rows: usize,
}

impl<'a> Scheduled<'a> {
    /// The back-end of the parameters.
    pub fn backend(&self) -> &'static dyn Backend {
        self.params.backend()
    }

    /// Where ciphertexts hold rows.
    pub fn layout(&self) -> Layout {
        Layout::new(self.rows, self.params.slots())
    }

    /// The parameters of a back-end that made them.
    ///
    /// # Panics
    /// If they're of another.
    pub fn own<P: Parameters>(&self) -> &'a P {
        self.params.get().expect("a back-end is called with its own parameters")
    }
}

/// A back-end of a list: for clients alone, or for all.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    backend: &'static dyn Backend,
    server: Option<&'static dyn ServerBackend>,
}

impl Listed {
    /// A back-end that does everything.
    pub const fn whole<B: ServerBackend>(backend: &'static B) -> Self {
        Self { backend, server: Some(backend) }
    }

    /// A back-end of clients.
    pub const fn client(backend: &'static dyn Backend) -> Self {
        Self { backend, server: None }
    }

    /// What planning and evaluation need.
    ///
    /// # Panics
    /// If it's one of clients: programs that read plans for clients don't plan and don't evaluate.
    pub fn server(self) -> &'static dyn ServerBackend {
        self.server.expect("a back-end of clients neither plans nor evaluates")
    }

    /// Checks parameters on which programs can run.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub fn check(self, literal: &ParamsLiteral, kernels: Kernels) -> Result<SchemeParams, String> {
        Ok(SchemeParams { listed: self, params: self.backend.check(literal, kernels)? })
    }
}

impl Deref for Listed {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        self.backend
    }
}

/// Checked parameters of one scheme or another, with its back-end. Clones share them.
#[derive(Clone, Debug)]
pub struct SchemeParams {
    listed: Listed,
    params: Arc<dyn Parameters>,
}

impl SchemeParams {
    /// Parameters of a back-end.
    pub fn new(listed: Listed, params: impl Parameters) -> Self {
        Self { listed, params: Arc::new(params) }
    }

    /// The back-end with what planning and evaluation need, if it has that.
    pub fn listed(&self) -> Listed {
        self.listed
    }

    /// The back-end.
    pub fn backend(&self) -> &'static dyn Backend {
        self.listed.backend
    }

    /// What planning and evaluation need.
    ///
    /// # Panics
    /// If the parameters were read for clients ([`Listed::server`]).
    pub fn server(&self) -> &'static dyn ServerBackend {
        self.listed.server()
    }

    /// The scheme.
    pub fn scheme(&self) -> SchemeName {
        self.listed.scheme()
    }

    /// The parameters of a scheme, if they are of it.
    pub fn get<P: Parameters>(&self) -> Option<&P> {
        (&*self.params as &dyn Any).downcast_ref()
    }
}

impl Deref for SchemeParams {
    type Target = dyn Parameters;

    fn deref(&self) -> &Self::Target {
        &*self.params
    }
}
