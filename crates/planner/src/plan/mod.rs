//! Plans: all that client and server must agree on before anything is encrypted.

mod candidate;
mod centre;
mod centres;
mod choose;
mod file;
mod generate;
mod on_zero;
mod options;
mod planning_error;
mod prediction;
mod reachable;
mod remedy;
mod rows;
mod shares;
mod summary;
mod why;

use std::path::Path;

use asanoha_kernels::Backend as Kernels;
use asanoha_lattice::{KeyLevels, MAX_HEADER_BYTES};
use asanoha_numeric::approximately_equal;
use num_rational::BigRational;
use rayon::prelude::*;

use crate::{
    data::{Schema, Table},
    precision::Precision,
    program::{Analysed, OutputInfo, OutputKind, Outputs, Program, check_centres, output_kinds},
};
use asanoha_backends::{
    BACKENDS, Backends, GenerateError, ScheduleHints, Scheduled, check_params, failure, schedule_at,
    schedule_sharing,
};
use asanoha_compile::{Circuit, Layout, Prepared, is_computed};

pub use asanoha_backends::{ParamsLiteral, SchemeName, SchemeParams};
pub use candidate::{Candidate, Choice};
pub use centres::{CentreError, Centres};
use centres::{plain_exact, plain_real};
pub use choose::{choose, choose_among, choose_telling};
use file::PlanFile;
pub use file::{PLAN_VERSION, PlanError, SecurityCheck};
pub use on_zero::OnZero;
pub use options::PlanOptions;
pub use planning_error::{PlanningError, Reasons};
pub use prediction::Prediction;
pub use remedy::{Remedy, remedy};
pub use rows::RowsError;
use rows::fewer_rows;
pub use summary::ParamsSummary;

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
    /// A run gives a wrong result with a probability of at most 2^−`failure_bits`, as asked for or by the scheme's default.
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

impl Plan {
    /// The schedule with its parameters.
    pub fn scheduled(&self) -> Scheduled<'_> {
        let Self { params, hints, circuit, schema, .. } = self;
        Scheduled { params, hints, circuit, rows: schema.rows }
    }

    /// The outputs with their kinds: dates are such by the program's text.
    pub fn output_kinds(&self) -> Vec<OutputInfo> {
        let mut outputs = output_kinds(&self.program, &self.schema);
        let whole = outputs.iter_mut().filter(|output| output.kind == OutputKind::Whole);
        whole
            .filter(|output| self.hints.dates.contains(&output.name))
            .for_each(|output| output.kind = OutputKind::Date);
        outputs
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

    /// The plan for data of a number of rows: this one, or, if it's for fewer too, what follows from it for so many. Means,
    /// padding and the blocks that are summed are those of that number, and the keys of this plan hold the keys of that one.
    ///
    /// # Errors
    /// A number of rows that the plan isn't for.
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
    fn key_levels_of_all_rows(&self) -> KeyLevels {
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

    /// The most bytes of a file of results, whatever the number of rows: a bound on what a server may send, derived from the
    /// schedule alone.
    pub fn most_result_bytes(&self) -> u64 {
        let of = |plan: &Self| plan.params.backend().result_bytes(plan.scheduled());
        let most = self.of_representative_rows().iter().map(of).max().unwrap_or_default();
        // The length of the header, and the header.
        size_of::<u64>() as u64 + MAX_HEADER_BYTES + most
    }

    /// The parts of an evaluation's predicted time, by kinds of operations, each a part of 1; the largest first.
    pub fn shares(&self) -> Vec<(&'static str, f64)> {
        shares::shares(&self.circuit, &self.weights())
    }

    /// How much of an evaluation's predicted time is over after each step, from 0 to 1, in the order in which steps are carried
    /// out; of those that run side by side, any.
    pub fn progress(&self) -> Vec<f64> {
        shares::progress(&self.circuit, &self.weights())
    }

    /// What each step is predicted to take, in some unit.
    fn weights(&self) -> Vec<f64> {
        self.params.backend().weights(self.scheduled())
    }

    /// The right results, exactly, of a table that could be encrypted with this plan; `None` where they aren't fractions.
    ///
    /// # Errors
    /// Tables that can't be encrypted with the plan, and those of the plain computation.
    pub fn evaluate_exact(&self, table: &Table) -> Result<Option<Outputs<BigRational>>, CentreError> {
        plain_exact(&self.program, &self.schema, table)
    }

    /// The right results in double precision, of a table that could be encrypted with this plan: computed on what is encrypted, so
    /// that no digits are lost of moments of large numbers.
    ///
    /// # Errors
    /// Tables that can't be encrypted with the plan, and those of the plain computation.
    pub fn evaluate_real(&self, table: &Table) -> Result<Outputs<f64>, CentreError> {
        plain_real(&self.program, &self.schema, table)
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
        let (analysed, backend) = (self.analysed(), self.params.backend());
        let mut gaps = backend.gaps(&analysed, self.precision);
        if self.hints.views {
            let computed = is_computed(&analysed, backend.viewed_columns());
            gaps.iter_mut()
                .zip(computed)
                .filter(|(_, is_computed)| !is_computed)
                .for_each(|(gap, _)| *gap = None);
        }
        gaps
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
            rounded_constants: self.program.rounded_constants().keys().cloned().collect(),
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
        let bytes = PlanFile::bytes(path)?;
        Self::from_json(&bytes, &path.display().to_string(), security, backend)
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
        let parts = PlanFile::parse(bytes, file)?;
        let unsound = |problem| PlanError::Unsound { file: file.to_owned(), problem };
        let made_of = PlanParts {
            program: parts.program.with_rounded_constants(&parts.rounded_constants).map_err(unsound)?,
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
