//! Products of blocks and their sums.

use asanoha_scheme::{Exact, Operand, Operations, SchemeError};
use rayon::prelude::*;

use super::{
    Keep,
    images::{at_level, left_images, left_source, right_images, right_source},
    steps::Steps,
};

/// [`super::SquareProduct::multiply`].
pub(super) fn multiply<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    left: &[V],
    right: &[V],
) -> Result<Vec<V>, SchemeError> {
    let [rows, inner, columns] = steps.blocks();
    assert!(left.len() == rows * inner && right.len() == inner * columns);
    match steps.options.images {
        Keep::Stored => with_images(steps, operations, left, right),
        Keep::Recomputed => (0..rows * columns)
            .into_par_iter()
            .map(|block| {
                let (row, column) = (block / columns, block % columns);
                let pairs = (0..inner).map(|k| (&left[row * inner + k], &right[k * columns + column]));
                sum_over_inner(steps, operations, pairs)
            })
            .collect(),
    }
}

/// All images of right blocks are made first, and of left blocks a row's at a time.
fn with_images<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    left: &[V],
    right: &[V],
) -> Result<Vec<V>, SchemeError> {
    let right = right_rotations(steps, operations, right)?;
    let mut products = Vec::new();
    for row in left.chunks(steps.blocks()[1]) {
        let row = left_rotations(steps, operations, row)?;
        products.extend(multiply_rotations(steps, operations, &row, &right)?);
    }
    Ok(products)
}

/// [`super::SquareProduct::multiply_rotations`].
pub(super) fn multiply_rotations<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    left: &[Vec<V>],
    right: &[Vec<V>],
) -> Result<Vec<V>, SchemeError> {
    let [_, inner, columns] = steps.blocks();
    assert!(left.len().is_multiple_of(inner) && right.len() == inner * columns);
    let product = |block: usize| {
        let (row, column) = (block / columns, block % columns);
        let left: Vec<&V> = left[row * inner..(row + 1) * inner].iter().flatten().collect();
        let right: Vec<&V> = (0..inner).flat_map(|k| &right[k * columns + column]).collect();
        let sum = sum_of_products(steps, operations, &left, &right)?;
        finished(steps, operations, sum)
    };
    (0..left.len() / inner * columns).into_par_iter().map(product).collect()
}

/// [`super::SquareProduct::left_rotations`].
pub(super) fn left_rotations<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    blocks: &[V],
) -> Result<Vec<Vec<V>>, SchemeError> {
    let all = |block: &V| {
        let mut source = left_source(steps, operations, block)?;
        exhausted(|| left_images(steps, operations, &mut source))
    };
    blocks.par_iter().map(all).collect()
}

/// [`super::SquareProduct::right_rotations`].
pub(super) fn right_rotations<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    blocks: &[V],
) -> Result<Vec<Vec<V>>, SchemeError> {
    let all = |block: &V| {
        let mut source = right_source(steps, operations, block)?;
        exhausted(|| right_images(steps, operations, &mut source))
    };
    blocks.par_iter().map(all).collect()
}

/// The sum of the products of pairs of blocks, of whose images only a few are in memory.
fn sum_over_inner<'v, S: Exact, V: Operand<S> + 'v>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    pairs: impl Iterator<Item = (&'v V, &'v V)>,
) -> Result<V, SchemeError> {
    let mut total: Option<V> = None;
    for (left, right) in pairs {
        let mut sources = (left_source(steps, operations, left)?, right_source(steps, operations, right)?);
        loop {
            let (left, right) = rayon::join(
                || left_images(steps, operations, &mut sources.0),
                || right_images(steps, operations, &mut sources.1),
            );
            let (left, right) = (left?, right?);
            if left.is_empty() {
                break;
            }
            let [left, right] = [&left, &right].map(|side| side.iter().collect::<Vec<&V>>());
            let sum = sum_of_products(steps, operations, &left, &right)?;
            match &mut total {
                Some(total) => operations.add_assign(total, &sum)?,
                None => total = Some(sum),
            }
        }
    }
    finished(steps, operations, total.expect("blocks have images"))
}

/// Σ leftₖ·rightₖ: of three parts where key switches are lazy.
fn sum_of_products<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    left: &[&V],
    right: &[&V],
) -> Result<V, SchemeError> {
    if steps.options.lazy {
        return operations.sum_of_products(left, right);
    }
    let product = |k: usize| {
        let product = operations.multiply_without_relinearise(left[k], right[k])?;
        relinearised(steps, operations, product)
    };
    (1..left.len()).try_fold(product(0)?, |mut sum, k| {
        operations.add_assign(&mut sum, &product(k)?)?;
        Ok(sum)
    })
}

/// A product or a sum of products in two parts; at the level of results where that is merged.
fn relinearised<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    product: V,
) -> Result<V, SchemeError> {
    if steps.options.merged {
        operations.relinearise_to(product, steps.levels.result)
    } else {
        operations.relinearise(product)
    }
}

/// A sum of products in two parts and at the level of results.
fn finished<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    sum: V,
) -> Result<V, SchemeError> {
    let sum = if steps.options.lazy { relinearised(steps, operations, sum)? } else { sum };
    at_level(operations, sum, steps.levels.result)
}

/// All that comes until nothing does.
fn exhausted<V, E>(mut next: impl FnMut() -> Result<Vec<V>, E>) -> Result<Vec<V>, E> {
    let mut all = Vec::new();
    loop {
        let some = next()?;
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some);
    }
}
