//! How values depend on the rows of the data, and totals without some of the rows.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::node::{Node, NodeId, Program};

/// How a value depends on the rows of the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowUse {
    /// A value for each row, computed from that row alone.
    Row,
    /// The sum over all rows of a value for each row, plus this constant.
    Sum(BigRational),
    /// The mean over all rows of a value for each row, plus this constant.
    Mean(BigRational),
    /// Any other value that depends on several rows.
    Other,
}

impl RowUse {
    /// The same with another constant.
    fn with_constant(&self, constant: impl FnOnce(&BigRational) -> BigRational) -> Self {
        match self {
            Self::Sum(own) => Self::Sum(constant(own)),
            Self::Mean(own) => Self::Mean(constant(own)),
            Self::Row | Self::Other => self.clone(),
        }
    }

    /// A sum or a difference of two totals of one kind.
    fn combined(
        &self,
        other: &Self,
        constant: impl FnOnce(&BigRational, &BigRational) -> BigRational,
    ) -> Self {
        match (self, other) {
            (Self::Sum(_), Self::Sum(of_other)) | (Self::Mean(_), Self::Mean(of_other)) => {
                self.with_constant(|own| constant(own, of_other))
            }
            _ => Self::Other,
        }
    }

    /// Returns the total over the remaining rows: `all` is the total over all rows, `some` that over the rows to remove, and `rows`
    /// counts the remaining rows and the rows to remove.
    pub fn without(&self, all: &BigRational, some: &BigRational, rows: [usize; 2]) -> BigRational {
        let [remaining, removed] = rows.map(|rows| BigRational::from_integer(BigInt::from(rows)));
        match self {
            Self::Sum(constant) => all - some + constant,
            Self::Mean(constant) => {
                let sum = (all - constant) * (&remaining + &removed) - (some - constant) * removed;
                sum / remaining + constant
            }
            Self::Row | Self::Other => all.clone(),
        }
    }

    /// Returns the factor between errors of `all` or `some` and those of the result of [`Self::without`].
    pub fn error_factor(&self, [remaining, removed]: [usize; 2]) -> f64 {
        if let Self::Mean(_) = self { (remaining + removed) as f64 / remaining as f64 } else { 1.0 }
    }
}

/// Which of the values of all rows an output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extreme {
    /// The least one.
    Least,
    /// The largest one.
    Largest,
}

impl Extreme {
    /// That of the negated values.
    fn opposite(self) -> Self {
        match self {
            Self::Least => Self::Largest,
            Self::Largest => Self::Least,
        }
    }
}

