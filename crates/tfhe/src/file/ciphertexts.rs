//! Files of ciphertexts.

use std::path::Path;

use asanoha_lattice::{FileError, FileReader, FileWriter, KeyId, LweCiphertext};
use asanoha_ring::Seed;
use serde_json::Value;

use super::CIPHERTEXTS;
use crate::{Ciphertext, TfheError, TfheParams};

const WORDS: &str = "words";
/// The largest numbers that they may hold.
const LARGEST: &str = "largest";
/// The variances of their noises: the bits of doubles.
const VARIANCE: &str = "variance";

impl TfheParams {
    /// Refuses a variance that noise can't have, or that is too large.
    fn check_variance(&self, variance: f64) -> Result<(), TfheError> {
        // Infinities and the like are above every bound.
        let sound = variance.is_finite() && variance.is_sign_positive();
        self.check_noise(if sound { variance } else { f64::INFINITY })
    }
}

impl Ciphertext {
    /// Its words in a file: the mask and the body.
    pub fn words(&self) -> &[u64] {
        self.lwe.words()
    }

    /// A ciphertext out of a file's words. What it may hold and its noise are what whoever reads it knows them to be.
    ///
    /// # Errors
    /// If there are other than k·N + 1 words, or numbers or noises that can't be; if the words are a public number above `largest`.
    pub fn from_words(
        params: &TfheParams,
        id: KeyId,
        words: &[u64],
        largest: u64,
        variance: f64,
    ) -> Result<Self, TfheError> {
        if words.len() != params.ciphertext_words() {
            return Err(TfheError::OtherParameters);
        }
        let mut lwe = LweCiphertext::trivial(params.dimension(), 0);
        lwe.words_mut().copy_from_slice(words);
        Self { params: params.clone(), id, lwe, largest, variance }.checked()
    }

    /// As [`Ciphertext::from_words`], out of the seed of its mask ([`ClientKey::encrypt_integer_seeded`]) and its body.
    ///
    /// [`ClientKey::encrypt_integer_seeded`]: crate::ClientKey::encrypt_integer_seeded
    ///
    /// # Errors
    /// Those of [`Ciphertext::from_words`].
    pub fn from_seed(
        params: &TfheParams,
        id: KeyId,
        (seed, body): (&Seed, u64),
        largest: u64,
        variance: f64,
    ) -> Result<Self, TfheError> {
        let lwe = LweCiphertext::from_seed(params.dimension(), seed, body);
        Self { params: params.clone(), id, lwe, largest, variance }.checked()
    }

    /// Refuses what no ciphertext of the parameters can be.
    fn checked(self) -> Result<Self, TfheError> {
        self.params.check_number(self.largest)?;
        self.params.check_variance(self.variance)?;
        self.check_public()
    }

    /// Writes ciphertexts of one key to a file and returns the file's length in bytes.
    ///
    /// # Errors
    /// If there is none, they belong to several keys or parameters, or the file can't be written.
    pub fn write_all(ciphertexts: &[Self], path: &Path) -> Result<u64, FileError> {
        let content = |why: String| FileError::content(path, why);
        let first = ciphertexts.first().ok_or_else(|| content("there is no ciphertext to write".into()))?;
        for ciphertext in ciphertexts {
            ciphertext.check_key(&first.params, first.id).map_err(|error| content(error.to_string()))?;
        }
        let largest: Vec<u64> = ciphertexts.iter().map(Self::largest).collect();
        let variance: Vec<u64> = ciphertexts.iter().map(|ciphertext| ciphertext.variance.to_bits()).collect();
        let mut file = FileWriter::new(first.params.file_header(first.id, CIPHERTEXTS, Value::Null));
        file.tensor(LARGEST, &[largest.len()], vec![&largest]);
        file.tensor(VARIANCE, &[variance.len()], vec![&variance]);
        let words = ciphertexts.iter().map(|ciphertext| ciphertext.lwe.words()).collect();
        file.tensor(WORDS, &[ciphertexts.len(), first.lwe.words().len()], words);
        file.write(path)
    }

    /// Reads ciphertexts. The largest numbers and the variances are what the file states, as the words are: whoever knows
    /// what they should be has to compare.
    ///
    /// # Errors
    /// If the file isn't one of ciphertexts of these parameters, was altered, or states numbers or noises that can't be.
    pub fn read_all(params: &TfheParams, path: &Path) -> Result<Vec<Self>, FileError> {
        let file = FileReader::read(path, CIPHERTEXTS, params.digest())?;
        let (shape, _) = file.tensor(WORDS)?;
        let (count, width) = (shape.first().copied().unwrap_or(0), params.ciphertext_words());
        let words = file.words(WORDS, &[count, width])?;
        let (largest, variance) = (file.words(LARGEST, &[count])?, file.words(VARIANCE, &[count])?);
        let ciphertext = |((words, &largest), &variance): ((&[u64], &u64), &u64)| {
            Self::from_words(params, file.header().key, words, largest, f64::from_bits(variance))
        };
        let each = words.chunks_exact(width).zip(largest).zip(variance);
        each.map(ciphertext).collect::<Result<_, TfheError>>().map_err(|error| file.error(error.to_string()))
    }
}
