//! Noise prediction.

use asanoha_lattice::{Level, LevelTooLow, NoiseModel, Norm};

use crate::{ProductLevel, Scheme, SchemeError, State, not_above};

/// Between what a ciphertext holds and what its modulus does, in bits: far more than double precision loses in sums of bounds,
/// in finding the centred representative or in rounding at decryption, and nothing to a plan.
const MARGIN_BITS: f64 = 1.0 / (1u64 << 20) as f64;

/// How many polynomials a ciphertext has that isn't said to have more.
pub(crate) const TWO_PARTS: usize = 2;

/// The noise model: bounds the noise of fresh ciphertexts, key switches and divisions, and says which states decrypt.
///
/// A [`crate::Predictor`] predicts with it the state of every operation's result, without ciphertexts. All of its functions fail
/// with [`SchemeError::OutOfModulus`] if the result wouldn't be decryptable.
#[derive(Clone, Debug)]
pub struct Model<S: Scheme> {
    scheme: S,
    lattice: NoiseModel,
    /// The noise factor: t in BGV, 1 elsewhere.
    factor: Norm,
}

impl<S: Scheme> Model<S> {
    /// Creates the noise model of these parameters; a bound fails with a probability of at most 2^−160 a polynomial.
    pub fn new(scheme: &S) -> Self {
        Self::with_lattice(scheme, *scheme.rlwe().noise())
    }

    /// Creates a noise model with other bounds on what the lattice operations add, for comparison. Those of the literature
    /// ([`NoiseModel::of_deviations`]) fail more often.
    pub fn with_lattice(scheme: &S, lattice: NoiseModel) -> Self {
        let factor = scheme.rlwe().noise_factor().into();
        Self { scheme: scheme.clone(), lattice, factor }
    }

    /// Returns the parameters.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Returns the bounds on what the lattice operations add, in units of the noise factor.
    pub fn lattice(&self) -> &NoiseModel {
        &self.lattice
    }

    /// A norm in units of the noise factor, as noise.
    pub(crate) fn noise(&self, norm: f64) -> Norm {
        self.factor * norm
    }

    /// Returns log2 of the limit that [`Scheme::decryption_bound`] must stay below at a level.
    pub fn available_bits(&self, level: Level) -> f64 {
        let log2_q = self.scheme().rlwe().q(level).log2_product();
        log2_q - self.scheme().reserved_bits(self.lattice()) - 1.0 - MARGIN_BITS
    }

    /// Returns the noise budget of a state, in bits.
    pub fn budget_bits(&self, state: &State<S>) -> f64 {
        self.available_bits(state.level) - self.scheme().decryption_bound(state).log2()
    }

