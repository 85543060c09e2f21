//! Ciphertexts know their parameters: whatever was made with others is refused, and what comes out of a file is
//! checked against them.

mod common;

use std::{num::NonZeroU64, sync::Arc};

use asanoha_ckks::{
    CkksCiphertext, CkksLiteral, CkksParams, CkksState, Decryptor, Encoder, Encryptor, EvaluationKeys,
    Evaluator, Scaled,
};
use asanoha_lattice::{DiagonalSteps, Hoisting, Level, MissingKey, RlweCiphertext, StepKeys, Trace};
use asanoha_ring::Backend;
use asanoha_scheme::{Scheme, SchemeError};
use common::{BOUND, Case, literal, params};

const N: usize = 1 << 6;

/// Parameters, and others: of the same ring and another scale, of other primes, of another degree.
fn cases() -> (Case, [Case; 3]) {
    let check = |literal: CkksLiteral| literal.check(Backend::detect().unwrap()).unwrap();
    let scale = check(CkksLiteral { log2_scale: 39.5, ..literal(N, 2, 40) });
    let case = |params: CkksParams| Case::new(params, &[1], 5);
    (case(params(N, 2, 40)), [case(scale), case(params(N, 2, 41)), case(params(2 * N, 2, 40))])
}

fn refused<T>(result: Result<T, SchemeError>, own: &Case, other: &Case) {
    let (expected, found) = (own.params.describe(), other.params.describe());
    match result {
        Err(error) => assert_eq!(error, SchemeError::OtherParameters { expected, found }),
        Ok(_) => panic!("operands of two parameter sets were mixed"),
    }
}

#[test]
fn ciphertexts_of_other_parameters_are_refused_by_every_operation() {
    let (mut own, others) = cases();
    let (_, a) = own.random();
    let trace = Trace::new(N, &[2], Hoisting::Lazy);
    for mut other in others {
        let (_, b) = other.random();
        let e = &own.evaluator;
        for (left, right) in [(&a, &b), (&b, &a), (&b, &b)] {
            refused(e.add(left, right), &own, &other);
            refused(e.sub(left, right), &own, &other);
            refused(e.add_assign(&mut left.clone(), right), &own, &other);
            refused(e.sub_assign(&mut left.clone(), right), &own, &other);
            refused(e.multiply(left, right), &own, &other);
            refused(e.multiply_without_relinearise(left, right), &own, &other);
        }
        refused(e.square(&b), &own, &other);
        refused(e.relinearise(b.clone()), &own, &other);
        refused(e.add_constant(&b, 1.0), &own, &other);
        refused(e.mul_constant(&b, (1.0, 1.0)), &own, &other);
        refused(e.rescale(&b), &own, &other);
        refused(e.rescale_to(&b, Level(1)), &own, &other);
        refused(e.switch_to(&b, Level(1)), &own, &other);
        refused(e.adjust_to(&b, Level(1)), &own, &other);
        // Rotations by nothing too, which give their operand back.
        refused(e.rotate(&b, 0), &own, &other);
        refused(e.rotate(&b, 1), &own, &other);
        refused(e.rotate_many(&b, &[0]), &own, &other);
        refused(e.rotate_many(&b, &[0, 1]), &own, &other);
        refused(e.conjugate(&b), &own, &other);
        refused(e.trace(&b, &trace), &own, &other);

        let decryptor = Decryptor::new(&own.params);
        refused(decryptor.decrypt(&own.secret, &b), &own, &other);
        refused(decryptor.decrypt_real(&own.secret, &b), &own, &other);
        refused(decryptor.publish(&own.secret, &b, NonZeroU64::MIN, 30), &own, &other);
    }
}

#[test]
fn plaintexts_and_transforms_of_other_parameters_are_refused() {
    let (mut own, others) = cases();
    let (_, a) = own.random();
    for mut other in others {
        let values = other.values();
        let plain = other.encode(&values, Level(2));
        let e = &own.evaluator;
        refused(e.add_plain(&a, &plain), &own, &other);
        refused(e.sub_plain(&a, &plain), &own, &other);
        refused(e.mul_plain(&a, &plain), &own, &other);
        refused(Encoder::new(&own.params).decode(&plain), &own, &other);
        let encryptor = Encryptor::new(&own.params);
        refused(encryptor.encrypt(&own.public, &plain, &mut own.sampler), &own, &other);
        refused(encryptor.encrypt_secret(&own.secret, &plain, &mut own.sampler), &own, &other);

        let steps = DiagonalSteps::new([0, 1], 2, StepKeys::Each);
        let transform = Encoder::new(&other.params)
            .encode_transform(&steps, Level(2), 1024.0, |_| vec![1.0.into()])
            .unwrap();
        refused(e.transform(&a, &transform), &own, &other);
        let (_, b) = other.random();
        refused(e.transform(&b, &transform), &own, &other);
    }
}

