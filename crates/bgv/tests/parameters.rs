//! Literals that are taken and literals that aren't.

use asanoha_bgv::{Bgv, BgvLiteral, BgvParamsError};
use asanoha_lattice::ParamsError;
use asanoha_ring::Backend;
use asanoha_scheme::{Encoding, Exact, PlaintextError, Scheme, batching_primes};
use asanoha_testkit::suite::{literals::survives_json, parameters::numbers_of_a_plaintext_are_asked_for};
use num_bigint::BigUint;

use crate::common::{LiteralShape, literal};

fn good() -> BgvLiteral {
    literal(LiteralShape { ring_degree: 1024, prime_bits: 46, primes: 3, digits: 3, plaintext_bits: 17 })
}

fn with(modulus: impl Into<BigUint>, encoding: Option<Encoding>) -> BgvLiteral {
    BgvLiteral { encoding, ..BgvLiteral::new(good().rlwe, modulus) }
}

fn refused(change: impl FnOnce(&mut BgvLiteral)) -> BgvParamsError {
    let mut literal = good();
    change(&mut literal);
    literal.check(Backend::Scalar).unwrap_err()
}

#[test]
fn levels_of_small_moduli_have_little_more_than_their_noise() {
    for (t, depth, most_bits) in [(2u64, 2, 23.0), (2, 8, 26.0), (3, 4, 25.0), (257, 3, 30.0), (2, 32, 30.0)]
    {
        let params = Bgv::parameters().plaintext_modulus(t).coefficients(1).depth(depth).build().unwrap();
        let log2_q = params.rlwe().q(params.max_level()).log2_product();
        let bits = log2_q / (depth + 1) as f64;
        assert!(bits <= most_bits, "t = {t}, depth {depth}: {bits} bits a level, log2 q {log2_q}");
    }
}

#[test]
fn a_modulus_without_slots_is_refused_until_coefficients_are_asked_for() {
    numbers_of_a_plaintext_are_asked_for(|t| Bgv::parameters().plaintext_modulus(t));
}

#[test]
fn checked_parameters_say_what_they_are() {
    let params = good().check(Backend::Scalar).unwrap();
    assert_eq!(*params.plaintext_modulus(), params.literal().plaintext_modulus.0);
    assert_eq!(*params.literal().rlwe.noise_factor.value(), params.literal().plaintext_modulus.0);
    assert_eq!((params.slots(), params.row_slots(), params.max_level().0), (1024, Some(512), 2));
    // With the noise factor filled in or given: the same parameters.
    assert_eq!(params.literal().clone().check(Backend::Scalar).unwrap().digest(), params.digest());
}

#[test]
fn plaintext_moduli_of_every_kind_are_taken() {
    let big = batching_primes(300, 1024, 1).remove(0);
    for (modulus, encoding, expected) in [
        (BigUint::from(2u32), None, (Encoding::Coefficients, 1024)),
        (BigUint::from(257u32), None, (Encoding::Slots, 128)),
        (BigUint::from(257u32), Some(Encoding::Coefficients), (Encoding::Coefficients, 1024)),
        (BigUint::from(67u32), Some(Encoding::Slots), (Encoding::Slots, 1)),
        (BigUint::from(1u32) << 64, None, (Encoding::Coefficients, 1024)),
        (big.clone(), None, (Encoding::Slots, 1024)),
        (&big * &big, None, (Encoding::Coefficients, 1024)),
    ] {
        let params = with(modulus.clone(), encoding).check(Backend::Scalar).unwrap();
        assert_eq!((params.integers().encoding(), params.slots()), expected, "{modulus}");
        assert_eq!(*params.rlwe().noise_factor(), modulus);
    }
    let primes = batching_primes(80, 1024, 2);
    let mut literal = with(&primes[0] * &primes[1], None);
    literal.plaintext_factors = primes.into_iter().map(Into::into).collect();
    assert_eq!(literal.check(Backend::Scalar).unwrap().slots(), 1024);
}

#[test]
fn moduli_without_values_or_too_wide_are_refused() {
    for modulus in [0u32, 1] {
        let error = with(modulus, None).check(Backend::Scalar).unwrap_err();
        assert_eq!(error, PlaintextError::Modulus(modulus.into()).into());
    }
    let error = with(BigUint::from(1u32) << 4096, None).check(Backend::Scalar).unwrap_err();
    assert_eq!(error, PlaintextError::TooWide { bits: 4097 }.into());
}

