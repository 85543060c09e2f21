//! Permutations.

use crate::{
    Permutation,
    permutation::{BLOCK, Moves},
};

pub(crate) fn permute(out: &mut [u64], input: &[u64], permutation: &Permutation) {
    assert!(out.len() == permutation.len() && input.len() == permutation.len());
    match permutation.moves() {
        Moves::Blocks(blocks) => {
            let (inputs, _) = input.as_chunks::<BLOCK>();
            for (out, source) in out.as_chunks_mut::<BLOCK>().0.iter_mut().zip(blocks) {
                let input = &inputs[source.block()];
                *out = std::array::from_fn(|place| input[source.place(place)]);
            }
        }
        Moves::Words(words) => {
            out.iter_mut().zip(words).for_each(|(out, &source)| *out = input[source as usize]);
        }
    }
}
