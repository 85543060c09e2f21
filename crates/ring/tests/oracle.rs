//! Every ring operation against plain big integers.

use asanoha_kernels::primes_congruent_to_one;
use asanoha_ring::{
    Backend, Basis, Coefficient, Converter, Divider, Encryption, EvaluationPermutation, GaloisElement, Poly,
    Scalar,
};
use asanoha_testkit::{
    TestIntegers, automorphism, centred, max_norm, negacyclic_product, product, round_divide,
};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use proptest::prelude::*;

const N: usize = 16;

fn basis(bits: u32, count: usize, excluded: &[u64]) -> Basis {
    let primes = primes_congruent_to_one(bits, 2 * N as u64, count, excluded).unwrap();
    Basis::new(N, &primes, Backend::detect().unwrap()).unwrap()
}

fn modulus(basis: &Basis) -> BigInt {
    product(basis.primes())
}

fn poly(basis: &Basis, integers: &mut TestIntegers) -> (Poly<Coefficient>, Vec<BigInt>) {
    let values = integers.vector(N, &modulus(basis));
    (Poly::from_integers(basis, &values), values)
}

fn reduced(values: &[BigInt], m: &BigInt) -> Vec<BigInt> {
    values.iter().map(|x| centred(x, m)).collect()
}

proptest! {
    #[test]
    fn integers_survive_the_way_through_residues(seed: u64, bits in 20u32..=61, count in 1usize..6) {
        let basis = basis(bits, count, &[]);
        let (x, values) = poly(&basis, &mut TestIntegers(seed));
        prop_assert_eq!(x.to_integers(), values.clone());
        if count <= 2 {
            let words: Vec<BigInt> = x.to_i128().into_iter().map(BigInt::from).collect();
            prop_assert_eq!(words, values);
        }
    }

    #[test]
    fn sums_and_products_equal_big_integer_ones(seed: u64, bits in 20u32..=61, count in 1usize..4) {
        let basis = basis(bits, count, &[]);
        let q = modulus(&basis);
        let mut integers = TestIntegers(seed);
        let ((a, x), (b, y)) = (poly(&basis, &mut integers), poly(&basis, &mut integers));
        let w = integers.below(&(BigInt::one() << 200));
        let scalar = Scalar::new(&basis, &w);

        let mut sum = a.clone();
        sum.add_assign(&b);
        prop_assert_eq!(sum.to_integers(), reduced(&x.iter().zip(&y).map(|(x, y)| x + y).collect::<Vec<_>>(), &q));
        sum.sub_assign(&b);
        sum.neg_assign();
        prop_assert_eq!(sum.to_integers(), reduced(&x.iter().map(|x| -x).collect::<Vec<_>>(), &q));
        sum.mul_scalar_assign(&scalar);
        prop_assert_eq!(sum.to_integers(), reduced(&x.iter().map(|x| -x * &w).collect::<Vec<_>>(), &q));
        sum.fma_scalar_assign(&a, &scalar);
        prop_assert!(sum.to_integers().iter().all(BigInt::is_zero));

        let (ea, eb) = (a.into_evaluation(), b.into_evaluation());
        let expected = reduced(&negacyclic_product(&x, &y), &q);
        prop_assert_eq!(ea.mul(&eb).into_coefficient().to_integers(), expected.clone());
        let mut fma = ea.clone();
        fma.fma_assign(&ea, &eb);
        fma.sub_assign(&ea);
        prop_assert_eq!(fma.into_coefficient().to_integers(), expected.clone());
        let twice = Poly::inner_product(&basis, &[(&ea, &eb), (&ea, &eb)]);
        let doubled: Vec<BigInt> = expected.iter().map(|x| x * 2).collect();
        prop_assert_eq!(twice.into_coefficient().to_integers(), reduced(&doubled, &q));
        let mut shifted = ea;
        shifted.add_scalar_assign(&scalar);
        let mut constant = x.clone();
        constant[0] += &w;
        prop_assert_eq!(shifted.into_coefficient().to_integers(), reduced(&constant, &q));
    }

    #[test]
    fn exact_conversion_keeps_the_centred_integer(seed: u64, from_bits in 20u32..=61, to_bits in 20u32..=61, count in 1usize..6) {
        let from = basis(from_bits, count, &[]);
        let to = basis(to_bits, 3, &from.primes().collect::<Vec<_>>());
        let (x, values) = poly(&from, &mut TestIntegers(seed));
        let converted = Converter::exact(&from, &to).convert(&x);
        prop_assert_eq!(converted.to_integers(), reduced(&values, &modulus(&to)));
    }

    #[test]
    fn approximate_conversion_adds_less_than_one_modulus_a_prime(seed: u64, count in 1usize..6) {
        let from = basis(30, count, &[]);
        let to = basis(61, 6, &[]);
        let (x, values) = poly(&from, &mut TestIntegers(seed));
        let q = modulus(&from);
        for (got, value) in Converter::approximate(&from, &to).convert(&x).to_integers().iter().zip(&values) {
            let (excess, rest) = (got - value).div_mod_floor(&q);
            prop_assert!(rest.is_zero() && !got.lt(&BigInt::zero()) && excess <= BigInt::from(count));
        }
    }

    #[test]
    fn division_rounds_to_the_nearest_integer(seed: u64, bits in 20u32..=61, kept in 1usize..4, dropped in 1usize..4) {
        let all = basis(bits, kept + dropped, &[]);
        let (kept, dropped) = (all.range(0..kept), all.range(kept..kept + dropped));
        let (x, values) = poly(&all, &mut TestIntegers(seed));
        let d = modulus(&dropped);
        let expected: Vec<BigInt> = values.iter().map(|x| round_divide(x, &d)).collect();
        let divider = Divider::new(&kept, &dropped, |_| 1);
        prop_assert_eq!(divider.divide_coefficients(x.clone()).to_integers(), reduced(&expected, &modulus(&kept)));
        let x = x.into_evaluation();
        let quotient = divider.quotient(&x).into_coefficient();
        prop_assert_eq!(quotient.to_integers(), reduced(&expected, &modulus(&kept)));
        let divided = divider.divide(x).into_coefficient();
        prop_assert_eq!(divided.to_integers(), reduced(&expected, &modulus(&kept)));
    }

    #[test]
    fn divisions_of_sums_are_those_of_what_is_summed_before(
        seed: u64, kept in 1usize..9, dropped in 1usize..4, common in 0usize..4, g in 0u32..64, w: i64,
    ) {
        let all = basis(46, kept + dropped, &[]);
        let (own, dropped) = (all.range(0..kept), all.range(kept..kept + dropped));
        let mut random = TestIntegers(seed);
        let x = poly(&all, &mut random).0.into_evaluation();
        let divider = Divider::new(&own, &dropped, |_| 1);

        let part = all.range(0..(kept + common).min(all.len()));
        let (y, w) = (poly(&part, &mut random).0.into_evaluation(), Scalar::new(&part, &w.into()));
        let mut sum = x.clone();
        sum.fma_scalar_prefix_assign(&y, &w);
        let expected = divider.quotient(&sum);
        let found = divider.quotient_of_sum(x.clone(), &w, &y);
        prop_assert_eq!(found.words(), expected.words());

        let y = y.range(0..kept);
        let automorphism = EvaluationPermutation::new(own.ring_degree(), GaloisElement(2 * g + 1));
        let mut expected = divider.quotient(&x);
        expected.add_assign(&y.permute(&automorphism));
        let found = divider.divide_and_add(x, &y, &automorphism);
        prop_assert_eq!(found.words(), expected.words());
    }

    #[test]
    fn division_with_a_factor_keeps_the_residue_modulo_it(seed: u64, t in 2u64..1 << 40, dropped in 1usize..4) {
        let all = basis(46, 4 + dropped, &[]);
        let (kept, dropped) = (all.range(0..4), all.range(4..4 + dropped));
        let (x, values) = poly(&all, &mut TestIntegers(seed));
        let divided = Divider::new(&kept, &dropped, |q| t % q).divide(x.into_evaluation()).into_coefficient();
        let d = modulus(&dropped);
        for (got, value) in divided.to_integers().iter().zip(&values) {
            // The exact quotient: got·D differs from the value by a multiple of t, of at most t·D/2.
            let difference = centred(&(value - got * &d), &modulus(&all));
            prop_assert!(difference.is_multiple_of(&BigInt::from(t)));
            prop_assert!(difference.magnitude() * 2u32 <= (&d * t).to_biguint().unwrap());
        }
    }

    #[test]
    fn encryptions_are_divisions_of_masked_keys_and_errors(
        seed: u64, t in 1u64..1 << 40, kept in 1usize..4, dropped in 1usize..3, others in 0usize..2, has_message: bool,
    ) {
        let all = basis(46, kept + dropped + others, &[]);
        let mut integers = TestIntegers(seed);
        let keys = [0; 2].map(|_| poly(&all, &mut integers).0.into_evaluation());
        let (kept, dropped) = (all.range(0..kept), all.range(kept..kept + dropped));
        let divider = Divider::new(&kept, &dropped, |q| t % q);
        let whole = divider.whole();
        let mut small = || -> Vec<i64> { (0..N).map(|_| (integers.word() % 43) as i64 - 21).collect() };
        let (mask, errors) = (small(), [small(), small()]);
        let message = poly(&kept, &mut integers).0;
        let factor = Scalar::new(whole, &t.into());
        let message = has_message.then_some(&message);
        let parts = divider.encrypt(&Encryption {
            keys: keys.each_ref(), mask: &mask, errors: errors.each_ref().map(Vec::as_slice), factor: &factor, message,
        });
        for (h, part) in parts.iter().enumerate() {
            let mut x = keys[h].restrict(whole);
            x.mul_assign(&Poly::from_small(whole, &mask).into_evaluation());
            let mut e = Poly::from_small(whole, &errors[h]);
            e.mul_scalar_assign(&factor);
            x.sub_assign(&e.into_evaluation());
            let mut expected = divider.divide(x);
            if let Some(message) = message.filter(|_| h == 0) {
                expected.add_assign(&message.clone().into_evaluation());
            }
            prop_assert_eq!(part.words(), expected.words());
        }
    }

    #[test]
    fn automorphisms_agree_in_both_representations(seed: u64, g in 0usize..N) {
        let g = GaloisElement(2 * g as u32 + 1);
        let basis = basis(30, 2, &[]);
        let (x, values) = poly(&basis, &mut TestIntegers(seed));
        let expected = automorphism(&values, g.0 as usize);
        prop_assert_eq!(x.automorphism(g).to_integers(), reduced(&expected, &modulus(&basis)));
        let permuted = x.clone().into_evaluation().permute(&EvaluationPermutation::new(N, g));
        prop_assert_eq!(permuted.into_coefficient().to_integers(), expected);
        let twice = x.automorphism(g).automorphism(GaloisElement(5));
        let once = x.automorphism(g.compose(GaloisElement(5), N));
        prop_assert_eq!(twice.words(), once.words());
    }

    #[test]
    fn words_from_outside_are_checked_against_the_primes(position in 0usize..2 * N, excess in 0u64..5) {
        let basis = basis(30, 2, &[]);
        let mut words = vec![1; 2 * N];
        prop_assert!(Poly::<Coefficient>::from_checked_words(&basis, &words).is_some());
        words[position] = basis.modulus(position / N).value() + excess;
        prop_assert!(Poly::<Coefficient>::from_checked_words(&basis, &words).is_none());
        prop_assert!(Poly::<Coefficient>::from_checked_words(&basis, &[0; N]).is_none());
    }
}

#[test]
fn small_coefficients_keep_their_signs() {
    let basis = basis(30, 2, &[]);
    let small: Vec<i64> = (0..N as i64).map(|i| 7 * (i - 8)).collect();
    let integers = Poly::from_small(&basis, &small).to_integers();
    assert_eq!(integers.iter().map(|x| x.to_i64().unwrap()).collect::<Vec<_>>(), small);
    assert_eq!(max_norm(&integers), BigInt::from(56));
}
