//! Scales and bounds: how polynomials carry values.

use asanoha_scheme::SchemeError;
use serde::{Deserialize, Serialize};

/// Half a unit in the last place of a double, relative.
pub(crate) const ROUNDING: f64 = f64::EPSILON / 2.0;

/// How a ciphertext or a plaintext carries the slots' values: everyone sees both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaled {
    /// The factor between values and coefficients.
    pub scale: f64,
    /// Bound on the absolute values of the slots.
    pub bound: f64,
}

impl Scaled {
    /// bound·scale.
    pub(crate) fn size(self) -> f64 {
        self.bound * self.scale
    }
}

/// A constant that slots are multiplied by: the integer round(value·scale).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledConstant {
    /// The constant.
    pub value: f64,
    /// The scale that a ciphertext's is multiplied by.
    pub scale: f64,
}

impl From<(f64, f64)> for ScaledConstant {
    fn from((value, scale): (f64, f64)) -> Self {
        Self { value, scale }
    }
}

pub(crate) fn valid_scale(scale: f64) -> Result<f64, SchemeError> {
    if scale.is_finite() && scale > 0.0 { Ok(scale) } else { Err(SchemeError::InvalidScale { scale }) }
}
