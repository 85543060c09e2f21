//! The FFT against exact products and values, and every back-end bit for bit against the portable one.

use crate::common::{Contents, contents, words_below};

// Not every helper is for this file.
#[allow(dead_code)]
use asanoha_kernels::{
    Backend, FftError, FftTable, Kernels, MAX_FFT_DEGREE, MIN_FFT_DEGREE, fourier_exponent, fourier_words,
};
use proptest::prelude::*;

fn backends() -> impl Iterator<Item = &'static Kernels> {
    // The narrowest and the widest words may have different tables.
    Backend::available().into_iter().flat_map(|backend| [backend.kernels(50), backend.kernels(61)])
}

fn degrees() -> impl Iterator<Item = usize> {
    (MIN_FFT_DEGREE.ilog2()..=MAX_FFT_DEGREE.ilog2()).map(|log2| 1 << log2)
}

/// Signed integers in [−2^bits, 2^bits).
fn integers(bits: u32, length: usize, kind: Contents, seed: u64) -> Vec<i64> {
    let centre = 1i64 << bits;
    let words = words_below(1 << (bits + 1), length, kind, seed);
    words.into_iter().map(|word| word as i64 - centre).collect()
}

fn forward(kernels: &Kernels, input: &[i64], table: &FftTable) -> Vec<f64> {
    let mut out = vec![f64::NAN; input.len()];
    (kernels.fft_forward)(&mut out, input, table);
    out
}

fn inverse(kernels: &Kernels, spectrum: &[f64], table: &FftTable) -> Vec<f64> {
    let mut out = vec![f64::NAN; spectrum.len()];
    (kernels.fft_inverse)(&mut out, &mut spectrum.to_vec(), table);
    out
}

fn product(kernels: &Kernels, a: &[i64], b: &[i64], table: &FftTable) -> Vec<f64> {
    let mut acc = vec![0.0; a.len()];
    (kernels.fft_mul_add)(&mut acc, &forward(kernels, a, table), &forward(kernels, b, table));
    inverse(kernels, &acc, table)
}

/// Coefficient `index` of a·b modulo X^n + 1.
fn exact_coefficient(a: &[i64], b: &[i64], index: usize) -> i128 {
    let n = a.len();
    let term = |i: usize| {
        let sign = if i <= index { 1 } else { -1 };
        sign * a[i] as i128 * b[(index + n - i) % n] as i128
    };
    (0..n).map(term).sum()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.map(f64::abs).fold(0.0, f64::max)
}

/// The bound of `fft_forward`'s contract for inputs of at most `largest`.
fn forward_bound(n: usize, largest: f64) -> f64 {
    2f64.powi(-52) * n.ilog2() as f64 * n as f64 * largest
}

#[test]
fn tables_exist_for_the_degrees_in_range_only() {
    for n in degrees() {
        assert_eq!(FftTable::new(n).unwrap().ring_degree(), n);
    }
    for n in [0, 1, MIN_FFT_DEGREE / 2, MIN_FFT_DEGREE + 1, 3 << 10, 2 * MAX_FFT_DEGREE] {
        assert_eq!(FftTable::new(n).unwrap_err(), FftError(n));
    }
}

#[test]
fn the_order_meets_every_value_up_to_conjugation_once() {
    for n in degrees() {
        let mut exponents: Vec<_> = (0..n / 2).map(|index| fourier_exponent(n, index)).collect();
        exponents.sort_unstable();
        assert!(exponents.iter().copied().eq((0..n / 2).map(|k| 4 * k + 1)));
        let mut words: Vec<_> =
            (0..n / 2).flat_map(|index| <[usize; 2]>::from(fourier_words(index))).collect();
        words.sort_unstable();
        assert!(words.into_iter().eq(0..n));
    }
}

#[test]
fn entries_are_the_values_at_the_documented_roots() {
    let kernels = Backend::Scalar.kernels(61);
    for n in degrees() {
        let table = FftTable::new(n).unwrap();
        let a = integers(20, n, Contents::Random, n as u64);
        let spectrum = forward(kernels, &a, &table);
        for index in (0..n / 2).step_by(n / 32 + 1) {
            let exponent = fourier_exponent(n, index);
            let angle = |j: usize| std::f64::consts::PI * (exponent * j % (2 * n)) as f64 / n as f64;
            let value =
                |f: fn(f64) -> f64| a.iter().enumerate().map(|(j, &a)| a as f64 * f(angle(j))).sum::<f64>();
            let (re, im) = fourier_words(index);

            let bound = 8.0 * forward_bound(n, (1 << 20) as f64);
            assert!((spectrum[re] - value(f64::cos)).abs() < bound, "n = {n}, entry {index}");
            assert!((spectrum[im] - value(f64::sin)).abs() < bound, "n = {n}, entry {index}");
        }
    }
}

#[test]
fn round_trips_are_within_the_bound() {
    for n in degrees() {
        let table = FftTable::new(n).unwrap();
        for (kind, seed) in Contents::ALL.into_iter().zip(1..) {
            let a = integers(40, n, kind, seed);
            for kernels in backends() {
                let back = inverse(kernels, &forward(kernels, &a, &table), &table);
                let error = greatest(back.iter().zip(&a).map(|(back, &a)| back - a as f64));
                let bound = 2f64.powi(40 - 52) * n.ilog2() as f64;
                assert!(error <= bound, "{}, n = {n}: {error} > {bound}", kernels.name);
            }
        }
    }
}

