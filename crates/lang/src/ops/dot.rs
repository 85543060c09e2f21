//! `dot(a, b)`: the sum of products, over the rows of two columns or row by row of two lists.

use super::entry::{Call, CallError, Entry, Lowered, line};

pub(super) static ENTRY: Entry = Entry::new(
    "dot",
    (2, 2),
    &[
        line(&["dot(a, b)"], "columns", "the sum of a·b over all rows"),
        line(
            &["dot([a, b, …], [0.1, -2, …])", "dot([a, b, …], @w)"],
            "lists of values and weights",
            "the sum of products, row by row",
        ),
    ],
    lower,
)
.elsewhere(&["sumproduct"]);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let (a, b) = match (call.list(0), call.list(1)) {
        (None, None) => {
            let [a, b] = call.values()?;
            return Ok(call.terms.dot(a, b)?.into());
        }
        (Some(a), Some(b)) => (a, b),
        _ => return Err(CallError::new("`dot` takes two columns or two lists, and here is one list", None)),
    };
    if a.len() != b.len() || a.is_empty() {
        let message =
            format!("`dot` takes lists of one length, and here are {} and {} items", a.len(), b.len());
        return Err(CallError::new(message, None));
    }
    let pairs = a.iter().zip(b).map(|(a, b)| Ok((a.value()?, b.value()?)));
    let pairs = pairs.collect::<Result<Vec<_>, CallError>>()?;
    let mut sum = call.terms.integer(0)?;
    for (a, b) in pairs {
        let product = call.terms.mul(a, b)?;
        sum = call.terms.add(sum, product)?;
    }
    Ok(sum.into())
}
