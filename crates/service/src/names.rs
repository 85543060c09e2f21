//! Names of clients, contents, uploads and jobs.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

/// Why a text isn't a name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// A digest or an identifier that isn't one.
    #[error("{what} has {digits} hexadecimal digits of 0-9 and a-f, and {found:?} hasn't")]
    Hex {
        /// What was expected.
        what: &'static str,
        /// How many digits it has.
        digits: usize,
        /// The beginning of what was found.
        found: String,
    },
    /// A client's name that isn't one.
    #[error(
        "a client's name has 1 to {} letters, digits, dots, dashes or underscores and begins with none of the last three, and {found:?} isn't such a name",
        ClientName::MAX_BYTES
    )]
    Client {
        /// The beginning of what was found.
        found: String,
    },
    /// An idempotency key that isn't one.
    #[error(
        "an idempotency key has 1 to {} printable ASCII characters, and {found:?} isn't one",
        IdempotencyKey::MAX_BYTES
    )]
    Idempotency {
        /// The beginning of what was found.
        found: String,
    },
}

/// The beginning of a text, for messages.
fn beginning(text: &str) -> String {
    text.chars().take(80).collect()
}

fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

/// A type of so many bytes that is written in hexadecimal digits.
macro_rules! hexadecimal {
    ($(#[$doc:meta])* $name:ident, $bytes:literal, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; $bytes]);

        impl $name {
            /// Its bytes.
            pub const fn as_bytes(&self) -> &[u8; $bytes] {
                &self.0
            }
        }

        impl From<[u8; $bytes]> for $name {
            fn from(bytes: [u8; $bytes]) -> Self {
                Self(bytes)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                let refused = || NameError::Hex { what: $what, digits: 2 * $bytes, found: beginning(text) };
                from_hex(text).map(Self).ok_or_else(refused)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    };
}

hexadecimal! {
    /// A BLAKE3 digest: of a plan ([`asanoha_runtime::plan::Plan::digest`]), or of the bytes of a file.
    Digest, 32, "a digest"
}

hexadecimal! {
    /// Names an upload. It's random, and nobody else's upload can be reached by guessing.
    UploadId, 16, "the identifier of an upload"
}

hexadecimal! {
    /// Names a job. It's random, and nobody else's job can be reached by guessing.
    JobId, 16, "the identifier of a job"
}

hexadecimal! {
    /// Names a token without giving it away: the first bytes of its hash.
    TokenId, 8, "the identifier of a token"
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Self {
        Self(hash.into())
    }
}

/// Random bytes of the operating system.
///
/// # Panics
/// If it gives none.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives randomness");
    bytes
}

/// The name of a client, which tokens stand for. What clients store belongs to their name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientName(Arc<str>);

impl ClientName {
    /// The most bytes of a name.
    pub const MAX_BYTES: usize = 64;

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ClientName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let may_stand = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let begins = text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        if begins && text.len() <= Self::MAX_BYTES && text.bytes().all(may_stand) {
            Ok(Self(text.into()))
        } else {
            Err(NameError::Client { found: beginning(text) })
        }
    }
}

/// Names a submission by its client, so that it can be sent again without being computed again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The most bytes of a key.
    pub const MAX_BYTES: usize = 128;
}

impl FromStr for IdempotencyKey {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let fits =
            (1..=Self::MAX_BYTES).contains(&text.len()) && text.bytes().all(|b| (b' '..=b'~').contains(&b));
        if fits { Ok(Self(text.to_owned())) } else { Err(NameError::Idempotency { found: beginning(text) }) }
    }
}

impl TryFrom<String> for IdempotencyKey {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<IdempotencyKey> for String {
    fn from(key: IdempotencyKey) -> Self {
        key.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ClientName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ClientName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClientName({self})")
    }
}

impl Serialize for ClientName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ClientName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_lengths_or_characters_are_refused_with_what_they_should_be() {
        let job = JobId::from(random::<16>());
        assert_eq!(job.to_string().parse(), Ok(job));
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<JobId>(&text).unwrap(), job);
        for wrong in
            ["", "0", &"0".repeat(31), &"0".repeat(33), &"0G".repeat(16), &"AB".repeat(16), "../../etc"]
        {
            let error = wrong.parse::<JobId>().unwrap_err().to_string();
            assert!(error.starts_with("the identifier of a job has 32 hexadecimal digits"), "{error}");
        }
        for right in ["a", "alice", "site-3.north_1", &"x".repeat(64)] {
            assert_eq!(right.parse::<ClientName>().unwrap().as_str(), right);
        }
        for wrong in ["", ".", "..", "-a", "_a", "a/b", "a b", "é", "a\0", &"x".repeat(65)] {
            let error = wrong.parse::<ClientName>().unwrap_err().to_string();
            assert!(error.starts_with("a client's name has 1 to 64 letters"), "{error}");
        }
        for wrong in ["", "\n", "é", &"x".repeat(129)] {
            let error = wrong.parse::<IdempotencyKey>().unwrap_err().to_string();
            assert!(error.starts_with("an idempotency key has 1 to 128 printable"), "{error}");
        }
    }
}
