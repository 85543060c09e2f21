//! Schedules for CKKS: where to rescale, and at which level each operation happens.
//!
//! Every ciphertext of a level has the level's canonical scale S (degree 1) or S² (degree 2: a product that waits for
//! its rescaling). Sums of degree 2 are rescaled once, together. Multiplication by a fraction is put off until its
//! result is used: it then brings its operand down to the level that is wanted there in the same rescaling.
//!
//! Where parameters have bootstrapping, values are bootstrapped where that was planned ([`super::bootstrap_placement`]), and when
//! something is to be computed of them that their level has no room for: once, and whatever is computed of it later takes the
//! bootstrapped one. It's divided by a power of two first, so that numbers are at most 1, in the rescaling that brings it down.

use std::collections::{BTreeSet, HashMap};

use asanoha_ckks::Ckks;
use asanoha_compile::{Carry, Circuit, Constant, Factor, Graph, Instruction, LevelOp, Op, Output};
use asanoha_lattice::Level;
use asanoha_numeric::number;
use asanoha_scheme::{BootstrapShape, BootstrapValues, Scheme};
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::ckks::multiples::with_multiples;
use crate::error::NoSchedule;
use crate::slots::schedule::{Schedule, with_low_inputs};

/// Whole factors up to this size multiply without a scale of their own.
const LARGEST_UNSCALED_FACTOR: i64 = 1 << 20;
/// What logarithms of noise are off by.
const ROUNDING: f64 = 1.0 / (1u64 << 30) as f64;

/// Schedules a graph. Values of degree 1 stay at level `floor` or above, so that q₀ … q_floor hold them; the nodes at `places` are
/// bootstrapped as soon as they're computed.
pub fn schedule_ckks(
    graph: &Graph,
    params: &Ckks,
    floor: usize,
    places: &BTreeSet<usize>,
) -> Result<Circuit, NoSchedule> {
    let shape = params.literal().bootstrap.as_ref();
    let lowest = |shape: &BootstrapShape| shape.lowest_level().0 as isize;
    let mut scheduler = Scheduler {
        graph,
        params,
        lowest: shape.filter(|shape| shape.values != BootstrapValues::Bits).map(lowest),
        floor: floor as isize,
        schedule: Schedule::new(params, graph.rows),
        nodes: Vec::new(),
        made: HashMap::new(),
        absorbed: HashMap::new(),
    };
    for at in 0..graph.nodes.len() {
        let node = scheduler.node(at)?;
        scheduler.nodes.push(node);
        if places.contains(&at) {
            scheduler.bootstrap(at)?;
        }
    }
    let mut outputs = Vec::with_capacity(graph.outputs.len());
    for output in &graph.outputs {
        let mut factor = output.factor.clone();
        // A fraction that nothing else needs is left to the decrypting side.
        let mut node = output.node;
        if let Op::MulConstant(a, k) = &graph.nodes[node].operation {
            factor *= k;
            node = *a;
        }
        scheduler.ensure(node, scheduler.floor)?;
        let level = scheduler.best(node, 1);
        let step = scheduler.value_at(node, level, 1)?;
        let step = scheduler.lowest(step, node)?;
        let approximation = output.approximation;
        outputs.push(Output { name: output.name.clone(), step, factor, approximation });
    }
    let circuit = with_multiples(scheduler.schedule, graph.inputs.clone(), outputs)?;
    Ok(with_low_inputs(circuit, params, graph.rows))
}

/// Where a node's value is to be had.
#[derive(Clone)]
enum Node {
    /// A step's value.
    Step { step: usize, level: isize, degree: u8 },
    /// A fraction times another node's value.
    Scaled { of: usize, k: BigRational },
}

struct Scheduler<'a> {
    graph: &'a Graph,
    params: &'a Ckks,
    /// The level that ciphertexts are bootstrapped from.
    lowest: Option<isize>,
    floor: isize,
    schedule: Schedule<Ckks>,
    nodes: Vec<Node>,
    made: HashMap<(usize, isize, u8), usize>,
    /// The noise of what was absorbed, relative to its scale.
    absorbed: HashMap<usize, f64>,
}

type Scheduled<T> = Result<T, NoSchedule>;

