//! The state of a ciphertext: its level, noise bound and message, without its polynomials.

use asanoha_lattice::{Level, Norm};

use crate::{Approximate, Scheme, SchemeError};

/// The state of a ciphertext that noise prediction uses.
///
/// The evaluator asks [`crate::Model`] for every result's state. A plan that asks for the same states in the same order
/// predicts every ciphertext's state exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S: Scheme> {
    /// The level.
    pub level: Level,
    /// Bound on the canonical norm of the noise. What counts as noise is the scheme's to say; in BGV the message is in it.
    pub noise: Norm,
    /// How the message stands in the polynomials.
    pub message: S::Message,
}

impl<S: Scheme> State<S> {
    /// Returns the state with another noise bound.
    pub fn with_noise(&self, noise: Norm) -> Self {
        Self { level: self.level, noise, message: self.message.clone() }
    }

    /// Refuses operands of different levels.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`].
    pub(crate) fn of_one_level(&self, other: &Self) -> Result<(), SchemeError> {
        same_level(self.level, other.level)
    }
}

impl<S: Approximate> State<S> {
    /// Lowers the bound on the values to one that the caller knows. A wider bound changes nothing.
    ///
    /// # Errors
    /// [`SchemeError::InvalidBound`] if it's negative or not a number.
    pub fn narrow_bound(&self, bound: f64) -> Result<Self, SchemeError> {
        Ok(Self { message: S::narrowed(&self.message, bound)?, ..self.clone() })
    }

    /// Returns the scale: the factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        S::scale(&self.message)
    }

    /// Returns a bound on the absolute values of the slots.
    pub fn bound(&self) -> f64 {
        S::bound(&self.message)
    }

    /// Returns a bound on the error of every slot: noise over scale.
    pub fn error_bound(&self) -> f64 {
        self.noise.to_f64() / self.scale()
    }
}

/// Refuses different levels.
pub(crate) fn same_level(left: Level, right: Level) -> Result<(), SchemeError> {
    if left == right { Ok(()) } else { Err(SchemeError::LevelMismatch { left: left.0, right: right.0 }) }
}

/// Refuses a level above the highest possible.
///
/// # Errors
/// [`SchemeError::LevelTooHigh`].
pub fn not_above(asked: Level, highest: Level) -> Result<(), SchemeError> {
    if asked <= highest {
        Ok(())
    } else {
        Err(SchemeError::LevelTooHigh { asked: asked.0, highest: highest.0 })
    }
}

/// Refuses parameters that aren't the ones expected. It compares two pointers, or digests where the parameters were
/// checked apart.
///
/// # Errors
/// [`SchemeError::OtherParameters`].
pub fn same_parameters<S: Scheme>(expected: &S, found: &S) -> Result<(), SchemeError> {
    if expected == found {
        return Ok(());
    }
    Err(SchemeError::OtherParameters { expected: expected.describe(), found: found.describe() })
}
