//! Linear and bilinear forms of many ciphertexts.

use asanoha_lattice::{Level, Norm, RlweCiphertext};
use asanoha_ring::Poly;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::{Ciphertext, Evaluator, Exact, Model, SchemeError, Space, State, state::not_above};

/// The widest plaintext modulus whose residues, centred, are weights of a form.
const MAX_FORM_BITS: u64 = 63;

impl<S: Exact> Model<S> {
    /// The same constant in every slot without an encryption's noise.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub fn constant(&self, constant: impl Into<BigInt>, level: Level) -> Result<State<S>, SchemeError> {
        not_above(level, self.scheme().max_level())?;
        self.add_constant(&self.zero(level), constant)
    }

    /// Zero, without noise.
    fn zero(&self, level: Level) -> State<S> {
        State { level, noise: Norm::ZERO, message: self.scheme().plain_message() }
    }

    /// A sum Σ wₖ·aₖ of values of one level: Σ |vₖ|·Bₖ, where vₖ is wₖ times what makes the correction factors equal
    /// (BGV), modulo t and centred; and the vₖ.
    ///
    /// # Errors
    /// [`SchemeError::FormModulus`], [`SchemeError::LevelMismatch`], [`SchemeError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no values.
    pub fn weighted_sum(
        &self,
        values: &[&State<S>],
        weights: &[u64],
    ) -> Result<(State<S>, Vec<i64>), SchemeError> {
        let t = self.form_modulus()?;
        values.iter().try_for_each(|value| values[0].of_one_level(value))?;
        let units = self.units(values, t);
        let weights: Vec<i64> =
            weights.iter().zip(units).map(|(&w, unit)| centre(multiply(w, unit, t), t)).collect();
        let noise = weighted_noise(values, &weights);
        Ok((self.check(State { noise, ..self.zero(values[0].level) })?, weights))
    }

    /// A form Σⱼₖ wⱼₖ·leftⱼ·rightₖ before its relinearisation: Σⱼ Bⱼ·Σₖ |vⱼₖ|·Bₖ, with the vⱼₖ as in
    /// [`Model::weighted_sum`]; and the vⱼₖ.
    ///
    /// In BFV, vⱼₖ is −wⱼₖ/Q modulo t, and the noise |t| times that: t·Σⱼₖ vⱼₖ·leftⱼ·rightₖ modulo Q has the form's messages.
    /// With a = Q/t·m + e the integer t·a is t·e modulo Q, and t·e ≡ −Q·m modulo t. So t·v·a·b = t⁻¹·v·(t·a)·(t·b) is
    /// t⁻¹·x modulo Q for the integer x = v·t²·e·e' ≡ v·Q²·m·m' ≡ −Q·w·m·m' modulo t, which is Q/t·(w·m·m') + x/t.
    /// That beats products scaled by t/Q where the noises are as small as a switch leaves them, and takes no auxiliary
    /// modulus. Source: the exchange of the ends of the modulus in Alperin-Sheriff, Peikert 2013, Appendix A.
    ///
    /// # Errors
    /// [`SchemeError::FormModulus`], [`SchemeError::LevelMismatch`], [`SchemeError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no values.
    pub fn bilinear_form(
        &self,
        left: &[&State<S>],
        weights: &[u64],
        right: &[&State<S>],
    ) -> Result<(State<S>, Vec<i64>), SchemeError> {
        let t = self.form_modulus()?;
        let level = left[0].level;
        left.iter().chain(right).try_for_each(|value| left[0].of_one_level(value))?;
        let unit = self.scheme().bilinear_unit(level, t);
        let (rows, columns) = (self.units(left, t), self.units(right, t));
        let mut noise = Norm::ZERO;
        let mut centred = Vec::with_capacity(weights.len());
        for ((weights, row), value) in weights.chunks_exact(right.len()).zip(rows).zip(left) {
            let start = centred.len();
            let row = multiply(row, unit, t);
            let weigh = |(&w, &column): (&u64, &u64)| centre(multiply(multiply(w, row, t), column, t), t);
            centred.extend(weights.iter().zip(&columns).map(weigh));
            noise += value.noise * weighted_noise(right, &centred[start..]);
        }
        if S::FORMS_TIMES_T {
            noise = noise * Norm::from(self.scheme().plaintext_modulus());
        }
        Ok((self.check(State { noise, ..self.zero(level) })?, centred))
    }

    /// What every value is multiplied by modulo t.
    fn units(&self, values: &[&State<S>], t: u64) -> Vec<u64> {
        values.iter().map(|value| self.scheme().form_unit(&value.message, t)).collect()
    }

    /// t, where it's an integer and a word.
    fn form_modulus(&self) -> Result<u64, SchemeError> {
        let t = self.scheme().plaintext_modulus();
        let integer = matches!(self.scheme().space(), Space::Integer(_));
        let narrow = t.to_u64().filter(|_| integer && t.bits() <= MAX_FORM_BITS);
        narrow.ok_or(SchemeError::FormModulus { bits: t.bits(), most: MAX_FORM_BITS })
    }
}

