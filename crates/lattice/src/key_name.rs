//! Names of keys.

use std::fmt;

use asanoha_ring::GaloisElement;

/// The name of a key within a key generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyName {
    /// The relinearisation key, from s² to s.
    Relinearisation,
    /// The Galois key of X → X^g, from s(X^g) to s.
    Galois(GaloisElement),
    /// From s·s(X^g) to s.
    ImageProduct(GaloisElement),
    /// From s to the sparse ephemeral secret that bootstrapping raises moduli under.
    ToSparse,
    /// From the sparse ephemeral secret back to s.
    FromSparse,
    /// From the secret of another key generation to s ([`crate::ReencryptionKey`]).
    Reencryption,
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relinearisation => f.write_str("the relinearisation key"),
            Self::Galois(g) => write!(f, "the key of the automorphism X → X^{}", g.0),
            Self::ImageProduct(g) => write!(f, "the key of products with images under X → X^{}", g.0),
            Self::ToSparse => f.write_str("the key to the sparse secret of bootstrapping"),
            Self::FromSparse => f.write_str("the key from the sparse secret of bootstrapping"),
            Self::Reencryption => f.write_str("the re-encryption key"),
        }
    }
}
