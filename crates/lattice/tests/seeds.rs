//! One seed used for two things gives away neither.

use asanoha_kernels::Modulus;
use asanoha_lattice::{
    EvaluationKeys, KeyLevels, KeyName, KeySwitchKey, Level, PublicKey, RlweParams, SecretKey,
};
use asanoha_ring::{Coefficient, Evaluation, GaloisElement, Poly, Sampler, Seed, uniform_from_seed};

use crate::common::params;

const N: usize = 64;
const SEED: Seed = Seed([9; 32]);

fn keys(params: &RlweParams) -> (SecretKey, PublicKey) {
    let mut sampler = Sampler::new(&SEED);
    let secret = SecretKey::generate(params, &mut sampler);
    let public = PublicKey::generate(params, &secret, &mut sampler);
    (secret, public)
}

/// With b₁ = −a·s + t₁·e and b₂ = −a·s + t₂·e, s is (t₂·b₁ − t₁·b₂)/((t₁ − t₂)·a): modulo the first prime, from what
/// is public.
fn recovered(
    params: &RlweParams,
    [t1, t2]: [u64; 2],
    a: &Poly<Evaluation>,
    bodies: [&Poly<Evaluation>; 2],
) -> Option<Vec<i64>> {
    let q: &Modulus = params.q(Level(0)).modulus(0);
    let value = |i: usize| {
        let [b1, b2] = bodies.map(|body| body.limb(0)[i]);
        let numerator = q.sub(q.mul(t2, b1), q.mul(t1, b2));
        let denominator = q.mul(q.sub(t1, t2), a.limb(0)[i]);
        q.mul(numerator, q.pow(denominator, q.value() - 2))
    };
    let words: Vec<u64> = (0..N).map(value).collect();
    let s = Poly::<Evaluation>::from_checked_words(params.q(Level(0)), &words)?.into_coefficient();
    let small = |&word: &u64| match word {
        0 => Some(0),
        1 => Some(1),
        word if word == q.value() - 1 => Some(-1),
        _ => None,
    };
    s.words().iter().map(small).collect()
}

#[test]
fn one_seed_for_two_plaintext_moduli_gives_away_no_secret() {
    let noise_factors = [17, 257];
    let [first, second] = noise_factors.map(|t| params(N, 2, 1, t));
    let (secret, public) = keys(&first);
    let (other_secret, other) = keys(&second);
    assert_ne!(secret.coefficients(), other_secret.coefficients());
    assert!(public.seed() != other.seed());
    let a = uniform_from_seed(first.q(Level(0)), public.seed());
    assert_eq!(recovered(&first, noise_factors, &a, [public.body(), other.body()]), None);

    // The same attack on keys of one secret, one uniform half and one error.
    let small = |values: &[i64]| Poly::<Coefficient>::from_small(first.q(Level(0)), values).into_evaluation();
    let (s, error) = (small(secret.coefficients()), Sampler::new(&SEED).error(N));
    let body = |t: u64| {
        let mut body = a.mul(&s);
        body.neg_assign();
        body.add_assign(&small(&error.iter().map(|e| e * t as i64).collect::<Vec<_>>()));
        body
    };
    let bodies = noise_factors.map(body);
    let found = recovered(&first, noise_factors, &a, bodies.each_ref());
    assert_eq!(found.as_deref(), Some(secret.coefficients()));
}

#[test]
fn one_seed_for_two_messages_hides_each_by_randomness_of_its_own() {
    let params = params(N, 2, 1, 1);
    let (secret, public) = keys(&params);
    let message = |value| Poly::<Coefficient>::from_small(params.q(Level(1)), &[value; N]).into_evaluation();
    let (m, other) = (message(5), message(7));
    let mut difference = m.clone();
    difference.sub_assign(&other);
    let by_public = |m| public.encrypt(&params, m, &mut Sampler::new(&SEED));
    let by_secret = |m| secret.encrypt(&params, m, &mut Sampler::new(&SEED));
    for (mut c, d) in [(by_public(&m), by_public(&other)), (by_secret(&m), by_secret(&other))] {
        c.sub_assign(&d);
        assert_ne!(c.parts[0].words(), difference.words());
        assert!(c.parts[1].words().iter().filter(|&&word| word == 0).count() < N);
    }
    // The same message gives the same ciphertext: a seed is there for reproducible results.
    assert_eq!(by_public(&m).parts[0].words(), by_public(&m).parts[0].words());
}

#[test]
fn a_seed_gives_every_key_by_its_name_and_level_whatever_else_is_made() {
    let params = params(N, 3, 3, 1);
    let (secret, _) = keys(&params);
    let g = GaloisElement::rotation(N, 3);
    let generate = |levels: &[(KeyName, Level)]| {
        let mut all = KeyLevels::default();
        levels.iter().for_each(|&(name, level)| match name {
            KeyName::Relinearisation => all.add_relinearisation(&params, level),
            KeyName::Galois(g) => all.add_automorphism(&params, g, level),
            KeyName::ImageProduct(g) => all.add_image_product(&params, g, level),
            KeyName::ToSparse | KeyName::FromSparse => all.add_encapsulation(&params),
            KeyName::Reencryption => unreachable!("no evaluation needs it"),
        });
        EvaluationKeys::generate_levels(&params, &secret, &all, &mut Sampler::new(&SEED))
    };
    let top = params.max_level();
    let both = generate(&[(KeyName::Relinearisation, top), (KeyName::Galois(g), top)]);
    let file = |keys: &EvaluationKeys| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k");
        keys.write_for(&params, "d", &path).unwrap();
        std::fs::read(path).unwrap()
    };
    let mut one = EvaluationKeys::of(both.id);
    let galois = both.iter().filter(|key| key.name() == KeyName::Galois(g));
    galois.for_each(|key| one.insert(&params, key.clone()));
    assert_eq!(file(&one), file(&generate(&[(KeyName::Galois(g), top)])));
    let lower = generate(&[(KeyName::Galois(g), Level(1))]);
    assert_ne!(file(&one), file(&lower));
    let mut sampler = Sampler::new(&SEED);
    let key = |level, sampler: &mut Sampler| {
        let key = KeySwitchKey::generate(&params, KeyName::Relinearisation, level, &secret, sampler);
        let mut keys = EvaluationKeys::default();
        keys.insert(&params, key);
        file(&keys)
    };
    assert_ne!(key(top, &mut sampler), key(top, &mut sampler), "one sampler never gives a key twice");
}

#[test]
fn keys_say_whether_they_come_from_a_seed() {
    let params = params(N, 2, 1, 1);
    let (secret, public) = keys(&params);
    assert!(secret.id().is_seeded() && public.id().is_seeded());
    assert!(!SecretKey::generate(&params, &mut Sampler::from_os()).id().is_seeded());
    let mut branch = Sampler::from_os().branch("test", &[b"part"]);
    assert!(!SecretKey::generate(&params, &mut branch).id().is_seeded());
    assert!(Sampler::new(&SEED).branch("test", &[]).is_seeded());
}
