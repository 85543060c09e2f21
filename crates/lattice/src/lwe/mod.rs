//! LWE over the torus of 64-bit words: a ciphertext of m under a binary secret s is (a, b) with b = Σ aᵢ·sᵢ + m + e.

mod ciphertext;
mod key_switch;
mod modulus_switch;
mod secret;

pub use ciphertext::LweCiphertext;
pub use key_switch::{LweSwitchKey, LweSwitchShape, SeededLweSwitchKey};
pub use modulus_switch::switch_modulus;
pub use secret::LweSecretKey;
