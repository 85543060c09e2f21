//! A product that is planned for parameters.

use asanoha_lattice::{KeyLevels, Level};
use asanoha_ring::{GaloisElement, WideModulus};
use asanoha_scheme::{Encoder, Exact, ExactPlaintext, Operand, Operations, Predictor, SchemeError, State};
use num_bigint::BigUint;
use rayon::prelude::*;

use super::{
    Keep, Rotations, SquareCost, SquareError, SquareLevels, SquareOptions, SquarePacking, SquareWishes, cost,
    masks::Masks, multiply, steps::Steps,
};
use crate::matrix::MatrixBatch;

/// The product of batches of matrices of one shape, rows × inner and inner × columns, in blocks of d × d, for given parameters
/// and options; what is beyond the edges of matrices is zero.
///
/// ```
/// use asanoha_bgv::Bgv;
/// use asanoha_circuits::matrix::{SquareOptions, SquareProduct};
/// use asanoha_scheme::{Predictor, Scheme};
///
/// let params = Bgv::parameters().depth(2).plaintext_modulus(65537).slots(32).build()?;
/// let predictor = Predictor::new(&params);
/// let fresh = predictor.model().fresh_public(params.max_level(), &())?;
/// let product = SquareProduct::new(&predictor, [32, 32, 32], 32, SquareOptions::default(), [&fresh, &fresh], 0.0)?;
/// println!("{} products at once, {}", product.packing().batch(), product.cost());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SquareProduct<S: Exact> {
    steps: Steps<S>,
}

impl<S: Exact> SquareProduct<S> {
    /// The product for a shape (rows, inner, columns) in blocks of a side d, a power of two, of ciphertexts of these states.
    /// Blocks are multiplied at the lowest level from which results leave their modulus so many bits above the noise, and the
    /// results stand at the lowest level where they do.
    ///
    /// # Errors
    /// [`SquareError`].
    pub fn new(
        predictor: &Predictor<S>,
        shape: [usize; 3],
        side: usize,
        options: SquareOptions,
        inputs: [&State<S>; 2],
        headroom_bits: f64,
    ) -> Result<Self, SquareError> {
        let scheme = predictor.params();
        let packing = SquarePacking::new(scheme, side)?;
        let group = options.rotations.group(side)?;
        if shape.contains(&0) {
            return Err(SquareError::Shape { expected: [1, 1], found: [shape[0].min(shape[1]), shape[2]] });
        }
        let left = inputs[0].level;
        let masks = Masks::new(scheme, &packing, left, options.masks)?;
        let levels = SquareLevels { left, product: left, result: left };
        let mut steps = Steps { scheme: scheme.clone(), packing, shape, options, group, levels, masks };
        steps.levels = lowest_levels(&steps, predictor, inputs, headroom_bits)?;
        Ok(Self { steps })
    }

    /// The packing of blocks.
    pub fn packing(&self) -> &SquarePacking {
        &self.steps.packing
    }

    /// The options.
    pub fn options(&self) -> &SquareOptions {
        &self.steps.options
    }

    /// The levels.
    pub fn levels(&self) -> SquareLevels {
        self.steps.levels
    }

    /// The numbers of blocks of rows, of the inner dimension and of columns.
    pub fn blocks(&self) -> [usize; 3] {
        self.steps.blocks()
    }

    /// The keys that it takes.
    pub fn keys(&self) -> KeyLevels {
        let (rlwe, side) = (self.steps.scheme.rlwe(), self.steps.packing.side());
        let mut keys = KeyLevels::default();
        let mut add = |rotation: i64, level| {
            let row = self.steps.packing.right_step() * side as i64;
            let element = GaloisElement::rotation(rlwe.ring_degree(), rotation % row);
            keys.add_automorphism(rlwe, element, level);
        };
        let SquareLevels { left, product, .. } = self.steps.levels;
        let (left_step, right_step) = (self.steps.packing.left_step(), self.steps.packing.right_step());
        add(right_step, left);
        // Where a group isn't all, the last rotation of it leads to the next.
        for k in 1..=self.steps.group.min(side - 1) as i64 {
            add(k * left_step, left);
            add(k * right_step, product);
        }
        keys.add_relinearisation(rlwe, product);
        keys
    }

    /// Encodes the masks that are kept; else that is part of the first product.
    pub fn prepare(&self) {
        self.steps.masks.prepare(self.steps.options.lazy);
    }

