//! Detection of forks. A forked process has a copy of its parent's memory: of secrets that it must not use, and of
//! random streams, from which both processes would draw the same numbers.

#[cfg(unix)]
use std::sync::{Once, atomic::AtomicU64};
use std::sync::{
    OnceLock,
    atomic::{AtomicU32, Ordering},
};

#[cfg(all(unix, any(test, feature = "fork")))]
use std::sync::atomic::AtomicBool;

use memmap2::MmapOptions;

use crate::wipe::wipe_on_fork;

/// A number, never 0, that changes when the process is forked: the child sees another one than its parent.
///
/// It is kept on a page that the operating system clears in child processes; where that isn't supported, it is the
/// process ID. A handler of the C library counts forks beside it: emulators take the advice to clear a page and don't follow it.
pub fn fork_generation() -> u64 {
    forks() << 32 | u64::from(page_generation())
}

/// The generation by the page alone.
fn page_generation() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let Some(page) = wiped_word() else { return process_id() };
    match page.load(Ordering::Relaxed) {
        0 => {
            let next = NEXT.fetch_add(1, Ordering::Relaxed);
            page.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed)
                .map_or_else(|set| set, |_| next)
        }
        generation => generation,
    }
}

/// How often this process was forked from another one, as far as the C library knows.
#[cfg(unix)]
fn forks() -> u64 {
    static FORKS: AtomicU64 = AtomicU64::new(0);
    static REGISTERED: Once = Once::new();
    extern "C" fn count() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: the handler is a function of this program that only adds to a number, as handlers may.
    REGISTERED.call_once(|| unsafe { _ = libc::pthread_atfork(None, None, Some(count)) });
    FORKS.load(Ordering::Relaxed)
}

#[cfg(not(unix))]
fn forks() -> u64 {
    0
}

/// Never 0. In the browser there are no processes.
fn process_id() -> u32 {
    if cfg!(target_family = "wasm") { 1 } else { std::process::id() }
}

/// A word that is 0 at first, and again in every process that is forked.
fn wiped_word() -> Option<&'static AtomicU32> {
    static WORD: OnceLock<Option<&'static AtomicU32>> = OnceLock::new();
    *WORD.get_or_init(|| {
        let mut page = MmapOptions::new().len(size_of::<AtomicU32>()).map_anon().ok()?;
        if !wipe_on_fork(&mut page) {
            return None;
        }
        let word = Box::leak(Box::new(page)).as_mut_ptr().cast();
        // SAFETY: the page is leaked, so the word is mapped for ever, at the page's start and so aligned, zeroed by the
        // operating system, and reached through this reference alone.
        Some(unsafe { AtomicU32::from_ptr(word) })
    })
}

/// Runs `work` in a forked process and returns whether it gave true; for tests. The child has no other threads, so
/// `work` must not wait for any. A panic of the child is not reported, and gives false.
///
/// # Panics
/// If no process can be forked, or `work` takes longer than a minute.
#[cfg(all(unix, any(test, feature = "fork")))]
#[doc(hidden)]
pub fn in_fork(work: impl FnOnce() -> bool) -> bool {
    let is_child = silence_panics_of_children();
    // SAFETY: the child runs the caller's work and ends; it never returns into code that another thread may have left
    // half done.
    match unsafe { libc::fork() } {
        -1 => panic!("no process can be forked: {}", std::io::Error::last_os_error()),
        0 => {
            is_child.store(true, Ordering::Relaxed);
            // SAFETY: sets a timer that ends the child if it waits for a thread that it doesn't have.
            unsafe { libc::alarm(60) };
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(i32::from(!matches!(done, Ok(true)))) }
        }
        child => {
            let mut status = 0;
            // SAFETY: the status is written to a local variable.
            let found = unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert!(
                !libc::WIFSIGNALED(status) || libc::WTERMSIG(status) != libc::SIGALRM,
                "a forked process waited for a thread that it doesn't have"
            );
            found == child && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
        }
    }
}

/// Lets panics be reported in this process alone. A report takes a lock of the standard library's; in a forked process
/// nobody gives it back if another thread was reporting a panic at the time of the fork. A forked process says of itself
/// that it is one by the flag.
#[cfg(all(unix, any(test, feature = "fork")))]
fn silence_panics_of_children() -> &'static AtomicBool {
    static IS_CHILD: AtomicBool = AtomicBool::new(false);
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_CHILD.load(Ordering::Relaxed) {
                report(panic);
            }
        }));
    });
    &IS_CHILD
}

// WebAssembly has neither processes nor threads.
#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;

    #[test]
    fn a_generation_stays_as_long_as_the_process() {
        let generation = fork_generation();
        assert_ne!(generation, 0);
        assert!(std::thread::spawn(fork_generation).join().unwrap() == generation);
        assert_eq!(fork_generation(), generation);
    }

    #[cfg(unix)]
    #[test]
    fn every_generation_of_processes_has_its_own() {
        let generations = [fork_generation(), 0];
        assert!(in_fork(|| {
            let child = fork_generation();
            let is_new = child == fork_generation() && !generations.contains(&child);
            is_new && in_fork(|| ![generations[0], child, 0].contains(&fork_generation()))
        }));
        // Neither way needs the other one.
        let (forks, page) = (forks(), page_generation());
        assert!(in_fork(|| super::forks() == forks + 1));
        #[cfg(target_os = "linux")]
        let follows = wiped_word().is_none() || crate::memory::tests::system_wipes();
        #[cfg(not(target_os = "linux"))]
        let follows = true;
        assert!(in_fork(|| (page_generation() != page) == follows));
    }

    #[cfg(unix)]
    #[test]
    fn a_panic_in_a_child_waits_for_no_thread_that_reports_one() {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::panic::catch_unwind(|| panic!("reported again and again")).unwrap_err();
                }
            });
            let silent = || (0..20).all(|_| !in_fork(|| panic!("a panic in a child is no success")));
            let ended = std::panic::catch_unwind(silent);
            done.store(true, Ordering::Relaxed);
            assert!(ended.unwrap());
        });
    }
}
