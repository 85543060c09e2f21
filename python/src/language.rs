//! What the language of programs says of its functions.

use asanoha::program::ops::ENTRIES;
use pyo3::prelude::*;

/// Returns the names of the functions of the language.
#[pyfunction]
pub(crate) fn functions() -> Vec<&'static str> {
    ENTRIES.into_iter().map(|entry| entry.name).collect()
}

/// Returns the names of the smooth functions of the language.
#[pyfunction]
pub(crate) fn smooth_functions() -> Vec<&'static str> {
    ENTRIES.into_iter().filter(|entry| entry.smooth_function().is_some()).map(|entry| entry.name).collect()
}
