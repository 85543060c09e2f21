//! The functions of two whole numbers that have names.

use std::{cmp::Ordering, fmt};

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

/// ⌊a/b⌋; 0 for b = 0.
pub fn quotient(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { a.wrapping_sub(remainder(a, b)).wrapping_div(b) }
}

/// a − b·⌊a/b⌋, of the sign of b; a for b = 0.
pub fn remainder(a: i64, b: i64) -> i64 {
    if b == 0 {
        return a;
    }
    let remainder = a.wrapping_rem(b);
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_round_down_and_remainders_have_the_divisor_s_sign() {
        for a in -20i64..=20 {
            for b in -20i64..=20 {
                assert_eq!(a, b * quotient(a, b) + remainder(a, b));
                if b != 0 {
                    assert_eq!(quotient(a, b), (a as f64 / b as f64).floor() as i64);
                }
            }
        }
        assert_eq!((quotient(7, 0), remainder(7, 0)), (0, 7));
        assert_eq!((quotient(-7, 2), remainder(-7, 2)), (-4, 1));
        assert_eq!((quotient(7, -2), remainder(7, -2)), (-4, -1));
    }
}
