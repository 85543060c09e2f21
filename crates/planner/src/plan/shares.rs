//! Where the time of an evaluation is predicted to go.

use asanoha_compile::{Circuit, Instruction, LevelOp, Op};

/// The parts of each kind of operation in what all steps take, the largest first. `weights` has what each step takes, in some unit.
pub(super) fn shares(circuit: &Circuit, weights: &[f64]) -> Vec<(&'static str, f64)> {
    let mut shares: Vec<(&'static str, f64)> = Vec::new();
    for (step, weight) in circuit.steps.iter().zip(weights) {
        let kind = kind(&step.instruction);
        match shares.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, share)) => *share += weight,
            None => shares.push((kind, *weight)),
        }
    }
    let all: f64 = shares.iter().map(|(_, share)| share).sum();
    shares.retain(|(_, share)| *share > 0.0);
    shares.iter_mut().for_each(|(_, share)| *share /= all);
    shares.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    shares
}

/// How much of what all steps take is over after each one, from 0 to 1, in the order in which they are carried out.
pub(super) fn progress(circuit: &Circuit, weights: &[f64]) -> Vec<f64> {
    // Steps that take nothing still pass.
    let all = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let order = circuit.waves().into_iter().flatten();
    order
        .scan(0.0, |over, at| {
            *over += weights[at] / all;
            Some(f64::min(*over, 1.0))
        })
        .collect()
}

fn kind(instruction: &Instruction) -> &'static str {
    match instruction {
        Op::Mul(..) | Op::Own(LevelOp::MulTo(..)) => "multiply",
        Op::Sum(..) => "sum",
        Op::Own(LevelOp::Rescale(_) | LevelOp::SwitchTo(..)) => "rescale",
        Op::Own(LevelOp::Bootstrap(_)) => "bootstrap",
        Op::Functions(..) | Op::Integers(..) => "functions",
        _ => "add",
    }
}
