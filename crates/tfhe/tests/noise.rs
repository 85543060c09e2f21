//! The noise of the standard parameters, measured over many bootstrappings.

use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_tfhe::{ClientKey, TfheLiteral};

/// The variance of samples over the predicted one, their kurtosis (3 for a Gaussian), and the largest in deviations.
fn moments(samples: &[f64], predicted: f64) -> [f64; 3] {
    let count = samples.len() as f64;
    let mean = |power: i32| samples.iter().map(|x| x.powi(power)).sum::<f64>() / count;
    let largest = samples.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    [mean(2) / predicted, mean(4) / mean(2).powi(2), largest / mean(2).sqrt()]
}

/// The weights of the secrets are off a half by some percent, and so are the squares of a key's errors from their mean.
#[test]
#[ignore = "slow"]
fn a_hundred_thousand_noises_have_the_predicted_variance_and_gaussian_tails() {
    const BATCH: u64 = 64;
    const SAMPLES: usize = 100_000;
    for literal in [TfheLiteral::message_2_carry_2(), TfheLiteral::message_2_carry_2_failure_40()] {
        let params = literal.check(Backend::detect().unwrap()).unwrap();
        let mut sampler = Sampler::new(&Seed([8; 32]));
        let client = ClientKey::generate(&params, &mut sampler);
        let server = client.server_key(&mut sampler);
        let table = params.table(|x| (5 * x + 3) % 16).unwrap();
        let (mut results, mut at_tables) = (Vec::new(), Vec::new());
        let mut numbers: Vec<_> = (0..BATCH).map(|i| i % 16).collect();
        let mut ciphertexts: Vec<_> =
            numbers.iter().map(|&number| client.encrypt(number, &mut sampler).unwrap()).collect();
        while results.len() < SAMPLES {
            ciphertexts =
                server.apply_many(&ciphertexts.iter().map(|c| (&table, c)).collect::<Vec<_>>()).unwrap();
            numbers.iter_mut().for_each(|number| *number = (5 * *number + 3) % 16);
            let known: Vec<_> = ciphertexts.iter().zip(numbers.iter().copied()).collect();
            results
                .extend(known.iter().map(|(ciphertext, number)| client.noise(ciphertext, *number).unwrap()));
            at_tables.extend(client.noise_at_table(&server, &known).unwrap());
        }
        let of_results = moments(&results, ciphertexts[0].variance());
        let of_tables = moments(&at_tables, params.variance_at_table(ciphertexts[0].variance()));
        println!("results: {of_results:.3?}; at tables: {of_tables:.3?}");
        for [variance, kurtosis, largest] in [of_results, of_tables] {
            assert!((0.85..1.15).contains(&variance), "{variance}");
            // Of 10^5 samples the fourth moment is known to 0.03; a Gaussian passes six deviations once in 10^9.
            assert!((2.9..3.1).contains(&kurtosis), "{kurtosis}");
            assert!((3.5..6.0).contains(&largest), "{largest}");
        }
    }
}
