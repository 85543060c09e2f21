//! Ciphertexts know their parameters: whatever was made with others is refused.

use asanoha_lattice::{DiagonalSteps, Hoisting, Level, MissingKey, StepKeys, Trace};
use asanoha_scheme::{Encryptor, Evaluator, Scheme, SchemeError};

use crate::{Party, Subject};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! other_parameters_suite {
    ($subject:ty) => {
        $crate::claims!($subject: other_parameters {
            ciphertexts_of_other_parameters_are_refused_by_every_operation
            plaintexts_and_transforms_of_other_parameters_are_refused
            keys_of_other_rings_are_refused
            the_same_parameters_checked_twice_are_the_same
        });
    };
}

/// A party, and parties of other parameters.
fn parties<T: Subject>() -> (Party<T>, Vec<Party<T>>) {
    let mut parties = T::differing().into_iter().map(|params| Party::new(params, 5));
    let own = parties.next().unwrap();
    let others: Vec<Party<T>> = parties.collect();
    assert!(others.len() > 1 && others.iter().all(|other| other.params != own.params));
    (own, others)
}

/// Whether both have the same degree and the same primes.
pub(super) fn same_ring<S: Scheme>(a: &S, b: &S) -> bool {
    let ring = |params: &S| {
        let rlwe = params.rlwe();
        let primes: Vec<u64> = rlwe.q(rlwe.max_level()).primes().collect();
        (rlwe.ring_degree(), primes)
    };
    ring(a) == ring(b)
}

/// Holds that operands of two parameter sets were refused, naming both.
struct Refused {
    expected: String,
    found: String,
}

impl Refused {
    fn hold<X>(&self, result: Result<X, SchemeError>, operation: &str) {
        let (expected, found) = (self.expected.clone(), self.found.clone());
        match result {
            Err(error) => assert_eq!(error, SchemeError::OtherParameters { expected, found }, "{operation}"),
            Ok(_) => panic!("{operation} mixed operands of two parameter sets"),
        }
    }
}

pub fn ciphertexts_of_other_parameters_are_refused_by_every_operation<T: Subject>() {
    let (mut own, others) = parties::<T>();
    let (a, _) = own.random();
    let trace = Trace::new(own.params.rlwe().ring_degree(), &[2], Hoisting::Lazy);
    for mut other in others {
        let (b, _) = other.random();
        let three = other.evaluator.multiply_without_relinearise(&b, &b).unwrap();
        let refused = Refused { expected: own.params.describe(), found: other.params.describe() };
        let e = &own.evaluator;
        for (left, right) in [(&a, &b), (&b, &a), (&b, &b)] {
            refused.hold(e.add(left, right), "add");
            refused.hold(e.sub(left, right), "sub");
            refused.hold(e.add_assign(&mut left.clone(), right), "add_assign");
            refused.hold(e.sub_assign(&mut left.clone(), right), "sub_assign");
            refused.hold(e.multiply_exact(left, right), "multiply");
            refused.hold(e.multiply_without_relinearise(left, right), "multiply_without_relinearise");
        }
        refused.hold(e.square_exact(&b), "square");
        refused.hold(e.square_without_relinearise(&b), "square_without_relinearise");
        refused.hold(e.relinearise(b.clone()), "relinearise");
        refused.hold(e.relinearise(three), "relinearise");
        refused.hold(e.add_constant(&b, T::addend(1)), "add_constant");
        refused.hold(e.mul_constant_exact(&b, T::factor(1)), "mul_constant");
        refused.hold(e.switch_to(&b, Level(1)), "switch_to");
        refused.hold(e.lowered(&b, b.level()), "lowered");
        // Rotations by nothing too, which give their operand back.
        refused.hold(e.rotate(&b, 0), "rotate");
        refused.hold(e.rotate(&b, 1), "rotate");
        refused.hold(e.rotate_many(&b, &[0]), "rotate_many");
        refused.hold(e.rotate_many(&b, &[0, 1]), "rotate_many");
        refused.hold(e.swap_rows(&b), "swap_rows");
        refused.hold(e.trace(&b, &trace), "trace");
        for (name, result) in T::own_operations(&own, &b) {
            refused.hold(result, name);
        }
        for (name, result) in T::decryptions(&own.params, &own.secret, &b) {
            refused.hold(result, name);
        }
    }
}

