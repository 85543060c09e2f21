//! Bootstrapping: values, their errors against what is predicted, keys, and what is refused.

use asanoha_circuits::bootstrap::{BOOTSTRAP_OPERATIONS, BootstrapError, Bootstrapper, SlotKind};
use asanoha_ckks::{
    BootstrapSet, Ckks, CkksCiphertext, CkksLiteral, CkksParamsError, CkksPredictor, Complex64,
    EvaluationKeys, Evaluator, FEW_SLOTS, Scaled,
};
use asanoha_lattice::{KeyLevels, KeyName, Level, MissingKey, Norm};
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{
    BootstrapShape, BootstrapValues, GenerateKeys, Operations, PublicKey, Scheme, SchemeError, SecretKey,
    capability::ValueTypes,
};

const RING_DEGREE: usize = 1 << 10;
/// The error that measured values have at most in this ring, relative to the bound.
const ERROR: f64 = 1.0 / (1 << 26) as f64;
/// What rounding at a scale of 2^42 or more adds here.
const ROUNDING: f64 = 1.0 / (1u64 << 31) as f64;

struct Fixture {
    params: Ckks,
    secret: SecretKey<Ckks>,
    public: PublicKey<Ckks>,
    sampler: Sampler,
    bootstrapper: Bootstrapper<Ckks>,
    evaluator: Evaluator,
}

fn literal(set: BootstrapSet) -> CkksLiteral {
    set.with_ring_degree(RING_DEGREE).unwrap()
}

impl Fixture {
    fn new(set: BootstrapSet, slots: usize, bound: f64, seed: u8) -> Self {
        let params = literal(set).check(Backend::detect().unwrap()).unwrap();
        let mut sampler = Sampler::new(&Seed([seed; 32]));
        let (secret, public) = params.generate_keys_with(&mut sampler);
        let bootstrapper = match set {
            BootstrapSet::Bits => Bootstrapper::for_bits(&params, slots),
            _ => Bootstrapper::new(&params, slots, bound),
        };
        let bootstrapper = bootstrapper.unwrap();
        let mut keys = bootstrapper.keys();
        keys.add_relinearisations(params.rlwe(), Level(0)..=params.max_level());
        let keys = EvaluationKeys::generate_levels(params.rlwe(), secret.key(), &keys, &mut sampler);
        let evaluator = params.evaluator(keys);
        Self { params, secret, public: public.with_bound(bound), sampler, bootstrapper, evaluator }
    }

    /// An encryption at the level that bootstrapping starts from, and what it holds.
    fn low(&mut self, value: impl Fn(usize) -> Complex64) -> (CkksCiphertext, Vec<Complex64>) {
        let values: Vec<Complex64> = (0..self.params.slots()).map(value).collect();
        let fresh = self.public.encrypt_with(&values, &mut self.sampler).unwrap();
        let lowest = self.params.literal().bootstrap.as_ref().unwrap().lowest_level();
        let low = self.evaluator.adjust_to(&fresh, lowest).unwrap();
        let held = self.secret.decrypt_as(&low).unwrap();
        (low, held)
    }

    fn error(&self, a: &CkksCiphertext, expected: &[Complex64]) -> f64 {
        let found: Vec<Complex64> = self.secret.decrypt_as(a).unwrap();
        found.iter().zip(expected).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max)
    }

    /// The refreshed ciphertext is as the model says, and as near as it should be.
    fn check(&self, a: &CkksCiphertext, foreseen: &asanoha_ckks::CkksState, expected: &[Complex64]) {
        assert_eq!(a.state(), foreseen);
        assert_eq!(a.level(), self.params.max_level());
        assert!((a.scale() / self.params.scale_at(a.level()) - 1.0).abs() < 1e-12);
        let (error, bound) = (self.error(a, expected), self.bootstrapper.bound());
        assert!(error <= a.error_bound(), "{error:e} above {:e}", a.error_bound());
        assert!(error <= ERROR * bound + ROUNDING, "2^{:.1} of the bound", (error / bound).log2());
        assert!(a.error_bound() < bound / 1000.0, "2^{:.1}", a.error_bound().log2());
    }
}

/// Numbers in the unit disc.
fn some(j: usize) -> Complex64 {
    let (sin, cos) = (j as f64 * 1.7).sin_cos();
    let size = (j as f64 * 0.37).cos();
    Complex64::new(size * sin, size * cos)
}

