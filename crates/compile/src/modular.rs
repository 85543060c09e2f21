//! Arithmetic modulo p, for programs whose values are used modulo one p only: the plaintext modulus is p, however wide the values are.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Analysed, Function, Given, Kind, Node, NodeId, Operand};
use asanoha_scheme::is_prime_integer;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::{
    error::ExpandError,
    exact::is_folded,
    expander::{Expander, Target, Value},
    factors::exactly,
    ir::Op,
};

/// The modulus p of a program whose values are sums, products and powers modulo one p of whole numbers, and equalities of numbers from 0
/// to p − 1, if its results are known by their residues. None where all such functions have a table of few values.
pub fn common_modulus(analysed: &Analysed<'_>) -> Option<BigUint> {
    let program = analysed.program();
    let mut needed = vec![false; program.nodes().len()];
    program.outputs().iter().for_each(|(_, id)| needed[id.0] = true);
    let (mut modulus, mut is_wide, mut equalities) = (None, false, Vec::new());
    for at in (0..needed.len()).rev().map(NodeId) {
        if !needed[at.0] {
            continue;
        }
        let node = program.node(at);
        if let Some(power) = Reduced::of(node) {
            if *modulus.get_or_insert_with(|| power.modulus.clone()) != power.modulus {
                return None;
            }
            is_wide |= !is_folded(analysed, at);
        } else if is_equality(node) {
            equalities.push(at);
        } else if !is_ring_operation(node) {
            return None;
        }
        if !analysed.is_whole(at) {
            return None;
        }
        node.operands().for_each(|operand| needed[operand.0] = true);
    }
    let modulus = modulus.filter(|_| is_wide)?;
    let are_known = program.outputs().iter().all(|(_, id)| analysed.range(*id).whole_count() <= modulus);
    let are_equal_by_residues = equalities.iter().all(|&at| {
        let (_, operands) = program.node(at).function().expect("equalities are functions");
        operands.iter().all(|operand| match *operand {
            Operand::Constant(constant) => (BigInt::zero()..modulus.clone()).contains(&constant.into()),
            Operand::Value(id) => {
                let range = analysed.range(id);
                !range.lo().is_negative() && *range.hi() < modulus.clone().into()
            }
        })
    });
    if are_known && are_equal_by_residues { modulus.to_biguint() } else { None }
}

/// Returns true if residues of the operands give the residue.
fn is_ring_operation(node: &Node) -> bool {
    match node {
        Node::Input(_)
        | Node::Add(..)
        | Node::Sub(..)
        | Node::Neg(_)
        | Node::Mul(..)
        | Node::Power(..)
        | Node::Sum(_)
        | Node::Dot(..) => true,
        Node::Scale(_, factor) | Node::Offset(_, factor) => factor.is_integer(),
        _ => false,
    }
}

fn is_equality(node: &Node) -> bool {
    let equality = |(function, _): (&Function, _)| {
        matches!(function.binary(), Some(BinaryFunction::Equal | BinaryFunction::NotEqual))
    };
    node.function().is_some_and(equality)
}

/// A power modulo a number, or a remainder.
struct Reduced {
    operand: NodeId,
    exponent: BigInt,
    modulus: BigInt,
}

impl Reduced {
    fn of(node: &Node) -> Option<Self> {
        let (function, operands) = node.function()?;
        let (exponent, modulus) = match (function.given(), operands) {
            (Given::Power { exponent, modulus }, _) => (exponent.clone(), modulus.clone()),
            (_, &[_, Operand::Constant(modulus)]) if function.is_remainder() && modulus > 1 => {
                (BigInt::one(), modulus.into())
            }
            _ => return None,
        };
        Some(Self { operand: operands[0].node()?, exponent, modulus })
    }
}

/// Whole numbers modulo p, which is the plaintext modulus (BGV, BFV).
pub(super) struct Modular {
    modulus: BigInt,
}

impl Modular {
    pub(super) fn new(modulus: &BigUint) -> Self {
        Self { modulus: modulus.clone().into() }
    }
}

impl Target for Modular {
    fn function(
        e: &mut Expander<'_, Self>,
        at: NodeId,
        function: &Function,
        operands: &[Operand],
    ) -> Result<Value, ExpandError> {
        let function = &exactly(function)?;
        if let Some(Reduced { operand, exponent, modulus, .. }) = Reduced::of(e.analysed.program().node(at))
            && modulus == e.target.modulus
        {
            let of = e.value(operand);
            let of = whole(e, &of);
            if exponent.is_positive() {
                return Ok(power_of(e, &of, &exponent));
            }
            let exponent = prime(e, function)? - 2u32;
            // Modulo 2, every number is its own inverse.
            return Ok(if exponent.is_zero() { of } else { power_of(e, &of, &exponent) });
        }
        let (Kind::Binary(kind @ (BinaryFunction::Equal | BinaryFunction::NotEqual)), &[a, b]) =
            (function.kind(), operands)
        else {
            return Err(ExpandError::NotModular(function.name()));
        };
        // (a − b)^(p − 1) is 1 unless a = b, which is Fermat's little theorem.
        let exponent = prime(e, function)? - 1u32;
        let difference = difference(e, a, b);
        let difference = whole(e, &difference);
        let differs = power_of(e, &difference, &exponent);
        Ok(if kind == BinaryFunction::NotEqual {
            differs
        } else {
            let one = BigRational::one();
            let negated = differs.negated();
            let negated = whole(e, &negated);
            e.offset(&negated, &one)
        })
    }
}

/// The modulus, if it's a prime, as only these have inverses of all numbers but 0.
fn prime(e: &Expander<'_, Modular>, function: &Function) -> Result<BigInt, ExpandError> {
    let modulus = &e.target.modulus;
    if is_prime_integer(modulus.magnitude()) {
        return Ok(modulus.clone());
    }
    Err(ExpandError::NotPrime { function: function.name(), modulus: modulus.clone() })
}

/// The same with a factor of 1: what's multiplied after decryption isn't reduced.
fn whole(e: &mut Expander<'_, Modular>, a: &Value) -> Value {
    let one = BigRational::one();
    Value { node: e.with_factor(a, &one), factor: one }
}

/// a − b.
fn difference(e: &mut Expander<'_, Modular>, a: Operand, b: Operand) -> Value {
    let constant = |c: i64| BigRational::from_integer(c.into());
    match (a, b) {
        (Operand::Value(a), Operand::Value(b)) => e.sum_of_two(&e.value(a), &e.value(b), Op::Sub),
        (Operand::Value(a), Operand::Constant(b)) => e.offset(&e.value(a), &constant(-b)),
        (Operand::Constant(a), Operand::Value(b)) => e.offset(&e.value(b).negated(), &constant(a)),
        (Operand::Constant(_), Operand::Constant(_)) => {
            unreachable!("functions are of one value at least")
        }
    }
}

/// a^e for e from 1 on, at the depth of its bits: the squares of squares whose exponents make up e.
fn power_of(e: &mut Expander<'_, Modular>, a: &Value, exponent: &BigInt) -> Value {
    let (mut square, mut product) = (a.clone(), None);
    let mut rest = exponent.clone();
    loop {
        if rest.is_odd() {
            product = Some(match product {
                None => square.clone(),
                Some(product) => e.mul(&product, &square),
            });
        }
        rest >>= 1u32;
        if rest.is_zero() {
            return product.expect("exponents are positive");
        }
        square = e.mul(&square, &square);
    }
}
