//! Rounded Gaussians of any width, in integer arithmetic that takes the same time for all values.
//!
//! A Gaussian x ≥ 0 of density proportional to 2^(−x²) has the standard deviation 1/√(2 ln 2). A candidate for it is
//! x = j + y: j comes from a cumulative table, with P(j) proportional to 2^(−j²), and y is uniform in [0, 1). It's accepted with
//! probability 2^(−y(y + 2j)), 0.68 on average. Candidates are independent, so the number of those that are refused tells
//! nothing of the accepted one. The result is ±x·σ·√(2 ln 2), rounded.
//!
//! The statistical distance from a rounded Gaussian is at most 2^−100: the table and the acceptance have 128 bits, y has 192.
//! The deviation of that Gaussian is σ but for the rounding of σ·√(2 ln 2) to a double.
//!
//! Sources: von Neumann, "Various techniques used in connection with random digits" (1951), for rejection; Ducas, Durmus, Lepoint,
//! Lyubashevsky, "Lattice signatures and bimodal Gaussians" (CRYPTO 2013), for the table of 2^(−j²).

use zeroize::Zeroizing;

use crate::memory::Words;

/// Random words of a candidate: two for j and the sign, three for y, two for its acceptance.
const WORDS: usize = 7;
/// Candidates that are drawn at a time.
const BLOCK: usize = 1 << 9;

/// ⌊2^127·P(j ≤ i)⌋·2 for i = 0, 1, …: even, so that the lowest bit of a word is a sign that doesn't depend on j. What is above the
/// last one, 2^−121, counts as j = 11.
const CUMULATIVE: [u128; 11] = [
    0xa3a2446c95b5b00985dbb564c791ff8a,
    0xf57366a2e090880e48c990172b5aff50,
    0xffad8ae9a9ebe30ee1274b6d77d41f48,
    0xffff5c0be036bde6e5ea39482a37e848,
    0xffffffae24a3539c95f3bf23df9cafda,
    0xfffffffff5c589e770cbc3e6cd77623e,
    0xffffffffffffae2e3a271ee765d51d94,
    0xffffffffffffffff5c5d69c23dd9e082,
    0xffffffffffffffffffffae2ed38f908c,
    0xfffffffffffffffffffffffff5c5db66,
    0xffffffffffffffffffffffffffffffae,
];

/// Taylor's coefficients of 2^x, (ln 2)^i/i! for i = 1, …, 18 in units of 2^−128.
const WIDE: [u128; 18] = [
    0xb17217f7d1cf79abc9e3b39803f2f6af,
    0x3d7f7bff058b1d50de2d60dd92e6bf95,
    0x0e35846b82505fc599d3b15d995e96f7,
    0x0276556df749cee539977c16a7dd58a0,
    0x005761ff9e299cc441c5fda69452fb0c,
    0x000a184897c363c3b7a58544c3591a0f,
    0x0000ffe5fe2c458634358a8e643ec734,
    0x0000162c0223a5c823fd8ffe606da77c,
    0x000001b5253d395e7c3da4a70e5a4ff9,
    0x0000001e4cf5158b8ec9f6fda1d952e7,
    0x00000001e8cac7351bb24c0f57995e47,
    0x000000001c3bd650fc2985e2b5687e17,
    0x0000000001816193166d0f96281ac300,
    0x00000000001314964d5878a973f14362,
    0x000000000000e1b7421d82010f33d8ab,
    0x00000000000009c744d73cfc59c91c7f,
    0x00000000000000661112d070969f5587,
    0x0000000000000003ee2ed7b686d2bae6,
];

/// The next ones, for i = 19, …, 30, which have a word each.
const NARROW: [u64; 12] = [
    0x24b4fd9706b8c9b5,
    0x0145acc4b5051358,
    0x000abfe2bc1f04e3,
    0x000056b3eb4dc077,
    0x0000029cea2bb931,
    0x0000001351aaf6cb,
    0x00000000891f7eca,
    0x0000000003a7d785,
    0x0000000000180669,
    0x0000000000009841,
    0x00000000000003a3,
    0x0000000000000015,
];

