//! Every operation of every back-end that this processor has, held bit for bit against the portable one.

use asanoha_kernels::{Backend, Kernels, MAX_RING_DEGREE, Modulus, NttTable};
use proptest::prelude::*;

use crate::common::{Contents, contents, largest_prime, smallest_prime, words_below};

/// Widths at and around which the lazy loops change their corrections, and some far below.
const WIDTHS: [u32; 12] = [2, 6, 20, 30, 46, 47, 48, 49, 50, 59, 60, 61];

/// The kernels of every back-end but the portable one for words of `bits` bits, and those for all words, which must do as well.
fn backends(bits: u32) -> impl Iterator<Item = &'static Kernels> {
    let tables = move |backend: Backend| [backend.kernels(bits), backend.kernels(Modulus::MAX_BITS)];
    Backend::available().into_iter().skip(1).flat_map(tables)
}

fn scalar() -> &'static Kernels {
    Backend::Scalar.kernels(Modulus::MAX_BITS)
}

/// Odd moduli: the element-wise kernels ask for no prime.
fn modulus(bits: u32, low: u64) -> Modulus {
    let top = 1u64 << (bits - 1);
    Modulus::new(top | (low & (top - 1)) | 1).expect("odd and in range")
}

fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..41, 1000usize..1100]
}

/// A width that a back-end changes its loops at, or any other.
fn widths() -> impl Strategy<Value = u32> {
    prop_oneof![prop::sample::select(&WIDTHS), 2u32..=61]
}

/// The low bits of a modulus: the smallest and the largest of their width, and any other.
fn low_bits() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]
}

