//! Kernels for WebAssembly with its 128-bit vectors.
//!
//! There are no double-word products. For moduli of at most 50 bits the quotient c of a product a·b comes from double
//! precision, and the remainder a·b − c·q from its lower 64 bits. Wider moduli put the upper words of products together
//! from products of 32-bit halves. What isn't faster so is the portable code's.
//!
//! A module with such instructions runs only where the browser has them. So they are chosen when it's compiled
//! (`-C target-feature=+simd128`), and need no detection.

mod chacha20;
mod float;
mod modular;
mod ntt;
mod rns;
mod signed;
mod slices;
mod slots;
mod vector;

pub(crate) use chacha20::ChaCha20;

use crate::{Kernels, Modulus, SwitchTerm, roots::simd128::MAX_FLOAT_BITS, scalar, switch};

/// The table for words of at most [`MAX_FLOAT_BITS`] bits.
static FLOAT_KERNELS: Kernels = Kernels {
    max_bits: MAX_FLOAT_BITS,
    mul_assign: float::mul_assign,
    fma_assign: float::fma_assign,
    mul_scalar_assign: float::mul_scalar_assign,
    fma_scalar_assign: float::fma_scalar_assign,
    sub_mul_scalar_assign: float::sub_mul_scalar_assign,
    inner_product: float::inner_product,
    weighted_sum: float::weighted_sum,
    matrix_product: float::matrix_product,
    ..WORD_KERNELS
};

/// The table for all words.
const WORD_KERNELS: Kernels = Kernels {
    name: "simd128",
    max_bits: Modulus::MAX_BITS,
    add_assign: modular::add_assign,
    sub_assign: modular::sub_assign,
    neg_assign: modular::neg_assign,
    mul_assign: modular::mul_assign,
    fma_assign: modular::fma_assign,
    mul_scalar_assign: modular::mul_scalar_assign,
    fma_scalar_assign: modular::fma_scalar_assign,
    sub_mul_scalar_assign: modular::sub_mul_scalar_assign,
    inner_product: rns::inner_product,
    switch_sum,
    weighted_sum: rns::weighted_sum,
    matrix_product: rns::matrix_product,
    rounded_sum: rns::rounded_sum,
    fraction_size: rns::fraction_size,
    from_signed: signed::from_signed,
    ntt_forward: ntt::forward,
    ntt_inverse: ntt::inverse,
    to_floats: slots::to_floats,
    ..scalar::KERNELS
};

/// The kernels for words of `bits` bits.
pub(crate) fn kernels(bits: u32) -> &'static Kernels {
    static WIDE: Kernels = WORD_KERNELS;
    if bits <= MAX_FLOAT_BITS { &FLOAT_KERNELS } else { &WIDE }
}

fn switch_sum(out: [&mut [u64]; 2], terms: &[SwitchTerm<'_>], q: &Modulus) {
    switch::composed(kernels(q.bits()), out, terms, q);
}

/// Whether this processor has every instruction that the functions here enable: the module wouldn't run otherwise.
pub(crate) fn is_available() -> bool {
    cfg!(target_feature = "simd128")
}
