//! Canaries: rows of known values among the data, by whose results the client notices what a server altered.

use std::{collections::BTreeSet, fmt, iter};

use asanoha_numeric::number;
use asanoha_ring::Sampler;
use num_rational::BigRational;
use serde::{Deserialize, Serialize};

use super::{
    Centres,
    canary_error::{CanaryError, MAX_CANARIES, MAX_RESULT_BYTES},
    checks::check_values,
    error::ExecuteError,
};
use crate::{
    data::Table,
    plan::{Plan, RowsError},
    program::{self, EvaluationError, NodeId, Program, RowUse, encrypted_values},
};

/// The probability below which an alteration counts as detected, in bits.
const UNDETECTED_BITS: f64 = 40.0;

/// The most bits of a numerator or denominator of a result.
const MAX_RESULT_BITS: u64 = 1 << 16;

/// The places of canaries among all encrypted rows, and the results that they must have. They stay with the client, in its
/// [`ClientRecord`](crate::client::ClientRecord): no plan, ciphertext or result file has them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Canaries {
    /// Their rows, from 0, in order.
    places: Vec<usize>,
    /// For every output that is computed encrypted: the result of each canary, or the total over them.
    results: Vec<Vec<BigRational>>,
}

/// Canaries as a record has them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    places: Vec<usize>,
    results: Vec<Vec<String>>,
}

impl From<Canaries> for Written {
    fn from(Canaries { places, results }: Canaries) -> Self {
        let results = results.iter().map(|results| results.iter().map(number::format).collect()).collect();
        Self { places, results }
    }
}

impl TryFrom<Written> for Canaries {
    type Error = &'static str;

    fn try_from(Written { places, results }: Written) -> Result<Self, &'static str> {
        let number = |text: &String| number::parse_signed(text, MAX_RESULT_BITS);
        let numbers = |texts: &Vec<String>| texts.iter().map(number).collect::<Option<Vec<_>>>();
        let results = results.iter().map(numbers).collect::<Option<_>>();
        Ok(Self { places, results: results.ok_or("the result of a canary is no number")? })
    }
}

/// How many there are, and nothing else.
impl fmt::Debug for Canaries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Canaries({})", self.count())
    }
}

impl Canaries {
    /// Inserts `count` canaries into the data at random places. Returns the plan for all rows together, the table to encrypt with it,
    /// and the canaries, which decryption takes out of the results.
    ///
    /// A canary is a copy of a random row: each row of the data is equally likely, for each canary anew. So its values are valid for the
    /// plan and the program, and a function of single rows has the same chance to be wrong on a canary as on a row of the data.
    ///
    /// # Errors
    /// Those of encryption; a plan for fewer rows; a program that canaries would change, or detect nothing in.
    pub(crate) fn insert(
        all_rows: &Plan,
        table: &Table,
        count: usize,
        sampler: &mut Sampler,
    ) -> Result<(Plan, Table, Self), ExecuteError> {
        if !(1..=MAX_CANARIES).contains(&count) {
            return Err(CanaryError::Count { count }.into());
        }
        if table.rows == 0 {
            return Err(EvaluationError::NoRows.into());
        }
        row_uses(&all_rows.program)?;
        let all = table.rows + count;
        let plan = all_rows.for_rows(all).map_err(|error| match error {
            RowsError::Other { planned: most, .. } | RowsError::TooMany { most, .. } => {
                CanaryError::Rows { rows: table.rows, canaries: count, most }.into()
            }
            RowsError::Unfit { .. } => ExecuteError::from(error),
        })?;
        // Messages count the rows of the data, not those with canaries.
        check_values(&plan, table)?;
        let mut sampler = sampler.branch("canaries", &[plan.digest().as_bytes()]);
        let places = subset(&mut sampler, all, count);
        let copied: Vec<usize> = iter::repeat_with(|| below(&mut sampler, table.rows)).take(count).collect();
        let (mut next_place, mut next_copied) = (places.iter().peekable(), copied.iter());
        let mut own = 0..table.rows;
        let source = |row: usize| match next_place.next_if_eq(&&row) {
            Some(_) => next_copied.next().copied(),
            None => own.next(),
        };
        let sources: Vec<usize> = (0..all).filter_map(source).collect();
        let results = results(&plan, table, &copied)?;
        let canaries = Self { places, results };
        if canaries.result_bytes() > MAX_RESULT_BYTES {
            return Err(CanaryError::TooLong { count }.into());
        }
        Ok((plan, table.select(&sources), canaries))
    }

    /// The number of canaries.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns the most of `all` encrypted rows, canaries included, that can be altered so that every canary is right with a
    /// probability of 2^-40 or more: r with C(all − r, K)/C(all, K) ≥ 2^−40 for K canaries.
    pub fn most_undetected_rows(&self, all: usize) -> usize {
        let count = self.count().min(all);
        // One more altered row leaves (all − r − K)/(all − r) of the probability.
        let mut log2_undetected = 0.0;
        (0..all - count)
            .take_while(|&altered| {
                let left = (all - altered) as f64;
                log2_undetected += ((left - count as f64) / left).log2();
                log2_undetected >= -UNDETECTED_BITS
            })
            .count()
    }

    fn result_bytes(&self) -> usize {
        self.results.iter().flatten().map(|result| number::format(result).len()).sum()
    }

    /// Their rows among all encrypted rows, from 0, in order.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// The results that an output must have.
    pub(super) fn results(&self, output: usize) -> &[BigRational] {
        &self.results[output]
    }

