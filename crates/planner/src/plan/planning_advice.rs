//! Why no plan was made, with advice in the words of an interface.

use std::fmt::Display;

use super::{Candidate, PlanningError, Reasons, Scheme};
use crate::{
    advice::{Advice, Advised, Words, with_advice},
    program::Origin,
};
use asanoha_backends::GenerateError;

pub(super) fn not_exact(reasons: impl Display) -> String {
    format!("no scheme computes this program of whole numbers exactly ({reasons})")
}

pub(super) fn not_feasible(reasons: impl Display) -> String {
    format!("no scheme can run this program: {reasons}")
}

impl Advised for PlanningError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Range(error) => error.advice(),
            Self::NotFeasible { reason, .. } => reason.advice(),
            Self::NotExact { .. } => vec![Advice::Approximate],
            _ => Vec::new(),
        }
    }

    /// Every scheme's reason has advice of its own.
    fn in_words(&self, words: Words) -> String {
        let message = match self {
            Self::NotExact { reasons } => not_exact(reasons.in_words(words)),
            Self::NothingFeasible { reasons } => not_feasible(reasons.in_words(words)),
            _ => self.to_string(),
        };
        with_advice(message, &self.advice(), words)
    }
}

impl Reasons {
    /// All of them with advice, in an interface's words.
    fn in_words(&self, words: Words) -> String {
        self.joined(|reason| reason.in_words(words))
    }

    /// As in `bgv, bfv: one reason; ckks: another`.
    pub(super) fn joined(&self, text: impl Fn(&GenerateError) -> String) -> String {
        let one = |(schemes, reason): (Vec<Scheme>, String)| {
            let names: Vec<String> = schemes.iter().map(Scheme::to_string).collect();
            format!("{}: {reason}", names.join(", "))
        };
        self.folded(text).into_iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

impl PlanningError {
    /// The place in the program's text that all of it is about, if there's one.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Range(error) => error.origin(),
            Self::NotFeasible { reason, .. } => reason.origin(),
            Self::NotExact { reasons } | Self::NothingFeasible { reasons } => {
                let mut origins = reasons.0.iter().filter_map(|(_, reason)| reason.origin());
                let first = origins.next()?;
                origins.all(|origin| origin == first).then_some(first)
            }
            _ => None,
        }
    }
}

impl Candidate {
    /// Why it's the choice, or not; why there's no plan with advice, in an interface's words.
    pub fn why_in_words(&self, words: Words) -> String {
        self.outcome.as_ref().map_or_else(|reason| reason.in_words(words), |_| self.why.clone())
    }
}
