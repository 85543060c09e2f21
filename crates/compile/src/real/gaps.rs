//! Which numbers comparisons tell apart where they're approximated.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Analysed, Given, Node, Operand};
use asanoha_numeric::number;
use asanoha_numeric::precision::Precision;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{steps::Steps, whole_table::WholeTable};
use crate::operand_range::operand_range;

/// Which numbers a comparison tells apart where it's approximated.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// Those that differ by so much, or more.
    pub apart: f64,
    /// Whether no others occur: whole numbers, decimals, and what a constant adds to them.
    pub is_certain: bool,
    /// What is added to a difference, so that none is 0: half of the distance of such numbers.
    pub(super) shift: BigRational,
}

/// The gap of every comparison: what the program states, or else how near a difference would come if it were a result. Whole
/// numbers are told apart halfway between them, and are equal within that of one another, where they're too many for a table.
pub fn gaps(analysed: &Analysed<'_>, precision: Precision) -> Vec<Option<Gap>> {
    let (program, ranges) = (analysed.program(), analysed.ranges());
    // What an operand is a whole multiple of a fraction of, and what is beside that, if that's known.
    let beside = |operand: &Operand| {
        let Some(id) = operand.node() else { return Some((BigInt::one(), BigRational::zero())) };
        let offset = match program.node(id) {
            Node::Offset(a, constant) => analysed.denominator(*a).map(|of| (of.clone(), constant.clone())),
            _ => None,
        };
        offset.or_else(|| Some((analysed.denominator(id)?.clone(), BigRational::zero())))
    };
    let gap = |node: &Node| {
        let Node::Function(function, operands) = node else { return None };
        let [a, b] = &operands[..] else { return None };
        if function.is_equality() || Steps::of(function, operands, ranges).is_some() {
            let are_whole = node.operands().all(|id| analysed.is_whole(id));
            let is_wide = WholeTable::new(node, ranges).is_none();
            let gap = Gap { apart: 0.5, is_certain: true, shift: BigRational::zero() };
            return (are_whole && is_wide).then_some(gap);
        }
        let order = function.order()?;
        if let (Some(a), Some(b)) = (beside(a), beside(b)) {
            let unit = BigRational::new(BigInt::one(), a.0.lcm(&b.0));
            let half = &unit / BigRational::from_integer(2.into());
            let between = a.1 - b.1;
            let fraction = &between - (&between / &unit).floor() * &unit;
            let is_strict = matches!(order, BinaryFunction::Less | BinaryFunction::Greater);
            let (apart, shift) = match fraction.is_zero() {
                true if is_strict => (half.clone(), -half),
                true => (half.clone(), half),
                false => (fraction.clone().min(unit - fraction), BigRational::zero()),
            };
            return Some(Gap { apart: number::to_f64(&apart), is_certain: true, shift });
        }
        let apart = match function.given() {
            Given::Gap(gap) => number::to_f64(gap),
            _ => precision.tolerance(&operand_range(*a, ranges).sub(&operand_range(*b, ranges))),
        };
        Some(Gap { apart, is_certain: false, shift: BigRational::zero() })
    };
    program.nodes().iter().map(gap).collect()
}
