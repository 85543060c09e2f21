//! Linear and bilinear forms of polynomials against plain big integers.

use asanoha_kernels::primes_congruent_to_one;
use asanoha_ring::{Backend, Basis, Evaluation, LinearPoly, Poly, Scalar};
use asanoha_testkit::{TestIntegers, centred, negacyclic_product, product};
use num_bigint::BigInt;
use num_traits::Zero;
use proptest::prelude::*;

type Terms = Vec<[(Poly<Evaluation>, Vec<BigInt>); 2]>;

fn add_product(sum: &mut [BigInt], weight: i64, a: &[BigInt], b: &[BigInt]) {
    sum.iter_mut().zip(negacyclic_product(a, b)).for_each(|(sum, c)| *sum += c * weight);
}

fn linear(terms: &Terms) -> Vec<LinearPoly<'_>> {
    terms.iter().map(|[a0, a1]| [&a0.0, &a1.0]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn forms_equal_big_integer_ones(
        seed: u64, bits in 20u32..=61, count in 1usize..4, log2_degree in 3u32..8, rows in 1usize..7, columns in 1usize..7,
    ) {
        let n = 1 << log2_degree;
        let primes = primes_congruent_to_one(bits, 2 * n as u64, count, &[]).unwrap();
        let basis = Basis::new(n, &primes, Backend::detect().unwrap()).unwrap();
        let q = product(basis.primes());
        let mut integers = TestIntegers(seed);
        let mut terms = |count: usize| -> Terms {
            (0..count).map(|_| [(); 2].map(|()| {
                let values = integers.vector(n, &q);
                (Poly::from_integers(&basis, &values).into_evaluation(), values)
            })).collect()
        };
        let (left, right) = (terms(rows), terms(columns));
        let weights: Vec<i64> = (0..rows * columns).map(|_| integers.word() as i64 >> 1).collect();

        let mut expected = [(); 3].map(|()| vec![BigInt::zero(); n]);
        for (i, &weight) in weights.iter().enumerate() {
            let ([a0, a1], [b0, b1]) = (&left[i / columns], &right[i % columns]);
            add_product(&mut expected[0], weight, &a0.1, &b0.1);
            add_product(&mut expected[1], weight, &a0.1, &b1.1);
            add_product(&mut expected[1], weight, &a1.1, &b0.1);
            add_product(&mut expected[2], weight, &a1.1, &b1.1);
        }
        let form = Poly::bilinear_form(&linear(&left), &weights, &linear(&right));
        for (part, expected) in form.into_iter().zip(expected) {
            let expected: Vec<BigInt> = expected.iter().map(|c| centred(c, &q)).collect();
            prop_assert_eq!(part.into_coefficient().to_integers(), expected);
        }

        let inputs: Vec<&Poly<Evaluation>> = right.iter().map(|term| &term[1].0).collect();
        let sum = Poly::weighted_sum(&inputs, &weights[..columns]).into_coefficient();
        let expected: Vec<BigInt> = (0..n)
            .map(|i| right.iter().zip(&weights).map(|(term, w)| &term[1].1[i] * w).sum::<BigInt>())
            .map(|c| centred(&c, &q))
            .collect();
        prop_assert_eq!(sum.to_integers(), expected);
    }

    #[test]
    fn multiples_modulo_the_first_primes_leave_the_other_residues(seed: u64, kept in 1usize..4, others in 0usize..3) {
        let n = 16;
        let primes = primes_congruent_to_one(40, 2 * n as u64, kept + others, &[]).unwrap();
        let whole = Basis::new(n, &primes, Backend::detect().unwrap()).unwrap();
        let first = whole.range(0..kept);
        let mut integers = TestIntegers(seed);
        let (x, y) = (integers.vector(n, &product(whole.primes())), integers.vector(n, &product(first.primes())));
        let (mut sum, a) = (Poly::from_integers(&whole, &x), Poly::from_integers(&first, &y));
        let before = sum.clone();
        let w = BigInt::from(integers.word());
        sum.fma_scalar_prefix_assign(&a, &Scalar::new(&first, &w));
        for (i, &q) in primes.iter().enumerate() {
            let q = BigInt::from(q);
            for j in 0..n {
                let expected = if i < kept { &x[j] + &y[j] * &w } else { x[j].clone() };
                prop_assert_eq!(centred(&sum.limb(i)[j].into(), &q), centred(&expected, &q));
            }
            prop_assert!(i < kept || sum.limb(i) == before.limb(i));
        }
    }
}

#[test]
fn linear_forms_are_the_sums_of_multiples_modulo_the_first_primes() {
    for (n, bits) in [(64, 45), (128, 59), (1024, 50)] {
        let primes = primes_congruent_to_one(bits, 2 * n as u64, 3, &[]).unwrap();
        let long = Basis::new(n, &primes, Backend::detect().unwrap()).unwrap();
        let short = long.range(0..2);
        for (columns, rows) in [(1, 1), (2, 1), (3, 5), (70, 2), (300, 9)] {
            let mut integers = TestIntegers((columns * n) as u64);
            let input = |column: usize| {
                // Some are modulo more primes than the sums.
                let basis = if column.is_multiple_of(2) { &long } else { &short };
                let words = integers.vector(n, &product(basis.primes()));
                Poly::from_integers(basis, &words).into_evaluation()
            };
            let inputs: Vec<_> = (0..columns).map(input).collect();
            let weights: Vec<BigInt> = (0..rows * columns)
                .map(|at| match at % 7 {
                    0 => 0.into(),
                    1 => BigInt::from(-1) << 70,
                    2 => i64::MAX.into(),
                    _ => BigInt::from(integers.word()) - (1u64 << 31),
                })
                .collect();
            let scalars: Vec<Scalar> = weights.iter().map(|weight| Scalar::new(&short, weight)).collect();
            let forms = Poly::linear_forms(&short, &inputs.iter().collect::<Vec<_>>(), &scalars);
            assert_eq!(forms.len(), rows);
            for (form, weights) in forms.iter().zip(scalars.chunks(columns)) {
                let mut expected = Poly::zero(&short);
                inputs.iter().zip(weights).for_each(|(a, w)| expected.fma_scalar_assign(&a.range(0..2), w));
                assert!(form.words() == expected.words(), "{n} {columns} {rows}");
            }
        }
        let (a, other) = (Poly::zero(&short), Scalar::new(&long, &BigInt::from(1)));
        assert!(std::panic::catch_unwind(|| Poly::linear_forms(&short, &[&a], &[other])).is_err());
    }
}
