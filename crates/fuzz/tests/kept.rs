//! Files that earlier versions wrote: every version reads those of the three versions before it.
//!
//! `fuzz/kept/plans-P-files-F` has the plans of version P, and the keys, inputs, results and records of version F, that a program
//! wrote. When a version is raised, the corpus of the version before goes there as it is, and stays until it's three versions old.

use std::path::{Path, PathBuf};

use asanoha::{
    client::RecordStore,
    execute::{
        self, Contents, Decrypted, Encrypted, InputSecrets, Keys, PublicationRecord, ReencryptionKey,
        Reencryptions, unwatched,
    },
    kernels::Backend,
    lattice::FILE_VERSION,
    plan::{PLAN_VERSION, Plan, SecurityCheck},
    ring::Sampler,
};

const SCHEMES: [&str; 4] = ["bgv", "bfv", "ckks", "tfhe"];
/// The columns of the exact schemes' data, and those of CKKS.
const WHOLE: [[f64; 3]; 2] = [[5.0, 7.0, 2.0], [1.0, -3.0, 3.0]];
const REAL: [[f64; 3]; 2] = [[0.5, -0.75, 1.0], [1.25, 0.125, 0.5]];

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/kept")
}

/// The kept versions: those of plans and of the other files.
fn versions() -> Vec<[u32; 2]> {
    let folders = std::fs::read_dir(kept()).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let version = |name: String| {
        let (plans, files) = name.strip_prefix("plans-")?.split_once("-files-")?;
        Some([plans.parse().ok()?, files.parse().ok()?])
    };
    names.map(|name| version(name.clone()).unwrap_or_else(|| panic!("{name}"))).collect()
}

fn folder([plans, files]: [u32; 2]) -> PathBuf {
    kept().join(format!("plans-{plans}-files-{files}"))
}

/// What the program of a scheme's plan gives on its data, without encryption.
fn expected(scheme: &str) -> ([f64; 3], f64) {
    let y = if scheme == "ckks" {
        [0, 1, 2].map(|at| REAL[0][at] * REAL[1][at] + 0.5 * REAL[0][at])
    } else {
        [0, 1, 2].map(|at| WHOLE[0][at] * WHOLE[1][at] - 2.0 * WHOLE[0][at])
    };
    (y, y.iter().sum())
}

fn check(scheme: &str, decrypted: &Decrypted) {
    let (y, s) = expected(scheme);
    let found: Vec<&[f64]> = decrypted.outputs.iter().map(|(_, values)| values.as_slice()).collect();
    let near =
        |a: f64, b: f64| if scheme == "ckks" { (a - b).abs() < 1e-2 } else { a.to_bits() == b.to_bits() };
    assert!(found[0].len() == 3 && found[1].len() == 1, "{scheme}: {found:?}");
    assert!(found[0].iter().zip(y).all(|(&a, b)| near(a, b)) && near(found[1][0], s), "{scheme}: {found:?}");
}

/// A folder with the keys whose names begin with a scheme's, or with a scheme's and `-new`.
fn keys(folder: &Path, scheme: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, kind) in Keys::FILES.into_iter().zip(["secret", "public", "evaluation"]) {
        let from = folder.join("key").join(format!("{scheme}-{kind}.safetensors"));
        // TFHE has no public key.
        if from.exists() {
            std::fs::copy(from, place.path().join(name)).unwrap();
        }
    }
    place
}

#[test]
fn files_of_earlier_versions_are_read_and_used() {
    for version in versions() {
        let folder = folder(version);
        for scheme in SCHEMES {
            let path = folder.join("plan").join(format!("{scheme}.json"));
            let plan = Plan::read(&path, SecurityCheck::Waived, Backend::detect().unwrap());
            let plan = plan.unwrap_or_else(|error| panic!("{version:?}: {error}"));
            let place = keys(&folder, scheme);
            let keys = Keys::read(&plan, place.path(), None);
            let keys = keys.unwrap_or_else(|error| panic!("{version:?}, {scheme}: {error}"));
            let secret = keys.secret.as_ref().unwrap();
            let read = |contents, kind: &str, name: &str| {
                let path = folder.join(kind).join(format!("{name}.safetensors"));
                Encrypted::read(&plan, contents, &path).unwrap_or_else(|error| panic!("{version:?}: {error}"))
            };
            let results = read(Contents::Outputs, "results", scheme);
            check(scheme, &execute::decrypt(&plan, secret, &results, &InputSecrets::none()).unwrap());
            for name in [scheme.to_owned(), format!("{scheme}-seeded")] {
                let inputs = read(Contents::Inputs, "inputs", &name);
                let results = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
                let decrypted = execute::decrypt(&plan, secret, &results, &InputSecrets::none());
                check(scheme, &decrypted.unwrap());
            }
        }
    }
}

