//! Kernels for processors with AVX2 and FMA.
//!
//! Moduli of at most 50 bits are worked on in double precision: h = a·b, its error l = fma(a, b, −h) and the rounded
//! quotient c give the exact remainder fma(−c, q, h) + l. Wider ones take 64-bit words, their double-word products
//! put together from products of 32-bit halves.

pub(crate) mod fft;
pub(crate) mod float;
mod gadget;
mod modular;
pub(crate) mod ntt;
mod packed;
mod rns;
mod signed;
mod slices;
mod vector;

pub(crate) use {
    crate::roots::avx2::MAX_FLOAT_BITS,
    packed::unpack,
    vector::{Distance, shift_count},
};

use crate::{Kernels, Modulus, SwitchTerm, scalar, slots, switch};

/// The table for words of at most [`MAX_FLOAT_BITS`] bits.
static FLOAT_KERNELS: Kernels = Kernels {
    max_bits: MAX_FLOAT_BITS,
    mul_assign: float::mul_assign,
    fma_assign: float::fma_assign,
    mul_scalar_assign: float::mul_scalar_assign,
    fma_scalar_assign: float::fma_scalar_assign,
    sub_mul_scalar_assign: float::sub_mul_scalar_assign,
    ..WORD_KERNELS
};

/// The table for all words.
const WORD_KERNELS: Kernels = Kernels {
    name: "avx2",
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
    permute: scalar::permute,
    unpack,
    decompose: gadget::decompose,
    round_shift: gadget::round_shift,
    round_to_torus: gadget::round_to_torus,
    ntt_forward: ntt::forward,
    ntt_inverse: ntt::inverse,
    fft_forward: fft::forward,
    fft_inverse: fft::inverse,
    fft_mul_add: fft::mul_add_assign,
    fft_round_add: fft::round_add_assign,
    external_product: fft::external_product,
    rotate: fft::rotate,
    sub_multiples: gadget::sub_multiples,
    to_slots: slots::avx2::to_slots,
    to_coefficients: slots::avx2::to_coefficients,
    to_floats: slots::avx2::to_floats,
};

/// The kernels for words of `bits` bits. They may be handed out only where [`is_available`] holds: their functions are
/// safe to call only there.
pub(crate) fn kernels(bits: u32) -> &'static Kernels {
    static WIDE: Kernels = WORD_KERNELS;
    if bits <= MAX_FLOAT_BITS { &FLOAT_KERNELS } else { &WIDE }
}

fn switch_sum(out: [&mut [u64]; 2], terms: &[SwitchTerm<'_>], q: &Modulus) {
    switch::composed(kernels(q.bits()), out, terms, q);
}

/// Whether this processor has every instruction that the functions here enable.
pub(crate) fn is_available() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}
