//! Keys of lower levels, and keys that stay in their file: the same results, less memory, and no garbage.

use std::path::Path;

use asanoha_lattice::{
    EvaluationKeys, FileProblem, FileWriter, Hoisting, KeyLevels, KeyName, KeySwitchKey, Level, MissingKey,
    PublicKey, RlweCiphertext, RlweParams, SecretKey, Trace, automorphisms, relinearise,
};
use asanoha_ring::{Coefficient, GaloisElement, Poly, Sampler, Seed, SwitchKey};
use asanoha_testkit::{TestIntegers, automorphism, negacyclic_product};
use num_bigint::BigInt;
use proptest::prelude::*;

use crate::common::{noise, params};

const N: usize = 64;

struct Case {
    params: RlweParams,
    secret: SecretKey,
    public: PublicKey,
    integers: TestIntegers,
    sampler: Sampler,
}

fn case(seed: u64, primes: usize, digits: usize) -> Case {
    let params = params(N, primes, digits, 3);
    let mut sampler = Sampler::new(&Seed([seed as u8; 32]));
    let secret = SecretKey::generate(&params, &mut sampler);
    let public = PublicKey::generate(&params, &secret, &mut sampler);
    Case { params, secret, public, integers: TestIntegers(seed), sampler }
}

impl Case {
    fn encrypt(&mut self, level: Level) -> RlweCiphertext {
        let m = self.integers.vector(N, &BigInt::from(1 << 16));
        let plain = Poly::<Coefficient>::from_integers(self.params.q(level), &m).into_evaluation();
        self.public.encrypt(&self.params, &plain, &mut self.sampler)
    }

    fn keys(&self, levels: &KeyLevels) -> EvaluationKeys {
        EvaluationKeys::generate_levels(&self.params, &self.secret, levels, &mut Sampler::new(&Seed([5; 32])))
    }

    fn stored(&self, levels: &KeyLevels, folder: &Path) -> EvaluationKeys {
        let sampler = &mut Sampler::new(&Seed([5; 32]));
        let place = (self.params.digest(), folder);
        EvaluationKeys::generate_stored(&self.params, &self.secret, levels, sampler, place).unwrap()
    }

    fn integers(&self, ciphertext: &RlweCiphertext) -> Vec<BigInt> {
        self.secret.decrypt(ciphertext).to_integers()
    }
}

fn trace() -> Trace {
    Trace::new(N, &[4, 2, 4], Hoisting::Lazy)
}

/// The keys of a trace and of products, up to one level.
fn levels(params: &RlweParams, level: Level) -> KeyLevels {
    let mut levels = KeyLevels::default();
    levels.add_relinearisation(params, level);
    trace().elements().for_each(|g| levels.add_automorphism(params, g, level));
    levels
}

