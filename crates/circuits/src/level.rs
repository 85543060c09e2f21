//! Values at other levels.

use crate::{ExactArithmetic, parallel::try_map};

/// The values, all at the lowest level among them.
pub(crate) fn aligned<'a, A: ExactArithmetic>(
    arithmetic: &A,
    values: impl IntoIterator<Item = &'a A::Value>,
) -> Result<Vec<A::Value>, A::Error>
where
    A::Value: 'a,
{
    let values: Vec<&A::Value> = values.into_iter().collect();
    let level = values.iter().map(|value| arithmetic.level(value)).min().unwrap_or(0);
    try_map(values.len(), &|i| Ok(arithmetic.lowered(values[i], level)?.into_owned()))
}

/// A value at a level; itself if it isn't above it.
pub(crate) fn lowered<A: ExactArithmetic>(
    arithmetic: &A,
    value: A::Value,
    level: usize,
) -> Result<A::Value, A::Error> {
    if arithmetic.level(&value) <= level {
        Ok(value)
    } else {
        Ok(arithmetic.lowered(&value, level)?.into_owned())
    }
}
