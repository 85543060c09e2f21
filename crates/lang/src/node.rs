//! The operations of programs.

use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::{
    function::Function,
    ids::{NodeId, Operand},
    shape::Shape,
};

/// An operation on values that depend on the data. Constants occur inside [`Node::Scale`] and [`Node::Offset`] only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// A column of the data.
    Input(String),
    /// `a + b`; the two differ.
    Add(NodeId, NodeId),
    /// `a − b`; the two differ.
    Sub(NodeId, NodeId),
    /// `−a`.
    Neg(NodeId),
    /// `a · b`; the two differ (a square is a [`Node::Power`]).
    Mul(NodeId, NodeId),
    /// `k · a` with `k` none of 0, 1, −1; `a` is neither a `Scale`, an `Offset` nor a `Neg`.
    Scale(NodeId, BigRational),
    /// `a + c` with `c` not 0; `a` is not an `Offset`.
    Offset(NodeId, BigRational),
    /// `a^e` with `2 ≤ e ≤ MAX_EXPONENT`.
    Power(NodeId, u32),
    /// The sum over the rows of a column.
    Sum(NodeId),
    /// The mean over the rows of a column.
    Mean(NodeId),
    /// The population variance over the rows of a column: the mean squared distance from the mean.
    Var(NodeId),
    /// The population covariance over the rows of two columns, which differ.
    Cov(NodeId, NodeId),
    /// The sum over the rows of the product of two columns, which may be the same.
    Dot(NodeId, NodeId),
    /// A number that lies between two others by the author's word, whatever the ranges of the columns say.
    Assume(NodeId, BigRational, BigRational),
    /// The least value of a column that is no less than a part q, from 0 to 1, of the rows: at 0 the minimum, at 1 the maximum.
    /// [`specialised`](crate::specialised) makes other operations of it.
    Quantile(NodeId, BigRational),
    /// A function of numbers, one of which at least is no constant.
    Function(Function, Vec<Operand>),
}

/// The nodes that an operation is of, each behind a reference of the same kind as that to the operation.
macro_rules! operands {
    ($node:expr) => {
        match $node {
            Node::Input(_) => [None, None, None],
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) | Node::Dot(a, b) | Node::Cov(a, b) => {
                [Some(a), Some(b), None]
            }
            Node::Neg(a)
            | Node::Scale(a, _)
            | Node::Offset(a, _)
            | Node::Power(a, _)
            | Node::Sum(a)
            | Node::Mean(a)
            | Node::Var(a)
            | Node::Assume(a, ..)
            | Node::Quantile(a, _) => [Some(a), None, None],
            Node::Function(_, operands) => {
                // Functions are of one to three numbers.
                let mut ids = operands.into_iter().map(|operand| match operand {
                    Operand::Value(id) => Some(id),
                    Operand::Constant(_) => None,
                });
                [ids.next().flatten(), ids.next().flatten(), ids.next().flatten()]
            }
        }
    };
}

/// What a quantile of a column is called.
pub(crate) fn quantile_name(q: &BigRational) -> &'static str {
    match q {
        q if q.is_zero() => "min",
        q if q.is_one() => "max",
        _ => "quantile",
    }
}

impl Node {
    /// The nodes this one is computed from, in order; a node used twice is listed twice.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        operands!(self).map(Option::<&NodeId>::copied).into_iter().flatten()
    }

    /// The same operation on other operands.
    #[must_use]
    pub(crate) fn with_operands(&self, map: impl Fn(NodeId) -> NodeId) -> Self {
        let mut node = self.clone();
        operands!(&mut node).into_iter().flatten().for_each(|id: &mut NodeId| *id = map(*id));
        node
    }

    /// Whether this is one number of all rows of columns.
    pub fn is_over_rows(&self) -> bool {
        matches!(
            self,
            Self::Sum(_) | Self::Mean(_) | Self::Var(_) | Self::Cov(..) | Self::Dot(..) | Self::Quantile(..)
        )
    }

    /// The shape of the result, from the shapes of the operands.
    pub(crate) fn shape(&self, of: impl Fn(NodeId) -> Shape) -> Shape {
        match self {
            Self::Input(_) => Shape::Column,
            _ if self.is_over_rows() => Shape::Number,
            _ => self.operands().map(of).fold(Shape::Number, Shape::join),
        }
    }

    /// The operation in a word, for messages and tables.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Add(..) => "add",
            Self::Sub(..) => "sub",
            Self::Neg(_) => "neg",
            Self::Mul(..) => "mul",
            Self::Scale(..) => "scale",
            Self::Offset(..) => "offset",
            Self::Power(..) => "power",
            Self::Sum(_) => "sum",
            Self::Mean(_) => "mean",
            Self::Var(_) => "var",
            Self::Cov(..) => "cov",
            Self::Dot(..) => "dot",
            Self::Assume(..) => "assume",
            Self::Quantile(_, q) => quantile_name(q),
            Self::Function(function, _) => function.name(),
        }
    }

    /// The function that this is, and what of.
    pub fn function(&self) -> Option<(&Function, &[Operand])> {
        if let Self::Function(function, operands) = self { Some((function, operands)) } else { None }
    }

    /// Whether this is approximated by polynomials where real numbers are computed.
    pub fn is_fitted(&self) -> bool {
        let is_fitted = |function: &Function| {
            function.is_approximate() || function.is_by_sign() || function.is_by_values()
        };
        self.function().is_some_and(|(function, _)| is_fitted(function))
    }

    /// Whether this is computed by approximation, even from whole numbers.
    pub fn is_approximate(&self) -> bool {
        self.function().is_some_and(|(function, _)| function.is_approximate())
    }
}
