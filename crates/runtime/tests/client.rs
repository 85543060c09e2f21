//! The client: what it gets of its results, whatever was inserted, taken away and left out before.

use asanoha_lattice::Source;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    client::{Client, ClientError, ClientRecord, ClientResults, OfInputs, RecordStore},
    data::{Column, ColumnValues, Data, Schema, Table},
    execute::{
        self, CanaryError, ClientRecordProblem, Contents, Decrypted, DecryptionKey, Encrypted, EncryptionKey,
        ExecuteError, Keys, MOST_CANARY_RESULTS, unwatched,
    },
    plan::{Plan, PlanOptions, SchemeName, choose},
    program::Program,
};

/// A client with records of some kind, and its server.
struct Round<R> {
    plan: Plan,
    keys: Keys,
    records: R,
}

fn data(values: &[i64], left_out: &[usize]) -> Data {
    let columns = vec![Column { name: "x".to_owned(), values: ColumnValues::Whole(values.to_vec()) }];
    let table = Table { columns, rows: values.len() };
    Data { table, left_out: left_out.to_vec(), real_since: Vec::new(), dates: Vec::new() }
}

fn named<'a>(name: &'a str, bytes: &'a [u8]) -> Source<'a> {
    Source::Bytes { name, bytes }
}

impl<R: RecordStore> Round<R> {
    fn new(scheme: SchemeName, records: R) -> Self {
        let program = Program::parse("y = 2 * x + 1\ns = sum(x)").unwrap();
        let schema = Schema { rows: 40, ..Schema::from_table(&data(&[-20, 20], &[]).table, &[]).unwrap() };
        let options =
            PlanOptions { scheme: Some(scheme), fewer_rows: true, security: 0, ..PlanOptions::default() };
        let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
        let keys = execute::generate_keys(&plan, &mut Sampler::new(&Seed([4; 32])));
        Self { plan, keys, records }
    }

    fn secret(&self) -> &DecryptionKey {
        self.keys.secret.as_ref().unwrap()
    }

    fn encrypt(&mut self, data: &Data, canaries: Option<usize>, seed: u8) -> (Vec<u8>, ClientRecord) {
        let key = EncryptionKey::from(self.secret());
        let mut client = Client::new(&self.plan, self.keys.public.id(), &mut self.records);
        let sampler = &mut Sampler::new(&Seed([seed; 32]));
        let inputs = client.encrypt(&key, data, canaries, sampler, &unwatched).unwrap();
        let mut bytes = Vec::new();
        let (length, record) = inputs.write(&mut bytes).unwrap();
        assert_eq!(length, bytes.len() as u64);
        client.remember(record.clone()).unwrap();
        (bytes, record)
    }

    fn evaluate(&self, inputs: &[u8], edit: impl FnOnce(&mut Encrypted)) -> Vec<u8> {
        let plan = execute::plan_of(&self.plan, named("inputs", inputs)).unwrap();
        let inputs = Encrypted::read(&plan, Contents::Inputs, named("inputs", inputs)).unwrap();
        let mut results = execute::evaluate(&plan, self.keys.evaluation.clone(), inputs, &unwatched).unwrap();
        edit(&mut results);
        let mut bytes = Vec::new();
        results.write(&plan, Contents::Outputs, &mut bytes).unwrap();
        bytes
    }

    fn decrypt(
        &mut self,
        results: &[u8],
        of: &OfInputs<'_>,
    ) -> Result<ClientResults<Decrypted>, ClientError> {
        let secret = self.keys.secret.as_ref().unwrap();
        let mut client = Client::new(&self.plan, secret.id(), &mut self.records);
        let opened = client.open(named("results", results), of)?;
        client.decrypt(secret, opened, &unwatched)
    }
}

/// `2x + 1` of every row and the sum.
fn right(values: &[i64]) -> [Vec<f64>; 2] {
    let doubled = values.iter().map(|x| (2 * x + 1) as f64).collect();
    [doubled, vec![values.iter().sum::<i64>() as f64]]
}

fn numbers(results: &ClientResults<Decrypted>) -> [Vec<f64>; 2] {
    [0, 1].map(|at| results.decrypted.outputs[at].1.as_slice().iter().map(|value| value.round()).collect())
}

