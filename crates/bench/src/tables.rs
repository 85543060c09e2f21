//! Programs on tables, from the plan to the decrypted results: what people with data ask for, at sizes that they have.

use std::{fmt::Write, str::FromStr};

use asanoha_runtime::{
    data::{Column, ColumnValues, Table},
    execute::ExecuteError,
    plan::{PlanOptions, PlanningError},
    program::{EvaluationError, Program, Values, evaluate_exact, evaluate_real},
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Machine, Settings, Tell, program_run::run_program};

/// With `--quick` tables have so many rows at most.
const QUICK_ROWS: usize = 1000;
/// The columns of the regression.
const FEATURES: usize = 30;

/// A program on a table that is made for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableCase {
    /// The products of pairs of whole numbers of 64 bits.
    Products,
    /// A sigmoid of a sum of 30 columns times weights, as a logistic regression predicts.
    Regression,
    /// A sigmoid of a column.
    Sigmoid,
    /// How many rows are above a number, and the sum of a column.
    Comparison,
    /// The number of rows and the sum of a real column where a whole column has a value.
    Groups,
    /// The total of prices, in cents, times counts.
    Prices,
}

/// Why a program on a table isn't measured.
#[derive(Debug, Error)]
pub enum TableError {
    /// It has no plan.
    #[error(transparent)]
    Planning(#[from] PlanningError),
    /// It doesn't run.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    /// The computation in the clear.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// A wrong result.
    #[error("{0} gives {1}")]
    Wrong(&'static str, String),
}

/// A program on a table, measured in a process of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableRow {
    /// Which one.
    pub case: TableCase,
    /// The program.
    pub program: String,
    /// The number of rows of the table.
    pub rows: usize,
    /// The number of its columns.
    pub columns: usize,
    /// The scheme that was chosen.
    pub scheme: String,
    /// The ring degree.
    pub ring_degree: usize,
    /// Seconds to plan.
    pub plan_s: f64,
    /// Seconds to make keys.
    pub keygen_s: f64,
    /// Seconds to encrypt.
    pub encrypt_s: f64,
    /// Seconds to evaluate.
    pub evaluate_s: f64,
    /// Seconds to evaluate, as the plan predicts.
    pub predicted_evaluate_s: f64,
    /// Seconds to decrypt.
    pub decrypt_s: f64,
    /// The largest memory of the process from the plan on, in bytes; `None` where the system doesn't tell.
    pub peak_memory_bytes: Option<u64>,
    /// The largest error of a result beside the plain computation; 0 for exact results.
    pub largest_error: f64,
}

/// The report of `bench tables`.
#[derive(Clone, Debug, Serialize)]
pub struct TablesReport {
    /// The machine.
    pub machine: Machine,
    /// The programs.
    pub rows: Vec<TableRow>,
}

impl TableCase {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Products, Self::Regression, Self::Sigmoid, Self::Comparison, Self::Groups, Self::Prices];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Products => "products",
            Self::Regression => "regression",
            Self::Sigmoid => "sigmoid",
            Self::Comparison => "comparison",
            Self::Groups => "groups",
            Self::Prices => "prices",
        }
    }

    fn rows(self, quick: bool) -> usize {
        let rows = match self {
            Self::Products | Self::Groups | Self::Prices => 100_000,
            Self::Regression => 569,
            Self::Sigmoid | Self::Comparison => 1_000_000,
        };
        if quick { rows.min(QUICK_ROWS) } else { rows }
    }

    fn program(self) -> String {
        match self {
            Self::Products => "p = a * b".to_owned(),
            Self::Regression => {
                let weight = |k: usize| 0.08 * ((k * 7 % 11) as f64 - 4.5);
                let terms = (0..FEATURES).map(|k| format!("{:.3} * x{k}", weight(k)));
                format!("p = sigmoid({} + 0.3)", terms.collect::<Vec<_>>().join(" + "))
            }
            Self::Sigmoid => "p = sigmoid(x)".to_owned(),
            Self::Comparison => "n = sum(k > 50)\ns = sum(k)".to_owned(),
            Self::Groups => "n = count(k == 1)\ns = sum((k == 1) * y)".to_owned(),
            Self::Prices => "total = dot(price, count)".to_owned(),
        }
    }

    fn table(self, rows: usize) -> Table {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut real = |size: f64| ColumnValues::Real((0..rows).map(|_| size * random.real()).collect());
        let columns: Vec<(String, ColumnValues)> = match self {
            Self::Regression => (0..FEATURES).map(|k| (format!("x{k}"), real(3.0))).collect(),
            Self::Sigmoid => vec![("x".to_owned(), real(4.0))],
            _ => {
                let mut below =
                    |end: u64| (0..rows).map(|_| (random.word() % end) as i64).collect::<Vec<_>>();
                let whole = |name: &str, values| (name.to_owned(), ColumnValues::Whole(values));
                match self {
                    Self::Products => {
                        let mut words = || (0..rows).map(|_| random.word().into()).collect();
                        let (a, b) = (words(), words());
                        let words = |name: &str, values| (name.to_owned(), ColumnValues::Integers(values));
                        vec![words("a", a), words("b", b)]
                    }
                    Self::Comparison => vec![whole("k", below(100))],
                    Self::Groups => {
                        let k = whole("k", below(4));
                        let y = (0..rows).map(|_| 80.0 * random.real()).collect();
                        vec![k, ("y".to_owned(), ColumnValues::Real(y))]
                    }
                    _ => {
                        let price = ColumnValues::Decimal { values: below(10_000), places: 2 };
                        vec![("price".to_owned(), price), whole("count", below(16))]
                    }
                }
            }
        };
        let columns = columns.into_iter().map(|(name, values)| Column { name, values }).collect();
        Table { columns, rows }
    }
}

