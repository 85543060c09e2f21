//! The methods of division, as circuits on one, two or many encrypted operands.

use asanoha_circuits::{
    BitTable, CostCounter, Domain, ExactArithmetic, Output, Powers, TableError, TwoVariableTable,
    division::{WideDivision, quotient},
};
use asanoha_ring::Modulus;
use serde::{Deserialize, Serialize};

use super::paper::PaperFunction;

/// The plaintext modulus t, for which a ring of up to 2^15 coefficients has as many slots.
pub(super) const PLAINTEXT_MODULUS: u64 = 65_537;
/// The width in bits of the digits and of the divisors of long dividends.
const DIGIT_BITS: u32 = 8;

/// The methods of division.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DivisionMethod {
    /// A bilinear form of the operands' indicators, which are products of their bits, for each bit of the quotient.
    #[serde(rename = "bit-wise")]
    Bitwise,
    /// Okada, Cid, Hidano, Kiyomoto, "Linear depth integer-wise homomorphic division" (2018), Algorithm 2, on the numbers
    /// of l bits modulo 65537.
    #[serde(rename = "paper")]
    Paper,
    /// One bilinear form of the operands' powers. For 16 bits: one for each digit of 8 bits, with divisors of 8 bits.
    #[serde(rename = "ours")]
    Ours,
}

impl DivisionMethod {
    /// The methods for operands of `bits` bits.
    pub(super) fn of_bits(bits: u32) -> &'static [Self] {
        if bits > DIGIT_BITS { &[Self::Ours] } else { &[Self::Bitwise, Self::Paper, Self::Ours] }
    }

    /// The name in a row.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bitwise => "bit-wise",
            Self::Paper => "paper",
            Self::Ours => "ours",
        }
    }
}

/// A method, prepared for operands of a size.
pub(super) struct Circuit {
    pub(super) bits: u32,
    pub(super) divisor_bits: u32,
    kind: Kind,
}

enum Kind {
    Bits(BitTable),
    Paper(PaperFunction),
    Table { table: TwoVariableTable, values: usize },
    Wide(WideDivision),
}

impl Circuit {
    /// A method with its tables.
    pub(super) fn new(method: DivisionMethod, bits: u32) -> Result<Self, TableError> {
        let modulus = Modulus::new(PLAINTEXT_MODULUS).expect("it's a prime of few bits");
        let kind = match method {
            DivisionMethod::Bitwise => Kind::Bits(BitTable::new(bits, bits, bits, quotient)?),
            DivisionMethod::Paper => Kind::Paper(PaperFunction::division(&modulus, 1 << bits)?),
            DivisionMethod::Ours if bits > DIGIT_BITS => {
                Kind::Wide(WideDivision::new(&modulus, (bits / DIGIT_BITS) as usize, DIGIT_BITS, DIGIT_BITS)?)
            }
            DivisionMethod::Ours => {
                let domain = Domain::integers(&modulus, 0..=(1 << bits) - 1)?;
                let table = TwoVariableTable::new(&domain, &domain, &Output::Integer, quotient)?;
                Kind::Table { table, values: domain.len() }
            }
        };
        Ok(Self { bits, divisor_bits: bits.min(DIGIT_BITS), kind })
    }

    /// Whether it adds and subtracts values that were computed in different ways, and so may have different correction
    /// factors. Then primes that are 1 modulo t are worth having.
    pub(super) fn adds(&self) -> bool {
        matches!(self.kind, Kind::Bits(_))
    }

    /// The multiplicative depth: the number of products one after another.
    pub(super) fn depth(&self) -> usize {
        let counter = CostCounter::new(PLAINTEXT_MODULUS);
        let operands = vec![counter.input(); self.operands(&[], &[]).len()];
        match self.apply(&counter, &operands) {
            Ok(_) => counter.cost().depth,
            Err(never) => match never {},
        }
    }

    /// The values to encrypt: of every operand its bits, its digits, or the operand itself.
    pub(super) fn operands(&self, a: &[i64], d: &[i64]) -> Vec<Vec<i64>> {
        let parts = |values: &[i64], bits: u32, width: u32| -> Vec<Vec<i64>> {
            let part =
                |place: u32| values.iter().map(|x| x >> (place * width) & ((1 << width) - 1)).collect();
            (0..bits / width).map(part).collect()
        };
        let width = match self.kind {
            Kind::Bits(_) => 1,
            _ => self.divisor_bits,
        };
        [parts(a, self.bits, width), parts(d, self.divisor_bits, width)].concat()
    }

    /// The quotient, or its bits.
    pub(super) fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        operands: &[A::Value],
    ) -> Result<Vec<A::Value>, A::Error> {
        let (divisor, dividend) = operands.split_last().expect("there are two operands at least");
        Ok(match &self.kind {
            Kind::Bits(table) => {
                let (dividend, divisor) = operands.split_at(self.bits as usize);
                return table.apply(arithmetic, dividend, divisor);
            }
            Kind::Paper(function) => vec![function.apply(arithmetic, &dividend[0], divisor)?],
            Kind::Table { table, values } => {
                let x = Powers::new(arithmetic, &dividend[0], *values)?;
                vec![table.evaluate(arithmetic, &x, &Powers::new(arithmetic, divisor, *values)?)?]
            }
            Kind::Wide(division) => vec![division.divide(arithmetic, dividend, divisor)?],
        })
    }

    /// The quotients, from the decrypted residues modulo t.
    pub(super) fn quotients(results: &[Vec<i64>]) -> Vec<i64> {
        let t = PLAINTEXT_MODULUS as i64;
        let slot = |slot: usize| {
            results.iter().rev().fold(0, |quotient, bits| 2 * quotient + bits[slot].rem_euclid(t))
        };
        (0..results[0].len()).map(slot).collect()
    }
}

#[cfg(test)]
mod tests {
    use asanoha_circuits::PlainArithmetic;

    use super::*;

    #[test]
    fn every_method_divides_all_pairs_of_small_numbers() {
        for method in DivisionMethod::of_bits(3) {
            let circuit = Circuit::new(*method, 3).unwrap();
            let (a, d): (Vec<i64>, Vec<i64>) = (0..64).map(|i| (i >> 3, i & 7)).unzip();
            let plain = PlainArithmetic::new(Modulus::new(PLAINTEXT_MODULUS).unwrap(), 64);
            let operands: Vec<_> = circuit.operands(&a, &d).iter().map(|x| plain.value(x, 40)).collect();
            let results = circuit.apply(&plain, &operands).unwrap();
            let results: Vec<_> = results.iter().map(|result| plain.integers(result)).collect();
            let expected = a.iter().zip(&d).map(|(&a, &d)| quotient(a, d));
            assert!(expected.eq(Circuit::quotients(&results)), "{method:?}");
        }
    }

    #[test]
    fn depth_is_one_more_than_the_bits_and_bit_wise_one_more_than_their_logarithm() {
        for bits in 2..=6 {
            let depth = |method: DivisionMethod| Circuit::new(method, bits).unwrap().depth();
            for method in [DivisionMethod::Paper, DivisionMethod::Ours] {
                assert_eq!(depth(method), bits as usize + 1);
            }
            let logarithm = bits.next_power_of_two().ilog2() as usize;
            assert_eq!(depth(DivisionMethod::Bitwise), logarithm + 1);
        }
    }
}
