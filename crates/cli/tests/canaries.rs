//! Canaries: what an honest server's client gets, and what a server that alters results is noticed by. Each attack is a test.

use std::{path::PathBuf, sync::Arc};

use crate::common::{Place, has_keys};
use asanoha::{
    bfv::BfvCiphertext,
    bgv::BgvCiphertext,
    ckks::CkksCiphertext,
    client::Client,
    data::{Data, Table, parse_range_override, read_csv},
    execute::{
        CanaryError, Contents, DecryptionKey, EncryptionKey, EvaluationKey, ExecuteError, InputSecrets,
        MOST_CANARY_RESULTS, plan_of,
    },
    lattice::EvaluationKeys,
    plan::SecurityCheck,
    programs::*,
    scheme::{self, Ciphertext, Encodes, Evaluator},
    tfhe::{ClientKey, EncryptedInteger},
};
use asanoha_testkit::OpenFile;
use serde_json::{Value, json};

const DECRYPT: &str = "decrypt --plan plan.json --keys keys --in results";

/// A client and a server in this process, with parameters that hide nothing and are fast.
struct Parties {
    plan: Plan,
    keys: Keys,
    table: Table,
}

impl Parties {
    /// A plan for as many rows as the data have, or more.
    fn new(scheme: SchemeName, program: &str, data: &str, rows: usize) -> Self {
        let program = Program::parse(program).unwrap();
        let table = read_csv(data.as_bytes(), "d.csv", program.input_names()).unwrap();
        let range = |name: &String| parse_range_override(&format!("{name}=-100:1000")).unwrap();
        let ranges: Vec<_> = program.input_names().iter().map(range).collect();
        let schema = Schema { rows, ..Schema::from_table(&table, &ranges).unwrap() };
        // TFHE has parameters of its own.
        let security = if scheme == SchemeName::Tfhe { 128 } else { 0 };
        let options = PlanOptions {
            scheme: Some(scheme),
            security,
            fewer_rows: true,
            every_scheme: false,
            ..PlanOptions::default()
        };
        let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
        let keys = execute::generate_keys(&plan, &mut Sampler::from_os());
        Self { plan, keys, table }
    }

    fn secret(&self) -> &DecryptionKey {
        self.keys.secret.as_ref().unwrap()
    }

    /// What the client knows of its inputs, the places of the canaries, and what is encrypted.
    fn encrypted(&self, canaries: usize, seed: u8) -> (Sent, Vec<usize>, Encrypted) {
        let sampler = &mut Sampler::new(&Seed([seed; 32]));
        let client = Client::new(&self.plan, self.secret().id(), Vec::new());
        let (key, table) = (EncryptionKey::from(self.secret()), self.table.clone());
        let data = Data { table, left_out: Vec::new(), real_since: Vec::new() };
        let inputs = client.encrypt(&key, &data, Some(canaries), sampler, &execute::unwatched).unwrap();
        let (_, record) = inputs.write(&mut Vec::new()).unwrap();
        let written: Value = serde_json::from_slice(&record.to_bytes()).unwrap();
        let places = serde_json::from_value(written["canaries"]["places"].clone()).unwrap();
        (Sent { plan: inputs.plan, secrets: record.secrets() }, places, inputs.encrypted)
    }

    fn evaluate(&self, Sent { plan, .. }: &Sent, inputs: Encrypted) -> Encrypted {
        execute::evaluate(plan, self.keys.evaluation.clone(), inputs, &execute::unwatched).unwrap()
    }

    fn decrypt(&self, sent: &Sent, results: &Encrypted) -> Result<Decrypted, ExecuteError> {
        execute::decrypt(&sent.plan, self.secret(), results, &sent.secrets)
    }

    /// How many canaries have wrong results.
    fn wrong(&self, sent: &Sent, results: &Encrypted) -> usize {
        match self.decrypt(sent, results) {
            Ok(_) => 0,
            Err(ExecuteError::Canaries(CanaryError::Wrong { wrong, .. })) => wrong,
            Err(error) => panic!("{error}"),
        }
    }