/// Input words wider than the modulus, as scalar multiplication and weighted sums allow them.
fn wide_bound(kernels: &Kernels) -> u64 {
    1 << kernels.max_bits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn element_wise_operations_agree(
        bits in widths(), low in low_bits(), length in lengths(), kind in contents(), seed: u64,
    ) {
        let q = modulus(bits, low);
        let (a, b) = (words_below(q.value(), length, kind, seed), words_below(q.value(), length, kind, !seed));
        let c = words_below(q.value(), length, Contents::Random, seed ^ 1);
        for kernels in backends(bits) {
            let by = |f: fn(&mut [u64], &[u64], &Modulus)| {
                let mut out = a.clone();
                f(&mut out, &b, &q);
                out
            };
            prop_assert_eq!(by(kernels.add_assign), by(scalar().add_assign));
            prop_assert_eq!(by(kernels.sub_assign), by(scalar().sub_assign));
            prop_assert_eq!(by(kernels.mul_assign), by(scalar().mul_assign));
            let fma = |kernels: &Kernels| {
                let mut out = c.clone();
                (kernels.fma_assign)(&mut out, &a, &b, &q);
                out
            };
            prop_assert_eq!(fma(kernels), fma(scalar()));
            let neg = |kernels: &Kernels| {
                let mut out = a.clone();
                (kernels.neg_assign)(&mut out, &q);
                out
            };
            prop_assert_eq!(neg(kernels), neg(scalar()));
        }
    }

    #[test]
    fn multiplications_by_a_constant_agree(
        bits in widths(), low in low_bits(), length in lengths(), kind in contents(), w: u64, seed: u64,
    ) {
        let q = modulus(bits, low);
        for kernels in backends(bits) {
            let wide = words_below(wide_bound(kernels), length, kind, seed);
            let a = words_below(q.value(), length, kind, seed);
            let b = words_below(q.value(), length, kind, !seed);
            for w in [w % q.value(), 0, q.value() - 1] {
                let w = q.shoup(w);
                let mul = |kernels: &Kernels| {
                    let mut out = wide.clone();
                    (kernels.mul_scalar_assign)(&mut out, w, &q);
                    out
                };
                prop_assert_eq!(mul(kernels), mul(scalar()));
                let fma = |kernels: &Kernels| {
                    let mut out = b.clone();
                    (kernels.fma_scalar_assign)(&mut out, &wide, w, &q);
                    out
                };
                prop_assert_eq!(fma(kernels), fma(scalar()));
                let sub_mul = |kernels: &Kernels| {
                    let mut out = a.clone();
                    (kernels.sub_mul_scalar_assign)(&mut out, &b, w, &q);
                    out
                };
                prop_assert_eq!(sub_mul(kernels), sub_mul(scalar()));
            }
        }
    }

    #[test]
    fn sums_of_products_agree(
        bits in widths(), low in low_bits(), length in lengths(), kind in contents(),
        terms in prop_oneof![0usize..70, 250usize..260], seed: u64,
    ) {
        let q = modulus(bits, low);
        for kernels in backends(bits) {
            let rows = |bound: u64, offset: u64| -> Vec<Vec<u64>> {
                (0..terms as u64).map(|k| words_below(bound, length, kind, seed ^ (k + offset))).collect()
            };
            let (a, b) = (rows(q.value(), 0), rows(q.value(), 1 << 40));
            let pairs: Vec<(&[u64], &[u64])> = a.iter().zip(&b).map(|(a, b)| (&a[..], &b[..])).collect();
            let inner = |kernels: &Kernels| {
                let mut out = vec![7; length];
                (kernels.inner_product)(&mut out, &pairs, &q);
                out
            };
            prop_assert_eq!(inner(kernels), inner(scalar()));

            let inputs = rows(wide_bound(kernels), 2 << 40);
            let inputs: Vec<&[u64]> = inputs.iter().map(|input| &input[..]).collect();
            let weights = words_below(q.value(), terms, kind, !seed);
            let weights: Vec<_> = weights.into_iter().map(|weight| q.shoup(weight)).collect();
            let weighted = |kernels: &Kernels| {
                let mut out = vec![7; length];
                (kernels.weighted_sum)(&mut out, &inputs, &weights, &q);
                out
            };
            prop_assert_eq!(weighted(kernels), weighted(scalar()));
        }
    }

    #[test]
    fn matrix_products_agree_and_are_weighted_sums_row_by_row(
        bits in widths(), low in low_bits(), length in lengths(), kind in contents(),
        columns in prop_oneof![0usize..20, 4090usize..4100], rows in 0usize..11, seed: u64,
    ) {
        let q = modulus(bits, low);
        // The long sums on few words, to be quick.
        let (length, rows) = if columns > 20 { (length % 41, rows % 6) } else { (length, rows) };
        for kernels in backends(bits) {
            let inputs: Vec<Vec<u64>> = (0..columns as u64)
                .map(|k| words_below(wide_bound(kernels), length, kind, seed ^ k)).collect();
            let inputs: Vec<&[u64]> = inputs.iter().map(|input| &input[..]).collect();
            let weights = words_below(q.value(), rows * columns, kind, !seed);
            let mut out = vec![7; rows * length];
            (kernels.matrix_product)(&mut out, &inputs, &weights, &q);
            for row in 0..rows {
                let mut expected = vec![7; length];
                let weights = &weights[row * columns..(row + 1) * columns];
                let weights: Vec<_> = weights.iter().map(|&weight| q.shoup(weight)).collect();
                (scalar().weighted_sum)(&mut expected, &inputs, &weights, &q);
                prop_assert_eq!(&out[row * length..(row + 1) * length], &expected[..], "{}", kernels.name);
            }
        }
    }

    #[test]
    fn rounded_sums_agree(bits in widths(), length in lengths(), terms in 0usize..40, seed: u64) {
        for kernels in backends(bits) {
            let (inputs, reciprocals) = words_and_reciprocals(bits, length, terms, seed);
            let inputs: Vec<&[u64]> = inputs.iter().map(|input| &input[..]).collect();
            let rounded = |kernels: &Kernels| {
                let mut out = vec![7; length];
                (kernels.rounded_sum)(&mut out, &inputs, &reciprocals);
                out
            };
            prop_assert_eq!(rounded(kernels), rounded(scalar()));
        }
    }

    #[test]
    fn sizes_of_fractions_agree(bits in widths(), groups in 0usize..70, terms in 0usize..40, seed: u64) {
        let length = 8 * groups;
        for kernels in backends(bits) {
            let (inputs, reciprocals) = words_and_reciprocals(bits, length, terms, seed);
            let inputs: Vec<&[u64]> = inputs.iter().map(|input| &input[..]).collect();
            let (largest, squares) = (kernels.fraction_size)(&inputs, &reciprocals);
            prop_assert_eq!((largest, squares), (scalar().fraction_size)(&inputs, &reciprocals));
            let fractions = (0..if terms == 0 { 0 } else { length }).map(|i| {
                let sum: f64 = inputs.iter().zip(&reciprocals).map(|(input, r)| input[i] as f64 * r).sum();
                sum - sum.round_ties_even()
            });
            let fractions: Vec<f64> = fractions.collect();
            let expected = fractions.iter().fold(0.0, |largest: f64, fraction| largest.max(fraction.abs()));
            let sum: f64 = fractions.iter().map(|fraction| fraction * fraction).sum();
            // Sums are below 2^26, so a fraction is off by less than 40 roundings of 2^-27.
            prop_assert!((largest - expected).abs() < 1e-6, "{} {}", largest, expected);
            prop_assert!((squares - sum).abs() <= 1e-6 * length as f64, "{} {}", squares, sum);
        }
    }

    #[test]
    fn ntts_agree(
        bits in prop_oneof![prop::sample::select(&WIDTHS[2..]), 20u32..=61],
        log2_degree in 3u32..=12, smallest: bool, kind in contents(), seed: u64,
    ) {
        let degree = 1 << log2_degree;
        let q = if smallest { smallest_prime(bits, degree) } else { largest_prime(bits, degree) };
        let table = NttTable::new(q, degree).unwrap();
        hold_ntt(&table, kind, seed)?;
    }
}

