//! Programs that users of SQL, pandas, dplyr and Excel write first, from `crates/testkit/firsts`: encrypted, against values that were
//! computed without asanoha. A program is right, or refused with what to write; none is wrong.
//!
//! `ASANOHA_FIRSTS=1` prints every program that isn't right, with its reason.

use std::{collections::BTreeMap, fs, path::PathBuf};

use asanoha_kernels::Backend;
use asanoha_runtime::{
    data::{Data, Missing, Reading},
    plan::{PlanOptions, choose},
    program::{Program, parse_number},
};
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::oracle;

/// Runs that are predicted to take longer are no answers to a first program.
const LONGEST_S: f64 = 30.0;
/// The relative error of a value that is right in a list of 12 digits.
const ROUNDING: f64 = 1e-10;
/// The largest bound, relative to the largest value, of an approximate result that is right.
const LARGEST_BOUND: f64 = 1e-3;

/// The number of right programs of the 300; `crates/testkit/firsts/README.md` describes the others.
const LEAST_RIGHT: usize = 256;

#[derive(Default)]
struct First {
    name: String,
    table: String,
    arguments: String,
    program: String,
    expected: Vec<(String, Vec<Option<BigRational>>)>,
}

enum End {
    Right,
    Wrong(String),
    Refused(String),
    /// Right within its bounds, which leave little.
    Coarse(String),
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../testkit/firsts")
}

/// The programs of a file, in its order.
fn programs(tool: &str) -> Vec<First> {
    let text = fs::read_to_string(folder().join(format!("{tool}.txt"))).unwrap();
    let mut all: Vec<First> = Vec::new();
    let mut is_in_program = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# ").filter(|_| !is_in_program) {
            all.push(First { name: format!("{tool}: {name}"), ..First::default() });
        }
        let Some(first) = all.last_mut() else { continue };
        let field =
            |name: &str| line.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')).map(str::trim);
        if field("kind").is_some() {
            is_in_program = false;
        } else if is_in_program {
            first.program.push_str(line);
            first.program.push('\n');
        } else if field("program").is_some() {
            is_in_program = true;
        } else if let Some(table) = field("table") {
            table.clone_into(&mut first.table);
        } else if let Some(arguments) = field("arguments") {
            arguments.clone_into(&mut first.arguments);
        } else if let Some((name, values)) = field("expect").and_then(|text| text.split_once('=')) {
            let values = values.split(',').map(|value| parse_number(value.trim())).collect();
            first.expected.push((name.trim().to_owned(), values));
        }
    }
    all
}

fn run(first: &First) -> End {
    let refused = |error: &dyn std::fmt::Display| End::Refused(error.to_string());
    let program = match Program::parse(&first.program) {
        Ok(program) => program,
        Err(error) => {
            let help = error.help.clone().unwrap_or_default();
            return End::Refused(format!("{error} ({help})"));
        }
    };
    let missing = match first.arguments.as_str() {
        "" => Missing::Refuse,
        "--missing mask" => Missing::Mask,
        "--missing zero" => Missing::Zero,
        "--missing mean" => Missing::Mean,
        other => panic!("{}: arguments {other}", first.name),
    };
    let text = program.text_columns();
    let reading = Reading { text: &text, missing, ..Reading::default() };
    let path = folder().join(format!("tables/{}.csv", first.table));
    let data = match Data::from_path(&path, program.input_names(), &reading) {
        Ok(data) => data,
        Err(error) => return refused(&error),
    };
    let schema = match data.schema(&[]) {
        Ok(schema) => schema,
        Err(error) => return refused(&error),
    };
    let options = PlanOptions {
        security: 0,
        backend: Backend::detect().unwrap(),
        threads: 2,
        every_scheme: false,
        ..PlanOptions::default()
    };
    let plan = match choose(&program, &schema, &options).and_then(|choice| choice.into_plan(&options)) {
        Ok(plan) => plan,
        Err(error) => return refused(&error),
    };
    if plan.prediction.evaluate_s > LONGEST_S {
        return End::Refused(format!("it is predicted to take {:.0} s", plan.prediction.evaluate_s));
    }
    let decrypted = match oracle::try_run(&plan, &data.table, 11) {
        Ok(decrypted) => decrypted,
        Err(error) => return refused(&error),
    };
    let places: BTreeMap<&str, usize> =
        decrypted.outputs.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
    for (name, expected) in &first.expected {
        let Some(&at) = places.get(name.as_str()) else { return End::Wrong(format!("there is no `{name}`")) };
        let found = decrypted.outputs[at].1.as_slice();
        // The rows that are left out have no value in the list.
        let expected: Vec<&BigRational> = expected.iter().flatten().collect();
        if found.len() != expected.len() {
            return End::Wrong(format!("`{name}` has {} values for {}", found.len(), expected.len()));
        }
        let largest = expected.iter().map(|value| value.to_f64().unwrap().abs()).fold(0.0, f64::max);
        let bound = decrypted.error_bounds.as_ref().map_or(0.0, |bounds| bounds[at]);
        if bound > LARGEST_BOUND * largest.max(1.0) {
            return End::Coarse(format!("`{name}` is off by up to {bound:e} beside {largest:e}"));
        }
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let value = expected.to_f64().unwrap();
            let off = (found - value).abs();
            if off.is_nan() || off > bound + ROUNDING * value.abs() {
                return End::Wrong(format!("`{name}`, row {}: {found} for {value}", row + 1));
            }
        }
    }
    End::Right
}

/// Runs every `step`th program of the list; returns the numbers of right ones and of all.
fn run_all(step: usize) -> (usize, usize) {
    let all: Vec<First> = ["sql", "pandas", "dplyr", "excel"].into_iter().flat_map(programs).collect();
    assert!(all.len() == 300 && all.iter().all(|first| !first.expected.is_empty()), "{} programs", all.len());
    let show = std::env::var_os("ASANOHA_FIRSTS").is_some();
    let (mut right, mut wrong, mut count) = (0, Vec::new(), 0);
    for first in all.iter().step_by(step) {
        count += 1;
        match run(first) {
            End::Right => right += 1,
            End::Wrong(why) => wrong.push(format!("{}: {why}\n{}", first.name, first.program)),
            End::Refused(why) | End::Coarse(why) if show => {
                println!("not right: {}\n{}  {why}\n", first.name, first.program);
            }
            End::Refused(_) | End::Coarse(_) => {}
        }
    }
    println!("{right} of {count} right, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    (right, count)
}

#[test]
fn some_first_programs_are_right_or_refused() {
    let (right, count) = run_all(13);
    assert!(10 * right >= 7 * count, "{right} of {count}");
}

#[test]
#[ignore = "slow"]
fn first_programs_are_right_at_the_first_try() {
    let (right, count) = run_all(1);
    assert!(right >= LEAST_RIGHT, "{right} of {count}");
}
