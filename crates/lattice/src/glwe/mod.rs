//! GLWE over torus polynomials of degree N: a ciphertext of m under k binary secrets sᵢ is (a₁ … a_k, b) with
//! b = Σ aᵢ·sᵢ + m + e. GGSW ciphertexts of bits multiply them, and turn them by encrypted exponents.

mod accumulator;
mod bootstrap_key;
mod ciphertext;
mod secret;
mod source;

pub use bootstrap_key::{BootstrapKey, GgswShape, SeededBootstrapKey};
pub use ciphertext::GlweCiphertext;
pub use secret::GlweSecretKey;
pub use source::{GgswSource, StoredBootstrapKey, blind_rotate_many};
