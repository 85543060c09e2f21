//! Formulas that the holder of the secret key computes of decrypted values.

use asanoha_numeric::{number, uncertain::Uncertain};
use num_rational::BigRational;
use num_traits::{One, Signed};

use crate::{
    domain::{self, Arg, Argument, Domain, Outcome},
    function::{Function, Kind},
    ids::{NodeId, Operand},
    node::Node,
    ops::{FLOOR, RECIPROCAL, SQRT},
    program::Program,
    values::NoValue,
};

/// The most parts, operations and characters of a formula.
pub(crate) const MOST_PARTS: usize = 16;
const MOST_OPERATIONS: usize = 128;
const MOST_CHARACTERS: usize = 4096;

/// Sums, products, quotients, roots and roundings of parts, which are named `p1`, `p2`, …
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// As programs write it.
    text: String,
    /// Its one output is the result.
    program: Program,
}

impl Formula {
    /// The formula of a text with so many parts; `None` for what isn't one.
    pub(crate) fn parse(text: &str, parts: usize) -> Option<Self> {
        if text.len() > MOST_CHARACTERS || parts == 0 || parts > MOST_PARTS || text.contains(['\n', '\'']) {
            return None;
        }
        let program = Program::try_from(format!("result = {text}")).ok()?;
        let is_one = program.outputs.len() == 1 && program.finished.is_empty();
        let all: Vec<String> = (1..=parts).map(part_name).collect();
        let are_parts = program.inputs.len() == parts && program.inputs.iter().all(|name| all.contains(name));
        let is_known = |node: &Node| match node {
            Node::Input(_) => true,
            node => operands_of(node).is_some(),
        };
        let fits = program.nodes.len() <= MOST_OPERATIONS && program.nodes.iter().all(is_known);
        (is_one && are_parts && fits).then(|| Self { text: text.to_owned(), program })
    }

    /// As programs write it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same with constants in the place of some parts; those that are left are numbered anew.
    pub(crate) fn with_constants(&self, constants: &[Option<BigRational>]) -> String {
        let mut left = 0;
        let names: Vec<String> = constants
            .iter()
            .map(|constant| match constant {
                Some(constant) => format!("({})", number::format(constant)),
                None => {
                    left += 1;
                    part_name(left)
                }
            })
            .collect();
        let (mut text, mut rest) = (String::new(), self.text.as_str());
        while let Some(at) = rest.find('p') {
            let digits =
                rest[at + 1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| at + 1 + end);
            let name = rest[at + 1..digits].parse().ok().and_then(|number: usize| names.get(number - 1));
            text.push_str(&rest[..at]);
            text.push_str(name.map_or(&rest[at..digits], String::as_str));
            rest = &rest[digits..];
        }
        text + rest
    }

    /// Whether every value is a whole number, by the last operation.
    pub(crate) fn is_whole(&self) -> bool {
        let last = self.program.outputs[0].1;
        matches!(self.program.node(last), Node::Function(function, _) if *function == FLOOR)
    }

    /// The result of parts, in their order.
    pub(crate) fn value(&self, parts: &[Uncertain]) -> Result<Uncertain, NoValue> {
        let mut values = domain::all(&self.program, &mut Parts(parts)).map_err(|(_, reason)| reason)?;
        Ok(values.swap_remove(self.program.outputs[0].1.0))
    }
}

/// The name of a part in formulas, counted from 1.
pub(crate) fn part_name(number: usize) -> String {
    format!("p{number}")
}

/// What an operation of a formula is of; `None` for operations that formulas don't have.
pub(crate) fn operands_of(node: &Node) -> Option<Vec<NodeId>> {
    Some(match node {
        Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => vec![*a, *b],
        Node::Neg(a) | Node::Scale(a, _) | Node::Offset(a, _) => vec![*a],
        Node::Power(a, exponent) if *exponent <= 4 => vec![*a],
        Node::Function(function, operands) if is_finishing(function) => match operands[..] {
            [Operand::Value(a)] => vec![a],
            _ => return None,
        },
        _ => return None,
    })
}

/// Functions that are dear under encryption and cheap in the clear.
fn is_finishing(function: &Function) -> bool {
    [RECIPROCAL, SQRT, FLOOR].contains(function)
}

/// Arithmetic of parts.
struct Parts<'a>(&'a [Uncertain]);

type Of<'v> = Arg<'v, Uncertain>;

impl Domain for Parts<'_> {
    type Value = Uncertain;
    type Error = NoValue;

    fn input(&mut self, _: NodeId, name: &str) -> Outcome<Self> {
        let number: usize = name[1..].parse().expect("parts are p1, p2, …");
        Ok(self.0[number - 1].clone())
    }

    fn add(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(a.value + b.value)
    }

    fn mul(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(a.value * b.value)
    }

    fn scale(&mut self, _: NodeId, a: Of<'_>, k: &BigRational) -> Outcome<Self> {
        Ok(a.value * &Uncertain::exact(k.clone()))
    }

    fn offset(&mut self, _: NodeId, a: Of<'_>, c: &BigRational) -> Outcome<Self> {
        Ok(a.value + &Uncertain::exact(c.clone()))
    }

    fn power(&mut self, _: NodeId, a: Of<'_>, exponent: u32) -> Outcome<Self> {
        Ok((1..exponent).fold(a.value.clone(), |power, _| &power * a.value))
    }

    fn function(&mut self, _: NodeId, function: &Function, of: &[Argument<'_, Uncertain>]) -> Outcome<Self> {
        let a = of[0].value().expect("formulas are checked");
        match function.kind() {
            Kind::Floor => rounded_down(a),
            _ if *function == SQRT && (&a.value + &a.error).is_negative() => {
                Err("the root of a number below 0".into())
            }
            _ if *function == SQRT => Ok(a.sqrt()),
            _ if !a.may_be_zero() => Ok(&Uncertain::exact(BigRational::one()) / a),
            _ if a.is_exact() => Err("the divisor is 0".into()),
            _ => Err(NoValue::imprecise("the divisor can't be distinguished from 0")),
        }
    }

    fn sum(&mut self, _: NodeId, _: Of<'_>) -> Outcome<Self> {
        unreachable!("formulas are checked")
    }

    fn mean(&mut self, _: NodeId, _: Of<'_>) -> Outcome<Self> {
        unreachable!("formulas are checked")
    }

    fn assume(&mut self, _: NodeId, _: Of<'_>, _: [&BigRational; 2]) -> Outcome<Self> {
        unreachable!("formulas are checked")
    }

    fn quantile(&mut self, _: NodeId, _: Of<'_>, _: &BigRational) -> Outcome<Self> {
        unreachable!("formulas are checked")
    }
}

fn rounded_down(a: &Uncertain) -> Result<Uncertain, NoValue> {
    let (low, high) = ((&a.value - &a.error).floor(), (&a.value + &a.error).floor());
    if low == high {
        return Ok(Uncertain::exact(low));
    }
    Err(NoValue::imprecise("it's too near to where its rounding jumps"))
}
