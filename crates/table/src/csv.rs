//! CSV to tables.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use csv::{ByteRecord, ReaderBuilder};
use flate2::bufread::MultiGzDecoder;

use crate::{
    error::{DataError, Problem, shorten},
    foreign::Foreign,
    format::Format,
    header::{Columns, columns, names},
    limits::{Above, Limits},
    quotes::{BadRow, MAX_ROW_BYTES, Quotes, unmarked},
    reading::Reading,
    table::MAX_COLUMNS,
    utf16::{ByteOrder, Utf16},
};

/// The bytes that gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads the columns `wanted` of CSV text, which may be compressed by gzip; `file` stands in messages.
pub(crate) fn read(
    reader: impl Read,
    file: &str,
    wanted: &[impl AsRef<str>],
    reading: &Reading,
) -> Result<Columns, DataError> {
    reading.check(wanted)?;
    let reader = decoded(reader, file)?;
    let limits = reading.limits;
    let above = |above: Above| DataError::above(above, file);
    let bounded = Bounded { inner: reader, limits, read: 0, last: b'\n' };
    let (head, rest) = head(bounded, file)?;
    let named = named_separator(head.get_ref());
    let delimiter = named.unwrap_or_else(|| separator(&head));
    // A blank line in the place of one that names the separator, so that lines are counted as they stand.
    let head = if named.is_some() { Cursor::new(b"\n".to_vec()) } else { head };
    let text = Quotes::new(head.chain(rest), delimiter);
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let mut record = ByteRecord::new();
    if !next(&mut reader, &mut record, file)? {
        return Err(Problem::Empty.at(file, 1, 1));
    }
    check_text(&record, file)?;
    let cells = record.iter().map(|cell| String::from_utf8_lossy(unmarked(cell).0));
    let header = names(cells, file)?;
    let mut columns = columns(&header, wanted, reading, (file, line_of(&record)))?;
    let (mut rows, mut blank) = (0, None);
    while next(&mut reader, &mut record, file)? {
        let line = line_of(&record);
        if header.len() > 1 && record.len() == 1 && record[0].is_empty() {
            blank = blank.or(Some(line));
            continue;
        }
        if let Some(line) = blank {
            return Err(Problem::BlankLine.at(file, line, 1));
        }
        if record.len() != header.len() {
            let (found, expected) = (record.len(), header.len());
            let ends_in_separator = found == expected + 1 && record[expected].is_empty();
            let problem = if ends_in_separator {
                Problem::TrailingSeparator { found, expected }
            } else {
                Problem::Ragged { found, expected }
            };
            return Err(problem.at(file, line, found.min(expected) + 1));
        }
        check_text(&record, file)?;
        limits.check_rows(rows as u64 + 1).map_err(above)?;
        let mut bytes: u64 = columns.iter().map(|(_, column)| column.bytes()).sum();
        for (index, column) in &mut columns {
            let (cell, is_quoted) = unmarked(record.get(*index).unwrap_or_default());
            let text = std::str::from_utf8(cell).unwrap_or_default().trim();
            bytes = bytes - column.bytes() + column.bytes_with(text);
            limits.check_bytes(bytes).map_err(above)?;
            column
                .push_cell(text, is_quoted, line)
                .map_err(|(line, problem)| problem.at(file, line, *index + 1))?;
        }
        rows += 1;
    }
    if rows == 0 {
        return Err(Problem::NoRows.at(file, reader.position().line().max(2), 1));
    }
    Ok((columns, rows))
}

/// The bytes that tell the format of data.
const START_BYTES: u64 = 512;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns the first bytes of data, and all of them.
fn peeked(mut reader: impl Read) -> io::Result<(Vec<u8>, impl BufRead)> {
    let mut start = Vec::new();
    reader.by_ref().take(START_BYTES).read_to_end(&mut start)?;
    Ok((start.clone(), BufReader::new(Cursor::new(start).chain(reader))))
}

/// Returns the text of data in UTF-8, which may be compressed by gzip and in UTF-16.
///
/// # Errors
/// Data that begin as those of another format do.
fn decoded<'a>(reader: impl Read + 'a, file: &str) -> Result<Box<dyn BufRead + 'a>, DataError> {
    let unreadable = |source| unreadable(source, file);
    let (start, all) = peeked(reader).map_err(unreadable)?;
    if !start.starts_with(&GZIP) {
        return in_utf8(&start, all, file);
    }
    let (start, all) = peeked(MultiGzDecoder::new(all)).map_err(unreadable)?;
    in_utf8(&start, all, file)
}

/// Returns text in UTF-8 without a byte order mark, whose first bytes are given.
fn in_utf8<'a>(
    start: &[u8],
    mut all: impl BufRead + 'a,
    file: &str,
) -> Result<Box<dyn BufRead + 'a>, DataError> {
    if let Some(format) = Format::of(start) {
        return Err(format.refused(file));
    }
    if let Some(order) = ByteOrder::of(start) {
        return Ok(Box::new(BufReader::new(Utf16::new(all, order))));
    }
    if let Some(foreign) = Foreign::of(start) {
        return Err(foreign.refused(file));
    }
    if start.starts_with(BYTE_ORDER_MARK) {
        all.read_exact(&mut [0; BYTE_ORDER_MARK.len()]).map_err(|source| unreadable(source, file))?;
    }
    Ok(Box::new(all))
}

