//! Sums of multiples in one pass over their operands, rather than a copy for each product and each sum.

use asanoha_ckks::Ckks;
use asanoha_compile::{Circuit, CircuitInput, Constant, Factor, LevelOp, Op, Output, Step, Term};

use crate::error::NoSchedule;
use crate::slots::schedule::Schedule;

/// The circuit of a schedule, with every sum of multiples that only it takes in one step.
pub(crate) fn with_multiples(
    mut schedule: Schedule<Ckks>,
    inputs: Vec<CircuitInput>,
    mut outputs: Vec<Output>,
) -> Result<Circuit, NoSchedule> {
    let circuit = Circuit { inputs, steps: schedule.restart(), outputs: Vec::new() };
    let absorbed = absorbed(&circuit, &outputs);
    let mut places = vec![usize::MAX; circuit.steps.len()];
    for (at, step) in circuit.steps.iter().enumerate().filter(|(at, _)| !absorbed[*at]) {
        let mut inside = inside(&circuit, &absorbed, at);
        if !inside.is_empty() {
            let mut sum = Op::Own(LevelOp::Multiples(terms(&circuit, &absorbed, at), step.level));
            sum.each_operand(|operand| *operand = places[*operand]);
            if let Ok(place) = schedule.push(sum, step.bound, step.shape) {
                places[at] = place;
                continue;
            }
        }
        // One after another, where what a sum is made of was known to be smaller.
        inside.push(at);
        inside.sort_unstable();
        for at in inside {
            let Step { mut instruction, bound, shape, .. } = circuit.steps[at].clone();
            instruction.each_operand(|operand| *operand = places[*operand]);
            places[at] = schedule.push(instruction, bound, shape)?;
        }
    }
    outputs.iter_mut().for_each(|output| output.step = places[output.step]);
    Ok(Circuit { steps: schedule.steps, outputs, ..circuit })
}

/// Which steps only a sum takes that they can be a part of.
fn absorbed(circuit: &Circuit, outputs: &[Output]) -> Vec<bool> {
    let mut uses = circuit.use_counts();
    outputs.iter().for_each(|output| uses[output.step] += 1);
    let mut absorbed = vec![false; uses.len()];
    for step in &circuit.steps {
        for operand in step.instruction.operands() {
            let inner = &circuit.steps[operand];
            let is_part = match step.instruction {
                Op::Add(..) | Op::Sub(..) | Op::Neg(_) => matches!(
                    inner.instruction,
                    Op::Add(..)
                        | Op::Sub(..)
                        | Op::Neg(_)
                        | Op::MulConstant(..)
                        | Op::Own(LevelOp::SwitchTo(..))
                ),
                Op::MulConstant(..) => matches!(inner.instruction, Op::Own(LevelOp::SwitchTo(..))),
                _ => false,
            };
            // A number beside a column would be computed for each of its ciphertexts.
            absorbed[operand] = is_part && uses[operand] == 1 && inner.shape == step.shape;
        }
    }
    absorbed
}

/// The steps that a sum takes in.
fn inside(circuit: &Circuit, absorbed: &[bool], at: usize) -> Vec<usize> {
    let (mut inside, mut open) = (Vec::new(), vec![at]);
    while let Some(at) = open.pop() {
        let parts = circuit.steps[at].instruction.operands().filter(|&operand| absorbed[operand]);
        let parts: Vec<usize> = parts.collect();
        open.extend(&parts);
        inside.extend(parts);
    }
    inside
}

/// What a step is the sum of.
fn terms(circuit: &Circuit, absorbed: &[bool], at: usize) -> Vec<Term> {
    let mut terms = Vec::new();
    collect(circuit, absorbed, (at, true), 1.0, &mut terms);
    terms
}

fn collect(
    circuit: &Circuit,
    absorbed: &[bool],
    (at, is_inside): (usize, bool),
    sign: f64,
    terms: &mut Vec<Term>,
) {
    let mut part = |a: usize, sign: f64| collect(circuit, absorbed, (a, absorbed[a]), sign, terms);
    match circuit.steps[at].instruction {
        Op::Add(a, b) if is_inside => {
            part(a, sign);
            part(b, sign);
        }
        Op::Sub(a, b) if is_inside => {
            part(a, sign);
            part(b, -sign);
        }
        Op::Neg(a) if is_inside => part(a, -sign),
        Op::MulConstant(a, Factor { ref k, scale }) if is_inside => {
            let a = if absorbed[a] { lowered(circuit, a) } else { a };
            terms.push(Term { a, factor: Factor { k: Constant::Real(sign * k.to_f64()), scale } });
        }
        _ => {
            let a = if is_inside { lowered(circuit, at) } else { at };
            terms.push(Term { a, factor: Factor::unscaled(Constant::Real(sign)) });
        }
    }
}

/// What a switch is of: the sum takes it down itself.
fn lowered(circuit: &Circuit, at: usize) -> usize {
    match circuit.steps[at].instruction {
        Op::Own(LevelOp::SwitchTo(a, _)) => a,
        _ => at,
    }
}
