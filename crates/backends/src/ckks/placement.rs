//! Where a graph's values are bootstrapped: the fewest ciphertexts that all that is too deep goes through.

use std::collections::{BTreeSet, VecDeque};

use asanoha_compile::{Graph, Op, Positions};
use asanoha_lang::Shape;

/// Which places are taken, of those that cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Preference {
    /// Before a polynomial that the levels left don't hold, or where they end.
    pub before_polynomials: bool,
    /// The last places before the levels end, or the first from which they'd suffice.
    pub late: bool,
}

impl Preference {
    /// All preferences.
    pub(crate) const ALL: [Self; 4] = [
        Self { before_polynomials: true, late: true },
        Self { before_polynomials: true, late: false },
        Self { before_polynomials: false, late: true },
        Self { before_polynomials: false, late: false },
    ];
}

/// The nodes that are bootstrapped as soon as they're computed, so that none goes more than `levels` levels down: whenever one
/// would, a cut of the least cost between it and all that is too far above it. `chunks` is the number of
/// ciphertexts of a column.
///
/// Levels are counted a product each. Schedules may take more, and have to bootstrap what this hasn't foreseen.
pub(crate) fn bootstrap_placement(
    graph: &Graph,
    levels: usize,
    chunks: usize,
    preference: Preference,
) -> BTreeSet<usize> {
    let levels = levels as isize;
    let mut places = BTreeSet::new();
    let needs = if preference.before_polynomials { lengths(graph) } else { vec![0; graph.nodes.len()] };
    let mut left: Vec<isize> = Vec::with_capacity(graph.nodes.len());
    while left.len() < graph.nodes.len() {
        let at = left.len();
        let from = operands(graph, at).map(|operand| left[operand]).min().unwrap_or(levels);
        left.push(if places.contains(&at) { levels } else { from - cost(graph, at) });
        let need = if needs[at] > levels { 0 } else { needs[at] };
        if left[at] >= need {
            continue;
        }
        let search = Search { graph, left: &left, chunks, target: at, need, levels };
        let cut = search.least_cut(preference.late);
        let Some(&first) = cut.first() else { break };
        places.extend(cut);
        left.truncate(first);
    }
    places
}

/// The levels that an operation takes.
fn cost(graph: &Graph, at: usize) -> isize {
    match &graph.nodes[at].operation {
        Op::Mul(..) | Op::MaskRows(_) | Op::KeepSlot(..) => 1,
        Op::MulConstant(_, k) => isize::from(!k.is_integer()),
        _ => 0,
    }
}

fn operands(graph: &Graph, at: usize) -> Positions<'_> {
    graph.nodes[at].operation.operands()
}

/// The levels from every node that absorbs its noise to the end of the polynomial that it begins; 0 of other nodes.
fn lengths(graph: &Graph) -> Vec<isize> {
    let is_end = |at: usize| matches!(graph.nodes[at].operation, Op::AbsorbNoise { .. } | Op::Own(_));
    let mut below = vec![0; graph.nodes.len()];
    for at in (0..graph.nodes.len()).rev().filter(|&at| !is_end(at)) {
        let longest = below[at] + cost(graph, at);
        operands(graph, at).for_each(|operand| below[operand] = longest.max(below[operand]));
    }
    for (at, length) in below.iter_mut().enumerate() {
        if !matches!(graph.nodes[at].operation, Op::AbsorbNoise { .. }) {
            *length = 0;
        }
    }
    below
}

/// The search for what is bootstrapped so that a node has the levels that it needs.
struct Search<'a> {
    graph: &'a Graph,
    /// The levels left of the nodes up to the target.
    left: &'a [isize],
    chunks: usize,
    target: usize,
    need: isize,
    levels: isize,
}

