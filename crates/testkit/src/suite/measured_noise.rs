//! Decryption measures what it decrypts: garbage is an error and never a number.

use asanoha_lattice::{Level, RlweCiphertext, SecretKey};
use asanoha_ring::{Evaluation, Poly};
use asanoha_scheme::{Ciphertext, EvaluationKeysBuilder, Evaluator, Scheme, SchemeError};

use crate::{Party, Subject};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! measured_noise_suite {
    ($subject:ty) => {
        $crate::claims!($subject: measured_noise {
            another_secret_key_is_noticed_at_every_level
            keys_of_another_secret_make_results_that_do_not_decrypt
            one_altered_word_is_noticed
        });
    };
}

/// Whether every way to decrypt finds more than the bound.
fn is_garbage<T: Subject>(party: &Party<T>, secret: &SecretKey, ciphertext: &Ciphertext<T::Scheme>) -> bool {
    T::decryptions(&party.params, secret, ciphertext).into_iter().all(|(_, result)| match result {
        Err(SchemeError::NoiseAboveBound(above)) => above.found_bits > above.bound_bits,
        Err(SchemeError::WrongKey { found_bits, bound_bits }) => found_bits > bound_bits,
        _ => false,
    })
}

pub fn another_secret_key_is_noticed_at_every_level<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(1) {
        let (a, _) = party.random();
        let other = SecretKey::generate(party.params.rlwe(), &mut party.sampler);
        for level in (0..=party.top().0).map(Level) {
            // Three primes hold every kind's noise.
            let Ok(a) = party.evaluator.switch_to(&a, level) else {
                assert!(level < Level(2));
                continue;
            };
            assert!(T::decrypt(&party.params, &party.secret, &a).is_ok());
            assert!(is_garbage(&party, &other, &a), "{}, {level:?}", party.params.describe());
        }
    }
}

pub fn keys_of_another_secret_make_results_that_do_not_decrypt<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(2) {
        let other = SecretKey::generate(party.params.rlwe(), &mut party.sampler);
        let keys = EvaluationKeysBuilder::new(&party.params, &other).relinearise();
        // A slot alone rotates to itself.
        let has_slots = party.params.row_slots().is_some_and(|row| row > 1);
        let keys = if has_slots { keys.rotate([1]).swap_rows() } else { keys };
        let altered = Evaluator::new(&party.params, keys.build_with(&mut party.sampler).unwrap());
        let (a, _) = party.random();
        let mut results = vec![altered.square_exact(&a).unwrap()];
        if has_slots {
            results.extend([altered.rotate(&a, 1).unwrap(), altered.swap_rows(&a).unwrap()]);
        }
        for result in results {
            assert!(is_garbage(&party, &party.secret, &result));
            // Smaller noise bounds don't hide it, nor does the way down.
            let low = party.evaluator.switch_to(&result, Level(3)).unwrap();
            assert!(is_garbage(&party, &party.secret, &low));
        }
    }
}

pub fn one_altered_word_is_noticed<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(3) {
        let (a, _) = party.random();
        for part in 0..2 {
            let mut parts = a.rlwe().parts.clone();
            // Of the first prime, which every decryption reads.
            let mut words = parts[part].words().to_vec();
            words[6] ^= 1;
            parts[part] = Poly::<Evaluation>::from_checked_words(parts[part].basis(), &words).unwrap();
            let altered =
                Ciphertext::from_checked_parts(&party.params, RlweCiphertext { parts }, a.state().clone());
            assert!(is_garbage(&party, &party.secret, &altered.unwrap()));
        }
    }
}