    fn with_added(&self, results: &Encrypted, numbers: &[i64]) -> Encrypted {
        with_added(&self.keys.evaluation, results, numbers)
    }
}

/// The plan for the rows of some inputs, and the client's secrets of them.
struct Sent {
    plan: Plan,
    secrets: InputSecrets,
}

/// Results whose first output has numbers added to it, slot by slot, in its first ciphertext. They state what honest ones do.
fn with_added(keys: &EvaluationKey, results: &Encrypted, numbers: &[i64]) -> Encrypted {
    let keys: Arc<EvaluationKeys> = keys.shared().expect("TFHE has no slots");
    let mut altered = results.clone();
    let values = &mut altered.values;
    if let Some(values) = values.get_mut::<Vec<Vec<BgvCiphertext>>>() {
        add(&mut values[0][0], &keys, numbers);
    } else if let Some(values) = values.get_mut::<Vec<Vec<BfvCiphertext>>>() {
        add(&mut values[0][0], &keys, numbers);
    } else {
        // Slots have the values in units of a bound on them: a 64th of it.
        let parts: Vec<f64> = numbers.iter().map(|&number| number as f64 / 64.0).collect();
        let values: &mut Vec<Vec<CkksCiphertext>> = values.get_mut().expect("TFHE has no slots");
        add(&mut values[0][0], &keys, &parts);
    }
    altered
}

/// Adds numbers to rows, in all their copies: decryption refuses copies that differ.
fn add<T, S>(ciphertext: &mut Ciphertext<S>, keys: &Arc<EvaluationKeys>, numbers: &[T])
where
    T: Clone + Default,
    S: Encodes<T>,
{
    let evaluator = Evaluator::new(ciphertext.scheme(), keys.clone());
    let slots = scheme::Scheme::slots(ciphertext.scheme());
    let mut block = numbers.to_vec();
    block.resize(numbers.len().next_power_of_two(), T::default());
    let numbers: Vec<T> = block.iter().cycle().take(slots).cloned().collect();
    *ciphertext = stating(ciphertext, &evaluator.add_values(&*ciphertext, &numbers).unwrap());
}

/// A ciphertext that states what an honest one does.
fn stating<S: scheme::Scheme>(honest: &Ciphertext<S>, altered: &Ciphertext<S>) -> Ciphertext<S> {
    Ciphertext::from_checked_parts(honest.scheme(), altered.rlwe().clone(), honest.state().clone()).unwrap()
}

/// Different numbers in a column x, and in z ten more.
fn numbers(rows: usize) -> String {
    let row = |row: usize| format!("{},{}\n", row, row + 10);
    std::iter::once("x,z\n".to_owned()).chain((0..rows).map(row)).collect()
}

/// Some rows below a number, the same on every run, as an attacker chooses them who knows no place.
fn some_rows(all: usize, count: usize, trial: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..all).collect();
    let mut state = trial as u64 + 1;
    for at in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = at + (state >> 33) as usize % (all - at);
        rows.swap(at, other);
    }
    rows.truncate(count);
    rows
}

#[test]
fn altered_rows_are_detected_as_often_as_stated_and_honest_results_pass() {
    const ROWS: usize = 24;
    const CANARIES: usize = 8;
    const TRIALS: usize = 30;
    const SEEDS: u8 = 10;
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks] {
        let parties = Parties::new(scheme, "y = x * z", &numbers(ROWS), ROWS + CANARIES);
        for altered in [1, 4] {
            let mut detected = 0;
            for seed in 0..SEEDS {
                let (sent, places, inputs) = parties.encrypted(CANARIES, seed);
                let results = parties.evaluate(&sent, inputs);
                assert_eq!(parties.wrong(&sent, &results), 0, "{scheme}, seed {seed}");
                for trial in 0..TRIALS {
                    let rows = some_rows(ROWS + CANARIES, altered, usize::from(seed) * TRIALS + trial);
                    let mut added = vec![0; ROWS + CANARIES];
                    rows.iter().for_each(|&row| added[row] = 1);
                    let wrong = parties.wrong(&sent, &parties.with_added(&results, &added));
                    let expected = rows.iter().filter(|row| places.contains(row)).count();
                    assert_eq!(wrong, expected, "{scheme}, seed {seed}, trial {trial}");
                    detected += usize::from(wrong > 0);
                }
            }
            // 1 − C(n + K − r, K)/C(n + K, K), by the rows that are no canaries.
            let missed = (0..altered).map(|i| (ROWS - i) as f64 / (ROWS + CANARIES - i) as f64);
            let stated = 1.0 - missed.product::<f64>();
            let trials = (TRIALS * usize::from(SEEDS)) as f64;
            let (found, deviation) = (detected as f64 / trials, (stated * (1.0 - stated) / trials).sqrt());
            assert!(
                (found - stated).abs() < 4.0 * deviation,
                "{scheme}, {altered}: {found}, stated {stated}"
            );
        }
    }
}

