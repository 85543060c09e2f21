//! The sums of a key switch: every back-end against big integers.

use crate::common::{Contents, contents, largest_prime, words_below};

#[allow(dead_code)] // The smallest primes are for other tests.
use asanoha_kernels::{Backend, Modulus, PackedWords, Permutation, SwitchTerm, evaluation_exponent};
use proptest::prelude::*;

/// The automorphism X → X^g in evaluation order, as blocks, or the words in reversed order, which are none.
fn permutation(length: usize, g: usize) -> Permutation {
    let source: Vec<u32> = if length.is_power_of_two() && length >= 8 {
        let mut index_of = vec![0; length];
        (0..length).for_each(|index| index_of[evaluation_exponent(length, index) / 2] = index as u32);
        (0..length)
            .map(|index| index_of[(evaluation_exponent(length, index) * (2 * g + 1) % (2 * length)) / 2])
            .collect()
    } else {
        (0..length as u32).rev().collect()
    };
    Permutation::new(&source).unwrap()
}

/// Some words, packed.
struct Packed {
    data: Vec<u64>,
    bits: u32,
    len: usize,
}

impl Packed {
    fn new(words: &[u64], bits: u32) -> Self {
        let mut data = vec![0; PackedWords::size(words.len(), bits)];
        PackedWords::pack(&mut data, words, bits);
        Self { data, bits, len: words.len() }
    }

    fn words(&self) -> PackedWords<'_> {
        PackedWords::new(&self.data, self.bits, self.len)
    }
}

/// The words of one term.
struct Words {
    permutation: Option<Permutation>,
    addends: [Option<Vec<u64>>; 2],
    digits: Vec<Vec<u64>>,
    keys: Vec<[Vec<u64>; 2]>,
}

impl Words {
    fn new(q: &Modulus, length: usize, digits: usize, kind: Contents, seed: u64) -> Self {
        let words = |salt: u64| words_below(q.value(), length, kind, seed ^ (salt << 32));
        Self {
            permutation: (!seed.is_multiple_of(3)).then(|| permutation(length, seed as usize % 1000)),
            addends: [
                (!seed.is_multiple_of(2)).then(|| words(1)),
                (!seed.is_multiple_of(5)).then(|| words(2)),
            ],
            digits: (0..digits as u64).map(|j| words(3 + 3 * j)).collect(),
            keys: (0..digits as u64).map(|j| [words(4 + 3 * j), words(5 + 3 * j)]).collect(),
        }
    }

    fn image(&self, words: &[u64], i: usize) -> u128 {
        u128::from(words[self.permutation.as_ref().map_or(i, |permutation| permutation.source(i))])
    }

    fn value(&self, q: u128, h: usize, i: usize) -> u128 {
        let addend = self.addends[h].as_ref().map_or(0, |words| self.image(words, i));
        let products = self.digits.iter().zip(&self.keys);
        products.fold(addend, |sum, (digit, key)| (sum + self.image(digit, i) * u128::from(key[h][i])) % q)
            % q
    }
}

/// All back-ends give the right sums, the words of the keys' halves of so many bits.
fn hold(q: &Modulus, length: usize, terms: &[Words], bits: [u32; 2]) -> Result<(), TestCaseError> {
    let expected = [0, 1].map(|h| {
        let value = |i| {
            let sum: u128 = terms.iter().map(|term| term.value(q.value().into(), h, i)).sum();
            (sum % u128::from(q.value())) as u64
        };
        (0..length).map(value).collect::<Vec<u64>>()
    });
    let digits: Vec<Vec<&[u64]>> =
        terms.iter().map(|term| term.digits.iter().map(Vec::as_slice).collect()).collect();
    let packed: Vec<Vec<[Packed; 2]>> = terms
        .iter()
        .map(|term| {
            let halves = |[b, a]: &[Vec<u64>; 2]| [Packed::new(b, bits[0]), Packed::new(a, bits[1])];
            term.keys.iter().map(halves).collect()
        })
        .collect();
    let keys: Vec<Vec<[PackedWords<'_>; 2]>> = packed
        .iter()
        .map(|pairs| pairs.iter().map(|pair| pair.each_ref().map(Packed::words)).collect())
        .collect();
    let views: Vec<SwitchTerm<'_>> = terms
        .iter()
        .zip(digits.iter().zip(&keys))
        .map(|(term, (digits, keys))| SwitchTerm {
            permutation: term.permutation.as_ref(),
            addends: term.addends.each_ref().map(Option::as_deref),
            digits,
            keys,
        })
        .collect();
    for backend in Backend::available() {
        let (mut first, mut second) = (vec![7; length], vec![7; length]);
        (backend.kernels(q.bits()).switch_sum)([&mut first, &mut second], &views, q);
        prop_assert_eq!(&first, &expected[0], "{}", backend.name());
        prop_assert_eq!(&second, &expected[1], "{}", backend.name());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sums_of_key_switches_are_exact(
        bits in 20u32..=61,
        length in prop_oneof![Just(8usize), Just(64), Just(1024), Just(520), 0usize..20],
        shape in prop::collection::vec(0usize..5, 0..6),
        kind in contents(),
        // More bits than the words need, or words as they are.
        spare in prop_oneof![0u32..4, Just(64)],
        alike in prop::bool::weighted(0.8),
        seed: u64,
    ) {
        let q = largest_prime(bits, 1024);
        let terms: Vec<Words> = (0u64..)
            .zip(&shape)
            .map(|(k, &digits)| Words::new(&q, length, digits, kind, seed.wrapping_add(k)))
            .collect();
        let width = (bits + spare).min(64);
        hold(&q, length, &terms, [width, if alike { width } else { 62 }])?;
    }
}

#[test]
fn thousands_of_largest_products_are_summed_exactly() {
    for bits in [50, 61] {
        let q = largest_prime(bits, 1024);
        let terms: Vec<Words> = (0..1500).map(|k| Words::new(&q, 8, 3, Contents::Largest, k)).collect();
        [bits, 64].into_iter().for_each(|width| hold(&q, 8, &terms, [width; 2]).unwrap());
    }
}

#[cfg(panic = "unwind")]
#[test]
fn terms_of_unequal_length_panic() {
    let q = largest_prime(40, 1024);
    let words = Words::new(&q, 16, 1, Contents::Random, 1);
    let digits = [&words.digits[0][..8]];
    let keys = [words.keys[0].each_ref().map(|words| PackedWords::from(words.as_slice()))];
    let term = SwitchTerm { permutation: None, addends: [None; 2], digits: &digits, keys: &keys };
    for backend in Backend::available() {
        let call = || {
            let (mut first, mut second) = (vec![0; 16], vec![0; 16]);
            (backend.kernels(40).switch_sum)([&mut first, &mut second], &[term], &q);
        };
        assert!(std::panic::catch_unwind(call).is_err(), "{}", backend.name());
    }
}
