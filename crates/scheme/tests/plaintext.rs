//! Plaintext spaces against big integers.

use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::Norm;
use asanoha_ring::{Backend, Basis, GaloisElement};
use asanoha_scheme::{
    Encoding, PlainPoly, PlaintextError, PlaintextSpace, batching_primes, next_batching_prime,
};
use asanoha_testkit::{TestIntegers, automorphism, centred, negacyclic_product, rotated_rows};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};
use proptest::prelude::*;

fn space(n: usize, t: &BigUint, encoding: Encoding) -> PlaintextSpace {
    PlaintextSpace::new(n, t, &[], Some(encoding), Backend::detect().unwrap()).unwrap()
}

fn big(t: u64) -> BigUint {
    BigUint::from(t)
}

fn p256() -> BigUint {
    let two = |n: u32| BigUint::one() << n;
    two(256) - two(224) + two(192) + two(96) - 1u32
}

fn mersenne(bits: u32) -> BigUint {
    (BigUint::one() << bits) - 1u32
}

/// Moduli with slots, and how many at ring degree 64.
fn slotted() -> Vec<(BigUint, usize)> {
    vec![
        (big(2), 1),
        (big(3), 1),
        (big(5), 2),
        (big(37), 2),
        (big(67), 1),
        (big(17), 8),
        (big(97), 16),
        (big(257), 64),
        (big(65537), 64),
        (mersenne(61), 1),
        // Distinct factors: 17 has 8 slots, 257 has 64.
        (big(17 * 257), 8),
        (big(257 * 65537), 64),
        (big(3 * 5), 1),
        (batching_primes(60, 64, 1).remove(0), 64),
        (batching_primes(62, 64, 1).remove(0), 64),
        (batching_primes(64, 64, 1).remove(0), 64),
        (batching_primes(128, 64, 1).remove(0), 64),
        (batching_primes(192, 64, 1).remove(0), 64),
        (batching_primes(300, 64, 1).remove(0), 64),
        ((BigUint::one() << 255) - 19u32, 2),
        (p256(), 1),
    ]
}

fn moduli() -> Vec<BigUint> {
    let odd = slotted().into_iter().map(|(t, _)| t);
    let two = |n: u32| BigUint::one() << n;
    let rsa = mersenne(1279) * mersenne(607) + 2u32;
    odd.chain([big(4), big(6), big(9), two(10), two(61), two(63), two(64), two(65), two(128), two(2048), rsa])
        .collect()
}

fn coefficients(space: &PlaintextSpace, plain: &PlainPoly) -> Vec<BigInt> {
    let t = space.wide_modulus();
    plain.rows().chunks_exact(t.limbs()).map(|row| t.centred(row)).collect()
}

fn values(space: &PlaintextSpace, integers: &mut TestIntegers) -> Vec<BigInt> {
    let mut values = integers.vector(space.values(), &space.modulus().clone().into());
    values[0] = space.largest_value();
    values[space.values() - 1] = space.smallest_value();
    values
}

#[test]
fn decoding_gives_the_encoded_values_back() {
    let mut integers = TestIntegers(1);
    let slots = slotted().into_iter().map(|(t, _)| (t, Encoding::Slots));
    for (t, encoding) in slots.chain(moduli().into_iter().map(|t| (t, Encoding::Coefficients))) {
        let space = space(64, &t, encoding);
        let values = values(&space, &mut integers);
        let plain = space.encode(&values).unwrap();
        assert_eq!(space.decode(plain.clone()), values, "{t}");
        let unsigned: Vec<BigUint> = values.iter().map(|v| space.wide_modulus().residue(v)).collect();
        assert_eq!(space.decode_unsigned(plain.clone()), unsigned);
        assert_eq!(space.encode_unsigned(&unsigned).unwrap(), plain);
        let words: Option<Vec<i64>> = values.iter().map(ToPrimitive::to_i64).collect();
        if let Some(words) = words {
            assert_eq!(space.encode_words(&words).unwrap(), plain);
            assert_eq!(space.decode_words(plain.clone()), Some(words));
        }
        let short = space.encode(&values[..1]).unwrap();
        assert!(space.decode(short)[1..].iter().all(|value| *value == BigInt::ZERO));
    }
}