#[test]
fn swapped_rows_are_detected_if_one_is_a_canary_and_their_values_differ() {
    let parties = Parties::new(SchemeName::Tfhe, "y = 2 * x + 1", &numbers(6), 9);
    let (sent, places, inputs) = parties.encrypted(3, 1);
    let results = parties.evaluate(&sent, inputs);
    let right = parties.decrypt(&sent, &results).unwrap();
    assert_eq!(right.outputs[0].1.as_slice(), [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]);
    let values: &Vec<Vec<EncryptedInteger>> = results.values.get().expect("the plan is of TFHE");
    let key: &ClientKey = parties.secret().get().expect("the plan is of TFHE");
    let value = |row: usize| key.decrypt_integer(&values[0][row]).unwrap();
    for (a, b) in (0..9).flat_map(|a| (0..a).map(move |b| (a, b))) {
        let mut swapped = results.clone();
        let rows: &mut Vec<Vec<EncryptedInteger>> = swapped.values.get_mut().expect("the plan is of TFHE");
        rows[0].swap(a, b);
        let canaries = [a, b].iter().filter(|row| places.contains(row)).count();
        let expected = if value(a) == value(b) { 0 } else { canaries };
        assert_eq!(parties.wrong(&sent, &swapped), expected, "rows {a} and {b}, canaries {places:?}");
    }
}

#[test]
fn another_program_is_detected_if_it_gives_any_canary_another_result() {
    for scheme in [SchemeName::Bgv, SchemeName::Ckks] {
        let parties = Parties::new(scheme, "y = 3 * x - z\ns = sum(x)", &numbers(20), 30);
        let (sent, places, honest) = parties.encrypted(4, 2);
        // The program with its columns exchanged.
        let mut inputs = honest.clone();
        if let Some(values) = inputs.values.get_mut::<Vec<Vec<BgvCiphertext>>>() {
            values.swap(0, 1);
        } else {
            let values: &mut Vec<Vec<CkksCiphertext>> = inputs.values.get_mut().expect("of one of both");
            values.swap(0, 1);
        }
        assert_eq!(parties.wrong(&sent, &parties.evaluate(&sent, inputs)), places.len(), "{scheme}");
        // The program and 1 more, in every row, in all but canaries, and in the sum alone.
        let results = parties.evaluate(&sent, honest);
        assert_eq!(parties.wrong(&sent, &parties.with_added(&results, &[1; 24])), places.len(), "{scheme}");
        let added: Vec<i64> = (0..24).map(|row| i64::from(!places.contains(&row))).collect();
        assert_eq!(parties.wrong(&sent, &parties.with_added(&results, &added)), 0, "it needs the places");
    }
    // What canaries don't detect: totals.
    let parties = Parties::new(SchemeName::Bgv, "s = sum(x)\ny = x + z", &numbers(20), 30);
    let (sent, _, inputs) = parties.encrypted(4, 3);
    let results = parties.evaluate(&sent, inputs);
    let total = |results: &Encrypted| {
        let decrypted = parties.decrypt(&sent, results).unwrap();
        decrypted.outputs[0].1.as_slice()[0]
    };
    assert_eq!(total(&results), 190.0);
    assert_eq!(total(&parties.with_added(&results, &[1])), 191.0);
}

