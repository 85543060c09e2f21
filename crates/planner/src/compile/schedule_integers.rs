//! Schedules for TFHE: how wide every integer is. Nothing wraps around, as the ranges prove.

use asanoha_lattice::Level;
use num_rational::BigRational;

use super::{
    Circuit, Constant, Instruction, IntegerOperand, Output, Step,
    graph::{Graph, Operation},
    integers::{BLOCK_BITS, MAX_BLOCKS, MAX_TABLE_BLOCKS, Width},
};
use crate::{
    program::{Function, Kind, Range},
    search::GenerateError,
};

/// Schedules a graph of whole-number operations on the given ranges of columns. What noise they have, and how many
/// bootstrappings, isn't known yet.
pub(crate) fn schedule_integers(
    graph: &Graph,
    column: impl Fn(&str) -> Range,
) -> Result<Circuit, GenerateError> {
    let mut ranges: Vec<Range> = Vec::with_capacity(graph.nodes.len());
    let mut steps: Vec<Step> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let of = |at: &usize| &ranges[*at];
        let whole = |c: &BigRational| Constant::Whole(c.to_integer());
        let (instruction, range) = match node.operation.clone() {
            Operation::Input(input) => (Instruction::Input { input }, column(&graph.inputs[input].column)),
            Operation::Add(a, b) => (Instruction::Add { a, b }, of(&a).add(of(&b))),
            Operation::Sub(a, b) => (Instruction::Sub { a, b }, of(&a).sub(of(&b))),
            Operation::Neg(a) => (Instruction::Neg { a }, of(&a).neg()),
            Operation::Mul(a, b) => (Instruction::Mul { a, b, level: None }, of(&a).mul(of(&b))),
            Operation::AddConstant(a, c) => (Instruction::AddConstant { a, c: whole(&c) }, of(&a).offset(&c)),
            Operation::MulConstant(a, k) => {
                (Instruction::MulConstant { a, k: whole(&k), scale: 1.0 }, of(&a).scale(&k))
            }
            Operation::Sum(a) => {
                let rows = BigRational::from_integer(graph.rows.into());
                (Instruction::Sum { a, factors: Vec::new() }, of(&a).scale(&rows))
            }
            Operation::Integers(function, operands) => {
                let operand = |operand: &IntegerOperand| match operand {
                    IntegerOperand::Value(at) => of(at).clone(),
                    IntegerOperand::Constant(c) => Range::whole(*c, *c).expect("one number"),
                };
                let of: Vec<Range> = operands.iter().map(operand).collect();
                check_table(&function, &operands, &steps)?;
                let range = function.range(&of).expect("the builder counts the arguments");
                let held = match function.kind() {
                    Kind::Lookup => &[][..],
                    Kind::Choice => &of[1..],
                    _ => &of[..],
                };
                let width = Width::of(&held.iter().fold(range.clone(), |hull, operand| hull.union(operand)));
                (Instruction::Integers { function, operands, width }, range)
            }
            Operation::MaskRows(_)
            | Operation::KeepSlot(..)
            | Operation::Settle { .. }
            | Operation::Carry { .. }
            | Operation::Functions(..)
            | Operation::Result(..) => {
                unreachable!("graphs of integers have no slots to mask and no functions by polynomials")
            }
        };
        let range = node.range.as_ref().and_then(|known| known.intersection(&range)).unwrap_or(range);
        let width = Width::of(&range);
        // Constants and results are words of 128 bits with a sign.
        if width.blocks > MAX_BLOCKS - u64::from(!width.signed) {
            let bits = BLOCK_BITS * width.blocks;
            return Err(GenerateError::IntegersTooWide { bits, most: BLOCK_BITS * (MAX_BLOCKS - 1) });
        }
        let bound = range.max_abs_f64().min(f64::MAX);
        let (shape, width) = (node.shape, Some(width));
        steps.push(Step {
            instruction,
            shape,
            bound,
            level: Level(0),
            noise_bits: 0.0,
            width,
            bootstraps: None,
        });
        ranges.push(range);
    }
    let output = |output: &super::GraphOutput| Output {
        name: output.name.clone(),
        step: output.node,
        factor: output.factor.clone(),
        approximation: 0.0,
    };
    let outputs = graph.outputs.iter().map(output).collect();
    Ok(Circuit { inputs: graph.inputs.clone(), steps, outputs })
}

/// Refuses tables of places that are too wide.
fn check_table(
    function: &Function,
    operands: &[IntegerOperand],
    steps: &[Step],
) -> Result<(), GenerateError> {
    let blocks: u64 =
        operands.iter().filter_map(|operand| steps[operand.value()?].width).map(|width| width.blocks).sum();
    if function.kind() != Kind::Lookup || blocks <= MAX_TABLE_BLOCKS {
        return Ok(());
    }
    let (function, bits, most) = (function.name(), BLOCK_BITS * blocks, BLOCK_BITS * MAX_TABLE_BLOCKS);
    Err(GenerateError::TableTooWide { function, bits, most })
}
