//! Evaluation from bytes to bytes, as a server does it, beside evaluation in memory, in turns.

use std::{fmt::Write, time::Instant};

use asanoha_lattice::{FileError, Source};
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    execute::{self, Contents, Encrypted, ExecuteError, unwatched},
    plan::{PlanOptions, PlanningError, choose},
    program::Program,
};
use serde::Serialize;
use thiserror::Error;

use crate::{Machine, Settings, Tell};

const SEED: Seed = Seed([23; 32]);
const REPEATS: usize = 51;
const QUICK_REPEATS: usize = 3;

/// What is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BytesCase {
    /// The risk score of `examples/risk.asa`, of 442 patients.
    Risk,
    /// The logit of a logistic regression: 30 features of 569 patients.
    Logit,
    /// The probability that belongs to it.
    Probability,
    /// A comparison of whole numbers, with a column that is first taken after it.
    Selection,
}

impl BytesCase {
    const ALL: [Self; 4] = [Self::Risk, Self::Logit, Self::Probability, Self::Selection];

    fn name(self) -> &'static str {
        match self {
            Self::Risk => "risk",
            Self::Logit => "logit",
            Self::Probability => "probability",
            Self::Selection => "selection",
        }
    }

    /// The program, its columns with their ranges, and the rows.
    fn made_of(self) -> (String, Vec<(String, [f64; 2])>, usize) {
        let columns = |named: &[(&str, [f64; 2])]| {
            named.iter().map(|&(name, range)| (name.to_owned(), range)).collect::<Vec<_>>()
        };
        let features = || (0..30).map(|k| (format!("x{k}"), [-2.0, 2.0])).collect::<Vec<_>>();
        let terms = (0..30).map(|k| format!("{} * x{k}", f64::from(k * 29 % 17 - 8) / 10.0));
        let logit = terms.collect::<Vec<_>>().join(" + ");
        match self {
            Self::Risk => {
                let program = include_str!("../programs/risk.asa").to_owned();
                (program, columns(&[("bmi", [18.0, 42.3]), ("bp", [62.0, 133.0]), ("s5", [3.2, 6.2])]), 442)
            }
            Self::Logit => (format!("z = {logit}"), features(), 569),
            Self::Probability => (format!("p = sigmoid(assume({logit}, -8, 8))"), features(), 569),
            Self::Selection => (
                "total = sum(where(x > 50, y, 0))".to_owned(),
                columns(&[("x", [0.0, 100.0]), ("y", [0.0, 100.0])]),
                569,
            ),
        }
    }
}

