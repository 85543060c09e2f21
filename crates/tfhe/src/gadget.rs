//! Gadgets as written down.

use serde::{Deserialize, Serialize};

/// Digits of a gadget decomposition: `levels` digits of `digit_bits` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GadgetLiteral {
    /// Bits of a digit.
    pub digit_bits: u32,
    /// The number of digits.
    pub levels: u32,
}

impl GadgetLiteral {
    /// The mean square of a digit, (B² + 2)/12: digits are uniform from −B/2 to B/2 − 1.
    pub(crate) fn digit_square(self) -> f64 {
        (4f64.powi(self.digit_bits as i32) + 2.0) / 12.0
    }

    /// The variance of what rounding to the digits leaves of a torus word: 1/(12·B^(2·levels)).
    pub(crate) fn rounding(self) -> f64 {
        4f64.powi(-((self.digit_bits * self.levels) as i32)) / 12.0
    }
}
