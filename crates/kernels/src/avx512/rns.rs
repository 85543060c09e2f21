//! Sums of many products with one reduction.

use std::arch::x86_64::{
    _mm512_add_pd as add_floats, _mm512_castpd_si512 as bits, _mm512_cvtepu64_pd as to_floats,
    _mm512_cvttpd_epu64 as floors, _mm512_max_pd as max_floats, _mm512_mul_pd as mul_floats,
    _mm512_set1_pd as splat_float, _mm512_setzero_pd as zero_float, _mm512_sub_pd as sub_floats,
};

use super::slices::{fill, read, read_last};
use super::vector::{
    Factor, LANES, Prime, ShiftCount, Vector, add, and, load, mul_halves, shift_left, shift_right, splat,
    store, zero,
};
use crate::Modulus;

/// Vectors summed side by side.
const STRIP: usize = 2;

digit_sums!(#[target_feature(enable = "avx512f,avx512dq")]);
rounded_sums!(#[target_feature(enable = "avx512f,avx512dq")]);
