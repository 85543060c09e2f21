//! Exact arithmetic on plain numbers, and the counting of it.

mod cost;
mod plain;

pub use cost::{CircuitCost, CostCounter, StageCount};
pub use plain::{PlainArithmetic, PlainValue, TooDeep};
