//! Numbers of exact schemes in and out: which fit, and what fresh ciphertexts say of them.

use asanoha_lattice::Level;
use asanoha_scheme::{Decryptor, Encoder, Exact, Model, Plaintext, PlaintextError, Scheme, SchemeError};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use crate::{ExactSubject, Party};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! encoding_suite {
    ($subject:ty) => {
        $crate::claims!($subject: encoding {
            values_survive_encoding_and_encryption_in_every_form
            missing_values_are_zeros
            values_that_fit_no_plaintext_are_refused
            fresh_bounds_say_nothing_of_the_message
            fresh_and_switched_bounds_are_within_nine_bits_of_the_measured_norm
        });
    };
}

pub fn values_survive_encoding_and_encryption_in_every_form<E: ExactSubject>() {
    for mut party in Party::<E>::of_all_kinds(1) {
        let mut values = party.values();
        let largest = party.params.largest_value();
        values[0] = largest;
        let (encoder, decryptor) = (Encoder::new(&party.params), Decryptor::new(&party.params));
        for level in 0..=party.top().0 {
            let plain = party.encode(&values, Level(level));
            assert_eq!(encoder.decode_integers(&plain).unwrap(), values);
        }
        let plain = party.encode(&values, Level(3));
        let a = party.encrypt(&values);
        let unsigned = decryptor.decrypt_unsigned(&party.secret, &a).unwrap();
        assert!(unsigned.iter().all(|value| value < party.params.plaintext_modulus()));
        let again = encoder.encode_unsigned(&unsigned, Level(3)).unwrap();
        assert_eq!(again.addend().words(), plain.addend().words());
        let words: Option<Vec<i64>> = values.iter().map(|value| value.try_into().ok()).collect();
        match (decryptor.decrypt(&party.secret, &a), encoder.decode(&plain)) {
            (Ok(decrypted), Ok(decoded)) => {
                assert_eq!((Some(decrypted), Some(decoded)), (words.clone(), words.clone()));
                let words = encoder.encode(&words.unwrap(), Level(3)).unwrap();
                assert_eq!(words.factor().words(), plain.factor().words());
            }
            (decrypted, decoded) => {
                let bits = party.params.plaintext_modulus().bits();
                assert_eq!(decrypted, Err(SchemeError::WideModulus { bits }));
                assert_eq!(decoded, Err(SchemeError::WideModulus { bits }));
            }
        }
        let constant = encoder.encode_constant(-1, party.top()).unwrap();
        let sum = party.evaluator.add_plain_exact(&a, &constant).unwrap();
        party.expect(&sum, &party.sum(&values, &party.constant(-1)), "constant");
    }
}

pub fn missing_values_are_zeros<E: ExactSubject>() {
    for party in Party::<E>::of_all_kinds(2) {
        let encoder = Encoder::new(&party.params);
        let decoded = encoder.decode_integers(&encoder.encode(&[1], Level(0)).unwrap()).unwrap();
        assert_eq!(decoded.len(), party.params.slots());
        let one = party.params.centred(&BigInt::one());
        assert!(decoded[0] == one && decoded[1..].iter().all(Zero::is_zero));
    }
}

pub fn values_that_fit_no_plaintext_are_refused<E: ExactSubject>() {
    for party in Party::<E>::of_all_kinds(3) {
        let encoder = Encoder::new(&party.params);
        let (largest, values) = (party.params.largest_value(), party.params.slots());
        let t = party.params.plaintext_modulus();
        // Where a plaintext holds one number, it's the one beyond.
        let first = 2 - values.min(2);
        let refused = |result: Result<_, SchemeError>, beyond: &BigInt| {
            let Err(SchemeError::Plaintext(PlaintextError::ValueOutOfRange {
                index, value, largest, ..
            })) = result
            else {
                panic!("{beyond} isn't taken modulo {t}")
            };
            assert_eq!((index, &value), (1 - first, beyond));
            largest
        };
        let smallest = -&largest;
        let beyond: [BigInt; 4] = [&largest + 1, &largest * 3 + 1, &smallest - 1, &smallest * 5 - 2];
        for beyond in beyond {
            let result = encoder.encode_integers(&[largest.clone(), beyond.clone()][first..], Level(0));
            assert_eq!(refused(result, &beyond), largest);
            if let Ok(word) = i64::try_from(&beyond) {
                refused(encoder.encode(&[0, word][first..], Level(0)), &beyond);
            }
        }
        if largest < BigInt::from(i64::MAX) {
            refused(encoder.encode(&[0, i64::MIN][first..], Level(0)), &i64::MIN.into());
        }
        let beyond = encoder.encode_unsigned(&[t - BigUint::one(), t.clone()][first..], Level(0));
        refused(beyond, &BigInt::from(t.clone()));
        let many = encoder.encode(&vec![0; values + 1], Level(0)).unwrap_err();
        assert_eq!(many, PlaintextError::TooManyValues { found: values + 1, values }.into());
        let level = SchemeError::LevelTooHigh { asked: 6, highest: 5 };
        assert_eq!(encoder.encode(&[], Level(6)).unwrap_err(), level);
    }
}

pub fn fresh_bounds_say_nothing_of_the_message<E: ExactSubject>() {
    for mut party in Party::<E>::of_all_kinds(4) {
        let largest = vec![party.params.largest_value(); party.params.slots()];
        let (none, many) = (party.encrypt(&[]), party.encrypt(&largest));
        assert_eq!(none.state(), many.state());
        let [none, many] = [&[][..], &largest].map(|values| {
            let plain = party.encode(values, party.top());
            party.encryptor.encrypt_secret(&party.secret, &plain, &mut party.sampler).unwrap()
        });
        assert_eq!(none.state(), many.state());
    }
}

pub fn fresh_and_switched_bounds_are_within_nine_bits_of_the_measured_norm<E: ExactSubject>() {
    for mut party in Party::<E>::of_all_kinds(5) {
        let (fresh, values) = party.random();
        let switched = party.evaluator.switch_to(&fresh, Level(2)).unwrap();
        for ciphertext in [fresh, switched] {
            let slack = party.expect(&ciphertext, &values, "fresh or switched");
            assert!(slack < 9.0, "{}: {slack}", party.params.describe());
            // The budget is what the bound leaves.
            let available = Model::new(&party.params).available_bits(ciphertext.level());
            assert_eq!(ciphertext.noise_budget_bits(), available - ciphertext.noise().log2());
        }
    }
}
