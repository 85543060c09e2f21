//! The arithmetic graph between a program and a schedule.

use asanoha_lang::{Range, Shape};
use asanoha_numeric::number;
use num_rational::BigRational;
use num_traits::Signed;

use super::{Carry, CircuitInput, Op, Operation};

/// A node with what is known of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    /// What it does.
    pub operation: Operation,
    /// A column or a number.
    pub shape: Shape,
    /// Bound on the values in slots that hold rows; of a number, in all slots.
    pub rows: f64,
    /// The values in slots that hold rows, where that was stated.
    pub range: Option<Range>,
    /// Bound on the values in the slots of a column that hold no rows; 0 if they hold zeros.
    pub padding: f64,
    /// The most products and multiplications by fractions on a way from an input.
    pub depth: usize,
}

impl GraphNode {
    /// Bound on the values of all slots.
    pub fn bound(&self) -> f64 {
        self.rows.max(self.padding)
    }

    /// Whether the slots without rows hold zeros.
    pub fn is_padded(&self) -> bool {
        self.shape == Shape::Column && self.padding == 0.0
    }

    /// What the node holds in the slots of a column that have no rows.
    fn beside_rows(&self) -> f64 {
        if self.shape == Shape::Number { self.rows } else { self.padding }
    }
}

/// A result: a node's value times a factor that is applied in the clear.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphOutput {
    /// The name.
    pub name: String,
    /// The node.
    pub node: usize,
    /// The factor.
    pub factor: BigRational,
    /// How far approximated functions put the result off at most.
    pub approximation: f64,
}

/// The graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// What is encrypted of the columns.
    pub inputs: Vec<CircuitInput>,
    /// The nodes, each after its operands.
    pub nodes: Vec<GraphNode>,
    /// The results.
    pub outputs: Vec<GraphOutput>,
    /// The number of rows.
    pub rows: usize,
    /// How many of the nodes are sums over rows.
    pub sums: u64,
    /// How many ranges were prepared for tables: as many as there are, however many tables each has.
    pub domains: usize,
}

