//! Schedules for BFV: everything at the highest level, for products take as much of the modulus at every level; only
//! results are brought down, so that they're small.

use asanoha_bfv::{BfvError, BfvParams, NoiseState};
use asanoha_lattice::{Level, Norm};
use num_rational::BigRational;

use super::{
    Circuit, Constant, Instruction, Layout, Output, Step,
    arithmetic::{Arithmetic, Operation},
    schedule_ckks::NoSchedule,
};
use crate::{
    cost::sum_factors,
    execute::{BfvModel, apply},
    program::Shape,
};

/// Schedules a graph of whole-number operations.
pub fn schedule_bfv(graph: &Arithmetic, params: &BfvParams) -> Result<Circuit, NoSchedule<BfvError>> {
    let layout = Layout::new(graph.rows, params.values());
    let model = BfvModel::new(params, layout);
    let mut scheduler = Scheduler { layout, model, steps: Vec::new(), states: Vec::new() };
    // Nothing is inserted between: a node's step has its position.
    for node in &graph.nodes {
        let instruction = scheduler.instruction(&node.operation);
        scheduler.push(instruction, node.bound(), node.shape)?;
    }
    let mut outputs: Vec<Output> = Vec::with_capacity(graph.outputs.len());
    for (at, output) in graph.outputs.iter().enumerate() {
        let earlier = graph.outputs[..at].iter().position(|earlier| earlier.node == output.node);
        let step = match earlier {
            Some(earlier) => outputs[earlier].step,
            None => scheduler.lowered(output.node)?,
        };
        outputs.push(Output { name: output.name.clone(), step, factor: output.factor.clone() });
    }
    Ok(Circuit { inputs: graph.inputs.clone(), steps: scheduler.steps, outputs })
}

struct Scheduler {
    layout: Layout,
    model: BfvModel,
    steps: Vec<Step>,
    states: Vec<Vec<NoiseState>>,
}

impl Scheduler {
    fn instruction(&self, operation: &Operation) -> Instruction {
        let whole = |c: &BigRational| {
            debug_assert!(c.is_integer());
            Constant::Whole(c.to_integer())
        };
        match *operation {
            Operation::Input(input) => Instruction::Input { input },
            Operation::Add(a, b) => Instruction::Add { a, b },
            Operation::Sub(a, b) => Instruction::Sub { a, b },
            Operation::Neg(a) => Instruction::Neg { a },
            Operation::Mul(a, b) => Instruction::Mul { a, b },
            Operation::AddConstant(a, ref c) => Instruction::AddConstant { a, c: whole(c) },
            Operation::MulConstant(a, ref k) => Instruction::MulConstant { a, k: whole(k), scale: 1.0 },
            Operation::MaskRows(a) => Instruction::MaskRows { a },
            Operation::Function(..) => unreachable!("the search refuses functions of whole numbers"),
            Operation::Sum(a) => {
                let factors = sum_factors(self.model.params().rlwe(), self.layout.block());
                Instruction::Sum { a, factors }
            }
        }
    }

    fn push(
        &mut self,
        instruction: Instruction,
        bound: f64,
        shape: Shape,
    ) -> Result<usize, NoSchedule<BfvError>> {
        // Exact schemes need no bound; in a file it has to be a number.
        let bound = bound.min(f64::MAX);
        let mut step = Step { instruction, shape, bound, level: Level(0), noise_bits: 0.0 };
        let states = match step.instruction {
            Instruction::Input { .. } => vec![self.model.fresh()?; self.layout.chunks()],
            _ => apply(&self.model, self.layout, &step, |at| self.steps[at].shape, |at| &self.states[at])?,
        };
        step.level = states[0].level;
        step.noise_bits =
            states.iter().map(|state| state.noise.bounds.norm()).fold(Norm::ZERO, Norm::max).log2();
        self.steps.push(step);
        self.states.push(states);
        Ok(self.steps.len() - 1)
    }

    /// A step's value at the lowest level at which it still decrypts.
    fn lowered(&mut self, step: usize) -> Result<usize, NoSchedule<BfvError>> {
        let state = *self.states[step]
            .iter()
            .max_by_key(|state| state.noise.bounds.norm())
            .expect("it has a ciphertext");
        let decrypts = |&level: &usize| self.model.noise().switch_to(state, 2, Level(level)).is_ok();
        match (0..state.level.0).find(decrypts) {
            None => Ok(step),
            Some(level) => {
                let (bound, shape) = (self.steps[step].bound, self.steps[step].shape);
                self.push(Instruction::SwitchTo { a: step, level: Level(level) }, bound, shape)
            }
        }
    }
}
