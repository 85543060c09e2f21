//! A back-end that nothing else knows of: numbers in the clear, which hide nothing. It plans, encrypts, evaluates and decrypts by its place
//! in a list alone.

use std::{ops::ControlFlow, path::Path, sync::Arc};

use asanoha_backends::{
    Backend, BackendError, Backends, Ciphertexts, DecryptionKey, Done, EncryptedValues, EncryptionKey,
    Evaluation, EvaluationKey, Fresh, GenerateError, InputColumn, Keeping, Key, KeysOfEvaluation, Listed,
    Machine, NewKeys, Noise, Opened, OpenedNumbers, Parameters, ParamsLiteral, Progress, Reading, Request,
    Resumed, ScheduleHints, Scheduled, SchemeName, SchemeParams, SearchProgress, SearchResult, ServerBackend,
    Shared, Stated, StatedCiphertext, go_on,
};
use asanoha_compile::{
    Circuit, Constant, Expansion, Factor, Instruction, Op, Operation, Output, Prepared, Step, expand,
};
use asanoha_kernels::Backend as Kernels;
use asanoha_lattice::{
    Destination, FileError, FileHeader, FileReader, FileWriter, KeyId, KeyLevels, Level, Source,
};
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{ColumnValues, Schema, read_csv},
    execute::{self, Contents, Encrypted},
    plan::{Plan, PlanOptions, PlanningError, SecurityCheck, choose_among},
    precision::Precision,
    program::{Analysed, Program, Range, Shape},
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};

const TOY: SchemeName = SchemeName::named("toy");
const KEY: &str = "toy key";

/// The back-end.
#[derive(Debug)]
struct Toy;

/// The parameters as written down: there is one set.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToyLiteral {
    words: u32,
}

#[derive(Debug)]
struct ToyParams;

impl From<ToyParams> for SchemeParams {
    fn from(params: ToyParams) -> Self {
        Self::new(Listed::whole(&Toy), params)
    }
}

impl Parameters for ToyParams {
    fn digest(&self) -> &'static str {
        "707079"
    }
    fn literal(&self) -> ParamsLiteral {
        ParamsLiteral::new(TOY, &ToyLiteral { words: 1 })
    }
    fn security_bits(&self) -> u32 {
        0
    }
    fn shown_bits_limit(&self) -> u64 {
        0
    }
    fn is_insecure(&self) -> bool {
        true
    }
    fn ring_degree(&self) -> usize {
        1
    }
    fn log2_modulus(&self) -> f64 {
        64.0
    }
    fn slots(&self) -> usize {
        1
    }
    fn row_slots(&self) -> Option<usize> {
        Some(1)
    }
    fn digits(&self) -> usize {
        0
    }
    fn file_header(&self, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader {
        FileHeader {
            kind: kind.to_owned(),
            params: self.digest().to_owned(),
            key,
            security_bits: 0,
            security_extrapolated: false,
            insecure: true,
            seeded: key.is_seeded(),
            fields,
        }
    }
}

/// The only key, which does nothing.
#[derive(Clone, Copy, Debug)]
struct ToyKey(KeyId);

impl ToyKey {
    fn write(self, to: Destination<'_>) -> Result<u64, FileError> {
        FileWriter::new(ToyParams.file_header(self.0, KEY, serde_json::Value::Null)).write(to)
    }

    fn read(from: Source<'_>) -> Result<Self, FileError> {
        Ok(Self(FileReader::read(from, KEY, ToyParams.digest())?.header().key))
    }
}

impl Key for ToyKey {
    fn id(&self) -> KeyId {
        self.0
    }
}

impl KeysOfEvaluation for ToyKey {
    fn id(&self) -> KeyId {
        self.0
    }
    fn digest(&self) -> Option<&str> {
        None
    }
    fn bytes(&self) -> usize {
        16
    }
}

/// The words of every value: a column's rows, or a number.
#[derive(Clone, Debug)]
struct ToyValues(Vec<Vec<u64>>);

