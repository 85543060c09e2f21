//! How tight the noise bounds are, and what a level costs by them.

use asanoha_bgv::{BgvLiteral, BgvModel, BgvParams, BgvPredictor, BgvState};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{Level, NoiseModel, Norm, RlweLiteral};
use asanoha_ring::Backend;
use asanoha_scheme::{Encoding, Scheme, batching_primes};
use asanoha_testkit::TestIntegers;
use num_bigint::{BigInt, BigUint};
use num_traits::One;

use crate::common::Fixture;

fn params(t: &BigUint, ring_degree: usize, prime_bits: u32, primes: usize) -> BgvParams {
    let digits = 3;
    let special = primes.div_ceil(digits) + 1;
    let mut q_primes =
        primes_congruent_to_one(prime_bits, 2 * ring_degree as u64, primes + special, &[65537]).unwrap();
    let p_primes = q_primes.split_off(primes);
    let rlwe = RlweLiteral::new(ring_degree, q_primes, p_primes, digits).insecure();
    BgvLiteral::new(rlwe, t.clone()).check(Backend::detect().unwrap()).unwrap()
}

/// The highest level at which a switched state's noise is mostly the switch's own.
fn settled(noise: &BgvModel, params: &BgvParams, state: &BgvState) -> Level {
    let mut level = state.level;
    let mut bits = state.noise.log2();
    while level.0 > 0 && bits > noise.rounding(2).log2() {
        bits -= (params.rlwe().q(level).modulus(level.0).value() as f64).log2();
        level.0 -= 1;
    }
    level
}

#[test]
fn a_chain_of_squarings_stays_within_nine_bits_of_its_prediction() {
    for (t, ring_degree, encoding) in [
        (BigUint::from(65537u32), 1 << 9, Encoding::Slots),
        (batching_primes(64, 1 << 9, 1).remove(0), 1 << 9, Encoding::Slots),
        (batching_primes(128, 1 << 8, 1).remove(0), 1 << 8, Encoding::Slots),
        (BigUint::from(1u32) << 200, 1 << 8, Encoding::Coefficients),
    ] {
        let primes = 6 * (t.bits() as usize + 30) / 30;
        let params = params(&t, ring_degree, 30, primes);
        assert_eq!(params.integers().encoding(), encoding);
        let mut fixture = Fixture::of(params.clone(), 1);
        let noise = BgvModel::new(&params);
        println!("seed 2");
        let values = TestIntegers(2).vector(params.slots(), &BigInt::from(t.clone()));
        let plain = fixture.encoder.encode_integers(&values, params.max_level()).unwrap();
        let mut a = fixture.encryptor.encrypt(&fixture.public, &plain, &mut fixture.sampler).unwrap();
        let mut squarings = 0;
        let slack = |a: &asanoha_bgv::BgvCiphertext| a.noise().log2() - fixture.norm_bits(a);
        while let Ok(square) = fixture.evaluator.square_exact(&a) {
            let level = settled(&noise, &params, square.state());
            if level == Level(0) {
                break;
            }
            let switched = fixture.evaluator.switch_to(&square, level).unwrap();
            let (before, after) = (slack(&square), slack(&switched));
            println!("t of {} bits, squaring {squarings}: {before:.1} and switched {after:.1}", t.bits());
            assert!((0.0..9.0).contains(&after), "{after}");
            // A square doubles what its operand's bound is above the truth.
            assert!((0.0..9.0).contains(&before), "{before}");
            a = switched;
            squarings += 1;
        }
        assert!(squarings >= 4, "{squarings}");
    }
}

#[test]
fn a_switch_leaves_the_rounding_of_the_formula() {
    for log2_degree in [10, 14, 15] {
        let n = f64::from(1 << log2_degree);
        let t = batching_primes(64, 1 << log2_degree, 1).remove(0);
        let params = params(&t, 1 << log2_degree, 46, 4);
        // t·√(N·(1 + 2N/3)/12), times the deviations.
        let deviation = Norm::from(&t).log2() + 0.5 * (n * (1.0 + 2.0 * n / 3.0) / 12.0).log2();
        let excess = |noise: &BgvModel| noise.rounding(2).log2() - deviation;
        let six = excess(&BgvModel::with_lattice(&params, NoiseModel::of_deviations(1 << log2_degree, 6.0)));
        assert!((2.58..2.75).contains(&six), "{six}");
        // For 2^−160 instead of about 2^−38, and for every secret.
        let ours = excess(&BgvModel::new(&params));
        assert!((5.0..5.4).contains(&ours), "{ours}");
    }
}

#[test]
fn other_models_are_for_comparison_and_smaller() {
    let t = BigUint::from(65537u32);
    let params = params(&t, 1 << 10, 46, 4);
    let ours = BgvModel::new(&params);
    let six = BgvModel::with_lattice(&params, NoiseModel::of_deviations(1 << 10, 6.0));
    let run = |noise: &BgvModel| {
        let predictor = BgvPredictor::with_model(noise.clone());
        let fresh = noise.fresh_public(Level(3), &()).unwrap();
        let product = predictor.multiply_exact(&fresh, &fresh).unwrap();
        let switched = predictor.switch_to(&product, Level(2)).unwrap();
        [fresh, product, switched].map(|state| state.noise.log2())
    };
    for (ours, six) in run(&ours).into_iter().zip(run(&six)) {
        assert!(six < ours && ours < six + 8.0, "{ours} {six}");
    }
}

/// log2 of the divisor that brings a product of two ciphertexts of noise 2R, R a switch's own, back to that noise: with
/// any other noise it's larger.
fn level_cost(params: &BgvParams, noise: &BgvModel) -> f64 {
    let rounding = noise.rounding(2);
    let state = BgvState { level: params.max_level(), message: BigUint::one(), noise: rounding * 2.0 };
    let product = BgvPredictor::with_model(noise.clone()).multiply_exact(&state, &state).unwrap();
    product.noise.log2() - rounding.log2()
}

#[test]
fn a_level_costs_the_plaintext_modulus_and_what_the_ring_adds() {
    for (log2_degree, expected, expected_of_six) in [(14, 19.3, 16.5), (15, 20.3, 17.5)] {
        let ring_degree = 1 << log2_degree;
        let t = batching_primes(64, ring_degree, 1).remove(0);
        let params = params(&t, ring_degree, 46, 6);
        let ours = level_cost(&params, &BgvModel::new(&params)) - 64.0;
        let six = NoiseModel::of_deviations(ring_degree, 6.0);
        let six = level_cost(&params, &BgvModel::with_lattice(&params, six)) - 64.0;
        println!("N = 2^{log2_degree}: log2(t) + {ours:.2} a level; with D = 6, + {six:.2}");
        assert!((ours - expected).abs() < 0.2 && (six - expected_of_six).abs() < 0.2);
    }
}
