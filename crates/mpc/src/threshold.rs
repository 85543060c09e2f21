//! Decryption by all parties together, to shares of the plaintext.

use asanoha_lattice::{RlweCiphertext, SecretShare};
use asanoha_ring::{Coefficient, Poly, RelativeSize, Sampler, WideModulus};
use num_bigint::BigUint;
use zeroize::Zeroizing;

use crate::{GenerateError, TripleParams};

/// One party's mask u of one ciphertext: uniform integers, so wide that they hide what they're added to.
struct Mask {
    /// u modulo t, as rows of residues: what the sum of the masked shares has beside the plaintext.
    plain: Zeroizing<Vec<u64>>,
    /// u.
    whole: Poly<Coefficient>,
}

/// Uniform residues: rows of as many words as the modulus has. Those above it are drawn again.
pub(crate) fn uniform_rows(
    modulus: &WideModulus,
    count: usize,
    sampler: &mut Sampler,
) -> Zeroizing<Vec<u64>> {
    let limbs = modulus.limbs();
    let top = modulus.value().bits() % 64;
    let mask = if top == 0 { u64::MAX } else { (1 << top) - 1 };
    let t = modulus.value().to_u64_digits();
    let mut rows = Zeroizing::new(Vec::with_capacity(count * limbs));
    while rows.len() < count * limbs {
        let mut words = sampler.uniform(count * limbs - rows.len());
        for row in words.chunks_exact_mut(limbs) {
            row[limbs - 1] &= mask;
            if row.iter().rev().lt(t.iter().rev()) {
                rows.extend_from_slice(row);
            }
        }
    }
    rows
}

impl TripleParams {
    fn mask(&self, basis: &asanoha_ring::Basis, sampler: &mut Sampler) -> Mask {
        let basis = basis.secret();
        // Modulo a power of two above twice the masks, so that none is taken for a negative number.
        let range = BigUint::from(1u32) << (self.mask_bits + 1);
        let range = WideModulus::new(&range).expect("it's above 1");
        let words = range.limbs();
        let mut rows = sampler.uniform(basis.ring_degree() * words);
        for row in rows.chunks_exact_mut(words) {
            for (i, word) in row.iter_mut().enumerate() {
                let bits = self.mask_bits.saturating_sub(64 * i as u32).min(64);
                *word &= u64::MAX.checked_shr(64 - bits).unwrap_or(0);
            }
        }
        let plain = Zeroizing::new(self.modulus.reduce(&rows, words));
        Mask { plain, whole: Poly::from_rows(&basis, &rows, &range) }
    }

    /// Every party's share of a ciphertext's plaintext, as rows of residues.
    ///
    /// Each party adds its mask u to its share of the decryption. The sum of these is opened: modulo t it's the plaintext and
    /// all u, and the masks hide the noise. The first party takes it, less its own u, and the others take −u.
    /// Source: Damgård, Keller, Larraia, Pastro, Scholl, Smart, "Practical covertly secure MPC for dishonest majority" (ESORICS
    /// 2013), Reshare.
    ///
    /// # Errors
    /// [`GenerateError::Noise`] if what is opened is larger than it can be.
    pub(crate) fn decrypt_to_shares(
        &self,
        ciphertext: &RlweCiphertext,
        shares: &[SecretShare],
        samplers: impl Iterator<Item = Sampler>,
    ) -> Result<Vec<Vec<u64>>, GenerateError> {
        let t = &self.modulus;
        let mut opened: Option<Poly<Coefficient>> = None;
        let mut plains = Vec::with_capacity(shares.len());
        for (share, mut sampler) in shares.iter().zip(samplers) {
            let mut part = share.decryption_share(ciphertext);
            let mask = self.mask(part.basis(), &mut sampler);
            part.add_assign(&mask.whole);
            match &mut opened {
                None => opened = Some(part),
                Some(opened) => opened.add_assign(&part),
            }
            plains.push(mask.plain);
        }
        let opened = opened.expect("there are parties");
        let found = opened.relative_size(|_| 1).largest;
        // Parameters leave twice this below the modulus; garbage has about half of it.
        let within = found <= 0.25 + RelativeSize::ERROR;
        if !within {
            return Err(GenerateError::Noise);
        }
        let opened = opened.into_rows(t);
        let mut shares: Vec<Vec<u64>> = plains
            .into_iter()
            .map(|plain| {
                let mut share = plain.to_vec();
                t.neg_assign(&mut share);
                share
            })
            .collect();
        t.add_assign(&mut shares[0], &opened);
        Ok(shares)
    }
}
