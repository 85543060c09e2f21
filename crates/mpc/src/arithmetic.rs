//! Products of many matrices at once.

use asanoha_circuits::matrix::MatrixBatch;
use asanoha_ring::WideModulus;
use rayon::prelude::*;
use zeroize::Zeroizing;

/// The products of matrices modulo t, one by one. Sums of products stand in twice as many words as t and one more, and
/// are reduced once.
///
/// # Panics
/// If the shapes or counts don't go together.
pub(crate) fn product(modulus: &WideModulus, left: &MatrixBatch, right: &MatrixBatch) -> MatrixBatch {
    let ([rows, inner], [below, columns]) = (left.shape(), right.shape());
    let (count, limbs) = (left.count(), modulus.limbs());
    assert!(inner == below && count == right.count());
    let mut product = MatrixBatch::zero(modulus, [rows, columns], count);
    let wide = 2 * limbs + 1;
    product.words_mut().par_chunks_mut(count * limbs).enumerate().for_each(|(place, out)| {
        let (row, column) = (place / columns, place % columns);
        let mut sums = Zeroizing::new(vec![0; count * wide]);
        for k in 0..inner {
            let factors =
                left.place(row, k).chunks_exact(limbs).zip(right.place(k, column).chunks_exact(limbs));
            for (sum, (a, b)) in sums.chunks_exact_mut(wide).zip(factors) {
                add_product(sum, a, b);
            }
        }
        out.copy_from_slice(&Zeroizing::new(modulus.reduce(&sums, wide)));
    });
    product
}

/// sum ← sum + a·b, where the sum has one word more than both together.
fn add_product(sum: &mut [u64], a: &[u64], b: &[u64]) {
    for (i, &a) in a.iter().enumerate() {
        let mut carry = 0;
        let (low, high) = sum[i..].split_at_mut(b.len());
        for (sum, &b) in low.iter_mut().zip(b) {
            let whole = u128::from(a) * u128::from(b) + u128::from(*sum) + u128::from(carry);
            *sum = whole as u64;
            carry = (whole >> 64) as u64;
        }
        for sum in high {
            let (next, over) = sum.overflowing_add(carry);
            *sum = next;
            carry = u64::from(over);
        }
    }
}

#[cfg(test)]
mod tests {
    use asanoha_ring::{Sampler, Seed};
    use num_bigint::BigUint;
    use num_traits::One;

    use super::*;
    use crate::threshold::fill_uniform;

    #[test]
    fn products_are_those_of_the_slow_definition() {
        for bits in [20u32, 64, 65, 128, 512] {
            let modulus = WideModulus::new(&((BigUint::one() << bits) - 1u32)).unwrap();
            let batch = |shape: [usize; 2], fill: u8| {
                let mut batch = MatrixBatch::zero(&modulus, shape, 5);
                fill_uniform(&modulus, batch.words_mut(), &mut Sampler::new(&Seed([fill; 32])));
                batch
            };
            let (mut a, b) = (batch([3, 7], 1), batch([7, 2], 2));
            // The largest residue everywhere in one matrix.
            let largest = modulus.row(&(-1).into());
            (0..21).for_each(|at| a.entry_mut(4, at / 7, at % 7).copy_from_slice(&largest));
            assert!(product(&modulus, &a, &b) == a.product(&modulus, &b), "{bits} bits");
        }
    }
}
