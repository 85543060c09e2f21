//! Products of blocks and their sums.

use asanoha_lattice::Level;
use asanoha_scheme::{Exact, Operand, Operations, SchemeError};
use rayon::prelude::*;

use super::{Keep, SquareProduct};

impl<S: Exact> SquareProduct<S> {
    /// The blocks of the products, row after row, of the blocks of the matrices (Mono, Güneysu, Section 2.5).
    ///
    /// Noise: that of Σₖ φᵏ(σ(A))·ψᵏ(τ(B)) over the inner blocks; a masked image has about √(m·d)·t times its block's, divided by
    /// the dropped primes.
    ///
    /// # Errors
    /// Those of the scheme: [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`], [`SchemeError::LevelTooHigh`].
    ///
    /// # Panics
    /// Unless there are as many blocks as [`SquareProduct::blocks`] says.
    pub fn multiply<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        left: &[V],
        right: &[V],
    ) -> Result<Vec<V>, SchemeError> {
        let [rows, inner, columns] = self.blocks();
        assert!(left.len() == rows * inner && right.len() == inner * columns);
        match self.options.images {
            Keep::Stored => self.with_images(operations, left, right),
            Keep::Recomputed => (0..rows * columns)
                .into_par_iter()
                .map(|block| {
                    let (row, column) = (block / columns, block % columns);
                    let pairs = (0..inner).map(|k| (&left[row * inner + k], &right[k * columns + column]));
                    self.block(operations, pairs)
                })
                .collect(),
        }
    }

    /// All images of right blocks are made first, and of left blocks a row's at a time.
    fn with_images<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        left: &[V],
        right: &[V],
    ) -> Result<Vec<V>, SchemeError> {
        let right = self.right_rotations(operations, right)?;
        let mut products = Vec::new();
        for row in left.chunks(self.blocks()[1]) {
            let row = self.left_rotations(operations, row)?;
            products.extend(self.multiply_rotations(operations, &row, &right)?);
        }
        Ok(products)
    }

    /// The blocks of some rows of the products, of the rotations of the left blocks of these rows and of all right blocks.
    ///
    /// # Errors
    /// Those of [`SquareProduct::multiply`].
    ///
    /// # Panics
    /// Unless the left blocks are those of whole rows and the right blocks are all.
    pub fn multiply_rotations<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        left: &[Vec<V>],
        right: &[Vec<V>],
    ) -> Result<Vec<V>, SchemeError> {
        let [_, inner, columns] = self.blocks();
        assert!(left.len().is_multiple_of(inner) && right.len() == inner * columns);
        let product = |block: usize| {
            let (row, column) = (block / columns, block % columns);
            let left: Vec<&V> = left[row * inner..(row + 1) * inner].iter().flatten().collect();
            let right: Vec<&V> = (0..inner).flat_map(|k| &right[k * columns + column]).collect();
            let sum = self.sum_of_products(operations, &left, &right)?;
            self.finished(operations, sum)
        };
        (0..left.len() / inner * columns).into_par_iter().map(product).collect()
    }

    /// φᵏ(σ(A)) for all k, of every left block.
    ///
    /// # Errors
    /// Those of [`SquareProduct::multiply`].
    pub fn left_rotations<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        blocks: &[V],
    ) -> Result<Vec<Vec<V>>, SchemeError> {
        let all = |block: &V| {
            let mut source = self.left_source(operations, block)?;
            exhausted(|| self.left_images(operations, &mut source))
        };
        blocks.par_iter().map(all).collect()
    }

    /// ψᵏ(τ(B)) for all k, of every right block.
    ///
    /// # Errors
    /// Those of [`SquareProduct::multiply`].
    pub fn right_rotations<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        blocks: &[V],
    ) -> Result<Vec<Vec<V>>, SchemeError> {
        let all = |block: &V| {
            let mut source = self.right_source(operations, block)?;
            exhausted(|| self.right_images(operations, &mut source))
        };
        blocks.par_iter().map(all).collect()
    }

    /// The sum of the products of pairs of blocks, of whose images only a few are in memory.
    fn block<'v, V: Operand<S> + 'v>(
        &self,
        operations: &Operations<S, V>,
        pairs: impl Iterator<Item = (&'v V, &'v V)>,
    ) -> Result<V, SchemeError> {
        let mut total: Option<V> = None;
        for (left, right) in pairs {
            let mut sources = (self.left_source(operations, left)?, self.right_source(operations, right)?);
            loop {
                let (left, right) = rayon::join(
                    || self.left_images(operations, &mut sources.0),
                    || self.right_images(operations, &mut sources.1),
                );
                let (left, right) = (left?, right?);
                if left.is_empty() {
                    break;
                }
                let [left, right] = [&left, &right].map(|side| side.iter().collect::<Vec<&V>>());
                let sum = self.sum_of_products(operations, &left, &right)?;
                match &mut total {
                    Some(total) => operations.add_assign(total, &sum)?,
                    None => total = Some(sum),
                }
            }
        }
        self.finished(operations, total.expect("blocks have images"))
    }

    /// Σ leftₖ·rightₖ: of three parts where key switches are lazy.
    fn sum_of_products<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        left: &[&V],
        right: &[&V],
    ) -> Result<V, SchemeError> {
        if self.options.lazy {
            return operations.sum_of_products(left, right);
        }
        let product = |k: usize| {
            let product = operations.multiply_without_relinearise(left[k], right[k])?;
            self.relinearised(operations, product)
        };
        (1..left.len()).try_fold(product(0)?, |mut sum, k| {
            operations.add_assign(&mut sum, &product(k)?)?;
            Ok(sum)
        })
    }

    /// A product or a sum of products in two parts; at the level of results where that is merged.
    fn relinearised<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        product: V,
    ) -> Result<V, SchemeError> {
        if self.options.merged {
            operations.relinearise_to(product, self.levels.result)
        } else {
            operations.relinearise(product)
        }
    }

    /// A sum of products in two parts and at the level of results.
    fn finished<V: Operand<S>>(&self, operations: &Operations<S, V>, sum: V) -> Result<V, SchemeError> {
        let sum = if self.options.lazy { self.relinearised(operations, sum)? } else { sum };
        at_level(operations, sum, self.levels.result)
    }
}

/// A ciphertext at a level.
pub(super) fn at_level<S: Exact, V: Operand<S>>(
    operations: &Operations<S, V>,
    value: V,
    level: Level,
) -> Result<V, SchemeError> {
    if value.state().level == level { Ok(value) } else { operations.switch_to(&value, level) }
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
