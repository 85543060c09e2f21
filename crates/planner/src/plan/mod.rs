//! Plans: all that client and server must agree on before anything is encrypted.

mod candidate;
mod centre;
mod centres;
mod choose;
mod closeness;
mod generate;
mod planning_error;
mod reachable;
mod remedy;
mod rows;
mod shares;
mod summary;
mod why;
mod wishes;

use std::{fs::File, io::Read, path::Path};

use asanoha_kernels::Backend as Kernels;
use asanoha_lattice::KeyLevels;
use asanoha_numeric::approximately_equal;
use num_rational::BigRational;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    advice::{Advice, Advised},
    data::{Schema, Table},
    precision::Precision,
    program::{Analysed, Outputs, Program, check_centres},
};
use asanoha_backends::{BACKENDS, Backends, ScheduleHints, Scheduled, check_params, failure, schedule_at};
use asanoha_compile::{Circuit, Layout};

pub use asanoha_backends::{ParamsLiteral, Scheme, SchemeParams};
pub use candidate::{Candidate, Choice};
pub use centres::{CentreError, Centres};
use centres::{plain_exact, plain_real};
pub use choose::{choose, choose_among, choose_telling};
pub use closeness::median_magnitude;
pub use planning_error::{PlanningError, Reasons};
pub use remedy::Remedy;
pub use rows::RowsError;
pub use summary::ParamsSummary;
pub use wishes::Wishes;

/// The version of plan files that this code writes and reads.
pub const PLAN_VERSION: u32 = 6;
/// The largest plan file that is read.
const MAX_PLAN_BYTES: u64 = 256 << 20;

/// What the client does about a divisor of zero in its data, which nobody sees once they're encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnZero {
    /// Refuses to encrypt them.
    #[default]
    Error,
    /// Encrypts them: x // 0 is 0, and x % 0 is x.
    Value,
}

/// What's predicted of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Seconds of the evaluation, on the machine and with the threads of the planning.
    pub evaluate_s: f64,
    /// Seconds of reading and checking the encrypted inputs, on the same machine.
    pub read_s: f64,
    /// Bytes of the inputs as the secret key encrypts them, but for a file's header.
    pub input_bytes: u64,
    /// Bytes of evaluation keys and ciphertexts in memory.
    pub bytes: u64,
    /// Bits of precision of the least precise output, relative to its range: `None` where it's exact.
    pub precision_bits: Option<f64>,
}

/// A program with everything that is needed to run it encrypted. Client and server both hold it; it's public.
///
/// A plan is made of a program, a schema, what was asked for, parameters and the hints of the search. The schedule and
/// the predictions of noise follow from these: whoever reads a plan derives them again, and refuses a file that states
/// others.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program.
    pub program: Program,
    /// The public facts about the data.
    pub schema: Schema,
    /// The security asked for, in bits.
    pub security: u32,
    /// A run gives a wrong result with a probability of at most 2^−`failure_bits`, as asked for.
    pub failure_bits: u32,
    /// The precision asked for, of results that aren't exact.
    pub precision: Precision,
    /// The parameters.
    pub params: SchemeParams,
    /// What the search chose besides.
    pub hints: ScheduleHints,
    /// The schedule.
    pub circuit: Circuit,
    /// Predicted time, memory, precision.
    pub prediction: Prediction,
    /// What encryption does about divisors of zero.
    pub on_zero: OnZero,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    version: u32,
    program: Program,
    schema: Schema,
    security: u32,
    failure_bits: u32,
    precision: Precision,
    params: ParamsLiteral,
    #[serde(rename = "derivation")]
    hints: ScheduleHints,
    circuit: serde_json::Value,
    prediction: Prediction,
    on_zero: OnZero,
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
    Io(String, std::io::Error),
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
    #[error("{file}: a plan of version {found}; this program reads version {PLAN_VERSION}")]
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
            Self::Version { .. } | Self::Unsound { .. } => vec![Advice::PlanAgain],
            Self::Insecure { .. } => vec![Advice::PlanAgain, Advice::Insecure],
            _ => Vec::new(),
        }
    }
}