/// Why a case isn't measured.
#[derive(Debug, Error)]
pub enum BytesError {
    /// It has no plan.
    #[error(transparent)]
    Planning(#[from] PlanningError),
    /// It doesn't run.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    /// Its bytes aren't taken.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A case. Times are medians, in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct BytesRow {
    /// What was evaluated.
    pub case: BytesCase,
    /// The rows of its table.
    pub rows: usize,
    /// The columns.
    pub columns: usize,
    /// The scheme that the planner chose.
    pub scheme: String,
    /// The ring degree.
    pub ring_degree: usize,
    /// The highest level of the ciphertexts.
    pub levels: usize,
    /// Bytes of the inputs that the secret key encrypted.
    pub input_bytes: usize,
    /// Bytes of the inputs that the public key encrypted.
    pub public_input_bytes: usize,
    /// Bytes of the results.
    pub output_bytes: usize,
    /// The evaluation in memory.
    pub evaluate_ms: f64,
    /// From the bytes of the inputs to those of the results.
    pub bytes_ms: f64,
    /// The second over the first.
    pub ratio: f64,
    /// Reading the inputs, alone.
    pub read_ms: f64,
    /// Writing the results, alone.
    pub write_ms: f64,
    /// What the plan predicts of the evaluation.
    pub predicted_evaluate_ms: f64,
    /// Encrypting with the secret key.
    pub encrypt_ms: f64,
    /// Decrypting.
    pub decrypt_ms: f64,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct BytesReport {
    /// The machine.
    pub machine: Machine,
    /// The cases.
    pub rows: Vec<BytesRow>,
}

/// Measures all cases on the threads of the current pool.
///
/// # Errors
/// The first case that doesn't run.
pub fn bytes(settings: &Settings, tell: Tell) -> Result<BytesReport, BytesError> {
    let mut rows = Vec::new();
    for case in BytesCase::ALL {
        rows.push(row(settings, case)?);
        tell(rows.len(), BytesCase::ALL.len());
    }
    let machine = Machine { threads: rayon::current_num_threads(), ..Machine::this(&settings.backends) };
    Ok(BytesReport { machine, rows })
}

/// Numbers in a range, scattered by a formula.
fn column(name: String, [lo, hi]: [f64; 2], rows: usize, at: usize, whole: bool) -> Column {
    let part = |row: usize| ((row * 389 + at * 151) % 997) as f64 / 996.0;
    let value = |row| lo + (hi - lo) * part(row);
    let values = if whole {
        ColumnValues::Whole((0..rows).map(|row| value(row).round() as i64).collect())
    } else {
        ColumnValues::Real((0..rows).map(value).collect())
    };
    Column { name, values }
}

fn row(settings: &Settings, case: BytesCase) -> Result<BytesRow, BytesError> {
    let (text, columns, rows) = case.made_of();
    let count = columns.len();
    let whole = case == BytesCase::Selection;
    let columns = columns.into_iter().enumerate();
    let columns = columns.map(|(at, (name, range))| column(name, range, rows, at, whole)).collect();
    let table = Table { columns, rows };
    let program = Program::parse(&text).expect("it's a program");
    let schema = Schema::from_table(&table, &[]).expect("it has no other ranges");
    let backend = *settings.backends.last().expect("at least one back-end is measured");
    let options = PlanOptions { threads: rayon::current_num_threads(), backend, ..PlanOptions::default() };
    let plan = choose(&program, &schema, &options)?.into_plan(&options)?;
    let mut sampler = Sampler::new(&SEED);
    let keys = execute::generate_keys(&plan, &mut sampler);
    let secret = keys.secret.as_ref().expect("it was just made");
    let mut public_inputs = Vec::new();
    execute::encrypt(&plan, &keys.public, &table, &mut sampler)?.0.write(
        &plan,
        Contents::Inputs,
        &mut public_inputs,
    )?;
    let encrypt = |sampler: &mut Sampler| execute::encrypt(&plan, &secret.into(), &table, sampler);
    let mut sent = Vec::new();
    let (inputs, secrets) = encrypt(&mut sampler)?;
    inputs.write(&plan, Contents::Inputs, &mut sent)?;
    let source = || Source::Bytes { name: "inputs", bytes: &sent };
    let read = || Encrypted::read(&plan, Contents::Inputs, source());
    let evaluate = |inputs| execute::evaluate(&plan, keys.evaluation.clone(), inputs, &unwatched);
    evaluate(read()?)?;
    let mut out = Vec::new();
    let repeats = if settings.quick { QUICK_REPEATS } else { REPEATS };
    let mut times: [Vec<f64>; 6] = Default::default();
    for _ in 0..repeats {
        let inputs = timed(&mut times[0], read)?;
        let results = timed(&mut times[1], || evaluate(inputs))?;
        timed(&mut times[2], || results.write(&plan, Contents::Outputs, &mut out))?;
        timed(&mut times[3], || -> Result<_, BytesError> {
            Ok(evaluate(read()?)?.write(&plan, Contents::Outputs, &mut out)?)
        })?;
        timed(&mut times[4], || encrypt(&mut sampler))?;
        timed(&mut times[5], || execute::decrypt(&plan, secret, &results, &secrets))?;
    }
    let [read_ms, evaluate_ms, write_ms, bytes_ms, encrypt_ms, decrypt_ms] = times.map(median);
    Ok(BytesRow {
        case,
        rows,
        columns: count,
        scheme: plan.params.scheme().to_string(),
        ring_degree: plan.params.ring_degree(),
        levels: plan.circuit.steps.iter().map(|step| step.level.0).max().unwrap_or(0),
        input_bytes: sent.len(),
        public_input_bytes: public_inputs.len(),
        output_bytes: out.len(),
        evaluate_ms,
        bytes_ms,
        ratio: bytes_ms / evaluate_ms,
        read_ms,
        write_ms,
        predicted_evaluate_ms: plan.prediction.evaluate_s * 1e3,
        encrypt_ms,
        decrypt_ms,
    })
}

/// Does some work, and keeps the milliseconds.
fn timed<T>(times: &mut Vec<f64>, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    times.push(start.elapsed().as_secs_f64() * 1e3);
    result
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

impl BytesReport {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text =
            format!("{}, {} threads; medians in milliseconds\n", self.machine.cpu, self.machine.threads);
        let _ = writeln!(
            text,
            "{:12} {:>4} {:>7} {:>6} {:>12} {:>12} {:>10} {:>9} {:>9} {:>6} {:>8} {:>8} {:>9} {:>9}",
            "case",
            "",
            "log2(N)",
            "level",
            "bytes in",
            "public key",
            "bytes out",
            "in memory",
            "in bytes",
            "ratio",
            "read",
            "write",
            "encrypt",
            "decrypt"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:12} {:>4} {:>7} {:>6} {:>12} {:>12} {:>10} {:>9.3} {:>9.3} {:>6.2} {:>8.3} {:>8.3} {:>9.3} {:>9.3}",
                row.case.name(),
                row.scheme,
                row.ring_degree.ilog2(),
                row.levels,
                row.input_bytes,
                row.public_input_bytes,
                row.output_bytes,
                row.evaluate_ms,
                row.bytes_ms,
                row.ratio,
                row.read_ms,
                row.write_ms,
                row.encrypt_ms,
                row.decrypt_ms
            );
        }
        text
    }
}
