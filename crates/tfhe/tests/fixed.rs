//! Encrypted reals in fixed point: within their stated errors, and not by much.

use asanoha_kernels::Backend;
use asanoha_ring::Sampler;
use asanoha_tfhe::{ClientKey, EncryptedFixed, FixedType, Integers, TfheError};
use proptest::prelude::*;

use crate::common::{keys, tiny};

/// A result is within its error of the exact one, and in its range.
fn check(client: &ClientKey, result: &EncryptedFixed, exact: f64) {
    let value = client.decrypt_fixed(result).unwrap();
    assert!((value - exact).abs() <= result.error(), "{value}, {exact}, {}", result.error());
    assert!((result.fixed_type().least()..=result.fixed_type().largest()).contains(&value));
}

/// A range, bits, and a real in the range.
fn reals() -> impl Strategy<Value = (f64, f64, u32, f64)> {
    (-50.0..50.0, 0.0..100.0, 4u32..12, prop_oneof![Just(0.0), Just(1.0), 0.0..1.0]).prop_map(
        |(least, width, bits, part): (f64, f64, u32, f64)| (least, least + width, bits, least + width * part),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sums_and_products_are_within_their_errors(
        (least, largest, bits, x) in reals(),
        (other_least, other_largest, other_bits, y) in reals(),
        kept in 4u32..20,
    ) {
        let (client, server) = keys(&tiny(4).check(Backend::detect().unwrap()).unwrap(), 1);
        let integers = Integers::new(&server).unwrap();
        let first = FixedType::new(least, largest, bits).unwrap();
        let second = FixedType::new(other_least, other_largest, other_bits).unwrap();
        prop_assert!(first.integer_type().bits() <= bits.next_multiple_of(2));
        // The finest step: half of it would need a bit more, or bounds next to a power of two do.
        prop_assert!(least.abs().max(largest.abs()) >= first.step() * 2f64.powi(bits as i32 - 3));
        let a = client.encrypt_fixed(x, first, &mut Sampler::from_os()).unwrap();
        let b = client.encrypt_fixed(y, second, &mut Sampler::from_os()).unwrap();
        check(&client, &a, x);
        check(&client, &integers.add_fixed(&a, &b).unwrap(), x + y);
        check(&client, &integers.sub_fixed(&a, &b).unwrap(), x - y);
        let product = integers.mul_fixed(&a, &b, kept).unwrap();
        check(&client, &product, x * y);
        prop_assert!(product.fixed_type().integer_type().bits() <= (kept + 1).next_multiple_of(2));
        check(&client, &integers.add_fixed(&product, &a).unwrap(), x * y + x);
    }
}

#[test]
fn products_of_eight_bits_are_off_by_a_step_and_what_their_factors_were_off_by() {
    let (client, server) = keys(&tiny(4).check(Backend::detect().unwrap()).unwrap(), 1);
    let integers = Integers::new(&server).unwrap();
    let unit = FixedType::new(-1.0, 1.0 - 1.0 / 128.0, 8).unwrap();
    assert_eq!((unit.step(), unit.integer_type().blocks), (1.0 / 128.0, 4));
    let encrypt = |x| client.encrypt_fixed(x, unit, &mut Sampler::from_os()).unwrap();
    let (a, b) = (encrypt(-0.7), encrypt(0.9));
    let product = integers.mul_fixed(&a, &b, 8).unwrap();
    check(&client, &product, -0.63);
    // Half a step of each factor times the other's size 1, the product of both halves, and a step of the product: 1 isn't
    // below 1, so its step is 1/64.
    let expected = 1.0 / 128.0 + 1.0 / 65536.0 + 1.0 / 64.0;
    assert!((product.error() - expected).abs() < 1e-9);
}

#[test]
fn what_is_no_fixed_point_is_refused() {
    let (client, server) = keys(&tiny(4).check(Backend::detect().unwrap()).unwrap(), 1);
    for (least, largest, bits) in [
        (1.0, 0.0, 8),
        (f64::NAN, 1.0, 8),
        (0.0, f64::INFINITY, 8),
        (0.0, 1e300, 8),
        (0.0, 1e-300, 8),
        (0.0, 1.0, 0),
        (0.0, 1.0, 54),
    ] {
        assert!(matches!(FixedType::new(least, largest, bits), Err(TfheError::FixedRange { .. })));
    }
    let t = FixedType::new(0.0, 2.0, 8).unwrap();
    for x in [-0.1, 2.1, f64::NAN] {
        let refused = client.encrypt_fixed(x, t, &mut Sampler::from_os());
        assert!(matches!(refused, Err(TfheError::FixedOutOfRange { .. })));
    }
    let integers = Integers::new(&server).unwrap();
    let encrypt = |t: FixedType| client.encrypt_fixed(t.largest(), t, &mut Sampler::from_os()).unwrap();
    let far = [FixedType::new(0.0, 2f64.powi(100), 8), FixedType::new(0.0, 2f64.powi(-100), 8)];
    let [large, small] = far.map(|t| encrypt(t.unwrap()));
    assert_eq!(integers.add_fixed(&large, &small).unwrap_err(), TfheError::FixedWidth);
    let stranger = keys(&tiny(4).check(Backend::detect().unwrap()).unwrap(), 2).0;
    let foreign = stranger.encrypt_fixed(1.0, t, &mut Sampler::from_os()).unwrap();
    assert!(matches!(integers.mul_fixed(&encrypt(t), &foreign, 8), Err(TfheError::OtherKey { .. })));
    assert!(matches!(client.decrypt_fixed(&foreign), Err(TfheError::OtherKey { .. })));
}