#[test]
fn swapped_ciphertexts_of_a_column_are_detected() {
    const ROWS: usize = 2000;
    let parties = Parties::new(SchemeName::Bgv, "y = x * x", &numbers(900), ROWS);
    for seed in 0..5 {
        let (sent, places, inputs) = parties.encrypted(40, seed);
        let mut results = parties.evaluate(&sent, inputs);
        assert_eq!(parties.wrong(&sent, &results), 0);
        let swapped = places.iter().filter(|&&place| place < 2 * sent.plan.params.slots()).count();
        let values: &mut Vec<Vec<BgvCiphertext>> = results.values.get_mut().expect("the plan is of BGV");
        assert!(values[0].len() > 1, "{} ciphertexts", values[0].len());
        let [first, second] = [0, 1].map(|at| values[0][at].clone());
        (values[0][0], values[0][1]) = (stating(&first, &second), stating(&second, &first));
        assert!(swapped > 0);
        assert_eq!(parties.wrong(&sent, &results), swapped, "seed {seed}");
    }
}

/// Plans with some flags, and makes keys.
fn planned(program: &str, data: &str, flags: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", data);
    place.call(&format!("plan p.asa --data d.csv {flags} --out plan.json")).text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place
}

/// Encrypts with some flags and evaluates; the report of the encryption.
fn evaluated(place: &Place, flags: &str) -> Value {
    let line = format!("encrypt --plan plan.json --keys keys --data d.csv --out in {flags}");
    let report = place.call(&line).json();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    report
}

/// The record of the encrypted inputs.
fn record(place: &Place, report: &Value) -> PathBuf {
    place.path(&format!("keys/inputs-{}.json", report["inputs_digest"].as_str().unwrap()))
}

/// Alters the results in a file, as a server does: with public keys, and with a digest that is right.
fn alter(place: &Place, alter: impl FnOnce(&EvaluationKey, Encrypted) -> Encrypted) {
    let path = place.path("results");
    let backend = Backend::detect().unwrap();
    let plan = Plan::read(&place.path("plan.json"), SecurityCheck::Required, backend).unwrap();
    let plan = plan_of(&plan, &*path).unwrap();
    let results = Encrypted::read(&plan, Contents::Outputs, &*path).unwrap();
    let keys = Keys::read_evaluation(&plan, &place.path("keys")).unwrap();
    alter(&keys, results).write(&plan, Contents::Outputs, &*path).unwrap();
}

#[test]
fn exact_results_are_those_of_the_data_whatever_the_number_of_canaries() {
    let program = "y = x * x + z\nn = sum(t == 'b')\ns = 5 - 2 * sum(x)\nm = mean(x * z) + 0.5\nd = dot(x, z)\n\
                   w = mean_where(z, t == 'a')\nf = least_squares(z, [x])\nq = ratio(sum(z), sum(x))\nc = 7\n";
    let data = "x,z,t\n3,2,a\n1,,b\n4,-1,b\n1,8,a\n5,-2,c\n9,0,b\n2,4,a\n6,-5,c\n5,3,a\n";
    for (scheme, counts) in [("bgv", &[1, 3, 20][..]), ("bfv", &[4]), ("tfhe", &[2])] {
        let program =
            if scheme == "tfhe" { "y = x - z\ns = sum(x) + 1\nm = mean(z)\nc = 7\n" } else { program };
        let flags = format!("--missing mask --range x=0:15 --range z=-8:15 --rows 28 --scheme {scheme}");
        let place = planned(program, data, &flags);
        let right = place.call("run p.asa --data d.csv --missing mask --scheme bgv").json();
        assert_eq!(right["check"]["exact"], true);
        for count in counts {
            let report = evaluated(&place, &format!("--missing mask --canaries {count}"));
            assert_eq!((&report["rows"], &report["left_out"]), (&json!(8 + count), &json!([2])));
            assert_eq!(report["canaries"], json!({ "rows": count }));
            let found = place.call(&format!("{DECRYPT} --in-of in --out o.csv")).json();
            assert_eq!(found["outputs"], right["outputs"], "{scheme}, {count}");
            let undetected = found["canaries"]["undetected_rows"].as_u64().unwrap();
            assert_eq!(
                found["canaries"],
                json!({ "rows": count, "wrong": 0, "undetected_rows": undetected })
            );
            // So few canaries miss any number of altered rows with more than 2^-40.
            assert!(undetected == 8 || *count > 5 && undetected < 8, "{count}: {undetected}");
            assert_eq!(std::fs::read_to_string(place.path("o.csv")).unwrap().lines().count(), 1 + 9);
        }
    }
}