    /// The blocks of left matrices, row after row, at the level that they are rotated at.
    ///
    /// # Errors
    /// [`SquareError::Shape`], [`SquareError::Count`].
    pub fn encode_left(&self, matrices: &MatrixBatch) -> Result<Vec<ExactPlaintext<S>>, SquareError> {
        let [rows, inner, _] = self.steps.shape;
        self.encode(matrices, [rows, inner], self.steps.levels.left, SquarePacking::left)
    }

    /// The blocks of right matrices, row after row, at the level that they are multiplied at.
    ///
    /// # Errors
    /// [`SquareError::Shape`], [`SquareError::Count`].
    pub fn encode_right(&self, matrices: &MatrixBatch) -> Result<Vec<ExactPlaintext<S>>, SquareError> {
        let [_, inner, columns] = self.steps.shape;
        self.encode(matrices, [inner, columns], self.steps.levels.product, SquarePacking::right)
    }

    fn encode(
        &self,
        matrices: &MatrixBatch,
        shape: [usize; 2],
        level: Level,
        slots: fn(&SquarePacking, &MatrixBatch, [usize; 2]) -> Vec<BigUint>,
    ) -> Result<Vec<ExactPlaintext<S>>, SquareError> {
        let (batch, found) = (self.steps.packing.batch(), matrices.count());
        if matrices.shape() != shape {
            return Err(SquareError::Shape { expected: shape, found: matrices.shape() });
        }
        if found > batch {
            return Err(SquareError::Count { batch, found });
        }
        let encoder = Encoder::new(&self.steps.scheme);
        let [rows, columns] = shape.map(|length| length.div_ceil(self.steps.packing.side()));
        let encode = |block: usize| {
            let slots = slots(&self.steps.packing, matrices, [block / columns, block % columns]);
            Ok(encoder.encode_unsigned(&slots, level)?)
        };
        (0..rows * columns).into_par_iter().map(encode).collect()
    }

    /// The first so many products out of the decrypted slots of result blocks, numbers in [0, t).
    ///
    /// # Errors
    /// [`SquareError::Blocks`], [`SquareError::Count`].
    pub fn decode(&self, blocks: &[Vec<BigUint>], count: usize) -> Result<MatrixBatch, SquareError> {
        let [rows, _, columns] = self.blocks();
        let batch = self.steps.packing.batch();
        if blocks.len() != rows * columns {
            return Err(SquareError::Blocks { expected: rows * columns, found: blocks.len() });
        }
        if count > batch {
            return Err(SquareError::Count { batch, found: count });
        }
        let modulus = WideModulus::new(self.steps.scheme.plaintext_modulus()).expect("a plaintext modulus");
        let mut products = MatrixBatch::zero(&modulus, [self.steps.shape[0], self.steps.shape[2]], count);
        for (index, block) in blocks.iter().enumerate() {
            self.steps.packing.unpack(block, &mut products, [index / columns, index % columns]);
        }
        Ok(products)
    }

    /// The product with the least work for each matrix of a batch, by [`SquareProduct::cost`], among those that the memory
    /// allows; of equals, that of the least memory. Key switches are lazy and divisions merged, which always pays.
    ///
    /// # Errors
    /// [`SquareError`], of the side asked for or else of the smallest; [`SquareError::Memory`] with the fewest bytes that it
    /// takes.
    pub fn choose(
        predictor: &Predictor<S>,
        shape: [usize; 3],
        requirements: SquareWishes,
        inputs: [&State<S>; 2],
    ) -> Result<Self, SquareError> {
        let largest = shape.iter().max().map_or(1, |length| length.next_power_of_two());
        let sides: Vec<usize> = match requirements.side {
            Some(side) => vec![side],
            None => (0..=largest.ilog2()).map(|log2| 1 << log2).collect(),
        };
        let (mut best, mut least, mut refused): (Option<Self>, _, _) = (None, usize::MAX, None);
        for side in sides {
            for rotations in rotations(side) {
                let options = SquareOptions { rotations, ..SquareOptions::default() };
                let product =
                    match Self::new(predictor, shape, side, options, inputs, requirements.headroom_bits) {
                        Ok(product) => product,
                        Err(error) => {
                            refused.get_or_insert(error);
                            continue;
                        }
                    };
                for product in product.kept() {
                    let bytes = product.cost().bytes();
                    least = least.min(bytes);
                    let fits = requirements.memory.is_none_or(|memory| bytes <= memory);
                    if fits && best.as_ref().is_none_or(|best| product.rank() < best.rank()) {
                        best = Some(product);
                    }
                }
            }
        }
        match (best, requirements.memory) {
            (Some(best), _) => Ok(best),
            (None, Some(limit)) if least < usize::MAX => Err(SquareError::Memory { needed: least, limit }),
            _ => Err(refused.expect("nothing else keeps it from being chosen")),
        }
    }

