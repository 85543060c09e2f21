//! Samplers: moments, bounds, and that parts of a basis get parts of a uniform polynomial.

use asanoha_kernels::primes_congruent_to_one;
use asanoha_ring::{
    Backend, Basis, CENTRED_BINOMIAL_HALF_WIDTH, ERROR_VARIANCE, Sampler, Seed, TERNARY_VARIANCE,
    uniform_from_seed,
};

const COUNT: usize = 1 << 18;

/// Mean and variance are within six standard errors of what they ought to be.
fn assert_moments(values: &[i64], variance: f64, kurtosis: f64) {
    let n = values.len() as f64;
    let mean = values.iter().map(|&x| x as f64).sum::<f64>() / n;
    let measured = values.iter().map(|&x| (x as f64).powi(2)).sum::<f64>() / n;
    assert!(mean.abs() < 6.0 * (variance / n).sqrt(), "mean {mean}");
    let deviation = variance * ((kurtosis - 1.0) / n).sqrt();
    assert!((measured - variance).abs() < 6.0 * deviation, "variance {measured}, expected {variance}");
}

#[test]
fn ternary_values_are_uniform_on_three_points() {
    let values = Sampler::new(&Seed([1; 32])).ternary(COUNT);
    assert!(values.iter().all(|x| (-1..=1).contains(x)));
    assert_moments(&values, TERNARY_VARIANCE, 1.5);
}

#[test]
fn errors_have_the_documented_variance_and_bound() {
    let values = Sampler::new(&Seed([2; 32])).error(COUNT);
    assert!(values.iter().all(|x| x.unsigned_abs() <= u64::from(CENTRED_BINOMIAL_HALF_WIDTH)));
    assert_moments(&values, ERROR_VARIANCE, 3.0);
}

#[test]
fn flooding_noise_has_the_asked_variance() {
    let sigma = 2f64.powi(30);
    let values = Sampler::new(&Seed([3; 32])).gaussian(COUNT, sigma);
    assert_moments(&values, sigma * sigma, 3.0);
    assert!(Sampler::new(&Seed([3; 32])).gaussian(7, 0.0).iter().all(|&x| x == 0));
}

/// By Simpson's rule, the probability of the interval from x − ½ to x + ½ of a Gaussian.
fn probability(x: i64, deviation: f64) -> f64 {
    const STEPS: u32 = 64;
    let density =
        |x: f64| (-0.5 * (x / deviation).powi(2)).exp() / (deviation * std::f64::consts::TAU.sqrt());
    let point = |i: u32| density(x as f64 - 0.5 + f64::from(i) / f64::from(STEPS));
    let weight = |i: u32| if i == 0 || i == STEPS { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
    (0..=STEPS).map(|i| weight(i) * point(i)).sum::<f64>() / f64::from(3 * STEPS)
}

#[test]
fn narrow_gaussians_have_the_probabilities_of_rounded_ones() {
    for deviation in [0.5, 1.0, 3.19, 40.0] {
        let values = Sampler::new(&Seed([6; 32])).gaussian(COUNT, deviation);
        let width = (4.0 * deviation).ceil() as i64;
        let (mut square, mut places) = (0.0, 0.0);
        for x in -width..=width {
            let expected = probability(x, deviation) * COUNT as f64;
            let found = values.iter().filter(|&&value| value == x).count() as f64;
            if expected > 20.0 {
                square += (found - expected).powi(2) / expected;
                places += 1.0;
            }
        }
        // χ² has the mean `places` and the variance 2·places.
        assert!(
            places >= 3.0 && (square - places).abs() < 6.0 * (2.0f64 * places).sqrt(),
            "{deviation}: {square}"
        );
    }
}

#[test]
fn wide_gaussians_have_the_tails_and_signs_of_one() {
    let deviation = 2f64.powi(46);
    let values = Sampler::new(&Seed([7; 32])).gaussian(COUNT, deviation);
    // So many deviations, and the probability of more: those of the tables of the normal distribution.
    for (deviations, beyond) in
        [(0.0, 1.0), (0.674_489_750_196, 0.5), (2.0, 0.045_500_263_896), (3.5, 0.000_465_258_15)]
    {
        for sign in [1, -1] {
            let found = values.iter().filter(|&&x| (x * sign) as f64 > deviations * deviation).count() as f64;
            let expected = beyond / 2.0 * COUNT as f64;
            assert!((found - expected).abs() < 6.0 * expected.sqrt(), "{deviations}: {found}, {expected}");
        }
    }
    let low: u32 = values.iter().map(|x| (x & 0xffff).count_ones()).sum();
    let bits = 16.0 * COUNT as f64;
    assert!((f64::from(low) - bits / 2.0).abs() < 3.0 * bits.sqrt());
}

#[test]
fn uniform_polynomials_are_canonical_and_fill_the_range() {
    let primes = primes_congruent_to_one(46, 1 << 13, 3, &[]).unwrap();
    let basis = Basis::new(1 << 12, &primes, Backend::detect().unwrap()).unwrap();
    let poly = uniform_from_seed(&basis, &Seed([4; 32]));
    for (i, q) in primes.iter().enumerate() {
        let limb = poly.limb(i);
        assert!(limb.iter().all(|x| x < q));
        let mean = limb.iter().map(|&x| x as f64 / *q as f64).sum::<f64>() / limb.len() as f64;
        assert!((mean - 0.5).abs() < 6.0 / (12.0 * limb.len() as f64).sqrt());
    }
    let part = uniform_from_seed(&basis.range(1..3), &Seed([4; 32]));
    assert_eq!(part.limb(0), poly.limb(1));
    assert_eq!(part.limb(1), poly.limb(2));
}

#[test]
fn equal_seeds_give_equal_streams_and_others_do_not() {
    let draw = |byte| Sampler::new(&Seed([byte; 32])).error(64).to_vec();
    assert_eq!(draw(5), draw(5));
    assert_ne!(draw(5), draw(6));
    assert_ne!(Sampler::from_os().ternary(256).to_vec(), Sampler::from_os().ternary(256).to_vec());
}
