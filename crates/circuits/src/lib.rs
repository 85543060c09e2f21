//! What is built out of scheme operations. This is the only floor where two schemes meet: what is written here is
//! generic over [`Arithmetic`] and [`Slots`], which each scheme's evaluator and the planner's models provide, and, for exact
//! functions of encrypted integers, over [`ExactArithmetic`].

mod comparison;
pub mod division;
mod exact;
mod level;
pub mod linear_transform;
mod one_hot;
pub mod polynomial;
mod table_function;
mod trace_sum;

pub use comparison::{Comparison, DigitComparison};
pub use exact::{Cost, CostCounter, ExactArithmetic, PlainArithmetic, PlainValue, StageCost, TooDeep};
pub use one_hot::{Domain, DomainError, Powers};
pub use table_function::{
    BinaryFunction, MAX_TABLE_SIDE, OneVariableTable, Output, Schedule, TableError, TwoVariableTable,
};
pub use trace_sum::{Slots, sum_blocks, sum_trace};

/// The operations that a circuit of additions and multiplications is made of.
pub trait Arithmetic {
    /// A value: a ciphertext, a node of a graph, or a plain number.
    type Value: Clone;
    /// What can go wrong.
    type Error;

    /// a + b.
    fn add(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a − b.
    fn sub(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a·b.
    fn mul(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// k·a.
    fn mul_constant(&mut self, a: &Self::Value, k: f64) -> Result<Self::Value, Self::Error>;
    /// a + c.
    fn add_constant(&mut self, a: &Self::Value, c: f64) -> Result<Self::Value, Self::Error>;
    /// Hears that no value of a exceeds the bound, which the operands' bounds may not show.
    fn bounded(&mut self, _a: &Self::Value, _bound: f64) {}
}
