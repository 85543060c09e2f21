//! Folders of keys whose secret key a passphrase opens.

use std::path::Path;

use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    execute::{self, Confirmation, EncryptionKey, FolderError, Keys, unwatched},
    plan::{Plan, PlanOptions, SchemeName, choose},
    precision::Precision,
    program::Program,
};

fn table() -> Table {
    let values = ColumnValues::Whole(vec![3, 1, 4, 1, 5]);
    Table { columns: vec![Column { name: "x".to_owned(), values }], rows: 5 }
}

fn plan(scheme: SchemeName) -> Plan {
    plan_with(&PlanOptions { scheme: Some(scheme), ..PlanOptions::default() })
}

fn plan_with(options: &PlanOptions) -> Plan {
    let schema = Schema::from_table(&table(), &[]).unwrap();
    choose(&Program::parse("a = x + 2").unwrap(), &schema, options).unwrap().into_plan(options).unwrap()
}

fn check(plan: &Plan, keys: &Keys) {
    let secret = keys.secret.as_ref().unwrap();
    let mut sampler = Sampler::from_os();
    let (inputs, secrets) =
        execute::encrypt(plan, &EncryptionKey::from(secret), &table(), &mut sampler).unwrap();
    let outputs = execute::evaluate(plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
    let found = execute::decrypt(plan, secret, &outputs, &secrets).unwrap();
    let near = |(found, right): (&f64, f64)| (found - right).abs() < 1e-3;
    assert!(found.outputs[0].1.as_slice().iter().zip([5.0, 3.0, 6.0, 3.0, 7.0]).all(near));
}

fn refusal(keys: Result<Keys, FolderError>) -> String {
    keys.unwrap_err().to_string()
}

#[test]
fn a_folder_with_a_passphrase_holds_no_secret_in_the_clear_and_opens_with_it_alone() {
    for scheme in [SchemeName::Bgv, SchemeName::Ckks, SchemeName::Tfhe] {
        let (plan, folder) = (plan(scheme), tempfile::tempdir().unwrap());
        let keys = execute::generate_keys(&plan, &mut Sampler::new(&Seed([4; 32])));
        // A secret that stood there before doesn't stay.
        keys.write(&plan, folder.path()).unwrap();
        let plain = std::fs::read(folder.path().join(Keys::FILES[0])).unwrap();
        let files = keys.write_sealed(&plan, folder.path(), b"correct horse").unwrap();
        assert_eq!(files[0].0, "secret.sealed");
        let sealed = folder.path().join("secret.sealed");
        assert_eq!(files[0].1, sealed.metadata().unwrap().len());
        only_for_its_owner(&sealed);
        // Sixteen words of the secret, wherever they would lie.
        let piece = &plain[plain.len() - 128..];
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            assert!(!bytes.windows(piece.len()).any(|window| window == piece), "{scheme}");
        }

        check(&plan, &Keys::read(&plan, folder.path(), Some(b"correct horse")).unwrap());
        let wrong = refusal(Keys::read(&plan, folder.path(), Some(b"correct Horse")));
        assert!(wrong.contains("the passphrase isn't the one that it was sealed with"), "{wrong}");
        let missing = refusal(Keys::read(&plan, folder.path(), None));
        assert!(missing.contains("encrypted under a passphrase"), "{missing}");
        let mut bytes = std::fs::read(&sealed).unwrap();
        bytes.truncate(bytes.len() / 2);
        std::fs::write(&sealed, &bytes).unwrap();
        assert!(Keys::read(&plan, folder.path(), Some(b"correct horse")).is_err());
        // And back.
        keys.write(&plan, folder.path()).unwrap();
        assert!(!sealed.exists());
        check(&plan, &Keys::read(&plan, folder.path(), None).unwrap());
        let there = refusal(Keys::read(&plan, folder.path(), Some(b"correct horse")));
        assert!(there.contains("secret.sealed"), "{there}");
    }
}

#[test]
fn results_are_published_from_a_folder_with_a_passphrase() {
    let precision = Precision::Relative { bits: 38 };
    let options = PlanOptions { scheme: Some(SchemeName::Ckks), precision, ..PlanOptions::default() };
    let (plan, folder) = (plan_with(&options), tempfile::tempdir().unwrap());
    let keys = execute::generate_keys(&plan, &mut Sampler::new(&Seed([5; 32])));
    keys.write_sealed(&plan, folder.path(), b"x").unwrap();
    let keys = Keys::read(&plan, folder.path(), Some(b"x")).unwrap();
    let secret = keys.secret.as_ref().unwrap();
    let (inputs, secrets) = execute::encrypt(&plan, &keys.public, &table(), &mut Sampler::from_os()).unwrap();
    let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
    for _ in 0..2 {
        let published = execute::publish(
            &plan,
            &plan,
            secret,
            (&outputs, &secrets),
            (Some(30), Confirmation::TrustedServer),
            folder.path(),
        );
        let published = published.unwrap();
        assert_eq!(published.publication.unwrap().count, 1);
    }
}

#[test]
fn whoever_has_no_passphrase_encrypts_with_the_public_key() {
    let (plan, folder) = (plan(SchemeName::Bgv), tempfile::tempdir().unwrap());
    let keys = execute::generate_keys(&plan, &mut Sampler::new(&Seed([6; 32])));
    keys.write(&plan, folder.path()).unwrap();
    assert!(Keys::read_encryption(&plan, folder.path(), None).unwrap().get::<SecretKey>().is_some());
    keys.write_sealed(&plan, folder.path(), b"x").unwrap();
    assert!(Keys::read_encryption(&plan, folder.path(), None).unwrap().get::<PublicKey>().is_some());
}

#[test]
fn keys_of_two_generations_in_one_folder_are_refused() {
    let (plan, folder, other) =
        (plan(SchemeName::Bgv), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let make = |seed, folder: &Path| {
        let keys = execute::generate_keys(&plan, &mut Sampler::new(&Seed([seed; 32])));
        keys.write_sealed(&plan, folder, b"x").unwrap();
    };
    make(7, folder.path());
    make(8, other.path());
    std::fs::copy(other.path().join("secret.sealed"), folder.path().join("secret.sealed")).unwrap();
    let refused = refusal(Keys::read(&plan, folder.path(), Some(b"x")));
    assert!(
        refused.contains("secret.sealed: is of key generation")
            && refused.contains("public.safetensors beside it"),
        "{refused}"
    );
}

#[cfg(unix)]
fn only_for_its_owner(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[cfg(not(unix))]
fn only_for_its_owner(_: &Path) {}
