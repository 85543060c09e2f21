//! Phases of the walk of long columns, which totals of columns part.

use asanoha_compile::{Circuit, LevelOp, Op, Step};

/// Returns the number of totals of columns that each step waits for, one after another.
pub(crate) fn phases(circuit: &Circuit) -> Vec<usize> {
    let mut phases: Vec<usize> = Vec::with_capacity(circuit.steps.len());
    for step in &circuit.steps {
        let before = step.instruction.operands().map(|operand| phases[operand]).max().unwrap_or(0);
        phases.push(before + usize::from(matches!(step.instruction, Op::Own(LevelOp::Total(_)))));
    }
    phases
}

/// The last phase that takes each value, of a column not counting its total.
pub(crate) fn last_uses(circuit: &Circuit, phases: &[usize]) -> Vec<usize> {
    let is_total = |step: &Step| matches!(step.instruction, Op::Own(LevelOp::Total(_)));
    let mut until = phases.to_vec();
    for (step, &phase) in circuit.steps.iter().zip(phases).filter(|(step, _)| !is_total(step)) {
        step.instruction.operands().for_each(|operand| until[operand] = until[operand].max(phase));
    }
    circuit.outputs.iter().for_each(|output| until[output.step] = usize::MAX);
    until
}