    /// The same with masks and images kept or not, which changes no noise.
    fn kept(&self) -> impl Iterator<Item = Self> {
        let all = [Keep::Stored, Keep::Recomputed];
        all.into_iter().flat_map(move |masks| {
            all.map(|images| {
                let options = SquareOptions { masks, images, ..self.steps.options };
                let masks = self.steps.masks.keeping(masks);
                Self { steps: Steps { options, masks, ..self.steps.clone() } }
            })
        })
    }

    /// The work for each matrix, and the bytes.
    fn rank(&self) -> (f64, usize) {
        let cost = self.cost();
        (cost.word_products / self.steps.packing.batch() as f64, cost.bytes())
    }

    /// The blocks of the products, row after row, of the blocks of the matrices (Mono, Güneysu, Section 2.5).
    ///
    /// Noise: that of Σₖ φᵏ(σ(A))·ψᵏ(τ(B)) over the inner blocks; a masked image has about √(m·d)·t times its block's, divided by
    /// the dropped primes.
    ///
    /// # Errors
    /// Those of the scheme: [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`], [`SchemeError::LevelTooHigh`].
    ///
    /// # Panics
    /// Unless there are as many blocks as [`SquareProduct::blocks`] says.
    pub fn multiply<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        left: &[V],
        right: &[V],
    ) -> Result<Vec<V>, SchemeError> {
        multiply::multiply(&self.steps, operations, left, right)
    }

    /// The blocks of some rows of the products, of the rotations of the left blocks of these rows and of all right blocks.
    ///
    /// # Errors
    /// Those of [`SquareProduct::multiply`].
    ///
    /// # Panics
    /// Unless the left blocks are those of whole rows and the right blocks are all.
    pub fn multiply_rotations<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        left: &[Vec<V>],
        right: &[Vec<V>],
    ) -> Result<Vec<V>, SchemeError> {
        multiply::multiply_rotations(&self.steps, operations, left, right)
    }

    /// φᵏ(σ(A)) for all k, of every left block.
    ///
    /// # Errors
    /// Those of [`SquareProduct::multiply`].
    pub fn left_rotations<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        blocks: &[V],
    ) -> Result<Vec<Vec<V>>, SchemeError> {
        multiply::left_rotations(&self.steps, operations, blocks)
    }

    /// ψᵏ(τ(B)) for all k, of every right block.
    ///
    /// # Errors
    /// Those of [`SquareProduct::multiply`].
    pub fn right_rotations<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        blocks: &[V],
    ) -> Result<Vec<Vec<V>>, SchemeError> {
        multiply::right_rotations(&self.steps, operations, blocks)
    }

    /// What the product of all blocks costs.
    pub fn cost(&self) -> SquareCost {
        cost::cost(&self.steps, self.keys().bytes(self.steps.scheme.rlwe()) as usize)
    }
}

/// The lowest levels that leave the headroom.
fn lowest_levels<S: Exact>(
    steps: &Steps<S>,
    predictor: &Predictor<S>,
    inputs: [&State<S>; 2],
    headroom_bits: f64,
) -> Result<SquareLevels, SchemeError> {
    let [left, right] = inputs.map(|input| input.level);
    let inner = steps.blocks()[1];
    let [lefts, rights] = inputs.map(|input| vec![input.clone(); inner]);
    let mut outcome = None;
    for level in (0..=left.min(right).0).map(Level) {
        let levels = SquareLevels { left, product: level, result: level };
        let one = Steps { shape: [1, steps.shape[1], 1], levels, ..steps.clone() };
        for result in (0..=level.0).map(Level) {
            let levels = SquareLevels { result, ..levels };
            let one = Steps { levels, ..one.clone() };
            let found = multiply::multiply(&one, predictor, &lefts, &rights).and_then(|products| {
                let noise = products[0].noise * headroom_bits.exp2();
                predictor.model().check(products[0].with_noise(noise))
            });
            match found {
                Ok(_) => return Ok(levels),
                Err(error) => outcome = Some(error),
            }
        }
    }
    Err(outcome.expect("there's a level"))
}

/// The ways worth trying: those of fewer keys take more time.
fn rotations(side: usize) -> impl Iterator<Item = Rotations> {
    let groups = (1..side.ilog2()).map(|log2| Rotations::HoistedReused { group: 1 << log2 });
    [Rotations::Hoisted, Rotations::Reused].into_iter().chain(groups)
}
