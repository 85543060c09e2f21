//! The client's key: encryption, decryption, and the server's keys.

use asanoha_lattice::{GlweSecretKey, LweSecretKey, SeededBootstrapKey, SeededLweSwitchKey};
use asanoha_ring::Sampler;

use crate::{Ciphertext, ServerKey, TfheError, TfheParams};

/// The secrets: numbers are encrypted under the bits of the GLWE secret; the LWE secret is the one of blind rotations.
/// They're erased on drop, and `Debug` doesn't show them.
#[derive(Debug)]
pub struct ClientKey {
    params: TfheParams,
    glwe: GlweSecretKey,
    /// The bits of the GLWE secret.
    extracted: LweSecretKey,
    lwe: LweSecretKey,
}

impl ClientKey {
    /// Fresh secrets.
    pub fn generate(params: &TfheParams, sampler: &mut Sampler) -> Self {
        let literal = params.literal();
        let glwe = GlweSecretKey::generate(&params.0.ring, literal.rank, sampler);
        let extracted = glwe.to_lwe();
        let lwe = LweSecretKey::generate(literal.lwe_dimension, sampler);
        Self { params: params.clone(), glwe, extracted, lwe }
    }

    /// The keys that a server computes with. They're public.
    pub fn server_key(&self, sampler: &mut Sampler) -> ServerKey {
        let inner = &self.params.0;
        let literal = self.params.literal();
        let bootstrap = SeededBootstrapKey::generate(
            &self.lwe,
            &self.glwe,
            inner.bootstrap,
            literal.glwe_standard_deviation,
            sampler,
        );
        let switch = SeededLweSwitchKey::generate(
            &self.extracted,
            &self.lwe,
            inner.key_switch,
            literal.lwe_standard_deviation,
            sampler,
        );
        ServerKey { params: self.params.clone(), bootstrap: bootstrap.expand(), switch: switch.expand() }
    }

    /// Encrypts a number below [`TfheParams::messages`]. The sampler must not be used for two numbers from the same
    /// position: one from the operating system never is.
    pub fn encrypt(&self, number: u64, sampler: &mut Sampler) -> Result<Ciphertext, TfheError> {
        let largest = self.params.messages() - 1;
        self.encrypt_up_to(number, largest, sampler)
    }

    /// Encrypts a number that is known to be at most `largest`, which leaves room for sums. That bound is public.
    pub fn encrypt_up_to(
        &self,
        number: u64,
        largest: u64,
        sampler: &mut Sampler,
    ) -> Result<Ciphertext, TfheError> {
        self.params.check_number(largest)?;
        if number > largest {
            return Err(TfheError::TooLarge { found: number, messages: largest + 1 });
        }
        let deviation = self.params.literal().glwe_standard_deviation;
        let lwe = self.extracted.encrypt(number * self.params.unit(), deviation, sampler);
        let variance = self.params.0.noise.fresh;
        Ok(Ciphertext { params: self.params.clone(), lwe, largest, variance })
    }

    /// Decrypts a number.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<u64, TfheError> {
        self.params.is(&ciphertext.params)?;
        let unit = self.params.unit();
        let phase = self.extracted.phase(&ciphertext.lwe).wrapping_add(unit / 2);
        Ok(phase / unit % self.params.messages())
    }

    /// The noise of a ciphertext of a known number, in parts of the torus.
    pub fn noise(&self, ciphertext: &Ciphertext, number: u64) -> Result<f64, TfheError> {
        self.params.is(&ciphertext.params)?;
        let message = number.wrapping_mul(self.params.unit());
        let noise = self.extracted.phase(&ciphertext.lwe).wrapping_sub(message).cast_signed();
        Ok(noise as f64 / 2f64.powi(64))
    }
}
