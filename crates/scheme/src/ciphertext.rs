//! Ciphertexts.

use std::path::Path;

use asanoha_lattice::{
    Destination, FileError, FileReader, FileWriter, KeyId, Level, Norm, RlweCiphertext, Source,
};
use serde::{Deserialize, Serialize};

use crate::{Approximate, Model, Scheme, SchemeError, State, Stored, not_above, same_parameters};

/// What a file of ciphertexts says that it is.
const CIPHERTEXTS: &str = "ciphertexts";

/// An encrypted vector of numbers, with its parameters, level, message state and noise bound.
///
/// Operations of other parameters refuse it with [`SchemeError::OtherParameters`].
#[derive(Clone, Debug)]
pub struct Ciphertext<S: Scheme> {
    /// (c₀, c₁, …).
    pub(crate) rlwe: RlweCiphertext,
    pub(crate) state: State<S>,
    scheme: S,
}

impl<S: Scheme> Ciphertext<S> {
    pub(crate) fn new(scheme: &S, rlwe: RlweCiphertext, state: State<S>) -> Self {
        debug_assert_eq!(rlwe.level(), state.level);
        Self { rlwe, state, scheme: scheme.clone() }
    }

    /// Creates a ciphertext from components that were read from a file. The caller answers for the state: its noise bound can't
    /// be checked.
    ///
    /// # Errors
    /// [`SchemeError::UnsoundCiphertext`] unless there are two or three parts modulo the primes of the state's level and the
    /// message is one; [`SchemeError::LevelTooHigh`] above the level of fresh ciphertexts, where scales aren't defined;
    /// [`SchemeError::OutOfModulus`] if a ciphertext of that state doesn't decrypt.
    pub fn from_checked_parts(
        scheme: &S,
        rlwe: RlweCiphertext,
        state: State<S>,
    ) -> Result<Self, SchemeError> {
        let unsound = |problem| SchemeError::UnsoundCiphertext { problem };
        if !rlwe.is_of(scheme.rlwe()) || rlwe.level() != state.level {
            return Err(unsound(
                "there must be two or three polynomials modulo the primes of one level, the state's",
            ));
        }
        not_above(state.level, scheme.max_level())?;
        scheme.check_message(&state.message).map_err(unsound)?;
        let state = Model::new(scheme).check(state)?;
        Ok(Self::new(scheme, rlwe, state))
    }

    /// Returns the polynomials.
    pub fn rlwe(&self) -> &RlweCiphertext {
        &self.rlwe
    }

    /// Returns the parameters that the ciphertext belongs to.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Returns the state that noise prediction uses: level, noise bound and message.
    pub fn state(&self) -> &State<S> {
        &self.state
    }

    /// Returns the level.
    pub fn level(&self) -> Level {
        self.state.level
    }

    /// Returns a bound on the canonical norm of the noise.
    pub fn noise(&self) -> Norm {
        self.state.noise
    }

    /// Returns how the polynomials carry the message: BGV's correction factor, CKKS's scale and bound.
    pub fn message(&self) -> &S::Message {
        &self.state.message
    }

    /// Returns the noise budget, in bits: operations fail if it would run out.
    pub fn noise_budget_bits(&self) -> f64 {
        Model::new(&self.scheme).budget_bits(&self.state)
    }

    /// Returns the number of polynomials: two, or three in a product that isn't relinearised.
    pub fn parts(&self) -> usize {
        self.rlwe.parts.len()
    }

    /// Checks that the ciphertext belongs to the given parameters.
    ///
    /// # Errors
    /// [`SchemeError::OtherParameters`].
    pub fn of(&self, scheme: &S) -> Result<(), SchemeError> {
        same_parameters(scheme, &self.scheme)
    }

    /// Checks that level, noise bound, scale and factor are those that a [`crate::Predictor`] gives for a computation.
    ///
    /// # Errors
    /// [`SchemeError::UnsoundCiphertext`].
    pub fn check_state(&self, expected: &State<S>) -> Result<(), SchemeError> {
        let problem = "its level, noise or scale isn't what the computation gives";
        if self.state() == expected { Ok(()) } else { Err(SchemeError::UnsoundCiphertext { problem }) }
    }
}

impl<S: Approximate> Ciphertext<S> {
    /// Returns the scale: the factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        self.state.scale()
    }

    /// Returns a bound on the absolute values of the slots.
    pub fn bound(&self) -> f64 {
        self.state.bound()
    }

    /// Returns a bound on the error of every slot: noise over scale. Decoding adds the rounding of double precision, about
    /// 2^−50 of the bound.
    pub fn error_bound(&self) -> f64 {
        self.state.error_bound()
    }

    /// Lowers the bound on the values to one that the caller knows. A wider bound than the ciphertext's own changes nothing.
    ///
    /// The caller answers for the bound: if a value exceeds it, decryption reports a wrong key.
    ///
    /// # Errors
    /// [`SchemeError::InvalidBound`] if it's negative or not a number.
    pub fn narrow_bound(self, bound: f64) -> Result<Self, SchemeError> {
        Ok(Self { state: self.state.narrow_bound(bound)?, ..self })
    }
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
