//! What is built out of scheme operations: polynomials, linear transforms, comparisons, divisions, tables.
//!
//! It's written over the capabilities of [`asanoha_scheme::capability`], which the evaluators and noise models of all schemes
//! have, and cost counters and plain numbers too. No scheme is imported here.

pub mod bootstrap;
mod comparison;
pub mod division;
mod exact;
mod level;
pub mod linear_transform;
pub mod matrix;
mod one_hot;
pub mod parallel;
pub mod polynomial;
mod table_function;
mod trace_sum;

pub use asanoha_scheme::capability::{ExactArithmetic, RealArithmetic};
pub use comparison::{Comparison, DigitComparison};
pub use exact::{CircuitCost, CostCounter, PlainArithmetic, PlainValue, StageCount, TooDeep};
pub use one_hot::{Domain, DomainError, Powers};
pub use table_function::{
    BinaryFunction, BitTable, MAX_TABLE_SIDE, OneVariableTable, Output, Schedule, TableError,
    TwoVariableTable,
};
pub use trace_sum::{sum_blocks, sum_trace};
