//! The smallest ring and modulus of a chain of squarings.

use asanoha_bfv::BfvLiteral;
use asanoha_kernels::{Backend, primes_congruent_to_one};
use asanoha_lattice::{Level, NoiseModel, Norm, RlweLiteral, largest_log2_modulus};
use asanoha_scheme::{Model, Scheme};
use num_bigint::BigUint;

use super::{Chain, ExactScheme};

const LOG2_RING_DEGREES: std::ops::RangeInclusive<u32> = 12..=18;
const SECURITY: u32 = 128;
/// Prime widths: the fastest kernels end at 50 bits, and below 30 there are few primes that are 1 modulo 2N.
const WIDEST: u32 = 50;
const NARROWEST: u32 = 30;
/// What the search leaves between its estimates and the modulus: primes are a little narrower than their width.
const MARGIN_BITS: f64 = 1.0;
/// P exceeds the largest digit by so many bits.
const SPECIAL_MARGIN_BITS: u32 = 5;

/// A part of the modulus: so many primes of a width, which a level drops at once.
#[derive(Clone, Copy, Debug)]
struct Segment {
    primes: usize,
    bits: u32,
}

impl Segment {
    fn holding(bits: f64) -> Self {
        let primes = (bits / f64::from(WIDEST)).ceil().max(1.0);
        Self { primes: primes as usize, bits: ((bits / primes).ceil() as u32).max(NARROWEST) }
    }

    fn log2(self) -> f64 {
        self.primes as f64 * f64::from(self.bits)
    }
}

/// The parameters of the smallest ring that holds a chain of `depth` squarings modulo t at 128 bits of security, if one
/// does; from `smallest` on, as log2 of the ring degree.
pub(crate) fn search(scheme: ExactScheme, t: &BigUint, depth: usize, smallest: u32) -> Option<Chain> {
    LOG2_RING_DEGREES.filter(|&log2| log2 >= smallest).find_map(|log2| {
        let ring_degree = 1 << log2;
        let segments = match scheme {
            ExactScheme::Bgv => bgv_segments(ring_degree, t, depth),
            ExactScheme::Bfv => bfv_segments(ring_degree, t, depth)?,
        };
        literal(scheme, ring_degree, t, depth, &segments)
    })
}

/// In BGV squaring turns the noise B into B², and dropping D makes it B²/D + R, R the rounding's: with D = 4R it's 2R
/// again. The last segment is what stays at the end.
fn bgv_segments(ring_degree: usize, t: &BigUint, depth: usize) -> Vec<Segment> {
    let model = NoiseModel::new(ring_degree);
    let factor = Norm::from(t);
    let rounding = (factor * model.rounding(2)).log2();
    let fresh = model.rounding(2) + model.fresh_public() / f64::from(NARROWEST).exp2();
    let fresh = (factor * (fresh + ring_degree as f64 / 2.0)).log2();
    let level = Segment::holding(rounding + 2.0 + 0.2);
    // A level that drops more than it must lets the noise stand higher, but never above half of what it drops.
    let steady = (rounding + 1.0).max(level.log2() - 1.5);
    let first = (fresh - steady).max(0.0);
    let last = Segment::holding(2.0 * steady + 1.0 + MARGIN_BITS);
    let mut segments = Vec::new();
    // What fresh noise has above the steady one costs twice as much at the first squaring.
    if first > 0.5 {
        let level = Segment::holding(level.log2() + 2.0 * first);
        segments.push(if depth == 1 { Segment::holding(last.log2() + 2.0 * first) } else { level });
    }
    let taken = segments.len();
    segments.extend(vec![level; depth.saturating_sub(1).saturating_sub(taken)]);
    if depth > 1 || taken == 0 {
        segments.push(last);
    }
    segments
}

/// In BFV the noise of a chain depends little on the modulus: one with room to spare tells how large it must be.
fn bfv_segments(ring_degree: usize, t: &BigUint, depth: usize) -> Option<Vec<Segment>> {
    let spacious = (t.bits() as f64 + 40.0) * (depth as f64 + 1.5) + 60.0;
    let rlwe = rlwe_literal(ring_degree, &[Segment::holding(spacious)], 1, &[])?;
    let params = BfvLiteral::new(rlwe, t.clone()).check(Backend::Scalar).ok()?;
    let noise = Model::new(&params);
    let mut state = noise.fresh_public(params.max_level(), &()).ok()?;
    for _ in 0..depth {
        state = noise.multiply(&state, &state).ok()?;
    }
    let spare = noise.available_bits(state.level) - state.noise.log2();
    let needed = params.rlwe().q(state.level).log2_product() - spare;
    // Few primes that are short of their width make up the margin.
    Some(vec![Segment::holding(needed + MARGIN_BITS)])
}

