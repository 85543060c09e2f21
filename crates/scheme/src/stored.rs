//! Serialises parameters, keys and ciphertexts to bytes and files.
//!
//! Keys and ciphertexts carry the digest of their parameters; other parameters refuse them. Everything is checked after it's
//! read. The noise bound and scale of a ciphertext can't be checked: the party that computed it answers for them. To decrypt
//! the results of an untrusted party, predict their state with [`crate::Model`] and compare with [`Ciphertext::check_state`].

use std::{fs::File, io::Read, path::Path};

use asanoha_kernels::Backend;
use asanoha_lattice::{
    Destination, EvaluationKeys, FileError, FileReader, FileWriter, KeyId, Norm, ReencryptionKey,
    RlweCiphertext, Source, write_atomically,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Ciphertext, Scheme, State};

/// The most bytes of a file of parameters.
const MAX_PARAMETER_BYTES: u64 = 1 << 20;
/// The first word of a file of parameters, and the version of its form.
const PARAMETERS: &str = "asanoha parameters";
const VERSION: u32 = 1;
const CIPHERTEXTS: &str = "ciphertexts";

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

/// What a file says of a ciphertext.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredState<M> {
    noise: Norm,
    message: M,
}

impl<S: Stored> Ciphertext<S> {
    /// Serialises a ciphertext of two components to bytes.
    ///
    /// # Errors
    /// A product that isn't relinearised.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        Self::all_to_bytes(std::slice::from_ref(self))
    }

    /// Reads a ciphertext of the given parameters from bytes.
    ///
    /// # Errors
    /// Bytes that aren't one ciphertext of these parameters.
    pub fn from_bytes(params: &S, bytes: &[u8]) -> Result<Self, FileError> {
        one(Self::all_from_bytes(params, bytes)?, Path::new(CIPHERTEXTS))
    }

    /// Writes the ciphertext to a file and returns its length in bytes.
    ///
    /// # Errors
    /// Those of [`Ciphertext::to_bytes`] and of the operating system.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<u64, FileError> {
        Self::write_all(std::slice::from_ref(self), path)
    }

    /// Reads a ciphertext from a file.
    ///
    /// # Errors
    /// Those of [`Ciphertext::from_bytes`] and of the operating system.
    pub fn read(params: &S, path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        one(Self::read_all(params, path)?, path)
    }

    /// Serialises several ciphertexts to bytes, in order.
    ///
    /// # Errors
    /// An empty slice, ciphertexts of different parameters, or a product that isn't relinearised.
    pub fn all_to_bytes(ciphertexts: &[Self]) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::new();
        put(ciphertexts, (&mut bytes).into(), Path::new(CIPHERTEXTS))?;
        Ok(bytes)
    }

    /// Reads several ciphertexts of the given parameters from bytes, in order.
    ///
    /// # Errors
    /// Bytes that aren't ciphertexts of these parameters.
    pub fn all_from_bytes(params: &S, bytes: &[u8]) -> Result<Vec<Self>, FileError> {
        get(params, Source::Bytes { name: CIPHERTEXTS, bytes })
    }

    /// Writes several ciphertexts to a file and returns its length in bytes.
    ///
    /// # Errors
    /// Those of [`Ciphertext::all_to_bytes`] and of the operating system.
    pub fn write_all(ciphertexts: &[Self], path: impl AsRef<Path>) -> Result<u64, FileError> {
        let path = path.as_ref();
        put(ciphertexts, path.into(), path)
    }

    /// Reads several ciphertexts from a file.
    ///
    /// # Errors
    /// Those of [`Ciphertext::all_from_bytes`] and of the operating system.
    pub fn read_all(params: &S, path: impl AsRef<Path>) -> Result<Vec<Self>, FileError> {
        get(params, path.as_ref().into())
    }
}

fn one<T>(mut all: Vec<T>, path: &Path) -> Result<T, FileError> {
    let found = all.len();
    all.pop()
        .filter(|_| found == 1)
        .ok_or_else(|| FileError::content(path, format!("holds {found} ciphertexts, not one: read them all")))
}

fn put<S: Stored>(ciphertexts: &[Ciphertext<S>], to: Destination<'_>, path: &Path) -> Result<u64, FileError> {
    let error = |problem: &str| FileError::content(path, problem);
    let first = ciphertexts.first().ok_or_else(|| error("there are no ciphertexts to write"))?;
    let params = first.scheme();
    for ciphertext in ciphertexts {
        ciphertext.of(params).map_err(|other| error(&other.to_string()))?;
        if ciphertext.parts() != 2 {
            return Err(error("a product is relinearised before it's written"));
        }
    }
    let states = ciphertexts.iter().map(|ciphertext| StoredState {
        noise: ciphertext.noise(),
        message: S::to_stored(ciphertext.message()),
    });
    let fields = serde_json::to_value(states.collect::<Vec<_>>()).expect("plain data");
    let mut file =
        FileWriter::new(params.rlwe().file_header(params.digest(), KeyId::default(), CIPHERTEXTS, fields));
    for (index, ciphertext) in ciphertexts.iter().enumerate() {
        ciphertext.rlwe().put(&mut file, &index.to_string());
    }
    file.write(to)
}

fn get<S: Stored>(params: &S, from: Source<'_>) -> Result<Vec<Ciphertext<S>>, FileError> {
    let file = FileReader::read(from, CIPHERTEXTS, params.digest())?;
    let states: Vec<StoredState<S::StoredMessage>> = serde_json::from_value(file.header().fields.clone())
        .map_err(|error| file.error(format!("its header doesn't describe ciphertexts: {error}")))?;
    if states.len() != file.names().count() {
        return Err(file.error("its header describes other ciphertexts than it holds"));
    }
    let read = |(index, StoredState { noise, message }): (usize, StoredState<_>)| {
        let (rlwe, _) = RlweCiphertext::get(params.rlwe(), &file, &index.to_string())?;
        let state = State { level: rlwe.level(), noise, message: S::of_stored(message) };
        Ciphertext::from_checked_parts(params, rlwe, state).map_err(|error| file.error(error.to_string()))
    };
    states.into_iter().enumerate().map(read).collect()
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
