//! Permutations of slices, checked once, so that the loops over them check nothing.

use thiserror::Error;

/// Words in a block.
pub(crate) const BLOCK: usize = 8;
/// Bits of the index of a word in its block.
const LANE_BITS: u32 = 3;
/// Bits of the indices of all words of a block.
const BLOCK_SHIFT: u32 = LANE_BITS * BLOCK as u32;

/// Why a list of indices is no permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PermutationError {
    /// An index that isn't below the number of words.
    #[error("index {index} is out of range for a permutation of {length} words")]
    OutOfRange {
        /// The index.
        index: u32,
        /// The number of words.
        length: usize,
    },
    /// An index that occurs twice.
    #[error("index {0} occurs twice in the permutation")]
    Repeated(u32),
}

/// A permutation of the words of a slice: word i of the image is word `source[i]`.
///
/// Where aligned blocks of eight words come from aligned blocks of eight words, as automorphisms in evaluation order
/// do it, only the blocks are kept: a byte for each word, and whole cache lines to move.
///
/// ```
/// use asanoha_kernels::{Backend, Permutation};
/// let rotation = Permutation::new(&[1, 2, 0])?;
/// let mut out = [0; 3];
/// (Backend::Scalar.kernels(61).permute)(&mut out, &[7, 8, 9], &rotation);
/// assert_eq!(out, [8, 9, 7]);
/// # Ok::<(), asanoha_kernels::PermutationError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Permutation {
    moves: Moves,
}

/// How the words move. All indices are in range: [`Permutation::new`] is the only way to make one.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Moves {
    /// By blocks: for each block of the image, where its words come from.
    Blocks(Box<[BlockMove]>),
    /// By words: for each word of the image, the index of its source.
    Words(Box<[u32]>),
}

/// Where the words of a block come from: bits 3i to 3i + 2 hold the index of word i's source in the source block, and
/// the bits above all indices hold the number of the source block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockMove(u64);

impl BlockMove {
    /// From the indices of the words' sources; `None` unless these lie in one block.
    fn new(sources: &[u32; BLOCK]) -> Option<Self> {
        let block = sources[0] >> LANE_BITS;
        let place = |source: u32| u64::from(source % BLOCK as u32);
        sources.iter().all(|source| source >> LANE_BITS == block).then(|| {
            let places =
                sources.iter().rev().fold(0, |places, &source| (places << LANE_BITS) | place(source));
            Self((u64::from(block) << BLOCK_SHIFT) | places)
        })
    }

    /// The number of the source block.
    #[inline]
    pub(crate) fn block(self) -> usize {
        (self.0 >> BLOCK_SHIFT) as usize
    }

    /// The index in the source block of the word at index `place` of the image's block.
    #[inline]
    pub(crate) fn place(self, place: usize) -> usize {
        (self.0 >> (LANE_BITS * place as u32)) as usize % BLOCK
    }

    /// The indices of all words in the source block, that of word i from bit 3i on; the bits above them hold the number
    /// of the block.
    #[inline]
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn places(self) -> u64 {
        self.0
    }
}

impl std::fmt::Debug for Permutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Permutation").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl Permutation {
    /// Makes the permutation, after checking that every index occurs once.
    pub fn new(source: &[u32]) -> Result<Self, PermutationError> {
        let mut seen = vec![false; source.len()];
        for &index in source {
            let seen = seen
                .get_mut(index as usize)
                .ok_or(PermutationError::OutOfRange { index, length: source.len() })?;
            if std::mem::replace(seen, true) {
                return Err(PermutationError::Repeated(index));
            }
        }
        let (blocks, tail) = source.as_chunks();
        let blocks: Option<Box<[BlockMove]>> =
            if tail.is_empty() { blocks.iter().map(BlockMove::new).collect() } else { None };
        Ok(Self { moves: blocks.map_or_else(|| Moves::Words(source.into()), Moves::Blocks) })
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        match &self.moves {
            Moves::Blocks(blocks) => blocks.len() * BLOCK,
            Moves::Words(words) => words.len(),
        }
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        match &self.moves {
            Moves::Blocks(blocks) => size_of_val::<[_]>(blocks),
            Moves::Words(words) => size_of_val::<[_]>(words),
        }
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of the source of the image's word `index`.
    pub fn source(&self, index: usize) -> usize {
        match &self.moves {
            Moves::Blocks(blocks) => {
                let block = blocks[index / BLOCK];
                block.block() * BLOCK + block.place(index % BLOCK)
            }
            Moves::Words(words) => words[index] as usize,
        }
    }

    pub(crate) fn moves(&self) -> &Moves {
        &self.moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_that_are_no_permutations_are_refused() {
        assert_eq!(Permutation::new(&[0, 3, 1]), Err(PermutationError::OutOfRange { index: 3, length: 3 }));
        assert_eq!(Permutation::new(&[0, 2, 2]), Err(PermutationError::Repeated(2)));
        assert!(Permutation::new(&[]).unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn sources_are_those_given(
            source in (0usize..70).prop_flat_map(|n| Just((0..n as u32).collect::<Vec<_>>()).prop_shuffle()),
        ) {
            let permutation = Permutation::new(&source).unwrap();
            prop_assert_eq!(permutation.len(), source.len());
            prop_assert!(source.iter().enumerate().all(|(i, &from)| permutation.source(i) == from as usize));
            let in_blocks: Vec<u32> =
                source.iter().flat_map(|&block| (0..8).map(move |lane| block * 8 + (lane * 5 + block) % 8)).collect();
            let permutation = Permutation::new(&in_blocks).unwrap();
            prop_assert!(matches!(permutation.moves(), Moves::Blocks(_)));
            prop_assert!(in_blocks.iter().enumerate().all(|(i, &from)| permutation.source(i) == from as usize));
        }
    }
}
