//! Encoding against the definition of the slots, and its refusals.

use asanoha_ckks::{Complex64, Encoder};
use asanoha_lattice::Level;
use asanoha_scheme::{Plaintext, Scheme, SchemeError};
use asanoha_testkit::TestIntegers;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use proptest::prelude::*;

use crate::common::params;

fn random(slots: usize, seed: u64) -> Vec<Complex64> {
    println!("seed {seed}");
    let mut integers = TestIntegers(seed);
    (0..slots).map(|_| Complex64::new(integers.real(), integers.real())).collect()
}

fn largest_error(a: &[Complex64], b: &[Complex64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn decoding_inverts_encoding_within_the_predicted_error(
        seed: u64, log2_degree in 3u32..12, level in 0usize..4, size in -8i32..4,
    ) {
        let params = params(1 << log2_degree, 3, 40);
        let factor = 2f64.powi(size);
        let values: Vec<_> = random(params.slots(), seed)
            .into_iter().map(|z| z * Complex64::from(factor)).collect();
        let encoder = Encoder::new(&params);
        let plain = encoder.encode(&values, 1.5 * factor, Level(level), params.scale_at(Level(level))).unwrap();
        prop_assert_eq!(plain.level(), Level(level));
        let error = largest_error(&encoder.decode(&plain).unwrap(), &values) * plain.scale();
        prop_assert!(error <= params.encoding_error(plain.scaled()));
    }
}

#[test]
fn coefficients_are_the_rounded_inverse_embedding() {
    // c_k = (2/N)·Re Σ_j z_j·ζ^(−5^j·k), straight from the definition.
    let params = params(1 << 6, 1, 40);
    let (n, slots) = (params.rlwe().ring_degree(), params.slots());
    let values = random(slots, 5);
    let scale = 2f64.powi(40);
    let plain = Encoder::new(&params).encode(&values, 1.5, Level(1), scale).unwrap();
    for (k, found) in plain.poly().to_coefficient().to_i128().into_iter().enumerate() {
        let mut exponent = 1;
        let mut sum = 0.0;
        for z in &values {
            let angle = -std::f64::consts::PI * (exponent * k % (2 * n)) as f64 / n as f64;
            sum += z.re * angle.cos() - z.im * angle.sin();
            exponent = exponent * 5 % (2 * n);
        }
        assert!((found as f64 - sum / slots as f64 * scale).abs() <= 0.51);
    }
}

#[test]
fn fewer_values_than_slots_are_padded_by_zeros() {
    let params = params(1 << 5, 1, 40);
    let encoder = Encoder::new(&params);
    let plain = encoder.encode_real(&[0.5, -1.0], 1.0, Level(1), 2f64.powi(40)).unwrap();
    let decoded = encoder.decode_real(&plain).unwrap();
    assert_eq!(decoded.len(), 16);
    assert!((decoded[0] - 0.5).abs() < 1e-9 && (decoded[1] + 1.0).abs() < 1e-9);
    assert!(decoded[2..].iter().all(|value| value.abs() < 1e-9));
    assert!(
        encoder
            .decode_real(&encoder.encode_real(&[], 0.0, Level(0), 1.0).unwrap())
            .unwrap()
            .iter()
            .all(|&z| z == 0.0)
    );
}

#[test]
fn coefficients_beyond_words_are_exact_integers() {
    // One constant at a scale of 2^100: the constant coefficient is a double times a power of two.
    let params = params(1 << 5, 3, 40);
    let encoder = Encoder::new(&params);
    let scale = 2f64.powi(100);
    let plain = encoder.encode_real(&[-0.7; 16], 0.7, Level(3), scale).unwrap();
    let decoded = encoder.decode_real(&plain).unwrap();
    assert!(decoded.iter().all(|value| (value + 0.7).abs() < 1e-15));
    let coefficients = plain.poly().to_coefficient().to_integers();
    let error = (coefficients[0].to_f64().unwrap() / scale + 0.7).abs();
    assert!(coefficients[0].bits() == 100 && error < 1e-15);
    // The low bits that a double doesn't have are zeros.
    assert_eq!(&coefficients[0] % (BigInt::from(1) << 40), BigInt::from(0));
}

#[test]
fn roundtrip_at_a_large_ring_keeps_45_bits() {
    let params = params(1 << 14, 2, 50);
    let values = random(params.slots(), 14);
    let encoder = Encoder::new(&params);
    let plain = encoder.encode(&values, 1.5, Level(2), 2f64.powi(90)).unwrap();
    assert!(largest_error(&encoder.decode(&plain).unwrap(), &values) < 2f64.powi(-45));
}

#[test]
fn values_that_do_not_fit_are_refused_with_the_figures() {
    let params = params(1 << 5, 1, 40);
    let encoder = Encoder::new(&params);
    let scale = 2f64.powi(40);
    let level = Level(0);
    assert_eq!(
        encoder.encode_real(&[0.0; 17], 1.0, level, scale).unwrap_err(),
        SchemeError::TooManyValues { values: 17, slots: 16 }
    );
    assert_eq!(
        encoder.encode_real(&[0.0, f64::NEG_INFINITY], 1.0, level, scale).unwrap_err(),
        SchemeError::NotFinite { value: f64::NEG_INFINITY }
    );
    assert!(matches!(
        encoder.encode(&[Complex64::new(0.0, f64::NAN)], 1.0, level, scale).unwrap_err(),
        SchemeError::NotFinite { value } if value.is_nan()
    ));
    assert!(matches!(
        encoder.encode_real(&[1.0, -0.5], 40.0, level, scale).unwrap_err(),
        SchemeError::BoundTooLarge { bound: 40.0, log2_scale: 40.0, level: 0, available_bits }
            if (available_bits - 44.0).abs() < 1e-3
    ));
    assert_eq!(
        encoder.encode_real(&[1.0], 1.0, Level(2), scale).unwrap_err(),
        SchemeError::LevelTooHigh { asked: 2, highest: 1 }
    );
    for scale in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(
            encoder.encode_real(&[1.0], 1.0, level, scale).unwrap_err(),
            SchemeError::InvalidScale { scale }
        );
    }
}

#[test]
fn the_bound_is_the_callers_and_not_the_datas() {
    let params = params(1 << 5, 1, 40);
    let encoder = Encoder::new(&params);
    let encode = |values: &[f64], bound| encoder.encode_real(values, bound, Level(1), 2f64.powi(40));
    assert_eq!(encode(&[1.0, -3.0], 5.0).unwrap().state(), encode(&[0.25], 5.0).unwrap().state());
    assert_eq!(encode(&[1.0, -3.0], 3.0).unwrap().bound(), 3.0);
    for bound in [-1.0, f64::INFINITY, f64::NAN] {
        let error = encode(&[0.0], bound).unwrap_err();
        assert!(matches!(error, SchemeError::InvalidBound { .. }), "{bound}");
    }
}

#[test]
fn values_beyond_the_bound_are_named_by_index_and_not_shown() {
    let params = params(1 << 5, 1, 40);
    let values = [Complex64::new(0.0, 1.0), Complex64::new(1234.5, 0.0), Complex64::new(-3.0, 3.0)];
    let error = Encoder::new(&params).encode(&values, 2.0, Level(1), 2f64.powi(40)).unwrap_err();
    assert_eq!(error, SchemeError::BeyondBound { index: 1, bound: 2.0 });
    assert!(!error.to_string().contains("1234"));
}
