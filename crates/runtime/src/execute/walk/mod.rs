//! Circuits walked by an engine.

mod by_ciphertext;

use std::{
    borrow::Cow,
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

use asanoha_circuits::parallel::try_map_owned;

use super::checkpoints::{Clock, Finished, Keeper, Needed, Part, Unkept};
use asanoha_backends::slots::{Engine, Span, Values, apply};
use asanoha_compile::{Circuit, Layout, Op};

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
    walk_from(engine, layout, circuit, inputs, (Finished::default(), &Unkept), done).map(|(values, _)| values)
}

/// The values of the outputs, and how many operations were taken over.
type Walked<V> = (Vec<Values<V>>, Resumed);

/// As [`walk`], from what an earlier walk on the same inputs finished, and with somewhere to keep what this one finishes. Also
/// returns how many operations there are, and how many of them weren't carried out.
pub(super) fn walk_from<E: Engine>(
    engine: &E,
    layout: Layout,
    circuit: &Circuit,
    inputs: Vec<Values<E::Value>>,
    (mut finished, keeper): (Finished<E::Value>, &dyn Keeper<E::Value>),
    done: impl Fn(usize) -> ControlFlow<()> + Sync,
) -> Result<Walked<E::Value>, Ended<E::Error>> {
    let span = Span::whole::<E>(layout);
    let one_by_one = !E::REPRESENTS && span.count > 1;
    let places = if one_by_one { span.count } else { 1 };
    let needed = Needed::new(circuit, places, &mut finished);
    let resumed = needed.resumed();
    let walk = Walk {
        engine,
        layout,
        circuit,
        needed,
        keeper,
        finished: AtomicUsize::new(resumed.taken_over),
        all: resumed.operations,
        done: &done,
    };
    let values = if one_by_one {
        walk.by_ciphertext(span.count, inputs, finished)
    } else {
        walk.at_once(span, inputs, finished)
    };
    Ok((values?, resumed))
}

/// How many steps of a wave each thread carries out, before their results are offered to be kept.
const GROUP: usize = 8;

/// How much of an evaluation an earlier one had finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// The operations on ciphertexts, in TFHE on integers, that the evaluation has.
    pub operations: usize,
    /// How many of them weren't carried out again.
    pub taken_over: usize,
}

/// Values of some steps, by the positions of these.
type Known<V> = Vec<Option<Values<V>>>;

