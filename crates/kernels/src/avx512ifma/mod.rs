//! Kernels for processors with AVX-512 IFMA (multiply-adds of the low or the high 52 bits of products of 52-bit words)
//! and VBMI (byte permutations, which every processor with IFMA has).
//!
//! Multiplicands are read modulo 2^52, so most loops let words grow above bit 52 and never mask: only the value modulo
//! 2^52 counts, and the bounds keep the true value of every word in [0, 2^52). Moduli of at most 50 bits leave room for
//! that.

mod matrix;
mod modular;
mod ntt;
mod rns;
mod switch;
mod vector;
pub(crate) mod wide;

pub(crate) use vector::MAX_BITS;

use crate::{Kernels, avx2, avx512, slots};

/// The table of this back-end. It may be handed out only where [`is_available`] holds: its functions are safe to call
/// only there.
pub(crate) static KERNELS: Kernels = Kernels {
    name: "avx512ifma",
    max_bits: MAX_BITS,
    add_assign: modular::add_assign,
    sub_assign: modular::sub_assign,
    neg_assign: modular::neg_assign,
    mul_assign: modular::mul_assign,
    fma_assign: modular::fma_assign,
    mul_scalar_assign: modular::mul_scalar_assign,
    fma_scalar_assign: modular::fma_scalar_assign,
    sub_mul_scalar_assign: modular::sub_mul_scalar_assign,
    inner_product: rns::inner_product,
    switch_sum: switch::switch_sum,
    weighted_sum: rns::weighted_sum,
    matrix_product: matrix::matrix_product,
    rounded_sum: avx512::rounded_sum,
    fraction_size: avx512::fraction_size,
    from_signed: avx512::from_signed,
    permute: avx512::permute,
    unpack: avx2::unpack,
    decompose: avx512::gadget::decompose,
    round_shift: avx512::gadget::round_shift,
    round_to_torus: avx512::gadget::round_to_torus,
    ntt_forward: ntt::forward,
    ntt_inverse: ntt::inverse,
    fft_forward: avx512::fft::forward,
    fft_inverse: avx512::fft::inverse,
    fft_mul_add: avx512::fft::mul_add_assign,
    fft_round_add: avx512::fft::round_add_assign,
    external_product: avx512::fft::external_product,
    rotate: avx512::fft::rotate,
    sub_multiples: avx512::gadget::sub_multiples,
    to_slots: slots::avx512::to_slots,
    to_coefficients: slots::avx512::to_coefficients,
    to_floats: slots::avx512::to_floats,
};

/// Whether this processor has every instruction that the functions here enable.
pub(crate) fn is_available() -> bool {
    avx512::is_available() && is_x86_feature_detected!("avx512ifma") && is_x86_feature_detected!("avx512vbmi")
}
