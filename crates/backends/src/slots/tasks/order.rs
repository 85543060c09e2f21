//! The order of tasks.

use std::collections::BTreeSet;

use asanoha_compile::{Circuit, Op};

use super::task::Task;

/// Tasks in an order in which few values are held at once: of those whose operands are there, always one that lets go of the most or
/// holds the least more, the first of equals; or as they were given, where that is an order and holds less.
pub(super) fn ordered(circuit: &Circuit, tasks: Vec<Task>) -> Vec<Task> {
    let all: Vec<&Task> = tasks.iter().collect();
    let order = greedy(circuit, &all);
    let given: Vec<usize> = (0..tasks.len()).collect();
    let peak = |order: &[usize]| {
        let groups: Vec<Vec<usize>> = order.iter().map(|&at| vec![at]).collect();
        held(circuit, &all, &groups, &|_| true).into_iter().max()
    };
    if is_order(circuit, &tasks) && peak(&given) <= peak(&order) {
        return tasks;
    }
    let mut tasks: Vec<Option<Task>> = tasks.into_iter().map(Some).collect();
    order.into_iter().map(|at| tasks[at].take().expect("each once")).collect()
}

/// Says whether every task comes after those that it waits for.
fn is_order(circuit: &Circuit, tasks: &[Task]) -> bool {
    let mut is_there = vec![false; circuit.steps.len()];
    circuit.input_steps().into_iter().for_each(|step| is_there[step] = true);
    tasks.iter().all(|task| {
        let waits = task.operands.iter().any(|&operand| !is_there[operand]);
        task.results.iter().for_each(|&result| is_there[result] = true);
        !waits
    })
}

/// Returns the number of limbs of a step's value, for one ciphertext.
pub(crate) fn limbs(circuit: &Circuit, step: usize) -> usize {
    let step = &circuit.steps[step];
    let results = match &step.instruction {
        Op::Functions(_, operation) => operation.results(),
        _ => 1,
    };
    2 * results * (step.level.0 + 1)
}

/// The dependences of tasks.
struct Graph {
    /// The values that each task takes, each once.
    operands: Vec<Vec<usize>>,
    /// The tasks that take each step's value.
    users: Vec<Vec<usize>>,
    /// The number of values of other tasks that each task waits for.
    waits: Vec<usize>,
}

impl Graph {
    fn new(steps: usize, tasks: &[&Task]) -> Self {
        let operands: Vec<Vec<usize>> = tasks.iter().map(|task| task.distinct_operands().collect()).collect();
        let mut is_made = vec![false; steps];
        tasks.iter().flat_map(|task| &task.results).for_each(|&result| is_made[result] = true);
        let mut users = vec![Vec::new(); steps];
        for (at, operands) in operands.iter().enumerate() {
            operands.iter().for_each(|&operand| users[operand].push(at));
        }
        let waits = operands.iter().map(|taken| taken.iter().filter(|&&operand| is_made[operand]).count());
        Self { waits: waits.collect(), operands, users }
    }
}

fn greedy(circuit: &Circuit, tasks: &[&Task]) -> Vec<usize> {
    let Graph { operands, users, mut waits } = Graph::new(circuit.steps.len(), tasks);
    let mut left: Vec<usize> = users.iter().map(Vec::len).collect();
    circuit.outputs.iter().for_each(|output| left[output.step] += 1);
    // The limbs that are held after each task and weren't before it.
    let size = |steps: &mut dyn Iterator<Item = usize>| -> isize {
        steps.map(|step| limbs(circuit, step) as isize).sum()
    };
    let growth = |(task, operands): (&&Task, &Vec<usize>)| {
        let last = &mut operands.iter().copied().filter(|&operand| left[operand] == 1);
        size(&mut task.results.iter().copied()) - size(last)
    };
    let mut growths: Vec<isize> = tasks.iter().zip(&operands).map(growth).collect();
    let first = (0..tasks.len()).filter(|&at| waits[at] == 0);
    let mut ready: BTreeSet<(isize, usize)> = first.map(|at| (growths[at], at)).collect();
    let (mut order, mut is_done) = (Vec::with_capacity(tasks.len()), vec![false; tasks.len()]);
    while let Some((_, at)) = ready.pop_first() {
        is_done[at] = true;
        order.push(at);
        for &operand in &operands[at] {
            left[operand] -= 1;
            if left[operand] != 1 {
                continue;
            }
            // The last one lets go of it.
            if let Some(&last) = users[operand].iter().find(|&&user| !is_done[user]) {
                let was_ready = ready.remove(&(growths[last], last));
                growths[last] -= limbs(circuit, operand) as isize;
                if was_ready {
                    ready.insert((growths[last], last));
                }
            }
        }
        for &user in tasks[at].results.iter().flat_map(|&result| &users[result]) {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.insert((growths[user], user));
            }
        }
    }
    order
}

/// Tasks in groups of at most so many, each of tasks that wait for none of the same or a later group: those come first that are
/// first in the order given.
pub(crate) fn groups(steps: usize, tasks: &[&Task], most: usize) -> Vec<Vec<usize>> {
    let Graph { users, mut waits, .. } = Graph::new(steps, tasks);
    let mut ready: BTreeSet<usize> = (0..tasks.len()).filter(|&at| waits[at] == 0).collect();
    let mut groups = Vec::new();
    while !ready.is_empty() {
        let group: Vec<usize> = (0..most).map_while(|_| ready.pop_first()).collect();
        for &user in group.iter().flat_map(|&at| &tasks[at].results).flat_map(|&result| &users[result]) {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.insert(user);
            }
        }
        groups.push(group);
    }
    groups
}

/// The tasks of a group for each of several threads. More share the work better, and hold more values at once.
const GROUP: usize = 4;

/// The most tasks of a group on so many threads.
pub(crate) fn tasks_at_a_time(threads: usize) -> usize {
    if threads > 1 { GROUP * threads } else { 1 }
}

/// Returns the number of limbs that are held while each group of tasks is carried out, and after the last one, of the values that
/// count, on one ciphertext of every column. Inputs are there from the start, and each value until its last use.
pub(crate) fn held(
    circuit: &Circuit,
    tasks: &[&Task],
    groups: &[Vec<usize>],
    counts: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let size = |step: usize| if counts(step) { limbs(circuit, step) } else { 0 };
    let mut left = vec![0; circuit.steps.len()];
    tasks.iter().flat_map(|task| task.distinct_operands()).for_each(|operand| left[operand] += 1);
    circuit.outputs.iter().for_each(|output| left[output.step] += 1);
    let mut now: usize = circuit.input_steps().into_iter().map(size).sum();
    let mut held = Vec::with_capacity(groups.len() + 1);
    for group in groups {
        now += group.iter().flat_map(|&at| &tasks[at].results).map(|&result| size(result)).sum::<usize>();
        held.push(now);
        for operand in group.iter().flat_map(|&at| tasks[at].distinct_operands()) {
            left[operand] -= 1;
            if left[operand] == 0 {
                now -= size(operand);
            }
        }
    }
    held.push(now);
    held
}
