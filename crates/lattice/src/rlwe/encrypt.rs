//! Encryption.

use asanoha_ring::{Coefficient, Evaluation, Poly, Sampler, uniform_from_seed};

use zeroize::Zeroizing;

use crate::{Level, PublicKey, RlweCiphertext, RlweParams, SecretKey, key_switch::scaled_error};

impl PublicKey {
    /// Encrypts a plaintext polynomial at its level: (b·u + f·e₀ + m, a·u + f·e₁) with ternary u.
    ///
    /// Noise: f times [`crate::NoiseModel::fresh_public`].
    pub fn encrypt(
        &self,
        params: &RlweParams,
        m: &Poly<Evaluation>,
        sampler: &mut Sampler,
    ) -> RlweCiphertext {
        let basis = m.basis();
        let mask = sampler.ternary(params.ring_degree());
        let u = Zeroizing::new(Poly::<Coefficient>::from_small(basis, &mask).into_evaluation());
        let part = |key: &Poly<Evaluation>, error: &Poly<Evaluation>| {
            let mut part = key.range(0..basis.len());
            part.mul_assign(&u);
            part.add_assign(error);
            part
        };
        let mut c0 = part(&self.b, &scaled_error(params, basis, sampler));
        c0.add_assign(m);
        let c1 = part(&self.a, &scaled_error(params, basis, sampler));
        RlweCiphertext { parts: vec![c0, c1] }
    }
}

impl SecretKey {
    /// Encrypts a plaintext polynomial at its level: (−a·s + f·e + m, a).
    ///
    /// Noise: f times [`crate::NoiseModel::fresh_secret`], less than under the public key.
    pub fn encrypt(
        &self,
        params: &RlweParams,
        m: &Poly<Evaluation>,
        sampler: &mut Sampler,
    ) -> RlweCiphertext {
        let basis = m.basis();
        let a = uniform_from_seed(basis, &sampler.seed());
        let mut c0 = a.mul(&self.at_level(Level(basis.len() - 1).0));
        c0.neg_assign();
        c0.add_assign(&scaled_error(params, basis, sampler));
        c0.add_assign(m);
        RlweCiphertext { parts: vec![c0, a] }
    }
}
