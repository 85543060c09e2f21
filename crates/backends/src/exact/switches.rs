//! Where switching down pays that the noise alone doesn't ask for: before sums over rows, whose key switches cost the less the
//! lower they are, and before products that need no more modulus.

use std::collections::BTreeMap;

use asanoha_circuits::StageCount;
use asanoha_compile::{Circuit, Graph, Layout, Op, Operation};
use asanoha_lattice::Level;

use crate::exact::schedule::schedule_exact;
use crate::hints::SearchResult;
use crate::progress::SearchProgress;
use crate::slots::cost::evaluation_work;
use crate::slots::numbers::PlannedExact;

/// The most operations whose noise is predicted in a search, each counted once for every word of the plaintext modulus.
const OPERATIONS: usize = 1 << 15;

/// Lowers the operations of a graph, one after another, each to the level at which the whole evaluation takes the least; and
/// looks one operation ahead: where a level alone saves nothing, also with each operation that takes the result. What is
/// taken has no more transforms and no more passes than before, so it's no slower on any machine.
///
/// Source: the look-ahead is that of Mono, Güneysu, "Implementing and optimizing matrix triples with homomorphic encryption"
/// (AsiaCCS 2023), Algorithm 1; there noise is looked at, here the cost of all that follows.
pub(crate) fn switched_down<S: PlannedExact>(
    graph: &Graph,
    mut found: SearchResult<S>,
    progress: &SearchProgress,
) -> SearchResult<S> {
    let params = found.params.clone();
    let layout = Layout::new(graph.rows, params.slots());
    let work = |circuit: &Circuit| evaluation_work(circuit, S::SCHEME, params.rlwe(), layout);
    let mut least = work(&found.circuit);
    let words = 1 + params.plaintext_modulus().bits() as usize / 64;
    let schedule: usize = graph.nodes.iter().map(|node| operations(&node.operation)).sum();
    let mut tries = OPERATIONS / (schedule.max(1) * words);
    let mut attempt = |levels: &BTreeMap<usize, Level>| {
        tries = tries.checked_sub(1)?;
        progress.add_schedule().ok()?;
        let circuit = schedule_exact(graph, &params, levels).ok()?;
        Some((work(&circuit), circuit))
    };
    let takers = takers(graph);
    let mut improved = true;
    while improved {
        improved = false;
        for at in (0..graph.nodes.len()).filter(|&at| is_lowered(&graph.nodes[at].operation)) {
            for level in (0..params.max_level().0).rev().map(Level) {
                for with in std::iter::once(at).chain(takers[at].iter().copied()) {
                    let mut levels = found.hints.levels.clone();
                    levels.extend([(at, level), (with, level)]);
                    let Some((work, circuit)) = attempt(&levels) else { continue };
                    let no_slower = work.transforms <= least.transforms && work.passes <= least.passes;
                    if no_slower && work != least {
                        (least, found.circuit, found.hints.levels) = (work, circuit, levels);
                        improved = true;
                    }
                }
            }
        }
    }
    found
}

/// Whether an operation costs the less the lower it is carried out, by more than a switch.
fn is_lowered(operation: &Operation) -> bool {
    use Op::{Add, Functions, KeepSlot, MaskRows, Mul, Sub, Sum};
    matches!(operation, Add(..) | Sub(..) | Mul(..) | MaskRows(_) | KeepSlot(..) | Functions(..) | Sum(..))
}

/// How many operations of a scheme an operation is.
fn operations(operation: &Operation) -> usize {
    let Op::Functions(_, functions) = operation else { return 1 };
    let StageCount { products, tensor_products, constant_products, switches, additions: _ } =
        functions.cost().total();
    products + tensor_products + constant_products + switches
}

/// For every node, the nodes that take its result and may be lowered.
fn takers(graph: &Graph) -> Vec<Vec<usize>> {
    let mut takers = vec![Vec::new(); graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| is_lowered(&node.operation)) {
        node.operation.operands().for_each(|operand| takers[operand].push(at));
    }
    takers
}