/// Terms of a sum of words times reciprocals that is below 2^26.
fn words_and_reciprocals(bits: u32, length: usize, terms: usize, seed: u64) -> (Vec<Vec<u64>>, Vec<f64>) {
    let words = |k| words_below(1 << bits, length, Contents::Random, seed ^ k);
    let reciprocal = |r: u64| (r as f64 / 37.0) / (1u64 << bits) as f64 / 40.0;
    let reciprocals = words_below(1 << 30, terms, Contents::Random, !seed).into_iter().map(reciprocal);
    ((0..terms as u64).map(words).collect(), reciprocals.collect())
}

fn hold_ntt(table: &NttTable, kind: Contents, seed: u64) -> Result<(), TestCaseError> {
    let q = table.modulus();
    let a = words_below(q.value(), table.ring_degree(), kind, seed);
    let transform = |f: fn(&mut [u64], &NttTable)| {
        let mut out = a.clone();
        f(&mut out, table);
        out
    };
    for kernels in backends(q.bits()) {
        let case =
            || format!("{} N = {} q = {} {kind:?} {seed}", kernels.name, table.ring_degree(), q.value());
        prop_assert!(
            transform(kernels.ntt_forward) == transform(scalar().ntt_forward),
            "forward: {}",
            case()
        );
        prop_assert!(
            transform(kernels.ntt_inverse) == transform(scalar().ntt_inverse),
            "inverse: {}",
            case()
        );
    }
    Ok(())
}

#[test]
fn ntts_agree_at_extreme_primes_of_every_width_on_worst_case_inputs() {
    for bits in [20, 30, 45, 46, 47, 48, 49, 50, 51, 59, 60, 61] {
        for log2_degree in 3..=14 {
            let degree = 1usize << log2_degree;
            for q in [smallest_prime(bits, degree), largest_prime(bits, degree)] {
                let table = NttTable::new(q, degree).unwrap();
                for kind in Contents::ALL {
                    hold_ntt(&table, kind, u64::from(bits)).unwrap();
                }
            }
        }
    }
}

#[test]
fn ntts_agree_at_large_ring_degrees() {
    for log2_degree in 15..=18 {
        let degree = 1usize << log2_degree;
        for bits in [30, 46, 47, 48, 49, 50, 51, 60, 61] {
            // At the largest degree there are most layers between corrections: all extremes, there.
            let (primes, kinds) = if degree == MAX_RING_DEGREE {
                (vec![smallest_prime(bits, degree), largest_prime(bits, degree)], &Contents::ALL[..])
            } else {
                (vec![largest_prime(bits, degree)], &[Contents::Random, Contents::Largest][..])
            };
            for q in primes {
                let table = NttTable::new(q, degree).unwrap();
                for &kind in kinds {
                    hold_ntt(&table, kind, u64::from(bits)).unwrap();
                }
            }
        }
    }
}

