//! Parameters: the literal, its check, and the handle of checked parameters.

use std::sync::Arc;

use asanoha_kernels::Backend;
use asanoha_lattice::{GgswShape, LweSwitchShape};
use asanoha_ring::{ExternalProductError, FftError, GadgetError, TorusGadget, TorusRing};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    TfheError,
    noise::{NoiseModel, log2_tail},
};

/// Digits of a gadget decomposition: `levels` digits of `digit_bits` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GadgetLiteral {
    /// Bits of a digit.
    pub digit_bits: u32,
    /// The number of digits.
    pub levels: u32,
}

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

/// The reason why a literal is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TfheParamsError {
    /// The ring degree isn't supported.
    #[error(transparent)]
    Ring(#[from] FftError),
    /// A gadget whose digits don't fit a word.
    #[error(transparent)]
    Gadget(#[from] GadgetError),
    /// Digits or polynomials that external products don't have.
    #[error(transparent)]
    Product(#[from] ExternalProductError),
    /// A number that is out of its range.
    #[error("{what} is {found}, and must be from {least} to {largest}")]
    Range {
        /// Which number it is.
        what: &'static str,
        /// What it is.
        found: f64,
        /// The least it may be.
        least: f64,
        /// The largest it may be.
        largest: f64,
    },
    /// Too little noise for the dimension.
    #[error(
        "the {what} standard deviation 2^{found:.2} at dimension {dimension} is below the 2^{least:.2} of 128-bit security, or the dimension is outside of {LEAST_DIMENSION} to {LARGEST_DIMENSION} for which that's known (set insecure: true only in tests)"
    )]
    Insecure {
        /// LWE or GLWE.
        what: &'static str,
        /// The dimension, k·N for GLWE.
        dimension: usize,
        /// log2 of the standard deviation.
        found: f64,
        /// log2 of the least one.
        least: f64,
    },
    /// Even one bootstrapped number would fail too often.
    #[error(
        "a table of a bootstrapped number would fail with probability 2^{found:.1}, above 2^{largest}: take fewer message bits, a larger ring degree or more digits"
    )]
    Noise {
        /// log2 of the probability.
        found: f64,
        /// log2 of the largest one allowed.
        largest: f64,
    },
}

/// The dimensions for which [`least_log2_deviation`] holds.
const LEAST_DIMENSION: usize = 800;
const LARGEST_DIMENSION: usize = 2048;

/// log2 of the least standard deviation with 128-bit security for a binary secret of a dimension and a modulus 2^64: the line
/// through two published sets of that security, 2^−18.898 at 866 and 2^−48.321 at 2048 (tfhe-rs 1.4,
/// PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128). All along it the lattice estimator's best attack takes 2^132 to 2^133
/// operations (`docs/notes/tfhe.md`).
fn least_log2_deviation(dimension: usize) -> f64 {
    let (first, last) = ((866.0, 2.046151696979124e-6f64.log2()), (2048.0, 2.845267479601915e-15f64.log2()));
    first.1 + (dimension as f64 - first.0) * (last.1 - first.1) / (last.0 - first.0)
}

/// log2 of the least standard deviation of LWE errors: key switches have words of 32 bits, in which it's 4. Errors of less
/// than a word would be rounded away, and the secret with them.
const LEAST_LOG2_LWE_DEVIATION: f64 = -30.0;

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
        let noise = NoiseModel::new(&self);
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

    /// The literal as bytes, which randomness from a given seed depends on.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.0.digest.clone().into_bytes()
    }

    /// The variance of the noise of a fresh encryption, in units of the squared torus.
    pub fn fresh_variance(&self) -> f64 {
        self.0.noise.fresh
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

    pub(crate) fn check_number(&self, found: u64) -> Result<(), TfheError> {
        let messages = self.messages();
        if found < messages { Ok(()) } else { Err(TfheError::TooLarge { found, messages }) }
    }
}