#[test]
fn products_and_automorphisms_of_polynomials_are_those_of_slots() {
    let mut integers = TestIntegers(2);
    for (t, slots) in slotted() {
        let space = space(64, &t, Encoding::Slots);
        assert_eq!(space.values(), slots, "{t}");
        let (x, y) = (values(&space, &mut integers), values(&space, &mut integers));
        let t = BigInt::from(t);
        let [a, b] = [&x, &y].map(|v| coefficients(&space, &space.encode(v).unwrap()));
        let reduced = |poly: Vec<BigInt>| {
            let residues: Vec<BigUint> = poly.iter().map(|c| space.wide_modulus().residue(c)).collect();
            let coefficients =
                PlaintextSpace::new(64, space.modulus(), &[], Some(Encoding::Coefficients), Backend::Scalar);
            space.decode(coefficients.unwrap().encode_unsigned(&residues).unwrap())
        };
        let products: Vec<BigInt> = x.iter().zip(&y).map(|(x, y)| centred(&(x * y), &t)).collect();
        assert_eq!(reduced(negacyclic_product(&a, &b)), products);
        let row = space.row_slots().unwrap();
        for places in [0i64, 1, 3, -1, 1000] {
            let g = space.rotation(places).unwrap();
            let rotated = rotated_rows(&x, row, places);
            assert_eq!(reduced(automorphism(&a, g.0 as usize)), rotated, "{t} by {places}");
        }
        let (first, second) = x.split_at(if slots == 1 { 0 } else { row });
        let GaloisElement(g) = space.row_swap().unwrap();
        assert_eq!(reduced(automorphism(&a, g as usize)), [second, first].concat(), "{t}");
    }
}

#[test]
fn a_constant_stands_in_all_slots() {
    for (t, slots) in slotted() {
        let space = space(64, &t, Encoding::Slots);
        let value = centred(&BigInt::from(-123_456_789), &t.into());
        assert_eq!(space.decode(space.constant(&value)), vec![value; slots]);
    }
}

