//! Ciphertexts know their parameters: whatever was made with others is refused, and what comes out of a file is
//! checked against them.

use asanoha_ckks::{CkksCiphertext, CkksState, Decryptor, Scaled};
use asanoha_lattice::RlweCiphertext;
use asanoha_scheme::SchemeError;

use crate::common;
use crate::common::{BOUND, Case, params};

asanoha_testkit::other_parameters_suite!(common::Ckks);

fn case() -> Case {
    Case::new(params(1 << 6, 2, 40), &[1], 5)
}

#[test]
fn scales_and_bounds_of_a_file_make_a_ciphertext_only_if_there_are_such() {
    let mut own = case();
    let (x, a) = own.random();
    let make = |parts: Vec<_>, state: &CkksState| {
        CkksCiphertext::from_checked_parts(&own.params, RlweCiphertext { parts }, state.clone())
    };
    let (parts, state) = (a.rlwe().parts.clone(), a.state());
    own.assert_close(&make(parts.clone(), state).unwrap(), &x);

    let is_unsound = |result| matches!(result, Err(SchemeError::UnsoundCiphertext { .. }));
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
    let mut own = case();
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
