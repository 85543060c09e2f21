//! External products and steps of blind rotations against products of integers, and every back-end bit for bit against the
//! portable one; sums of rows against plain ones.

use crate::common::{Contents, words_below};

// Not every helper is for this file.
#[allow(dead_code)]
use asanoha_kernels::{
    Backend, ExternalProduct, ExternalProductError, FftError, FftTable, Kernels, ProductScratch,
};
use proptest::prelude::*;

fn backends() -> impl Iterator<Item = &'static Kernels> {
    Backend::available().into_iter().map(|backend| backend.kernels(61))
}

fn uniform(seed: u64, length: usize) -> Vec<u64> {
    let high = words_below(1 << 32, length, Contents::Random, seed);
    high.iter()
        .zip(words_below(1 << 32, length, Contents::Random, !seed))
        .map(|(high, low)| high << 32 | low)
        .collect()
}

fn words(seed: u64, length: usize) -> Vec<u32> {
    uniform(seed, length).into_iter().map(|word| (word >> 32) as u32).collect()
}

/// A key of random rows: each row's polynomials, and how the kernels read them.
struct Key {
    rows: Vec<Vec<u64>>,
    words: Vec<f64>,
}

impl Key {
    fn random(shape: &ExternalProduct, seed: u64) -> Self {
        let n = shape.ring_degree();
        let rows: Vec<_> =
            (0..shape.rows()).map(|row| uniform(seed + row as u64, shape.polys() * n)).collect();
        let table = FftTable::new(n).unwrap();
        let kernels = Backend::Scalar.kernels(61);
        let mut words = vec![0.0; shape.key_words()];
        let mut fourier = vec![0.0; n];
        for (row, polys) in rows.iter().enumerate() {
            for (poly, coefficients) in polys.chunks(n).enumerate() {
                let signed: Vec<_> = coefficients.iter().map(|word| word.cast_signed()).collect();
                (kernels.fft_forward)(&mut fourier, &signed, &table);
                shape.write_key(&mut words, row, poly, &fourier);
            }
        }
        Self { rows, words }
    }

    /// The product's polynomials modulo 2^64, by integers.
    fn product(&self, input: &[u32], (digit_bits, levels): (u32, u32), n: usize) -> Vec<u64> {
        let mut out = vec![0u64; input.len()];
        let mut rows = self.rows.iter();
        for poly in input.chunks(n) {
            let digits = digits(poly, digit_bits, levels);
            for digits in digits {
                for (out, key) in out.chunks_mut(n).zip(rows.next().unwrap().chunks(n)) {
                    for (i, &digit) in digits.iter().enumerate() {
                        for (j, &word) in key.iter().enumerate() {
                            let term = word.wrapping_mul(digit.cast_unsigned());
                            let term = if i + j < n { term } else { term.wrapping_neg() };
                            out[(i + j) % n] = out[(i + j) % n].wrapping_add(term);
                        }
                    }
                }
            }
        }
        out
    }
}

/// The digits of all words, the most significant first: the rest after each is halved in size.
fn digits(words: &[u32], digit_bits: u32, levels: u32) -> Vec<Vec<i64>> {
    let mut out = vec![vec![0; words.len()]; levels as usize];
    for (at, &word) in words.iter().enumerate() {
        let dropped = 32 - digit_bits * levels;
        let half = if dropped == 0 { 0 } else { 1u64 << (dropped - 1) };
        let mut rest = (u64::from(word) + half) >> dropped;
        for level in (0..levels as usize).rev() {
            let base = 1u64 << digit_bits;
            let digit = rest % base;
            let carry = digit >= base / 2;
            out[level][at] = digit as i64 - if carry { base as i64 } else { 0 };
            rest = rest / base + u64::from(carry);
        }
    }
    out
}

/// (X^exponent − 1)·a.
fn difference(a: &[u32], exponent: usize, n: usize) -> Vec<u32> {
    let mut out = vec![0; a.len()];
    for (out, a) in out.chunks_mut(n).zip(a.chunks(n)) {
        for (i, &a) in a.iter().enumerate() {
            let to = (i + exponent) % (2 * n);
            out[to % n] = if to < n { a } else { a.wrapping_neg() };
        }
        out.iter_mut().zip(a).for_each(|(out, &a)| *out = out.wrapping_sub(a));
    }
    out
}

struct Memory {
    words: Vec<u32>,
    spectra: Vec<f64>,
}

impl Memory {
    fn new(shape: &ExternalProduct) -> Self {
        // What stands there must not matter.
        Self { words: vec![7; shape.ciphertext_words()], spectra: vec![f64::NAN; shape.spectra_words()] }
    }

    fn scratch(&mut self) -> ProductScratch<'_> {
        ProductScratch { words: &mut self.words, spectra: &mut self.spectra }
    }
}

const SHAPES: [(usize, (u32, u32)); 6] =
    [(2, (23, 1)), (2, (10, 2)), (3, (8, 3)), (2, (32, 1)), (2, (1, 32)), (9, (4, 2))];

