//! Circuits as data: the arithmetic graph of a program, and its schedule. Both are made of one set of operations.

mod circuit;
mod digit_function;
mod graph;
mod input;
mod layout;
mod op;
mod small_function;
mod whole_operation;
mod width;

pub use circuit::{Circuit, Output, Step};
pub use digit_function::{DigitFunction, DigitFunctionKind};
pub use graph::{Graph, GraphNode, GraphOutput};
pub(crate) use input::input_factor;
pub use input::{CircuitInput, input_names, scaled_input};
pub use layout::{Layout, SlotRange};
pub use op::{
    Carry, Constant, Factor, Form, InGraph, InSchedule, Instruction, IntegerOperand, LevelOp, Op, Operands,
    Operation, Positions, Term,
};
pub use small_function::{
    FUNCTION_MODULUS, MAX_FUNCTION_MODULUS_BITS, Prepared, SmallFunction, SmallFunctionError, VARIABLES,
};
pub use whole_operation::WholeOperation;
pub use width::{BLOCK_BITS, MAX_BLOCKS, MAX_TABLE_BLOCKS, Width};
