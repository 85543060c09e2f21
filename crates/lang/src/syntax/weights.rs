//! Lists of constants from files, such as the weights of a model that was trained elsewhere: CSV, or one array of NumPy.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use asanoha_numeric::number::{self, MAX_CONSTANT_BITS};
use csv::ReaderBuilder;
use num_rational::BigRational;
use thiserror::Error;

use crate::names;

/// The most weights of a file.
pub const MAX_WEIGHTS: usize = 1 << 16;
/// The most bytes of a file.
const MAX_BYTES: u64 = 16 << 20;
/// What a file of NumPy begins with.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Constants that programs take by name, `@name`: see [`parse_with`](crate::parse_with).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// Their names, one for each value, if the file has names.
    pub names: Option<Vec<String>>,
    /// The values, exactly: those of decimals are the decimals', and those of floating point are the binary fractions.
    pub values: Vec<BigRational>,
}

/// A file of weights that can't be taken.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// The file can't be read.
    #[error("{file}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// What it holds isn't a list of numbers.
    #[error("{file}: {problem}")]
    Unfit {
        /// The file.
        file: String,
        /// What's wrong, and what to save instead.
        problem: String,
    },
}

impl Weights {
    /// Reads a file: see [`Self::from_bytes`].
    ///
    /// # Errors
    /// What the operating system says, and what [`Self::from_bytes`] refuses.
    pub fn read(path: &Path) -> Result<Self, WeightsError> {
        let name = path.display().to_string();
        let unreadable = |source| WeightsError::Unreadable { file: name.clone(), source };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        Self::from_bytes(&bytes, &name)
    }

    /// Weights out of a file's contents; `file` is its name in messages. It's CSV, one row or one column of numbers and before it,
    /// if there's any, a row of as many names, or the name of the column; or one array of NumPy (`.npy` of version 1 to 3) of
    /// one axis, of doubles, floats, integers or truths.
    ///
    /// # Errors
    /// All else, with what to save instead; more than [`MAX_WEIGHTS`] weights.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self, WeightsError> {
        let read = if bytes.len() as u64 > MAX_BYTES {
            Err(format!("it has more than {MAX_BYTES} bytes"))
        } else if bytes.starts_with(MAGIC) {
            numpy(bytes).map(|values| Self { names: None, values })
        } else {
            text(bytes)
        };
        let weights = read.and_then(|weights| match weights.values.len() {
            0 => Err("it holds no numbers".to_owned()),
            count if count > MAX_WEIGHTS => {
                Err(format!("it holds {count} numbers, and up to {MAX_WEIGHTS} are taken"))
            }
            _ => Ok(weights),
        });
        weights.map_err(|problem| WeightsError::Unfit { file: file.to_owned(), problem })
    }
}

/// A number of a cell.
fn parsed(cell: &str) -> Option<BigRational> {
    number::parse_signed(cell, MAX_CONSTANT_BITS).filter(|value| number::bits(value) <= MAX_CONSTANT_BITS)
}

fn text(bytes: &[u8]) -> Result<Weights, String> {
    const FORM: &str = "save one row or one column of numbers, with a row of names above it if they have any";
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut all = 0;
    for record in ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes).records() {
        let record = record.map_err(|_| format!("it's neither CSV nor an array of NumPy: {FORM}"))?;
        all += record.len();
        if all > 2 * MAX_WEIGHTS {
            return Err(format!("it has more than {MAX_WEIGHTS} numbers"));
        }
        let cells = record.iter().map(|cell| cell.trim_start_matches('\u{feff}').trim().to_owned());
        rows.push(cells.collect());
    }
    let is_head = |row: &Vec<String>| row.iter().any(|cell| parsed(cell).is_none());
    let head = rows.first().filter(|row| is_head(row)).cloned();
    let body = &rows[usize::from(head.is_some())..];
    let width = body.first().map_or(0, Vec::len);
    if body.iter().any(|row| row.len() != width) || body.len() > 1 && width > 1 {
        return Err(format!("it's {} rows, of {width} numbers or others: {FORM}", body.len()));
    }
    if head.as_ref().is_some_and(|head| head.len() != width) {
        return Err(format!("its first row has another number of cells than the next: {FORM}"));
    }
    let value = |(at, cell): (usize, &String)| {
        let shown: String = cell.chars().take(40).collect::<String>().escape_debug().to_string();
        parsed(cell).ok_or_else(|| format!("number {} is `{shown}`, which is no number: {FORM}", at + 1))
    };
    let values = body.iter().flatten().enumerate().map(value).collect::<Result<Vec<_>, _>>()?;
    // The name above a column of several is that of the column.
    let names = head.filter(|head| head.len() == values.len());
    if let Some(names) = &names {
        check_names(names)?;
    }
    Ok(Weights { names, values })
}

