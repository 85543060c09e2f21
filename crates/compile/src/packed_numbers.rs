//! Functions of numbers, such as the comparisons of many counts with one rank: numbers in different slots of one ciphertext are computed at
//! the cost of one.

use std::collections::HashMap;

use asanoha_lang::Shape;
use num_rational::BigRational;
use num_traits::Zero;

use super::{
    WholeOperation,
    ir::{Graph, GraphOutput, Op, Operation},
};

/// The most numbers in a ciphertext: every exact scheme's ciphertexts have as many slots.
const MOST_SLOTS: usize = 1 << 10;

/// Returns a graph in which the same function of several numbers is evaluated once, on a ciphertext that holds all of them, where that
/// takes fewer key switches. Graphs without such functions are returned unchanged.
pub(super) fn with_packed_numbers(graph: Graph) -> Graph {
    let stages = stages(&graph);
    let groups = groups(&graph, &stages);
    if groups.is_empty() {
        return graph;
    }
    let mut order: Vec<usize> = (0..graph.nodes.len()).collect();
    // What the functions of a stage are of is before all of them, and what is made of their results is after.
    order.sort_by_key(|&at| (stages[at], !is_function_of_numbers(&graph, at), at));
    let packed =
        Graph { inputs: graph.inputs.clone(), rows: graph.rows, domains: graph.domains, ..Graph::default() };
    let mut packer = Packer {
        graph: &graph,
        packed,
        rebuilt: vec![None; graph.nodes.len()],
        results: HashMap::new(),
        packed_results: HashMap::new(),
    };
    let group_of: HashMap<usize, usize> =
        groups.iter().enumerate().flat_map(|(group, of)| of.iter().map(move |&at| (at, group))).collect();
    for at in order {
        match group_of.get(&at) {
            Some(&group) if groups[group][0] == at => packer.pack(&groups[group]),
            Some(_) => {}
            None => packer.copy(at),
        }
    }
    let outputs = graph.outputs.iter();
    let outputs =
        outputs.map(|output| GraphOutput { node: packer.node_of(output.node), ..output.clone() }).collect();
    Graph { outputs, ..packer.packed }.pruned()
}

fn is_function_of_numbers(graph: &Graph, at: usize) -> bool {
    let node = &graph.nodes[at];
    node.shape == Shape::Number && matches!(node.operation, Op::Functions(..))
}

/// How many functions of numbers are on a way to each node, itself included.
fn stages(graph: &Graph) -> Vec<usize> {
    let mut stages: Vec<usize> = Vec::with_capacity(graph.nodes.len());
    for (at, node) in graph.nodes.iter().enumerate() {
        let mut stage = 0;
        node.operation.clone().each_operand(|operand| stage = stage.max(stages[*operand]));
        stages.push(stage + usize::from(is_function_of_numbers(graph, at)));
    }
    stages
}

/// The functions that are evaluated together: equal, of the same stage, and no more than a block has slots.
fn groups(graph: &Graph, stages: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(usize, &WholeOperation, Vec<usize>)> = Vec::new();
    for at in (0..graph.nodes.len()).filter(|&at| is_function_of_numbers(graph, at)) {
        let Op::Functions(_, operation) = &graph.nodes[at].operation else { continue };
        match groups.iter_mut().find(|(stage, other, _)| *stage == stages[at] && *other == operation) {
            Some((_, _, members)) => members.push(at),
            None => groups.push((stages[at], operation, vec![at])),
        }
    }
    let block = graph.rows.next_power_of_two();
    let slots = block.min(MOST_SLOTS);
    let are_summed = are_summed(graph);
    let pays = |operation: &WholeOperation, members: &[usize]| {
        let (total, count) = (operation.cost().total(), members.len());
        let spared = (total.products + total.switches) * (count - 1);
        // Each number is masked before and after. A sum over a block takes rotations.
        let sums = if members.iter().all(|&at| are_summed[at]) { 1 } else { count };
        let rotations = sums * operation.results() * block.ilog2() as usize;
        let masks = count * (1 + operation.results());
        // And two products with masks make the circuit deeper.
        count > 1 && spared > 2 * (masks + rotations)
    };
    groups
        .into_iter()
        .flat_map(|(_, operation, members)| {
            let count = members.len().div_ceil(members.len().div_ceil(slots));
            let chunks = members.chunks(count).filter(|chunk| pays(operation, chunk));
            chunks.map(<[usize]>::to_vec).collect::<Vec<_>>()
        })
        .collect()
}

/// Of each function, whether its results are only added up, with constant factors: then they need one sum over a block.
fn are_summed(graph: &Graph) -> Vec<bool> {
    let mut are_summed = vec![true; graph.nodes.len()];
    graph.outputs.iter().for_each(|output| are_summed[output.node] = false);
    for node in graph.nodes.iter().rev() {
        let mut operation = node.operation.clone();
        if !is_linear(&operation) {
            operation.each_operand(|operand| are_summed[*operand] = false);
        }
    }
    for (at, node) in graph.nodes.iter().enumerate() {
        if let Op::Result(functions, _) = node.operation {
            are_summed[functions] &= are_summed[at];
        }
    }
    are_summed
}

fn is_linear(operation: &Operation) -> bool {
    use Op::{Add, AddConstant, MulConstant, Neg, Result, Sub};
    matches!(operation, Add(..) | Sub(..) | Neg(_) | AddConstant(..) | MulConstant(..) | Result(..))
}

/// A value of the rebuilt graph.
#[derive(Clone)]
enum Rebuilt {
    /// A node.
    Node(usize),
    /// The sum over a block of a node, plus a constant. It's computed once for a linear combination of many such values.
    Unsummed(usize, BigRational),
}

