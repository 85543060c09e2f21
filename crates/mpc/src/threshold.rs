//! Decryption by all parties together, to shares of the plaintext.

use asanoha_ring::{Basis, Coefficient, Poly, RelativeSize, Sampler, WideModulus, WidePlanes, Words};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

use crate::{
    GenerateError, TripleParams,
    opening::{HEADROOM_BITS, Opening},
    phases::Others,
};

/// Bits of the digits that masks are drawn in: words of all kernels hold them.
const DIGIT_BITS: u32 = 48;

/// Words that are drawn at a time: as many as stay in the second-level cache.
const DRAWN_WORDS: usize = 1 << 13;

/// One party's mask u of one ciphertext: uniform integers, so wide that they hide what they're added to.
struct Mask {
    /// The digits, the lowest first.
    digits: Words,
    ring_degree: usize,
}

impl Mask {
    fn draw(ring_degree: usize, bits: u32, sampler: &mut Sampler) -> Self {
        let mut digits = sampler.uniform(bits.div_ceil(DIGIT_BITS) as usize * ring_degree);
        for (position, digits) in digits.chunks_exact_mut(ring_degree).enumerate() {
            let mask = (1 << (bits - position as u32 * DIGIT_BITS).min(DIGIT_BITS)) - 1;
            digits.iter_mut().for_each(|digit| *digit &= mask);
        }
        Self { digits, ring_degree }
    }

    /// The digits and what each one counts.
    fn digits(&self) -> impl Iterator<Item = (&[u64], BigInt)> {
        let digits = self.digits.chunks_exact(self.ring_degree).enumerate();
        digits.map(|(position, digits)| (digits, BigInt::one() << (position * DIGIT_BITS as usize)))
    }

    /// u modulo the primes of a basis.
    fn whole(&self, basis: &Basis) -> Poly<Coefficient> {
        Poly::combination(basis, DIGIT_BITS, &self.digits().collect::<Vec<_>>())
    }
}

/// Fills rows with uniform residues, of as many words as the modulus has. Those above it are drawn again.
pub(crate) fn fill_uniform(modulus: &WideModulus, rows: &mut [u64], sampler: &mut Sampler) {
    let limbs = modulus.limbs();
    let top = modulus.value().bits() % 64;
    let mask = if top == 0 { u64::MAX } else { (1 << top) - 1 };
    let mut filled = 0;
    while filled < rows.len() {
        let mut drawn = sampler.uniform((rows.len() - filled).min(DRAWN_WORDS).next_multiple_of(limbs));
        for row in drawn.chunks_exact_mut(limbs) {
            row[limbs - 1] &= mask;
            // Always written, but kept only if it's below t, which says nothing of those that are.
            let Some(place) = rows.get_mut(filled..filled + limbs) else { break };
            place.iter_mut().zip(&*row).for_each(|(place, word)| *place = *word);
            filled += limbs * usize::from(modulus.is_residue(row));
        }
    }
}

/// Every party's share of a factor times the plaintext, given the parties' shares of the decryption and what they draw from.
///
/// Each party adds its mask u to its share of the decryption. The sum of these is opened: modulo t it's the plaintext and
/// all u, and the masks hide the noise. The first party takes it, less its own u, and the others take −u.
/// Source: Damgård, Keller, Larraia, Pastro, Scholl, Smart, "Practical covertly secure MPC for dishonest majority" (ESORICS
/// 2013), Reshare.
///
/// # Errors
/// [`GenerateError::Noise`] if what is opened is larger than it can be.
pub(crate) fn open_to_shares(
    params: &TripleParams,
    opening: &Opening,
    factor: &BigUint,
    others: &Others,
    sampler: impl Fn(usize) -> Sampler,
    share: impl Fn(usize) -> Poly<Coefficient>,
) -> Result<Vec<WidePlanes>, GenerateError> {
    let t = &params.modulus;
    let mut opened: Option<Poly<Coefficient>> = None;
    let mut masks = Vec::with_capacity(params.parties);
    let mask = |party| {
        let mut part = share(party);
        if let Some(divider) = &opening.divider {
            part = divider.divide_coefficients(part);
        }
        let mask = Mask::draw(params.rlwe.ring_degree(), opening.mask_bits, &mut sampler(party));
        part.add_assign(&mask.whole(part.basis()));
        (part, mask)
    };
    for party in 0..params.parties {
        let (part, mask) = others.timed(party, || mask(party));
        match &mut opened {
            None => opened = Some(part),
            Some(opened) => opened.add_assign(&part),
        }
        masks.push(mask);
    }
    let opened = opened.expect("there are parties");
    let found = opened.relative_size(|_| 1).largest;
    let within = found <= (-HEADROOM_BITS).exp2() + RelativeSize::ERROR;
    if !within {
        return Err(GenerateError::Noise);
    }
    let opened = opened.into_summands(t);
    let share = |(party, mask): (usize, &Mask)| {
        let own = mask
            .digits()
            .map(|(digits, weight)| (digits, t.residue(&-(weight * BigInt::from(factor.clone())))));
        let mut terms: Vec<(&[u64], BigUint)> = own.collect();
        if party == 0 {
            terms.extend(
                opened.terms().into_iter().map(|(words, weight)| (words, weight * factor % t.value())),
            );
        }
        params.packing.columns().combination(&terms)
    };
    Ok(masks.iter().enumerate().map(|mask| others.timed(mask.0, || share(mask))).collect())
}
