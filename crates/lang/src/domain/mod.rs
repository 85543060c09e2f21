//! One walk over a program, for whatever its operations are computed with: numbers, ranges, text, the terms of another program.

pub(crate) mod denominators;
pub(crate) mod influence;
pub(crate) mod ranges;
pub(crate) mod row_use;
pub(crate) mod supports;

use num_rational::BigRational;
use num_traits::One;

use crate::{
    function::Function,
    ids::{NodeId, Operand},
    node::Node,
    program::Program,
};

/// A value that an operation is of.
#[derive(Debug)]
pub struct Arg<'v, V> {
    /// The operation that gave it; none for one that was made on the way.
    pub node: Option<NodeId>,
    /// The value.
    pub value: &'v V,
}

impl<V> Clone for Arg<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Arg<'_, V> {}

impl<'v, V> From<&'v V> for Arg<'v, V> {
    fn from(value: &'v V) -> Self {
        Self { node: None, value }
    }
}

/// What a function is of.
#[derive(Debug)]
pub enum Argument<'v, V> {
    /// A value.
    Value(Arg<'v, V>),
    /// A whole constant.
    Constant(i64),
}

impl<V> Clone for Argument<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Argument<'_, V> {}

impl<'v, V> Argument<'v, V> {
    /// The value, if it's no constant.
    pub fn value(self) -> Option<&'v V> {
        if let Self::Value(arg) = self { Some(arg.value) } else { None }
    }

    /// The operation that gave it, if there's one.
    pub fn node(self) -> Option<NodeId> {
        if let Self::Value(arg) = self { arg.node } else { None }
    }
}

/// What a domain computes an operation to, or why it doesn't.
pub type Outcome<D> = Result<<D as Domain>::Value, <D as Domain>::Error>;

/// What the operations of programs mean for values of some kind. [`walk`] computes with them.
///
/// The arithmetic operations, of which there will be no more, are methods; functions are told apart by
/// [`Function::kind`] and what they mean by [`Meaning`](crate::Meaning).
#[expect(clippy::missing_errors_doc, reason = "the errors are those of the domain")]
pub trait Domain {
    /// What operations are computed to.
    type Value;
    /// Why one can't be.
    type Error;