impl Search<'_> {
    /// Whether there are too few levels on a way from an operand through a node from where it's so far to the target.
    fn is_too_long(&self, operand: usize, at: usize, distance: isize) -> bool {
        self.left[operand] - cost(self.graph, at) - distance < self.need
    }

    /// The levels from every node down to the target on the longest way; `None` of nodes from which no way is too long.
    fn distances(&self) -> Vec<Option<isize>> {
        let mut distances = vec![None; self.target + 1];
        distances[self.target] = Some(0);
        for at in (0..=self.target).rev() {
            let Some(distance) = distances[at] else { continue };
            let above = distance + cost(self.graph, at);
            for operand in operands(self.graph, at) {
                if self.is_too_long(operand, at, distance) {
                    distances[operand] = distances[operand].max(Some(above));
                }
            }
        }
        distances
    }

    /// How many ciphertexts bootstrapping a node takes; `None` where it can't be done, or doesn't help.
    fn capacity(&self, at: usize, distance: isize) -> Option<usize> {
        let node = &self.graph.nodes[at];
        let is_step = match &node.operation {
            // Fractions are multiplied by only when the product is used.
            Op::MulConstant(_, k) => k.is_integer(),
            // What absorbed its noise is what a polynomial is fitted for.
            Op::AbsorbNoise { .. } => false,
            _ => true,
        };
        let helps = at != self.target && is_step && distance + self.need <= self.levels;
        helps.then_some(if node.shape == Shape::Column { self.chunks } else { 1 })
    }

    /// The least vertex cut, by augmenting paths (Edmonds, Karp 1972) between nodes' two halves: 2·at is where a node is entered,
    /// 2·at + 1 where it's left.
    fn least_cut(&self, late: bool) -> Vec<usize> {
        let distances = self.distances();
        let nodes: Vec<usize> = (0..=self.target).filter(|&at| distances[at].is_some()).collect();
        let place = |at: usize| nodes.binary_search(&at).expect("it leads to the target");
        let mut network = Network::new(2 * nodes.len() + 1);
        let source = 2 * nodes.len();
        for (here, &at) in nodes.iter().enumerate() {
            let distance = distances[at].expect("it's among them");
            let capacity = self.capacity(at, distance);
            network.connect(2 * here, 2 * here + 1, capacity.unwrap_or(Network::ENDLESS));
            if distance + self.need > self.levels {
                network.connect(source, 2 * here, Network::ENDLESS);
            }
            let operands = operands(self.graph, at);
            for operand in operands.filter(|&operand| self.is_too_long(operand, at, distance)) {
                network.connect(2 * place(operand) + 1, 2 * here, Network::ENDLESS);
            }
        }
        let sink = 2 * place(self.target) + 1;
        if !network.saturate(source, sink) {
            return Vec::new();
        }
        // Halves on different sides of the cut.
        let side: Vec<bool> = if late {
            network.reaching(sink).into_iter().map(|reaches| !reaches).collect()
        } else {
            network.reached(source)
        };
        let is_cut = |here: &usize| side[2 * here] && !side[2 * here + 1];
        (0..nodes.len()).filter(is_cut).map(|here| nodes[here]).collect()
    }
}

/// A network of edges with what they can still carry, each beside the one back.
struct Network {
    edges: Vec<(usize, usize)>,
    of: Vec<Vec<usize>>,
}

impl Network {
    const ENDLESS: usize = usize::MAX / 4;

    fn new(vertices: usize) -> Self {
        Self { edges: Vec::new(), of: vec![Vec::new(); vertices] }
    }

    fn connect(&mut self, from: usize, to: usize, capacity: usize) {
        for (at, edge) in [(from, (to, capacity)), (to, (from, 0))] {
            self.of[at].push(self.edges.len());
            self.edges.push(edge);
        }
    }

    /// Sends all that goes from a source to a sink; `false` if that's without end.
    fn saturate(&mut self, source: usize, sink: usize) -> bool {
        loop {
            let mut by = vec![None; self.of.len()];
            let mut queue = VecDeque::from([source]);
            while let Some(at) = queue.pop_front() {
                for &edge in &self.of[at] {
                    let (to, capacity) = self.edges[edge];
                    if capacity > 0 && to != source && by[to].is_none() {
                        by[to] = Some(edge);
                        queue.push_back(to);
                    }
                }
            }
            let mut path = Vec::new();
            let mut at = sink;
            while let Some(edge) = by[at] {
                path.push(edge);
                at = self.edges[edge ^ 1].0;
            }
            let Some(flow) = path.iter().map(|&edge| self.edges[edge].1).min() else { return true };
            if flow >= Self::ENDLESS / 2 {
                return false;
            }
            for edge in path {
                self.edges[edge].1 -= flow;
                self.edges[edge ^ 1].1 += flow;
            }
        }
    }

    /// The vertices that more could be sent to.
    fn reached(&self, source: usize) -> Vec<bool> {
        self.closure(source, |edge| self.edges[edge].1 > 0)
    }

    /// The vertices that more could be sent from.
    fn reaching(&self, sink: usize) -> Vec<bool> {
        self.closure(sink, |edge| self.edges[edge ^ 1].1 > 0)
    }

