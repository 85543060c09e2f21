//! From one key generation to the next: ciphertexts under old keys become ciphertexts under new ones, without a secret key.

use std::path::Path;

use asanoha_backends::{Contents, DecryptionKey, Progress, Reencryptions};
use asanoha_compile::{Instruction, LevelOp, Op};
use asanoha_lattice::{Destination, FileError, KeyId, RlweParams, SecretKey, Source};
use asanoha_ring::Sampler;
use asanoha_scheme::SchemeError;
use thiserror::Error;

use super::{ExecuteError, encrypted::Encrypted, progress::Parts};
use crate::{
    advice::{Advice, Advised},
    plan::Plan,
};

/// How often the inputs and the results of one computation may be re-encrypted together.
pub const MOST_REENCRYPTIONS: u32 = 8;

/// Refuses counts that no file of a plan's inputs or results can have.
///
/// # Errors
/// [`ReencryptionError::Unsupported`], [`ReencryptionError::TooMany`], [`ReencryptionError::Fitted`], and inputs with
/// re-encrypted results.
pub(super) fn check_counts(
    plan: &Plan,
    counts: Reencryptions,
    contents: Contents,
) -> Result<(), ReencryptionError> {
    if counts.is_none() {
        return Ok(());
    }
    ring(plan)?;
    let results = if contents == Contents::Inputs { 0 } else { MOST_REENCRYPTIONS };
    let all = counts.inputs.saturating_add(counts.results);
    if counts.results > results || all > MOST_REENCRYPTIONS {
        return Err(ReencryptionError::TooMany);
    }
    let fitted = |instruction: &Instruction| {
        matches!(instruction, Op::AbsorbNoise { .. } | Op::Own(LevelOp::Bootstrap(_)))
    };
    if counts.inputs > 0 && plan.circuit.any(fitted) { Err(ReencryptionError::Fitted) } else { Ok(()) }
}

/// Why ciphertexts can't be re-encrypted, or re-encrypted ones can't be used.
#[derive(Debug, Error)]
pub enum ReencryptionError {
    /// A scheme or parameters without a key for it.
    #[error("{0} can't be re-encrypted under new keys")]
    Unsupported(String),
    /// A secret key for its own key generation.
    #[error("the old and the new keys are of one key generation, {0}")]
    SameKeys(KeyId),
    /// Ciphertexts that are under the new keys.
    #[error("the ciphertexts are under key generation {0} already, to which the re-encryption key leads")]
    Already(KeyId),
    /// Ciphertexts of another key generation.
    #[error(
        "the re-encryption key takes ciphertexts of key generation {from}, and these are of {ciphertexts}"
    )]
    OtherKeys {
        /// The key generation that the key takes.
        from: KeyId,
        /// The ciphertexts' key generation.
        ciphertexts: KeyId,
    },
    /// Too many.
    #[error("inputs and results can be re-encrypted {MOST_REENCRYPTIONS} times together and no more")]
    TooMany,
    /// Noise that the plan has no room for.
    #[error("the plan has no bits left for the noise of {what}: {error}")]
    NoRoom {
        /// What would have it.
        what: &'static str,
        /// What doesn't fit.
        error: Box<SchemeError>,
    },
    /// A circuit that was fitted to the noise of fresh inputs.
    #[error(
        "the plan compares or bootstraps approximate numbers, by what it knows of the noise of fresh inputs, and re-encrypted ones have more"
    )]
    Fitted,
    /// Results for others than the key's holder.
    #[error(
        "approximate results of re-encrypted ciphertexts can't be published: what they tell of the old secret key was counted beside that key"
    )]
    Published,
}

impl Advised for ReencryptionError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Unsupported(_) | Self::TooMany | Self::Fitted | Self::NoRoom { .. } => {
                vec![Advice::EncryptAgain]
            }
            Self::Published => vec![Advice::PublishOld, Advice::EncryptAgain],
            Self::SameKeys(_) | Self::Already(_) => Vec::new(),
            Self::OtherKeys { .. } => vec![Advice::ReencryptingKeys],
        }
    }
}

/// A public key that re-encrypts the inputs and results of plans of some parameters.
#[derive(Clone, Debug)]
pub struct ReencryptionKey(asanoha_lattice::ReencryptionKey);

/// The ring of a plan whose ciphertexts can be re-encrypted.
fn ring(plan: &Plan) -> Result<&RlweParams, ReencryptionError> {
    let unsupported = |of: &str| ReencryptionError::Unsupported(format!("ciphertexts of {of}"));
    let scheme = || unsupported(&plan.params.scheme().to_string().to_uppercase());
    let rlwe = plan.params.rlwe().ok_or_else(scheme)?;
    if rlwe.literal().digits == 0 {
        return Err(unsupported("a plan without key switching"));
    }
    Ok(rlwe)
}

impl ReencryptionKey {
    /// Refuses a plan whose ciphertexts can't be re-encrypted.
    ///
    /// # Errors
    /// [`ReencryptionError::Unsupported`].
    pub fn check(plan: &Plan) -> Result<(), ReencryptionError> {
        ring(plan).map(|_| ())
    }

    /// Generates the key from one secret key to another, both made for the parameters of a plan.
    ///
    /// # Errors
    /// [`ReencryptionError::Unsupported`], [`ReencryptionError::SameKeys`], and keys of other parameters.
    pub fn generate(
        plan: &Plan,
        from: &DecryptionKey,
        to: &DecryptionKey,
        sampler: &mut Sampler,
    ) -> Result<Self, ExecuteError> {
        let rlwe = ring(plan)?;
        let (Some(from), Some(to)) = (from.get::<SecretKey>(), to.get::<SecretKey>()) else {
            return Err(ExecuteError::OtherScheme);
        };
        [from, to].iter().try_for_each(|key| key.check(rlwe)).map_err(SchemeError::from)?;
        if from.id() == to.id() {
            return Err(ReencryptionError::SameKeys(to.id()).into());
        }
        let mut sampler = sampler.branch("re-encryption", &[plan.params.digest().as_bytes()]);
        Ok(Self(asanoha_lattice::ReencryptionKey::generate(rlwe, from, to, &mut sampler)))
    }

