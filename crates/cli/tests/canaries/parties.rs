//! Canaries between a client and a server in one process.

use std::sync::Arc;

use asanoha::{
    bfv::BfvCiphertext,
    bgv::BgvCiphertext,
    ckks::CkksCiphertext,
    client::Client,
    data::{Data, Table, parse_range_override, read_csv},
    execute::{CanaryError, DecryptionKey, EncryptionKey, EvaluationKey, ExecuteError, InputSecrets},
    lattice::EvaluationKeys,
    programs::*,
    scheme::{self, Ciphertext, Encodes, Evaluator},
    tfhe::{ClientKey, EncryptedInteger},
};
use serde_json::Value;

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

    /// Encrypts with canaries. Returns the client's knowledge of its inputs, the places of the canaries, and the encrypted inputs.
    fn encrypted(&self, canaries: usize, seed: u8) -> (Sent, Vec<usize>, Encrypted) {
        let sampler = &mut Sampler::new(&Seed([seed; 32]));
        let client = Client::new(&self.plan, self.secret().id(), Vec::new());
        let (key, table) = (EncryptionKey::from(self.secret()), self.table.clone());
        let data = Data { table, left_out: Vec::new(), real_since: Vec::new(), dates: Vec::new() };
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

    /// The number of canaries that have wrong results.
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
pub(super) fn with_added(keys: &EvaluationKey, results: &Encrypted, numbers: &[i64]) -> Encrypted {
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
pub(super) fn numbers(rows: usize) -> String {
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
    // Canaries don't detect altered totals.
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
