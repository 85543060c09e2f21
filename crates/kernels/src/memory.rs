//! Memory on large pages. Residues are streamed by the megabyte, and with pages of 4 KiB the processor spends a tenth of
//! that time on finding pages.

use std::{
    ops::{Deref, DerefMut},
    ptr::NonNull,
    sync::Arc,
};

use memmap2::{MmapMut, MmapOptions};

/// Bytes of a large page.
const PAGE: usize = 2 << 20;
/// Bytes of a cache line, which is also one vector register.
const LINE: usize = 64;

/// Bytes between two pieces: rows of one and of the next would else lie on the same sets of the caches.
const APART: usize = 5 * LINE;

/// Memory that is handed out piece by piece. It goes back to the operating system when it and all of its pieces are
/// dropped.
#[derive(Debug)]
pub struct Region {
    map: Arc<Mapping>,
    used: usize,
}

/// Pages that nothing refers to but the pieces handed out.
#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
    /// Kept for its end: it is never looked at again.
    _pages: MmapMut,
}

// SAFETY: a mapping is only addresses to its pieces, of which no two overlap.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Region {
    /// At least so many bytes of zeros, on large pages where the operating system has them.
    ///
    /// # Errors
    /// If there is no such memory.
    pub fn new(bytes: usize) -> std::io::Result<Self> {
        let bytes = bytes.next_multiple_of(PAGE);
        // What is left out at both ends is never touched, and so no memory stands behind it.
        let mut pages = MmapOptions::new().len(bytes + PAGE).map_anon()?;
        let offset = pages.as_ptr().align_offset(PAGE);
        // Without large pages everything works as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = pages.advise_range(memmap2::Advice::HugePage, offset, bytes);
        let start = NonNull::from(&mut pages[offset..offset + bytes]).cast();
        Ok(Self { map: Arc::new(Mapping { start, bytes, _pages: pages }), used: 0 })
    }

    /// The next words, aligned to cache lines: zeros. None if fewer are left.
    pub fn take(&mut self, words: usize) -> Option<Piece> {
        let bytes = words.checked_mul(size_of::<u64>())?.checked_next_multiple_of(LINE)?;
        if bytes > self.map.bytes - self.used {
            return None;
        }
        // SAFETY: used + bytes is at most the mapping's size.
        let start = unsafe { self.map.start.add(self.used) }.cast();
        self.used = self.map.bytes.min(self.used + bytes + APART);
        Some(Piece { start, words, _map: Arc::clone(&self.map) })
    }
}

/// Words of a [`Region`], which no other piece overlaps.
#[derive(Debug)]
pub struct Piece {
    start: NonNull<u64>,
    words: usize,
    _map: Arc<Mapping>,
}

// SAFETY: a piece owns its words as a Vec<u64> does.
unsafe impl Send for Piece {}
// SAFETY: as above.
unsafe impl Sync for Piece {}

impl Deref for Piece {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        // SAFETY: the words are mapped as long as _map lives, aligned to lines, zeroed by the operating system, and this
        // piece's alone.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }
}

impl DerefMut for Piece {
    fn deref_mut(&mut self) -> &mut [u64] {
        // SAFETY: as in `deref`.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.words) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
