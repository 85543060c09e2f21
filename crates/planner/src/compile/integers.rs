//! Functions of whole numbers that are operations of the scheme (TFHE), and the widths of the integers they're of.

use asanoha_circuits::BinaryFunction;
use asanoha_tfhe::IntegerType;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};
use serde::{Serialize, Serializer};

use super::{
    expand::{ExpandError, Expander, Value, Values},
    graph::Operation,
};
use crate::program::{Function, Given, Kind, Operand, Range, ops::binary};

/// Bits of a block.
pub(crate) const BLOCK_BITS: u64 = 2;
/// The most blocks of an integer.
pub(crate) const MAX_BLOCKS: u64 = 64;
/// The most blocks of the operands of a table together: it has an entry for each of their values.
pub(crate) const MAX_TABLE_BLOCKS: u64 = 8;

/// What a function of integers is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntegerOperand {
    /// The position of what computes it.
    Value(usize),
    /// A public number.
    Constant(i64),
}

impl IntegerOperand {
    /// The position of what computes it, if it isn't public.
    pub fn value(self) -> Option<usize> {
        match self {
            Self::Value(at) => Some(at),
            Self::Constant(_) => None,
        }
    }

    pub(super) fn value_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::Value(at) => Some(at),
            Self::Constant(_) => None,
        }
    }
}

/// How many blocks an integer has, and whether it's in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Width {
    /// Blocks of two bits.
    pub blocks: u64,
    /// Whether it may be negative.
    pub signed: bool,
}

impl Width {
    /// The narrowest that holds all whole numbers of a range.
    pub(crate) fn of(range: &Range) -> Self {
        let (least, most) = range.whole_ends();
        let signed = least.is_negative();
        // −2^(b−1) to 2^(b−1) − 1 in b bits: −x − 1 has as many bits as x.
        let bits = most.bits().max((-least - BigInt::one()).bits() * u64::from(signed)) + u64::from(signed);
        Self { blocks: bits.div_ceil(BLOCK_BITS).max(1), signed }
    }

    /// As a type of encrypted integers.
    pub(crate) fn integer_type(self) -> IntegerType {
        IntegerType { blocks: self.blocks as usize, signed: self.signed }
    }
}

/// A function as plans state it: its name, with the entries of a table.
pub(super) fn serialize<S: Serializer>(function: &Function, serializer: S) -> Result<S::Ok, S::Error> {
    match function.given() {
        Given::Entries(entries) => (function.name(), entries).serialize(serializer),
        Given::Rows(rows) => (function.name(), rows).serialize(serializer),
        _ => function.name().serialize(serializer),
    }
}

impl Expander<'_> {
    /// A function of whole numbers as an operation of its own. A condition that isn't 0 or 1 is compared with 0, and places
    /// that are too far outside of a table are brought next to it.
    pub(super) fn integer_function(
        &mut self,
        function: &Function,
        operands: &[Operand],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let one = BigRational::one();
        // What is chosen is of one unit, and may be fractions; all else is of whole numbers.
        let (units, unit) = if let (Kind::Choice, [condition, chosen @ ..]) = (function.kind(), operands) {
            self.of_whole_numbers(function, &[*condition])?;
            let unit = unit_of(chosen, values);
            (vec![one, unit.clone(), unit.clone()], unit)
        } else {
            self.of_whole_numbers(function, operands)?;
            (vec![one.clone(); operands.len()], one)
        };
        let mut of = Vec::with_capacity(operands.len());
        for (operand, unit) in operands.iter().zip(&units) {
            of.push(match *operand {
                Operand::Value(id) => IntegerOperand::Value(self.with_factor(&values[&id].clone(), unit)),
                Operand::Constant(constant) => {
                    let multiple = BigRational::from_integer(constant.into()) / unit;
                    let multiple = multiple.to_integer().to_i64();
                    IntegerOperand::Constant(multiple.ok_or(ExpandError::Fraction(function.name()))?)
                }
            });
        }
        match (function.kind(), function.given()) {
            (Kind::Choice, _) => {
                let condition = operands[0].node().expect("the builder chooses by constants");
                let bit = Range::whole(0, 1).expect("in order");
                if self.ranges[condition.0].union(&bit) != bit {
                    of[0] = self.integers(BinaryFunction::NotEqual, of[0], 0);
                }
            }
            (_, Given::Entries(entries)) => self.bring_near(&mut of, operands, &[entries.len()]),
            (_, Given::Rows(rows)) => self.bring_near(&mut of, operands, &[rows.len(), rows[0].len()]),
            _ => {}
        }
        if function.kind() == Kind::Lookup {
            // The reader of a plan computes them again.
            self.entries += 1 << (BLOCK_BITS * self.blocks(operands).min(MAX_TABLE_BLOCKS));
        }
        Ok(self.push(Operation::Integers(function.clone(), of), unit))
    }

    /// The blocks of all operands that aren't public.
    fn blocks(&self, operands: &[Operand]) -> u64 {
        let nodes = operands.iter().filter_map(|operand| operand.node());
        nodes.map(|id| Width::of(&self.ranges[id.0]).blocks).sum()
    }

    /// Brings places next to a table where they're too wide for it, all of them: from −1 to its length.
    fn bring_near(&mut self, of: &mut [IntegerOperand], operands: &[Operand], lengths: &[usize]) {
        if self.blocks(operands) <= MAX_TABLE_BLOCKS {
            return;
        }
        for ((place, operand), &length) in of.iter_mut().zip(operands).zip(lengths) {
            let Some(id) = operand.node() else { continue };
            let (least, most) = self.ranges[id.0].whole_ends();
            if most > length.into() {
                *place = self.integers(BinaryFunction::Minimum, *place, length as i64);
            }
            if least < (-1).into() {
                *place = self.integers(BinaryFunction::Maximum, *place, -1);
            }
        }
    }

    fn integers(&mut self, function: BinaryFunction, a: IntegerOperand, constant: i64) -> IntegerOperand {
        let operands = vec![a, IntegerOperand::Constant(constant)];
        IntegerOperand::Value(self.graph.push(Operation::Integers(binary(function), operands)))
    }
}

/// A fraction that all operands are whole multiples of.
fn unit_of(operands: &[Operand], values: &Values) -> BigRational {
    let unit = |operand: &Operand| match operand {
        Operand::Value(id) => values[id].factor.abs(),
        Operand::Constant(_) => BigRational::one(),
    };
    operands.iter().map(unit).reduce(|a, b| Expander::common_factor(&a, &b)).unwrap_or_else(BigRational::one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_the_narrowest_that_hold_a_range() {
        let width = |lo, hi| {
            let Width { blocks, signed } = Width::of(&Range::whole(lo, hi).unwrap());
            (blocks, signed)
        };
        assert_eq!(width(0, 0), (1, false));
        assert_eq!([width(0, 3), width(1, 4)], [(1, false), (2, false)]);
        assert_eq!(
            [width(-1, 0), width(-2, 1), width(-3, 1), width(-2, 2)],
            [(1, true), (1, true), (2, true), (2, true)]
        );
        assert_eq!([width(-8, 7), width(-9, 7), width(-1, 8)], [(2, true), (3, true), (3, true)]);
        assert_eq!(width(-5, -1), (2, true));
        assert_eq!(width(i64::MIN, i64::MAX), (32, true));
    }
}
