//! Kernels for processors with AVX-512 F, DQ, VL and BW: 64-bit residues, their double-word products put together
//! from products of 32-bit halves (`vpmuludq`) and 64-bit ones (`vpmullq`, one instruction at full rate on Zen 4).
//!
//! Quotients are estimated without the product of the lower halves. That leaves remainders below 4q in place of
//! 2q, and three spare bits of the 64 carry them.

mod chacha20;
pub(crate) mod fft;
pub(crate) mod gadget;
mod modular;
pub(crate) mod ntt;
mod permute;
mod rns;
mod signed;
pub(crate) mod slices;
pub(crate) mod vector;

pub(crate) use chacha20::{ChaCha20, keep_residues};
pub(crate) use permute::{moved, permute};
pub(crate) use {
    rns::{fraction_size, rounded_sum},
    signed::from_signed,
};

use crate::{Kernels, Modulus, SwitchTerm, avx2, slots, switch};

/// The table for all words.
const WIDE_KERNELS: Kernels = Kernels {
    name: "avx512",
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
    rounded_sum,
    fraction_size,
    from_signed,
    permute,
    unpack: avx2::unpack,
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
    to_slots: slots::avx512::to_slots,
    to_coefficients: slots::avx512::to_coefficients,
    to_floats: slots::avx512::to_floats,
};

/// The kernels for words of `bits` bits. They may be handed out only where [`is_available`] holds: their functions are
/// safe to call only there.
pub(crate) fn kernels(bits: u32) -> &'static Kernels {
    static WIDE: Kernels = WIDE_KERNELS;
    // Where double precision reaches, it's faster than words in halves, even in half the vector.
    static NARROW: Kernels = Kernels {
        max_bits: avx2::MAX_FLOAT_BITS,
        mul_assign: avx2::float::mul_assign,
        fma_assign: avx2::float::fma_assign,
        ntt_forward: avx2::ntt::forward,
        ntt_inverse: avx2::ntt::inverse,
        ..WIDE_KERNELS
    };
    if bits <= avx2::MAX_FLOAT_BITS { &NARROW } else { &WIDE }
}

fn switch_sum(out: [&mut [u64]; 2], terms: &[SwitchTerm<'_>], q: &Modulus) {
    switch::composed(kernels(q.bits()), out, terms, q);
}

/// Whether this processor has every instruction that the functions here enable.
pub(crate) fn is_available() -> bool {
    avx2::is_available()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
}
