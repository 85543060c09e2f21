//! The functions of two variables that have names.

use std::fmt;

use crate::division::{quotient, remainder};

/// A function of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryFunction {
    /// ⌊a/b⌋, rounded towards −∞; 0 for b = 0.
    Quotient,
    /// a − b·⌊a/b⌋, of the sign of b; a for b = 0.
    Remainder,
    /// 1 if a < b, else 0.
    Less,
    /// 1 if a ≤ b, else 0.
    LessOrEqual,
    /// 1 if a > b, else 0.
    Greater,
    /// 1 if a ≥ b, else 0.
    GreaterOrEqual,
    /// 1 if a = b, else 0.
    Equal,
    /// 1 if a ≠ b, else 0.
    NotEqual,
    /// The smaller one.
    Minimum,
    /// The greater one.
    Maximum,
}

impl BinaryFunction {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Quotient,
        Self::Remainder,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::Equal,
        Self::NotEqual,
        Self::Minimum,
        Self::Maximum,
    ];

    /// Its value.
    pub fn value(self, a: i64, b: i64) -> i64 {
        match self {
            Self::Quotient => quotient(a, b),
            Self::Remainder => remainder(a, b),
            Self::Less => i64::from(a < b),
            Self::LessOrEqual => i64::from(a <= b),
            Self::Greater => i64::from(a > b),
            Self::GreaterOrEqual => i64::from(a >= b),
            Self::Equal => i64::from(a == b),
            Self::NotEqual => i64::from(a != b),
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
        }
    }

    /// The same function by the difference; `None` for division.
    pub(crate) fn of_difference(self) -> Option<OfDifference> {
        let (value, adds_right): (fn(i64) -> i64, bool) = match self {
            Self::Quotient | Self::Remainder => return None,
            Self::Less => (|d| i64::from(d < 0), false),
            Self::LessOrEqual => (|d| i64::from(d <= 0), false),
            Self::Greater => (|d| i64::from(d > 0), false),
            Self::GreaterOrEqual => (|d| i64::from(d >= 0), false),
            Self::Equal => (|d| i64::from(d == 0), false),
            Self::NotEqual => (|d| i64::from(d != 0), false),
            Self::Minimum => (|d| d.min(0), true),
            Self::Maximum => (|d| d.max(0), true),
        };
        Some(OfDifference { value, adds_right })
    }
}

/// A function of a and b as one of d = a − b.
pub(crate) struct OfDifference {
    /// The function of d.
    pub(crate) value: fn(i64) -> i64,
    /// Whether b is added to it.
    pub(crate) adds_right: bool,
}

impl fmt::Display for BinaryFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quotient => "a // b",
            Self::Remainder => "a % b",
            Self::Less => "a < b",
            Self::LessOrEqual => "a <= b",
            Self::Greater => "a > b",
            Self::GreaterOrEqual => "a >= b",
            Self::Equal => "a == b",
            Self::NotEqual => "a != b",
            Self::Minimum => "min(a, b)",
            Self::Maximum => "max(a, b)",
        })
    }
}