    /// The key generation of the ciphertexts that it takes.
    pub fn from(&self) -> KeyId {
        self.0.from()
    }

    /// The key generation of the ciphertexts that it gives.
    pub fn to(&self) -> KeyId {
        self.0.to()
    }

    /// Writes the key to a file or to memory; the length.
    ///
    /// # Errors
    /// What the operating system says, and a key of other parameters than the plan's.
    pub fn write<'d>(&self, plan: &Plan, to: impl Into<Destination<'d>>) -> Result<u64, FileError> {
        self.0.write_for(ring_of_file(plan)?, plan.params.digest(), to)
    }

    /// Reads a key of a plan's parameters.
    ///
    /// # Errors
    /// What is damaged, or of other parameters.
    pub fn read<'s>(plan: &Plan, from: impl Into<Source<'s>>) -> Result<Self, FileError> {
        let rlwe = ring_of_file(plan)?;
        asanoha_lattice::ReencryptionKey::read_for(rlwe, plan.params.digest(), from).map(Self)
    }
}

fn ring_of_file(plan: &Plan) -> Result<&RlweParams, FileError> {
    ring(plan).map_err(|error| FileError::content(Path::new("re-encryption key"), error.to_string()))
}

/// Refuses ciphertexts with more noise than a plan has room for: re-encrypted inputs of which the results wouldn't decrypt, and
/// re-encrypted results that wouldn't.
///
/// # Errors
/// Those of [`check_counts`], and [`ReencryptionError::NoRoom`].
pub(super) fn check_room(plan: &Plan, reencryptions: Reencryptions) -> Result<(), ReencryptionError> {
    if reencryptions.is_none() {
        return Ok(());
    }
    check_counts(plan, reencryptions, Contents::Outputs)?;
    let checked = plan.params.backend().check_noise(plan.scheduled(), reencryptions);
    let of_results = reencryptions.results > 0;
    let what = if of_results { "re-encrypted results" } else { "re-encrypted inputs" };
    checked.map_err(|error| ReencryptionError::NoRoom { what, error: Box::new(error) })
}

/// Re-encrypts the inputs or the results of a plan, ciphertext by ciphertext, and reports how many values are done. It needs no
/// secret key. The numbers in them stay the same; noise and error bounds grow by one key switch.
///
/// # Errors
/// Ciphertexts of another key generation than the key takes, too many re-encryptions, noise that doesn't fit, and
/// [`ExecuteError::Stopped`].
pub fn reencrypt(
    plan: &Plan,
    key: &ReencryptionKey,
    contents: Contents,
    encrypted: Encrypted,
    progress: Progress,
) -> Result<Encrypted, ExecuteError> {
    ring(plan)?;
    let parts = &Parts::begin(encrypted.values.len(), progress)?;
    if encrypted.key == key.to() {
        return Err(ReencryptionError::Already(key.to()).into());
    }
    if encrypted.key != key.from() {
        let error = ReencryptionError::OtherKeys { from: key.from(), ciphertexts: encrypted.key };
        return Err(error.into());
    }
    let reencryptions = encrypted.reencryptions.once_more(contents);
    check_room(plan, reencryptions)?;
    let (backend, done) = (plan.params.backend(), || parts.finish_one());
    let values = backend.reencrypt(plan.scheduled(), &key.0, encrypted.values, &done)?;
    let seeded = encrypted.seeded || key.0.is_seeded();
    Ok(Encrypted { key: key.to(), seeded, reencryptions, values, seeds: Vec::new(), ..encrypted })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        data::{Column, ColumnValues, Schema, Table},
        plan::{Scheme, Wishes, choose},
        program::Program,
    };

    fn plan(text: &str) -> Plan {
        let values = ColumnValues::Real(vec![-1.0, 0.5, 1.0]);
        let table = Table { columns: vec![Column { name: "x".to_owned(), values }], rows: 3 };
        let schema = Schema::from_table(&table, &[]).unwrap();
        let wishes = Wishes { scheme: Some(Scheme::Ckks), ..Wishes::default() };
        choose(&Program::parse(text).unwrap(), &schema, &wishes).unwrap().into_plan(&wishes).unwrap()
    }

    #[test]
    fn circuits_that_were_fitted_to_fresh_noise_take_no_reencrypted_inputs() {
        let (inputs, results) =
            (Reencryptions { inputs: 1, results: 0 }, Reencryptions { inputs: 0, results: 1 });
        let compared = plan("y = x > 0.25");
        for contents in [Contents::Inputs, Contents::Outputs] {
            assert!(matches!(check_counts(&compared, inputs, contents), Err(ReencryptionError::Fitted)));
        }
        assert!(matches!(check_room(&compared, inputs), Err(ReencryptionError::Fitted)));
        // The noise of their results is known.
        assert!(check_counts(&compared, results, Contents::Outputs).is_ok());
        let squared = plan("y = x * x");
        assert!(
            check_counts(&squared, inputs, Contents::Inputs).is_ok() && check_room(&squared, inputs).is_ok()
        );
        assert!(matches!(check_counts(&squared, results, Contents::Inputs), Err(ReencryptionError::TooMany)));
    }
}
