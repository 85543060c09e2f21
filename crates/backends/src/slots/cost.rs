//! What a circuit costs: counted operations, and memory.

use asanoha_compile::{Circuit, Layout, LevelOp, Op, Step, WholeOperation};
use asanoha_lang::Shape;
use asanoha_lattice::{Level, RlweParams};
use asanoha_scheme::{SwitchWork, Work};

pub use crate::machine::MachineCost;
use crate::scheme_name::SchemeName;

/// The work of a product of ciphertexts of `primes` primes, before it's relinearised; in BFV transforms and conversions
/// to and from as many auxiliary primes (see [`asanoha_ring::ScaledTensor`]).
fn product_work(scheme: SchemeName, primes: f64) -> Work {
    if scheme == SchemeName::Bfv {
        Work { transforms: 16.0 * primes, passes: 9.0 * primes * primes + 12.0 * primes }
    } else {
        Work { transforms: 0.0, passes: 6.0 * primes }
    }
}

/// The work of a circuit's evaluation in a scheme with slots.
pub fn evaluation_work(circuit: &Circuit, scheme: SchemeName, rlwe: &RlweParams, layout: Layout) -> Work {
    let mut work = Work::default();
    circuit.steps.iter().for_each(|step| work += step_work(circuit, step, scheme, rlwe, layout));
    work
}

/// The work of one of its steps, on all ciphertexts of a column.
pub fn step_work(
    circuit: &Circuit,
    step: &Step,
    scheme: SchemeName,
    rlwe: &RlweParams,
    layout: Layout,
) -> Work {
    let primes = (step.level.0 + 1) as f64;
    let switch = SwitchWork::new(rlwe, step.level);
    let operand =
        || step.instruction.operands().map(|at| circuit.steps[at].level).max().unwrap_or(step.level);
    let chunks = if step.shape == Shape::Column { layout.chunks() as f64 } else { 1.0 };
    let one = match step.instruction {
        Op::Input(_) | Op::Result(..) | Op::AbsorbNoise { .. } => Work::default(),
        Op::Add(..) | Op::Sub(..) | Op::Neg(_) | Op::MulConstant(..) => {
            Work { transforms: 0.0, passes: 2.0 * primes }
        }
        Op::AddConstant(..) | Op::MaskRows(_) | Op::KeepSlot(..) => {
            Work { transforms: primes, passes: 2.0 * primes }
        }
        Op::Own(LevelOp::Multiples(ref terms, _)) => {
            Work { transforms: 0.0, passes: (terms.len() + 1) as f64 * primes }
        }
        Op::Mul(..) | Op::Own(LevelOp::MulTo(..)) => {
            // A division beside that by the special modulus costs no more.
            let mut both = SwitchWork::new(rlwe, operand()).of(1);
            both += product_work(scheme, (operand().0 + 1) as f64);
            both
        }
        // The primes are forgotten: a copy.
        Op::Own(LevelOp::SwitchTo(..)) if scheme == SchemeName::Ckks => {
            Work { transforms: 0.0, passes: 2.0 * primes }
        }
        Op::Own(LevelOp::Rescale(_) | LevelOp::SwitchTo(..)) => {
            let dropped = (operand().0 - step.level.0) as f64;
            Work { transforms: 2.0 * (primes + dropped), passes: (4.0 + 2.0 * dropped) * primes }
        }
        Op::Functions(ref operands, ref operation) => {
            let top = operands.iter().map(|&at| circuit.steps[at].level).max().unwrap_or(step.level);
            functions_work(operation, scheme, rlwe, top, step.level)
        }
        Op::Own(LevelOp::Total(_)) => Work { transforms: 0.0, passes: 2.0 * primes * layout.chunks() as f64 },
        Op::Sum(_, ref factors) => {
            let mut stages = Work::default();
            factors.iter().for_each(|factor| stages += switch.of(factor - 1));
            stages
        }
        Op::Own(LevelOp::Bootstrap(_)) => bootstrap_work(rlwe),
        Op::Integers(..) => unreachable!("functions of integers have no slots"),
    };
    one * chunks
}

/// Work as butterflies of transforms, by which circuits in rings of several degrees are compared, whatever the machine.
pub fn butterflies(work: Work, ring_degree: usize) -> f64 {
    work.in_transforms() * ring_degree as f64 * f64::from(ring_degree.ilog2()) / 2.0
}

