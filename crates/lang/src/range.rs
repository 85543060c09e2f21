//! Which values every node of a program can take, from the ranges of its columns.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::denominators::common;
use super::error::BuildError;
use super::function::Operand;
use super::node::{Node, NodeId, Program};
use super::origin::Origin;
use super::smooth::SmoothFunction;
use asanoha_table::advice::{Advice, Advised};
use asanoha_table::{ColumnSchema, Columns, Schema, UnknownColumn, Written};
use asanoha_numeric::{MAX_MAGNITUDE_BITS, Range};

/// Why a program has no ranges on some data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// A column that the data do not have.
    #[error(transparent)]
    UnknownColumn(#[from] UnknownColumn),
    /// A value that can grow beyond all use.
    #[error(
        "a value of the program ({operation}) can be above 2^{limit_bits}: declare a narrower range for its columns"
    )]
    TooLarge {
        /// The node.
        node: NodeId,
        /// Its operation.
        operation: &'static str,
        /// The limit.
        limit_bits: u64,
    },
    /// What is assumed of a value can't be.
    #[error("a value is assumed to be in {assumed}, and it can only be in {range}: take one of the two back")]
    NeverAssumed {
        /// What is assumed.
        assumed: Box<Range>,
        /// What the ranges of the columns give.
        range: Box<Range>,
    },
    /// A step function of real numbers with too many steps, or a quantile of a column with too many values.
    #[error("`{function}` {of}, of which {found} are in {range}, and up to {most} are computed")]
    TooManySteps {
        /// The function.
        function: &'static str,
        /// What it is computed by, in words.
        of: &'static str,
        /// How many of these there are, in words where they can't be counted.
        found: String,
        /// The range of its operand.
        range: Box<Range>,
        /// The most of them.
        most: u32,
    },
    /// A quantile whose rank follows from the number of rows, which isn't known yet.
    #[error("`{function}` counts up to a place among the rows, which depends on how many there are")]
    UnknownRank {
        /// The function.
        function: &'static str,
    },
    /// A column that is compared with text, and isn't of text.
    #[error(
        "`{column}` is compared with {text:?}, and isn't a column of text but {kind}: compare it with a number"
    )]
    NotText {
        /// The column.
        column: String,
        /// The text.
        text: String,
        /// What the column is.
        kind: String,
    },
    /// A text that a column doesn't have.
    #[error("column `{column}` has no category {text:?}; the nearest are {}", nearest.join(", "))]
    UnknownCategory {
        /// The column.
        column: String,
        /// The text.
        text: String,
        /// The categories that are most alike.
        nearest: Vec<String>,
    },
    /// A column of text that's computed with.
    #[error(
        "column `{column}` is text, such as {example:?}, {}",
        written.as_ref().map_or_else(
            || format!("whose numbers say nothing but which text it is: compare it with a text (`{column} == '…'`) or with another column of text, or look it up (`table({column}, [...])`); `{operation}` has no meaning for it"),
            |written| format!("for which `{operation}` has no meaning; the text {written}")
        )
    )]
    TextComputed {
        /// The column.
        column: String,
        /// One of its texts.
        example: String,
        /// What is computed.
        operation: &'static str,
        /// What the text looks like, if it looks like a number, a date or a time.
        written: Option<Written>,
    },
    /// A function of whole numbers of something else.
    #[error("`{function}` takes whole numbers and decimals, and an operand may be any fraction")]
    Fraction {
        /// The function.
        function: &'static str,
    },
    /// A column whose values only the client knows, up to a constant.
    #[error(
        "`{output}` needs the values of column `{column}` as they are, and the schema says that a secret constant is taken away from them: name one that is public, as in \"centre\": \"100\", or leave `centre` out"
    )]
    NeedsCentre {
        /// The column.
        column: String,
        /// The output.
        output: String,
    },
    /// A program that can't be made of others.
    #[error("{0}")]
    Build(#[from] BuildError),
    /// What is wrong with an operation, with its place in the program's text.
    #[error("{}{error}", origin.prefix())]
    At {
        /// The place.
        origin: Box<Origin>,
        /// What is wrong.
        error: Box<Self>,
    },
    /// A function of values that it may not be defined of.
    #[error("{what}, and here {operand} can be anything in {range}")]
    Domain {
        /// The function and what it takes, in words.
        what: String,
        /// What it's of: a column, or something computed.
        operand: String,
        /// The range of that.
        range: Box<Range>,
    },
}

impl Advised for RangeError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::TooManySteps { .. } => vec![Advice::NarrowRanges, Advice::Clip],
            Self::Fraction { .. } => vec![Advice::Round],
            Self::UnknownRank { .. } => vec![Advice::ExactRows],
            Self::Domain { .. } => vec![Advice::NarrowRanges, Advice::Offset],
            Self::At { error, .. } => error.advice(),
            _ => Vec::new(),
        }
    }
}

impl RangeError {
    /// The error of an operation that stands at a place, by the name that it has there.
    #[must_use]
    pub fn at(mut self, origin: Option<&Origin>) -> Self {
        let (Some(origin), false) = (origin, matches!(self, Self::At { .. })) else { return self };
        if let Some(written) = origin.name()
            && let Self::TooManySteps { function: name, .. }
            | Self::UnknownRank { function: name }
            | Self::Fraction { function: name }
            | Self::TextComputed { operation: name, .. }
            | Self::TooLarge { operation: name, .. } = &mut self
        {
            *name = written;
        }
        Self::At { origin: Box::new(origin.clone()), error: Box::new(self) }
    }

