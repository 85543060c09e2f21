//! Steps of a schedule of integers, carried out with a key, or with the noise model in its place.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Function, Kind};
use asanoha_tfhe::{EncryptedInteger, IntegerType, Integers, TfheError};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use asanoha_compile::{Constant, Factor, IntegerOperand, MAX_BLOCKS, Op, Step, Width};

/// A width as a type of encrypted integers.
pub fn integer_type(width: Width) -> IntegerType {
    IntegerType { blocks: width.blocks as usize, signed: width.signed }
}

/// The result of a step in a row. `values` are those of earlier steps: one for each row of a column, or one. Those of rows that
/// aren't asked for may be missing.
pub fn apply_integers<'v>(
    integers: &Integers,
    step: &Step,
    row: usize,
    values: &dyn Fn(usize) -> &'v [Option<EncryptedInteger>],
) -> Result<EncryptedInteger, TfheError> {
    let width = integer_type(step.width.expect("integers have a width"));
    let of = |at: usize| {
        let values = values(at);
        values[if values.len() == 1 { 0 } else { row }].as_ref().expect("computed before")
    };
    // All of these are right modulo 4^blocks, so operands may be cut down to the result's blocks.
    let cast = |at: usize| integers.cast(of(at), width);
    let constant = |constant: &Constant| wrapped(&constant.to_integer(), width);
    match &step.instruction {
        Op::Add(a, b) => integers.add(&cast(*a)?, &cast(*b)?),
        Op::Sub(a, b) => integers.sub(&cast(*a)?, &cast(*b)?),
        Op::Neg(a) => integers.neg(&cast(*a)?),
        Op::Mul(a, b) => product(integers, of(*a), of(*b), width),
        Op::AddConstant(a, c) => integers.add(&cast(*a)?, &integers.trivial(constant(c), width)?),
        Op::MulConstant(a, Factor { k, .. }) => {
            integers.mul(&cast(*a)?, &integers.trivial(constant(k), width)?)
        }
        Op::Sum(a, _) => integers.sum(&values(*a).iter().flatten().collect::<Vec<_>>(), width),
        Op::Integers(function, operands, common) => {
            let common = integer_type(*common);
            let operand = |operand: &IntegerOperand| match *operand {
                IntegerOperand::Value(at) => integers.cast(of(at), common),
                IntegerOperand::Constant(constant) => integers.trivial(constant.into(), common),
            };
            let result = match function.kind() {
                Kind::Binary(function) => {
                    binary(integers, function, &operand(&operands[0])?, &operand(&operands[1])?)?
                }
                Kind::Absolute => absolute(integers, &operand(&operands[0])?)?,
                Kind::Choice => {
                    let condition = of(operands[0].value().expect("the builder chooses by constants"));
                    integers.select(
                        &integers.is_not_zero(condition)?,
                        &operand(&operands[1])?,
                        &operand(&operands[2])?,
                    )?
                }
                Kind::Floor | Kind::DatePart(_) | Kind::Text(_) | Kind::TextTable => {
                    unreachable!("programs are expanded on data")
                }
                Kind::Less | Kind::Smooth | Kind::PowerModulo => {
                    unreachable!(
                        "graphs of integers compare with no gap, approximate nothing and have one modulus"
                    )
                }
                Kind::Lookup => {
                    return table(integers, function, operands, &of, width);
                }
            };
            integers.cast(&result, width)
        }
        other => unreachable!("schedules of integers have no {other:?}"),
    }
}

fn binary(
    integers: &Integers,
    function: BinaryFunction,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    let comparison = match function {
        BinaryFunction::Quotient => return integers.div(a, b),
        BinaryFunction::Remainder => return integers.rem(a, b),
        BinaryFunction::Minimum => return integers.min(a, b),
        BinaryFunction::Maximum => return integers.max(a, b),
        BinaryFunction::Less => integers.lt(a, b),
        BinaryFunction::LessOrEqual => integers.le(a, b),
        BinaryFunction::Greater => integers.gt(a, b),
        BinaryFunction::GreaterOrEqual => integers.ge(a, b),
        BinaryFunction::Equal => integers.eq(a, b),
        BinaryFunction::NotEqual => integers.ne(a, b),
    };
    comparison.map(Into::into)
}

/// The entry of a table: one table of all that are at places of its operands.
fn table<'v>(
    integers: &Integers,
    function: &Function,
    operands: &[IntegerOperand],
    of: &dyn Fn(usize) -> &'v EncryptedInteger,
    width: IntegerType,
) -> Result<EncryptedInteger, TfheError> {
    let entry = |places: &[i128]| {
        let mut places = places.iter();
        let argument = |operand: &IntegerOperand| match *operand {
            IntegerOperand::Value(_) => *places.next().expect("a place for each operand"),
            IntegerOperand::Constant(constant) => constant.into(),
        };
        let arguments: Vec<_> =
            operands.iter().map(argument).map(|place| BigRational::from_integer(place.into())).collect();
        function
            .value(&arguments)
            .expect("tables are exact")
            .to_integer()
            .to_i128()
            .expect("entries are words")
    };
    let places: Vec<_> = operands.iter().filter_map(|operand| operand.value()).map(of).collect();
    match places[..] {
        [a] => integers.table(a, width, |a| entry(&[a])),
        [a, b] => integers.table2(a, b, width, |a, b| entry(&[a, b])),
        _ => unreachable!("tables are of one place or two"),
    }
}

/// a·b, modulo 4^blocks of the width: of the digits as they are, or extended to the width first where that makes fewer products.
fn product(
    integers: &Integers,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
    width: IntegerType,
) -> Result<EncryptedInteger, TfheError> {
    let ([a_blocks, b_blocks], blocks) = ([a, b].map(|a| a.integer_type().blocks), width.blocks);
    let alike =
        a.integer_type().signed == b.integer_type().signed && a_blocks + b_blocks <= MAX_BLOCKS as usize;
    if alike && 2 * a_blocks * b_blocks <= blocks * (blocks + 1) {
        integers.cast(&integers.mul_wide(a, b)?, width)
    } else {
        integers.mul(&integers.cast(a, width)?, &integers.cast(b, width)?)
    }
}

/// |a|, in the same type, which holds it.
fn absolute(integers: &Integers, a: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
    let zero = integers.trivial(0, a.integer_type())?;
    integers.select(&integers.lt(a, &zero)?, &integers.neg(a)?, a)
}

/// The number of the type that is equal modulo 4^blocks.
fn wrapped(value: &BigInt, integer_type: IntegerType) -> i128 {
    let modulus = BigInt::from(1) << integer_type.bits();
    let residue = value.mod_floor(&modulus);
    let signed = integer_type.signed && residue.bit(u64::from(integer_type.bits()) - 1);
    let number = if signed { residue - modulus } else { residue };
    number.to_i128().expect("constants have at most 127 bits")
}
