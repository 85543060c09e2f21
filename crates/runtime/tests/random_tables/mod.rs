//! Random programs over random tables of wide whole numbers, decimals, doubles, dates, texts and gaps, encrypted, against values that
//! the programs' generator computes. Every value is right, and encryption refuses no plan.
//!
//! `ASANOHA_TABLES=first:count` runs other programs, `ASANOHA_REFUSALS=1` prints every refused one.

mod author;
mod conditions;
mod files;
mod numbers;
#[cfg(feature = "arrow")]
mod parquet;
mod sheets;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use asanoha_backends::{BACKENDS, Backends};
use asanoha_kernels::Backend;
use asanoha_runtime::{
    advice::Advice,
    data::{Schema, Table, parse_range_override},
    execute::{Decrypted, ExecuteError},
    plan::{Plan, PlanOptions, PlanningError, choose_among},
    program::{Program, Values},
    search::SearchProgress,
};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

use crate::{
    oracle,
    random_programs::{random::Random, reason},
};
use author::{Author, Expected, Value};
use sheets::{Kind, Sheet, sheet};

/// Programs that are predicted to take longer are counted and not run.
const LONGEST_S: f64 = 0.2;
/// Programs that take longer are printed.
const SLOW_S: f64 = 10.0;
/// Programs of every eighth seed may be planned for TFHE too: each such plan measures a bootstrapping on this machine.
const WITH_TFHE: u64 = 8;

/// A program over a table, with what its outputs are.
struct Case {
    sheet: Sheet,
    text: String,
    outputs: Vec<(String, Expected)>,
}

fn case(seed: u64) -> Case {
    let mut random = Random(seed ^ 0x7ab1e5);
    let sheet = sheet(&mut random);
    let mut author = Author { random, sheet, lines: Vec::new(), names: 0 };
    let mut outputs = Vec::new();
    let mut lines = Vec::new();
    for at in 0..=author.random.below(3) {
        let (text, expected) = author.output();
        lines.append(&mut author.lines);
        lines.push(format!("out{at} = {text}"));
        outputs.push((format!("out{at}"), expected));
    }
    Case { sheet: author.sheet, text: lines.join("\n") + "\n", outputs }
}

/// The end of a program.
enum End {
    Right(String),
    Refused(String),
    TooLong,
    Wrong(String),
}

fn planned(case: &Case, program: &Program, table: &Table, seed: u64) -> Result<Plan, String> {
    let ranges = case.sheet.columns.iter().filter_map(|column| column.range.as_ref());
    let ranges = ranges.map(|range| parse_range_override(range).unwrap());
    let ranges: Vec<_> = ranges.filter(|range| table.column(&range.column).is_some()).collect();
    let dates = case.sheet.columns.iter().filter(|column| column.kind == Kind::Date);
    let dates: Vec<String> = dates.map(|column| column.name.clone()).collect();
    let schema = Schema::from_table(table, &ranges).map_err(|error| format!("schema: {error}"))?;
    let schema = schema.with_dates(&dates);
    let options = PlanOptions {
        security: 0,
        backend: Backend::detect().unwrap(),
        threads: 1,
        every_scheme: false,
        ..PlanOptions::default()
    };
    let [bgv, bfv, tfhe, ckks] = BACKENDS;
    let (all, others) = ([bgv, bfv, tfhe, ckks], [bgv, bfv, ckks]);
    let backends: Backends<'_> = if seed.is_multiple_of(WITH_TFHE) { &all } else { &others };
    let progress = SearchProgress::default();
    choose_among(backends, program, &schema, &options, &progress)
        .and_then(|choice| choice.into_plan(&options))
        .map_err(|error| match error {
            PlanningError::NotFeasible { reason, .. } => format!("plan: {reason}"),
            error => format!("plan: {error}"),
        })
}