/// The most bytes of the first line that its separators are looked for in.
const HEAD_BYTES: u64 = 1 << 20;

/// The first bytes up to the end of the first line that isn't blank, and the rest.
fn head<R: Read>(reader: R, file: &str) -> Result<(Cursor<Vec<u8>>, BufReader<R>), DataError> {
    let unreadable = |source| unreadable(source, file);
    let mut reader = BufReader::new(reader);
    let mut head = Vec::new();
    loop {
        let before = head.len();
        let most = HEAD_BYTES.saturating_sub(before as u64);
        let count = reader.by_ref().take(most).read_until(b'\n', &mut head).map_err(unreadable)?;
        if count == 0 || head[before..].iter().any(|&byte| byte != b'\n' && byte != b' ') {
            return Ok((Cursor::new(head), reader));
        }
    }
}

/// The separator that a first line `sep=;` names.
fn named_separator(head: &[u8]) -> Option<u8> {
    match head.strip_prefix(b"sep=")?.strip_suffix(b"\n")? {
        [separator] if b";,|\t".contains(separator) => Some(*separator),
        _ => None,
    }
}

/// What separates cells: of commas, semicolons, bars and tabs what the first line has most of, commas if that's even.
fn separator(head: &Cursor<Vec<u8>>) -> u8 {
    let count = |separator: u8| {
        let mut quoted = false;
        head.get_ref()
            .iter()
            .filter(|&&byte| {
                quoted ^= byte == b'"';
                byte == separator && !quoted
            })
            .count()
    };
    b"|\t;,".iter().copied().max_by_key(|&separator| count(separator)).unwrap_or(b',')
}

/// A reader that fails once more bytes were read than the limit, and ends every line with `\n` alone, the last too, so
/// that lines can be counted.
struct Bounded<R> {
    inner: R,
    limits: Limits,
    read: u64,
    last: u8,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.inner.read(buffer)?;
            if count == 0 {
                let unfinished = !buffer.is_empty() && self.last != b'\n' && self.last != b'\r';
                if unfinished {
                    buffer[0] = b'\n';
                    self.last = b'\n';
                }
                return Ok(usize::from(unfinished));
            }
            self.read += count as u64;
            self.limits.check_bytes(self.read)?;
            let mut kept = 0;
            for index in 0..count {
                let byte = buffer[index];
                if byte != b'\n' || self.last != b'\r' {
                    buffer[kept] = if byte == b'\r' { b'\n' } else { byte };
                    kept += 1;
                }
                self.last = byte;
            }
            if kept > 0 {
                return Ok(kept);
            }
        }
    }
}

/// Reads the next record, and sets its position to the line on which it begins.
fn next(reader: &mut csv::Reader<impl Read>, record: &mut ByteRecord, file: &str) -> Result<bool, DataError> {
    let found = reader.read_byte_record(record).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(source) => {
            let too_large =
                |limit: usize, what| DataError::TooLarge { file: file.to_owned(), limit: limit as u64, what };
            match source.get_ref().and_then(|inner| inner.downcast_ref()) {
                Some(BadRow::OpenQuote(line)) => Problem::OpenQuote.at(file, *line, 1),
                Some(&BadRow::TextAfterQuote { line, column }) => {
                    Problem::TextAfterQuote.at(file, line, column)
                }
                Some(BadRow::TooLong) => too_large(MAX_ROW_BYTES, "bytes in a row"),
                Some(BadRow::TooManyCells) => too_large(MAX_COLUMNS, "columns"),
                None => unreadable(source, file),
            }
        }
        other => unreadable(io::Error::other(format!("{other:?}")), file),
    })?;
    if let Some(mut position) = record.position().cloned() {
        // The position is where the blank lines before the first record begin.
        let inside: usize = record.iter().map(|cell| cell.split(|&byte| byte == b'\n').count() - 1).sum();
        let first = reader.position().line().saturating_sub(1 + inside as u64);
        position.set_line(first.max(position.line()));
        record.set_position(Some(position));
    }
    Ok(found)
}

fn unreadable(source: io::Error, file: &str) -> DataError {
    match source.get_ref().and_then(|inner| inner.downcast_ref::<Above>()) {
        Some(&above) => DataError::above(above, file),
        None => DataError::Unreadable { file: file.to_owned(), source },
    }
}

fn line_of(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

/// Every cell is text, also those of columns that are not wanted: anything else is not a CSV file.
fn check_text(record: &ByteRecord, file: &str) -> Result<(), DataError> {
    let cells = record.iter().map(|cell| unmarked(cell).0).enumerate();
    for (index, cell) in cells {
        if std::str::from_utf8(cell).is_err() {
            let text = shorten(&String::from_utf8_lossy(cell));
            return Err(Problem::NotUtf8 { text }.at(file, line_of(record), index + 1));
        }
    }
    Ok(())
}
