//! Digests of the parts of a file's body, for readers that read parts again.

use std::collections::BTreeMap;

use super::TensorInfo;

/// Rows of at least this many words are parts of their own.
const PART_WORDS: usize = 1 << 10;

/// Computes the digests of the parts of a body: of the rows of its tensors (their last dimension), or of whole tensors
/// if rows are short.
pub(super) struct PartDigests {
    part: blake3::Hasher,
    /// The lengths of the parts after the current one, in words.
    lengths: std::vec::IntoIter<usize>,
    /// The number of words of the current part that are still to come.
    missing: usize,
    /// For each finished part, the position of its end in words, and its digest.
    done: Vec<(usize, blake3::Hash)>,
}

impl PartDigests {
    /// For a body with the given tensors.
    pub(super) fn new(tensors: &BTreeMap<String, TensorInfo>) -> Self {
        let mut tensors: Vec<&TensorInfo> = tensors.values().collect();
        tensors.sort_by_key(|info| info.data_offsets);
        let parts = |info: &TensorInfo| {
            let words: usize = info.shape.iter().product();
            let row = info.shape.last().copied().filter(|&row| row >= PART_WORDS);
            let part = row.unwrap_or(words);
            std::iter::repeat_n(part, words.checked_div(part).unwrap_or(0))
        };
        let lengths: Vec<usize> = tensors.into_iter().flat_map(parts).collect();
        let mut lengths = lengths.into_iter();
        let missing = lengths.next().unwrap_or(0);
        Self { part: blake3::Hasher::new(), lengths, missing, done: Vec::new() }
    }

    /// Digests the next words of the body.
    ///
    /// # Panics
    /// If there are more words than the tensors have.
    pub(super) fn update(&mut self, mut words: &[u64]) {
        while !words.is_empty() {
            assert!(self.missing > 0);
            let (now, later) = words.split_at(words.len().min(self.missing));
            self.part.update(bytemuck::cast_slice(now));
            (self.missing, words) = (self.missing - now.len(), later);
            if self.missing == 0 {
                let start = self.done.last().map_or(0, |&(end, _)| end);
                let length = (self.part.count() / 8) as usize;
                self.done.push((start + length, self.part.finalize()));
                self.part.reset();
                self.missing = self.lengths.next().unwrap_or(0);
            }
        }
    }

    /// For each part, the position of its end in words, and its digest.
    pub(super) fn finish(self) -> Vec<(usize, blake3::Hash)> {
        self.done
    }
}
