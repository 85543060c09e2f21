//! Bootstrapping in several passes, of which each corrects the last.

use asanoha_lattice::Norm;
use asanoha_scheme::{BootstrapValues, Bootstrappable, Operand, Operations, SchemeError, capability::Values};

use super::{BootstrapError, Bootstrapper, SlotKind};

/// The most passes that a bootstrapping may have: more add nothing to double precision.
pub(super) const MOST_PASSES: u32 = 4;

impl<S: Bootstrappable> Bootstrapper<S> {
    /// In so many passes, each of which takes as long as a bootstrapping and corrects what the last is off by: the bound on errors,
    /// relative to that on values, is nearly raised to the power of the passes, down to what rounding at the canonical scale adds.
    ///
    /// Source: Bae, Cheon, Cho, Kim, Kim, "META-BTS: Bootstrapping precision beyond the limit" (CCS 2022).
    ///
    /// # Errors
    /// [`BootstrapError::Passes`].
    pub fn with_passes(mut self, passes: u32) -> Result<Self, BootstrapError> {
        let corrects = self.values != BootstrapValues::Bits && self.trace.is_none();
        if !(1..=MOST_PASSES).contains(&passes) || (passes > 1 && !corrects) {
            return Err(BootstrapError::Passes(passes));
        }
        self.passes = passes;
        Ok(self)
    }

    /// All passes: the real parts of slots, and of complex ones the imaginary parts.
    ///
    /// What a ciphertext `low` holds, noise and all, is bootstrapped to s. Their difference, s brought down to the level of `low`, is at most
    /// what both are off by, so 2^k times it is within the bound on values. That is bootstrapped, divided by 2^k and added to s. Then s
    /// is off by 2^−k of what a bootstrapping is off by, by what bringing it down rounded, and by what `low` is.
    ///
    /// Parts must be real for that: the imaginary noise of one would be corrected in the other.
    pub(super) fn refreshed<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        low: V,
        kind: SlotKind,
    ) -> Result<Vec<V>, SchemeError> {
        if self.passes == 1 {
            return self.once(operations, low, kind, 1.0);
        }
        let (mut parts, mut imaginary) = self.real_parts(operations, low.clone(), kind, 1.0)?;
        for _ in 1..self.passes {
            let sum = joined(operations, &parts)?;
            let error = sum.state().error_bound();
            let sum = operations.adjust_to(&operations.with_noise(sum, Norm::ZERO)?, low.state().level)?;
            let left = low.state().error_bound() + sum.state().error_bound() + imaginary;
            let most = error + left;
            let factor = (self.bound / most).log2().floor().exp2();
            let corrects = factor >= 2.0 && factor.is_finite();
            if !corrects {
                let (error_bits, bound_bits) = (most.log2(), self.bound.log2());
                return Err(SchemeError::NothingToCorrect { error_bits, bound_bits });
            }
            let difference = operations.with_noise(operations.sub(&low, &sum)?, Norm::ZERO)?;
            let difference = Values::bounded(operations, difference, most)?;
            let difference = operations.mul_constant_exact(&difference, (factor, 1.0))?;
            let (corrections, more) = self.real_parts(operations, difference, kind, factor.recip())?;
            for (part, correction) in parts.iter_mut().zip(&corrections) {
                let noise = correction.state().noise + Norm::from(left * correction.state().scale());
                let sum = operations.add(&operations.with_noise(part.clone(), Norm::ZERO)?, correction)?;
                *part = Values::bounded(operations, operations.with_noise(sum, noise)?, self.bound)?;
            }
            imaginary += more;
        }
        Ok(parts)
    }

    /// [`Bootstrapper::once`] without the imaginary noise of its parts, and how much is left of that at most.
    fn real_parts<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        low: V,
        kind: SlotKind,
        factor: f64,
    ) -> Result<(Vec<V>, f64), SchemeError> {
        let (mut parts, mut imaginary) = (self.once(operations, low, kind, factor / 2.0)?, 0.0);
        for part in &mut parts {
            let noise = part.state().noise;
            let conjugate = operations.conjugate(&operations.with_noise(part.clone(), Norm::ZERO)?)?;
            imaginary += conjugate.state().error_bound();
            let conjugate_noise = conjugate.state().noise + noise;
            let twice = operations.add(part, &operations.with_noise(conjugate, conjugate_noise)?)?;
            *part = Values::bounded(operations, twice, self.bound * factor)?;
        }
        Ok((parts, imaginary))
    }
}

/// Complex slots of real parts, and of imaginary ones if there are any.
pub(super) fn joined<S: Bootstrappable, V: Operand<S>>(
    operations: &Operations<S, V>,
    parts: &[V],
) -> Result<V, SchemeError> {
    match parts {
        [real, imaginary] => operations.add(real, &operations.multiply_by_i(imaginary)?),
        _ => Ok(parts[0].clone()),
    }
}
