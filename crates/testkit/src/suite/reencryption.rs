//! Re-encryption: the same values under another secret, at every level, within the predicted noise.

use asanoha_lattice::{
    EvaluationKeys, FileError, KeyId, Level, MissingKey, Norm, ReencryptionKey, SecretKey,
};
use asanoha_scheme::{Ciphertext, Evaluator, GenerateKeys, Model, Scheme, SchemeError, State, StoredKeys};

use crate::{OpenFile, Party, Subject};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! reencryption_suite {
    ($subject:ty) => {
        $crate::claims!($subject: reencryption {
            the_new_secret_decrypts_at_every_level_within_the_predicted_noise
            reencrypted_operands_are_computed_with_under_the_new_keys
            several_reencryptions_add_up
            a_key_of_other_secrets_or_other_parameters_is_noticed
            products_of_three_parts_and_a_full_modulus_are_refused
            a_key_reads_back_as_the_same_words_and_damage_is_refused
        });
    };
}

/// Another secret, and the key that leads there from the party's.
fn rotated<T: Subject>(party: &mut Party<T>) -> (SecretKey, ReencryptionKey) {
    let params = party.params.clone();
    let new = SecretKey::generate(params.rlwe(), &mut party.sampler);
    let key = ReencryptionKey::generate(params.rlwe(), &party.secret, &new, &mut party.sampler);
    assert_eq!([key.from(), key.to()], [party.secret.id(), new.id()]);
    (new, key)
}

/// Whether every way to decrypt finds more noise than a ciphertext may have.
fn is_garbage<T: Subject>(party: &Party<T>, secret: &SecretKey, a: &Ciphertext<T::Scheme>) -> bool {
    let refused = |result: &Result<(), SchemeError>| {
        matches!(result, Err(SchemeError::NoiseAboveBound(_) | SchemeError::WrongKey { .. }))
    };
    T::decryptions(&party.params, secret, a).iter().all(|(_, result)| refused(result))
}

pub fn the_new_secret_decrypts_at_every_level_within_the_predicted_noise<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(1) {
        let (new, key) = rotated(&mut party);
        let evaluator = party.without_keys();
        let (a, values) = party.random();
        for level in (0..=party.top().0).map(Level) {
            let Ok(a) = party.evaluator.switch_to(&a, level) else { continue };
            let predicted = Model::new(&party.params).key_switch(a.state());
            let found = evaluator.reencrypt(&a, &key);
            let found = match (found, predicted) {
                (Ok(found), Ok(predicted)) => {
                    assert_eq!(found.state(), &predicted);
                    found
                }
                (found, predicted) => {
                    assert!(level < Level(2) && predicted.is_err(), "{level:?}: {predicted:?}");
                    assert_eq!(found.err(), predicted.err());
                    continue;
                }
            };
            assert!(found.level() == level && found.noise() > a.noise());
            let excess = T::excess_bits(&new, &found, &values, "re-encrypted");
            assert!(excess <= 1e-9, "{level:?}: the noise is {excess:.2} bits above its bound");
            assert!(is_garbage(&party, &party.secret, &found), "the old secret still decrypts at {level:?}");
        }
    }
}

pub fn reencrypted_operands_are_computed_with_under_the_new_keys<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(2) {
        let (new, key) = rotated(&mut party);
        let keys = EvaluationKeys::generate(party.params.rlwe(), &new, [], true, &mut party.sampler);
        let evaluator = Evaluator::new(&party.params, keys);
        let ((a, x), (b, y)) = (party.random(), party.random());
        let [a, b] = [&a, &b].map(|a| evaluator.reencrypt(a, &key).unwrap());
        let product = evaluator.multiply_exact(&a, &b).unwrap();
        let excess = T::excess_bits(&new, &product, &party.product(&x, &y), "product");
        assert!(excess <= 1e-9, "the noise is {excess:.2} bits above its bound");
        // A result goes on to the next secret as well.
        let next = SecretKey::generate(party.params.rlwe(), &mut party.sampler);
        let key = ReencryptionKey::generate(party.params.rlwe(), &new, &next, &mut party.sampler);
        let product = evaluator.reencrypt(&product, &key).unwrap();
        let excess = T::excess_bits(&next, &product, &party.product(&x, &y), "product");
        assert!(excess <= 1e-9, "the noise is {excess:.2} bits above its bound");
    }
}

pub fn several_reencryptions_add_up<T: Subject>() {
    let mut party = Party::<T>::of_all_kinds(3).remove(0);
    let (mut a, values) = party.random();
    let evaluator = party.without_keys();
    for _ in 0..8 {
        let (new, key) = rotated(&mut party);
        a = evaluator.reencrypt(&a, &key).unwrap();
        party.secret = new;
        party.expect(&a, &values, "re-encrypted");
    }
}

