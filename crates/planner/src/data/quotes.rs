//! What a CSV reader hides, made visible in its text: quotes, blank lines, and quotes without an end.

use std::io::{self, BufRead, Read};

/// Stands first in every cell that was quoted: text, whatever it looks like.
const QUOTED: u8 = 0x01;

/// A cell without the mark of [`Quotes`], and whether it was quoted.
pub(super) fn unmarked(cell: &[u8]) -> (&[u8], bool) {
    cell.strip_prefix(&[QUOTED]).map_or((cell, false), |cell| (cell, true))
}

/// A quote without an end, and the line on which it begins.
#[derive(Debug, thiserror::Error)]
#[error("a quote is opened on line {0} and never closed")]
pub(super) struct OpenQuote(pub(super) u64);

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Before the first byte of a line.
    Line,
    /// Before the first byte of another cell.
    Cell,
    /// In a cell that isn't quoted, or behind its closing quote.
    Plain,
    /// In a quoted cell.
    Quoted,
    /// Behind a quote in a quoted cell: its end, or the first half of a quote.
    Quote,
}

/// CSV text whose lines end in `\n`, with a mark in front of every quoted cell, and an empty quoted cell in place of every blank
/// line below the first line that isn't blank. (A cell that begins with the mark itself gets another one: it's text of
/// control characters, which no column takes.)
pub(super) struct Quotes<R> {
    inner: R,
    delimiter: u8,
    state: State,
    /// Whether the header has begun.
    has_begun: bool,
    line: u64,
    /// The line of the last opening quote.
    opened: u64,
    ready: Vec<u8>,
    taken: usize,
}

impl<R: BufRead> Quotes<R> {
    pub(super) fn new(inner: R, delimiter: u8) -> Self {
        let (ready, taken) = (Vec::new(), 0);
        Self { inner, delimiter, state: State::Line, has_begun: false, line: 1, opened: 0, ready, taken }
    }

    fn take(&mut self, byte: u8) {
        let is_first = matches!(self.state, State::Line | State::Cell);
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
            _ => State::Plain,
        };
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
        if self.taken == self.ready.len() {
            self.ready.clear();
            self.taken = 0;
            let bytes = self.inner.fill_buf()?.to_vec();
            if bytes.is_empty() && self.state == State::Quoted {
                return Err(io::Error::other(OpenQuote(self.opened)));
            }
            bytes.iter().for_each(|&byte| self.take(byte));
            self.inner.consume(bytes.len());
        }
        let count = buffer.len().min(self.ready.len() - self.taken);
        buffer[..count].copy_from_slice(&self.ready[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}