fn words(ciphertext: &RlweCiphertext) -> Vec<u64> {
    ciphertext.parts.iter().flat_map(|part| part.words().to_vec()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn stored_keys_give_the_same_bits_as_keys_in_memory(seed: u64, primes in 1usize..6, digits in 1usize..4, top in 0usize..6) {
        let mut case = case(seed, primes, digits.min(primes));
        let top = Level(top.min(primes - 1));
        let folder = tempfile::tempdir().unwrap();
        let (memory, stored) = (case.keys(&levels(&case.params, top)), case.stored(&levels(&case.params, top), folder.path()));
        let path = folder.path().join("k");
        memory.write_for(&case.params, case.params.digest(), &path).unwrap();
        let opened = EvaluationKeys::open_for(&case.params, case.params.digest(), &path).unwrap();
        for keys in [&stored, &opened] {
            prop_assert!(!keys.iter().any(SwitchKey::in_memory));
            prop_assert_eq!((keys.bytes(), keys.id), (memory.bytes(), memory.id));
            for level in (0..=top.0).map(Level) {
                let a = case.encrypt(level);
                let product = |keys: &EvaluationKeys| {
                    words(&relinearise(&case.params, a.tensor(&a), keys.relinearisation(&case.params, level).unwrap()).unwrap())
                };
                prop_assert_eq!(product(keys), product(&memory));
                let sum = |keys| words(&trace().apply(&case.params, &a, keys).unwrap());
                prop_assert_eq!(sum(keys), sum(&memory));
                let key = |keys: &EvaluationKeys| {
                    let keys: Vec<_> = [1, 2].map(|k| keys.rotation(&case.params, k, level).unwrap().clone()).into();
                    let images = automorphisms(&case.params, &a, &keys.iter().collect::<Vec<_>>()).unwrap();
                    images.iter().flat_map(words).collect::<Vec<_>>()
                };
                prop_assert_eq!(key(keys), key(&memory));
            }
        }
    }

    #[test]
    fn keys_of_a_level_serve_it_and_all_below_and_no_level_above(seed: u64, primes in 2usize..6, digits in 1usize..4, top in 0usize..5) {
        let mut case = case(seed, primes, digits.min(primes));
        let top = Level(top.min(primes - 2));
        let keys = case.keys(&levels(&case.params, top));
        let g = GaloisElement::rotation(N, 2);
        for level in (0..=top.0).map(Level) {
            let a = case.encrypt(level);
            let v = case.integers(&a);
            let bound = 3.0 * case.params.key_switch_noise(level);
            let image = asanoha_lattice::automorphism(&case.params, &a, keys.automorphism(&case.params, g, level).unwrap()).unwrap();
            prop_assert!(noise(&case.params, &case.secret.decrypt(&image), &automorphism(&v, g.0 as usize)) <= bound);
            if level.0 > 0 {
                let product = relinearise(&case.params, a.tensor(&a), keys.relinearisation(&case.params, level).unwrap()).unwrap();
                prop_assert!(noise(&case.params, &case.secret.decrypt(&product), &negacyclic_product(&v, &v)) <= bound);
            }
        }
        let above = case.encrypt(Level(top.0 + 1));
        let refused = |key| MissingKey::Level { key, present: top.0, needed: top.0 + 1 };
        let error = asanoha_lattice::automorphism(&case.params, &above, keys.automorphism(&case.params, g, top).unwrap()).unwrap_err();
        prop_assert_eq!(&error, &refused(KeyName::Galois(g)));
        let text = format!("level {}, and one of level {} needs it", top.0, top.0 + 1);
        prop_assert!(error.to_string().contains(&text), "{}", error);
        let key = keys.relinearisation(&case.params, top).unwrap();
        prop_assert_eq!(relinearise(&case.params, above.tensor(&above), key).unwrap_err(), refused(KeyName::Relinearisation));
        let error = trace().apply(&case.params, &above, &keys).unwrap_err();
        prop_assert_eq!(error, refused(KeyName::Galois(trace().elements().next().unwrap())));
    }
}

/// With the same secret, and errors that are multiples of another number, results would be wrong and their noise small.
#[test]
fn keys_of_another_noise_factor_or_other_digits_are_refused() {
    let mut case = case(8, 4, 2);
    let g = GaloisElement::rotation(N, 1);
    let a = case.encrypt(Level(3));
    for others in [params(N, 4, 2, 5), params(N, 4, 4, 3)] {
        let id = case.secret.id();
        let secret = SecretKey::from_checked_coefficients(&others, id, case.secret.coefficients()).unwrap();
        let key = KeySwitchKey::generate(&others, KeyName::Galois(g), Level(3), &secret, &mut case.sampler);
        let mut keys = EvaluationKeys::of(id);
        keys.insert(&others, key);
        let key = keys.automorphism(&case.params, g, Level(3)).unwrap();
        let refused = MissingKey::OtherParameters { key: KeyName::Galois(g) };
        assert_eq!(asanoha_lattice::automorphism(&case.params, &a, key).unwrap_err(), refused);
    }
}

#[test]
fn a_file_of_lower_levels_is_smaller_and_comes_back() {
    let case = case(3, 5, 3);
    let folder = tempfile::tempdir().unwrap();
    let digest = case.params.digest();
    let mut sizes = Vec::new();
    for level in (0..5).map(Level) {
        let mut wanted = levels(&case.params, Level(0));
        wanted.add_automorphism(&case.params, GaloisElement::rotation(N, 2), level);
        wanted.add_automorphism(&case.params, GaloisElement(1), level);
        let keys = case.keys(&wanted);
        let path = folder.path().join("k");
        sizes.push(keys.write_for(&case.params, digest, &path).unwrap());
        let again = EvaluationKeys::read_for(&case.params, digest, &path).unwrap();
        for keys in [&keys, &again, &EvaluationKeys::open_for(&case.params, digest, &path).unwrap()] {
            assert_eq!(
                keys.iter().map(|key| (key.name(), key.level())).collect::<Vec<_>>(),
                wanted.iter().collect::<Vec<_>>()
            );
            assert_eq!(
                keys.iter().map(KeySwitchKey::bytes).sum::<usize>() as u64,
                wanted.bytes(&case.params)
            );
        }
        let of_levels = wanted.bytes(&case.params) as usize;
        assert!(of_levels <= keys.bytes() && (sizes[level.0] as usize) < of_levels / 2 + 8192);
        // What was read is written as it was, from memory and from the file itself.
        for keys in [again, EvaluationKeys::open_for(&case.params, digest, &path).unwrap()] {
            keys.write_for(&case.params, digest, &folder.path().join("k2")).unwrap();
            assert_eq!(std::fs::read(folder.path().join("k2")).unwrap(), std::fs::read(&path).unwrap());
        }
    }
    assert!(sizes.is_sorted() && sizes[0] < sizes[4]);
}

#[test]
fn stored_keys_leave_nothing_in_their_folder() {
    let case = case(4, 2, 1);
    let folder = tempfile::tempdir().unwrap();
    let keys = case.stored(&levels(&case.params, Level(1)), folder.path());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    drop(keys);
    let nowhere = folder.path().join("nowhere");
    let place = (case.params.digest(), nowhere.as_path());
    let made = EvaluationKeys::generate_stored(
        &case.params,
        &case.secret,
        &levels(&case.params, Level(1)),
        &mut Sampler::new(&Seed([1; 32])),
        place,
    );
    let error = made.unwrap_err();
    assert!(error.path == nowhere && matches!(error.problem, FileProblem::Io(_)), "{error}");
}

#[test]
fn damaged_keys_are_refused_at_the_opening_by_name() {
    let case = case(5, 2, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let digest = case.params.digest();
    case.keys(&levels(&case.params, Level(1))).write_for(&case.params, digest, &path).unwrap();
    let good = std::fs::read(&path).unwrap();
    let refuse = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        for opened in [EvaluationKeys::open_for, |params: &_, digest: &_, path: &Path| {
            EvaluationKeys::read_for(params, digest, path)
        }] {
            let error = opened(&case.params, digest, &path).unwrap_err();
            assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
        }
    };
    (0..good.len()).step_by(good.len() / 17).for_each(|length| refuse(&good[..length]));
    for byte in (0..good.len()).step_by(good.len() / 29) {
        let mut bad = good.clone();
        bad[byte] ^= 1 << (byte % 8);
        refuse(&bad);
    }
    refuse(&[good.as_slice(), &[0; 8]].concat());
    std::fs::remove_file(&path).unwrap();
    assert!(EvaluationKeys::open_for(&case.params, digest, &path).is_err());
}

#[test]
fn keys_of_no_level_or_of_no_name_are_refused() {
    let case = case(6, 3, 3);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let digest = case.params.digest();
    let special = case.params.p().len();
    let refuse = |name: &str, shape: [usize; 3], seeds: usize, says: &str| {
        let header =
            case.params.file_header(digest, case.secret.id(), "evaluation keys", serde_json::Value::Null);
        let mut file = FileWriter::new(header);
        let (words, seed_words) = (vec![0; shape.iter().product()], vec![0; 4 * seeds]);
        file.tensor(format!("{name}.b"), &shape, vec![&words]);
        file.tensor(format!("{name}.seeds"), &[seeds, 4], vec![&seed_words]);
        file.write(&path).unwrap();
        for opened in [EvaluationKeys::open_for, |params: &_, digest: &_, path: &Path| {
            EvaluationKeys::read_for(params, digest, path)
        }] {
            let error = opened(&case.params, digest, &path).unwrap_err().to_string();
            assert!(error.contains(path.to_str().unwrap()) && error.contains(says), "{error}");
        }
    };
    // One digit a prime: level 1 has two digits and 2 + |P| primes.
    for digits in [1, 3] {
        refuse("galois.5", [digits, 2 + special, N], digits, "dimensions");
    }
    refuse("galois.5", [2, 2 + special, 2 * N], 2, "dimensions");
    refuse("galois.5", [2, 2 + special, N], 3, "dimensions");
    refuse("galois.5", [4, 4 + special, N], 4, "no level");
    refuse("relinearisation", [1, special, N], 1, "no level");
    for name in ["galois.4", "galois.1", "galois.129", "galois.x", "rotation"] {
        refuse(name, [2, 2 + special, N], 2, name);
    }
}

#[test]
fn a_file_that_changes_while_it_is_in_use_is_an_error_that_names_it() {
    let mut case = case(7, 2, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let a = case.encrypt(Level(1));
    let digest = case.params.digest();
    let key = |keys: &EvaluationKeys| -> KeySwitchKey {
        keys.relinearisation(&case.params, Level(1)).unwrap().clone()
    };
    let written = || {
        case.keys(&levels(&case.params, Level(1))).write_for(&case.params, digest, &path).unwrap();
        key(&EvaluationKeys::open_for(&case.params, digest, &path).unwrap())
    };
    let refused = |key: &KeySwitchKey, says: &str| {
        let error = relinearise(&case.params, a.tensor(&a), key).unwrap_err();
        assert!(matches!(error, MissingKey::Unreadable(_)));
        let text = error.to_string();
        assert!(text.contains(path.to_str().unwrap()) && text.contains(says), "{text}");
    };
    let key = written();
    let length = std::fs::metadata(&path).unwrap().len();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(length / 2).unwrap();
    refused(&key, "changed while in use");
    let key = written();
    std::fs::write(&path, vec![0xff; length as usize]).unwrap();
    refused(&key, "changed while in use");

    // Words that were digested as they are, but are no residues.
    let shape = [1, 2 + case.params.p().len(), N];
    let header =
        case.params.file_header(digest, case.secret.id(), "evaluation keys", serde_json::Value::Null);
    let mut unsound = FileWriter::new(header);
    let (words, seeds) = (vec![u64::MAX; shape.iter().product()], vec![0; 4 * shape[0]]);
    unsound.tensor("relinearisation.b", &shape, vec![&words]);
    unsound.tensor("relinearisation.seeds", &[shape[0], 4], vec![&seeds]);
    unsound.write(&path).unwrap();
    let opened = EvaluationKeys::open_for(&case.params, digest, &path).unwrap();
    refused(opened.relinearisation(&case.params, Level(1)).unwrap(), "above their prime");
}

/// In large rings every row has a digest of its own.
#[test]
fn one_word_of_a_limb_that_changes_after_opening_is_an_error_even_below_its_prime() {
    for ring_degree in [1 << 6, 1 << 10] {
        let params = params(ring_degree, 2, 2, 1);
        let mut sampler = Sampler::new(&Seed([8; 32]));
        let secret = SecretKey::generate(&params, &mut sampler);
        let keys = EvaluationKeys::generate(&params, &secret, [], true, &mut sampler);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let length = keys.write_for(&params, params.digest(), &path).unwrap() as usize;
        let opened = EvaluationKeys::open_for(&params, params.digest(), &path).unwrap();
        let m = Poly::<Coefficient>::from_small(params.q(Level(1)), &vec![0; ring_degree]).into_evaluation();
        let a = secret.encrypt(&params, &m, &mut sampler);
        let relinearise =
            || relinearise(&params, a.tensor(&a), opened.relinearisation(&params, Level(1)).unwrap());
        assert!(relinearise().is_ok());
        let good = std::fs::read(&path).unwrap();
        let limb = 8 * ring_degree;
        let body = length - 2 * (2 + params.p().len()) * limb - 2 * 32;
        for at in [body, body + limb - 8, body + 3 * limb + 16, length - 64 - limb] {
            let mut bad = good.clone();
            // The lowest bit of a word.
            bad[at] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            let error = relinearise().unwrap_err().to_string();
            assert!(error.contains("keys: changed while in use: it doesn't hold"), "{error}");
        }
        std::fs::write(&path, &good).unwrap();
        assert!(relinearise().is_ok());
    }
}
