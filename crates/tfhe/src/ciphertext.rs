//! Ciphertexts, and what needs no key: sums, differences, multiples, and files.

use std::path::Path;

use asanoha_lattice::{FileError, FileReader, FileWriter, KeyId, LweCiphertext};
use asanoha_ring::Seed;
use serde_json::Value;

use crate::{TfheError, TfheParams};

/// What a file of ciphertexts says that it holds.
const KIND: &str = "TFHE ciphertexts";
/// The tensor of their words: masks and bodies.
const WORDS: &str = "words";
/// That of the largest numbers that they may hold.
const LARGEST: &str = "largest";
/// That of the variances of their noises: the bits of doubles.
const VARIANCE: &str = "variance";

/// An encrypted number from 0 to [`TfheParams::messages`] − 1.
#[derive(Clone, Debug)]
pub struct Ciphertext {
    pub(crate) params: TfheParams,
    pub(crate) id: KeyId,
    /// Under the bits of the GLWE secret.
    pub(crate) lwe: LweCiphertext,
    /// The largest number that it may hold.
    pub(crate) largest: u64,
    /// The variance of the noise, in units of the squared torus.
    pub(crate) variance: f64,
}

impl Ciphertext {
    /// The largest number that it may hold.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// The variance of its noise, in units of the squared torus.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The identifier of the key generation that it belongs to.
    pub fn key_id(&self) -> KeyId {
        self.id
    }

    /// The words of its mask, which are public.
    pub fn mask(&self) -> &[u64] {
        self.lwe.parts().0
    }

    /// The sum.
    ///
    /// Noise: deviations are added, as the operands may depend on each other.
    pub fn add(&self, other: &Self) -> Result<Self, TfheError> {
        other.check_key(&self.params, self.id)?;
        let variance = (self.variance.sqrt() + other.variance.sqrt()).powi(2);
        let mut sum = self.with(self.largest + other.largest, variance)?;
        sum.lwe.add_assign(&other.lwe);
        Ok(sum)
    }

    /// A public number less this one.
    pub fn subtract_from(&self, number: u64) -> Result<Self, TfheError> {
        self.params.check_number(number)?;
        if number < self.largest {
            return Err(TfheError::Negative { largest: self.largest });
        }
        let mut difference = self.with(number, self.variance)?;
        difference.lwe.scale_assign(-1);
        difference.lwe.add_constant_assign(number * self.params.unit());
        Ok(difference)
    }

    /// The sum with a public number.
    pub fn add_constant(&self, number: u64) -> Result<Self, TfheError> {
        self.params.check_number(number)?;
        let mut sum = self.with(self.largest + number, self.variance)?;
        sum.lwe.add_constant_assign(number * self.params.unit());
        Ok(sum)
    }

    /// The product with a public number. It multiplies the noise too.
    pub fn scale(&self, factor: u64) -> Result<Self, TfheError> {
        self.params.check_number(factor)?;
        let mut product = self.with(self.largest * factor, self.variance * (factor * factor) as f64)?;
        product.lwe.scale_assign(factor.cast_signed());
        Ok(product)
    }

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
        let mut file = FileWriter::new(first.params.file_header(first.id, KIND, Value::Null));
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
        let file = FileReader::read(path, KIND, params.digest())?;
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

    /// Refuses a ciphertext of other parameters, or of another key generation than the given one.
    pub(crate) fn check_key(&self, params: &TfheParams, expected: KeyId) -> Result<(), TfheError> {
        params.is(&self.params)?;
        if self.id == expected { Ok(()) } else { Err(TfheError::OtherKey { found: self.id, expected }) }
    }

    /// The number, if it's public: nothing is hidden where the mask is zero. Ciphertexts from a file can add up to a public body that is
    /// no number up to the largest; that counts as hidden.
    pub(crate) fn public_value(&self) -> Option<u64> {
        let body = self.public_body()?;
        let number = body / self.params.unit();
        (number <= self.largest && number * self.params.unit() == body).then_some(number)
    }

    /// The body, if the ciphertext has no mask and no noise.
    fn public_body(&self) -> Option<u64> {
        (self.variance == 0.0 && self.mask().iter().all(|&word| word == 0)).then_some(self.lwe.parts().1)
    }

    /// Refuses a public body that is no number up to the largest.
    fn check_public(self) -> Result<Self, TfheError> {
        match (self.public_body(), self.public_value()) {
            (Some(body), None) => {
                Err(TfheError::NumberAboveBound { found: body / self.params.unit(), largest: self.largest })
            }
            _ => Ok(self),
        }
    }

    /// The same number, which the caller knows to be at most this much.
    pub(crate) fn at_most(self, largest: u64) -> Self {
        Self { largest, ..self }
    }

    /// The number less a public one, where the caller knows that it's at least that, and the difference at most `largest`.
    pub(crate) fn less(mut self, number: u64, largest: u64) -> Self {
        self.lwe.add_constant_assign((number * self.params.unit()).wrapping_neg());
        self.at_most(largest)
    }

    /// A copy that may hold other numbers with other noise, if these are allowed.
    fn with(&self, largest: u64, variance: f64) -> Result<Self, TfheError> {
        self.params.check_number(largest)?;
        self.params.check_noise(variance)?;
        Ok(Self { largest, variance, ..self.clone() })
    }
}
