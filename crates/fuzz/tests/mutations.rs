//! The corpus and mutations of it, on stable Rust: no panic, nothing accepted that breaks a promise, no memory beyond
//! a cap.

mod common;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use asanoha::lattice::FileReader;
use asanoha_fuzz::{TARGETS, Target, fixture, write_corpus};
use asanoha_testkit::OpenFile;
use common::{Mutation, corpus, mutated, mutations};
use peak_alloc::PeakAlloc;
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What reading a file may take at most of the allocator's memory: a fixed amount, and an amount for every byte of the file.
/// Large polynomials are mapped from the operating system and not counted here; the parameters' own sizes bound them.
const CAP_BYTES: usize = 64 << 20;
const CAP_BYTES_A_BYTE: usize = 256;

/// Mutated files of a target: a million in all targets together, in the slow tests.
const FEW: usize = 1_000;
const MANY: usize = 72_000;

/// Held by who counts memory: the allocator counts for the whole process.
static COUNTING: Mutex<()> = Mutex::new(());

#[test]
fn every_file_of_the_corpus_is_accepted() {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, target) in TARGETS {
        let files = corpus(name);
        assert!(!files.is_empty());
        for (path, bytes) in files {
            assert!(
                target(&bytes),
                "{}: not accepted: if formats changed on purpose, cargo run -p asanoha-fuzz --example corpus",
                path.display()
            );
        }
    }
}

#[test]
fn one_seed_gives_the_keys_ciphertexts_and_results_of_the_corpus() {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let written = write_corpus(folder.path());
    assert_eq!(written.len(), 31);
    for path in written {
        let target = path.parent().and_then(Path::to_str).expect("a target");
        let known = corpus(target).into_iter().find(|(known, _)| known.ends_with(&path));
        let (_, known) = known.unwrap_or_else(|| panic!("{} is new", path.display()));
        let new = std::fs::read(folder.path().join(&path)).unwrap();
        // The words: headers hold bounds, which the mathematics libraries of two machines may round differently. Of triples and
        // panels all is whole numbers, and queries have their randomness from the system.
        let words = |bytes: &[u8]| match target {
            "query" => None,
            "manifest" | "triples" | "panel" | "haplotypes" | "ask" | "sent_keys" => Some(bytes.to_vec()),
            _ => OpenFile::parse(bytes).map(|file| file.body),
        };
        assert!(
            words(&new) == words(&known),
            "{}: if that is on purpose, cargo run -p asanoha-fuzz --example corpus",
            path.display()
        );
    }
}

#[test]
fn no_changed_byte_gets_past_the_digest() {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("changed");
    for target in ["key", "ciphertext", "result", "tfhe"] {
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

/// What became of the mutated files of a target.
#[derive(Debug, Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    most_memory: usize,
}

fn attack(name: &str, target: Target, cases: usize, seed: u8) -> Tally {
    let files = corpus(name);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = mutations();
    let mut tally = Tally::default();
    for case in 0..cases {
        let changes: Vec<Mutation> = strategy.new_tree(&mut runner).expect("a mutation").current();
        let (path, original) = &files[case % files.len()];
        let bytes = mutated(original, &changes);
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let accepted = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
        let taken = MEMORY.peak_usage().saturating_sub(before);
        let told = || format!("{name}, case {case} of seed {seed}, {}: {changes:?}", path.display());
        let Ok(accepted) = accepted else { panic!("a panic: {}", told()) };
        let cap = CAP_BYTES + CAP_BYTES_A_BYTE * bytes.len();
        assert!(taken <= cap, "{taken} bytes of memory, above {cap}: {}", told());
        tally.most_memory = tally.most_memory.max(taken);
        if accepted { tally.accepted += 1 } else { tally.refused += 1 }
    }
    tally
}

/// Attacks a target by its name, and prints what became of the files.
fn attack_target(name: &str, cases: usize, seed: u8) {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    // Made first, so that their memory isn't counted.
    for scheme in asanoha_fuzz::Scheme::ALL {
        fixture(scheme);
    }
    let (_, target) = *TARGETS.iter().find(|(other, _)| *other == name).expect("a target");
    target(&corpus(name)[0].1);
    let started = Instant::now();
    let tally = attack(name, target, cases, seed);
    println!("{name}: {tally:?} in {:.1} s", started.elapsed().as_secs_f64());
    assert!(tally.refused > 0, "{name}: nothing was refused");
}

#[test]
fn thousands_of_mutated_files_break_no_promise() {
    for (name, _) in TARGETS {
        attack_target(name, FEW, 1);
    }
}

macro_rules! slow {
    ($($test:ident: $target:literal),+) => {
        $(
            #[test]
            #[ignore = "slow"]
            fn $test() {
                attack_target($target, MANY, 2);
            }
        )+
    };
}

slow! {
    mutated_programs_break_no_promise: "program",
    mutated_tables_break_no_promise: "csv",
    mutated_plans_break_no_promise: "plan",
    mutated_keys_break_no_promise: "key",
    mutated_ciphertexts_break_no_promise: "ciphertext",
    mutated_results_break_no_promise: "result",
    mutated_manifests_break_no_promise: "manifest",
    mutated_triples_break_no_promise: "triples",
    mutated_panels_break_no_promise: "panel",
    mutated_haplotypes_break_no_promise: "haplotypes",
    mutated_variants_break_no_promise: "variants",
    mutated_queries_break_no_promise: "query",
    mutated_requests_break_no_promise: "ask",
    mutated_sent_keys_break_no_promise: "sent_keys",
    mutated_tfhe_files_break_no_promise: "tfhe"
}
