//! The functions of two variables that have names.

use std::{cmp::Ordering, fmt};

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

    /// How it is written, between its operands or before them.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Quotient => "//",
            Self::Remainder => "%",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Minimum => "min",
            Self::Maximum => "max",
        }
    }

    /// Whether it's a quotient or a remainder. All others are functions of the difference: f(a, b) = f(a − b, 0), to which
    /// minimum and maximum add b ([`Self::adds_right`]).
    pub fn is_division(self) -> bool {
        matches!(self, Self::Quotient | Self::Remainder)
    }

    /// Whether it's the minimum or the maximum.
    pub fn adds_right(self) -> bool {
        matches!(self, Self::Minimum | Self::Maximum)
    }

    /// Whether a comparison holds of operands in some order; `None` for all else.
    pub fn holds(self, order: Ordering) -> Option<bool> {
        match self {
            Self::Less => Some(order.is_lt()),
            Self::LessOrEqual => Some(order.is_le()),
            Self::Greater => Some(order.is_gt()),
            Self::GreaterOrEqual => Some(order.is_ge()),
            Self::Equal => Some(order.is_eq()),
            Self::NotEqual => Some(order.is_ne()),
            Self::Quotient | Self::Remainder | Self::Minimum | Self::Maximum => None,
        }
    }

    /// Its value.
    pub fn value(self, a: i64, b: i64) -> i64 {
        match self {
            Self::Quotient => quotient(a, b),
            Self::Remainder => remainder(a, b),
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
            comparison => comparison.holds(a.cmp(&b)).unwrap_or_default().into(),
        }
    }
}

impl fmt::Display for BinaryFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol = self.symbol();
        if self.adds_right() { write!(f, "{symbol}(a, b)") } else { write!(f, "a {symbol} b") }
    }
}
