//! Why no plan was made, with advice in the words of an interface.

use std::fmt::{self, Display};

use thiserror::Error;

use super::SchemeName;
use crate::{
    advice::{Advice, Advised, Words, with_advice},
    precision::PrecisionError,
    program::{Origin, RangeError},
};
use asanoha_backends::GenerateError;

/// Why no plan was made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlanningError {
    /// The program doesn't fit the data.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// A precision that makes no sense.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
    /// The caller stopped it ([`SearchProgress::stop`](asanoha_backends::SearchProgress::stop)).
    #[error("planning was stopped")]
    Stopped,
    /// The asked scheme can't run the program.
    #[error("{scheme} can't run this program: {reason}")]
    NotFeasible {
        /// The scheme.
        scheme: SchemeName,
        /// Why.
        reason: GenerateError,
    },
    /// Whole numbers that no scheme computes exactly, and one approximately.
    #[error("{}", not_exact(reasons))]
    NotExact {
        /// Each exact scheme's reason.
        reasons: Reasons,
    },
    /// No scheme can.
    #[error("{}", not_feasible(reasons))]
    NothingFeasible {
        /// Each scheme's reason.
        reasons: Reasons,
    },
}

/// Why schemes can't run a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Reasons(pub(super) Vec<(SchemeName, GenerateError)>);

impl Reasons {
    /// Every reason once, as some text, with the schemes that it holds for.
    pub fn folded(&self, text: impl Fn(&GenerateError) -> String) -> Vec<(Vec<SchemeName>, String)> {
        let mut folded: Vec<(Vec<SchemeName>, String)> = Vec::new();
        for (scheme, reason) in &self.0 {
            let reason = text(reason);
            match folded.iter_mut().find(|(_, told)| *told == reason) {
                Some((schemes, _)) => schemes.push(*scheme),
                None => folded.push((vec![*scheme], reason)),
            }
        }
        folded
    }
}

impl Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.joined(ToString::to_string))
    }
}

fn not_exact(reasons: impl Display) -> String {
    format!("no scheme computes this program of whole numbers exactly ({reasons})")
}

fn not_feasible(reasons: impl Display) -> String {
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
    fn joined(&self, text: impl Fn(&GenerateError) -> String) -> String {
        let one = |(schemes, reason): (Vec<SchemeName>, String)| {
            let names: Vec<String> = schemes.iter().map(SchemeName::to_string).collect();
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
