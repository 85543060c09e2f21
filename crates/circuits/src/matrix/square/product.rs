//! A product that is planned for parameters.

use asanoha_lattice::{KeyLevels, Level};
use asanoha_ring::{GaloisElement, WideModulus};
use asanoha_scheme::{Encoder, Exact, ExactPlaintext, Model, SchemeError, State};
use num_bigint::BigUint;
use rayon::prelude::*;

use super::{SquareError, SquareOptions, SquarePacking, masks::Masks};
use crate::matrix::MatrixBatch;

/// The levels of a product's steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareLevels {
    /// Where left blocks are rotated and masked.
    pub left: Level,
    /// Where right blocks are rotated, and where blocks are multiplied.
    pub product: Level,
    /// The results' level.
    pub result: Level,
}

/// The product of batches of matrices of one shape, rows × inner and inner × columns, in blocks of d × d, for given parameters
/// and options; what is beyond the edges of matrices is zero.
///
/// ```
/// use asanoha_bgv::Bgv;
/// use asanoha_circuits::matrix::{SquareOptions, SquareProduct};
/// use asanoha_scheme::{Model, Scheme};
///
/// let params = Bgv::parameters().depth(2).plaintext_modulus(65537).slots(32).build()?;
/// let model = Model::new(&params);
/// let fresh = model.fresh_public(params.max_level(), &())?;
/// let product = SquareProduct::new(&model, [32, 32, 32], 32, SquareOptions::default(), [&fresh, &fresh], 0.0)?;
/// println!("{} products at once, {}", product.packing().batch(), product.cost());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SquareProduct<S: Exact> {
    pub(super) scheme: S,
    pub(super) packing: SquarePacking,
    pub(super) shape: [usize; 3],
    pub(super) options: SquareOptions,
    pub(super) group: usize,
    pub(super) levels: SquareLevels,
    pub(super) masks: Masks<S>,
}

impl<S: Exact> SquareProduct<S> {
    /// The product for a shape (rows, inner, columns) in blocks of a side d, a power of two, of ciphertexts of these states.
    /// Blocks are multiplied at the lowest level from which results leave their modulus so many bits above the noise, and the
    /// results stand at the lowest level where they do.
    ///
    /// # Errors
    /// [`SquareError`].
    pub fn new(
        model: &Model<S>,
        shape: [usize; 3],
        side: usize,
        options: SquareOptions,
        inputs: [&State<S>; 2],
        headroom_bits: f64,
    ) -> Result<Self, SquareError> {
        let scheme = model.scheme();
        let packing = SquarePacking::new(scheme, side)?;
        let group = options.rotations.group(side)?;
        if shape.contains(&0) {
            return Err(SquareError::Shape { expected: [1, 1], found: [shape[0].min(shape[1]), shape[2]] });
        }
        let left = inputs[0].level;
        let masks = Masks::new(scheme, &packing, left, options.masks)?;
        let levels = SquareLevels { left, product: left, result: left };
        let mut product = Self { scheme: scheme.clone(), packing, shape, options, group, levels, masks };
        product.levels = product.lowest_levels(model, inputs, headroom_bits)?;
        Ok(product)
    }

    /// The lowest levels that leave the headroom.
    fn lowest_levels(
        &self,
        model: &Model<S>,
        inputs: [&State<S>; 2],
        headroom_bits: f64,
    ) -> Result<SquareLevels, SchemeError> {
        let [left, right] = inputs.map(|input| input.level);
        let inner = self.blocks()[1];
        let [lefts, rights] = inputs.map(|input| vec![input.clone(); inner]);
        let mut outcome = None;
        for level in (0..=left.min(right).0).map(Level) {
            let levels = SquareLevels { left, product: level, result: level };
            let one = Self { shape: [1, self.shape[1], 1], levels, ..self.clone() };
            for result in (0..=level.0).map(Level) {
                let levels = SquareLevels { result, ..levels };
                let one = Self { levels, ..one.clone() };
                let found = one.multiply(model, &lefts, &rights).and_then(|products| {
                    let noise = products[0].noise * headroom_bits.exp2();
                    model.check(products[0].with_noise(noise))
                });
                match found {
                    Ok(_) => return Ok(levels),
                    Err(error) => outcome = Some(error),
                }
            }
        }
        Err(outcome.expect("there's a level"))
    }

