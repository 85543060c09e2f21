//! LWE ciphertexts against plain integers, and their noise against its formulas.

use asanoha_kernels::Backend;
use asanoha_lattice::{LweCiphertext, LweSecretKey, LweSwitchShape, SeededLweSwitchKey, switch_modulus};
use asanoha_ring::{Sampler, Seed, TorusGadget};

fn sampler(seed: u8) -> Sampler {
    Sampler::new(&Seed([seed; 32]))
}

/// The distance of two torus words, in parts of the torus.
fn distance(a: u64, b: u64) -> f64 {
    a.wrapping_sub(b).cast_signed() as f64 / 2f64.powi(64)
}

fn variance(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64
}

/// Two words of the same message differ by noise of about this variance.
fn assert_variance(values: &[f64], predicted: f64) {
    let ratio = variance(values) / predicted;
    // The variance of a sample of m is off by √(2/m): six times that.
    let slack = 6.0 * (2.0 / values.len() as f64).sqrt();
    assert!((ratio - 1.0).abs() < slack, "measured over predicted variance: {ratio}");
}

#[test]
fn what_is_linear_acts_on_phases_as_on_numbers() {
    let mut sampler = sampler(1);
    let key = LweSecretKey::generate(300, &mut sampler);
    let messages = [3u64 << 60, (1 << 63) + 12345];
    let [mut a, b] = messages.map(|m| key.encrypt(m, 0.0, &mut sampler));
    assert_eq!([&a, &b].map(|c| key.phase(c)), messages);
    a.scale_assign(-5);
    a.add_assign(&b);
    a.add_constant_assign(77);
    a.sub_assign(&key.encrypt(11, 0.0, &mut sampler));
    let expected = messages[0].wrapping_mul(5).wrapping_neg().wrapping_add(messages[1]).wrapping_add(66);
    assert_eq!(key.phase(&a), expected);
    assert_eq!(key.phase(&LweCiphertext::trivial(300, 9)), 9);
}

#[test]
fn fresh_noise_has_the_deviation_asked_for() {
    let mut sampler = sampler(2);
    let key = LweSecretKey::generate(100, &mut sampler);
    let sigma = 2f64.powi(-20);
    let noise: Vec<f64> =
        (0..4000).map(|i| distance(key.phase(&key.encrypt(i << 50, sigma, &mut sampler)), i << 50)).collect();
    assert_variance(&noise, sigma * sigma);
}

#[test]
fn key_switching_keeps_the_message_with_the_noise_of_its_formula() {
    let mut sampler = sampler(3);
    let (n, sigma, bits, levels) = (512, 2f64.powi(-24), 3, 5);
    for backend in Backend::available() {
        let gadget = TorusGadget::new(bits, levels, backend).unwrap();
        let from = LweSecretKey::generate(n, &mut sampler);
        let to = LweSecretKey::generate(64, &mut sampler);
        let key = SeededLweSwitchKey::generate(
            &from,
            &to,
            LweSwitchShape::new(to.dimension(), gadget, Backend::detect().unwrap()).unwrap(),
            sigma,
            &mut sampler,
        )
        .expand();
        assert_eq!(key.source_dimension(), n);
        let noise: Vec<f64> = (0..1500u64)
            .map(|i| {
                let switched = key.switch(&from.encrypt(i << 52, 0.0, &mut sampler));
                assert_eq!(switched.dimension(), 64);
                distance(to.phase(&switched), i << 52)
            })
            .collect();
        let (n, levels, base) = (n as f64, f64::from(levels), 2f64.powi(bits as i32));
        let weight = from_weight(&from, n);
        let predicted = n * levels * (base * base + 2.0) / 12.0 * sigma * sigma
            + weight / (12.0 * base.powf(2.0 * levels));
        assert_variance(&noise, predicted);
    }
}

/// How many bits of a secret are 1: the phase of a mask of ones.
fn from_weight(key: &LweSecretKey, n: f64) -> f64 {
    let mut ones = LweCiphertext::trivial(n as usize, 0);
    ones.words_mut()[..n as usize].fill(1);
    key.phase(&ones).wrapping_neg() as f64
}

#[test]
fn centred_modulus_switching_leaves_a_quarter_of_the_rounding_errors() {
    let mut sampler = sampler(4);
    let (n, log2_modulus) = (400, 11);
    let key = LweSecretKey::generate(n, &mut sampler);
    for backend in Backend::available() {
        let noise: Vec<f64> = (0..3000u64)
            .map(|i| {
                let message = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let switched =
                    switch_modulus(&key.encrypt(message, 0.0, &mut sampler), log2_modulus, backend);
                assert!(switched.iter().all(|&word| word < 1 << log2_modulus));
                // Taken as a ciphertext of the torus again, its phase is exact.
                let mut lifted = LweCiphertext::trivial(n, 0);
                lifted.words_mut().iter_mut().zip(switched).for_each(|(w, s)| *w = s << (64 - log2_modulus));
                distance(key.phase(&lifted), message)
            })
            .collect();
        let predicted = (n as f64 / 4.0 + 1.0) / 12.0 / 4f64.powi(log2_modulus as i32);
        assert_variance(&noise, predicted);
    }
}

#[test]
fn switching_many_with_the_seeded_key_is_switching_each_with_the_whole_one() {
    let mut sampler = sampler(5);
    let (n, small) = (40, 24);
    let gadget = TorusGadget::new(4, 3, Backend::detect().unwrap()).unwrap();
    let from = LweSecretKey::generate(n, &mut sampler);
    let to = LweSecretKey::generate(small, &mut sampler);
    let seeded = SeededLweSwitchKey::generate(
        &from,
        &to,
        LweSwitchShape::new(to.dimension(), gadget, Backend::detect().unwrap()).unwrap(),
        2f64.powi(-30),
        &mut sampler,
    );
    let key = seeded.expand();
    let inputs: Vec<_> = (0..5).map(|i| from.encrypt(i << 59, 2f64.powi(-30), &mut sampler)).collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let switched = pool.install(|| seeded.switch_many(&inputs.iter().collect::<Vec<_>>()));
        assert_eq!(switched.len(), inputs.len());
        for (switched, input) in switched.iter().zip(&inputs) {
            assert_eq!(switched.words(), key.switch(input).words());
        }
    }
}
