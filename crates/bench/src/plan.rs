//! Planning: how long it takes, which scheme it chooses, and how near its predictions are.

use std::{fmt::Write, time::Instant};

use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Schema, read_csv},
    execute::{self, ExecuteError, unwatched},
    plan::{PlanOptions, PlanningError, choose},
    program::Program,
};
use serde::Serialize;
use thiserror::Error;

use crate::{Machine, Settings, Tell};

const SEED: Seed = Seed([29; 32]);
const REPEATS: usize = 5;
/// Evaluations that take longer are measured once.
const LONG_S: f64 = 1.0;
/// A prediction is near if it's off by no more than this factor, or by less than [`NEAR_S`].
const NEAR: f64 = 2.0;
const NEAR_S: f64 = 0.002;

/// A program and its data.
struct Case {
    name: &'static str,
    program: &'static str,
    data: Data,
    /// Left out of quick runs.
    is_long: bool,
}

/// A column by its name and the formula of its cells.
type Column = (&'static str, fn(usize) -> String);

enum Data {
    /// A file.
    Csv(&'static str),
    /// Columns by the formulas of their cells, and the number of rows.
    Made(&'static [Column], usize),
}

const fn example(name: &'static str, program: &'static str, data: &'static str, is_long: bool) -> Case {
    Case { name, program, data: Data::Csv(data), is_long }
}

// Links to the files in `examples`, which are no part of this crate: its package has copies.
const DIABETES: &str = include_str!("../programs/diabetes.csv");
const ORDERS: &str = include_str!("../programs/orders.csv");
const INVOICE: &str = include_str!("../programs/invoice.csv");
const PATIENTS: &str = include_str!("../programs/patients.csv");

/// Decimals of one place from 0 to 9.9.
const TENTHS: Column = ("x", |row| format!("{}.{}", row * 7 % 10, row * 3 % 10));

const CASES: [Case; 15] = [
    example("risk", include_str!("../programs/risk.asa"), DIABETES, false),
    example("stats", include_str!("../programs/stats.asa"), DIABETES, false),
    example("invoice", include_str!("../programs/invoice.asa"), INVOICE, false),
    example("unit price", include_str!("../programs/unit_price.asa"), ORDERS, true),
    example("points", include_str!("../programs/points.asa"), PATIENTS, true),
    Case {
        name: "mean of rounded",
        program: "m = mean(round(x))",
        data: Data::Made(&[TENTHS], 100),
        is_long: false,
    },
    Case {
        name: "mean of maximum",
        program: "m = mean(max(x, 4))",
        data: Data::Made(&[TENTHS], 100),
        is_long: false,
    },
    Case {
        name: "share above",
        program: "m = mean(x > 4)",
        data: Data::Made(&[TENTHS], 100),
        is_long: false,
    },
    Case {
        name: "mean of logarithms",
        program: "m = mean(log(x + 1))",
        data: Data::Made(&[TENTHS], 100),
        is_long: false,
    },
    Case {
        name: "threshold of single precision",
        program: "n = count(x <= 2.4500000476837158203125)",
        data: Data::Made(&[TENTHS], 500),
        is_long: false,
    },
    Case {
        name: "division by few",
        program: "q = a // b\nr = a % b",
        data: Data::Made(
            &[("a", |row| (row * 99_991 % 100_000).to_string()), ("b", |row| (row % 12 + 1).to_string())],
            4,
        ),
        is_long: false,
    },
    Case {
        name: "ranges apart",
        program: "s = sum((g == 'n') * where(fee > stamp, fee, stamp))",
        data: Data::Made(
            &[
                ("g", |row| if row % 3 == 0 { "n" } else { "y" }.to_owned()),
                ("fee", |row| format!("{}.{:02}", row * 17 % 90, row * 31 % 100)),
                ("stamp", |row| (1_700_000_000 + row * 86_413).to_string()),
            ],
            50,
        ),
        is_long: false,
    },
    Case {
        name: "group totals",
        program: "n = sum(where(g == 'n', fee, 0))\ny = sum(where(g == 'y', fee, 0))",
        data: Data::Made(
            &[
                ("g", |row| if row % 3 == 0 { "n" } else { "y" }.to_owned()),
                ("fee", |row| format!("{}.{:02}", row * 17 % 90, row * 31 % 100)),
            ],
            1000,
        ),
        is_long: false,
    },
    Case {
        name: "histogram",
        program: "h = histogram(a, 0, 9)",
        data: Data::Made(&[("a", |row| (row * row % 10).to_string())], 2000),
        is_long: false,
    },
    Case {
        name: "median of ten values",
        program: "m = quantile(a, 0.5)",
        data: Data::Made(&[("a", |row| (row * row % 10).to_string())], 100),
        is_long: true,
    },
];

/// Why a case isn't measured.
#[derive(Debug, Error)]
pub enum PlanBenchError {
    /// It has no plan.
    #[error(transparent)]
    Planning(#[from] PlanningError),
    /// It doesn't run.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
}

/// A case.
#[derive(Clone, Debug, Serialize)]
pub struct PlanRow {
    /// What was planned and run.
    pub case: &'static str,
    /// The rows of its table.
    pub rows: usize,
    /// The scheme that the planner chose.
    pub scheme: String,
    /// The ring degree.
    pub ring_degree: usize,
    /// The steps of its schedule.
    pub steps: usize,
    /// Planning, in seconds.
    pub plan_s: f64,
    /// The evaluation, in seconds, as the plan predicts.
    pub predicted_evaluate_s: f64,
    /// The evaluation, in seconds: the median.
    pub evaluate_s: f64,
    /// The second over the first.
    pub ratio: f64,
    /// Whether the prediction is within a factor of two, or two milliseconds.
    pub near: bool,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct PlanReport {
    /// The machine.
    pub machine: Machine,
    /// The cases.
    pub rows: Vec<PlanRow>,
    /// How many predictions aren't near.
    pub far: usize,
}

/// Plans and runs all cases on the threads of the current pool.
///
/// # Errors
/// The first case that doesn't run.
pub fn plan(settings: &Settings, tell: Tell) -> Result<PlanReport, PlanBenchError> {
    let cases: Vec<&Case> = CASES.iter().filter(|case| !(settings.quick && case.is_long)).collect();
    let mut rows = Vec::new();
    for case in &cases {
        rows.push(row(settings, case)?);
        tell(rows.len(), cases.len());
    }
    let machine = Machine { threads: rayon::current_num_threads(), ..Machine::this(&settings.backends) };
    let far = rows.iter().filter(|row| !row.near).count();
    Ok(PlanReport { machine, rows, far })
}

impl Data {
    fn csv(&self) -> String {
        match self {
            Self::Csv(text) => (*text).to_owned(),
            Self::Made(columns, rows) => {
                let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
                let line = |row| columns.iter().map(|(_, cell)| cell(row)).collect::<Vec<_>>().join(",");
                let lines = (0..*rows).map(line);
                std::iter::once(names.join(",")).chain(lines).map(|line| line + "\n").collect()
            }
        }
    }
}

fn row(settings: &Settings, case: &Case) -> Result<PlanRow, PlanBenchError> {
    let program = Program::parse(case.program).expect("it's a program");
    let csv = case.data.csv();
    let table = read_csv(csv.as_bytes(), case.name, program.input_names());
    let table = table.expect("the data are read");
    let schema = Schema::from_table(&table, &[]).expect("it has no other ranges");
    let backend = *settings.backends.last().expect("at least one back-end is measured");
    let options = PlanOptions { threads: rayon::current_num_threads(), backend, ..PlanOptions::default() };
    let (plan, plan_s) = timed(|| choose(&program, &schema, &options)?.into_plan(&options));
    let plan = plan?;
    let mut sampler = Sampler::new(&SEED);
    let keys = execute::generate_keys(&plan, &mut sampler);
    let (inputs, _) = execute::encrypt(&plan, &keys.public, &table, &mut sampler)?;
    let evaluate = || execute::evaluate(&plan, keys.evaluation.clone(), inputs.clone(), &unwatched);
    let (first, first_s) = timed(evaluate);
    first?;
    let mut times = vec![first_s];
    if first_s < LONG_S && !settings.quick {
        // The first one met memory that wasn't there yet.
        times.clear();
        for _ in 0..REPEATS {
            let (results, seconds) = timed(evaluate);
            results?;
            times.push(seconds);
        }
    }
    times.sort_by(f64::total_cmp);
    let (evaluate_s, predicted) = (times[times.len() / 2], plan.prediction.evaluate_s);
    let ratio = evaluate_s / predicted;
    Ok(PlanRow {
        case: case.name,
        rows: table.rows,
        scheme: plan.params.scheme().to_string(),
        ring_degree: plan.params.ring_degree(),
        steps: plan.circuit.steps.len(),
        plan_s,
        predicted_evaluate_s: predicted,
        evaluate_s,
        ratio,
        near: (1.0 / NEAR..=NEAR).contains(&ratio) || (evaluate_s - predicted).abs() <= NEAR_S,
    })
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

impl PlanReport {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} threads; seconds, medians\n", self.machine.cpu, self.machine.threads);
        let _ = writeln!(
            text,
            "{:30} {:>6} {:>6} {:>7} {:>6} {:>9} {:>10} {:>10} {:>7}",
            "case", "rows", "scheme", "log2(N)", "steps", "plan", "predicted", "evaluated", "ratio"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:30} {:>6} {:>6} {:>7} {:>6} {:>9.4} {:>10.5} {:>10.5} {:>7.2}{}",
                row.case,
                row.rows,
                row.scheme,
                row.ring_degree.ilog2(),
                row.steps,
                row.plan_s,
                row.predicted_evaluate_s,
                row.evaluate_s,
                row.ratio,
                if row.near { "" } else { "  far" }
            );
        }
        let _ = writeln!(text, "predictions that are off by more than a factor of 2: {}", self.far);
        text
    }
}