    /// A column of the data.
    fn input(&mut self, at: NodeId, column: &str) -> Outcome<Self>;
    /// a + b.
    fn add(&mut self, at: NodeId, a: Arg<'_, Self::Value>, b: Arg<'_, Self::Value>) -> Outcome<Self>;
    /// a·b.
    fn mul(&mut self, at: NodeId, a: Arg<'_, Self::Value>, b: Arg<'_, Self::Value>) -> Outcome<Self>;
    /// k·a.
    fn scale(&mut self, at: NodeId, a: Arg<'_, Self::Value>, k: &BigRational) -> Outcome<Self>;
    /// a + c.
    fn offset(&mut self, at: NodeId, a: Arg<'_, Self::Value>, c: &BigRational) -> Outcome<Self>;
    /// a to a power of 2 or more.
    fn power(&mut self, at: NodeId, a: Arg<'_, Self::Value>, exponent: u32) -> Outcome<Self>;
    /// The sum over the rows.
    fn sum(&mut self, at: NodeId, a: Arg<'_, Self::Value>) -> Outcome<Self>;
    /// The mean over the rows.
    fn mean(&mut self, at: NodeId, a: Arg<'_, Self::Value>) -> Outcome<Self>;
    /// a, which lies between two numbers by the author's word.
    fn assume(&mut self, at: NodeId, a: Arg<'_, Self::Value>, within: [&BigRational; 2]) -> Outcome<Self>;
    /// The least value that is no less than a part of the rows.
    fn quantile(&mut self, at: NodeId, a: Arg<'_, Self::Value>, q: &BigRational) -> Outcome<Self>;
    /// A function.
    fn function(
        &mut self,
        at: NodeId,
        function: &Function,
        of: &[Argument<'_, Self::Value>],
    ) -> Outcome<Self>;

    /// −a.
    fn neg(&mut self, at: NodeId, a: Arg<'_, Self::Value>) -> Outcome<Self> {
        self.scale(at, a, &-BigRational::one())
    }

    /// a − b.
    fn sub(&mut self, at: NodeId, a: Arg<'_, Self::Value>, b: Arg<'_, Self::Value>) -> Outcome<Self> {
        let negated = self.neg(at, b)?;
        self.add(at, a, (&negated).into())
    }

    /// The population covariance, the mean of (a − mean(a))·(b − mean(b)).
    fn cov(&mut self, at: NodeId, a: Arg<'_, Self::Value>, b: Arg<'_, Self::Value>) -> Outcome<Self> {
        let (mean_a, mean_b) = (self.mean(at, a)?, self.mean(at, b)?);
        let deviations = [self.sub(at, a, (&mean_a).into())?, self.sub(at, b, (&mean_b).into())?];
        let product = self.mul(at, (&deviations[0]).into(), (&deviations[1]).into())?;
        self.mean(at, (&product).into())
    }

    /// The population variance, the mean of (a − mean(a))².
    fn var(&mut self, at: NodeId, a: Arg<'_, Self::Value>) -> Outcome<Self> {
        self.cov(at, a, a)
    }

    /// The sum over the rows of a·b.
    fn dot(&mut self, at: NodeId, a: Arg<'_, Self::Value>, b: Arg<'_, Self::Value>) -> Outcome<Self> {
        let product = self.mul(at, a, b)?;
        self.sum(at, (&product).into())
    }

    /// An operation that the domain computes from what it knows itself, if it does: its operands may not have been computed.
    fn known(&mut self, at: NodeId, node: &Node) -> Option<Outcome<Self>> {
        let _ = (at, node);
        None
    }

    /// What is kept of an operation's value.
    fn done(&mut self, at: NodeId, node: &Node, value: Self::Value) -> Outcome<Self> {
        let _ = (at, node);
        Ok(value)
    }
}

/// Values of all operations, or the operation that there is none of and why.
pub type Walked<D, V> = Result<Vec<V>, (NodeId, <D as Domain>::Error)>;

/// Which values [`walk`] keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep<'a> {
    /// Those of all operations.
    All,
    /// Those of the outputs: all others are dropped after their last use.
    Outputs,
    /// Those of some operations, with the operands of all that the domain doesn't know ([`Domain::known`]); no others are
    /// computed.
    Only(&'a [bool]),
}

/// Computes the operations of a program, each after its operands, and returns the values that are kept.
///
/// # Errors
/// That of the first operation that can't be computed, with the operation.
pub fn walk<D: Domain>(program: &Program, domain: &mut D, keep: Keep<'_>) -> Walked<D, Option<D::Value>> {
    let mut uses = if keep == Keep::Outputs { program.use_counts() } else { Vec::new() };
    let mut values: Vec<Option<D::Value>> = Vec::with_capacity(program.nodes().len());
    for (id, node) in program.iter() {
        if let Keep::Only(needed) = keep
            && !needed[id.0]
        {
            values.push(None);
            continue;
        }
        let value = match domain.known(id, node) {
            Some(known) => known,
            None => operation(domain, id, node, &values),
        };
        let value = value.and_then(|value| domain.done(id, node, value));
        values.push(Some(value.map_err(|error| (id, error))?));
        if keep == Keep::Outputs {
            for operand in node.operands() {
                uses[operand.0] -= 1;
                if uses[operand.0] == 0 {
                    values[operand.0] = None;
                }
            }
        }
    }
    Ok(values)
}

/// The values of all operations of a program.
///
/// # Errors
/// That of the first operation that can't be computed, with the operation.
pub fn all<D: Domain>(program: &Program, domain: &mut D) -> Walked<D, D::Value> {
    let values = walk(program, domain, Keep::All)?;
    Ok(values.into_iter().map(|value| value.expect("all are kept")).collect())
}

/// The value of an operation, from those of its operands.
pub(crate) fn operation<D: Domain>(
    domain: &mut D,
    at: NodeId,
    node: &Node,
    values: &[Option<D::Value>],
) -> Result<D::Value, D::Error> {
    let arg = |id: &NodeId| {
        let value = values[id.0].as_ref().expect("values are kept until their last use");
        Arg { node: Some(*id), value }
    };
    match node {
        Node::Input(name) => domain.input(at, name),
        Node::Add(a, b) => domain.add(at, arg(a), arg(b)),
        Node::Sub(a, b) => domain.sub(at, arg(a), arg(b)),
        Node::Neg(a) => domain.neg(at, arg(a)),
        Node::Mul(a, b) => domain.mul(at, arg(a), arg(b)),
        Node::Scale(a, k) => domain.scale(at, arg(a), k),
        Node::Offset(a, c) => domain.offset(at, arg(a), c),
        Node::Power(a, exponent) => domain.power(at, arg(a), *exponent),
        Node::Sum(a) => domain.sum(at, arg(a)),
        Node::Mean(a) => domain.mean(at, arg(a)),
        Node::Var(a) => domain.var(at, arg(a)),
        Node::Cov(a, b) => domain.cov(at, arg(a), arg(b)),
        Node::Dot(a, b) => domain.dot(at, arg(a), arg(b)),
        Node::Assume(a, lo, hi) => domain.assume(at, arg(a), [lo, hi]),
        Node::Quantile(a, q) => domain.quantile(at, arg(a), q),
        Node::Function(function, operands) => {
            let of: Vec<Argument<'_, D::Value>> = operands
                .iter()
                .map(|operand| match operand {
                    Operand::Value(id) => Argument::Value(arg(id)),
                    Operand::Constant(constant) => Argument::Constant(*constant),
                })
                .collect();
            domain.function(at, function, &of)
        }
    }
}
