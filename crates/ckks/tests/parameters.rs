//! Parameters: canonical scales, digests, refusals.

use asanoha_ckks::{Ckks, CkksLiteral, CkksParamsError};
use asanoha_lattice::{Level, ParamsError, RlweLiteral};
use asanoha_ring::Backend;
use asanoha_scheme::{GenerateKeys, Scheme};

use crate::common::{literal, params};

fn error(change: impl Fn(&mut CkksLiteral)) -> CkksParamsError {
    let mut literal = literal(1 << 6, 2, 40);
    change(&mut literal);
    literal.check(Backend::Scalar).unwrap_err()
}

#[test]
fn a_rescaled_product_of_canonical_scales_has_the_next_canonical_scale() {
    let params = params(1 << 6, 5, 40);
    assert_eq!(params.scale_at(params.max_level()), 2f64.powi(40));
    for level in 1..=5 {
        let q = params.literal().rlwe.q_primes[level] as f64;
        let scale = params.scale_at(Level(level));
        assert_eq!(params.scale_at(Level(level - 1)), scale * scale / q);
    }
    assert_eq!((params.slots(), params.max_level()), (32, Level(5)));
}

/// The primes of a long chain grow with its levels, so that its modulus is smaller than that of equal primes, and results are
/// still as precise as promised.
#[test]
fn scales_of_long_chains_fall() {
    for (depth, bits, fewer, log2_n) in [(10, 16.0_f64, 15.0, 15), (15, 16.0, 60.0, 15), (8, 30.0, 4.5, 15)] {
        let params = Ckks::parameters().depth(depth).precision_bits(bits).slots(1).build().unwrap();
        let scales: Vec<f64> =
            (0..=depth).map(|below| params.scale_at(Level(params.max_level().0 - below)).log2()).collect();
        assert!(scales.windows(2).all(|pair| (-1.01..0.01).contains(&(pair[1] - pair[0]))), "{scales:?}");
        let primes: Vec<f64> =
            params.rlwe().q(params.max_level()).primes().map(|q| (q as f64).log2()).collect();
        let fresh = scales[0];
        let saved: f64 = primes[primes.len() - depth..].iter().map(|prime| fresh - prime).sum();
        assert!(saved > fewer, "depth {depth}: {saved}");
        assert_eq!(params.rlwe().ring_degree(), 1 << log2_n);
        let (secret, public) = params.generate_keys();
        let e = params.evaluator(secret.evaluation_keys().relinearise().build().unwrap());
        let values = [1.0, -1.0, 0.999, 0.5, -0.97];
        let mut a = public.encrypt(&values[..]).unwrap();
        let mut expected = values;
        for _ in 0..depth {
            a = e.square(&a).unwrap();
            expected.iter_mut().for_each(|value| *value *= *value);
        }
        assert!(a.error_bound() <= (-bits).exp2(), "depth {depth}: {}", a.error_bound());
        for (found, expected) in secret.decrypt(&a).unwrap().iter().zip(expected) {
            assert!((found - expected).abs() <= a.error_bound(), "depth {depth}: {found} for {expected}");
        }
    }
}

#[test]
fn the_digest_binds_the_scale() {
    let literal = literal(1 << 6, 2, 40);
    let other = CkksLiteral { log2_scale: 39.0, ..literal.clone() };
    let (a, b) = (literal.clone().check(Backend::Scalar).unwrap(), other.check(Backend::Scalar).unwrap());
    assert_eq!(a.rlwe().digest(), b.rlwe().digest());
    assert_ne!(a.digest(), b.digest());
    assert_ne!(a, b);
    assert_eq!(a.digest(), literal.check(Backend::detect().unwrap()).unwrap().digest());
}

#[test]
fn a_literal_survives_json_and_unknown_fields_are_refused() {
    let literal = literal(1 << 6, 2, 40);
    asanoha_testkit::suite::literals::survives_json(&literal);
}

#[test]
fn bad_literals_are_refused_with_the_figures() {
    assert_eq!(error(|literal| literal.rlwe.noise_factor = 3.into()), CkksParamsError::NoiseFactor(3.into()));
    for bad in [9.9, 110.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            error(|literal| literal.log2_scale = bad),
            CkksParamsError::Scale { log2_scale, .. } if log2_scale.to_bits() == bad.to_bits()
        ));
    }
    assert!(matches!(
        error(|literal| {
            literal.log2_scale = 90.0;
            literal.rlwe.q_primes.truncate(2);
            literal.rlwe.digits = 2;
        }),
        CkksParamsError::Scale { log2_q, .. } if (log2_q - 85.0).abs() < 0.1
    ));
    assert!(matches!(
        error(|literal| literal.log2_scale = 20.0),
        CkksParamsError::ScaleDrift { level: 1, log2_scale } if log2_scale.abs() < 0.1
    ));
    assert!(matches!(
        error(|literal| literal.rlwe.insecure = false),
        CkksParamsError::Rlwe(ParamsError::Insecure { .. })
    ));
    let repeated = |rlwe: &mut RlweLiteral| rlwe.q_primes[1] = rlwe.q_primes[0];
    assert!(matches!(
        error(|literal| repeated(&mut literal.rlwe)),
        CkksParamsError::Rlwe(ParamsError::Ring(_))
    ));
}
