//! What the passes need of a kind of arithmetic.

use std::arch::x86_64::__m256i;

use crate::NttTable;
use crate::avx2::vector::Factor;

/// The vectors that the butterflies of two layers work on.
pub(super) type Four = [__m256i; 4];

/// A kind of lazy arithmetic modulo q on vectors.
///
/// # Safety
/// The functions may be called only on processors with AVX2 and FMA. They're inlined into functions that enable
/// these, which a trait's functions can't do themselves.
// Inlined always, as their implementations.
#[allow(clippy::inline_always)]
pub(super) trait Arithmetic: Copy {
    /// The constants for the layers of one table.
    unsafe fn new(table: &NttTable) -> Self;

    /// Converts canonical words to the representation that the layers work on.
    unsafe fn enter(&self, v: __m256i) -> __m256i;

    /// Converts the results of the forward layers to canonical words.
    unsafe fn leave(&self, v: __m256i) -> __m256i;

    /// The number of layers that values may pass through from a correction, or from the beginning, to the next
    /// correction.
    const LAYERS: u32;

    /// The butterflies X, Y → X ± W·Y of one layer.
    unsafe fn forward_one(&self, v: [__m256i; 2], w: Factor) -> [__m256i; 2];

    /// Two forward layers, after a correction if `CORRECT`.
    unsafe fn forward_two<const CORRECT: bool>(&self, v: Four, w: [Factor; 3]) -> Four;

    /// The butterflies X, Y → X + Y, W·(X − Y) of two layers; the first layer takes the last two roots.
    unsafe fn inverse_two(&self, v: Four, w: [Factor; 3]) -> Four;

    /// [`Self::forward_two`] of two blocks, side by side where that's faster.
    #[inline(always)]
    unsafe fn forward_two_pair<const CORRECT: bool>(&self, v: [Four; 2], w: &[[Factor; 3]; 2]) -> [Four; 2] {
        // SAFETY: the contract of the trait.
        unsafe { [self.forward_two::<CORRECT>(v[0], w[0]), self.forward_two::<CORRECT>(v[1], w[1])] }
    }

    /// [`Self::inverse_two`] of two blocks, side by side where that's faster.
    #[inline(always)]
    unsafe fn inverse_two_pair(&self, v: [Four; 2], w: &[[Factor; 3]; 2]) -> [Four; 2] {
        // SAFETY: the contract of the trait.
        unsafe { [self.inverse_two(v[0], w[0]), self.inverse_two(v[1], w[1])] }
    }

    /// The last inverse layer, 1/N included. Out: canonical words.
    unsafe fn last_one(&self, v: [__m256i; 2]) -> [__m256i; 2];

    /// The last two inverse layers, 1/N included. Out: canonical words.
    unsafe fn last_two(&self, v: Four, w: [Factor; 3]) -> Four;
}