#[test]
fn products_are_those_of_integers_on_every_back_end() {
    const N: usize = 512;
    for (polys, (digit_bits, levels)) in SHAPES {
        let shape = ExternalProduct::new(N, polys, digit_bits, levels).unwrap();
        let key = Key::random(&shape, 11);
        let mut input = words(5, shape.ciphertext_words());
        input[..4].copy_from_slice(&[0, u32::MAX, 1 << 31, (1 << 31) - 1]);
        let start = words(9, input.len());
        let exact = key.product(&input, (digit_bits, levels), N);
        let mut first: Option<Vec<u32>> = None;
        for kernels in backends() {
            let mut out = start.clone();
            let mut memory = Memory::new(&shape);
            (kernels.external_product)(&mut out, &input, &key.words, &mut memory.scratch(), &shape);
            // Double precision: rows·n products of digits with numbers of 53 bits.
            let size = 2f64.powi(digit_bits as i32 - 1) * (shape.rows() * N) as f64;
            let bound = size * 2f64.powi(-51) * 9.0 + 2f64.powi(-32);
            for ((&out, start), exact) in out.iter().zip(&start).zip(&exact) {
                let word = u64::from(out.wrapping_sub(*start)) << 32;
                let error = word.wrapping_sub(*exact).cast_signed() as f64 / 2f64.powi(64);
                assert!(error.abs() < bound, "{}, {polys}, {digit_bits}: {error:e} {bound:e}", kernels.name);
            }
            assert_eq!(first.get_or_insert_with(|| out.clone()), &out, "{}", kernels.name);
        }
    }
}

#[test]
fn the_kinds_of_degrees_agree_on_every_back_end() {
    for n in [512, 1024, 2048, 4096, 8192] {
        let shape = ExternalProduct::new(n, 2, 20, 1).unwrap();
        let key = Key::random(&shape, 3);
        let input = words(4, shape.ciphertext_words());
        let mut all = backends().map(|kernels| {
            let mut out = vec![0; input.len()];
            (kernels.external_product)(
                &mut out,
                &input,
                &key.words,
                &mut Memory::new(&shape).scratch(),
                &shape,
            );
            out
        });
        let first = all.next().unwrap();
        assert!(all.all(|out| out == first), "{n}");
        // One coefficient of the first polynomial, by integers.
        let digits: Vec<_> = input.chunks(n).map(|poly| digits(poly, 20, 1).swap_remove(0)).collect();
        let exact = digits.iter().zip(&key.rows).fold(0u64, |sum, (digits, row)| {
            let products = digits.iter().enumerate().map(|(i, &digit)| {
                let term = row[(n - i) % n].wrapping_mul(digit.cast_unsigned());
                if i == 0 { term } else { term.wrapping_neg() }
            });
            products.fold(sum, u64::wrapping_add)
        });
        let error = (u64::from(first[0]) << 32).wrapping_sub(exact).cast_signed() as f64 / 2f64.powi(64);
        assert!(error.abs() < 2f64.powi(-14), "{n}: {error:e}");
    }
}

#[test]
fn steps_of_rotations_are_products_of_differences() {
    const N: usize = 512;
    let shape = ExternalProduct::new(N, 3, 7, 2).unwrap();
    let (key, next) = (Key::random(&shape, 1), vec![0.0; 1000]);
    for exponent in [0, 1, 7, N - 1, N, N + 1, 2 * N - 1, 2 * N, 5 * N + 3] {
        let start = words(exponent as u64, shape.ciphertext_words());
        for kernels in backends() {
            let mut expected = start.clone();
            let turned = difference(&start, exponent, N);
            (kernels.external_product)(
                &mut expected,
                &turned,
                &key.words,
                &mut Memory::new(&shape).scratch(),
                &shape,
            );
            for next in [&next[..], &[]] {
                let mut acc = start.clone();
                (kernels.rotate)(
                    &mut acc,
                    exponent,
                    &key.words,
                    next,
                    &mut Memory::new(&shape).scratch(),
                    &shape,
                );
                assert_eq!(acc, expected, "{}, X^{exponent}", kernels.name);
            }
        }
    }
}

#[test]
fn shapes_out_of_range_are_refused() {
    assert_eq!(ExternalProduct::new(500, 2, 8, 2).unwrap_err(), ExternalProductError::Degree(FftError(500)));
    for polys in [0, 1, 10] {
        assert_eq!(ExternalProduct::new(512, polys, 8, 2).unwrap_err(), ExternalProductError::Polys(polys));
    }
    for (digit_bits, levels) in [(0, 1), (1, 0), (33, 1), (17, 2), (u32::MAX, 2)] {
        let error = ExternalProduct::new(512, 2, digit_bits, levels).unwrap_err();
        assert_eq!(error, ExternalProductError::Digits { digit_bits, levels });
    }
}

#[test]
#[should_panic = "left == right"]
fn a_key_of_the_wrong_length_panics() {
    let shape = ExternalProduct::new(512, 2, 8, 2).unwrap();
    let (mut out, input) = (vec![0; 1024], vec![0; 1024]);
    let kernels = Backend::Scalar.kernels(61);
    (kernels.external_product)(&mut out, &input, &[0.0; 512], &mut Memory::new(&shape).scratch(), &shape);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn multiples_of_rows_are_taken_away(seed: u64, width in 0usize..70, factors in prop::collection::vec(any::<i32>(), 0..11)) {
        let rows = words(seed, width * factors.len());
        let start = words(!seed, width);
        let mut expected = start.clone();
        for (row, factor) in rows.chunks(width.max(1)).zip(&factors) {
            for (out, &word) in expected.iter_mut().zip(row) {
                *out = (i64::from(*out) - i64::from(word) * i64::from(*factor)).rem_euclid(1 << 32) as u32;
            }
        }
        for kernels in backends() {
            let mut out = start.clone();
            (kernels.sub_multiples)(&mut out, &rows, &factors);
            prop_assert_eq!(&out, &expected, "{}", kernels.name);
        }
    }
}
