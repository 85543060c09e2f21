//! Torus words: digits and rounding.

use super::fft::fetch;
use crate::gadget::{Digits, half_unit};

/// 2^63 and 2^64.
const HALF_TORUS: f64 = (1u64 << 63) as f64;
const TORUS: f64 = 2.0 * HALF_TORUS;

pub(crate) fn decompose(out: &mut [i64], input: &[u64], digit_bits: u32, levels: u32) {
    let digits = Digits::new(digit_bits, levels);
    for (level, out) in Digits::rows(out, input.len(), levels) {
        let shift = digits.shift(level);
        out.iter_mut().zip(input).for_each(|(out, &word)| {
            let field = (word.wrapping_add(digits.offset) >> shift) & digits.mask;
            *out = field.wrapping_sub(digits.half).cast_signed();
        });
    }
}

pub(crate) fn round_shift(out: &mut [u64], input: &[u64], shift: u32) {
    assert_eq!(out.len(), input.len());
    let half = half_unit(shift);
    out.iter_mut().zip(input).for_each(|(out, &word)| *out = word.wrapping_add(half) >> shift);
}

pub(crate) fn round_to_torus(out: &mut [u64], input: &[f64]) {
    assert_eq!(out.len(), input.len());
    out.iter_mut().zip(input).for_each(|(out, &value)| {
        // Every step is exact: the difference is a multiple of the last place of the value and no larger than it.
        let rest = value - (value / TORUS).round_ties_even() * TORUS;
        // A cast would clamp 2^63 to the largest signed word. NaN, from infinities too, fails the comparison and also
        // gives 2^63.
        *out = if rest < HALF_TORUS { (rest.round_ties_even() as i64).cast_unsigned() } else { 1 << 63 };
    });
}

multiples_loops!();
