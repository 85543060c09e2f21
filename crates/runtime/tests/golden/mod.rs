//! Golden files: what every scheme makes of the examples, of programs with every function of the language, and of random
//! programs. Changes of the code that aren't meant to change plans, results or messages leave them as they are.
//!
//! A line of `golden.txt` has, of a program in a scheme, the digest of its whole plan file at 128 bits (schedule, levels, noise,
//! parameters, predictions but seconds) with its keys, and of a run at reduced rings under a seed that of the results; or the
//! message of a refusal. Real numbers are rounded first, as the mathematics libraries of two machines differ in last bits.
//!
//! `ASANOHA_GOLDEN=DIR` writes the plans and the results themselves into a folder, unrounded, for comparisons of two commits on
//! one machine, and beside them a `golden.txt` that can be put in the place of the known one.

use std::{
    fmt::Write,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use asanoha_runtime::{
    data::{Data, Missing, Reading},
    plan::{Plan, Prediction, SchemeName},
    precision::Precision,
    program::Values,
};
use serde_json::Value;

use crate::random_programs::{self, Case, MIXED, WILD};

/// Every so many programs are part of the ordinary tests.
const SOME: usize = 16;
/// Runs at reduced rings of more slots would take long.
const MOST_SLOTS: usize = 1 << 12;
/// And those of more steps, and of more bootstrappings in TFHE.
const MOST_STEPS: usize = 2_000;
const MOST_BOOTSTRAPS: f64 = 40.0;
/// The places of real numbers that all machines agree on.
const PLACES: usize = 5;

const SCHEMES: [SchemeName; 4] = [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks, SchemeName::Tfhe];

/// Examples with their data, beneath `examples`.
const EXAMPLES: [(&str, &str); 24] = [
    ("risk", "data/diabetes.csv"),
    ("stats", "data/diabetes.csv"),
    ("invoice", "data/invoice.csv"),
    ("unit_price", "data/orders.csv"),
    ("cookbook/category", "cookbook/sales.csv"),
    ("cookbook/change", "cookbook/sales.csv"),
    ("cookbook/clip", "cookbook/patients.csv"),
    ("cookbook/conditions", "cookbook/patients.csv"),
    ("cookbook/distance", "cookbook/patients.csv"),
    ("cookbook/durations", "cookbook/sales.csv"),
    ("cookbook/fit", "cookbook/energy.csv"),
    ("cookbook/groups", "cookbook/sales.csv"),
    ("cookbook/histogram", "cookbook/patients.csv"),
    ("cookbook/joined", "cookbook/joined.csv"),
    ("cookbook/logistic", "cookbook/patients.csv"),
    ("cookbook/lookup", "cookbook/sales.csv"),
    ("cookbook/missing", "cookbook/survey.csv"),
    ("cookbook/money", "cookbook/sales.csv"),
    ("cookbook/padded", "cookbook/padded.csv"),
    ("cookbook/quantiles", "cookbook/patients.csv"),
    ("cookbook/score", "cookbook/energy.csv"),
    ("cookbook/share", "cookbook/patients.csv"),
    ("cookbook/spread", "cookbook/patients.csv"),
    ("cookbook/unit_price", "cookbook/orders.csv"),
];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// All programs, with names.
pub(crate) fn cases() -> Vec<(String, Case)> {
    let plain = |text: String, csv: String| Case {
        text,
        csv,
        ranges: Vec::new(),
        weights: Vec::new(),
        precision: Precision::Relative { bits: 20 },
        scheme: None,
        missing: Missing::Mask,
        fewer: 0,
    };
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let read = |path: PathBuf| {
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let mut cases: Vec<(String, Case)> = Vec::new();
    for (name, data) in EXAMPLES {
        let mut case = plain(read(examples.join(format!("{name}.asa"))), read(examples.join(data)));
        if name == "cookbook/score" {
            case.weights =
                vec![("area".to_owned(), "24.5"), ("persons".to_owned(), "-3"), ("bias".to_owned(), "0.5")];
            case.text = case.text.replace("@model", "@w");
        }
        cases.push((name.to_owned(), case));
    }
    let data = read(golden().join("data.csv"));
    let programs = read(golden().join("programs.txt"));
    for line in programs.lines().filter(|line| !line.starts_with('#')) {
        let text = format!("y = {line}").replace(';', "\n").replace("\n ", "\n");
        cases.push((line.to_owned(), plain(text, data.clone())));
    }
    let seeds = (0..110).chain(MIXED..MIXED + 40).chain(WILD..WILD + 50);
    cases.extend(seeds.map(|seed| (format!("random {seed}"), random_programs::case(seed))));
    cases
}

/// The plan of a case in a scheme, or the message that refuses it.
pub(crate) fn planned(case: &Case, scheme: SchemeName, security: u32) -> Result<(Plan, Data), String> {
    let program = random_programs::parsed(case).map_err(|error| format!("program: {error}"))?;
    let reading = Reading { missing: case.missing, ..Reading::default() };
    let data = Data::from_reader(case.csv.as_bytes(), "data.csv", program.input_names(), &reading);
    let data = data.map_err(|error| format!("data: {error}"))?;
    let mut plan = random_programs::planned(case, &program, &data.table, Some(scheme), security)?;
    plan.prediction = Prediction { evaluate_s: 0.0, read_s: 0.0, ..plan.prediction };
    Ok((plan, data))
}

/// Whether a plan at reduced rings runs in a short time.
pub(crate) fn is_small(plan: &Plan) -> bool {
    plan.params.slots() <= MOST_SLOTS
        && plan.circuit.steps.len() <= MOST_STEPS
        && plan.bootstraps().is_none_or(|count| count <= MOST_BOOTSTRAPS)
}

/// A plan and all that follows from it.
fn plan_dump(plan: &Plan) -> Value {
    let mut dump: Value = serde_json::from_str(&plan.to_json()).unwrap();
    let keys: Vec<String> = plan.key_levels().iter().map(|key| format!("{key:?}")).collect();
    dump["keys"] = keys.into();
    dump["gaps"] = serde_json::to_value(plan.gaps()).unwrap();
    dump["failure"] = plan.log2_failure().into();
    dump
}

/// The results of a run under a seed.
fn results(plan: &Plan, data: &Data) -> Result<Value, String> {
    let plan = &plan.for_rows(data.table.rows).map_err(|error| format!("rows: {error}"))?;
    let found = crate::oracle::try_run(plan, &data.table, 7).map_err(|error| format!("run: {error}"))?;
    let numbers = |values: &Values<f64>| values.as_slice().to_vec();
    let outputs = found.outputs.iter().map(|(name, values)| (name.clone(), numbers(values)));
    let exact = found.exact.as_ref().map(|outputs| {
        let text =
            |values: &[num_rational::BigRational]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
        outputs.iter().map(|(name, values)| (name.clone(), text(values.as_slice()))).collect::<Vec<_>>()
    });
    Ok(serde_json::to_value((outputs.collect::<Vec<_>>(), exact, &found.error_bounds)).unwrap())
}

/// The values with real numbers to few places, of which those that are small beside others are 0.
fn rounded(value: &Value, largest: f64) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            if number.abs() < 1e-6 * largest {
                Value::from("0")
            } else {
                Value::from(format!("{number:.PLACES$e}"))
            }
        }
        Value::Array(values) => values.iter().map(|value| rounded(value, largest)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), rounded(value, largest))).collect()
        }
        other => other.clone(),
    }
}

