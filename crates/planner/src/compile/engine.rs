//! What walks a circuit: one trait for the schemes, for their noise models and for plain numbers.

use std::borrow::Cow;

use asanoha_circuits::sum_blocks;
use asanoha_lattice::Level;
use asanoha_scheme::{Model, Operations, SchemeError, State};
use rayon::prelude::*;

use super::{Constant, Instruction, Layout, Step, WholeOperation};
use crate::{
    program::Shape,
    schemes::{Numbers, Planned},
};

/// The operations of a circuit on one ciphertext, on what a model knows of one, or on the numbers in it.
pub(crate) trait Engine: Sync {
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

/// A scheme's operations, on ciphertexts or on what its noise model knows of them, as an engine.
#[derive(Debug)]
pub(crate) struct Columns<O> {
    operations: O,
    layout: Layout,
}

impl<O> Columns<O> {
    /// For columns of a layout.
    pub(crate) fn new(operations: O, layout: Layout) -> Self {
        Self { operations, layout }
    }

    /// The operations.
    pub(crate) fn operations(&self) -> &O {
        &self.operations
    }

    /// The chunk, where it has slots without rows.
    fn padded(&self, chunk: Option<usize>) -> Option<(Layout, usize)> {
        chunk.filter(|&chunk| self.layout.has_padding(chunk)).map(|chunk| (self.layout, chunk))
    }
}

impl<S: Planned> Columns<Model<S>> {
    /// The states of a fresh column of numbers up to a bound.
    pub(crate) fn fresh_column(&self, bound: f64) -> Result<Values<State<S>>, SchemeError> {
        let scheme = self.operations.scheme();
        let fresh = self.operations.fresh_public(scheme.max_level(), &S::Numbers::public(scheme, bound))?;
        Ok(vec![fresh; values_of_column::<Self>(self.layout)])
    }
}

impl<S: Planned, O: Operations<Scheme = S>> Engine for Columns<O> {
    type Value = O::Value;
    type Error = SchemeError;

    const REPRESENTS: bool = O::FORESEES;

    fn add(&self, a: &O::Value, b: &O::Value) -> Result<O::Value, SchemeError> {
        self.operations.add(a, b)
    }
    fn sub(&self, a: &O::Value, b: &O::Value) -> Result<O::Value, SchemeError> {
        self.operations.sub(a, b)
    }
    fn neg(&self, a: &O::Value) -> Result<O::Value, SchemeError> {
        self.operations.neg(a)
    }
    fn mul(&self, a: &O::Value, b: &O::Value) -> Result<O::Value, SchemeError> {
        self.operations.multiply(a, b)
    }
    fn add_constant(
        &self,
        a: &O::Value,
        c: &Constant,
        chunk: Option<usize>,
    ) -> Result<O::Value, SchemeError> {
        let Some(place) = self.padded(chunk) else {
            return self.operations.add_constant(a, &S::Numbers::constant(c));
        };
        let (scheme, state) = (self.operations.model().scheme(), self.operations.state_of(a));
        let scale = S::Numbers::scale_of(state);
        let encode = || S::Numbers::on_rows(scheme, place, c, state.level, scale);
        self.operations.add_known(a, &S::Numbers::known(scheme, c, scale), encode)
    }
    fn mul_constant(&self, a: &O::Value, k: &Constant, scale: f64) -> Result<O::Value, SchemeError> {
        self.operations.mul_constant(a, &S::Numbers::factor(k, scale))
    }
    fn mask_rows(&self, a: &O::Value, chunk: usize) -> Result<O::Value, SchemeError> {
        let Some(place) = self.padded(Some(chunk)) else {
            return S::Numbers::unmasked(&self.operations, a);
        };
        let (scheme, level) = (self.operations.model().scheme(), self.operations.state_of(a).level);
        let (one, scale) = (Constant::Whole(1.into()), S::Numbers::mask_scale(scheme, level));
        let encode = || S::Numbers::on_rows(scheme, place, &one, level, scale);
        self.operations.mul_known(a, &S::Numbers::known(scheme, &one, scale), encode)
    }
    fn rescale(&self, a: &O::Value) -> Result<O::Value, SchemeError> {
        S::Numbers::rescale(&self.operations, a)
    }
    fn switch_to(&self, a: &O::Value, level: Level) -> Result<O::Value, SchemeError> {
        self.operations.lowered(a, level).map(Cow::into_owned)
    }
    fn sum_block(&self, a: &O::Value, factors: &[usize]) -> Result<O::Value, SchemeError> {
        sum_blocks(&self.operations, a, factors)
    }
    fn functions(
        &self,
        operation: &WholeOperation,
        operands: &[&O::Value],
    ) -> Result<Vec<O::Value>, SchemeError> {
        S::Numbers::functions(&self.operations, operation, operands)
    }
    fn tighten(&self, a: O::Value, bound: f64) -> Result<O::Value, SchemeError> {
        S::bounded(&self.operations, a, bound)
    }
}

/// A column as its ciphertexts (or what represents them), or a number as one.
pub(crate) type Values<V> = Vec<V>;

/// How many values an engine has of a column.
pub(crate) fn values_of_column<E: Engine + ?Sized>(layout: Layout) -> usize {
    if E::REPRESENTS { layout.chunks().min(2) } else { layout.chunks() }
}

/// The place, among the values that an engine has of a column, of what stands for a ciphertext of it.
pub(crate) fn place_of<E: Engine + ?Sized>(layout: Layout, chunk: usize) -> usize {
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
pub(crate) fn apply<'v, E: Engine>(
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
