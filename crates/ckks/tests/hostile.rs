//! Files of ciphertexts that an attacker made: whatever they hold is refused when it's read or by the first operation, without a
//! panic.

use asanoha_ckks::{BootstrapSet, Ckks, CkksCiphertext, Evaluator};
use asanoha_lattice::Level;
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{GenerateKeys, Scheme, SecretKey};
use asanoha_testkit::OpenFile;
use serde_json::json;

use crate::common::literal;

struct Victim {
    params: Ckks,
    secret: SecretKey<Ckks>,
    evaluator: Evaluator,
    file: OpenFile,
}

fn victim(literal: asanoha_ckks::CkksLiteral) -> Victim {
    let params = literal.check(Backend::detect().unwrap()).unwrap();
    let mut sampler = Sampler::new(&Seed([5; 32]));
    let (secret, public) = params.generate_keys_with(&mut sampler);
    let keys = secret.evaluation_keys().relinearise().rotate([1]).build_with(&mut sampler).unwrap();
    let honest = public.encrypt_with([0.5, -0.25], &mut sampler).unwrap().to_bytes().unwrap();
    let evaluator = params.evaluator(keys);
    Victim { params, secret, evaluator, file: OpenFile::parse(&honest).unwrap() }
}

impl Victim {
    /// Every operation. Only a panic is a failure.
    fn use_all(&self, a: &CkksCiphertext) {
        let Self { params, secret, evaluator, .. } = self;
        let other = evaluator.mul_constant_exact(a, (2.0, 1.5));
        let results = [
            evaluator.add(a, a),
            evaluator.multiply(a, a),
            evaluator.square(a),
            evaluator.rotate(a, 1),
            evaluator.add_constant(a, 0.3),
            evaluator.mul_constant(a, 3.0),
            evaluator.mul_constant(a, 0.3),
            evaluator.add_values(a, &[0.5, 1e9][..]),
            evaluator.multiply_by(a, &[0.5, 1e9][..]),
            evaluator.rescale(a),
            evaluator.adjust_to(a, Level(0)),
            evaluator.adjust_to(a, a.level()),
            evaluator.switch_to(a, Level(0)),
            other.and_then(|other| evaluator.add(a, &other)),
        ];
        for result in results.into_iter().flatten() {
            let _ = secret.decrypt(&result);
            let _ = evaluator.multiply(a, &result).map(|product| secret.decrypt(&product));
        }
        let _ = secret.decrypt(a);
        assert!(a.of(params).is_ok());
    }
}

/// Bootstrapping computes above the level of fresh ciphertexts, where no scale is canonical.
#[test]
fn ciphertexts_above_the_level_of_fresh_ones_are_refused() {
    let victim = victim(BootstrapSet::N15.with_ring_degree(1 << 10).unwrap());
    let (rlwe, fresh) = (victim.params.rlwe(), victim.params.max_level());
    assert!(rlwe.max_level() > fresh);
    for level in 0..=rlwe.max_level().0 {
        let (primes, degree) = (level + 1, rlwe.ring_degree());
        let mut file = victim.file.clone();
        let bytes = 2 * primes * degree * 8;
        file.tensors["0"] =
            json!({ "dtype": "U64", "shape": [2, primes, degree], "data_offsets": [0, bytes] });
        file.body = vec![0; bytes];
        match CkksCiphertext::from_bytes(&victim.params, &file.sealed()) {
            Ok(read) => victim.use_all(&read),
            Err(error) if Level(level) > fresh => assert!(error.to_string().contains("level"), "{error}"),
            Err(error) => panic!("level {level}: {error}"),
        }
        assert!(Level(level) <= fresh || CkksCiphertext::from_bytes(&victim.params, &file.sealed()).is_err());
    }
}

#[test]
fn scales_bounds_and_noise_of_every_size_break_no_operation() {
    let victim = victim(literal(1 << 5, 3, 40));
    let numbers = [0.0, 5e-324, 1e-300, 1e-30, 1.0, 2f64.powi(40), 1e30, 1e300, f64::MAX];
    let noises = [json!([0.0, 0]), json!([1.0, -(1i64 << 40)]), json!([1.5, 20]), json!([1.0, 140])];
    let mut read = 0;
    for scale in numbers {
        for bound in numbers {
            for noise in &noises {
                let mut file = victim.file.clone();
                file.set_fields(&json!([{ "noise": noise, "message": { "scale": scale, "bound": bound } }]));
                if let Ok(ciphertext) = CkksCiphertext::from_bytes(&victim.params, &file.sealed()) {
                    victim.use_all(&ciphertext);
                    read += 1;
                }
            }
        }
    }
    assert!(read > 20, "{read}");
}
