//! What kinds of numbers a program's outputs are.

use asanoha_table::{MAX_PLACES, Schema};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Pow};
use serde::Serialize;

use crate::{
    domain::denominators::denominators, finished::Finish, ids::NodeId, node::Node, program::Program,
    shape::Shape,
};

/// The kind of an output's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OutputKind {
    /// 0 or 1: a comparison, or what is made of comparisons by `and`, `or`, `not` and products.
    Truth,
    /// Whole numbers.
    Whole,
    /// Dates, as days since 1970-01-01.
    Date,
    /// Decimals.
    Decimal {
        /// The places after the point.
        places: u32,
    },
    /// Real numbers, and fractions that no decimals are.
    Real,
}

impl OutputKind {
    /// Its name in the packages for other languages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Truth => "bool",
            Self::Whole => "whole",
            Self::Date => "date",
            Self::Decimal { .. } => "decimal",
            Self::Real => "real",
        }
    }
}

/// An output: its name, its shape and its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutputInfo {
    /// The name.
    pub name: String,
    /// Whether there is a value per row.
    pub shape: Shape,
    /// The kind.
    #[serde(flatten)]
    pub kind: OutputKind,
}

/// The outputs in the order of results: those that are computed encrypted, then those that are finished after decryption, then
/// constants. Kinds follow from the program and the kinds of the columns, so that they are known before any data.
///
/// ```
/// use asanoha_lang::{OutputKind, Program, output_kinds};
/// use asanoha_table::{Schema, read_csv};
///
/// let table = read_csv("x,y\n1,2.50\n".as_bytes(), "t.csv", &["x", "y"])?;
/// let schema = Schema::from_table(&table, &[])?;
/// let program = Program::parse("a = x < 3 and y > 1\nb = 2 * x\nc = x * y\nd = exp(y)")?;
/// let kinds: Vec<_> = output_kinds(&program, &schema).into_iter().map(|output| output.kind).collect();
/// assert_eq!(kinds, [OutputKind::Truth, OutputKind::Whole, OutputKind::Decimal { places: 2 }, OutputKind::Real]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn output_kinds(program: &Program, schema: &Schema) -> Vec<OutputInfo> {
    let (denominators, truths) = (denominators(program, schema), truths(program));
    let shown = program.shown_outputs().iter().map(|(name, id)| OutputInfo {
        name: name.clone(),
        shape: program.shape(*id),
        kind: if truths[id.0] { OutputKind::Truth } else { of_denominator(denominators[id.0].as_ref()) },
    });
    let finished = program.finished().iter().flat_map(|finished| {
        let is_whole = matches!(&finished.function, Finish::Formula(formula) if formula.is_whole());
        let kind = if is_whole { OutputKind::Whole } else { OutputKind::Real };
        let shape = program.finished_shape(finished);
        finished.results.iter().map(move |name| OutputInfo { name: name.clone(), shape, kind })
    });
    let constants = program.constants().iter().map(|constant| OutputInfo {
        name: constant.name.clone(),
        shape: if constant.column.is_some() { Shape::Column } else { Shape::Number },
        kind: of_denominator(Some(constant.value.denom())),
    });
    shown.chain(finished).chain(constants).collect()
}

/// For every operation, whether its values are truths by the way it's made.
fn truths(program: &Program) -> Vec<bool> {
    let mut truths: Vec<bool> = Vec::with_capacity(program.nodes().len());
    for node in program.nodes() {
        let of = |id: NodeId| truths[id.0];
        truths.push(match node {
            Node::Mul(a, b) => of(*a) && of(*b),
            Node::Function(function, operands) => function.is_truth(operands, of),
            _ => false,
        });
    }
    truths
}

/// The kind of multiples of a fraction 1/d; of real numbers where there is none.
fn of_denominator(denominator: Option<&BigInt>) -> OutputKind {
    let Some(denominator) = denominator else { return OutputKind::Real };
    if denominator.is_one() {
        return OutputKind::Whole;
    }
    let power = |places: &u32| Pow::pow(BigInt::from(10), *places);
    match (1..=MAX_PLACES).find(|places| power(places).is_multiple_of(denominator)) {
        Some(places) => OutputKind::Decimal { places },
        None => OutputKind::Real,
    }
}
