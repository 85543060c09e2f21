//! Decryption measures the noise that it rounds away: garbage is an error and never a number.

mod common;

use std::sync::Arc;

use asanoha_bfv::{BfvCiphertext, BfvModulus, EvaluationKeys, Evaluator, SecretKey};
use asanoha_lattice::{Level, RlweCiphertext};
use asanoha_ring::{Evaluation, Poly};
use asanoha_scheme::{Scheme, SchemeError};
use common::{House, Shape, binomial};

fn house(modulus: BfvModulus, seed: u64) -> House {
    let ring_degree = 1 << 6;
    House::new(&Shape { ring_degree, prime_bits: 46, primes: 6, digits: 3, modulus, encoding: None }, seed)
}

fn is_garbage(house: &House, secret: &SecretKey, ciphertext: &BfvCiphertext) -> bool {
    let refused = |error| match error {
        SchemeError::NoiseAboveBound(above) => above.found_bits > above.bound_bits,
        _ => false,
    };
    house.decryptor.decrypt_integers(secret, ciphertext).is_err_and(refused)
        && house.decryptor.decrypt(secret, ciphertext).is_err()
        && house.decryptor.decrypt_unsigned(secret, ciphertext).is_err()
}

#[test]
fn another_secret_key_is_noticed_at_every_level() {
    for modulus in [65537.into(), binomial(16, 4)] {
        let mut house = house(modulus, 1);
        let a = house.encrypt(&[1.into(), 2.into()]);
        let other = SecretKey::generate(house.params.rlwe(), &mut house.sampler);
        for level in (1..6).map(Level) {
            let a = house.evaluator.switch_to(&a, level).unwrap();
            assert!(house.decryptor.decrypt_integers(&house.secret, &a).is_ok());
            assert!(is_garbage(&house, &other, &a), "{level:?}");
        }
    }
}

#[test]
fn keys_of_another_secret_make_results_that_do_not_decrypt() {
    for modulus in [65537.into(), binomial(16, 4)] {
        let mut house = house(modulus, 2);
        let other = SecretKey::generate(house.params.rlwe(), &mut house.sampler);
        let keys = EvaluationKeys::generate(house.params.rlwe(), &other, [], true, &mut house.sampler);
        let altered = Evaluator::new(&house.params, Arc::new(keys));
        let a = house.encrypt(&[1.into(), 2.into()]);
        let square = altered.square(&a).unwrap();
        assert!(is_garbage(&house, &house.secret, &square));
        let low = house.evaluator.switch_to(&square, Level(2)).unwrap();
        assert!(is_garbage(&house, &house.secret, &low));
    }
}

#[test]
fn one_altered_word_is_noticed() {
    let mut house = house(65537.into(), 3);
    let a = house.encrypt(&[1.into(), 2.into()]);
    for part in 0..2 {
        let mut parts = a.rlwe().parts.clone();
        let mut words = parts[part].words().to_vec();
        words[70] ^= 1;
        parts[part] = Poly::<Evaluation>::from_checked_words(parts[part].basis(), &words).unwrap();
        let altered =
            BfvCiphertext::from_checked_parts(&house.params, RlweCiphertext { parts }, a.state().clone())
                .unwrap();
        assert!(is_garbage(&house, &house.secret, &altered));
    }
}
