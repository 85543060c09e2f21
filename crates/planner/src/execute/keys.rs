//! The keys of a plan, in memory and in files.

use std::{io::ErrorKind, path::Path, sync::Arc};

use asanoha_lattice::{
    EvaluationKeys, FileError, FileHeader, FileProblem, FileReader, PublicKey, RlweParams, SecretKey,
};
use asanoha_ring::Sampler;

use super::record;
use crate::plan::Plan;

/// Names of the files of a key directory.
pub(super) const SECRET_FILE: &str = "secret.safetensors";
const PUBLIC_FILE: &str = "public.safetensors";
const EVALUATION_FILE: &str = "evaluation.safetensors";

/// The keys of a plan.
#[derive(Debug)]
pub struct Keys {
    /// The secret: absent where only the server's part was read.
    pub secret: Option<SecretKey>,
    /// For encryption.
    pub public: PublicKey,
    /// For evaluation.
    pub evaluation: Arc<EvaluationKeys>,
}

/// Generates the keys of a plan: exactly those that its schedule needs, up to the levels where it does.
pub fn generate_keys(plan: &Plan, sampler: &mut Sampler) -> Keys {
    let (secret, public, mut sampler) = secret_and_public(plan, sampler);
    let evaluation =
        EvaluationKeys::generate_levels(plan.params.rlwe(), &secret, &plan.key_levels(), &mut sampler);
    Keys { secret: Some(secret), public, evaluation: Arc::new(evaluation) }
}

/// As [`generate_keys`], bit by bit, but with little memory: the evaluation keys are in a file of a folder, which
/// has no name, which nobody else can read, and which goes with them.
///
/// # Errors
/// What the operating system says, under the folder's name.
pub fn generate_stored_keys(plan: &Plan, folder: &Path, sampler: &mut Sampler) -> Result<Keys, FileError> {
    let (secret, public, mut sampler) = secret_and_public(plan, sampler);
    let place = (plan.params.digest(), folder);
    let rlwe = plan.params.rlwe();
    let evaluation = EvaluationKeys::generate_stored(rlwe, &secret, &plan.key_levels(), &mut sampler, place)?;
    Ok(Keys { secret: Some(secret), public, evaluation: Arc::new(evaluation) })
}

/// The first two keys of a plan, and the randomness of the others.
fn secret_and_public(plan: &Plan, sampler: &mut Sampler) -> (SecretKey, PublicKey, Sampler) {
    let rlwe = plan.params.rlwe();
    let (params, digest) = (plan.params.digest(), plan.digest());
    let mut sampler = sampler.branch("keys", &[params.as_bytes(), digest.as_bytes()]);
    let secret = SecretKey::generate(rlwe, &mut sampler);
    let public = PublicKey::generate(rlwe, &secret, &mut sampler);
    (secret, public, sampler)
}

impl Keys {
    /// The name of the record of publications ([`super::PublicationRecord`]), which is written beside the secret key.
    pub const RECORD: &str = record::RECORD_FILE;

    /// The names of the files in a folder of keys, the secret's first.
    pub const FILES: [&str; 3] = [SECRET_FILE, PUBLIC_FILE, EVALUATION_FILE];

    /// Writes the keys to a folder, the secret to a file that only its owner may read; the files' lengths.
    pub fn write(&self, plan: &Plan, folder: &Path) -> Result<Vec<(&'static str, u64)>, FileError> {
        let (rlwe, digest) = (plan.params.rlwe(), plan.params.digest());
        let mut files = Vec::new();
        if let Some(secret) = &self.secret {
            files.push((SECRET_FILE, secret.write(rlwe, digest, &folder.join(SECRET_FILE))?));
            let recorded = record::create(folder, secret).map_err(|error| FileError {
                path: error.path,
                problem: FileProblem::Content(error.problem.to_string()),
            });
            files.push((record::RECORD_FILE, recorded?));
        }
        files.push((PUBLIC_FILE, self.public.write(rlwe, digest, &folder.join(PUBLIC_FILE))?));
        files.push((EVALUATION_FILE, self.evaluation.write(rlwe, digest, &folder.join(EVALUATION_FILE))?));
        Ok(files)
    }

    /// The headers of those files of a folder of keys that are there and may be read.
    ///
    /// # Errors
    /// A file that isn't of the same key generation as the others: keys of two don't fit together.
    pub fn headers(folder: &Path) -> Result<Vec<FileHeader>, FileError> {
        let mut headers: Vec<(&str, FileHeader)> = Vec::new();
        for name in Self::FILES {
            let header = match FileReader::summary(&folder.join(name)) {
                Ok(summary) => summary.header,
                Err(FileError { problem: FileProblem::Io(error), .. })
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some((other, of)) = headers.first().filter(|(_, of)| of.key != header.key) {
                let problem = format!(
                    "is of key generation {}, and {other} beside it is of {}: put files of one keygen there, or make all anew with keygen --force",
                    header.key, of.key
                );
                return Err(FileError { path: folder.join(name), problem: FileProblem::Content(problem) });
            }
            headers.push((name, header));
        }
        Ok(headers.into_iter().map(|(_, header)| header).collect())
    }

    /// Reads the public key of a folder.
    pub fn read_public(plan: &Plan, folder: &Path) -> Result<PublicKey, FileError> {
        PublicKey::read(plan.params.rlwe(), plan.params.digest(), &folder.join(PUBLIC_FILE))
    }

    /// Reads the evaluation keys of a folder into memory.
    ///
    /// # Errors
    /// A file that is damaged, or lacks a key that the plan needs or holds it for lower levels only.
    pub fn read_evaluation(plan: &Plan, folder: &Path) -> Result<EvaluationKeys, FileError> {
        evaluation(plan, folder, EvaluationKeys::read)
    }

    /// The evaluation keys of a folder, which stay in their file and are read while they're used: that takes little
    /// memory, and more time.
    ///
    /// # Errors
    /// Those of [`Keys::read_evaluation`].
    pub fn open_evaluation(plan: &Plan, folder: &Path) -> Result<EvaluationKeys, FileError> {
        evaluation(plan, folder, EvaluationKeys::open)
    }

    /// Reads the secret key of a folder.
    pub fn read_secret(plan: &Plan, folder: &Path) -> Result<SecretKey, FileError> {
        SecretKey::read(plan.params.rlwe(), plan.params.digest(), &folder.join(SECRET_FILE))
    }
}

fn evaluation(
    plan: &Plan,
    folder: &Path,
    read: impl Fn(&RlweParams, &str, &Path) -> Result<EvaluationKeys, FileError>,
) -> Result<EvaluationKeys, FileError> {
    let (rlwe, path) = (plan.params.rlwe(), folder.join(EVALUATION_FILE));
    let keys = read(rlwe, plan.params.digest(), &path)?;
    match keys.require(rlwe, &plan.key_levels()) {
        Ok(()) => Ok(keys),
        Err(missing) => {
            let problem =
                FileProblem::Content(format!("{missing}: use the keys that were made for this plan"));
            Err(FileError { path, problem })
        }
    }
}
