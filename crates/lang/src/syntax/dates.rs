//! The dates of a program: which columns are compared with dates, and which results are dates.

use std::collections::HashMap;

use asanoha_numeric::date;

use crate::{
    dates::{Dates, Required},
    ops,
    origin::Origin,
    tree::{Expression, ExpressionId, Syntax},
};

/// What an expression is, as far as it can be a date.
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
        for (column, is_date) in required(expression, &kinds) {
            found.required.push(Required { column, is_date, origin: origin(id) });
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

/// The columns that must be of dates for an expression to mean something, and those that must not.
fn required(expression: &Expression, kinds: &[Kind]) -> Vec<(String, bool)> {
    let all = |columns: &[String], is_date| columns.iter().map(|column| (column.clone(), is_date)).collect();
    let pair = |a: ExpressionId, b: ExpressionId| match (&kinds[a], &kinds[b]) {
        (Kind::Columns(columns), Kind::Date | Kind::DateText)
        | (Kind::Date | Kind::DateText, Kind::Columns(columns)) => all(columns, true),
        (Kind::Columns(columns), Kind::Number) | (Kind::Number, Kind::Columns(columns)) => {
            all(columns, false)
        }
        _ => Vec::new(),
    };
    match expression {
        Expression::Binary("<" | "<=" | ">" | ">=", a, b) => pair(*a, *b),
        // Text that is a date is compared with columns of text too.
        Expression::Binary("==" | "!=", a, b)
            if kinds[*a] != Kind::DateText && kinds[*b] != Kind::DateText =>
        {
            pair(*a, *b)
        }
        Expression::Binary("-", a, b) if kinds[*a] != Kind::Number && kinds[*b] != Kind::Number => {
            pair(*a, *b)
        }
        Expression::Call(name, arguments) if name == "between" && arguments.len() == 3 => {
            arguments[1..].iter().flat_map(|&end| pair(arguments[0], end)).collect()
        }
        Expression::Call(name, arguments) if matches!(name.as_str(), "year" | "month") => {
            match arguments.first().map(|&id| &kinds[id]) {
                Some(Kind::Columns(columns)) => all(columns, true),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}