/// Ring parameters with the segments' primes, the last segment's first; secure only if they say so.
fn rlwe_literal(
    ring_degree: usize,
    segments: &[Segment],
    digits: usize,
    special: &[Segment],
) -> Option<RlweLiteral> {
    let step = 2 * ring_degree as u64;
    let mut taken: Vec<u64> = Vec::new();
    let mut take = |segment: &Segment| -> Option<Vec<u64>> {
        let primes = primes_congruent_to_one(segment.bits, step, segment.primes, &taken).ok()?;
        taken.extend(&primes);
        Some(primes)
    };
    let q_primes = segments.iter().rev().map(&mut take).collect::<Option<Vec<_>>>()?.concat();
    let special = if special.is_empty() {
        let bits: f64 = segments.iter().map(|segment| segment.log2()).sum();
        vec![Segment::holding(bits + f64::from(SPECIAL_MARGIN_BITS))]
    } else {
        special.to_vec()
    };
    let p_primes = special.iter().map(&mut take).collect::<Option<Vec<_>>>()?.concat();
    Some(RlweLiteral::new(ring_degree, q_primes, p_primes, digits).insecure())
}

/// The parameters with the number of digits that costs the least among those that are secure.
fn literal(
    scheme: ExactScheme,
    ring_degree: usize,
    t: &BigUint,
    depth: usize,
    segments: &[Segment],
) -> Option<Chain> {
    let largest = f64::from(largest_log2_modulus(ring_degree, SECURITY)?);
    let log2_q: f64 = segments.iter().map(|segment| segment.log2()).sum();
    if log2_q > largest {
        return None;
    }
    let widths: Vec<u32> =
        segments.iter().rev().flat_map(|segment| vec![segment.bits; segment.primes]).collect();
    let primes = widths.len();
    // A squaring at every segment's level; where there are fewer segments, all at the top.
    let mut levels = Vec::with_capacity(depth);
    let mut left = primes;
    for k in 0..depth {
        levels.push(Level(left - 1));
        if segments.len() > 1 && k + 1 < segments.len() {
            left -= segments[k].primes;
        }
    }
    // Of wide special primes the fewest make up a tier's.
    let fits = |digits: usize| {
        let size = primes.div_ceil(digits);
        let digit = widths.chunks(size).map(|digit| digit.iter().sum::<u32>()).max().unwrap_or(0);
        let narrow = Segment::holding(f64::from(digit + SPECIAL_MARGIN_BITS));
        let special = [narrow, Segment { bits: WIDEST, ..narrow }];
        let secure = special.into_iter().filter(|special| log2_q + special.log2() <= largest);
        secure
            .filter_map(|special| rlwe_literal(ring_degree, segments, digits, &[special]))
            .collect::<Vec<_>>()
    };
    let falls = levels.iter().any(|level| *level != levels[0]);
    let tiered = |rlwe: RlweLiteral| if falls { rlwe.with_tiers() } else { rlwe };
    // One count of digits for each size.
    let counts = (1..=primes).filter(|&digits| primes.div_ceil(primes.div_ceil(digits)) == digits);
    let literals = counts.flat_map(fits).map(tiered);
    let rlwe = literals.min_by_key(|rlwe| rlwe.switch_work(levels.iter().copied()))?;
    let rlwe = RlweLiteral { insecure: false, ..rlwe };
    let log2 = |primes: &[u64]| primes.iter().map(|&q| (q as f64).log2()).sum::<f64>();
    let (log2_q, log2_p) = (log2(&rlwe.q_primes), log2(&rlwe.p_primes));
    Some(Chain { scheme, plaintext_modulus: t.clone(), log2_qp: log2_q + log2_p, rlwe, levels, log2_q })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_chains_and_wider_moduli_need_more() {
        for scheme in ExactScheme::ALL {
            let bits = |log2_t: u32, depth| {
                let t = (BigUint::from(1u32) << log2_t) + 1u32;
                search(scheme, &t, depth, 12).unwrap().log2_q
            };
            assert!(bits(16, 2) > bits(16, 1) && bits(64, 2) > bits(16, 2) && bits(64, 4) > bits(64, 3));
        }
    }

    #[test]
    fn what_no_ring_holds_is_none() {
        let t = (BigUint::from(1u32) << 2048) + 1u32;
        assert!(ExactScheme::ALL.into_iter().all(|scheme| search(scheme, &t, 9, 17).is_none()));
    }
}
