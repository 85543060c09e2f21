//! The corpus and mutations of it, on stable Rust: no panic, nothing accepted that breaks a promise, no memory beyond
//! a cap.

mod common;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use asanoha_fuzz::{TARGETS, Target, fixture};
use common::{Mutation, corpus, mutated, mutations};
use peak_alloc::PeakAlloc;
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What reading a file may take at most: so much, and for every byte of the file so many.
const CAP_BYTES: usize = 64 << 20;
const CAP_BYTES_A_BYTE: usize = 256;

/// Mutated files in all, over all targets.
const FEW: usize = 6_000;
const MANY: usize = 1_000_000;

#[test]
fn every_file_of_the_corpus_is_accepted() {
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

/// All targets in turn: the allocator counts for one at a time.
fn attack_all(cases: usize, seed: u8) {
    // Made first, so that their memory isn't counted.
    for scheme in asanoha_fuzz::Scheme::ALL {
        fixture(scheme);
    }
    for (name, target) in TARGETS {
        let started = Instant::now();
        let tally = attack(name, target, cases.div_ceil(TARGETS.len()), seed);
        println!("{name}: {tally:?} in {:.1} s", started.elapsed().as_secs_f64());
        assert!(tally.refused > 0, "{name}: nothing was refused");
    }
}

#[test]
fn thousands_of_mutated_files_break_no_promise() {
    attack_all(FEW, 1);
}

#[test]
#[ignore = "slow"]
fn a_million_mutated_files_break_no_promise() {
    attack_all(MANY, 2);
}
