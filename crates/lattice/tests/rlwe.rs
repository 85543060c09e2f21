//! Encryption, key switching and division against big integers, with measured noise held against its bound.

use asanoha_lattice::{
    DiagonalSteps, DiagonalSum, EvaluationKeys, GaloisKey, Hoisted, KeyName, KeySwitchKey, KeyTier, Level,
    MissingKey, ParamsError, PublicKey, SecretKey, StepKeys, raise, relinearise,
};
use asanoha_ring::{Backend, Basis, Coefficient, GaloisElement, Poly, Sampler, Seed};
use asanoha_testkit::{TestIntegers, automorphism, negacyclic_product};
use num_bigint::BigInt;
use num_traits::One;
use proptest::prelude::*;

use crate::common::{literal, noise, params};

const N: usize = 64;

struct Case {
    params: asanoha_lattice::RlweParams,
    secret: SecretKey,
    public: PublicKey,
    sampler: Sampler,
    integers: TestIntegers,
}

fn case(seed: u64, primes: usize, digits: usize, factor: u64) -> Case {
    let params = params(N, primes, digits, factor);
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut sampler = Sampler::new(&Seed(bytes));
    let secret = SecretKey::generate(&params, &mut sampler);
    let public = PublicKey::generate(&params, &secret, &mut sampler);
    Case { params, secret, public, sampler, integers: TestIntegers(seed) }
}

