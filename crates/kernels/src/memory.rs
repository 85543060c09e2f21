//! Memory on large pages. Residues are streamed by the megabyte, and with pages of 4 KiB a tenth of that time goes into
//! address translation. Memory for secrets is kept from forked processes.

use std::{
    ops::{Deref, DerefMut},
    ptr::NonNull,
    sync::Arc,
};

use memmap2::{MmapMut, MmapOptions};

use crate::{fork_generation, wipe::wipe_on_fork};

/// Bytes of a large page.
const PAGE: usize = 2 << 20;
/// Bytes of a cache line, which is also one vector register.
const LINE: usize = 64;

/// Bytes between two pieces: without them, rows of one piece and of the next would fall on the same cache sets.
const APART: usize = 5 * LINE;

/// Memory that is handed out piece by piece. The pages of a piece go back to the operating system when it's dropped, the addresses
/// when all are and the region is.
#[derive(Debug)]
pub struct Region {
    map: Arc<Mapping>,
    used: usize,
    /// For secrets: the generation of the process that may read it ([`fork_generation`]); `None` for other memory.
    owner: Option<u64>,
}

/// Pages that only the pieces handed out refer to.
#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
    /// Unmaps the pages on drop; it is never read.
    _pages: MmapMut,
}

// SAFETY: a mapping only provides addresses to its pieces, no two of which overlap.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Region {
    /// Memory of at least `bytes` bytes, all zero, on large pages where the operating system has them.
    ///
    /// # Errors
    /// If the operating system has no such memory.
    pub fn new(bytes: usize) -> std::io::Result<Self> {
        Self::of(bytes, None)
    }

    /// As [`Region::new`], for secrets: the operating system is asked to clear the memory for forked processes, and
    /// these can't look at the pieces that they inherit.
    ///
    /// # Errors
    /// If the operating system has no such memory.
    pub fn secret(bytes: usize) -> std::io::Result<Self> {
        Self::of(bytes, Some(fork_generation()))
    }

    fn of(bytes: usize, owner: Option<u64>) -> std::io::Result<Self> {
        let bytes = bytes.next_multiple_of(PAGE);
        // The pages cut off at both ends are never touched, so they take no physical memory.
        let mut pages = MmapOptions::new().len(bytes + PAGE).map_anon()?;
        let offset = pages.as_ptr().align_offset(PAGE);
        // Without large pages everything works, only more slowly.
        #[cfg(target_os = "linux")]
        let _ = pages.advise_range(memmap2::Advice::HugePage, offset, bytes);
        if owner.is_some() {
            // Where the system can't clear them, pieces still refuse to be read in a forked process.
            #[cfg(target_os = "linux")]
            let _ = pages.advise(memmap2::Advice::DontDump);
            wipe_on_fork(&mut pages);
        }
        let start = NonNull::from(&mut pages[offset..offset + bytes]).cast();
        Ok(Self { map: Arc::new(Mapping { start, bytes, _pages: pages }), used: 0, owner })
    }

    /// Whether the memory holds secrets of the process that this one was forked from.
    pub fn is_lost(&self) -> bool {
        is_lost(self.owner)
    }

    /// The next `words` words, zeros aligned to cache lines; `None` if fewer are left.
    pub fn take(&mut self, words: usize) -> Option<Piece> {
        let bytes = words.checked_mul(size_of::<u64>())?.checked_next_multiple_of(LINE)?;
        if bytes > self.map.bytes - self.used {
            return None;
        }
        // SAFETY: used + bytes is at most the mapping's size.
        let start = unsafe { self.map.start.add(self.used) }.cast();
        self.used = self.map.bytes.min(self.used + bytes + APART);
        Some(Piece { start, words, owner: self.owner, _map: Arc::clone(&self.map) })
    }
}

fn is_lost(owner: Option<u64>) -> bool {
    owner.is_some_and(|owner| owner != fork_generation())
}

/// Words of a [`Region`], which no other piece overlaps.
#[derive(Debug)]
pub struct Piece {
    start: NonNull<u64>,
    words: usize,
    owner: Option<u64>,
    _map: Arc<Mapping>,
}

impl Piece {
    /// Whether it holds secrets of another process, which this one was forked from.
    pub fn is_lost(&self) -> bool {
        is_lost(self.owner)
    }

    /// # Panics
    /// If the piece is lost: its words are gone in this process, and zeros must not be taken for them.
    fn check(&self) {
        assert!(
            !self.is_lost(),
            "a secret was used in a process forked from the one that it belongs to: read or make secrets after the fork"
        );
    }
}

/// Gives back the pages that are the piece's alone: others of the region may live much longer. They're no longer asked to be
/// large ones, or the system would in time fill the holes to make large pages again.
#[cfg(target_os = "linux")]
impl Drop for Piece {
    fn drop(&mut self) {
        let page = rustix::param::page_size();
        let (start, bytes) = (self.start.as_ptr().cast::<u8>(), self.words * size_of::<u64>());
        let first = start.align_offset(page);
        let length = bytes.saturating_sub(first) / page * page;
        if length > 0 {
            for advice in [rustix::mm::Advice::LinuxNoHugepage, rustix::mm::Advice::LinuxDontNeed] {
                // SAFETY: the pages are mapped and lie within the piece, whose words nobody reads any more; the region
                // doesn't hand them out again.
                let _ = unsafe { rustix::mm::madvise(start.add(first).cast(), length, advice) };
            }
        }
    }
}