#[test]
fn canaries_are_never_among_the_results() {
    let values = [3, -7, 0, 20, 11];
    for scheme in [SchemeName::Bgv, SchemeName::Ckks] {
        let folder = tempfile::tempdir().unwrap();
        let mut in_memory = Round::new(scheme, Vec::new());
        let mut in_folder = Round::new(scheme, folder.path());
        in_folder.keys.write(&in_folder.plan, folder.path()).unwrap();
        for canaries in [1, 8, 35] {
            let (inputs, record) = in_memory.encrypt(&data(&values, &[2, 9]), Some(canaries), canaries as u8);
            assert_eq!((record.rows, record.canaries()), (5 + canaries, canaries));
            let results = in_memory.evaluate(&inputs, |_| ());
            let of = OfInputs { named: Some(record.inputs()), ..OfInputs::default() };
            let found = in_memory.decrypt(&results, &of).unwrap();
            assert_eq!(
                (numbers(&found), found.left_out),
                (right(&values), vec![2, 9]),
                "{scheme}, {canaries}"
            );

            let (inputs, record) = in_folder.encrypt(&data(&values, &[]), Some(canaries), canaries as u8);
            let results = in_folder.evaluate(&inputs, |_| ());
            let of = OfInputs { named: Some(record.inputs()), ..OfInputs::default() };
            assert_eq!(numbers(&in_folder.decrypt(&results, &of).unwrap()), right(&values));
        }
        // Nor are they if the caller states the rows, or the record is lost.
        let (inputs, _) = in_memory.encrypt(&data(&values, &[]), Some(4), 99);
        let results = in_memory.evaluate(&inputs, |_| ());
        let stated = OfInputs { rows: Some(9), ..OfInputs::default() };
        assert_eq!(numbers(&in_memory.decrypt(&results, &stated).unwrap()), right(&values));
        in_memory.records.pop();
        let refused = in_memory.decrypt(&results, &stated).unwrap_err();
        assert!(refused.to_string().contains("only the results say"), "{refused}");
        in_memory.records.clear();
        let refused = in_memory.decrypt(&results, &OfInputs::default()).unwrap_err();
        let is_told = matches!(&refused, ClientError::NoRecord { error, .. }
            if matches!(error.problem, ClientRecordProblem::Missing));
        assert!(is_told, "{refused}");
    }
}

#[test]
fn the_use_of_canaries_is_kept_by_every_store() {
    let values = [3, -7, 0];
    let folder = tempfile::tempdir().unwrap();
    let mut in_memory = Round::new(SchemeName::Bgv, Vec::new());
    check_use(&mut in_memory, &values);
    let mut in_folder = Round::new(SchemeName::Bgv, folder.path());
    in_folder.keys.write(&in_folder.plan, folder.path()).unwrap();
    check_use(&mut in_folder, &values);
}

fn check_use<R: RecordStore>(round: &mut Round<R>, values: &[i64]) {
    let (inputs, record) = round.encrypt(&data(values, &[]), Some(6), 1);
    let results = round.evaluate(&inputs, |_| ());
    // Results of other inputs of the same number of rows, which claim to be of these.
    let (others, _) = round.encrypt(&data(&[9; 9], &[]), None, 2);
    let altered = round.evaluate(&others, |results| results.inputs = Some(record.inputs().to_owned()));
    let of = OfInputs { named: Some(record.inputs()), ..OfInputs::default() };
    for _ in 0..2 * MOST_CANARY_RESULTS {
        assert_eq!(numbers(&round.decrypt(&results, &of).unwrap()), right(values));
    }
    let refused = round.decrypt(&altered, &of).unwrap_err();
    assert!(
        matches!(refused, ClientError::Execute(ExecuteError::Canaries(CanaryError::Wrong { .. }))),
        "{refused}"
    );
    // They're spent: honest results aren't decrypted either, since refusals would show the canaries' places.
    for results in [&results, &altered] {
        let refused = round.decrypt(results, &of).unwrap_err();
        assert!(
            matches!(refused, ClientError::Execute(ExecuteError::Canaries(CanaryError::Spent))),
            "{refused}"
        );
    }
}

#[test]
fn results_of_other_inputs_than_the_caller_names_are_refused_in_the_callers_words() {
    let mut round = Round::new(SchemeName::Bgv, Vec::new());
    let (inputs, record) = round.encrypt(&data(&[1, 2, 3], &[]), None, 1);
    let (_, other) = round.encrypt(&data(&[4, 5, 6, 7], &[]), None, 2);
    let results = round.evaluate(&inputs, |_| ());
    let of = |named| OfInputs { named: Some(named), ..OfInputs::default() };
    assert_eq!(numbers(&round.decrypt(&results, &of(record.inputs())).unwrap()), right(&[1, 2, 3]));
    match round.decrypt(&results, &of(other.inputs())).unwrap_err() {
        ClientError::OtherInputs { stated, named } => {
            assert_eq!((stated.as_str(), named.as_str()), (record.inputs(), other.inputs()));
        }
        error => panic!("{error}"),
    }
    // Characters that steer a terminal don't reach it.
    let steering = round.evaluate(&inputs, |results| results.inputs = Some("\u{202e}\u{1b}[2Jabc".repeat(9)));
    let refused = round.decrypt(&steering, &of(other.inputs())).unwrap_err().to_string();
    assert!(!refused.chars().any(|c| c.is_control() || c == '\u{202e}'), "{refused:?}");
}
