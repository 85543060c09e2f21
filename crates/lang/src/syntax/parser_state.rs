//! The state of the parser: tokens, and the expressions that were read.

use std::collections::BTreeMap;

use num_rational::BigRational;

use super::{lexer::Token, weights::Weights};
use crate::{
    error::ProgramError,
    limits::MAX_EXPRESSIONS,
    source::{Place, Source},
    tree::{Expression, ExpressionId},
};

pub(super) struct Parser<'a> {
    pub(super) source: Source<'a>,
    pub(super) tokens: Vec<(Token, Place)>,
    pub(super) next: usize,
    pub(super) depth: usize,
    pub(super) expressions: Vec<(Expression, Place)>,
    /// The conditions that are joined, between the nearest brackets.
    pub(super) joined: Joined,
    pub(super) weights: &'a BTreeMap<String, Weights>,
    /// The number that the line `modulo p` gives, and the line's place.
    pub(super) modulus: Option<(BigRational, Place)>,
}

/// Conditions that are joined: tools differ in what binds closer, and what they'd read otherwise is refused.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each tells of the operands, in any combination")]
pub(super) struct Joined {
    pub(super) by_words: bool,
    pub(super) by_signs: bool,
    /// A comparison without brackets is among them.
    pub(super) compared: bool,
    /// A value without brackets or sign is among them.
    pub(super) bare: bool,
}

/// Errors are in boxes: each level of a nested expression has a dozen of these on the stack.
pub(super) type Parsed<T> = Result<T, Box<ProgramError>>;

impl Parser<'_> {
    pub(super) fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(token, _)| token)
    }

    pub(super) fn expression_of(&self, id: ExpressionId) -> &Expression {
        &self.expressions[id].0
    }

    pub(super) fn place(&self) -> Place {
        let last = self.tokens.len() - 1;
        self.tokens[self.next.min(last)].1
    }

    pub(super) fn advance(&mut self) {
        self.next += 1;
    }

    pub(super) fn symbol(&self, wanted: &[&'static str]) -> Option<&'static str> {
        match self.peek() {
            Token::Symbol(symbol) if wanted.contains(symbol) => Some(symbol),
            _ => None,
        }
    }

    #[expect(clippy::unnecessary_box_returns, reason = "it goes into results as it is")]
    pub(super) fn error(&self, message: impl Into<String>, help: Option<&str>) -> Box<ProgramError> {
        self.source.error(self.place(), message, help.map(str::to_owned)).into()
    }

    pub(super) fn push(&mut self, expression: Expression, at: Place) -> Parsed<ExpressionId> {
        if self.expressions.len() >= MAX_EXPRESSIONS {
            let message = format!("the program has more than {MAX_EXPRESSIONS} expressions");
            return Err(self.source.error(at, message, None).into());
        }
        self.check_dates(&expression, at)?;
        self.expressions.push((expression, at));
        Ok(self.expressions.len() - 1)
    }

    /// Refuses arithmetic on a date that no date has, which is a subtraction that somebody wrote without spaces.
    fn check_dates(&self, expression: &Expression, at: Place) -> Parsed<()> {
        let is_date = |id: &&ExpressionId| matches!(self.expressions[**id].0, Expression::Date(_));
        let are_dates = |of: &[ExpressionId]| of.iter().filter(is_date).count();
        let (is_wrong, operator) = match expression {
            &Expression::Binary(operator @ ("*" | "/" | "//" | "%" | "**"), a, b) => {
                (are_dates(&[a, b]) > 0, operator)
            }
            &Expression::Binary("+", a, b) => (are_dates(&[a, b]) == 2, "+"),
            &Expression::Minus(a) | &Expression::Plus(a) => (are_dates(&[a]) > 0, "-"),
            _ => (false, ""),
        };
        if !is_wrong {
            return Ok(());
        }
        let help = "dates are compared and subtracted; a subtraction of numbers has spaces, `2026 - 11 - 23`";
        Err(self
            .source
            .error(at, format!("`{operator}` takes numbers, and not dates"), Some(help.to_owned()))
            .into())
    }

    pub(super) fn close(&mut self, opened: Place, open: &'static str, close: &'static str) -> Parsed<()> {
        if self.symbol(&[close]).is_none() {
            let message = format!("`{close}` was expected here, not {}", self.peek().describe());
            let help = match self.peek() {
                Token::Symbol("=") => "equality is written `==`".to_owned(),
                Token::Symbol(";") => "arguments are separated by commas".to_owned(),
                Token::Symbol("[") => {
                    "rows are picked by a condition beside the column, as in `mean(x, c > 3)`".to_owned()
                }
                Token::Name(name) if name == "in" => {
                    "write the list after `in` alone: `x in [3, 5]`".to_owned()
                }
                _ => format!("the `{open}` at line {}, column {} is not closed", opened.line, opened.column),
            };
            return Err(self.error(message, Some(&help)));
        }
        self.advance();
        Ok(())
    }
}
