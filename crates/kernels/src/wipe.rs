//! Pages that forked processes find cleared.

use memmap2::MmapMut;

/// Asks the operating system to clear the pages in forked processes, and returns whether it will.
pub(crate) fn wipe_on_fork(pages: &mut MmapMut) -> bool {
    #[cfg(target_os = "linux")]
    {
        let (start, length) = (pages.as_mut_ptr().cast(), pages.len());
        // SAFETY: the advice changes what child processes find on the pages and nothing in this process.
        unsafe { rustix::mm::madvise(start, length, rustix::mm::Advice::LinuxWipeOnFork) }.is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pages;
        false
    }
}