    /// What is wrong, without its place.
    pub fn without_place(&self) -> &Self {
        if let Self::At { error, .. } = self { error } else { self }
    }

    /// The place in the program's text, if it's an operation's.
    pub fn origin(&self) -> Option<&Origin> {
        if let Self::At { origin, .. } = self { origin.if_known() } else { None }
    }
}

impl Program {
    /// The error of a function whose operand's range isn't inside its domain.
    fn outside(&self, function: SmoothFunction, operand: NodeId, range: &Range) -> RangeError {
        let what = match function {
            SmoothFunction::Reciprocal => "a divisor must not be 0".to_owned(),
            _ => format!("`{function}` takes numbers above 0"),
        };
        let operand = match self.node(operand) {
            Node::Input(name) => format!("column `{name}`"),
            _ => "it".to_owned(),
        };
        RangeError::Domain { what, operand, range: Box::new(range.clone()) }
    }

    /// The range of every node, in the order of [`Program::nodes`].
    ///
    /// Interval arithmetic with exact ends: the true values never leave it, and may not fill it when a column is used
    /// twice. `Power` with an even exponent and `dot(x, x)` are known not to be negative; `var` is at most a quarter of
    /// the squared width, and `cov` of the product of both widths. Ends that take more than 4096 bits are rounded outward.
    pub fn ranges(&self, schema: &Schema) -> Result<Vec<Range>, RangeError> {
        let columns = Columns::new(&schema.columns, |column| &column.name);
        let rows = BigRational::from_integer(BigInt::from(schema.rows));
        let denominators = self.denominators(schema);
        let mut ranges: Vec<Range> = Vec::with_capacity(self.nodes.len());
        for (id, node) in self.iter() {
            let range = self.range(id, node, (&columns, &rows), (&ranges, &denominators));
            ranges.push(range.map_err(|error| error.at(self.origin(id)))?);
        }
        Ok(ranges)
    }

    /// The range of an operation, from those of the ones before.
    fn range(
        &self,
        id: NodeId,
        node: &Node,
        (columns, rows): (&Columns<ColumnSchema>, &BigRational),
        (ranges, denominators): (&[Range], &[Option<BigInt>]),
    ) -> Result<Range, RangeError> {
        let of = |id: &NodeId| &ranges[id.0];
        let range = match node {
            Node::Input(name) => Some(columns.find(name)?.range.clone()),
            Node::Add(a, b) => Some(of(a).add(of(b))),
            Node::Sub(a, b) => Some(of(a).sub(of(b))),
            Node::Neg(a) => Some(of(a).neg()),
            Node::Mul(a, b) => Some(of(a).mul(of(b))),
            Node::Scale(a, factor) => Some(of(a).scale(factor)),
            Node::Offset(a, constant) => Some(of(a).offset(constant)),
            Node::Power(a, exponent) => of(a).power(*exponent),
            Node::Sum(a) => Some(of(a).scale(rows)),
            Node::Mean(a) | Node::Quantile(a, _) => Some(of(a).clone()),
            Node::Var(a) => Some(of(a).variance()),
            Node::Cov(a, b) => Some(of(a).covariance(of(b))),
            Node::Dot(a, b) if a == b => of(a).power(2).map(|square| square.scale(rows)),
            Node::Dot(a, b) => Some(of(a).mul(of(b)).scale(rows)),
            Node::Smooth(function, a) => {
                let range = of(a);
                let zero = BigRational::zero();
                let is_inside = match function {
                    SmoothFunction::Log | SmoothFunction::Sqrt => *range.lo() > zero,
                    SmoothFunction::Reciprocal => !range.contains(&zero),
                    SmoothFunction::Sigmoid | SmoothFunction::Exp | SmoothFunction::Tanh => true,
                };
                if !is_inside {
                    return Err(self.outside(*function, *a, range));
                }
                super::smooth_range::smooth(*function, range)
            }
            Node::Assume(a, lo, hi) => {
                let assumed = Range::between(lo.clone(), hi.clone());
                let both = of(a).intersection(&assumed).ok_or_else(|| RangeError::NeverAssumed {
                    assumed: Box::new(assumed),
                    range: Box::new(of(a).clone()),
                })?;
                Some(both)
            }
            Node::Function(function, operands) => {
                let operand = |operand: &Operand| match operand {
                    Operand::Value(id) => Some(of(id).clone()),
                    Operand::Constant(constant) => Range::whole(*constant, *constant),
                };
                // Quotients and remainders are of whole multiples of a unit, 1 for whole numbers.
                let known = operands.iter().map(|operand| match operand {
                    Operand::Value(id) => denominators[id.0].clone(),
                    Operand::Constant(_) => Some(BigInt::one()),
                });
                let unit = if function.is_division() { common(known) } else { None };
                let unit = BigRational::from_integer(unit.unwrap_or_else(BigInt::one));
                let is_remainder = function.is_remainder();
                operands
                    .iter()
                    .map(|of| operand(of).map(|range| if unit.is_one() { range } else { range.scale(&unit) }))
                    .collect::<Option<Vec<_>>>()
                    .and_then(|of| function.range(&of))
                    .map(|range| if is_remainder { range.scale(&unit.recip()) } else { range })
            }
        };
        range.and_then(Range::tamed).ok_or_else(|| RangeError::TooLarge {
            node: id,
            operation: node.operation(),
            limit_bits: if matches!(node, Node::Smooth(..)) { 1023 } else { MAX_MAGNITUDE_BITS },
        })
    }
}
