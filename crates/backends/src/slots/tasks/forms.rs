//! Sums of multiples that take the same values, put together: each value is read from memory once for all of them, and
//! no multiple is written to memory.

use std::collections::{BTreeMap, BTreeSet};

use asanoha_compile::{Circuit, Factor, LevelOp, Op, Step, Term};
use asanoha_lang::Shape;

use super::{
    phases::phases,
    task::{Forms, Multiple, Task},
};

/// The most sums that are computed together: their blocks stay in the cache beside those of the values.
const MOST_ROWS: usize = 32;
/// Sums are put together where the matrix of their factors has at most so many times as many entries as there are multiples.
const MOST_ZEROS: f64 = 1.25;
/// A sum takes at most so many values that only it needs, but inputs: step by step they'd go one after another, and weren't held at
/// once.
const MOST_HELD: usize = 4;
/// The most factors of a value, one after another.
const MOST_FACTORS: usize = 8;

/// One sum: its step, the steps inside, and its multiples of other steps' values, of which `place` is the step.
struct Row {
    step: usize,
    inside: Vec<usize>,
    multiples: Vec<Multiple>,
}

/// The steps of a circuit but inputs as tasks, in the order of their last results.
pub(super) fn tasks(circuit: &Circuit) -> Vec<Task> {
    let phases = phases(circuit);
    let mut absorbed = absorbed(circuit, &phases);
    leave_long_sums(circuit, &mut absorbed);
    // The number of tasks, one after another, that each value waits for.
    let mut depths = vec![0; circuit.steps.len()];
    let mut tasks: Vec<Task> = Vec::new();
    let mut open: BTreeMap<(usize, usize, bool, usize), Vec<Row>> = BTreeMap::new();
    for (at, step) in circuit.steps.iter().enumerate() {
        if absorbed[at] || matches!(step.instruction, Op::Input(_)) {
            continue;
        }
        let row = row(circuit, &absorbed, at);
        let deepest = match &row {
            Some(row) => row.multiples.iter().map(|multiple| depths[multiple.place]).max(),
            None => step.instruction.operands().map(|operand| depths[operand]).max(),
        };
        let depth = deepest.unwrap_or(0) + 1;
        depths[at] = depth;
        let Some(row) = row else {
            tasks.push(Task::step(circuit, at));
            continue;
        };
        // None waits for another of the same depth.
        let is_column = step.shape == Shape::Column;
        let together = open.entry((depth, step.level.0, is_column, phases[at])).or_default();
        if !fits(together, &row) {
            tasks.push(task(circuit, std::mem::take(together)));
        }
        together.push(row);
    }
    tasks.extend(open.into_values().map(|rows| task(circuit, rows)));
    tasks.sort_by_key(|task| task.results.last().copied());
    tasks
}

/// Says whether a step is a sum of multiples.
fn is_linear(step: &Step) -> bool {
    matches!(
        step.instruction,
        Op::Add(..) | Op::Sub(..) | Op::Neg(_) | Op::MulConstant(..) | Op::Own(LevelOp::Multiples(..))
    )
}

/// Marks the sums of multiples that are taken in another one, and nowhere else.
fn absorbed(circuit: &Circuit, phases: &[usize]) -> Vec<bool> {
    let uses = circuit.use_counts();
    // Only sums in one pass bring values of higher levels down.
    let lowers = |step: &Step| matches!(step.instruction, Op::Own(LevelOp::Multiples(..)));
    let is_level = |step: &Step| {
        lowers(step) || step.instruction.operands().all(|operand| circuit.steps[operand].level == step.level)
    };
    let mut absorbed = vec![false; uses.len()];
    // The factors that a value is multiplied by on its way to the sum.
    let mut factors = vec![0; uses.len()];
    for (at, step) in circuit.steps.iter().enumerate().rev() {
        let multiplies = !matches!(step.instruction, Op::Add(..) | Op::Sub(..) | Op::Neg(_));
        if !absorbed[at] {
            factors[at] = 0;
        }
        let of_parts = factors[at] + usize::from(multiplies);
        if !is_linear(step) || !is_level(step) || of_parts > MOST_FACTORS {
            continue;
        }
        for operand in step.instruction.operands() {
            let inner = &circuit.steps[operand];
            // A number beside a column would be computed for each of its ciphertexts.
            let is_alike = (inner.shape, phases[operand]) == (step.shape, phases[at]);
            absorbed[operand] = is_linear(inner) && is_level(inner) && is_alike && uses[operand] == 1;
            factors[operand] = of_parts;
        }
    }
    absorbed
}

