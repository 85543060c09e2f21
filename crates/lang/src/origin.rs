//! Where the operations of a program stand in its text.

use std::sync::Arc;

use super::error::ProgramError;
use super::lexer::{Place, Source};
use super::node::{NodeId, Program};
use asanoha_table::advice::Advice;

/// Where an operation stands in a program's text, and what it's called there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The whole text, if it's one that users know.
    text: Option<Arc<str>>,
    place: Place,
    name: Option<&'static str>,
}

impl Origin {
    pub(super) fn new(text: Arc<str>, place: Place, name: Option<&'static str>) -> Self {
        Self { text: Some(text), place, name }
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
pub(super) struct Origins(pub(super) Vec<Option<Origin>>);

impl PartialEq for Origins {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origins {}

impl Program {
    /// Where an operation stands in the text that the program was read from; what it was made of, for one that was made of
    /// another. `None` in programs without a text.
    pub fn origin(&self, id: NodeId) -> Option<&Origin> {
        self.origins.0.get(id.0)?.as_ref()
    }

    /// The same program, of whose text nobody knows: messages name its functions as it does, and no places. Those of plan files
    /// are such.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        self.origins.0.iter_mut().flatten().for_each(|origin| origin.text = None);
        self
    }

    /// Where a column is first read.
    pub fn origin_of_column(&self, name: &str) -> Option<&Origin> {
        let is_column = |node: &super::Node| matches!(node, super::Node::Input(column) if column == name);
        self.origin(NodeId(self.nodes.iter().position(is_column)?))?.if_known()
    }
}
