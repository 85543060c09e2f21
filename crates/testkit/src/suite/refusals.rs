//! What can't be done, and what the errors say.

use asanoha_lattice::{Level, MissingKey, RlweCiphertext};
use asanoha_scheme::{Ciphertext, EvaluationKeysBuilder, Evaluator, Scheme, SchemeError};

use super::other_parameters::same_ring;
use crate::{Party, Subject};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! refusals_suite {
    ($subject:ty) => {
        $crate::claims!($subject: refusals {
            operands_of_different_levels_are_refused_naming_both
            failed_assignments_leave_their_operand
            missing_keys_are_named_with_those_present
            keys_are_generated_for_what_is_asked_and_once
            products_of_three_parts_must_be_relinearised_first
            rotations_without_slots_are_refused
            parts_that_fit_no_level_are_refused_from_outside
        });
    };
}

pub fn operands_of_different_levels_are_refused_naming_both<T: Subject>() {
    let mut party = Party::<T>::with_slots(1);
    let (a, x) = party.random();
    let b = party.encrypt_at(&x, Level(2));
    let plain = party.encode(&x, Level(4));
    let e = &party.evaluator;
    let mismatch = SchemeError::LevelMismatch { left: 5, right: 2 };
    assert_eq!(e.add_exact(&a, &b).unwrap_err(), mismatch);
    assert_eq!(e.sub_exact(&a, &b).unwrap_err(), mismatch);
    assert_eq!(e.multiply_exact(&a, &b).unwrap_err(), mismatch);
    assert_eq!(e.multiply_without_relinearise(&a, &b).unwrap_err(), mismatch);
    let mismatch = SchemeError::LevelMismatch { left: 2, right: 4 };
    assert_eq!(e.add_plain_exact(&b, &plain).unwrap_err(), mismatch);
    assert_eq!(e.sub_plain_exact(&b, &plain).unwrap_err(), mismatch);
    assert_eq!(e.mul_plain_exact(&b, &plain).unwrap_err(), mismatch);
    let upwards = SchemeError::LevelTooHigh { asked: 3, highest: 2 };
    assert_eq!(e.switch_to(&b, Level(3)).unwrap_err(), upwards);
    assert_eq!(e.lowered(&b, Level(3)).unwrap_err(), upwards);
    let too_high = SchemeError::LevelTooHigh { asked: 6, highest: 5 };
    assert_eq!(T::encode(&party.params, &x, Level(6)).unwrap_err(), too_high);
}

pub fn failed_assignments_leave_their_operand<T: Subject>() {
    let mut party = Party::<T>::with_slots(2);
    let (before, x) = party.random();
    let b = party.encrypt_at(&x, Level(2));
    let mut a = before.clone();
    assert!(party.evaluator.add_assign_exact(&mut a, &b).is_err());
    assert!(party.evaluator.sub_assign_exact(&mut a, &b).is_err());
    assert_eq!(a.state(), before.state());
    assert!(a.rlwe().parts.iter().zip(&before.rlwe().parts).all(|(a, b)| a.words() == b.words()));
    party.expect(&a, &x, "unchanged");
}

pub fn missing_keys_are_named_with_those_present<T: Subject>() {
    let mut party = Party::<T>::with_slots(3);
    let (a, _) = party.random();
    let row = party.params.row_slots().unwrap() as i64;
    let mut present = T::ROTATIONS.map(|rotation| rotation.rem_euclid(row)).to_vec();
    present.sort_unstable();
    let missing = SchemeError::MissingKey(MissingKey::Rotation { rotation: 7, swapped: false, present });
    assert_eq!(party.evaluator.rotate(&a, 7).unwrap_err(), missing);
    assert_eq!(party.evaluator.rotate_many(&a, &[1, 7]).unwrap_err(), missing);

    let bare = party.without_keys();
    let relinearisation = SchemeError::MissingKey(MissingKey::Relinearisation);
    assert_eq!(bare.multiply_exact(&a, &a).unwrap_err(), relinearisation);
    assert_eq!(bare.square_exact(&a).unwrap_err(), relinearisation);
    assert_eq!(T::settled_product(&bare, &a, &a).unwrap_err(), relinearisation);
    assert_eq!(bare.swap_rows(&a).unwrap_err(), SchemeError::MissingKey(MissingKey::Conjugation));
    assert!(bare.add_exact(&a, &a).is_ok() && bare.multiply_without_relinearise(&a, &a).is_ok());
    assert!(bare.rotate(&a, 0).is_ok() && bare.rotate_many(&a, &[row, -2 * row]).is_ok());
}

