//! Every operation alone, and what only BFV has: noise that a switch need not divide, and wide numbers.

use asanoha_bfv::{BfvCiphertext, BfvState};
use asanoha_lattice::{Level, Norm};
use asanoha_ring::Backend;
use asanoha_scheme::{Exact, Scheme, SchemeError};
use asanoha_testkit::{Subject, TestIntegers};

use crate::common::{Bfv, Fixture, LiteralShape, binomial, literal};

asanoha_testkit::operations_suite!(Bfv);

#[test]
fn few_slots_rotate_among_themselves() {
    // 97 is 1 modulo 32 but not modulo 64: sixteen slots.
    let mut fixture = Fixture::new(&LiteralShape::of(97), 6);
    assert_eq!((fixture.params.slots(), fixture.params.row_slots()), (16, Some(8)));
    let values = fixture.values(&mut TestIntegers(6));
    let a = fixture.encrypt(&values);
    let rotated = fixture.evaluator.rotate(&a, 5 - 8).unwrap();
    fixture.expect(&rotated, &Bfv::rotated(&fixture.params, &values, 5), "rotation");
    fixture.expect(
        &fixture.evaluator.swap_rows(&a).unwrap(),
        &Bfv::swapped(&fixture.params, &values),
        "swap",
    );
}

#[test]
fn switching_down_between_products_keeps_the_depth() {
    let mut fixture = Fixture::new(&LiteralShape::of(65537), 7);
    let mut values = fixture.values(&mut TestIntegers(7));
    let e = fixture.evaluator.clone();
    let plain = fixture.encode(&values, fixture.top());
    let mut a = fixture.encryptor.encrypt(&fixture.public, &plain, &mut fixture.sampler).unwrap();
    let mut at_the_top = a.clone();
    let mut products = 0;
    while let Ok(square) = e.square_exact(&at_the_top) {
        at_the_top = square;
        a = e.square_exact(&a).unwrap();
        // The noise is then still 2^20 at least, and what rounding adds nothing beside it.
        let dropped = ((a.noise().log2() - 20.0) / 46.0).max(0.0) as usize;
        let level = Level(fixture.top().0 - dropped);
        a = if level < a.level() { e.switch_to(&a, level).unwrap() } else { a };
        values = fixture.product(&values, &values);
        products += 1;
        fixture.expect(&a, &values, "switched");
        fixture.expect(&at_the_top, &values, "not switched");
        if dropped > 0 {
            break;
        }
    }
    assert!(products > 0 && a.level() < fixture.top());
}

#[test]
fn sixteen_numbers_of_2048_bits_take_a_secure_ring_of_degree_2_to_the_14() {
    let shape = LiteralShape {
        ring_degree: 1 << 14,
        prime_bits: 46,
        primes: 5,
        digits: 2,
        ..LiteralShape::of(binomial(16, 4))
    };
    let mut literal = literal(&shape);
    literal.rlwe.insecure = false;
    let mut fixture = Fixture::of(literal.check(Backend::detect().unwrap()).unwrap(), 12);
    assert_eq!((fixture.params.slots(), fixture.params.plaintext_modulus().bits()), (16, 2049));
    let mut values = fixture.values(&mut TestIntegers(12));
    let mut a = fixture.encrypt(&values);
    for _ in 0..10 {
        a = fixture.evaluator.square_exact(&a).unwrap();
        values = fixture.product(&values, &values);
        assert_eq!(fixture.decrypt(&a), values);
    }
    assert!(matches!(fixture.evaluator.square_exact(&a), Err(SchemeError::OutOfModulus { .. })));
}

#[test]
fn results_out_of_the_modulus_are_refused_where_they_arise() {
    let mut fixture = Fixture::new(&LiteralShape::of((1 << 61) - 1), 7);
    let a = fixture.encrypt(&[1.into(), 2.into()]);
    let e = &fixture.evaluator;
    let low = e.switch_to(&a, Level(2)).unwrap();
    let Err(SchemeError::OutOfModulus { needed_bits: noise_bits, available_bits, level: 2 }) =
        e.square_exact(&low)
    else {
        panic!("three primes of 46 bits don't hold a product modulo 2^61 - 1")
    };
    // The norm may be √(N/2) above the largest coefficient.
    let model = fixture.params.rlwe().noise();
    let largest = 138.0 - 62.0 - model.coefficient().log2();
    assert!(noise_bits > available_bits && (available_bits - largest).abs() < 0.1);
    assert!(matches!(e.switch_to(&a, Level(0)), Err(SchemeError::OutOfModulus { level: 0, .. })));
    let plain = fixture.encode(&[1.into()], Level(0));
    let fresh = fixture.encryptor.encrypt(&fixture.public, &plain, &mut fixture.sampler);
    assert!(matches!(fresh, Err(SchemeError::OutOfModulus { level: 0, .. })));

    let state = BfvState { noise: Norm::from_log2(available_bits), ..low.state().clone() };
    let forged = BfvCiphertext::from_checked_parts(&fixture.params, low.rlwe().clone(), state);
    assert!(matches!(forged, Err(SchemeError::OutOfModulus { level: 2, .. })));
}
