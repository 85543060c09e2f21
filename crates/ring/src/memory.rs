//! Memory for polynomials. Fresh memory is expensive, since the operating system clears every page of it, and
//! operations need megabytes of temporaries; so the memory of dropped polynomials is kept and reused. Polynomials of
//! realistic sizes share large pages. Secrets have a pool of their own: its memory is erased when it is returned, and
//! kept from core files and forked processes.

use std::{
    alloc::{Layout, handle_alloc_error},
    collections::BTreeMap,
    ops::{Deref, DerefMut},
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicUsize, Ordering},
    },
};

use asanoha_kernels::{Piece, Region, fork_generation};
use bytemuck::{Pod, Zeroable};
use zeroize::Zeroize;

/// Words of one cache line, which is also one vector register.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line([u64; LINE]);

const LINE: usize = 8;
/// The most unused memory that a pool keeps, in bytes, unless [`keep_unused_memory`] says otherwise.
const KEPT_BYTES: usize = 256 << 20;
static KEPT: AtomicUsize = AtomicUsize::new(KEPT_BYTES);
/// How many times as long as it's asked for a reused buffer may be: polynomials of few primes take the memory that those of the
/// highest levels have left.
const MOST_SPARE: usize = 4;
/// Requests for fewer bytes are served from the heap: large pages don't help them.
const SMALL_BYTES: usize = 128 << 10;
/// The memory that is requested from the operating system at once, in bytes.
const REGION_BYTES: usize = 32 << 20;
/// The same for secrets, of which there are few: a limit of address space counts what isn't used too.
const SECRET_REGION_BYTES: usize = 4 << 20;
/// Whether there is an operating system that hands out pages. In the browser all memory is one heap.
const HAS_PAGES: bool = !cfg!(target_family = "wasm");

/// Unused memory, shared by all bases derived from one basis, or by all secrets.
pub(crate) struct Pool {
    free: Mutex<Free>,
    secret: bool,
    /// The process that made it ([`fork_generation`]).
    generation: u64,
}

#[derive(Default)]
struct Free {
    /// Unused buffers by their size in words.
    buffers: BTreeMap<usize, Unused>,
    bytes: usize,
    /// How often memory was asked for.
    requests: u64,
    /// The region whose rest hasn't been handed out yet.
    region: Option<Region>,
}

/// Unused buffers of one size, and the request that last took one or found none.
#[derive(Default)]
struct Unused {
    buffers: Vec<Buffer>,
    request: u64,
}

enum Buffer {
    Small(Vec<Line>),
    Large(Piece),
}

impl Buffer {
    /// Whether it holds secrets of the process that this one was forked from.
    fn is_lost(&self) -> bool {
        matches!(self, Self::Large(piece) if piece.is_lost())
    }
}

impl Deref for Buffer {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Small(lines) => bytemuck::cast_slice(lines),
            Self::Large(piece) => piece,
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Small(lines) => bytemuck::cast_slice_mut(lines),
            Self::Large(piece) => piece,
        }
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pool(..)")
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self { free: Mutex::default(), secret: false, generation: fork_generation() }
    }
}

