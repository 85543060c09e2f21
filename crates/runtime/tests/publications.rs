//! What is handed to others: flooded, counted beside the secret key before it's given away, and never uncounted.

use std::path::Path;

use asanoha_kernels::Backend;
use asanoha_lattice::FileReader;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    execute::{
        self, Confirmation, Contents, Decrypted, DecryptionKey, Encrypted, ExecuteError, InputSecrets, Keys,
        PublicationRecord, RecordError, RecordProblem, ShowingError,
    },
    plan::{Plan, PlanOptions, SchemeName, choose},
    precision::Precision,
    program::Program,
};
use asanoha_scheme::SchemeError;

/// Keys in a folder, and data.
struct Fixture {
    plan: Plan,
    data: Table,
    keys: Keys,
    folder: tempfile::TempDir,
    sampler: Sampler,
}

impl Fixture {
    fn new(scheme: SchemeName) -> Self {
        Self::of(scheme, "x = 3 * a", false)
    }

    fn of(scheme: SchemeName, program: &str, fewer_rows: bool) -> Self {
        let values = match scheme {
            SchemeName::Ckks => ColumnValues::Real((0..50).map(|i| f64::from(i) / 50.0).collect()),
            _ => ColumnValues::Whole((0..50).collect()),
        };
        let data = Table { columns: vec![Column { name: "a".into(), values }], rows: 50 };
        let options = PlanOptions {
            scheme: Some(scheme),
            security: 128,
            precision: Precision::Relative { bits: 38 },
            backend: Backend::detect().unwrap(),
            threads: 2,
            fewer_rows,
            ..PlanOptions::default()
        };
        let program = Program::parse(program).unwrap();
        let schema = Schema::from_table(&data, &[]).unwrap();
        let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut sampler = Sampler::new(&Seed([3; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        keys.write(&plan, folder.path()).unwrap();
        Self { plan, data, keys, folder, sampler }
    }

    /// Results of a fresh encryption.
    fn results(&mut self) -> Encrypted {
        let (inputs, _) =
            execute::encrypt(&self.plan, &self.keys.public, &self.data, &mut self.sampler).unwrap();
        execute::evaluate(&self.plan, self.keys.evaluation.clone(), inputs, &execute::unwatched).unwrap()
    }

    fn publish_in(&self, folder: &Path, results: &Encrypted, bits: u32) -> Result<Decrypted, ExecuteError> {
        let digest = digest(&self.plan, results);
        let shown = (Some(bits), Confirmation::SecondEvaluation(&digest));
        let results = (results, &InputSecrets::none());
        execute::publish(&self.plan, &self.plan, self.secret(), results, shown, folder)
    }

    fn secret(&self) -> &DecryptionKey {
        self.keys.secret.as_ref().unwrap()
    }

    fn publish(&self, results: &Encrypted) -> Decrypted {
        self.publish_in(self.folder.path(), results, 30).unwrap()
    }

    fn record(&self) -> std::path::PathBuf {
        self.folder.path().join(Keys::RECORD)
    }

    fn count(&self) -> u64 {
        PublicationRecord::open(self.folder.path(), self.secret()).unwrap().count()
    }
}

/// The digest of the file of results.
fn digest(plan: &Plan, results: &Encrypted) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    results.write(plan, Contents::Outputs, file.path()).unwrap();
    FileReader::summary(file.path()).unwrap().digest
}

fn numbers(decrypted: &Decrypted) -> &[f64] {
    decrypted.outputs[0].1.as_slice()
}

fn problem(result: Result<Decrypted, ExecuteError>) -> RecordProblem {
    match result {
        Err(ExecuteError::Record(RecordError { problem, .. })) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_results_are_the_same_numbers_and_are_counted_once() {
    let mut fixture = Fixture::new(SchemeName::Ckks);
    let (one, two) = (fixture.results(), fixture.results());
    let plain = execute::decrypt(&fixture.plan, fixture.secret(), &one, &InputSecrets::none()).unwrap();
    let first = fixture.publish(&one);
    let count = first.publication.unwrap().count;
    assert_eq!(count, one.count() as u64);
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let error = distance(numbers(&first), numbers(&plain));
    assert!(error > 2f64.powi(-30) && error <= first.error_bounds.as_ref().unwrap()[0]);

    let other = fixture.publish(&two);
    assert_eq!(other.publication.unwrap().count, 2 * count);
    assert!(other.publication.unwrap().tau > first.publication.unwrap().tau);
    // With others published in between, and with every call reading the record anew.
    for _ in 0..3 {
        let again = fixture.publish(&one);
        assert_eq!((numbers(&again), &again.error_bounds), (numbers(&first), &first.error_bounds));
        assert_eq!(again.publication.unwrap().count, 2 * count);
        assert_eq!(again.publication.unwrap().tau, first.publication.unwrap().tau);
    }
    // As many bits more are another publication, of other noise.
    let more = fixture.publish_in(fixture.folder.path(), &one, 32).unwrap();
    assert_eq!(more.publication.unwrap().count, 3 * count);
}

#[test]
fn a_record_in_memory_counts_as_one_in_a_folder() {
    let mut fixture = Fixture::new(SchemeName::Ckks);
    let (one, two) = (fixture.results(), fixture.results());
    let secret = fixture.keys.secret.as_ref().unwrap();
    let mut record = PublicationRecord::new(secret).unwrap();
    assert_eq!(record.to_bytes(), std::fs::read(fixture.record()).unwrap());
    for results in [&one, &two, &one] {
        let mut kept = PublicationRecord::from_bytes(&record.to_bytes(), secret).unwrap();
        let digest = digest(&fixture.plan, results);
        let shown = (Some(30), Confirmation::SecondEvaluation(&digest));
        let plan = &fixture.plan;
        let of = (results, &InputSecrets::none());
        let published = execute::publish_by(plan, plan, secret, of, shown, Some(&mut kept)).unwrap();
        assert_eq!(numbers(&published), numbers(&fixture.publish(results)));
        assert_eq!(kept.to_bytes(), std::fs::read(fixture.record()).unwrap());
        record = kept;
    }
    assert_eq!(record.count(), 2 * one.count() as u64);
    let edited = String::from_utf8(record.to_bytes()).unwrap().replace(":2", ":1");
    let refused = PublicationRecord::from_bytes(edited.as_bytes(), secret);
    assert!(matches!(refused, Err(RecordError { problem: RecordProblem::Damaged(_), .. })));
}

#[test]
fn a_record_that_is_missing_edited_or_anothers_publishes_nothing() {
    let mut fixture = Fixture::new(SchemeName::Ckks);
    let results = fixture.results();
    fixture.publish(&results);
    let sound = std::fs::read_to_string(fixture.record()).unwrap();
    let refused = |text: &str| {
        std::fs::write(fixture.record(), text).unwrap();
        problem(fixture.publish_in(fixture.folder.path(), &results, 30))
    };
    let mut fields: serde_json::Value = serde_json::from_str(&sound).unwrap();
    fields["published"] = serde_json::json!([]);
    let emptied = fields.to_string();
    let entry = serde_json::from_str::<serde_json::Value>(&sound).unwrap()["published"][0].clone();
    fields["published"] = serde_json::json!([entry, entry]);
    let doubled = fields.to_string();
    let longer = format!("{sound}{}", " ".repeat(14 << 20));
    for text in
        ["", "{}", &sound[..sound.len() - 1], &sound.replacen(":2", ":1", 1), &emptied, &doubled, &longer]
    {
        assert!(matches!(refused(text), RecordProblem::Damaged(_)), "{text:.80}");
    }
    let other = Fixture::new(SchemeName::Ckks);
    // The same seed makes the same key generation, and the same key: another one isn't.
    let mut sampler = Sampler::new(&Seed([4; 32]));
    let keys = execute::generate_keys(&other.plan, &mut sampler);
    keys.write(&other.plan, other.folder.path()).unwrap();
    let foreign = std::fs::read_to_string(other.record()).unwrap();
    assert!(matches!(refused(&foreign), RecordProblem::OtherKey { .. }));
    // Of this key generation by its name only: the digest is under another secret.
    let renamed = foreign.replace(&keys.public.id().to_string(), &fixture.keys.public.id().to_string());
    assert!(matches!(refused(&renamed), RecordProblem::Damaged(_)));

    std::fs::remove_file(fixture.record()).unwrap();
    let missing = problem(fixture.publish_in(fixture.folder.path(), &results, 30));
    assert!(matches!(missing, RecordProblem::Missing) && missing.to_string().contains("new keys"));
    assert!(!fixture.record().exists());
    std::fs::write(fixture.record(), sound).unwrap();
    fixture.publish(&results);
}

#[test]
fn keys_written_again_do_not_forget_what_was_published() {
    let mut fixture = Fixture::new(SchemeName::Ckks);
    let results = fixture.results();
    let count = fixture.publish(&results).publication.unwrap().count;
    fixture.keys.write(&fixture.plan, fixture.folder.path()).unwrap();
    assert_eq!(fixture.count(), count);
}

#[test]
fn what_is_not_published_is_not_counted_and_what_cannot_be_counted_is_not_published() {
    let mut fixture = Fixture::new(SchemeName::Ckks);
    let results = fixture.results();
    for bits in [0, 29] {
        let error = fixture.publish_in(fixture.folder.path(), &results, bits).unwrap_err();
        assert!(matches!(error, ExecuteError::Scheme(SchemeError::TooFewStatisticalBits { least: 30, .. })));
    }
    assert!(fixture.publish_in(fixture.folder.path(), &results, 128).is_err());
    assert_eq!(fixture.count(), 0);
    // A folder without keys, which has nothing that could be locked.
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(problem(fixture.publish_in(empty.path(), &results, 30)), RecordProblem::Io(_)));
}

#[test]
fn publications_at_the_same_time_are_all_counted() {
    let mut fixture = Fixture::new(SchemeName::Ckks);
    let results: Vec<Encrypted> = (0..4).map(|_| fixture.results()).collect();
    let each = results[0].count() as u64;
    std::thread::scope(|scope| {
        for results in &results {
            scope.spawn(|| fixture.publish(results));
        }
    });
    assert_eq!(fixture.count(), 4 * each);
}

#[test]
fn checked_results_of_exact_schemes_are_not_counted_and_others_are() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Tfhe] {
        let mut fixture = Fixture::new(scheme);
        let results = fixture.results();
        let shown = |confirmation| {
            let (plan, folder) = (&fixture.plan, fixture.folder.path());
            let of = (&results, &InputSecrets::none());
            execute::publish(plan, plan, fixture.secret(), of, (None, confirmation), folder)
        };
        let published = fixture.publish(&results);
        assert!(published.publication.is_none() && published.exact.is_some() && published.shown.is_none());
        assert!(shown(Confirmation::PlainComputation(&fixture.data)).unwrap().shown.is_none());
        assert_eq!(fixture.count(), 0);
        // 50 multiples of 3 up to 3 · 63, the end of the range: 6 bits each.
        match shown(Confirmation::TrustedServer) {
            Ok(decrypted) => assert_eq!(decrypted.shown.unwrap().these, 300),
            Err(ExecuteError::Record(RecordError {
                problem: RecordProblem::TooMuchShown { more, limit, shown: 0 },
                ..
            })) => assert!(more > limit && more == 300, "{more}, {limit}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn results_that_differ_from_the_second_evaluation_or_the_data_are_not_shown() {
    for scheme in [SchemeName::Bgv, SchemeName::Ckks] {
        let mut fixture = Fixture::new(scheme);
        let (results, others) = (fixture.results(), fixture.results());
        let plan = &fixture.plan;
        let shown = |bits, confirmation| {
            let (of, folder) = ((&results, &InputSecrets::none()), fixture.folder.path());
            execute::publish(plan, plan, fixture.secret(), of, (bits, confirmation), folder)
        };
        let other = digest(plan, &others);
        let refused = shown(Some(30), Confirmation::SecondEvaluation(&other)).unwrap_err();
        assert!(matches!(refused, ExecuteError::Showing(ShowingError::OtherResults { .. })), "{refused}");
        let mut data = fixture.data.clone();
        match &mut data.columns[0].values {
            ColumnValues::Whole(values) => values[7] = 8,
            ColumnValues::Real(values) => values[7] = 0.5,
            _ => panic!("they're numbers"),
        }
        let refused = shown(Some(30), Confirmation::PlainComputation(&data)).unwrap_err();
        if scheme == SchemeName::Ckks {
            assert!(matches!(refused, ExecuteError::Showing(ShowingError::NotExact)), "{refused}");
            let refused = shown(None, Confirmation::TrustedServer).unwrap_err();
            assert!(matches!(refused, ExecuteError::Showing(ShowingError::NoFlooding)), "{refused}");
            // 50 flooded numbers tell more than such a key bears.
            let refused = problem(shown(Some(30), Confirmation::TrustedServer));
            assert!(matches!(refused, RecordProblem::TooMuchShown { more: 200.., .. }), "{refused}");
        } else {
            assert!(
                refused.to_string().contains("`x`, row 8 differs from the plain computation"),
                "{refused}"
            );
        }
        assert_eq!(fixture.count(), 0);
    }
}

#[test]
fn flooding_is_as_wide_for_few_rows_as_for_the_most() {
    let mut fixture = Fixture::of(SchemeName::Ckks, "s = sum(a * a)\nx = 3 * a", true);
    let ColumnValues::Real(values) = fixture.data.columns[0].values.clone() else { panic!("they're real") };
    let secret = fixture.keys.secret.as_ref().unwrap();
    let mut bounds = Vec::new();
    for rows in [50, 1, 7, 32] {
        let plan = fixture.plan.for_rows(rows).unwrap();
        let values = ColumnValues::Real(values[..rows].to_vec());
        let data = Table { columns: vec![Column { name: "a".into(), values }], rows };
        let (inputs, secrets) =
            execute::encrypt(&plan, &fixture.keys.public, &data, &mut fixture.sampler).unwrap();
        let results =
            execute::evaluate(&plan, fixture.keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
        // The first publication of a record each.
        let folder = tempfile::tempdir().unwrap();
        fixture.keys.write(&fixture.plan, folder.path()).unwrap();
        let (digest, of) = (digest(&plan, &results), (&fixture.plan, &plan));
        let shown = (Some(30), Confirmation::SecondEvaluation(&digest));
        let published =
            execute::publish(of.0, of.1, secret, (&results, &secrets), shown, folder.path()).unwrap();
        bounds.push(published.error_bounds.unwrap());
    }
    let same = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6;
    for found in &bounds {
        assert!(found.iter().zip(&bounds[0]).all(|(a, b)| same(*a, *b)), "{bounds:?}");
    }
}
