//! Where the operations of a program stand in its text.

use std::sync::Arc;

use asanoha_table::advice::Advice;

use crate::{
    error::ProgramError,
    source::{Place, Source},
};

/// Where an operation stands in a program's text, and what it's called there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The whole text, if it's one that users know.
    text: Option<Arc<str>>,
    place: Place,
    name: Option<&'static str>,
}

impl Origin {
    pub(crate) fn new(text: Arc<str>, place: Place, name: Option<&'static str>) -> Self {
        Self { text: Some(text), place, name }
    }

    /// Users don't know the text.
    pub(crate) fn forget_text(&mut self) {
        self.text = None;
    }

    /// What stands before a message about it: the place, in a text that users know.
    pub fn prefix(&self) -> String {
        match self.text {
            Some(_) => format!("line {}, column {}: ", self.line(), self.column()),
            None => String::new(),
        }
    }

    /// This, if it's of a text that users know.
    pub fn if_known(&self) -> Option<&Self> {
        self.text.is_some().then_some(self)
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
        self.name
    }

    /// An error at this place.
    pub fn error(&self, message: String, help: Option<String>, advice: Vec<Advice>) -> ProgramError {
        let text = self.text.as_deref().unwrap_or_default();
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