    /// Checks that a ciphertext of this state decrypts, and returns the state.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn check(&self, state: State<S>) -> Result<State<S>, SchemeError> {
        let (needed_bits, available_bits) =
            (self.scheme().decryption_bound(&state).log2(), self.available_bits(state.level));
        if needed_bits < available_bits {
            Ok(state)
        } else {
            Err(SchemeError::OutOfModulus { needed_bits, available_bits, level: state.level.0 })
        }
    }

    /// Returns the noise that dividing a ciphertext of `parts` components adds: f·(r₀ + r₁·s + …), the rᵢ uniform in [−½, ½], f
    /// the noise factor.
    pub fn rounding(&self, parts: usize) -> Norm {
        self.noise(self.lattice().rounding(parts))
    }

    /// Returns the state of a fresh encryption under the public key.
    ///
    /// Noise: f·(e·u + e₀ + e₁·s) over a special prime, the division's rounding, and the encoding's error.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn fresh_public(&self, level: Level, public: &S::Public) -> Result<State<S>, SchemeError> {
        self.fresh(level, public, self.scheme().rlwe().fresh_public_noise(self.lattice()))
    }

    /// Returns the state of a fresh encryption under the secret key. Noise: f·e and the encoding's error.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn fresh_secret(&self, level: Level, public: &S::Public) -> Result<State<S>, SchemeError> {
        self.fresh(level, public, self.lattice().fresh_secret())
    }

    fn fresh(&self, level: Level, public: &S::Public, encryption: f64) -> Result<State<S>, SchemeError> {
        let (message, encoding) = self.scheme().encoded(public);
        self.check(State { level, noise: self.noise(encryption) + encoding, message })
    }

    /// Returns the state after one key switch (a relinearisation, rotation, row swap or conjugation), which adds its noise.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn key_switch(&self, a: &State<S>) -> Result<State<S>, SchemeError> {
        let added = self.scheme().rlwe().switch_sum_noise(self.lattice(), a.level, 1);
        self.check(a.with_noise(a.noise + self.noise(added)))
    }

    /// Returns the state of a ciphertext of `parts` components after division by the product D of the primes above a level.
    ///
    /// Noise: divided by D, plus that of the rounding, f·(r₀ + r₁·s + …).
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub fn divide_to(&self, a: &State<S>, parts: usize, level: Level) -> Result<State<S>, SchemeError> {
        not_above(level, a.level)?;
        if level == a.level {
            return Ok(a.clone());
        }
        let dropped = self.scheme().rlwe().q(a.level).range(level.0 + 1..a.level.0 + 1);
        // Divided from the last prime on, as single divisions do, so that the results are the same to the bit.
        let divide = |noise, i| noise / dropped.modulus(i).value() as f64;
        let noise = (0..dropped.len()).rev().fold(a.noise, divide) + self.rounding(parts);
        self.check(State { level, noise, message: self.scheme().divided(&a.message, &dropped) })
    }

    /// Returns the state of a ciphertext of `parts` components after a switch to a lower level: divided, or where primes are
    /// forgotten ([`Scheme::SWITCHES_BY_DIVISION`]) as it is, with less room.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub fn switch_to(&self, a: &State<S>, parts: usize, level: Level) -> Result<State<S>, SchemeError> {
        if S::SWITCHES_BY_DIVISION {
            return self.divide_to(a, parts, level);
        }
        not_above(level, a.level)?;
        self.check(State { level, ..a.clone() })
    }

    /// Returns the state of a ciphertext of `parts` components that a multiple ([`Scheme::multiple_for`]) has brought to a lower
    /// level and the scale that ciphertexts have there.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub(crate) fn adjust_to(
        &self,
        a: &State<S>,
        multiple: State<S>,
        parts: usize,
        level: Level,
    ) -> Result<State<S>, SchemeError> {
        self.switch_to(a, parts, multiple.level)?;
        let divided = self.divide_to(&self.check(multiple)?, parts, level)?;
        self.check(self.scheme().canonical(divided))
    }

    /// Returns the level that a ciphertext of two components is best switched to: below the primes that only hold noise.
    ///
    /// Switching divides the noise B by q, but never below the rounding noise. A prime is dropped if that wastes less than half
    /// of it, and only if the result stays decryptable. So with primes of about a product's growth each product costs one
    /// prime.
    pub fn settled(&self, state: &State<S>) -> Level {
        self.switched_while(state, f64::sqrt)
    }

    /// Returns the level of [`Model::settled`], but drops a prime only if that wastes less than a seventh of a bit of it.
    ///
    /// Use it for long chains of products with ciphertexts of little noise, which the remaining noise doesn't harm.
    pub fn lossless(&self, state: &State<S>) -> Level {
        self.switched_while(state, |prime| prime / 1.1)
    }

    /// The level above the first prime whose dropping takes less from the noise than a factor that follows from the prime.
    fn switched_while(&self, state: &State<S>, least: impl Fn(f64) -> f64) -> Level {
        let mut settled = state.clone();
        while settled.level > Level(0) {
            let prime = self.scheme().rlwe().q(settled.level).modulus(settled.level.0).value() as f64;
            let Ok(below) = self.switch_to(&settled, TWO_PARTS, Level(settled.level.0 - 1)) else { break };
            if below.noise > settled.noise * least(prime).recip() {
                break;
            }
            settled = below;
        }
        settled.level
    }

    /// Returns the level that a product of two components is brought to.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooLow`] if there's none below.
    pub(crate) fn product_level(&self, a: &State<S>, rule: ProductLevel) -> Result<Level, SchemeError> {
        match rule {
            ProductLevel::Below => below(a.level),
            ProductLevel::Settled => Ok(self.settled(a)),
            ProductLevel::Lossless => Ok(self.lossless(a)),
        }
    }
}

/// The level below.
///
/// # Errors
/// [`SchemeError::LevelTooLow`].
pub(crate) fn below(level: Level) -> Result<Level, SchemeError> {
    let below = level.0.checked_sub(1).ok_or(LevelTooLow { needed: 1, found: 0 })?;
    Ok(Level(below))
}
