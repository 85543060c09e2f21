//! Parameters: the literal, its check, and the handle of checked parameters, with the tables of functions of one encrypted
//! number.

use std::sync::Arc;

use asanoha_kernels::Backend;
use asanoha_lattice::{FileHeader, GgswShape, KeyId, LweSwitchShape};
use asanoha_ring::{Seed, TorusGadget, TorusRing};
use serde::{Deserialize, Serialize};

use crate::{
    GadgetLiteral, TfheError, TfheParamsError,
    noise::{NoiseModel, log2_tail},
    security::{LARGEST_DIMENSION, LEAST_DIMENSION, LEAST_LOG2_LWE_DEVIATION, least_log2_deviation},
};

/// TFHE parameters as written down, unchecked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TfheLiteral {
    /// The dimension n of LWE ciphertexts in a blind rotation.
    pub lwe_dimension: usize,
    /// The standard deviation of their errors, in parts of the torus.
    pub lwe_standard_deviation: f64,
    /// The number of coefficients N of a GLWE polynomial.
    pub ring_degree: usize,
    /// The number k of secret polynomials.
    pub rank: usize,
    /// The standard deviation of GLWE errors, in parts of the torus.
    pub glwe_standard_deviation: f64,
    /// The digits of the external product.
    pub bootstrap: GadgetLiteral,
    /// The digits of the LWE key switch.
    pub key_switch: GadgetLiteral,
    /// Bits of a number. One more bit above is the padding that is 0.
    pub message_bits: u32,
    /// log2 of the largest probability that one operation gives a wrong result, such as −128.
    pub log2_failure: f64,
    /// Allows parameters below 128-bit security, for tests.
    pub insecure: bool,
}

/// Checked parameters with their tables. Cloning shares them.
#[derive(Clone, Debug)]
pub struct TfheParams(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) literal: TfheLiteral,
    /// The digest of the literal.
    pub(crate) digest: String,
    /// Whether the deviations are those of 128-bit security, or above.
    pub(crate) secure: bool,
    pub(crate) backend: Backend,
    pub(crate) ring: TorusRing,
    pub(crate) bootstrap: GgswShape,
    pub(crate) key_switch: LweSwitchShape,
    pub(crate) noise: NoiseModel,
}

impl TfheLiteral {
    /// Numbers of 4 bits: 2 of a message and 2 for carries. 128-bit security, and a probability of at most 2^−128 that a table
    /// of a sum fails whose weights have norm 5. It's the set PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128 of tfhe-rs 1.4 but
    /// for the LWE dimension, which is larger by 4 and makes room for the noise of double precision.
    pub fn message_2_carry_2() -> Self {
        Self {
            lwe_dimension: 870,
            lwe_standard_deviation: 1.9097016700839554e-6,
            ring_degree: 2048,
            rank: 1,
            glwe_standard_deviation: 2.845267479601915e-15,
            bootstrap: GadgetLiteral { digit_bits: 23, levels: 1 },
            key_switch: GadgetLiteral { digit_bits: 3, levels: 5 },
            message_bits: 4,
            log2_failure: -128.0,
            insecure: false,
        }
    }

    /// As [`TfheLiteral::message_2_carry_2`], but with a probability of at most 2^−40 that a table fails: for comparison,
    /// and where a wrong result in 10^12 does no harm. 128-bit security by the same line through published sets.
    pub fn message_2_carry_2_failure_40() -> Self {
        Self {
            lwe_dimension: 800,
            lwe_standard_deviation: 6.389704623607585e-6,
            log2_failure: -40.0,
            ..Self::message_2_carry_2()
        }
    }

    /// As [`TfheLiteral::message_2_carry_2`], but small and without any security: for tests of what is computed.
    pub fn message_2_carry_2_insecure() -> Self {
        Self {
            lwe_dimension: 24,
            lwe_standard_deviation: 2f64.powi(-30),
            ring_degree: 512,
            glwe_standard_deviation: 2f64.powi(-48),
            bootstrap: GadgetLiteral { digit_bits: 12, levels: 2 },
            key_switch: GadgetLiteral { digit_bits: 4, levels: 5 },
            insecure: true,
            ..Self::message_2_carry_2()
        }
    }

