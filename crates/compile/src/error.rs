//! Why a program has no arithmetic graph.

use asanoha_circuits::polynomial::ApproximationError;
use asanoha_lang::{BuildError, Origin, RangeError};
use asanoha_table::advice::{Advice, Advised};
use num_bigint::BigInt;
use thiserror::Error;

use super::ir::SmallFunctionError;

/// The most values that the operands of a function of whole numbers have together, where arithmetic is real.
pub(super) const MOST_WHOLE_VALUES: usize = 256;

/// Why a program has no arithmetic graph.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ExpandError {
    /// Its ranges can't be found.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// It can't be put in whole numbers.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A function can't be approximated.
    #[error(transparent)]
    Approximation(#[from] ApproximationError),
    /// Exact arithmetic has no such function.
    #[error("`{0}` is approximated, which exact arithmetic on whole numbers can't do")]
    NotExact(&'static str),
    /// A function without an error for its polynomial.
    #[error("there's no error given for the polynomial of `{0}`")]
    MissingFit(&'static str),
    /// A function of whole numbers that may be of others, where arithmetic is real.
    #[error("`{0}` takes whole numbers, and an operand is not known to be one")]
    NotApproximate(&'static str),
    /// A function of too many whole numbers, where arithmetic is real.
    #[error(
        "`{0}` takes whole numbers of at most {most} values together where the rest of the program is approximated",
        most = MOST_WHOLE_VALUES
    )]
    ManyValues(&'static str),
    /// An operation that depends on the data's ranges.
    #[error("`{0}` has to be made of other operations first, on the data's ranges: plan the program anew")]
    NotOnData(&'static str),
    /// A choice by something that may be neither 0 nor 1.
    #[error(
        "`where` chooses by a condition of 0 and 1 where numbers are approximated: write a comparison, such as `where(x > 0, a, b)`"
    )]
    NotACondition,
    /// A function of whole numbers of something else.
    #[error("`{0}` takes whole numbers, and an operand may be a fraction")]
    Fraction(&'static str),
    /// A power or a remainder modulo a wide number in a program that isn't of arithmetic modulo that number.
    #[error(
        "`{0}` modulo a number takes exact schemes with slots and a program whose results are all modulo that number: sums, products and powers of whole numbers, each result with `% p`, and equalities of such"
    )]
    NotModular(&'static str),
    /// An inverse or an equality modulo a number that isn't prime.
    #[error("`{function}` modulo {modulus} needs a prime, and this isn't one")]
    NotPrime {
        /// The function.
        function: &'static str,
        /// The modulus.
        modulus: BigInt,
    },
    /// Ranges of too many values for a table.
    #[error(
        "`{function}` of {} values is too wide, a table of {} entries; one variable has at most {one} values, and each of two at most {two}{}",
        values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" times "),
        values.iter().product::<BigInt>(),
        if *function == "%" { "; a program whose results are all modulo that number needs no table" } else { "" },
        one = (1 << 16) + 1,
        two = asanoha_circuits::MAX_TABLE_SIDE
    )]
    TooWide {
        /// The function.
        function: &'static str,
        /// How many values each variable has.
        values: Vec<BigInt>,
    },
    /// A table can't be had.
    #[error(transparent)]
    Function(#[from] SmallFunctionError),
    /// More work than a plan may ask of whoever reads it.
    #[error("the program takes {found} {what}, above the limit of {limit}: cut it into several programs")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// How much there is, at least.
        found: u64,
        /// How much there may be.
        limit: u64,
    },
    /// A column that exact arithmetic can't take.
    #[error("column `{0}` has values that aren't whole numbers")]
    NotWhole(String),
    /// What is wrong with an operation, with its place in the program's text.
    #[error("{}{error}", origin.prefix())]
    At {
        /// The place.
        origin: Box<Origin>,
        /// What is wrong.
        error: Box<Self>,
    },
}

impl ExpandError {
    /// What is wrong, without its place.
    pub fn without_place(&self) -> &Self {
        if let Self::At { error, .. } = self { error } else { self }
    }

    /// The place in the program's text, if it's an operation's.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::At { origin, .. } => origin.if_known(),
            Self::Range(error) => error.origin(),
            _ => None,
        }
    }

    /// The error of an operation that stands at a place, by the name that it has there.
    pub(super) fn at(mut self, origin: Option<&Origin>) -> Self {
        let Some(origin) = origin.filter(|_| {
            !matches!(self, Self::Range(RangeError::At { .. }) | Self::NotWhole(_) | Self::At { .. })
        }) else {
            return self;
        };
        if let Some(written) = origin.name()
            && let Self::NotExact(name)
            | Self::MissingFit(name)
            | Self::NotApproximate(name)
            | Self::ManyValues(name)
            | Self::NotOnData(name)
            | Self::Fraction(name)
            | Self::NotModular(name)
            | Self::NotPrime { function: name, .. }
            | Self::TooWide { function: name, .. } = &mut self
        {
            *name = written;
        }
        Self::At { origin: Box::new(origin.clone()), error: Box::new(self) }
    }
}

impl Advised for ExpandError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Range(error) => error.advice(),
            Self::NotModular(_) => vec![Advice::NarrowRanges],
            Self::ManyValues(_) => vec![Advice::NarrowRanges, Advice::Clip],
            Self::TooWide { .. } | Self::Approximation(ApproximationError::OutOfReach { .. }) => {
                vec![Advice::NarrowRanges]
            }
            Self::NotApproximate("==" | "!=") => vec![Advice::Gap, Advice::Round],
            Self::Fraction(_) | Self::NotApproximate(_) => vec![Advice::Round],
            Self::At { error, .. } => error.advice(),
            Self::Approximation(ApproximationError::NoSign { .. }) => {
                vec![Advice::WiderGap, Advice::NarrowRanges]
            }
            _ => Vec::new(),
        }
    }
}
