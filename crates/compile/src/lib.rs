//! Programs as graphs of arithmetic, and these as circuits.
//!
//! [`expand`] turns a program on data of a schema into a [`Graph`] of sums, products and constants, for one of three arithmetics:
//! whole numbers modulo a plaintext modulus, whole numbers whose functions are operations of the scheme, and real numbers whose
//! functions are approximated. A [`Circuit`] is a graph as a scheme carries it out, operation by operation at levels. Both are made
//! of one set of operations, [`Op`]. No scheme is named here: schedules are made, and carried out, by whoever knows one.

mod choice;
mod error;
mod exact;
mod expand;
mod expander;
mod factors;
mod integers;
mod ir;
mod known;
mod modular;
mod operand_range;
mod packed_numbers;
mod real;
mod views;

pub use error::ExpandError;
pub use expand::{Expansion, expand, expand_sharing};
pub use ir::{
    BLOCK_BITS, Carry, Circuit, CircuitInput, Constant, DigitFunction, DigitFunctionKind, FUNCTION_MODULUS,
    Factor, Form, Graph, GraphNode, GraphOutput, InGraph, InSchedule, Instruction, IntegerOperand, Layout,
    LevelOp, MAX_BLOCKS, MAX_FUNCTION_MODULUS_BITS, MAX_TABLE_BLOCKS, Op, Operands, Operation, Output,
    Positions, Prepared, SlotRange, SmallFunction, SmallFunctionError, Step, Term, VARIABLES, WholeOperation,
    Width, input_names, scaled_input,
};
pub use modular::common_modulus;
pub use real::{Fitted, Gap, fit_bits, gaps};
pub use views::{ViewedColumns, is_computed, with_views};
