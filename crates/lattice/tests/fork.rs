//! What a forked process makes of its parent's secret key.
#![cfg(unix)]

mod common;

use asanoha_kernels::in_fork;
use asanoha_lattice::{Level, PublicKey, RlweCiphertext, SecretKey};
use asanoha_ring::{Coefficient, Poly, Sampler};
use common::params;

const N: usize = 64;

#[test]
fn a_secret_key_is_of_no_use_in_a_forked_process_and_new_ones_are() {
    let params = params(N, 2, 1, 1);
    let secret = SecretKey::generate(&params, &mut Sampler::from_os());
    let public = PublicKey::generate(&params, &secret, &mut Sampler::from_os());
    let message = Poly::<Coefficient>::from_small(params.q(Level(1)), &[1 << 40; N]).into_evaluation();
    let ciphertext = public.encrypt(&params, &message, &mut Sampler::from_os());
    // Without the threads of other tests, which a child hasn't.
    let right = |secret: &SecretKey, ciphertext: &RlweCiphertext| {
        let (v, q) = (secret.decrypt(ciphertext), params.q(Level(0)).modulus(0));
        v.limb(0).iter().all(|&v| (q.centre(v) - (1 << 40)).abs() < 1 << 20)
    };
    assert!(right(&secret, &ciphertext));
    assert!(!in_fork(|| secret.coefficients().len() == N));
    assert!(!in_fork(|| {
        secret.decrypt(&ciphertext);
        true
    }));
    assert!(in_fork(|| {
        let own = SecretKey::generate(&params, &mut Sampler::from_os());
        right(&own, &own.encrypt(&params, &message, &mut Sampler::from_os()))
    }));
    // To drop what was inherited is no use of it.
    let mut inherited = Some(secret);
    assert!(in_fork(|| inherited.take().is_some_and(|secret| secret.id() == public.id())));
    assert!(right(&inherited.unwrap(), &ciphertext));
}
