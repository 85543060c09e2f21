//! Results handed to others: flooded, by as much as announced.

mod common;

use asanoha_ckks::{CkksError, Decryptor};
use common::{BOUND, Case, params, zip};

/// Room for flooding: a scale of 2^50 and fresh noise.
fn case(seed: u64) -> Case {
    Case::new(params(1 << 10, 1, 50), &[], seed)
}

#[test]
fn published_noise_is_larger_than_decryption_noise_and_of_its_announced_size() {
    for seed in 0..4 {
        let mut case = case(seed);
        let (x, a) = case.random();
        let decryptor = Decryptor::new(&case.params);
        let published = decryptor.publish(&case.secret, &a, 1, 10, &mut case.sampler).unwrap();
        let announced = 12f64.sqrt() * 2f64.powi(5) * a.noise();
        assert!((published.flooding_deviation / announced - 1.0).abs() < 1e-12);

        // A slot is a sum of N coefficients times roots: the mean square of its error is N·σ².
        let flooding = zip(&published.values, &case.decrypt(&a), |flooded, plain| flooded - plain);
        let n = case.params.rlwe().ring_degree() as f64;
        let mean_square =
            flooding.iter().map(|error| error.abs().powi(2)).sum::<f64>() / flooding.len() as f64;
        let deviation = (mean_square / n).sqrt() * a.scale();
        assert!((deviation / announced - 1.0).abs() < 0.15, "{deviation:e} for {announced:e}");

        let errors = zip(&published.values, &x, |flooded, exact| flooded - exact);
        let largest = errors.iter().map(|error| error.abs()).fold(0.0, f64::max);
        assert!(largest <= published.error_bound && largest * a.scale() > a.noise());
        assert!(published.error_bound < 8.0 * largest);
        assert!((published.precision_bits - (BOUND / published.error_bound).log2()).abs() < 1e-9);
        assert_eq!(published.real().len(), case.params.slots());
    }
}

#[test]
fn more_results_and_more_statistical_bits_flood_more() {
    let mut case = case(9);
    let (_, a) = case.random();
    let decryptor = Decryptor::new(&case.params);
    let mut deviation = |results, bits| {
        decryptor.publish(&case.secret, &a, results, bits, &mut case.sampler).unwrap().flooding_deviation
    };
    let once = deviation(1, 10);
    assert!((deviation(16, 10) / once - 4.0).abs() < 1e-9);
    assert!((deviation(1, 14) / once - 4.0).abs() < 1e-9);
    assert_eq!(deviation(0, 10), once);
}

#[test]
fn publication_that_leaves_nothing_is_refused() {
    let mut case = Case::new(params(1 << 6, 1, 30), &[], 4);
    let (_, a) = case.random();
    let decryptor = Decryptor::new(&case.params);
    let error = decryptor.publish(&case.secret, &a, 1, 30, &mut case.sampler).unwrap_err();
    assert!(matches!(
        error,
        CkksError::NoPrecision { flooding_bits, message_bits }
            if flooding_bits > message_bits && (message_bits - 30.6).abs() < 0.1
    ));
    let error = decryptor.publish(&case.secret, &a, u64::MAX, 60, &mut case.sampler).unwrap_err();
    assert!(matches!(
        error,
        CkksError::FloodingTooWide { deviation_bits, available_bits: 52 } if deviation_bits > 52.0
    ));
}