#[test]
fn complex_slots_of_all_kinds_are_refreshed_within_the_predicted_error() {
    for (set, seed) in [(BootstrapSet::A42, 1), (BootstrapSet::A45, 2)] {
        let slots = RING_DEGREE / 2;
        let mut fixture = Fixture::new(set, slots, 1.0, seed);
        let sign = |j: usize| if j.is_multiple_of(2) { 1.0 } else { -1.0 };
        let kinds: [&dyn Fn(usize) -> Complex64; 6] = [
            &some,
            &|_| Complex64::new(1.0, 0.0),
            &|_| Complex64::new(0.0, -1.0),
            &|j| Complex64::new(sign(j) * 0.7, -sign(j) * 0.7),
            &|j| Complex64::new(if j == 5 { 1.0 } else { 0.0 }, 0.0),
            &|_| Complex64::default(),
        ];
        for kind in kinds {
            let (low, held) = fixture.low(kind);
            let high = fixture.bootstrapper.bootstrap(&fixture.evaluator, &low, SlotKind::Complex).unwrap();
            let predictor = CkksPredictor::new(&fixture.params);
            let foreseen =
                fixture.bootstrapper.bootstrap(&predictor, low.state(), SlotKind::Complex).unwrap();
            fixture.check(&high, &foreseen, &held);
        }
    }
}

#[test]
fn the_small_set_has_the_predicted_error_too() {
    let mut fixture = Fixture::new(BootstrapSet::N15, RING_DEGREE / 2, 1.0, 14);
    let values: Vec<Complex64> = (0..fixture.params.slots()).map(some).collect();
    let fresh = fixture.public.encrypt_with(&values, &mut fixture.sampler).unwrap();
    let high = fixture.bootstrapper.bootstrap(&fixture.evaluator, &fresh, SlotKind::Complex).unwrap();
    let error = fixture.error(&high, &values);
    assert!(error <= high.error_bound() && error < 1.0 / f64::from(1 << 16), "2^{:.1}", error.log2());
    assert!(high.error_bound() < 0.01, "2^{:.1}", high.error_bound().log2());
    assert_eq!(high.level(), fixture.params.max_level());
}

/// What results' bits are off by at most in this ring where the input's noise is small.
const BIT_ERROR: f64 = 1.0 / (1 << 20) as f64;

/// Bits, both parts of a complex number.
fn some_bits(j: usize) -> Complex64 {
    let bit = |j: usize| f64::from(u8::from(j * j % 7919 % 5 < 2));
    Complex64::new(bit(j), bit(j + 100))
}

impl Fixture {
    /// An encryption of real bits, or of those of both parts, which are off by so much each, and the bits.
    fn noisy(
        &mut self,
        kind: SlotKind,
        bits: impl Fn(usize) -> Complex64,
        off: f64,
    ) -> (CkksCiphertext, Vec<Complex64>) {
        let imaginary = f64::from(u8::from(kind == SlotKind::Complex));
        let bits = |j: usize| Complex64::new(bits(j).re, bits(j).im * imaginary);
        let sign = |j: usize| if j.is_multiple_of(3) { off } else { -off };
        let (low, _) = self.low(|j| bits(j) + Complex64::new(sign(j), sign(j + 1) * imaginary));
        let low = ValueTypes::bounded(&self.evaluator, low, (1.0 + imaginary).sqrt()).unwrap();
        let noise = low.state().noise + Norm::from(off * (1.0 + imaginary).sqrt() * low.scale());
        let low = self.evaluator.with_noise(low, noise).unwrap();
        (low, (0..self.params.slots()).map(bits).collect())
    }

    /// The bits are nearer than they were, by as much as the model says.
    fn check_bits(
        &self,
        a: &CkksCiphertext,
        foreseen: &asanoha_ckks::CkksState,
        bits: &[Complex64],
        off: f64,
    ) {
        assert_eq!(a.state(), foreseen);
        assert_eq!(a.level(), self.params.max_level());
        assert!((a.scale() / self.params.scale_at(a.level()) - 1.0).abs() < 1e-12);
        let error = self.error(a, bits);
        assert!(error <= a.error_bound(), "{error:e} above {:e}", a.error_bound());
        assert!(error <= 5.0 * off * off + BIT_ERROR, "2^{:.1} for 2^{:.1}", error.log2(), off.log2());
        assert!(a.error_bound() < 10.0 * off * off + 1.0 / 8192.0, "2^{:.1}", a.error_bound().log2());
    }
}

