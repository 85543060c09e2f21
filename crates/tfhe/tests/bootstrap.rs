//! Tables and gates on encrypted numbers, and the noise that they leave.

use asanoha_kernels::Backend;
use asanoha_tfhe::{
    Ciphertext, ClientKey, GadgetLiteral, TfheError, TfheLiteral, TfheParams, TfheParamsError,
};

use crate::common;
use crate::common::{keys, sampler};

fn tiny() -> TfheLiteral {
    common::tiny(3)
}

/// Every number, through a table and through sums after it; gives the measured noise over the predicted deviation.
fn bootstrap_every_number(params: &TfheParams, seed: u8, rounds: u64) -> f64 {
    let (client, server) = keys(params, seed);
    let sampler = &mut sampler(seed);
    let messages = params.messages();
    let function = |x: u64| (5 * x + 3) % messages;
    let table = params.table(function).unwrap();
    let identity = params.table(|x| x).unwrap();
    let (mut squares, mut count) = (0.0, 0);
    for number in (0..rounds).map(|i| i % messages) {
        let once = server.apply(&table, &client.encrypt(number, sampler).unwrap()).unwrap();
        let twice = server.apply(&identity, &once).unwrap();
        for result in [&once, &twice] {
            assert_eq!(client.decrypt(result).unwrap(), function(number));
            squares += client.noise(result, function(number)).unwrap().powi(2) / result.variance();
            count += 1;
        }
    }
    (squares / f64::from(count)).sqrt()
}

#[test]
fn every_table_value_comes_out_with_the_noise_of_the_model() {
    for rank in [1, 2] {
        for backend in Backend::available() {
            let params = TfheLiteral { rank, ..tiny() }.check(backend).unwrap();
            let ratio = bootstrap_every_number(&params, rank as u8, 100);
            // 200 values: the deviation is off by 5 %, and by what the weights of the secrets differ from a half.
            assert!((0.7..1.4).contains(&ratio), "{}: {ratio}", backend.name());
        }
    }
}

/// Every number that leaves room for 2, 4 and 8 functions, through as many.
fn bootstrap_to_several(params: &TfheParams, seed: u8, rounds: u64) -> f64 {
    let (client, server) = keys(params, seed);
    let sampler = &mut sampler(seed);
    let messages = params.messages();
    let (mut squares, mut count) = (0.0, 0);
    for log2_outputs in 1..=params.literal().message_bits {
        let value = |output: u64, x: u64| (5 * x + 3 * output + 1) % messages;
        let functions: Vec<_> = (0..1 << log2_outputs).map(|i| move |x| value(i, x)).collect();
        let functions: Vec<&dyn Fn(u64) -> u64> = functions.iter().map(|f| f as _).collect();
        // One function less than there's room for, but not so few that half of it would do.
        let first = usize::from(log2_outputs > 1);
        let functions = &functions[first..];
        let table = params.tables(functions).unwrap();
        for number in (0..rounds).map(|i| i % (messages >> log2_outputs)) {
            let fresh = client.encrypt_up_to(number, (messages >> log2_outputs) - 1, sampler).unwrap();
            let once = server.apply_many(&[(&table, &fresh), (&table, &fresh)]).unwrap();
            assert_eq!(once.len(), 2 * functions.len());
            for (i, result) in once.iter().enumerate() {
                let expected = value((i % functions.len() + first) as u64, number);
                assert_eq!(client.decrypt(result).unwrap(), expected);
                squares += client.noise(result, expected).unwrap().powi(2) / result.variance();
                count += 1;
            }
        }
        let full = client.encrypt(0, sampler).unwrap();
        assert!(matches!(server.apply(&table, &full), Err(TfheError::TooLarge { .. })));
    }
    (squares / f64::from(count)).sqrt()
}

#[test]
fn one_bootstrapping_gives_several_functions_of_a_small_number() {
    for rank in [1, 2] {
        let params = TfheLiteral { rank, ..tiny() }.check(Backend::detect().unwrap()).unwrap();
        let ratio = bootstrap_to_several(&params, rank as u8, 16);
        assert!((0.7..1.4).contains(&ratio), "{ratio}");
    }
    let params = tiny().check(Backend::detect().unwrap()).unwrap();
    assert_eq!(params.tables(&[]).unwrap_err(), TfheError::Functions { found: 0, most: 8 });
    let same: &dyn Fn(u64) -> u64 = &|x| x;
    assert!(matches!(params.tables(&[same; 9]), Err(TfheError::Functions { found: 9, most: 8 })));
}

#[test]
fn standard_numbers_have_several_functions_too() {
    let params = TfheLiteral::message_2_carry_2().check(Backend::detect().unwrap()).unwrap();
    let ratio = bootstrap_to_several(&params, 3, 4);
    assert!((0.6..1.6).contains(&ratio), "{ratio}");
}

#[test]
fn every_standard_number_passes_a_table() {
    let params = TfheLiteral::message_2_carry_2().check(Backend::detect().unwrap()).unwrap();
    let ratio = bootstrap_every_number(&params, 3, 16);
    assert!((0.6..1.6).contains(&ratio), "{ratio}");
}

