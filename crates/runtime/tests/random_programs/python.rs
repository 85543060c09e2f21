//! Plain Python, which says what is right.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use asanoha_runtime::{
    data::{Missing, Schema},
    execute::Decrypted,
    program::{Finish, Program, Values, parse_number},
};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use serde_json::{Value, json};

use super::Case;

/// A process of Python that computes what is asked of it.
pub(crate) struct Python {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

/// What is right: a value for each output, or the reason for which there's none.
pub(crate) enum Right {
    Outputs(Vec<(String, Value)>),
    Refuse(String),
}

impl Python {
    /// Starts one; `None` where there's no `python3`, which continuous integration has.
    pub(crate) fn start() -> Option<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/random_programs/oracle.py");
        let started =
            Command::new("python3").args(["-B", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        match started {
            Ok(mut child) => {
                let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
                Some(Self { child, to, from })
            }
            Err(error) => {
                assert!(std::env::var_os("CI").is_none(), "python3 computes what is right: {error}");
                println!("SKIPPED: python3 computes what is right, and can't be started: {error}");
                None
            }
        }
    }

    pub(crate) fn right(&mut self, case: &Case, program: &Program, schema: &Schema) -> Right {
        let missing = match case.missing {
            Missing::Refuse => "refuse",
            Missing::Mask => "mask",
            Missing::Mean => "mean",
            Missing::Zero => "zero",
        };
        let is_real =
            |name: &&str| schema.column(name).is_some_and(|column| !column.whole && column.places == 0);
        let columns = program.input_names();
        let doubles: Vec<&str> = columns.iter().map(AsRef::as_ref).filter(is_real).collect();
        let request = json!({
            "program": case.text,
            "csv": case.csv,
            "missing": missing,
            "columns": columns,
            "doubles": doubles,
            "weights": case.weights,
        });
        writeln!(self.to, "{request}").expect("python3 reads");
        let mut line = String::new();
        self.from.read_line(&mut line).expect("python3 answers");
        let mut answer: Value = serde_json::from_str(&line).expect("python3 answers with JSON");
        if let Some(why) = answer["refuse"].as_str() {
            return Right::Refuse(why.to_owned());
        }
        assert!(answer["crash"].is_null(), "{}\n{}", case.text, answer["crash"].as_str().unwrap_or_default());
        Right::Outputs(serde_json::from_value(answer["outputs"].take()).expect("names and values"))
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // Its input ends with this process; killing it can only fail if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn fractions(value: &Value) -> Vec<BigRational> {
    let fraction = |text: &Value| parse_exact(text.as_str().expect("fractions are texts"));
    match value {
        Value::Array(rows) => rows.iter().map(fraction).collect(),
        number => vec![fraction(number)],
    }
}

/// A fraction of any size.
fn parse_exact(text: &str) -> BigRational {
    text.parse().ok().or_else(|| parse_number(text)).expect("Python writes fractions")
}

/// What is wrong with decrypted results: exact ones equal the right ones, others are within their stated errors.
pub(crate) fn wrong(right: &[(String, Value)], program: &Program, decrypted: &Decrypted) -> Option<String> {
    if decrypted.outputs.len() != right.len() {
        let names = |outputs: Vec<&String>| format!("{outputs:?}");
        let found = names(decrypted.outputs.iter().map(|(name, _)| name).collect());
        return Some(format!("outputs {found} for {}", names(right.iter().map(|(name, _)| name).collect())));
    }
    for (at, (name, found)) in decrypted.outputs.iter().enumerate() {
        let Some((_, expected)) = right.iter().find(|(other, _)| other == name) else {
            return Some(format!("there's no output {name}"));
        };
        let (Values::Missing(_), is_missing) = (found, expected.is_null()) else {
            if expected.is_null() {
                return Some(format!("{name} should be missing and is {found:?}"));
            }
            let error = decrypted.error_bounds.as_ref().map(|bounds| bounds[at]);
            let exact = decrypted.exact.as_ref().map(|outputs| outputs[at].1.as_slice());
            // Roots are rounded to doubles.
            let is_root = program.finished().iter().any(|finished| {
                finished.name == *name && matches!(finished.function, Finish::Std | Finish::Corr)
            });
            let expected = fractions(expected);
            if let Some(wrong) = wrong_values(&expected, found.as_slice(), exact, error, is_root) {
                return Some(format!("{name}, {wrong}"));
            }
            continue;
        };
        // Approximate results may be too near to what has none.
        if !is_missing && decrypted.exact.is_some() {
            return Some(format!("{name} is missing and should be {expected}"));
        }
    }
    None
}

fn wrong_values(
    expected: &[BigRational],
    found: &[f64],
    exact: Option<&[BigRational]>,
    error: Option<f64>,
    is_root: bool,
) -> Option<String> {
    if found.len() != expected.len() {
        return Some(format!("{} rows for {}", found.len(), expected.len()));
    }
    for (row, expected) in expected.iter().enumerate() {
        let double = expected.to_f64().unwrap_or(f64::NAN);
        let value =
            exact.map_or_else(|| BigRational::from_float(found[row]), |exact| Some(exact[row].clone()));
        let off = value.map_or(f64::INFINITY, |value| {
            let off = (&value - expected).abs();
            if off.is_zero() { 0.0 } else { off.to_f64().unwrap_or(f64::INFINITY).max(f64::MIN_POSITIVE) }
        });
        let half_unit = if exact.is_none() || is_root { double.abs() * f64::EPSILON } else { 0.0 };
        let allowed = error.unwrap_or(0.0) + half_unit;
        if off.is_nan() || allowed.is_nan() || off > allowed {
            let kind = if exact.is_some() { "exact" } else { "±" };
            return Some(format!(
                "row {row}: {:e} for {double:e} is off by {off:e}, and {kind} {allowed:e} is stated",
                found[row]
            ));
        }
    }
    None
}
