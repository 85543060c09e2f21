//! The graph itself.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use num_rational::BigRational;
use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};

use super::error::ProgramError;
use super::finished::Finished;
use super::function::{Function, Operand};
use super::origin::Origins;
use super::smooth::SmoothFunction;
use super::values::Values;
use super::weights::Weights;
use super::{lower, number};
use asanoha_table::Schema;

/// The index of a node in [`Program::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub usize);

/// Whether a value has one entry per row of the data or is one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A value per row.
    Column,
    /// One value.
    Number,
}

impl Shape {
    /// The shape of an operation on two values: a number beside a column stands in every row.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        if self == Self::Number { other } else { Self::Column }
    }
}

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
    /// A smooth function of a real number.
    Smooth(SmoothFunction, NodeId),
    /// A number that lies between two others by the author's word, whatever the ranges of the columns say.
    Assume(NodeId, BigRational, BigRational),
    /// The least value of a column that is no less than a part q, from 0 to 1, of the rows: at 0 the minimum, at 1 the maximum.
    /// [`Program::on`] makes other operations of it.
    Quantile(NodeId, BigRational),
    /// A function of numbers, one of which at least is no constant.
    Function(Function, Vec<Operand>),
}

/// What a quantile of a column is called.
pub(super) fn quantile_name(q: &BigRational) -> &'static str {
    match q {
        q if q.is_zero() => "min",
        q if q.is_one() => "max",
        _ => "quantile",
    }
}

impl Node {
    /// The nodes this one is computed from, in order; a node used twice is listed twice.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let operands = match *self {
            Self::Input(_) => [None; 3],
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) | Self::Dot(a, b) | Self::Cov(a, b) => {
                [Some(a), Some(b), None]
            }
            Self::Neg(a)
            | Self::Scale(a, _)
            | Self::Offset(a, _)
            | Self::Power(a, _)
            | Self::Sum(a)
            | Self::Mean(a)
            | Self::Var(a)
            | Self::Assume(a, ..)
            | Self::Quantile(a, _)
            | Self::Smooth(_, a) => [Some(a), None, None],
            Self::Function(_, ref operands) => {
                let node = |at: usize| operands.get(at).copied().and_then(Operand::node);
                [node(0), node(1), node(2)]
            }
        };
        operands.into_iter().flatten()
    }

    /// The same operation on other operands.
    #[must_use]
    pub(super) fn with_operands(&self, map: impl Fn(NodeId) -> NodeId) -> Self {
        match self {
            Self::Input(name) => Self::Input(name.clone()),
            Self::Add(a, b) => Self::Add(map(*a), map(*b)),
            Self::Sub(a, b) => Self::Sub(map(*a), map(*b)),
            Self::Neg(a) => Self::Neg(map(*a)),
            Self::Mul(a, b) => Self::Mul(map(*a), map(*b)),
            Self::Scale(a, factor) => Self::Scale(map(*a), factor.clone()),
            Self::Offset(a, constant) => Self::Offset(map(*a), constant.clone()),
            Self::Power(a, exponent) => Self::Power(map(*a), *exponent),
            Self::Sum(a) => Self::Sum(map(*a)),
            Self::Mean(a) => Self::Mean(map(*a)),
            Self::Var(a) => Self::Var(map(*a)),
            Self::Cov(a, b) => Self::Cov(map(*a), map(*b)),
            Self::Dot(a, b) => Self::Dot(map(*a), map(*b)),
            Self::Smooth(function, a) => Self::Smooth(*function, map(*a)),
            Self::Assume(a, lo, hi) => Self::Assume(map(*a), lo.clone(), hi.clone()),
            Self::Quantile(a, q) => Self::Quantile(map(*a), q.clone()),
            Self::Function(function, operands) => {
                Self::Function(function.clone(), operands.iter().map(|operand| operand.map(&map)).collect())
            }
        }
    }

    /// The shape of the result, from the shapes of the operands.
    pub(super) fn shape(&self, of: impl Fn(NodeId) -> Shape) -> Shape {
        match *self {
            Self::Input(_) => Shape::Column,
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => of(a).join(of(b)),
            Self::Neg(a)
            | Self::Scale(a, _)
            | Self::Offset(a, _)
            | Self::Power(a, _)
            | Self::Assume(a, ..)
            | Self::Smooth(_, a) => of(a),
            Self::Sum(_)
            | Self::Mean(_)
            | Self::Var(_)
            | Self::Cov(..)
            | Self::Dot(..)
            | Self::Quantile(..) => Shape::Number,
            Self::Function(..) => self.operands().map(of).fold(Shape::Number, Shape::join),
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
            Self::Smooth(function, _) => function.name(),
            Self::Assume(..) => "assume",
            Self::Quantile(_, q) => quantile_name(q),
            Self::Function(function, _) => function.name(),
        }
    }

    /// Whether this is approximated by polynomials where real numbers are computed.
    pub fn is_fitted(&self) -> bool {
        self.is_approximate()
            || matches!(self, Self::Function(function, _) if function.is_by_sign() || function.is_by_values())
    }

    /// Whether this is computed by approximation, even from whole numbers.
    pub fn is_approximate(&self) -> bool {
        matches!(self, Self::Smooth(..))
    }
}

