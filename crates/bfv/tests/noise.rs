//! Predicted noise against measured noise. That it's never below is asserted after every step of the random circuits.

use asanoha_bfv::{BfvCiphertext, BfvModel, BfvModulus, Encryptor, Evaluator, measure};
use asanoha_lattice::{Level, NoiseModel};
use asanoha_scheme::{Exact, Scheme};
use asanoha_testkit::TestIntegers;

use crate::common::{Fixture, LiteralShape, binomial};

const N: usize = 1 << 10;

fn fixture(modulus: BfvModulus, primes: usize, seed: u64) -> Fixture {
    Fixture::new(&LiteralShape { ring_degree: N, primes, digits: 2, ..LiteralShape::of(modulus) }, seed)
}

/// By how many bits the bounds are above the measured noise: of a fresh ciphertext and after each squaring.
fn gaps(modulus: BfvModulus, model: NoiseModel, seed: u64, squarings: usize) -> Vec<f64> {
    let mut fixture = fixture(modulus, 13, seed);
    println!("seed 2");
    let values = fixture.values(&mut TestIntegers(2));
    let noise = BfvModel::with_lattice(&fixture.params, model);
    let plain = fixture.encode(&values, fixture.params.max_level());
    let encryptor = Encryptor::with_model(noise.clone());
    let mut a = encryptor.encrypt(&fixture.public, &plain, &mut fixture.sampler).unwrap();
    let evaluator = Evaluator::with_model(fixture.evaluator.keys().clone(), noise);
    let gap = |a: &BfvCiphertext| {
        let (bound, measured) = (a.noise().log2(), fixture.noise_bits(a));
        let coefficients = measure(&fixture.secret, a);
        // Coefficients are at most the norm, and their bound is in proportion.
        assert!(coefficients <= measured + 1e-9);
        assert!(coefficients <= bound + model.coefficient().log2());
        bound - measured
    };
    let mut gaps = vec![gap(&a)];
    for _ in 0..squarings {
        a = evaluator.square_exact(&a).unwrap();
        gaps.push(gap(&a));
    }
    println!("{gaps:.1?}");
    gaps
}

fn chain_moduli() -> [BfvModulus; 3] {
    [65537.into(), asanoha_scheme::batching_primes(64, N, 1).remove(0).into(), binomial(16, 4)]
}

/// A bound that holds whatever factors have to do with one another takes each at its largest. Those of a chain of
/// squarings are independent, and their product is the further below the more there are.
#[test]
fn bounds_are_within_four_bits_of_fresh_noise_and_five_more_with_each_squaring() {
    for modulus in chain_moduli() {
        let gaps = gaps(modulus, NoiseModel::new(N), 1, 6);
        for (squarings, gap) in gaps.into_iter().enumerate() {
            assert!((0.0..4.0 + 4.5 * squarings as f64).contains(&gap), "{squarings}: {gap}");
        }
    }
}

/// The largest value after four squarings varies by two bits from key to key.
#[test]
fn bounds_of_six_deviations_stay_within_eight_bits_over_four_squarings_or_nine_of_polynomial_moduli() {
    const KEYS: u64 = 6;
    for (modulus, bits) in chain_moduli().into_iter().zip([8.0, 8.0, 9.0]) {
        let mut sums = [0.0; 5];
        for seed in 1..=KEYS {
            let gaps = gaps(modulus.clone(), NoiseModel::of_deviations(N, 6.0), seed, 4);
            assert!(gaps.iter().all(|gap| (0.0..bits + 2.0).contains(gap)));
            sums.iter_mut().zip(gaps).for_each(|(sum, gap)| *sum += gap);
        }
        assert!(sums.into_iter().all(|sum| sum / (KEYS as f64) < bits), "{sums:?}");
    }
}

#[test]
fn fresh_and_switched_bounds_are_within_eight_bits_of_the_measured_norm() {
    for modulus in [BfvModulus::from(2), 65537.into(), ((1 << 61) - 1).into(), binomial(16, 4)] {
        let mut fixture = fixture(modulus, 5, 1);
        println!("seed 3");
        let values = fixture.values(&mut TestIntegers(3));
        let fresh = fixture.encrypt(&values);
        let switched = fixture.evaluator.switch_to(&fresh, Level(2)).unwrap();
        let plain = fixture.encode(&values, fixture.top());
        let secret = fixture.encryptor.encrypt_secret(&fixture.secret, &plain, &mut fixture.sampler).unwrap();
        assert!(secret.noise().log2() < fresh.noise().log2());
        for ciphertext in [fresh, switched, secret] {
            fixture.expect(&ciphertext, &values, "fresh or switched");
            let gap = ciphertext.noise().log2() - fixture.noise_bits(&ciphertext);
            assert!((0.0..8.0).contains(&gap), "{gap}");
            let available = BfvModel::new(&fixture.params).available_bits(ciphertext.level());
            assert_eq!(ciphertext.noise_budget_bits(), available - ciphertext.noise().log2());
        }
    }
}

/// Numbers of 9 bits and of 2049 bits, both in base 4.
#[test]
fn noise_of_polynomial_moduli_does_not_grow_with_their_numbers() {
    let growth = |modulus: BfvModulus| {
        let mut fixture = fixture(modulus, 5, 1);
        let values = fixture.values(&mut TestIntegers(4));
        let a = fixture.encrypt(&values);
        let square = fixture.evaluator.square_exact(&a).unwrap();
        fixture.expect(&square, &fixture.product(&values, &values), "square");
        (fixture.params.plaintext_modulus().bits(), square.noise().log2() - a.noise().log2())
    };
    let (narrow, wide) = (growth(binomial(256, 4)), growth(binomial(1, 4)));
    assert_eq!((narrow.0, wide.0), (9, 2049));
    assert!((narrow.1 - wide.1).abs() < 0.1 && wide.1 < 18.0, "{narrow:?} {wide:?}");
}
