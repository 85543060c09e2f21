//! Kinds of numbers that programs are computed with in the clear.

use asanoha_numeric::number;
use asanoha_table::ColumnValues;
use num_rational::BigRational;

use crate::function::Function;

/// A kind of number that results are of.
pub trait Number: Clone {
    /// The nearest one.
    fn constant(value: &BigRational) -> Self;
    /// The exact value; `None` for what is no number.
    fn to_exact(&self) -> Option<BigRational>;
}

impl Number for f64 {
    fn constant(value: &BigRational) -> Self {
        number::to_f64(value)
    }
    fn to_exact(&self) -> Option<BigRational> {
        BigRational::from_float(*self)
    }
}

impl Number for BigRational {
    fn constant(value: &BigRational) -> Self {
        value.clone()
    }
    fn to_exact(&self) -> Option<BigRational> {
        Some(self.clone())
    }
}

/// Arithmetic of one kind of number.
pub(crate) trait Arithmetic: Number {
    /// The values of a column; `None` when they are not of this kind.
    fn column(values: &ColumnValues) -> Option<Vec<Self>>;
    fn add(a: &Self, b: &Self) -> Self;
    fn sub(a: &Self, b: &Self) -> Self;
    fn mul(a: &Self, b: &Self) -> Self;
    fn power(a: &Self, exponent: u32) -> Self;
    fn total(values: impl Iterator<Item = Self>) -> Self;
    fn divide_by_count(a: &Self, count: usize) -> Self;
    /// A function; `None` when this kind of number has none. What has an argument that is no number is none.
    fn function(function: &Function, arguments: &[&Self]) -> Option<Self>;
    fn not_a_number() -> Self;
    /// About what a sum of such numbers is off by.
    fn rounding(&self) -> f64;
    /// A bound on the bits of `a^exponent`.
    fn bits_of_power(a: &Self, exponent: u32) -> u64;
}

impl Arithmetic for f64 {
    fn column(values: &ColumnValues) -> Option<Vec<Self>> {
        Some(values.to_real())
    }
    fn add(a: &Self, b: &Self) -> Self {
        a + b
    }
    fn sub(a: &Self, b: &Self) -> Self {
        a - b
    }
    fn mul(a: &Self, b: &Self) -> Self {
        a * b
    }
    fn power(a: &Self, exponent: u32) -> Self {
        a.powi(exponent as i32)
    }
    /// Neumaier's compensated sum: the error does not grow with the number of rows.
    fn total(values: impl Iterator<Item = Self>) -> Self {
        let (mut total, mut lost) = (0.0_f64, 0.0_f64);
        for value in values {
            let sum = total + value;
            lost += if total.abs() >= value.abs() { (total - sum) + value } else { (value - sum) + total };
            total = sum;
        }
        if lost.is_finite() { total + lost } else { total }
    }
    fn divide_by_count(a: &Self, count: usize) -> Self {
        a / count as Self
    }
    fn function(function: &Function, arguments: &[&Self]) -> Option<Self> {
        // Functions have up to three arguments.
        let mut doubles = [0.0; 3];
        doubles.iter_mut().zip(arguments).for_each(|(double, argument)| *double = **argument);
        Some(function.double(&doubles[..arguments.len()]))
    }
    fn rounding(&self) -> f64 {
        4.0 * Self::EPSILON * self.abs()
    }
    fn not_a_number() -> Self {
        Self::NAN
    }
    fn bits_of_power(_: &Self, _: u32) -> u64 {
        64
    }
}
