//! Products with images under automorphisms, summed and switched, against big integers.

mod common;

use asanoha_lattice::{
    EvaluationKeys, ImageSums, KeyLevels, KeyName, Level, MissingKey, PublicKey, RlweCiphertext, RlweParams,
    SecretKey, SecretShare,
};
use asanoha_ring::{Coefficient, FixingAutomorphisms, Poly, Sampler, Seed};
use asanoha_testkit::{TestIntegers, automorphism, centred, negacyclic_product};
use common::params;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use proptest::prelude::*;

const N: usize = 64;
const PRIMES: usize = 4;
/// The level that sums are brought to: with the noise of t·2^12, a product holds in two primes what fits one.
const LEVEL: Level = Level(1);

struct Case {
    params: RlweParams,
    secret: SecretKey,
    public: PublicKey,
    sampler: Sampler,
    integers: TestIntegers,
    t: BigInt,
}

impl Case {
    fn new(seed: u64, digits: usize, t: u64) -> Self {
        let params = params(N, PRIMES, digits, t);
        let mut bytes = [9; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut sampler = Sampler::new(&Seed(bytes));
        let secret = SecretKey::generate(&params, &mut sampler);
        let public = PublicKey::generate(&params, &secret, &mut sampler);
        Self { params, secret, public, sampler, integers: TestIntegers(seed), t: t.into() }
    }

    fn encrypt(&mut self, count: usize) -> (Vec<RlweCiphertext>, Vec<Vec<BigInt>>) {
        let one = |case: &mut Self| {
            let t = case.t.to_biguint().unwrap();
            let m: Vec<BigInt> =
                case.integers.vector(N, &t.into()).iter().map(|m| centred(m, &case.t)).collect();
            let plain = Poly::<Coefficient>::from_integers(case.params.q(case.params.max_level()), &m);
            (case.public.encrypt(&case.params, &plain.into_evaluation(), &mut case.sampler), m)
        };
        (0..count).map(|_| one(self)).unzip()
    }

    fn keys(&mut self, automorphisms: &FixingAutomorphisms) -> EvaluationKeys {
        let mut levels = KeyLevels::default();
        for k in 0..automorphisms.count() {
            levels.add_image_product(&self.params, automorphisms.element(k), LEVEL);
        }
        EvaluationKeys::generate_levels(&self.params, &self.secret, &levels, &mut self.sampler)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sums_of_products_with_images_decrypt_within_their_noise_bound(
        seed: u64, digits in 1usize..=4, t in 1u64..1 << 15, log2_count in 0u32..=4, terms in 1usize..5,
    ) {
        let mut case = Case::new(seed, digits, 2 * t + 1);
        let automorphisms = FixingAutomorphisms::new(N, 1 << log2_count);
        let keys = case.keys(&automorphisms);
        let ((a, left), (b, right)) = (case.encrypt(terms), case.encrypt(terms));
        let sums = ImageSums::new(automorphisms, &a, &b, None).switch_to(&case.params, LEVEL, &keys).unwrap();

        let params = &case.params;
        let (q, dropped): (BigInt, BigInt) = {
            let (all, kept) = (params.q(params.max_level()).product(), params.q(LEVEL).product());
            (kept.clone().into(), (all / kept).into())
        };
        let (t, model) = (case.t.to_f64().unwrap(), params.noise());
        let fresh = t * (params.fresh_public_noise(model) + N as f64 / 2.0);
        let bound = terms as f64 * fresh * fresh / dropped.to_f64().unwrap()
            + t * params.image_product_noise(model, LEVEL);
        prop_assert_eq!(sums.len(), automorphisms.count());
        for (k, sum) in sums.iter().enumerate() {
            prop_assert!(sum.level() == LEVEL && sum.parts.len() == 2);
            let mut expected = vec![BigInt::ZERO; N];
            for (a, b) in left.iter().zip(&right) {
                let product = negacyclic_product(&automorphism(a, automorphisms.element(k).0 as usize), b);
                expected.iter_mut().zip(product).for_each(|(sum, c)| *sum += c);
            }
            for (found, expected) in case.secret.decrypt(sum).to_integers().iter().zip(&expected) {
                let found = centred(found, &q);
                prop_assert!(found.to_f64().unwrap().abs() <= bound, "{found} > {bound}");
                prop_assert_eq!((found * &dropped - expected) % &case.t, BigInt::ZERO);
            }
        }
    }
}

#[test]
fn a_missing_key_is_named() {
    let mut case = Case::new(1, 2, 65537);
    let automorphisms = FixingAutomorphisms::new(N, 2);
    let ((a, _), (b, _)) = (case.encrypt(2), case.encrypt(2));
    let multiply = |case: &Case, keys: &EvaluationKeys| {
        ImageSums::new(automorphisms, &a, &b, None).switch_to(&case.params, LEVEL, keys).map(|_| ())
    };
    assert_eq!(multiply(&case, &EvaluationKeys::default()), Err(MissingKey::Relinearisation));
    let element = automorphisms.element(1);
    let galois = EvaluationKeys::generate(&case.params, &case.secret, [element], true, &mut case.sampler);
    let missing = multiply(&case, &galois).unwrap_err();
    assert_eq!(missing, MissingKey::ImageProduct(KeyName::ImageProduct(element)));
    assert!(missing.to_string().contains(&format!("X^{}", element.0)), "{missing}");
}

#[test]
fn keys_for_products_with_images_survive_files() {
    let mut case = Case::new(2, 2, 65537);
    let automorphisms = FixingAutomorphisms::new(N, 4);
    let keys = case.keys(&automorphisms);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let digest = case.params.digest().to_owned();
    keys.write(&case.params, &digest, &path).unwrap();
    let read = EvaluationKeys::read(&case.params, &digest, &path).unwrap();
    assert_eq!(keys.bytes(), read.bytes());
    let ((a, _), (b, _)) = (case.encrypt(3), case.encrypt(3));
    let product = |keys| {
        let sums = ImageSums::new(automorphisms, &a, &b, None).switch_to(&case.params, LEVEL, keys).unwrap();
        sums.into_iter().map(|sum| sum.parts[0].words().to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(product(&keys), product(&read));
}

#[test]
fn shares_of_the_secret_decrypt_together_and_not_without_each_other() {
    for parties in [1, 2, 5] {
        let mut case = Case::new(parties as u64, 2, 257);
        let (a, _) = case.encrypt(2);
        let product = a[0].tensor(&a[1]);
        let shares = case.secret.share(&case.params, LEVEL, parties, &mut case.sampler);
        assert_eq!(shares.len(), parties);
        let multipliers: Vec<_> =
            shares.iter().map(|share| share.of_products(&a[1].dropped_to(LEVEL))).collect();
        for number in 0..3 {
            let ciphertext = [&a[0], &product, &product][number].dropped_to(LEVEL);
            let whole = case.secret.decrypt(&ciphertext);
            let mut parts: Vec<_> = match number {
                // The product, without computing it.
                2 => multipliers.iter().map(|share| share.decryption_share(&a[0])).collect(),
                _ => shares.iter().map(|share| share.decryption_share(&ciphertext, LEVEL)).collect(),
            };
            let below = |share: &SecretShare| share.decryption_share(&ciphertext, Level(0)).words().to_vec();
            if number < 2 {
                assert_eq!(below(&shares[0]), parts[0].limb(0));
            }
            let mut sum = parts.remove(0);
            if parties > 1 {
                assert_ne!(sum.to_integers(), whole.to_integers());
            }
            parts.iter().for_each(|part| sum.add_assign(part));
            assert_eq!(sum.to_integers(), whole.to_integers());
        }
    }
}
