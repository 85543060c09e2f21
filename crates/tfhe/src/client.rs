//! The client's key: encryption, decryption, the server's keys, files, and measured noise.

use asanoha_lattice::{
    Destination, FileError, FileReader, FileWriter, GlweSecretKey, KeyId, LweCiphertext, LweSecretKey,
    Source, derive_from_secret, switch_modulus,
};
use asanoha_ring::{Sampler, Seed, Words};
use serde_json::Value;
use zeroize::Zeroizing;

use crate::{
    Ciphertext, EncryptedBit, EncryptedFixed, EncryptedInteger, FixedType, IntegerType, MAX_BLOCKS,
    SeededServerKey, ServerKey, TfheError, TfheParams,
    integer::{check_width, digits_of_value},
    integer_type::{DIGIT_BITS, digits},
};

/// What a file of a client key says that it holds.
const KIND: &str = "TFHE client key";

/// The secrets: numbers are encrypted under the bits of the GLWE secret; the LWE secret is the one of blind rotations.
/// They're erased on drop, and `Debug` doesn't show them.
#[derive(Debug)]
pub struct ClientKey {
    params: TfheParams,
    id: KeyId,
    glwe: GlweSecretKey,
    /// The bits of the GLWE secret.
    extracted: LweSecretKey,
    lwe: LweSecretKey,
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

    /// Derives 32 bytes from the GLWE secret and a context ([`derive_from_secret`]).
    pub fn derive_key(&self, context: &str) -> Zeroizing<[u8; 32]> {
        derive_from_secret(self.glwe.bits(), context)
    }

    /// The keys that a server computes with. They're public.
    pub fn server_key(&self, sampler: &mut Sampler) -> ServerKey {
        self.seeded_server_key(sampler).expand()
    }

