//! Circuits walked by an engine.

use std::{
    borrow::Cow,
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

use asanoha_circuits::parallel::try_map_owned;

use crate::{
    compile::{Circuit, Engine, Instruction, Layout, Span, Values, apply},
    program::Shape,
};

/// Why a walk ended before its results.
#[derive(Debug)]
pub(crate) enum Ended<E> {
    /// The callback that hears of its steps stopped it.
    Stopped,
    /// A step failed.
    Failed(E),
}

impl<E> From<E> for Ended<E> {
    fn from(error: E) -> Self {
        Self::Failed(error)
    }
}

/// Walks a circuit from the inputs' values to the outputs'. Steps that don't wait for one another run side by side.
/// A value is dropped after its last use. `done` hears how many steps are done, and may stop the walk.
///
/// Where columns are of several ciphertexts, each goes through all steps that it can before the next does, as many side by side as there are
/// threads: beside the inputs and the results, few are in memory. Sums wait for all ciphertexts, and what is computed with a
/// sum comes after it.
pub(crate) fn walk<E: Engine>(
    engine: &E,
    layout: Layout,
    circuit: &Circuit,
    inputs: Vec<Values<E::Value>>,
    done: impl Fn(usize) -> ControlFlow<()> + Sync,
) -> Result<Vec<Values<E::Value>>, Ended<E::Error>> {
    let span = Span::whole::<E>(layout);
    let one_by_one = !E::REPRESENTS && span.count > 1;
    let spans = if one_by_one { span.count } else { 1 };
    let is_column = |at: usize| circuit.steps[at].shape == Shape::Column;
    let is_input = |at: &usize| matches!(circuit.steps[*at].instruction, Instruction::Input { .. });
    let carried_out = (0..circuit.steps.len()).filter(|at| !is_input(at));
    let all = carried_out.map(|at| if is_column(at) { spans } else { 1 }).sum();
    let walk = Walk { engine, layout, circuit, finished: AtomicUsize::new(0), all, done: &done };
    if one_by_one { walk.by_ciphertext(span.count, inputs) } else { walk.at_once(span, inputs) }
}

/// Values of some steps, by the positions of these.
type Known<V> = Vec<Option<Values<V>>>;

struct Walk<'a, E> {
    engine: &'a E,
    layout: Layout,
    circuit: &'a Circuit,
    /// How often a step has been carried out.
    finished: AtomicUsize,
    /// How often all are.
    all: usize,
    done: &'a (dyn Fn(usize) -> ControlFlow<()> + Sync),
}