#[test]
fn transforms_of_one_coefficient_are_its_roots() {
    for n in degrees() {
        let table = FftTable::new(n).unwrap();
        for position in [0, 1, n / 2 - 1, n / 2, n - 1] {
            let mut a = vec![0; n];
            a[position] = i64::MIN;
            for kernels in backends() {
                let spectrum = forward(kernels, &a, &table);
                for index in 0..n / 2 {
                    let exponent = fourier_exponent(n, index) * position % (2 * n);
                    let (sin, cos) = (std::f64::consts::PI * exponent as f64 / n as f64).sin_cos();
                    let (re, im) = fourier_words(index);
                    let error = greatest(
                        [spectrum[re] / 2f64.powi(63) + cos, spectrum[im] / 2f64.powi(63) + sin].into_iter(),
                    );
                    assert!(error < 2f64.powi(-48), "{}, n = {n}, X^{position}, entry {index}", kernels.name);
                }
            }
        }
    }
}

#[test]
fn the_sum_of_many_products_is_exact_after_rounding() {
    let n = 1024;
    let table = FftTable::new(n).unwrap();
    let a: Vec<_> = (0..6).map(|k| integers(8, n, Contents::Random, k)).collect();
    let b: Vec<_> = (0..6).map(|k| integers(20, n, Contents::Random, 100 + k)).collect();
    for kernels in backends() {
        let mut acc = vec![0.0; n];
        for (a, b) in a.iter().zip(&b) {
            (kernels.fft_mul_add)(&mut acc, &forward(kernels, a, &table), &forward(kernels, b, &table));
        }
        let sum = inverse(kernels, &acc, &table);
        for (index, sum) in sum.iter().enumerate() {
            let exact: i128 = a.iter().zip(&b).map(|(a, b)| exact_coefficient(a, b, index)).sum();
            assert_eq!(sum.round() as i128, exact);
        }
    }
}

#[test]
fn rounding_to_torus_words_is_exact_modulo_their_size() {
    let mut input =
        vec![0.0, 0.5, 1.5, -0.5, -1.5, 2f64.powi(63), -(2f64.powi(63)), 2f64.powi(64), 1e300, 5e-324];
    input.extend((0..2000).map(|k| 2f64.powi(k % 130 - 5) * (k as f64 * 0.618_033_988_75).fract() - 0.25));
    input.extend((0..2000).map(|k| -(2f64.powi(k % 130 - 5)) * (k as f64 * 0.414_213_562_37).fract()));
    for length in [0, 1, 3, 4, 7, 8, 9, input.len()] {
        let before = words_below(u64::MAX, length, Contents::Random, 5);
        for kernels in backends() {
            let mut out = before.clone();
            (kernels.fft_round_add)(&mut out, &input[..length]);
            for ((&x, out), before) in input.iter().zip(out).zip(&before) {
                let rounded = x.round_ties_even();
                let expected = if rounded.abs() < 2f64.powi(126) { rounded as i128 as u64 } else { 0 };
                assert_eq!(out.wrapping_sub(*before), expected, "{}: {x}", kernels.name);
            }
        }
    }
}

#[test]
#[should_panic = "left == right"]
fn a_slice_of_the_wrong_length_panics() {
    let table = FftTable::new(512).unwrap();
    (Backend::Scalar.kernels(50).fft_forward)(&mut [0.0; 512], &[0; 256], &table);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Digits of a bootstrapping against words of 20 bits, whole products for small degrees, samples for others.
    #[test]
    fn products_are_exact_after_rounding(kind in contents(), seed: u64) {
        for n in degrees() {
            let table = FftTable::new(n).unwrap();
            let (a, b) = (integers(10, n, kind, seed), integers(20, n, Contents::Random, !seed));
            for kernels in backends() {
                let ab = product(kernels, &a, &b, &table);
                for index in (0..n).step_by(if n <= 1024 { 1 } else { n / 64 - 1 }) {
                    prop_assert_eq!(ab[index].round() as i128, exact_coefficient(&a, &b, index));
                }
            }
        }
    }

    #[test]
    fn all_back_ends_give_the_same_bits(width in 1u32..62, kind in contents(), seed: u64) {
        let scalar = Backend::Scalar.kernels(61);
        for n in degrees() {
            let table = FftTable::new(n).unwrap();
            let (a, b) = (integers(width, n, kind, seed), integers(62, n, Contents::Random, !seed));
            let expected = (forward(scalar, &a, &table), product(scalar, &a, &b, &table));
            for kernels in backends() {
                prop_assert_eq!(bits(&forward(kernels, &a, &table)), bits(&expected.0));
                prop_assert_eq!(bits(&product(kernels, &a, &b, &table)), bits(&expected.1));
            }
        }
    }

    #[test]
    fn the_transform_is_linear(kind in contents(), seed: u64, factor in -1000i64..1000) {
        for n in degrees() {
            let table = FftTable::new(n).unwrap();
            let (a, b) = (integers(30, n, kind, seed), integers(30, n, Contents::Random, !seed));
            let sum: Vec<_> = a.iter().zip(&b).map(|(a, b)| a + factor * b).collect();
            for kernels in backends() {
                let (a, b) = (forward(kernels, &a, &table), forward(kernels, &b, &table));
                let sum = forward(kernels, &sum, &table);
                let error = greatest((0..n).map(|i| sum[i] - a[i] - factor as f64 * b[i]));
                prop_assert!(error < 2.0 * forward_bound(n, 1001.0 * 2f64.powi(30)));
            }
        }
    }
}