impl Scheduler<'_> {
    /// Adds a step for a node of the graph; its position.
    fn push(&mut self, instruction: Instruction, node: usize) -> Scheduled<usize> {
        let described = &self.graph.nodes[node];
        let bound = match instruction {
            // On the way to a node's value, only its operands' bounds are known to hold.
            Op::Own(LevelOp::Rescale(a) | LevelOp::SwitchTo(a, _)) | Op::Neg(a) => {
                self.schedule.steps[a].bound
            }
            Op::Own(LevelOp::Bootstrap(_)) => 1.0,
            _ => described.bound(),
        };
        self.schedule.push(instruction, bound, described.shape)
    }

    /// The noise bound of a step, relative to its scale.
    fn noise(&self, step: usize) -> f64 {
        let state = self.schedule.noisiest(step);
        (state.noise.log2() - state.scale().log2()).exp2()
    }

    /// The highest level at which a node can be had in a degree.
    fn best(&self, node: usize, degree: u8) -> isize {
        match self.nodes[node] {
            Node::Step { level, degree: own, .. } => level - isize::from(own == 2 && degree == 1),
            Node::Scaled { of, .. } => match (self.best(of, 1), degree) {
                (level, 1) => level - 1,
                (level, _) => level,
            },
        }
    }

    fn node(&mut self, at: usize) -> Scheduled<Node> {
        let graph = self.graph;
        Ok(match &graph.nodes[at].operation {
            Op::Input(input) => {
                let step = self.push(Op::Input(*input), at)?;
                Node::Step { step, level: self.params.max_level().0 as isize, degree: 1 }
            }
            Op::Add(a, b) => self.sum(*a, *b, at, Op::Add)?,
            Op::Sub(a, b) => self.sum(*a, *b, at, Op::Sub)?,
            Op::Neg(a) => self.keep(*a, at, |_, a| Op::Neg(a))?,
            &Op::AbsorbNoise { a, within, left } => {
                let mut noise = 0.0;
                let absorb = |scheduler: &Self, a| {
                    noise = scheduler.noise(a);
                    Op::AbsorbNoise { a, within, left }
                };
                let node = self.keep(a, at, absorb)?;
                self.absorbed.insert(at, noise);
                node
            }
            Op::Own(Carry { a, absorbed, slope }) => {
                let carried = slope * self.absorbed[absorbed];
                let absorb = |scheduler: &Self, a| {
                    let left = scheduler.noise(a) * (1.0 + ROUNDING) + carried;
                    Op::AbsorbNoise { a, within: 1.0, left }
                };
                self.keep(*a, at, absorb)?
            }
            Op::AddConstant(a, c) => {
                let c = Constant::Real(number::to_f64(c));
                self.keep(*a, at, |_, a| Op::AddConstant(a, c))?
            }
            Op::MulConstant(a, k) => {
                let whole = k.is_integer().then(|| k.to_i64()).flatten();
                match whole.filter(|k| k.abs() <= LARGEST_UNSCALED_FACTOR) {
                    Some(-1) => self.keep(*a, at, |_, a| Op::Neg(a))?,
                    Some(k) => {
                        let k = Constant::Real(k as f64);
                        self.keep(*a, at, |_, a| Op::MulConstant(a, Factor::unscaled(k)))?
                    }
                    None => Node::Scaled { of: *a, k: k.clone() },
                }
            }
            Op::Mul(a, b) => {
                self.ensure(*a, self.floor + 1)?;
                self.ensure(*b, self.floor + 1)?;
                let level = self.best(*a, 1).min(self.best(*b, 1));
                let (a, b) = (self.value_at(*a, level, 1)?, self.value_at(*b, level, 1)?);
                Node::Step { step: self.push(Op::Mul(a, b), at)?, level, degree: 2 }
            }
            Op::MaskRows(a) => {
                self.ensure(*a, self.floor + 1)?;
                let level = self.best(*a, 1);
                let a = self.value_at(*a, level, 1)?;
                Node::Step { step: self.push(Op::MaskRows(a), at)?, level, degree: 2 }
            }
            Op::KeepSlot(..) | Op::Functions(..) | Op::Result(..) | Op::Integers(..) => {
                unreachable!("real expansions refuse functions of whole numbers")
            }
            Op::Sum(a, ()) => {
                self.ensure(*a, self.floor)?;
                let level = self.best(*a, 1);
                let total = self.total(*a, at)?;
                Node::Step { step: self.push(self.schedule.sum(total), at)?, level, degree: 1 }
            }
        })
    }

    /// Bootstraps a node that can't be had in degree 1 at a level or above.
    fn ensure(&mut self, node: usize, level: isize) -> Scheduled<()> {
        if self.best(node, 1) >= level {
            return Ok(());
        }
        match self.nodes[node] {
            // The fraction takes a level of the other node.
            Node::Scaled { of, .. } => self.ensure(of, level + 1)?,
            Node::Step { .. } => self.bootstrap(node)?,
        }
        if self.best(node, 1) >= level { Ok(()) } else { Err(NoSchedule::MoreLevels) }
    }

    /// Bootstraps a node's value, unless it's a fraction times another's.
    fn bootstrap(&mut self, node: usize) -> Scheduled<()> {
        let lowest = self.lowest.ok_or(NoSchedule::MoreLevels)?;
        if matches!(self.nodes[node], Node::Scaled { .. }) {
            return Ok(());
        }
        let times = self.graph.nodes[node].bound().max(1.0).log2().ceil().exp2();
        let from = self.best(node, 1);
        let step = self.value_at(node, from, 1)?;
        let a = self.bring(step, from, times.recip(), (lowest, 1), node)?;
        let mut step = self.push(Op::Own(LevelOp::Bootstrap(a)), node)?;
        if times > 1.0 {
            let k = Constant::Real(times);
            step = self.push(Op::MulConstant(step, Factor::unscaled(k)), node)?;
        }
        let level = self.params.max_level().0 as isize;
        self.nodes[node] = Node::Step { step, level, degree: 1 };
        Ok(())
    }

    /// An operation that works on any level and degree.
    fn keep(
        &mut self,
        a: usize,
        at: usize,
        make: impl FnOnce(&Self, usize) -> Instruction,
    ) -> Scheduled<Node> {
        let (level, degree) = match self.nodes[a] {
            Node::Step { level, degree, .. } => (level, degree),
            Node::Scaled { of, .. } => {
                self.ensure(of, self.floor + 1)?;
                (self.best(a, 2), 2)
            }
        };
        let a = self.value_at(a, level, degree)?;
        let instruction = make(self, a);
        Ok(Node::Step { step: self.push(instruction, at)?, level, degree })
    }

    fn sum(
        &mut self,
        a: usize,
        b: usize,
        at: usize,
        make: impl FnOnce(usize, usize) -> Instruction,
    ) -> Scheduled<Node> {
        self.ensure(a, self.floor)?;
        self.ensure(b, self.floor)?;
        let single = self.best(a, 1).min(self.best(b, 1));
        let double = self.best(a, 2).min(self.best(b, 2));
        // Degree 2 loses a level when it's rescaled; where that's no more than the alternative, one rescaling
        // serves for all that is added.
        let (level, degree) = if double > single && double > self.floor { (double, 2) } else { (single, 1) };
        let (a, b) = (self.value_at(a, level, degree)?, self.value_at(b, level, degree)?);
        Ok(Node::Step { step: self.push(make(a, b), at)?, level, degree })
    }

    /// The step that holds a node's ciphertexts, added up, in degree 1 at the highest level. Several are added up before they're rescaled.
    fn total(&mut self, a: usize, at: usize) -> Scheduled<usize> {
        let degree = match self.nodes[a] {
            Node::Step { degree, .. } if self.schedule.has_totals() => degree,
            Node::Scaled { .. } if self.schedule.has_totals() => 2,
            _ => 1,
        };
        let a = self.value_at(a, self.best(a, degree), degree)?;
        let total = self.schedule.total(a)?;
        if degree == 1 { Ok(total) } else { self.push(Op::Own(LevelOp::Rescale(total)), at) }
    }

    /// The step that holds a node's value at a level and in a degree.
    fn value_at(&mut self, node: usize, level: isize, degree: u8) -> Scheduled<usize> {
        if level < self.floor || (degree == 2 && level <= self.floor) {
            return Err(NoSchedule::MoreLevels);
        }
        if let Some(step) = self.made.get(&(node, level, degree)) {
            return Ok(*step);
        }
        let step = match self.nodes[node].clone() {
            Node::Step { step, level: own, degree: of } if (own, of) == (level, degree) => step,
            Node::Step { step, level: own, degree: 2 } if (own - 1, 1) == (level, degree) => {
                self.push(Op::Own(LevelOp::Rescale(step)), node)?
            }
            Node::Step { level: own, degree: 2, .. } => {
                let step = self.value_at(node, own - 1, 1)?;
                self.bring(step, own - 1, 1.0, (level, degree), node)?
            }
            Node::Step { step, level: own, .. } => self.bring(step, own, 1.0, (level, degree), node)?,
            Node::Scaled { of, k } => {
                let own = self.best(of, 1);
                let step = self.value_at(of, own, 1)?;
                self.bring(step, own, number::to_f64(&k), (level, degree), node)?
            }
        };
        self.made.insert((node, level, degree), step);
        Ok(step)
    }

    /// k times a step's value of degree 1, at another level and degree: the constant takes up the difference of the
    /// scales.
    fn bring(
        &mut self,
        step: usize,
        from: isize,
        k: f64,
        (level, degree): (isize, u8),
        node: usize,
    ) -> Scheduled<usize> {
        let at = if degree == 2 { level } else { level + 1 };
        if at > from {
            return Err(NoSchedule::MoreLevels);
        }
        let scale = |level: isize| self.params.scale_at(Level(level as usize));
        let wanted = if degree == 2 {
            scale(level) * scale(level)
        } else {
            scale(level) * self.params.rlwe().q(self.params.max_level()).modulus(at as usize).value() as f64
        };
        let factor = wanted / scale(from);
        let mut a = step;
        if at < from {
            a = self.push(Op::Own(LevelOp::SwitchTo(a, Level(at as usize))), node)?;
        }
        let scaled = self.push(Op::MulConstant(a, Factor { k: Constant::Real(k), scale: factor }), node)?;
        if degree == 2 { Ok(scaled) } else { self.push(Op::Own(LevelOp::Rescale(scaled)), node) }
    }

    /// Forgets the primes that a result doesn't need.
    fn lowest(&mut self, step: usize, node: usize) -> Scheduled<usize> {
        let level = self.schedule.lowest_decryptable(step);
        if level == self.schedule.steps[step].level {
            return Ok(step);
        }
        self.push(Op::Own(LevelOp::SwitchTo(step, level)), node)
    }
}
