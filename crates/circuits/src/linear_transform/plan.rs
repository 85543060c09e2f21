//! Methods, their costs, and transforms ready to be applied.

use std::collections::{BTreeMap, BTreeSet};

use asanoha_lattice::{DiagonalSteps, Hoisting, Level, RlweParams, StepKeys, Trace};
use asanoha_scheme::{EncodeTransform, Operand, Operations, Scheme, SchemeError, Transform};

use super::Repeated;

/// How rotations are made. With D diagonals that aren't zero:
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Baby steps and giant steps, a key for each, hoisted twice: the fastest. About 2√D keys, fewer giant steps than
    /// baby steps, since they cost more.
    BabyGiant,
    /// A key for each diagonal, hoisted: one decomposition and one mod-down, which pays for few diagonals.
    Diagonals,
    /// Two keys: the smallest baby step and the smallest giant step, repeated. About 2√D key switches, one after the
    /// other.
    TwoKeys,
    /// One key: the smallest step, repeated. Key switches up to the last diagonal, one after the other.
    OneKey,
}

/// The cost of one product, predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearCost {
    /// Rotations, each a product with a key.
    pub key_switches: usize,
    /// Polynomials cut into digits.
    pub decompositions: usize,
    /// Polynomials divided by the special modulus.
    pub mod_downs: usize,
    /// Products of a ciphertext with a diagonal.
    pub plain_products: usize,
    /// Keys.
    pub keys: usize,
    /// Bytes of the keys in memory.
    pub key_bytes: usize,
    /// Bytes of the encoded diagonals in memory, at most.
    pub plaintext_bytes: usize,
    /// Multiplications modulo a word: time, roughly.
    pub word_products: f64,
}

/// A matrix with the rotations that its product takes, for one ring and level.
#[derive(Clone, Debug)]
pub struct LinearPlan<'m, V> {
    /// The matrix' diagonals that aren't zero.
    diagonals: &'m BTreeMap<usize, Vec<V>>,
    outputs: usize,
    inputs: usize,
    params: RlweParams,
    level: Level,
    steps: DiagonalSteps,
    fold: Trace,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::BabyGiant, Self::Diagonals, Self::TwoKeys, Self::OneKey];

    fn steps(self, params: &RlweParams, level: Level, offsets: &[usize]) -> DiagonalSteps {
        let fixed = |babies: usize, keys: StepKeys| DiagonalSteps::new(offsets.iter().copied(), babies, keys);
        match self {
            Self::BabyGiant => DiagonalSteps::choose(params, level, offsets, StepKeys::Each),
            Self::Diagonals => fixed(params.ring_degree(), StepKeys::Each),
            Self::TwoKeys => DiagonalSteps::choose(params, level, offsets, StepKeys::Repeated),
            Self::OneKey => fixed(1, StepKeys::Repeated),
        }
    }
}

impl<'m, V: Clone> LinearPlan<'m, V> {
    pub(super) fn new(
        diagonals: &'m BTreeMap<usize, Vec<V>>,
        [outputs, inputs]: [usize; 2],
        params: &RlweParams,
        level: Level,
        method: Method,
    ) -> Self {
        let offsets: Vec<usize> = diagonals.keys().copied().collect();
        let doublings = (inputs.next_power_of_two() / outputs.next_power_of_two()).max(1).ilog2();
        let factors = vec![2; doublings as usize];
        Self {
            diagonals,
            outputs,
            inputs,
            params: params.clone(),
            level,
            steps: method.steps(params, level, &offsets),
            fold: Trace::strided(params.ring_degree(), outputs.next_power_of_two(), &factors, Hoisting::Lazy),
        }
    }

    /// The rotations by baby and giant steps.
    pub fn steps(&self) -> &DiagonalSteps {
        &self.steps
    }

    /// The trace that adds up the partial sums of a wide matrix.
    pub fn fold(&self) -> &Trace {
        &self.fold
    }

    /// The rotations to the left that keys are needed for, in rising order.
    pub fn rotations(&self) -> Vec<i64> {
        let doublings = self.fold.stages().len();
        let fold = (0..doublings).map(|stage| (self.outputs.next_power_of_two() << stage) as i64);
        fold.chain(self.steps.rotations()).collect::<BTreeSet<i64>>().into_iter().collect()
    }

    /// What a product costs, and the keys and plaintexts that it takes.
    pub fn cost(&self) -> LinearCost {
        let sum = self.steps.cost(&self.params, self.level);
        let doubling = DiagonalSteps::new([1], 2, StepKeys::Repeated).cost(&self.params, self.level);
        let doublings = self.fold.stages().len();
        let keys = self.rotations().len();
        let block = self.inputs.max(self.outputs).next_power_of_two();
        let repeats = self.params.ring_degree() / (2 * block);
        LinearCost {
            key_switches: sum.key_switches + doublings,
            decompositions: sum.decompositions + doublings,
            mod_downs: sum.mod_downs + 2 * doublings,
            plain_products: sum.plain_products,
            keys,
            key_bytes: keys * self.params.key_bytes(*self.params.levels_of_keys(self.level).end()),
            plaintext_bytes: sum.plain_products * sum.plaintext_bytes / repeats,
            word_products: sum.word_products + doublings as f64 * doubling.word_products,
        }
    }

    /// Encodes the diagonals, once for any number of vectors of the plan's level or a lower one.
    ///
    /// # Errors
    /// Entries that the scheme can't hold.
    ///
    /// # Panics
    /// If the plan was made for another ring than the scheme's.
    pub fn encode<S: EncodeTransform>(
        &self,
        scheme: &S,
        scale: S::EntryScale,
    ) -> Result<PreparedTransform<S>, SchemeError>
    where
        V: Into<S::Entry> + Sync,
    {
        assert!(self.params == *scheme.rlwe());
        let diagonal = |offset: usize| self.diagonals[&offset].iter().cloned().map(Into::into).collect();
        let transform = scheme.encode_transform(&self.steps, self.level, scale, diagonal)?;
        let (outputs, inputs) = (self.outputs, self.inputs);
        Ok(PreparedTransform { transform, fold: self.fold.clone(), outputs, inputs })
    }
}

/// A matrix encoded for a scheme.
#[derive(Clone, Debug)]
pub struct PreparedTransform<S: Scheme> {
    transform: Transform<S>,
    fold: Trace,
    outputs: usize,
    inputs: usize,
}

impl<S: Scheme> PreparedTransform<S> {
    /// The matrix times an encrypted vector. In CKKS the result's scale is the product of the two and isn't rescaled.
    ///
    /// Noise: that of the scheme's `transform`, then its `trace` for a wide matrix.
    ///
    /// # Errors
    /// [`SchemeError::VectorLength`] of a vector of other than one entry for each column. The scheme's: a missing key by name, a
    /// ciphertext above the transform's level or of three parts, a result that doesn't fit the modulus.
    pub fn apply<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        v: &Repeated<V>,
    ) -> Result<Repeated<V>, SchemeError> {
        let (expected, found) = (self.inputs, v.length());
        if found != expected {
            return Err(SchemeError::VectorLength { expected, found });
        }
        let sums = operations.transform(v.value(), &self.transform)?;
        let folded = !self.fold.stages().is_empty();
        let product = if folded { operations.trace(&sums, &self.fold)? } else { sums };
        Ok(Repeated::assume(product, self.outputs))
    }

    /// The encoded diagonals.
    pub fn transform(&self) -> &Transform<S> {
        &self.transform
    }

    /// Bytes of the encoded diagonals in memory.
    pub fn bytes(&self) -> usize {
        self.transform.bytes()
    }
}
