//! The switch of a ciphertext from the torus of 64-bit words to a small power of two.

use asanoha_kernels::{Backend, Modulus};

use super::LweCiphertext;

/// The ciphertext modulo 2^`log2_modulus`, the mask and then the body: each word rounded, and the body shifted so that
/// the mean of the rounding errors is zero, which halves their variance for a binary secret.
///
/// Write aᵢ = wᵢ·a′ᵢ + εᵢ with w = 2^(64 − log2_modulus). Then w·(b′ − Σ a′ᵢ·sᵢ) = b − Σ aᵢ·sᵢ − ε_b + Σ εᵢ·sᵢ. As the
/// bits are ½ in the mean, Σ εᵢ·sᵢ = ½·Σ εᵢ + Σ εᵢ·(sᵢ − ½). The first sum is public and is subtracted from b before it's
/// rounded. What is left has the variance Σ εᵢ²/4 in place of Σ εᵢ²/2, so with that of ε_b it's (n/4 + 1)·w²/12.
///
/// Source: de Ruijter, D'Anvers, Verbauwhede, "Don't be mean: reducing approximation noise in TFHE through mean
/// compensation" (2025).
///
/// # Panics
/// Unless `log2_modulus` is from 1 to 63.
pub fn switch_modulus(ciphertext: &LweCiphertext, log2_modulus: u32, backend: Backend) -> Vec<u64> {
    assert!((1..u64::BITS).contains(&log2_modulus));
    let shift = u64::BITS - log2_modulus;
    let round = backend.kernels(Modulus::MAX_BITS).round_shift;
    let (mask, body) = ciphertext.parts();
    let mut out = vec![0; mask.len() + 1];
    let (rounded, last) = out.split_at_mut(mask.len());
    round(rounded, mask, shift);
    let errors = mask.iter().zip(&*rounded).map(|(&a, &a1)| a.wrapping_sub(a1 << shift).cast_signed());
    let half_sum = errors.map(i128::from).sum::<i128>() >> 1;
    round(last, &[body.wrapping_sub(half_sum as u64)], shift);
    out
}
