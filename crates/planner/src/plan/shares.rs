//! Where the time of an evaluation is predicted to go.

use super::Plan;
use asanoha_compile::{Instruction, LevelOp, Op};

impl Plan {
    /// The parts of an evaluation's predicted time, by kinds of operations, each a part of 1; the largest first.
    pub fn shares(&self) -> Vec<(&'static str, f64)> {
        let mut shares: Vec<(&'static str, f64)> = Vec::new();
        for (step, weight) in self.circuit.steps.iter().zip(self.weights()) {
            let kind = kind(&step.instruction);
            match shares.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, share)) => *share += weight,
                None => shares.push((kind, weight)),
            }
        }
        let all: f64 = shares.iter().map(|(_, share)| share).sum();
        shares.retain(|(_, share)| *share > 0.0);
        shares.iter_mut().for_each(|(_, share)| *share /= all);
        shares.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        shares
    }

    /// How much of an evaluation's predicted time is over after each step, from 0 to 1, in the order in which steps are carried
    /// out; of those that run side by side, any.
    pub fn progress(&self) -> Vec<f64> {
        let weights = self.weights();
        // Steps that take nothing still pass.
        let all = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let order = self.circuit.waves().into_iter().flatten();
        order
            .scan(0.0, |over, at| {
                *over += weights[at] / all;
                Some(f64::min(*over, 1.0))
            })
            .collect()
    }

    /// What each step is predicted to take, in some unit.
    fn weights(&self) -> Vec<f64> {
        self.params.backend().weights(self.scheduled())
    }
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