    /// The keys that a server computes with, in the form that is stored and sent. They're public.
    pub fn seeded_server_key(&self, sampler: &mut Sampler) -> SeededServerKey {
        SeededServerKey::generate(&self.params, self.id, (&self.glwe, &self.extracted), &self.lwe, sampler)
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
    fn encrypt_seeded(
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

    /// Encrypts a bit.
    pub fn encrypt_bit(&self, bit: bool, sampler: &mut Sampler) -> Result<EncryptedBit, TfheError> {
        self.encrypt_up_to(bit.into(), 1, sampler).map(EncryptedBit)
    }

    /// Decrypts a bit.
    pub fn decrypt_bit(&self, bit: &EncryptedBit) -> Result<bool, TfheError> {
        Ok(self.decrypt(&bit.0)? == 1)
    }

    /// Encrypts an integer, digit by digit.
    ///
    /// # Errors
    /// If it's out of its type's range, or there's no such type.
    pub fn encrypt_integer(
        &self,
        value: i128,
        integer_type: IntegerType,
        sampler: &mut Sampler,
    ) -> Result<EncryptedInteger, TfheError> {
        Ok(self.encrypt_integer_seeded(value, integer_type, sampler)?.0)
    }

    /// Encrypts an integer with the public seeds that the digits' masks are expanded from ([`Ciphertext::from_seed`]).
    /// Send the seeds in place of the masks.
    ///
    /// # Errors
    /// Those of [`ClientKey::encrypt_integer`].
    pub fn encrypt_integer_seeded(
        &self,
        value: i128,
        integer_type: IntegerType,
        sampler: &mut Sampler,
    ) -> Result<(EncryptedInteger, Vec<Seed>), TfheError> {
        self.encrypt_digits(&digits_of_value(value, integer_type)?, integer_type.signed, sampler)
    }

    /// Encrypts an unsigned integer of up to 128 bits, beyond the range of [`ClientKey::encrypt_integer`].
    ///
    /// # Errors
    /// If it's out of range, or there's no such type.
    pub fn encrypt_unsigned(
        &self,
        value: u128,
        blocks: usize,
        sampler: &mut Sampler,
    ) -> Result<EncryptedInteger, TfheError> {
        match i128::try_from(value) {
            Ok(value) => self.encrypt_integer(value, IntegerType::unsigned(blocks), sampler),
            Err(_) if blocks == MAX_BLOCKS => {
                Ok(self.encrypt_digits(&digits(value, blocks), false, sampler)?.0)
            }
            Err(_) => Err(TfheError::OutOfRange {
                found: i128::MAX,
                least: 0,
                largest: check_width(IntegerType::unsigned(blocks))?.largest(),
            }),
        }
    }

    fn encrypt_digits(
        &self,
        digits: &[u64],
        signed: bool,
        sampler: &mut Sampler,
    ) -> Result<(EncryptedInteger, Vec<Seed>), TfheError> {
        // From a given seed, equal digits at one position must not have equal ciphertexts: not in other integers either.
        let whole: Zeroizing<Vec<u8>> = Zeroizing::new(digits.iter().map(|&digit| digit as u8).collect());
        let mut sampler = sampler.branch("TFHE integer", &[&whole, &[u8::from(signed)]]);
        let blocks =
            digits.iter().map(|&digit| self.encrypt_seeded(digit, IntegerType::LARGEST_DIGIT, &mut sampler));
        let (blocks, seeds) = blocks.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        Ok((EncryptedInteger::from_blocks(blocks, signed)?, seeds))
    }

    /// Decrypts an integer.
    ///
    /// # Errors
    /// Those of [`ClientKey::decrypt`], or if it is unsigned and above the largest `i128`.
    pub fn decrypt_integer(&self, integer: &EncryptedInteger) -> Result<i128, TfheError> {
        let value = integer.integer_type().value(self.decrypt_digits(integer)?);
        let range = (integer.integer_type().least(), integer.integer_type().largest());
        if integer.integer_type().signed || value >= 0 {
            Ok(value)
        } else {
            Err(TfheError::OutOfRange { found: i128::MAX, least: range.0, largest: range.1 })
        }
    }

    /// Decrypts an unsigned integer.
    ///
    /// # Errors
    /// If it belongs to another key, or is signed.
    pub fn decrypt_unsigned(&self, integer: &EncryptedInteger) -> Result<u128, TfheError> {
        let found = integer.integer_type();
        let expected = IntegerType { signed: false, ..found };
        if found.signed {
            Err(TfheError::OtherType { found, expected })
        } else {
            self.decrypt_digits(integer)
        }
    }

    fn decrypt_digits(&self, integer: &EncryptedInteger) -> Result<u128, TfheError> {
        let mut bits = 0;
        for (i, block) in integer.blocks().iter().enumerate() {
            bits |= u128::from(self.decrypt(block)?) << (DIGIT_BITS * i as u32);
        }
        Ok(bits)
    }

    /// Encrypts the value next to a real. It's off by half a step at most.
    ///
    /// # Errors
    /// If it's out of range.
    pub fn encrypt_fixed(
        &self,
        value: f64,
        fixed_type: FixedType,
        sampler: &mut Sampler,
    ) -> Result<EncryptedFixed, TfheError> {
        let (least, largest) = (fixed_type.least(), fixed_type.largest());
        if !(least..=largest).contains(&value) {
            return Err(TfheError::FixedOutOfRange { found: value, least, largest });
        }
        let steps = (value / fixed_type.step()).round() as i128;
        let integer = self.encrypt_integer(steps, fixed_type.integer_type(), sampler)?;
        Ok(EncryptedFixed::rounded(integer, fixed_type))
    }

    /// Decrypts a real.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn decrypt_fixed(&self, fixed: &EncryptedFixed) -> Result<f64, TfheError> {
        Ok(self.decrypt_integer(fixed.integer())? as f64 * fixed.fixed_type().step())
    }

    /// Writes the secrets to a file that only its owner may read, or to memory, and returns the file's length in bytes.
    pub fn write<'d>(&self, to: impl Into<Destination<'d>>) -> Result<u64, FileError> {
        let mut file = FileWriter::new(self.params.file_header(self.id, KIND, Value::Null)).private();
        for (name, bits) in [("glwe", self.glwe.bits()), ("lwe", self.lwe.bits())] {
            file.tensor(name, &[bits.len()], vec![bits]);
        }
        file.write(to)
    }

    /// Reads the secrets. What was read is erased from memory, apart from the key.
    ///
    /// # Errors
    /// If the file isn't a client key of these parameters, or was altered.
    pub fn read<'s>(params: &TfheParams, from: impl Into<Source<'s>>) -> Result<Self, FileError> {
        let file = FileReader::read(from, KIND, params.digest())?;
        let bits = |name, count| {
            let words = file.words(name, &[count])?;
            // All are looked at, so that the time says nothing of them.
            if words.iter().fold(0, |or, word| or | word) > 1 {
                return Err(file.error(format!("the bits of {name} aren't all 0 or 1: make new keys")));
            }
            let mut bits = Words::secret(count);
            bits.copy_from_slice(words);
            Ok(bits)
        };
        let glwe = GlweSecretKey::from_bits(&params.0.ring, bits("glwe", params.dimension())?);
        let lwe = LweSecretKey::from_bits(bits("lwe", params.literal().lwe_dimension)?);
        Ok(Self { params: params.clone(), id: file.header().key, extracted: glwe.to_lwe(), glwe, lwe })
    }

    /// The noise of a ciphertext of a known number, in parts of the torus.
    pub fn noise(&self, ciphertext: &Ciphertext, number: u64) -> Result<f64, TfheError> {
        ciphertext.check_key(&self.params, self.id)?;
        let message = number.wrapping_mul(self.params.unit());
        let noise = self.extracted.phase(&ciphertext.lwe).wrapping_sub(message).cast_signed();
        Ok(noise as f64 / 2f64.powi(64))
    }

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
