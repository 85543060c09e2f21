//! Programs on data of which the public facts are given: operations that depend on these in terms of others.

use std::collections::HashMap;

use asanoha_circuits::{BinaryFunction, polynomial::SmoothFunction};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::builder::{ProgramBuilder, Term};
use super::function::{Function, Operand};
use super::interval::Range;
use super::node::{Node, NodeId, Program};
use super::range::RangeError;
use super::reference::quantile_rank;
use crate::data::Schema;

/// The most jumps of a rounded real number, each of which is a comparison.
const MOST_JUMPS: u32 = 16;
/// The most values of a column that a quantile is of, for each of which rows are counted.
const MOST_VALUES: u32 = 64;

impl Program {
    /// The same program in operations that all schemes compute, on data of a schema, or of fewer rows too:
    ///
    /// * a whole number is its own floor, that of a sum of whole numbers times fractions is a quotient `//`, and that of a real
    ///   number in a range of at most 16 jumps the number of jumps that aren't above it, a comparison each;
    /// * a quantile of a whole column of at most 64 values is the least value and as many more as there are values that too
    ///   few rows aren't above: counted for each value, and the counts compared. Nothing of these is an output.
    ///
    /// # Errors
    /// What can't be computed so, with the figures.
    pub fn on(&self, schema: &Schema, fewer_rows: bool) -> Result<Self, RangeError> {
        let ranges = self.ranges(schema)?;
        if self.depends_on_data().is_none() {
            return Ok(self.clone());
        }
        let whole = self.whole_nodes(|name| schema.column(name).is_some_and(|column| column.whole));
        let mut given = Given {
            builder: ProgramBuilder::new(),
            rows: schema.rows,
            fewer_rows,
            terms: Vec::with_capacity(self.nodes.len()),
            whole: HashMap::new(),
        };
        for (id, node) in self.iter() {
            let term = match node {
                Node::Function(Function::Floor, operands) => {
                    let of = operands[0].node().expect("constants are folded");
                    given.floor(self, of, &ranges[of.0])?
                }
                Node::Quantile(a, q) => given.quantile(*a, &ranges[a.0], whole[a.0], q)?,
                _ => given.same(node)?,
            };
            given.terms.push(term);
            given.whole.entry(term).or_insert(whole[id.0]);
        }
        let Given { mut builder, terms, .. } = given;
        for (name, id) in self.shown_outputs() {
            builder.output(name, terms[id.0])?;
        }
        self.finish_in(&mut builder, |id| terms[id.0])?;
        for constant in &self.constants {
            let value = builder.constant(constant.value.clone())?;
            let value = match &constant.column {
                Some(column) => {
                    let column = builder.input(column)?;
                    let zeros = builder.sub(column, column)?;
                    builder.add(zeros, value)?
                }
                None => value,
            };
            builder.output(&constant.name, value)?;
        }
        Ok(builder.finish()?)
    }
}

impl Program {
    /// The name of an operation that [`Self::on`] makes others of, if there's any.
    pub(crate) fn depends_on_data(&self) -> Option<&'static str> {
        let depends = |node: &&Node| matches!(node, Node::Quantile(..) | Node::Function(Function::Floor, _));
        self.nodes.iter().find(depends).map(Node::operation)
    }
}

/// A program that is being made of another's operations.
struct Given {
    builder: ProgramBuilder,
    rows: usize,
    fewer_rows: bool,
    /// What the operations became.
    terms: Vec<Term>,
    /// Which of these are whole numbers.
    whole: HashMap<Term, bool>,
}

impl Given {
    fn term(&self, id: NodeId) -> Term {
        self.terms[id.0]
    }

    /// The same operation.
    fn same(&mut self, node: &Node) -> Result<Term, RangeError> {
        let of = |id: &NodeId| self.terms[id.0];
        let builder = &mut self.builder;
        Ok(match node {
            Node::Input(name) => builder.input(name),
            Node::Add(a, b) => builder.add(of(a), of(b)),
            Node::Sub(a, b) => builder.sub(of(a), of(b)),
            Node::Neg(a) => builder.neg(of(a)),
            Node::Mul(a, b) => builder.mul(of(a), of(b)),
            Node::Scale(a, k) => builder.constant(k.clone()).and_then(|k| builder.mul(of(a), k)),
            Node::Offset(a, c) => builder.constant(c.clone()).and_then(|c| builder.add(of(a), c)),
            Node::Power(a, exponent) => builder.power_whole(of(a), *exponent),
            Node::Sum(a) => builder.sum(of(a)),
            Node::Mean(a) => builder.mean(of(a)),
            Node::Var(a) => builder.var(of(a)),
            Node::Dot(a, b) => builder.dot(of(a), of(b)),
            Node::Smooth(function, a) => builder.smooth(*function, of(a)),
            Node::Assume(a, lo, hi) => {
                let (lo, hi) = (builder.constant(lo.clone())?, builder.constant(hi.clone())?);
                builder.assume(of(a), lo, hi)
            }
            Node::Quantile(a, q) => builder.quantile(of(a), q),
            Node::Function(function, operands) => {
                let mut arguments = Vec::with_capacity(operands.len());
                for operand in operands {
                    arguments.push(match operand {
                        Operand::Value(id) => of(id),
                        Operand::Constant(constant) => builder.integer(*constant)?,
                    });
                }
                builder.function(function.clone(), &arguments)
            }
        }?)
    }

