//! Plaintext moduli that the suites don't have: products of given primes, few slots, hundreds of bits in the largest ring.

use asanoha_bgv::BgvLiteral;
use asanoha_lattice::Level;
use asanoha_ring::{Backend, GaloisElement};
use asanoha_scheme::{Encoding, Scheme, batching_primes};
use asanoha_testkit::{ExactSubject, LiteralShape, Party, centred};
use num_bigint::{BigInt, BigUint};

use crate::common::Bgv;

/// A party of a modulus with room for about three products.
fn party(t: &BigUint, ring_degree: usize, encoding: Encoding, digits: usize, seed: u64) -> Party<Bgv> {
    let primes = (4 * (t.bits() as usize + 34)).div_ceil(46).max(4);
    let shape =
        LiteralShape { ring_degree, primes, digits, encoding: Some(encoding), ..LiteralShape::of(t.clone()) };
    Party::new(Bgv::params(&shape, Backend::detect().unwrap()), seed)
}

#[test]
fn random_circuits_modulo_a_product_of_given_primes_are_exact() {
    let primes = batching_primes(80, 16, 2);
    let t: BigUint = primes.iter().product();
    let mut literal: BgvLiteral = party(&t, 16, Encoding::Coefficients, 2, 1).params.literal().clone();
    literal.encoding = None;
    literal.plaintext_factors = primes.into_iter().map(Into::into).collect();
    let mut party = Party::<Bgv>::new(literal.check(Backend::detect().unwrap()).unwrap(), 2);
    assert_eq!(party.params.slots(), 16);
    let ((a, x), (b, y)) = (party.random(), party.random());
    let product = party.evaluator.multiply_exact(&a, &b).unwrap();
    let rotated = party.evaluator.rotate(&product, 2).unwrap();
    party.expect(&rotated, &party.rotated(&party.product(&x, &y), 2), "product");
}

#[test]
fn keys_are_made_for_what_there_is_to_rotate() {
    // 17 has 8 slots: rotations by 1 and 5 are one, and by 4 nothing.
    let party = party(&BigUint::from(17u32), 64, Encoding::Slots, 1, 1);
    let keys = party.evaluator.keys();
    let expected: Vec<GaloisElement> =
        [1, 2].iter().map(|&k| GaloisElement::rotation(64, k)).chain([GaloisElement(127)]).collect();
    assert_eq!(keys.elements(), expected);
    let none = self::party(&BigUint::from(16u32), 64, Encoding::Coefficients, 1, 1);
    assert!(none.evaluator.keys().elements().is_empty());
}

#[test]
#[ignore = "slow"]
fn the_largest_ring_computes_modulo_five_hundred_bits() {
    let t = batching_primes(500, 1 << 18, 1).remove(0);
    let mut party = party(&t, 1 << 18, Encoding::Slots, 3, 1);
    let (count, modulus) = (party.params.slots(), BigInt::from(t));
    assert_eq!(count, 1 << 18);
    let (a, values) = party.random();
    let square = party.evaluator.square_exact(&a).unwrap();
    let lower = party.evaluator.switch_to(&square, Level(30)).unwrap();
    let rotated = party.evaluator.rotate(&lower, 5).unwrap();
    let decrypted = party.decrypt(&rotated);
    for (row, expected) in decrypted.chunks(count / 2).zip(values.chunks(count / 2)) {
        for (j, found) in row.iter().enumerate() {
            let x = &expected[(j + 5) % (count / 2)];
            assert_eq!(*found, centred(&(x * x), &modulus), "slot {j}");
        }
    }
}
