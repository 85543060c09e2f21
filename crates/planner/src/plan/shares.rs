//! Where the time of an evaluation is predicted to go.

use super::Plan;
use crate::{
    compile::{Instruction, Step},
    program::Shape,
    search::cost,
};

impl Plan {
    /// The parts of an evaluation's predicted time, by kinds of operations, each a part of 1; the largest first.
    pub fn shares(&self) -> Vec<(&'static str, f64)> {
        let layout = self.layout();
        let weight = |step: &Step| match self.params.rlwe() {
            Some(rlwe) => {
                cost::step_work(&self.circuit, step, self.params.scheme(), rlwe, layout).in_transforms()
            }
            None => {
                let rows = if step.shape == Shape::Column { self.schema.rows } else { 1 };
                (step.bootstraps.unwrap_or(0) * rows) as f64
            }
        };
        let mut shares: Vec<(&'static str, f64)> = Vec::new();
        for step in &self.circuit.steps {
            let (kind, weight) = (kind(&step.instruction), weight(step));
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
}

fn kind(instruction: &Instruction) -> &'static str {
    match instruction {
        Instruction::Mul { .. } => "multiply",
        Instruction::Sum { .. } => "sum",
        Instruction::Rescale { .. } | Instruction::SwitchTo { .. } => "rescale",
        Instruction::Bootstrap { .. } => "bootstrap",
        Instruction::Functions { .. } | Instruction::Integers { .. } => "functions",
        _ => "add",
    }
}
