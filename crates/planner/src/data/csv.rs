//! CSV to tables.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};
use num_bigint::BigInt;

use super::{
    Column, ColumnValues, DataError, MAX_COLUMNS, MAX_FILE_BYTES, MAX_ROWS, MAX_WHOLE_BITS, Problem, Table,
    cell::{Kind, named_integer},
};
use crate::program::number::{self, LiteralError};

/// How many characters of a cell a message quotes.
const SHOWN: usize = 40;

impl Table {
    /// Reads the columns `wanted` of a CSV file, in that order. The first line names the columns; the others may hold
    /// anything.
    pub fn from_csv_path(path: &Path, wanted: &[impl AsRef<str>]) -> Result<Self, DataError> {
        let name = path.display().to_string();
        let unreadable = |source| DataError::Unreadable { file: name.clone(), source };
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.is_dir() {
            return Err(unreadable(std::io::ErrorKind::IsADirectory.into()));
        }
        Self::from_csv_reader(file, &name, wanted)
    }

    /// Reads the columns `wanted` of CSV text, in that order; `source_name` stands in messages.
    pub fn from_csv_reader(
        reader: impl Read,
        source_name: &str,
        wanted: &[impl AsRef<str>],
    ) -> Result<Self, DataError> {
        let file = source_name;
        let bounded = Bounded { inner: reader, left: MAX_FILE_BYTES, last: b'\n' };
        let (head, rest) = head(bounded, file)?;
        let delimiter = separator(&head);
        let text = head.chain(rest);
        let mut reader =
            ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
        let mut record = ByteRecord::new();
        if !read(&mut reader, &mut record, file)? {
            return Err(Problem::Empty.at(file, 1, 1));
        }
        let header = header(&record, file)?;
        let places: HashMap<&str, usize> =
            header.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
        let mut columns = wanted
            .iter()
            .map(|name| pick(&header, &places, name.as_ref(), file))
            .collect::<Result<Vec<Partial>, _>>()?;
        let mut rows = 0;
        while read(&mut reader, &mut record, file)? {
            if rows == MAX_ROWS {
                return Err(DataError::TooLarge {
                    file: file.to_owned(),
                    limit: MAX_ROWS as u64,
                    what: "rows",
                });
            }
            let line = line_of(&record);
            if record.len() != header.len() {
                let (found, expected) = (record.len(), header.len());
                return Err(Problem::Ragged { found, expected }.at(file, line, found.min(expected) + 1));
            }
            check_text(&record, file)?;
            for column in &mut columns {
                column.push(record.get(column.index).unwrap_or_default(), file, line)?;
            }
            rows += 1;
        }
        if rows == 0 {
            return Err(Problem::NoRows.at(file, reader.position().line().max(2), 1));
        }
        let columns =
            columns.into_iter().map(|column| Column { name: column.name, values: column.values }).collect();
        Ok(Self { columns, rows })
    }
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
        if count == 0 || head[before..].iter().any(|&byte| byte != b'\n') {
            return Ok((Cursor::new(head), reader));
        }
    }
}

/// What separates cells: of commas, semicolons and tabs what the first line has most of, commas if that's even.
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
    b"\t;,".iter().copied().max_by_key(|&separator| count(separator)).unwrap_or(b',')
}

/// A reader that fails once more than [`MAX_FILE_BYTES`] were read, and ends every line with `\n` alone, the last too, so
/// that lines can be counted.
struct Bounded<R> {
    inner: R,
    left: u64,
    last: u8,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
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
            self.left = self.left.checked_sub(count as u64).ok_or(std::io::ErrorKind::FileTooLarge)?;
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

/// Reads the next record that is not a blank line, and sets its position to the line on which it begins.
fn read(reader: &mut csv::Reader<impl Read>, record: &mut ByteRecord, file: &str) -> Result<bool, DataError> {
    let found = reader.read_byte_record(record).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(source) => unreadable(source, file),
        other => unreadable(std::io::Error::other(format!("{other:?}")), file),
    })?;
    if let Some(mut position) = record.position().cloned() {
        // The position is where the blank lines before the record begin.
        let inside: usize = record.iter().map(|cell| cell.split(|&byte| byte == b'\n').count() - 1).sum();
        let first = reader.position().line().saturating_sub(1 + inside as u64);
        position.set_line(first.max(position.line()));
        record.set_position(Some(position));
    }
    Ok(found)
}

fn unreadable(source: std::io::Error, file: &str) -> DataError {
    let file = file.to_owned();
    if source.kind() == std::io::ErrorKind::FileTooLarge {
        return DataError::TooLarge { file, limit: MAX_FILE_BYTES, what: "bytes" };
    }
    DataError::Unreadable { file, source }
}