impl<E: Engine> Walk<'_, E> {
    /// All steps, each on all ciphertexts.
    fn at_once(
        &self,
        span: Span,
        inputs: Vec<Values<E::Value>>,
    ) -> Result<Vec<Values<E::Value>>, Ended<E::Error>> {
        let mut values: Known<E::Value> = vec![None; self.circuit.steps.len()];
        for (input, at) in inputs.into_iter().zip(self.inputs()) {
            values[at] = Some(input);
        }
        let steps: Vec<usize> = (0..values.len()).filter(|&at| values[at].is_none()).collect();
        let mut kept = vec![false; values.len()];
        self.circuit.outputs.iter().for_each(|output| kept[output.step] = true);
        let mut values = self.part(&steps, span, values, &kept, &|_| unreachable!("nothing is left out"))?;
        Ok(self.outputs(|step, is_last| {
            let value = &mut values[step];
            let value = if is_last { value.take() } else { value.clone() };
            value.expect("it was kept")
        }))
    }

    /// The columns' ciphertexts one after another.
    fn by_ciphertext(
        &self,
        count: usize,
        inputs: Vec<Values<E::Value>>,
    ) -> Result<Vec<Values<E::Value>>, Ended<E::Error>> {
        let circuit = self.circuit;
        let phases = phases(circuit);
        let is_column = |at: usize| circuit.steps[at].shape == Shape::Column;
        let is_total = |at: usize| matches!(circuit.steps[at].instruction, Instruction::Total { .. });
        // The last phase that takes a value, of a column not counting its total.
        let mut until = phases.clone();
        for (at, step) in circuit.steps.iter().enumerate().filter(|(at, _)| !is_total(*at)) {
            step.instruction.operands().for_each(|operand| until[operand] = until[operand].max(phases[at]));
        }
        circuit.outputs.iter().for_each(|output| until[output.step] = usize::MAX);
        let mut columns: Vec<Vec<Option<E::Value>>> = vec![Vec::new(); phases.len()];
        for (input, at) in inputs.into_iter().zip(self.inputs()) {
            columns[at] = input.into_iter().map(Some).collect();
        }
        let is_input: Vec<bool> = columns.iter().map(|column| !column.is_empty()).collect();
        let mut numbers: Known<E::Value> = vec![None; phases.len()];
        for phase in 0..=phases.iter().copied().max().unwrap_or(0) {
            let of_phase = |column: bool| -> Vec<usize> {
                let here = |&at: &usize| phases[at] == phase && is_column(at) == column;
                (0..phases.len()).filter(|at| here(at) && !is_total(*at) && !is_input[*at]).collect()
            };
            // Columns of this phase take numbers of this phase.
            let beside_columns = |at: usize| circuit.steps[at].instruction.operands().any(|a| !is_column(a));
            let mut kept: Vec<bool> = until.iter().map(|&until| until > phase).collect();
            for at in (0..phases.len()).filter(|&at| is_column(at) && beside_columns(at)) {
                circuit.steps[at]
                    .instruction
                    .operands()
                    .for_each(|operand| kept[operand] |= !is_column(operand));
            }
            let outside = |_| unreachable!("numbers are of numbers");
            numbers = self.part(&of_phase(false), Span { first: 0, count: 1 }, numbers, &kept, &outside)?;

            let summed: Vec<(usize, usize)> = (0..phases.len())
                .filter(|&at| is_total(at))
                .filter_map(|at| Some((at, circuit.steps[at].instruction.operands().next()?)))
                .filter(|&(_, of)| phases[of] == phase)
                .collect();
            let steps = of_phase(true);
            if steps.is_empty() && summed.is_empty() {
                continue;
            }
            summed.iter().for_each(|&(_, of)| kept[of] = true);
            let mut totals: Vec<Option<E::Value>> = vec![None; summed.len()];
            // Bootstrappings take gigabytes each, and all threads.
            let at_a_time = if circuit.bootstraps() { 1 } else { rayon::current_num_threads() };
            for first in (0..count).step_by(at_a_time) {
                let chunks = first..count.min(first + at_a_time);
                let given: Vec<Known<E::Value>> = chunks
                    .clone()
                    .map(|chunk| {
                        let give = |(at, column): (usize, &mut Vec<Option<E::Value>>)| {
                            let given = if until[at] <= phase { column.get_mut(chunk)?.take() } else { None };
                            given.map(|value| vec![value])
                        };
                        columns.iter_mut().enumerate().map(give).collect()
                    })
                    .collect();
                let results = try_map_owned(given, &|place, given| {
                    let chunk = first + place;
                    let outside = |at: usize| {
                        let column =
                            columns[at].get(chunk).and_then(Option::as_ref).map(std::slice::from_ref);
                        column.or(numbers[at].as_deref()).expect("computed in an earlier phase")
                    };
                    self.part(&steps, Span { first: chunk, count: 1 }, given, &kept, &outside)
                })?;
                for (chunk, mut values) in chunks.zip(results) {
                    for (&(_, of), total) in summed.iter().zip(&mut totals) {
                        let own = values[of].as_ref().map(|values| &values[0]);
                        let value = own.or_else(|| columns[of][chunk].as_ref()).expect("it was kept");
                        match total {
                            None => *total = Some(value.clone()),
                            Some(total) => self.engine.add(total, value)?,
                        }
                    }
                    for &at in steps.iter().filter(|&&at| until[at] > phase) {
                        columns[at].extend(values[at].take().map(|mut values| values.pop()));
                    }
                }
            }
            for (&(at, _), total) in summed.iter().zip(totals) {
                let total = total.expect("columns have ciphertexts");
                numbers[at] = Some(vec![self.engine.tighten(total, circuit.steps[at].bound)?]);
                self.tell()?;
            }
        }
        Ok(self.outputs(|step, is_last| match (is_column(step), is_last) {
            (true, true) => columns[step].drain(..).map(|value| value.expect("it was kept")).collect(),
            (true, false) => columns[step].iter().map(|value| value.clone().expect("it was kept")).collect(),
            (false, _) => numbers[step].clone().expect("it was kept"),
        }))
    }

    /// Carries out some steps. What is in `values` is given away after its last use, unless it's kept; what isn't there is
    /// borrowed from outside.
    fn part<'v>(
        &self,
        steps: &[usize],
        span: Span,
        mut values: Known<E::Value>,
        kept: &[bool],
        outside: &(dyn Fn(usize) -> &'v [E::Value] + Sync),
    ) -> Result<Known<E::Value>, Ended<E::Error>>
    where
        E::Value: 'v,
    {
        let operands = |at: usize| self.circuit.steps[at].instruction.operands();
        let mut uses: Vec<usize> = kept.iter().map(|&kept| usize::from(kept)).collect();
        steps.iter().flat_map(|&at| operands(at)).for_each(|operand| uses[operand] += 1);
        for wave in self.circuit.waves_of(steps) {
            // What nothing else takes any more is given away, to be overwritten.
            let mut give = |operand: usize| if uses[operand] == 1 { values[operand].take() } else { None };
            let given: Vec<Vec<_>> = wave.iter().map(|&at| operands(at).map(&mut give).collect()).collect();
            let results = try_map_owned(given, &|place, given: Vec<Option<Values<E::Value>>>| {
                let at = wave[place];
                let operand = |(at, given): (usize, Option<_>)| match given {
                    Some(value) => Cow::Owned(value),
                    None => Cow::Borrowed(values[at].as_deref().unwrap_or_else(|| outside(at))),
                };
                let operands = operands(at).zip(given).map(operand).collect();
                let result = apply(self.engine, self.layout, span, &self.circuit.steps[at], operands)?;
                self.tell()?;
                Ok::<_, Ended<E::Error>>(result)
            })?;
            for (&at, result) in wave.iter().zip(results) {
                values[at] = Some(result);
                for operand in operands(at) {
                    uses[operand] -= 1;
                    if uses[operand] == 0 {
                        values[operand] = None;
                    }
                }
            }
        }
        Ok(values)
    }

    /// The steps of the inputs.
    fn inputs(&self) -> Vec<usize> {
        self.circuit.input_steps()
    }

    /// The results, of which each is asked for by its step, and whether no other result is of that step.
    fn outputs(&self, mut value: impl FnMut(usize, bool) -> Values<E::Value>) -> Vec<Values<E::Value>> {
        let outputs = &self.circuit.outputs;
        let is_last =
            |place: usize| outputs[place + 1..].iter().all(|other| other.step != outputs[place].step);
        (0..outputs.len()).map(|place| value(outputs[place].step, is_last(place))).collect()
    }

    fn tell(&self) -> Result<(), Ended<E::Error>> {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        match (self.done)(self.circuit.steps.len() * finished / self.all) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Ended::Stopped),
        }
    }
}

