//! The dates of a program: which columns are compared with dates, and which results are dates.

use std::collections::HashMap;

use asanoha_numeric::date;

use crate::{
    dates::{Beside, Dates, Required},
    ops,
    origin::Origin,
    tree::{Expression, ExpressionId, Syntax},
};

/// The kind of an expression, as far as it can be a date.
#[derive(Clone, PartialEq)]
enum Kind {
    /// A date that was written.
    Date,
    /// Text that is a date.
    DateText,
    /// A number that was written.
    Number,
    /// A value of the same kind as a column, or some.
    Columns(Vec<String>),
    /// Any other value.
    Other,
}

/// The most columns that a value is followed to.
const MOST_COLUMNS: usize = 16;
/// The functions whose values are some of those of their first argument, and those that choose among all but the first.
const OF_FIRST: [&str; 6] = ["clip", "quantile", "median", "assume", "floor", "round"];

/// The dates of a well-formed program; `origin` tells where an expression stands.
pub(super) fn dates(syntax: &Syntax, origin: impl Fn(ExpressionId) -> Origin) -> Dates {
    let mut found = Dates::default();
    let mut kinds: Vec<Kind> = Vec::with_capacity(syntax.expressions.len());
    let mut assigned: HashMap<&str, Kind> = HashMap::new();
    let mut assignments = syntax.assignments.iter().peekable();
    for (id, (expression, _)) in syntax.expressions.iter().enumerate() {
        for (column, of) in required(expression, &kinds) {
            found.required.push(Required { column, of, origin: origin(id) });
        }
        kinds.push(kind(expression, &kinds, &assigned));
        while let Some(assignment) = assignments.next_if(|assignment| assignment.value == id) {
            if let Kind::Columns(columns) = &kinds[id] {
                found.results.push((assignment.name.clone(), columns.clone()));
            }
            assigned.insert(&assignment.name, kinds[id].clone());
        }
    }
    found
}

fn kind(expression: &Expression, kinds: &[Kind], assigned: &HashMap<&str, Kind>) -> Kind {
    let of = |id: &ExpressionId| kinds[*id].clone();
    match expression {
        Expression::Number(_) => Kind::Number,
        Expression::Date(_) => Kind::Date,
        Expression::Text(text) if date::days(text).is_some() => Kind::DateText,
        Expression::Name(name) => {
            assigned.get(name.as_str()).cloned().unwrap_or_else(|| Kind::Columns(vec![name.clone()]))
        }
        Expression::Column(name) => Kind::Columns(vec![name.clone()]),
        Expression::Plus(a) => of(a),
        // So many days before or after.
        Expression::Binary("+" | "-", a, b) if kinds[*b] == Kind::Number => of(a),
        Expression::Binary("+", a, b) if kinds[*a] == Kind::Number => of(b),
        Expression::Call(name, arguments) => of_call(name, arguments, kinds),
        _ => Kind::Other,
    }
}

fn of_call(name: &str, arguments: &[ExpressionId], kinds: &[Kind]) -> Kind {
    let name = ops::entry(name).map_or(name, |entry| entry.name);
    let chosen = match name {
        "min" | "max" => arguments,
        "where" => arguments.get(1..).unwrap_or_default(),
        _ if OF_FIRST.contains(&name) => arguments.get(..1).unwrap_or_default(),
        _ => &[],
    };
    let mut all: Vec<String> = Vec::new();
    for &id in chosen {
        match &kinds[id] {
            Kind::Date => {}
            Kind::Columns(columns) if all.len() + columns.len() <= MOST_COLUMNS => {
                all.extend_from_slice(columns);
            }
            _ => return Kind::Other,
        }
    }
    if all.is_empty() { Kind::Other } else { Kind::Columns(all) }
}

/// The columns that must be of one kind for an expression to mean something, and which.
fn required(expression: &Expression, kinds: &[Kind]) -> Vec<(String, Beside)> {
    match expression {
        Expression::Binary("<" | "<=" | ">" | ">=", a, b) => of_one_kind(&[*a, *b], kinds),
        // Text that is a date is compared with columns of text too.
        Expression::Binary("==" | "!=", a, b)
            if kinds[*a] != Kind::DateText && kinds[*b] != Kind::DateText =>
        {
            of_one_kind(&[*a, *b], kinds)
        }
        Expression::Binary("-", a, b) if [a, b].iter().any(|id| kinds[**id] == Kind::Date) => {
            of_one_kind(&[*a, *b], kinds)
        }
        Expression::Call(name, arguments) => match ops::entry(name).map_or("", |entry| entry.name) {
            "between" | "min" | "max" | "clip" | "less_than" => of_one_kind(arguments, kinds),
            "year" | "month" => {
                columns(arguments, kinds).map(|column| (column.clone(), Beside::Dates)).collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// All columns of some operands that are compared with each other.
fn of_one_kind(operands: &[ExpressionId], kinds: &[Kind]) -> Vec<(String, Beside)> {
    let has = |kind: &Kind| operands.len() > 1 && operands.iter().any(|&id| kinds[id] == *kind);
    let first = columns(operands, kinds).next();
    let all = columns(operands, kinds).filter_map(|column| {
        let of = match first {
            _ if has(&Kind::Date) || has(&Kind::DateText) => Beside::Dates,
            _ if has(&Kind::Number) => Beside::Numbers,
            Some(first) if first != column => Beside::Column(first.clone()),
            _ => return None,
        };
        Some((column.clone(), of))
    });
    all.collect()
}

fn columns<'a>(operands: &'a [ExpressionId], kinds: &'a [Kind]) -> impl Iterator<Item = &'a String> {
    operands.iter().flat_map(|&id| if let Kind::Columns(columns) = &kinds[id] { &columns[..] } else { &[] })
}
