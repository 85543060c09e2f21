//! Encoding against the definition of the slots, and its refusals.

mod common;

use asanoha_ckks::{CkksError, CkksNoise, CkksPlaintext, Complex64, Encoder};
use asanoha_lattice::Level;
use asanoha_ring::GaloisElement;
use asanoha_testkit::TestIntegers;
use common::{params, rotated};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use proptest::prelude::*;

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
        let plain = encoder.encode(&values, Level(level), params.scale_at(Level(level))).unwrap();
        prop_assert_eq!(plain.level(), Level(level));
        let error = largest_error(&encoder.decode(&plain), &values) * plain.scale;
        prop_assert!(error <= CkksNoise::new(&params).encoding(plain.state()));
    }

    #[test]
    fn automorphisms_rotate_left_and_conjugate_slots(seed: u64, log2_degree in 3u32..9, places in -300i64..300) {
        let params = params(1 << log2_degree, 1, 40);
        let n = params.rlwe().ring_degree();
        let values = random(params.slots(), seed);
        let encoder = Encoder::new(&params);
        let plain = encoder.encode(&values, Level(1), 2f64.powi(40)).unwrap();
        let image = |g: GaloisElement| {
            let poly = plain.poly.clone().into_coefficient().automorphism(g).into_evaluation();
            encoder.decode(&CkksPlaintext { poly, ..plain.clone() })
        };
        let rotation = image(GaloisElement::rotation(n, places));
        prop_assert!(largest_error(&rotation, &rotated(&values, places)) < 1e-8);
        let conjugates: Vec<_> = values.iter().map(|z| z.conjugate()).collect();
        prop_assert!(largest_error(&image(GaloisElement::conjugation(n)), &conjugates) < 1e-8);
    }
}

#[test]
fn coefficients_are_the_rounded_inverse_embedding() {
    // c_k = (2/N)·Re Σ_j z_j·ζ^(−5^j·k), straight from the definition.
    let params = params(1 << 6, 1, 40);
    let (n, slots) = (params.rlwe().ring_degree(), params.slots());
    let values = random(slots, 5);
    let scale = 2f64.powi(40);
    let plain = Encoder::new(&params).encode(&values, Level(1), scale).unwrap();
    for (k, found) in plain.poly.into_coefficient().to_i128().into_iter().enumerate() {
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
    let plain = encoder.encode_real(&[0.5, -1.0], Level(1), 2f64.powi(40)).unwrap();
    let decoded = encoder.decode_real(&plain);
    assert_eq!(decoded.len(), 16);
    assert!((decoded[0] - 0.5).abs() < 1e-9 && (decoded[1] + 1.0).abs() < 1e-9);
    assert!(decoded[2..].iter().all(|value| value.abs() < 1e-9));
    assert!(encoder.decode_real(&encoder.encode_real(&[], Level(0), 1.0).unwrap()).iter().all(|&z| z == 0.0));
}

#[test]
fn coefficients_beyond_words_are_exact_integers() {
    // One constant at a scale of 2^100: the constant coefficient is a double times a power of two.
    let params = params(1 << 5, 3, 40);
    let encoder = Encoder::new(&params);
    let scale = 2f64.powi(100);
    let plain = encoder.encode_real(&[-0.7; 16], Level(3), scale).unwrap();
    let decoded = encoder.decode_real(&plain);
    assert!(decoded.iter().all(|value| (value + 0.7).abs() < 1e-15));
    let coefficients = plain.poly.into_coefficient().to_integers();
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
    let plain = encoder.encode(&values, Level(2), 2f64.powi(90)).unwrap();
    assert!(largest_error(&encoder.decode(&plain), &values) < 2f64.powi(-45));
}

#[test]
fn values_that_do_not_fit_are_refused_with_the_figures() {
    let params = params(1 << 5, 1, 40);
    let encoder = Encoder::new(&params);
    let scale = 2f64.powi(40);
    let level = Level(0);
    assert_eq!(
        encoder.encode_real(&[0.0; 17], level, scale).unwrap_err(),
        CkksError::TooManyValues { values: 17, slots: 16 }
    );
    assert_eq!(
        encoder.encode_real(&[0.0, f64::NEG_INFINITY], level, scale).unwrap_err(),
        CkksError::NotFinite { value: f64::NEG_INFINITY }
    );
    assert!(matches!(
        encoder.encode(&[Complex64::new(0.0, f64::NAN)], level, scale).unwrap_err(),
        CkksError::NotFinite { value } if value.is_nan()
    ));
    assert!(matches!(
        encoder.encode_real(&[1.0, -40.0], level, scale).unwrap_err(),
        CkksError::ValueTooLarge { value: 40.0, log2_scale: 40.0, level: 0, available_bits }
            if (available_bits - 44.0).abs() < 1e-3
    ));
    assert_eq!(
        encoder.encode_real(&[1.0], Level(2), scale).unwrap_err(),
        CkksError::LevelTooHigh { asked: 2, highest: 1 }
    );
    for scale in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(encoder.encode_real(&[1.0], level, scale).unwrap_err(), CkksError::InvalidScale { scale });
    }
}

#[test]
fn announced_bounds_hold_the_values() {
    let params = params(1 << 5, 1, 40);
    let plain = Encoder::new(&params).encode_real(&[1.0, -3.0], Level(1), 2f64.powi(40)).unwrap();
    assert_eq!(plain.bound, 3.0);
    let error = plain.clone().with_bound(2.0).unwrap_err();
    assert_eq!(error, CkksError::BoundTooSmall { bound: 2.0, largest: 3.0 });
    assert!(plain.clone().with_bound(f64::INFINITY).is_err());
    assert_eq!(plain.with_bound(5.0).unwrap().bound, 5.0);
}
