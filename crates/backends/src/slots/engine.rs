//! What walks a circuit: one trait for the schemes, for their noise models and for plain numbers.

use std::{borrow::Cow, collections::HashMap};

use asanoha_circuits::parallel::{try_map, try_map_owned};
use asanoha_circuits::sum_blocks;
use asanoha_lang::Shape;
use asanoha_lattice::{Level, Norm};
use asanoha_scheme::{Operand, Operations, SchemeError, State, capability::ValueTypes as _};

use asanoha_compile::{Circuit, Constant, Factor, Layout, LevelOp, Op, SlotRange, Step, WholeOperation};
use num_bigint::BigInt;

use crate::slots::numbers::{Numbers, Planned};
use crate::slots::tasks::task::{Forms, Multiple, Task};

/// The operations of a circuit on one ciphertext, on what a model knows of one, or on the numbers in it.
pub trait Engine: Sync {
    /// A ciphertext, or its model.
    type Value: Clone + Send + Sync;
    /// What can go wrong.
    type Error: Send;

    /// Whether the values of a column are one for each kind of its ciphertexts: one for all that are full of rows, and one for the last.
    const REPRESENTS: bool = false;

    /// a ← a + b.
    fn add(&self, a: &mut Self::Value, b: &Self::Value) -> Result<(), Self::Error>;
    /// a ← a − b.
    fn sub(&self, a: &mut Self::Value, b: &Self::Value) -> Result<(), Self::Error>;
    /// a ← −a.
    fn neg(&self, a: &mut Self::Value);
    /// a·b, brought to a level where one is given.
    fn mul(&self, a: &Self::Value, b: &Self::Value, level: Option<Level>)
    -> Result<Self::Value, Self::Error>;
    /// a ← a + c: in every slot, or in those that hold rows of the given ciphertext of a column.
    fn add_constant(
        &self,
        a: &mut Self::Value,
        c: &Constant,
        chunk: Option<usize>,
    ) -> Result<(), Self::Error>;
    /// a ← k·a.
    fn mul_constant(&self, a: &mut Self::Value, k: &Constant, scale: f64) -> Result<(), Self::Error>;
    /// Σ k·a at a level, each constant with a scale (CKKS).
    fn multiples(
        &self,
        _terms: &[(&Self::Value, &Constant, f64)],
        _level: Level,
    ) -> Result<Self::Value, Self::Error> {
        unreachable!("plans of other schemes have none")
    }
    /// a in the slots that hold rows of the given ciphertext of a column, 0 in the others.
    fn mask_rows(&self, a: &Self::Value, chunk: usize) -> Result<Self::Value, Self::Error>;
    /// A number in one slot of every block, 0 in the others.
    fn keep_slot(&self, a: &Self::Value, slot: usize) -> Result<Self::Value, Self::Error>;
    /// Division by the last prime, with the scale.
    fn rescale(&self, a: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// A switch to a lower level.
    fn switch_to(&self, a: &Self::Value, level: Level) -> Result<Self::Value, Self::Error>;
    /// The sum over the block of a ciphertext, in every slot, in stages of the given factors.
    fn sum_block(&self, a: &Self::Value, factors: &[usize]) -> Result<Self::Value, Self::Error>;
    /// A bootstrapping, in approximate schemes.
    fn bootstrap(&self, a: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// Functions of whole numbers, which exact schemes compute.
    fn functions(
        &self,
        _operation: &WholeOperation,
        _operands: &[&Self::Value],
    ) -> Result<Vec<Self::Value>, Self::Error> {
        unreachable!("plans of other schemes are refused when they have functions")
    }
    /// Says whether sums of multiples that take the same values are computed together ([`Engine::forms`]).
    fn computes_forms(&self) -> bool {
        false
    }
    /// The results of a task of several steps of a circuit.
    fn forms(
        &self,
        _circuit: &Circuit,
        _task: &Task,
        _forms: &Forms,
        _operands: &[&Self::Value],
    ) -> Result<Vec<Self::Value>, Self::Error> {
        unreachable!("engines that say so compute them")
    }
    /// a with another noise bound, relative to its scale (CKKS).
    fn absorb_noise(&self, _a: &mut Self::Value, _left: f64) -> Result<(), Self::Error> {
        Ok(())
    }
    /// The same value, of which a bound became known.
    fn tighten(&self, a: Self::Value, _bound: f64) -> Result<Self::Value, Self::Error> {
        Ok(a)
    }
}

/// A scheme's operations, on ciphertexts or on what its noise model knows of them, as an engine.
#[derive(Debug)]
pub struct Columns<S: Planned, V: Operand<S>> {
    operations: Operations<S, V>,
    layout: Layout,
    refresher: <S::Numbers as Numbers<S>>::Refresher,
}

impl<S: Planned, V: Operand<S>> Columns<S, V> {
    /// For columns of a layout.
    pub fn new(operations: Operations<S, V>, layout: Layout) -> Self {
        Self { operations, layout, refresher: Default::default() }
    }

    /// The operations.
    pub fn operations(&self) -> &Operations<S, V> {
        &self.operations
    }

    /// The slots of a chunk's rows, where it has slots without rows.
    fn rows(&self, chunk: Option<usize>) -> Option<SlotRange> {
        let chunk = chunk.filter(|&chunk| self.layout.has_padding(chunk))?;
        Some(0..self.layout.chunk(chunk).len())
    }

    /// a in some slots of every block, 0 in the others.
    fn masked(&self, a: &V, slots: SlotRange) -> Result<V, SchemeError> {
        let (scheme, level) = (self.operations.params(), a.state().level);
        let (one, scale) = (Constant::Whole(1.into()), S::Numbers::mask_scale(scheme, level));
        let encode = || S::Numbers::in_slots(scheme, self.layout, slots, &one, level, scale);
        self.operations.mul_known(a, &S::Numbers::known(scheme, &one, scale), encode)
    }
}

impl<S: Planned, V: Operand<S>> Columns<S, V> {
    /// The results of a task, by its steps one after another.
    fn step_by_step(&self, circuit: &Circuit, task: &Task, operands: &[&V]) -> Result<Vec<V>, SchemeError> {
        let given = task.operands.iter().zip(operands).map(|(&at, &a)| (at, vec![a.clone()]));
        let mut values: HashMap<usize, Vec<V>> = given.collect();
        for at in task.steps() {
            let step = &circuit.steps[at];
            let taken = step.instruction.operands().map(|operand| Cow::Borrowed(&values[&operand][..]));
            let value = apply(self, self.layout, Span { first: 0, count: 1 }, step, taken.collect())?;
            values.insert(at, value);
        }
        let mut result = |at| values.remove(at).and_then(|mut value| value.pop()).expect("it was computed");
        Ok(task.results.iter().map(&mut result).collect())
    }
}

impl<S: Planned> Columns<S, State<S>> {
    /// The states of a fresh column of numbers up to a bound.
    pub fn fresh_column(&self, bound: f64, level: Level) -> Result<CiphertextsOf<State<S>>, SchemeError> {
        let scheme = self.operations.params();
        let fresh = self.operations.model().fresh_public(level, &S::Numbers::public(scheme, bound))?;
        Ok(vec![fresh; values_of_column::<Self>(self.layout)])
    }
}

impl<S: Planned, V: Operand<S>> Engine for Columns<S, V> {
    type Value = V;
    type Error = SchemeError;

    const REPRESENTS: bool = V::FORESEES;

    fn add(&self, a: &mut V, b: &V) -> Result<(), SchemeError> {
        self.operations.add_assign(a, b)
    }
    fn sub(&self, a: &mut V, b: &V) -> Result<(), SchemeError> {
        self.operations.sub_assign(a, b)
    }
    fn neg(&self, a: &mut V) {
        self.operations.neg_assign(a);
    }
    fn mul(&self, a: &V, b: &V, level: Option<Level>) -> Result<V, SchemeError> {
        let product = self.operations.multiply_without_relinearise(a, b)?;
        self.operations.relinearise_to(product, level.unwrap_or(a.state().level))
    }
    fn add_constant(&self, a: &mut V, c: &Constant, chunk: Option<usize>) -> Result<(), SchemeError> {
        let Some(rows) = self.rows(chunk) else {
            return self.operations.add_constant_assign(a, S::Numbers::constant(c));
        };
        let (scheme, level, scale) =
            (self.operations.params(), a.state().level, S::Numbers::scale_of(a.state()));
        let encode = || S::Numbers::in_slots(scheme, self.layout, rows, c, level, scale);
        *a = self.operations.add_known(a, &S::Numbers::known(scheme, c, scale), encode)?;
        Ok(())
    }
    fn mul_constant(&self, a: &mut V, k: &Constant, scale: f64) -> Result<(), SchemeError> {
        self.operations.mul_constant_assign_exact(a, S::Numbers::factor(k, scale))
    }
    fn multiples(&self, terms: &[(&V, &Constant, f64)], level: Level) -> Result<V, SchemeError> {
        S::Numbers::multiples(&self.operations, terms, level)
    }
    fn mask_rows(&self, a: &V, chunk: usize) -> Result<V, SchemeError> {
        match self.rows(Some(chunk)) {
            Some(rows) => self.masked(a, rows),
            None => S::Numbers::unmasked(&self.operations, a),
        }
    }
    fn keep_slot(&self, a: &V, slot: usize) -> Result<V, SchemeError> {
        self.masked(a, slot..slot + 1)
    }
    fn rescale(&self, a: &V) -> Result<V, SchemeError> {
        S::Numbers::rescale(&self.operations, a)
    }
    fn switch_to(&self, a: &V, level: Level) -> Result<V, SchemeError> {
        self.operations.switch_to(a, level)
    }
    fn sum_block(&self, a: &V, factors: &[usize]) -> Result<V, SchemeError> {
        let row = self.operations.params().row_slots().ok_or(SchemeError::NoSlots)?;
        sum_blocks(&self.operations, a, row, factors)
    }
    fn bootstrap(&self, a: &V) -> Result<V, SchemeError> {
        S::Numbers::bootstrap(&self.operations, self.layout, &self.refresher, a)
    }
    fn functions(&self, operation: &WholeOperation, operands: &[&V]) -> Result<Vec<V>, SchemeError> {
        S::Numbers::functions(&self.operations, operation, operands)
    }
    fn computes_forms(&self) -> bool {
        !V::FORESEES && S::Numbers::has_integer_factors(self.operations.params())
    }
    fn forms(
        &self,
        circuit: &Circuit,
        task: &Task,
        forms: &Forms,
        operands: &[&V],
    ) -> Result<Vec<V>, SchemeError> {
        // The results' states are those that the steps give one after another.
        let predictor = Columns::new(self.operations.predictor(), self.layout);
        let known = task.operands.iter().zip(operands).map(|(&at, a)| (at, vec![a.state().clone()]));
        let mut states: HashMap<usize, Vec<State<S>>> = known.collect();
        let params = self.operations.params();
        for at in task.steps() {
            let step = &circuit.steps[at];
            if let Op::Add(a, b) | Op::Sub(a, b) = step.instruction
                && params.sum(&states[&a][0], &states[&b][0])?.1.is_some()
            {
                // Correction factors differ: each sum has multipliers of its own.
                return self.step_by_step(circuit, task, operands);
            }
            let taken = step.instruction.operands().map(|operand| Cow::Borrowed(&states[&operand][..]));
            let state = apply(&predictor, self.layout, Span { first: 0, count: 1 }, step, taken.collect())?;
            states.insert(at, state);
        }
        let mut weights = vec![BigInt::ZERO; forms.rows.len() * operands.len()];
        for (row, weights) in forms.rows.iter().zip(weights.chunks_exact_mut(operands.len())) {
            for Multiple { place, factors, negative } in row {
                let mut weight = BigInt::from(if *negative { -1 } else { 1 });
                for Factor { k, scale } in factors {
                    let factor = S::Numbers::factor(k, *scale);
                    weight *= params.constant_product(operands[*place].state(), &factor)?.1;
                }
                weights[*place] += weight;
            }
        }
        let mut result = |at| states.remove(at).and_then(|mut state| state.pop()).expect("it was computed");
        let results = task.results.iter().map(&mut result).collect();
        self.operations.linear_forms(operands, &weights, results)
    }
    fn absorb_noise(&self, a: &mut V, left: f64) -> Result<(), SchemeError> {
        let noise = Norm::from_log2((left * S::Numbers::scale_of(a.state())).log2());
        let state = a.state().with_noise(noise);
        self.operations.set_state(a, state);
        Ok(())
    }
    fn tighten(&self, a: V, bound: f64) -> Result<V, SchemeError> {
        self.operations.bounded(a, bound)
    }
}

/// A column as its ciphertexts (or what represents them), or a number as one.
pub type CiphertextsOf<V> = Vec<V>;

/// The ciphertexts of a column that a step is carried out on.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The first.
    pub first: usize,
    /// How many values an engine has of them.
    pub count: usize,
}

impl Span {
    /// All.
    pub fn whole<E: Engine + ?Sized>(layout: Layout) -> Self {
        Self { first: 0, count: values_of_column::<E>(layout) }
    }
}

/// How many values an engine has of a column.
pub fn values_of_column<E: Engine + ?Sized>(layout: Layout) -> usize {
    if E::REPRESENTS { layout.chunks().min(2) } else { layout.chunks() }
}

/// The place, among the values that an engine has of a column, of what represents a ciphertext of it.
pub fn place_of<E: Engine + ?Sized>(layout: Layout, chunk: usize) -> usize {
    if E::REPRESENTS { usize::from(chunk > 0 && chunk + 1 == layout.chunks()) } else { chunk }
}

/// A ciphertext of a column for which a value of the engine stands.
fn chunk_at<E: Engine + ?Sized>(layout: Layout, place: usize) -> usize {
    if E::REPRESENTS && place > 0 { layout.chunks() - 1 } else { place }
}

/// The value that stands beside a ciphertext of a column: a number stands beside every one.
fn at<V>(values: &[V], place: usize) -> &V {
    &values[if values.len() == 1 { 0 } else { place }]
}

/// As many values, each made of an operand by overwriting it, or a copy of it where it isn't owned.
fn overwrite<V: Clone + Send + Sync, R: Send>(
    a: Cow<'_, [V]>,
    count: usize,
    f: &(dyn Fn(&mut V, usize) -> Result<(), R> + Sync),
) -> Result<CiphertextsOf<V>, R> {
    let overwritten = |place, mut a: V| f(&mut a, place).map(|()| a);
    match a {
        Cow::Owned(values) if values.len() == count => try_map_owned(values, &overwritten),
        values => try_map(count, &|place| overwritten(place, at(&values, place).clone())),
    }
}

/// Carries out a task on its operands, of some ciphertexts of columns: the values of each of its results.
pub(crate) fn apply_task<E: Engine>(
    engine: &E,
    (circuit, layout): (&Circuit, Layout),
    span: Span,
    task: &Task,
    operands: Vec<Cow<'_, [E::Value]>>,
) -> Result<Vec<CiphertextsOf<E::Value>>, E::Error> {
    let Some(forms) = &task.forms else {
        return Ok(vec![apply(engine, layout, span, &circuit.steps[task.results[0]], operands)?]);
    };
    let count = operands.iter().map(|values| values.len()).max().unwrap_or(0);
    let rows = try_map(count, &|place| {
        let operands: Vec<&E::Value> = operands.iter().map(|values| at(values, place)).collect();
        engine.forms(circuit, task, forms, &operands)
    })?;
    let mut rows: Vec<_> = rows.into_iter().map(Vec::into_iter).collect();
    let mut one = |_: &usize| rows.iter_mut().filter_map(Iterator::next).collect();
    Ok(task.results.iter().map(&mut one).collect())
}

/// Carries out one step on its operands, of some ciphertexts of columns, which may be overwritten where they are owned. Totals are of whole
/// columns.
pub fn apply<E: Engine>(
    engine: &E,
    layout: Layout,
    span: Span,
    step: &Step,
    operands: Vec<Cow<'_, [E::Value]>>,
) -> Result<CiphertextsOf<E::Value>, E::Error> {
    let count = operands.iter().map(|values| values.len()).max().unwrap_or(0);
    let mut operands = operands.into_iter();
    let mut next = || operands.next().expect("as many operands as the instruction has");
    let product = |a: Cow<'_, [E::Value]>, b: Cow<'_, [E::Value]>, level| {
        try_map(count, &|place| engine.mul(at(&a, place), at(&b, place), level))
    };
    let results = match step.instruction {
        Op::Input(_) => unreachable!("inputs are given, not computed"),
        Op::Add(..) => {
            let (a, b) = (next(), next());
            overwrite(a, count, &|a, place| engine.add(a, at(&b, place)))
        }
        Op::Sub(..) => {
            let (a, b) = (next(), next());
            overwrite(a, count, &|a, place| engine.sub(a, at(&b, place)))
        }
        Op::Mul(..) => product(next(), next(), None),
        Op::Own(LevelOp::MulTo(_, _, level)) => product(next(), next(), Some(level)),
        Op::Neg(_) => overwrite(next(), count, &|a, _| {
            engine.neg(a);
            Ok(())
        }),
        Op::AddConstant(_, ref c) => overwrite(next(), count, &|a, place| {
            let chunk = (step.shape == Shape::Column).then(|| span.first + chunk_at::<E>(layout, place));
            engine.add_constant(a, c, chunk)
        }),
        Op::MulConstant(_, Factor { ref k, scale }) => {
            overwrite(next(), count, &|a, _| engine.mul_constant(a, k, scale))
        }
        Op::Own(LevelOp::Multiples(ref terms, level)) => {
            let operands: Vec<_> = operands.collect();
            try_map(count, &|place| {
                let terms = terms.iter().zip(&operands);
                let terms: Vec<_> = terms
                    .map(|(term, values)| (at(values, place), &term.factor.k, term.factor.scale))
                    .collect();
                engine.multiples(&terms, level)
            })
        }
        Op::MaskRows(_) => {
            let a = next();
            try_map(a.len(), &|place| engine.mask_rows(&a[place], span.first + chunk_at::<E>(layout, place)))
        }
        Op::KeepSlot(_, slot) => engine.keep_slot(&next()[0], slot).map(|kept| vec![kept]),
        Op::AbsorbNoise { left, .. } => overwrite(next(), count, &|a, _| engine.absorb_noise(a, left)),
        Op::Own(LevelOp::Rescale(_)) => {
            let a = next();
            try_map(a.len(), &|place| engine.rescale(&a[place]))
        }
        Op::Own(LevelOp::SwitchTo(_, level)) => {
            let a = next();
            try_map(a.len(), &|place| engine.switch_to(&a[place], level))
        }
        // One after another: each takes gigabytes, and all threads.
        Op::Own(LevelOp::Bootstrap(_)) => next().iter().map(|a| engine.bootstrap(a)).collect(),
        Op::Integers(..) => unreachable!("integers have an evaluation of their own"),
        Op::Functions(_, ref operation) => {
            let operands: Vec<_> = operands.collect();
            let results = try_map(count, &|place| {
                let operands: Vec<_> = operands.iter().map(|values| at(values, place)).collect();
                engine.functions(operation, &operands)
            })?;
            // One result after another, each with its ciphertexts.
            let mut results: Vec<_> = results.into_iter().map(Vec::into_iter).collect();
            let mut one = |_| results.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>();
            Ok((0..operation.results()).flat_map(&mut one).collect())
        }
        Op::Result(_, index) => {
            let count = if step.shape == Shape::Column { span.count } else { 1 };
            let places = index * count..(index + 1) * count;
            Ok(match next() {
                Cow::Owned(mut results) => results.drain(places).collect(),
                Cow::Borrowed(results) => results[places].to_vec(),
            })
        }
        Op::Own(LevelOp::Total(_)) => {
            let a = next();
            let mut total = a[0].clone();
            for chunk in 1..layout.chunks() {
                engine.add(&mut total, &a[place_of::<E>(layout, chunk)])?;
            }
            Ok(vec![total])
        }
        Op::Sum(_, ref factors) => engine.sum_block(&next()[0], factors).map(|sum| vec![sum]),
    }?;
    results.into_iter().map(|value| engine.tighten(value, step.bound)).collect()
}
