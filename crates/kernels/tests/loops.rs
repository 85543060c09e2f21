//! Permutations, signed residues, digits and rounding: every back-end held bit for bit against the portable one, and
//! that one against exact integers.

use crate::common;
use crate::common::{contents, words_below};

#[allow(dead_code)] // Its primes are for the transforms.
use asanoha_kernels::{Backend, Kernels, Modulus, PackedWords, Permutation, evaluation_exponent};
use proptest::prelude::*;

fn backends(bits: u32) -> impl Iterator<Item = &'static Kernels> {
    Backend::available().into_iter().map(move |backend| backend.kernels(bits))
}

fn scalar() -> &'static Kernels {
    Backend::Scalar.kernels(Modulus::MAX_BITS)
}

fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..41, 1000usize..1100]
}

/// All words, with the edges of the signed and of the unsigned range often.
fn any_words(length: usize, seed: u64) -> Vec<u64> {
    let (choices, words) =
        (words_below(u64::MAX, length, common::Contents::Random, seed), [0, 1, 2, 3, 4, 5]);
    let edge = |word: u64| [0, 1 << 63, u64::MAX, (1 << 63) - 1, 1 << 32, 1][words[(word >> 7) as usize % 6]];
    choices.into_iter().map(|word| if word % 3 == 0 { edge(word) } else { word.rotate_left(13) }).collect()
}

/// Random words in random order of size.
fn all_sizes(length: usize, seed: u64) -> Vec<u64> {
    any_words(length, seed).iter().zip(any_words(length, !seed)).map(|(a, b)| a >> (b % 64)).collect()
}

/// The automorphism X → X^g in evaluation order.
fn automorphism(degree: usize, g: usize) -> Vec<u32> {
    let index_of = |exponent| {
        (0..degree).position(|index| evaluation_exponent(degree, index) == exponent).unwrap() as u32
    };
    (0..degree).map(|index| index_of(evaluation_exponent(degree, index) * g % (2 * degree))).collect()
}

/// A permutation of so many words.
fn shuffled(length: usize) -> impl Strategy<Value = Vec<u32>> {
    Just((0..length as u32).collect::<Vec<_>>()).prop_shuffle()
}

/// A permutation of blocks of eight words, each permuted by itself.
fn shuffled_blocks(blocks: usize) -> impl Strategy<Value = Vec<u32>> {
    (shuffled(blocks), prop::collection::vec(shuffled(8), blocks)).prop_map(|(order, inner)| {
        order
            .iter()
            .zip(inner)
            .flat_map(|(block, inner)| inner.into_iter().map(move |i| block * 8 + i))
            .collect()
    })
}

fn hold_permutation(source: &[u32], seed: u64) -> Result<(), TestCaseError> {
    let permutation = Permutation::new(source).unwrap();
    let input = any_words(source.len(), seed);
    let expected: Vec<u64> = source.iter().map(|&source| input[source as usize]).collect();
    for kernels in backends(50).chain(backends(61)) {
        let mut out = vec![7; source.len()];
        (kernels.permute)(&mut out, &input, &permutation);
        prop_assert_eq!(&out, &expected, "{}", kernels.name);
    }
    Ok(())
}

/// (`word` − `other`) as a signed number: the distance of two points of the torus.
fn distance(word: u64, other: u64) -> i64 {
    word.wrapping_sub(other).cast_signed()
}

fn hold_digits(input: &[u64], digit_bits: u32, levels: u32) -> Result<(), TestCaseError> {
    let decompose = |kernels: &Kernels| {
        let mut out = vec![7i64; input.len() * levels as usize];
        (kernels.decompose)(&mut out, input, digit_bits, levels);
        out
    };
    let expected = decompose(scalar());
    for kernels in backends(50).chain(backends(61)) {
        prop_assert_eq!(decompose(kernels), &expected[..], "{} {}×{}", kernels.name, levels, digit_bits);
    }
    let half_base = 1i128 << (digit_bits - 1);
    prop_assert!(expected.iter().all(|&digit| (-half_base..half_base).contains(&i128::from(digit))));
    let bits = digit_bits * levels;
    for (j, &word) in input.iter().enumerate() {
        let sum = (0..levels as usize).fold(0u64, |sum, level| {
            let weight = 1u64 << (64 - (level as u32 + 1) * digit_bits);
            sum.wrapping_add(expected[level * input.len() + j].cast_unsigned().wrapping_mul(weight))
        });
        let bound = if bits == 64 { 0 } else { 1u64 << (63 - bits) };
        prop_assert!(distance(word, sum).unsigned_abs() <= bound, "{word} as {levels}×{digit_bits}");
    }
    Ok(())
}

fn hold_rounding(input: &[f64]) -> Result<(), TestCaseError> {
    let round = |kernels: &Kernels| {
        let mut out = vec![7; input.len()];
        (kernels.round_to_torus)(&mut out, input);
        out
    };
    let expected = round(scalar());
    for kernels in backends(50).chain(backends(61)) {
        let out = round(kernels);
        for ((value, out), expected) in input.iter().zip(out).zip(&expected) {
            prop_assert_eq!(out, *expected, "{}: {:e}", kernels.name, value);
        }
    }
    for (&value, &out) in input.iter().zip(&expected) {
        prop_assert_eq!(out, nearest_integer(value), "{:e}", value);
    }
    Ok(())
}