impl Pool {
    /// The pool of all secrets.
    pub(crate) fn of_secrets() -> &'static Arc<Self> {
        static POOL: LazyLock<Arc<Pool>> =
            LazyLock::new(|| Arc::new(Pool { secret: true, ..Pool::default() }));
        &POOL
    }

    /// `words` words with unspecified contents.
    pub(crate) fn take(self: &Arc<Self>, words: usize) -> Words {
        let size = words.next_multiple_of(LINE);
        let buffer = match self.lock() {
            Some(mut free) => {
                if free.region.as_ref().is_some_and(Region::is_lost) {
                    // All of this memory belongs to the process that this one was forked from.
                    *free = Free::default();
                }
                free.reuse(size).unwrap_or_else(|| free.fresh(size, self.secret))
            }
            None => Free::default().fresh(size, self.secret),
        };
        Words { buffer, length: words, pool: Arc::clone(self) }
    }

    /// What is unused; `None` in a forked process if it's taken there: perhaps by a thread of the process that it was forked
    /// from, which nobody must wait for.
    fn lock(&self) -> Option<MutexGuard<'_, Free>> {
        match self.free.try_lock() {
            Ok(free) => Some(free),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if self.generation == fork_generation() => {
                Some(self.free.lock().unwrap_or_else(PoisonError::into_inner))
            }
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn give_back(&self, mut buffer: Buffer) {
        if buffer.is_lost() {
            return;
        }
        if self.secret {
            erase(&mut buffer);
        }
        let bytes = size_of_val::<[u64]>(&buffer);
        let Some(mut free) = self.lock() else { return };
        if bytes > 0 && free.make_room(bytes) {
            free.bytes += bytes;
            free.buffers.entry(buffer.len()).or_default().buffers.push(buffer);
        }
    }
}

/// Sets words to zero, by vectors: `zeroize` writes word after word, which takes several times as long. To the compiler, `black_box`
/// may read them, so that the zeros are written.
fn erase(words: &mut [u64]) {
    words.fill(0);
    std::hint::black_box(words);
}

/// Lets this process keep this much memory of dropped polynomials, in bytes, for each basis with those derived from it and
/// for all secrets, instead of 256 MiB. A computation that drops and takes gigabytes again and again is faster if they
/// aren't returned to the operating system, which clears every page that it hands out.
pub fn keep_unused_memory(bytes: usize) {
    KEPT.store(bytes, Ordering::Relaxed);
}

impl Free {
    /// The smallest unused buffer of at least `size` words, if it has at most [`MOST_SPARE`] times as many.
    fn reuse(&mut self, size: usize) -> Option<Buffer> {
        self.requests += 1;
        let fits = |(_, unused): &(&usize, &mut Unused)| !unused.buffers.is_empty();
        let Some((&size, unused)) = self.buffers.range_mut(size..=MOST_SPARE * size).find(fits) else {
            self.buffers.entry(size).or_default().request = self.requests;
            return None;
        };
        unused.request = self.requests;
        self.bytes -= size * size_of::<u64>();
        unused.buffers.pop()
    }

    /// Makes room for a buffer, by giving up buffers of the sizes that weren't asked for the longest: what a computation has
    /// left behind mustn't keep the next one from reusing its own. Says whether there is room.
    fn make_room(&mut self, bytes: usize) -> bool {
        while self.bytes + bytes > KEPT.load(Ordering::Relaxed) {
            let held = self.buffers.iter_mut().filter(|(_, unused)| !unused.buffers.is_empty());
            let Some((&size, oldest)) = held.min_by_key(|(_, unused)| unused.request) else { return false };
            if oldest.request == self.requests {
                return false;
            }
            oldest.buffers.pop();
            self.bytes -= size * size_of::<u64>();
        }
        true
    }

    fn fresh(&mut self, size: usize, secret: bool) -> Buffer {
        let bytes = size * size_of::<u64>();
        if bytes < SMALL_BYTES && !secret || !HAS_PAGES {
            return Buffer::Small(vec![Line::zeroed(); size / LINE]);
        }
        if let Some(piece) = self.region.as_mut().and_then(|region| region.take(size)) {
            return Buffer::Large(piece);
        }
        let asked = bytes.max(if secret { SECRET_REGION_BYTES } else { REGION_BYTES });
        let region = if secret { Region::secret(asked) } else { Region::new(asked) };
        let piece = region.ok().and_then(|region| self.region.insert(region).take(size));
        Buffer::Large(piece.unwrap_or_else(|| {
            handle_alloc_error(Layout::array::<u64>(asked / size_of::<u64>()).expect("asked for before"))
        }))
    }
}

