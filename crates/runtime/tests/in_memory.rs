//! The four steps of a run in memory, and their ends where they are stopped.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

use asanoha_lattice::Source;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    execute::{self, Contents, Encrypted, EvaluationKey, ExecuteError, plan_of, unwatched},
    plan::{Plan, PlanOptions, PlanningError, SchemeName, choose, choose_telling},
    program::Program,
    search::SearchProgress,
};

const TEXT: &str = "a = x * x + y\nb = sum(x * y)";

fn table(rows: usize) -> Table {
    let column = |name: &str, factor: i64| Column {
        name: name.to_owned(),
        values: ColumnValues::Whole((0..rows as i64).map(|row| factor * row % 11 - 4).collect()),
    };
    Table { columns: vec![column("x", 3), column("y", 7)], rows }
}

fn plan(scheme: SchemeName, rows: usize) -> Plan {
    let schema = Schema::from_table(&table(rows), &[]).unwrap();
    let options =
        PlanOptions { scheme: Some(scheme), security: 0, fewer_rows: true, ..PlanOptions::default() };
    choose(&Program::parse(TEXT).unwrap(), &schema, &options).unwrap().into_plan(&options).unwrap()
}

fn sampler() -> Sampler {
    Sampler::new(&Seed([11; 32]))
}

fn named<'a>(name: &'a str, bytes: &'a [u8]) -> Source<'a> {
    Source::Bytes { name, bytes }
}

#[test]
fn a_run_through_memory_is_the_run_through_files_and_refuses_what_was_altered() {
    let folder = tempfile::tempdir().unwrap();
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks, SchemeName::Tfhe] {
        let all_rows = plan(scheme, 6);
        let plan = all_rows.for_rows(4).unwrap();
        let keys = execute::generate_keys(&all_rows, &mut sampler());
        let (mut evaluation, mut inputs, mut results) = (Vec::new(), Vec::new(), Vec::new());
        keys.evaluation.write(&all_rows, &mut evaluation).unwrap();
        let (encrypted, secrets) = execute::encrypt(&plan, &keys.public, &table(4), &mut sampler()).unwrap();
        let path = folder.path().join("inputs");
        let length = encrypted.write(&plan, Contents::Inputs, &path).unwrap();
        assert_eq!(encrypted.write(&plan, Contents::Inputs, &mut inputs).unwrap(), length);
        assert_eq!(std::fs::read(&path).unwrap(), inputs);

        let source = named("inputs", &inputs);
        let found = plan_of(&all_rows, source).unwrap();
        assert_eq!(found.digest(), plan.digest());
        let server = EvaluationKey::read(&all_rows, named("keys", &evaluation)).unwrap();
        let read = Encrypted::read(&found, Contents::Inputs, source).unwrap();
        let header = Encrypted::check_header(&found, Contents::Inputs, source).unwrap();
        assert_eq!((Some(&header.digest), header.bytes), (read.inputs.as_ref(), length));
        assert!(Encrypted::check_header(&found, Contents::Outputs, source).is_err());
        assert!(Encrypted::check_header(&found, Contents::Inputs, named("x", &inputs[..200])).is_err());
        let outputs = execute::evaluate(&found, server, read, &unwatched).unwrap();
        outputs.write(&found, Contents::Outputs, &mut results).unwrap();
        let read = Encrypted::read(&plan, Contents::Outputs, named("results", &results)).unwrap();
        let decrypted = execute::decrypt(&plan, keys.secret.as_ref().unwrap(), &read, &secrets).unwrap();
        let right = plan.evaluate_real(&table(4)).unwrap();
        for ((_, found), (name, right)) in decrypted.outputs.iter().zip(&right) {
            for (found, right) in found.as_slice().iter().zip(right.as_slice()) {
                assert!((found - right).abs() < 1e-3, "{scheme} {name}: {found} for {right}");
            }
        }

        let refused = Encrypted::read(&plan, Contents::Outputs, named("results", &inputs)).unwrap_err();
        assert!(refused.to_string().starts_with("results: holds encrypted inputs"), "{refused}");
        for place in [9, results.len() / 2, results.len() - 1] {
            let mut altered = results.clone();
            altered[place] ^= 1;
            assert!(Encrypted::read(&plan, Contents::Outputs, named("results", &altered)).is_err());
        }
        assert!(EvaluationKey::read(&all_rows, named("keys", &evaluation[..evaluation.len() - 8])).is_err());
        assert!(EvaluationKey::read(&all_rows, named("keys", &results)).is_err());
    }
}