#[test]
fn norms_are_the_largest_values_at_roots_of_unity_of_any_size() {
    let mut integers = TestIntegers(3);
    for t in moduli() {
        let space = space(64, &t, Encoding::Coefficients);
        let constant = space.norm(&space.constant(&space.smallest_value()));
        let size = Norm::from(space.smallest_value().magnitude());
        assert!(t == big(2) || (constant.log2() - size.log2()).abs() < 1e-6);
        // All coefficients alike times X + 1 nearly cancel; one after another they line up at no root worse than N·t/2.
        let random = space.encode(&values(&space, &mut integers)).unwrap();
        let bits = space.norm(&random).log2() - Norm::from(&t).log2();
        assert!((-2.0..5.0).contains(&bits), "{t}: {bits}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_ways_to_residue_systems_and_back_are_those_of_big_integers(
        seed: u64,
        t in prop::sample::select(moduli()),
        primes in 1usize..40,
        bits in prop::sample::select(vec![20u32, 46, 50, 61]),
    ) {
        let n = 16;
        let primes = primes_congruent_to_one(bits, 2 * n as u64, primes, &[]).unwrap();
        let basis = Basis::new(n, &primes, Backend::detect().unwrap()).unwrap();
        let space = space(n, &t, Encoding::Coefficients);
        let mut integers = TestIntegers(seed);
        let values = values(&space, &mut integers);
        let lifted = space.lift(&space.encode(&values).unwrap(), &basis);
        let expected = asanoha_ring::Poly::from_integers(&basis, &values);
        prop_assert_eq!(lifted.words(), expected.words());
        // Any polynomial modulo Q, but next to ±Q/2.
        let q = BigInt::from(basis.product());
        let wide: Vec<BigInt> = integers.vector(n, &q).into_iter().map(|x| x * 1000 / 1001).collect();
        let reduced = space.reduce(asanoha_ring::Poly::from_integers(&basis, &wide));
        let expected: Vec<BigInt> = wide.iter().map(|x| centred(x, &t.clone().into())).collect();
        prop_assert_eq!(coefficients(&space, &reduced), expected.clone());
        let factor = integers.below(&(q * 3));
        let scaled = space.scale(&reduced, &factor);
        let expected: Vec<BigInt> = expected.iter().map(|x| centred(&(x * &factor), &t.clone().into())).collect();
        prop_assert_eq!(coefficients(&space, &scaled), expected);
    }
}

#[test]
fn word_and_wide_transforms_agree() {
    // A prime of 61 bits goes through the kernels, one of 62 bits doesn't; at degree 4 neither does.
    for bits in [20, 61, 62] {
        let t = batching_primes(bits, 1 << 10, 1).remove(0);
        let space = space(1 << 10, &t, Encoding::Slots);
        let mut unit = vec![BigInt::ZERO; 1 << 10];
        unit[1] = BigInt::one();
        let row: Vec<BigInt> = coefficients(&space, &space.encode(&unit).unwrap());
        // N times the polynomial of one slot has coefficients that are powers of a root of unity: its inverse.
        let root = centred(&(&row[1] * 1024), &t.clone().into());
        let power = root.modpow(&BigInt::from(1024), &t.clone().into());
        assert_eq!(power + 1, BigInt::from(t));
    }
}

#[test]
fn the_space_of_the_prime_above_is_that_of_the_search_for_it() {
    for least in [big(0), big(65536), big(65537), BigUint::one() << 60, BigUint::one() << 70] {
        let t = next_batching_prime(&least, 64).unwrap();
        let of_prime_above = |most| PlaintextSpace::of_prime_above(64, &least, most, Backend::Scalar);
        let found = of_prime_above(t.bits()).unwrap();
        assert_eq!(found, PlaintextSpace::new(64, &t, &[], None, Backend::Scalar).unwrap());
        let values: Vec<BigInt> = (0..64).map(BigInt::from).collect();
        assert_eq!(found.decode(found.encode(&values).unwrap()), values);
        assert!(of_prime_above(t.bits() - 1).is_none());
    }
}

#[test]
fn the_default_is_slots_where_there_are_several() {
    let encoding = |t: &BigUint| {
        let space = PlaintextSpace::new(64, t, &[], None, Backend::Scalar).unwrap();
        (space.encoding(), space.values())
    };
    assert_eq!(encoding(&big(65537)), (Encoding::Slots, 64));
    assert_eq!(encoding(&big(37)), (Encoding::Slots, 2));
    for t in [big(2), big(67), big(1 << 20), big(9), mersenne(61), p256()] {
        assert_eq!(encoding(&t), (Encoding::Coefficients, 64), "{t}");
    }
    let none = PlaintextSpace::new(64, &big(67), &[], None, Backend::Scalar).unwrap();
    assert_eq!((none.rotation(1), none.row_swap(), none.row_slots()), (None, None, None));
}

#[test]
fn factors_make_slots_of_wide_products() {
    let primes = batching_primes(50, 64, 3);
    let t: BigUint = primes.iter().product();
    let mut integers = TestIntegers(4);
    let make = |factors: &[BigUint]| {
        PlaintextSpace::new(64, &t, factors, Some(Encoding::Slots), Backend::detect().unwrap())
    };
    let space = make(&primes).unwrap();
    assert_eq!(space.values(), 64);
    let values = values(&space, &mut integers);
    let plain = space.encode(&values).unwrap();
    assert_eq!(space.decode(plain.clone()), values);
    // Modulo each factor the slots are those modulo that factor alone.
    for p in &primes {
        let alone = self::space(64, p, Encoding::Slots);
        let residues: Vec<BigUint> =
            coefficients(&space, &plain).iter().map(|c| alone.wide_modulus().residue(c)).collect();
        let coefficients = self::space(64, p, Encoding::Coefficients).encode_unsigned(&residues).unwrap();
        let expected: Vec<BigInt> = values.iter().map(|v| centred(v, &p.clone().into())).collect();
        assert_eq!(alone.decode(coefficients), expected);
    }
    assert!(matches!(make(&[]).unwrap_err(), PlaintextError::NotBatching { .. }));
    assert!(matches!(make(&primes[..2]).unwrap_err(), PlaintextError::Factors { .. }));
    let doubled = [primes[0].clone(), primes[0].clone()];
    let square = &primes[0] * &primes[0];
    let error = PlaintextSpace::new(64, &square, &doubled, None, Backend::Scalar).unwrap_err();
    assert!(matches!(error, PlaintextError::Factors { .. }));
}

#[test]
fn moduli_and_values_out_of_range_are_refused_with_the_figures() {
    for t in [0u64, 1] {
        let error = PlaintextSpace::new(64, &big(t), &[], None, Backend::Scalar).unwrap_err();
        assert_eq!(error, PlaintextError::Modulus(big(t)));
    }
    for t in [4u64, 9, 65536, 17 * 17 * 97] {
        let error =
            PlaintextSpace::new(64, &big(t), &[], Some(Encoding::Slots), Backend::Scalar).unwrap_err();
        assert!(
            matches!(error, PlaintextError::NotBatching { ring_degree: 64, above: Some(_), .. }),
            "{error}"
        );
    }
    let error =
        PlaintextSpace::new(64, &big(65536), &[], Some(Encoding::Slots), Backend::Scalar).unwrap_err();
    assert!(error.to_string().contains("64513 and 65537"), "{error}");

    for (t, encoding) in [
        (big(2), Encoding::Coefficients),
        (big(16), Encoding::Coefficients),
        (big(65537), Encoding::Slots),
        (batching_primes(128, 64, 1).remove(0), Encoding::Slots),
    ] {
        let space = space(64, &t, encoding);
        let (smallest, largest) = (space.smallest_value(), space.largest_value());
        for value in [&smallest - BigInt::one(), &largest + BigInt::one()] {
            let error = space.encode(&[BigInt::ZERO, value.clone()]).unwrap_err();
            let expected = PlaintextError::ValueOutOfRange {
                index: 1,
                value: value.clone(),
                smallest: smallest.clone(),
                largest: largest.clone(),
            };
            assert_eq!(error, expected);
            if let Some(word) = value.to_i64() {
                assert_eq!(space.encode_words(&[0, word]).unwrap_err(), expected);
            }
        }
        let error = space.encode_unsigned(&[BigUint::ZERO, BigUint::ZERO, t]).unwrap_err();
        assert!(matches!(error, PlaintextError::ValueOutOfRange { index: 2, .. }));
        let error = space.encode(&vec![BigInt::ZERO; 65]).unwrap_err();
        assert_eq!(error, PlaintextError::TooManyValues { found: 65, values: 64 });
    }
}
