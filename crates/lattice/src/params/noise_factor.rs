//! The noise factor: a positive integer, in JSON a string of decimal digits.

use num_bigint::BigUint;
use num_traits::One;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The largest number of decimal digits that is read, since the time of parsing grows with its square. In BGV the
/// factor is the plaintext modulus, so it's the number of digits of the largest `JsonInteger` of the crate
/// `asanoha-scheme`.
const MAX_DIGITS: usize = 4933;

/// The noise factor, by which all noise is multiplied: t in BGV, 1 elsewhere.
///
/// ```
/// use asanoha_lattice::NoiseFactor;
/// let read = |text: &str| serde_json::from_str::<NoiseFactor>(text);
/// assert_eq!(read("\"65537\"")?, NoiseFactor::from(65537));
/// assert_eq!(serde_json::to_string(&NoiseFactor::default())?, "\"1\"");
/// assert!(["\"\"", "\"0\"", "\"-3\"", "\"07\"", "\"x\"", "3"].iter().all(|text| read(text).is_err()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoiseFactor(BigUint);

impl NoiseFactor {
    /// The factor as an integer.
    pub fn value(&self) -> &BigUint {
        &self.0
    }

    /// Whether the factor is 1, as everywhere but in BGV.
    pub fn is_one(&self) -> bool {
        self.0.is_one()
    }
}

impl Default for NoiseFactor {
    /// The factor 1.
    fn default() -> Self {
        Self(BigUint::one())
    }
}

impl From<BigUint> for NoiseFactor {
    fn from(value: BigUint) -> Self {
        Self(value)
    }
}

impl From<u64> for NoiseFactor {
    fn from(value: u64) -> Self {
        Self(value.into())
    }
}

impl std::fmt::Display for NoiseFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for NoiseFactor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for NoiseFactor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Visitor)
    }
}

struct Visitor;

impl de::Visitor<'_> for Visitor {
    type Value = NoiseFactor;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "a positive number of at most {MAX_DIGITS} decimal digits without leading zeros, as a string"
        )
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<NoiseFactor, E> {
        // Every number has one text, since digests of parameters are digests of their text.
        let sound = text.len() <= MAX_DIGITS && text.bytes().all(|digit| digit.is_ascii_digit());
        let value = (sound && !text.starts_with('0')).then(|| text.parse().ok()).flatten();
        value.map(NoiseFactor).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}