#[test]
fn gates_are_those_of_plain_bits() {
    let params = tiny().check(Backend::detect().unwrap()).unwrap();
    let (client, server) = keys(&params, 4);
    let mut sampler = sampler(4);
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let [x, y] = [a, b].map(|bit| client.encrypt_bit(bit, &mut sampler).unwrap());
        let bit = |result: Result<_, _>| client.decrypt_bit(&result.unwrap()).unwrap();
        assert_eq!(bit(server.and(&x, &y)), a & b);
        assert_eq!(bit(server.or(&x, &y)), a | b);
        assert_eq!(bit(server.xor(&x, &y)), a ^ b);
        assert_eq!(bit(server.nand(&x, &y)), !(a & b));
        assert_eq!(bit(x.not()), !a);
        assert_eq!(bit(server.and(&x.not().unwrap(), &server.xor(&x, &y).unwrap())), !a & b);
    }
}

#[test]
fn sums_and_functions_of_two_numbers_are_those_of_plain_ones() {
    let params = tiny().check(Backend::detect().unwrap()).unwrap();
    let (client, server) = keys(&params, 5);
    let mut sampler = sampler(5);
    let mut number = |x, largest| client.encrypt_up_to(x, largest, &mut sampler).unwrap();
    let (a, b) = (number(3, 3), number(1, 1));
    let value = |c: Result<Ciphertext, TfheError>| client.decrypt(&c.unwrap()).unwrap();
    assert_eq!(value(a.add(&b)), 4);
    assert_eq!(value(a.scale(2)), 6);
    assert_eq!(value(a.add_constant(4)), 7);
    assert_eq!(value(a.subtract_from(5)), 2);
    assert_eq!(value(server.apply_two(|a, b| a * b + 2, &a, &b)), 5);
}

#[test]
fn what_might_be_wrong_is_refused() {
    let params = tiny().check(Backend::detect().unwrap()).unwrap();
    let other = TfheLiteral { log2_failure: -100.0, ..tiny() }.check(Backend::detect().unwrap()).unwrap();
    let (client, server) = keys(&params, 6);
    let mut sampler = sampler(6);
    let a = client.encrypt(7, &mut sampler).unwrap();
    assert_eq!(client.encrypt(8, &mut sampler).unwrap_err(), TfheError::TooLarge { found: 8, messages: 8 });
    assert_eq!(a.add(&a).unwrap_err(), TfheError::TooLarge { found: 14, messages: 8 });
    assert_eq!(a.subtract_from(6).unwrap_err(), TfheError::Negative { largest: 7 });
    assert_eq!(params.table(|x| x + 1).unwrap_err(), TfheError::TooLarge { found: 8, messages: 8 });
    let stranger = ClientKey::generate(&other, &mut sampler).encrypt(1, &mut sampler).unwrap();
    assert_eq!(a.add(&stranger).unwrap_err(), TfheError::OtherParameters);
    assert_eq!(client.decrypt(&stranger).unwrap_err(), TfheError::OtherParameters);
    assert_eq!(server.apply(&other.table(|x| x).unwrap(), &a).unwrap_err(), TfheError::OtherParameters);
    // A bit that is known to be 0 may be added to itself until its noise is too much.
    let mut zero = client.encrypt_up_to(0, 0, &mut sampler).unwrap();
    let refused = (0..64).find_map(|_| match zero.add(&zero) {
        Ok(sum) => {
            zero = sum;
            None
        }
        Err(error) => Some(error),
    });
    assert!(matches!(refused, Some(TfheError::Noise { found, largest }) if found > largest));
}

#[test]
fn unsound_parameters_are_refused() {
    let backend = Backend::detect().unwrap();
    let standard = TfheLiteral::message_2_carry_2;
    let error = |literal: TfheLiteral| literal.check(backend).unwrap_err();
    assert!(matches!(
        error(TfheLiteral { lwe_dimension: 869, ..standard() }),
        TfheParamsError::Insecure { dimension: 869, .. }
    ));
    // On the line of secure sets, but below what the words of 32 bits of a key switch can hold.
    let fine = 2f64.powf(-34.679);
    assert!(matches!(
        error(TfheLiteral { lwe_dimension: 1500, lwe_standard_deviation: fine, ..standard() }),
        TfheParamsError::Insecure { what: "LWE", dimension: 1500, least: -30.0, .. }
    ));
    assert!(matches!(
        error(TfheLiteral { glwe_standard_deviation: 2.8e-15, ..standard() }),
        TfheParamsError::Insecure { dimension: 2048, .. }
    ));
    assert!(matches!(error(TfheLiteral { insecure: false, ..tiny() }), TfheParamsError::Insecure { .. }));
    assert!(matches!(error(TfheLiteral { message_bits: 5, ..standard() }), TfheParamsError::Noise { .. }));
    assert!(matches!(
        error(TfheLiteral { lwe_standard_deviation: f64::NAN, ..tiny() }),
        TfheParamsError::Range { .. }
    ));
    assert!(matches!(error(TfheLiteral { message_bits: 9, ..tiny() }), TfheParamsError::Range { .. }));
    assert!(matches!(error(TfheLiteral { ring_degree: 500, ..tiny() }), TfheParamsError::Ring(_)));
    let bootstrap = GadgetLiteral { digit_bits: 33, levels: 2 };
    assert!(matches!(error(TfheLiteral { bootstrap, ..tiny() }), TfheParamsError::Gadget(_)));
}
