//! Outputs that the holder of the secret key finishes, and what is computed encrypted for them.

use super::{BuildError, Node, ProgramBuilder, Term};
use crate::finished::{Finish, Finished, Unfinished};
use crate::names;

impl ProgramBuilder {
    /// `ratio(a, b)`: a/b of two numbers over all rows, divided by the holder of the secret key. It's missing where b is 0.
    ///
    /// ```
    /// use asanoha_lang::{BuildError, ProgramBuilder};
    ///
    /// let mut builder = ProgramBuilder::new();
    /// let (price, pieces) = (builder.input("price")?, builder.input("pieces")?);
    /// let (paid, sold) = (builder.dot(price, pieces)?, builder.sum(pieces)?);
    /// let mean_price = builder.ratio(paid, sold)?;
    /// builder.finish_output("mean_price", mean_price)?;
    /// let program = builder.finish()?;
    /// assert_eq!(program.finished()[0].parts, ["mean_price.dividend", "mean_price.divisor"]);
    /// assert!(program.shown_outputs().is_empty());
    /// # Ok::<(), BuildError>(())
    /// ```
    ///
    /// # Errors
    /// Columns and constants.
    pub fn ratio(&mut self, a: Term, b: Term) -> Result<Unfinished, BuildError> {
        if !self.is_number(a)? || !self.is_number(b)? {
            return Err(BuildError::BadConstants {
                function: "ratio",
                wanted: "two numbers over all rows, such as sum(x) and count(x > 0)",
            });
        }
        Ok(unfinished(Finish::Ratio, [("dividend", a), ("divisor", b)]))
    }

    /// `mean_where(y, c)`: the mean of a column over the rows where a condition isn't 0; missing where there are none.
    ///
    /// # Errors
    /// What isn't a column.
    pub fn mean_where(&mut self, y: Term, c: Term) -> Result<Unfinished, BuildError> {
        let count = self.count(c)?;
        let condition = self.truth(c)?;
        let sum = self.dot(condition, y)?;
        self.ratio(sum, count)
    }

    /// `std(a)` as the holder of the secret key finishes it: the root of an encrypted variance.
    pub(crate) fn finished_std(&mut self, a: Term) -> Result<Unfinished, BuildError> {
        self.check_column(a, "std")?;
        let variance = self.var(a)?;
        Ok(unfinished(Finish::Std, [("variance", variance)]))
    }

    /// `corr(a, b)` as the holder of the secret key finishes it, from an encrypted covariance and variances.
    pub(crate) fn finished_corr(&mut self, a: Term, b: Term) -> Result<Unfinished, BuildError> {
        let (covariance, of_a, of_b) = (self.cov(a, b)?, self.var(a)?, self.var(b)?);
        let parts = [("covariance", covariance), ("variance_a", of_a), ("variance_b", of_b)];
        Ok(unfinished(Finish::Corr, parts))
    }

    /// `least_squares(y, [x1, x2, …])`: the intercept and coefficients of 1 to 8 columns that come nearest to y; all missing where
    /// they aren't determined. The outputs are `name_intercept` and, for every column, `name_COLUMN`, or `name_k` with its place
    /// from 1 for what isn't a column of the data with an identifier for a name, or stands there twice.
    ///
    /// # Errors
    /// What isn't a column, and other numbers of columns.
    pub fn least_squares(&mut self, y: Term, columns: &[Term]) -> Result<Unfinished, BuildError> {
        const MOST: usize = 8;
        if columns.is_empty() || columns.len() > MOST {
            return Err(BuildError::BadConstants {
                function: "least_squares",
                wanted: "a column and a list of 1 to 8 columns, such as least_squares(y, [a, b])",
            });
        }
        let mut results = vec!["intercept".to_owned()];
        let mut parts = vec![("sum_y".to_owned(), self.sum(y)?)];
        for (column, place) in columns.iter().zip(1..) {
            let name = self.column_name(*column).filter(|name| !results.contains(name));
            results.push(name.unwrap_or_else(|| place.to_string()));
            parts.push((format!("sum_{place}"), self.sum(*column)?));
        }
        for (column, place) in columns.iter().zip(1..) {
            parts.push((format!("sum_{place}_y"), self.dot(*column, y)?));
        }
        for (at, (a, place)) in columns.iter().zip(1..).enumerate() {
            for (b, other) in columns.iter().zip(1..).skip(at) {
                parts.push((format!("sum_{place}_{other}"), self.dot(*a, *b)?));
            }
        }
        let results = results.into_iter().map(|result| format!("_{result}")).collect();
        Ok(Unfinished { function: Finish::LeastSquares, results, parts })
    }

    /// Names outputs that the holder of the secret key finishes. Their parts become outputs too, which aren't shown.
    ///
    /// # Errors
    /// Names that outputs can't have.
    pub fn finish_output(&mut self, name: &str, unfinished: Unfinished) -> Result<(), BuildError> {
        unfinished.parts.iter().try_for_each(|(_, term)| self.check(*term))?;
        let results: Vec<String> =
            unfinished.results.iter().map(|result| format!("{name}{result}")).collect();
        // The name stands in the program's text, also where no output has it.
        let names = std::iter::once(name).filter(|name| results[0] != *name);
        names.chain(results.iter().map(String::as_str)).try_for_each(|name| self.claim(name))?;
        let parts = unfinished.parts.into_iter().map(|(part, term)| (format!("{name}.{part}"), term));
        let parts: Vec<(String, Term)> = parts.collect();
        let names = parts.iter().map(|(part, _)| part.clone()).collect();
        self.parts.extend(parts);
        self.finished.push(Finished {
            name: name.to_owned(),
            function: unfinished.function,
            results,
            parts: names,
        });
        Ok(())
    }

    /// Whether a term is a number that depends on the data.
    fn is_number(&self, a: Term) -> Result<bool, BuildError> {
        Ok(self.constant_value(a)?.is_none() && self.check_column(a, "ratio").is_err())
    }

    /// The name of a column of the data that can be part of another name.
    fn column_name(&self, a: Term) -> Option<String> {
        match self.node(a) {
            Some(Node::Input(name)) if names::is_identifier(&format!("_{name}")) => Some(name.clone()),
            _ => None,
        }
    }
}

fn unfinished<const N: usize>(function: Finish, parts: [(&str, Term); N]) -> Unfinished {
    let parts = parts.into_iter().map(|(name, term)| (name.to_owned(), term)).collect();
    Unfinished { function, results: vec![String::new()], parts }
}
