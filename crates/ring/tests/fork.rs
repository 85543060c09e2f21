//! What a forked process makes of its parent's randomness.
#![cfg(unix)]

use std::{
    io::{Read, Write, pipe},
    sync::atomic::{AtomicBool, Ordering},
};

use asanoha_kernels::in_fork;
use asanoha_ring::{Sampler, Seed};

#[test]
fn no_two_processes_draw_the_same_from_one_sampler() {
    for mut sampler in [Sampler::new(&Seed([7; 32])), Sampler::from_os()] {
        sampler.seed();
        let (mut out, mut send) = pipe().unwrap();
        // Two children and a grandchild go on where their parents stand.
        for _ in 0..2 {
            assert!(in_fork(|| {
                let grandchild = in_fork(|| send.write_all(&sampler.seed().0).is_ok());
                grandchild && send.write_all(&sampler.seed().0).is_ok() && !sampler.is_seeded()
            }));
        }
        drop(send);
        let mut drawn = Vec::new();
        out.read_to_end(&mut drawn).unwrap();
        drawn.extend(sampler.seed().0);
        let seeds: std::collections::BTreeSet<&[u8]> = drawn.chunks(32).collect();
        assert_eq!((drawn.len(), seeds.len()), (5 * 32, 5));
    }
}

#[test]
fn a_sampler_goes_on_with_its_own_stream_after_a_fork() {
    let (mut forked, mut other) = (Sampler::new(&Seed([7; 32])), Sampler::new(&Seed([7; 32])));
    assert!(forked.seed() == other.seed());
    assert!(in_fork(|| true));
    assert!(forked.seed() == other.seed() && forked.is_seeded());
    assert!(!in_fork(|| false) && !in_fork(|| panic!("a panic in a child is no success")));
}

#[test]
fn a_forked_process_waits_for_no_thread_that_takes_memory_for_secrets() {
    let (mut sampler, done) = (Sampler::from_os(), AtomicBool::new(false));
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut other = Sampler::from_os();
            while !done.load(Ordering::Relaxed) {
                other.uniform(1);
            }
        });
        let mut draw = || (0..50).all(|_| in_fork(|| sampler.uniform(4).len() == 4));
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut draw));
        done.store(true, Ordering::Relaxed);
        ended
    });
    assert!(ended.unwrap_or(false));
}
