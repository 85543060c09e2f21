//! What walks a circuit: one trait for the schemes, for their noise models and for plain numbers.

use asanoha_lattice::{Level, Norm};
use rayon::prelude::*;

use crate::{
    circuit::{Constant, Instruction, Layout, Step, WholeOperation},
    program::Shape,
};

/// The operations of a circuit on one ciphertext, on what a model knows of one, or on the numbers in it.
pub trait Engine: Sync {
    /// A ciphertext, or what stands for it.
    type Value: Clone + Send + Sync;
    /// What can go wrong.
    type Error: Send;

    /// Whether the values of a column stand for its ciphertexts: one for all that are full of rows, and one for the last.
    const REPRESENTS: bool = false;

    /// a + b.
    fn add(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a − b.
    fn sub(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// −a.
    fn neg(&self, a: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a·b.
    fn mul(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a + c: in every slot, or in those that hold rows of the given ciphertext of a column.
    fn add_constant(
        &self,
        a: &Self::Value,
        c: &Constant,
        chunk: Option<usize>,
    ) -> Result<Self::Value, Self::Error>;
    /// k·a.
    fn mul_constant(&self, a: &Self::Value, k: &Constant, scale: f64) -> Result<Self::Value, Self::Error>;
    /// a in the slots that hold rows of the given ciphertext of a column, 0 in the others.
    fn mask_rows(&self, a: &Self::Value, chunk: usize) -> Result<Self::Value, Self::Error>;
    /// Division by the last prime, with the scale.
    fn rescale(&self, a: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// A switch to a lower level.
    fn switch_to(&self, a: &Self::Value, level: Level) -> Result<Self::Value, Self::Error>;
    /// The sum over the block of a ciphertext, in every slot, in stages of the given factors.
    fn sum_block(&self, a: &Self::Value, factors: &[usize]) -> Result<Self::Value, Self::Error>;
    /// Functions of whole numbers, which exact schemes compute.
    fn functions(
        &self,
        _operation: &WholeOperation,
        _operands: &[&Self::Value],
    ) -> Result<Vec<Self::Value>, Self::Error> {
        unreachable!("plans of other schemes are refused when they have functions")
    }
    /// The same value, of which a bound became known.
    fn tighten(&self, a: Self::Value, _bound: f64) -> Result<Self::Value, Self::Error> {
        Ok(a)
    }
}

/// A noise model: an engine on what is known of ciphertexts before there are any.
pub trait Model: Engine {
    /// A fresh encryption, under the public key, of values up to a bound.
    fn fresh(&self, bound: f64) -> Result<Self::Value, Self::Error>;
    /// The level of a ciphertext.
    fn level_of(a: &Self::Value) -> Level;
    /// The bound on its noise.
    fn noise_of(a: &Self::Value) -> Norm;

    /// The values of a fresh column of numbers up to a bound.
    fn fresh_column(&self, layout: Layout, bound: f64) -> Result<Values<Self::Value>, Self::Error> {
        Ok(vec![self.fresh(bound)?; values_of_column::<Self>(layout)])
    }
}

/// A column as its ciphertexts (or what represents them), or a number as one.
pub type Values<V> = Vec<V>;

/// How many values an engine has of a column.
pub fn values_of_column<E: Engine + ?Sized>(layout: Layout) -> usize {
    if E::REPRESENTS { layout.chunks().min(2) } else { layout.chunks() }
}

/// The place, among the values that an engine has of a column, of what stands for a ciphertext of it.
pub fn place_of<E: Engine + ?Sized>(layout: Layout, chunk: usize) -> usize {
    if E::REPRESENTS { usize::from(chunk > 0 && chunk + 1 == layout.chunks()) } else { chunk }
}

/// A ciphertext of a column for which a value of the engine stands.
fn chunk_at<E: Engine + ?Sized>(layout: Layout, place: usize) -> usize {
    if E::REPRESENTS && place > 0 { layout.chunks() - 1 } else { place }
}

/// An operation on one ciphertext, which stands at a position in its column.
type UnaryOn<'f, E> =
    &'f (dyn Fn(&<E as Engine>::Value, usize) -> Result<<E as Engine>::Value, <E as Engine>::Error> + Sync);

/// An operation on two ciphertexts.
type BinaryOn<'f, E> = &'f (
        dyn Fn(
    &<E as Engine>::Value,
    &<E as Engine>::Value,
) -> Result<<E as Engine>::Value, <E as Engine>::Error>
            + Sync
    );

/// Calls `f` for every ciphertext of a value, in parallel where there are several.
fn each<V: Send, R: Send>(
    count: usize,
    f: impl Fn(usize) -> Result<V, R> + Sync + Send,
) -> Result<Values<V>, R> {
    if count == 1 { Ok(vec![f(0)?]) } else { (0..count).into_par_iter().map(f).collect() }
}

/// Carries out one step. `of` gives the values of an earlier step, `shape` its shape.
pub fn apply<'v, E: Engine>(
    engine: &E,
    layout: Layout,
    step: &Step,
    shape: impl Fn(usize) -> Shape,
    of: impl Fn(usize) -> &'v Values<E::Value> + Sync,
) -> Result<Values<E::Value>, E::Error>
where
    E::Value: 'v,
{
    let one = |a, f: UnaryOn<E>| each(of(a).len(), |place| f(&of(a)[place], chunk_at::<E>(layout, place)));
    let two = |a, b, f: BinaryOn<E>| {
        // A number stands beside every ciphertext of a column.
        let (a, b) = (of(a), of(b));
        let at = |values: &Values<E::Value>, chunk: usize| if values.len() == 1 { 0 } else { chunk };
        each(a.len().max(b.len()), |chunk| f(&a[at(a, chunk)], &b[at(b, chunk)]))
    };
    let results = match step.instruction {
        Instruction::Input { .. } => unreachable!("inputs are given, not computed"),
        Instruction::Add { a, b } => two(a, b, &|a, b| engine.add(a, b)),
        Instruction::Sub { a, b } => two(a, b, &|a, b| engine.sub(a, b)),
        Instruction::Mul { a, b } => two(a, b, &|a, b| engine.mul(a, b)),
        Instruction::Neg { a } => one(a, &|a, _| engine.neg(a)),
        Instruction::AddConstant { a, ref c } => {
            let column = shape(a) == Shape::Column;
            one(a, &|a, chunk| engine.add_constant(a, c, column.then_some(chunk)))
        }
        Instruction::MulConstant { a, ref k, scale } => one(a, &|a, _| engine.mul_constant(a, k, scale)),
        Instruction::MaskRows { a } => one(a, &|a, chunk| engine.mask_rows(a, chunk)),
        Instruction::Rescale { a } => one(a, &|a, _| engine.rescale(a)),
        Instruction::SwitchTo { a, level } => one(a, &|a, _| engine.switch_to(a, level)),
        Instruction::Functions { ref operands, ref operation } => {
            let operands: Vec<&Values<E::Value>> = operands.iter().map(|&operand| of(operand)).collect();
            let chunks = operands.iter().map(|values| values.len()).max().unwrap_or(0);
            let results = |chunk: usize| {
                let at = |values: &&'v Values<E::Value>| &values[if values.len() == 1 { 0 } else { chunk }];
                engine.functions(operation, &operands.iter().map(at).collect::<Vec<_>>())
            };
            // One result after another, each with its ciphertexts.
            let results = each(chunks, results)?;
            Ok((0..operation.results())
                .flat_map(|result| results.iter().map(move |chunk| chunk[result].clone()))
                .collect())
        }
        Instruction::Result { a, index } => {
            let count = if step.shape == Shape::Column { values_of_column::<E>(layout) } else { 1 };
            Ok(of(a)[index * count..][..count].to_vec())
        }
        Instruction::Sum { a, ref factors } => {
            let chunk = |chunk: usize| &of(a)[place_of::<E>(layout, chunk)];
            let total = (1..layout.chunks())
                .try_fold(chunk(0).clone(), |total, next| engine.add(&total, chunk(next)))?;
            engine.sum_block(&total, factors).map(|sum| vec![sum])
        }
    }?;
    results.into_iter().map(|value| engine.tighten(value, step.bound)).collect()
}
