//! The client's key: encryption, decryption, and the server's keys.

use asanoha_lattice::{GlweSecretKey, KeyId, LweSecretKey};
use asanoha_ring::{Sampler, Seed};

use crate::{Ciphertext, ServerKey, TfheError, TfheParams};

/// The secrets: numbers are encrypted under the bits of the GLWE secret; the LWE secret is the one of blind rotations.
/// They're erased on drop, and `Debug` doesn't show them.
#[derive(Debug)]
pub struct ClientKey {
    pub(crate) params: TfheParams,
    pub(crate) id: KeyId,
    pub(crate) glwe: GlweSecretKey,
    /// The bits of the GLWE secret.
    pub(crate) extracted: LweSecretKey,
    pub(crate) lwe: LweSecretKey,
}

impl ClientKey {
    /// Fresh secrets.
    pub fn generate(params: &TfheParams, sampler: &mut Sampler) -> Self {
        let literal = params.literal();
        let mut sampler = sampler.branch("TFHE client key", &[&params.to_bytes()]);
        let id = KeyId::draw(&mut sampler);
        let sampler = &mut sampler;
        let glwe = GlweSecretKey::generate(&params.0.ring, literal.rank, sampler);
        let extracted = glwe.to_lwe();
        let lwe = LweSecretKey::generate(literal.lwe_dimension, sampler);
        Self { params: params.clone(), id, glwe, extracted, lwe }
    }

    /// The parameters.
    pub fn params(&self) -> &TfheParams {
        &self.params
    }

    /// The identifier of this key generation, which everything that belongs to it carries.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The keys that a server computes with. They're public.
    pub fn server_key(&self, sampler: &mut Sampler) -> ServerKey {
        self.seeded_server_key(sampler).expand()
    }

    /// Encrypts a number below [`TfheParams::messages`].
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
        Ok(self.encrypt_seeded(number, largest, sampler)?.0)
    }

    /// As [`ClientKey::encrypt_up_to`], with the public seed that the mask is expanded from ([`Ciphertext::from_seed`]).
    pub(crate) fn encrypt_seeded(
        &self,
        number: u64,
        largest: u64,
        sampler: &mut Sampler,
    ) -> Result<(Ciphertext, Seed), TfheError> {
        self.params.check_number(largest)?;
        if number > largest {
            return Err(TfheError::TooLarge { found: number, messages: largest + 1 });
        }
        let message = number * self.params.unit();
        // From a given seed, the mask and the error depend on the key and on the message, so that no two messages are
        // hidden by the same values; otherwise they're fresh anyway.
        let mut own = sampler.is_seeded().then(|| {
            let parts = [&self.params.to_bytes()[..], self.id.as_bytes(), &message.to_le_bytes()];
            sampler.branch("TFHE encryption", &parts)
        });
        let deviation = self.params.literal().glwe_standard_deviation;
        let sampler = own.as_mut().unwrap_or(sampler);
        let (lwe, seed) = self.extracted.encrypt_seeded(message, deviation, sampler);
        let variance = self.params.0.noise.fresh;
        Ok((Ciphertext { params: self.params.clone(), id: self.id, lwe, largest, variance }, seed))
    }

    /// Decrypts a number, and holds it and its noise to what the ciphertext may have: noise of the variance that it states
    /// exceeds the bound ([`TfheParams::noise_bits`]) with a probability of 2^−128.
    ///
    /// The time depends on whether the ciphertext is refused, and on nothing else that is secret.
    ///
    /// # Errors
    /// If it belongs to another key, [`TfheError::NumberAboveBound`] and [`TfheError::NoiseAboveBound`].
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<u64, TfheError> {
        ciphertext.check_key(&self.params, self.id)?;
        let unit_bits = self.params.unit_bits();
        let phase = self.extracted.phase(&ciphertext.lwe);
        // Twice as many as there are messages: the upper half is what no ciphertext may hold. A division would take a time that
        // depends on the phase.
        let found = phase.wrapping_add(self.params.unit() / 2) >> unit_bits;
        if found > ciphertext.largest {
            return Err(TfheError::NumberAboveBound { found, largest: ciphertext.largest });
        }
        let noise = phase.wrapping_sub(found << unit_bits).cast_signed().unsigned_abs() as f64;
        let bound_bits = self.params.noise_bits(ciphertext.variance);
        if noise > bound_bits.exp2() {
            return Err(TfheError::NoiseAboveBound { found_bits: noise.log2(), bound_bits });
        }
        Ok(found)
    }

    /// The noise of a ciphertext of a known number, in parts of the torus.
    pub fn noise(&self, ciphertext: &Ciphertext, number: u64) -> Result<f64, TfheError> {
        ciphertext.check_key(&self.params, self.id)?;
        let message = number.wrapping_mul(self.params.unit());
        let noise = self.extracted.phase(&ciphertext.lwe).wrapping_sub(message).cast_signed();
        Ok(noise as f64 / 2f64.powi(64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TfheLiteral;
    use asanoha_kernels::Backend;

    #[test]
    fn a_phase_that_the_ciphertext_cannot_have_is_an_error_and_no_number() {
        let params = TfheLiteral::message_2_carry_2().check(Backend::detect().unwrap()).unwrap();
        let mut sampler = Sampler::new(&Seed([21; 32]));
        let key = ClientKey::generate(&params, &mut sampler);
        let (unit, variance) = (params.unit(), params.fresh_variance());
        for number in 0..4 {
            let ciphertext = key.encrypt_up_to(number, 3, &mut sampler).unwrap();
            let shifted = |by: u64| {
                let mut words = ciphertext.words().to_vec();
                *words.last_mut().unwrap() = words.last().unwrap().wrapping_add(by);
                let read = Ciphertext::from_words(&params, key.id(), &words, 3, variance).unwrap();
                key.decrypt(&read)
            };
            assert_eq!(shifted(0), Ok(number));
            // Above the largest digit: the carries, and the half that holds no numbers.
            for by in (4..32 - number).filter(|by| by + number > 3) {
                let found = number + by;
                assert_eq!(shifted(by * unit), Err(TfheError::NumberAboveBound { found, largest: 3 }));
            }
            for by in [unit / 4, unit / 3, (unit / 5).wrapping_neg(), 1 << 52] {
                assert!(matches!(shifted(by), Err(TfheError::NoiseAboveBound { .. })), "{number} {by}");
            }
        }
    }
}
