//! What a run of the generator is asked for.

use asanoha_ring::WideModulus;
use asanoha_scheme::is_prime_integer;
use num_bigint::BigUint;
use num_traits::One;

use crate::{BITS, MAX_DIMENSION, MAX_PARTIES, MAX_TRIPLES, MpcError, TripleShape};

/// log2 of what divides t − 1 where a prime is chosen by its size.
const LOG2_STEP: u32 = 15;

/// How the modulus is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModulusChoice {
    /// This prime.
    Prime(BigUint),
    /// A prime of exactly so many bits: the smallest that is 1 modulo 2^15, as MP-SPDZ takes by itself, or modulo the
    /// largest smaller power of two where there is none.
    Bits(u32),
}

impl ModulusChoice {
    /// The prime.
    ///
    /// ```
    /// use asanoha_mpc::ModulusChoice;
    ///
    /// let prime = ModulusChoice::Bits(128).prime()?;
    /// assert_eq!(prime.value().to_string(), "170141183460469231731687303715885907969");
    /// # Ok::<(), asanoha_mpc::MpcError>(())
    /// ```
    ///
    /// # Errors
    /// [`MpcError::Bits`] if it's too small or too large, [`MpcError::Composite`] if it isn't a prime.
    pub fn prime(&self) -> Result<WideModulus, MpcError> {
        let bits = match self {
            Self::Prime(value) => value.bits(),
            Self::Bits(bits) => u64::from(*bits),
        };
        if !BITS.contains(&u32::try_from(bits).unwrap_or(u32::MAX)) {
            return Err(MpcError::Bits(bits));
        }
        let value = match self {
            Self::Prime(value) if is_prime_integer(value) => value.clone(),
            Self::Prime(value) => return Err(MpcError::Composite(value.clone())),
            Self::Bits(bits) => smallest_prime(*bits),
        };
        Ok(WideModulus::new(&value).expect("it has at least 20 bits"))
    }
}

/// The smallest prime of exactly so many bits that is 1 modulo 2^15, or modulo the largest possible power below.
fn smallest_prime(bits: u32) -> BigUint {
    let (least, end) = (BigUint::one() << (bits - 1), BigUint::one() << bits);
    (1..=LOG2_STEP)
        .rev()
        .find_map(|log2_step| {
            let step = BigUint::one() << log2_step;
            let candidates = std::iter::successors(Some(&least + 1u32), |candidate| Some(candidate + &step));
            candidates.take_while(|candidate| *candidate < end).find(is_prime_integer)
        })
        .expect("there is an odd prime of every size")
}

/// What decides the triples of a generator, beside its seed.
#[derive(Clone, Debug)]
pub struct GeneratorSettings {
    /// The modulus.
    pub modulus: ModulusChoice,
    /// The dimensions.
    pub shape: TripleShape,
    /// The number of parties.
    pub parties: usize,
    /// The memory that the generator may take, in bytes.
    pub memory_limit: Option<u64>,
}

impl GeneratorSettings {
    /// Checks everything but the memory, and returns the modulus.
    ///
    /// # Errors
    /// As [`check_shape`], [`check_parties`] and [`ModulusChoice::prime`].
    pub fn check(&self) -> Result<WideModulus, MpcError> {
        check_shape(self.shape)?;
        check_parties(self.parties)?;
        self.modulus.prime()
    }
}

/// Checks dimensions.
///
/// # Errors
/// [`MpcError::Dimension`] unless they're from 1 to [`MAX_DIMENSION`].
pub fn check_shape(shape: TripleShape) -> Result<(), MpcError> {
    let TripleShape { rows, inner, columns } = shape;
    let named = [("rows", rows), ("inner rows and columns", inner), ("columns", columns)];
    match named.into_iter().find(|(_, found)| !(1..=MAX_DIMENSION).contains(found)) {
        Some((what, found)) => Err(MpcError::Dimension { what, found }),
        None => Ok(()),
    }
}

/// Checks the number of parties.
///
/// # Errors
/// [`MpcError::Parties`] unless it's from 2 to [`MAX_PARTIES`].
pub fn check_parties(parties: usize) -> Result<(), MpcError> {
    if (2..=MAX_PARTIES).contains(&parties) { Ok(()) } else { Err(MpcError::Parties(parties)) }
}

/// Checks the number of triples.
///
/// # Errors
/// [`MpcError::Count`] unless it's from 1 to [`MAX_TRIPLES`].
pub fn check_count(count: u64) -> Result<(), MpcError> {
    if (1..=MAX_TRIPLES).contains(&count) { Ok(()) } else { Err(MpcError::Count(count)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prime_is_found_for_every_size() {
        for bits in [20, 21, 22, 24, 31, 32, 33, 60, 63, 64, 65, 128, 256, 511, 512] {
            let prime = ModulusChoice::Bits(bits).prime().unwrap();
            assert!(is_prime_integer(prime.value()) && prime.value().bits() == u64::from(bits), "{bits}");
        }
    }

    #[test]
    fn wrong_settings_are_named_with_what_is_right() {
        let says = |error: Result<WideModulus, MpcError>, text: &str| {
            let error = error.unwrap_err();
            assert!(error.is_usage() && error.to_string().contains(text), "{error}");
        };
        says(ModulusChoice::Bits(19).prime(), "19 bits: take a prime of 20 to 512 bits");
        says(ModulusChoice::Bits(513).prime(), "513 bits");
        says(ModulusChoice::Prime(7u32.into()).prime(), "3 bits");
        says(ModulusChoice::Prime(BigUint::from(1u32 << 30)).prime(), "1073741824 isn't a prime");
        let settings = GeneratorSettings {
            modulus: ModulusChoice::Bits(64),
            shape: TripleShape::square(2),
            parties: 2,
            memory_limit: None,
        };
        assert!(settings.check().is_ok());
        let shape = |rows, inner, columns| TripleShape { rows, inner, columns };
        for (bad, text) in [
            (shape(0, 1, 1), "0 rows: take from 1 to 1024"),
            (shape(1, 1025, 1), "1025 inner"),
            (shape(1, 1, 0), "0 columns"),
        ] {
            says(GeneratorSettings { shape: bad, ..settings.clone() }.check(), text);
        }
        says(GeneratorSettings { parties: 1, ..settings.clone() }.check(), "1 parties: take from 2 to 64");
        assert!(check_count(0).is_err() && check_count(MAX_TRIPLES + 1).is_err() && check_count(1).is_ok());
    }
}