/// Leaves sums as they are that would hold more values.
fn leave_long_sums(circuit: &Circuit, absorbed: &mut [bool]) {
    let uses = circuit.use_counts();
    let goes = |multiple: &&Multiple| {
        let step = multiple.place;
        uses[step] == 1 && !matches!(circuit.steps[step].instruction, Op::Input(_))
    };
    for at in 0..circuit.steps.len() {
        let row = if absorbed[at] { None } else { row(circuit, absorbed, at) };
        if let Some(row) = row
            && row.multiples.iter().filter(goes).count() > MOST_HELD
        {
            row.inside.into_iter().for_each(|step| absorbed[step] = false);
        }
    }
}

/// A step as a sum of multiples, if it's more than one operation.
fn row(circuit: &Circuit, absorbed: &[bool], at: usize) -> Option<Row> {
    let step = &circuit.steps[at];
    let is_sum = matches!(step.instruction, Op::Own(LevelOp::Multiples(..)));
    let takes_in = is_linear(step) && step.instruction.operands().any(|operand| absorbed[operand]);
    if !(is_sum || takes_in) {
        return None;
    }
    let mut row = Row { step: at, inside: Vec::new(), multiples: Vec::new() };
    let mut left = vec![Multiple { place: at, factors: Vec::new(), negative: false }];
    while let Some(sum) = left.pop() {
        if sum.place != at {
            row.inside.push(sum.place);
        }
        let mut part = |a: usize, factor: Option<&Factor>, negates: bool| {
            let factors = sum.factors.iter().chain(factor).cloned().collect();
            let part = Multiple { place: a, factors, negative: sum.negative != negates };
            if absorbed[a] { left.push(part) } else { row.multiples.push(part) }
        };
        match circuit.steps[sum.place].instruction {
            Op::Add(a, b) => {
                part(a, None, false);
                part(b, None, false);
            }
            Op::Sub(a, b) => {
                part(a, None, false);
                part(b, None, true);
            }
            Op::Neg(a) => part(a, None, true),
            Op::MulConstant(a, ref factor) => part(a, Some(factor), false),
            Op::Own(LevelOp::Multiples(ref terms, _)) => {
                terms.iter().for_each(|Term { a, factor }| part(*a, Some(factor), false));
            }
            _ => unreachable!("only sums of multiples are taken in"),
        }
    }
    Some(row)
}

/// Says whether a sum takes so much of what others take that it's computed with them.
fn fits(others: &[Row], row: &Row) -> bool {
    let of = |row: &Row| row.multiples.iter().map(|multiple| multiple.place).collect::<BTreeSet<_>>();
    let Some(first) = others.first() else { return true };
    let all: usize = others.iter().chain([row]).map(|row| row.multiples.len()).sum();
    let mut values = of(row);
    // Each of the others fits the first.
    values.extend(of(first));
    let entries = values.len() * (others.len() + 1);
    others.len() < MOST_ROWS && entries as f64 <= MOST_ZEROS * all as f64
}

/// The task of sums.
fn task(circuit: &Circuit, rows: Vec<Row>) -> Task {
    if let [Row { step, inside, .. }] = &rows[..]
        && inside.is_empty()
    {
        return Task::step(circuit, *step);
    }
    let values = rows.iter().flat_map(|row| row.multiples.iter().map(|multiple| multiple.place));
    let operands: Vec<usize> = values.collect::<BTreeSet<_>>().into_iter().collect();
    let place = |a: usize| operands.binary_search(&a).expect("one of them");
    let mut inside: Vec<usize> = rows.iter().flat_map(|row| row.inside.iter().copied()).collect();
    inside.sort_unstable();
    let multiple = |multiple: Multiple| Multiple { place: place(multiple.place), ..multiple };
    let results = rows.iter().map(|row| row.step).collect();
    let rows = rows.into_iter().map(|row| row.multiples.into_iter().map(multiple).collect()).collect();
    Task { results, operands, forms: Some(Forms { inside, rows }) }
}