struct Walk<'a, E: Engine> {
    engine: &'a E,
    layout: Layout,
    circuit: &'a Circuit,
    /// What isn't finished yet.
    needed: Needed,
    keeper: &'a dyn Keeper<E::Value>,
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
        finished: Finished<E::Value>,
    ) -> Result<Vec<Values<E::Value>>, Ended<E::Error>> {
        let mut values: Known<E::Value> = vec![None; self.circuit.steps.len()];
        for (input, at) in inputs.into_iter().zip(self.inputs()) {
            values[at] = Some(input);
        }
        for ((at, _), value) in finished.values {
            values[at] = Some(value);
        }
        let steps: Vec<usize> = (0..values.len()).filter(|&at| self.needed.has(at, 0)).collect();
        let mut kept = vec![false; values.len()];
        self.circuit.outputs.iter().for_each(|output| kept[output.step] = true);
        let mut values = self.part(&steps, span, values, &kept, &|_| unreachable!("nothing is left out"))?;
        Ok(self.outputs(|step, is_last| {
            let value = &mut values[step];
            let value = if is_last { value.take() } else { value.clone() };
            value.expect("it was kept")
        }))
    }

    /// Offers what there is between two groups of steps on one ciphertext to the keeper.
    fn keep_part(&self, clock: &mut Clock, steps: &[usize], place: usize, values: &Known<E::Value>) {
        let is_input = |step: usize| matches!(self.circuit.steps[step].instruction, Op::Input(_));
        let live = || {
            let value = |step| Some((Part::Value { step, place }, values[step].as_deref()?));
            (0..values.len()).filter(|&step| !is_input(step)).filter_map(value).collect()
        };
        // What other parts have may be needed still.
        let is_live = |part: Part| match part {
            Part::Value { step, place: of } => {
                of != place || values[step].is_some() || steps.binary_search(&step).is_err()
            }
            Part::Sum { .. } => true,
        };
        self.keeper.offer(clock, &live, &is_live);
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
        let mut clock = Clock::start();
        // Groups of a wide wave, so that not all of it has to be carried out again.
        let group = if self.keeper.keeps() { GROUP * rayon::current_num_threads() } else { usize::MAX };
        let waves = self.circuit.waves_of(steps);
        for wave in waves.iter().flat_map(|wave| wave.chunks(group)) {
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
            self.keep_part(&mut clock, steps, span.first, &values);
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

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        convert::Infallible,
        sync::{
            Arc, Mutex,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use asanoha_lattice::Level;
    use num_rational::BigRational;
    use num_traits::One;

    use super::*;
    use crate::{execute::checkpoints::Parts, program::Shape};
    use asanoha_compile::{CircuitInput, Constant, Instruction, LevelOp, Output, Step, WholeOperation};

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
            (Op::Input(0), column),
            (Op::Input(1), column),
            (Op::Mul(0, 1), column),
            (Op::Own(LevelOp::Total(2)), number),
            (Op::Neg(3), number),
            (Op::Add(2, 4), column),
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
    fn with_sums() -> Circuit {
        let (column, number) = (Shape::Column, Shape::Number);
        circuit(
            vec![
                (Op::Input(0), column),
                (Op::AddConstant(0, Constant::Real(1.0)), column),
                (Op::Own(LevelOp::Total(1)), number),
                (Op::Neg(2), number),
                (Op::Input(1), column),
                (Op::Add(0, 3), column),
                (Op::Mul(5, 4), column),
                (Op::Add(6, 0), column),
                (Op::Mul(7, 7), column),
                (Op::Own(LevelOp::Total(8)), number),
                (Op::Own(LevelOp::Total(4)), number),
                (Op::MaskRows(7), column),
            ],
            &[7, 2, 9, 7, 10, 11, 4],
        )
    }

    #[test]
    fn ciphertexts_one_after_another_give_what_all_at_once_do() {
        let circuit = with_sums();
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

    type Store = BTreeMap<Part, Vec<f64>>;

    /// Keeps all that is offered and needed still, and remembers what it had after how many operations.
    #[derive(Default)]
    struct Recorder {
        store: Mutex<Store>,
        told: AtomicUsize,
        history: Mutex<Vec<(usize, Store)>>,
        all: Mutex<Store>,
    }

    impl Keeper<Counted> for Recorder {
        fn keeps(&self) -> bool {
            true
        }

        fn offer<'v>(
            &self,
            _: &mut Clock,
            live: &dyn Fn() -> Parts<'v, Counted>,
            is_live: &dyn Fn(Part) -> bool,
        ) where
            Counted: 'v,
        {
            let mut store = self.store.lock().unwrap();
            for (part, values) in live() {
                let numbers: Vec<f64> = values.iter().map(|value| value.0).collect();
                self.all.lock().unwrap().insert(part, numbers.clone());
                store.insert(part, numbers);
            }
            store.retain(|&part, _| is_live(part));
            let told = self.told.load(Ordering::Relaxed);
            self.history.lock().unwrap().push((told, store.clone()));
        }
    }

    /// The outputs of a walk from what is finished, how much that was, and how many operations were carried out.
    fn resumed(
        circuit: &Circuit,
        chunks: usize,
        from: &Store,
        recorder: &Recorder,
    ) -> (Vec<Vec<f64>>, Resumed, usize) {
        let count = Arc::new(Count::default());
        let counted = |value: &f64| Counted::new(*value, &count);
        let mut finished = Finished::default();
        for (part, numbers) in from {
            match *part {
                Part::Value { step, place } => {
                    finished.values.insert((step, place), numbers.iter().map(counted).collect());
                }
                Part::Sum { step, count } => _ = finished.sums.insert(step, (count, counted(&numbers[0]))),
            }
        }
        let input =
            |scale: f64| (0..chunks).map(|chunk| counted(&(scale * chunk as f64))).collect::<Values<_>>();
        recorder.told.store(0, Ordering::Relaxed);
        let tell = |_| {
            recorder.told.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        let (layout, inputs) = (Layout::new(4 * chunks, 4), vec![input(1.0), input(10.0)]);
        let walked = walk_from(&Numbers, layout, circuit, inputs, (finished, recorder), tell);
        let (outputs, resumed) = walked.expect("nothing fails");
        let outputs = outputs.iter().map(|values| values.iter().map(|value| value.0).collect()).collect();
        (outputs, resumed, recorder.told.load(Ordering::Relaxed))
    }

    #[test]
    fn a_walk_goes_on_from_where_another_was_stopped() {
        let circuit = with_sums();
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for chunks in [1, 2, 5, 9] {
            let recorder = Recorder::default();
            let (expected, whole, told) =
                one_thread.install(|| resumed(&circuit, chunks, &Store::new(), &recorder));
            assert_eq!((whole.taken_over, told), (0, whole.operations));
            let history = recorder.history.into_inner().unwrap();
            assert!(history.len() > chunks);
            for (told, store) in history {
                let (outputs, taken, more) = resumed(&circuit, chunks, &store, &Recorder::default());
                assert_eq!(outputs, expected, "{chunks} {told}");
                assert!(taken.taken_over >= told, "{chunks}: {told} of {taken:?}");
                assert_eq!(taken.taken_over + more, taken.operations, "{chunks} {told}");
            }
        }
    }

    #[test]
    fn a_walk_goes_on_from_whatever_is_left_of_what_was_finished() {
        let circuit = with_sums();
        for chunks in [1, 2, 5, 9] {
            let recorder = Recorder::default();
            let (expected, ..) = resumed(&circuit, chunks, &Store::new(), &recorder);
            let all = recorder.all.into_inner().unwrap();
            let mut random = 0x9e37_79b9_7f4a_7c15_u64 ^ chunks as u64;
            for round in 0..200 {
                let mut store = all.clone();
                store.retain(|_, _| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    random >> 32 & 7 < round % 9
                });
                let (outputs, taken, more) = resumed(&circuit, chunks, &store, &Recorder::default());
                assert_eq!(outputs, expected, "{chunks} {round}: {store:?}");
                assert_eq!(taken.taken_over + more, taken.operations, "{chunks} {round}");
            }
        }
    }

    #[test]
    fn what_lies_between_inputs_and_results_does_not_grow_with_the_rows() {
        let column = Shape::Column;
        let mut steps = vec![(Op::Input(0), column), (Op::Input(1), column)];
        // A wide middle: thirty powers that are all there before they're added up.
        steps.extend((2..32).map(|_| (Op::Mul(0, 1), column)));
        steps.push((Op::Add(2, 3), column));
        steps.extend((4..32).map(|k| (Op::Add(28 + k, k), column)));
        let last = steps.len() - 1;
        steps.push((Op::Own(LevelOp::Total(last)), Shape::Number));
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
