//! The names of schemes.

use std::fmt::{self, Debug, Display};

use serde::{Serialize, Serializer};

/// A scheme that programs run on, by its name: as in files, and where a user asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SchemeName(&'static str);

#[expect(non_upper_case_globals, reason = "schemes are written like this everywhere")]
impl SchemeName {
    /// Exact, on whole numbers.
    pub const Bgv: Self = Self("bgv");
    /// Exact, on whole numbers.
    pub const Bfv: Self = Self("bfv");
    /// Approximate, on real numbers.
    pub const Ckks: Self = Self("ckks");
    /// Exact, on whole numbers, each of which has ciphertexts of its own.
    pub const Tfhe: Self = Self("tfhe");
}

impl SchemeName {
    /// The scheme of a name in lower case.
    pub const fn named(name: &'static str) -> Self {
        Self(name)
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl Display for SchemeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl Debug for SchemeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for SchemeName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}