/// Words aligned to cache lines, which return to their pool on drop. Words of a secret basis ([`crate::Basis::secret`])
/// are erased then, and reading them in a forked process panics. Others aren't erased: code that puts secrets there
/// erases them itself.
pub struct Words {
    buffer: Buffer,
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
    /// Words for a secret that belongs to no basis, with unspecified contents.
    pub fn secret(length: usize) -> Self {
        Pool::of_secrets().take(length)
    }

    /// Words for what is public and belongs to no basis, all zero.
    pub fn zero(length: usize) -> Self {
        static POOL: LazyLock<Arc<Pool>> = LazyLock::new(Arc::default);
        let mut words = POOL.take(length);
        words.fill(0);
        words
    }

    /// Whether they hold a secret of the process that this one was forked from.
    pub(crate) fn is_lost(&self) -> bool {
        self.buffer.is_lost()
    }

    /// The words as doubles, of which they are the bits.
    pub fn as_floats(&self) -> &[f64] {
        bytemuck::cast_slice(self)
    }

    /// [`Words::as_floats`], mutably.
    pub fn as_floats_mut(&mut self) -> &mut [f64] {
        bytemuck::cast_slice_mut(self)
    }

    /// Drops the words from `length` on.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.buffer[..self.length]
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.buffer[..self.length]
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
        self.pool.give_back(std::mem::replace(&mut self.buffer, Buffer::Small(Vec::new())));
    }
}

impl Zeroize for Words {
    fn zeroize(&mut self) {
        if !self.buffer.is_lost() {
            erase(&mut self.buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_words_are_handed_out_again_if_they_fit() {
        for unit in [1, SMALL_BYTES / size_of::<u64>()] {
            let pool = Arc::new(Pool::default());
            let mut words = pool.take(100 * unit);
            assert!(words.iter().all(|&word| word == 0) && words.as_ptr().align_offset(64) == 0);
            words.fill(7);
            let place = words.as_ptr();
            let copy = words.clone();
            assert_ne!(copy.as_ptr(), place);
            drop(words);
            let larger = pool.take(200 * unit);
            assert_ne!(larger.as_ptr(), place);
            let again = pool.take(90 * unit);
            assert_eq!((again.as_ptr(), again.len()), (place, 90 * unit));
            assert_ne!(pool.take(10 * unit).as_ptr(), place);
        }
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
    fn secrets_are_erased_when_they_are_dropped_and_large_or_small_stand_on_pages_of_their_own() {
        let pool = Arc::new(Pool { secret: true, ..Pool::default() });
        for size in [4, SMALL_BYTES] {
            let mut words = pool.take(size);
            assert!(matches!(words.buffer, Buffer::Large(_)));
            words.fill(7);
            let (copy, place) = (words.clone(), words.as_ptr());
            assert!(!copy.is_lost());
            drop((words, copy));
            let again = [pool.take(size), pool.take(size)];
            assert!(again.iter().any(|words| words.as_ptr() == place));
            assert!(again.iter().all(|words| words.iter().all(|&word| word == 0)));
        }
    }

    #[test]
    fn what_is_in_use_is_kept_rather_than_what_is_not() {
        let pool = Arc::new(Pool::default());
        // As much as is kept, of a size that isn't asked for again.
        let old: Vec<Words> = (0..16).map(|_| pool.take(KEPT_BYTES / 16 / size_of::<u64>())).collect();
        drop(old);
        let words = pool.take(SMALL_BYTES);
        let place = words.as_ptr();
        drop(words);
        assert_eq!(pool.take(SMALL_BYTES).as_ptr(), place);
        assert!(pool.free.lock().unwrap().bytes <= KEPT_BYTES);
    }

    #[test]
    fn no_more_than_the_limit_is_kept() {
        let pool = Arc::new(Pool::default());
        let half = KEPT_BYTES / 16 + LINE;
        let (first, second) = (pool.take(half), pool.take(half));
        drop(first);
        drop(second);
        assert!(pool.free.lock().unwrap().bytes <= KEPT_BYTES);
    }
}
