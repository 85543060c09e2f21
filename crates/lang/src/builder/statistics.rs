//! Statistics of columns in terms of sums and means, and what is assumed or asked of values.

use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::smooth::SmoothFunction;
use super::{BuildError, Entry, Function, Node, NodeId, ProgramBuilder, Term};
use crate::node::quantile_name;

impl ProgramBuilder {
    /// `assume(a, lo, hi)`: a, which lies between two constants by the author's word.
    ///
    /// # Errors
    /// [`BuildError::BadConstants`].
    pub fn assume(&mut self, a: Term, lo: Term, hi: Term) -> Result<Term, BuildError> {
        let bad =
            BuildError::BadConstants { function: "assume", wanted: "two constants, the lower one first" };
        let (Entry::Constant(lo), Entry::Constant(hi)) = (self.entry(lo)?, self.entry(hi)?) else {
            return Err(bad);
        };
        if lo > hi {
            return Err(bad);
        }
        let (lo, hi) = (lo.clone(), hi.clone());
        match self.fixed_value(a) {
            Some(value) if value < lo || value > hi => Err(bad),
            Some(_) => Ok(a),
            None => {
                self.check(a)?;
                self.intern(Node::Assume(a.id, lo, hi))
            }
        }
    }

    /// `cov(a, b)`: the population covariance, the mean of (a − mean(a))·(b − mean(b)).
    pub fn cov(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        self.check_column(a, "cov")?;
        self.check_column(b, "cov")?;
        let [a, b] = [a, b].map(|column| self.without_offset(column));
        if a == b {
            return self.var(a);
        }
        if self.fixed_value(a).or_else(|| self.fixed_value(b)).is_some() {
            return self.integer(0);
        }
        self.intern(Node::Cov(a.id, b.id))
    }

    /// A column less what is added to all its rows, which has the same moments about its mean; but one of constants.
    pub(super) fn without_offset(&self, a: Term) -> Term {
        match self.node(a) {
            Some(&Node::Offset(x, _)) if self.fixed_value(a).is_none() => self.term(x),
            _ => a,
        }
    }

    /// The columns whose covariance is `a − b`, written as mean(x·y) − mean(x)·mean(y).
    pub(super) fn covaried(&self, a: Term, b: Term) -> Option<[Term; 2]> {
        let mean_of = |term: NodeId| match self.node(self.term(term)) {
            Some(&Node::Mean(of)) => Some(of),
            _ => None,
        };
        let factors = |term: Term| match self.node(term) {
            Some(&Node::Mul(x, y)) => Some([x, y]),
            Some(&Node::Power(x, 2)) => Some([x, x]),
            _ => None,
        };
        let [x, y] = factors(self.term(mean_of(a.id)?))?;
        let [of_x, of_y] = factors(b)?;
        let [of_x, of_y] = [mean_of(of_x)?, mean_of(of_y)?];
        ([x, y] == [of_x, of_y] || [y, x] == [of_x, of_y]).then_some([self.term(x), self.term(y)])
    }

    /// `std(a)`: the root of the population variance, which must be above 0; `ends` are two constants above 0 between which it
    /// lies by the author's word.
    pub fn std(&mut self, a: Term, ends: Option<[Term; 2]>) -> Result<Term, BuildError> {
        self.check_column(a, "std")?;
        let variance = self.spread(a, ends)?;
        self.smooth(SmoothFunction::Sqrt, variance)
    }

    /// `corr(a, b)`: Pearson's correlation, cov(a, b)/(std(a)·std(b)), which lies between −1 and 1; see [`Self::std`] for the
    /// ends of both deviations.
    pub fn corr(&mut self, a: Term, b: Term, ends: Option<[Term; 2]>) -> Result<Term, BuildError> {
        let covariance = self.cov(a, b)?;
        let (of_a, of_b) = (self.spread(a, ends)?, self.spread(b, ends)?);
        let product = self.mul(of_a, of_b)?;
        let root = self.smooth(SmoothFunction::Sqrt, product)?;
        let correlation = self.div(covariance, root)?;
        let one = self.integer(1)?;
        let minus_one = self.neg(one)?;
        self.assume(correlation, minus_one, one)
    }

    /// The variance, between the squares of two numbers.
    fn spread(&mut self, a: Term, ends: Option<[Term; 2]>) -> Result<Term, BuildError> {
        let variance = self.var(a)?;
        let Some(ends) = ends else { return Ok(variance) };
        let [lo, hi] = [self.power_whole(ends[0], 2)?, self.power_whole(ends[1], 2)?];
        self.assume(variance, lo, hi)
    }

    /// The sum of products of terms, some of which may be constants, two by two.
    pub fn weighted(&mut self, pairs: &[(Term, Term)]) -> Result<Term, BuildError> {
        let mut sum = self.integer(0)?;
        for &(a, b) in pairs {
            let product = self.mul(a, b)?;
            sum = self.add(sum, product)?;
        }
        Ok(sum)
    }

    /// `quantile(a, q)`: the least value of a column that as large a part of the rows as q, a constant from 0 to 1, isn't above;
    /// the minimum for 0, the maximum for 1.
    ///
    /// # Errors
    /// [`BuildError::BadConstants`].
    pub fn quantile(&mut self, a: Term, q: &BigRational) -> Result<Term, BuildError> {
        self.check_column(a, quantile_name(q))?;
        if *q < BigRational::zero() || *q > BigRational::one() {
            return Err(BuildError::BadConstants { function: "quantile", wanted: "a constant from 0 to 1" });
        }
        match self.fixed_value(a) {
            Some(value) => self.constant(value),
            None => self.intern(Node::Quantile(a.id, q.clone())),
        }
    }

    /// `round(a)`: the nearest whole number, the upper one of two.
    pub fn round(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check(a)?;
        let raised = self.offset(a, &BigRational::new(1.into(), 2.into()))?;
        self.function(Function::Floor, &[raised])
    }
}
