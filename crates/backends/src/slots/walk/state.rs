//! The state of a walk.

use std::{
    borrow::Cow,
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

use asanoha_circuits::parallel::try_map_owned;
use asanoha_compile::{Circuit, Layout, Op};

use crate::checkpoints::keeper::Keeper;
use crate::checkpoints::needed::{Finished, Needed};
use crate::checkpoints::pace::Clock;
use crate::checkpoints::part::Part;
use crate::slots::ended::Ended;
use crate::slots::engine::{CiphertextsOf, Engine, Span, apply_task};
use crate::slots::tasks::{
    Task,
    order::{groups, tasks_at_a_time},
};

/// Values of some steps, by the positions of these.
pub(crate) type Known<V> = Vec<Option<CiphertextsOf<V>>>;

/// A walk of a circuit by an engine.
pub(crate) struct Walk<'a, E: Engine> {
    pub(crate) engine: &'a E,
    pub(crate) layout: Layout,
    pub(crate) circuit: &'a Circuit,
    /// The tasks, in order.
    pub(crate) tasks: Vec<Task>,
    /// What isn't finished yet.
    pub(crate) needed: Needed,
    pub(crate) keeper: &'a dyn Keeper<E::Value>,
    /// How often a step has been carried out.
    pub(crate) finished: AtomicUsize,
    /// How often all are.
    pub(crate) all: usize,
    pub(crate) done: &'a (dyn Fn(usize) -> ControlFlow<()> + Sync),
}

impl<E: Engine> Walk<'_, E> {
    /// All steps, each on all ciphertexts.
    pub(crate) fn at_once(
        &self,
        span: Span,
        inputs: Vec<CiphertextsOf<E::Value>>,
        finished: Finished<E::Value>,
    ) -> Result<Vec<CiphertextsOf<E::Value>>, Ended<E::Error>> {
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
    pub(crate) fn part<'v>(
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
        let is_in = |step: usize| steps.binary_search(&step).is_ok();
        let tasks: Vec<&Task> = self.tasks.iter().filter(|task| is_in(task.results[0])).collect();
        let mut uses: Vec<usize> = kept.iter().map(|&kept| usize::from(kept)).collect();
        tasks.iter().flat_map(|task| &task.operands).for_each(|&operand| uses[operand] += 1);
        let mut clock = Clock::start();
        for group in groups(values.len(), &tasks, tasks_at_a_time(rayon::current_num_threads())) {
            // What nothing else takes any more is given away, to be overwritten.
            let mut give = |&operand: &usize| if uses[operand] == 1 { values[operand].take() } else { None };
            let given: Vec<Vec<_>> =
                group.iter().map(|&at| tasks[at].operands.iter().map(&mut give).collect()).collect();
            let results = try_map_owned(given, &|place, given: Vec<Option<CiphertextsOf<E::Value>>>| {
                let task = tasks[group[place]];
                let operand = |(&at, given): (&usize, Option<_>)| match given {
                    Some(value) => Cow::Owned(value),
                    None => Cow::Borrowed(values[at].as_deref().unwrap_or_else(|| outside(at))),
                };
                let operands = task.operands.iter().zip(given).map(operand).collect();
                let of = (self.circuit, self.layout);
                let results = apply_task(self.engine, of, span, task, operands)?;
                task.steps().iter().try_for_each(|_| self.tell())?;
                Ok::<_, Ended<E::Error>>(results)
            })?;
            for (task, results) in group.iter().map(|&at| tasks[at]).zip(results) {
                for (&at, result) in task.results.iter().zip(results) {
                    values[at] = Some(result);
                }
                for &operand in &task.operands {
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
    pub(crate) fn inputs(&self) -> Vec<usize> {
        self.circuit.input_steps()
    }

    /// The results, of which each is asked for by its step, and whether no other result is of that step.
    pub(crate) fn outputs(
        &self,
        mut value: impl FnMut(usize, bool) -> CiphertextsOf<E::Value>,
    ) -> Vec<CiphertextsOf<E::Value>> {
        let outputs = &self.circuit.outputs;
        let is_last =
            |place: usize| outputs[place + 1..].iter().all(|other| other.step != outputs[place].step);
        (0..outputs.len()).map(|place| value(outputs[place].step, is_last(place))).collect()
    }

    pub(crate) fn tell(&self) -> Result<(), Ended<E::Error>> {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        match (self.done)(self.circuit.steps.len() * finished / self.all) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Ended::Stopped),
        }
    }
}
