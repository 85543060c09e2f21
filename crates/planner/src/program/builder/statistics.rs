//! Statistics of columns in terms of sums and means, and what is assumed or asked of values.

use asanoha_circuits::polynomial::SmoothFunction;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{BuildError, Entry, Function, Node, ProgramBuilder, Term};
use crate::program::node::quantile_name;

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
                self.intern(Node::Assume(a.0, lo, hi))
            }
        }
    }

    /// `cov(a, b)`: the population covariance, mean(a·b) − mean(a)·mean(b).
    pub fn cov(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        self.check_column(a, "cov")?;
        self.check_column(b, "cov")?;
        if a == b {
            return self.var(a);
        }
        let product = self.mul(a, b)?;
        let (of_product, a, b) = (self.mean(product)?, self.mean(a)?, self.mean(b)?);
        let of_means = self.mul(a, b)?;
        self.sub(of_product, of_means)
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
            None => self.intern(Node::Quantile(a.0, q.clone())),
        }
    }

    /// `round(a)`: the nearest whole number, the upper one of two.
    pub fn round(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check(a)?;
        let raised = self.offset(a, &BigRational::new(1.into(), 2.into()))?;
        self.function(Function::Floor, &[raised])
    }
}
