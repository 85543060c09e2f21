//! The rules of the language of programs: its functions, names, numbers and limits.

use asanoha::{
    data::{MAX_CATEGORIES, MAX_CATEGORY_BYTES, MAX_COLUMNS, MAX_PLACES, MAX_ROWS, unfit_category},
    program::{
        self, MAX_BINS, MAX_CONSTANT_BITS, MAX_EXPONENT, MAX_LEAST_SQUARES, MAX_NAME_LENGTH, ops::ENTRIES,
        parse_number, quoted_column, short_number,
    },
};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyString};

/// Adds the limits of programs and of schemas to the module.
pub(crate) fn add_limits(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MAX_BINS", MAX_BINS)?;
    module.add("MAX_CATEGORIES", MAX_CATEGORIES)?;
    module.add("MAX_CATEGORY_BYTES", MAX_CATEGORY_BYTES)?;
    module.add("MAX_COLUMNS", MAX_COLUMNS)?;
    module.add("MAX_CONSTANT_BITS", MAX_CONSTANT_BITS)?;
    module.add("MAX_EXPONENT", MAX_EXPONENT)?;
    module.add("MAX_LEAST_SQUARES", MAX_LEAST_SQUARES)?;
    module.add("MAX_NAME_BYTES", MAX_NAME_LENGTH)?;
    module.add("MAX_PLACES", MAX_PLACES)?;
    module.add("MAX_ROWS", MAX_ROWS)
}

/// Returns the functions of the language, each with the smallest and the largest number of its arguments.
#[pyfunction]
pub(crate) fn functions() -> Vec<(&'static str, usize, usize)> {
    ENTRIES.into_iter().map(|entry| (entry.name, entry.arguments.0, entry.arguments.1)).collect()
}

/// Returns the names of the smooth functions of the language.
#[pyfunction]
pub(crate) fn smooth_functions() -> Vec<&'static str> {
    ENTRIES.into_iter().filter(|entry| entry.smooth_function().is_some()).map(|entry| entry.name).collect()
}

/// Returns true for a name that the language reads as one word.
#[pyfunction]
pub(crate) fn is_identifier(name: &Bound<'_, PyString>) -> bool {
    name.to_cow().is_ok_and(|name| program::is_identifier(&name))
}

/// Returns true for a word of Python, which names no output.
#[pyfunction]
pub(crate) fn is_keyword(name: &Bound<'_, PyString>) -> bool {
    name.to_cow().is_ok_and(|name| program::is_keyword(&name))
}

/// Returns true for a name that a column may have.
#[pyfunction]
pub(crate) fn is_column_name(name: &Bound<'_, PyString>) -> bool {
    name.to_cow().is_ok_and(|name| program::is_column_name(&name))
}

/// Returns a column's name as programs write it.
#[pyfunction]
pub(crate) fn quoted(column: &str) -> String {
    quoted_column(column)
}

/// Returns a text as programs write it.
#[pyfunction]
pub(crate) fn text_literal(text: &Bound<'_, PyString>) -> String {
    program::text_literal(&text.to_string_lossy())
}

/// Returns why a text can't be a category of a column; None if it can.
#[pyfunction]
pub(crate) fn category_problem(text: &Bound<'_, PyString>) -> Option<String> {
    // Half of a character of two is no text of Rust's: it's refused like one that steers a terminal.
    text.to_cow().map_or_else(|_| unfit_category("\0"), |text| unfit_category(&text))
}

/// Returns a fraction p/q as programs and schemas write it.
#[pyfunction]
pub(crate) fn short(fraction: &str) -> PyResult<String> {
    let value = parse_number(fraction).ok_or_else(|| {
        PyValueError::new_err(format!("a number of more than {MAX_CONSTANT_BITS} bits isn't written"))
    })?;
    Ok(short_number(&value))
}
