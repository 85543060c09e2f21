//! The operators of the language: how they're written, and what each becomes.

use asanoha_numeric::BinaryFunction;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use super::{
    binary::binary,
    entry::{CallError, Line, Passed, line},
    logic::{both, either, neither},
    power::power,
    power_modulo::power_modulo,
    reciprocal::div,
    text::category,
};
use crate::{
    builder::{apply::apply, terms::Terms},
    ids::Term,
};

/// An operator of two values, `+ - * / // % **`, a comparison, `and` or `or`, or of one, `-` or `not`.
///
/// # Errors
/// Operands that the operator doesn't take.
pub fn operator(terms: &mut Terms, symbol: &str, arguments: &[Passed]) -> Result<Term, CallError> {
    let dated;
    let arguments = if ORDERS.contains(&symbol) {
        dated = arguments.iter().map(|argument| argument.as_date(terms)).collect::<Result<Vec<_>, _>>()?;
        &dated[..]
    } else {
        arguments
    };
    match (symbol, arguments) {
        ("-", [a]) => return Ok(terms.neg(a.value()?)?),
        ("not" | "~" | "!", [a]) => return Ok(neither(terms, a.value()?)?),
        ("&" | "|", [a, b]) => {
            for value in [a.value()?, b.value()?] {
                if terms.constant_value(value)?.is_some() {
                    let help =
                        "bits of numbers aren't computed with; a comparison beside it stands in brackets";
                    return Err(CallError::new(format!("`{symbol}` joins two conditions"), Some(help)));
                }
            }
        }
        ("==" | "!=", [Passed::Text(text), column] | [column, Passed::Text(text)])
            if !matches!(column, Passed::Text(_)) =>
        {
            return Ok(category(terms, column.value()?, text, symbol == "==")?);
        }
        _ => {}
    }
    let [a, b] = arguments else { return Err(unknown(symbol, arguments)) };
    let (a, b) = (a.value()?, b.value()?);
    if symbol == "%"
        && let Some(modulus) = terms.constant_value(b)?
        && modulus.is_positive()
        && modulus.is_integer()
        && modulus.to_i64().is_none()
    {
        return Ok(power_modulo(terms, a, &BigRational::one(), &modulus)?);
    }
    Ok(match symbol {
        "+" => terms.add(a, b),
        "-" => terms.sub(a, b),
        "*" => terms.mul(a, b),
        "/" => div(terms, a, b),
        "**" => power(terms, a, b),
        "and" | "&" => both(terms, a, b),
        "or" | "|" => either(terms, a, b),
        _ => {
            let function = BinaryFunction::ALL.into_iter().find(|function| function.symbol() == symbol);
            apply(terms, binary(function.ok_or_else(|| unknown(symbol, arguments))?), &[a, b])
        }
    }?)
}

/// Orders, of which text has none: a date in quotes is one of numbers. Equality with it is told once the column is known.
const ORDERS: [&str; 4] = ["<", "<=", ">", ">="];

fn unknown(symbol: &str, arguments: &[Passed]) -> CallError {
    CallError::new(format!("there is no operator `{symbol}` of {} values", arguments.len()), None)
}

/// The operators and what they give.
pub static OPERATORS: [Line; 9] = [
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
        &["a / b"],
        "a result of two numbers over all rows, such as sum(x) / sum(y)",
        "exact, finished after decryption",
    ),
    line(
        &["a // b", "a % b"],
        "whole numbers and decimals",
        "quotient rounded towards −∞, and remainder with the divisor's sign, as in Python",
    ),
    line(&["<", "<=", ">", ">="], "any numbers; real ones up to a gap", "1 or 0"),
    line(&["x in [a, b, …]", "x not in [a, b, …]"], "as `==`", "1 or 0"),
    line(&["==", "!=", "<>"], "whole numbers and decimals, or a text column and a text", "1 or 0"),
    line(
        &["a and b", "a or b", "not a", "0 < x <= 5"],
        "conditions: comparisons, columns of 0 and 1; whole numbers",
        "1 or 0; every number except 0 is true",
    ),
];
