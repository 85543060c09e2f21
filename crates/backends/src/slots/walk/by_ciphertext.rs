//! The walk of long columns, whose ciphertexts go through the steps one after another.

use asanoha_circuits::parallel::try_map_owned;

use asanoha_compile::{Circuit, LevelOp, Op};
use asanoha_lang::Shape;

use crate::checkpoints::needed::Finished;
use crate::checkpoints::pace::Clock;
use crate::checkpoints::part::Part;
use crate::slots::ended::Ended;
use crate::slots::engine::{CiphertextsOf, Engine, Span};
use crate::slots::tasks::phases::{last_uses, phases};
use crate::slots::walk::state::{Known, Walk};

/// How many ciphertexts are summed, and their sum.
type SoFar<V> = Option<(usize, V)>;

/// The columns' ciphertexts one after another.
pub(crate) fn by_ciphertext<E: Engine>(
    walk: &Walk<'_, E>,
    count: usize,
    inputs: Vec<CiphertextsOf<E::Value>>,
    mut finished: Finished<E::Value>,
) -> Result<Vec<CiphertextsOf<E::Value>>, Ended<E::Error>> {
    let circuit = walk.circuit;
    let phases = phases(circuit);
    let is_column = |at: usize| circuit.steps[at].shape == Shape::Column;
    let is_total = |at: usize| is_total(circuit, at);
    let until = last_uses(circuit, &phases);
    let mut columns: Vec<Known<E::Value>> = vec![Vec::new(); phases.len()];
    for (input, at) in inputs.into_iter().zip(walk.inputs()) {
        columns[at] = input.into_iter().map(|value| Some(vec![value])).collect();
    }
    let mut numbers: Known<E::Value> = vec![None; phases.len()];
    for ((at, chunk), value) in std::mem::take(&mut finished.values) {
        if is_column(at) { put(&mut columns[at], chunk, value) } else { numbers[at] = Some(value) }
    }
    let mut clock = Clock::start();
    for phase in 0..=phases.iter().copied().max().unwrap_or(0) {
        let of_phase = |column: bool, chunk: usize| -> Vec<usize> {
            let here = |&at: &usize| phases[at] == phase && is_column(at) == column;
            let here = |at: &usize| here(at) && !is_total(*at) && walk.needed.has(*at, chunk);
            (0..phases.len()).filter(here).collect()
        };
        // Columns of this phase take numbers of this phase.
        let beside_columns = |at: usize| circuit.steps[at].instruction.operands().any(|a| !is_column(a));
        let mut kept: Vec<bool> = until.iter().map(|&until| until > phase).collect();
        for at in (0..phases.len()).filter(|&at| is_column(at) && beside_columns(at)) {
            circuit.steps[at].instruction.operands().for_each(|operand| kept[operand] |= !is_column(operand));
        }
        let outside = |_| unreachable!("numbers are of numbers");
        numbers = walk.part(&of_phase(false, 0), Span { first: 0, count: 1 }, numbers, &kept, &outside)?;

        let summed: Vec<(usize, usize)> = (0..phases.len())
            .filter(|&at| is_total(at))
            .filter_map(|at| Some((at, circuit.steps[at].instruction.operands().next()?)))
            .filter(|&(at, of)| phases[of] == phase && walk.needed.has(at, 0))
            .collect();
        let is_input = |at: &usize| matches!(circuit.steps[*at].instruction, Op::Input(_));
        let mut columns_here = (0..phases.len()).filter(|&at| phases[at] == phase && is_column(at));
        if columns_here.all(|at| is_input(&at)) && summed.is_empty() {
            continue;
        }
        summed.iter().for_each(|&(_, of)| kept[of] = true);
        let mut totals: Vec<SoFar<E::Value>> =
            summed.iter().map(|(at, _)| finished.sums.remove(at)).collect();
        // Bootstrappings take gigabytes each, and all threads.
        let at_a_time = if circuit.bootstraps() { 1 } else { rayon::current_num_threads() };
        for first in (0..count).step_by(at_a_time) {
            let chunks = first..count.min(first + at_a_time);
            let given: Vec<Known<E::Value>> = chunks
                .clone()
                .map(|chunk| {
                    let give = |(at, column): (usize, &mut Known<E::Value>)| {
                        if until[at] <= phase { column.get_mut(chunk)?.take() } else { None }
                    };
                    columns.iter_mut().enumerate().map(give).collect()
                })
                .collect();
            let results = try_map_owned(given, &|place, given| {
                let chunk = first + place;
                let outside = |at: usize| {
                    let column = columns[at].get(chunk).and_then(Option::as_deref);
                    column.or(numbers[at].as_deref()).expect("computed in an earlier phase")
                };
                let steps = of_phase(true, chunk);
                walk.part(&steps, Span { first: chunk, count: 1 }, given, &kept, &outside)
            })?;
            for (chunk, mut values) in chunks.zip(results) {
                for (&(_, of), total) in summed.iter().zip(&mut totals) {
                    let value = values[of].as_ref().or_else(|| columns[of].get(chunk)?.as_ref());
                    sum(walk, total, chunk, value)?;
                }
                for at in (0..phases.len()).filter(|&at| phases[at] == phase && until[at] > phase) {
                    if let Some(value) = values[at].take().filter(|_| is_column(at)) {
                        put(&mut columns[at], chunk, value);
                    }
                }
            }
            let sums = summed.iter().map(|&(at, _)| at).zip(&totals);
            keep_columns(walk, &mut clock, &columns, &numbers, &sums.collect::<Vec<_>>());
        }
        for (&(at, _), total) in summed.iter().zip(totals) {
            let (_, total) = total.expect("columns have ciphertexts");
            numbers[at] = Some(vec![walk.engine.tighten(total, circuit.steps[at].bound)?]);
            walk.tell()?;
        }
    }
    Ok(walk.outputs(|step, is_last| match (is_column(step), is_last) {
        (true, true) => columns[step].drain(..).flat_map(|value| value.expect("it was kept")).collect(),
        (true, false) => columns[step].iter().flat_map(|value| value.clone().expect("it was kept")).collect(),
        (false, _) => numbers[step].clone().expect("it was kept"),
    }))
}

