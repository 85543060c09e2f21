//! A column, cell by cell.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Pow, Zero};
use serde::Serialize;

use crate::{
    categories::Dictionary,
    cell::{FirstCell, Kind, is_missing, is_other_missing, named_integer, plain_decimal, wide_decimal},
    error::{Problem, shorten},
    reading::Reading,
    table::{Column, ColumnValues, MAX_PLACES, MAX_WHOLE_BITS},
    typed_column::TypedColumn,
    wish::Wish,
    written::{NumberFormat, Written},
};
use asanoha_numeric::number::{self, LiteralError};

/// The memory of a value in bytes: of a word, whose vector has room to grow, and of a big integer without its digits.
const WORD_BYTES: u64 = 16;
const BIG_BYTES: u64 = 64;
/// The memory of a missing value beside its place among the values.
const MISSING_BYTES: u64 = 32;
/// Every whole number of so many characters is a word.
const WORD_CHARACTERS: usize = 18;

/// What is wrong, and in which line.
pub(crate) type Refusal = (u64, Problem);

/// Whether it's a whole number, of any size.
fn is_integer(text: &str) -> bool {
    !matches!(number::parse_integer(text, MAX_WHOLE_BITS), Err(LiteralError::Malformed))
}

/// A number as an exact fraction, whichever way it's written.
fn exact(text: &str) -> Option<BigRational> {
    let is_number = number::parse_integer(text, MAX_WHOLE_BITS).is_ok() || text.parse::<f64>().is_ok();
    is_number.then(|| number::parse_signed(text, MAX_WHOLE_BITS)).flatten()
}

/// The first cell that makes a column one of real numbers, computed on to a precision, and no longer of whole numbers or decimals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RealSince {
    /// The column.
    pub column: String,
    /// Its line, or its row in a file without lines, from 1.
    pub line: u64,
    /// What it holds.
    pub cell: String,
}

/// A column that is being read.
pub(crate) struct Partial {
    name: String,
    wish: Wish,
    numbers: NumberFormat,
    values: ColumnValues,
    /// What the cells are, and the line of the first.
    kind: Option<(Kind, u64)>,
    /// The first cell.
    first_text: String,
    /// The refusal of the first cell, of a column of text, if numbers follow.
    first_slip: Option<Refusal>,
    /// The most places after the point of any cell so far; `None` once a cell isn't a plain decimal.
    written_places: Option<u32>,
    /// Text of the first whole number beyond all doubles, and its line.
    beyond_doubles: Option<(u64, String)>,
    /// Whether all cells so far are whole numbers of nothing but digits, which may be identifiers.
    only_digits: bool,
    /// The bytes of all cells of more than [`WORD_CHARACTERS`].
    long_bytes: u64,
    /// The texts, of a column of text.
    dictionary: Dictionary,
    /// The first cell for which the column became one of real numbers.
    real_since: Option<RealSince>,
    /// The rows, from 0, that miss a value. The values have a 0 there.
    pub(crate) missing: Vec<usize>,
    /// The line of the first.
    pub(crate) first_missing: u64,
}

impl Partial {
    pub(crate) fn new(name: &str, reading: &Reading) -> Self {
        let (wish, values) = Wish::of_column(name, reading);
        let planned = reading.schema.and_then(|schema| schema.column(name));
        Self {
            name: name.to_owned(),
            wish,
            numbers: reading.numbers,
            values,
            kind: None,
            first_text: String::new(),
            first_slip: None,
            written_places: Some(0),
            beyond_doubles: None,
            only_digits: wish == Wish::Any,
            long_bytes: 0,
            dictionary: Dictionary::new(planned.map_or(&[], |column| &column.categories)),
            real_since: None,
            missing: Vec::new(),
            first_missing: 0,
        }
    }

