//! Powers that only `%` gives a meaning, and the line `modulo p`.

use num_rational::BigRational;
use num_traits::{One, Signed};

use super::{
    lexer::Token,
    parser_state::{Parsed, Parser},
};
use crate::{
    limits::MAX_EXPONENT,
    source::Place,
    tree::{Expression, ExpressionId},
};

/// The base and the exponent of a power of −1, which is an inverse beside `%`, or of more than numbers are raised to.
pub(super) fn power(expressions: &[(Expression, Place)], id: ExpressionId) -> Option<[ExpressionId; 2]> {
    let &Expression::Binary("**", base, exponent) = &expressions[id].0 else { return None };
    let number = |id: ExpressionId| match &expressions[id].0 {
        Expression::Number(value) => Some(value),
        _ => None,
    };
    let is_modular = match &expressions[exponent].0 {
        &Expression::Minus(id) => number(id).is_some_and(One::is_one),
        _ => number(exponent).is_some_and(|value| *value > BigRational::from_integer(MAX_EXPONENT.into())),
    };
    is_modular.then_some([base, exponent])
}

/// The word before the number.
const MODULO: &str = "modulo";

impl Parser<'_> {
    /// Takes back a power that was just read, the last expression, if only `%` gives it a meaning.
    pub(super) fn power_of_modulus(&mut self, left: ExpressionId) -> Option<[ExpressionId; 2]> {
        let power = power(&self.expressions, left).filter(|_| left + 1 == self.expressions.len());
        power.inspect(|_| drop(self.expressions.pop()))
    }

    /// Returns true if the line `modulo p` is next: a value of that name has a `=` behind it.
    pub(super) fn is_at_modulus(&self) -> bool {
        let is_word = matches!(self.peek(), Token::Name(name) if name == MODULO);
        is_word && !matches!(self.tokens.get(self.next + 1), Some((Token::Symbol("="), _)))
    }

    /// Reads the line `modulo p`, which stands before all assignments.
    pub(super) fn modulus_line(&mut self, is_first: bool) -> Parsed<()> {
        const FORM: &str = "the line is `modulo 65537`, with a whole number from 2 on";
        let at = self.place();
        if let Some((_, first)) = self.modulus {
            let help = format!("line {} has one already: a program has one modulus", first.line);
            return Err(self.error("a second line `modulo`", Some(&help)));
        }
        if !is_first {
            return Err(self.error("`modulo` stands below an assignment", Some("make it the first line")));
        }
        self.advance();
        let modulus = match self.peek() {
            Token::Number(value) if value.is_integer() && *value > BigRational::one() => value.clone(),
            other => {
                let message = format!("a modulus was expected here, not {}", other.describe());
                return Err(self.error(message, Some(FORM)));
            }
        };
        self.advance();
        if !matches!(self.peek(), Token::Newline | Token::End) {
            let message = format!("the end of the line was expected here, not {}", self.peek().describe());
            return Err(self.error(message, Some(FORM)));
        }
        self.modulus = Some((modulus, at));
        Ok(())
    }

    /// An operation of two values. Under `modulo p`, a power is one modulo p, a quotient a product with the inverse, and two values
    /// are equal if their residues are.
    pub(super) fn binary(
        &mut self,
        operator: &'static str,
        left: ExpressionId,
        right: ExpressionId,
        at: Place,
    ) -> Parsed<ExpressionId> {
        if self.modulus.is_none() {
            return self.push(Expression::Binary(operator, left, right), at);
        }
        match operator {
            "**" => self.power_modulo(left, right, at),
            "/" => {
                let one = self.push(Expression::Number(BigRational::one()), at)?;
                let exponent = self.push(Expression::Minus(one), at)?;
                let inverse = self.power_modulo(right, exponent, at)?;
                self.push(Expression::Binary("*", left, inverse), at)
            }
            "==" | "!=" => {
                let [left, right] = [self.reduced(left, at)?, self.reduced(right, at)?];
                self.push(Expression::Binary(operator, left, right), at)
            }
            _ => self.push(Expression::Binary(operator, left, right), at),
        }
    }

    fn power_modulo(
        &mut self,
        base: ExpressionId,
        exponent: ExpressionId,
        at: Place,
    ) -> Parsed<ExpressionId> {
        let modulus = self.modulus_here(at)?;
        self.push(Expression::Call("pow".to_owned(), vec![base, exponent, modulus]), at)
    }

    fn modulus_here(&mut self, at: Place) -> Parsed<ExpressionId> {
        let (modulus, _) = self.modulus.clone().expect("called under `modulo` only");
        self.push(Expression::Number(modulus), at)
    }

    /// A value modulo p; a constant below p as it is.
    fn reduced(&mut self, value: ExpressionId, at: Place) -> Parsed<ExpressionId> {
        if let (Expression::Number(number), Some((modulus, _))) = (self.expression_of(value), &self.modulus)
            && !number.is_negative()
            && number < modulus
        {
            return Ok(value);
        }
        let modulus = self.modulus_here(at)?;
        self.push(Expression::Binary("%", value, modulus), at)
    }

    /// The value of an assignment, modulo p unless it's a condition or a list.
    pub(super) fn reduced_result(&mut self, value: ExpressionId) -> Parsed<ExpressionId> {
        let is_condition = matches!(
            self.expression_of(value),
            Expression::Not(..)
                | Expression::List(_)
                | Expression::Entries(_)
                | Expression::Text(_)
                | Expression::Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or" | "&" | "|", ..)
        );
        if self.modulus.is_none() || is_condition {
            return Ok(value);
        }
        // Refusals of `%` name the value, and not the line `modulo`.
        let at = self.expressions[value].1;
        self.reduced(value, at)
    }
}
