//! Which operations are left to carry out, where some results are known.

use std::collections::BTreeMap;

use asanoha_compile::{Circuit, Op};
use asanoha_lang::Shape;

/// How much of an evaluation an earlier one had finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// The operations on ciphertexts, in TFHE on integers, that the evaluation has.
    pub operations: usize,
    /// How many of them weren't carried out again.
    pub taken_over: usize,
}

/// What an earlier walk of the same circuit on the same inputs finished.
#[derive(Debug)]
pub(crate) struct Finished<V> {
    /// By step and place: the ciphertext of a column (in TFHE the row), or 0 of a number.
    pub(crate) values: BTreeMap<(usize, usize), Vec<V>>,
    /// For totals of columns, how many ciphertexts are summed, from the first one on, and their sum.
    pub(crate) sums: BTreeMap<usize, (usize, V)>,
}

impl<V> Default for Finished<V> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), sums: BTreeMap::new() }
    }
}

/// The operations that are left.
#[derive(Debug)]
pub(crate) struct Needed {
    /// By step and place.
    carried_out: Vec<Vec<bool>>,
    resumed: Resumed,
}

impl Needed {
    /// What is left of a circuit on columns of so many places. Drops what is finished and isn't needed any more.
    pub(crate) fn new<V>(circuit: &Circuit, places: usize, finished: &mut Finished<V>) -> Self {
        let steps = &circuit.steps;
        let is_column = |at: usize| steps[at].shape == Shape::Column;
        let is_input = |at: usize| matches!(steps[at].instruction, Op::Input(_));
        let places_of = |at: usize| if is_column(at) { places } else { 1 };
        let all: Vec<usize> = (0..steps.len()).filter(|&at| !is_input(at)).map(places_of).collect();
        let operations = all.iter().sum();
        if finished.values.is_empty() && finished.sums.is_empty() {
            let carried_out = (0..steps.len()).map(|at| vec![!is_input(at); places_of(at)]).collect();
            return Self { carried_out, resumed: Resumed { operations, taken_over: 0 } };
        }
        let mut wanted: Vec<Vec<bool>> = (0..steps.len()).map(|at| vec![false; places_of(at)]).collect();
        circuit.outputs.iter().for_each(|output| wanted[output.step].fill(true));
        let mut carried_out = wanted.iter().map(|places| vec![false; places.len()]).collect::<Vec<_>>();
        let mut left = 0;
        for at in (0..steps.len()).rev().filter(|&at| !is_input(at)) {
            for place in 0..places_of(at) {
                if !wanted[at][place] || finished.values.contains_key(&(at, place)) {
                    continue;
                }
                carried_out[at][place] = true;
                left += 1;
                for operand in steps[at].instruction.operands() {
                    match (is_column(at), is_column(operand)) {
                        (true, true) => wanted[operand][place] = true,
                        (false, true) => {
                            let summed = finished.sums.get(&at).map_or(0, |&(count, _)| count);
                            wanted[operand][summed..].fill(true);
                        }
                        (_, false) => wanted[operand][0] = true,
                    }
                }
            }
        }
        finished.values.retain(|&(at, place), _| wanted[at][place]);
        finished.sums.retain(|&at, _| carried_out[at][0]);
        Self { carried_out, resumed: Resumed { operations, taken_over: operations - left } }
    }

    /// Whether a step is to be carried out at a place.
    pub(crate) fn has(&self, at: usize, place: usize) -> bool {
        self.carried_out[at].get(place).copied().unwrap_or(false)
    }

    /// How much is left.
    pub(crate) fn resumed(&self) -> Resumed {
        self.resumed
    }
}
