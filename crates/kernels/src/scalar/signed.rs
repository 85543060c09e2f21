//! Residues of signed words.

use crate::Modulus;

pub(crate) fn from_signed(out: &mut [u64], input: &[i64], q: &Modulus) {
    assert_eq!(out.len(), input.len());
    out.iter_mut().zip(input).for_each(|(out, &word)| *out = q.reduce_i64(word));
}