    /// Checks the literal and builds the tables, with the kernels of the given back-end.
    pub fn check(self, backend: Backend) -> Result<TfheParams, TfheParamsError> {
        let ring = TorusRing::new(self.ring_degree, backend)?;
        let gadget = |g: GadgetLiteral| TorusGadget::new(g.digit_bits, g.levels, backend);
        let boxes = f64::from(self.ring_degree.ilog2() - 1);
        for (what, found, least, largest) in [
            ("the LWE dimension", self.lwe_dimension as f64, 1.0, 4096.0),
            ("the rank", self.rank as f64, 1.0, 8.0),
            ("the LWE standard deviation", self.lwe_standard_deviation, 0.0, 2f64.powi(-12)),
            ("the GLWE standard deviation", self.glwe_standard_deviation, 0.0, 2f64.powi(-12)),
            ("the number of message bits", f64::from(self.message_bits), 1.0, boxes),
            ("log2 of the failure probability", self.log2_failure, -1024.0, -1.0),
        ] {
            // Written so that NaN is refused too.
            if !(least..=largest).contains(&found) {
                return Err(TfheParamsError::Range { what, found, least, largest });
            }
        }
        let mut all_secure = true;
        for (what, dimension, deviation, least) in [
            ("LWE", self.lwe_dimension, self.lwe_standard_deviation, LEAST_LOG2_LWE_DEVIATION),
            ("GLWE", self.rank * self.ring_degree, self.glwe_standard_deviation, f64::NEG_INFINITY),
        ] {
            let (found, least) = (deviation.log2(), least_log2_deviation(dimension).max(least));
            // The line's end points are rounded.
            let known = (LEAST_DIMENSION..=LARGEST_DIMENSION).contains(&dimension);
            let secure = known && found >= least - 1e-9;
            if !secure && !self.insecure {
                return Err(TfheParamsError::Insecure { what, dimension, found, least });
            }
            all_secure &= secure;
        }
        let bootstrap = GgswShape::new(&ring, self.rank, gadget(self.bootstrap)?)?;
        let key_switch = LweSwitchShape::new(self.lwe_dimension, gadget(self.key_switch)?, backend)?;
        let noise = NoiseModel::new(
            (self.lwe_dimension, self.lwe_standard_deviation, self.key_switch),
            (self.ring_degree, self.rank, self.glwe_standard_deviation, self.bootstrap),
        );
        let text = serde_json::to_string(&("tfhe", &self)).expect("literals are plain data");
        let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        let (literal, secure) = (self, all_secure);
        let inner = Inner { literal, digest, secure, backend, ring, bootstrap, key_switch, noise };
        let params = TfheParams(Arc::new(inner));
        match params.check_noise(noise.bootstrapped.max(noise.fresh)) {
            Err(TfheError::Noise { found, largest }) => Err(TfheParamsError::Noise { found, largest }),
            _ => Ok(params),
        }
    }
}

/// A Gaussian is beyond so many deviations with a probability of less than 2^−128.
const DEVIATIONS: f64 = 13.1;

impl TfheParams {
    /// How many numbers a ciphertext may hold: 0, 1, … , and this less one.
    pub fn messages(&self) -> u64 {
        1 << self.0.literal.message_bits
    }

    /// The literal that they were checked from.
    pub fn literal(&self) -> &TfheLiteral {
        &self.0.literal
    }

    /// A digest of the literal, which keys and ciphertexts in files carry.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// The classical security in bits: 128, or 0 where it isn't known.
    pub fn security_bits(&self) -> u32 {
        if self.0.secure { 128 } else { 0 }
    }

