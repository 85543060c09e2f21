//! Walks of circuits.

use std::{ops::ControlFlow, sync::atomic::AtomicUsize};

use asanoha_compile::{Circuit, Layout};

use crate::checkpoints::keeper::{Keeper, Unkept};
use crate::checkpoints::needed::{Finished, Needed, Resumed};
use crate::slots::ended::Ended;
use crate::slots::engine::{CiphertextsOf, Engine, Span};
use crate::slots::tasks::tasks;
use crate::slots::walk::by_ciphertext::by_ciphertext;
use crate::slots::walk::state::Walk;

/// Walks a circuit from the inputs' values to the outputs'. Steps that don't wait for one another run side by side.
/// A value is dropped after its last use, and steps are ordered so that few are there at once. `done` hears how many steps are done, and may stop the walk.
///
/// Where columns are of several ciphertexts, each goes through all steps that it can before the next does, as many side by side as there are
/// threads: beside the inputs and the results, few are in memory. Sums wait for all ciphertexts, and what is computed with a
/// sum comes after it.
pub(crate) fn walk<E: Engine>(
    engine: &E,
    layout: Layout,
    circuit: &Circuit,
    inputs: Vec<CiphertextsOf<E::Value>>,
    done: impl Fn(usize) -> ControlFlow<()> + Sync,
) -> Result<Vec<CiphertextsOf<E::Value>>, Ended<E::Error>> {
    walk_from(engine, layout, circuit, inputs, (Finished::default(), &Unkept), done).map(|(values, _)| values)
}

/// The values of the outputs, and how many operations were taken over.
type Walked<V> = (Vec<CiphertextsOf<V>>, Resumed);

/// As [`walk`], from what an earlier walk on the same inputs finished, and with somewhere to keep what this one finishes. Also
/// returns how many operations there are, and how many of them weren't carried out.
pub(crate) fn walk_from<E: Engine>(
    engine: &E,
    layout: Layout,
    circuit: &Circuit,
    inputs: Vec<CiphertextsOf<E::Value>>,
    (mut finished, keeper): (Finished<E::Value>, &dyn Keeper<E::Value>),
    done: impl Fn(usize) -> ControlFlow<()> + Sync,
) -> Result<Walked<E::Value>, Ended<E::Error>> {
    let span = Span::whole::<E>(layout);
    let one_by_one = !E::REPRESENTS && span.count > 1;
    let places = if one_by_one { span.count } else { 1 };
    // Steps inside sums that are computed together may be finished: from there the others go on one by one.
    let with_forms = engine.computes_forms() && finished.values.is_empty() && finished.sums.is_empty();
    let needed = Needed::new(circuit, places, &mut finished);
    let resumed = needed.resumed();
    let walk = Walk {
        engine,
        layout,
        circuit,
        tasks: tasks(circuit, with_forms),
        needed,
        keeper,
        finished: AtomicUsize::new(resumed.taken_over),
        all: resumed.operations,
        done: &done,
    };
    let values = if one_by_one {
        by_ciphertext(&walk, span.count, inputs, finished)
    } else {
        walk.at_once(span, inputs, finished)
    };
    Ok((values?, resumed))
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

    use asanoha_lang::Shape;

    use super::*;
    use crate::checkpoints::pace::Clock;
    use crate::checkpoints::part::{Part, Parts};
    use asanoha_compile::{CircuitInput, Constant, Instruction, LevelOp, Op, Output, Step, WholeOperation};

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
            let input =
                || (0..chunks).map(|chunk| Counted::new(chunk as f64, &count)).collect::<CiphertextsOf<_>>();
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
        let input = |scale: f64| {
            (0..chunks).map(|chunk| counted(&(scale * chunk as f64))).collect::<CiphertextsOf<_>>()
        };
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