/// The nearest integer modulo 2^64, halves to even, from the bits of the number.
fn nearest_integer(value: f64) -> u64 {
    if !value.is_finite() {
        return 1 << 63;
    }
    let (exponent, fraction) = ((value.to_bits() >> 52) % 2048, value.to_bits() % (1 << 52));
    let significand = u128::from(fraction) + (u128::from(exponent != 0) << 52);
    // value = ±significand·2^(exponent − 1075)
    let magnitude = match exponent.max(1) as i64 - 1075 {
        64.. => 0,
        shift @ 0..64 => significand << shift,
        shift @ -60..0 => {
            let (floor, rest) = (significand >> -shift, significand % (1 << -shift));
            let half = 1u128 << (-shift - 1);
            floor + u128::from(rest > half || rest == half && floor % 2 == 1)
        }
        _ => 0,
    } as u64;
    if value < 0.0 { magnitude.wrapping_neg() } else { magnitude }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn permutations_agree(source in lengths().prop_flat_map(shuffled), seed: u64) {
        hold_permutation(&source, seed)?;
    }

    #[test]
    fn permutations_in_blocks_agree(source in (0usize..40).prop_flat_map(shuffled_blocks), seed: u64) {
        hold_permutation(&source, seed)?;
    }

    #[test]
    fn automorphisms_agree(log2_degree in 3u32..=9, g: usize, seed: u64) {
        let degree = 1usize << log2_degree;
        hold_permutation(&automorphism(degree, g % degree * 2 + 1), seed)?;
    }

    #[test]
    fn signed_residues_agree(
        bits in prop_oneof![2u32..=61, 12u32..=16, 48u32..=51], low in prop_oneof![Just(0), Just(u64::MAX), any::<u64>()],
        length in lengths(), seed: u64, near: bool,
    ) {
        let top = 1u64 << (bits - 1);
        let q = Modulus::new(top | (low & (top - 1)) | 1).expect("odd and in range");
        // Random words, or words about multiples of the modulus.
        let word = |word: u64| {
            let word = word.cast_signed();
            let value = q.value().cast_signed();
            if near { (word / value).saturating_mul(value).saturating_add(word % 3 - 1) } else { word }
        };
        let input: Vec<i64> = all_sizes(length, seed).into_iter().map(word)
            .zip(any_words(length, seed)).map(|(a, sign)| if sign & 64 == 0 { a } else { a.wrapping_neg() }).collect();
        for kernels in backends(bits) {
            let mut out = vec![7; length];
            (kernels.from_signed)(&mut out, &input, &q);
            for (&word, out) in input.iter().zip(out) {
                let expected = i128::from(word).rem_euclid(i128::from(q.value()));
                prop_assert_eq!(i128::from(out), expected, "{}: {} mod {}", kernels.name, word, q.value());
            }
        }
    }

    #[test]
    fn digits_agree_and_are_as_near_as_can_be(
        (digit_bits, levels) in (1u32..=64).prop_flat_map(|bits| (Just(bits), 1..=64 / bits)),
        length in lengths(), seed: u64, sizes: bool,
    ) {
        let input = if sizes { all_sizes(length, seed) } else { any_words(length, seed) };
        hold_digits(&input, digit_bits, levels)?;
    }

    #[test]
    fn modulus_switches_agree_and_round(shift in 0u32..64, length in lengths(), kind in contents(), seed: u64) {
        for input in [any_words(length, seed), all_sizes(length, seed), words_below(u64::MAX, length, kind, seed)] {
            for kernels in backends(50).chain(backends(61)) {
                let mut out = vec![7; length];
                (kernels.round_shift)(&mut out, &input, shift);
                for (&word, out) in input.iter().zip(out) {
                    let rounded = ((u128::from(word) << 1 >> shift) + 1) >> 1;
                    prop_assert_eq!(u128::from(out), rounded % (1 << (64 - shift)), "{}", kernels.name);
                }
            }
        }
    }

    #[test]
    fn roundings_to_torus_words_agree(length in lengths(), seed: u64) {
        let of_bits = any_words(length, seed).into_iter().map(f64::from_bits).collect::<Vec<_>>();
        hold_rounding(&of_bits)?;
        // Quarters of numbers of all sizes and both signs, up to and beyond 2^64.
        let sizes = all_sizes(length, seed).into_iter().zip(any_words(length, !seed));
        let quarters: Vec<f64> = sizes.map(|(a, b)| a as f64 * [0.25, -0.25, 1.0, -1.0, 3.0, -24.0, 1e6, -1e19][b as usize % 8]).collect();
        hold_rounding(&quarters)?;
    }
}