/// A graph that is rebuilt with packed numbers.
struct Packer<'a> {
    graph: &'a Graph,
    packed: Graph,
    /// What each node became.
    rebuilt: Vec<Option<Rebuilt>>,
    /// Of each function in a group, the node that holds the results of all, and its slot.
    results: HashMap<usize, (usize, usize)>,
    /// The results of functions of many numbers.
    packed_results: HashMap<(usize, usize), usize>,
}

impl Packer<'_> {
    /// Adds an operation whose operands are there, with what is known of a node's values.
    fn push(&mut self, operation: Operation, like: usize) -> usize {
        let at = self.packed.push(operation);
        let known = &self.graph.nodes[like];
        self.packed.tighten(at, known.rows);
        if let Some(range) = &known.range {
            self.packed.state(at, range.clone());
        }
        at
    }

    fn rebuilt(&self, node: usize) -> Rebuilt {
        self.rebuilt[node].clone().expect("operands are rebuilt before what is made of them")
    }

    /// The node that a node became.
    fn node_of(&mut self, node: usize) -> usize {
        let (summed, constant) = match self.rebuilt(node) {
            Rebuilt::Node(at) => return at,
            Rebuilt::Unsummed(summed, constant) => (summed, constant),
        };
        let sum = Op::Sum(summed, ());
        let at = if constant.is_zero() {
            self.push(sum, node)
        } else {
            let sum = self.packed.push(sum);
            self.push(Op::AddConstant(sum, constant), node)
        };
        self.rebuilt[node] = Some(Rebuilt::Node(at));
        at
    }

    fn copy(&mut self, at: usize) {
        let mut operation = self.graph.nodes[at].operation.clone();
        let unsummed = self.unsummed(&operation, at);
        let rebuilt = unsummed.unwrap_or_else(|| {
            operation.each_operand(|operand| *operand = self.node_of(*operand));
            Rebuilt::Node(self.push(operation, at))
        });
        self.rebuilt[at] = Some(rebuilt);
    }

    /// A result of functions of many numbers, or what is made of such results without the sums over a block.
    fn unsummed(&mut self, operation: &Operation, at: usize) -> Option<Rebuilt> {
        use Op::{Add, AddConstant, KeepSlot, MulConstant, Neg, Result, Sub};
        use Rebuilt::Unsummed;
        let (packed, constant) = match operation {
            Result(functions, index) => {
                let &(packed, slot) = self.results.get(functions)?;
                let graph = &mut self.packed;
                let results = self.packed_results.entry((packed, *index));
                let results = *results.or_insert_with(|| graph.push(Result(packed, *index)));
                return Some(Unsummed(self.push(KeepSlot(results, slot), at), BigRational::zero()));
            }
            Add(a, b) | Sub(a, b) => {
                let (Unsummed(a, c), Unsummed(b, d)) = (self.rebuilt(*a), self.rebuilt(*b)) else {
                    return None;
                };
                if matches!(operation, Add(..)) { (Add(a, b), c + d) } else { (Sub(a, b), c - d) }
            }
            AddConstant(a, k) => {
                let Unsummed(a, c) = self.rebuilt(*a) else { return None };
                return Some(Unsummed(a, c + k));
            }
            MulConstant(a, k) => {
                let Unsummed(a, c) = self.rebuilt(*a) else { return None };
                (MulConstant(a, k.clone()), c * k)
            }
            Neg(a) => {
                let Unsummed(a, c) = self.rebuilt(*a) else { return None };
                (Neg(a), -c)
            }
            _ => return None,
        };
        Some(Unsummed(self.packed.push(packed), constant))
    }

    /// Evaluates the same function of many numbers at once.
    fn pack(&mut self, group: &[usize]) {
        let operands_of = |at: usize| match &self.graph.nodes[at].operation {
            Op::Functions(operands, _) => operands.clone(),
            _ => unreachable!("groups are of functions"),
        };
        let Op::Functions(first, operation) = self.graph.nodes[group[0]].operation.clone() else {
            unreachable!("groups are of functions")
        };
        let operands: Vec<Vec<usize>> = group.iter().map(|&at| operands_of(at)).collect();
        let of_all = |k: usize| operands.iter().map(|of| of[k]).collect::<Vec<_>>();
        let packed = (0..first.len()).map(|k| self.side_by_side(&of_all(k))).collect();
        let functions = self.packed.push(Op::Functions(packed, operation));
        self.results.extend(group.iter().enumerate().map(|(slot, &at)| (at, (functions, slot))));
        group.iter().for_each(|&at| self.rebuilt[at] = Some(Rebuilt::Node(functions)));
    }

    /// Numbers in different slots of one ciphertext; one that is the same in all of them as it is.
    fn side_by_side(&mut self, numbers: &[usize]) -> usize {
        if numbers.iter().all(|&number| number == numbers[0]) {
            return self.node_of(numbers[0]);
        }
        let most = numbers.iter().map(|&number| self.graph.nodes[number].rows).fold(0.0, f64::max);
        let mut kept = Vec::with_capacity(numbers.len());
        for (slot, &number) in numbers.iter().enumerate() {
            let operation = Op::KeepSlot(self.node_of(number), slot);
            kept.push(self.push(operation, number));
        }
        let sums = kept.into_iter().reduce(|sum, kept| {
            let sum = self.packed.push(Op::Add(sum, kept));
            self.packed.tighten(sum, most);
            sum
        });
        sums.expect("a group has members")
    }
}
