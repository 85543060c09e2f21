//! Portable kernels, written so that a compiler can vectorise them. They are the reference that all other back-ends
//! match bit by bit.

pub(crate) mod fft;
mod gadget;
mod modular;
pub(crate) mod ntt;
mod permute;
mod rns;
mod signed;
pub(crate) mod wide;

pub(crate) use {permute::permute, rns::switch_sum, signed::from_signed};

use crate::{Kernels, Modulus, slots};

/// The table of this back-end.
pub(crate) static KERNELS: Kernels = Kernels {
    name: "scalar",
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
    from_signed,
    permute,
    unpack: |out, words, start| words.unpack(start, out),
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
    to_slots: slots::to_slots,
    to_coefficients: slots::to_coefficients,
    to_floats: slots::to_floats,
};