fn run(case: &Case, seed: u64) -> End {
    let program = match Program::parse(&case.text) {
        Ok(program) => program,
        Err(error) => return End::Refused(format!("program: {}", error.message)),
    };
    let data = match files::read(&case.sheet, &program) {
        Ok(data) => data.table,
        Err(error) => return End::Refused(format!("data: {error}")),
    };
    let plan = match planned(case, &program, &data, seed) {
        Ok(plan) => plan,
        Err(reason) => return End::Refused(reason),
    };
    if plan.prediction.evaluate_s > LONGEST_S {
        return End::TooLong;
    }
    let scheme = plan.params.scheme();
    let decrypted = match oracle::try_run(&plan, &data, seed as u8) {
        Ok(decrypted) => decrypted,
        // Documented: numbers of two columns that are nearer than the gap that the plan prints.
        Err(error @ ExecuteError::Undecided { .. }) if !plan.gaps().iter().all(Option::is_none) => {
            return End::Refused(format!("gap: {error}"));
        }
        Err(error) => return End::Wrong(format!("{scheme}: a plan was made and then refused: {error}")),
    };
    let names: Vec<&str> = program.input_names().iter().map(String::as_str).collect();
    let rows = case.sheet.rows_left(&names);
    match wrong(case, &rows, &decrypted) {
        Some(wrong) => End::Wrong(format!("{scheme}: {wrong}")),
        None => End::Right(scheme.to_string()),
    }
}

/// The first output that isn't what it should be.
fn wrong(case: &Case, rows: &[usize], decrypted: &Decrypted) -> Option<String> {
    for (name, expected) in &case.outputs {
        let expected = expected.over(rows);
        let Some(at) = decrypted.outputs.iter().position(|(other, _)| other == name) else {
            return Some(format!("there is no `{name}`"));
        };
        let found = &decrypted.outputs[at].1;
        let is_missing = matches!(found, Values::Missing(_));
        let right: Vec<&BigRational> = match &expected {
            Value::Missing => {
                if is_missing {
                    continue;
                }
                return Some(format!("`{name}` is {found:?}, and there's none"));
            }
            Value::Number(value) => vec![value],
            Value::Column(values) => values.iter().collect(),
        };
        if let Values::Missing(reason) = found
            && reason.advice == [Advice::MorePrecision]
            && decrypted.exact.is_none()
        {
            // Documented: a divisor that is 0 within its error.
            continue;
        }
        let is_beyond_doubles = right.iter().any(|right| right.to_f64().is_none_or(f64::is_infinite));
        if is_missing && is_beyond_doubles && decrypted.exact.is_none() {
            continue;
        }
        if is_missing {
            return Some(format!("`{name}` is missing: {found:?} for {expected:?}"));
        }
        if let Some(exact) = &decrypted.exact {
            let found = exact[at].1.as_slice();
            // A column that is the same for all data is one number.
            let is_same = found.len() == right.len() || found.len() == 1;
            if !is_same || right.iter().enumerate().any(|(row, right)| **right != found[row % found.len()]) {
                let right: Vec<String> = right.iter().map(ToString::to_string).collect();
                let found: Vec<String> = found.iter().map(ToString::to_string).collect();
                return Some(format!("`{name}` is {found:?} for {right:?}"));
            }
            continue;
        }
        let bound = decrypted.error_bounds.as_ref().map_or(f64::NAN, |bounds| bounds[at]);
        let found = found.as_slice();
        if found.len() != right.len() && found.len() != 1 {
            return Some(format!("`{name}` has {} rows for {}", found.len(), right.len()));
        }
        for (row, right) in right.iter().enumerate() {
            let found = found[row % found.len()];
            let half_unit = right.to_f64().unwrap().abs() * f64::EPSILON;
            let off = BigRational::from_float(found).map(|found| (found - *right).abs().to_f64().unwrap());
            if off.is_none_or(|off| off.is_nan() || off > bound + half_unit) {
                let right = right.to_f64().unwrap();
                return Some(format!("`{name}`, row {row}: {found:e} ± {bound:e} for {right:e}"));
            }
        }
    }
    None
}