pub fn a_key_of_other_secrets_or_other_parameters_is_noticed<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(4) {
        let (new, key) = rotated(&mut party);
        let evaluator = party.without_keys();
        let (a, _) = party.random();
        // Twice with one key: the second time from a secret that isn't the ciphertext's.
        let twice = evaluator.reencrypt(&evaluator.reencrypt(&a, &key).unwrap(), &key).unwrap();
        assert!([&new, &party.secret].into_iter().all(|secret| is_garbage(&party, secret, &twice)));
    }
    let [mine, others @ ..] = &T::differing()[..] else { panic!("there are some") };
    let mut party = Party::<T>::new(mine.clone(), 5);
    let (secret, _) = mine.generate_keys_with(&mut party.sampler);
    let (a, _) = party.random();
    for other in others {
        let [from, to] = [0, 1].map(|_| other.generate_keys_with(&mut party.sampler).0);
        let key = from.reencryption_key_with(&to, &mut party.sampler).unwrap();
        assert!(matches!(secret.reencryption_key(&to), Err(SchemeError::OtherParameters { .. })));
        let refused = Evaluator::new(other, EvaluationKeys::default()).reencrypt(&a, &key);
        assert!(matches!(refused, Err(SchemeError::OtherParameters { .. })));
        // Of the same ring with other plaintexts, keys may be the same kind of keys.
        match party.without_keys().reencrypt(&a, &key) {
            Ok(found) => assert!(is_garbage(&party, to.key(), &found)),
            Err(SchemeError::MissingKey(MissingKey::OtherParameters { .. })) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

pub fn products_of_three_parts_and_a_full_modulus_are_refused<T: Subject>() {
    let mut party = Party::<T>::with_slots(6);
    let (_, key) = rotated(&mut party);
    let (a, _) = party.random();
    let product = party.evaluator.multiply_without_relinearise(&a, &a).unwrap();
    let refused = party.evaluator.reencrypt(&product, &key).unwrap_err();
    assert_eq!(refused, SchemeError::NotRelinearised { parts: 3 });
    // A state whose noise fills the modulus has no room for a key switch. One prime is short enough for doubles to tell.
    let model = Model::new(&party.params);
    let with = |log2: f64| State { level: Level(0), noise: Norm::from_log2(log2), ..a.state().clone() };
    let (mut fits, mut above) = (-10.0, model.available_bits(Level(0)) + 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(fits, above);
        *(if model.check(with(middle)).is_ok() { &mut fits } else { &mut above }) = middle;
    }
    assert!(model.check(with(fits)).is_ok());
    let refused = model.key_switch(&with(fits)).unwrap_err();
    assert!(matches!(refused, SchemeError::OutOfModulus { level: 0, .. }), "{refused}");
}

pub fn a_key_reads_back_as_the_same_words_and_damage_is_refused<T: Subject>() {
    let mut party = Party::<T>::of_all_kinds(7).remove(0);
    let (new, key) = rotated(&mut party);
    let bytes = key.to_bytes(&party.params).unwrap();
    let params = party.params.clone();
    let read = |bytes: &[u8]| ReencryptionKey::from_bytes(&params, bytes);
    let again = read(&bytes).unwrap();
    assert_eq!(again.to_bytes(&party.params).unwrap(), bytes);
    let (a, values) = party.random();
    let found = party.without_keys().reencrypt(&a, &again).unwrap();
    assert!(T::excess_bits(&new, &found, &values, "read") <= 1e-9);

    let says = |result: Result<ReencryptionKey, FileError>| result.unwrap_err().to_string();
    for length in [0, 7, 8, 100, bytes.len() / 2, bytes.len() - 8, bytes.len() - 1] {
        assert!(read(&bytes[..length]).is_err(), "{length}");
    }
    let altered = |change: &dyn Fn(&mut OpenFile)| {
        let mut file = OpenFile::parse(&bytes).unwrap();
        change(&mut file);
        says(read(&file.sealed()))
    };
    let to = key.to().to_string();
    for (from, problem) in [
        (serde_json::json!({ "from": to }), "to the same one"),
        (serde_json::json!({ "from": "7" }), "names no key generation"),
        (serde_json::json!({ "from": key.from().to_string(), "to": to }), "doesn't describe"),
        (serde_json::json!([]), "doesn't describe"),
    ] {
        let refused = altered(&|file| file.set_fields(&from));
        assert!(refused.contains(problem), "{refused}");
    }
    let refused = altered(&|file| file.body[7] = 0xff);
    assert!(refused.contains("above their prime"), "{refused}");
    let refused = altered(&|file| file.metadata["params"] = "0".repeat(64).into());
    assert!(refused.contains("other parameters"), "{refused}");
    let refused = altered(&|file| file.metadata["kind"] = "evaluation keys".into());
    assert!(refused.contains("holds evaluation keys"), "{refused}");
    // A key of a seeded generation says so.
    let seeded = (KeyId::parse(&to).unwrap().is_seeded(), key.is_seeded());
    assert_eq!(seeded, (true, true));
}
