//! Parameters by what is wanted of them.

use asanoha_scheme::{Exact, ParametersBuilder, ParametersError, Parametrised};
use num_bigint::BigUint;

/// Numbers that a modulus without slots multiplies otherwise than number by number are asked for by name; and so are slots.
///
/// # Panics
/// If that isn't so.
pub fn numbers_of_a_plaintext_are_asked_for<S: Parametrised + Exact>(
    with: impl Fn(u64) -> ParametersBuilder<S>,
) {
    // A power of two, 3 modulo 4, a product of such, and a square.
    for modulus in [2u64, 1 << 16, 67, 65539, 21, 289] {
        for builder in [with(modulus), with(modulus).slots(1), with(modulus).slots(512)] {
            let refused = builder.build().unwrap_err();
            let message = refused.to_string();
            assert!(message.contains("slots()") && message.contains("coefficients()"), "{message}");
            let ParametersError::NoSlots { modulus: found, nearest } = refused else { panic!("{message}") };
            assert_eq!(found, modulus.into());
            give_slots(&with, &nearest, 512);
        }
        let params = with(modulus).coefficients(1000).build().unwrap();
        assert!(params.slots() >= 1000 && params.row_slots().is_none());
    }
    // Where there are slots, both can be had.
    for (modulus, slots) in [(65537, 1024), (257, 128), (37, 2)] {
        for builder in [with(modulus), with(modulus).slots(slots)] {
            let params = builder.build().unwrap();
            assert!(params.slots() >= slots && params.row_slots().is_some());
        }
        let params = with(modulus).coefficients(64).build().unwrap();
        assert!(params.slots() >= 1024 && params.row_slots().is_none());
    }
    let refused = with(257).slots(1000).build().unwrap_err();
    let message = refused.to_string();
    assert!(message.contains("128") && message.contains("12289") && !message.contains("131072"), "{message}");
    let ParametersError::TooFewSlots { found: 128, asked: 1000, nearest, .. } = refused else {
        panic!("{message}")
    };
    give_slots(&with, &nearest, 1000);
    let refused = with(65537).ring_degree(1 << 12).coefficients(1 << 13).build().unwrap_err();
    let ParametersError::TooFewSlots { ring_degree: 4096, found: 4096, asked: 8192, .. } = refused else {
        panic!("{refused}")
    };
}

/// The moduli that a message names give as many slots as were asked for.
fn give_slots<S: Parametrised + Exact>(
    with: impl Fn(u64) -> ParametersBuilder<S>,
    nearest: &[BigUint],
    slots: usize,
) {
    assert!(!nearest.is_empty());
    for prime in nearest {
        let prime = u64::try_from(prime).expect("it's next to a word");
        assert!(with(prime).slots(slots).build().expect("the advice helps").slots() >= slots);
    }
}
