//! Schedules for BGV and BFV: when to switch the modulus, by the predicted noise.

use std::collections::HashMap;

use asanoha_lattice::Level;
use asanoha_scheme::{Model, Operations, State, sum_factors};
use num_rational::BigRational;

use super::{
    Circuit, Columns, Constant, Instruction, Layout, NoSchedule, Output, Step, apply,
    graph::{Graph, Operation},
};
use crate::{
    program::Shape,
    schemes::{OperandOf, PlannedExact},
};

/// Schedules a graph of whole-number operations by the noise model of a scheme's parameters.
pub(crate) fn schedule_exact<S: PlannedExact>(graph: &Graph, scheme: &S) -> Result<Circuit, NoSchedule> {
    let layout = Layout::new(graph.rows, scheme.slots());
    let model = &Columns::new(Model::new(scheme), layout);
    let (steps, states, nodes) = (Vec::new(), Vec::new(), Vec::new());
    let mut scheduler = Scheduler { graph, layout, model, steps, states, nodes, delivered: HashMap::new() };
    for at in 0..graph.nodes.len() {
        let step = scheduler.node(at)?;
        scheduler.nodes.push(step);
    }
    let mut outputs = Vec::with_capacity(graph.outputs.len());
    for output in &graph.outputs {
        let step = scheduler.nodes[output.node];
        let level = scheduler.lowest_decryptable(step);
        let step = scheduler.at_level(step, level)?;
        let factor = output.factor.clone();
        outputs.push(Output { name: output.name.clone(), step, factor, approximation: 0.0 });
    }
    Ok(Circuit { inputs: graph.inputs.clone(), steps: scheduler.steps, outputs })
}

struct Scheduler<'a, S: PlannedExact> {
    graph: &'a Graph,
    layout: Layout,
    model: &'a Columns<Model<S>>,
    steps: Vec<Step>,
    states: Vec<Vec<State<S>>>,
    nodes: Vec<usize>,
    /// The steps that are others' values at a level.
    delivered: HashMap<(usize, usize), usize>,
}

impl<S: PlannedExact> Scheduler<'_, S> {
    fn push(&mut self, instruction: Instruction, bound: f64, shape: Shape) -> Result<usize, NoSchedule> {
        // Exact schemes need no bound; in a file it has to be a number.
        let bound = bound.min(f64::MAX);
        let mut step = Step { instruction, shape, bound, level: Level(0), noise_bits: 0.0 };
        let states = match step.instruction {
            Instruction::Input { .. } => self.model.fresh_column(bound)?,
            _ => apply(self.model, self.layout, &step, |at| self.steps[at].shape, |at| &self.states[at])?,
        };
        step.level = states[0].level;
        step.noise_bits = noisiest(&states).noise.log2();
        self.steps.push(step);
        self.states.push(states);
        Ok(self.steps.len() - 1)
    }

    fn node(&mut self, at: usize) -> Result<usize, NoSchedule> {
        let node = &self.graph.nodes[at];
        let whole = |c: &BigRational| {
            debug_assert!(c.is_integer());
            Constant::Whole(c.to_integer())
        };
        let instruction = match &node.operation {
            Operation::Input(input) => Instruction::Input { input: *input },
            Operation::Add(a, b) | Operation::Sub(a, b) => {
                let add = matches!(node.operation, Operation::Add(..));
                let (a, b) = self.at_one_level(*a, *b, OperandOf::Sum)?;
                if add { Instruction::Add { a, b } } else { Instruction::Sub { a, b } }
            }
            Operation::Mul(a, b) => {
                let (a, b) = self.at_one_level(*a, *b, OperandOf::Product)?;
                Instruction::Mul { a, b }
            }
            Operation::Neg(a) => Instruction::Neg { a: self.nodes[*a] },
            Operation::AddConstant(a, c) => Instruction::AddConstant { a: self.nodes[*a], c: whole(c) },
            Operation::MulConstant(a, k) => {
                Instruction::MulConstant { a: self.nodes[*a], k: whole(k), scale: 1.0 }
            }
            Operation::MaskRows(a) => {
                Instruction::MaskRows { a: self.suited(self.nodes[*a], OperandOf::Product)? }
            }
            Operation::Functions(operands, operation) => {
                let suited = operands.iter().map(|&a| self.suited(self.nodes[a], OperandOf::Function));
                let operands = suited.collect::<Result<_, _>>()?;
                Instruction::Functions { operands, operation: operation.clone() }
            }
            Operation::Result(a, index) => Instruction::Result { a: self.nodes[*a], index: *index },
            Operation::Sum(a) => {
                let factors = sum_factors(self.model.operations().scheme().rlwe(), self.layout.block());
                Instruction::Sum { a: self.suited(self.nodes[*a], OperandOf::Trace)?, factors }
            }
        };
        self.push(instruction, node.bound(), node.shape)
    }

    fn level(&self, step: usize) -> Level {
        self.steps[step].level
    }

    /// The level that a step's value is best switched to before an operation.
    fn level_for(&self, step: usize, operation: OperandOf) -> Level {
        S::level_for(self.model.operations(), noisiest(&self.states[step]), operation)
    }

    /// A step's value at the level that suits an operation.
    fn suited(&mut self, step: usize, operation: OperandOf) -> Result<usize, NoSchedule> {
        self.at_level(step, self.level_for(step, operation))
    }

    /// Two nodes' values at the lower one of the levels that suit an operation.
    fn at_one_level(
        &mut self,
        a: usize,
        b: usize,
        operation: OperandOf,
    ) -> Result<(usize, usize), NoSchedule> {
        let (a, b) = (self.nodes[a], self.nodes[b]);
        let level = self.level_for(a, operation).min(self.level_for(b, operation));
        Ok((self.at_level(a, level)?, self.at_level(b, level)?))
    }

    /// The lowest level at which a result still decrypts.
    fn lowest_decryptable(&self, step: usize) -> Level {
        let state = noisiest(&self.states[step]);
        let mut level = self.level(step);
        while level.0 > 0 && self.model.operations().lowered(state, Level(level.0 - 1)).is_ok() {
            level.0 -= 1;
        }
        level
    }

    /// A step's value at a level.
    fn at_level(&mut self, step: usize, level: Level) -> Result<usize, NoSchedule> {
        if level == self.level(step) {
            return Ok(step);
        }
        if let Some(switched) = self.delivered.get(&(step, level.0)) {
            return Ok(*switched);
        }
        let (bound, shape) = (self.steps[step].bound, self.steps[step].shape);
        let switched = self.push(Instruction::SwitchTo { a: step, level }, bound, shape)?;
        self.delivered.insert((step, level.0), switched);
        Ok(switched)
    }
}

/// The state of the noisiest ciphertext of a value.
fn noisiest<S: PlannedExact>(states: &[State<S>]) -> &State<S> {
    states.iter().max_by_key(|state| state.noise).expect("a value has a ciphertext")
}