#[test]
fn approximate_results_are_those_of_the_data_within_their_bounds() {
    let program = "y = 0.5 * x - sigmoid(z)\nm = 3 - mean(y)\ns = sum(x * z)\nf = least_squares(z, [x])\n";
    let row = |row: usize| format!("{:e},{:e}\n", (row * 5 % 11) as f64 / 11.0, (row * row % 7) as f64 - 3.0);
    let data: String = std::iter::once("x,z\n".to_owned()).chain((0..13).map(row)).collect();
    let near = |place: &Place, flags: &str, count: usize, right: &Value| {
        evaluated(place, &format!("--canaries {count}"));
        place.call("evaluate --plan plan.json --keys keys --in in --out again").text();
        let found = place.call(&format!("{DECRYPT} --in-of in {flags}")).json();
        assert_eq!((&found["canaries"]["rows"], &found["canaries"]["wrong"]), (&json!(count), &json!(0)));
        let bounds = found["error_bounds"].as_array().unwrap();
        for ((name, values), bound) in right["outputs"].as_object().unwrap().iter().zip(bounds) {
            let numbers = |values: &Value| -> Vec<f64> {
                values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
            };
            let (found, right) = (numbers(&found["outputs"][name]), numbers(values));
            assert_eq!(found.len(), right.len(), "{name}");
            for (found, right) in found.iter().zip(right) {
                // What `run` prints has an error of its own.
                let off = (found - right).abs();
                assert!(
                    off <= 2.5 * bound.as_f64().unwrap(),
                    "{name}: {found} and {right}, {count} canaries"
                );
            }
        }
    };
    let place = planned(program, &data, "--rows 40 --scheme ckks");
    let right = place.call("run p.asa --data d.csv --scheme ckks").json();
    for count in [1, 27] {
        near(&place, "", count, &right);
    }
    let place =
        planned("y = 0.5 * x\nm = mean(x)", &data, "--rows 20 --scheme ckks --publish 30 --precision-bits 6");
    let right = place.call("run p.asa --data d.csv --scheme ckks").json();
    near(&place, "--publish 30 --same-as again", 5, &right);
}

#[test]
fn results_of_columns_less_a_constant_are_right() {
    let data = include_str!("field/offset.csv");
    let place = planned("y = t - 5\nm = mean(t)\n", data, "--scheme ckks --rows 12");
    assert_eq!(place.call("inspect plan.json").json()["columns"][0]["centre"], "secret");
    evaluated(&place, "--canaries 4");
    let found = place.call(&format!("{DECRYPT} --in-of in")).json()["outputs"].clone();
    let values: Vec<f64> = data.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((found["m"][0].as_f64().unwrap() - mean).abs() < 1e-4, "{found}");
    assert_eq!(found["y"].as_array().unwrap().len(), values.len());
    for (found, value) in found["y"].as_array().unwrap().iter().zip(values) {
        assert!((found.as_f64().unwrap() - (value - 5.0)).abs() < 1e-4, "{found} of {value}");
    }
}

#[test]
fn wrong_results_end_with_code_3_and_no_results() {
    let place = planned("y = x * z\n", &numbers(10), "--rows 15");
    evaluated(&place, "--canaries 5");
    alter(&place, |keys, results| with_added(keys, &results, &[1; 15]));
    let says = ["5 of 5 canaries", "`y`", "keygen --force", "do not tell the server why"];
    let output = place.call(&format!("{DECRYPT} --json")).output();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(says.iter().all(|says| stderr.contains(says)), "{stderr}");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["canaries"], json!({ "rows": 5, "wrong": 5 }));
    assert_eq!(
        (&object["error"]["kind"], &object["error"]["figures"]["output"]),
        (&json!("check-failed"), &json!("y"))
    );
    assert_eq!(object.as_object().unwrap().len(), 2);
}