/// A function of the columns of a table: a graph of operations in which every node stands after its operands, no
/// operation stands twice, every node is needed by an output, and every node depends on the data.
///
/// `Display` prints it in its own language, and [`Program::parse`] of that is an equal program; files hold it so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Program {
    pub(super) nodes: Vec<Node>,
    pub(super) shapes: Vec<Shape>,
    pub(super) outputs: Vec<(String, NodeId)>,
    pub(super) inputs: Vec<String>,
    pub(super) constants: Vec<Constant>,
    pub(super) finished: Vec<Finished>,
    /// The names of the results, in the order in which they were assigned.
    pub(super) order: Vec<String>,
    pub(super) origins: Origins,
}

/// An output that is the same for all data: nothing is encrypted for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// The output's name.
    pub name: String,
    /// Its value, exactly.
    pub value: BigRational,
    /// A column of the data in whose every row it stands; none where it's one number.
    pub column: Option<String>,
}

impl Constant {
    /// The output, for so many rows.
    pub fn output<T: Clone>(
        &self,
        rows: usize,
        of: impl Fn(&BigRational) -> T,
    ) -> (String, Values<T>) {
        let value = of(&self.value);
        let values =
            if self.column.is_some() { Values::Column(vec![value; rows]) } else { Values::Number(value) };
        (self.name.clone(), values)
    }
}

impl Program {
    /// Reads a program; see the [module](super) for the language.
    pub fn parse(text: &str) -> Result<Self, ProgramError> {
        Self::parse_with(text, &BTreeMap::new())
    }

    /// Reads a program that takes lists of constants from elsewhere: `@name` is the weights of that name.
    ///
    /// ```
    /// use asanoha_lang::{Program, Weights};
    ///
    /// let weights = Weights::from_bytes(b"bmi,bp,intercept\n0.5,-2,7\n", "w.csv")?;
    /// let weights = [("w".to_owned(), weights)].into();
    /// let program = Program::parse_with("score = linear(@w)", &weights)?;
    /// assert_eq!(program, Program::parse("score = dot([bmi, bp], [0.5, -2]) + 7")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Self::parse`], and names that there are no weights of.
    pub fn parse_with(text: &str, weights: &BTreeMap<String, Weights>) -> Result<Self, ProgramError> {
        lower::program(text, weights)
    }

    /// The operations, each after its operands.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The operation `id`.
    ///
    /// # Panics
    /// When `id` is of another program.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The shape of the result of `id`.
    ///
    /// # Panics
    /// When `id` is of another program.
    pub fn shape(&self, id: NodeId) -> Shape {
        self.shapes[id.0]
    }

    /// Every operation with its id, each after its operands.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index), node))
    }

    /// The outputs that are computed encrypted: those that a user asked for ([`Self::shown_outputs`]) in the order in which they
    /// were assigned, and then the parts of those that are finished after decryption ([`Self::finished`]).
    pub fn outputs(&self) -> &[(String, NodeId)] {
        &self.outputs
    }

    /// The outputs that are the same for all data, in the order in which they were assigned. They stand after the others
    /// wherever there are results.
    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// The names of all results, also of those that are constants or finished after decryption, in the order in which they were
    /// assigned.
    pub fn result_names(&self) -> &[String] {
        &self.order
    }

    /// The columns that the outputs need, in the order of their nodes.
    pub fn input_names(&self) -> &[String] {
        &self.inputs
    }

    /// Whether every output is an exact fraction: all columns used are whole or decimals, and nothing is approximated.
    pub fn is_exact(&self, schema: &Schema) -> bool {
        let exact = schema.columns.iter().filter(|column| column.whole || column.places > 0);
        let exact: HashSet<&str> = exact.map(|column| column.name.as_str()).collect();
        self.inputs.iter().all(|name| exact.contains(name.as_str()))
            && !self.nodes.iter().any(Node::is_approximate)
    }

    /// How many times each node is used, by other nodes and as an output.
    pub fn use_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.nodes.len()];
        let used = self.nodes.iter().flat_map(Node::operands).chain(self.outputs.iter().map(|&(_, id)| id));
        for id in used {
            counts[id.0] += 1;
        }
        counts
    }
}

impl TryFrom<String> for Program {
    type Error = ProgramError;

    fn try_from(text: String) -> Result<Self, ProgramError> {
        Ok(Self::parse(&text)?.without_places())
    }
}

impl From<Program> for String {
    fn from(program: Program) -> Self {
        program.to_string()
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Column => "column",
            Self::Number => "number",
        })
    }
}

/// A constant in words, for messages.
pub(super) fn shown(value: &BigRational) -> String {
    let text = number::format(value);
    if text.len() > 40 { format!("a constant of {} bits", number::bits(value)) } else { text }
}