#[test]
fn slots_asked_of_moduli_without_are_refused_naming_the_nearest_primes_that_batch() {
    // Even, a power, and composite without known factors.
    let primes = batching_primes(80, 1024, 3);
    let (above, middle, below) = (&primes[0], &primes[1], &primes[2]);
    for (modulus, near) in [
        (BigUint::from(65536u32), (BigUint::from(61441u32), BigUint::from(65537u32))),
        (BigUint::from(65537u64 * 65537), nearest(65537u64 * 65537)),
        (middle + 1u32, (middle.clone(), above.clone())),
        (middle - 1u32, (below.clone(), middle.clone())),
    ] {
        let error = with(modulus.clone(), Some(Encoding::Slots)).check(Backend::Scalar).unwrap_err();
        let text = format!("primes with 1024 slots next to it: {} and {}", near.0, near.1);
        assert!(error.to_string().contains(&text), "{error}");
        let expected = PlaintextError::NotBatching {
            modulus,
            ring_degree: 1024,
            below: Some(near.0),
            above: Some(near.1),
        };
        assert_eq!(error, expected.into());
    }
}

/// By trial division.
fn nearest(t: u64) -> (BigUint, BigUint) {
    let batches = |candidate: &u64| {
        *candidate > 1
            && candidate % 2048 == 1
            && (2..*candidate).take_while(|d| d * d <= *candidate).all(|d| !candidate.is_multiple_of(d))
    };
    ((0..t).rev().find(batches).unwrap().into(), (t + 1..2 * t).find(batches).unwrap().into())
}

#[test]
fn common_factors_and_contradictions_are_refused() {
    for (position, times) in [(0, 1u32), (1, 1), (0, 6), (1, 1_000_000_007)] {
        let rlwe = good().rlwe;
        let prime = [rlwe.q_primes[1], rlwe.p_primes[0]][position];
        let plaintext_modulus = BigUint::from(prime) * times;
        let error = with(plaintext_modulus.clone(), None).check(Backend::Scalar).unwrap_err();
        assert!(error.to_string().contains(&format!("divisible by {prime}")));
        assert_eq!(error, BgvParamsError::SharedPrime { plaintext_modulus, prime });
    }
    let error = refused(|literal| literal.rlwe.noise_factor = 3.into());
    assert!(matches!(error, BgvParamsError::NoiseFactor { .. }));
    let error = refused(|literal| literal.plaintext_factors = vec![3u64.into()]);
    assert!(matches!(error, BgvParamsError::Plaintext(PlaintextError::Factors { .. })));
}

#[test]
fn bad_rings_and_insecure_parameters_are_refused() {
    for ring_degree in [0, 4, 1000, 1 << 19] {
        let error = refused(|literal| literal.rlwe.ring_degree = ring_degree);
        assert!(matches!(error, BgvParamsError::Ring(ParamsError::Ring(_))), "{error}");
    }
    let error = refused(|literal| literal.rlwe.insecure = false);
    assert!(matches!(error, BgvParamsError::Ring(ParamsError::Insecure { .. })));
}

#[test]
fn literals_survive_json_and_unknown_fields_are_refused() {
    let wide = with(BigUint::from(1u32) << 200, Some(Encoding::Coefficients));
    for literal in [good(), wide] {
        survives_json(&literal);
    }
}

#[test]
fn json_has_narrow_moduli_as_numbers_and_reads_strings_too() {
    let text = serde_json::to_string(&good()).unwrap();
    assert!(text.contains("\"plaintext_modulus\":65537}"), "{text}");
    for same in ["\"65537\"", "\"0x10001\""] {
        let text = text.replace("65537", same);
        assert_eq!(serde_json::from_str::<BgvLiteral>(&text).unwrap(), good());
    }
    for bad in ["-1", "1.5", "\"\"", "\"0x\"", "\"12z\"", "\"-3\"", "\" 7\"", "null", "1e30"] {
        assert!(serde_json::from_str::<BgvLiteral>(&text.replace("65537", bad)).is_err(), "{bad}");
    }
    let endless = format!("\"{}\"", "9".repeat(1 << 20));
    assert!(serde_json::from_str::<BgvLiteral>(&text.replace("65537", &endless)).is_err());
}
