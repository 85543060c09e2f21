//! Results handed to others: flooded by as much as announced, and no more is had by asking again.

use std::num::NonZeroU64;

use asanoha_ckks::{CkksCiphertext, CkksState, Decryptor, publication_tau};
use asanoha_scheme::{Scheme, SchemeError};

use crate::common::{BOUND, Case, params, zip};

/// Room for flooding: a scale of 2^50 and fresh noise.
fn case(seed: u64) -> Case {
    Case::new(params(1 << 10, 1, 50), &[], seed)
}

fn ordinal(c: u64) -> NonZeroU64 {
    NonZeroU64::new(c).unwrap()
}

/// √12·2^15·B, the deviation that one publication would be flooded with if there were no other, with 30 bits.
fn least_deviation(a: &CkksCiphertext) -> f64 {
    12f64.sqrt() * 2f64.powi(15) * a.noise().to_f64()
}

#[test]
fn published_noise_is_larger_than_decryption_noise_and_of_its_announced_size() {
    for seed in 0..4 {
        let mut case = case(seed);
        let (x, a) = case.random();
        let decryptor = Decryptor::new(&case.params);
        let published = decryptor.publish(&case.secret, &a, ordinal(1), 30).unwrap();
        let announced = 2f64.sqrt() * least_deviation(&a);
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
        assert!(largest <= published.error_bound && largest * a.scale() > a.noise().to_f64());
        assert!(published.error_bound < 8.0 * largest);
        assert!((published.precision_bits - (BOUND / published.error_bound).log2()).abs() < 1e-9);
        assert_eq!(published.real().len(), case.params.slots());

        // The error that is shown says nothing of the one that is hidden: a correlation of √(1/slots), as of noise.
        let hidden = zip(&case.decrypt(&a), &x, |plain, exact| plain - exact);
        let product = |a: &[_], b: &[_]| -> f64 {
            zip(a, b, |a, b| a * b.conjugate()).iter().map(|product| product.re).sum()
        };
        let correlation =
            product(&errors, &hidden) / (product(&errors, &errors) * product(&hidden, &hidden)).sqrt();
        assert!(correlation.abs() < 5.0 / (hidden.len() as f64).sqrt(), "{correlation}");
    }
}

#[test]
fn the_same_publication_is_the_same_bits_every_time() {
    let mut case = case(5);
    let (_, a) = case.random();
    let decryptor = Decryptor::new(&case.params);
    let publish = |a, c, bits| decryptor.publish(&case.secret, a, ordinal(c), bits).unwrap();
    let (first, id) = (publish(&a, 3, 30), decryptor.publication_id(&case.secret, &a, 30));
    for _ in 0..2 {
        assert_eq!(publish(&a, 3, 30), first);
        assert_eq!(decryptor.publication_id(&case.secret, &a, 30), id);
    }
}

#[test]
fn whatever_the_deviation_depends_on_changes_the_direction_of_the_flooding_too() {
    let mut case = case(6);
    let (_, a) = case.random();
    let decryptor = Decryptor::new(&case.params);
    let plain = case.decrypt(&a);
    let flooding = |a: &CkksCiphertext, c, bits| {
        let published = decryptor.publish(&case.secret, a, ordinal(c), bits).unwrap();
        zip(&published.values, &plain, |flooded, plain| flooded - plain)
    };
    let wider = case.with_state(&a, CkksState { noise: a.noise() * 2.0, ..a.state().clone() });
    let first = flooding(&a, 1, 30);
    for other in [flooding(&a, 2, 30), flooding(&a, 1, 31), flooding(&wider, 1, 30)] {
        let product = |a: &[_], b: &[_]| -> f64 {
            zip(a, b, |a, b| a * b.conjugate()).iter().map(|product| product.re).sum()
        };
        let correlation =
            product(&first, &other) / (product(&first, &first) * product(&other, &other)).sqrt();
        assert!(correlation.abs() < 5.0 / (first.len() as f64).sqrt(), "{correlation}");
    }
    let id = |a, bits| decryptor.publication_id(&case.secret, a, bits);
    assert!(id(&a, 30) != id(&a, 31) && id(&a, 30) != id(&wider, 30));
}

#[test]
fn the_reciprocals_of_all_taus_sum_to_less_than_one() {
    let sum: f64 = (1..=1 << 20).map(|c| 1.0 / publication_tau(ordinal(c))).sum();
    // The rest is less than the integral, ½/(1 + ln c).
    assert!(sum + 0.5 / (1.0 + (2f64.powi(20)).ln()) <= 1.0, "{sum}");
    assert!((1..1000).all(|c| publication_tau(ordinal(c)) < publication_tau(ordinal(c + 1))));
}

#[test]
fn two_hundred_publications_average_no_closer_than_the_rule_says() {
    // Of the same values: fresh encryptions, each published as the next one. The best estimate weights by 1/σ².
    let mut case = case(7);
    let values = case.values();
    let decryptor = Decryptor::new(&case.params);
    let mut sum = vec![asanoha_ckks::Complex64::default(); values.len()];
    let (mut weights, mut least) = (0.0, f64::INFINITY);
    for c in 1..=200 {
        let a = case.encrypt(&values);
        let published = decryptor.publish(&case.secret, &a, ordinal(c), 30).unwrap();
        let weight = published.flooding_deviation.powi(-2);
        sum = zip(&sum, &published.values, |sum, value| sum + value * weight.into());
        weights += weight;
        least = least_deviation(&a).min(least);
    }
    let scale = case.params.scale_at(case.params.max_level());
    let error = zip(&sum, &values, |sum, value| sum * (1.0 / weights).into() - value);
    let mean_square = error.iter().map(|error| error.abs().powi(2)).sum::<f64>() / error.len() as f64;
    let deviation = (mean_square / case.params.rlwe().ring_degree() as f64).sqrt() * scale;
    // Equal noise for all would leave a fourteenth.
    assert!(deviation > 0.9 * least, "{deviation:e} of {least:e}");
}

#[test]
fn later_publications_and_more_statistical_bits_flood_more() {
    let mut case = case(9);
    let (_, a) = case.random();
    let decryptor = Decryptor::new(&case.params);
    let deviation =
        |c, bits| decryptor.publish(&case.secret, &a, ordinal(c), bits).unwrap().flooding_deviation;
    let once = deviation(1, 30);
    let tau = 2.0 * 16.0 * (1.0 + 16f64.ln()).powi(2);
    assert!((deviation(16, 30) / once - (tau / 2.0).sqrt()).abs() < 1e-9);
    assert!((deviation(1, 34) / once - 4.0).abs() < 1e-9);
}

#[test]
fn publication_that_hides_too_little_or_leaves_nothing_is_refused() {
    let mut case = Case::new(params(1 << 6, 1, 30), &[], 4);
    let (_, a) = case.random();
    let publish = |c, bits| Decryptor::new(&case.params).publish(&case.secret, &a, ordinal(c), bits);
    for asked in [0, 1, 29] {
        let few = SchemeError::TooFewStatisticalBits { asked, least: 30 };
        assert_eq!(publish(1, asked).unwrap_err(), few);
    }
    assert!(matches!(
        publish(1, 30).unwrap_err(),
        SchemeError::NoPrecision { flooding_bits, message_bits }
            if flooding_bits > message_bits && (message_bits - 30.6).abs() < 0.1
    ));
    for (c, bits) in [(u64::MAX, 60), (1, 128), (1, u32::MAX)] {
        assert!(matches!(
            publish(c, bits).unwrap_err(),
            SchemeError::FloodingTooWide { deviation_bits, available_bits: 52 } if deviation_bits > 52.0
        ));
    }
}