#[test]
fn canaries_that_a_plan_has_no_room_for_are_refused_with_what_to_do() {
    let line = |count: &str| {
        format!("encrypt --plan plan.json --keys keys --data d.csv --out in --canaries={count}")
    };
    for (flags, most) in [("--rows 12", "12"), ("", "10")] {
        let place = planned("y = x\n", &numbers(10), flags);
        let says =
            ["10 rows of data and 3 canaries are 13 rows", &*format!("the plan is for {most}"), "--rows 13"];
        place.refuses(&line("3"), 2, &says);
        for count in ["0", "65537", "-1", "x", "18446744073709551616"] {
            place.refuses(&line(count), 2, &["--canaries", "from 1 to 65536"]);
        }
        place.refuses(&line("65536"), 2, &["--rows 65546"]);
    }
    // The advice works, and so do more canaries than rows.
    let place = planned("y = x\n", &numbers(2), "--rows 13");
    evaluated(&place, "--canaries 11");
    assert_eq!(place.call(DECRYPT).json()["outputs"]["y"], json!([0, 1]));
}

#[test]
fn programs_that_canaries_would_change_are_refused_with_what_to_do() {
    for (program, says) in [
        ("y = x\nv = var(x)", "`v`"),
        ("y = x - mean(x)", "`y`"),
        ("y = x\np = sum(x) * sum(z)", "`p`"),
        ("y = x\nd = std(x)", "`d`"),
        ("y = x\nm = mean(x) + sum(z)", "`m`"),
        ("s = sum(x)", "no output has a value for each row"),
    ] {
        let place = planned(program, &numbers(4), "--rows 9");
        let line = "encrypt --plan plan.json --keys keys --data d.csv --out in --canaries 3";
        place.refuses(line, 2, &[says, "leave --canaries out"]);
        evaluated(&place, "");
    }
}

#[test]
fn rows_of_the_data_that_are_refused_are_counted_without_canaries() {
    let place = planned("y = 12 // x\n", "x\n3\n2\n5\n", "--rows 40 --range x=0:7 --scheme bgv");
    place.write("d.csv", "x\n3\n2\n0\n");
    let line = "encrypt --plan plan.json --keys keys --data d.csv --out in --canaries 30";
    place.refuses(line, 2, &["row 3 ", "`x`"]);
    place.write("d.csv", "x\n3\n200\n1\n");
    place.refuses(line, 2, &["row 2 ", "`x`"]);
}

