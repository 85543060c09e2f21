//! What files of ciphertexts hold.

use asanoha_compile::{Circuit, Layout, input_names};
use asanoha_lang::Shape;

/// What a file of ciphertexts holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The input columns.
    Inputs,
    /// The results.
    Outputs,
}

impl Contents {
    /// The kind that the header of such a file states.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Inputs => "encrypted inputs",
            Self::Outputs => "encrypted outputs",
        }
    }

    /// The names of a schedule's values.
    pub fn names(self, circuit: &Circuit) -> Vec<String> {
        match self {
            Self::Inputs => input_names(&circuit.inputs),
            Self::Outputs => circuit.outputs.iter().map(|output| output.name.clone()).collect(),
        }
    }

    /// The steps of a schedule's values.
    pub fn steps(self, circuit: &Circuit) -> Vec<usize> {
        match self {
            Self::Inputs => circuit.input_steps(),
            Self::Outputs => circuit.outputs.iter().map(|output| output.step).collect(),
        }
    }

    /// How many ciphertexts each value has; in TFHE, how many integers.
    pub fn chunks(self, circuit: &Circuit, layout: Layout) -> Vec<usize> {
        let chunks = layout.chunks();
        match self {
            Self::Inputs => vec![chunks; circuit.inputs.len()],
            Self::Outputs => {
                let count = |step: usize| match circuit.steps[step].shape {
                    Shape::Column => chunks,
                    Shape::Number => 1,
                };
                circuit.outputs.iter().map(|output| count(output.step)).collect()
            }
        }
    }
}
