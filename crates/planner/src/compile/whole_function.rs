//! Functions of whole numbers in the arithmetic graph: which table of which variables computes each.

use asanoha_circuits::{BinaryFunction, MAX_TABLE_SIDE};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::{
    SmallFunction, VARIABLES, WholeOperation,
    digits::against_zero,
    expand::{ExpandError, Expander, Value, Values},
    graph::Operation,
};
use crate::program::{Function, Kind, Node, NodeId, Operand, Program, Range, Support, part};

/// The most values of the only variable of a table.
pub(super) const MAX_VALUES: u64 = (1 << 16) + 1;
/// And of one that spares comparisons: more are compared by their digits.
const MAX_FOLDED: u64 = MAX_TABLE_SIDE as u64;

impl Expander<'_> {
    /// A function of whole numbers, by the cheapest of the ways that its variables' ranges allow:
    ///
    /// 0. A comparison of a column with a constant: a bit that the client encrypts, if these are few.
    /// 1. Computed from one column (or sum): one table of that column, whatever stands between; of a wide column only
    ///    where a division or a table is on the way.
    /// 2. Computed from two, with a division or a table of two on the way: one table of both.
    /// 3. Comparisons, minimum, maximum: a table of the difference, or by digits.
    /// 4. `where`: b + c·(a − b) for a condition c of 0 and 1; |a| = a − 2·\[a < 0\]·a for a wide range.
    /// 5. Division by one of few divisors: the sum over them, where the client encrypts what is multiplied. Division of values that are too
    ///    wide for a table: long division by digits.
    /// 6. All others: a table of the operands as they are.
    pub(super) fn whole_function(
        &mut self,
        id: NodeId,
        function: &Function,
        operands: &[Operand],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        if !self.analysed.is_whole(id) {
            return match (function.kind(), operands) {
                (Kind::Choice, &[Operand::Value(condition), a, b]) if self.analysed.is_whole(condition) => {
                    self.choice(operands[0], [a, b], values)
                }
                _ => Err(ExpandError::Fraction(function.name())),
            };
        }
        if let Some(viewed) = self.viewed(function.name(), id, values)? {
            return Ok(viewed);
        }
        let is_folded = self.is_folded(id);
        if let (Kind::Binary(binary), &[Operand::Value(a), Operand::Value(b)]) = (function.kind(), operands)
            && function.is_division()
        {
            let has_table = is_folded || [a, b].iter().all(|&node| self.count(node) <= MAX_TABLE_SIDE.into());
            if let Some(divisors) = self.few_divisors(a, b, has_table).filter(|divisors| !divisors.is_empty())
            {
                return self.division_by_few(binary, (a, b), &divisors, values);
            }
        }
        if is_folded {
            let variables = self.analysed.support(id).variables.clone();
            return self.table(function, id, &variables, values);
        }
        self.of_whole_numbers(function, operands)?;
        let mut nodes: Vec<NodeId> = operands.iter().filter_map(|operand| operand.node()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let fits = |most: u64| nodes.iter().all(|&node| self.count(node) <= most.into());
        let small = fits(MAX_TABLE_SIDE as u64);
        match (function.kind(), operands) {
            (Kind::Choice, &[condition, a, b]) => self.choice(condition, [a, b], values),
            (Kind::Binary(binary), &[a, b])
                if !function.is_division() && a != b && (nodes.len() == 2 || !small) =>
            {
                self.comparison(binary, a, b, values)
            }
            (Kind::Binary(binary), &[Operand::Value(a), Operand::Value(b)]) if !small && a != b => {
                self.long_division(binary, a, b, values)
            }
            (Kind::Absolute, &[Operand::Value(a)]) if !small => {
                let negative =
                    self.comparison(BinaryFunction::Less, operands[0], Operand::Constant(0), values)?;
                let product = self.mul(&negative, &values[&a].clone());
                let twice = Value { factor: product.factor * BigRational::from_integer(2.into()), ..product };
                Ok(self.sum_of_two(&values[&a].clone(), &twice, Operation::Sub))
            }
            _ => self.table(function, id, &nodes, values),
        }
    }

    /// Refuses operands that may be fractions.
    pub(super) fn of_whole_numbers(
        &self,
        function: &Function,
        operands: &[Operand],
    ) -> Result<(), ExpandError> {
        let mut nodes = operands.iter().filter_map(|operand| operand.node());
        if nodes.all(|node| self.analysed.is_whole(node)) {
            Ok(())
        } else {
            Err(ExpandError::Fraction(function.name()))
        }
    }

    /// Whether a function is one table of all that it's computed from.
    fn is_folded(&self, id: NodeId) -> bool {
        let Support { variables, joint, tabular } = self.analysed.support(id);
        if self.on_integers() || !self.analysed.is_whole(id) {
            return false;
        }
        let fits = |most: u64| {
            variables
                .iter()
                .all(|&variable| self.analysed.is_whole(variable) && self.count(variable) <= most.into())
        };
        match variables.len() {
            1 => fits(if *tabular { MAX_VALUES } else { MAX_FOLDED }),
            2 => *joint && fits(MAX_TABLE_SIDE as u64),
            _ => false,
        }
    }

    /// Which operations of the program are computed: those that an output needs and no table has inside.
    pub(super) fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.program.nodes().len()];
        self.program.outputs().iter().for_each(|(_, id)| needed[id.0] = true);
        for at in (0..needed.len()).rev() {
            let (id, node) = (NodeId(at), &self.program.nodes()[at]);
            let folded = self.exact() && matches!(node, Node::Function(..)) && self.is_folded(id);
            match (needed[at], self.rests_on(id)) {
                (false, _) => {}
                (true, Some(operand)) => needed[operand.0] = true,
                (true, None) if folded => {
                    self.analysed
                        .support(NodeId(at))
                        .variables
                        .iter()
                        .for_each(|variable| needed[variable.0] = true);
                }
                (true, None) => node.operands().for_each(|operand| needed[operand.0] = true),
            }
        }
        needed
    }

    /// How many whole numbers are in the range of an operation.
    pub(super) fn count(&self, id: NodeId) -> BigInt {
        self.ranges[id.0].whole_count()
    }

    /// The table of an operation by some before it.
    fn table(
        &mut self,
        function: &Function,
        root: NodeId,
        variables: &[NodeId],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let names: Vec<(NodeId, &str)> = variables.iter().copied().zip(VARIABLES).collect();
        let program = part(self.program, root, &names, |_, root| Ok(root));
        let program = program.expect("parts of programs are programs");
        let ranges: Vec<Range> = variables.iter().map(|variable| self.ranges[variable.0].clone()).collect();
        let operands: Vec<Value> = variables.iter().map(|variable| values[variable].clone()).collect();
        self.tabulated(function.name(), program, &ranges, &operands)
    }

    pub(super) fn tabulated(
        &mut self,
        name: &'static str,
        program: Program,
        ranges: &[Range],
        operands: &[Value],
    ) -> Result<Value, ExpandError> {
        let too_wide = || ExpandError::TooWide {
            function: name,
            values: ranges.iter().map(Range::whole_count).collect(),
        };
        let most: BigInt = if ranges.len() == 1 { MAX_VALUES.into() } else { MAX_TABLE_SIDE.into() };
        let words = ranges.iter().map(|range| {
            let (first, last) = range.whole_ends();
            let narrow = &last - &first < most;
            narrow.then(|| Some((first.to_i64()?, last.to_i64()?))).flatten().ok_or_else(too_wide)
        });
        let words = words.collect::<Result<Vec<_>, _>>()?;
        // Counted before they're computed.
        let entries: BigInt = ranges.iter().map(Range::whole_count).product();
        self.entries = self.entries.saturating_add(entries.to_u64().unwrap_or(u64::MAX));
        self.check_work()?;
        let function = SmallFunction::sharing(program, words, self.modulus(), self.prepared)?;
        let one = BigRational::one();
        let nodes: Vec<usize> = operands.iter().map(|operand| self.with_factor(operand, &one)).collect();
        Ok(self.tables(nodes, function))
    }

    /// A table's result, together with those of other tables of the same operands.
    fn tables(&mut self, operands: Vec<usize>, function: SmallFunction) -> Value {
        let shared =
            self.graph.nodes.iter_mut().enumerate().find_map(|(at, node)| match &mut node.operation {
                Operation::Functions(others, WholeOperation::Tables(functions))
                    if *others == operands && functions[0].goes_with(&function) =>
                {
                    Some((at, functions))
                }
                _ => None,
            });
        let Some((at, functions)) = shared else {
            let operation = WholeOperation::Tables(vec![function]);
            let at = self.graph.push(Operation::Functions(operands, operation));
            return self.result(at, 0);
        };
        let index = functions.iter().position(|other| *other == function).unwrap_or(functions.len());
        if index == functions.len() {
            functions.push(function);
        }
        self.result(at, index)
    }

    /// One of the results of functions.
    pub(super) fn result(&mut self, functions: usize, index: usize) -> Value {
        let operation = Operation::Result(functions, index);
        let node = self.graph.find(&operation).unwrap_or_else(|| self.graph.push(operation));
        Value { node, factor: BigRational::one() }
    }

    /// b + c·(a − b), where c is the condition as 0 or 1.
    pub(super) fn choice(
        &mut self,
        condition: Operand,
        [a, b]: [Operand; 2],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let condition = condition.node().expect("the builder chooses by constants");
        let range = self.ranges[condition.0].clone();
        let mut c = values[&condition].clone();
        if !Range::whole(0, 1).is_some_and(|bit| bit.contains(range.lo()) && bit.contains(range.hi())) {
            c = self.tabulated("where", against_zero(BinaryFunction::NotEqual), &[range], &[c])?;
        }
        let constant = |constant: i64| BigRational::from_integer(constant.into());
        let of = |id: NodeId| values[&id].clone();
        let (difference, b) = match (a, b) {
            (Operand::Value(a), Operand::Value(b)) if a == b => return Ok(of(a)),
            (Operand::Value(a), Operand::Value(b)) => {
                (self.sum_of_two(&of(a), &of(b), Operation::Sub), Operand::Value(b))
            }
            (Operand::Value(a), Operand::Constant(b)) => {
                (self.offset(&of(a), &-constant(b)), Operand::Constant(b))
            }
            (Operand::Constant(a), Operand::Value(b)) => {
                let negated = Value { factor: -of(b).factor, ..of(b) };
                (self.offset(&negated, &constant(a)), Operand::Value(b))
            }
            (Operand::Constant(a), Operand::Constant(b)) => {
                let scaled = self.scale(&c, &constant(a - b), false);
                return Ok(self.offset(&scaled, &constant(b)));
            }
        };
        let chosen = self.mul(&c, &difference);
        Ok(match b {
            Operand::Value(b) => self.sum_of_two(&chosen, &of(b), Operation::Add),
            Operand::Constant(b) => self.offset(&chosen, &constant(b)),
        })
    }
}
