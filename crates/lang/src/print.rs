//! Programs as text, in their own language.

use std::{collections::HashMap, fmt};

use num_rational::BigRational;
use num_traits::Signed;

use super::finished::Call;
use super::function::{Function, Operand};
use super::node::{Constant, Node, NodeId, Program};
use super::smooth::SmoothFunction;
use super::{names, number};

/// One line per operation that is not a column, then one per output. Reading it back gives an equal program.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = self.unused_prefix();
        let name = |id: NodeId| match &self.nodes[id.0] {
            Node::Input(name) => names::quoted(name),
            _ => format!("{prefix}{}", id.0),
        };
        for (id, node) in self.iter() {
            if !matches!(node, Node::Input(_)) {
                writeln!(f, "{} = {}", name(id), expression(node, name))?;
            }
        }
        let shown = self.shown_outputs().iter().map(|(output, id)| (output, output, name(*id)));
        let finished = self.finished.iter().map(|finished| {
            let call = match self.call_of(finished) {
                Call::Ratio(a, b) => format!("ratio({}, {})", name(a), name(b)),
                Call::Std(a) => format!("std({})", name(a)),
                Call::Corr(a, b) => format!("corr({}, {})", name(a), name(b)),
                Call::LeastSquares(y, columns) => {
                    let columns: Vec<String> = columns.into_iter().map(&name).collect();
                    format!("least_squares({}, [{}])", name(y), columns.join(", "))
                }
            };
            (&finished.results[0], &finished.name, call)
        });
        let constants = self.constants.iter().map(|Constant { name, value, column }| {
            let rows = column
                .as_ref()
                .map_or_else(String::new, |column| format!("0 * {} + ", names::quoted(column)));
            (name, name, format!("{rows}{}", constant(value)))
        });
        let mut assignments: Vec<_> = shown.chain(finished).chain(constants).collect();
        let places: HashMap<&String, usize> =
            self.order.iter().enumerate().map(|(place, name)| (name, place)).collect();
        assignments.sort_by_key(|(result, ..)| places.get(result));
        for (_, name, value) in assignments {
            writeln!(f, "{name} = {value}")?;
        }
        Ok(())
    }
}

impl Program {
    /// As many `_` as no column begins with.
    fn unused_prefix(&self) -> String {
        let columns = self.constants.iter().filter_map(|constant| constant.column.as_ref());
        let leading = |name: &String| name.chars().take_while(|&c| c == '_').count();
        "_".repeat(self.inputs.iter().chain(columns).map(leading).max().unwrap_or(0) + 1)
    }
}

fn expression(node: &Node, name: impl Fn(NodeId) -> String) -> String {
    match node {
        Node::Input(column) => names::quoted(column),
        Node::Add(a, b) => format!("{} + {}", name(*a), name(*b)),
        Node::Sub(a, b) => format!("{} - {}", name(*a), name(*b)),
        Node::Neg(a) => format!("-{}", name(*a)),
        Node::Mul(a, b) => format!("{} * {}", name(*a), name(*b)),
        Node::Scale(a, factor) => format!("{} * {}", constant(factor), name(*a)),
        Node::Offset(a, offset) if offset.is_negative() => format!("{} - {}", name(*a), constant(&-offset)),
        Node::Offset(a, offset) => format!("{} + {}", name(*a), constant(offset)),
        Node::Power(a, exponent) => format!("{}**{exponent}", name(*a)),
        Node::Sum(a) => format!("sum({})", name(*a)),
        Node::Mean(a) => format!("mean({})", name(*a)),
        Node::Var(a) => format!("var({})", name(*a)),
        Node::Cov(a, b) => format!("cov({}, {})", name(*a), name(*b)),
        Node::Dot(a, b) => format!("dot({}, {})", name(*a), name(*b)),
        Node::Smooth(SmoothFunction::Reciprocal, a) => format!("1 / {}", name(*a)),
        Node::Smooth(function, a) => format!("{function}({})", name(*a)),
        Node::Assume(a, lo, hi) => format!("assume({}, {}, {})", name(*a), constant(lo), constant(hi)),
        Node::Quantile(a, q) => format!("quantile({}, {})", name(*a), constant(q)),
        Node::Function(function, operands) => {
            let operand = |operand: &Operand| match operand {
                Operand::Value(id) => name(*id),
                Operand::Constant(constant) => constant.to_string(),
            };
            call(function, operands.iter().map(operand).collect())
        }
    }
}

/// An operator between its operands, or a call.
fn call(function: &Function, mut operands: Vec<String>) -> String {
    let list =
        |entries: &[i64]| format!("[{}]", entries.iter().map(i64::to_string).collect::<Vec<_>>().join(", "));
    match function {
        Function::Category(_, text) => {
            return format!("{} {} {}", operands.join(""), function.name(), names::literal(text));
        }
        Function::Table(entries) => operands.push(list(entries)),
        Function::Less(gap) => operands.push(constant(gap)),
        Function::Table2(rows) => {
            let rows: Vec<String> = rows.iter().map(|row| list(row)).collect();
            operands.push(format!("[{}]", rows.join(", ")));
        }
        _ if Function::of_operator(function.name()).is_some() && !is_word(function.name()) => {
            return operands.join(&format!(" {} ", function.name()));
        }
        _ => {}
    }
    format!("{}({})", function.name(), operands.join(", "))
}

fn is_word(name: &str) -> bool {
    name.starts_with(char::is_alphabetic)
}

fn constant(value: &BigRational) -> String {
    let text = number::format(value);
    if text.contains('/') { format!("({text})") } else { text }
}