    /// How the outputs of a plan depend on the rows.
    ///
    /// # Errors
    /// Places or results that aren't some for this plan.
    pub(super) fn row_uses(&self, plan: &Plan) -> Result<Vec<RowUse>, CanaryError> {
        let uses = row_uses(&plan.program).map_err(|_| CanaryError::Damaged)?;
        let is_in_order = self.places.is_sorted_by(|a, b| a < b);
        let are_rows = self.places.last().is_some_and(|&last| last < plan.schema.rows);
        let leave_rows = self.count() < plan.schema.rows;
        let results_of = |of: &RowUse| if *of == RowUse::Row { self.count() } else { 1 };
        let fit = self.results.len() == uses.len()
            && self.results.iter().zip(&uses).all(|(results, of)| results.len() == results_of(of));
        if is_in_order && are_rows && leave_rows && fit { Ok(uses) } else { Err(CanaryError::Damaged) }
    }
}

/// How the outputs of a program depend on the rows.
///
/// # Errors
/// Outputs that canaries can't be taken out of, and programs in which they detect nothing.
fn row_uses(program: &Program) -> Result<Vec<RowUse>, CanaryError> {
    let nodes = program::row_uses(program);
    let row_use = |(name, id): &(String, NodeId)| match &nodes[id.0] {
        // A part is named for the output that it's a part of.
        RowUse::Other => {
            Err(CanaryError::Aggregate { output: name.split('.').next().unwrap_or(name).to_owned() })
        }
        of => Ok(of.clone()),
    };
    let uses: Vec<RowUse> = program.outputs().iter().map(row_use).collect::<Result<_, _>>()?;
    if uses.contains(&RowUse::Row) { Ok(uses) } else { Err(CanaryError::NoRowOutput) }
}

/// What a plan must compute encrypted from copies of some rows of a table.
fn results(plan: &Plan, table: &Table, copied: &[usize]) -> Result<Vec<Vec<BigRational>>, ExecuteError> {
    // Copies have the constants of the data.
    let centres = Centres::of(&plan.program, &plan.schema, table)?;
    let copies = table.select(copied);
    let copies = centres.apart(&plan.schema, &copies)?;
    Ok(encrypted_values(&plan.program, &copies)?.ok_or(CanaryError::NoNumber)?)
}

/// A uniformly random set of `count` numbers below `all`, in order (Floyd; Bentley and Floyd, "A sample of brilliance", 1987).
fn subset(sampler: &mut Sampler, all: usize, count: usize) -> Vec<usize> {
    let mut set = BTreeSet::new();
    for last in all - count..all {
        let number = below(sampler, last + 1);
        if !set.insert(number) {
            set.insert(last);
        }
    }
    set.into_iter().collect()
}

/// A uniformly random number below a bound.
fn below(sampler: &mut Sampler, bound: usize) -> usize {
    let bound = bound as u64;
    // Whole multiples of the bound leave no remainder more likely than another.
    let most = u64::MAX - u64::MAX % bound;
    loop {
        let word = sampler.uniform(1)[0];
        if word < most {
            return (word % bound) as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use asanoha_ring::Seed;

    use super::*;

    /// C(a, k)/C(b, k).
    fn binomials(a: usize, b: usize, k: usize) -> f64 {
        (0..k).map(|i| a.saturating_sub(i) as f64 / (b - i) as f64).product()
    }

    #[test]
    fn altered_rows_are_canaries_with_the_stated_probability() {
        const TRIALS: usize = 20_000;
        let mut sampler = Sampler::new(&Seed([7; 32]));
        for (rows, canaries, altered) in [(20, 5, 1), (20, 5, 4), (30, 1, 15), (3, 9, 2), (100, 20, 10)] {
            let all = rows + canaries;
            // Which rows the server alters doesn't matter, as it knows no place.
            let is_altered = |row: &usize| (row * 7) % all < altered || altered == all;
            let count = (0..all).filter(is_altered).count();
            let detected = (0..TRIALS).filter(|_| subset(&mut sampler, all, canaries).iter().any(is_altered));
            let found = detected.count() as f64 / TRIALS as f64;
            let stated = 1.0 - binomials(all - count, all, canaries);
            let deviation = (stated * (1.0 - stated) / TRIALS as f64).sqrt();
            assert!(
                (found - stated).abs() <= 5.0 * deviation,
                "{rows}, {canaries}, {count}: {found} of {stated}"
            );
        }
    }

    #[test]
    fn as_many_rows_are_undetected_as_the_probability_says() {
        for (all, count) in [(20, 5), (442, 10), (1000, 300), (70, 60), (9, 8), (100_000, 20_000), (2, 1)] {
            let canaries = Canaries { places: (0..count).collect(), results: Vec::new() };
            let most = canaries.most_undetected_rows(all);
            let undetected = |altered| binomials(all - altered, all, count);
            let limit = (-40f64).exp2();
            assert!(undetected(most) >= limit * 0.999, "{all}, {count}: {most}");
            assert!(most == all - count || undetected(most + 1) < limit * 1.001, "{all}, {count}: {most}");
        }
    }

    #[test]
    fn subsets_are_of_their_size_in_order_and_below_the_bound() {
        let mut sampler = Sampler::new(&Seed([8; 32]));
        for (all, count) in [(1, 1), (5, 5), (9, 1), (64, 40)] {
            for _ in 0..50 {
                let set = subset(&mut sampler, all, count);
                assert!(set.len() == count && set.is_sorted_by(|a, b| a < b) && set[count - 1] < all);
            }
        }
    }
}
