//! Noise prediction.

use asanoha_lattice::{Level, NoiseModel, Norm};

use crate::{Operations, Scheme, SchemeError, State};

/// Between what a ciphertext holds and what its modulus does, in bits: far more than double precision loses in sums of bounds,
/// in finding the centred representative or in rounding at decryption, and nothing to a plan.
const MARGIN_BITS: f64 = 1.0 / (1u64 << 20) as f64;

/// The noise model: predicts the state of every operation's result, without ciphertexts.
///
/// All operations fail with [`SchemeError::OutOfModulus`] if the result wouldn't be decryptable.
pub type Model<S> = Operations<S, State<S>>;

/// The parameters and bounds of a noise model.
#[derive(Clone, Debug)]
pub struct Bounds<S: Scheme> {
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
        Self { means: Bounds { scheme: scheme.clone(), lattice, factor } }
    }

    /// Returns the parameters.
    pub fn scheme(&self) -> &S {
        &self.means.scheme
    }

    /// Returns the bounds on what the lattice operations add, in units of the noise factor.
    pub fn lattice(&self) -> &NoiseModel {
        &self.means.lattice
    }

    /// A norm in units of the noise factor, as noise.
    pub(crate) fn noise(&self, norm: f64) -> Norm {
        self.means.factor * norm
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
}
