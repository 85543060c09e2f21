//! Keys of their own for lower levels: the same results and noise within its bound at every level, on whatever key,
//! and no key used where another belongs.

use asanoha_lattice::{
    DiagonalSteps, DiagonalSum, EvaluationKeys, FileWriter, Hoisting, KeyLevels, KeyName, KeySwitchKey,
    KeyTier, Level, MissingKey, ParamsError, PublicKey, RlweCiphertext, RlweLiteral, RlweParams, SecretKey,
    StepKeys, Trace, automorphisms, choose_tiers, relinearise, relinearise_to,
};
use asanoha_ring::{Backend, Coefficient, GaloisElement, Poly, Sampler, Seed};
use asanoha_testkit::{TestIntegers, automorphism, centred, negacyclic_product, product};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use proptest::prelude::*;

use crate::common::{literal, noise};

const N: usize = 64;
const PRIMES: usize = 7;
/// The factor of the noise.
const T: u64 = 3;
/// The offsets of the sums of diagonals.
const OFFSETS: [usize; 5] = [0, 1, 2, 5, 7];

/// A tier: level, special primes, ciphertext primes of a digit.
fn tier(level: usize, special: usize, digit_primes: usize) -> KeyTier {
    KeyTier { level: Level(level), special, digit_primes }
}

/// Digits of four primes and five special ones above the tiers.
fn tiered(tiers: &[KeyTier]) -> RlweLiteral {
    RlweLiteral { tiers: tiers.to_vec(), ..literal(N, PRIMES, 2, T) }
}

fn check(literal: RlweLiteral) -> Result<RlweParams, ParamsError> {
    literal.check(Backend::detect().unwrap())
}

/// Tiers of all kinds: with fewer special primes than the one below too.
fn sets() -> Vec<Vec<KeyTier>> {
    let chosen = tiered(&[]).with_tiers().tiers;
    assert!(!chosen.is_empty());
    let low = vec![tier(0, 2, 1)];
    let falling = vec![tier(1, 3, 2), tier(3, 2, 1)];
    vec![low, falling, vec![tier(2, 4, 3), tier(3, 5, 4), tier(5, 3, 2)], chosen]
}

struct Case {
    params: RlweParams,
    secret: SecretKey,
    public: PublicKey,
    integers: TestIntegers,
    sampler: Sampler,
}

fn case(seed: u64, tiers: &[KeyTier]) -> Case {
    let params = check(tiered(tiers)).unwrap();
    let mut sampler = Sampler::new(&Seed([seed as u8; 32]));
    let secret = SecretKey::generate(&params, &mut sampler);
    let public = PublicKey::generate(&params, &secret, &mut sampler);
    Case { params, secret, public, integers: TestIntegers(seed), sampler }
}

fn trace(hoisting: Hoisting) -> Trace {
    Trace::new(N, &[4, 2, 4], hoisting)
}

fn steps(keys: StepKeys) -> DiagonalSteps {
    DiagonalSteps::new(OFFSETS, 3, keys)
}

/// All automorphisms that the tests take.
fn elements() -> Vec<GaloisElement> {
    let steps = [StepKeys::Each, StepKeys::Repeated].map(|keys| steps(keys).rotations());
    let rotations = steps.concat().into_iter().map(|k| GaloisElement::rotation(N, k));
    trace(Hoisting::Lazy).elements().chain(rotations).collect()
}

impl Case {
    fn encrypt(&mut self, level: Level) -> RlweCiphertext {
        let m = self.integers.vector(N, &BigInt::from(1 << 12));
        let plain = Poly::<Coefficient>::from_integers(self.params.q(level), &m).into_evaluation();
        self.public.encrypt(&self.params, &plain, &mut self.sampler)
    }

    fn keys(&self) -> EvaluationKeys {
        let mut sampler = Sampler::new(&Seed([5; 32]));
        EvaluationKeys::generate(&self.params, &self.secret, elements(), true, &mut sampler)
    }

