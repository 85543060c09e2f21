//! Parameters: canonical scales, digests, refusals.

use asanoha_ckks::{CkksLiteral, CkksParamsError};
use asanoha_lattice::{Level, ParamsError, RlweLiteral};
use asanoha_ring::Backend;
use asanoha_scheme::Scheme;

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