#[test]
fn reencrypted_files_of_earlier_versions_are_read_and_used() {
    // Version 4 is the first that has them.
    for version in versions().into_iter().filter(|[_, files]| *files >= 4) {
        let folder = folder(version);
        for scheme in SCHEMES.into_iter().filter(|scheme| *scheme != "tfhe") {
            let path = folder.join("plan").join(format!("{scheme}.json"));
            let plan = Plan::read(&path, SecurityCheck::Waived, Backend::detect().unwrap()).unwrap();
            let place = keys(&folder, &format!("{scheme}-new"));
            let new = Keys::read(&plan, place.path(), None).unwrap();
            let secret = new.secret.as_ref().unwrap();
            let key = folder.join("reencryption").join(format!("{scheme}.safetensors"));
            let key = ReencryptionKey::read(&plan, &key);
            let key = key.unwrap_or_else(|error| panic!("{version:?}: {error}"));
            let read = |contents, kind: &str, name: &str| {
                let path = folder.join(kind).join(format!("{name}.safetensors"));
                Encrypted::read(&plan, contents, &path).unwrap_or_else(|error| panic!("{version:?}: {error}"))
            };
            let name = format!("{scheme}-reencrypted");
            let results = read(Contents::Outputs, "results", &name);
            assert_eq!(results.reencryptions, Reencryptions { inputs: 0, results: 1 });
            let inputs = read(Contents::Inputs, "inputs", &name);
            assert_eq!(inputs.reencryptions, Reencryptions { inputs: 1, results: 0 });
            let evaluated = execute::evaluate(&plan, new.evaluation.clone(), inputs, &unwatched).unwrap();
            let old = read(Contents::Outputs, "results", scheme);
            let moved = execute::reencrypt(&plan, &key, Contents::Outputs, old, &unwatched).unwrap();
            for results in [results, evaluated, moved] {
                let secrets = InputSecrets::none().after_rotations(1);
                check(scheme, &execute::decrypt(&plan, secret, &results, &secrets).unwrap());
            }
        }
    }
}

#[test]
fn old_results_of_earlier_versions_are_reencrypted() {
    for version in versions() {
        let folder = folder(version);
        for scheme in SCHEMES.into_iter().filter(|scheme| *scheme != "tfhe") {
            let path = folder.join("plan").join(format!("{scheme}.json"));
            let plan = Plan::read(&path, SecurityCheck::Waived, Backend::detect().unwrap()).unwrap();
            let old = Keys::read_secret(&plan, keys(&folder, scheme).path(), None).unwrap();
            let new = execute::generate_keys(&plan, &mut Sampler::from_os());
            let new = new.secret.as_ref().unwrap();
            let key = ReencryptionKey::generate(&plan, &old, new, &mut Sampler::from_os()).unwrap();
            let results = folder.join("results").join(format!("{scheme}.safetensors"));
            let results = Encrypted::read(&plan, Contents::Outputs, &results).unwrap();
            let moved = execute::reencrypt(&plan, &key, Contents::Outputs, results, &unwatched).unwrap();
            let secrets = InputSecrets::none().after_rotations(1);
            check(scheme, &execute::decrypt(&plan, new, &moved, &secrets).unwrap());
        }
    }
}

#[test]
fn records_of_earlier_versions_are_read() {
    for version in versions() {
        let folder = folder(version);
        let plan = folder.join("plan/ckks.json");
        let plan = Plan::read(&plan, SecurityCheck::Waived, Backend::detect().unwrap()).unwrap();
        let place = keys(&folder, "ckks");
        let secret = Keys::read_secret(&plan, place.path(), None).unwrap();
        let inputs = "7".repeat(64);
        for (from, to) in [("inputs", format!("inputs-{inputs}")), ("published", "published".to_owned())] {
            let from = folder.join("records").join(format!("{from}.json"));
            std::fs::copy(from, place.path().join(format!("{to}.json"))).unwrap();
        }
        let record = place.path().get(&inputs).unwrap_or_else(|error| panic!("{version:?}: {error}"));
        let record = record.unwrap_or_else(|| panic!("{version:?}: it's there"));
        assert!(record.is_for(&plan, secret.id()) && record.rows == 3, "{version:?}");
        let published = PublicationRecord::open(place.path(), &secret);
        assert_eq!(published.unwrap_or_else(|error| panic!("{version:?}: {error}")).count(), 0);
    }
}

#[test]
fn the_files_of_this_version_are_kept_and_those_of_three_versions_before() {
    let versions = versions();
    assert!(versions.contains(&[PLAN_VERSION, FILE_VERSION]), "{versions:?}: keep the files of this version");
    // These are the first that were kept.
    let [plans, files] = [PLAN_VERSION.saturating_sub(3).max(6), FILE_VERSION.saturating_sub(3).max(3)];
    for plan in plans..=PLAN_VERSION {
        assert!(versions.iter().any(|version| version[0] == plan), "plans of version {plan} aren't kept");
    }
    for file in files..=FILE_VERSION {
        assert!(versions.iter().any(|version| version[1] == file), "files of version {file} aren't kept");
    }
}