    fn integers(&self, ciphertext: &RlweCiphertext) -> Vec<BigInt> {
        self.secret.decrypt(ciphertext).to_integers()
    }

    /// The noise of a ciphertext that should hold some integers.
    fn noise(&self, ciphertext: &RlweCiphertext, expected: &[BigInt]) -> f64 {
        noise(&self.params, &self.secret.decrypt(ciphertext), expected)
    }

    fn levels(&self) -> impl Iterator<Item = Level> + use<> {
        (0..=self.params.max_level().0).map(Level)
    }
}

fn words(ciphertext: &RlweCiphertext) -> Vec<u64> {
    ciphertext.parts.iter().flat_map(|part| part.words().to_vec()).collect()
}

fn add(sum: &mut [BigInt], values: &[BigInt]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

/// The coefficients of the diagonal for a giant and a baby step: small, and no two alike.
fn diagonal(giant: usize, baby: usize) -> Vec<i64> {
    (0..N).map(|i| ((i * 7 + giant * 3 + baby) % 5) as i64 - 2).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn switches_at_every_level_keep_to_the_bound(seed: u64) {
        for tiers in sets() {
            let mut case = case(seed, &tiers);
            let (params, keys) = (case.params.clone(), case.keys());
            for level in case.levels() {
                let a = case.encrypt(level);
                let (v, bound) = (case.integers(&a), T as f64 * params.key_switch_noise(level));
                let g = GaloisElement::rotation(N, 2);
                let image = asanoha_lattice::automorphism(&params, &a, keys.automorphism(&params, g, level).unwrap()).unwrap();
                prop_assert!(case.noise(&image, &automorphism(&v, g.0 as usize)) <= bound);
                let relinearisation = keys.relinearisation(&params, level).unwrap();
                let product_of_parts = relinearise(&params, a.tensor(&a), relinearisation).unwrap();
                let square = negacyclic_product(&v, &v);
                prop_assert!(case.noise(&product_of_parts, &square) <= bound);
                for to in (0..level.0).map(Level) {
                    let divided = relinearise_to(&params, a.tensor(&a), relinearisation, to).unwrap();
                    let d = product(params.q(level).range(to.0 + 1..level.0 + 1).primes());
                    let q = product(params.q(level).primes());
                    let bound = bound + T as f64 * params.noise().rounding(2);
                    for (found, square) in case.integers(&divided).iter().zip(&square) {
                        let error = centred(&(found * &d - square), &q);
                        prop_assert_eq!(&error % BigInt::from(T), BigInt::zero());
                        prop_assert!((error / &d).magnitude().to_f64().unwrap() <= bound);
                    }
                }
            }
        }
    }

    #[test]
    fn traces_of_every_level_keep_to_the_bound(seed: u64) {
        for tiers in sets() {
            let mut case = case(seed, &tiers);
            let (params, keys) = (case.params.clone(), case.keys());
            for level in case.levels() {
                let a = case.encrypt(level);
                let mut expected = case.integers(&a);
                for stage in trace(Hoisting::Lazy).stages() {
                    let before = expected.clone();
                    stage.iter().for_each(|g| add(&mut expected, &automorphism(&before, g.0 as usize)));
                }
                let sums = [Hoisting::Separate, Hoisting::Hoisted, Hoisting::Lazy].map(|hoisting| {
                    let trace = trace(hoisting);
                    let growth = trace.noise_growth(&params, params.noise(), level);
                    let bound = growth.into_iter().fold(0.0, |noise, (count, added)| count as f64 * noise + added);
                    (trace.apply(&params, &a, &keys).unwrap(), T as f64 * bound)
                });
                for (sum, bound) in &sums {
                    prop_assert!(case.noise(sum, &expected) <= *bound);
                }
                prop_assert_eq!(words(&sums[0].0), words(&sums[1].0), "hoisted and separate");
                let keys: Vec<_> =
                    elements().iter().map(|&g| keys.automorphism(&params, g, level).unwrap()).collect();
                let hoisted = automorphisms(&params, &a, &keys).unwrap();
                for (image, key) in hoisted.iter().zip(keys) {
                    prop_assert_eq!(words(image), words(&asanoha_lattice::automorphism(&params, &a, key).unwrap()));
                }
            }
        }
    }

    #[test]
    fn sums_of_diagonals_serve_every_level_up_to_their_own(seed: u64) {
        for (tiers, highest) in sets().into_iter().zip([6, 6, 4, 6]) {
            let mut case = case(seed, &tiers);
            let (params, keys) = (case.params.clone(), case.keys());
            for steps in [StepKeys::Each, StepKeys::Repeated].map(steps) {
                let encode = |basis: &asanoha_ring::Basis, g: usize, j: usize| {
                    let diagonal = Poly::<Coefficient>::from_small(basis, &diagonal(g, j));
                    Ok::<_, MissingKey>((diagonal.into_evaluation(), ()))
                };
                let (sum, _) = DiagonalSum::encode(&params, &steps, Level(highest), encode).unwrap();
                for level in (0..=highest).map(Level) {
                    let a = case.encrypt(level);
                    let v = case.integers(&a);
                    let rotate = |v: &[BigInt], k| {
                        automorphism(v, GaloisElement::rotation(N, k as i64).0 as usize)
                    };
                    let (mut expected, mut norms) = (vec![BigInt::zero(); N], 0);
                    for (g, places) in steps.giants() {
                        let mut inner = vec![BigInt::zero(); N];
                        for &place in places {
                            let j = steps.babies()[place];
                            let diagonal = diagonal(*g, j);
                            norms += diagonal.iter().map(|c| c.abs()).sum::<i64>();
                            let diagonal: Vec<BigInt> = diagonal.into_iter().map(BigInt::from).collect();
                            add(&mut inner, &negacyclic_product(&diagonal, &rotate(&v, j)));
                        }
                        add(&mut expected, &rotate(&inner, *g));
                    }
                    let growth = steps.noise_growth(&params, params.noise(), level);
                    let bound = T as f64 * (norms as f64 * growth.image + growth.sum);
                    let found = sum.apply(&params, &a, &keys, a.level()).unwrap();
                    prop_assert!(case.noise(&found, &expected) <= bound, "{:?} {:?} {:?}", tiers, level, steps.keys());
                }
            }
        }
    }

    #[test]
    fn chosen_tiers_are_sound_and_save_work(primes in 1usize..24, digits in 1usize..8, bits in 30u32..46) {
        let digits = digits.min(primes);
        let size = primes.div_ceil(digits);
        let step = 2 * N as u64;
        let q = asanoha_kernels::primes_congruent_to_one(bits, step, primes, &[]).unwrap();
        let p = asanoha_kernels::primes_congruent_to_one(48, step, size + 1, &q).unwrap();
        let plain = RlweLiteral::new(N, q, p, digits).insecure();
        let tiered = plain.clone().with_tiers();
        prop_assert_eq!(&tiered.tiers, &choose_tiers(&plain.q_primes, &plain.p_primes, digits));
        let levels = || (0..primes).map(Level);
        let (before, after) = (plain.switch_work(levels()), tiered.switch_work(levels()));
        prop_assert!(tiered.tiers.len() <= 3);
        prop_assert!(after + before / 20 <= before || tiered.tiers.is_empty());
        let params = check(tiered).unwrap();
        for level in (0..primes).map(Level) {
            let levels = params.levels_of_keys(level);
            prop_assert!(levels.contains(&level));
            prop_assert_eq!(levels.clone(), params.levels_of_keys(*levels.end()));
        }
    }
}

#[test]
fn tiers_that_are_out_of_order_or_too_small_are_refused_with_the_figures() {
    let refused = |tiers: &[KeyTier]| check(tiered(tiers)).unwrap_err();
    let level = |tier, level, least| ParamsError::TierLevel { tier, level, least, highest: PRIMES - 1 };
    assert_eq!(refused(&[tier(6, 5, 1)]), level(0, 6, 0));
    assert_eq!(refused(&[tier(usize::MAX, 5, 1)]), level(0, usize::MAX, 0));
    assert_eq!(refused(&[tier(2, 2, 1), tier(2, 2, 1)]), level(1, 2, 3));
    assert_eq!(refused(&[tier(4, 2, 1), tier(3, 2, 1)]), level(1, 3, 5));
    assert_eq!(refused(&[tier(2, 0, 1)]), ParamsError::TierSpecial { tier: 0, special: 0, count: 5 });
    assert_eq!(
        refused(&[tier(1, 2, 1), tier(2, 6, 1)]),
        ParamsError::TierSpecial { tier: 1, special: 6, count: 5 }
    );
    for digit_primes in [0, 4] {
        let error = refused(&[tier(2, 5, digit_primes)]);
        assert_eq!(error, ParamsError::TierDigits { tier: 0, digit_primes, count: 3 });
    }
    // 48 bits hold a digit of 46, and not the margin; no more do 96 and 144 for two primes and three.
    for (special, digit_primes) in [(1, 2), (2, 3)] {
        let error = refused(&[tier(2, special, digit_primes)]);
        let short = |log2_p: f64, log2_digit: f64| log2_p < log2_digit + 4.0;
        assert!(
            matches!(error, ParamsError::TierModulus { tier: 0, log2_p, log2_digit } if short(log2_p, log2_digit))
        );
        assert!(error.to_string().contains("key tier 0"), "{error}");
    }
    assert!(matches!(refused(&[tier(2, 1, 1)]), ParamsError::TierModulus { .. }));
    assert!(check(tiered(&[tier(2, 2, 1)])).is_ok());
    // Of one prime there is no level below the highest.
    let one = RlweLiteral { tiers: vec![tier(0, 1, 1)], ..literal(N, 1, 1, T) };
    assert_eq!(check(one).unwrap_err(), ParamsError::TierLevel { tier: 0, level: 0, least: 0, highest: 0 });
}

#[test]
fn a_literal_with_tiers_survives_json_and_one_without_says_nothing_of_them() {
    let plain = tiered(&[]);
    assert!(!serde_json::to_string(&plain).unwrap().contains("tiers"));
    let literal = tiered(&sets()[1]);
    let text = serde_json::to_string(&literal).unwrap();
    assert_eq!(serde_json::from_str::<RlweLiteral>(&text).unwrap(), literal);
    assert!(text.contains(r#""tiers":[{"level":1,"special":3,"digit_primes":2},"#), "{text}");
    let extra = text.replace(r#""special":3"#, r#""special":3,"colour":1"#);
    assert!(serde_json::from_str::<RlweLiteral>(&extra).unwrap_err().to_string().contains("colour"));
    assert_ne!(check(plain).unwrap().digest(), check(literal).unwrap().digest());
}

#[test]
fn a_key_of_another_tier_is_a_missing_key_that_says_which() {
    let mut case = case(3, &[tier(1, 3, 2), tier(3, 2, 1)]);
    let params = case.params.clone();
    let g = GaloisElement::rotation(N, 1);
    let mut levels = KeyLevels::default();
    levels.add_relinearisation(&params, Level(1));
    levels.add_automorphism(&params, g, Level(5));
    let mut sampler = Sampler::new(&Seed([5; 32]));
    let keys = EvaluationKeys::generate_levels(&params, &case.secret, &levels, &mut sampler);
    assert!(keys.require(&params, &levels).is_ok());
    for (needed, lowest, highest) in [(2, 2, 3), (3, 2, 3), (4, 4, 6)] {
        let missing = MissingKey::Tier { key: KeyName::Relinearisation, needed, lowest, highest };
        assert_eq!(keys.relinearisation(&params, Level(needed)).unwrap_err(), missing);
        let a = case.encrypt(Level(needed));
        let key = keys.relinearisation(&params, Level(0)).unwrap();
        assert_eq!(relinearise(&params, a.tensor(&a), key).unwrap_err(), missing);
        assert!(missing.to_string().contains(&format!("generate it for level {highest}")), "{missing}");
        let mut more = levels.clone();
        more.add_relinearisation(&params, Level(needed));
        assert_eq!(keys.require(&params, &more).unwrap_err(), missing);
    }
    // The keys of high levels don't serve low ones.
    let a = case.encrypt(Level(0));
    let missing = MissingKey::Tier { key: KeyName::Galois(g), needed: 0, lowest: 0, highest: 1 };
    assert_eq!(keys.rotation(&params, 1, Level(0)).unwrap_err(), missing);
    let key = keys.rotation(&params, 1, Level(4)).unwrap();
    assert_eq!(asanoha_lattice::automorphism(&params, &a, key).unwrap_err(), missing);
    let none = keys.rotation(&params, 2, Level(4)).unwrap_err();
    assert_eq!(none, MissingKey::Rotation { rotation: 2, swapped: false, present: vec![1] });
    assert_eq!(
        EvaluationKeys::default().relinearisation(&params, Level(2)).unwrap_err(),
        MissingKey::Relinearisation
    );
    // A key up to level 5 of the tier that goes to 6.
    let above = case.encrypt(Level(6));
    let low = MissingKey::Level { key: KeyName::Galois(g), present: 5, needed: 6 };
    assert_eq!(asanoha_lattice::automorphism(&params, &above, key).unwrap_err(), low);
}

#[test]
fn a_range_of_levels_takes_the_key_of_every_tier_in_it() {
    let params = check(tiered(&[tier(1, 3, 2), tier(3, 2, 1)])).unwrap();
    let of = |lowest, highest| {
        let mut levels = KeyLevels::default();
        levels.add_relinearisations(&params, Level(lowest)..=Level(highest));
        levels.iter().map(|(_, level)| level.0).collect::<Vec<_>>()
    };
    assert_eq!(of(0, 6), [1, 3, 6]);
    assert_eq!(of(2, 5), [3, 5]);
    assert_eq!((of(0, 0), of(1, 1), of(4, 6)), (vec![0], vec![1], vec![6]));
    let mut levels = KeyLevels::default();
    levels.add_relinearisations(&params, Level(0)..=Level(6));
    let bytes: usize = [1, 3, 6].map(|level| params.key_bytes(Level(level))).iter().sum();
    assert_eq!(levels.bytes(&params), bytes as u64);
    // q₀, q₁ and three special primes in one digit; four primes and two special ones in four.
    for (level, limbs) in [(1, 2 * 5), (3, 2 * 4 * 6), (6, 2 * 2 * 12)] {
        let bytes_of_limb = params.key_bytes(Level(level)) as f64 / f64::from(limbs);
        // 46 to 48 bits of each word.
        assert!((0.7..0.8).contains(&(bytes_of_limb / (8 * N) as f64)), "{level}: {bytes_of_limb}");
    }
}

#[test]
fn keys_of_tiers_come_back_from_files_bit_by_bit() {
    for tiers in sets() {
        let mut case = case(4, &tiers);
        let params = case.params.clone();
        let (keys, digest) = (case.keys(), params.digest());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k");
        keys.write_for(&params, digest, &path).unwrap();
        let good = std::fs::read(&path).unwrap();
        let mut levels = KeyLevels::default();
        for level in case.levels() {
            levels.add_relinearisation(&params, level);
            elements().iter().for_each(|&g| levels.add_automorphism(&params, g, level));
        }
        let stored = EvaluationKeys::generate_stored(
            &params,
            &case.secret,
            &levels,
            &mut Sampler::new(&Seed([5; 32])),
            (digest, folder.path()),
        );
        let read = EvaluationKeys::read_for(&params, digest, &path).unwrap();
        let opened = EvaluationKeys::open_for(&params, digest, &path).unwrap();
        for again in [read, opened, stored.unwrap()] {
            assert_eq!((again.bytes(), again.id), (keys.bytes(), keys.id));
            assert_eq!(again.iter().count(), (tiers.len() + 1) * (again.elements().len() + 1));
            again.write_for(&params, digest, &folder.path().join("k2")).unwrap();
            assert!(std::fs::read(folder.path().join("k2")).unwrap() == good);
            for level in case.levels() {
                let a = case.encrypt(level);
                let product = |keys: &EvaluationKeys| {
                    let key = keys.relinearisation(&params, level).unwrap();
                    words(&relinearise(&params, a.tensor(&a), key).unwrap())
                };
                assert_eq!(product(&again), product(&keys));
                let sum = |keys| words(&trace(Hoisting::Lazy).apply(&params, &a, keys).unwrap());
                assert_eq!(sum(&again), sum(&keys));
            }
        }
    }
}

#[test]
fn tensors_of_no_tier_or_of_another_tiers_dimensions_are_refused() {
    let case = case(5, &[tier(1, 3, 2), tier(3, 2, 1)]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let digest = case.params.digest();
    let written = |name: &str, [digits, primes]: [usize; 2]| {
        let header =
            case.params.file_header(digest, case.secret.id(), "evaluation keys", serde_json::Value::Null);
        let mut file = FileWriter::new(header);
        let (words, seeds) = (vec![0; digits * primes * N], vec![0; 4 * digits]);
        file.tensor(format!("{name}.b"), &[digits, primes, N], vec![&words]);
        file.tensor(format!("{name}.seeds"), &[digits, 4], vec![&seeds]);
        file.write(&path).unwrap();
        [EvaluationKeys::open_for, |params: &_, digest: &_, path: &std::path::Path| {
            EvaluationKeys::read_for(params, digest, path)
        }]
        .map(|read| read(&case.params, digest, &path))
    };
    // Digits and primes of levels 1, 3 and 6.
    let (low, middle, high) = ([1, 5], [4, 6], [2, 12]);
    for (name, shape) in [("", high), (".tier.0", low), (".tier.1", middle), (".tier.1", [3, 5])] {
        assert!(written(&format!("relinearisation{name}"), shape).iter().all(Result::is_ok), "{name}");
    }
    let wrong = [
        ("", middle),
        ("", low),
        (".tier.0", [2, 6]),
        (".tier.0", high),
        (".tier.1", low),
        (".tier.1", [2, 4]),
        (".tier.1", [4, 5]),
        (".tier.1", [3, 6]),
        (".tier.2", high),
        (".tier.00", low),
        (".tier.+0", low),
        (".tier.0.tier.0", low),
        (".tier.", low),
        (".tier.99999999999999999999", low),
        (".tier.18446744073709551615", low),
    ];
    for (name, shape) in wrong {
        for result in written(&format!("galois.5{name}"), shape) {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(path.to_str().unwrap()), "{error}");
            assert!(error.contains("dimensions") || error.contains("no key named"), "{error}");
        }
    }
}

#[test]
fn a_seed_gives_the_keys_of_every_tier_by_name_and_level() {
    let case = case(6, &[tier(1, 3, 2), tier(3, 2, 1)]);
    let params = &case.params;
    let (all, again) = (case.keys(), case.keys());
    let folder = tempfile::tempdir().unwrap();
    let file = |keys: &EvaluationKeys| {
        keys.write_for(params, "d", &folder.path().join("k")).unwrap();
        std::fs::read(folder.path().join("k")).unwrap()
    };
    assert!(file(&all) == file(&again));
    // One key alone is the same as among all, and differs from that of another level of its tier.
    let alone = |level: usize| {
        let mut levels = KeyLevels::default();
        levels.add_relinearisation(params, Level(level));
        let mut sampler = Sampler::new(&Seed([5; 32]));
        file(&EvaluationKeys::generate_levels(params, &case.secret, &levels, &mut sampler))
    };
    for level in [1, 3, 6] {
        let mut one = EvaluationKeys::of(all.id);
        let key: &KeySwitchKey = all.relinearisation(params, Level(level)).unwrap();
        one.insert(params, key.clone());
        assert!(file(&one) == alone(level));
    }
    assert!(alone(2) != alone(3) && alone(0) != alone(1));
}
