//! The answers of all schemes.

use super::{
    Plan, SchemeName,
    options::PlanOptions,
    planning_error::{PlanningError, Reasons},
};
use crate::advice::{Advised, Words};
use asanoha_backends::GenerateError;

/// One scheme's answer.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The scheme.
    pub scheme: SchemeName,
    /// Whether its results are exact.
    pub is_exact: bool,
    /// The plan, or why there's none.
    pub outcome: Result<Plan, GenerateError>,
    /// Why it's the choice, or not.
    pub why: String,
}

/// All schemes' answers.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Every scheme that was looked at.
    pub candidates: Vec<Candidate>,
    /// The position of the chosen one.
    pub chosen: Option<usize>,
}

impl Choice {
    /// The chosen plan.
    pub fn into_plan(self, options: &PlanOptions) -> Result<Plan, PlanningError> {
        let Some(chosen) = self.chosen else {
            let approximate = options.scheme.is_none() && self.candidates.iter().any(|it| it.outcome.is_ok());
            let reasons: Vec<_> = self
                .candidates
                .into_iter()
                .filter_map(|candidate| candidate.outcome.err().map(|reason| (candidate.scheme, reason)))
                .collect();
            if let Some(scheme) = options.scheme {
                let (_, reason) =
                    reasons.into_iter().find(|(of, _)| *of == scheme).expect("it wasn't feasible");
                return Err(PlanningError::NotFeasible { scheme, reason });
            }
            let reasons = Reasons(reasons);
            return Err(if approximate {
                PlanningError::NotExact { reasons }
            } else {
                PlanningError::NothingFeasible { reasons }
            });
        };
        let candidate = self.candidates.into_iter().nth(chosen).expect("chosen among them");
        Ok(candidate.outcome.expect("chosen among the feasible"))
    }
}

impl Candidate {
    /// Why it's the choice, or not; why there's no plan with advice, in an interface's words.
    pub fn why_in_words(&self, words: Words) -> String {
        self.outcome.as_ref().map_or_else(|reason| reason.in_words(words), |_| self.why.clone())
    }
}
