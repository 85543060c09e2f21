//! Memory for polynomials. Fresh memory is expensive (the operating system clears every page of it), and operations
//! need megabytes of temporaries; so the memory of dropped polynomials is kept and handed out again.

use std::{
    collections::BTreeMap,
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, PoisonError},
};

use bytemuck::{Pod, Zeroable};
use zeroize::Zeroize;

/// Words of one cache line, which is also one vector register.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line([u64; LINE]);

const LINE: usize = 8;
/// At most so much unused memory is kept.
const KEPT_BYTES: usize = 256 << 20;

/// Unused memory, shared by all bases that were made from one.
#[derive(Default)]
pub(super) struct Pool(Mutex<Free>);

#[derive(Default)]
struct Free {
    /// By size in lines.
    buffers: BTreeMap<usize, Vec<Vec<Line>>>,
    bytes: usize,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pool(..)")
    }
}

impl Pool {
    /// Some words, of any value.
    pub(super) fn take(self: &Arc<Self>, words: usize) -> Words {
        let lines = words.div_ceil(LINE);
        let buffer = self.reuse(lines).unwrap_or_else(|| vec![Line::zeroed(); lines]);
        Words { buffer, length: words, pool: Arc::clone(self) }
    }

    /// A kept buffer that is large enough and not twice too large.
    fn reuse(&self, lines: usize) -> Option<Vec<Line>> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let size = *free.buffers.range(lines..=2 * lines).next()?.0;
        let of_size = free.buffers.get_mut(&size)?;
        let buffer = of_size.pop();
        if of_size.is_empty() {
            free.buffers.remove(&size);
        }
        free.bytes -= size * size_of::<Line>();
        buffer
    }

    fn give_back(&self, buffer: Vec<Line>) {
        let bytes = size_of_val(buffer.as_slice());
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes > 0 && free.bytes + bytes <= KEPT_BYTES {
            free.bytes += bytes;
            free.buffers.entry(buffer.len()).or_default().push(buffer);
        }
    }
}

/// Words aligned to cache lines, which go back to their pool when they're dropped. Their contents aren't erased then:
/// what holds secrets erases them before.
pub struct Words {
    buffer: Vec<Line>,
    length: usize,
    pool: Arc<Pool>,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Contents may be secret.
        f.debug_struct("Words").field("length", &self.length).finish_non_exhaustive()
    }
}

impl Words {
    /// Forgets the words from `length` on.
    pub(super) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &bytemuck::cast_slice(&self.buffer)[..self.length]
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut bytemuck::cast_slice_mut(&mut self.buffer)[..self.length]
    }
}

impl Clone for Words {
    fn clone(&self) -> Self {
        let mut copy = self.pool.take(self.length);
        copy.copy_from_slice(self);
        copy
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.pool.give_back(std::mem::take(&mut self.buffer));
    }
}

impl Zeroize for Words {
    fn zeroize(&mut self) {
        bytemuck::cast_slice_mut::<Line, u64>(&mut self.buffer).zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_words_are_handed_out_again_if_they_fit() {
        let pool = Arc::new(Pool::default());
        let mut words = pool.take(100);
        assert!(words.iter().all(|&word| word == 0) && words.as_ptr().align_offset(64) == 0);
        words.fill(7);
        let place = words.as_ptr();
        let copy = words.clone();
        assert_ne!(copy.as_ptr(), place);
        drop(words);
        let larger = pool.take(200);
        assert_ne!(larger.as_ptr(), place);
        let again = pool.take(90);
        assert_eq!((again.as_ptr(), again.len()), (place, 90));
        assert_ne!(pool.take(10).as_ptr(), place);
    }

    #[test]
    fn erased_words_leave_nothing_in_the_pool() {
        let pool = Arc::new(Pool::default());
        let mut words = pool.take(64);
        words.fill(7);
        words.truncate(8);
        words.zeroize();
        drop(words);
        assert!(pool.take(64).iter().all(|&word| word == 0));
    }

    #[test]
    fn no_more_than_the_limit_is_kept() {
        let pool = Arc::new(Pool::default());
        let half = KEPT_BYTES / 16 + LINE;
        let (first, second) = (pool.take(half), pool.take(half));
        drop(first);
        drop(second);
        assert!(pool.0.lock().unwrap().bytes <= KEPT_BYTES);
    }
}