fn described(case: &Case) -> String {
    let mut text = format!("{}\n{}\n{}", case.text, files::csv(&case.sheet), "");
    let ranges: Vec<&String> = case.sheet.columns.iter().filter_map(|column| column.range.as_ref()).collect();
    let _ = writeln!(text, "{:?}, missing: {:?}, ranges: {ranges:?}", case.sheet.source, case.sheet.missing);
    text
}

/// Runs programs on two threads and prints their ends; returns the seeds of the wrong ones.
fn run_all(first: u64, count: u64) -> Vec<u64> {
    let start = Instant::now();
    let next = AtomicU64::new(first);
    let ends: Mutex<BTreeMap<String, (u64, f64)>> = Mutex::default();
    let bad: Mutex<Vec<u64>> = Mutex::default();
    let prints_refusals = std::env::var_os("ASANOHA_REFUSALS").is_some();
    let work = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return;
            }
            let case = case(seed);
            let begun = Instant::now();
            let end = catch_unwind(AssertUnwindSafe(|| pool.install(|| run(&case, seed))));
            let took = begun.elapsed().as_secs_f64();
            if took > SLOW_S {
                println!("seed {seed} took {took:.1} s\n{}", described(&case));
            }
            let end = match end {
                Ok(End::Right(scheme)) => format!("right: {scheme}"),
                Ok(End::Refused(why)) => {
                    if prints_refusals {
                        println!("seed {seed}: refused: {why}\n{}", described(&case));
                    }
                    format!("refused: {}", reason(&why))
                }
                Ok(End::TooLong) => {
                    if prints_refusals {
                        println!("seed {seed}: not run, {took:.1} s\n{}", described(&case));
                    }
                    "not run: it would take long".to_owned()
                }
                Ok(End::Wrong(wrong)) => {
                    println!("seed {seed}: WRONG: {wrong}\n{}", described(&case));
                    bad.lock().unwrap().push(seed);
                    "WRONG".to_owned()
                }
                Err(_) => {
                    println!("seed {seed}: CRASHED\n{}", described(&case));
                    bad.lock().unwrap().push(seed);
                    "CRASHED".to_owned()
                }
            };
            let mut ends = ends.lock().unwrap();
            let (count, seconds) = ends.entry(end).or_default();
            (*count, *seconds) = (*count + 1, *seconds + took);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let ends = ends.into_inner().unwrap();
    println!("{count} programs in {:.1} s:", start.elapsed().as_secs_f64());
    for (end, (count, seconds)) in &ends {
        println!("{count:6} in {seconds:6.1} s: {}", end.chars().take(250).collect::<String>());
    }
    let right =
        ends.iter().filter(|(end, _)| end.starts_with("right")).map(|(_, (count, _))| count).sum::<u64>();
    assert!(100 * right >= 80 * count, "only {right} of {count} programs ran");
    bad.into_inner().unwrap()
}

/// The programs that `ASANOHA_TABLES` asks for, or others.
fn asked(first: u64, count: u64) -> (u64, u64) {
    std::env::var("ASANOHA_TABLES").map_or((first, count), |text| {
        let (first, count) = text.split_once(':').expect("first:count");
        (first.parse().expect("a seed"), count.parse().expect("a number of programs"))
    })
}

#[test]
fn two_thousand_programs_over_tables_have_the_values_of_their_generator() {
    let (first, count) = asked(0, 2000);
    assert_eq!(run_all(first, count), [0u64; 0]);
}

#[test]
#[ignore = "slow"]
fn twenty_thousand_programs_over_tables_have_the_values_of_their_generator() {
    let (first, count) = asked(100_000, 20_000);
    assert_eq!(run_all(first, count), [0u64; 0]);
}
