//! Products with images under automorphisms, summed and switched, against big integers.

use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{
    Embedding, EvaluationKeys, ImageKeys, ImageSteps, ImageSums, KeyLevels, KeyName, Level, MasterKeys,
    MissingKey, PublicKey, RlweCiphertext, RlweParams, SecretKey, SecretShare,
};
use asanoha_ring::{Coefficient, FixingAutomorphisms, Poly, Sampler, Seed};
use asanoha_testkit::{TestIntegers, automorphism, centred, negacyclic_product};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use proptest::prelude::*;

use crate::common::params;

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
        Self::of_degree(N, seed, digits, t)
    }

    fn of_degree(ring_degree: usize, seed: u64, digits: usize, t: u64) -> Self {
        let params = params(ring_degree, PRIMES, digits, t);
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
            let m: Vec<BigInt> = case
                .integers
                .vector(case.params.ring_degree(), &t.into())
                .iter()
                .map(|m| centred(m, &case.t))
                .collect();
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

/// Ways to switch sums of products.
#[derive(Clone, Copy, Debug)]
enum Way {
    All,
    Composed,
    Derived,
    Kept,
}

impl Way {
    /// The sums, switched in this way by these steps, and the norm of what that adds at most.
    fn switch(self, case: &mut Case, steps: &ImageSteps, sums: ImageSums) -> (Vec<RlweCiphertext>, f64) {
        let keys = match self {
            Self::All => case.keys(&steps.automorphisms()),
            Self::Composed => {
                let levels = steps.keys(&case.params, LEVEL);
                EvaluationKeys::generate_levels(&case.params, &case.secret, &levels, &mut case.sampler)
            }
            Self::Derived | Self::Kept => {
                EvaluationKeys::generate(&case.params, &case.secret, [], true, &mut case.sampler)
            }
        };
        let params = case.params.clone();
        let model = params.noise();
        let (switched, noise) = match self {
            Self::All => (ImageKeys::All(&keys), params.image_product_noise(model, LEVEL)),
            Self::Composed => (ImageKeys::Composed(steps, &keys), steps.noise(&params, model, LEVEL)),
            Self::Derived | Self::Kept => {
                let master = case.master(steps.clone());
                let noise = master.noise(&params, model, LEVEL);
                let derived = master.derive(&params, LEVEL).unwrap();
                let keys = match self {
                    Self::Kept => ImageKeys::Kept(&derived, &keys),
                    _ => ImageKeys::Derived(&master, &keys),
                };
                return (sums.switch_with(&params, LEVEL, keys).unwrap(), noise);
            }
        };
        (sums.switch_with(&params, LEVEL, switched).unwrap(), noise)
    }
}

impl Case {
    /// Master keys in two digits.
    fn master(&mut self, steps: ImageSteps) -> MasterKeys {
        let used = self.params.literal();
        let used: Vec<u64> = used.q_primes.iter().chain(&used.p_primes).copied().collect();
        let digit = (LEVEL.0 + 1 + self.params.special(LEVEL).len()).div_ceil(2);
        let order = 2 * self.params.ring_degree() as u64;
        let special = primes_congruent_to_one(50, order, digit + 1, &used).unwrap();
        let master = self.params.of_master_keys(LEVEL, special, 2).unwrap();
        MasterKeys::generate(master, steps, &self.secret, &mut self.sampler).unwrap()
    }
}

fn ways() -> impl Strategy<Value = Way> {
    prop_oneof![Just(Way::All), Just(Way::Composed), Just(Way::Derived), Just(Way::Kept)]
}

/// Steps that compose 1, 2, 4, 8 and 16 automorphisms: by factors that multiply to their number, or by the first alone.
fn steps() -> impl Strategy<Value = ImageSteps> {
    let automorphisms = |log2: usize| FixingAutomorphisms::new(N, 1 << log2);
    let factors = prop::collection::vec(0usize..=4, 0..4)
        .prop_filter("at most 16", |log2| log2.iter().sum::<usize>() <= 4);
    prop_oneof![
        factors.prop_map(move |log2| {
            let factors: Vec<usize> = log2.iter().map(|log2| 1 << log2).collect();
            ImageSteps::of_factors(automorphisms(log2.iter().sum()), &factors)
        }),
        (1usize..=4).prop_map(move |log2| ImageSteps::new(automorphisms(log2), &[1])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sums_of_products_with_images_decrypt_within_their_noise_bound_in_all_ways(
        seed: u64, digits in 1usize..=4, t in 1u64..1 << 15, terms in 1usize..5, way in ways(), steps in steps(),
    ) {
        let mut case = Case::new(seed, digits, 2 * t + 1);
        let automorphisms = steps.automorphisms();
        let ((a, left), (b, right)) = (case.encrypt(terms), case.encrypt(terms));
        let (sums, added) = way.switch(&mut case, &steps, ImageSums::new(automorphisms, &a, &b, None));

        let params = &case.params;
        let (q, dropped): (BigInt, BigInt) = {
            let (all, kept) = (params.q(params.max_level()).product(), params.q(LEVEL).product());
            (kept.clone().into(), (all / kept).into())
        };
        let (t, model) = (case.t.to_f64().unwrap(), params.noise());
        let fresh = t * (params.fresh_public_noise(model) + N as f64 / 2.0);
        let bound = terms as f64 * fresh * fresh / dropped.to_f64().unwrap() + t * added;
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

/// Of products of small messages, division leaves next to nothing: what is decrypted is the noise of division and switching.
#[test]
fn noise_bounds_hold_and_are_within_a_few_bits() {
    let n = 1 << 10;
    let automorphisms = FixingAutomorphisms::new(n, 8);
    for (way, factors) in [
        (Way::All, &[8][..]),
        (Way::Composed, &[8]),
        (Way::Composed, &[4, 2]),
        (Way::Composed, &[2, 2, 2]),
        (Way::Derived, &[8]),
        (Way::Derived, &[2, 2, 2]),
    ] {
        let mut case = Case::of_degree(n, 5, 2, 3);
        let ((a, _), (b, _)) = (case.encrypt(1), case.encrypt(1));
        let steps = ImageSteps::of_factors(automorphisms, factors);
        let (sums, bound) = way.switch(&mut case, &steps, ImageSums::new(automorphisms, &a, &b, None));
        let q = case.params.q(LEVEL).product().into();
        let norm = |sum: &RlweCiphertext| {
            let noise = case.secret.decrypt(sum).to_integers();
            let noise: Vec<f64> = noise.iter().map(|c| centred(c, &q).to_f64().unwrap() / 3.0).collect();
            Embedding::new(n).norm(&noise)
        };
        let found = sums.iter().map(norm).fold(0.0, f64::max);
        println!("{way:?} {factors:?}: {:.1} bits, bound {:.1}", found.log2(), bound.log2());
        assert!(found <= bound && bound <= found * 2f64.powi(6), "{way:?} {factors:?}: {found} of {bound}");
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
    assert_eq!(missing, MissingKey::Absent(KeyName::ImageProduct(element)));
    assert!(missing.to_string().contains(&format!("X^{}", element.0)), "{missing}");
    let steps = ImageSteps::of_factors(automorphisms, &[2]);
    let relinearisation = EvaluationKeys::generate(&case.params, &case.secret, [], true, &mut case.sampler);
    let sums = ImageSums::new(automorphisms, &a, &b, None);
    let missing = sums.switch_with(&case.params, LEVEL, ImageKeys::Composed(&steps, &relinearisation));
    assert!(matches!(missing.unwrap_err(), MissingKey::Rotation { .. }));
}

#[test]
fn master_keys_are_for_their_level_and_parameters_and_survive_files() {
    let mut case = Case::new(3, 2, 65537);
    let steps = ImageSteps::of_factors(FixingAutomorphisms::new(N, 4), &[2, 2]);
    let relinearisation = EvaluationKeys::generate(&case.params, &case.secret, [], true, &mut case.sampler);
    let ((a, _), (b, _)) = (case.encrypt(1), case.encrypt(1));
    let words = |case: &Case, level, keys| {
        let sums =
            ImageSums::new(steps.automorphisms(), &a, &b, None).switch_with(&case.params, level, keys)?;
        Ok(sums.into_iter().map(|sum| sum.parts[0].words().to_vec()).collect::<Vec<_>>())
    };
    let master = case.master(steps.clone());
    let derived = master.derive(&case.params, LEVEL).unwrap();
    let expected = words(&case, LEVEL, ImageKeys::Kept(&derived, &relinearisation));
    assert!(expected.is_ok());
    assert_eq!(words(&case, LEVEL, ImageKeys::Derived(&master, &relinearisation)), expected);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    master.keys().write_for(master.params(), "d", &path).unwrap();
    let read = EvaluationKeys::read_for(master.params(), "d", &path).unwrap();
    let read = MasterKeys::new(master.params().clone(), steps.clone(), read).unwrap();
    assert_eq!(words(&case, LEVEL, ImageKeys::Derived(&read, &relinearisation)), expected);
    assert!(MasterKeys::new(master.params().clone(), steps.clone(), EvaluationKeys::default()).is_err());

    let key = KeyName::Galois(steps.automorphisms().element(1));
    let other = Err(MissingKey::OtherParameters { key });
    for level in [Level(0), Level(2)] {
        assert_eq!(words(&case, level, ImageKeys::Derived(&master, &relinearisation)), other);
        assert_eq!(words(&case, level, ImageKeys::Kept(&derived, &relinearisation)), other);
    }
    case.params = params(N, PRIMES, 2, 257);
    let relinearisation = EvaluationKeys::generate(&case.params, &case.secret, [], true, &mut case.sampler);
    assert_eq!(words(&case, LEVEL, ImageKeys::Derived(&master, &relinearisation)), other);
    assert_eq!(words(&case, LEVEL, ImageKeys::Kept(&derived, &relinearisation)), other);
}

#[test]
fn keys_for_products_with_images_survive_files() {
    let mut case = Case::new(2, 2, 65537);
    let automorphisms = FixingAutomorphisms::new(N, 4);
    let keys = case.keys(&automorphisms);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let digest = case.params.digest().to_owned();
    keys.write_for(&case.params, &digest, &path).unwrap();
    let read = EvaluationKeys::read_for(&case.params, &digest, &path).unwrap();
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
        let shares = SecretShare::deal(&case.secret, &case.params, LEVEL, parties, &mut case.sampler);
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