    /// The packing of blocks.
    pub fn packing(&self) -> &SquarePacking {
        &self.packing
    }

    /// The options.
    pub fn options(&self) -> &SquareOptions {
        &self.options
    }

    /// The levels.
    pub fn levels(&self) -> SquareLevels {
        self.levels
    }

    /// The numbers of blocks of rows, of the inner dimension and of columns.
    pub fn blocks(&self) -> [usize; 3] {
        self.shape.map(|length| length.div_ceil(self.packing.side()))
    }

    /// The keys that it takes.
    pub fn keys(&self) -> KeyLevels {
        let (rlwe, side) = (self.scheme.rlwe(), self.packing.side());
        let mut keys = KeyLevels::default();
        let mut add = |rotation: i64, level| {
            let row = self.packing.right_step() * side as i64;
            let element = GaloisElement::rotation(rlwe.ring_degree(), rotation % row);
            keys.add_automorphism(rlwe, element, level);
        };
        let SquareLevels { left, product, .. } = self.levels;
        let (left_step, right_step) = (self.packing.left_step(), self.packing.right_step());
        add(right_step, left);
        // Where a group isn't all, the last rotation of it leads to the next.
        for k in 1..=self.group.min(side - 1) as i64 {
            add(k * left_step, left);
            add(k * right_step, product);
        }
        keys.add_relinearisation(rlwe, product);
        keys
    }

    /// Encodes the masks that are kept; else that is part of the first product.
    pub fn prepare(&self) {
        self.masks.prepare(self.options.lazy);
    }

    /// The blocks of left matrices, row after row, at the level that they are rotated at.
    ///
    /// # Errors
    /// [`SquareError::Shape`], [`SquareError::Count`].
    pub fn encode_left(&self, matrices: &MatrixBatch) -> Result<Vec<ExactPlaintext<S>>, SquareError> {
        let [rows, inner, _] = self.shape;
        self.encode(matrices, [rows, inner], self.levels.left, SquarePacking::left)
    }

    /// The blocks of right matrices, row after row, at the level that they are multiplied at.
    ///
    /// # Errors
    /// [`SquareError::Shape`], [`SquareError::Count`].
    pub fn encode_right(&self, matrices: &MatrixBatch) -> Result<Vec<ExactPlaintext<S>>, SquareError> {
        let [_, inner, columns] = self.shape;
        self.encode(matrices, [inner, columns], self.levels.product, SquarePacking::right)
    }

    fn encode(
        &self,
        matrices: &MatrixBatch,
        shape: [usize; 2],
        level: Level,
        slots: fn(&SquarePacking, &MatrixBatch, [usize; 2]) -> Vec<BigUint>,
    ) -> Result<Vec<ExactPlaintext<S>>, SquareError> {
        let (batch, found) = (self.packing.batch(), matrices.count());
        if matrices.shape() != shape {
            return Err(SquareError::Shape { expected: shape, found: matrices.shape() });
        }
        if found > batch {
            return Err(SquareError::Count { batch, found });
        }
        let encoder = Encoder::new(&self.scheme);
        let [rows, columns] = shape.map(|length| length.div_ceil(self.packing.side()));
        let encode = |block: usize| {
            let slots = slots(&self.packing, matrices, [block / columns, block % columns]);
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
        let batch = self.packing.batch();
        if blocks.len() != rows * columns {
            return Err(SquareError::Blocks { expected: rows * columns, found: blocks.len() });
        }
        if count > batch {
            return Err(SquareError::Count { batch, found: count });
        }
        let modulus = WideModulus::new(self.scheme.plaintext_modulus()).expect("a plaintext modulus");
        let mut products = MatrixBatch::zero(&modulus, [self.shape[0], self.shape[2]], count);
        for (index, block) in blocks.iter().enumerate() {
            self.packing.unpack(block, &mut products, [index / columns, index % columns]);
        }
        Ok(products)
    }
}