    /// The header of a file that belongs to these parameters.
    pub fn file_header(&self, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader {
        FileHeader {
            kind: kind.into(),
            params: self.digest().into(),
            key,
            security_bits: self.security_bits(),
            security_extrapolated: false,
            insecure: self.literal().insecure,
            seeded: key.is_seeded(),
            fields,
        }
    }

    /// The dimensions of the bodies of a server key: of the bootstrapping key, a row for each bit, and of the key-switching
    /// key, which has 32 bits for each bit that is switched from and each level.
    pub(crate) fn body_shapes(&self) -> ([usize; 2], [usize; 1]) {
        let literal = self.literal();
        let switch = self.dimension() * literal.key_switch.levels as usize;
        ([literal.lwe_dimension, self.0.bootstrap.body_words()], [switch / 2])
    }

    /// The words of a ciphertext: k·N of its mask, and its body.
    pub fn ciphertext_words(&self) -> usize {
        self.dimension() + 1
    }

    /// The dimension k·N of ciphertexts.
    pub(crate) fn dimension(&self) -> usize {
        self.literal().rank * self.literal().ring_degree
    }

    /// The bytes of a server key as it's stored: the bodies of both keys' ciphertexts, and two seeds for the masks.
    pub fn server_key_bytes(&self) -> usize {
        let ([bits, bodies], [switch]) = self.body_shapes();
        (bits * bodies + switch) * size_of::<u64>() + 2 * size_of::<Seed>()
    }

    /// The bytes of a server key in memory with its masks: doubles of the bootstrapping key's Fourier form, and whole rows
    /// of the key-switching key.
    pub fn expanded_key_bytes(&self) -> usize {
        let ([bits, bodies], [switch]) = self.body_shapes();
        (bits * bodies * (self.literal().rank + 1) + switch * (bits + 1)) * size_of::<u64>()
    }

    /// The literal as bytes, which randomness from a given seed depends on.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.0.digest.clone().into_bytes()
    }

    /// The variance of the noise of a fresh encryption, in units of the squared torus.
    pub fn fresh_variance(&self) -> f64 {
        self.0.noise.fresh
    }

    /// The predicted variance of the noise that a table meets in a ciphertext with noise of the given variance, in units of
    /// the squared torus.
    pub fn variance_at_table(&self, variance: f64) -> f64 {
        variance + self.0.noise.switched
    }

    /// log2 of what noise of a variance exceeds with a probability of 2^−128, in units of 2^−64 of the torus.
    pub fn noise_bits(&self, variance: f64) -> f64 {
        64.0 + (DEVIATIONS * variance.sqrt()).log2()
    }

    /// The variance of [`TfheParams::noise_bits`].
    pub fn variance(&self, noise_bits: f64) -> f64 {
        ((noise_bits - 64.0).exp2() / DEVIATIONS).powi(2)
    }

    /// log2 of the noise with which a number is decrypted to another, half the distance of two, in the same units.
    pub fn most_noise_bits(&self) -> f64 {
        f64::from(u64::BITS - 2 - self.0.literal.message_bits)
    }

    /// The torus word of the number 1.
    pub(crate) fn unit(&self) -> u64 {
        1 << self.unit_bits()
    }

    /// log2 of [`TfheParams::unit`].
    pub(crate) fn unit_bits(&self) -> u32 {
        u64::BITS - 1 - self.0.literal.message_bits
    }

    pub(crate) fn is(&self, other: &Self) -> Result<(), TfheError> {
        let same = Arc::ptr_eq(&self.0, &other.0) || self.0.literal == other.0.literal;
        if same { Ok(()) } else { Err(TfheError::OtherParameters) }
    }

    /// Refuses noise of a variance with which a table might fail too often: it's off if the noise, with that of the
    /// switches, is at least half a unit.
    pub(crate) fn check_noise(&self, variance: f64) -> Result<(), TfheError> {
        let bound = 2f64.powi(-2 - self.0.literal.message_bits as i32);
        let (found, largest) =
            (log2_tail(bound, variance + self.0.noise.switched), self.0.literal.log2_failure);
        if found <= largest { Ok(()) } else { Err(TfheError::Noise { found, largest }) }
    }

    /// Refuses a variance that noise can't have, or that is too large.
    pub(crate) fn check_variance(&self, variance: f64) -> Result<(), TfheError> {
        // Infinities and the like are above every bound.
        let sound = variance.is_finite() && variance.is_sign_positive();
        self.check_noise(if sound { variance } else { f64::INFINITY })
    }