fn check_names(names: &[String]) -> Result<(), String> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        let shown: String = name.chars().take(40).collect::<String>().escape_debug().to_string();
        if !names::is_column(name) {
            return Err(format!("`{shown}` in its first row isn't the name of a column"));
        }
        if !seen.insert(name.as_str()) {
            return Err(format!("`{shown}` stands in its first row twice"));
        }
    }
    if seen.contains("intercept") && seen.contains("bias") {
        return Err("it has both `intercept` and `bias`, which mean the same: leave one out".to_owned());
    }
    Ok(())
}

/// The numbers of an array of NumPy.
fn numpy(bytes: &[u8]) -> Result<Vec<BigRational>, String> {
    const CUT: &str = "it ends before the array does: save it again with numpy.save";
    let version = bytes.get(MAGIC.len()).copied().ok_or(CUT)?;
    let length_bytes = match version {
        1 => 2,
        2 | 3 => 4,
        other => {
            return Err(format!(
                "it's of version {other} of .npy, and 1 to 3 are read: save it with numpy.save"
            ));
        }
    };
    let start = MAGIC.len() + 2;
    let field = bytes.get(start..start + length_bytes).ok_or(CUT)?;
    let length = field.iter().rev().fold(0usize, |length, &byte| length << 8 | usize::from(byte));
    let body = (start + length_bytes).checked_add(length).ok_or(CUT)?;
    let header = bytes.get(start + length_bytes..body).ok_or(CUT)?;
    let header = std::str::from_utf8(header).map_err(|_| "its header isn't text".to_owned())?;
    let count = elements(header)?;
    let descr = value_of(header, "descr").unwrap_or_default();
    let kind = descr.trim_matches(|c| c == '\'' || c == '"');
    let (size, read) = reader(kind)?;
    let data = &bytes[body..];
    if count.checked_mul(size) != Some(data.len()) {
        return Err(format!(
            "its header tells of {count} numbers of {size} bytes, and {} bytes follow: save it again with numpy.save",
            data.len()
        ));
    }
    let number = |(at, bytes): (usize, &[u8])| {
        read(bytes).ok_or_else(|| format!("number {} isn't finite: leave it out, or replace it", at + 1))
    };
    data.chunks_exact(size).enumerate().map(number).collect()
}

/// What stands after a key of the header, up to the next comma that isn't in brackets.
fn value_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = [format!("'{key}':"), format!("\"{key}\":")]
        .iter()
        .find_map(|key| Some(header.find(key)? + key.len()))?;
    let rest = header[at..].trim_start();
    let end = if rest.starts_with('(') { rest.find(')')? + 1 } else { rest.find([',', '}'])? };
    Some(rest[..end].trim())
}

/// The number of elements of an array of one axis longer than 1 at most, so that their order is that of the file.
fn elements(header: &str) -> Result<usize, String> {
    let shape = value_of(header, "shape").and_then(|shape| shape.strip_prefix('(')?.strip_suffix(')'));
    let shape = shape.ok_or("its header has no shape: save it with numpy.save")?;
    let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty());
    let axes: Option<Vec<usize>> = axes.map(|axis| axis.parse().ok()).collect();
    let fit = axes.filter(|axes| axes.len() <= 2 && axes.iter().filter(|&&axis| axis != 1).count() <= 1);
    fit.map(|axes| axes.iter().product()).ok_or_else(|| {
        format!(
            "it's an array of shape ({}): save one axis of it, such as a.ravel()",
            shape.chars().take(40).collect::<String>()
        )
    })
}

/// What a number of the file becomes; none for what isn't finite.
type ReadNumber = fn(&[u8]) -> Option<BigRational>;

/// The bytes of a number of a kind, and how it's read.
fn reader(kind: &str) -> Result<(usize, ReadNumber), String> {
    macro_rules! integer {
        ($integer:ty) => {
            (size_of::<$integer>(), |bytes| {
                Some(BigRational::from_integer(<$integer>::from_le_bytes(bytes.try_into().ok()?).into()))
            })
        };
    }
    Ok(match kind {
        "<f4" => (4, |bytes| BigRational::from_float(f32::from_le_bytes(bytes.try_into().ok()?))),
        "<f8" => (8, |bytes| BigRational::from_float(f64::from_le_bytes(bytes.try_into().ok()?))),
        "|i1" | "<i1" => integer!(i8),
        "<i2" => integer!(i16),
        "<i4" => integer!(i32),
        "<i8" => integer!(i64),
        "|u1" | "<u1" => integer!(u8),
        "<u2" => integer!(u16),
        "<u4" => integer!(u32),
        "<u8" => integer!(u64),
        "|b1" => (1, |bytes| Some(BigRational::from_integer(u8::from(bytes[0] != 0).into()))),
        other => {
            let shown: String = other.chars().take(40).collect::<String>().escape_debug().to_string();
            return Err(format!("its numbers are of dtype {shown}: save it as doubles, a.astype('<f8')"));
        }
    })
}
