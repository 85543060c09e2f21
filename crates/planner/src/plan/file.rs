//! Plan files.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{on_zero::OnZero, prediction::Prediction};
use crate::{
    advice::{Advice, Advised},
    data::Schema,
    precision::Precision,
    program::Program,
};
use asanoha_backends::{ParamsLiteral, ScheduleHints};

/// The version of plan files that this code writes and reads.
pub const PLAN_VERSION: u32 = 6;
/// The largest plan file that is read.
const MAX_PLAN_BYTES: u64 = 256 << 20;

/// The contents of a plan file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanFile {
    pub(super) version: u32,
    pub(super) program: Program,
    /// The functions of constants that the program computes with as rounded numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) rounded_constants: Vec<String>,
    pub(super) schema: Schema,
    pub(super) security: u32,
    pub(super) failure_bits: u32,
    pub(super) precision: Precision,
    pub(super) params: ParamsLiteral,
    #[serde(rename = "derivation")]
    pub(super) hints: ScheduleHints,
    pub(super) circuit: serde_json::Value,
    pub(super) prediction: Prediction,
    pub(super) on_zero: OnZero,
}

impl PlanFile {
    /// The bytes of a file, which may be any of at most [`MAX_PLAN_BYTES`].
    pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, PlanError> {
        let name = path.display().to_string();
        let at = |error: io::Error| PlanError::Io(name.clone(), error);
        let mut bytes = Vec::new();
        File::open(path).map_err(at)?.take(MAX_PLAN_BYTES + 1).read_to_end(&mut bytes).map_err(at)?;
        if bytes.len() as u64 > MAX_PLAN_BYTES {
            let problem = format!("it has more than {MAX_PLAN_BYTES} bytes");
            return Err(PlanError::Format { file: name, problem, line: 1, column: 1 });
        }
        Ok(bytes)
    }

    /// Parses the bytes of a file of this version; `file` is its name in messages.
    pub(super) fn parse(bytes: &[u8], file: &str) -> Result<Self, PlanError> {
        let format = |problem: String, line, column| PlanError::Format {
            file: file.to_owned(),
            problem,
            line,
            column,
        };
        let json = |error: serde_json::Error| {
            let text = error.to_string();
            let problem = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem);
            format(problem.to_owned(), error.line(), error.column())
        };
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(json)?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(PLAN_VERSION) => {}
            Some(found) => return Err(PlanError::Version { file: file.to_owned(), found }),
            None => return Err(format("it has no version".to_owned(), 1, 1)),
        }
        serde_json::from_slice(bytes).map_err(json)
    }
}

/// Whether a plan may have parameters that aren't secure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityCheck {
    /// Plans whose parameters say that they're insecure, or have less security than the plan claims, are refused.
    Required,
    /// They're taken: for tests only.
    Waived,
}

/// Why a plan file can't be used.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The file can't be read or written.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// The file isn't a plan.
    #[error("{file}: not a plan: {problem} (line {line}, column {column})")]
    Format {
        /// The file.
        file: String,
        /// What's wrong.
        problem: String,
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
    },
    /// A plan of another version.
    #[error("{file}: a plan of version {found}; this program reads version {PLAN_VERSION}{}", if *found > u64::from(PLAN_VERSION) { ": it was made by a newer asanoha, so update this one" } else { "" })]
    Version {
        /// The file.
        file: String,
        /// Its version.
        found: u64,
    },
    /// A plan that doesn't hold together.
    #[error("{file}: {problem}")]
    Unsound {
        /// The file.
        file: String,
        /// What's wrong.
        problem: String,
    },
    /// A plan whose parameters aren't secure.
    #[error(
        "{file}: {claim}, and its parameters have {found}-bit security (log2(QP) = {log2_qp:.0} at ring degree {ring_degree})"
    )]
    Insecure {
        /// The file.
        file: String,
        /// What it claims.
        claim: String,
        /// The security of its parameters.
        found: u32,
        /// log2 of their whole modulus.
        log2_qp: f64,
        /// Their ring degree.
        ring_degree: usize,
    },
}

impl Advised for PlanError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Version { found, .. } if *found > u64::from(PLAN_VERSION) => Vec::new(),
            Self::Version { .. } | Self::Unsound { .. } => vec![Advice::PlanAgain],
            Self::Insecure { .. } => vec![Advice::PlanAgain, Advice::Insecure],
            _ => Vec::new(),
        }
    }
}