/// Adds a ciphertext of a column to the sum so far, unless that has it.
fn sum<E: Engine>(
    walk: &Walk<'_, E>,
    total: &mut SoFar<E::Value>,
    chunk: usize,
    value: Option<&CiphertextsOf<E::Value>>,
) -> Result<(), Ended<E::Error>> {
    if total.as_ref().is_some_and(|&(count, _)| count > chunk) {
        return Ok(());
    }
    let value = &value.expect("it was kept")[0];
    match total {
        None => *total = Some((1, value.clone())),
        Some((count, total)) => {
            walk.engine.add(total, value)?;
            *count += 1;
        }
    }
    Ok(())
}

/// Offers what there is between two groups of ciphertexts to the keeper: values of columns and numbers, and sums so far.
fn keep_columns<E: Engine>(
    walk: &Walk<'_, E>,
    clock: &mut Clock,
    columns: &[Known<E::Value>],
    numbers: &Known<E::Value>,
    sums: &[(usize, &SoFar<E::Value>)],
) {
    let is_input = |step: usize| matches!(walk.circuit.steps[step].instruction, Op::Input(_));
    let live = || {
        let computed = |&step: &usize| !is_input(step);
        let of_column = |step: usize| {
            let values = columns[step].iter().enumerate();
            values.filter_map(move |(place, value)| Some((Part::Value { step, place }, value.as_deref()?)))
        };
        let columns = (0..columns.len()).filter(computed).flat_map(of_column);
        let number = |step| Some((Part::Value { step, place: 0 }, numbers[step].as_deref()?));
        let numbers = (0..numbers.len()).filter(computed).filter_map(number);
        let sums = sums.iter().filter_map(|&(step, total)| {
            let (count, total) = total.as_ref()?;
            Some((Part::Sum { step, count: *count }, std::slice::from_ref(total)))
        });
        columns.chain(numbers).chain(sums).collect()
    };
    let is_live = |part: Part| match part {
        Part::Value { step, place } => {
            numbers[step].is_some() || columns[step].get(place).is_some_and(Option::is_some)
        }
        Part::Sum { step, count } => {
            let now = sums.iter().find(|(at, _)| *at == step).and_then(|(_, total)| total.as_ref());
            numbers[step].is_none() && now.is_none_or(|(now, _)| *now == count)
        }
    };
    walk.keeper.offer(clock, &live, &is_live);
}

/// Puts a value into its place in a column.
fn put<V>(column: &mut Known<V>, place: usize, value: CiphertextsOf<V>) {
    if column.len() <= place {
        column.resize_with(place + 1, || None);
    }
    column[place] = Some(value);
}

fn is_total(circuit: &Circuit, at: usize) -> bool {
    matches!(circuit.steps[at].instruction, Op::Own(LevelOp::Total(_)))
}
