//! Measured noise, beside what the model predicts.

use asanoha_lattice::{LweCiphertext, switch_modulus};

use crate::{Ciphertext, ClientKey, ServerKey, TfheError, TfheParams};

impl ClientKey {
    /// The noise that a table meets in each ciphertext of a known number, in parts of the torus: its own, that of the
    /// key switch, and that of the switch to positions. [`TfheParams::variance_at_table`] predicts its variance.
    ///
    /// # Errors
    /// For ciphertexts or a server's key of other parameters or another key generation.
    pub fn noise_at_table(
        &self,
        server: &ServerKey,
        ciphertexts: &[(&Ciphertext, u64)],
    ) -> Result<Vec<f64>, TfheError> {
        let params = &server.params;
        for (ciphertext, _) in ciphertexts {
            ciphertext.check_key(params, server.id)?;
            ciphertext.check_key(&self.params, self.id())?;
        }
        let log2_positions = params.0.ring.ring_degree().ilog2() + 1;
        let lwes: Vec<_> = ciphertexts.iter().map(|(ciphertext, _)| &ciphertext.lwe).collect();
        let noises =
            server.switch.switch_many(&lwes).into_iter().zip(ciphertexts).map(|(small, (_, number))| {
                let positions = switch_modulus(&small, log2_positions, params.0.backend);
                let mut lifted = LweCiphertext::trivial(positions.len() - 1, 0);
                let words = lifted.words_mut().iter_mut().zip(positions);
                words.for_each(|(word, position)| *word = position << (u64::BITS - log2_positions));
                let message = number.wrapping_mul(params.unit());
                self.lwe.phase(&lifted).wrapping_sub(message).cast_signed() as f64 / 2f64.powi(64)
            });
        Ok(noises.collect())
    }
}

impl TfheParams {
    /// The predicted variance of the noise that a table meets in a ciphertext with noise of the given variance, in units of
    /// the squared torus.
    pub fn variance_at_table(&self, variance: f64) -> f64 {
        variance + self.0.noise.switched
    }
}
