//! Levels of several values.

use rayon::prelude::*;

use crate::ExactArithmetic;

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
    values.into_par_iter().map(|value| Ok(arithmetic.lowered(value, level)?.into_owned())).collect()
}
