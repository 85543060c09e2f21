//! Encrypted integers against plain ones.

use asanoha_kernels::Backend;
use asanoha_ring::Sampler;
use asanoha_tfhe::{
    ClientKey, EncryptedBit, EncryptedInteger, IntegerType, Integers, ServerKey, TfheError, TfheLiteral,
};
use proptest::prelude::*;

use crate::common;
use crate::common::{keys, tiny};

/// Parameters that allow five deviations in a table, and not six: as the standard ones, but insecure.
fn strict() -> TfheLiteral {
    TfheLiteral { glwe_standard_deviation: 2f64.powi(-36), log2_failure: -321.0, ..tiny(4) }
}

struct Bench {
    client: ClientKey,
    server: ServerKey,
}

impl Bench {
    fn new(seed: u8) -> Self {
        let params = strict().check(Backend::detect().unwrap()).unwrap();
        let (client, server) = keys(&params, seed);
        Self { client, server }
    }

    fn encrypt(&self, value: i128, integer_type: IntegerType) -> EncryptedInteger {
        self.client.encrypt_integer(value, integer_type, &mut Sampler::from_os()).unwrap()
    }

    fn value(&self, integer: Result<EncryptedInteger, TfheError>) -> i128 {
        self.client.decrypt_integer(&integer.unwrap()).unwrap()
    }

    fn bit(&self, bit: Result<EncryptedBit, TfheError>) -> bool {
        self.client.decrypt_bit(&bit.unwrap()).unwrap()
    }
}

/// On as many threads as given: carries go one after another on one, and by prefixes on many.
fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// The value modulo 4^blocks, in its type's range.
fn wrap(value: i128, integer_type: IntegerType) -> i128 {
    let above = 128 - integer_type.bits();
    let top = value << above;
    if integer_type.signed { top >> above } else { (top.cast_unsigned() >> above).cast_signed() }
}

fn floor_div(a: i128, b: i128) -> i128 {
    if b == 0 { 0 } else { a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0) }
}

/// The bits turned up by so many places.
fn turn(value: i128, places: u32, integer_type: IntegerType) -> i128 {
    let bits = integer_type.bits();
    let word = wrap(value, IntegerType { signed: false, ..integer_type });
    wrap(word << (places % bits) | word >> ((bits - places % bits) % bits), integer_type)
}

/// All operations of two integers.
fn check_operations(bench: &Bench, [x, y]: [i128; 2], [a, b]: [&EncryptedInteger; 2]) {
    let t = a.integer_type();
    let integers = Integers::new(&bench.server).unwrap();
    let value = |result| bench.value(result);
    let context = format!("{x} and {y} of {t:?}");
    assert_eq!(value(integers.add(a, b)), wrap(x + y, t), "{context}");
    assert_eq!(value(integers.sub(a, b)), wrap(x - y, t), "{context}");
    assert_eq!(value(integers.neg(a)), wrap(-x, t), "{context}");
    assert_eq!(value(integers.mul(a, b)), wrap(x.wrapping_mul(y), t), "{context}");
    assert_eq!(value(integers.and(a, b)), x & y, "{context}");
    assert_eq!(value(integers.or(a, b)), x | y, "{context}");
    assert_eq!(value(integers.xor(a, b)), x ^ y, "{context}");
    assert_eq!(value(integers.not(a)), wrap(!x, t), "{context}");
    assert_eq!(value(integers.min(a, b)), x.min(y), "{context}");
    assert_eq!(value(integers.max(a, b)), x.max(y), "{context}");
    let bits = [integers.eq(a, b), integers.ne(a, b), integers.lt(a, b)];
    assert_eq!(bits.map(|bit| bench.bit(bit)), [x == y, x != y, x < y], "{context}");
    let bits = [integers.le(a, b), integers.gt(a, b), integers.ge(a, b)];
    assert_eq!(bits.map(|bit| bench.bit(bit)), [x <= y, x > y, x >= y], "{context}");
    let less = integers.lt(a, b).unwrap();
    assert_eq!(value(integers.select(&less, a, b)), x.min(y), "{context}");
    let (quotient, remainder) = integers.div_rem(a, b).unwrap();
    let floor = floor_div(x, y);
    assert_eq!(value(Ok(quotient)), wrap(floor, t), "{context}");
    // One without the other, which public divisors have for less; now and then, as both are as long as all else.
    if y % 3 == 0 {
        assert_eq!(value(integers.div(a, b)), wrap(floor, t), "{context}");
        assert_eq!(value(integers.rem(a, b)), x - floor * y, "{context}");
    }
    assert_eq!(value(Ok(remainder)), wrap(x - floor * y, t), "{context}");
}