#[test]
fn the_same_parameters_checked_twice_are_the_same() {
    let (mut own, _) = cases();
    let (x, a) = own.random();
    let again = Evaluator::new(&params(N, 2, 40), Arc::new(EvaluationKeys::default()));
    let sum = again.add(&a, &a).unwrap();
    own.assert_close(&own.evaluator.sub(&sum, &a).unwrap(), &x);
    assert!(Decryptor::new(&params(N, 2, 40)).decrypt(&own.secret, &a).is_ok());
}

#[test]
fn keys_of_other_rings_are_refused() {
    let (mut own, [_, primes, degree]) = cases();
    let (x, a) = own.random();
    let plain = own.encode(&x, Level(2));
    let encryptor = Encryptor::new(&own.params);
    for other in [primes, degree] {
        let is_other = |error| matches!(error, SchemeError::OtherKey(_));
        assert!(is_other(encryptor.encrypt(&other.public, &plain, &mut own.sampler).unwrap_err()));
        assert!(is_other(encryptor.encrypt_secret(&other.secret, &plain, &mut own.sampler).unwrap_err()));
        assert!(is_other(Decryptor::new(&own.params).decrypt(&other.secret, &a).unwrap_err()));

        let evaluator = Evaluator::new(&own.params, Arc::new(other.evaluator.keys().clone()));
        let is_other = |error| matches!(error, SchemeError::MissingKey(MissingKey::OtherParameters { .. }));
        assert!(is_other(evaluator.square(&a).unwrap_err()));
        assert!(is_other(evaluator.rotate(&a, 1).unwrap_err()));
        assert!(is_other(evaluator.rotate_many(&a, &[1]).unwrap_err()));
        // X^−1 is another element where the degree is another.
        assert!(matches!(evaluator.conjugate(&a).unwrap_err(), SchemeError::MissingKey(_)));
        assert!(is_other(evaluator.trace(&a, &Trace::new(N, &[2], Hoisting::Lazy)).unwrap_err()));
    }
}

#[test]
fn parts_of_a_file_make_a_ciphertext_only_if_they_fit_the_parameters_and_their_state() {
    let (mut own, [_, mut primes, mut degree]) = cases();
    let (x, a) = own.random();
    let make = |parts: Vec<_>, state: &CkksState| {
        CkksCiphertext::from_checked_parts(&own.params, RlweCiphertext { parts }, state.clone())
    };
    let (parts, state) = (a.rlwe().parts.clone(), a.state());
    own.assert_close(&make(parts.clone(), state).unwrap(), &x);

    let is_unsound = |result| matches!(result, Err(SchemeError::UnsoundCiphertext { .. }));
    let lower = own.evaluator.switch_to(&a, Level(1)).unwrap();
    assert!(is_unsound(make(vec![], state)));
    assert!(is_unsound(make(parts[..1].to_vec(), state)));
    assert!(is_unsound(make([&parts[..], &parts[..]].concat(), state)));
    assert!(is_unsound(make(vec![parts[0].clone(), lower.rlwe().parts[1].clone()], state)));
    assert!(is_unsound(make(parts.clone(), lower.state())));
    assert!(is_unsound(make(lower.rlwe().parts.clone(), state)));
    assert!(is_unsound(make(primes.random().1.rlwe().parts.clone(), state)));
    assert!(is_unsound(make(degree.random().1.rlwe().parts.clone(), state)));

    let with = |message| CkksState { message, ..state.clone() };
    for scale in [0.0, -state.scale(), f64::NAN, f64::INFINITY] {
        let state = with(Scaled { scale, ..state.message });
        assert!(is_unsound(make(parts.clone(), &state)), "scale {scale}");
    }
    for bound in [-1.0, f64::NAN, f64::INFINITY] {
        let state = with(Scaled { bound, ..state.message });
        assert!(is_unsound(make(parts.clone(), &state)), "bound {bound}");
    }
    let wide = &with(Scaled { bound: f64::MAX, ..state.message });
    assert!(matches!(make(parts, wide), Err(SchemeError::OutOfModulus { level: 2, .. })));
}

#[test]
fn bounds_are_narrowed_and_never_widened() {
    let (mut own, _) = cases();
    let (x, a) = own.random();
    let narrowed = a.clone().narrow_bound(1.0).unwrap();
    let message = Scaled { bound: 1.0, ..*a.message() };
    assert_eq!(*narrowed.state(), CkksState { message, ..a.state().clone() });
    own.assert_close(&narrowed, &x);
    assert_eq!(a.clone().narrow_bound(2.0 * BOUND).unwrap().state(), a.state());
    for bound in [-1.0, f64::NAN] {
        let error = a.clone().narrow_bound(bound).unwrap_err();
        assert!(matches!(error, SchemeError::InvalidBound { .. }), "{bound}");
    }
    // Who narrows it wrongly hears of it at decryption.
    let wrong = a.narrow_bound(0.0).unwrap();
    let error = Decryptor::new(&own.params).decrypt(&own.secret, &wrong).unwrap_err();
    assert!(matches!(error, SchemeError::WrongKey { .. }));
}
