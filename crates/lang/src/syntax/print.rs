//! Programs as text, in their own language.

use std::{
    collections::HashMap,
    convert::Infallible,
    fmt::{self, Write},
};

use num_rational::BigRational;
use num_traits::Signed;

use crate::{
    domain::{self, Arg, Argument, Domain, Outcome},
    finished::Call,
    function::{Function, written_constant},
    ids::NodeId,
    names,
    node::Node,
    program::{Constant, Program},
};

/// One line per operation that is not a column, then one per output. Reading it back gives an equal program.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = unused_prefix(self);
        let (lines, numbers) = self.rounded.lines(self.numbers(), &prefix);
        let mut text = Text { prefix, lines, numbers: &numbers };
        let Ok(names) = domain::all(self, &mut text).map_err(|(_, never)| match never {});
        f.write_str(&text.lines)?;
        let name = |id: NodeId| &names[id.0];
        let shown = self.shown_outputs().iter().map(|(output, id)| (output, output, name(*id).clone()));
        let finished = self.finished().iter().map(|finished| {
            let call = match self.call_of(finished) {
                Call::Formula(text, parts) => {
                    let parts: Vec<&str> = parts.into_iter().map(|id| name(id).as_str()).collect();
                    format!("formula('{text}', [{}])", parts.join(", "))
                }
                Call::Ratio(a, b) => format!("ratio({}, {})", name(a), name(b)),
                Call::RatioRoot(a, b) => format!("ratio_root({}, {})", name(a), name(b)),
                Call::Std(a) => format!("std({})", name(a)),
                Call::Corr(a, b) => format!("corr({}, {})", name(a), name(b)),
                Call::LeastSquares(y, columns) => {
                    let columns: Vec<&str> = columns.into_iter().map(|id| name(id).as_str()).collect();
                    format!("least_squares({}, [{}])", name(y), columns.join(", "))
                }
            };
            (&finished.results[0], &finished.name, call)
        });
        let number = |value| number(&numbers, value);
        let constants = self.constants().iter().map(|Constant { name, value, column }| {
            let rows = column
                .as_ref()
                .map_or_else(String::new, |column| format!("0 * {} + ", names::quoted(column)));
            (name, name, format!("{rows}{}", number(value)))
        });
        let mut assignments: Vec<_> = shown.chain(finished).chain(constants).collect();
        let places: HashMap<&String, usize> =
            self.result_names().iter().enumerate().map(|(place, name)| (name, place)).collect();
        assignments.sort_by_key(|(result, ..)| places.get(result));
        for (_, name, value) in assignments {
            writeln!(f, "{name} = {value}")?;
        }
        Ok(())
    }
}

impl From<Program> for String {
    fn from(program: Program) -> Self {
        program.to_string()
    }
}

/// As many `_` as no column begins with.
fn unused_prefix(program: &Program) -> String {
    let columns = program.constants().iter().filter_map(|constant| constant.column.as_ref());
    let leading = |name: &String| name.chars().take_while(|&c| c == '_').count();
    "_".repeat(program.input_names().iter().chain(columns).map(leading).max().unwrap_or(0) + 1)
}

/// A constant, by its name if it has one.
fn number(names: &HashMap<&BigRational, String>, value: &BigRational) -> String {
    names.get(value).cloned().unwrap_or_else(|| written_constant(value))
}

/// Operations are lines, and their values the names that the lines give them.
struct Text<'a> {
    prefix: String,
    lines: String,
    /// The names of the constants that lines compute.
    numbers: &'a HashMap<&'a BigRational, String>,
}

type Of<'v> = Arg<'v, String>;

impl Domain for Text<'_> {
    type Value = String;
    type Error = Infallible;

    fn input(&mut self, _: NodeId, name: &str) -> Outcome<Self> {
        Ok(names::quoted(name))
    }

    fn add(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(format!("{} + {}", a.value, b.value))
    }

    fn sub(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(format!("{} - {}", a.value, b.value))
    }

    fn neg(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(format!("-{}", a.value))
    }

    fn mul(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(format!("{} * {}", a.value, b.value))
    }

    fn scale(&mut self, _: NodeId, a: Of<'_>, k: &BigRational) -> Outcome<Self> {
        Ok(format!("{} * {}", number(self.numbers, k), a.value))
    }

    fn offset(&mut self, _: NodeId, a: Of<'_>, c: &BigRational) -> Outcome<Self> {
        Ok(match self.numbers.get(c) {
            Some(name) => format!("{} + {name}", a.value),
            None if c.is_negative() => format!("{} - {}", a.value, written_constant(&-c)),
            None => format!("{} + {}", a.value, written_constant(c)),
        })
    }

    fn power(&mut self, _: NodeId, a: Of<'_>, exponent: u32) -> Outcome<Self> {
        Ok(format!("{}**{exponent}", a.value))
    }

    fn sum(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(format!("sum({})", a.value))
    }

    fn mean(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(format!("mean({})", a.value))
    }

    fn var(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(format!("var({})", a.value))
    }

    fn cov(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(format!("cov({}, {})", a.value, b.value))
    }

    fn dot(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(format!("dot({}, {})", a.value, b.value))
    }

    fn assume(&mut self, _: NodeId, a: Of<'_>, [lo, hi]: [&BigRational; 2]) -> Outcome<Self> {
        let [lo, hi] = [lo, hi].map(|end| number(self.numbers, end));
        Ok(format!("assume({}, {lo}, {hi})", a.value))
    }

    fn quantile(&mut self, _: NodeId, a: Of<'_>, q: &BigRational) -> Outcome<Self> {
        Ok(format!("quantile({}, {})", a.value, number(self.numbers, q)))
    }

    fn function(&mut self, _: NodeId, function: &Function, of: &[Argument<'_, String>]) -> Outcome<Self> {
        let operand = |of: &Argument<'_, String>| match of {
            Argument::Value(arg) => arg.value.clone(),
            Argument::Constant(constant) => {
                number(self.numbers, &BigRational::from_integer((*constant).into()))
            }
        };
        Ok(function.written(of.iter().map(operand).collect()))
    }

    fn done(&mut self, at: NodeId, node: &Node, written: String) -> Outcome<Self> {
        if matches!(node, Node::Input(_)) {
            return Ok(written);
        }
        let name = format!("{}{}", self.prefix, at.0);
        let _ = writeln!(self.lines, "{name} = {written}");
        Ok(name)
    }
}
