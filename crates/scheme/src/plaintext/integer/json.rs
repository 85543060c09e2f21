//! Integers of any size in JSON: a number where it fits 64 bits, else a string of decimal digits. Read are both, and
//! strings of hexadecimal digits after `0x`.

use num_bigint::BigUint;
use num_traits::{Num, ToPrimitive};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Longer strings aren't read: parsing takes the square of their length.
const MAX_DIGITS: usize = 4096;

/// A non-negative integer of any size as JSON has it.
///
/// ```
/// use asanoha_scheme::JsonInteger;
/// let read = |text: &str| serde_json::from_str::<JsonInteger>(text);
/// assert_eq!(read("65537")?, read("\"0x10001\"")?);
/// assert_eq!(serde_json::to_string(&read("\"18446744073709551616\"")?)?, "\"18446744073709551616\"");
/// assert!(read("-1").is_err() && read("1.5").is_err() && read("\"12a\"").is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonInteger(pub BigUint);

impl From<BigUint> for JsonInteger {
    fn from(value: BigUint) -> Self {
        Self(value)
    }
}

impl From<u64> for JsonInteger {
    fn from(value: u64) -> Self {
        Self(value.into())
    }
}

impl std::fmt::Display for JsonInteger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for JsonInteger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_u64() {
            Some(word) => serializer.serialize_u64(word),
            None => serializer.collect_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for JsonInteger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Visitor)
    }
}

struct Visitor;

impl de::Visitor<'_> for Visitor {
    type Value = JsonInteger;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "a whole number, or a string of at most {MAX_DIGITS} decimal digits, or hexadecimal ones after 0x"
        )
    }

    fn visit_u64<E: de::Error>(self, word: u64) -> Result<JsonInteger, E> {
        Ok(JsonInteger(word.into()))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<JsonInteger, E> {
        let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
        let sound = digits.len() <= MAX_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let value = sound.then(|| BigUint::from_str_radix(digits, radix).ok()).flatten();
        value.map(JsonInteger).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}