/// A bootstrapping's key switches, counted, as decompositions with their mod-downs and products with keys: those of the matrices
/// to slots, hoisted, at the highest level.
const TO_SLOTS: [f64; 2] = [8.0, 48.0];
/// Those of the polynomial, of real slots, at two thirds of the levels.
const POLYNOMIAL: [f64; 2] = [14.0, 14.0];
/// Those of the matrices from slots, at the level that bootstrapping starts from.
const FROM_SLOTS: [f64; 2] = [12.0, 80.0];
const FROM_SLOTS_LEVEL: Level = Level(3);

/// The work of a bootstrapping of real slots.
fn bootstrap_work(rlwe: &RlweParams) -> Work {
    let highest = rlwe.max_level();
    let parts = [(highest, TO_SLOTS), (Level(2 * highest.0 / 3), POLYNOMIAL), (FROM_SLOTS_LEVEL, FROM_SLOTS)];
    let mut work = Work::default();
    for (level, [stages, images]) in parts {
        let switch = SwitchWork::new(rlwe, level);
        work += switch.stage * stages;
        work += switch.image * images;
    }
    work
}

/// A pass of a form's matrix of constants is blocked and reduced rarely: so much of a pass.
const FORM_PASS: f64 = 0.1;

/// The work of functions between two levels, which their stages go down evenly.
fn functions_work(
    operation: &WholeOperation,
    scheme: SchemeName,
    rlwe: &RlweParams,
    top: Level,
    bottom: Level,
) -> Work {
    let cost = operation.cost();
    let mut work = Work::default();
    for (stage, count) in cost.stages.iter().enumerate() {
        let dropped = (top.0 - bottom.0) * stage / cost.depth.max(1);
        let level = Level(top.0 - dropped);
        let primes = (level.0 + 1) as f64;
        work += SwitchWork::new(rlwe, level).of(1) * count.products as f64;
        let switch = Work { transforms: 2.0 * (primes + 1.0), passes: 6.0 * primes };
        work += product_work(scheme, primes) * count.products as f64;
        work += Work { transforms: 0.0, passes: 6.0 * primes * count.tensor_products as f64 };
        work += switch * (count.products + count.switches) as f64;
        work += Work { transforms: 0.0, passes: 2.0 * primes * FORM_PASS * count.constant_products as f64 };
    }
    work
}

/// Bytes of some polynomials at a level.
fn polynomials(count: usize, level: usize, ring_degree: usize) -> u64 {
    (count * (level + 1) * ring_degree * size_of::<u64>()) as u64
}

/// The number of stages of functions that are taken to hold their products at once.
const HELD_STAGES: usize = 10;

/// Bytes of the products that functions hold at once, at most: the powers of their operands above all.
fn function_bytes(operation: &WholeOperation, ring_degree: usize, top: Level, bottom: Level) -> u64 {
    let cost = operation.cost();
    let bytes = |(stage, count): (usize, &asanoha_circuits::StageCount)| {
        let level = top.0 - (top.0 - bottom.0) * stage / cost.depth.max(1);
        count.products as u64 * polynomials(2, level, ring_degree)
    };
    let stages: Vec<u64> = cost.stages.iter().enumerate().map(bytes).collect();
    stages.windows(HELD_STAGES.min(stages.len()).max(1)).map(|held| held.iter().sum()).max().unwrap_or(0)
}

/// Bytes of the ciphertexts that are alive at once while a circuit is walked.
pub fn ciphertext_bytes(circuit: &Circuit, ring_degree: usize, layout: Layout) -> u64 {
    let last_use = circuit.last_uses();
    let size = |step: usize| {
        let step = &circuit.steps[step];
        let chunks = if step.shape == Shape::Column { layout.chunks() } else { 1 };
        let results = match &step.instruction {
            Op::Functions(_, operation) => operation.results(),
            _ => 1,
        };
        (results * chunks) as u64 * polynomials(2, step.level.0, ring_degree)
    };
    let (mut alive, mut peak) = (0, 0);
    for at in 0..circuit.steps.len() {
        alive += size(at);
        let step = &circuit.steps[at];
        let inside = match &step.instruction {
            Op::Functions(operands, operation) => {
                let top = operands.iter().map(|&at| circuit.steps[at].level).max().unwrap_or(step.level);
                function_bytes(operation, ring_degree, top, step.level)
            }
            _ => 0,
        };
        peak = peak.max(alive + inside);
        for (operand, _) in last_use.iter().enumerate().filter(|(_, last)| **last == at) {
            alive -= size(operand);
        }
    }
    peak
}
