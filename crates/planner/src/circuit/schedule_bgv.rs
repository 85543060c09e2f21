//! Schedules for BGV: when to switch the modulus, by the predicted noise.

use std::collections::HashMap;

use asanoha_bgv::{BgvError, BgvParams, NoiseState};
use asanoha_lattice::{Level, Norm};

use super::{
    Circuit, Constant, Instruction, Layout, Output, Step,
    arithmetic::{Arithmetic, Operation},
    schedule_ckks::NoSchedule,
};
use crate::{
    cost::sum_factors,
    execute::{BgvModel, apply},
    program::Shape,
};

/// Schedules a graph of whole-number operations.
pub fn schedule_bgv(graph: &Arithmetic, params: &BgvParams) -> Result<Circuit, NoSchedule<BgvError>> {
    let layout = Layout::new(graph.rows, params.slots());
    let mut scheduler = Scheduler {
        graph,
        params,
        layout,
        model: BgvModel::new(params, layout),
        steps: Vec::new(),
        states: Vec::new(),
        nodes: Vec::new(),
        delivered: HashMap::new(),
    };
    for at in 0..graph.nodes.len() {
        let step = scheduler.node(at)?;
        scheduler.nodes.push(step);
    }
    let mut outputs = Vec::with_capacity(graph.outputs.len());
    for output in &graph.outputs {
        let step = scheduler.nodes[output.node];
        let level = scheduler.lowest_decryptable(step);
        let step = scheduler.at_level(step, level)?;
        outputs.push(Output { name: output.name.clone(), step, factor: output.factor.clone() });
    }
    Ok(Circuit { inputs: graph.inputs.clone(), steps: scheduler.steps, outputs })
}

struct Scheduler<'a> {
    graph: &'a Arithmetic,
    params: &'a BgvParams,
    layout: Layout,
    model: BgvModel,
    steps: Vec<Step>,
    states: Vec<Vec<NoiseState>>,
    nodes: Vec<usize>,
    delivered: HashMap<(usize, usize), usize>,
}

type Scheduled<T> = Result<T, NoSchedule<BgvError>>;

impl Scheduler<'_> {
    fn push(&mut self, instruction: Instruction, bound: f64, shape: Shape) -> Scheduled<usize> {
        // Exact schemes need no bound; in a file it has to be a number.
        let bound = bound.min(f64::MAX);
        let mut step = Step { instruction, shape, bound, level: Level(0), noise_bits: 0.0 };
        let states = match step.instruction {
            Instruction::Input { .. } => vec![self.model.fresh()?; self.layout.chunks()],
            _ => apply(&self.model, self.layout, &step, |at| self.steps[at].shape, |at| &self.states[at])?,
        };
        step.level = states[0].level;
        step.noise_bits = states.iter().map(|state| state.noise).fold(Norm::ZERO, Norm::max).log2();
        self.steps.push(step);
        self.states.push(states);
        Ok(self.steps.len() - 1)
    }

    fn node(&mut self, at: usize) -> Scheduled<usize> {
        let node = &self.graph.nodes[at];
        let whole = |c: &num_rational::BigRational| {
            debug_assert!(c.is_integer());
            Constant::Whole(c.to_integer())
        };
        let instruction = match &node.operation {
            Operation::Input(input) => Instruction::Input { input: *input },
            Operation::Add(a, b) | Operation::Sub(a, b) => {
                let level = self.level(self.nodes[*a]).min(self.level(self.nodes[*b]));
                let add = matches!(node.operation, Operation::Add(..));
                let (a, b) = (self.at_level(self.nodes[*a], level)?, self.at_level(self.nodes[*b], level)?);
                if add { Instruction::Add { a, b } } else { Instruction::Sub { a, b } }
            }
            Operation::Mul(a, b) => {
                let (a, b) = (self.nodes[*a], self.nodes[*b]);
                let level = self.settled(a, true).min(self.settled(b, true));
                Instruction::Mul { a: self.at_level(a, level)?, b: self.at_level(b, level)? }
            }
            Operation::Neg(a) => Instruction::Neg { a: self.nodes[*a] },
            Operation::AddConstant(a, c) => Instruction::AddConstant { a: self.nodes[*a], c: whole(c) },
            Operation::MulConstant(a, k) => {
                Instruction::MulConstant { a: self.nodes[*a], k: whole(k), scale: 1.0 }
            }
            Operation::MaskRows(a) => {
                let level = self.settled(self.nodes[*a], true);
                Instruction::MaskRows { a: self.at_level(self.nodes[*a], level)? }
            }
            Operation::Function(a, b, function) => {
                let a = self.settled_step(*a)?;
                let b = b.map(|b| self.settled_step(b)).transpose()?;
                Instruction::Function { a, b, function: function.clone() }
            }
            Operation::Sum(a) => {
                let level = self.settled(self.nodes[*a], false);
                let factors = sum_factors(self.model.params().rlwe(), self.layout.block());
                Instruction::Sum { a: self.at_level(self.nodes[*a], level)?, factors }
            }
        };
        self.push(instruction, node.bound(), node.shape)
    }

    fn level(&self, step: usize) -> Level {
        self.steps[step].level
    }

    /// The state of the noisiest ciphertext of a step.
    fn state(&self, step: usize) -> NoiseState {
        let worst = self.states[step].iter().max_by_key(|state| state.noise).cloned();
        worst.expect("a value has a ciphertext")
    }

    /// The level that an operand is best switched to. Dropping a prime q takes noise B to B/q + R with the
    /// rounding's R. With x = B/(q·R), what is left of the modulus shrinks by log(1 + 1/x), which is next to nothing
    /// for x ≥ 1. Before a product, where the operands' noises multiply, smaller noise is worth modulus: the balance
    /// is better as long as x/(1 + x) > q^(−1/2).
    fn settled(&self, step: usize, before_product: bool) -> Level {
        let rlwe = self.params.rlwe();
        let rounding = self.model.noise().rounding(2);
        let NoiseState { level: Level(mut level), mut noise, .. } = self.state(step);
        while level > 0 {
            let q = rlwe.q(Level(level)).modulus(level).value() as f64;
            let least = if before_product { q.sqrt() } else { q };
            if noise < rounding * least {
                break;
            }
            noise = noise * (1.0 / q) + rounding;
            level -= 1;
        }
        Level(level)
    }

    /// A node's value at the level that suits a product with it.
    fn settled_step(&mut self, node: usize) -> Scheduled<usize> {
        let step = self.nodes[node];
        self.at_level(step, self.settled(step, true))
    }

    /// The lowest level at which a result still decrypts.
    fn lowest_decryptable(&self, step: usize) -> Level {
        let state = self.state(step);
        let mut level = state.level;
        while level.0 > 0 && self.model.noise().switch_to(state.clone(), 2, Level(level.0 - 1)).is_ok() {
            level.0 -= 1;
        }
        level
    }

    /// A step's value at a level.
    fn at_level(&mut self, step: usize, level: Level) -> Scheduled<usize> {
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
