//! Decrypted results for packages that give them as values.

use num_rational::BigRational;

use super::check::{Lost, error_bounds, indistinct, merged_bounds, within_precision};
use crate::{
    advice::{Advised, Words},
    execute::Decrypted,
    plan::Plan,
    program::{OutputInfo, OutputKind, Values},
};

/// Decrypted results that can be told from 0, with how far they may be off. Outputs have the places that they have in `decrypted`.
#[derive(Clone, Debug)]
pub struct Answers {
    /// What is known of each output.
    pub outputs: Vec<OutputInfo>,
    /// The results.
    pub decrypted: Decrypted,
    /// The error bound of each output ([`error_bounds`]).
    pub bounds: Vec<f64>,
    /// Whether all are within the precision of the plan, as those that are published may not be.
    pub is_within: bool,
}

impl Answers {
    /// Answers of decrypted results.
    ///
    /// # Errors
    /// An output that can't be told from 0.
    pub fn new(plan: &Plan, decrypted: Decrypted) -> Result<Self, Lost> {
        if let Some(lost) = indistinct(plan, &decrypted) {
            return Err(lost);
        }
        let bounds = error_bounds(plan, &decrypted);
        let is_within = within_precision(plan, &decrypted);
        Ok(Self { outputs: plan.output_kinds(), decrypted, bounds, is_within })
    }

    /// As [`Answers::new`], of results that were merged ([`crate::execute::Merging`]), which aren't published.
    ///
    /// # Errors
    /// An output that can't be told from 0.
    pub fn merged(plan: &Plan, merged: Decrypted) -> Result<Self, Lost> {
        let (bounds, lost) = merged_bounds(plan, &merged);
        if let Some(lost) = lost {
            return Err(lost);
        }
        let outputs = plan.output_kinds();
        Ok(Self { outputs, decrypted: merged, bounds, is_within: false })
    }

    /// The values of the output at a place.
    pub fn values(&self, at: usize) -> &[f64] {
        self.decrypted.outputs[at].1.as_slice()
    }

    /// Its exact values, where the scheme is exact.
    pub fn fractions(&self, at: usize) -> Option<&[BigRational]> {
        self.decrypted.exact.as_ref().map(|exact| exact[at].1.as_slice())
    }

    /// Its exact values as text, `p` or `p/q`.
    pub fn exact_texts(&self, at: usize) -> Option<Vec<String>> {
        Some(self.fractions(at)?.iter().map(ToString::to_string).collect())
    }

    /// The kind of its values as they are: what is known to be whole, and was computed to the nearest whole number.
    pub fn kind(&self, at: usize) -> OutputKind {
        let kind = self.outputs[at].kind;
        let is_exact = self.fractions(at).is_some();
        match kind {
            OutputKind::Truth | OutputKind::Whole | OutputKind::Date
                if is_exact || self.bounds[at] == 0.0 =>
            {
                kind
            }
            OutputKind::Decimal { .. } if is_exact => kind,
            _ => OutputKind::Real,
        }
    }

    /// The number of its rows, if it's a column without a value.
    pub fn missing_rows(&self, at: usize) -> Option<usize> {
        match &self.decrypted.outputs[at].1 {
            Values::Missing(reason) => reason.rows,
            _ => None,
        }
    }

    /// Why it has no value, if it has none, with advice in an interface's words.
    pub fn missing(&self, at: usize, words: Words) -> Option<String> {
        match &self.decrypted.outputs[at].1 {
            Values::Missing(reason) => Some(reason.in_words(words)),
            _ => None,
        }
    }
}