/// All operations of one integer, with an amount.
fn check_unary(bench: &Bench, (x, a): (i128, &EncryptedInteger), places: u32) {
    let t = a.integer_type();
    let integers = Integers::new(&bench.server).unwrap();
    let amount = bench.encrypt(places.into(), IntegerType::unsigned(4));
    let context = format!("{x} of {t:?} by {places}");
    for (result, expected) in [
        (integers.shift_left(a, places), wrap(x.unbounded_shl(places), t)),
        (integers.shift_right(a, places), x.unbounded_shr(places)),
        (integers.rotate_left(a, places), turn(x, places, t)),
        (integers.rotate_right(a, places), turn(x, t.bits() - places % t.bits(), t)),
        (integers.shift_left_by(a, &amount), wrap(x.unbounded_shl(places), t)),
        (integers.shift_right_by(a, &amount), x.unbounded_shr(places)),
        (integers.rotate_left_by(a, &amount), turn(x, places, t)),
        (integers.rotate_right_by(a, &amount), turn(x, t.bits() - places % t.bits(), t)),
    ] {
        assert_eq!(bench.value(result), expected, "{context}");
    }
    for signed in [false, true] {
        for blocks in [1, t.blocks, t.blocks + 3] {
            let other = IntegerType { blocks, signed };
            assert_eq!(bench.value(integers.cast(a, other)), wrap(x, other), "{context}");
        }
    }
}

/// Numbers of a type, with its edges more often than others.
fn numbers(t: IntegerType) -> impl Strategy<Value = i128> {
    let edges = [t.least(), t.least() + 1, -1, 0, 1, 2, 3, t.largest() - 1, t.largest()];
    let edges: Vec<i128> = edges.into_iter().map(|x| wrap(x, t)).collect();
    prop_oneof![1 => prop::sample::select(edges), 2 => t.least()..=t.largest(), 1 => -16i128..16]
        .prop_map(move |x| wrap(x, t))
}

