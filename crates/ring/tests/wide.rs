//! Arithmetic modulo numbers of any size against big integers.

use asanoha_kernels::evaluation_exponent;
use asanoha_ring::{WideModulus, WideNtt, transform_size};
use asanoha_testkit::TestIntegers;
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use proptest::prelude::*;

/// Numbers whose top words are at the ends of their range, even and odd, and some between.
fn moduli() -> Vec<BigUint> {
    let two = |n: u32| BigUint::one() << n;
    let mut moduli = vec![BigUint::from(2u32), BigUint::from(3u32), BigUint::from(65537u32)];
    for bits in [61, 63, 64, 65, 100, 127, 128, 129, 192, 256, 521, 2048, 2100] {
        moduli.extend([two(bits) - 1u32, two(bits), two(bits) + 1u32, two(bits) + two(bits / 2) + 7u32]);
        // A long run of ones below the top: quotient words that are estimated too large.
        moduli.push(two(bits) - two(bits - 1) + two(bits / 2) - 1u32);
    }
    moduli
}

fn rows(t: &WideModulus, values: &[BigInt]) -> Vec<u64> {
    values.iter().flat_map(|value| t.row(value)).collect()
}

fn integers(t: &WideModulus, rows: &[u64]) -> Vec<BigUint> {
    rows.chunks_exact(t.limbs()).map(|row| t.integer(row)).collect()
}

/// Random integers below t, its ends among them.
fn values(t: &BigUint, count: usize, integers: &mut TestIntegers) -> Vec<BigInt> {
    let modulus = BigInt::from(t.clone());
    let mut values = integers.vector(count, &modulus);
    values[0] = &modulus - 1;
    values[1] = BigInt::ZERO;
    values
}

#[test]
fn moduli_below_two_are_none() {
    assert!(WideModulus::new(&BigUint::ZERO).is_none() && WideModulus::new(&BigUint::one()).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rows_are_reduced_scaled_and_added_as_integers_are(
        seed: u64,
        t in prop::sample::select(moduli()),
        words in 1usize..70,
        ones: bool,
    ) {
        let (modulus, mut random) = (WideModulus::new(&t).unwrap(), TestIntegers(seed));
        // Words of ones and zeros only are the worst for quotient estimates.
        let mut word = || if ones { (random.word() % 2).wrapping_neg() } else { random.word() };
        let wide: Vec<u64> = (0..8 * words).map(|_| word()).collect();
        let reduced = modulus.reduce(&wide, words);
        for (row, wide) in integers(&modulus, &reduced).into_iter().zip(wide.chunks_exact(words)) {
            prop_assert_eq!(row, modulus.integer(wide) % &t);
        }
        let (a, b) = (values(&t, 8, &mut random), values(&t, 8, &mut random));
        let mut sum = rows(&modulus, &a);
        modulus.add_assign(&mut sum, &rows(&modulus, &b));
        let mut difference = rows(&modulus, &a);
        modulus.sub_assign(&mut difference, &rows(&modulus, &b));
        let mut negated = rows(&modulus, &a);
        modulus.neg_assign(&mut negated);
        for (i, (difference, negated)) in
            integers(&modulus, &difference).into_iter().zip(integers(&modulus, &negated)).enumerate()
        {
            prop_assert_eq!(&difference, &modulus.residue(&(&a[i] - &b[i])));
            prop_assert_eq!(&negated, &modulus.residue(&-&a[i]));
        }
        let mut product = rows(&modulus, &a);
        let factor = modulus.residue(&b[seed as usize % 8]);
        modulus.scale(&mut product, &factor);
        for (i, (sum, product)) in integers(&modulus, &sum).into_iter().zip(integers(&modulus, &product)).enumerate() {
            prop_assert_eq!(&sum, &modulus.residue(&(&a[i] + &b[i])));
            prop_assert_eq!(&product, &(modulus.residue(&a[i]) * &factor % &t));
        }
        for a in &a {
            let centred = modulus.centred(&modulus.row(a));
            prop_assert!((&centred - a) % BigInt::from(t.clone()) == BigInt::ZERO);
            prop_assert!(&centred * 2 <= BigInt::from(t.clone()) && &centred * -2 < BigInt::from(t.clone()));
        }
    }
}

/// Primes with transforms of at least 64 rows, of 1 to 9 words and of one more than is unrolled.
fn primes() -> Vec<BigUint> {
    let found = |bits: u32| {
        let step = 128u32;
        let mut candidate = (BigUint::one() << bits) / step * step + 1u32;
        while !is_prime(&candidate) {
            candidate += step;
        }
        candidate
    };
    [20, 61, 63, 64, 127, 128, 190, 255, 300, 380, 511, 570, 1030].into_iter().map(found).collect()
}

/// Fermat's test is enough for primes that nobody chose.
fn is_prime(n: &BigUint) -> bool {
    [2u32, 3, 5, 7].iter().all(|&base| BigUint::from(base).modpow(&(n - 1u32), n).is_one())
}

#[test]
fn transforms_evaluate_at_the_documented_powers_of_the_root() {
    let mut random = TestIntegers(1);
    for p in primes() {
        let modulus = WideModulus::new(&p).unwrap();
        for size in [1usize, 2, 4, 64] {
            let ntt = WideNtt::new(&modulus, size);
            assert_eq!((ntt.size(), ntt.modulus().value()), (size, &p));
            let mut unit = vec![BigInt::ZERO; size];
            unit[1 % size] = BigInt::one();
            // The values of X tell the root.
            let mut powers = rows(&modulus, &unit);
            ntt.forward(&mut powers);
            let root = integers(&modulus, &powers)[0].clone();
            assert!(size == 1 || root.modpow(&size.into(), &p) == &p - 1u32);
            let a = if size == 1 { vec![BigInt::from(5)] } else { values(&p, size, &mut random) };
            let mut transformed = rows(&modulus, &a);
            ntt.forward(&mut transformed);
            for (index, found) in integers(&modulus, &transformed).into_iter().enumerate() {
                let exponent = if size == 1 { 1 } else { evaluation_exponent(size, index) };
                let point = root.modpow(&exponent.into(), &p);
                let value =
                    a.iter().rev().fold(BigUint::ZERO, |sum, a| (sum * &point + modulus.residue(a)) % &p);
                assert!(size == 1 || found == value, "{p} {size} {index}");
            }
            ntt.inverse(&mut transformed);
            assert_eq!(transformed, rows(&modulus, &a));
        }
    }
}

#[test]
fn large_transforms_on_several_threads_are_undone_too() {
    let p: BigUint = (BigUint::one() << 255u32) - 19u32;
    assert_eq!(transform_size(&p, 1 << 18), 2);
    // 2^64 − 2^32 + 1 has 2^31 slots.
    let p: BigUint = (BigUint::one() << 64u32) - (BigUint::one() << 32u32) + 1u32;
    assert_eq!((transform_size(&p, 1 << 14), transform_size(&p, 1 << 40)), (1 << 14, 1 << 31));
    let modulus = WideModulus::new(&p).unwrap();
    let ntt = WideNtt::new(&modulus, 1 << 14);
    let a = rows(&modulus, &TestIntegers(2).vector(1 << 14, &p.into()));
    let mut b = a.clone();
    ntt.forward(&mut b);
    assert_ne!(a, b);
    ntt.inverse(&mut b);
    assert_eq!(a, b);
}