    /// A column whose kind is that of its values.
    pub(crate) fn of_type(TypedColumn { name, values, missing }: TypedColumn) -> Self {
        let mut column = Self::new(&name, &Reading::default());
        column.first_missing = missing.first().map_or(0, |&row| row as u64 + 1);
        column.missing = missing;
        column.values = match values {
            ColumnValues::Categories { values, names } => {
                (column.wish, column.dictionary) = (Wish::Text, Dictionary::new(&names));
                ColumnValues::Whole(values)
            }
            other => other,
        };
        column
    }

    /// The number of cells.
    #[cfg(feature = "arrow")]
    pub(crate) fn rows(&self) -> usize {
        self.values.len()
    }

    /// Takes text, whatever it says.
    #[cfg(feature = "arrow")]
    pub(crate) fn push_text_cell(&mut self, text: &str, line: u64) -> Result<(), Problem> {
        self.kind.get_or_insert((Kind::Text, line));
        self.push_text(text)
    }

    /// The texts, in their order; `None` if every one is missing.
    #[cfg(feature = "arrow")]
    pub(crate) fn into_texts(self) -> Option<ColumnValues> {
        self.is_text().then(|| self.finish().values)
    }

    /// The memory of the values, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let is_big = matches!(self.values, ColumnValues::Integers(_) | ColumnValues::WideDecimal { .. });
        self.bytes_of(self.values.len(), is_big)
    }

    /// The memory of the values and of one more, in bytes. That one may turn all of them into big integers, if it's long or has more
    /// places after the point.
    pub(crate) fn bytes_with(&self, next: &str) -> u64 {
        let places = || next.rfind(['.', ',']).map_or(0, |at| next.len() - at - 1);
        let is_big = match &self.values {
            ColumnValues::Integers(_) | ColumnValues::WideDecimal { .. } => true,
            ColumnValues::Real(_) => false,
            _ if self.is_text() => false,
            words => next.len() > WORD_CHARACTERS || places() > words.places() as usize,
        };
        self.bytes_of(self.values.len() + 1, is_big) + next.len() as u64
    }

    fn bytes_of(&self, values: usize, are_big: bool) -> u64 {
        let of_values = values as u64 * if are_big { BIG_BYTES } else { WORD_BYTES }
            + u64::from(are_big) * self.long_bytes;
        of_values + self.missing.len() as u64 * MISSING_BYTES
    }

    /// The column's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The cell for which it's one of real numbers, if it's such for a cell and not by its type or a schema.
    pub(crate) fn real_since(&self) -> Option<&RealSince> {
        self.real_since.as_ref()
    }

    /// Returns true if every cell is a date.
    pub(crate) fn is_date(&self) -> bool {
        matches!(self.kind, Some((Kind::Date, _)))
    }

    /// Whether a schema says what the column is.
    pub(crate) fn is_planned(&self) -> bool {
        match self.wish {
            Wish::Decimal(_) => true,
            Wish::Text => self.dictionary.is_given(),
            _ => false,
        }
    }

    /// Whether it's a column of text.
    pub(crate) fn is_text(&self) -> bool {
        self.wish == Wish::Text || matches!(self.kind, Some((Kind::Text | Kind::Identifier, _)))
    }

    /// The values, with 0 where they miss.
    pub(crate) fn finish(self) -> Column {
        let is_text =
            self.wish == Wish::Text || matches!(self.kind, Some((Kind::Text | Kind::Identifier, _)));
        let values = match self.values {
            ColumnValues::Whole(values) if is_text => self.dictionary.sorted(values),
            values => values,
        };
        Column { name: self.name, values }
    }

    /// Takes a cell of a line, which may be missing.
    #[cfg(feature = "arrow")]
    pub(crate) fn push(&mut self, text: &str, line: u64) -> Result<(), Refusal> {
        self.push_cell(text, false, line)
    }

    /// As [`Partial::push`]; a word for missing values is text where it's quoted, unless the column is one of numbers.
    pub(crate) fn push_cell(&mut self, text: &str, is_quoted: bool, line: u64) -> Result<(), Refusal> {
        let may_be_text = match self.wish {
            Wish::Text => true,
            Wish::Any => matches!(self.kind, None | Some((Kind::Text, _))),
            _ => false,
        };
        let is_word = is_quoted && may_be_text && !text.is_empty();
        if is_word && is_missing(text) && self.wish != Wish::Text {
            return self.push_any(text, true, line);
        }
        if text.len() > WORD_CHARACTERS {
            self.long_bytes += text.len() as u64;
        }
        let is_missing = is_missing(text) && !is_word;
        let is_listed = self.wish == Wish::Text && self.dictionary.is_given() && self.dictionary.has(text);
        if is_missing && !is_listed {
            self.push_missing(line);
            return Ok(());
        }
        let may_be_written = is_quoted && may_be_text;
        if self.wish == Wish::Text {
            return self.push_text(text).map_err(|problem| (line, problem));
        }
        let Some(number) = self.numbers.plain(text) else {
            return Err((line, self.written(text, Written::DecimalPoint)));
        };
        match self.wish {
            Wish::Decimal(places) => self.push_fixed(&number, places).map_err(|problem| (line, problem)),
            _ => self.push_any(&number, may_be_written, line),
        }
    }

    /// The refusal of a cell that stands for a number or for none, and isn't read so.
    fn slip(&self, text: &str) -> Option<Problem> {
        if is_other_missing(text) {
            return Some(Problem::OtherMissing { name: self.name.clone(), text: shorten(text) });
        }
        Written::of(text).map(|written| self.written(text, written))
    }

    /// The refusal of a cell that looks like a number.
    fn written(&self, text: &str, written: Written) -> Problem {
        Problem::Written { name: self.name.clone(), text: shorten(text), written }
    }

    /// Takes a numeric type of the file before a wish for text.
    #[cfg(feature = "arrow")]
    pub(crate) fn is_of_numbers(&mut self) {
        if self.wish == Wish::Text && !self.dictionary.is_given() {
            self.wish = Wish::Any;
        }
    }

    /// Says that the file has numbers in double precision here: real ones, whatever they are, unless a schema says otherwise. So
    /// plans don't change with the sample.
    #[cfg(feature = "arrow")]
    pub(crate) fn is_of_doubles(&mut self) {
        let is_free = matches!(self.wish, Wish::Any | Wish::NoDecimals);
        if is_free && !matches!(self.values, ColumnValues::Real(_)) {
            self.values = ColumnValues::Real(self.values.to_real());
        }
    }

    /// Takes a number in double precision, and NaN as missing.
    #[cfg(feature = "arrow")]
    pub(crate) fn push_double(&mut self, value: f64, line: u64) -> Result<(), Refusal> {
        const EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
        if value.is_nan() {
            self.push_missing(line);
            return Ok(());
        }
        let is_real = matches!(self.values, ColumnValues::Real(_));
        if !is_real && value.fract() == 0.0 && value.abs() < EXACT {
            return self.push(&(value as i64).to_string(), line);
        }
        if self.wish == Wish::Numbers && !is_real {
            self.values = ColumnValues::Real(self.values.to_real());
        }
        // The exponent tells it from a decimal.
        self.push(&format!("{value:e}"), line)
    }

    /// A row without a value.
    pub(crate) fn push_missing(&mut self, line: u64) {
        if self.missing.is_empty() {
            self.first_missing = line;
        }
        self.missing.push(self.values.len());
        match &mut self.values {
            ColumnValues::Whole(values)
            | ColumnValues::Decimal { values, .. }
            | ColumnValues::Categories { values, .. } => values.push(0),
            ColumnValues::Integers(values) | ColumnValues::WideDecimal { values, .. } => {
                values.push(BigInt::ZERO);
            }
            ColumnValues::Real(values) => values.push(0.0),
        }
    }

    /// Takes a cell of a column whose first cell says what it is. Where that may be a text, it is also one if it looks like a
    /// number that isn't read.
    fn push_any(&mut self, text: &str, may_be_text: bool, line: u64) -> Result<(), Refusal> {
        if self.only_digits {
            self.only_digits = text.bytes().all(|byte| byte.is_ascii_digit());
            if self.only_digits && text.len() > 1 && text.starts_with('0') {
                self.become_identifiers(text, line).map_err(|problem| (line, problem))?;
            }
        }
        let named = named_integer(text);
        let is_word = may_be_text && is_missing(text);
        let is_number =
            || !is_word && (plain_decimal(text).is_some() || text.parse::<f64>().is_ok() || is_integer(text));
        let kind = match (&named, self.kind) {
            (_, Some((Kind::Identifier, _))) if self.only_digits => Kind::Identifier,
            (Some((kind, _)), _) => *kind,
            // What is no number is refused below.
            (None, Some((Kind::Number, _))) => Kind::Number,
            (None, _) if self.wish != Wish::Any || is_number() => Kind::Number,
            (None, _) => Kind::Text,
        };
        if self.kind.is_none() {
            self.first_text = shorten(text);
            self.first_slip = self.slip(text).map(|problem| (line, problem));
            let is_refused =
                |written: &Written| !written.may_be_category() && (!may_be_text || written.has_commas());
            if kind == Kind::Text
                && Written::of(text).is_some_and(|written| is_refused(&written))
                && let Some(slip) = self.first_slip.take()
            {
                return Err(slip);
            }
        }
        let &mut (first, first_line) = self.kind.get_or_insert((kind, line));
        if kind != first {
            // Numbers below a slip are no mistake, and the slip is.
            let slip = if first == Kind::Text {
                self.first_slip.take()
            } else {
                self.slip(text).map(|problem| (line, problem))
            };
            let other = || {
                let first = FirstCell { kind: first, line: first_line, text: self.first_text.clone() };
                Problem::OtherKind { name: self.name.clone(), text: shorten(text), first: first.into() }
            };
            return Err(slip.unwrap_or_else(|| (line, other())));
        }
        if kind == Kind::Identifier {
            let number = identifier(&mut self.dictionary, text, &self.name);
            return number.map(|number| self.push_place(number)).map_err(|problem| (line, problem));
        }
        if kind == Kind::Text {
            return self.push_text(text).map_err(|problem| (line, problem));
        }
        match plain_decimal(text) {
            Some((digits, places)) => {
                self.written_places = self.written_places.map(|most| most.max(places));
                let power = 10i64.checked_pow(places);
                if let Some(power) = power.filter(|power| digits % power == 0)
                    && let ColumnValues::Whole(values) = &mut self.values
                {
                    values.push(digits / power);
                    return Ok(());
                }
                if self
                    .push_decimal(digits, places)
                    .or_else(|| self.push_wide(digits.into(), places))
                    .is_some()
                {
                    return Ok(());
                }
            }
            None => match wide_decimal(text) {
                Some((digits, places)) => {
                    self.written_places = self.written_places.map(|most| most.max(places));
                    if self.push_wide(digits, places).is_some() {
                        return Ok(());
                    }
                }
                None => self.written_places = None,
            },
        }
        self.push_number(text, named.map(|(_, value)| value.into()), line)
    }

    /// Adds a decimal to decimals, or to whole numbers that become such; `None` if they can't.
    fn push_decimal(&mut self, digits: i64, places: u32) -> Option<()> {
        let most = self.written_places.filter(|&most| most <= MAX_PLACES && self.wish != Wish::NoDecimals)?;
        let (values, before) = match &mut self.values {
            ColumnValues::Whole(values) => (values, 0),
            ColumnValues::Decimal { values, places } => (values, *places),
            _ => return None,
        };
        let digits = digits.checked_mul(10i64.pow(most - places))?;
        if most > before {
            let factor = 10i64.pow(most - before);
            if values.iter().any(|value| value.checked_mul(factor).is_none()) {
                return None;
            }
            values.iter_mut().for_each(|value| *value *= factor);
            self.values = ColumnValues::Decimal { values: std::mem::take(values), places: most };
        }
        if let ColumnValues::Decimal { values, .. } = &mut self.values {
            values.push(digits);
        }
        Some(())
    }

    /// As [`Self::push_decimal`], for digits beyond words; `None` for whole numbers of a whole column too.
    fn push_wide(&mut self, digits: BigInt, places: u32) -> Option<()> {
        let most = self.written_places.filter(|&most| {
            (1..=MAX_PLACES).contains(&most) && !matches!(self.wish, Wish::NoDecimals | Wish::Text)
        })?;
        let is_whole = matches!(self.values, ColumnValues::Whole(_) | ColumnValues::Integers(_));
        if is_whole && (&digits % BigInt::from(10).pow(places)).is_zero() {
            return None;
        }
        let power = |places: u32| BigInt::from(10).pow(most - places);
        let (before, mut values) = match &mut self.values {
            ColumnValues::Whole(values) => (0, values.drain(..).map(BigInt::from).collect()),
            ColumnValues::Decimal { values, places } => {
                (*places, values.drain(..).map(BigInt::from).collect::<Vec<_>>())
            }
            ColumnValues::Integers(values) => (0, std::mem::take(values)),
            ColumnValues::WideDecimal { values, places } => (*places, std::mem::take(values)),
            ColumnValues::Categories { .. } | ColumnValues::Real(_) => return None,
        };
        if most > before {
            let power = power(before);
            values.iter_mut().for_each(|value| *value *= &power);
        }
        values.push(digits * power(places));
        self.values = ColumnValues::WideDecimal { values, places: most };
        Some(())
    }

    /// Makes a column of digits one of text, as the cell `zeros` of a line has leading zeros, which numbers don't keep.
    fn become_identifiers(&mut self, zeros: &str, line: u64) -> Result<(), Problem> {
        if matches!(self.kind, Some((Kind::Identifier, _))) {
            return Ok(());
        }
        let numbers: Box<dyn Iterator<Item = String>> = match &self.values {
            ColumnValues::Whole(values) => Box::new(values.iter().map(ToString::to_string)),
            ColumnValues::Integers(values) => Box::new(values.iter().map(ToString::to_string)),
            _ => return Ok(()),
        };
        let mut missing = self.missing.iter().peekable();
        let mut places = Vec::with_capacity(self.values.len());
        for (row, text) in numbers.enumerate() {
            let is_missing = missing.next_if(|&&it| it == row).is_some();
            places.push(if is_missing { 0 } else { identifier(&mut self.dictionary, &text, &self.name)? });
        }
        self.values = ColumnValues::Whole(places);
        self.kind = Some((Kind::Identifier, line));
        self.first_text = shorten(zeros);
        Ok(())
    }

    /// Adds the number of a text.
    fn push_text(&mut self, text: &str) -> Result<(), Problem> {
        let number = self.dictionary.number(text, &self.name)?;
        self.push_place(number);
        Ok(())
    }

    fn push_place(&mut self, number: i64) {
        if let ColumnValues::Whole(values) = &mut self.values {
            values.push(number);
        }
    }

    /// Adds a cell to decimals of so many places, or refuses it.
    fn push_fixed(&mut self, text: &str, places: u32) -> Result<(), Problem> {
        let plain = plain_decimal(text).filter(|&(_, written)| written <= places);
        let digits = plain.and_then(|(digits, written)| digits.checked_mul(10i64.pow(places - written)));
        if let (Some(digits), ColumnValues::Decimal { values, .. }) = (digits, &mut self.values) {
            values.push(digits);
            return Ok(());
        }
        let wide = wide_decimal(text).filter(|&(_, written)| written <= places);
        let scaled = || exact(text).map(|value| value * Pow::pow(BigInt::from(10), places));
        let digits = wide.map_or_else(
            || scaled().filter(BigRational::is_integer).map(|scaled| scaled.to_integer()),
            |(digits, written)| Some(digits * BigInt::from(10).pow(places - written)),
        );
        let Some(digits) = digits else {
            let other = || Problem::NotDecimal { name: self.name.clone(), text: shorten(text), places };
            let slip = if exact(text).is_none() { self.slip(text) } else { None };
            return Err(slip.unwrap_or_else(other));
        };
        match (&mut self.values, i64::try_from(&digits)) {
            (ColumnValues::Decimal { values, .. }, Ok(word)) => values.push(word),
            (ColumnValues::Decimal { values, .. }, Err(_)) => {
                let words = std::mem::take(values).into_iter().map(BigInt::from);
                self.values = ColumnValues::WideDecimal { values: words.chain([digits]).collect(), places };
            }
            (ColumnValues::WideDecimal { values, .. }, _) => values.push(digits),
            _ => unreachable!("the schema's kind"),
        }
        Ok(())
    }

    /// Adds a number that is no word or decimal of the column, or the whole number that a cell stands for.
    fn push_number(&mut self, text: &str, named: Option<BigInt>, line: u64) -> Result<(), Refusal> {
        let quoted = || (self.name.clone(), shorten(text));
        let integer = match number::parse_integer(text, MAX_WHOLE_BITS) {
            Ok(value) => Some(value),
            Err(LiteralError::Malformed) => None,
            Err(LiteralError::TooLarge) => {
                let (name, text) = quoted();
                return Err((line, Problem::TooWide { name, text, limit: MAX_WHOLE_BITS }));
            }
        };
        let integer = integer.or_else(|| self.decimal_integer(text)).or(named);
        let real = match &integer {
            Some(value) => number::integer_to_f64(value),
            None => text.parse().map_err(|_| {
                let (name, shown) = quoted();
                (line, self.slip(text).unwrap_or(Problem::NotANumber { name, text: shown }))
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
            return Err((line, Problem::NotFinite { name: self.name.clone(), text }));
        }
        if !matches!(self.values, ColumnValues::Real(_)) {
            let (column, cell) = (self.name.clone(), shorten(text));
            self.real_since = Some(RealSince { column, line, cell });
            self.values = ColumnValues::Real(self.values.to_real());
        }
        if let ColumnValues::Real(values) = &mut self.values {
            values.push(real);
        }
        Ok(())
    }

    /// A whole number that's written with a point or an exponent, as far as the column is whole.
    fn decimal_integer(&self, text: &str) -> Option<BigInt> {
        let is_whole = matches!(self.values, ColumnValues::Whole(_) | ColumnValues::Integers(_));
        let value = is_whole.then(|| exact(text)).flatten()?;
        value.is_integer().then(|| value.to_integer())
    }

    /// Adds a whole number to a whole column; false for another column.
    fn push_integer(&mut self, value: BigInt) -> bool {
        match (&mut self.values, i64::try_from(&value)) {
            (ColumnValues::Integers(values), _) => values.push(value),
            (ColumnValues::Whole(values), Ok(word)) => values.push(word),
            (ColumnValues::Whole(values), Err(_)) => {
                let words = std::mem::take(values).into_iter().map(BigInt::from);
                self.values = ColumnValues::Integers(words.chain([value]).collect());
            }
            _ => return false,
        }
        true
    }
}

/// The number of an identifier.
fn identifier(dictionary: &mut Dictionary, text: &str, column: &str) -> Result<i64, Problem> {
    dictionary.number(text, column).map_err(|problem| match problem {
        Problem::TooManyCategories { name, limit } => Problem::TooManyIdentifiers { name, limit },
        other => other,
    })
}