/// Stops some work at each of the first times that it tells of progress, and hears that it is stopped there.
fn stopped_everywhere<T>(what: &str, work: impl Fn(execute::Progress) -> Result<T, ExecuteError>) -> usize {
    let told = AtomicUsize::new(0);
    let count = |done: usize, all: usize| {
        assert!(done <= all, "{what}: {done} of {all}");
        told.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    work(&count).unwrap_or_else(|error| panic!("{what}: {error}"));
    let times = told.into_inner();
    for last in 0..times {
        let heard = AtomicUsize::new(0);
        let stop = |_, _| {
            if heard.fetch_add(1, Ordering::Relaxed) >= last {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let ended = work(&stop).map(|_| ());
        assert!(matches!(ended, Err(ExecuteError::Stopped)), "{what} at {last}: {ended:?}");
    }
    times
}

#[test]
fn every_step_can_be_stopped_wherever_it_tells_of_progress() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks, SchemeName::Tfhe] {
        let rows = if scheme == SchemeName::Tfhe { 2 } else { 5 };
        let (plan, table) = (plan(scheme, rows), table(rows));
        let keys = execute::generate_keys(&plan, &mut sampler());
        let secret = keys.secret.as_ref().unwrap();
        let encrypt = |progress: execute::Progress| {
            execute::encrypt_with_progress(&plan, &keys.public, &table, &mut sampler(), progress)
        };
        let (encrypted, secrets) = encrypt(&unwatched).unwrap();
        let evaluate = |progress: execute::Progress| {
            execute::evaluate(&plan, keys.evaluation.clone(), encrypted.clone(), progress)
        };
        let results = evaluate(&unwatched).unwrap();
        // A bootstrapping key is one part.
        let generate = |progress: execute::Progress| {
            execute::generate_keys_with_progress(&plan, &mut sampler(), progress)
        };
        let made = stopped_everywhere("keys", generate);
        assert!(made > plan.key_count() || scheme == SchemeName::Tfhe && made == 2, "{scheme}: {made}");
        assert_eq!(stopped_everywhere("encryption", encrypt), 3, "the beginning, and two columns");
        assert!(stopped_everywhere("evaluation", evaluate) > 3);
        let decrypt = |progress: execute::Progress| {
            execute::decrypt_with_progress(&plan, secret, &results, &secrets, progress)
        };
        assert_eq!(stopped_everywhere("decryption", decrypt), 3, "the beginning, and two outputs");
    }
}

#[test]
fn planning_stops_before_its_next_schedule() {
    let schema = Schema::from_table(&table(5), &[]).unwrap();
    let program = Program::parse(TEXT).unwrap();
    for fewer_rows in [false, true] {
        let progress = SearchProgress::default();
        progress.stop();
        let options = PlanOptions { fewer_rows, ..PlanOptions::default() };
        let ended = choose_telling(&program, &schema, &options, &progress);
        assert!(matches!(ended, Err(PlanningError::Stopped)), "{ended:?}");
        assert_eq!(progress.schedules(), 0);
    }
}

#[test]
fn a_check_refuses_what_encryption_refuses_and_nothing_else() {
    let plan = plan(SchemeName::Bgv, 5);
    let plan = plan.for_rows(3).unwrap();
    let keys = execute::generate_keys(&plan, &mut sampler());
    let with = |place: usize, value: i64| {
        let mut table = table(3);
        let ColumnValues::Whole(values) = &mut table.columns[0].values else { panic!("it's whole") };
        values[place] = value;
        table
    };
    let short = Table { columns: vec![table(3).columns[0].clone()], rows: 3 };
    for table in [table(3), with(2, 999), with(0, -8), short, table(5)] {
        let encrypted = execute::encrypt(&plan, &keys.public, &table, &mut sampler()).map(|_| ());
        let checked = execute::check(&plan, &table);
        assert_eq!(format!("{encrypted:?}"), format!("{checked:?}"));
    }
    assert!(execute::check(&plan, &table(3)).is_ok() && execute::check(&plan, &with(2, 999)).is_err());
}

#[test]
fn a_file_of_results_has_the_bytes_that_the_schedule_says() {
    // Products, their sums, differences that hide nothing, columns as they are, and numbers of several digits.
    let text = "a = x * y\nb = sum(x * x)\nc = x - x\nd = y\ne = mean(x) * 3 + y\nf = (x > y) * x\ng = x * x * y * y";
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks, SchemeName::Tfhe] {
        for rows in [3, 1500] {
            if scheme == SchemeName::Tfhe && rows > 3 {
                continue;
            }
            let schema = Schema::from_table(&table(rows), &[]).unwrap();
            let options = PlanOptions { scheme: Some(scheme), security: 0, ..PlanOptions::default() };
            let text = if scheme == SchemeName::Ckks {
                text.replace("f = (x > y) * x\n", "")
            } else {
                text.to_owned()
            };
            let plan = choose(&Program::parse(&text).unwrap(), &schema, &options);
            let plan = plan.unwrap().into_plan(&options).unwrap();
            let keys = execute::generate_keys(&plan, &mut sampler());
            let (inputs, _) = execute::encrypt(&plan, &keys.public, &table(rows), &mut sampler()).unwrap();
            let evaluated = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
            let mut results = Vec::new();
            evaluated.write(&plan, Contents::Outputs, &mut results).unwrap();
            let header = u64::from_le_bytes(*results.first_chunk().unwrap());
            let stated = plan.params.backend().result_bytes(plan.scheduled());
            assert_eq!(results.len() as u64, 8 + header + stated, "{scheme:?}, {rows} rows");
            assert!(results.len() as u64 <= plan.most_result_bytes());
        }
    }
}