impl Case {
    fn encrypt(&mut self, level: usize, message_bits: u64) -> (asanoha_lattice::RlweCiphertext, Vec<BigInt>) {
        let m = self.integers.vector(N, &(BigInt::one() << message_bits));
        let plain = Poly::<Coefficient>::from_integers(self.params.q(Level(level)), &m).into_evaluation();
        (self.public.encrypt(&self.params, &plain, &mut self.sampler), m)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn decryption_inverts_encryption_within_the_noise_bound(seed: u64, primes in 1usize..5, t in 1u64..1 << 16) {
        let t = 2 * t - 1;
        let mut case = case(seed, primes, 1, t);
        for level in 0..primes {
            let (ciphertext, m) = case.encrypt(level, 20);
            let measured = noise(&case.params, &case.secret.decrypt(&ciphertext), &m);
            let bound = t as f64 * case.params.fresh_public_noise(case.params.noise());
            prop_assert!(measured > 0.0 && measured <= bound);
            let plain = Poly::<Coefficient>::from_integers(case.params.q(Level(level)), &m).into_evaluation();
            let symmetric = case.secret.encrypt(&case.params, &plain, &mut case.sampler);
            let measured_symmetric = noise(&case.params, &case.secret.decrypt(&symmetric), &m);
            let symmetric_bound = t as f64 * case.params.noise().fresh_secret();
            prop_assert!(measured_symmetric <= symmetric_bound && symmetric_bound < bound);
        }
    }

    #[test]
    fn relinearised_products_decrypt_to_products(seed: u64, primes in 2usize..7, digits in 1usize..7, t in 0u64..1 << 16) {
        let digits = digits.min(primes);
        let mut case = case(seed, primes, digits, 2 * t + 1);
        let key = KeySwitchKey::relinearisation(&case.params, &case.secret, &mut case.sampler);
        for level in 1..primes {
            let (a, _) = case.encrypt(level, 16);
            let (b, _) = case.encrypt(level, 16);
            let (va, vb) = (case.secret.decrypt(&a).to_integers(), case.secret.decrypt(&b).to_integers());
            let exact = negacyclic_product(&va, &vb);
            let product = a.tensor(&b);
            prop_assert_eq!(noise(&case.params, &case.secret.decrypt(&product), &exact), 0.0);
            let switched = relinearise(&case.params, product, &key).unwrap();
            prop_assert_eq!(switched.parts.len(), 2);
            let measured = noise(&case.params, &case.secret.decrypt(&switched), &exact);
            let bound = (2 * t + 1) as f64 * case.params.key_switch_noise(Level(level));
            prop_assert!(measured > 0.0 && measured <= bound, "{} > {}", measured, bound);
        }
    }

    #[test]
    fn automorphisms_of_ciphertexts_decrypt_to_automorphisms(seed: u64, primes in 1usize..6, digits in 1usize..6, g in 0u32..64, t in 0u64..1 << 16) {
        let digits = digits.min(primes);
        let g = GaloisElement(2 * g + 1);
        let mut case = case(seed, primes, digits, 2 * t + 1);
        let key = GaloisKey::generate(&case.params, &case.secret, g, &mut case.sampler);
        for level in 0..primes {
            let (ciphertext, _) = case.encrypt(level, 16);
            let v = case.secret.decrypt(&ciphertext).to_integers();
            let image = asanoha_lattice::automorphism(&case.params, &ciphertext, &key).unwrap();
            let expected = automorphism(&v, g.0 as usize);
            let measured = noise(&case.params, &case.secret.decrypt(&image), &expected);
            prop_assert!(measured <= (2 * t + 1) as f64 * case.params.key_switch_noise(Level(level)));
            let hoisted = Hoisted::new(&case.params, &ciphertext).extend(&case.params);
            let extended = hoisted.sum_of_images(&case.params, &[&key]).unwrap();
            let hoisted = extended.mod_down(&case.params);
            prop_assert_eq!(hoisted.parts[0].words(), image.parts[0].words());
            prop_assert_eq!(hoisted.parts[1].words(), image.parts[1].words());
        }
    }

    #[test]
    fn division_shrinks_the_noise_to_its_bound(seed: u64, primes in 2usize..6, to in 0usize..5, t in 0u64..1 << 16) {
        let t = 2 * t + 1;
        let to = to.min(primes - 2);
        let mut case = case(seed, primes, 1, t);
        let (mut ciphertext, _) = case.encrypt(primes - 1, 8);
        let large = BigInt::from(t) << 40;
        let factor = asanoha_ring::Scalar::new(case.params.q(Level(primes - 1)), &large);
        ciphertext.parts.iter_mut().for_each(|part| part.mul_scalar_assign(&factor));
        let v = case.secret.decrypt(&ciphertext).to_integers();
        let divided = ciphertext.divide_to(&case.params, Level(to));
        prop_assert_eq!(divided.level(), Level(to));
        let log2_v = v.iter().map(|x| x.bits() as f64).fold(0.0, f64::max) + (N as f64).log2();
        let d: BigInt = asanoha_testkit::product(case.params.q(Level(primes - 1)).range(to + 1..primes).primes());
        let got = case.secret.decrypt(&divided).to_integers();
        let bound = (log2_v - d.bits() as f64 + 1.0).exp2() + t as f64 * case.params.noise().rounding(2);
        for (got, v) in got.iter().zip(&v) {
            // got·D − v is t times something small, and got is within the bound.
            let difference: BigInt = got * &d - v;
            prop_assert_eq!(&difference % t, BigInt::from(0));
            let size = got.to_string().parse::<f64>().unwrap().abs();
            prop_assert!(size <= bound);
        }
    }
}

#[test]
fn missing_keys_are_named_with_those_present() {
    let mut case = case(1, 2, 1, 1);
    let mut keys = EvaluationKeys::default();
    let top = case.params.max_level();
    for rotation in [1, 2, 4] {
        let g = GaloisElement::rotation(N, rotation);
        let key =
            KeySwitchKey::generate(&case.params, KeyName::Galois(g), top, &case.secret, &mut case.sampler);
        keys.insert(&case.params, key);
    }
    assert!(keys.rotation(&case.params, 2, top).is_ok() && keys.rotation(&case.params, 2 - 32, top).is_ok());
    let error = keys.rotation(&case.params, 7, top).unwrap_err();
    assert_eq!(error, MissingKey::Rotation { rotation: 7, swapped: false, present: vec![1, 2, 4] });
    assert!(error.to_string().contains("rotation by 7; present are [1, 2, 4]"));
    assert_eq!(keys.relinearisation(&case.params, top).unwrap_err(), MissingKey::Relinearisation);
    assert_eq!(keys.conjugation(&case.params, top).unwrap_err(), MissingKey::Conjugation);
}

#[test]
#[should_panic(expected = "steps.largest()")]
fn diagonals_beyond_a_row_are_refused_for_their_keys_would_repeat() {
    let params = params(N, 2, 1, 1);
    let steps = DiagonalSteps::new([1, N / 2 + 1], 1, StepKeys::Each);
    let zero = |basis: &Basis, _, _| Ok::<_, ()>((Poly::zero(basis), ()));
    let _ = DiagonalSum::encode(&params, &steps, Level(1), zero);
}

#[test]
fn unsafe_or_inconsistent_parameters_are_refused_with_the_figures() {
    let backend = Backend::detect().unwrap();
    let good = literal(N, 4, 2, 1);
    assert!(good.clone().check(backend).is_ok());
    let check = |change: fn(&mut asanoha_lattice::RlweLiteral)| {
        let mut literal = good.clone();
        change(&mut literal);
        literal.check(backend).unwrap_err()
    };
    assert!(matches!(check(|l| l.insecure = false), ParamsError::Insecure { found: 0, largest: 0, .. }));
    let tiers_without_digits =
        check(|l| (l.digits, l.tiers) = (0, vec![KeyTier { level: Level(0), special: 1, digit_primes: 1 }]));
    assert!(matches!(tiers_without_digits, ParamsError::Digits { digits: 0, primes: 4 }));
    assert!(matches!(
        check(|l| (l.digits, l.q_primes) = (0, Vec::new())),
        ParamsError::Digits { primes: 0, .. }
    ));
    assert!(matches!(check(|l| l.digits = 5), ParamsError::Digits { digits: 5, primes: 4 }));
    assert!(matches!(
        check(|l| {
            l.p_primes.pop();
        }),
        ParamsError::SpecialModulus { .. }
    ));
    assert!(matches!(check(|l| l.p_primes.clear()), ParamsError::Ring(_)));
    assert!(matches!(check(|l| l.q_primes[1] = l.q_primes[0]), ParamsError::Ring(_)));
    assert!(matches!(check(|l| l.q_primes[1] = 15), ParamsError::Ring(_)));
    assert!(matches!(check(|l| l.ring_degree = 100), ParamsError::Ring(_)));
    for factor in [0, good.q_primes[0]] {
        let literal = asanoha_lattice::RlweLiteral { noise_factor: factor.into(), ..good.clone() };
        assert_eq!(literal.check(backend).unwrap_err(), ParamsError::NoiseFactor(factor.into()));
    }
}

#[test]
fn parameters_at_the_table_bound_are_accepted_and_beyond_refused() {
    let backend = Backend::detect().unwrap();
    // 2^12 allows 106 bits: 46 + 50 = 96 is fine, 46 + 46 + 50 isn't.
    let fine = asanoha_lattice::RlweLiteral { insecure: false, ..literal(1 << 12, 1, 1, 1) };
    let params = fine.check(backend).unwrap();
    assert_eq!(params.security_bits(), 128);
    let beyond = asanoha_lattice::RlweLiteral { insecure: false, ..literal(1 << 12, 2, 2, 1) };
    let error = beyond.check(backend).unwrap_err();
    assert!(matches!(error, ParamsError::Insecure { largest: 106, found, .. } if found < 128), "{error}");
}

/// Residues of a raised ciphertext decrypt to the message and small multiples of q₀.
#[test]
fn a_raised_ciphertext_holds_its_message_and_small_multiples_of_the_lowest_prime() {
    use asanoha_lattice::{KeyLevels, RlweLiteral};
    let literal = RlweLiteral { insecure: true, ..literal(1 << 10, 4, 2, 1) }.encapsulated();
    let params = literal.check(Backend::detect().unwrap()).unwrap();
    let mut sampler = Sampler::new(&Seed([9; 32]));
    let secret = SecretKey::generate(&params, &mut sampler);
    let mut levels = KeyLevels::default();
    levels.add_encapsulation(&params);
    let keys = EvaluationKeys::generate_levels(&params, &secret, &levels, &mut sampler);
    assert!(keys.require(&params, &levels).is_ok());
    let missing = EvaluationKeys::default().require(&params, &levels).unwrap_err();
    assert_eq!(missing, MissingKey::Absent(KeyName::ToSparse));

    let q0 = params.q(Level(0)).modulus(0).value() as i128;
    let message: Vec<i64> = (0..1 << 10).map(|i| (i - 512) * (1 << 20)).collect();
    let poly = Poly::<Coefficient>::from_small(params.q(Level(0)), &message).into_evaluation();
    let public = PublicKey::generate(&params, &secret, &mut sampler);
    let low = public.encrypt(&params, &poly, &mut sampler);
    let raised = raise(&params, &low, &keys).unwrap();
    assert_eq!(raised.level(), params.max_level());
    let found = secret.decrypt(&raised.dropped_to(Level(1))).to_i128();
    let integers = found.iter().zip(&message).map(|(c, m)| {
        let integer = (c - i128::from(*m) + q0 / 2).div_euclid(q0);
        let noise = c - i128::from(*m) - integer * q0;
        assert!(noise.abs() < 1 << 16, "{noise}");
        integer
    });
    let integers: Vec<i128> = integers.collect();
    assert!(integers.iter().all(|i| i.abs() <= 15) && integers.iter().any(|i| i.abs() >= 3), "{integers:?}");
}
