//! Lists of numbers by texts, and of weights.

use asanoha_table::advice::Advice;
use num_rational::BigRational;

use super::{
    parser_state::{Parsed, Parser},
    weights::Weights,
};
use crate::{
    source::Place,
    tree::{Expression, ExpressionId},
};

impl<'a> Parser<'a> {
    /// The weights of a name, which is the next token.
    pub(super) fn weights_of(&self, name: &str) -> Parsed<&'a Weights> {
        self.weights.get(name).ok_or_else(|| {
            let mut error = self.error(format!("there are no weights `{name}`"), None);
            error.advice = vec![Advice::Weights { name: name.to_owned() }];
            error
        })
    }

    /// A list of constants.
    pub(super) fn constants<'b>(
        &mut self,
        values: impl Iterator<Item = &'b BigRational>,
        at: Place,
    ) -> Parsed<ExpressionId> {
        let items = values.map(|value| self.push(Expression::Number(value.clone()), at));
        let items = items.collect::<Result<_, _>>()?;
        self.push(Expression::List(items), at)
    }

    /// The sum of the columns that weights are named after, each times its weight, and of the weight of none.
    pub(super) fn linear(&mut self, weights: &Weights, at: Place) -> Parsed<ExpressionId> {
        let Some(names) = &weights.names else {
            let help = "its file needs a first line with the names of the columns";
            let error = self.source.error(at, "`linear` takes weights with names", Some(help.to_owned()));
            return Err(error.into());
        };
        let is_constant = |name: &String| name == "intercept" || name == "bias";
        let named = || names.iter().zip(&weights.values);
        let columns = named().filter(|(name, _)| !is_constant(name));
        let items = columns.clone().map(|(name, _)| self.push(Expression::Column(name.clone()), at));
        let items = items.collect::<Result<_, _>>()?;
        let lists = vec![
            self.push(Expression::List(items), at)?,
            self.constants(columns.map(|(_, value)| value), at)?,
        ];
        let mut sum = self.push(Expression::Call("dot".to_owned(), lists), at)?;
        for (_, value) in named().filter(|(name, _)| is_constant(name)) {
            let constant = self.push(Expression::Number(value.clone()), at)?;
            sum = self.push(Expression::Binary("+", sum, constant), at)?;
        }
        Ok(sum)
    }
}
