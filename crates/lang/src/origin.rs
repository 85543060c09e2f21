//! Where the operations of a program stand in its text.

use std::sync::Arc;

use asanoha_table::advice::Advice;

use crate::{
    error::ProgramError,
    source::{Place, Source},
    tree::{ExpressionId, Syntax},
};

/// Where an operation stands in a program's text, and what it's called there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    reference: Reference,
    place: Place,
    written: Written,
}

/// The function or operator that was written where an operation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// Its name.
    pub(crate) name: Option<&'static str>,
    /// Advice for data on which an operation that it's made of isn't defined.
    pub(crate) remedy: Option<&'static str>,
}

/// The way in which messages refer to an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reference {
    /// By its place in the whole text, which users know.
    Text(Arc<str>),
    /// By its expression, where users don't know the text.
    Expression(Arc<Syntax>, ExpressionId),
    /// Not at all.
    Nothing,
}

impl Origin {
    pub(crate) fn new(text: Arc<str>, place: Place, written: Written) -> Self {
        Self { reference: Reference::Text(text), place, written }
    }

    /// An operation that messages name by its expression.
    pub(crate) fn of_expression(
        syntax: Arc<Syntax>,
        id: ExpressionId,
        place: Place,
        written: Written,
    ) -> Self {
        Self { reference: Reference::Expression(syntax, id), place, written }
    }

    /// Has messages not refer to it.
    pub(crate) fn forget_text(&mut self) {
        self.reference = Reference::Nothing;
    }

    /// The beginning of a message about it: its place in a text that users know, or its expression.
    pub fn prefix(&self) -> String {
        match &self.reference {
            Reference::Text(_) => format!("line {}, column {}: ", self.line(), self.column()),
            Reference::Expression(syntax, id) => format!("{}: ", syntax.described(*id)),
            Reference::Nothing => String::new(),
        }
    }

    /// This, if it's of a text that users know.
    pub fn if_known(&self) -> Option<&Self> {
        matches!(self.reference, Reference::Text(_)).then_some(self)
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.place.line
    }

    /// The column, counted in characters from 1.
    pub fn column(&self) -> usize {
        self.place.column
    }

    /// The function or operator that was written, where there's one.
    pub fn name(&self) -> Option<&'static str> {
        self.written.name
    }

    /// Advice for data on which an operation that the function is made of isn't defined, if there is any.
    pub(crate) fn remedy(&self) -> Option<&'static str> {
        self.written.remedy
    }

    /// An error at this place.
    pub fn error(&self, message: String, help: Option<String>, advice: Vec<Advice>) -> ProgramError {
        let text = if let Reference::Text(text) = &self.reference { text } else { "" };
        ProgramError { advice, ..Source(text).error(self.place, message, help) }
    }
}

/// The origins of a program's operations. Programs are the same wherever they stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(pub(crate) Vec<Option<Origin>>);

impl PartialEq for Origins {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origins {}
