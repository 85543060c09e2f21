//! Decryption measures what it decrypts: garbage is an error and never a number.

mod common;

use std::sync::Arc;

use asanoha_bgv::{BgvCiphertext, Evaluator, SecretKey};
use asanoha_lattice::{Level, RlweCiphertext};
use asanoha_ring::{Evaluation, Poly};
use asanoha_scheme::{EvaluationKeysBuilder, Scheme, SchemeError};
use common::{House, ROTATIONS, Shape};

fn house(plaintext_bits: u32, seed: u64) -> House {
    House::new(Shape { ring_degree: 1 << 6, prime_bits: 46, primes: 6, digits: 3, plaintext_bits }, seed)
}

fn is_garbage(house: &House, secret: &SecretKey, ciphertext: &BgvCiphertext) -> bool {
    let refused = |error| match error {
        SchemeError::NoiseAboveBound(above) => above.found_bits > above.bound_bits,
        _ => false,
    };
    house.decryptor.decrypt(secret, ciphertext).is_err_and(refused)
        && house.decryptor.decrypt_integers(secret, ciphertext).is_err()
        && house.decryptor.decrypt_unsigned(secret, ciphertext).is_err()
}

#[test]
fn another_secret_key_is_noticed_at_every_level() {
    for plaintext_bits in [10, 17, 30] {
        let mut house = house(plaintext_bits, 1);
        let a = house.encrypt(&[1, 2, 3]);
        let other = SecretKey::generate(house.params.rlwe(), &mut house.sampler);
        for level in (1..6).map(Level) {
            let a = house.evaluator.switch_to(&a, level).unwrap();
            assert!(house.decryptor.decrypt(&house.secret, &a).is_ok());
            assert!(is_garbage(&house, &other, &a), "{plaintext_bits} bits, {level:?}");
        }
    }
}

#[test]
fn keys_of_another_secret_make_results_that_do_not_decrypt() {
    let mut house = house(17, 2);
    let other = SecretKey::generate(house.params.rlwe(), &mut house.sampler);
    let keys = EvaluationKeysBuilder::new(&house.params, &other)
        .rotate(ROTATIONS)
        .swap_rows()
        .relinearise()
        .build_with(&mut house.sampler)
        .unwrap();
    let altered = Evaluator::new(&house.params, Arc::new(keys));
    let a = house.encrypt(&[1, 2, 3]);
    let results = [altered.square(&a), altered.rotate(&a, 1), altered.swap_rows(&a)].map(Result::unwrap);
    for result in results {
        assert!(is_garbage(&house, &house.secret, &result));
        // Smaller noise bounds don't hide it, nor does the way down.
        let low = house.evaluator.switch_to(&result, Level(2)).unwrap();
        assert!(is_garbage(&house, &house.secret, &low));
    }
}

#[test]
fn one_altered_word_is_noticed() {
    let mut house = house(17, 3);
    let a = house.encrypt(&[1, 2, 3]);
    for part in 0..2 {
        let mut parts = a.rlwe().parts.clone();
        let mut words = parts[part].words().to_vec();
        words[70] ^= 1;
        parts[part] = Poly::<Evaluation>::from_checked_words(parts[part].basis(), &words).unwrap();
        let altered =
            BgvCiphertext::from_checked_parts(&house.params, RlweCiphertext { parts }, a.state().clone())
                .unwrap();
        assert!(is_garbage(&house, &house.secret, &altered));
    }
}
