//! The arithmetic graph between a program and a schedule.

use num_rational::BigRational;
use num_traits::Signed;

use crate::program::{Shape, number};

/// An operation of the graph. Positions are those of earlier nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// An input column.
    Input(usize),
    /// a + b.
    Add(usize, usize),
    /// a − b.
    Sub(usize, usize),
    /// −a.
    Neg(usize),
    /// a·b, or a² where the two are the same.
    Mul(usize, usize),
    /// a + c, in rows only where a is a column.
    AddConstant(usize, BigRational),
    /// k·a.
    MulConstant(usize, BigRational),
    /// a in rows, 0 elsewhere.
    MaskRows(usize),
    /// The sum over the rows.
    Sum(usize),
}

/// A node with what is known of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct ArithmeticNode {
    /// What it does.
    pub operation: Operation,
    /// A column or a number.
    pub shape: Shape,
    /// Whether the slots without rows hold zeros.
    pub padded: bool,
    /// Bound on the values.
    pub bound: f64,
    /// The most products and multiplications by fractions on a way from an input.
    pub depth: usize,
}

/// A result: a node's value times a factor that is applied in the clear.
#[derive(Clone, Debug, PartialEq)]
pub struct ArithmeticOutput {
    /// The name.
    pub name: String,
    /// The node.
    pub node: usize,
    /// The factor.
    pub factor: BigRational,
}

/// The graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arithmetic {
    /// The input columns.
    pub inputs: Vec<String>,
    /// The nodes, each after its operands.
    pub nodes: Vec<ArithmeticNode>,
    /// The results.
    pub outputs: Vec<ArithmeticOutput>,
    /// The number of rows.
    pub rows: usize,
}

impl Arithmetic {
    /// Adds an operation; its position.
    pub(super) fn push(&mut self, operation: Operation) -> usize {
        let node = self.describe(operation);
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// States a tighter bound than the operands' bounds give.
    pub(super) fn tighten(&mut self, node: usize, bound: f64) {
        let known = &mut self.nodes[node].bound;
        *known = known.min(bound);
    }

    fn describe(&self, operation: Operation) -> ArithmeticNode {
        let of = |at: &usize| &self.nodes[*at];
        let constant = |c: &BigRational| number::to_f64(&c.abs());
        let (shape, padded, bound, depth) = match &operation {
            Operation::Input(_) => (Shape::Column, true, f64::INFINITY, 0),
            Operation::Add(a, b) | Operation::Sub(a, b) => {
                let (a, b) = (of(a), of(b));
                let shape = a.shape.join(b.shape);
                // A number beside a column fills the slots without rows.
                (shape, a.padded && b.padded, a.bound + b.bound, a.depth.max(b.depth))
            }
            Operation::Mul(a, b) => {
                let (a, b) = (of(a), of(b));
                (a.shape.join(b.shape), a.padded || b.padded, a.bound * b.bound, a.depth.max(b.depth) + 1)
            }
            Operation::Neg(a) => (of(a).shape, of(a).padded, of(a).bound, of(a).depth),
            Operation::AddConstant(a, c) => {
                (of(a).shape, of(a).padded, of(a).bound + constant(c), of(a).depth)
            }
            Operation::MulConstant(a, k) => {
                let depth = of(a).depth + usize::from(!k.is_integer());
                (of(a).shape, of(a).padded, of(a).bound * constant(k), depth)
            }
            Operation::MaskRows(a) => (of(a).shape, true, of(a).bound, of(a).depth),
            Operation::Sum(a) => (Shape::Number, false, of(a).bound * self.rows as f64, of(a).depth),
        };
        ArithmeticNode { operation, shape, padded, bound, depth }
    }
}
