//! Whether values are columns.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether a value has one entry per row of the data or is one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A value per row.
    Column,
    /// One value.
    Number,
}

impl Shape {
    /// The shape of an operation on two values: a number beside a column stands in every row.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        if self == Self::Number { other } else { Self::Column }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Column => "column",
            Self::Number => "number",
        })
    }
}
