//! Which process this is. A process that was forked has all that its parent had: secrets it mustn't use, and streams of
//! randomness that both would draw the same from.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use memmap2::MmapOptions;

use crate::memory::wipe_on_fork;

/// A number that changes when the process is forked: the child sees another than its parent did. Never 0.
///
/// It stands on a page that the operating system clears for children; where there's no such thing it's the process's own
/// number.
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

/// What a forked process makes of some work, for tests: it should do nothing that waits for other threads, for it has
/// none of them.
///
/// # Panics
/// If there's no other process to be had.
#[cfg(all(unix, any(test, feature = "fork")))]
#[doc(hidden)]
pub fn in_fork(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child runs the caller's work and ends; it never returns into code that another thread may have left
    // half done.
    match unsafe { libc::fork() } {
        -1 => panic!("no process can be forked: {}", std::io::Error::last_os_error()),
        0 => {
            // SAFETY: ends a process that waits for what it hasn't.
            unsafe { libc::alarm(60) };
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(i32::from(!matches!(done, Ok(true)))) }
        }
        child => {
            let mut status = 0;
            // SAFETY: the status is a place of ours.
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
