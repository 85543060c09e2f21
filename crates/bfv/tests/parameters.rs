//! Literals that are taken and literals that aren't.

use asanoha_bfv::{Bfv, BfvLiteral, BfvModulus, BfvParamsError};
use asanoha_lattice::ParamsError;
use asanoha_ring::Backend;
use asanoha_scheme::{Encoding, Exact, PlaintextError, Scheme};
use asanoha_testkit::suite::{literals::survives_json, parameters::numbers_of_a_plaintext_are_asked_for};

use crate::common::{LiteralShape, binomial, literal};

fn good() -> BfvLiteral {
    literal(&LiteralShape { ring_degree: 1024, primes: 3, ..LiteralShape::of(65537) })
}

fn refused(change: impl FnOnce(&mut BfvLiteral)) -> BfvParamsError {
    let mut literal = good();
    change(&mut literal);
    literal.check(Backend::Scalar).unwrap_err()
}

#[test]
fn a_modulus_without_slots_is_refused_until_coefficients_are_asked_for() {
    numbers_of_a_plaintext_are_asked_for(|t| Bfv::parameters().plaintext_modulus(t));
}

#[test]
fn checked_parameters_say_what_they_are() {
    let params = good().check(Backend::Scalar).unwrap();
    assert_eq!((params.slots(), params.row_slots(), params.max_level().0), (1024, Some(512), 2));
    assert_eq!(*params.plaintext_modulus(), 65537u32.into());
    assert_eq!(*params.literal(), good());
    let with = |modulus: BfvModulus| {
        let literal = BfvLiteral { plaintext_modulus: modulus, ..good() };
        literal.check(Backend::Scalar).unwrap()
    };
    let numbers = with(binomial(16, 4));
    assert_eq!((numbers.slots(), numbers.row_slots(), numbers.plaintext_modulus().bits()), (16, None, 129));
    // Keys belong to the ring; ciphertexts to the plaintext modulus too.
    assert_eq!(numbers.rlwe(), params.rlwe());
    assert_ne!(numbers, params);
    assert_eq!(with(65537.into()), params);
}

#[test]
fn moduli_of_other_forms_are_refused() {
    for t in [0, 1] {
        let error = refused(|literal| literal.plaintext_modulus = t.into());
        assert_eq!(error, PlaintextError::Modulus(t.into()).into());
    }
    for (exponent, base) in [(0, 4), (3, 4), (2048, 4), (16, 0), (16, 1), (16, 1 << 32)] {
        let error = refused(|literal| literal.plaintext_modulus = binomial(exponent, base));
        assert_eq!(error, BfvParamsError::Binomial { exponent, base, ring_degree: 1024 });
    }
    let error = refused(|literal| {
        literal.plaintext_modulus = 65536.into();
        literal.encoding = Some(Encoding::Slots);
    });
    assert!(matches!(error, BfvParamsError::Plaintext(PlaintextError::NotBatching { .. })), "{error}");
}

#[test]
fn primes_of_the_ciphertext_modulus_do_not_divide_the_plaintext_modulus() {
    let (q, p) = (good().rlwe.q_primes[1], good().rlwe.p_primes[0]);
    assert_eq!(refused(|literal| literal.plaintext_modulus = q.into()), BfvParamsError::SharedPrime(q));
    // X^1024 − b is −(b + 1).
    let error = refused(|literal| {
        literal.rlwe.q_primes[0] = 786433;
        literal.plaintext_modulus = binomial(1024, 786432);
    });
    assert_eq!(error, BfvParamsError::SharedPrime(786433));
    // Nothing is divided by t modulo the special primes.
    let shared = BfvLiteral { plaintext_modulus: p.into(), ..good() };
    assert!(shared.check(Backend::Scalar).is_ok());
}

#[test]
fn noise_factors_and_bad_rings_are_refused() {
    for factor in [65537, 0] {
        let error = refused(|literal| literal.rlwe.noise_factor = factor.into());
        assert_eq!(error, BfvParamsError::NoiseFactor(factor.into()));
    }
    for ring_degree in [0, 4, 1000, 1 << 19] {
        let error = refused(|literal| literal.rlwe.ring_degree = ring_degree);
        assert!(matches!(error, BfvParamsError::Ring(ParamsError::Ring(_))), "{error}");
    }
    let error = refused(|literal| literal.rlwe.insecure = false);
    assert!(matches!(error, BfvParamsError::Ring(ParamsError::Insecure { .. })));
}

#[test]
fn literals_survive_json_and_unknown_fields_are_refused() {
    let wide: BfvModulus = asanoha_scheme::batching_primes(128, 1024, 1).remove(0).into();
    for modulus in [65537.into(), wide, binomial(16, 4)] {
        let literal = BfvLiteral { plaintext_modulus: modulus, ..good() };
        survives_json(&literal);
    }
    let text = survives_json(&BfvLiteral { plaintext_modulus: binomial(16, 4), ..good() });
    assert!(text.contains(r#""plaintext_modulus":{"exponent":16,"base":4}"#), "{text}");
    let unknown = text.replacen(r#""base":4"#, r#""base":4,"colour":1"#, 1);
    assert!(serde_json::from_str::<BfvLiteral>(&unknown).is_err());
}
