//! In which stages sums over slots are taken.

use asanoha_lattice::{Hoisting, Level, RlweParams, StageCost, Trace, choose_unrolling};
use serde::Serialize;

use crate::{Scheme, SchemeError};

/// Work in units of one limb (N words): number-theoretic transforms, and passes that multiply and add.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Work {
    /// Transforms.
    pub transforms: f64,
    /// Passes.
    pub passes: f64,
}

impl Work {
    /// All of it as transforms, by what they take where nothing is measured.
    pub fn in_transforms(self) -> f64 {
        self.transforms + self.passes / PASSES_OF_A_TRANSFORM
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.transforms += other.transforms;
        self.passes += other.passes;
    }
}

impl std::ops::Mul<f64> for Work {
    type Output = Self;
    fn mul(self, times: f64) -> Self {
        Self { transforms: self.transforms * times, passes: self.passes * times }
    }
}

/// A stage of a trace at a level, or a single key switch: what it takes beside the keys, and what each key takes.
#[derive(Clone, Copy, Debug)]
pub struct SwitchWork {
    /// Decomposition and mod-down.
    pub stage: Work,
    /// The inner product with a key.
    pub image: Work,
}

impl SwitchWork {
    /// At a level.
    pub fn new(rlwe: &RlweParams, level: Level) -> Self {
        let digit_size = rlwe.digit_primes(level) as f64;
        let (primes, special) = ((level.0 + 1) as f64, rlwe.special(level).len() as f64);
        let (extended, digits) = (primes + special, (primes / digit_size).ceil());
        let stage = Work {
            transforms: digits * extended + 2.0 * extended,
            passes: digits * extended * digit_size.min(primes) + 2.0 * primes * special,
        };
        Self { stage, image: Work { transforms: 0.0, passes: 2.0 * digits * extended } }
    }

    /// Of a stage, by its number of automorphisms.
    pub fn of(&self, images: usize) -> Work {
        let mut work = self.image * images as f64;
        work += self.stage;
        work
    }
}

/// Passes that take as long as a transform, where nothing is measured.
const PASSES_OF_A_TRANSFORM: f64 = 4.0;
/// How many inner products with a key take as long as generating it.
const GENERATION_IMAGES: f64 = 12.0;
/// The number of evaluations in which a key has to pay for itself to be worth generating.
const EVALUATIONS: f64 = 10.0;
/// The most that the keys of a program's sums may take, in bytes.
const SUM_KEY_BYTES: u64 = 4 << 30;

/// The factors of the stages that sum over a block, the same at every level, so that all sums of a program share their
/// keys.
pub fn sum_factors(rlwe: &RlweParams, block: usize) -> Vec<usize> {
    let switch = SwitchWork::new(rlwe, rlwe.max_level());
    let cost = StageCost {
        stage_s: switch.stage.in_transforms(),
        image_s: switch.image.in_transforms() * (1.0 + GENERATION_IMAGES / EVALUATIONS),
    };
    choose_unrolling(block.ilog2(), cost, rlwe.key_bytes(rlwe.max_level()) as u64, SUM_KEY_BYTES)
}

/// The trace that sums `count` neighbouring slots.
///
/// # Errors
/// [`SchemeError::NoSlots`]; [`SchemeError::SumLength`] unless the count is a power of two and at most a row.
pub fn sum_trace<S: Scheme>(scheme: &S, count: usize) -> Result<Trace, SchemeError> {
    let row = scheme.row_slots().ok_or(SchemeError::NoSlots)?;
    if !count.is_power_of_two() || count > row {
        return Err(SchemeError::SumLength { count, row });
    }
    let rlwe = scheme.rlwe();
    Ok(Trace::new(rlwe.ring_degree(), &sum_factors(rlwe, count), Hoisting::Lazy))
}