// SAFETY: a piece owns its words as a Vec<u64> does.
unsafe impl Send for Piece {}
// SAFETY: as above.
unsafe impl Sync for Piece {}

impl Deref for Piece {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        self.check();
        // SAFETY: the words are mapped as long as _map lives, aligned to lines, zeroed by the operating system, and
        // belong to this piece alone.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }
}

impl DerefMut for Piece {
    fn deref_mut(&mut self) -> &mut [u64] {
        self.check();
        // SAFETY: as in `deref`.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.words) }
    }
}

// WebAssembly maps no pages.
#[cfg(all(test, not(target_family = "wasm")))]
pub(crate) mod tests {
    use super::*;

    /// Whether the system follows the advice to clear pages in forked processes: emulators only take it. Asks the system itself,
    /// so that a fault of [`wipe_on_fork`] isn't taken for the system's.
    #[cfg(target_os = "linux")]
    pub(crate) fn system_wipes() -> bool {
        let mut page = MmapOptions::new().len(LINE).map_anon().unwrap();
        page[0] = 7;
        // SAFETY: the advice changes what child processes find on the page and nothing in this process.
        let is_taken = unsafe {
            rustix::mm::madvise(page.as_mut_ptr().cast(), LINE, rustix::mm::Advice::LinuxWipeOnFork).is_ok()
        };
        is_taken && crate::fork::in_fork(|| page[0] == 0)
    }

    #[test]
    fn pieces_are_zeros_on_lines_of_their_own() {
        let mut region = Region::new(1).unwrap();
        let mut pieces: Vec<_> = [1, 7, 8, 9, 100].map(|words| region.take(words).unwrap()).into();
        for (i, piece) in pieces.iter_mut().enumerate() {
            assert!(piece.as_ptr().align_offset(LINE) == 0 && piece.iter().all(|&word| word == 0));
            piece.fill(i as u64 + 1);
        }
        for (i, piece) in pieces.iter().enumerate() {
            assert!(piece.iter().all(|&word| word == i as u64 + 1));
        }
        assert_eq!(pieces.iter().map(|piece| piece.len()).collect::<Vec<_>>(), [1, 7, 8, 9, 100]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn dropped_pieces_give_their_pages_back_and_no_others() {
        let mut region = Region::new(1 << 20).unwrap();
        let mut pieces: Vec<_> = [3, 5000, 5000, 40_000].map(|words| region.take(words).unwrap()).into();
        pieces.iter_mut().for_each(|piece| piece.fill(7));
        let dropped = pieces.remove(2);
        let (place, length) = (dropped.as_ptr(), dropped.len());
        drop(dropped);
        assert!(pieces.iter().all(|piece| piece.iter().all(|&word| word == 7)));
        // SAFETY: the region, which lives, still maps them.
        let left = (0..length).filter(|&at| unsafe { place.add(at).read_volatile() } == 7).count();
        // Of the pages at both ends others have a part.
        assert!(left <= 2 * rustix::param::page_size() / size_of::<u64>(), "{left} of {length} words");
        assert!(region.take(1).unwrap()[0] == 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn secrets_stay_out_of_core_files_and_forked_processes() {
        let mut region = Region::secret(1).unwrap();
        let mut piece = region.take(8).unwrap();
        piece.fill(7);
        let place = piece.as_ptr();
        // SAFETY: reads the piece's first word, which the child may not reach through the piece.
        assert!(crate::fork::in_fork(|| (unsafe { place.read_volatile() } == 0) == system_wipes()));
        assert!(crate::fork::in_fork(|| piece.is_lost() && region.is_lost()));
        assert!(!crate::fork::in_fork(|| piece[0] == 0), "a child took zeros for a secret");
        assert!(!piece.is_lost() && piece.iter().all(|&word| word == 7));

        let flags = |place: *const u64| {
            let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
            let mut inside = false;
            for line in maps.lines() {
                let range = line.split(' ').next().and_then(|range| range.split_once('-'));
                let hex = |text| usize::from_str_radix(text, 16).ok();
                if let Some((from, to)) = range.and_then(|(from, to)| hex(from).zip(hex(to))) {
                    inside = (from..to).contains(&place.addr());
                } else if let (true, Some(flags)) = (inside, line.strip_prefix("VmFlags:")) {
                    return flags.split_whitespace().map(str::to_owned).collect();
                }
            }
            Vec::new()
        };
        let has = |flags: &[String], flag| flags.iter().any(|found| found == flag);
        if !system_wipes() {
            return;
        }
        let secret: Vec<String> = flags(place);
        assert!(has(&secret, "dd") && has(&secret, "wf"), "{secret:?}");
        let other = flags(Region::new(1).unwrap().take(8).unwrap().as_ptr());
        assert!(!has(&other, "wf"), "{other:?}");
    }

    #[test]
    fn pieces_outlive_their_region() {
        let mut region = Region::new(PAGE).unwrap();
        let mut piece = region.take(PAGE / 8).unwrap();
        drop(region);
        piece.fill(7);
        assert!(std::thread::spawn(move || piece.iter().all(|&word| word == 7)).join().unwrap());
    }

    #[test]
    fn a_region_gives_no_more_than_it_has() {
        let mut region = Region::new(PAGE).unwrap();
        assert!(region.take(PAGE / 8 + 1).is_none() && region.take(usize::MAX).is_none());
        assert!(region.take(PAGE / 8 - 1).is_some());
        assert!(region.take(1).is_none() && region.take(0).is_some());
        assert!(Region::new(usize::MAX - 2 * PAGE).is_err());
    }
}