impl Plan {
    /// The schedule with its parameters.
    pub fn scheduled(&self) -> Scheduled<'_> {
        let Self { params, hints, circuit, schema, .. } = self;
        Scheduled { params, hints, circuit, rows: schema.rows }
    }

    /// Where ciphertexts hold rows.
    pub fn layout(&self) -> Layout {
        Layout::new(self.schema.rows, self.params.slots())
    }

    /// The keys that the evaluation needs, up to the levels where it does: those of the products and of the sums. TFHE's keys
    /// have no levels. A plan for fewer rows too needs those of any number.
    pub fn key_levels(&self) -> KeyLevels {
        if self.hints.fewer_rows { self.key_levels_of_all_rows() } else { self.key_levels_of_rows() }
    }

    /// As [`Plan::key_levels`], for exactly the schema's rows.
    fn key_levels_of_rows(&self) -> KeyLevels {
        self.params.backend().key_levels(self.scheduled())
    }

    /// The right results, exactly, of a table that could be encrypted with this plan; `None` where they aren't fractions.
    ///
    /// # Errors
    /// Tables that can't be encrypted with the plan, and those of the plain computation.
    pub fn evaluate_exact(&self, table: &Table) -> Result<Option<Outputs<BigRational>>, CentreError> {
        plain_exact(self, table)
    }

    /// The right results in double precision, of a table that could be encrypted with this plan: computed on what is encrypted, so
    /// that no digits are lost of moments of large numbers.
    ///
    /// # Errors
    /// Tables that can't be encrypted with the plan, and those of the plain computation.
    pub fn evaluate_real(&self, table: &Table) -> Result<Outputs<f64>, CentreError> {
        plain_real(self, table)
    }

    /// log2 of a bound on the probability that any noise bound of a run of this plan fails: in TFHE, that any of its
    /// bootstrappings gives a wrong result, each of which the parameters bound.
    pub fn log2_failure(&self) -> f64 {
        self.params.backend().log2_failure(self.scheduled())
    }

    /// The bootstrappings of a run, in TFHE.
    pub fn bootstraps(&self) -> Option<f64> {
        self.params.backend().bootstraps(self.scheduled())
    }

    /// For every operation of the program, how far numbers have to be apart to be told apart, where it's an approximate
    /// comparison of numbers that may be nearer to each other: not of whole ones.
    pub fn gaps(&self) -> Vec<Option<f64>> {
        self.params.backend().gaps(&self.analysed(), self.precision)
    }

    /// The program on data of the schema.
    pub fn analysed(&self) -> Analysed<'_> {
        Analysed::new(&self.program, &self.schema).expect("the schedule was made by it")
    }

    /// The number of keys that the evaluation needs; in TFHE one of bootstrapping and one of key switching.
    pub fn key_count(&self) -> usize {
        self.params.backend().key_count(&self.key_levels())
    }

    /// A bound on the error of every output that is computed encrypted, in approximate schemes.
    pub fn output_errors(&self) -> Option<Vec<f64>> {
        self.params.backend().errors(self.scheduled(), None)
    }

    /// As [`Plan::output_errors`], of results that are published if the plan is for that.
    pub(crate) fn planned_errors(&self) -> Option<Vec<f64>> {
        self.params.backend().errors(self.scheduled(), self.hints.publish)
    }

    /// With the bytes of evaluation keys and ciphertexts in memory, and the precision of the least precise output that
    /// isn't always zero.
    pub(crate) fn predicted(mut self) -> Self {
        if let Some(errors) = self.planned_errors() {
            let analysed = self.analysed();
            let bits = self.program.outputs().iter().zip(errors).filter_map(|((_, id), error)| {
                let log2_bound = analysed.range(*id).log2_bound()?;
                Some(log2_bound as f64 - error.log2())
            });
            self.prediction.precision_bits = bits.reduce(f64::min);
        }
        let (backend, of) = (self.params.backend(), self.scheduled());
        let bytes = backend.bytes(of, &self.key_levels());
        self.prediction.input_bytes = backend.reading(of).bytes();
        self.prediction.bytes = bytes;
        self
    }

    /// Writes the plan as JSON, beside its place and then renamed.
    pub fn write(&self, path: &Path) -> Result<u64, PlanError> {
        let at = |error: std::io::Error| PlanError::Io(path.display().to_string(), error);
        let text = self.to_json();
        crate::output::write_whole(path, text.as_bytes()).map_err(at)?;
        Ok(text.len() as u64)
    }

    /// The plan as a file holds it.
    pub fn to_json(&self) -> String {
        let file = PlanFile {
            version: PLAN_VERSION,
            program: self.program.clone(),
            schema: self.schema.clone(),
            security: self.security,
            failure_bits: self.failure_bits,
            precision: self.precision,
            params: self.params.literal(),
            hints: self.hints.clone(),
            circuit: serde_json::to_value(&self.circuit).expect("circuits are plain data"),
            prediction: self.prediction.clone(),
            on_zero: self.on_zero,
        };
        serde_json::to_string_pretty(&file).expect("plans are plain data")
    }

    /// Reads a plan: see [`Plan::from_json`].
    pub fn read(path: &Path, security: SecurityCheck, backend: Kernels) -> Result<Self, PlanError> {
        let name = path.display().to_string();
        let at = |error: std::io::Error| PlanError::Io(name.clone(), error);
        let mut bytes = Vec::new();
        File::open(path).map_err(at)?.take(MAX_PLAN_BYTES + 1).read_to_end(&mut bytes).map_err(at)?;
        if bytes.len() as u64 > MAX_PLAN_BYTES {
            let problem = format!("it has more than {MAX_PLAN_BYTES} bytes");
            return Err(PlanError::Format { file: name, problem, line: 1, column: 1 });
        }
        Self::from_json(&bytes, &name, security, backend)
    }

    /// A plan out of a file's contents; `file` is its name in messages. The schedule and what is predicted are derived again
    /// from the program, the schema, the parameters and the hints; a file that states others is refused.
    ///
    /// # Errors
    /// What isn't a plan of this version; parameters that can't be, or (with [`SecurityCheck::Required`]) aren't as secure as
    /// the plan claims; a schedule that isn't the program's.
    pub fn from_json(
        bytes: &[u8],
        file: &str,
        security: SecurityCheck,
        backend: Kernels,
    ) -> Result<Self, PlanError> {
        Self::from_json_among(&BACKENDS, bytes, file, security, backend)
    }

    /// As [`Plan::from_json`], of a plan of one of these back-ends.
    ///
    /// # Errors
    /// Those of [`Plan::from_json`].
    pub fn from_json_among(
        backends: Backends<'_>,
        bytes: &[u8],
        file: &str,
        security: SecurityCheck,
        backend: Kernels,
    ) -> Result<Self, PlanError> {
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
        let parts: PlanFile = serde_json::from_slice(bytes).map_err(json)?;
        let unsound = |problem| PlanError::Unsound { file: file.to_owned(), problem };
        let made_of = PlanParts {
            program: parts.program,
            schema: parts.schema,
            security: parts.security,
            failure_bits: parts.failure_bits,
            precision: parts.precision,
            params: parts.params,
            hints: parts.hints,
            on_zero: parts.on_zero,
        };
        let Prediction { evaluate_s, read_s, .. } = parts.prediction;
        let plan = made_of.plan_among(backends, backend, evaluate_s, read_s).map_err(unsound)?;
        let stated = (&parts.circuit, serde_json::to_value(&parts.prediction).expect("plain data"));
        let derived = serde_json::to_value((&plan.circuit, &plan.prediction)).expect("plain data");
        if !approximately_equal(&serde_json::to_value(stated).expect("plain data"), &derived) {
            return Err(unsound(
                "its schedule or what it predicts isn't that of its program and schema".to_owned(),
            ));
        }
        if security == SecurityCheck::Required && plan.is_insecure() {
            let params = &plan.params;
            return Err(PlanError::Insecure {
                file: file.to_owned(),
                claim: if params.is_insecure() {
                    "it says that it is insecure".to_owned()
                } else {
                    format!("it claims {}-bit security", plan.security)
                },
                found: params.security_bits(),
                log2_qp: params.log2_modulus(),
                ring_degree: params.ring_degree(),
            });
        }
        Ok(plan)
    }

    /// Whether its parameters say that they're insecure, or have less security than was asked for.
    pub fn is_insecure(&self) -> bool {
        self.params.is_insecure() || self.params.security_bits() < self.security
    }

    /// A digest of all that the plan is, but for what is predicted of it, which ciphertexts carry beside the parameters'.
    pub fn digest(&self) -> String {
        let steps: Vec<_> = self
            .circuit
            .steps
            .iter()
            .map(|step| (&step.instruction, step.shape, step.level, step.width))
            .collect();
        let circuit = (&self.circuit.inputs, steps, &self.circuit.outputs);
        let asked = (self.security, self.failure_bits, self.precision);
        let made_of = (&self.program, &self.schema, asked, self.params.digest());
        let text = serde_json::to_string(&(PLAN_VERSION, made_of, &self.hints, circuit, self.on_zero));
        blake3::hash(text.expect("plain data").as_bytes()).to_hex().to_string()
    }
}