#[test]
fn bits_come_back_nearer_than_they_were() {
    let mut fixture = Fixture::new(BootstrapSet::Bits, RING_DEGREE / 2, 2.0, 15);
    let bits: [&dyn Fn(usize) -> Complex64; 4] = [
        &|_| Complex64::default(),
        &|_| Complex64::new(1.0, 1.0),
        &|j| Complex64::new((j % 2) as f64, ((j + 1) % 2) as f64),
        &some_bits,
    ];
    let cases = [(SlotKind::Complex, 0.0), (SlotKind::Complex, 1.0 / 64.0), (SlotKind::Real, 1.0 / 32.0)];
    for (kind, off) in cases {
        for bits in bits {
            let (low, bits) = fixture.noisy(kind, bits, off);
            let high = fixture.bootstrapper.bootstrap(&fixture.evaluator, &low, kind).unwrap();
            let predictor = CkksPredictor::new(&fixture.params);
            let foreseen = fixture.bootstrapper.bootstrap(&predictor, low.state(), kind).unwrap();
            fixture.check_bits(&high, &foreseen, &bits, off);
        }
    }
}

#[test]
fn bits_go_two_ciphertexts_at_a_time_and_on_fewer_slots() {
    let mut fixture = Fixture::new(BootstrapSet::Bits, 16, 2.0, 16);
    let off = 1.0 / 128.0;
    let (a, of_a) = fixture.noisy(SlotKind::Real, |j| some_bits(j % 16), off);
    let (b, of_b) = fixture.noisy(SlotKind::Real, |j| some_bits(j % 16 + 16), off);
    let (evaluator, predictor) = (&fixture.evaluator, CkksPredictor::new(&fixture.params));
    let pair = fixture.bootstrapper.bootstrap_pair(evaluator, &a, &b).unwrap();
    let foreseen = fixture.bootstrapper.bootstrap_pair(&predictor, a.state(), b.state()).unwrap();
    fixture.check_bits(&pair[0], &foreseen[0], &of_a, off);
    fixture.check_bits(&pair[1], &foreseen[1], &of_b, off);
}

#[test]
fn what_may_be_no_bit_is_refused() {
    let mut fixture = Fixture::new(BootstrapSet::Bits, 8, 2.0, 17);
    for off in [0.5, 1.0 / 16.0, 1.0 / 28.0] {
        let (low, _) = fixture.noisy(SlotKind::Real, |j| some_bits(j % 8), off);
        let refused = fixture.bootstrapper.bootstrap(&fixture.evaluator, &low, SlotKind::Real).unwrap_err();
        assert!(matches!(refused, SchemeError::OutOfModulus { level: 0, .. }), "{off} {refused}");
    }
    let (low, _) = fixture.noisy(SlotKind::Real, |j| some_bits(j % 8), 0.0);
    let two = fixture.evaluator.add(&low, &low).unwrap();
    let refused = fixture.bootstrapper.bootstrap(&fixture.evaluator, &two, SlotKind::Real).unwrap_err();
    assert_eq!(refused, SchemeError::BeyondBound { index: 0, bound: 1.0 });
    let refused = Bootstrapper::new(&fixture.params, 8, 1.0).unwrap_err();
    assert_eq!(refused, BootstrapError::NoShape);
    let numbers = literal(BootstrapSet::A42).check(Backend::Scalar).unwrap();
    assert_eq!(Bootstrapper::for_bits(&numbers, 8).unwrap_err(), BootstrapError::NoShape);
}

#[test]
fn no_set_has_more_operations_than_plans_count() {
    for set in BootstrapSet::ALL {
        let params = set.literal().unwrap().check(Backend::detect().unwrap()).unwrap();
        let slots = set.slots(set.ring_degree() / 2);
        let bootstrapper = match set {
            BootstrapSet::Bits => Bootstrapper::for_bits(&params, slots),
            _ => Bootstrapper::new(&params, slots, 1.0),
        };
        let bootstrapper = bootstrapper.unwrap();
        let operations = bootstrapper.operations();
        // The matrices alone have a diagonal for each power of two below the slots.
        assert!(
            operations > 200 && (operations as f64) < BOOTSTRAP_OPERATIONS,
            "{}: {operations}",
            set.name()
        );
        assert!(bootstrapper.log2_failure() < -128.0 - 16.0);
    }
}