pub fn keys_are_generated_for_what_is_asked_and_once<T: Subject>() {
    let mut party = Party::<T>::with_slots(4);
    let row = party.params.row_slots().unwrap() as i64;
    let keys = EvaluationKeysBuilder::new(&party.params, &party.secret)
        .rotate([0, 1, row + 1, 1 - row, 5])
        .build_with(&mut party.sampler)
        .unwrap();
    assert_eq!((keys.iter().count(), keys.elements().len()), (2, 2));
    let evaluator = Evaluator::new(&party.params, keys);
    let (a, x) = party.random();
    party.expect(&evaluator.rotate(&a, row + 1).unwrap(), &party.rotated(&x, 1), "rotation");
}

pub fn products_of_three_parts_must_be_relinearised_first<T: Subject>() {
    let mut party = Party::<T>::with_slots(5);
    let (a, _) = party.random();
    let e = &party.evaluator;
    let three = e.multiply_without_relinearise(&a, &a).unwrap();
    let refused = SchemeError::NotRelinearised { parts: 3 };
    assert_eq!(e.multiply_exact(&three, &a).unwrap_err(), refused);
    assert_eq!(e.multiply_without_relinearise(&a, &three).unwrap_err(), refused);
    assert_eq!(e.square_exact(&three).unwrap_err(), refused);
    assert_eq!(e.square_without_relinearise(&three).unwrap_err(), refused);
    assert_eq!(e.rotate(&three, 1).unwrap_err(), refused);
    assert_eq!(e.rotate_many(&three, &[1]).unwrap_err(), refused);
    assert_eq!(e.swap_rows(&three).unwrap_err(), refused);
}

pub fn rotations_without_slots_are_refused<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(6) {
        let (a, _) = party.random();
        let expected = party.params.row_slots().map_or(Some(SchemeError::NoSlots), |_| None);
        assert_eq!(party.evaluator.rotate(&a, 1).err(), expected);
        assert_eq!(party.evaluator.rotate_many(&a, &[1, 2]).err(), expected);
        assert_eq!(party.evaluator.swap_rows(&a).err(), expected);
    }
}

pub fn parts_that_fit_no_level_are_refused_from_outside<T: Subject>() {
    let mut party = Party::<T>::with_slots(7);
    let (a, x) = party.random();
    let low = party.evaluator.switch_to(&a, Level(2)).unwrap();
    let (high, lower) = (a.rlwe().parts.clone(), low.rlwe().parts.clone());
    let make = |parts, of: &Ciphertext<T::Scheme>| {
        Ciphertext::from_checked_parts(&party.params, RlweCiphertext { parts }, of.state().clone())
    };
    party.expect(&make(high.clone(), &a).unwrap(), &x, "its own parts");
    let four = [&high[..], &high[..]].concat();
    let mixed = vec![high[0].clone(), lower[1].clone()];
    let unsound =
        [(vec![], &a), (high[..1].to_vec(), &a), (four, &a), (mixed, &a), (lower, &a), (high, &low)];
    for (parts, of) in unsound {
        assert!(matches!(make(parts, of), Err(SchemeError::UnsoundCiphertext { .. })));
    }
    // Parts of other primes, and of another degree.
    for params in T::differing() {
        if !same_ring(&params, &party.params) {
            let (other, _) = Party::<T>::new(params, 7).random();
            let mixed =
                Ciphertext::from_checked_parts(&party.params, other.rlwe().clone(), a.state().clone());
            assert!(matches!(mixed, Err(SchemeError::UnsoundCiphertext { .. })));
        }
    }
}
