//! Noise prediction.

use asanoha_lattice::{Level, NoiseModel, Norm};

use crate::{Operations, Scheme, SchemeError, State};

/// Between what a ciphertext holds and what its modulus does, in bits: far more than double precision loses in sums of bounds,
/// in finding the centred representative or in rounding at decryption, and nothing to a plan.
const MARGIN_BITS: f64 = 1.0 / (1u64 << 20) as f64;

/// The noise model: every operation on what is known of ciphertexts, with the noise of each. All fail with
/// [`SchemeError::OutOfModulus`] where the result wouldn't be decryptable.
pub type Model<S> = Operations<S, State<S>>;

/// What a noise model works with.
#[derive(Clone, Debug)]
pub struct Bounds<S: Scheme> {
    scheme: S,
    lattice: NoiseModel,
    /// The noise factor: t in BGV, 1 elsewhere.
    factor: Norm,
}

impl<S: Scheme> Model<S> {
    /// For these parameters; a bound fails with a probability of at most 2^−160 a polynomial.
    pub fn new(scheme: &S) -> Self {
        Self::with_lattice(scheme, *scheme.rlwe().noise())
    }

    /// By another model of what the lattice operations add, for comparison, such as the literature's
    /// ([`NoiseModel::of_deviations`]), whose bounds fail more often.
    pub fn with_lattice(scheme: &S, lattice: NoiseModel) -> Self {
        let factor = scheme.rlwe().noise_factor().into();
        Self { means: Bounds { scheme: scheme.clone(), lattice, factor } }
    }

    /// The parameters.
    pub fn scheme(&self) -> &S {
        &self.means.scheme
    }

    /// Bounds on what the lattice operations add, in units of the noise factor.
    pub fn lattice(&self) -> &NoiseModel {
        &self.means.lattice
    }

    /// A norm in units of the noise factor, as noise.
    pub(crate) fn noise(&self, norm: f64) -> Norm {
        self.means.factor * norm
    }

    /// log2 of what [`Scheme::held`] must stay below at a level.
    pub fn available_bits(&self, level: Level) -> f64 {
        let log2_q = self.scheme().rlwe().q(level).log2_product();
        log2_q - self.scheme().reserved_bits(self.lattice()) - 1.0 - MARGIN_BITS
    }

    /// What is left of the modulus, in bits.
    pub fn budget_bits(&self, state: &State<S>) -> f64 {
        self.available_bits(state.level) - self.scheme().held(state).log2()
    }

    /// Whether a ciphertext of this state decrypts; gives the state back.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn check(&self, state: State<S>) -> Result<State<S>, SchemeError> {
        let (needed_bits, available_bits) =
            (self.scheme().held(&state).log2(), self.available_bits(state.level));
        if needed_bits < available_bits {
            Ok(state)
        } else {
            Err(SchemeError::OutOfModulus { needed_bits, available_bits, level: state.level.0 })
        }
    }

    /// What dividing a ciphertext of so many parts adds: f·(r₀ + r₁·s + …), the rᵢ uniform in [−½, ½], f the noise factor.
    pub fn rounding(&self, parts: usize) -> Norm {
        self.noise(self.lattice().rounding(parts))
    }

    /// A fresh encryption under the public key: f·(e·u + e₀ + e₁·s) over a special prime, the division's rounding, and what
    /// the encoding adds.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn fresh_public(&self, level: Level, public: &S::Public) -> Result<State<S>, SchemeError> {
        self.fresh(level, public, self.scheme().rlwe().fresh_public_noise(self.lattice()))
    }

    /// A fresh encryption under the secret key: f·e, and what the encoding adds.
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