impl Program {
    /// The outputs that are extremes: the least or the largest value of a column, each of whose values is computed from its row alone,
    /// or such a value times a constant plus a constant.
    ///
    /// Only a program before planning has them: [`Program::on`] expands them.
    ///
    /// ```
    /// use asanoha_lang::{Extreme, Program, ProgramError};
    ///
    /// let text = "low = min(x + y)\nhigh = 1 - min(x)\nspread = max(x) - min(x)\nmiddle = quantile(x, 0.5)";
    /// let extremes = [("low".to_owned(), Extreme::Least), ("high".to_owned(), Extreme::Largest)];
    /// assert_eq!(Program::parse(text)?.extremes(), extremes);
    /// # Ok::<(), ProgramError>(())
    /// ```
    pub fn extremes(&self) -> Vec<(String, Extreme)> {
        let uses = self.row_uses();
        let mut known: Vec<Option<Extreme>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            known.push(match node {
                Node::Quantile(of, q) if uses[of.0] == RowUse::Row && q.is_zero() => Some(Extreme::Least),
                Node::Quantile(of, q) if uses[of.0] == RowUse::Row && q.is_one() => Some(Extreme::Largest),
                Node::Offset(of, _) | Node::Assume(of, ..) => known[of.0],
                Node::Scale(of, factor) if factor.is_positive() => known[of.0],
                Node::Neg(of) | Node::Scale(of, _) => known[of.0].map(Extreme::opposite),
                _ => None,
            });
        }
        let extreme = |(name, id): &(String, NodeId)| Some((name.clone(), known[id.0]?));
        self.shown_outputs().iter().filter_map(extreme).collect()
    }

    /// How each operation's value depends on the rows.
    pub fn row_uses(&self) -> Vec<RowUse> {
        let mut known: Vec<RowUse> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |id: &NodeId| &known[id.0];
            let is_of_rows = node.operands().all(|id| known[id.0] == RowUse::Row);
            let row_use = match node {
                Node::Input(_) => RowUse::Row,
                Node::Sum(_) | Node::Dot(..) if is_of_rows => RowUse::Sum(BigRational::zero()),
                Node::Mean(_) if is_of_rows => RowUse::Mean(BigRational::zero()),
                Node::Add(..)
                | Node::Sub(..)
                | Node::Neg(_)
                | Node::Mul(..)
                | Node::Scale(..)
                | Node::Offset(..)
                | Node::Power(..)
                | Node::Smooth(..)
                | Node::Assume(..)
                | Node::Function(..)
                    if is_of_rows =>
                {
                    RowUse::Row
                }
                Node::Add(a, b) => of(a).combined(of(b), |a, b| a + b),
                Node::Sub(a, b) => of(a).combined(of(b), |a, b| a - b),
                Node::Neg(a) => of(a).with_constant(|constant| -constant),
                Node::Scale(a, factor) => of(a).with_constant(|constant| constant * factor),
                Node::Offset(a, offset) => of(a).with_constant(|constant| constant + offset),
                Node::Assume(a, ..) => of(a).clone(),
                Node::Mul(..)
                | Node::Power(..)
                | Node::Sum(_)
                | Node::Mean(_)
                | Node::Var(_)
                | Node::Cov(..)
                | Node::Dot(..)
                | Node::Smooth(..)
                | Node::Quantile(..)
                | Node::Function(..) => RowUse::Other,
            };
            known.push(row_use);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(p: i64, q: i64) -> BigRational {
        BigRational::new(p.into(), q.into())
    }

    /// How the outputs of a program depend on the rows.
    fn uses(text: &str) -> Vec<RowUse> {
        let program = Program::parse(text).unwrap();
        let uses = program.row_uses();
        program.outputs().iter().map(|(_, id)| uses[id.0].clone()).collect()
    }

    #[test]
    fn rows_sums_and_means_are_told_from_all_else() {
        let zero = || BigRational::zero();
        assert_eq!(
            uses("a = x * y + sigmoid(x)\nb = where(x < y, 1, x) - 3\nc = t == 'north'"),
            vec![RowUse::Row; 3]
        );
        assert_eq!(
            uses("a = sum(x + 1)\nb = dot(x, y) - sum(y) / 2\nc = 5 - 2 * sum(x * x)\nd = dot(x, x)"),
            [zero(), zero(), fraction(5, 1), zero()].map(RowUse::Sum)
        );
        assert_eq!(uses("a = 3 * (mean(x) + 0.5) - mean(y)"), [RowUse::Mean(fraction(3, 2))]);
        for other in [
            "x - mean(x)",
            "var(x)",
            "max(x)",
            "quantile(x, 0.5)",
            "sum(x) * sum(y)",
            "sum(x) + mean(y)",
            "sum(x) < 5",
            "mean(x) ** 2",
            "sum(x * mean(y))",
            "exp(mean(x))",
            "x * sum(y)",
        ] {
            assert_eq!(uses(&format!("a = {other}")), [RowUse::Other], "{other}");
        }
        // A covariance and variances are parts of the first, sums of the second.
        assert!(uses("a = corr(x, y)").contains(&RowUse::Other));
        assert!(!uses("a = least_squares(y, [x])\nb = mean_where(x, y < 3)").contains(&RowUse::Other));
    }

    type Total<'a> = &'a dyn Fn(&[BigRational]) -> BigRational;

    #[test]
    fn totals_without_some_rows_are_those_of_the_others() {
        let values = [3, -1, 4, 1, -5, 9].map(|value| fraction(value, 7));
        let sum = |of: &[BigRational]| of.iter().sum::<BigRational>();
        let mean = |of: &[BigRational]| sum(of) / BigRational::from_integer(of.len().into());
        let constant = fraction(-3, 4);
        for removed in 1..values.len() {
            let (some, others) = values.split_at(removed);
            let rows = [others.len(), removed];
            let kinds: [(RowUse, Total<'_>); 2] =
                [(RowUse::Sum(constant.clone()), &sum), (RowUse::Mean(constant.clone()), &mean)];
            for (kind, total) in kinds {
                let of = |rows: &[BigRational]| total(rows) + &constant;
                assert_eq!(kind.without(&of(&values), &of(some), rows), of(others), "{kind:?}");
            }
        }
        assert_eq!(RowUse::Mean(constant).error_factor([3, 1]), 4.0 / 3.0);
    }
}
