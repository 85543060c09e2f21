//! Circuits: what a program becomes for a scheme. First an arithmetic graph of sums, products and constants
//! ([`Graph`]), then a schedule of scheme operations at levels ([`Circuit`]).

mod choice;
mod ckks_errors;
mod engine;
mod error;
mod exact;
mod expand;
mod expander;
mod integer_engine;
mod integers;
mod ir;
mod known;
mod multiples;
mod operand_range;
mod packed_numbers;
mod places;
mod plain;
mod real;
mod schedule;
mod schedule_ckks;
mod schedule_exact;
mod schedule_integers;
mod target;

use asanoha_scheme::SchemeError;

pub(crate) use ckks_errors::unsettled_bits;
pub use ckks_errors::{output_errors, published_errors, scale_of};
pub(crate) use engine::{Columns, Engine, Span, Values, apply, place_of, values_of_column};
pub use error::ExpandError;
pub(crate) use expand::expand_sharing;
pub use expand::{Expansion, expand};
pub(crate) use integer_engine::{apply_integers, integer_type};
pub use ir::{
    Carry, Circuit, CircuitInput, Constant, DigitFunction, DigitFunctionKind, FUNCTION_MODULUS, Factor, Form,
    Graph, GraphNode, GraphOutput, InGraph, InSchedule, Instruction, IntegerOperand, Layout, LevelOp,
    MAX_FUNCTION_MODULUS_BITS, Op, Operands, Operation, Output, Positions, SmallFunction, SmallFunctionError,
    Step, Term, VARIABLES, WholeOperation, Width,
};
pub(crate) use ir::{Prepared, SlotRange, input_names, scaled_input};
pub(crate) use places::{Taste, bootstrap_places};
pub(crate) use plain::PlainEngine;
pub(crate) use real::{Fitted, fit_bits, gaps};
pub use schedule_ckks::schedule_ckks;
pub(crate) use schedule_exact::schedule_exact;
pub(crate) use schedule_integers::schedule_integers;

/// Why there's no schedule at the given parameters.
#[derive(Debug)]
pub enum NoSchedule {
    /// More levels are needed.
    MoreLevels,
    /// An operation fails.
    Fails(SchemeError),
}

impl From<SchemeError> for NoSchedule {
    fn from(error: SchemeError) -> Self {
        Self::Fails(error)
    }
}
