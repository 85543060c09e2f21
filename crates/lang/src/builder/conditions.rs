//! Conditions, and what is made of them.

use asanoha_numeric::BinaryFunction;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{BuildError, Entry, Function, Node, Operand, ProgramBuilder, Term};

impl ProgramBuilder {
    /// `a and b`: 1 where neither is 0, else 0.
    pub fn both(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        let (b, zero) = (self.truth(b)?, self.integer(0)?);
        self.function(Function::Where, &[a, b, zero])
    }

    /// `a or b`: 1 where one of the two isn't 0, else 0.
    pub fn either(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        let (b, one) = (self.truth(b)?, self.integer(1)?);
        self.function(Function::Where, &[a, one, b])
    }

    /// `not a`: 1 where a is 0, else 0.
    pub fn neither(&mut self, a: Term) -> Result<Term, BuildError> {
        let (zero, one) = (self.integer(0)?, self.integer(1)?);
        self.function(Function::Where, &[a, zero, one])
    }

    /// `count(a)`: the number of rows in which a condition isn't 0.
    pub fn count(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check_column(a, "count")?;
        let truth = self.truth(a)?;
        self.sum(truth)
    }

    /// `clip(x, lo, hi)`: the number between two others that is nearest to x.
    pub fn clip(&mut self, x: Term, lo: Term, hi: Term) -> Result<Term, BuildError> {
        let above = self.function(Function::Binary(BinaryFunction::Maximum), &[x, lo])?;
        self.function(Function::Binary(BinaryFunction::Minimum), &[above, hi])
    }

    /// 1 where a isn't 0, else 0: a itself where it can be nothing else.
    pub(super) fn truth(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check(a)?;
        if self.is_condition(a) {
            return Ok(a);
        }
        let (one, zero) = (self.integer(1)?, self.integer(0)?);
        self.function(Function::Where, &[a, one, zero])
    }

    /// Whether a term is 0 or 1 by the way it's made: a comparison, or a choice of such.
    fn is_condition(&self, a: Term) -> bool {
        let is_bit = |value: &BigRational| value.is_zero() || value.is_one();
        match &self.entries[a.index()] {
            Entry::Constant(value) => is_bit(value),
            Entry::Node(Node::Function(Function::Where, operands)) => {
                operands[1..].iter().all(|operand| match *operand {
                    Operand::Constant(constant) => constant == 0 || constant == 1,
                    Operand::Value(id) => self.is_comparison(id.0),
                })
            }
            Entry::Node(_) => self.is_comparison(a.index()),
        }
    }

    fn is_comparison(&self, at: usize) -> bool {
        matches!(&self.entries[at], Entry::Node(Node::Function(function, _)) if function.is_comparison())
    }
}
