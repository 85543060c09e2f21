//! Texts of programs, and places in them.

use crate::error::ProgramError;

/// A place in the text, both counted from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The text of a program, to make errors from places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a>(pub(crate) &'a str);

impl Source<'_> {
    /// An error at a place.
    pub(crate) fn error(self, at: Place, message: impl Into<String>, help: Option<String>) -> ProgramError {
        let source_line = self.0.lines().nth(at.line - 1).unwrap_or("");
        let source_line = source_line.trim_start_matches('\u{feff}').to_owned();
        ProgramError {
            line: at.line,
            column: at.column,
            source_line,
            message: message.into(),
            help,
            advice: Vec::new(),
        }
    }
}