pub fn plaintexts_and_transforms_of_other_parameters_are_refused<T: Subject>() {
    let (mut own, others) = parties::<T>();
    let (a, _) = own.random();
    for mut other in others {
        let (b, values) = other.random();
        let plain = other.encode(&values, a.level());
        let refused = Refused { expected: own.params.describe(), found: other.params.describe() };
        let e = &own.evaluator;
        refused.hold(e.add_plain_exact(&a, &plain), "add_plain");
        refused.hold(e.sub_plain_exact(&a, &plain), "sub_plain");
        refused.hold(e.mul_plain_exact(&a, &plain), "mul_plain");
        refused.hold(e.add_plain_exact(&b, &plain), "add_plain");
        refused.hold(e.mul_plain_exact(&b, &plain), "mul_plain");
        refused.hold(T::decode(&own.params, &plain), "decode");
        refused.hold(own.encryptor.encrypt(&own.public, &plain, &mut own.sampler), "encrypt");
        refused.hold(own.encryptor.encrypt_secret(&own.secret, &plain, &mut own.sampler), "encrypt_secret");

        let steps = DiagonalSteps::new([0, 1], 2, StepKeys::Each);
        let transform = T::transform(&other.params, &steps, a.level()).unwrap();
        refused.hold(e.transform(&a, &transform), "transform");
        refused.hold(e.transform(&b, &transform), "transform");
    }
}

pub fn keys_of_other_rings_are_refused<T: Subject>() {
    let (mut own, others) = parties::<T>();
    let (a, x) = own.random();
    let plain = own.encode(&x, Level(2));
    let trace = Trace::new(own.params.rlwe().ring_degree(), &[2], Hoisting::Lazy);
    let mut rings = 0;
    for other in others.into_iter().filter(|other| !same_ring(&other.params, &own.params)) {
        let is_other = |error| matches!(error, SchemeError::OtherKey(_));
        let encryptor = Encryptor::new(&own.params);
        assert!(is_other(encryptor.encrypt(&other.public, &plain, &mut own.sampler).unwrap_err()));
        assert!(is_other(encryptor.encrypt_secret(&other.secret, &plain, &mut own.sampler).unwrap_err()));
        for (name, result) in T::decryptions(&own.params, &other.secret, &a) {
            assert!(is_other(result.unwrap_err()), "{name}");
        }

        let evaluator = Evaluator::new(&own.params, other.evaluator.keys().clone());
        let is_other = |error| matches!(error, SchemeError::MissingKey(MissingKey::OtherParameters { .. }));
        assert!(is_other(evaluator.square_exact(&a).unwrap_err()));
        assert!(is_other(evaluator.rotate(&a, 1).unwrap_err()));
        assert!(is_other(evaluator.rotate_many(&a, &[1]).unwrap_err()));
        // X^−1 is another element where the degree is another.
        assert!(matches!(evaluator.swap_rows(&a).unwrap_err(), SchemeError::MissingKey(_)));
        assert!(is_other(evaluator.trace(&a, &trace).unwrap_err()));
        rings += 1;
    }
    assert!(rings > 1);
}

pub fn the_same_parameters_checked_twice_are_the_same<T: Subject>() {
    let (mut own, _) = parties::<T>();
    let (a, x) = own.random();
    let again = Party::<T>::new(T::differing().swap_remove(0), 5);
    let sum = again.without_keys().add(&a, &a).unwrap();
    own.expect(&own.evaluator.sub(&sum, &a).unwrap(), &x, "a sum by another's evaluator");
    assert!(T::decrypt(&again.params, &own.secret, &a).is_ok());
    assert_eq!(again.params.digest(), own.params.digest());
}
