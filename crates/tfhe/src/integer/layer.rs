//! One layer of bootstrappings, and how much noise an operand may have.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{EncryptedInteger, digits_of_value};
use crate::{Bootstrapper, Ciphertext, IntegerType, Table, TfheError, batch::check};

/// The cost of a computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Blind rotations.
    pub bootstraps: usize,
    /// Consecutive batches of blind rotations.
    pub layers: usize,
}

/// A table of one function or several.
type DigitFunction<'f> = &'f dyn Fn(u64) -> u64;

/// Two functions of a number: one table if the number leaves room for both, otherwise one for each.
pub(super) struct Pair {
    both: Table,
    each: [Table; 2],
}

impl Pair {
    /// What [`Layers::run`] needs for both values.
    pub(super) fn jobs(&self, number: Ciphertext) -> Vec<(&Table, Ciphertext)> {
        if number.largest * 2 < self.both.params.messages() {
            vec![(&self.both, number)]
        } else {
            self.each.iter().map(|table| (table, number.clone())).collect()
        }
    }
}

/// Bootstrappings in layers, and their cost.
#[derive(Debug)]
pub(super) struct Layers<'a> {
    pub(super) key: &'a dyn Bootstrapper,
    /// The threads that bootstrappings of a layer are taken to run on.
    threads: usize,
    bootstraps: AtomicUsize,
    /// How many layers there were, one after another.
    sequential: AtomicUsize,
}

impl<'a> Layers<'a> {
    pub(super) fn new(key: &'a dyn Bootstrapper, threads: usize) -> Self {
        let (bootstraps, sequential) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { key, threads: threads.max(1), bootstraps, sequential }
    }

    pub(super) fn cost(&self) -> Cost {
        Cost {
            bootstraps: self.bootstraps.load(Ordering::Relaxed),
            layers: self.sequential.load(Ordering::Relaxed),
        }
    }

    /// [`super::Integers::trivial`].
    pub(super) fn trivial(
        &self,
        value: i128,
        integer_type: IntegerType,
    ) -> Result<EncryptedInteger, TfheError> {
        let blocks = self.trivial_blocks(&digits_of_value(value, integer_type)?)?;
        Ok(EncryptedInteger { blocks, signed: integer_type.signed })
    }

    pub(super) fn trivial_blocks(&self, digits: &[u64]) -> Result<Vec<Ciphertext>, TfheError> {
        digits.iter().map(|&digit| self.key.trivial(digit)).collect()
    }

    /// Tables of two functions.
    pub(super) fn pair(&self, first: DigitFunction, second: DigitFunction) -> Result<Pair, TfheError> {
        let each = [self.functions(&[first])?, self.functions(&[second])?];
        Ok(Pair { both: self.functions(&[first, second])?, each })
    }

    /// The table of some functions.
    pub(super) fn functions(&self, functions: &[DigitFunction]) -> Result<Table, TfheError> {
        self.key.params().tables(functions)
    }

    /// All tables at their numbers, in one batch: the values in order, several for a table of several functions. What's
    /// public needs no bootstrapping.
    pub(super) fn run(&self, jobs: &[(&Table, Ciphertext)]) -> Result<Vec<Ciphertext>, TfheError> {
        let (public, hidden): (Vec<_>, Vec<_>) = jobs
            .iter()
            .map(|(table, number)| (*table, number))
            .partition(|(_, number)| number.public_value().is_some());
        check(self.key.params(), self.key.id(), &public)?;
        self.bootstraps.fetch_add(hidden.len(), Ordering::Relaxed);
        self.sequential.fetch_add(usize::from(!hidden.is_empty()), Ordering::Relaxed);
        let mut values = self.key.apply_many(&hidden)?.into_iter();
        let mut out = Vec::new();
        for (table, number) in jobs {
            match number.public_value() {
                Some(public) => {
                    for value in table.values(public) {
                        out.push(self.key.trivial(value)?);
                    }
                }
                None => out.extend(values.by_ref().take(table.largest.len())),
            }
        }
        Ok(out)
    }

    /// One table at one number.
    pub(super) fn run_one(&self, table: &Table, number: Ciphertext) -> Result<Ciphertext, TfheError> {
        Ok(self.run(&[(table, number)])?.swap_remove(0))
    }

    /// Digits with at most so many deviations of a bootstrapping's noise: those with more are bootstrapped.
    ///
    /// The standard parameters allow five deviations in all for what goes into a table, as a·4 + b has.
    pub(super) fn within<const COUNT: usize>(
        &self,
        deviations: f64,
        operands: [&[Ciphertext]; COUNT],
    ) -> Result<[Vec<Ciphertext>; COUNT], TfheError> {
        let most = self.key.params().0.noise.bootstrapped * deviations.powi(2) * (1.0 + 1e-9);
        let same = self.functions(&[&|x| x])?;
        let noisy = |block: &&Ciphertext| block.variance > most;
        let jobs: Vec<_> = operands
            .iter()
            .flat_map(|blocks| blocks.iter().filter(noisy))
            .map(|b| (&same, b.clone()))
            .collect();
        let mut fresh = self.run(&jobs)?.into_iter();
        // The table is the identity, so the bound on the number holds on.
        let mut clean = |block: &Ciphertext| {
            let new = if noisy(&block) { fresh.next() } else { None };
            new.map_or_else(|| block.clone(), |new| new.at_most(block.largest))
        };
        Ok(operands.map(|blocks| blocks.iter().map(&mut clean).collect()))
    }

    /// The number of rounds in which so many independent bootstrappings are done by the threads there are.
    pub(super) fn rounds(&self, jobs: usize) -> usize {
        jobs.div_ceil(self.threads)
    }
}