#[test]
fn a_second_pass_gains_as_many_bits_as_the_first_is_proved_to_have() {
    for (bound, seed) in [(1.0, 18), (1000.0, 19)] {
        let mut fixture = Fixture::new(BootstrapSet::D60, RING_DEGREE / 2, bound, seed);
        let once = fixture.bootstrapper.clone();
        let twice = once.clone().with_passes(2).unwrap();
        assert!((twice.log2_failure() - once.log2_failure() - 1.0).abs() < 1e-9);
        let (z, of_z) = fixture.low(|j| Complex64::new(bound, 0.0) * some(j));
        let (a, of_a) = fixture.low(|j| Complex64::from(bound * (j as f64 * 0.3).sin()));
        let (b, of_b) = fixture.low(|_| Complex64::from(bound));
        let real = |v: &[Complex64]| v.iter().map(|z| Complex64::from(z.re)).collect::<Vec<_>>();
        let (evaluator, predictor) = (&fixture.evaluator, CkksPredictor::new(&fixture.params));

        let first = once.bootstrap(evaluator, &z, SlotKind::Complex).unwrap();
        let second = twice.bootstrap(evaluator, &z, SlotKind::Complex).unwrap();
        assert_eq!(second.state(), &twice.bootstrap(&predictor, z.state(), SlotKind::Complex).unwrap());
        let proved = (bound / first.error_bound()).log2();
        let gained = (fixture.error(&first, &of_z) / fixture.error(&second, &of_z)).log2();
        assert!(proved > 20.0 && gained > 16.0, "{gained:.1} of {proved:.1} bits");
        // Bringing the first pass's result down for the second is off by a rounding.
        let most = bound * ((4.0 - 2.0 * proved).exp2() + 2f64.powi(-42));
        assert!(second.error_bound() < most, "{:e} of {most:e}", second.error_bound());

        let alone = twice.bootstrap(evaluator, &a, SlotKind::Real).unwrap();
        let pair = twice.bootstrap_pair(evaluator, &a, &b).unwrap();
        for (found, held) in
            [(&second, &of_z), (&alone, &real(&of_a)), (&pair[0], &real(&of_a)), (&pair[1], &real(&of_b))]
        {
            let error = fixture.error(found, held);
            assert!(error <= found.error_bound() && error < bound * 2f64.powi(-45), "2^{:.1}", error.log2());
            assert!(found.level() == fixture.params.max_level() && found.state().bound() == bound);
        }
    }
}

#[test]
fn passes_that_would_correct_nothing_are_refused() {
    let backend = Backend::detect().unwrap();
    let params = literal(BootstrapSet::D60).check(backend).unwrap();
    let all = Bootstrapper::new(&params, RING_DEGREE / 2, 1.0).unwrap();
    for passes in [0, 5] {
        assert_eq!(all.clone().with_passes(passes).unwrap_err(), BootstrapError::Passes(passes));
    }
    let repeated = Bootstrapper::new(&params, RING_DEGREE / 4, 1.0).unwrap();
    let bits = literal(BootstrapSet::Bits).check(backend).unwrap();
    let bits = Bootstrapper::for_bits(&bits, RING_DEGREE / 2).unwrap();
    for other in [repeated, bits] {
        assert!(other.clone().with_passes(1).is_ok());
        assert_eq!(other.with_passes(2).unwrap_err(), BootstrapError::Passes(2));
    }

    // Scales that outgrow their levels leave nothing of the polynomial's precision.
    let mut noisy = literal(BootstrapSet::A42);
    noisy.bootstrap.as_mut().unwrap().log2_scale = 54.3;
    let noisy = noisy.check(backend).unwrap();
    let once = Bootstrapper::new(&noisy, RING_DEGREE / 2, 1.0).unwrap();
    let (predictor, level) = (CkksPredictor::new(&noisy), noisy.max_level());
    let fresh =
        predictor.model().fresh_public(level, &Scaled { scale: noisy.scale_at(level), bound: 1.0 }).unwrap();
    assert!(once.bootstrap(&predictor, &fresh, SlotKind::Real).unwrap().error_bound() > 0.5);
    let twice = once.with_passes(2).unwrap();
    let refused = twice.bootstrap(&predictor, &fresh, SlotKind::Real).unwrap_err();
    assert!(matches!(refused, SchemeError::NothingToCorrect { bound_bits: 0.0, .. }), "{refused}");
}

