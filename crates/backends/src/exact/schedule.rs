//! Schedules for BGV and BFV: when to switch the modulus, by the predicted noise.

use std::collections::{BTreeMap, HashMap};

use asanoha_compile::{Circuit, Constant, Factor, Graph, Instruction, LevelOp, Op, Output, Step};
use asanoha_lang::Shape;
use asanoha_lattice::Level;
use num_rational::BigRational;

use crate::error::NoSchedule;
use crate::slots::numbers::{OperandOf, PlannedExact};
use crate::slots::schedule::{Schedule, with_low_inputs};

/// Schedules a graph of whole-number operations by the noise model of a scheme's parameters. The operations of some nodes are
/// carried out at a given level at most.
pub fn schedule_exact<S: PlannedExact>(
    graph: &Graph,
    scheme: &S,
    levels: &BTreeMap<usize, Level>,
) -> Result<Circuit, NoSchedule> {
    let schedule = Schedule::new(scheme, graph.rows);
    let highest = scheme.max_level();
    let mut scheduler = Scheduler { graph, schedule, nodes: Vec::new(), made: HashMap::new(), highest };
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
    let circuit = merged(Circuit { inputs: graph.inputs.clone(), steps: scheduler.schedule.steps, outputs });
    Ok(with_low_inputs(circuit, scheme, graph.rows))
}

struct Scheduler<'a, S: PlannedExact> {
    graph: &'a Graph,
    schedule: Schedule<S>,
    nodes: Vec<usize>,
    /// The steps that are others' values at a level.
    made: HashMap<(usize, usize), usize>,
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
            Op::Input(input) => Op::Input(*input),
            Op::Add(a, b) | Op::Sub(a, b) => {
                let add = matches!(node.operation, Op::Add(..));
                let (a, b) = self.at_one_level(*a, *b, OperandOf::Sum)?;
                if add { Op::Add(a, b) } else { Op::Sub(a, b) }
            }
            Op::Mul(a, b) => {
                let (a, b) = self.at_one_level(*a, *b, OperandOf::Product)?;
                Op::Mul(a, b)
            }
            Op::Neg(a) => Op::Neg(self.nodes[*a]),
            Op::AddConstant(a, c) => Op::AddConstant(self.nodes[*a], whole(c)),
            Op::MulConstant(a, k) => Op::MulConstant(self.nodes[*a], Factor::unscaled(whole(k))),
            Op::MaskRows(a) => Op::MaskRows(self.suited(self.nodes[*a], OperandOf::Product)?),
            Op::KeepSlot(a, slot) => {
                let a = self.suited(self.nodes[*a], OperandOf::Product)?;
                Op::KeepSlot(a, *slot)
            }
            Op::Functions(operands, operation) => {
                let suited = operands.iter().map(|&a| self.suited(self.nodes[a], OperandOf::Function));
                let operands = suited.collect::<Result<_, _>>()?;
                Op::Functions(operands, operation.clone())
            }
            Op::Integers(..) => unreachable!("functions of schemes with slots are polynomials"),
            Op::AbsorbNoise { .. } | Op::Own(_) => unreachable!("only approximations absorb noise"),
            Op::Result(a, index) => Op::Result(self.nodes[*a], *index),
            Op::Sum(a, ()) => {
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
        if let Some(switched) = self.made.get(&(step, level.0)) {
            return Ok(*switched);
        }
        let switched = self.push(Op::Own(LevelOp::SwitchTo(step, level)), bound, shape)?;
        self.made.insert((step, level.0), switched);
        Ok(switched)
    }
}

/// With every product that nothing but one switch takes relinearised to the switch's level in one step.
fn merged(mut circuit: Circuit) -> Circuit {
    let uses = circuit.use_counts();
    let mut switches = vec![None; circuit.steps.len()];
    for (at, step) in circuit.steps.iter().enumerate() {
        if let Op::Own(LevelOp::SwitchTo(a, _)) = step.instruction {
            let is_product = matches!(circuit.steps[a].instruction, Op::Mul(..));
            switches[a] = (is_product && uses[a] == 1).then_some(at);
        }
    }
    let (mut steps, mut places) = (Vec::new(), Vec::with_capacity(circuit.steps.len()));
    for (at, step) in circuit.steps.iter().enumerate() {
        let mut step = match (&step.instruction, switches[at]) {
            (&Op::Mul(a, b), Some(switch)) => {
                let switched = circuit.steps[switch].clone();
                Step { instruction: Op::Own(LevelOp::MulTo(a, b, switched.level)), ..switched }
            }
            (&Op::Own(LevelOp::SwitchTo(a, _)), _) if switches[a] == Some(at) => {
                places.push(places[a]);
                continue;
            }
            _ => step.clone(),
        };
        step.instruction.each_operand(|operand| *operand = places[*operand]);
        places.push(steps.len());
        steps.push(step);
    }
    circuit.outputs.iter_mut().for_each(|output| output.step = places[output.step]);
    Circuit { steps, ..circuit }
}