impl Graph {
    /// Adds an operation; its position.
    pub fn push(&mut self, operation: Operation) -> usize {
        let node = self.describe(operation);
        self.sums += u64::from(matches!(node.operation, Op::Sum(..)));
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// States a tighter bound on the rows than the operands' bounds give.
    pub fn tighten(&mut self, node: usize, bound: f64) {
        let known = &mut self.nodes[node].rows;
        *known = known.min(bound);
    }

    /// States in which range the rows are, beside what was stated before.
    pub fn state(&mut self, node: usize, range: Range) {
        let known = &mut self.nodes[node].range;
        *known = match known {
            Some(known) => known.intersection(&range),
            None => Some(range),
        };
    }

    /// Whether there are functions of whole numbers in it.
    pub fn has_functions(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.operation, Op::Functions(..)))
    }

    /// Whether anything in it switches keys: products of two values, sums over rows, functions.
    pub fn switches_keys(&self) -> bool {
        use Op::{Functions, Integers, Mul, Sum};
        self.nodes
            .iter()
            .any(|node| matches!(node.operation, Mul(..) | Sum(..) | Functions(..) | Integers(..)))
    }

    /// Products one after the other to the deepest output.
    pub fn depth(&self) -> usize {
        self.outputs.iter().map(|output| self.nodes[output.node].depth).max().unwrap_or(0)
    }

    /// The position of an operation that is there already.
    pub fn find(&self, operation: &Operation) -> Option<usize> {
        self.nodes.iter().position(|node| node.operation == *operation)
    }

    /// Without what no output needs.
    pub(crate) fn pruned(mut self) -> Self {
        let mut needed = vec![false; self.nodes.len()];
        self.outputs.iter().for_each(|output| needed[output.node] = true);
        for at in (0..needed.len()).rev() {
            if needed[at] {
                self.nodes[at].operation.each_operand(|operand| needed[*operand] = true);
            }
        }
        let mut pruned = Self { rows: self.rows, domains: self.domains, ..Self::default() };
        let mut renumbered = vec![0; needed.len()];
        for (at, mut node) in self.nodes.into_iter().enumerate().filter(|(at, _)| needed[*at]) {
            node.operation.each_operand(|operand| *operand = renumbered[*operand]);
            if let Op::Input(input) = &mut node.operation {
                pruned.inputs.push(self.inputs[*input].clone());
                *input = pruned.inputs.len() - 1;
            }
            renumbered[at] = pruned.nodes.len();
            pruned.nodes.push(node);
        }
        let renumber = |output: GraphOutput| GraphOutput { node: renumbered[output.node], ..output };
        pruned.outputs = self.outputs.into_iter().map(renumber).collect();
        pruned
    }

    /// The plaintext modulus of the functions, if there are any.
    pub fn modulus(&self) -> Option<u64> {
        self.nodes.iter().find_map(|node| match &node.operation {
            Op::Functions(_, operation) => Some(operation.modulus()),
            _ => None,
        })
    }

    fn describe(&self, operation: Operation) -> GraphNode {
        let of = |at: &usize| &self.nodes[*at];
        let constant = |c: &BigRational| number::to_f64(&c.abs());
        let zero = |bound: f64, factor: f64| if bound == 0.0 { 0.0 } else { bound * factor };
        let (shape, rows, padding, depth) = match &operation {
            Op::Input(_) => (Shape::Column, f64::INFINITY, 0.0, 0),
            Op::Add(a, b) | Op::Sub(a, b) => {
                let (a, b) = (of(a), of(b));
                let padding = a.beside_rows() + b.beside_rows();
                (a.shape.join(b.shape), a.rows + b.rows, padding, a.depth.max(b.depth))
            }
            Op::Mul(a, b) => {
                let (a, b) = (of(a), of(b));
                let padding = zero(a.beside_rows(), b.beside_rows());
                let padding = if b.beside_rows() == 0.0 { 0.0 } else { padding };
                (a.shape.join(b.shape), a.rows * b.rows, padding, a.depth.max(b.depth) + 1)
            }
            Op::Neg(a) | Op::Result(a, _) | Op::Own(Carry { a, .. }) => {
                (of(a).shape, of(a).rows, of(a).padding, of(a).depth)
            }
            // Beside the rows, noise is a value, too.
            Op::AbsorbNoise { a, within, .. } => {
                (of(a).shape, of(a).rows, of(a).padding + within, of(a).depth)
            }
            // The constant is added in rows only.
            Op::AddConstant(a, c) => (of(a).shape, of(a).rows + constant(c), of(a).padding, of(a).depth),
            Op::MulConstant(a, k) => {
                let depth = of(a).depth + usize::from(!k.is_integer());
                (of(a).shape, of(a).rows * constant(k), zero(of(a).padding, constant(k)), depth)
            }
            Op::MaskRows(a) => (of(a).shape, of(a).rows, 0.0, of(a).depth + 1),
            Op::KeepSlot(a, _) => (Shape::Number, of(a).rows, 0.0, of(a).depth + 1),
            Op::Sum(a, ()) => {
                let summands = if of(a).shape == Shape::Column { self.rows as f64 } else { 1.0 };
                (Shape::Number, of(a).rows * summands, 0.0, of(a).depth)
            }
            Op::Functions(operands, operation) => {
                let shape = operands.iter().map(|a| of(a).shape).fold(Shape::Number, Shape::join);
                let depth = operands.iter().map(|a| of(a).depth).max().unwrap_or(0);
                let anything = operation.modulus() as f64;
                (shape, anything, anything, depth + operation.cost().depth)
            }
            Op::Integers(_, operands, ()) => {
                let values = operands.iter().filter_map(|operand| operand.value()).map(|at| of(&at));
                let (shape, depth) = values.fold((Shape::Number, 0), |(shape, depth), node| {
                    (shape.join(node.shape), depth.max(node.depth))
                });
                (shape, f64::INFINITY, 0.0, depth)
            }
        };
        // A number has no slots without rows.
        let padding = if shape == Shape::Number { 0.0 } else { padding };
        GraphNode { operation, shape, rows, range: None, padding, depth }
    }
}
