//! Plans for any number of rows up to a number: what depends on how many there are is derived from that, which is public.

use asanoha_lattice::KeyLevels;
use rayon::prelude::*;
use thiserror::Error;

use super::Plan;
use crate::{
    advice::{Advice, Advised},
    data::Schema,
};
use asanoha_backends::{GenerateError, failure, schedule_sharing};
use asanoha_compile::Prepared;

/// Why a plan doesn't serve a number of rows.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RowsError {
    /// The plan is for another number.
    #[error("the data have {found} rows and the plan is for {planned}")]
    Other {
        /// Rows of the data.
        found: usize,
        /// Rows of the plan.
        planned: usize,
    },
    /// The plan is for fewer.
    #[error("the data have {found} rows and the plan is for at most {most}")]
    TooMany {
        /// Rows of the data.
        found: usize,
        /// The most rows of the plan.
        most: usize,
    },
    /// The parameters can't do it, which planning didn't find.
    #[error("the plan can't compute on {found} rows ({reason})")]
    Unfit {
        /// Rows of the data.
        found: usize,
        /// Why.
        reason: GenerateError,
    },
}

impl Advised for RowsError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Other { .. } => vec![Advice::PlanForData, Advice::FewerRows],
            Self::TooMany { found, .. } => vec![Advice::MoreRows { rows: *found }],
            Self::Unfit { .. } => vec![Advice::PlanForData],
        }
    }
}

/// The numbers of rows, up to the most, that stand for all between: a block of ciphertexts is as long as a power of two, and
/// asks for most where it's full, nearly full, or just above the half.
pub(super) fn fewer_rows(most: usize) -> Vec<usize> {
    let blocks = (0..=most.next_power_of_two().ilog2()).map(|log2| 1usize << log2);
    let mut rows: Vec<usize> =
        blocks.flat_map(|block| [block / 2 + 1, block - 1, block]).chain([most]).collect();
    rows.retain(|rows| (1..=most).contains(rows));
    rows.sort_unstable();
    rows.dedup();
    rows
}

impl Plan {
    /// The plan for data of a number of rows: this one, or, if it's for fewer too, what follows from it for so many. Means,
    /// padding and the blocks that are summed are those of that number, and the keys of this plan hold the keys of that one.
    pub fn for_rows(&self, rows: usize) -> Result<Self, RowsError> {
        let most = self.schema.rows;
        if rows == most {
            return Ok(self.clone());
        }
        if !self.hints.fewer_rows {
            return Err(RowsError::Other { found: rows, planned: most });
        }
        if rows > most || rows == 0 {
            return Err(RowsError::TooMany { found: rows, most });
        }
        let derived = self
            .derived(rows, &Prepared::default())
            .map_err(|reason| RowsError::Unfit { found: rows, reason })?;
        Ok(derived.predicted())
    }

    fn derived(&self, rows: usize, prepared: &Prepared) -> Result<Self, GenerateError> {
        let schema = Schema { rows, ..self.schema.clone() };
        let mut plan = self.clone();
        plan.circuit =
            schedule_sharing(&self.program, &schema, self.precision, (&self.params, &self.hints), prepared)?;
        plan.schema = schema;
        failure::check(plan.scheduled(), self.failure_bits)?;
        plan.hints.fewer_rows = false;
        Ok(plan)
    }

    /// The keys that the evaluation needs for any number of rows.
    pub(super) fn key_levels_of_all_rows(&self) -> KeyLevels {
        let mut levels = self.key_levels_of_rows();
        let Some(rlwe) = self.params.rlwe() else { return levels };
        // Sums over smaller blocks take other keys.
        self.of_representative_rows().iter().for_each(|plan| levels.extend(rlwe, &plan.key_levels_of_rows()));
        levels
    }

    /// This plan, if it's for one number of rows, or the plans for the numbers that stand for all of its own. A number that
    /// the parameters don't do for isn't served either.
    pub fn of_representative_rows(&self) -> Vec<Self> {
        if !self.hints.fewer_rows {
            return vec![self.clone()];
        }
        let prepared = Prepared::default();
        let rows = fewer_rows(self.schema.rows);
        rows.par_iter().filter_map(|&rows| self.derived(rows, &prepared).ok()).collect()
    }
}
