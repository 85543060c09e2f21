//! Evaluation keys of the levels that a plan needs, in memory or in their file: the same results.

use std::{ops::ControlFlow, sync::Mutex};

use asanoha_bgv::EvaluationKeys;
use asanoha_kernels::Backend;
use asanoha_lattice::SecretKey;
use asanoha_lattice::{FilePieces, KeyLevels, KeyName, Level};
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    execute::{self, Contents, DecryptionKey, Encrypted, EvaluationKey, ExecuteError, Keys},
    plan::{Plan, PlanOptions, SchemeName, choose},
    precision::Precision,
    program::Program,
};

fn plan(text: &str, data: &Table, scheme: SchemeName) -> Plan {
    let options = PlanOptions {
        scheme: Some(scheme),
        security: 128,
        precision: Precision::Relative { bits: 20 },
        backend: Backend::detect().unwrap(),
        threads: 2,
        every_scheme: false,
        ..PlanOptions::default()
    };
    let program = Program::parse(text).unwrap();
    let schema = Schema::from_table(data, &[]).unwrap();
    choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap()
}

fn data() -> Table {
    let column = Column { name: "a".into(), values: ColumnValues::Whole((0..40).map(|i| i % 7).collect()) };
    Table { columns: vec![column], rows: 40 }
}

fn sampler() -> Sampler {
    Sampler::new(&Seed([8; 32]))
}

const PROGRAM: &str = "x = a**3 - 4 * a\ns = mean(x * x)";

fn of_slots(keys: &EvaluationKey) -> &EvaluationKeys {
    keys.get().expect("the plan is of a scheme with slots")
}

fn key_of(keys: EvaluationKeys) -> EvaluationKey {
    asanoha_backends::EvaluationKey::new(keys).into()
}

fn secret_of_slots(secret: &DecryptionKey) -> &SecretKey {
    secret.get().expect("the plan is of a scheme with slots")
}

#[test]
fn results_are_the_same_bits_with_little_memory() {
    for scheme in [SchemeName::Bgv, SchemeName::Ckks] {
        let (plan, data) = (plan(PROGRAM, &data(), scheme), data());
        let folder = tempfile::tempdir().unwrap();
        let keys = execute::generate_keys(&plan, &mut sampler());
        keys.write(&plan, folder.path()).unwrap();
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        let before = files();
        let stored = execute::generate_stored_keys(&plan, folder.path(), &mut sampler()).unwrap();
        assert_eq!(files(), before);
        assert_eq!(stored.evaluation.bytes(), keys.evaluation.bytes());
        let opened = Keys::open_evaluation(&plan, folder.path()).unwrap();
        opened.check_rows().unwrap();

        let (inputs, _) = execute::encrypt(&plan, &keys.public, &data, &mut sampler()).unwrap();
        let results = |keys: EvaluationKey| {
            let path = folder.path().join("results");
            let outputs: Encrypted =
                execute::evaluate(&plan, keys, inputs.clone(), &execute::unwatched).unwrap();
            outputs.write(&plan, Contents::Outputs, &path).unwrap();
            std::fs::read(path).unwrap()
        };
        let expected = results(keys.evaluation.clone());
        assert!(expected == results(stored.evaluation) && expected == results(opened));
    }
}

#[test]
fn keys_that_are_written_while_they_are_made_are_the_same_bits() {
    for (scheme, program) in
        [(SchemeName::Bgv, PROGRAM), (SchemeName::Ckks, PROGRAM), (SchemeName::Tfhe, "x = a + 1")]
    {
        let (plan, folder) = (plan(program, &data(), scheme), tempfile::tempdir().unwrap());
        let keys = execute::generate_keys(&plan, &mut sampler());
        keys.write(&plan, folder.path()).unwrap();
        let (mut pieces, told) = (FilePieces::default(), Mutex::default());
        let tell = |done, all| {
            *told.lock().unwrap() = (done, all);
            ControlFlow::Continue(())
        };
        let (secret, public) = execute::generate_keys_to(&plan, &mut pieces, &mut sampler(), &tell).unwrap();
        let (done, all): (usize, usize) = told.into_inner().unwrap();
        assert!(done == all && all > 0);
        let written = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert_eq!(pieces.pieces().collect::<Vec<_>>().concat(), written(Keys::FILES[2]));
        assert_eq!(*Keys::secret_to_bytes(&plan, &secret, None).unwrap(), written(Keys::FILES[0]));
        match Keys::public_to_bytes(&plan, &public).unwrap() {
            Some(public) => assert_eq!(public, written(Keys::FILES[1])),
            None => assert_eq!(scheme, SchemeName::Tfhe),
        }
        let stopped = execute::generate_keys_to(&plan, &mut pieces, &mut sampler(), &|done, _| {
            if done == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert!(matches!(stopped, Err(ExecuteError::Stopped)));
    }
}

#[test]
fn keys_that_are_altered_under_the_programs_hands_give_an_error_and_no_numbers() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks] {
        let (plan, data) = (plan(PROGRAM, &data(), scheme), data());
        let folder = tempfile::tempdir().unwrap();
        let keys = execute::generate_keys(&plan, &mut sampler());
        keys.write(&plan, folder.path()).unwrap();
        let opened = Keys::open_evaluation(&plan, folder.path()).unwrap();
        // The lowest bit of some words in every key, which leaves them below their primes.
        let path = folder.path().join("evaluation.safetensors");
        let mut bytes = std::fs::read(&path).unwrap();
        let body = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        bytes[body..].iter_mut().step_by(1 << 13).for_each(|byte| *byte ^= 1);
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, &bytes).unwrap();

        assert!(opened.check_rows().unwrap_err().to_string().contains("changed while in use"));
        let (inputs, _) = execute::encrypt(&plan, &keys.public, &data, &mut sampler()).unwrap();
        let error = execute::evaluate(&plan, opened, inputs, &execute::unwatched).unwrap_err().to_string();
        assert!(
            error.contains("evaluation.safetensors") && error.contains("changed while in use"),
            "{error}"
        );
    }
}

