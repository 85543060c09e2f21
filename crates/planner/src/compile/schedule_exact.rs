//! Schedules for BGV and BFV: when to switch the modulus, by the predicted noise.

use std::collections::{BTreeMap, HashMap};

use asanoha_lattice::Level;
use num_rational::BigRational;

use super::{
    Circuit, Constant, Instruction, NoSchedule, Output, Step,
    graph::{Graph, Operation},
    schedule::{Schedule, with_low_inputs},
};
use crate::{
    program::Shape,
    schemes::{OperandOf, PlannedExact},
};

/// Schedules a graph of whole-number operations by the noise model of a scheme's parameters. The operations of some nodes are
/// carried out at a given level at most.
pub(crate) fn schedule_exact<S: PlannedExact>(
    graph: &Graph,
    scheme: &S,
    levels: &BTreeMap<usize, Level>,
) -> Result<Circuit, NoSchedule> {
    let schedule = Schedule::new(scheme, graph.rows);
    let highest = scheme.max_level();
    let mut scheduler = Scheduler { graph, schedule, nodes: Vec::new(), delivered: HashMap::new(), highest };
    for at in 0..graph.nodes.len() {
        scheduler.highest = levels.get(&at).copied().unwrap_or(scheme.max_level());
        let step = scheduler.node(at)?;
        scheduler.nodes.push(step);
    }
    let mut outputs = Vec::with_capacity(graph.outputs.len());
    for output in &graph.outputs {
        let step = scheduler.nodes[output.node];
        let level = scheduler.schedule.lowest_decryptable(step);
        let step = scheduler.at_level(step, level)?;
        let factor = output.factor.clone();
        outputs.push(Output { name: output.name.clone(), step, factor, approximation: 0.0 });
    }
    let circuit = Circuit { inputs: graph.inputs.clone(), steps: scheduler.schedule.steps, outputs }.merged();
    Ok(with_low_inputs(circuit, scheme, graph.rows))
}

struct Scheduler<'a, S: PlannedExact> {
    graph: &'a Graph,
    schedule: Schedule<S>,
    nodes: Vec<usize>,
    /// The steps that are others' values at a level.
    delivered: HashMap<(usize, usize), usize>,
    /// The highest level at which the present node's operation may work.
    highest: Level,
}

impl<S: PlannedExact> Scheduler<'_, S> {
    fn push(&mut self, instruction: Instruction, bound: f64, shape: Shape) -> Result<usize, NoSchedule> {
        // Exact schemes need no bound; in a file it has to be a number.
        self.schedule.push(instruction, bound.min(f64::MAX), shape)
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
                Instruction::Mul { a, b, level: None }
            }
            Operation::Neg(a) => Instruction::Neg { a: self.nodes[*a] },
            Operation::AddConstant(a, c) => Instruction::AddConstant { a: self.nodes[*a], c: whole(c) },
            Operation::MulConstant(a, k) => {
                Instruction::MulConstant { a: self.nodes[*a], k: whole(k), scale: 1.0 }
            }
            Operation::MaskRows(a) => {
                Instruction::MaskRows { a: self.suited(self.nodes[*a], OperandOf::Product)? }
            }
            Operation::KeepSlot(a, slot) => {
                let a = self.suited(self.nodes[*a], OperandOf::Product)?;
                Instruction::KeepSlot { a, slot: *slot }
            }
            Operation::Functions(operands, operation) => {
                let suited = operands.iter().map(|&a| self.suited(self.nodes[a], OperandOf::Function));
                let operands = suited.collect::<Result<_, _>>()?;
                Instruction::Functions { operands, operation: operation.clone() }
            }
            Operation::Integers(..) => unreachable!("functions of schemes with slots are polynomials"),
            Operation::Settle { .. } | Operation::Carry { .. } => unreachable!("only approximations settle"),
            Operation::Result(a, index) => Instruction::Result { a: self.nodes[*a], index: *index },
            Operation::Sum(a) => {
                let total = match self.graph.nodes[*a].shape {
                    Shape::Column => self.schedule.total(self.nodes[*a])?,
                    Shape::Number => self.nodes[*a],
                };
                let total = self.suited(total, OperandOf::Trace)?;
                self.schedule.sum(total)
            }
        };
        self.push(instruction, node.bound(), node.shape)
    }

    /// The level that a step's value is best switched to before an operation.
    fn level_for(&self, step: usize, operation: OperandOf) -> Level {
        S::level_for(self.schedule.model(), self.schedule.noisiest(step), operation).min(self.highest)
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

    /// A step's value at a level.
    fn at_level(&mut self, step: usize, level: Level) -> Result<usize, NoSchedule> {
        let Step { level: own, bound, shape, .. } = self.schedule.steps[step];
        if level == own {
            return Ok(step);
        }
        if let Some(switched) = self.delivered.get(&(step, level.0)) {
            return Ok(*switched);
        }
        let switched = self.push(Instruction::SwitchTo { a: step, level }, bound, shape)?;
        self.delivered.insert((step, level.0), switched);
        Ok(switched)
    }
}