impl EncryptedValues for ToyValues {
    fn copied(&self) -> Ciphertexts {
        Ciphertexts::new(self.clone())
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn count(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
    fn bytes(&self) -> u64 {
        8 * self.count() as u64
    }
    fn stated(&self) -> Vec<Vec<StatedCiphertext>> {
        self.0.iter().map(|_| Vec::new()).collect()
    }
    fn put<'v>(&'v self, names: &[String], _: &'v [Vec<[u64; Seed::WORDS]>], file: &mut FileWriter<'v>) {
        for (words, name) in self.0.iter().zip(names) {
            file.tensor(name.clone(), &[words.len()], vec![words]);
        }
    }
}

fn word(number: &BigInt) -> u64 {
    number.to_i64().expect("programs of toys have small numbers") as u64
}

/// An operation of a graph as one of a schedule.
fn instruction(operation: &Operation) -> Option<Instruction> {
    let whole = |c: &BigRational| Constant::Whole(c.to_integer());
    Some(match operation {
        Op::Input(input) => Op::Input(*input),
        Op::Add(a, b) => Op::Add(*a, *b),
        Op::Sub(a, b) => Op::Sub(*a, *b),
        Op::Neg(a) => Op::Neg(*a),
        Op::Mul(a, b) => Op::Mul(*a, *b),
        Op::AddConstant(a, c) => Op::AddConstant(*a, whole(c)),
        Op::MulConstant(a, k) => Op::MulConstant(*a, Factor::unscaled(whole(k))),
        Op::Sum(a, ()) => Op::Sum(*a, Vec::new()),
        _ => return None,
    })
}

/// The value of a step on those of the steps before.
fn value(step: &Step, rows: usize, values: &[Vec<u64>]) -> Vec<u64> {
    let rows = if step.shape == Shape::Column { rows } else { 1 };
    let at = |a: usize, row: usize| values[a][if values[a].len() == 1 { 0 } else { row }];
    let each = |f: &dyn Fn(usize) -> u64| (0..rows).map(f).collect();
    match &step.instruction {
        Op::Add(a, b) => each(&|row| at(*a, row).wrapping_add(at(*b, row))),
        Op::Sub(a, b) => each(&|row| at(*a, row).wrapping_sub(at(*b, row))),
        Op::Neg(a) => each(&|row| at(*a, row).wrapping_neg()),
        Op::Mul(a, b) => each(&|row| at(*a, row).wrapping_mul(at(*b, row))),
        Op::AddConstant(a, c) => each(&|row| at(*a, row).wrapping_add(word(&c.to_integer()))),
        Op::MulConstant(a, k) => each(&|row| at(*a, row).wrapping_mul(word(&k.k.to_integer()))),
        Op::Sum(a, _) => vec![values[*a].iter().fold(0, |sum, word| sum.wrapping_add(*word))],
        other => unreachable!("it schedules no {other:?}"),
    }
}

impl Backend for Toy {
    fn scheme(&self) -> SchemeName {
        TOY
    }
    fn is_exact(&self) -> bool {
        true
    }
    fn check(&self, literal: &ParamsLiteral, _: Kernels) -> Result<Arc<dyn Parameters>, String> {
        literal.read::<ToyLiteral>().map(|_| Arc::new(ToyParams) as _)
    }
    fn schedule(
        &self,
        analysed: &Analysed<'_>,
        _: Precision,
        _: &SchemeParams,
        _: &ScheduleHints,
        _: &Prepared,
    ) -> Result<Circuit, GenerateError> {
        let graph = expand(analysed, Expansion::Integers)?;
        let step = |node: &asanoha_compile::GraphNode| {
            let none = || GenerateError::Unfit("the toy only adds and multiplies".to_owned());
            Ok(Step {
                instruction: instruction(&node.operation).ok_or_else(none)?,
                shape: node.shape,
                bound: node.bound(),
                level: Level(0),
                noise_bits: 0.0,
                width: None,
                bootstraps: None,
            })
        };
        let steps = graph.nodes.iter().map(step).collect::<Result<_, GenerateError>>()?;
        let output = |output: &asanoha_compile::GraphOutput| Output {
            name: output.name.clone(),
            step: output.node,
            factor: output.factor.clone(),
            approximation: 0.0,
        };
        Ok(Circuit {
            inputs: graph.inputs.clone(),
            steps,
            outputs: graph.outputs.iter().map(output).collect(),
        })
    }
    fn bytes(&self, of: Scheduled<'_>, _: &KeyLevels) -> u64 {
        (8 * of.circuit.steps.len() * of.rows) as u64
    }
    fn reading(&self, of: Scheduled<'_>) -> Reading {
        Reading { held: (of.circuit.inputs.len() * of.rows) as u64, expanded: 0 }
    }
    fn result_bytes(&self, of: Scheduled<'_>) -> u64 {
        (8 * of.circuit.outputs.len() * of.rows) as u64
    }
    fn log2_failure(&self, _: Scheduled<'_>) -> f64 {
        f64::NEG_INFINITY
    }
    fn weights(&self, of: Scheduled<'_>) -> Vec<f64> {
        vec![1.0; of.circuit.steps.len()]
    }
    fn generate_keys_to(
        &self,
        _: Scheduled<'_>,
        _: &KeyLevels,
        to: Destination<'_>,
        _: Progress<'_>,
        sampler: &mut Sampler,
    ) -> Result<(DecryptionKey, EncryptionKey), BackendError> {
        let key = ToyKey(KeyId::draw(sampler));
        key.write(to)?;
        let secret = DecryptionKey::new(key);
        let public = EncryptionKey::from(&secret);
        Ok((secret, public))
    }
    fn write_secret(
        &self,
        _: &SchemeParams,
        key: &DecryptionKey,
        to: Destination<'_>,
    ) -> Result<u64, FileError> {
        ToyKey(key.id()).write(to)
    }
    fn read_secret(&self, _: &SchemeParams, from: Source<'_>) -> Result<DecryptionKey, FileError> {
        ToyKey::read(from).map(DecryptionKey::new)
    }
    fn encrypt(
        &self,
        _: Scheduled<'_>,
        key: &EncryptionKey,
        columns: &[InputColumn<'_>],
        _: Vec<Sampler>,
        done: Done<'_>,
    ) -> Result<Fresh, BackendError> {
        key.get::<ToyKey>().ok_or(BackendError::OtherScheme)?;
        let column = |InputColumn { name, values, .. }: &InputColumn<'_>| {
            let ColumnValues::Whole(values) = &**values else {
                return Err(BackendError::NotWhole { column: (*name).to_owned(), first: None });
            };
            go_on(done())?;
            Ok(values.iter().map(|&value| value as u64).collect())
        };
        let values = columns.iter().map(column).collect::<Result<_, BackendError>>()?;
        Ok(Fresh { values: Ciphertexts::new(ToyValues(values)), seeds: Vec::new() })
    }
    fn decrypt(
        &self,
        _: Scheduled<'_>,
        _: &[&Range],
        secret: &DecryptionKey,
        results: &Ciphertexts,
        done: Done<'_>,
    ) -> Result<Opened, BackendError> {
        secret.get::<ToyKey>().ok_or(BackendError::OtherScheme)?;
        let ToyValues(values) = results.get().ok_or(BackendError::OtherScheme)?;
        let number = |words: &Vec<u64>| {
            go_on(done())?;
            Ok(words.iter().map(|&word| BigInt::from(word as i64)).collect())
        };
        let numbers = values.iter().map(number).collect::<Result<_, BackendError>>()?;
        Ok(Opened { numbers: OpenedNumbers::Whole(numbers), noise: Noise::NONE })
    }
    fn read(&self, of: Scheduled<'_>, stated: Stated<'_>, file: &FileReader<'_>) -> Result<Fresh, FileError> {
        let chunks = stated.contents.chunks(of.circuit, of.layout());
        let words = stated.values.iter().zip(chunks);
        let words = words.map(|(value, rows)| file.words(&value.name, &[rows]).map(<[u64]>::to_vec));
        let values = words.collect::<Result<_, FileError>>()?;
        Ok(Fresh { values: Ciphertexts::new(ToyValues(values)), seeds: Vec::new() })
    }
}

impl ServerBackend for Toy {
    fn search(
        &self,
        request: &Request<'_>,
        _: &mut Shared,
    ) -> Result<SearchResult<SchemeParams>, GenerateError> {
        let params: SchemeParams = ToyParams.into();
        let (hints, prepared) = (ScheduleHints::default(), Prepared::default());
        let circuit = self.schedule(request.analysed, request.precision, &params, &hints, &prepared)?;
        Ok(SearchResult { params, circuit, hints })
    }
    fn seconds(&self, of: Scheduled<'_>, _: &mut Machine) -> Result<f64, GenerateError> {
        Ok(1e-9 * (of.circuit.steps.len() * of.rows) as f64)
    }
    fn generate_keys(
        &self,
        _: Scheduled<'_>,
        _: &KeyLevels,
        _: Keeping<'_>,
        sampler: &mut Sampler,
    ) -> Result<NewKeys, BackendError> {
        let key = ToyKey(KeyId::draw(sampler));
        let secret = DecryptionKey::new(key);
        Ok(NewKeys { public: EncryptionKey::from(&secret), secret, evaluation: EvaluationKey::new(key) })
    }
    fn write_evaluation(
        &self,
        _: &SchemeParams,
        key: &EvaluationKey,
        to: Destination<'_>,
    ) -> Result<u64, FileError> {
        ToyKey(key.id()).write(to)
    }
    fn read_evaluation(
        &self,
        _: &SchemeParams,
        _: &KeyLevels,
        from: Source<'_>,
    ) -> Result<EvaluationKey, FileError> {
        ToyKey::read(from).map(EvaluationKey::new)
    }
    fn open_evaluation(
        &self,
        _: &SchemeParams,
        _: &KeyLevels,
        path: &Path,
    ) -> Result<EvaluationKey, FileError> {
        ToyKey::read(Source::File(path)).map(EvaluationKey::new)
    }
    fn evaluate(
        &self,
        of: Scheduled<'_>,
        key: EvaluationKey,
        inputs: Ciphertexts,
        _: Option<&Evaluation<'_>>,
        done: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<(Ciphertexts, Resumed), BackendError> {
        key.get::<ToyKey>().ok_or(BackendError::OtherScheme)?;
        let ToyValues(inputs) = inputs.into_own().ok_or(BackendError::OtherScheme)?;
        let mut values: Vec<Vec<u64>> = Vec::new();
        for step in &of.circuit.steps {
            values.push(match step.instruction {
                Op::Input(input) => inputs[input].clone(),
                _ => value(step, of.rows, &values),
            });
            go_on(done(values.len()))?;
        }
        let outputs = of.circuit.outputs.iter().map(|output| values[output.step].clone()).collect();
        Ok((Ciphertexts::new(ToyValues(outputs)), Resumed::default()))
    }
    fn measure(
        &self,
        _: Scheduled<'_>,
        _: &DecryptionKey,
        _: &Ciphertexts,
        _: &[InputColumn<'_>],
    ) -> Result<f64, BackendError> {
        Ok(f64::NEG_INFINITY)
    }
}

const DATA: &str = "x,z\n3,-2\n0,7\n-4,5\n";

/// The plan that is made among some back-ends where the toy is asked for.
fn planned(backends: Backends<'_>, text: &str) -> Result<Plan, PlanningError> {
    let program = Program::parse(text).unwrap();
    let table = read_csv(DATA.as_bytes(), "d.csv", program.input_names()).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    let options = PlanOptions { scheme: Some(TOY), every_scheme: false, ..PlanOptions::default() };
    choose_among(backends, &program, &schema, &options, &SearchProgress::default())?.into_plan(&options)
}

#[test]
fn a_back_end_of_a_test_runs_programs_by_its_place_in_a_list() {
    let [first, others @ ..] = asanoha_backends::BACKENDS;
    let toy = Listed::whole(&Toy);
    let backends: Vec<Listed> = [first].into_iter().chain(others).chain([toy]).collect();
    let plan = planned(&backends, "y = 3 * x * z - x\ns = sum(y) + 1\nm = mean(x)").unwrap();
    assert_eq!(plan.params.scheme(), TOY);
    let kernels = Kernels::detect().unwrap();
    let read = |backends: Backends<'_>| {
        Plan::from_json_among(backends, plan.to_json().as_bytes(), "p", SecurityCheck::Waived, kernels)
    };
    assert_eq!(read(&[toy]).unwrap().digest(), plan.digest());
    let unknown = read(&asanoha_backends::BACKENDS).unwrap_err().to_string();
    assert!(unknown.contains("`toy`, which is none of bgv, bfv, tfhe, ckks"), "{unknown}");

    let table = read_csv(DATA.as_bytes(), "d.csv", plan.program.input_names()).unwrap();
    let mut sampler = Sampler::new(&Seed([1; 32]));
    let folder = tempfile::tempdir().unwrap();
    execute::generate_keys(&plan, &mut sampler).write(&plan, folder.path()).unwrap();
    let keys = execute::Keys::read(&plan, folder.path(), None).unwrap();
    let (inputs, secrets) = execute::encrypt(&plan, &keys.public, &table, &mut sampler).unwrap();
    let mut bytes = Vec::new();
    inputs.write(&plan, Contents::Inputs, &mut bytes).unwrap();
    let inputs =
        Encrypted::read(&plan, Contents::Inputs, Source::Bytes { name: "inputs", bytes: &bytes }).unwrap();
    let outputs = execute::evaluate(&plan, keys.evaluation, inputs, &execute::unwatched).unwrap();
    let decrypted = execute::decrypt(&plan, &keys.secret.unwrap(), &outputs, &secrets).unwrap();
    assert_eq!(decrypted.exact, plan.evaluate_exact(&table).unwrap());
    assert!(decrypted.exact.is_some());
}

#[test]
fn a_back_end_of_a_test_refuses_what_it_cannot_do() {
    let refused = planned(&[Listed::whole(&Toy)], "y = x > z").unwrap_err().to_string();
    assert!(refused.contains("toy can't run this program"), "{refused}");
    assert!(refused.contains("the toy only adds and multiplies"), "{refused}");
}