/// What a plan is made of: all else follows.
#[derive(Clone, Debug)]
pub struct PlanParts {
    /// The program.
    pub program: Program,
    /// The public facts about the data.
    pub schema: Schema,
    /// The security asked for, in bits: 1 to 256.
    pub security: u32,
    /// What a run fails with at most, in bits: 40 to 128.
    pub failure_bits: u32,
    /// The precision asked for, of results that aren't exact.
    pub precision: Precision,
    /// The parameters, unchecked.
    pub params: ParamsLiteral,
    /// What the search for them chose besides.
    pub hints: ScheduleHints,
    /// What encryption does about divisors of zero.
    pub on_zero: OnZero,
}

impl PlanParts {
    /// The plan, with its schedule and what is predicted of it; the seconds of the evaluation and of reading its inputs were found
    /// elsewhere.
    ///
    /// # Errors
    /// What is wrong, in words: parameters that can't be, or can't compute the program.
    pub fn plan(self, backend: Kernels, evaluate_s: f64, read_s: f64) -> Result<Plan, String> {
        self.plan_among(&BACKENDS, backend, evaluate_s, read_s)
    }

    /// As [`PlanParts::plan`], of parameters of one of these back-ends.
    ///
    /// # Errors
    /// Those of [`PlanParts::plan`].
    pub fn plan_among(
        self,
        backends: Backends<'_>,
        backend: Kernels,
        evaluate_s: f64,
        read_s: f64,
    ) -> Result<Plan, String> {
        let Self { program, schema, security, failure_bits, precision, params, hints, on_zero } = self;
        if !(1..=256).contains(&security) {
            return Err(format!("it claims {security}-bit security, which no table has"));
        }
        if !failure::FAILURE_BITS_RANGE.contains(&failure_bits) {
            return Err(format!("it promises {failure_bits} bits against failure, which is from 40 to 128"));
        }
        for (what, seconds) in [("an evaluation", evaluate_s), ("a reading", read_s)] {
            if !(seconds.is_finite() && seconds >= 0.0) {
                return Err(format!("it predicts {what} of {seconds} seconds"));
            }
        }
        let precision = precision.check().map_err(|error| error.to_string())?;
        check_centres(&program, &schema).map_err(|error| error.to_string())?;
        let params = check_params(backends, &params, backend)?;
        let circuit =
            schedule_at(&program, &schema, precision, &params, &hints).map_err(|error| error.to_string())?;
        let prediction = Prediction { evaluate_s, read_s, ..Prediction::default() };
        let plan = Plan {
            program,
            schema,
            security,
            failure_bits,
            precision,
            params,
            hints,
            circuit,
            prediction,
            on_zero,
        };
        failure::check(plan.scheduled(), failure_bits).map_err(|error| error.to_string())?;
        let switches_none = plan.params.rlwe().is_some_and(|rlwe| rlwe.literal().digits == 0);
        if switches_none && plan.key_levels().iter().len() > 0 {
            return Err("its parameters, of 0 digits, switch no keys, and its schedule does".to_owned());
        }
        Ok(plan.predicted())
    }
}
