//! Tasks.

use std::collections::BTreeSet;

use asanoha_compile::{Circuit, Factor};

/// Steps that are carried out together: one, or sums of multiples that take the same values.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The steps whose values it gives, in rising order.
    pub(crate) results: Vec<usize>,
    /// The steps whose values it takes: in the instruction's order, or each once.
    pub(crate) operands: Vec<usize>,
    /// The sums of multiples, where it isn't one step.
    pub(crate) forms: Option<Forms>,
}

impl Task {
    /// One step.
    pub(super) fn step(circuit: &Circuit, at: usize) -> Self {
        Self { results: vec![at], operands: circuit.steps[at].instruction.operands().collect(), forms: None }
    }

    /// The steps that it carries out, each after its operands.
    pub(crate) fn steps(&self) -> Vec<usize> {
        let inside = self.forms.iter().flat_map(|forms| &forms.inside);
        let mut steps: Vec<usize> = inside.chain(&self.results).copied().collect();
        steps.sort_unstable();
        steps
    }

    /// The values that it takes, each once.
    pub(super) fn distinct_operands(&self) -> impl Iterator<Item = usize> {
        self.operands.iter().copied().collect::<BTreeSet<_>>().into_iter()
    }
}

/// Sums of multiples of a task's operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Forms {
    /// The steps that only the sums take in, in rising order.
    pub(crate) inside: Vec<usize>,
    /// The multiples of every result.
    pub(crate) rows: Vec<Vec<Multiple>>,
}

/// A multiple of a task's operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Multiple {
    /// The operand's place among the task's.
    pub(crate) place: usize,
    /// The factors, one after another.
    pub(crate) factors: Vec<Factor>,
    /// True if it's subtracted.
    pub(crate) negative: bool,
}
