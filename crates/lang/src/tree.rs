//! The syntax tree of a program's text, and its parts as text again.
//!
//! The tree lies in a vector in which every expression stands after its parts, so nothing that walks it recurses.

use std::collections::{HashMap, HashSet};

use asanoha_numeric::{date, number};
use num_rational::BigRational;

use crate::{names, source::Place};

/// The index of an expression in [`Syntax::expressions`].
pub(crate) type ExpressionId = usize;

/// An expression; its parts precede it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Number(BigRational),
    /// The days from 1970-01-01 to a date.
    Date(i64),
    Name(String),
    /// A column in back-quotes.
    Column(String),
    /// Text in quotes.
    Text(String),
    Plus(ExpressionId),
    Minus(ExpressionId),
    /// `not a`, or the sign for it.
    Not(&'static str, ExpressionId),
    Binary(&'static str, ExpressionId, ExpressionId),
    Call(String, Vec<ExpressionId>),
    List(Vec<ExpressionId>),
    /// Texts and the numbers that they stand before, in turns.
    Entries(Vec<ExpressionId>),
}

/// One assignment. Its expressions end with `value`, and begin after those of the one before.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) at: Place,
    pub(crate) value: ExpressionId,
}

/// A program that is well formed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Syntax {
    pub(crate) expressions: Vec<(Expression, Place)>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) end: Place,
}

/// The number of characters after which the text of an expression is cut.
const MAX_SHOWN: usize = 40;

/// The precedence of operators, as in Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Sign,
    Power,
    Atom,
}

/// A piece of an expression's text: text, or a part and how close it must bind to stand without brackets.
enum Piece {
    Text(String),
    Part(ExpressionId, Binding),
}

/// The precedence of an operator, and the least of its operands.
fn bindings(operator: &str) -> [Binding; 3] {
    match operator {
        "or" | "|" => [Binding::Or, Binding::Or, Binding::And],
        "and" | "&" => [Binding::And, Binding::And, Binding::Not],
        "+" | "-" => [Binding::Sum, Binding::Sum, Binding::Product],
        "*" | "/" | "//" | "%" => [Binding::Product, Binding::Product, Binding::Sign],
        "**" => [Binding::Power, Binding::Atom, Binding::Sign],
        _ => [Binding::Comparison, Binding::Sum, Binding::Sum],
    }
}

impl Syntax {
    /// Names an operation for messages: its expression, in which lines that stay inside are written out, and the output that it's
    /// computed for.
    pub(crate) fn described(&self, id: ExpressionId) -> String {
        let expression = self.excerpt(id);
        match self.output_of(id) {
            Some(output) => format!("`{expression}` in output `{output}`"),
            None => format!("`{expression}`"),
        }
    }

    /// The last expression at a place, which those before it are parts of.
    pub(crate) fn at(&self, place: Place) -> Option<ExpressionId> {
        self.expressions.iter().rposition(|&(_, at)| at == place)
    }

    /// The text of an expression, cut after [`MAX_SHOWN`] characters.
    fn excerpt(&self, id: ExpressionId) -> String {
        let inside: HashMap<&str, ExpressionId> = self
            .assignments
            .iter()
            .filter(|assignment| assignment.name.starts_with('_'))
            .map(|assignment| (assignment.name.as_str(), assignment.value))
            .collect();
        let mut text = String::new();
        let mut length = 0;
        let mut pending = vec![Piece::Part(id, Binding::Or)];
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Text(piece) => {
                    length += piece.chars().count();
                    text.push_str(&piece);
                    if length > MAX_SHOWN {
                        return text.chars().take(MAX_SHOWN).chain("...".chars()).collect();
                    }
                }
                Piece::Part(part, wanted) => {
                    let (binding, mut pieces) = self.pieces(resolved(self, &inside, part));
                    if binding < wanted {
                        pieces.insert(0, Piece::Text("(".to_owned()));
                        pieces.push(Piece::Text(")".to_owned()));
                    }
                    pending.extend(pieces.into_iter().rev());
                }
            }
        }
        text
    }

    /// An expression written out, of parts that aren't yet, and how close it binds.
    fn pieces(&self, id: ExpressionId) -> (Binding, Vec<Piece>) {
        let text = |text: &str| Piece::Text(text.to_owned());
        let sign = |sign: &str, a: ExpressionId, wanted| vec![text(sign), Piece::Part(a, wanted)];
        let listed = |open: String, items: &[ExpressionId], close: &str| {
            let mut pieces = vec![Piece::Text(open)];
            for (at, &item) in items.iter().enumerate() {
                pieces.extend((at > 0).then(|| text(", ")));
                pieces.push(Piece::Part(item, Binding::Or));
            }
            pieces.push(text(close));
            pieces
        };
        match &self.expressions[id].0 {
            Expression::Number(value) => {
                let short = number::short(value);
                let binding = if short.contains('/') { Binding::Product } else { Binding::Atom };
                (binding, vec![Piece::Text(short)])
            }
            Expression::Date(days) => {
                (Binding::Atom, vec![Piece::Text(date::of_days(*days).unwrap_or_else(|| days.to_string()))])
            }
            Expression::Name(name) => (Binding::Atom, vec![text(name)]),
            Expression::Column(name) => (Binding::Atom, vec![Piece::Text(names::quoted(name))]),
            Expression::Text(literal) => (Binding::Atom, vec![Piece::Text(names::literal(literal))]),
            Expression::Plus(a) => (Binding::Sign, sign("+", *a, Binding::Power)),
            Expression::Minus(a) => (Binding::Sign, sign("-", *a, Binding::Power)),
            Expression::Not("not", a) => (Binding::Not, sign("not ", *a, Binding::Not)),
            Expression::Not(symbol, a) => (Binding::Sign, sign(symbol, *a, Binding::Sign)),
            Expression::Binary(operator, a, b) => {
                let [binding, left, right] = bindings(operator);
                let written =
                    if *operator == "**" { text(operator) } else { Piece::Text(format!(" {operator} ")) };
                (binding, vec![Piece::Part(*a, left), written, Piece::Part(*b, right)])
            }
            Expression::Call(name, arguments) => (Binding::Atom, listed(format!("{name}("), arguments, ")")),
            Expression::List(items) => (Binding::Atom, listed("[".to_owned(), items, "]")),
            Expression::Entries(items) => (Binding::Atom, listed("{".to_owned(), items, "}")),
        }
    }

    /// The first output that an expression is computed for.
    fn output_of(&self, id: ExpressionId) -> Option<&str> {
        let first = self.assignments.partition_point(|assignment| assignment.value < id);
        let mut inside: HashSet<&str> = HashSet::new();
        let mut begin = id;
        for assignment in &self.assignments[first..] {
            let mut expressions = self.expressions[begin..=assignment.value].iter();
            let is_reached = inside.is_empty()
                || expressions.any(|(expression, _)| {
                    matches!(expression, Expression::Name(name) if inside.contains(name.as_str()))
                });
            if is_reached && !assignment.name.starts_with('_') {
                return Some(&assignment.name);
            }
            inside.extend(is_reached.then_some(assignment.name.as_str()));
            begin = assignment.value + 1;
        }
        None
    }
}

/// The expression that another stands for: the value of a line that stays inside in place of the line's name.
fn resolved(syntax: &Syntax, inside: &HashMap<&str, ExpressionId>, mut id: ExpressionId) -> ExpressionId {
    while let Expression::Name(name) = &syntax.expressions[id].0
        && let Some(&value) = inside.get(name.as_str())
        && value < id
    {
        id = value;
    }
    id
}
