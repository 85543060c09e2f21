//! Schedules for TFHE: how wide every integer is. Nothing wraps around, as the ranges prove.

use asanoha_lang::{Function, Kind, Range};
use asanoha_lattice::Level;
use num_rational::BigRational;

use asanoha_compile::{
    BLOCK_BITS, Circuit, CircuitInput, Constant, Factor, Graph, GraphOutput, IntegerOperand, MAX_BLOCKS,
    MAX_TABLE_BLOCKS, Op, Output, Step, Width,
};

use crate::error::GenerateError;

/// Schedules a graph of whole-number operations on the given ranges of columns. What noise they have, and how many
/// bootstrappings, isn't known yet.
pub(crate) fn schedule_integers(
    graph: &Graph,
    column: impl Fn(&CircuitInput) -> Range,
) -> Result<Circuit, GenerateError> {
    let mut ranges: Vec<Range> = Vec::with_capacity(graph.nodes.len());
    let mut steps: Vec<Step> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let of = |at: &usize| &ranges[*at];
        let whole = |c: &BigRational| Constant::Whole(c.to_integer());
        let (instruction, range) = match node.operation.clone() {
            Op::Input(input) => (Op::Input(input), column(&graph.inputs[input])),
            Op::Add(a, b) => (Op::Add(a, b), of(&a).add(of(&b))),
            Op::Sub(a, b) => (Op::Sub(a, b), of(&a).sub(of(&b))),
            Op::Neg(a) => (Op::Neg(a), of(&a).neg()),
            Op::Mul(a, b) => (Op::Mul(a, b), of(&a).mul(of(&b))),
            Op::AddConstant(a, c) => (Op::AddConstant(a, whole(&c)), of(&a).offset(&c)),
            Op::MulConstant(a, k) => (Op::MulConstant(a, Factor::unscaled(whole(&k))), of(&a).scale(&k)),
            Op::Sum(a, ()) => {
                let rows = BigRational::from_integer(graph.rows.into());
                (Op::Sum(a, Vec::new()), of(&a).scale(&rows))
            }
            Op::Integers(function, operands, ()) => {
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
                (Op::Integers(function, operands, width), range)
            }
            Op::MaskRows(_)
            | Op::KeepSlot(..)
            | Op::AbsorbNoise { .. }
            | Op::Own(_)
            | Op::Functions(..)
            | Op::Result(..) => {
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
    let output = |output: &GraphOutput| Output {
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
