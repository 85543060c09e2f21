//! One step of a schedule: functions of the same operands, which are evaluated together.

use asanoha_circuits::{CircuitCost, ExactArithmetic};
use serde::Serialize;

use super::{DigitFunction, SmallFunction, digit_function::counted, small_function};

/// Functions of whole numbers of the same operands, with a result each.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WholeOperation {
    /// By tables, all of the same ranges, which share the powers of their variables.
    Tables(Vec<SmallFunction>),
    /// By digits.
    Digits(DigitFunction),
}

impl WholeOperation {
    /// How many operands; `None` for functions that don't go together.
    pub fn arity(&self) -> Option<usize> {
        match self {
            Self::Tables(functions) => {
                let first = functions.first()?;
                functions.iter().all(|other| other.goes_with(first)).then(|| first.arity())
            }
            Self::Digits(function) => Some(function.kind().arity()),
        }
    }

    /// How many results.
    pub fn results(&self) -> usize {
        match self {
            Self::Tables(functions) => functions.len(),
            Self::Digits(function) => function.kind().results(),
        }
    }

    /// The plaintext modulus t.
    pub fn modulus(&self) -> u64 {
        match self {
            Self::Tables(functions) => functions.first().map_or(0, SmallFunction::modulus),
            Self::Digits(function) => function.modulus(),
        }
    }

    /// What an evaluation costs.
    pub fn cost(&self) -> CircuitCost {
        match self {
            Self::Tables(functions) => counted(self.modulus(), functions[0].arity(), |counter, operands| {
                small_function::apply_all(functions, counter, operands)
            }),
            Self::Digits(function) => function.cost().clone(),
        }
    }

    /// The results of ciphertexts, or of what a model knows of them.
    ///
    /// # Panics
    /// If the plaintext modulus is another, or operands are missing.
    pub fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        operands: &[&A::Value],
    ) -> Result<Vec<A::Value>, A::Error> {
        match self {
            Self::Tables(functions) => small_function::apply_all(functions, arithmetic, operands),
            Self::Digits(function) => function.apply(arithmetic, operands),
        }
    }
}