/// Returns what [`Sampler::gaussian`](crate::Sampler::gaussian) does, from uniform words that `draw` gives.
pub(crate) fn gaussian(
    count: usize,
    standard_deviation: f64,
    mut draw: impl FnMut(usize) -> Words,
) -> Zeroizing<Vec<i64>> {
    let mut values = Zeroizing::new(vec![0; count]);
    let Some(scale) = Scale::new(standard_deviation) else { return values };
    let mut filled = 0;
    while filled < count {
        let missing = count - filled;
        let words = draw(WORDS * (missing + missing / 2 + 2).min(BLOCK));
        for candidate in words.as_chunks().0 {
            // Always written, but kept only if it's accepted.
            let Some(next) = values.get_mut(filled) else { break };
            let (value, accepted) = scale.candidate(candidate);
            *next = value;
            filled += accepted;
        }
    }
    values
}

/// The factor σ·√(2 ln 2) = mantissa·2^(64 − shift), with a mantissa of 53 bits.
#[derive(Clone, Copy)]
struct Scale {
    mantissa: u64,
    shift: u32,
}

impl Scale {
    /// `None` if all values are rounded to 0.
    fn new(standard_deviation: f64) -> Option<Self> {
        /// √(2 ln 2).
        const UNIT: f64 = 1.177_410_022_515_474_7;
        /// What a double's exponent field exceeds the exponent of its mantissa, as an integer, by.
        const BIAS: u32 = 1075;
        assert!((0.0..=2f64.powi(52)).contains(&standard_deviation));
        let factor = standard_deviation * UNIT;
        // Twelve times less is below ½.
        if factor < 2f64.powi(-10) {
            return None;
        }
        let (exponent, fraction) = ((factor.to_bits() >> 52) as u32, factor.to_bits() & ((1 << 52) - 1));
        Some(Self { mantissa: 1 << 52 | fraction, shift: 64 + BIAS - exponent })
    }

    /// A value, and 1 if it's accepted, else 0.
    #[inline]
    fn candidate(self, words: &[u64; WORDS]) -> (i64, usize) {
        let [sign, high, y0, y1, y2, u0, u1] = *words;
        let (place, sign) = (join(sign, high), (sign & 1).cast_signed());
        let j = CUMULATIVE.iter().map(|&bound| u64::from(place >= bound)).sum();
        let accepted = join(u0, u1) < acceptance(j, join(y1, y2));
        let magnitude = self.rounded(j, [y0, y1, y2]).cast_signed();
        ((magnitude ^ -sign) + sign, usize::from(accepted))
    }

    /// (j + y)·mantissa·2^(64 − shift), rounded, for y in units of 2^−192.
    #[inline]
    fn rounded(self, j: u64, [y0, y1, y2]: [u64; 3]) -> u64 {
        let times = |word: u64| u128::from(word) * u128::from(self.mantissa);
        let carry = (times(y0) >> 64) + times(y1);
        let fraction = (carry >> 64) + times(y2);
        // In units of 2^−64: the shift is from 64 to 126.
        let sum = fraction + (u128::from(j * self.mantissa) << 64);
        ((sum + (1 << (self.shift - 1))) >> self.shift) as u64
    }
}

/// 2^(−y(y + 2j)) for y in units of 2^−128, in the same units, at most 2^−120 off.
#[inline]
fn acceptance(j: u64, y: u128) -> u128 {
    let [low, high] = halves(y).map(|half| half * u128::from(2 * j));
    let high = high + (low >> 64);
    let (fraction, carry) = join(low as u64, high as u64).overflowing_add(product(y, y));
    let whole = (high >> 64) as u32 + u32::from(carry);
    // 2^−(whole + fraction) = 2^(1 − fraction)/2^(1 + whole).
    half_power(!fraction) >> whole
}

