//! Schedules: operations with what is known of their results.

use asanoha_lang::Shape;
use asanoha_lattice::Level;
use num_rational::BigRational;
use serde::Serialize;

use super::{CircuitInput, Instruction, LevelOp, Op, Width};

/// An instruction with what is known of its result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The operation.
    #[serde(flatten)]
    pub instruction: Instruction,
    /// A column or a number.
    pub shape: Shape,
    /// Bound on the values, as the program's ranges give it.
    pub bound: f64,
    /// The level of the result.
    pub level: Level,
    /// log2 of the bound on the noise of the result.
    pub noise_bits: f64,
    /// The width of the integers of TFHE, which have no levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// The bootstrappings of it in TFHE: for one row of a column, or in all for a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstraps: Option<usize>,
}

/// A result: a step's value times a factor that the decrypting side multiplies by, in the clear.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Output {
    /// The name.
    pub name: String,
    /// The step that computes it.
    pub step: usize,
    /// The factor.
    pub factor: BigRational,
    /// How far approximated functions put the result off at most, noise not counted.
    pub approximation: f64,
}

/// A schedule of operations, each after its operands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Circuit {
    /// What is encrypted of the columns.
    pub inputs: Vec<CircuitInput>,
    /// The operations.
    pub steps: Vec<Step>,
    /// The results.
    pub outputs: Vec<Output>,
}

impl Circuit {
    /// Whether it bootstraps ciphertexts of CKKS.
    pub fn bootstraps(&self) -> bool {
        self.any(|instruction| matches!(instruction, Op::Own(LevelOp::Bootstrap(_))))
    }

    /// Whether some instruction is of a kind.
    pub fn any(&self, is: impl Fn(&Instruction) -> bool) -> bool {
        self.steps.iter().any(|step| is(&step.instruction))
    }

    /// The columns that are encrypted, each once.
    pub fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = Vec::new();
        for input in &self.inputs {
            if !columns.contains(&input.column) {
                columns.push(input.column.clone());
            }
        }
        columns
    }

    /// For every step, the position of the last step that uses it: itself if none does, the end for outputs.
    pub fn last_uses(&self) -> Vec<usize> {
        let mut last: Vec<usize> = (0..self.steps.len()).collect();
        for (at, step) in self.steps.iter().enumerate() {
            step.instruction.operands().for_each(|operand| last[operand] = at);
        }
        for output in &self.outputs {
            last[output.step] = self.steps.len();
        }
        last
    }

    /// How often every step's value is used, by other steps and as an output.
    pub fn use_counts(&self) -> Vec<usize> {
        let mut uses = vec![0; self.steps.len()];
        self.steps.iter().flat_map(|step| step.instruction.operands()).for_each(|operand| uses[operand] += 1);
        self.outputs.iter().for_each(|output| uses[output.step] += 1);
        uses
    }

    /// The step of every input.
    pub fn input_steps(&self) -> Vec<usize> {
        let mut steps = vec![0; self.inputs.len()];
        for (at, step) in self.steps.iter().enumerate() {
            if let Op::Input(input) = step.instruction {
                steps[input] = at;
            }
        }
        steps
    }

    /// The steps in waves: those of a wave depend on earlier waves only, and can be carried out side by side.
    pub fn waves(&self) -> Vec<Vec<usize>> {
        self.waves_of(&(0..self.steps.len()).collect::<Vec<_>>())
    }

    /// Some steps, in rising order, in waves.
    pub fn waves_of(&self, steps: &[usize]) -> Vec<Vec<usize>> {
        let mut next = vec![0; self.steps.len()];
        let mut waves: Vec<Vec<usize>> = Vec::new();
        for &at in steps {
            let wave = self.steps[at].instruction.operands().map(|operand| next[operand]).max().unwrap_or(0);
            next[at] = wave + 1;
            waves.resize_with(waves.len().max(wave + 1), Vec::new);
            waves[wave].push(at);
        }
        waves
    }
}
