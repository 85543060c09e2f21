//! Detection of forks. A forked process has a copy of its parent's memory: of secrets that it must not use, and of
//! random streams, from which both processes would draw the same numbers.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use memmap2::MmapOptions;

use crate::memory::wipe_on_fork;

/// A number, never 0, that changes when the process is forked: the child sees another one than its parent.
///
/// It is kept on a page that the operating system clears in child processes; where that isn't supported, it is the
/// process ID.
pub fn fork_generation() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let Some(page) = wiped_word() else { return std::process::id().into() };
    match page.load(Ordering::Relaxed) {
        0 => {
            let next = NEXT.fetch_add(1, Ordering::Relaxed);
            page.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed)
                .map_or_else(|set| set, |_| next)
        }
        generation => generation,
    }
}

/// A word that is 0 at first, and again in every process that is forked.
fn wiped_word() -> Option<&'static AtomicU64> {
    static WORD: OnceLock<Option<&'static AtomicU64>> = OnceLock::new();
    *WORD.get_or_init(|| {
        let mut page = MmapOptions::new().len(size_of::<AtomicU64>()).map_anon().ok()?;
        if !wipe_on_fork(&mut page) {
            return None;
        }
        let word = Box::leak(Box::new(page)).as_mut_ptr().cast();
        // SAFETY: the page is leaked, so the word is mapped for ever, at the page's start and so aligned, zeroed by the
        // operating system, and reached through this reference alone.
        Some(unsafe { AtomicU64::from_ptr(word) })
    })
}

/// Runs `work` in a forked process and returns whether it gave true; for tests. The child has no other threads, so
/// `work` must not wait for any.
///
/// # Panics
/// If no process can be forked.
#[cfg(all(unix, any(test, feature = "fork")))]
#[doc(hidden)]
pub fn in_fork(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child runs the caller's work and ends; it never returns into code that another thread may have left
    // half done.
    match unsafe { libc::fork() } {
        -1 => panic!("no process can be forked: {}", std::io::Error::last_os_error()),
        0 => {
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
            found == child && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_stays_as_long_as_the_process() {
        let generation = fork_generation();
        assert_ne!(generation, 0);
        assert!(std::thread::spawn(fork_generation).join().unwrap() == generation);
        assert_eq!(fork_generation(), generation);
    }
}
