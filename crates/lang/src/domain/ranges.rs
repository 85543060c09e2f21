//! Which values every node of a program can take, from the ranges of its columns.

use asanoha_numeric::{MAX_MAGNITUDE_BITS, Range};
use asanoha_table::{
    ColumnSchema, Columns, Schema, UnknownColumn, Written,
    advice::{Advice, Advised},
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::{
    Arg, Argument, Domain, Outcome,
    denominators::{common, denominators},
};
use crate::{
    error::BuildError,
    function::{Function, Kind},
    ids::NodeId,
    names::{is_identifier, quoted},
    node::Node,
    origin::Origin,
    program::Program,
};

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
    /// A column that isn't one of dates, and is compared with a date.
    #[error(
        "column `{column}` is {kind}, where dates are needed: the cells of a column of dates are like 2026-11-23, and a number is subtracted from a date or added to it"
    )]
    NotDates {
        /// The column.
        column: String,
        /// The kind of its values, in words.
        kind: String,
    },
    /// A column of dates that is compared with another number.
    #[error(
        "column `{column}` is of dates, and compared with a number: write a date, `{column} >= 2026-11-23`, or count days, `{column} - 2026-01-01 > 30`"
    )]
    Dates {
        /// The column.
        column: String,
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
    /// A table by texts that leaves out a category of its column.
    #[error("the table of column `{column}` has no entry for {category}: add one, as in `{category}: 0`")]
    NoEntry {
        /// The column.
        column: String,
        /// The category, as programs write it.
        category: String,
    },
    /// Rows that are counted by what is no condition.
    #[error(
        "`{function}` takes a condition, which is 0 or 1, and {operand} can be anything in {range}: write what holds in the rows that count, such as {example}"
    )]
    NoCondition {
        /// The function.
        function: &'static str,
        /// The operand, in words.
        operand: String,
        /// Conditions, as programs write them.
        example: String,
        /// The range of the operand.
        range: Box<Range>,
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
    #[error("{what}, and here {operand} can be anything in {range}{}", remedy.map(|remedy| format!(": {remedy}")).unwrap_or_default())]
    Domain {
        /// The function.
        function: &'static str,
        /// The function and what it takes, in words.
        what: String,
        /// What it's of: a column, or something computed.
        operand: String,
        /// The range of that.
        range: Box<Range>,
        /// Advice on the function that is made of it, if there is any.
        remedy: Option<&'static str>,
    },
}

impl Advised for RangeError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::TooManySteps { function: "floor" | "round" | "//", .. } => {
                vec![Advice::NarrowRanges, Advice::Clip]
            }
            Self::TooManySteps { .. } => vec![Advice::Round, Advice::NarrowRanges, Advice::Clip],
            Self::Fraction { .. } => vec![Advice::Round],
            Self::UnknownRank { .. } => vec![Advice::ExactRows],
            Self::Domain { remedy: None, .. } => vec![Advice::NarrowRanges, Advice::Offset],
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
        if let Some(written) = origin.name()
            && let Self::Domain { function, what, remedy, .. } = &mut self
            && is_identifier(written)
            && written != *function
        {
            *what = format!("`{written}` is computed by `{function}`: {what}");
            *remedy = origin.remedy();
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

/// The range of every node, in the order of [`Program::nodes`].
///
/// Interval arithmetic with exact ends: the true values never leave it, and may not fill it when a column is used
/// twice. `Power` with an even exponent and `dot(x, x)` are known not to be negative; `var` is at most a quarter of
/// the squared width, and `cov` of the product of both widths. Ends that take more than 4096 bits are rounded outward.
///
/// # Errors
/// Functions that aren't defined on all values that their operands can take, and values that can be too large.
pub fn ranges(program: &Program, schema: &Schema) -> Result<Vec<Range>, RangeError> {
    ranges_with(program, schema, &denominators(program, schema))
}

/// As [`ranges`], given the denominators of all operations.
pub(crate) fn ranges_with(
    program: &Program,
    schema: &Schema,
    denominators: &[Option<BigInt>],
) -> Result<Vec<Range>, RangeError> {
    let mut domain = Ranges {
        program,
        columns: Columns::new(&schema.columns, |column| &column.name),
        rows: BigRational::from_integer(BigInt::from(schema.rows)),
        denominators,
    };
    super::all(program, &mut domain).map_err(|(id, error)| error.at(program.origin(id)))
}

struct Ranges<'a> {
    program: &'a Program,
    columns: Columns<'a, ColumnSchema>,
    rows: BigRational,
    denominators: &'a [Option<BigInt>],
}

type Of<'v> = Arg<'v, Range>;

impl Ranges<'_> {
    /// A range, unless it's beyond all use.
    fn bounded(&self, at: NodeId, range: Option<Range>) -> Result<Range, RangeError> {
        let node = self.program.node(at);
        range.ok_or_else(|| RangeError::TooLarge {
            node: at,
            operation: node.operation(),
            limit_bits: if node.is_approximate() { 1023 } else { MAX_MAGNITUDE_BITS },
        })
    }
}