    pub(crate) fn check_number(&self, found: u64) -> Result<(), TfheError> {
        let messages = self.messages();
        if found < messages { Ok(()) } else { Err(TfheError::TooLarge { found, messages }) }
    }

    /// The table of a function on all numbers from 0 to [`TfheParams::messages`] − 1, whose values are among these.
    ///
    /// Each value takes N/messages coefficients. They're turned by half as many, so that a phase a little below j reads the
    /// value at j as well; what is turned past X^N = −1 is written with the other sign.
    pub fn table(&self, function: impl Fn(u64) -> u64) -> Result<Table, TfheError> {
        self.tables(&[&function])
    }

    /// The table of up to 2^t functions of numbers below messages/2^t: one bootstrapping gives all their values.
    ///
    /// The number is multiplied by 2^t, which takes the place of the bits that it leaves unused. Its phase is rounded to
    /// a multiple of 2^t, so that the next 2^t coefficients are the values of as many functions. Noise and roundings are
    /// 2^t times as large then, as is the distance between numbers: a value is wrong no more often than one of
    /// [`TfheParams::table`].
    ///
    /// # Errors
    /// If there's no function, there are more than messages, or a value isn't below messages.
    ///
    /// Source: Chillotti, Ligier, Orfila, Tap, "Improved programmable bootstrapping with larger precision and efficient
    /// arithmetic circuits for TFHE" (ASIACRYPT 2021), PBSmanyLUT.
    pub fn tables(&self, functions: &[&dyn Fn(u64) -> u64]) -> Result<Table, TfheError> {
        let outputs = functions.len().next_power_of_two();
        if functions.is_empty() || outputs as u64 > self.messages() {
            return Err(TfheError::Functions { found: functions.len(), most: self.messages() });
        }
        let count = self.messages() as usize / outputs;
        let values: Vec<Vec<u64>> =
            functions.iter().map(|function| (0..count as u64).map(function).collect()).collect();
        let largest: Vec<u64> =
            values.iter().map(|values| values.iter().copied().max().unwrap_or(0)).collect();
        largest.iter().try_for_each(|&largest| self.check_number(largest))?;
        let n = self.0.ring.ring_degree();
        let width = n / count;
        let polynomial = (0..n)
            .map(|i| {
                // Of a block of `outputs` coefficients, all belong to one number.
                let turned = i / outputs * outputs + width / 2;
                let value = values.get(i % outputs).map_or(0, |values| values[turned / width % count]);
                let value = value.wrapping_mul(self.unit());
                if turned < n { value } else { value.wrapping_neg() }
            })
            .collect();
        Ok(Table { params: self.clone(), polynomial, largest })
    }
}

/// One function of a number, or several, as a polynomial: the coefficients around j·N/messages hold the values at j.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) params: TfheParams,
    pub(crate) polynomial: Vec<u64>,
    /// Each function's largest value.
    pub(crate) largest: Vec<u64>,
}

impl Table {
    /// The number of functions.
    pub fn outputs(&self) -> usize {
        self.largest.len()
    }

    /// log2 of the room for functions.
    pub(crate) fn log2_outputs(&self) -> u32 {
        self.largest.len().next_power_of_two().ilog2()
    }

    /// The values at a number that is known.
    pub(crate) fn values(&self, number: u64) -> impl Iterator<Item = u64> {
        let count = self.params.messages() >> self.log2_outputs();
        let start = self.polynomial.len() / count as usize * number as usize;
        (start..start + self.largest.len()).map(|i| self.polynomial[i] / self.params.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_parameters_fail_as_seldom_as_they_say() {
        for (literal, range) in [
            (TfheLiteral::message_2_carry_2(), -131.0..=-129.0),
            (TfheLiteral::message_2_carry_2_failure_40(), -56.0..=-52.0),
        ] {
            let noise = literal.check(Backend::Scalar).unwrap().0.noise;
            // A sum of weights 3, 4 (norm 5) of bootstrapped ciphertexts; half the distance of two messages is 1/64.
            let found = log2_tail(1.0 / 64.0, 25.0 * noise.bootstrapped + noise.switched);
            assert!(range.contains(&found), "{found}");
        }
    }
}
