//! Noise of linear and bilinear forms, and of products that settle at their level.

use asanoha_lattice::Norm;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

use crate::{BgvError, BgvNoise, NoiseState, noise::same_level};

/// The widest plaintext modulus whose residues, centred, are weights of a form.
const MAX_FORM_BITS: u64 = 63;

impl BgvNoise {
    /// The same constant in every slot without an encryption's noise: |c modulo t|.
    pub fn constant(&self, constant: &BigInt, level: asanoha_lattice::Level) -> Result<NoiseState, BgvError> {
        self.add_constant(NoiseState { level, factor: BigUint::one(), noise: Norm::ZERO }, constant)
    }

    /// A product of operands of one level that is relinearised and switched to the level that suits its noise.
    pub fn multiply_settled(&self, left: &NoiseState, right: &NoiseState) -> Result<NoiseState, BgvError> {
        self.relinearise_settled(self.multiply_without_relinearise(left, right)?)
    }

    /// A relinearisation and a switch to the level that suits the noise.
    pub fn relinearise_settled(&self, product: NoiseState) -> Result<NoiseState, BgvError> {
        let state = self.key_switch(product)?;
        let level = self.settled(&state);
        self.switch_to(state, 2, level)
    }

    /// A sum Σ wₖ·aₖ of values of one level: Σ |vₖ|·Bₖ, where vₖ is wₖ times what makes the correction factors equal,
    /// modulo t and centred; and the vₖ.
    ///
    /// # Panics
    /// If there are no values.
    pub fn weighted_sum(
        &self,
        values: &[NoiseState],
        weights: &[u64],
    ) -> Result<(NoiseState, Vec<i64>), BgvError> {
        let t = self.form_modulus()?;
        values.iter().try_for_each(|value| same_level(&values[0], value))?;
        let inverses = inverse_factors(values, t);
        let weights: Vec<i64> =
            weights.iter().zip(inverses).map(|(&w, inverse)| centre(multiply(w, inverse, t), t)).collect();
        let noise = weighted_noise(values, &weights);
        let state = NoiseState { level: values[0].level, factor: BigUint::one(), noise };
        Ok((self.check(state)?, weights))
    }

    /// A form Σⱼₖ wⱼₖ·leftⱼ·rightₖ before its relinearisation: Σⱼ Bⱼ·Σₖ |vⱼₖ|·Bₖ, with the vⱼₖ as in
    /// [`BgvNoise::weighted_sum`]; and the vⱼₖ.
    ///
    /// # Panics
    /// If there are no values.
    pub fn bilinear_form(
        &self,
        left: &[NoiseState],
        weights: &[u64],
        right: &[NoiseState],
    ) -> Result<(NoiseState, Vec<i64>), BgvError> {
        let t = self.form_modulus()?;
        left.iter().chain(right).try_for_each(|value| same_level(&left[0], value))?;
        let (rows, columns) = (inverse_factors(left, t), inverse_factors(right, t));
        let mut noise = Norm::ZERO;
        let mut centred = Vec::with_capacity(weights.len());
        for ((weights, row), value) in weights.chunks_exact(right.len()).zip(rows).zip(left) {
            let start = centred.len();
            let scaled =
                weights.iter().zip(&columns).map(|(&w, &column)| multiply(multiply(w, row, t), column, t));
            centred.extend(scaled.map(|weight| centre(weight, t)));
            noise += value.noise * weighted_noise(right, &centred[start..]);
        }
        let state = NoiseState { level: left[0].level, factor: BigUint::one(), noise };
        Ok((self.check(state)?, centred))
    }

    /// t, as a word.
    fn form_modulus(&self) -> Result<u64, BgvError> {
        let t = self.params().plaintext_modulus();
        let narrow = t.to_u64().filter(|_| t.bits() <= MAX_FORM_BITS);
        narrow.ok_or(BgvError::WideFormModulus { bits: t.bits(), most: MAX_FORM_BITS })
    }
}

/// The inverses of the correction factors modulo t.
fn inverse_factors(values: &[NoiseState], t: u64) -> Vec<u64> {
    let t = BigUint::from(t);
    let inverse = |value: &NoiseState| value.factor.modinv(&t).and_then(|inverse| inverse.to_u64());
    values.iter().map(|value| inverse(value).expect("factors are units, and t is a word")).collect()
}

/// Σ |wₖ|·Bₖ.
fn weighted_noise(values: &[NoiseState], weights: &[i64]) -> Norm {
    values.iter().zip(weights).map(|(value, weight)| value.noise * weight.unsigned_abs() as f64).sum()
}

/// a·b modulo t.
fn multiply(a: u64, b: u64, t: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(t)) as u64
}

/// The residue in (−t/2, t/2].
fn centre(residue: u64, t: u64) -> i64 {
    if residue > t / 2 { residue as i64 - t as i64 } else { residue as i64 }
}
