//! What a CSV reader hides, made visible in its text: quotes, blank lines, and quotes without an end. Rows that are too long are
//! refused here, before the reader collects them.

use std::io::{self, BufRead, Read};

use crate::table::MAX_COLUMNS;

/// Stands first in every cell that was quoted: text, whatever it looks like.
const QUOTED: u8 = 0x01;

/// A cell without the mark of [`Quotes`], and whether it was quoted.
pub(crate) fn unmarked(cell: &[u8]) -> (&[u8], bool) {
    cell.strip_prefix(&[QUOTED]).map_or((cell, false), |cell| (cell, true))
}

/// The most bytes of a row.
pub(crate) const MAX_ROW_BYTES: usize = 1 << 26;

/// Text that can't be cut into rows.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadRow {
    /// A quote without an end.
    #[error("a quote is opened on line {0} and never closed")]
    OpenQuote(u64),
    /// Text behind the quote that closes a cell: it isn't certain where the cell ends.
    #[error("text follows a quoted cell on line {line}")]
    TextAfterQuote {
        /// The line.
        line: u64,
        /// The cell's place in its row, from 1.
        column: usize,
    },
    /// More than [`MAX_ROW_BYTES`] in a row.
    #[error("a row of too many bytes")]
    TooLong,
    /// More than [`MAX_COLUMNS`] in a row.
    #[error("a row of too many cells")]
    TooManyCells,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Before the first byte of a line.
    Line,
    /// Before the first byte of another cell.
    Cell,
    /// In a cell that isn't quoted.
    Plain,
    /// In a quoted cell.
    Quoted,
    /// Behind a quote in a quoted cell: its end, or the first half of a quote.
    Quote,
    /// In the spaces behind a quoted cell.
    Closed,
}

/// CSV text whose lines end in `\n`, with a mark in front of every quoted cell, without spaces in front of cells, and with an empty
/// quoted cell in place of every blank line below the first line that isn't blank. (A cell that begins with the mark itself gets another one: it's text of
/// control characters, which no column takes.)
pub(crate) struct Quotes<R> {
    inner: R,
    delimiter: u8,
    state: State,
    /// Whether the header has begun.
    has_begun: bool,
    line: u64,
    /// The line of the last opening quote.
    opened: u64,
    /// The bytes and the separators of the row so far.
    bytes: usize,
    separators: usize,
    ready: Vec<u8>,
    taken: usize,
    /// The reason why no text follows what is ready.
    refusal: Option<BadRow>,
}

impl<R: BufRead> Quotes<R> {
    pub(crate) fn new(inner: R, delimiter: u8) -> Self {
        Self {
            inner,
            delimiter,
            state: State::Line,
            has_begun: false,
            line: 1,
            opened: 0,
            bytes: 0,
            separators: 0,
            ready: Vec::new(),
            taken: 0,
            refusal: None,
        }
    }

    fn take(&mut self, byte: u8) {
        let is_space = byte != self.delimiter && (byte == b' ' || byte == b'\t');
        let is_first = matches!(self.state, State::Line | State::Cell);
        if is_first && is_space {
            self.bytes += 1;
            return;
        }
        self.state = match (self.state, byte) {
            (State::Line, b'\n') => {
                if self.has_begun {
                    self.ready.extend(b"\"\"");
                }
                State::Line
            }
            (State::Quoted, b'"') => State::Quote,
            (State::Quoted, _) | (State::Quote, b'"') => State::Quoted,
            (_, b'\n') => State::Line,
            (_, b'"') if is_first => {
                self.opened = self.line;
                State::Quoted
            }
            (_, byte) if byte == self.delimiter => State::Cell,
            (State::Quote | State::Closed, _) => {
                if !is_space {
                    let column = self.separators + 1;
                    self.refusal = Some(BadRow::TextAfterQuote { line: self.line, column });
                }
                State::Closed
            }
            _ => State::Plain,
        };
        match self.state {
            State::Line => (self.bytes, self.separators) = (0, 0),
            State::Cell => (self.bytes, self.separators) = (self.bytes + 1, self.separators + 1),
            _ => self.bytes += 1,
        }
        self.has_begun |= byte != b'\n';
        self.line += u64::from(byte == b'\n');
        match byte {
            b'"' if is_first => self.ready.extend([b'"', QUOTED]),
            QUOTED if is_first => self.ready.extend([QUOTED, QUOTED]),
            byte => self.ready.push(byte),
        }
    }
}

impl<R: BufRead> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Spaces alone leave nothing ready, which isn't the end.
        while self.taken == self.ready.len() {
            if let Some(refusal) = self.refusal.take() {
                return Err(io::Error::other(refusal));
            }
            self.ready.clear();
            self.taken = 0;
            let bytes = self.inner.fill_buf()?.to_vec();
            if bytes.is_empty() {
                if self.state == State::Quoted {
                    return Err(io::Error::other(BadRow::OpenQuote(self.opened)));
                }
                return Ok(0);
            }
            for &byte in &bytes {
                self.take(byte);
                if self.refusal.is_some() {
                    break;
                }
            }
            self.inner.consume(bytes.len());
            if self.separators >= MAX_COLUMNS {
                return Err(io::Error::other(BadRow::TooManyCells));
            }
            if self.bytes > MAX_ROW_BYTES {
                return Err(io::Error::other(BadRow::TooLong));
            }
        }
        let count = buffer.len().min(self.ready.len() - self.taken);
        buffer[..count].copy_from_slice(&self.ready[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}
