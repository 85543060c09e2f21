//! What circuits cost.

use std::{
    borrow::Cow,
    convert::Infallible,
    sync::{Mutex, PoisonError},
};

use num_bigint::BigUint;

use asanoha_scheme::capability::{Additive, ExactArithmetic, Levels, Multiplicative, ValueTypes};

/// What an exact circuit costs in one stage, whose operands took `depth` products before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCount {
    /// Products, each with its relinearisation; a bilinear form counts as one.
    pub products: usize,
    /// Tensor products that share a relinearisation, those of bilinear forms.
    pub tensor_products: usize,
    /// Ciphertexts times constants: the weights of all sums and forms.
    pub constant_products: usize,
    /// Values brought down to this stage's level from a higher one.
    pub switches: usize,
    /// Additions and subtractions, those within sums and forms too.
    pub additions: usize,
}

/// What an exact circuit costs, stage by stage: a later stage's operations work on fewer primes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CircuitCost {
    /// The stages, by the number of products before them.
    pub stages: Vec<StageCount>,
    /// The most products one after another.
    pub depth: usize,
}

impl CircuitCost {
    /// All stages together.
    pub fn total(&self) -> StageCount {
        self.stages.iter().fold(StageCount::default(), |sum, stage| StageCount {
            products: sum.products + stage.products,
            tensor_products: sum.tensor_products + stage.tensor_products,
            constant_products: sum.constant_products + stage.constant_products,
            switches: sum.switches + stage.switches,
            additions: sum.additions + stage.additions,
        })
    }
}

/// Counts what a circuit does, without doing it: a value is the number of products before it.
///
/// ```
/// use asanoha_circuits::{BinaryFunction, CostCounter, Domain, Output, TwoVariableTable};
///
/// let modulus = asanoha_ring::Modulus::new(65537)?;
/// let domain = Domain::integers(&modulus, 0..=255)?;
/// let divide = |a, b| BinaryFunction::Quotient.value(a, b);
/// let table = TwoVariableTable::new(&domain, &domain, &Output::Integer, divide)?;
/// let counter = CostCounter::new(modulus.value());
/// let Ok(_) = table.apply(&counter, &counter.input(), &counter.input());
/// let cost = counter.cost();
/// assert_eq!((cost.depth, cost.total().products), (9, 2 * 254 + 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CostCounter {
    modulus: BigUint,
    cost: Mutex<CircuitCost>,
}

/// The level of an input.
const TOP: usize = 1 << 30;

impl CostCounter {
    /// For circuits modulo t.
    pub fn new(modulus: impl Into<BigUint>) -> Self {
        Self { modulus: modulus.into(), cost: Mutex::default() }
    }

    /// A value without products before it.
    pub fn input(&self) -> usize {
        0
    }

    /// What was counted.
    pub fn cost(&self) -> CircuitCost {
        self.cost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts something in the stage of values of a depth.
    fn count(&self, depth: usize, count: impl FnOnce(&mut StageCount)) {
        let mut cost = self.cost.lock().unwrap_or_else(PoisonError::into_inner);
        let stages = cost.stages.len().max(depth + 1);
        cost.stages.resize(stages, StageCount::default());
        count(&mut cost.stages[depth]);
        let product = cost.stages[depth].products > 0;
        cost.depth = cost.depth.max(depth + usize::from(product));
    }

    /// An addition of two values.
    fn added(&self, a: usize, b: usize) -> usize {
        let depth = self.align(a, b);
        self.count(depth, |stage| stage.additions += 1);
        depth
    }

    /// The depth that two values have together.
    fn align(&self, a: usize, b: usize) -> usize {
        if a != b {
            self.count(a.max(b), |stage| stage.switches += 1);
        }
        a.max(b)
    }
}

impl ValueTypes for CostCounter {
    type Value = usize;
    type Error = Infallible;
}

impl Additive for CostCounter {
    fn add(&self, a: &usize, b: &usize) -> Result<usize, Infallible> {
        Ok(self.added(*a, *b))
    }

    fn sub(&self, a: &usize, b: &usize) -> Result<usize, Infallible> {
        Ok(self.added(*a, *b))
    }
}

impl Multiplicative for CostCounter {
    fn multiply(&self, a: &usize, b: &usize) -> Result<usize, Infallible> {
        let depth = self.align(*a, *b);
        self.count(depth, |stage| stage.products += 1);
        Ok(depth + 1)
    }
}

impl Levels for CostCounter {
    fn level(&self, a: &usize) -> usize {
        TOP - a
    }

    fn lowered<'a>(&self, a: &'a usize, level: usize) -> Result<Cow<'a, usize>, Infallible> {
        let depth = TOP - level;
        if depth <= *a {
            return Ok(Cow::Borrowed(a));
        }
        self.count(depth, |stage| stage.switches += 1);
        Ok(Cow::Owned(depth))
    }
}

impl ExactArithmetic for CostCounter {
    fn modulus(&self) -> BigUint {
        self.modulus.clone()
    }

    fn constant(&self, _constant: i64, level: usize) -> Result<usize, Infallible> {
        Ok(TOP - level)
    }

    fn weighted_sum(&self, values: &[&usize], weights: &[u64]) -> Result<usize, Infallible> {
        self.count(*values[0], |stage| {
            stage.constant_products += weights.len();
            stage.additions += weights.len().saturating_sub(1);
        });
        Ok(*values[0])
    }

    fn bilinear_form(
        &self,
        left: &[&usize],
        weights: &[u64],
        _right: &[&usize],
    ) -> Result<usize, Infallible> {
        self.count(*left[0], |stage| {
            stage.products += 1;
            stage.tensor_products += left.len();
            stage.constant_products += weights.len();
            stage.additions += weights.len().saturating_sub(1);
        });
        Ok(left[0] + 1)
    }
}