#[test]
fn real_slots_take_half_and_two_ciphertexts_go_at_a_time() {
    let mut fixture = Fixture::new(BootstrapSet::A42, RING_DEGREE / 2, 1.0, 3);
    let real = |f: fn(f64) -> f64| move |j: usize| Complex64::from(f(j as f64));
    let (a, of_a) = fixture.low(real(|j| (j * 0.3).sin()));
    let (b, of_b) = fixture.low(real(|j| if (j as usize).is_multiple_of(3) { -1.0 } else { 1.0 }));
    let (evaluator, predictor) = (&fixture.evaluator, CkksPredictor::new(&fixture.params));
    let parts = |v: &[Complex64]| v.iter().map(|z| Complex64::from(z.re)).collect::<Vec<_>>();
    let (of_a, of_b) = (parts(&of_a), parts(&of_b));
    let one = fixture.bootstrapper.bootstrap(evaluator, &a, SlotKind::Real).unwrap();
    fixture.check(
        &one,
        &fixture.bootstrapper.bootstrap(&predictor, a.state(), SlotKind::Real).unwrap(),
        &of_a,
    );
    let pair = fixture.bootstrapper.bootstrap_pair(evaluator, &a, &b).unwrap();
    let foreseen = fixture.bootstrapper.bootstrap_pair(&predictor, a.state(), b.state()).unwrap();
    fixture.check(&pair[0], &foreseen[0], &of_a);
    fixture.check(&pair[1], &foreseen[1], &of_b);
}

#[test]
fn fewer_slots_that_repeat_take_smaller_matrices() {
    for (slots, seed) in [(2, 4), (8, 5), (64, 6)] {
        let mut fixture = Fixture::new(BootstrapSet::A42, slots, 1.0, seed);
        let full = Bootstrapper::new(&fixture.params, RING_DEGREE / 2, 1.0).unwrap();
        assert_eq!(full.bytes(), 0, "nothing is encoded before it's needed");
        full.prepare().unwrap();
        fixture.bootstrapper.prepare().unwrap();
        assert!(fixture.bootstrapper.bytes() < full.bytes() / 4);
        let (low, held) = fixture.low(|j| some(j % slots));
        for kind in [SlotKind::Complex, SlotKind::Real] {
            let held: Vec<Complex64> = match kind {
                SlotKind::Complex => held.clone(),
                SlotKind::Real => held.iter().map(|z| Complex64::from(z.re)).collect(),
            };
            let high = fixture.bootstrapper.bootstrap(&fixture.evaluator, &low, kind).unwrap();
            let predictor = CkksPredictor::new(&fixture.params);
            fixture.check(
                &high,
                &fixture.bootstrapper.bootstrap(&predictor, low.state(), kind).unwrap(),
                &held,
            );
        }
    }
}

#[test]
fn bounds_of_other_magnitudes_only_move_the_error() {
    for (bound, seed) in [(1e6, 7), (3.5, 8), (1e-5, 9)] {
        let mut fixture = Fixture::new(BootstrapSet::A45, 32, bound, seed);
        let (low, held) = fixture.low(|j| {
            let z = some(j % 32);
            Complex64::new(z.re * bound, z.im * bound)
        });
        let high = fixture.bootstrapper.bootstrap(&fixture.evaluator, &low, SlotKind::Complex).unwrap();
        let predictor = CkksPredictor::new(&fixture.params);
        let foreseen = fixture.bootstrapper.bootstrap(&predictor, low.state(), SlotKind::Complex).unwrap();
        fixture.check(&high, &foreseen, &held);
    }
}

#[test]
fn a_set_for_few_slots_has_more_levels_and_one_matrix_from_slots() {
    let levels = |set| {
        let params = literal(set).check(Backend::Scalar).unwrap();
        let shape = params.literal().bootstrap.clone().unwrap();
        (params.max_level().0 - shape.lowest_level().0, shape.slots_to_coefficients)
    };
    assert_eq!([BootstrapSet::A42, BootstrapSet::S40].map(levels), [(12, 3), (17, 1)]);
    for (slots, seed) in [(64, 18), (FEW_SLOTS, 19)] {
        let mut fixture = Fixture::new(BootstrapSet::S40, slots, 1.0, seed);
        let (low, held) = fixture.low(|j| some(j % slots));
        assert_eq!(low.level(), Level(1));
        for kind in [SlotKind::Complex, SlotKind::Real] {
            let held: Vec<Complex64> = match kind {
                SlotKind::Complex => held.clone(),
                SlotKind::Real => held.iter().map(|z| Complex64::from(z.re)).collect(),
            };
            let high = fixture.bootstrapper.bootstrap(&fixture.evaluator, &low, kind).unwrap();
            let predictor = CkksPredictor::new(&fixture.params);
            let foreseen = fixture.bootstrapper.bootstrap(&predictor, low.state(), kind).unwrap();
            fixture.check(&high, &foreseen, &held);
        }
    }
}