    fn closure(&self, from: usize, goes: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut found = vec![false; self.of.len()];
        found[from] = true;
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            for &edge in self.of[at].iter().filter(|&&edge| goes(edge)) {
                let to = self.edges[edge].0;
                if !std::mem::replace(&mut found[to], true) {
                    stack.push(to);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use asanoha_compile::{Carry, CircuitInput, Operation};

    fn graph(operations: Vec<Operation>) -> Graph {
        let inputs = vec![CircuitInput::column("x")];
        let mut graph = Graph { rows: 1000, inputs, ..Graph::default() };
        operations.into_iter().for_each(|operation| {
            graph.push(operation);
        });
        graph
    }

    #[test]
    fn numbers_are_bootstrapped_rather_than_columns_of_many_ciphertexts() {
        // x² … x^16 in one column, its sum, the sum times x, squared again and again.
        let mut operations = vec![Op::Input(0)];
        operations.extend((0..4).map(|at| Op::Mul(at, at)));
        operations.extend([Op::Sum(4, ()), Op::Mul(5, 0)]);
        operations.extend((6..9).map(|at| Op::Mul(at, at)));
        let graph = graph(operations);
        for preference in Preference::ALL {
            assert_eq!(bootstrap_placement(&graph, 5, 10, preference), BTreeSet::from([5]), "{preference:?}");
            assert!(bootstrap_placement(&graph, 8, 10, preference).is_empty());
            // With one ciphertext a column, the last nodes that have levels are as good.
            let places = bootstrap_placement(&graph, 5, 1, preference);
            assert!(!preference.late || places == BTreeSet::from([6]), "{places:?}");
        }
    }

    #[test]
    fn one_value_is_bootstrapped_rather_than_the_two_made_of_it() {
        // Two products of a deep value, and both of them times themselves.
        let mut operations = vec![Op::Input(0)];
        operations.extend((0..4).map(|at| Op::Mul(at, at)));
        operations.extend([Op::Mul(4, 0), Op::Mul(4, 1)]);
        operations.extend([Op::Mul(5, 5), Op::Mul(6, 6), Op::Mul(7, 8)]);
        let graph = graph(operations);
        let places = bootstrap_placement(&graph, 6, 1, Preference { before_polynomials: false, late: true });
        assert_eq!(places.len(), 1, "{places:?}");
        assert!(places.iter().all(|&at| (1..=4).contains(&at)));
    }

    #[test]
    fn polynomials_begin_with_the_levels_that_they_take() {
        let mut operations = vec![Op::Input(0)];
        operations.extend((0..3).map(|at| Op::Mul(at, at)));
        operations.push(Op::AbsorbNoise { a: 3, within: 0.1, left: 0.0 });
        operations.extend((4..7).map(|at| Op::Mul(at, at)));
        operations.push(Op::Own(Carry { a: 7, absorbed: 4, slope: 1.0 }));
        let graph = graph(operations);
        let early = Preference { before_polynomials: true, late: true };
        assert_eq!(bootstrap_placement(&graph, 5, 1, early), BTreeSet::from([3]));
        let late = bootstrap_placement(&graph, 5, 1, Preference { before_polynomials: false, late: true });
        assert!(late.first().is_some_and(|&at| at > 4), "{late:?}");
    }

    /// Every graph of random products is cut so that no way is longer than the levels.
    #[test]
    fn no_way_between_places_is_longer_than_the_levels() {
        let mut seed = 1u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for _ in 0..200 {
            let mut operations = vec![Op::Input(0)];
            for at in 1..60 {
                let mut recent = || at - 1 - random(at.min(6));
                let (a, b) = (recent(), recent());
                operations.push(match random(4) {
                    0 => Op::Add(a, b),
                    1 => Op::Sum(a, ()),
                    _ => Op::Mul(a, b),
                });
            }
            let graph = graph(operations);
            for preference in Preference::ALL {
                let levels = 4;
                let places = bootstrap_placement(&graph, levels, 3, preference);
                let mut left: Vec<isize> = Vec::new();
                for at in 0..graph.nodes.len() {
                    let from = operands(&graph, at).map(|a| left[a]).min();
                    let own = from.unwrap_or(levels as isize) - cost(&graph, at);
                    assert!(own >= 0, "{preference:?} {at}");
                    left.push(if places.contains(&at) { levels as isize } else { own });
                }
            }
        }
    }
}
