//! The corpus and mutations of it, on stable Rust: no panic in reading or in the first use, and nothing accepted that breaks a
//! promise.

mod common;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    time::Instant,
};

use asanoha::lattice::FileReader;
use asanoha_fuzz::{TARGETS, Target, write_corpus};
use asanoha_testkit::OpenFile;
use common::{Mutator, corpus};

/// Mutated files of a target: a few thousand in all targets together, and a million in the slow tests.
const FEW: usize = 200;
const MANY: usize = 48_000;
/// The variable that gives another number of them in the slow tests.
const HOW_MANY: &str = "ASANOHA_MUTATIONS";
/// How many fewer there are of a target that is costly.
const COSTLY: usize = 100;
/// How the corpus is written anew.
const WRITE_AGAIN: &str = "cargo run -p asanoha-fuzz --example corpus";

#[test]
fn every_file_of_the_corpus_is_accepted() {
    for target in TARGETS {
        let files = corpus(target.name);
        assert!(!files.is_empty());
        for (path, bytes) in files {
            assert!(
                target.accepts(&bytes),
                "{}: not accepted: if formats changed on purpose, {WRITE_AGAIN}",
                path.display()
            );
        }
    }
}

#[test]
fn one_seed_gives_the_keys_ciphertexts_and_results_of_the_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let written = write_corpus(folder.path());
    assert_eq!(written.len(), 67);
    for path in written {
        let target = path.parent().and_then(Path::to_str).expect("a target");
        let known = corpus(target).into_iter().find(|(known, _)| known.ends_with(&path));
        let (_, known) = known.unwrap_or_else(|| panic!("{} is new", path.display()));
        let new = std::fs::read(folder.path().join(&path)).unwrap();
        // The words: headers and records hold bounds, which the mathematics libraries of two machines may round differently. Queries,
        // answers and seals have their randomness from the system.
        let words = |bytes: &[u8]| match target {
            "query" | "answer" | "seal" | "backup" | "record" | "parameters" => None,
            "manifest" | "triples" | "panel" | "haplotypes" | "ask" | "sent_keys" => Some(bytes.to_vec()),
            _ => OpenFile::parse(bytes).map(|file| file.body),
        };
        if let Some(difference) = difference(words(&new).as_deref(), words(&known).as_deref()) {
            panic!("{}: {difference}: if that is on purpose, {WRITE_AGAIN}", path.display());
        }
    }
}

/// Where words differ, to tell a changed seed (all of them do) from a value that is rounded differently (one does).
fn difference(new: Option<&[u8]>, known: Option<&[u8]>) -> Option<String> {
    let [new, known] = [new.unwrap_or_default(), known.unwrap_or_default()];
    if new.len() != known.len() {
        return Some(format!("{} bytes, {} in the corpus", new.len(), known.len()));
    }
    let pairs = || new.chunks(8).zip(known.chunks(8)).enumerate().filter(|(_, (new, known))| new != known);
    let (place, (first, expected)) = pairs().next()?;
    let count = pairs().count();
    Some(format!("{count} words differ, first word {place}: {first:02x?}, {expected:02x?} in the corpus"))
}

#[test]
fn no_changed_byte_gets_past_the_digest() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("changed");
    for target in ["key", "reencryption", "ciphertext", "result", "tfhe", "ciphertexts", "interpolation"] {
        for (path, bytes) in corpus(target) {
            let open = OpenFile::parse(&bytes).expect("one of our files");
            let text = |name: &str| open.metadata[name].as_str().expect("a text").to_owned();
            let read = || FileReader::read(&place, &text("kind"), &text("params"));
            std::fs::write(&place, &bytes).unwrap();
            assert!(read().is_ok());
            for at in (0..bytes.len()).step_by(bytes.len() / 97 + 1) {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << (at % 8);
                std::fs::write(&place, &changed).unwrap();
                assert!(read().is_err(), "{}: byte {at}", path.display());
            }
        }
    }
}

/// Reads and uses mutated files of a target, and prints what became of them.
fn attack(target: &Target, cases: usize, seed: u8) {
    let started = Instant::now();
    let cases = if target.is_costly { cases.div_ceil(COSTLY) } else { cases };
    // Cases are too small to share among threads.
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let accepted = one_thread.install(|| {
        let mut mutator = Mutator::new(target.name, seed);
        let is_accepted = |&case: &usize| {
            let (bytes, changes) = mutator.next(case);
            let result = catch_unwind(AssertUnwindSafe(|| target.accepts(&bytes)));
            result.unwrap_or_else(|_| panic!("{}: a panic: seed {seed}, {changes}", target.name))
        };
        (0..cases).filter(is_accepted).count()
    });
    let (refused, seconds) = (cases - accepted, started.elapsed().as_secs_f64());
    println!("{}: {accepted} accepted, {refused} refused, {seconds:.1} s", target.name);
    assert!(refused > 0, "{}: nothing was refused", target.name);
}

fn attack_named(name: &str) {
    let cases = std::env::var(HOW_MANY).map_or(MANY, |number| number.parse().expect("a number of files"));
    attack(TARGETS.iter().find(|target| target.name == name).expect("a target"), cases, 2);
}

#[test]
fn thousands_of_mutated_files_break_no_promise() {
    for target in TARGETS {
        attack(&target, FEW, 1);
    }
}

#[test]
fn a_million_mutated_files_are_of_all_targets() {
    assert!(MANY * TARGETS.iter().filter(|target| !target.is_costly).count() >= 1_000_000);
    assert_eq!(TARGETS.map(|target| target.name), SLOW);
}

macro_rules! slow {
    ($($test:ident: $target:literal),+) => {
        /// The targets of the slow tests.
        const SLOW: [&str; TARGETS.len()] = [$($target),+];
        $(
            #[test]
            #[ignore = "slow"]
            fn $test() {
                attack_named($target);
            }
        )+
    };
}

slow! {
    mutated_programs_break_no_promise: "program",
    mutated_weights_break_no_promise: "weights",
    mutated_tables_break_no_promise: "csv",
    mutated_schemas_break_no_promise: "schema",
    mutated_plans_break_no_promise: "plan",
    mutated_keys_break_no_promise: "key",
    mutated_seals_break_no_promise: "seal",
    mutated_backups_break_no_promise: "backup",
    mutated_inputs_break_no_promise: "ciphertext",
    mutated_results_break_no_promise: "result",
    mutated_reencryption_keys_break_no_promise: "reencryption",
    mutated_records_break_no_promise: "record",
    mutated_parameters_break_no_promise: "parameters",
    mutated_ciphertexts_break_no_promise: "ciphertexts",
    mutated_coefficients_break_no_promise: "interpolation",
    mutated_tfhe_files_break_no_promise: "tfhe",
    mutated_manifests_break_no_promise: "manifest",
    mutated_triples_break_no_promise: "triples",
    mutated_panels_break_no_promise: "panel",
    mutated_haplotypes_break_no_promise: "haplotypes",
    mutated_variants_break_no_promise: "variants",
    mutated_queries_break_no_promise: "query",
    mutated_answers_break_no_promise: "answer",
    mutated_requests_break_no_promise: "ask",
    mutated_sent_keys_break_no_promise: "sent_keys"
}
