//! The sums of a key switch, composed of a back-end's other loops.

use crate::{Kernels, Modulus, SwitchTerm};

/// [`Kernels::switch_sum`] by permutations, inner products and additions of whole slices.
pub(crate) fn composed(kernels: &Kernels, out: [&mut [u64]; 2], terms: &[SwitchTerm<'_>], q: &Modulus) {
    let length = out[0].len();
    assert!(out[1].len() == length && terms.iter().all(|term| term.fits(length)));
    let mut sum = vec![0; length];
    let most = terms.iter().map(|term| term.digits.len()).max().unwrap_or(0);
    let mut images = vec![vec![0; length]; most];
    let mut keys = images.clone();
    let image = |to: &mut [u64], from: &[u64], term: &SwitchTerm<'_>| match term.permutation {
        Some(permutation) => (kernels.permute)(to, from, permutation),
        None => to.copy_from_slice(from),
    };
    let [first, second] = out;
    first.fill(0);
    second.fill(0);
    for term in terms {
        images.iter_mut().zip(term.digits).for_each(|(to, from)| image(to, from, term));
        for (h, out) in [&mut *first, &mut *second].into_iter().enumerate() {
            keys.iter_mut().zip(term.keys).for_each(|(to, key)| (kernels.unpack)(to, key[h], 0));
            let pairs: Vec<(&[u64], &[u64])> =
                images.iter().zip(&keys).take(term.keys.len()).map(|(a, b)| (&**a, &**b)).collect();
            if !pairs.is_empty() {
                (kernels.inner_product)(&mut sum, &pairs, q);
                (kernels.add_assign)(out, &sum, q);
            }
            if let Some(addend) = term.addends[h] {
                image(&mut sum, addend, term);
                (kernels.add_assign)(out, &sum, q);
            }
        }
    }
}