#[test]
fn residues_of_the_edges_are_right_at_extreme_moduli_of_every_width() {
    let input: Vec<i64> = (0..64)
        .flat_map(|bits| [-1, 0, 1].map(|d| (1i64 << bits).wrapping_add(d)))
        .flat_map(|word| [word, word.wrapping_neg()])
        .collect();
    for bits in 2..=61 {
        for q in [(1u64 << (bits - 1)) + 1, (1 << bits) - 1].map(|q| Modulus::new(q).unwrap()) {
            for kernels in backends(bits) {
                let mut out = vec![7; input.len()];
                (kernels.from_signed)(&mut out, &input, &q);
                let expected = input.iter().map(|&word| q.reduce_i64(word));
                assert!(out.iter().copied().eq(expected), "{} mod {}", kernels.name, q.value());
            }
        }
    }
}

#[test]
fn digits_of_ties_and_edges_are_as_near_as_can_be() {
    for digit_bits in 1..=64 {
        for levels in 1..=64 / digit_bits {
            let unit = (1u128 << (64 - digit_bits * levels)) as u64;
            let edges = [0, 1, unit, unit / 2, 3 * (unit / 2), 1 << 63, (1u64 << 63).wrapping_sub(unit / 2)];
            let around =
                edges.into_iter().flat_map(|x| [x.wrapping_sub(1), x, x.wrapping_add(1), x.wrapping_neg()]);
            hold_digits(&around.collect::<Vec<_>>(), digit_bits, levels).unwrap();
        }
    }
}

#[test]
fn rounding_to_torus_words_is_exact_at_every_power_of_two() {
    let mut values =
        vec![0.0, -0.0, f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN];
    for exponent in -1074..1024 {
        let power =
            if exponent < -1022 { f64::from_bits(1 << (exponent + 1074)) } else { 2f64.powi(exponent) };
        for value in [power.next_down(), power, power.next_up(), 1.5 * power, 2.5 * power, 1.75 * power] {
            values.extend([value, -value, value + 0.5, 0.5 - value]);
        }
    }
    hold_rounding(&values).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn packed_words_come_back_from_any_start(
        bits in 1u32..=64,
        length in lengths(),
        places in (0.0..1.0, 0.0..1.0),
        whole: bool,
        seed: u64,
    ) {
        let words: Vec<u64> = any_words(length, seed).iter().map(|word| word >> (64 - bits)).collect();
        let mut data = vec![0; PackedWords::size(length, bits)];
        PackedWords::pack(&mut data, &words, bits);
        let start = (length as f64 * places.0) as usize;
        let start = if whole { start / 8 * 8 } else { start };
        let count = ((length - start + 1) as f64 * places.1) as usize;
        for kernels in backends(50).chain(backends(61)) {
            let mut out = vec![7; count];
            (kernels.unpack)(&mut out, PackedWords::new(&data, bits, length), start);
            prop_assert_eq!(&out, &words[start..start + count], "{}", kernels.name);
        }
    }
}

#[cfg(panic = "unwind")]
#[test]
fn slices_of_unsuitable_length_panic() {
    let q = Modulus::new((1 << 49) + 1).unwrap();
    let panics = |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
    let (a, b) = ([1u64; 16], [1u64; 24]);
    let (signed, reals) = ([1i64; 24], [1f64; 24]);
    let words = Permutation::new(&(0..16).rev().collect::<Vec<_>>()).unwrap();
    let scattered = Permutation::new(&(0..16).map(|i| i * 5 % 16).collect::<Vec<_>>()).unwrap();
    for kernels in backends(50) {
        for permutation in [&words, &scattered] {
            assert!(panics(&|| (kernels.permute)(&mut a.clone(), &b, permutation)));
            assert!(panics(&|| (kernels.permute)(&mut b.clone(), &a, permutation)));
            assert!(panics(&|| (kernels.permute)(&mut b.clone(), &b, permutation)));
            assert!(panics(&|| (kernels.permute)(&mut [0; 8], &a[..8], permutation)));
        }
        let packed = PackedWords::from(&a[..]);
        assert!(panics(&|| (kernels.unpack)(&mut [0; 9], packed, 8)));
        assert!(panics(&|| (kernels.unpack)(&mut [], packed, 17)));
        assert!(panics(&|| (kernels.from_signed)(&mut a.clone(), &signed, &q)));
        assert!(panics(&|| (kernels.round_shift)(&mut a.clone(), &b, 3)));
        assert!(panics(&|| (kernels.round_shift)(&mut a.clone(), &a, 64)));
        assert!(panics(&|| (kernels.round_to_torus)(&mut a.clone(), &reals)));
        assert!(panics(&|| (kernels.decompose)(&mut signed.clone(), &a, 4, 1)));
        for (digit_bits, levels) in [(0, 1), (1, 0), (65, 1), (33, 2), (u32::MAX, 2), (1 << 31, 2)] {
            let mut out = vec![0; 16 * (levels as usize)];
            assert!(panics(&|| (kernels.decompose)(&mut out.clone(), &a, digit_bits, levels)));
            out.clear();
            assert!(panics(&|| (kernels.decompose)(&mut [], &[], digit_bits, levels)));
        }
    }
}
