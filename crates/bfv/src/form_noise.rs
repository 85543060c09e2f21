//! Noise of linear and bilinear forms, and of products that settle at their level.

use asanoha_lattice::{Level, Norm};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::{BfvError, BfvNoise, NoiseState, noise::same_level, space::Space};

/// The widest plaintext modulus whose residues, centred, are weights of a form.
const MAX_FORM_BITS: u64 = 63;

impl BfvNoise {
    /// The same constant in every slot without an encryption's noise: the encoding's rounding.
    pub fn constant(&self, level: Level) -> Result<NoiseState, BfvError> {
        self.add_plain(Self::zero(level))
    }

    /// A product of operands of one level that is relinearised and switched to the level that suits its noise.
    pub fn multiply_settled(&self, left: NoiseState, right: NoiseState) -> Result<NoiseState, BfvError> {
        self.relinearise_settled(self.multiply_without_relinearise(left, right)?)
    }

    /// A relinearisation and a switch to the level that suits the noise.
    pub fn relinearise_settled(&self, product: NoiseState) -> Result<NoiseState, BfvError> {
        let state = self.key_switch(product)?;
        self.switch_to(state, 2, self.settled(state))
    }

    /// The level that a ciphertext of two parts is best switched to: below the ones whose primes only hold noise.
    ///
    /// A prime is dropped where that wastes less than half of it, so that with primes of about a product's growth each
    /// product costs one, and everything works on as few primes as possible.
    pub fn settled(&self, state: NoiseState) -> Level {
        let mut settled = state;
        while settled.level > Level(0) {
            let prime = self.params().rlwe().q(settled.level).modulus(settled.level.0).value() as f64;
            let Ok(below) = self.switch_to(settled, 2, Level(settled.level.0 - 1)) else { break };
            if below.noise > settled.noise * prime.sqrt().recip() {
                break;
            }
            settled = below;
        }
        settled.level
    }

    /// A sum Σ wₖ·aₖ of values of one level: Σ |vₖ|·Bₖ, where vₖ is wₖ modulo t and centred; and the vₖ.
    ///
    /// # Panics
    /// If there are no values.
    pub fn weighted_sum(
        &self,
        values: &[NoiseState],
        weights: &[u64],
    ) -> Result<(NoiseState, Vec<i64>), BfvError> {
        let t = self.form_modulus()?;
        values.iter().try_for_each(|value| same_level(values[0].level, value.level))?;
        let weights: Vec<i64> = weights.iter().map(|&w| centre(w % t, t)).collect();
        let state = NoiseState { noise: weighted_noise(values, &weights), ..values[0] };
        Ok((self.check(state)?, weights))
    }

    /// A form Σⱼₖ wⱼₖ·leftⱼ·rightₖ before its relinearisation, and the weights vⱼₖ, −wⱼₖ/Q modulo t and centred, with
    /// which t·Σⱼₖ vⱼₖ·leftⱼ·rightₖ modulo Q has its messages: the noise is t·Σⱼ Bⱼ·Σₖ |vⱼₖ|·Bₖ.
    ///
    /// With a = Q/t·m + e the integer t·a is t·e modulo Q, and t·e ≡ −Q·m modulo t. So t·v·a·b = t⁻¹·v·(t·a)·(t·b) is
    /// t⁻¹·x modulo Q for the integer x = v·t²·e·e' ≡ v·Q²·m·m' ≡ −Q·w·m·m' modulo t, which is Q/t·(w·m·m') + x/t.
    /// That beats products scaled by t/Q where the noises are as small as a switch leaves them, and takes no auxiliary
    /// modulus. Source: the exchange of the ends of the modulus in Alperin-Sheriff, Peikert 2013, Appendix A.
    ///
    /// # Panics
    /// If there are no values.
    pub fn bilinear_form(
        &self,
        left: &[NoiseState],
        weights: &[u64],
        right: &[NoiseState],
    ) -> Result<(NoiseState, Vec<i64>), BfvError> {
        let t = self.form_modulus()?;
        let level = left[0].level;
        left.iter().chain(right).try_for_each(|value| same_level(level, value.level))?;
        let inverse = self.params().rlwe().q(level).product().modinv(&BigUint::from(t));
        let inverse = inverse.and_then(|inverse| inverse.to_u64()).expect("no prime of Q divides t");
        let factor = (t - inverse) % t;
        let multiply = |w: u64| (u128::from(w) * u128::from(factor) % u128::from(t)) as u64;
        let weights: Vec<i64> = weights.iter().map(|&w| centre(multiply(w), t)).collect();
        let rows = weights.chunks_exact(right.len()).zip(left);
        let products: Norm = rows.map(|(weights, value)| value.noise * weighted_noise(right, weights)).sum();
        let state = NoiseState { level, noise: products * self.params().modulus_norm() };
        Ok((self.check(state)?, weights))
    }

    /// t, where it's an integer and a word.
    fn form_modulus(&self) -> Result<u64, BfvError> {
        let t = self.params().value_modulus();
        let integer = matches!(self.params().space(), Space::Integer(_));
        let narrow = t.to_u64().filter(|_| integer && t.bits() <= MAX_FORM_BITS);
        narrow.ok_or(BfvError::FormModulus { bits: t.bits(), most: MAX_FORM_BITS })
    }
}

/// Σ |wₖ|·Bₖ.
fn weighted_noise(values: &[NoiseState], weights: &[i64]) -> Norm {
    values.iter().zip(weights).map(|(value, weight)| value.noise * weight.unsigned_abs() as f64).sum()
}

/// The residue in (−t/2, t/2].
fn centre(residue: u64, t: u64) -> i64 {
    if residue > t / 2 { residue as i64 - t as i64 } else { residue as i64 }
}
