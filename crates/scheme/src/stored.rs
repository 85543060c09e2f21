//! Serialises parameters and keys to bytes and files; [`crate::Ciphertext`] does so for ciphertexts.
//!
//! Keys and ciphertexts carry the digest of their parameters; other parameters refuse them. Everything is checked after it's
//! read. The noise bound and scale of a ciphertext can't be checked: the party that computed it answers for them. To decrypt
//! the results of an untrusted party, predict their state with [`crate::Predictor`] and compare with [`crate::Ciphertext::check_state`].

use std::{fs::File, io::Read, path::Path};

use asanoha_kernels::Backend;
use asanoha_lattice::{EvaluationKeys, FileError, ReencryptionKey, Source, write_atomically};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::Scheme;

/// The most bytes of a file of parameters.
const MAX_PARAMETER_BYTES: u64 = 1 << 20;
/// The first word of a file of parameters, and the version of its form.
const PARAMETERS: &str = "asanoha parameters";
const VERSION: u32 = 1;

/// A scheme whose parameters, keys and ciphertexts can be serialised.
pub trait Stored: Scheme {
    /// The serialised form of the parameters.
    type Literal: Serialize + DeserializeOwned;
    /// The serialised form of a ciphertext's message state.
    type StoredMessage: Serialize + DeserializeOwned;

    /// Returns the literal of these parameters.
    fn to_literal(&self) -> &Self::Literal;

    /// Checks a literal and returns its parameters.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    fn of_literal(literal: Self::Literal, backend: Backend) -> Result<Self, String>;

    /// Converts a message state to its serialised form.
    fn to_stored(message: &Self::Message) -> Self::StoredMessage;

    /// Converts a message state from its serialised form, without the check of [`Scheme::check_message`].
    fn of_stored(stored: Self::StoredMessage) -> Self::Message;

    /// Serialises the parameters to JSON.
    fn to_bytes(&self) -> Vec<u8> {
        let file = ParameterFile {
            format: PARAMETERS.into(),
            version: VERSION,
            scheme: Self::NAME.into(),
            parameters: self.to_literal(),
        };
        serde_json::to_vec_pretty(&file).expect("plain data")
    }

    /// Reads parameters from the bytes of [`Stored::to_bytes`], with the fastest kernels of this machine.
    ///
    /// # Errors
    /// Bytes that aren't parameters of this scheme, or parameters of less than 128 bits of security.
    fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        parameters(bytes).map_err(|problem| FileError::content(Path::new("parameters"), problem))
    }

    /// Writes the parameters to a file and returns its length in bytes.
    ///
    /// # Errors
    /// Those of the operating system.
    fn write(&self, path: impl AsRef<Path>) -> Result<u64, FileError> {
        let (path, bytes) = (path.as_ref(), self.to_bytes());
        write_atomically(path, false, |file| std::io::Write::write_all(file, &bytes))
            .map_err(|error| FileError { path: path.into(), problem: error.into() })?;
        Ok(bytes.len() as u64)
    }

    /// Reads parameters from a file.
    ///
    /// # Errors
    /// Those of [`Stored::from_bytes`] and of the operating system.
    fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_PARAMETER_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| FileError { path: path.into(), problem: error.into() })?;
        parameters(&bytes).map_err(|problem| FileError::content(path, problem))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterFile<L> {
    format: String,
    version: u32,
    scheme: String,
    parameters: L,
}

fn parameters<S: Stored>(bytes: &[u8]) -> Result<S, String> {
    if bytes.len() as u64 > MAX_PARAMETER_BYTES {
        return Err(format!("longer than the {MAX_PARAMETER_BYTES} bytes that parameters can have"));
    }
    let not_parameters = |error| format!("not a file of parameters ({error})");
    let file: ParameterFile<serde_json::Value> = serde_json::from_slice(bytes).map_err(not_parameters)?;
    if file.format != PARAMETERS {
        return Err(format!("its format is {:?}; that of parameters is {PARAMETERS:?}", file.format));
    }
    if file.version != VERSION {
        return Err(format!("written in version {}; this program reads version {VERSION}", file.version));
    }
    if file.scheme != S::NAME {
        return Err(format!("parameters of {}; those of {} were expected here", file.scheme, S::NAME));
    }
    let literal = serde_json::from_value(file.parameters).map_err(not_parameters)?;
    let backend = Backend::detect().map_err(|error| error.to_string())?;
    let params = S::of_literal(literal, backend)?;
    if params.rlwe().literal().insecure {
        return Err("the parameters say that they're insecure: make new ones, of 128 bits of security".into());
    }
    Ok(params)
}

/// The name that messages give to keys in memory.
fn in_memory<'b>(name: &'b str, bytes: &'b [u8]) -> Source<'b> {
    Source::Bytes { name, bytes }
}

/// Serialises evaluation and re-encryption keys to bytes and files. Parameters other than their own refuse them.
pub trait StoredKeys: Sized {
    /// Serialises the keys to bytes.
    ///
    /// # Errors
    /// None but of the memory.
    fn to_bytes(&self, params: &impl Scheme) -> Result<Vec<u8>, FileError>;

    /// Reads keys of the given parameters from bytes.
    ///
    /// # Errors
    /// Bytes that aren't such keys.
    fn from_bytes(params: &impl Scheme, bytes: &[u8]) -> Result<Self, FileError>;

    /// Writes the keys to a file and returns its length in bytes.
    ///
    /// # Errors
    /// Those of the operating system.
    fn write(&self, params: &impl Scheme, path: impl AsRef<Path>) -> Result<u64, FileError>;

    /// Reads keys from a file.
    ///
    /// # Errors
    /// A file that doesn't hold such keys, and those of the operating system.
    fn read(params: &impl Scheme, path: impl AsRef<Path>) -> Result<Self, FileError>;
}

impl StoredKeys for EvaluationKeys {
    fn to_bytes(&self, params: &impl Scheme) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::new();
        self.write_for(params.rlwe(), params.digest(), &mut bytes)?;
        Ok(bytes)
    }

    fn from_bytes(params: &impl Scheme, bytes: &[u8]) -> Result<Self, FileError> {
        Self::read_for(params.rlwe(), params.digest(), in_memory("evaluation keys", bytes))
    }

    fn write(&self, params: &impl Scheme, path: impl AsRef<Path>) -> Result<u64, FileError> {
        self.write_for(params.rlwe(), params.digest(), path.as_ref())
    }

    fn read(params: &impl Scheme, path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::read_for(params.rlwe(), params.digest(), path.as_ref())
    }
}

impl StoredKeys for ReencryptionKey {
    fn to_bytes(&self, params: &impl Scheme) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::new();
        self.write_for(params.rlwe(), params.digest(), &mut bytes)?;
        Ok(bytes)
    }

    fn from_bytes(params: &impl Scheme, bytes: &[u8]) -> Result<Self, FileError> {
        Self::read_for(params.rlwe(), params.digest(), in_memory("re-encryption key", bytes))
    }

    fn write(&self, params: &impl Scheme, path: impl AsRef<Path>) -> Result<u64, FileError> {
        self.write_for(params.rlwe(), params.digest(), path.as_ref())
    }

    fn read(params: &impl Scheme, path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::read_for(params.rlwe(), params.digest(), path.as_ref())
    }
}