fn line_of(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

/// Every cell is text, also those of columns that are not wanted: anything else is not a CSV file.
fn check_text(record: &ByteRecord, file: &str) -> Result<(), DataError> {
    match record.iter().position(|cell| std::str::from_utf8(cell).is_err()) {
        None => Ok(()),
        Some(index) => Err(Problem::NotUtf8.at(file, line_of(record), index + 1)),
    }
}

fn header(record: &ByteRecord, file: &str) -> Result<Vec<String>, DataError> {
    if record.len() > MAX_COLUMNS {
        return Err(DataError::TooLarge {
            file: file.to_owned(),
            limit: MAX_COLUMNS as u64,
            what: "columns",
        });
    }
    check_text(record, file)?;
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::with_capacity(record.len());
    for (index, cell) in record.iter().enumerate() {
        let name = String::from_utf8_lossy(cell);
        let name = name.trim_start_matches('\u{feff}').trim().to_owned();
        if let Some(first) = seen.insert(name.clone(), index + 1) {
            let problem = Problem::DuplicateColumn { name: shorten(&name), first };
            return Err(problem.at(file, line_of(record), index + 1));
        }
        names.push(name);
    }
    Ok(names)
}

fn pick(
    header: &[String],
    places: &HashMap<&str, usize>,
    name: &str,
    file: &str,
) -> Result<Partial, DataError> {
    let Some(&index) = places.get(name) else {
        let present = header.iter().map(|name| shorten(name)).collect();
        return Err(DataError::UnknownColumn { file: file.to_owned(), name: name.to_owned(), present });
    };
    Ok(Partial {
        index,
        name: name.to_owned(),
        values: ColumnValues::Whole(Vec::new()),
        kind: None,
        beyond_doubles: None,
    })
}

fn shorten(text: &str) -> String {
    let mut shown: String =
        text.chars().take(SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// A column that is being read.
struct Partial {
    index: usize,
    name: String,
    values: ColumnValues,
    /// What the cells are, and the line of the first.
    kind: Option<(Kind, u64)>,
    /// Line and text of the first whole number beyond all doubles.
    beyond_doubles: Option<(u64, String)>,
}

impl Partial {
    fn push(&mut self, cell: &[u8], file: &str, line: u64) -> Result<(), DataError> {
        let text = std::str::from_utf8(cell).unwrap_or_default().trim();
        let named = named_integer(text);
        let kind = named.as_ref().map_or(Kind::Number, |(kind, _)| *kind);
        let &mut (first, first_line) = self.kind.get_or_insert((kind, line));
        if kind != first && !text.is_empty() {
            let (name, text) = (self.name.clone(), shorten(text));
            return Err(Problem::OtherKind { name, text, first, first_line }.at(file, line, self.index + 1));
        }
        if let ColumnValues::Whole(values) = &mut self.values
            && let Ok(value) = text.parse::<i64>()
        {
            values.push(value);
            return Ok(());
        }
        let (column, name) = (self.index + 1, self.name.clone());
        if text.is_empty() {
            return Err(Problem::EmptyCell { name }.at(file, line, column));
        }
        let integer = match number::parse_integer(text, MAX_WHOLE_BITS) {
            Ok(value) => Some(value),
            Err(LiteralError::Malformed) => None,
            Err(LiteralError::TooLarge) => {
                let (text, limit) = (shorten(text), MAX_WHOLE_BITS);
                return Err(Problem::TooWide { name, text, limit }.at(file, line, column));
            }
        };
        let integer = integer.or_else(|| self.decimal_integer(text)).or(named.map(|(_, value)| value.into()));
        let real = match &integer {
            Some(value) => number::integer_to_f64(value),
            None => text.parse().map_err(|_| {
                let problem = Problem::NotANumber { name: name.clone(), text: shorten(text) };
                problem.at(file, line, column)
            })?,
        };
        if let Some(value) = integer
            && self.push_integer(value)
        {
            if !real.is_finite() {
                self.beyond_doubles.get_or_insert_with(|| (line, shorten(text)));
            }
            return Ok(());
        }
        // From here on the column is one of real numbers.
        let beyond = (!real.is_finite()).then(|| (line, shorten(text)));
        if let Some((line, text)) = self.beyond_doubles.take().or(beyond) {
            return Err(Problem::NotFinite { name, text }.at(file, line, column));
        }
        if !matches!(self.values, ColumnValues::Real(_)) {
            self.values = ColumnValues::Real(self.values.to_real());
        }
        if let ColumnValues::Real(values) = &mut self.values {
            values.push(real);
        }
        Ok(())
    }

    /// A whole number that's written with a point or an exponent, as far as the column is whole.
    fn decimal_integer(&self, text: &str) -> Option<BigInt> {
        let may_be = !matches!(self.values, ColumnValues::Real(_)) && text.parse::<f64>().is_ok();
        let value = may_be.then(|| number::parse_signed(text, MAX_WHOLE_BITS)).flatten()?;
        value.is_integer().then(|| value.to_integer())
    }

    /// Adds a whole number to a whole column; false for another column.
    fn push_integer(&mut self, value: BigInt) -> bool {
        match (&mut self.values, i64::try_from(&value)) {
            (ColumnValues::Real(_), _) => return false,
            (ColumnValues::Integers(values), _) => values.push(value),
            (ColumnValues::Whole(values), Ok(word)) => values.push(word),
            (ColumnValues::Whole(values), Err(_)) => {
                let words = std::mem::take(values).into_iter().map(BigInt::from);
                self.values = ColumnValues::Integers(words.chain([value]).collect());
            }
        }
        true
    }
}
