//! Results of programs.

use std::fmt::{self, Display};

use asanoha_table::advice::{Advice, Advised};
use num_rational::BigRational;

#[cfg(doc)]
use crate::program::Program;
use crate::{program::Constant, shape::Shape};

/// A result: one value per row, or one value.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<T> {
    /// A value per row.
    Column(Vec<T>),
    /// One value.
    Number(T),
    /// None for these data, and why: only [`Program::finished`] gives such.
    Missing(NoValue),
}

/// Why there is no value.
#[derive(Debug, Clone, PartialEq)]
pub struct NoValue {
    /// The reason, in words.
    pub reason: String,
    /// What can be done.
    pub advice: Vec<Advice>,
    /// The number of rows, where there would be a value per row.
    pub rows: Option<usize>,
}

impl NoValue {
    /// With more precision, there may be one.
    pub(crate) fn imprecise(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), advice: vec![Advice::MorePrecision], rows: None }
    }
}

impl From<&str> for NoValue {
    fn from(reason: &str) -> Self {
        Self { reason: reason.to_owned(), advice: Vec::new(), rows: None }
    }
}

impl Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl Advised for NoValue {
    fn advice(&self) -> Vec<Advice> {
        self.advice.clone()
    }
}

impl<T: Clone> Values<T> {
    /// An output that is the same for all data, for so many rows.
    pub fn of_constant(constant: &Constant, rows: usize, of: impl Fn(&BigRational) -> T) -> Self {
        let value = of(&constant.value);
        if constant.column.is_some() { Self::Column(vec![value; rows]) } else { Self::Number(value) }
    }
}

impl<T> Values<T> {
    /// The values one after the other; a number is one value, and what's missing none.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::Column(values) => values,
            Self::Number(value) => std::slice::from_ref(value),
            Self::Missing(_) => &[],
        }
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Column(_) | Self::Missing(NoValue { rows: Some(_), .. }) => Shape::Column,
            Self::Number(_) | Self::Missing(_) => Shape::Number,
        }
    }

    /// The same with another value in the place of each.
    pub fn map<U>(&self, f: impl Fn(&T) -> U) -> Values<U> {
        match self {
            Self::Column(values) => Values::Column(values.iter().map(f).collect()),
            Self::Number(value) => Values::Number(f(value)),
            Self::Missing(reason) => Values::Missing(reason.clone()),
        }
    }

    pub(crate) fn zip(&self, other: &Self, f: impl Fn(&T, &T) -> T) -> Self {
        match (self, other) {
            (Self::Column(a), Self::Column(b)) => {
                Self::Column(a.iter().zip(b).map(|(a, b)| f(a, b)).collect())
            }
            (Self::Column(a), Self::Number(b)) => Self::Column(a.iter().map(|a| f(a, b)).collect()),
            (Self::Number(a), Self::Column(b)) => Self::Column(b.iter().map(|b| f(a, b)).collect()),
            (Self::Number(a), Self::Number(b)) => Self::Number(f(a, b)),
            (Self::Missing(reason), _) | (_, Self::Missing(reason)) => Self::Missing(reason.clone()),
        }
    }
}

/// The outputs of a program with their names, in the order of [`Program::shown_outputs`], then of [`Program::finished`], and then
/// of [`Program::constants`].
pub type Outputs<T> = Vec<(String, Values<T>)>;
