//! How values depend on the rows of the data, and totals without some of the rows.

use std::convert::Infallible;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{Arg, Argument, Domain, Outcome};
use crate::{function::Function, ids::NodeId, node::Node, program::Program};

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

/// The outputs that are extremes: the least or the largest value of a column, each of whose values is computed from its row alone,
/// or such a value times a constant plus a constant.
///
/// Only a program before planning has them: [`specialised`](crate::specialised) expands them.
///
/// ```
/// use asanoha_lang::{Extreme, Program, ProgramError, extremes};
///
/// let text = "low = min(x + y)\nhigh = 1 - min(x)\nspread = max(x) - min(x)\nmiddle = quantile(x, 0.5)";
/// let found = [("low".to_owned(), Extreme::Least), ("high".to_owned(), Extreme::Largest)];
/// assert_eq!(extremes(&Program::parse(text)?), found);
/// # Ok::<(), ProgramError>(())
/// ```
pub fn extremes(program: &Program) -> Vec<(String, Extreme)> {
    let uses = row_uses(program);
    let mut known: Vec<Option<Extreme>> = Vec::with_capacity(program.nodes().len());
    for node in program.nodes() {
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
    program.shown_outputs().iter().filter_map(extreme).collect()
}

/// How each operation's value depends on the rows.
pub fn row_uses(program: &Program) -> Vec<RowUse> {
    let Ok(uses) = super::all(program, &mut RowUses).map_err(|(_, never)| match never {});
    uses
}

struct RowUses;

type Of<'v> = Arg<'v, RowUse>;

impl RowUse {
    /// That of a value for each row if this is one.
    fn row_wise(&self) -> Self {
        if *self == Self::Row { Self::Row } else { Self::Other }
    }
}

impl Domain for RowUses {
    type Value = RowUse;
    type Error = Infallible;

    fn input(&mut self, _: NodeId, _: &str) -> Outcome<Self> {
        Ok(RowUse::Row)
    }

    fn add(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(match (a.value, b.value) {
            (RowUse::Row, RowUse::Row) => RowUse::Row,
            (a, b) => a.combined(b, |a, b| a + b),
        })
    }

    fn mul(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(if b.value == &RowUse::Row { a.value.row_wise() } else { RowUse::Other })
    }

    fn scale(&mut self, _: NodeId, a: Of<'_>, k: &BigRational) -> Outcome<Self> {
        Ok(a.value.with_constant(|constant| constant * k))
    }

    fn offset(&mut self, _: NodeId, a: Of<'_>, c: &BigRational) -> Outcome<Self> {
        Ok(a.value.with_constant(|constant| constant + c))
    }

    fn power(&mut self, _: NodeId, a: Of<'_>, _: u32) -> Outcome<Self> {
        Ok(a.value.row_wise())
    }

    fn sum(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(if a.value == &RowUse::Row { RowUse::Sum(BigRational::zero()) } else { RowUse::Other })
    }

    fn mean(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(if a.value == &RowUse::Row { RowUse::Mean(BigRational::zero()) } else { RowUse::Other })
    }

    fn cov(&mut self, _: NodeId, _: Of<'_>, _: Of<'_>) -> Outcome<Self> {
        Ok(RowUse::Other)
    }

    fn assume(&mut self, _: NodeId, a: Of<'_>, _: [&BigRational; 2]) -> Outcome<Self> {
        Ok(a.value.clone())
    }

    fn quantile(&mut self, _: NodeId, _: Of<'_>, _: &BigRational) -> Outcome<Self> {
        Ok(RowUse::Other)
    }

    fn function(&mut self, _: NodeId, _: &Function, of: &[Argument<'_, RowUse>]) -> Outcome<Self> {
        let is_of_rows = of.iter().filter_map(|of| of.value()).all(|of| *of == RowUse::Row);
        Ok(if is_of_rows { RowUse::Row } else { RowUse::Other })
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
        let uses = row_uses(&program);
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