impl Ranges<'_> {
    /// Refuses to count rows by what is no condition: `count` of a column of numbers isn't the number of its rows.
    fn check_condition(
        &self,
        at: NodeId,
        function: &Function,
        of: &[Argument<'_, Range>],
        ranges: &[Range],
    ) -> Result<(), RangeError> {
        let written = self.program.origin(at).and_then(Origin::name);
        let Some(function) =
            written.filter(|name| COUNTING.contains(name) && function.kind() == Kind::Choice)
        else {
            return Ok(());
        };
        let bit = Range::whole(0, 1).expect("in order");
        let is_bit = |id: NodeId| {
            let is_whole = self.denominators[id.0].as_ref().is_some_and(One::is_one);
            is_whole && ranges[0].union(&bit) == bit
        };
        let Some(id) = of[0].node().filter(|id| !is_bit(*id)) else { return Ok(()) };
        let is_date = self
            .program
            .column(id)
            .is_some_and(|name| self.columns.find(name).is_ok_and(|column| column.date));
        let column = self.program.column(id).map(quoted);
        let operand =
            column.as_ref().map_or_else(|| "this".to_owned(), |name| format!("column {}", tick(name)));
        let name = column.unwrap_or_else(|| "x".to_owned());
        let example = if is_date {
            format!("`{name} >= 2026-11-23`, or `count()` for all rows")
        } else {
            format!("`{name} > 0`, or `{name} != 0` for all that aren't 0")
        };
        Err(RangeError::NoCondition { function, operand, example, range: Box::new(ranges[0].clone()) })
    }
}

/// The functions that count the rows of a condition, and the signs that other tools have for bits too.
const COUNTING: [&str; 10] = ["count", "mean", "mean_where", "sum", "any", "all", "&", "|", "~", "!"];

/// A column's name in back-quotes, which some have already.
fn tick(name: &str) -> String {
    if name.starts_with('`') { name.to_owned() } else { format!("`{name}`") }
}

impl Domain for Ranges<'_> {
    type Value = Range;
    type Error = RangeError;

    fn input(&mut self, _: NodeId, name: &str) -> Outcome<Self> {
        Ok(self.columns.find(name)?.range.clone())
    }

    fn add(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(a.value.add(b.value))
    }

    fn mul(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(a.value.mul(b.value))
    }

    fn scale(&mut self, _: NodeId, a: Of<'_>, k: &BigRational) -> Outcome<Self> {
        Ok(a.value.scale(k))
    }

    fn offset(&mut self, _: NodeId, a: Of<'_>, c: &BigRational) -> Outcome<Self> {
        Ok(a.value.offset(c))
    }

    fn power(&mut self, at: NodeId, a: Of<'_>, exponent: u32) -> Outcome<Self> {
        self.bounded(at, a.value.power(exponent))
    }

    fn sum(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(a.value.scale(&self.rows))
    }

    fn mean(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(a.value.clone())
    }

    fn var(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(a.value.variance())
    }

    fn cov(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(a.value.covariance(b.value))
    }

    fn dot(&mut self, at: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        let product =
            if a.node == b.node { self.bounded(at, a.value.power(2))? } else { a.value.mul(b.value) };
        Ok(product.scale(&self.rows))
    }

    fn assume(&mut self, _: NodeId, a: Of<'_>, [lo, hi]: [&BigRational; 2]) -> Outcome<Self> {
        let assumed = Range::between(lo.clone(), hi.clone());
        a.value.intersection(&assumed).ok_or_else(|| RangeError::NeverAssumed {
            assumed: Box::new(assumed),
            range: Box::new(a.value.clone()),
        })
    }

    fn quantile(&mut self, _: NodeId, a: Of<'_>, _: &BigRational) -> Outcome<Self> {
        Ok(a.value.clone())
    }

    fn function(&mut self, at: NodeId, f: &Function, of: &[Argument<'_, Range>]) -> Outcome<Self> {
        // Quotients and remainders are of whole multiples of a unit, 1 for whole numbers.
        let known = of.iter().map(|of| match of.node() {
            Some(id) => self.denominators[id.0].clone(),
            None => Some(BigInt::one()),
        });
        let unit = if f.is_division() { common(known) } else { None };
        let unit = BigRational::from_integer(unit.unwrap_or_else(BigInt::one));
        let ranges = of.iter().map(|of| {
            let range = match of {
                Argument::Value(arg) => arg.value.clone(),
                Argument::Constant(constant) => Range::whole(*constant, *constant)?,
            };
            Some(if unit.is_one() { range } else { range.scale(&unit) })
        });
        let Some(ranges) = ranges.collect::<Option<Vec<Range>>>() else { return self.bounded(at, None) };
        if let Some(what) = f.takes(&ranges) {
            let operand = of[0].node().and_then(|id| self.program.column(id));
            let operand = operand.map_or_else(|| "it".to_owned(), |name| format!("column `{name}`"));
            let function = f.name();
            let range = Box::new(ranges[0].clone());
            return Err(RangeError::Domain { function, what, operand, range, remedy: None });
        }
        self.check_condition(at, f, of, &ranges)?;
        let range = self.bounded(at, f.range(&ranges))?;
        Ok(if f.is_remainder() { range.scale(&unit.recip()) } else { range })
    }

    fn done(&mut self, at: NodeId, _: &Node, range: Range) -> Outcome<Self> {
        self.bounded(at, range.tamed())
    }
}