/// How many totals of columns each step waits for, one after another.
fn phases(circuit: &Circuit) -> Vec<usize> {
    let mut phases: Vec<usize> = Vec::with_capacity(circuit.steps.len());
    for step in &circuit.steps {
        let before = step.instruction.operands().map(|operand| phases[operand]).max().unwrap_or(0);
        phases.push(before + usize::from(matches!(step.instruction, Instruction::Total { .. })));
    }
    phases
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use asanoha_lattice::Level;
    use num_rational::BigRational;
    use num_traits::One;

    use super::*;
    use crate::compile::{CircuitInput, Constant, Output, Step, WholeOperation};

    /// How many values there are, and how many there were at most.
    #[derive(Debug, Default)]
    struct Count {
        now: AtomicUsize,
        most: AtomicUsize,
    }

    /// The number in all slots of a ciphertext, counted.
    #[derive(Debug)]
    struct Counted(f64, Arc<Count>);

    impl Counted {
        fn new(value: f64, count: &Arc<Count>) -> Self {
            let now = count.now.fetch_add(1, Ordering::Relaxed) + 1;
            count.most.fetch_max(now, Ordering::Relaxed);
            Self(value, Arc::clone(count))
        }
    }

    impl Clone for Counted {
        fn clone(&self) -> Self {
            Self::new(self.0, &self.1)
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            self.1.now.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Adds the number of a ciphertext where a constant is added to rows.
    struct Numbers;

    impl Engine for Numbers {
        type Value = Counted;
        type Error = Infallible;

        fn add(&self, a: &mut Counted, b: &Counted) -> Result<(), Infallible> {
            a.0 += b.0;
            Ok(())
        }
        fn sub(&self, a: &mut Counted, b: &Counted) -> Result<(), Infallible> {
            a.0 -= b.0;
            Ok(())
        }
        fn neg(&self, a: &mut Counted) {
            a.0 = -a.0;
        }
        fn mul(&self, a: &Counted, b: &Counted, _: Option<Level>) -> Result<Counted, Infallible> {
            Ok(Counted::new(a.0 * b.0, &a.1))
        }
        fn add_constant(
            &self,
            a: &mut Counted,
            c: &Constant,
            chunk: Option<usize>,
        ) -> Result<(), Infallible> {
            a.0 += c.to_f64() * chunk.map_or(1.0, |chunk| chunk as f64);
            Ok(())
        }
        fn mul_constant(&self, a: &mut Counted, k: &Constant, _: f64) -> Result<(), Infallible> {
            a.0 *= k.to_f64();
            Ok(())
        }
        fn mask_rows(&self, a: &Counted, chunk: usize) -> Result<Counted, Infallible> {
            Ok(Counted::new(a.0 * chunk as f64, &a.1))
        }
        fn keep_slot(&self, a: &Counted, _: usize) -> Result<Counted, Infallible> {
            Ok(a.clone())
        }
        fn rescale(&self, a: &Counted) -> Result<Counted, Infallible> {
            Ok(a.clone())
        }
        fn switch_to(&self, a: &Counted, _: Level) -> Result<Counted, Infallible> {
            Ok(a.clone())
        }
        fn sum_block(&self, a: &Counted, _: &[usize]) -> Result<Counted, Infallible> {
            Ok(a.clone())
        }
        fn bootstrap(&self, a: &Counted) -> Result<Counted, Infallible> {
            Ok(a.clone())
        }
        fn functions(&self, _: &WholeOperation, _: &[&Counted]) -> Result<Vec<Counted>, Infallible> {
            unreachable!("there are none")
        }
    }

    fn circuit(steps: Vec<(Instruction, Shape)>, outputs: &[usize]) -> Circuit {
        let step = |(instruction, shape)| Step {
            instruction,
            shape,
            bound: 1.0,
            level: Level(0),
            noise_bits: 0.0,
            width: None,
            bootstraps: None,
        };
        let output = |&step: &usize| Output {
            name: format!("y{step}"),
            step,
            factor: BigRational::one(),
            approximation: 0.0,
        };
        let column = |name: &str| CircuitInput { column: name.to_owned(), view: None };
        let steps: Vec<Step> = steps.into_iter().map(step).collect();
        Circuit {
            inputs: vec![column("x"), column("z")],
            steps,
            outputs: outputs.iter().map(output).collect(),
        }
    }

    fn walked(circuit: &Circuit, count: &Arc<Count>, chunks: usize) -> Vec<Vec<f64>> {
        let layout = Layout::new(4 * chunks, 4);
        let input = |scale: f64| -> Vec<Counted> {
            (0..chunks).map(|chunk| Counted::new(scale * chunk as f64, count)).collect()
        };
        let told = AtomicUsize::new(0);
        let tell = |done| {
            assert!(done <= circuit.steps.len());
            told.fetch_max(done, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        let outputs =
            walk(&Numbers, layout, circuit, vec![input(1.0), input(10.0)], tell).expect("nothing fails");
        assert_eq!(told.into_inner(), circuit.steps.len());
        outputs.into_iter().map(|values| values.iter().map(|value| value.0).collect()).collect()
    }

    #[test]
    fn a_walk_that_is_stopped_ends_with_nothing_left_in_memory() {
        let (column, number) = (Shape::Column, Shape::Number);
        let steps = vec![
            (Instruction::Input { input: 0 }, column),
            (Instruction::Input { input: 1 }, column),
            (Instruction::Mul { a: 0, b: 1, level: None }, column),
            (Instruction::Total { a: 2 }, number),
            (Instruction::Neg { a: 3 }, number),
            (Instruction::Add { a: 2, b: 4 }, column),
        ];
        let circuit = circuit(steps, &[5, 3]);
        for (chunks, last) in [(1, 1), (1, 3), (5, 0), (5, 2), (5, 4)] {
            let count = Arc::new(Count::default());
            let layout = Layout::new(4 * chunks, 4);
            let input = || (0..chunks).map(|chunk| Counted::new(chunk as f64, &count)).collect::<Values<_>>();
            let stop = |done| if done > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            let ended = walk(&Numbers, layout, &circuit, vec![input(), input()], stop);
            assert!(matches!(ended, Err(Ended::Stopped)), "{chunks} {last}");
            assert_eq!(count.now.load(Ordering::Relaxed), 0);
        }
    }

    /// y = (x − Σ(x + i))·z + x, w = Σ y·y beside Σ(x + i), with i the place of a ciphertext.
    #[test]
    fn ciphertexts_one_after_another_give_what_all_at_once_do() {
        let (column, number) = (Shape::Column, Shape::Number);
        let circuit = circuit(
            vec![
                (Instruction::Input { input: 0 }, column),
                (Instruction::AddConstant { a: 0, c: Constant::Real(1.0) }, column),
                (Instruction::Total { a: 1 }, number),
                (Instruction::Neg { a: 2 }, number),
                (Instruction::Input { input: 1 }, column),
                (Instruction::Add { a: 0, b: 3 }, column),
                (Instruction::Mul { a: 5, b: 4, level: None }, column),
                (Instruction::Add { a: 6, b: 0 }, column),
                (Instruction::Mul { a: 7, b: 7, level: None }, column),
                (Instruction::Total { a: 8 }, number),
                (Instruction::Total { a: 4 }, number),
                (Instruction::MaskRows { a: 7 }, column),
            ],
            &[7, 2, 9, 7, 10, 11, 4],
        );
        for chunks in [1, 2, 5, 9] {
            let places: Vec<f64> = (0..chunks).map(|chunk| chunk as f64).collect();
            let sum: f64 = places.iter().map(|i| 2.0 * i).sum();
            let y: Vec<f64> = places.iter().map(|i| (i - sum) * 10.0 * i + i).collect();
            let squares = y.iter().map(|y| y * y).sum();
            let tens: f64 = places.iter().map(|i| 10.0 * i).sum();
            let masked = y.iter().zip(&places).map(|(y, i)| y * i).collect();
            let z = places.iter().map(|i| 10.0 * i).collect();
            let expected = [y.clone(), vec![sum], vec![squares], y, vec![tens], masked, z];
            let count = Arc::new(Count::default());
            assert_eq!(walked(&circuit, &count, chunks), expected, "{chunks}");
            assert_eq!(count.now.load(Ordering::Relaxed), 0);
        }
    }

    #[test]
    fn what_lies_between_inputs_and_results_does_not_grow_with_the_rows() {
        let column = Shape::Column;
        let mut steps =
            vec![(Instruction::Input { input: 0 }, column), (Instruction::Input { input: 1 }, column)];
        // A wide middle: thirty powers that are all there before they're added up.
        steps.extend((2..32).map(|_| (Instruction::Mul { a: 0, b: 1, level: None }, column)));
        steps.push((Instruction::Add { a: 2, b: 3 }, column));
        steps.extend((4..32).map(|k| (Instruction::Add { a: 28 + k, b: k }, column)));
        let last = steps.len() - 1;
        steps.push((Instruction::Total { a: last }, Shape::Number));
        let circuit = circuit(steps, &[last + 1]);
        let most = |chunks: usize| {
            let count = Arc::new(Count::default());
            walked(&circuit, &count, chunks);
            count.most.load(Ordering::Relaxed) - 2 * chunks
        };
        let at_a_time = rayon::current_num_threads();
        assert!(most(200) <= 40 * at_a_time, "{} of {at_a_time} threads", most(200));
    }
}