/// A type of 8 to 32 bits, also of other widths, with two of its numbers.
fn pairs() -> impl Strategy<Value = (IntegerType, [i128; 2])> {
    (prop::sample::select(vec![1usize, 3, 4, 5, 8, 11, 16]), any::<bool>()).prop_flat_map(
        |(blocks, signed)| {
            let t = IntegerType { blocks, signed };
            (Just(t), [numbers(t), numbers(t)])
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn operations_of_wide_integers_are_those_of_plain_ones((t, [x, y]) in pairs(), threads in 1usize..20) {
        let bench = Bench::new(2);
        let [a, b] = [x, y].map(|x| bench.encrypt(x, t));
        on_threads(threads, || check_operations(&bench, [x, y], [&a, &b]));
    }

    #[test]
    fn public_operands_change_no_result((t, [x, y]) in pairs(), threads in 1usize..20) {
        let bench = Bench::new(2);
        let integers = Integers::new(&bench.server).unwrap();
        let [a, b] = [x, y].map(|x| bench.encrypt(x, t));
        let [public_a, public_b] = [x, y].map(|x| integers.trivial(x, t).unwrap());
        on_threads(threads, || {
            check_operations(&bench, [x, y], [&a, &public_b]);
            check_operations(&bench, [x, y], [&public_a, &b]);
        });
        let before = integers.cost();
        check_operations(&bench, [x, y], [&public_a, &public_b]);
        prop_assert_eq!(integers.cost(), before);
    }

    #[test]
    fn shifts_rotations_and_casts_are_those_of_plain_ones((t, [x, _]) in pairs(), places in prop_oneof![0u32..40, 40u32..256]) {
        let bench = Bench::new(2);
        check_unary(&bench, (x, &bench.encrypt(x, t)), places);
    }

    #[test]
    fn sums_and_wide_products_are_exact((t, [x, y]) in pairs(), count in 1usize..20, threads in 1usize..20) {
        let bench = Bench::new(2);
        let integers = Integers::new(&bench.server).unwrap();
        let [a, b] = [x, y].map(|x| bench.encrypt(x, t));
        on_threads(threads, || {
            assert_eq!(bench.value(integers.mul_wide(&a, &b)), x * y);
            let summands: Vec<_> = [&a, &b].into_iter().cycle().take(count).collect();
            let wide = IntegerType { blocks: t.blocks + 3, ..t };
            let expected = x * count.div_ceil(2) as i128 + y * (count / 2) as i128;
            assert_eq!(bench.value(integers.sum(&summands, wide)), expected);
        });
    }

    #[test]
    fn noisy_operands_are_bootstrapped_first((t, [x, y]) in pairs(), threads in 1usize..20) {
        let bench = Bench::new(2);
        let integers = Integers::new(&bench.server).unwrap();
        let [a, b] = [x, y].map(|x| bench.encrypt(x, t));
        on_threads(threads, || {
            // Choices add noise to one of theirs, again and again.
            let (mut low, mut high) = (integers.min(&a, &b).unwrap(), integers.max(&a, &b).unwrap());
            let less = integers.lt(&a, &b).unwrap();
            for _ in 0..3 {
                (low, high) =
                    (integers.select(&less, &low, &high).unwrap(), integers.select(&less, &high, &low).unwrap());
            }
            let [least, largest] = if x < y { [x, y] } else { [y, x] };
            let [least, largest] = if x < y { [least, largest] } else { [largest, least] };
            // Where a isn't less, each round swaps them: three rounds do.
            assert_eq!(bench.value(Ok(low.clone())), least);
            check_operations(&bench, [least, largest], [&low, &high]);
            check_unary(&bench, (largest, &high), 5);
        });
    }
}

#[test]
fn tables_of_up_to_eight_bits_are_those_of_plain_functions() {
    let bench = Bench::new(3);
    let integers = Integers::new(&bench.server).unwrap();
    // A linear congruential generator: any values do.
    let random = |x: i128| (x * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) >> 33 & 0xff;
    for (blocks, signed) in [(1, false), (1, true), (2, true), (2, false), (3, true), (4, false)] {
        let t = IntegerType { blocks, signed };
        for x in (t.least()..=t.largest()).step_by(if blocks > 2 { 5 } else { 1 }) {
            let a = bench.encrypt(x, t);
            assert_eq!(bench.value(integers.table(&a, IntegerType::unsigned(4), random)), random(x));
            let other = IntegerType::signed(3);
            assert_eq!(bench.value(integers.table(&a, other, |x| x.signum() * 20)), x.signum() * 20);
        }
    }
}

#[test]
fn all_tables_of_two_integers_of_four_bits_are_right() {
    let bench = Bench::new(4);
    let integers = Integers::new(&bench.server).unwrap();
    let (first, second) = (IntegerType::signed(2), IntegerType::unsigned(2));
    let result = IntegerType::signed(3);
    // Any values, of six bits.
    let values = common::sampler(11).uniform(256);
    let function = |x: i128, y: i128| i128::from(values[((x + 8) * 16 + y) as usize] % 64) - 32;
    for x in first.least()..=first.largest() {
        for y in second.least()..=second.largest() {
            let (a, b) = (bench.encrypt(x, first), bench.encrypt(y, second));
            assert_eq!(bench.value(integers.table2(&a, &b, result, function)), function(x, y));
        }
    }
}

#[test]
fn a_table_of_sixteen_bits_is_that_of_the_plain_function() {
    let bench = Bench::new(5);
    let integers = Integers::new(&bench.server).unwrap();
    let t = IntegerType::signed(8);
    let root = |x: i128| x.unsigned_abs().isqrt().cast_signed();
    for x in [-32768, -1, 0, 12345] {
        let a = bench.encrypt(x, t);
        assert_eq!(bench.value(integers.table(&a, IntegerType::unsigned(4), root)), root(x));
    }
}

#[test]
fn integers_of_128_bits_are_as_good_as_others() {
    let bench = Bench::new(6);
    let integers = Integers::new(&bench.server).unwrap();
    let (x, y) = (u128::MAX / 7 * 5, u128::MAX / 3);
    let [a, b] = [x, y].map(|x| bench.client.encrypt_unsigned(x, 64, &mut Sampler::from_os()).unwrap());
    let value = |result: Result<_, _>| bench.client.decrypt_unsigned(&result.unwrap()).unwrap();
    for threads in [1, 16] {
        on_threads(threads, || {
            assert_eq!(value(integers.add(&a, &b)), x.wrapping_add(y));
            assert_eq!(value(integers.sub(&b, &a)), y.wrapping_sub(x));
            assert_eq!(value(integers.mul(&a, &b)), x.wrapping_mul(y));
            assert!(bench.bit(integers.gt(&a, &b)));
            let ten = integers.trivial(10, a.integer_type()).unwrap();
            assert_eq!(value(integers.div(&a, &ten)), x / 10);
        });
    }
    assert!(matches!(bench.client.decrypt_integer(&a), Err(TfheError::OutOfRange { .. })));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let (bench, other) = (Bench::new(7), Bench::new(8));
    let integers = Integers::new(&bench.server).unwrap();
    let (four, signed) = (IntegerType::unsigned(4), IntegerType::signed(4));
    let (a, b) = (bench.encrypt(5, four), bench.encrypt(5, signed));
    let types = TfheError::OtherType { found: signed, expected: four };
    assert_eq!(integers.add(&a, &b).unwrap_err(), types);
    assert_eq!(integers.eq(&a, &b).unwrap_err(), types);
    assert_eq!(integers.div_rem(&a, &b).unwrap_err(), types);
    assert_eq!(integers.mul_wide(&a, &b).unwrap_err(), types);
    let stranger = other.encrypt(5, four);
    for error in [
        integers.add(&a, &stranger).unwrap_err(),
        integers.mul(&a, &stranger).unwrap_err(),
        integers.lt(&a, &stranger).unwrap_err(),
        integers.shift_left_by(&a, &stranger).unwrap_err(),
        integers.shift_left(&stranger, 1).unwrap_err(),
        integers.table(&stranger, four, |x| x).unwrap_err(),
        integers.div_rem(&stranger, &integers.trivial(3, four).unwrap()).unwrap_err(),
        bench.client.decrypt_integer(&stranger).unwrap_err(),
    ] {
        assert!(matches!(error, TfheError::OtherKey { .. }), "{error}");
    }
    let mut sampler = Sampler::from_os();
    let mut refused = |value, integer_type| bench.client.encrypt_integer(value, integer_type, &mut sampler);
    assert!(matches!(refused(256, four), Err(TfheError::OutOfRange { found: 256, .. })));
    assert!(matches!(refused(-1, four), Err(TfheError::OutOfRange { .. })));
    assert!(matches!(refused(128, signed), Err(TfheError::OutOfRange { .. })));
    assert!(matches!(refused(0, IntegerType::unsigned(0)), Err(TfheError::Width { found: 0 })));
    assert!(matches!(refused(0, IntegerType::unsigned(65)), Err(TfheError::Width { found: 65 })));
    assert!(matches!(integers.cast(&a, IntegerType::signed(65)), Err(TfheError::Width { found: 65 })));
    assert!(matches!(integers.sum(&[], four), Err(TfheError::NoSummands)));
    let wide = bench.encrypt(5, IntegerType::unsigned(9));
    assert_eq!(integers.table(&wide, four, |x| x).unwrap_err(), TfheError::TableBits { found: 18, most: 16 });
    assert!(matches!(integers.table(&a, four, |x| x + 1), Err(TfheError::OutOfRange { found: 256, .. })));
    let three = keys(&tiny(3).check(Backend::detect().unwrap()).unwrap(), 1).1;
    assert_eq!(Integers::new(&three).unwrap_err(), TfheError::MessageBits { found: 3 });
    let large = bench.client.encrypt(9, &mut Sampler::from_os()).unwrap();
    let digits = EncryptedInteger::from_blocks(vec![large], false);
    assert_eq!(digits.unwrap_err(), TfheError::TooLarge { found: 15, messages: 4 });
}

#[test]
fn one_seed_never_masks_digits_of_two_integers_alike() {
    let bench = Bench::new(9);
    let encrypt = |value| {
        let mut sampler = common::sampler(1);
        bench.client.encrypt_integer(value, IntegerType::unsigned(2), &mut sampler).unwrap()
    };
    // Digits 1 and 1, and 1 and 2.
    let [a, b] = [encrypt(5), encrypt(9)];
    let masks = [a.blocks()[0].mask(), a.blocks()[1].mask(), b.blocks()[0].mask(), b.blocks()[1].mask()];
    assert!((0..4).all(|i| masks[..i].iter().all(|mask| mask != &masks[i])));
}

#[test]
fn operations_cost_what_the_notes_say() {
    let bench = Bench::new(10);
    let t = IntegerType::unsigned(4);
    let cost = |threads: usize, operation: &(dyn Fn(&Integers, [&EncryptedInteger; 2]) + Sync)| {
        let integers = Integers::with_threads(&bench.server, threads).unwrap();
        let [a, b] =
            [100, 249].map(|x| integers.add(&bench.encrypt(x, t), &integers.trivial(0x55, t).unwrap()));
        let (a, b, before) = (a.unwrap(), b.unwrap(), integers.cost());
        operation(&integers, [&a, &b]);
        let after = integers.cost();
        (after.bootstraps - before.bootstraps, after.layers - before.layers)
    };
    let ten = |i: &Integers| i.trivial(10, t).unwrap();
    assert_eq!(cost(1, &|i, [a, b]| drop(i.add(a, b).unwrap())), (4, 4));
    assert_eq!(cost(1, &|i, [a, b]| drop(i.sub(a, b).unwrap())), (4, 4));
    assert_eq!(cost(1, &|i, [a, b]| drop(i.mul(a, b).unwrap())), (23, 5));
    assert_eq!(cost(1, &|i, [a, b]| drop(i.div_rem(a, b).unwrap())), (62, 34));
    assert_eq!(cost(1, &|i, [a, b]| drop(i.lt(a, b).unwrap())), (4, 4));
    assert_eq!(cost(16, &|i, [a, b]| drop(i.lt(a, b).unwrap())), (6, 3));
    assert_eq!(cost(1, &|i, [a, b]| drop(i.max(a, b).unwrap())), (8, 5));
    assert_eq!(cost(1, &|i, [a, _]| drop(i.div_rem(a, &ten(i)).unwrap())), (29, 13));
    assert_eq!(cost(1, &|i, [a, _]| drop(i.lt(a, &ten(i)).unwrap())), (3, 2));
    assert_eq!(cost(1, &|i, [a, b]| drop(i.shift_left_by(a, b).unwrap())), (21, 6));
    // An amount that can't be as large as the number of bits.
    let small = |i: &Integers, b: &EncryptedInteger| i.cast(b, IntegerType::unsigned(1)).unwrap();
    assert_eq!(cost(1, &|i, [a, b]| drop(i.shift_left_by(a, &small(i, b)).unwrap())), (9, 3));
    // Any table of 8 bits, and one of 2 bits a digit.
    let wild = |x: i128| ((x + 5).pow(5) % 65_521) & 255;
    assert_eq!(cost(1, &|i, [a, _]| drop(i.table(a, t, wild).unwrap())), (146, 4));
    assert!(cost(1, &|i, [a, _]| drop(i.table(a, t, |x| x / 16).unwrap())).0 <= 4);
}

/// With the standard, secure parameters.
#[test]
#[ignore = "slow"]
fn all_operations_are_right_with_standard_parameters() {
    let params = TfheLiteral::message_2_carry_2().check(Backend::detect().unwrap()).unwrap();
    let (client, server) = keys(&params, 1);
    let bench = Bench { client, server };
    for (t, [x, y]) in [
        (IntegerType::unsigned(4), [200, 7]),
        (IntegerType::signed(4), [-128, -1]),
        (IntegerType::signed(8), [-12345, 678]),
        (IntegerType::unsigned(4), [99, 0]),
    ] {
        let [a, b] = [x, y].map(|x| bench.encrypt(x, t));
        // Bootstrapped operands, which have the noise of results.
        let integers = Integers::new(&bench.server).unwrap();
        let [a, b] = [integers.min(&a, &a).unwrap(), integers.max(&b, &b).unwrap()];
        check_operations(&bench, [x, y], [&a, &b]);
        check_operations(&bench, [x, y], [&a, &integers.trivial(y, t).unwrap()]);
        check_unary(&bench, (x, &a), 5);
        let function = |x: i128| (x * x + 3) % 61;
        if t.blocks == 4 {
            assert_eq!(bench.value(integers.table(&a, t, function)), function(x));
        }
    }
}

/// All pairs of integers of four bits whose second is a multiple of `step` above some first one.
fn check_four_bits(step: usize, threads: usize) {
    let bench = Bench::new(1);
    for signed in [false, true] {
        let t = IntegerType { blocks: 2, signed };
        let all: Vec<_> = (t.least()..=t.largest()).map(|x| (x, bench.encrypt(x, t))).collect();
        on_threads(threads, || {
            for (x, a) in &all {
                for (y, b) in all.iter().skip(x.rem_euclid(step as i128) as usize).step_by(step) {
                    check_operations(&bench, [*x, *y], [a, b]);
                }
            }
        });
    }
}

#[test]
fn operations_are_right_for_integers_of_four_bits() {
    check_four_bits(5, 1);
    check_four_bits(7, 16);
}

#[test]
#[ignore = "slow"]
fn operations_are_right_for_all_integers_of_four_bits() {
    check_four_bits(1, 1);
    check_four_bits(1, 16);
}