#[test]
fn sums_of_thousands_of_largest_products_agree() {
    for bits in [2, 46, 50, 60, 61] {
        let q = modulus(bits, u64::MAX);
        for kernels in backends(bits) {
            for terms in [4094, 4095, 4096, 9000] {
                let a = [q.value() - 1; 11];
                let pairs = vec![(&a[..], &a[..]); terms];
                let sum = |kernels: &Kernels| {
                    let mut out = vec![0; 11];
                    (kernels.inner_product)(&mut out, &pairs, &q);
                    out
                };
                assert_eq!(sum(kernels), sum(scalar()), "{bits} bits, {terms} terms");
                let wide = [wide_bound(kernels) - 1; 11];
                let (inputs, weights) = (vec![&wide[..]; terms], vec![q.shoup(q.value() - 1); terms]);
                let sum = |kernels: &Kernels| {
                    let mut out = vec![0; 11];
                    (kernels.weighted_sum)(&mut out, &inputs, &weights, &q);
                    out
                };
                assert_eq!(sum(kernels), sum(scalar()), "{bits} bits, {terms} terms");
            }
        }
    }
}

#[cfg(panic = "unwind")]
#[test]
fn slices_of_unequal_length_panic() {
    let q = modulus(50, 3);
    let w = q.shoup(3);
    let panics = |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
    for kernels in backends(50).chain([scalar()]) {
        let (a, b) = (vec![1u64; 16], vec![1u64; 24]);
        assert!(panics(&|| (kernels.add_assign)(&mut a.clone(), &b, &q)));
        assert!(panics(&|| (kernels.sub_assign)(&mut a.clone(), &b, &q)));
        assert!(panics(&|| (kernels.mul_assign)(&mut a.clone(), &b, &q)));
        assert!(panics(&|| (kernels.fma_assign)(&mut a.clone(), &a, &b, &q)));
        assert!(panics(&|| (kernels.fma_assign)(&mut a.clone(), &b, &a, &q)));
        assert!(panics(&|| (kernels.fma_scalar_assign)(&mut a.clone(), &b, w, &q)));
        assert!(panics(&|| (kernels.sub_mul_scalar_assign)(&mut a.clone(), &b, w, &q)));
        assert!(panics(&|| (kernels.inner_product)(&mut a.clone(), &[(&a, &a), (&a, &b)], &q)));
        assert!(panics(&|| (kernels.inner_product)(&mut a.clone(), &[(&b, &a)], &q)));
        assert!(panics(&|| (kernels.weighted_sum)(&mut a.clone(), &[&a, &b], &[w, w], &q)));
        assert!(panics(&|| (kernels.weighted_sum)(&mut a.clone(), &[&a], &[w, w], &q)));
        assert!(panics(&|| (kernels.matrix_product)(&mut a.clone(), &[&a, &b], &[1, 1], &q)));
        assert!(panics(&|| (kernels.matrix_product)(&mut a.clone(), &[&a, &a], &[1, 1, 1], &q)));
        assert!(panics(&|| (kernels.matrix_product)(&mut a.clone(), &[&a], &[1, 1], &q)));
        assert!(panics(&|| (kernels.matrix_product)(&mut a.clone(), &[], &[1], &q)));
        assert!(panics(&|| (kernels.rounded_sum)(&mut a.clone(), &[&b], &[0.5])));
        assert!(panics(&|| (kernels.rounded_sum)(&mut a.clone(), &[&a], &[])));
        let table = NttTable::new(largest_prime(50, 16), 16).unwrap();
        assert!(panics(&|| (kernels.ntt_forward)(&mut b.clone(), &table)));
        assert!(panics(&|| (kernels.ntt_inverse)(&mut b.clone(), &table)));
    }
}
