//! The NTT of every back-end against its definition, in 128-bit arithmetic.

use asanoha_kernels::{Backend, Kernels, NttTable, evaluation_exponent};
use proptest::prelude::*;

use crate::common::{Contents, contents, largest_prime, smallest_prime, words_below};

/// The narrowest widths that still have a prime for every ring degree here, the lazy classes, and the widest.
const WIDTHS: [u32; 9] = [20, 30, 46, 47, 48, 49, 50, 60, 61];

fn tables(bits: u32, degree: usize) -> [NttTable; 2] {
    [smallest_prime(bits, degree), largest_prime(bits, degree)].map(|q| NttTable::new(q, degree).unwrap())
}

fn backends(table: &NttTable) -> impl Iterator<Item = &'static Kernels> + use<> {
    let bits = table.modulus().bits();
    Backend::available().into_iter().map(move |backend| backend.kernels(bits))
}

/// Σ aᵢ·ψ^(i·e) for the e of every index.
fn naive_evaluation(a: &[u64], table: &NttTable) -> Vec<u64> {
    let (q, root) = (u128::from(table.modulus().value()), u128::from(table.root()));
    let mut powers = vec![1u128];
    for i in 1..2 * a.len() {
        powers.push(powers[i - 1] * root % q);
    }
    let value = |e: usize| {
        a.iter().enumerate().fold(0, |sum, (i, &a)| (sum + u128::from(a) * powers[i * e % powers.len()]) % q)
    };
    (0..a.len()).map(|index| value(evaluation_exponent(a.len(), index)) as u64).collect()
}

/// The product modulo X^N + 1, term by term.
fn schoolbook_product(a: &[u64], b: &[u64], q: u64) -> Vec<u64> {
    let (n, q) = (a.len(), u128::from(q));
    let mut product = vec![0u128; n];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            let term = u128::from(a) * u128::from(b) % q;
            let slot = &mut product[(i + j) % n];
            *slot = (*slot + if i + j < n { term } else { q - term }) % q;
        }
    }
    product.into_iter().map(|word| word as u64).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn forward_evaluates_at_the_documented_powers_of_the_root(
        bits in prop::sample::select(&WIDTHS), log2_degree in 3u32..=9, kind in contents(), seed: u64,
    ) {
        for table in tables(bits, 1 << log2_degree) {
            let a = words_below(table.modulus().value(), table.ring_degree(), kind, seed);
            let expected = naive_evaluation(&a, &table);
            for kernels in backends(&table) {
                let mut evaluated = a.clone();
                (kernels.ntt_forward)(&mut evaluated, &table);
                prop_assert_eq!(&evaluated, &expected, "{}", kernels.name);
                (kernels.ntt_inverse)(&mut evaluated, &table);
                prop_assert_eq!(&evaluated, &a, "{}", kernels.name);
            }
        }
    }

    #[test]
    fn products_in_evaluation_order_are_negacyclic_convolutions(
        bits in prop::sample::select(&WIDTHS), log2_degree in 3u32..=8, kind in contents(), seed: u64,
    ) {
        for table in tables(bits, 1 << log2_degree) {
            let q = table.modulus();
            let a = words_below(q.value(), table.ring_degree(), kind, seed);
            let b = words_below(q.value(), table.ring_degree(), Contents::Random, !seed);
            let expected = schoolbook_product(&a, &b, q.value());
            for kernels in backends(&table) {
                let (mut x, mut y) = (a.clone(), b.clone());
                (kernels.ntt_forward)(&mut x, &table);
                (kernels.ntt_forward)(&mut y, &table);
                (kernels.mul_assign)(&mut x, &y, q);
                (kernels.ntt_inverse)(&mut x, &table);
                prop_assert_eq!(&x, &expected, "{}", kernels.name);
            }
        }
    }

    #[test]
    fn inverse_undoes_forward(
        bits in prop::sample::select(&WIDTHS), log2_degree in 3u32..=14, kind in contents(), seed: u64,
    ) {
        for table in tables(bits, 1 << log2_degree) {
            let a = words_below(table.modulus().value(), table.ring_degree(), kind, seed);
            for kernels in backends(&table) {
                let mut b = a.clone();
                (kernels.ntt_forward)(&mut b, &table);
                prop_assert!(b.iter().all(|&b| b < table.modulus().value()));
                (kernels.ntt_inverse)(&mut b, &table);
                prop_assert!(b == a, "{}", kernels.name);
            }
        }
    }
}