impl FromStr for TableCase {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|case| case.name() == text);
        found.ok_or_else(|| format!("there is no table {text:?}"))
    }
}

/// Numbers that look random and are the same in every run (splitmix64).
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From −1 to 1.
    fn real(&mut self) -> f64 {
        self.word() as f64 / (u64::MAX / 2) as f64 - 1.0
    }
}

/// Measures programs for so many threads, each by `row`.
///
/// # Errors
/// The first that `row` gives.
pub fn tables<E>(
    settings: &Settings,
    cases: &[TableCase],
    threads: usize,
    row: impl Fn(TableCase) -> Result<TableRow, E>,
    tell: Tell,
) -> Result<TablesReport, E> {
    let mut rows = Vec::with_capacity(cases.len());
    for (done, &case) in cases.iter().enumerate() {
        rows.push(row(case)?);
        tell(done + 1, cases.len());
    }
    let machine = Machine { threads, ..Machine::this(&settings.backends) };
    Ok(TablesReport { machine, rows })
}

/// Measures a program on its table in this process, and holds its results against the plain computation.
///
/// # Errors
/// A program that doesn't run, or a wrong result.
pub fn table_row(settings: &Settings, case: TableCase, threads: usize) -> Result<TableRow, TableError> {
    let rows = case.rows(settings.quick);
    let (text, table) = (case.program(), case.table(rows));
    let program = Program::parse(&text).expect("it's a program");
    let backend = settings.backends.last().copied();
    let defaults = PlanOptions::default();
    let options = PlanOptions { threads, backend: backend.unwrap_or(defaults.backend), ..defaults };
    let run = run_program::<TableError>(&program, &table, &options)?;
    let (plan, decrypted) = (&run.plan, &run.decrypted);
    let mut largest_error = 0.0f64;
    if let Some(exact) = &decrypted.exact {
        if Some(exact) != evaluate_exact(&plan.program, &table)?.as_ref() {
            return Err(TableError::Wrong(case.name(), "a wrong number".to_owned()));
        }
    } else {
        let expected = evaluate_real(&plan.program, &table)?;
        let bounds = decrypted.error_bounds.iter().flatten();
        for (((_, found), (_, expected)), bound) in decrypted.outputs.iter().zip(&expected).zip(bounds) {
            let error = found.as_slice().iter().zip(Values::as_slice(expected));
            let error = error.map(|(found, expected)| (found - expected).abs());
            let error = error
                .fold(0.0, |most: f64, error| if error.is_nan() { f64::INFINITY } else { most.max(error) });
            // The plain computation rounds, too.
            let largest = expected.as_slice().iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
            let is_within = error <= bound + 16.0 * f64::EPSILON * largest;
            if !is_within {
                let told = format!("an error of {error:e}, and {bound:e} is stated");
                return Err(TableError::Wrong(case.name(), told));
            }
            largest_error = largest_error.max(error);
        }
    }
    Ok(TableRow {
        case,
        program: text,
        rows,
        columns: table.columns.len(),
        scheme: plan.params.scheme().to_string(),
        ring_degree: plan.params.ring_degree(),
        plan_s: run.plan_s,
        keygen_s: run.keygen_s,
        encrypt_s: run.encrypt_s,
        evaluate_s: run.evaluate_s,
        predicted_evaluate_s: plan.prediction.evaluate_s,
        decrypt_s: run.decrypt_s,
        peak_memory_bytes: run.peak_memory_bytes,
        largest_error,
    })
}

impl TablesReport {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} threads; seconds\n", self.machine.cpu, self.machine.threads);
        let _ = writeln!(
            text,
            "{:10} {:>9} {:>7} {:>6} {:>6} {:>7} {:>7} {:>8} {:>8} {:>10} {:>8} {:>9} {:>10}",
            "table",
            "rows",
            "columns",
            "scheme",
            "log2 N",
            "plan",
            "keys",
            "encrypt",
            "evaluate",
            "predicted",
            "decrypt",
            "peak MiB",
            "error"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:10} {:>9} {:>7} {:>6} {:>6} {:>7.3} {:>7.3} {:>8.3} {:>8.3} {:>10.3} {:>8.3} {:>9.0} {:>10.1e}",
                row.case.name(),
                row.rows,
                row.columns,
                row.scheme,
                row.ring_degree.ilog2(),
                row.plan_s,
                row.keygen_s,
                row.encrypt_s,
                row.evaluate_s,
                row.predicted_evaluate_s,
                row.decrypt_s,
                row.peak_memory_bytes.unwrap_or(0) as f64 / f64::from(1 << 20),
                row.largest_error,
            );
        }
        text
    }
}
