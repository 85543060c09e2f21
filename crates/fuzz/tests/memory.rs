//! Reading takes little memory beyond the length of the input, whatever is in it. This is a target of its own, as the allocator counts
//! for the whole process.

mod common;

use std::sync::{Mutex, PoisonError};

use asanoha_fuzz::{Scheme, TARGETS, Target, fixture};
use common::Mutator;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What reading may take at most of the allocator's memory: a fixed amount, and an amount for every byte of the input. Large
/// polynomials are mapped from the operating system and not counted; the parameters' own sizes bound them.
const LIMIT_BYTES: usize = 1 << 20;
const LIMIT_BYTES_A_BYTE: usize = 64;
/// The memory that the header of a sealed key can ask for.
const SEAL_BYTES: usize = 1 << 30;

/// Mutated files of a target, and many more in the slow test.
const FEW: usize = 100;
const MANY: usize = 20_000;

/// Held while memory is counted.
static COUNTING: Mutex<()> = Mutex::new(());

/// Reads mutated files of a target, and returns the most memory that one took.
fn most_memory(target: &Target, cases: usize, seed: u8) -> usize {
    let mut mutator = Mutator::new(target.name, seed);
    let cases = if target.is_costly { cases.div_ceil(100) } else { cases };
    let mut most = 0;
    for case in 0..cases {
        let (bytes, what) = mutator.next(case);
        if case == 0 {
            // What is made once is made now.
            let _ = (target.read)(&bytes);
        }
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let read = (target.read)(&bytes);
        let taken = MEMORY.peak_usage().saturating_sub(before);
        drop(read);
        let fixed = if target.name == "seal" { SEAL_BYTES } else { LIMIT_BYTES };
        let limit = fixed + LIMIT_BYTES_A_BYTE * bytes.len();
        assert!(
            taken <= limit,
            "{}: {taken} bytes of memory, above {limit}: seed {seed}, {what}",
            target.name
        );
        most = most.max(taken);
    }
    most
}

fn all_targets(cases: usize, seed: u8) {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    for scheme in Scheme::ALL {
        let _ = fixture(scheme);
    }
    for target in TARGETS {
        println!("{}: at most {} bytes", target.name, most_memory(&target, cases, seed));
    }
}

#[test]
fn reading_allocates_no_more_than_the_limit() {
    all_targets(FEW, 3);
}

#[test]
#[ignore = "slow"]
fn reading_many_files_allocates_no_more_than_the_limit() {
    all_targets(MANY, 4);
}