#[test]
fn a_record_that_is_edited_or_missing_gives_no_results() {
    let place = planned("y = x * z\ns = sum(x)\n", &numbers(10), "--rows 15");
    let path = record(&place, &evaluated(&place, "--canaries 4"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let right = std::fs::read(&path).unwrap();
    let inspected = place.call(&format!("inspect {}", path.display())).json();
    assert_eq!((&inspected["rows"], &inspected["canaries"]), (&json!(14), &json!(4)));
    let edits: [(&str, Value, i32, &str); 10] = [
        ("/canaries/results/0/0", json!("123456"), 3, "1 of 4 canaries"),
        ("/canaries/results/0/0", json!("many"), 2, "damaged"),
        ("/canaries/results/0/0", json!("1/0"), 2, "damaged"),
        ("/canaries/results/0", json!(["1"]), 2, "altered"),
        ("/canaries/results", json!([]), 2, "altered"),
        ("/canaries/places", json!([]), 2, "altered"),
        ("/canaries/places", json!([1, 1, 2, 3]), 2, "altered"),
        ("/canaries/places", json!([3, 2, 1, 0]), 2, "altered"),
        ("/canaries/places", json!([0, 1, 2, 14]), 2, "altered"),
        ("/canaries/more", json!(1), 2, "damaged"),
    ];
    for (pointer, value, code, says) in edits {
        let mut edited: Value = serde_json::from_slice(&right).unwrap();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match edited.pointer_mut(parent).unwrap() {
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
            object => object[key] = value,
        }
        for more in ["", " --in-of in", " --rows 14"] {
            std::fs::write(&path, edited.to_string()).unwrap();
            place.refuses_and_records(&format!("{DECRYPT}{more} --out o.csv"), code, &[says]);
        }
    }
    std::fs::write(&path, &right).unwrap();
    place.refuses(&format!("{DECRYPT} --rows 10 --out o.csv"), 2, &["14 rows were encrypted"]);
    std::fs::remove_file(&path).unwrap();
    for more in ["", " --in-of in"] {
        place.refuses(&format!("{DECRYPT}{more} --out o.csv"), 2, &["no record"]);
    }
    std::fs::write(&path, &right).unwrap();
    assert_eq!(place.call(DECRYPT).json()["outputs"]["s"], json!([45]));
}

#[test]
fn results_that_name_other_inputs_do_not_choose_the_canaries() {
    // A plan for exactly so many rows.
    let place = planned("y = x * z\n", &numbers(14), "");
    let restate = |digest: &Value| {
        let mut open = OpenFile::read(&place.path("results"));
        let mut fields = open.fields();
        fields["inputs"] = digest.clone();
        open.set_fields(&fields);
        open.seal(&place.path("results"));
    };
    let plain = evaluated(&place, "");
    std::fs::rename(place.path("in"), place.path("plain")).unwrap();
    assert_eq!(place.call(DECRYPT).json()["canaries"], Value::Null);
    place.write("d.csv", numbers(10));
    let first = evaluated(&place, "--canaries 4");
    let honest = std::fs::read(place.path("results")).unwrap();
    let named = format!("{DECRYPT} --in-of in");
    assert_eq!(place.call(&named).json()["canaries"]["rows"], 4);
    // Altered, with the digest of inputs without canaries, or none: they aren't believed.
    alter(&place, |keys, results| with_added(keys, &results, &[1; 14]));
    let wrong = format!("{DECRYPT} --out o.csv");
    place.refuses(&wrong, 2, &["canaries", "--in-of"]);
    let of_first = record(&place, &first);
    let unspent = std::fs::read(&of_first).unwrap();
    place.refuses_and_records(&format!("{named} --out o.csv"), 3, &["4 of 4 canaries"]);
    for digest in [&plain["inputs_digest"], &json!("0".repeat(64)), &json!("../../d.csv"), &Value::Null] {
        restate(digest);
        let is_plain = *digest == plain["inputs_digest"];
        place.refuses(&wrong, 2, &[if is_plain { "--in-of" } else { "no record" }]);
        place.refuses(&format!("{wrong} --rows 14"), 2, &["--in-of"]);
        place.refuses(&format!("{named} --out o.csv"), 3, &["other inputs"]);
    }
    std::fs::write(&of_first, unspent).unwrap();
    // With canaries twice, only the client knows which are meant.
    place.write("results", &honest);
    std::fs::rename(place.path("in"), place.path("first")).unwrap();
    std::fs::rename(place.path("results"), place.path("of-first")).unwrap();
    let second = evaluated(&place, "--canaries 4");
    assert_ne!(first["inputs_digest"], second["inputs_digest"]);
    place.refuses(&wrong, 2, &["canaries", "--in-of"]);
    assert_eq!(place.call(&named).json()["canaries"]["wrong"], 0);
    restate(&first["inputs_digest"]);
    place.refuses_and_records(&format!("{wrong} --in-of first"), 3, &["of 4 canaries"]);
    // They are spent: a server that learns of refusals would find their places.
    let of_first = "decrypt --plan plan.json --keys keys --in of-first --in-of first";
    place.refuses(of_first, 3, &["had wrong results before", "keygen --force"]);
}

#[test]
fn a_server_that_learns_of_refusals_does_not_find_the_places_of_canaries() {
    let place = planned("y = x\n", &numbers(20), "--rows 30");
    let path = record(&place, &evaluated(&place, "--canaries 5"));
    let places: Vec<usize> = {
        let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        serde_json::from_value(record["canaries"]["places"].clone()).unwrap()
    };
    let honest = std::fs::read(place.path("results")).unwrap();
    // The server alters one row at a time and sees which answers are refused.
    let mut refused = Vec::new();
    let mut accepted = 0;
    for row in 0..25 {
        place.write("results", &honest);
        alter(&place, |keys, results| {
            let mut added = vec![0; 25];
            added[row] = 1;
            with_added(keys, &results, &added)
        });
        let output = place.call(DECRYPT).output();
        match output.status.code() {
            Some(0) => accepted += 1,
            Some(3) => refused.push(row),
            code => panic!("{code:?}: {}", String::from_utf8_lossy(&output.stderr)),
        }
    }
    // It learns of one canary at most, and nothing is decrypted after that.
    assert!(accepted <= 4 && refused.len() >= 21, "{accepted}, {refused:?}");
    let told = refused.iter().take(1).filter(|row| places.contains(row)).count();
    assert!(told <= 1 && refused[accepted..].len() > 5, "{refused:?}");
    place.write("results", &honest);
    let output = place.call(DECRYPT).output();
    assert_eq!(output.status.code(), Some(3), "the record is spent, whoever made the results");
}

#[test]
fn canaries_are_good_for_a_stated_number_of_different_results() {
    let place = planned("y = x\n", &numbers(60), "--rows 70");
    let path = record(&place, &evaluated(&place, "--canaries 2"));
    let honest = std::fs::read(place.path("results")).unwrap();
    let places: Vec<usize> = {
        let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        serde_json::from_value(record["canaries"]["places"].clone()).unwrap()
    };
    let mut rows = (0..62).filter(|row| !places.contains(row));
    // The same results count once.
    for _ in 0..3 {
        assert_eq!(place.call(DECRYPT).json()["canaries"]["wrong"], 0);
    }
    for _ in 1..MOST_CANARY_RESULTS {
        place.write("results", &honest);
        let row = rows.next().unwrap();
        alter(&place, |keys, results| {
            let mut added = vec![0; 62];
            added[row] = 1;
            with_added(keys, &results, &added)
        });
        assert_eq!(place.call(DECRYPT).json()["canaries"]["wrong"], 0, "row {row} is no canary");
    }
    place.write("results", &honest);
    assert_eq!(place.call(DECRYPT).json()["canaries"]["wrong"], 0, "these were decrypted before");
    let row = rows.next().unwrap();
    alter(&place, |keys, results| {
        let mut added = vec![0; 62];
        added[row] = 1;
        with_added(keys, &results, &added)
    });
    place.refuses(&format!("{DECRYPT} --out o.csv"), 3, &["4 different results", "keygen --force"]);
}

#[test]
fn no_public_file_says_anything_of_canaries() {
    let place = planned("y = x * z\n", &numbers(10), "--rows 15");
    let before = place.contents();
    let report = evaluated(&place, "--canaries 5");
    has_keys(&report, &["canaries", "inputs_digest"]);
    let fields = OpenFile::read(&place.path("in")).fields();
    let length = place.path("in").metadata().unwrap().len();
    // The same plan without canaries, for as many rows.
    place.write("d.csv", numbers(15));
    std::fs::rename(place.path("in"), place.path("with")).unwrap();
    std::fs::rename(place.path("results"), place.path("with-results")).unwrap();
    evaluated(&place, "");
    assert_eq!(OpenFile::read(&place.path("in")).fields(), fields);
    assert_eq!(place.path("in").metadata().unwrap().len(), length);
    assert_eq!(
        place.path("results").metadata().unwrap().len(),
        place.path("with-results").metadata().unwrap().len()
    );
    let is_same = |name: &str| before[&place.path(name)] == std::fs::read(place.path(name)).unwrap();
    assert!(is_same("plan.json") && is_same("keys/published.json") && is_same("keys/evaluation.safetensors"));
}