    fn is_whole(&self, term: Term) -> bool {
        self.whole.get(&term).copied().unwrap_or(false)
    }

    /// ⌊a⌋ for numbers of a range.
    fn floor(&mut self, program: &Program, a: NodeId, range: &Range) -> Result<Term, RangeError> {
        let term = self.term(a);
        if self.is_whole(term) {
            return Ok(term);
        }
        if let Some(quotient) = self.quotient(program, a)? {
            return Ok(quotient);
        }
        let (least, most) = (range.lo().floor().to_integer(), range.hi().floor().to_integer());
        let jumps = &most - &least;
        if jumps > MOST_JUMPS.into() {
            return Err(RangeError::TooManySteps {
                function: "floor",
                of: "of real numbers jumps at whole ones",
                found: counted(&jumps),
                range: Box::new(range.clone()),
                most: MOST_JUMPS,
            });
        }
        let mut sum = self.builder.constant(BigRational::from_integer(least.clone()))?;
        for k in 1..=jumps.to_u32().unwrap_or(0) {
            let jump = self.builder.constant(BigRational::from_integer(&least + BigInt::from(k)))?;
            let reached = self.compared(BinaryFunction::GreaterOrEqual, [term, jump])?;
            sum = self.builder.add(sum, reached)?;
        }
        Ok(sum)
    }

    /// ⌊a⌋ as a quotient of whole numbers, if a is one.
    fn quotient(&mut self, program: &Program, a: NodeId) -> Result<Option<Term>, RangeError> {
        let reciprocal = |id: NodeId| match program.node(id) {
            Node::Smooth(SmoothFunction::Reciprocal, of) => Some(*of),
            _ => None,
        };
        let ratio = match *program.node(a) {
            Node::Mul(x, y) => reciprocal(y).map(|y| (x, y)).or_else(|| reciprocal(x).map(|x| (y, x))),
            _ => None,
        };
        if let Some([x, y]) = ratio.map(|(x, y)| [self.term(x), self.term(y)]) {
            let are_whole = self.is_whole(x) && self.is_whole(y);
            return are_whole.then(|| self.compared(BinaryFunction::Quotient, [x, y])).transpose();
        }
        let Some(fractions) = self.builder.fractions(self.term(a)) else { return Ok(None) };
        if !fractions.iter().all(|(term, _)| term.is_none_or(|term| self.is_whole(term))) {
            return Ok(None);
        }
        let denominator = fractions.iter().filter(|(term, _)| term.is_some());
        let denominator = denominator.fold(BigInt::one(), |lcm, (_, factor)| lcm.lcm(factor.denom()));
        // ⌊n/q + c⌋ = ⌊(n + ⌊q·c⌋)/q⌋ for a whole n.
        let scale = BigRational::from_integer(denominator);
        let mut numerator = self.builder.integer(0)?;
        for (term, factor) in fractions {
            let scaled = self.builder.constant(match term {
                Some(_) => factor * &scale,
                None => (factor * &scale).floor(),
            })?;
            let product = term.map_or(Ok(scaled), |term| self.builder.mul(term, scaled))?;
            numerator = self.builder.add(numerator, product)?;
        }
        if scale.is_one() {
            return Ok(Some(numerator));
        }
        let denominator = self.builder.constant(scale)?;
        self.compared(BinaryFunction::Quotient, [numerator, denominator]).map(Some)
    }

    fn compared(&mut self, function: BinaryFunction, operands: [Term; 2]) -> Result<Term, RangeError> {
        Ok(self.builder.function(Function::Binary(function), &operands)?)
    }

    /// The quantile of a column: its least value, and one more for every value that fewer rows than the rank aren't above.
    fn quantile(
        &mut self,
        a: NodeId,
        range: &Range,
        is_whole: bool,
        q: &BigRational,
    ) -> Result<Term, RangeError> {
        if !is_whole {
            return Err(RangeError::Fraction { function: "quantile" });
        }
        let (least, most) = (range.lo().ceil().to_integer(), range.hi().floor().to_integer());
        let values = &most - &least + BigInt::one();
        if values > MOST_VALUES.into() {
            return Err(RangeError::TooManySteps {
                function: "quantile",
                of: "counts the rows of every value",
                found: counted(&values),
                range: Box::new(range.clone()),
                most: MOST_VALUES,
            });
        }
        let rank = quantile_rank(q, self.rows);
        if self.fewer_rows && rank != quantile_rank(q, 1) {
            return Err(RangeError::UnknownRank { function: "quantile" });
        }
        let column = self.term(a);
        let rank = self.builder.constant(BigRational::from_integer(rank.into()))?;
        let mut sum = self.builder.constant(BigRational::from_integer(least.clone()))?;
        for k in 0..values.to_u32().unwrap_or(1) - 1 {
            let value = self.builder.constant(BigRational::from_integer(&least + BigInt::from(k)))?;
            let is_below = self.compared(BinaryFunction::LessOrEqual, [column, value])?;
            let rows = self.builder.sum(is_below)?;
            let are_few = self.compared(BinaryFunction::Less, [rows, rank])?;
            sum = self.builder.add(sum, are_few)?;
        }
        Ok(sum)
    }
}

/// A number, in words where it has many digits.
fn counted(number: &BigInt) -> String {
    if number.bits() <= 64 { number.to_string() } else { format!("about 2^{}", number.bits()) }
}
