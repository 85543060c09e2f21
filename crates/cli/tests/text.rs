//! What human readers see: reasons told once, lines as wide as the terminal, and where the time goes.

use crate::common::{Place, example};

/// The functions of the language.
const FUNCTIONS: [&str; 28] = [
    "where",
    "abs",
    "min",
    "max",
    "less_than",
    "sign",
    "relu",
    "sum",
    "mean",
    "var",
    "dot",
    "clip",
    "assume",
    "floor",
    "round",
    "count",
    "std",
    "cov",
    "corr",
    "quantile",
    "histogram",
    "table",
    "table2",
    "sigmoid",
    "exp",
    "tanh",
    "log",
    "sqrt",
];

/// What is told of a program that can't be run.
fn refusal(program: &str, data: &str, more: &str) -> String {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", data);
    let output = place.call(&format!("run p.asa --data d.csv {more}")).output();
    assert_ne!(output.status.code(), Some(0), "{program}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn reasons_that_schemes_share_are_told_once() {
    let told = refusal("y = sigmoid(x)\nz = x // 3", "x\n1.5\n7\n", "");
    assert!(told.contains("bgv, bfv, tfhe: ") && told.contains("; ckks: "), "{told}");
    assert_eq!(told.matches("whole numbers").count(), 2, "{told}");
    let told = refusal("y = x * x * 0.5", "x\n1.5e0\n", "--scheme bgv");
    assert!(told.starts_with("error: bgv can't") && !told.contains("bfv"), "{told}");
}

#[test]
fn messages_offer_functions_that_exist() {
    let programs = [
        ("y = sigmoid(x)\nz = x // 3", "x\n1.5\n7\n", ""),
        ("y = 1 / x", "x\n0\n2\n", ""),
        ("y = 1 / x", "x\n1\n2\n", "--scheme bgv --range x=1:3"),
        ("y = x ** -2", "x\n1\n2\n", "--scheme bfv --range x=1:3"),
        ("y = sqrt(x)", "x\n0\n2\n", ""),
        ("y = log(x)", "x\n1\n2\n", "--scheme tfhe --range x=1:3"),
        ("y = x == z", "x,z\n1.5\n", ""),
        ("y = x < z", "x,z\n1.5e0,1.5\n", ""),
        ("y = where(x, x, 2 * x)", "x\n1.5e0\n0\n", ""),
        ("y = square(x)", "x\n1\n", ""),
        ("y = x ** 0.5", "x\n1\n", ""),
        ("y = x ** 1024", "x\n3000000\n", ""),
        ("y = x ** 60", "x\n3000\n", "--scheme bgv"),
        ("y = exp(x)", "x\n3000\n", ""),
        ("y = table(x, [1, 2])", "x\n5\n", ""),
        ("y = sum(mean(x))", "x\n1\n", ""),
        ("y = x and", "x\n1\n", ""),
        ("y = len(x)", "x\n1\n", ""),
    ];
    for (program, data, more) in programs {
        let told = refusal(program, data, more);
        // The first lines of a message about a program show its text.
        let help = told.split_once("= help: ").map_or(told.as_str(), |(_, help)| help);
        for (at, _) in help.match_indices('(') {
            let name: String =
                help[..at].chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let name: String = name.chars().rev().collect();
            let known = name.is_empty() || FUNCTIONS.contains(&name.as_str()) || name == "log2";
            assert!(known, "{program}: `{name}` isn't a function: {told}");
        }
        for part in help.split('`').skip(1).step_by(2) {
            let word = part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            let column = ["x", "y", "z"].contains(&part);
            assert!(!word || column || FUNCTIONS.contains(&part), "{program}: `{part}`: {told}");
        }
    }
}

#[test]
fn wide_results_and_long_lines_wrap_to_the_width() {
    let place = Place::new();
    let program: Vec<String> = (0..30).map(|at| format!("output_{at} = x * {}", 1000 + at)).collect();
    place.write("p.asa", program.join("\n"));
    place.write("d.csv", "x\n1\n2\n3\n4\n5\n6\n7\n");
    for (columns, most) in [(Some("60"), 60), (Some("132"), 132), (None, 100)] {
        let call = place.call("run p.asa --data d.csv");
        let text = columns.into_iter().fold(call, |call, columns| call.env("COLUMNS", columns)).text();
        let (lines, table) = text.split_once("\n\n").unwrap();
        let longest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest(table) <= most && longest(table) > most / 2, "{most}: {text}");
        assert!(columns.is_none() || longest(lines) <= most, "{most}: {text}");
        for at in 0..30 {
            assert!(table.contains(&format!("output_{at}")) && table.contains(&(5000 + 5 * at).to_string()));
        }
        assert_eq!(table.matches("… 2 more").count(), 1);
    }
}

#[test]
fn more_threads_than_cores_are_told_and_taken() {
    let place = Place::new();
    let output = place.call("info --threads 1024 --json").output();
    assert!(output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("--threads 1024") && told.contains("cores") && told.lines().count() == 1, "{told}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["threads"], 1024);
    assert!(place.call("info --threads 1").output().stderr.is_empty());
}

#[test]
fn a_run_and_a_plan_draw_where_the_time_goes() {
    let place = Place::new();
    let data = example("data/diabetes.csv");
    let line = format!("{} --data {}", example("risk.asa").display(), data.display());
    let run = place.call(&format!("run {line}")).text();
    let picture = run.lines().find(|line| line.contains('▇')).unwrap();
    assert!(picture.contains("keygen ▇") && picture.contains("evaluate ▇"), "{picture}");
    let plan = place.call(&format!("plan {line}")).text();
    let picture = plan.lines().find(|line| line.contains('▇')).unwrap();
    assert!(picture.contains("multiply ▇") && picture.contains("sum ▇"), "{picture}");
    for command in ["run", "plan"] {
        assert!(!place.call(&format!("{command} {line} --json")).text().contains('▇'));
    }
    let points =
        format!("{} --data {}", example("points.asa").display(), example("data/patients.csv").display());
    assert!(place.call(&format!("plan {points} --scheme tfhe")).text().contains("functions ▇"));
}