/// 2^x/2 for x in units of 2^−128, in the same units.
#[inline]
fn half_power(x: u128) -> u128 {
    let top = x >> 64;
    let narrow = NARROW.iter().rev().fold(0, |sum, &c| c + ((u128::from(sum) * top) >> 64) as u64);
    let sum = WIDE.iter().rev().fold(u128::from(narrow), |sum, &c| c + product(sum, x));
    (1 << 127) + (product(sum, x) >> 1)
}

/// ⌊a·b/2^128⌋ or up to 2 less.
#[inline]
fn product(a: u128, b: u128) -> u128 {
    let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
    a1 * b1 + ((a1 * b0) >> 64) + ((a0 * b1) >> 64)
}

#[inline]
fn halves(x: u128) -> [u128; 2] {
    [u128::from(x as u64), x >> 64]
}

#[inline]
fn join(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sampler, Seed};
    use num_bigint::BigUint;
    use num_traits::{One, ToPrimitive};

    /// Exact numbers are in units of 2^−PRECISION.
    const PRECISION: u32 = 320;
    /// A unit of 2^−128 in these.
    const UNIT: u32 = PRECISION - 128;

    fn one() -> BigUint {
        BigUint::one() << PRECISION
    }

    fn ln_2() -> BigUint {
        (1..=PRECISION).map(|k| (one() >> k) / k).sum()
    }

    fn distance(a: &BigUint, b: &BigUint) -> BigUint {
        if a > b { a - b } else { b - a }
    }

    /// 2^−w.
    fn inverse_power(w: &BigUint) -> BigUint {
        let whole = (w >> PRECISION).to_u32().unwrap();
        let argument = ((one() * (whole + 1) - w) * ln_2()) >> PRECISION;
        let (mut term, mut sum) = (one(), one());
        for i in 1..100u32 {
            term = ((term * &argument) >> PRECISION) / i;
            sum += &term;
        }
        sum >> (whole + 1)
    }

    /// 2^(−j²) for all j that these numbers hold.
    fn weights() -> Vec<BigUint> {
        (0..18u32).map(|j| one() >> (j * j)).collect()
    }

    #[test]
    fn tables_are_those_of_exact_arithmetic() {
        let (weights, total) = (weights(), weights().iter().sum::<BigUint>());
        for (i, &bound) in CUMULATIVE.iter().enumerate() {
            let sum = weights[..=i].iter().sum::<BigUint>();
            assert_eq!(BigUint::from(bound), ((sum << 127) / &total) << 1, "{i}");
        }
        let mut coefficient = one();
        for i in 0..31usize {
            coefficient = ((coefficient * ln_2()) >> PRECISION) / (i as u32 + 1);
            let narrow = || NARROW.get(i.wrapping_sub(WIDE.len())).copied().unwrap_or(0);
            let known = WIDE.get(i).map_or_else(|| BigUint::from(narrow()), |&wide| BigUint::from(wide));
            assert_eq!(known, &coefficient >> UNIT, "{i}");
        }
    }

    /// Of the densities of candidates that are accepted, the distance is at most that of P(j) and that of the acceptance. The
    /// distance of values is that over the density's sum, 0.68. y is in units of 2^−192, and the largest deviation is 2^52.
    #[test]
    fn the_statistical_distance_is_at_most_two_to_the_minus_100() {
        let (weights, total) = (weights(), weights().iter().sum::<BigUint>());
        let mut bounds = vec![BigUint::default()];
        bounds.extend(CUMULATIVE.map(|bound| BigUint::from(bound) << UNIT));
        bounds.push(one());
        let table: BigUint = weights
            .iter()
            .enumerate()
            .map(|(j, weight)| {
                let found = if j < 12 { &bounds[j + 1] - &bounds[j] } else { BigUint::default() };
                distance(&found, &((weight << PRECISION) / &total))
            })
            .sum();
        let mut sampler = Sampler::new(&Seed([9; 32]));
        let mut acceptance_error = BigUint::default();
        for j in 0..12 {
            let random = sampler.uniform(200);
            let random = random.chunks_exact(2).map(|pair| join(pair[0], pair[1]));
            for y in random.chain([0, 1, 1 << 64, (1 << 127) - 1, 1 << 127, u128::MAX]) {
                let exact = BigUint::from(y) << UNIT;
                let w = ((&exact * &exact) >> PRECISION) + exact * (2 * j);
                let error = distance(&(BigUint::from(acceptance(j, y)) << UNIT), &inverse_power(&w));
                acceptance_error = acceptance_error.max(error);
            }
        }
        assert!(acceptance_error < one() >> 120u32);
        // The acceptance is that at y without its lowest word: its slope is below 24·ln 2.
        let whole = (table + acceptance_error + (BigUint::from(24u32) << UNIT)) * 100u32 / 68u32;
        let of_rounding = one() >> (192 - 52 - 4u32);
        assert!(whole + of_rounding < one() >> 100u32);
    }

    #[test]
    fn scaled_values_are_rounded_to_nearest() {
        let mut sampler = Sampler::new(&Seed([8; 32]));
        for deviation in [0.001, 0.3, 1.0, 3.19, 1e4, 2f64.powi(46) / 3.0, 2f64.powi(52)] {
            let scale = Scale::new(deviation).unwrap();
            for words in sampler.uniform(3 * 50).chunks_exact(3) {
                let j = words[0] % 12;
                let x = (BigUint::from(j) << 192u32)
                    + (BigUint::from(join(words[1], words[2])) << 64u32)
                    + BigUint::from(words[0]);
                let shift = 128 + scale.shift;
                let expected = (x * scale.mantissa + (BigUint::one() << (shift - 1))) >> shift;
                assert_eq!(BigUint::from(scale.rounded(j, [words[0], words[1], words[2]])), expected);
                let factor = scale.mantissa as f64 * 2f64.powi(64 - scale.shift as i32);
                assert_eq!(factor, deviation * (2.0 * std::f64::consts::LN_2).sqrt());
            }
        }
        assert!(Scale::new(0.0).is_none() && Scale::new(2f64.powi(-11)).is_none());
    }

    #[test]
    fn candidates_have_the_places_signs_and_bits_of_their_words() {
        let scale = Scale::new(1e6).unwrap();
        let unit = scale.rounded(1, [0; 3]).cast_signed();
        for (j, bound) in (0..).zip([0].iter().chain(&CUMULATIVE)) {
            let [low, high] = [*bound as u64, (bound >> 64) as u64];
            let magnitude = scale.rounded(j, [0; 3]).cast_signed();
            // The lowest bit is the sign; y = 0 is always accepted.
            assert_eq!(scale.candidate(&[low, high, 0, 0, 0, 0, 0]), (magnitude, 1));
            assert_eq!(scale.candidate(&[low | 1, high, 0, 0, 0, 0, 0]), (-magnitude, 1));
            assert!((magnitude - j as i64 * unit).abs() <= j as i64);
            // y next to 1 makes it the next place, and is accepted with probability 2^−(1 + 2j).
            let next = u64::MAX;
            let certain = scale.candidate(&[low, high, next, next, next, 0, 0]);
            assert_eq!(certain.1, 1);
            assert!((certain.0 - scale.rounded(j + 1, [0; 3]).cast_signed()).abs() <= 1);
            assert_eq!(scale.candidate(&[low, high, next, next, next, 0, 1 << (62 - 2 * j)]).1, 1);
            assert_eq!(scale.candidate(&[low, high, next, next, next, 0, (1 << (63 - 2 * j)) + 1]).1, 0);
        }
    }
}