fn digest(value: &Value) -> String {
    blake3::hash(value.to_string().as_bytes()).to_hex()[..16].to_owned()
}

/// What a scheme makes of a case: the line of the golden file, and what it's a digest of.
fn line(case: &Case, scheme: SchemeName) -> (String, Value) {
    let plan = match planned(case, scheme, 128) {
        Ok((plan, _)) => plan,
        Err(message) => return (message.replace('\n', " "), Value::Null),
    };
    let mut dump = vec![plan_dump(&plan)];
    let mut text = format!("plan {}", digest(&rounded(&dump[0], 0.0)));
    // Real constants may differ in their last bits.
    if scheme != SchemeName::Ckks {
        write!(text, " digest {}", &plan.digest()[..16]).unwrap();
    }
    dump.push(plan.digest().into());
    match planned(case, scheme, 0) {
        Ok((small, data)) => {
            if is_small(&small) {
                match results(&small, &data) {
                    Ok(found) => {
                        let largest = found[0]
                            .to_string()
                            .split([',', '[', ']'])
                            .filter_map(|it| it.parse().ok())
                            .map(f64::abs)
                            .fold(0.0, f64::max);
                        write!(text, " results {}", digest(&rounded(&found, largest))).unwrap();
                        dump.push(found);
                    }
                    Err(message) => write!(text, " {message}").unwrap(),
                }
            }
        }
        Err(message) => write!(text, " reduced: {message}").unwrap(),
    }
    (text, dump.into())
}

/// Compares cases with the golden file.
fn check(every: usize) {
    let folder = std::env::var_os("ASANOHA_GOLDEN").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let known = fs::read_to_string(golden().join("golden.txt")).unwrap_or_default();
    let known: Vec<&str> = known.lines().collect();
    let work: Vec<(usize, String, Case)> =
        cases().into_iter().enumerate().step_by(every).map(|(at, (name, case))| (at, name, case)).collect();
    let lines: Mutex<Vec<(usize, String)>> = Mutex::default();
    let pairs: Vec<_> = work.iter().flat_map(|work| SCHEMES.map(|scheme| (work, scheme))).collect();
    let next = AtomicUsize::new(0);
    let make = || {
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        while let Some(((at, name, case), scheme)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let made = catch_unwind(AssertUnwindSafe(|| one_thread.install(|| line(case, *scheme))));
            let (text, dump) = made.unwrap_or_else(|_| ("PANIC".to_owned(), Value::Null));
            let place = SCHEMES.len() * at + SCHEMES.iter().position(|it| it == scheme).unwrap();
            if let Some(folder) = &folder {
                let file = folder.join(format!("{at:03}-{scheme}.json"));
                fs::write(file, serde_json::to_string_pretty(&dump).unwrap()).unwrap();
            }
            lines.lock().unwrap().push((place, format!("{name} | {scheme} | {text}")));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(make);
        scope.spawn(make);
    });
    let mut lines = lines.into_inner().unwrap();
    lines.sort();
    if let Some(folder) = folder {
        let all: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        fs::write(folder.join("golden.txt"), all.join("\n") + "\n").unwrap();
    }
    let differing: Vec<String> = lines
        .iter()
        .filter(|(place, line)| known.get(*place) != Some(&line.as_str()))
        .map(|(place, line)| format!("  now {line}\n  was {}\n", known.get(*place).unwrap_or(&"nothing")))
        .collect();
    assert!(
        differing.is_empty(),
        "{} of {} lines differ:\n{}",
        differing.len(),
        lines.len(),
        differing.concat()
    );
}

#[test]
fn some_programs_have_the_plans_results_and_messages_of_before() {
    check(SOME);
}

#[test]
#[ignore = "slow"]
fn all_programs_have_the_plans_results_and_messages_of_before() {
    check(1);
}
