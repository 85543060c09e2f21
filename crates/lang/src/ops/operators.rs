//! What the language says of its operators.

use super::entry::{Line, line};

/// The operators and what they give.
pub static OPERATORS: [Line; 7] = [
    line(
        &["a + b", "a - b", "-a", "a * b", "a ** n"],
        "any numbers; n a whole constant",
        "exact on whole numbers and decimals",
    ),
    line(&["a / c"], "c a constant", "exact on whole numbers and decimals"),
    line(
        &["a / b", "a ** -n"],
        "real numbers; a divisor whose range excludes 0",
        "approximate, computed as a times 1/b",
    ),
    line(
        &["a // b", "a % b"],
        "whole numbers and decimals",
        "quotient rounded towards −∞, and remainder with the divisor's sign, as in Python",
    ),
    line(&["<", "<=", ">", ">="], "any numbers; real ones up to a gap", "1 or 0"),
    line(&["==", "!="], "whole numbers and decimals, or a text column and a text", "1 or 0"),
    line(
        &["a and b", "a or b", "not a", "0 < x <= 5"],
        "conditions: comparisons, columns of 0 and 1; whole numbers",
        "1 or 0; every number except 0 is true",
    ),
];
