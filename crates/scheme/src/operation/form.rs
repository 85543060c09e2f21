//! Linear and bilinear forms of many ciphertexts.

use asanoha_lattice::{Level, Norm, RlweCiphertext};
use asanoha_ring::Poly;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::{
    Ciphertext, Exact, Operand, Operations, SchemeError, Space, State, checks::same_level, not_above,
};

/// The widest plaintext modulus whose residues, centred, are weights of a form.
const MAX_FORM_BITS: u64 = 63;

impl<S: Exact, V: Operand<S>> Operations<S, V> {
    /// Returns a ciphertext of one public constant in every slot, taken modulo t.
    ///
    /// Noise: none; in BFV that of rounding Q/t·c.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub fn constant(&self, constant: impl Into<BigInt>, level: Level) -> Result<V, SchemeError> {
        not_above(level, self.params().max_level())?;
        let mut sum = V::produce(&self.means, &[], self.noiseless(level), |_, _| {
            let zero = Poly::zero(self.params().rlwe().q(level));
            Ok(RlweCiphertext { parts: vec![zero.clone(), zero] })
        })?;
        self.add_constant_assign(&mut sum, constant)?;
        Ok(sum)
    }

    /// Returns the weighted sum Σ wₖ·aₖ of ciphertexts of one level, slot by slot, with weights modulo t. Takes one pass and
    /// reduces once.
    ///
    /// Noise: Σ |vₖ|·Bₖ, where vₖ is wₖ times what makes the correction factors equal (BGV), modulo t and centred.
    ///
    /// # Errors
    /// [`SchemeError::FormModulus`], [`SchemeError::LevelMismatch`], [`SchemeError::NotRelinearised`],
    /// [`SchemeError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no ciphertexts, or the weights differ in number.
    pub fn weighted_sum(&self, values: &[&V], weights: &[u64]) -> Result<V, SchemeError> {
        assert!(!values.is_empty() && values.len() == weights.len());
        let (states, t) = (self.of_one_level(values)?, self.form_modulus()?);
        let units = self.units(&states, t);
        let weigh = |(&w, unit)| centre(multiply(w, unit, t), t);
        let weights: Vec<i64> = weights.iter().zip(units).map(weigh).collect();
        let noise = weighted_noise(&states, &weights);
        let state = self.model().check(State { noise, ..self.noiseless(states[0].level) })?;
        V::produce(&self.means, values, state, |values, _| {
            Ok(RlweCiphertext::weighted_sum(&polynomials(values), &weights))
        })
    }

    /// Returns the bilinear form Σⱼₖ wⱼₖ·leftⱼ·rightₖ of ciphertexts of one level, slot by slot, with weights modulo t in
    /// row-major order.
    ///
    /// Cost: one tensor product for each ciphertext of `left`, one relinearisation, and a switch to the level that suits the
    /// noise.
    ///
    /// Noise: Σⱼ Bⱼ·Σₖ |vⱼₖ|·Bₖ, with the vⱼₖ as in [`Operations::weighted_sum`]; then that of the key switch and the modulus
    /// switch.
    ///
    /// In BFV, where it's best for operands that have settled, vⱼₖ is −wⱼₖ/Q modulo t, and the noise |t| times that:
    /// t·Σⱼₖ vⱼₖ·leftⱼ·rightₖ modulo Q has the form's messages. With a = Q/t·m + e the integer t·a is t·e modulo Q, and
    /// t·e ≡ −Q·m modulo t. So t·v·a·b = t⁻¹·v·(t·a)·(t·b) is t⁻¹·x modulo Q for the integer
    /// x = v·t²·e·e' ≡ v·Q²·m·m' ≡ −Q·w·m·m' modulo t, which is Q/t·(w·m·m') + x/t. That beats products scaled by t/Q where
    /// the noises are as small as a switch leaves them, and takes no auxiliary modulus. Source: the exchange of the ends of
    /// the modulus in Alperin-Sheriff, Peikert 2013, Appendix A.
    ///
    /// # Errors
    /// [`SchemeError::FormModulus`], [`SchemeError::LevelMismatch`], [`SchemeError::NotRelinearised`],
    /// [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no ciphertexts, or the number of weights isn't left·right.
    pub fn bilinear_form(&self, left: &[&V], weights: &[u64], right: &[&V]) -> Result<V, SchemeError> {
        assert!(!left.is_empty() && !right.is_empty() && weights.len() == left.len() * right.len());
        let operands = [left, right].concat();
        let (states, t) = (self.of_one_level(&operands)?, self.form_modulus()?);
        let (level, (rows, columns)) = (states[0].level, states.split_at(left.len()));
        let unit = self.params().bilinear_unit(level, t);
        let column_units = self.units(columns, t);
        let mut noise = Norm::ZERO;
        let mut centred = Vec::with_capacity(weights.len());
        for ((weights, row), value) in weights.chunks_exact(right.len()).zip(self.units(rows, t)).zip(rows) {
            let start = centred.len();
            let row = multiply(row, unit, t);
            let weigh = |(&w, &column): (&u64, &u64)| centre(multiply(multiply(w, row, t), column, t), t);
            centred.extend(weights.iter().zip(&column_units).map(weigh));
            noise += value.noise * weighted_noise(columns, &centred[start..]);
        }
        if S::FORMS_TIMES_T {
            noise = noise * Norm::from(self.params().plaintext_modulus());
        }
        let state = self.model().check(State { noise, ..self.noiseless(level) })?;
        let form = V::produce(&self.means, &operands, state, |operands, _| {
            let operands = polynomials(operands);
            let (left, right) = operands.split_at(left.len());
            let mut form = RlweCiphertext::bilinear_form(left, &centred, right);
            if S::FORMS_TIMES_T {
                super::sum::scale(&mut form, &self.params().plaintext_modulus().clone().into());
            }
            Ok(form)
        })?;
        self.relinearise_settled(form)
    }

    /// What is known of a message without noise.
    fn noiseless(&self, level: Level) -> State<S> {
        State { level, noise: Norm::ZERO, message: self.params().plain_message() }
    }

    /// What is known of ciphertexts of these parameters, of two parts and of one level.
    fn of_one_level<'v>(&self, values: &[&'v V]) -> Result<Vec<&'v State<S>>, SchemeError> {
        let states: Vec<_> = values.iter().map(|value| self.two_parts(value)).collect::<Result<_, _>>()?;
        states.iter().try_for_each(|state| same_level(states[0].level, state.level))?;
        Ok(states)
    }

    /// What every value is multiplied by modulo t.
    fn units(&self, values: &[&State<S>], t: u64) -> Vec<u64> {
        values.iter().map(|value| self.params().form_unit(&value.message, t)).collect()
    }

    /// t, where it's an integer and a word.
    fn form_modulus(&self) -> Result<u64, SchemeError> {
        let t = self.params().plaintext_modulus();
        let integer = matches!(self.params().space(), Space::Integer(_));
        let narrow = t.to_u64().filter(|_| integer && t.bits() <= MAX_FORM_BITS);
        narrow.ok_or(SchemeError::FormModulus { bits: t.bits(), most: MAX_FORM_BITS })
    }
}

fn polynomials<'a, S: Exact>(values: &[&'a Ciphertext<S>]) -> Vec<&'a RlweCiphertext> {
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