#[test]
fn refreshed_ciphertexts_are_multiplied_and_refreshed_again() {
    let mut fixture = Fixture::new(BootstrapSet::A42, 16, 1.0, 10);
    let factor: Vec<f64> = (0..16).map(|j| 0.97 + 0.002 * f64::from(j)).collect();
    let plain: Vec<f64> = (0..fixture.params.slots()).map(|j| factor[j % 16]).collect();
    let public = fixture.public.clone();
    let mut value = public.encrypt_with(&plain, &mut fixture.sampler).unwrap();
    let mut expected = plain.clone();
    let evaluator = &fixture.evaluator;
    let fresh = value.clone();
    for _ in 0..40 {
        if value.level() == Level(3) {
            value = fixture.bootstrapper.bootstrap(evaluator, &value, SlotKind::Real).unwrap();
        }
        let other = evaluator.adjust_to(&fresh, value.level()).unwrap();
        value = evaluator.rescale(&evaluator.multiply_exact(&value, &other).unwrap()).unwrap();
        expected.iter_mut().zip(&plain).for_each(|(e, f)| *e *= f);
    }
    let expected: Vec<Complex64> = expected.into_iter().map(Complex64::from).collect();
    let error = fixture.error(&value, &expected);
    assert!(
        error <= value.error_bound() && value.error_bound() < 0.01,
        "{error:e} {:e}",
        value.error_bound()
    );
}

#[test]
fn keys_are_saved_and_loaded_where_no_secret_is() {
    let mut fixture = Fixture::new(BootstrapSet::A42, 8, 1.0, 11);
    let (low, _) = fixture.low(|j| some(j % 8));
    let here = fixture.bootstrapper.bootstrap(&fixture.evaluator, &low, SlotKind::Complex).unwrap();
    let (rlwe, digest) = (fixture.params.rlwe(), fixture.params.digest());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let bytes = fixture.evaluator.keys().write_for(rlwe, digest, &path).unwrap();
    assert!((bytes as usize) < fixture.evaluator.keys().bytes(), "half of each key is a seed");
    for keys in [EvaluationKeys::read_for(rlwe, digest, &path), EvaluationKeys::open_for(rlwe, digest, &path)]
    {
        let server = fixture.params.evaluator(keys.unwrap());
        let there = fixture.bootstrapper.bootstrap(&server, &low, SlotKind::Complex).unwrap();
        assert_eq!(here.rlwe().parts[0].words(), there.rlwe().parts[0].words());
        assert_eq!(here.rlwe().parts[1].words(), there.rlwe().parts[1].words());
    }
}

#[test]
fn every_missing_key_is_named() {
    let mut fixture = Fixture::new(BootstrapSet::A42, 8, 1.0, 12);
    let (low, _) = fixture.low(|j| some(j % 8));
    let rlwe = fixture.params.rlwe();
    let all = fixture.bootstrapper.keys();
    assert!(fixture.evaluator.keys().require(rlwe, &all).is_ok());
    for (missing, _) in all.iter() {
        let mut keys = EvaluationKeys::of(fixture.secret.key().id());
        let others = fixture.evaluator.keys().iter().filter(|key| key.name() != missing);
        others.cloned().for_each(|key| keys.insert(rlwe, key));
        assert!(keys.require(rlwe, &all).is_err());
        let evaluator = fixture.params.evaluator(keys);
        let refused = fixture.bootstrapper.bootstrap(&evaluator, &low, SlotKind::Complex).unwrap_err();
        let SchemeError::MissingKey(error) = refused else { panic!("{missing}: {refused}") };
        match missing {
            KeyName::ToSparse | KeyName::FromSparse => assert_eq!(error, MissingKey::Absent(missing)),
            KeyName::Relinearisation => assert_eq!(error, MissingKey::Relinearisation),
            _ => assert!(matches!(error, MissingKey::Rotation { .. } | MissingKey::Conjugation), "{error}"),
        }
    }
    let none = KeyLevels::default();
    assert!(fixture.evaluator.keys().require(rlwe, &none).is_ok());
}

