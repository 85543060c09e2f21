//! Literals that are taken and literals that aren't.

mod common;

use asanoha_bgv::{BgvLiteral, BgvParamsError};
use asanoha_lattice::ParamsError;
use asanoha_ring::Backend;
use common::{Shape, literal};

fn good() -> BgvLiteral {
    literal(Shape { ring_degree: 1024, prime_bits: 46, primes: 3, digits: 3, plaintext_bits: 17 })
}

fn refused(change: impl FnOnce(&mut BgvLiteral)) -> BgvParamsError {
    let mut literal = good();
    change(&mut literal);
    literal.check(Backend::Scalar).unwrap_err()
}

#[test]
fn checked_parameters_say_what_they_are() {
    let params = good().check(Backend::Scalar).unwrap();
    assert_eq!(params.plaintext_modulus().value(), params.literal().plaintext_modulus);
    assert_eq!(params.literal().rlwe.noise_factor, params.literal().plaintext_modulus.to_string());
    assert_eq!((params.slots(), params.row_slots(), params.max_level().0), (1024, 512, 2));
    // With the noise factor filled in or given: the same parameters.
    assert_eq!(params.literal().clone().check(Backend::Scalar).unwrap().digest(), params.digest());
}

/// By trial division.
fn batches(candidate: u64) -> bool {
    candidate > 1
        && candidate % 2048 == 1
        && (2..candidate).take_while(|d| d * d <= candidate).all(|d| !candidate.is_multiple_of(d))
}

#[test]
fn plaintext_moduli_that_do_not_batch_are_refused_naming_the_nearest_that_do() {
    // A prime that isn't 1 modulo 2048, a composite that is, and words that are neither.
    for plaintext_modulus in [65539, 2049, 65536, 0, 1, 2, 1_000_000] {
        let below = (0..plaintext_modulus).rev().find(|&candidate| batches(candidate));
        let above = (plaintext_modulus + 1..1 << 24).find(|&candidate| batches(candidate));
        let error = refused(|literal| literal.plaintext_modulus = plaintext_modulus);
        let expected = BgvParamsError::NotBatching { plaintext_modulus, ring_degree: 1024, below, above };
        assert_eq!(error, expected);
    }
    let error = refused(|literal| literal.plaintext_modulus = 65539);
    assert!(error.to_string().ends_with("the nearest such are 65537 and 79873"), "{error}");
}

#[test]
fn nearest_primes_pass_the_check_themselves_even_at_the_top() {
    let widest = (1 << 60) - 1;
    let BgvParamsError::NotBatching { below: Some(below), above: None, .. } =
        refused(|literal| literal.plaintext_modulus = widest)
    else {
        panic!("the widest word isn't a batching prime")
    };
    let mut literal = good();
    literal.plaintext_modulus = below;
    assert_eq!(literal.check(Backend::Scalar).unwrap().plaintext_modulus().value(), below);
}

#[test]
fn wide_shared_and_contradictory_moduli_are_refused() {
    assert_eq!(refused(|literal| literal.plaintext_modulus = 1 << 60), BgvParamsError::TooWide(1 << 60));
    for position in 0..2 {
        let mut shared = 0;
        let error = refused(|literal| {
            shared = [literal.rlwe.q_primes[1], literal.rlwe.p_primes[0]][position];
            literal.plaintext_modulus = shared;
        });
        assert_eq!(error, BgvParamsError::SharedPrime(shared));
    }
    let error = refused(|literal| literal.rlwe.noise_factor = "1".to_owned());
    assert!(matches!(error, BgvParamsError::NoiseFactor { .. }));
}

#[test]
fn bad_rings_and_insecure_parameters_are_refused() {
    for ring_degree in [0, 4, 1000, 1 << 18] {
        let error = refused(|literal| literal.rlwe.ring_degree = ring_degree);
        assert!(matches!(error, BgvParamsError::Ring(ParamsError::Ring(_))), "{error}");
    }
    let error = refused(|literal| literal.rlwe.insecure = false);
    assert!(matches!(error, BgvParamsError::Ring(ParamsError::Insecure { .. })));
}

#[test]
fn literals_survive_json_and_unknown_fields_are_refused() {
    let text = serde_json::to_string(&good()).unwrap();
    assert_eq!(serde_json::from_str::<BgvLiteral>(&text).unwrap(), good());
    let unknown = text.replacen('{', "{\"colour\":1,", 1);
    assert!(serde_json::from_str::<BgvLiteral>(&unknown).is_err());
}
