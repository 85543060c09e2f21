//! Functions of whole numbers that are given by their digits.

use std::{convert::Infallible, sync::Arc};

use asanoha_circuits::{
    CircuitCost, CostCounter, DigitComparison, ExactArithmetic,
    division::{NibbleDivision, WideDivision},
};
use asanoha_ring::Modulus;
use serde::Serialize;

use super::SmallFunctionError;

/// The most digits of a number.
const MAX_DIGITS: usize = 16;
/// The bits of [`DigitFunctionKind::NibbleQuotient`]'s digits.
const NIBBLE_BITS: u32 = 4;

/// A function of numbers by their digits, the least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DigitFunctionKind {
    /// \[a < b\] and \[a = b\] from the differences of their digits.
    Comparison {
        /// How many digits.
        digits: usize,
        /// Their width.
        digit_bits: u32,
    },
    /// ⌊a/d⌋ of a's digits and of d, which is not negative; 0 for d = 0.
    WideQuotient {
        /// The dividend's digits.
        digits: usize,
        /// Their width.
        digit_bits: u32,
        /// The divisor's width.
        divisor_bits: u32,
    },
    /// ⌊a/d⌋ of a's digits of four bits, followed by those of d; 0 for d = 0.
    NibbleQuotient {
        /// The dividend's digits.
        digits: usize,
        /// The divisor's digits.
        divisor_digits: usize,
    },
}

/// Such a function modulo t, ready to be evaluated. In files only the definition stands.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct DigitFunction {
    definition: Definition,
    #[serde(skip)]
    circuit: Arc<DigitCircuit>,
    #[serde(skip)]
    cost: Arc<CircuitCost>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Definition {
    function: DigitFunctionKind,
    modulus: u64,
}

#[derive(Debug)]
enum DigitCircuit {
    Comparison(DigitComparison),
    Wide(WideDivision),
    Nibble(NibbleDivision),
}

impl DigitFunction {
    /// A function modulo a prime t.
    ///
    /// # Errors
    /// Digits that are too many, or don't fit t, with the figures.
    pub fn new(function: DigitFunctionKind, modulus: u64) -> Result<Self, SmallFunctionError> {
        let definition = Definition { function, modulus };
        let t = Modulus::new(modulus).map_err(|_| SmallFunctionError::Malformed)?;
        let some = |digits: usize| (1..=MAX_DIGITS).contains(&digits);
        let circuit = match function {
            DigitFunctionKind::Comparison { digits, digit_bits } if some(digits) => {
                DigitCircuit::Comparison(DigitComparison::new(&t, digit_bits)?)
            }
            DigitFunctionKind::WideQuotient { digits, digit_bits, divisor_bits } if some(digits) => {
                DigitCircuit::Wide(WideDivision::new(&t, digits, digit_bits, divisor_bits)?)
            }
            DigitFunctionKind::NibbleQuotient { digits, divisor_digits }
                if some(digits) && some(divisor_digits) =>
            {
                DigitCircuit::Nibble(NibbleDivision::new(&t, divisor_digits)?)
            }
            _ => return Err(SmallFunctionError::Malformed),
        };
        let cost = counted(modulus, function.arity(), |counter, operands| {
            circuit.apply(&function, counter, operands)
        });
        Ok(Self { definition, circuit: Arc::new(circuit), cost: Arc::new(cost) })
    }

    /// What it computes.
    pub fn kind(&self) -> DigitFunctionKind {
        self.definition.function
    }

    /// The plaintext modulus t.
    pub fn modulus(&self) -> u64 {
        self.definition.modulus
    }

    /// What an evaluation costs.
    pub fn cost(&self) -> &CircuitCost {
        &self.cost
    }

    /// The results.
    pub(crate) fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        operands: &[&A::Value],
    ) -> Result<Vec<A::Value>, A::Error> {
        self.circuit.apply(&self.definition.function, arithmetic, operands)
    }
}

impl DigitFunctionKind {
    /// How many operands.
    pub fn arity(self) -> usize {
        match self {
            Self::Comparison { digits, .. } => digits,
            Self::WideQuotient { digits, .. } => digits + 1,
            Self::NibbleQuotient { digits, divisor_digits } => digits + divisor_digits,
        }
    }

    /// How many results.
    pub fn results(self) -> usize {
        if matches!(self, Self::Comparison { .. }) { 2 } else { 1 }
    }
}

impl DigitCircuit {
    fn apply<A: ExactArithmetic>(
        &self,
        function: &DigitFunctionKind,
        arithmetic: &A,
        operands: &[&A::Value],
    ) -> Result<Vec<A::Value>, A::Error> {
        let owned = |operands: &[&A::Value]| operands.iter().map(|&value| value.clone()).collect::<Vec<_>>();
        Ok(match (self, *function) {
            (Self::Comparison(comparison), _) => comparison.apply(arithmetic, operands)?.into(),
            (Self::Wide(division), _) => {
                let (divisor, digits) = operands.split_last().expect("a divisor");
                vec![division.divide(arithmetic, &owned(digits), divisor)?]
            }
            (Self::Nibble(division), DigitFunctionKind::NibbleQuotient { digits, .. }) => {
                let (dividend, divisor) = operands.split_at(digits);
                let quotient = division.divide(arithmetic, &owned(dividend), &owned(divisor))?.quotient;
                let places: Vec<u64> = (0..digits as u32).map(|j| 1 << (j * NIBBLE_BITS)).collect();
                // The upper digits come first, at higher levels.
                let level = quotient.iter().map(|digit| arithmetic.level(digit)).min().unwrap_or(0);
                let lowered = quotient.iter().map(|digit| arithmetic.lowered(digit, level));
                let lowered = lowered.collect::<Result<Vec<_>, A::Error>>()?;
                let digits: Vec<&A::Value> = lowered.iter().map(|digit| &**digit).collect();
                vec![arithmetic.weighted_sum(&digits, &places)?]
            }
            (Self::Nibble(_), _) => unreachable!("its definition is a quotient by nibbles"),
        })
    }
}

impl PartialEq for DigitFunction {
    fn eq(&self, other: &Self) -> bool {
        self.definition == other.definition
    }
}

/// What a circuit costs, by the number of its inputs.
pub(crate) fn counted(
    modulus: u64,
    arity: usize,
    circuit: impl Fn(&CostCounter, &[&usize]) -> Result<Vec<usize>, Infallible>,
) -> CircuitCost {
    let counter = CostCounter::new(modulus);
    let input = counter.input();
    match circuit(&counter, &vec![&input; arity]) {
        Ok(_) => counter.cost(),
        Err(never) => match never {},
    }
}
