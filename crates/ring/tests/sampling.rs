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