impl<S: Exact> Evaluator<S> {
    /// The same constant in every slot, taken modulo t: an encryption that hides nothing and has no noise but in BFV, that of
    /// rounding Q/t·c.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`].
    pub fn constant(&self, constant: impl Into<BigInt>, level: Level) -> Result<Ciphertext<S>, SchemeError> {
        not_above(level, self.params().max_level())?;
        let zero = Poly::zero(self.params().rlwe().q(level));
        let zero = RlweCiphertext { parts: vec![zero.clone(), zero] };
        self.add_constant(&self.with_state(zero, self.model.zero(level)), constant)
    }

    /// Σ wₖ·aₖ, slot by slot, for weights taken modulo t and ciphertexts of one level: one pass, reduced once.
    ///
    /// Noise: [`Model::weighted_sum`].
    ///
    /// # Errors
    /// [`SchemeError::FormModulus`], [`SchemeError::LevelMismatch`], [`SchemeError::NotRelinearised`],
    /// [`SchemeError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no ciphertexts, or not as many weights.
    pub fn weighted_sum(
        &self,
        values: &[&Ciphertext<S>],
        weights: &[u64],
    ) -> Result<Ciphertext<S>, SchemeError> {
        assert!(!values.is_empty() && values.len() == weights.len());
        let (state, weights) = self.model.weighted_sum(&self.states(values)?, weights)?;
        Ok(self.with_state(RlweCiphertext::weighted_sum(&parts(values), &weights), state))
    }

    /// Σⱼₖ wⱼₖ·leftⱼ·rightₖ, slot by slot, for weights taken modulo t, row j after row: as many tensor products as `left` has
    /// ciphertexts, one relinearisation, and a switch to the level that suits the noise. All ciphertexts have one level.
    ///
    /// Noise: [`Model::bilinear_form`], which in BFV is best for operands that have settled; then that of the key switch and
    /// the modulus switch.
    ///
    /// # Errors
    /// [`SchemeError::FormModulus`], [`SchemeError::LevelMismatch`], [`SchemeError::NotRelinearised`],
    /// [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no ciphertexts, or other than left·right weights.
    pub fn bilinear_form(
        &self,
        left: &[&Ciphertext<S>],
        weights: &[u64],
        right: &[&Ciphertext<S>],
    ) -> Result<Ciphertext<S>, SchemeError> {
        assert!(!left.is_empty() && !right.is_empty() && weights.len() == left.len() * right.len());
        self.keys().relinearisation(self.params().rlwe(), left[0].level())?;
        let (left_states, right_states) = (self.states(left)?, self.states(right)?);
        let (state, weights) = self.model.bilinear_form(&left_states, weights, &right_states)?;
        let mut form = RlweCiphertext::bilinear_form(&parts(left), &weights, &parts(right));
        if S::FORMS_TIMES_T {
            super::sum::scale(&mut form, &self.params().plaintext_modulus().clone().into());
        }
        self.relinearise_settled(self.with_state(form, state))
    }

    /// What is known of ciphertexts of these parameters and two parts.
    fn states<'c>(&self, values: &[&'c Ciphertext<S>]) -> Result<Vec<&'c State<S>>, SchemeError> {
        values.iter().map(|value| self.two_parts(value)).collect()
    }
}

fn parts<'a, S: Exact>(values: &[&'a Ciphertext<S>]) -> Vec<&'a RlweCiphertext> {
    values.iter().map(|value| &value.rlwe).collect()
}

/// Σ |wₖ|·Bₖ.
fn weighted_noise<S: Exact>(values: &[&State<S>], weights: &[i64]) -> Norm {
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
