//! Products against big integers, and ciphertexts that BGV refuses for their noise or their factor.

use asanoha_bgv::{BgvCiphertext, BgvState};
use asanoha_lattice::{Level, Norm};
use asanoha_scheme::{Exact, Scheme, SchemeError};
use asanoha_testkit::{TestIntegers, max_norm, negacyclic_product};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::common::{Fixture, LiteralShape};

fn shape(plaintext_bits: u32) -> LiteralShape {
    LiteralShape { ring_degree: 1 << 6, prime_bits: 46, primes: 6, digits: 3, plaintext_bits }
}

#[test]
fn products_decrypt_to_the_big_integer_product_and_a_multiple_of_t() {
    for plaintext_bits in [10, 17, 30, 60] {
        let mut fixture = Fixture::new(shape(plaintext_bits), 1);
        println!("seed 2");
        let mut integers = TestIntegers(2);
        let (x, y) = (fixture.values(&mut integers), fixture.values(&mut integers));
        let (a, b) = (fixture.encrypt(&x), fixture.encrypt(&y));
        let v = |ciphertext: &BgvCiphertext| fixture.secret.decrypt(ciphertext.rlwe()).to_integers();
        let expected = negacyclic_product(&v(&a), &v(&b));
        assert_eq!(v(&fixture.evaluator.multiply_without_relinearise(&a, &b).unwrap()), expected);
        let found = v(&fixture.evaluator.multiply_exact(&a, &b).unwrap());
        let noise: Vec<BigInt> =
            found.iter().zip(&expected).map(|(found, expected)| found - expected).collect();
        let t = fixture.params.plaintext_modulus().to_u64().unwrap();
        assert!(noise.iter().all(|e| (e % t).is_zero()));
        let bound = t as f64 * fixture.params.rlwe().key_switch_noise(fixture.top());
        assert!(max_norm(&noise).to_f64().unwrap() <= bound);
    }
}

#[test]
fn results_out_of_the_modulus_are_refused_where_they_arise() {
    let mut fixture = Fixture::new(shape(60), 7);
    let a = fixture.encrypt(&[1, 2]);
    let e = &fixture.evaluator;
    let low = e.switch_to(&a, Level(1)).unwrap();
    let Err(SchemeError::OutOfModulus { needed_bits: noise_bits, available_bits, level: 1 }) =
        e.square_exact(&low)
    else {
        panic!("two primes of 46 bits don't hold a product modulo a prime of 60")
    };
    assert!(noise_bits > available_bits && (available_bits - 91.0).abs() < 0.1);
    assert!(matches!(e.switch_to(&a, Level(0)), Err(SchemeError::OutOfModulus { level: 0, .. })));
    let plain = fixture.encoder.encode(&[1], Level(0)).unwrap();
    let fresh = fixture.encryptor.encrypt(&fixture.public, &plain, &mut fixture.sampler);
    assert!(matches!(fresh, Err(SchemeError::OutOfModulus { level: 0, .. })));

    let state = BgvState { noise: Norm::from_log2(91.0), ..low.state().clone() };
    let forged = BgvCiphertext::from_checked_parts(&fixture.params, low.rlwe().clone(), state);
    assert!(matches!(forged, Err(SchemeError::OutOfModulus { level: 1, .. })));
}

#[test]
fn factors_that_are_no_units_are_refused_from_outside() {
    let mut fixture = Fixture::new(shape(17), 10);
    let a = fixture.encrypt(&[1]);
    for (factor, good) in [(0u64, false), (1, true), (65536, true), (65537, false), (u64::MAX, false)] {
        let state = BgvState { message: factor.into(), ..a.state().clone() };
        let found = BgvCiphertext::from_checked_parts(&fixture.params, a.rlwe().clone(), state);
        assert_eq!(found.is_ok(), good, "{factor}");
        assert!(good || matches!(found, Err(SchemeError::UnsoundCiphertext { .. })));
    }
}