#[test]
fn keys_of_the_needed_levels_are_smaller_and_decrypt_to_the_same() {
    for scheme in [SchemeName::Bgv, SchemeName::Ckks] {
        let (plan, data) = (plan(PROGRAM, &data(), scheme), data());
        let rlwe = plan.params.rlwe().unwrap();
        let levels = plan.key_levels();
        assert!(levels.iter().any(|(_, level)| level < rlwe.max_level()));
        let mut keys = execute::generate_keys(&plan, &mut sampler());
        let secret = keys.secret.take().unwrap();
        let elements = of_slots(&keys.evaluation).elements();
        let full = EvaluationKeys::generate(rlwe, secret_of_slots(&secret), elements, true, &mut sampler());
        assert!(keys.evaluation.bytes() < full.bytes());
        let folder = tempfile::tempdir().unwrap();
        let size = |keys: &EvaluationKeys| keys.write_for(rlwe, "d", &folder.path().join("k")).unwrap();
        assert!(size(of_slots(&keys.evaluation)) < size(&full));

        let (inputs, secrets) = execute::encrypt(&plan, &keys.public, &data, &mut sampler()).unwrap();
        let results = |keys: EvaluationKey| {
            let outputs = execute::evaluate(&plan, keys, inputs.clone(), &execute::unwatched).unwrap();
            execute::decrypt(&plan, &secret, &outputs, &secrets).unwrap()
        };
        let (trimmed, full) = (results(keys.evaluation.clone()), results(key_of(full)));
        assert_eq!(trimmed.exact, full.exact);
        assert_eq!(trimmed.error_bounds, full.error_bounds);
        for ((_, trimmed), (_, full)) in trimmed.outputs.iter().zip(&full.outputs) {
            let pairs = trimmed.as_slice().iter().zip(full.as_slice());
            assert!(pairs.clone().all(|(a, b)| (a - b).abs() <= 1e-3 * b.abs().max(1.0)));
        }
    }
}

#[test]
fn keys_that_do_not_serve_the_plan_are_refused_by_name() {
    let (plan, folder) = (plan(PROGRAM, &data(), SchemeName::Bgv), tempfile::tempdir().unwrap());
    let mut keys = execute::generate_keys(&plan, &mut sampler());
    let refused = |keys: &Keys, says: &str| {
        keys.write(&plan, folder.path()).unwrap();
        for open in [Keys::read_evaluation, Keys::open_evaluation] {
            let error = open(&plan, folder.path()).unwrap_err().to_string();
            assert!(error.contains("evaluation.safetensors") && error.contains(says), "{error}");
        }
    };
    let rlwe = plan.params.rlwe().unwrap();
    let mut lower = KeyLevels::default();
    for (name, level) in plan.key_levels().iter() {
        let below = Level(level.0 - 1);
        match name {
            KeyName::Relinearisation => lower.add_relinearisation(rlwe, below),
            KeyName::Galois(g) => lower.add_automorphism(rlwe, g, level),
            _ => unreachable!("plans have none"),
        }
    }
    let secret = secret_of_slots(keys.secret.as_ref().unwrap());
    let made = EvaluationKeys::generate_levels(rlwe, secret, &lower, &mut sampler());
    keys.evaluation = key_of(made);
    refused(&keys, "generate it for level");
    keys.evaluation = key_of(EvaluationKeys::default());
    refused(&keys, "no relinearisation key");
}