#[test]
fn values_that_may_be_too_large_are_refused() {
    let mut fixture = Fixture::new(BootstrapSet::A42, 8, 1.0, 13);
    let evaluator = &fixture.evaluator;
    let wide = fixture.public.with_bound(1.5).encrypt_with(vec![0.5; 4], &mut fixture.sampler).unwrap();
    let refused = fixture.bootstrapper.bootstrap(evaluator, &wide, SlotKind::Real).unwrap_err();
    assert_eq!(refused, SchemeError::BeyondBound { index: 0, bound: 1.0 });
    let proved = ValueTypes::bounded(evaluator, wide, 1.0).unwrap();
    assert!(fixture.bootstrapper.bootstrap(evaluator, &proved, SlotKind::Real).is_ok());

    let (low, _) = fixture.low(|j| some(j % 8));
    let lower = fixture.evaluator.switch_to(&low, Level(2)).unwrap();
    let refused = fixture.bootstrapper.bootstrap(&fixture.evaluator, &lower, SlotKind::Real).unwrap_err();
    assert!(matches!(refused, SchemeError::LevelTooHigh { .. }), "{refused}");
    // Noise that may carry a coefficient out of the polynomial's range.
    let noisy = low.state().with_noise(Norm::from(low.scale() / 10.0));
    let predictor: Operations<Ckks, _> = CkksPredictor::new(&fixture.params);
    let refused = fixture.bootstrapper.bootstrap(&predictor, &noisy, SlotKind::Real).unwrap_err();
    assert!(matches!(refused, SchemeError::OutOfModulus { level: 0, .. }), "{refused}");
}

#[test]
fn what_no_bootstrapping_is_for_is_refused() {
    let backend = Backend::detect().unwrap();
    let good = literal(BootstrapSet::A42);
    let params = good.clone().check(backend).unwrap();
    for slots in [0, 1, 3, RING_DEGREE] {
        let refused = Bootstrapper::new(&params, slots, 1.0).unwrap_err();
        assert_eq!(refused, BootstrapError::Slots { asked: slots, slots: RING_DEGREE / 2 });
    }
    for bound in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = Bootstrapper::new(&params, 8, bound).unwrap_err();
        assert!(matches!(refused, BootstrapError::Bound(_)), "{refused}");
    }
    let without = CkksLiteral::new(good.rlwe.clone(), 42.0);
    let Err(CkksParamsError::ScaleDrift { .. }) = without.check(backend) else {
        panic!("these primes are for bootstrapping only")
    };
    let shape = good.bootstrap.clone().unwrap();
    let with = |shape: BootstrapShape| CkksLiteral { bootstrap: Some(shape), ..good.clone() }.check(backend);
    for wrong in [
        BootstrapShape { degree: 31, ..shape.clone() },
        BootstrapShape { degree: 1 << 40, ..shape.clone() },
        BootstrapShape { doublings: 9, ..shape.clone() },
        BootstrapShape { values: BootstrapValues::Numbers { arcsine_degree: 2 }, ..shape.clone() },
        BootstrapShape {
            values: BootstrapValues::Bits,
            doublings: 0,
            polynomial_primes: vec![1; 5],
            ..shape.clone()
        },
        BootstrapShape { polynomial_primes: vec![1; 10], ..shape.clone() },
        BootstrapShape { polynomial_primes: vec![usize::MAX; 11], ..shape.clone() },
        BootstrapShape { polynomial_primes: vec![0; 11], ..shape.clone() },
        BootstrapShape { slots_to_coefficients: 0, ..shape.clone() },
        BootstrapShape { slots_to_coefficients: usize::MAX, ..shape.clone() },
        BootstrapShape { coefficients_to_slots: 30, ..shape.clone() },
        BootstrapShape { log2_ratio: 2, ..shape.clone() },
        BootstrapShape { log2_scale: f64::NAN, ..shape.clone() },
    ] {
        let refused = with(wrong.clone());
        assert!(matches!(refused, Err(CkksParamsError::Bootstrap(_))), "{wrong:?}");
    }
    let mut unsparse = good.clone();
    unsparse.rlwe.encapsulated = false;
    assert!(matches!(unsparse.check(backend), Err(CkksParamsError::Bootstrap(_))));
}
