//! The choice of the stages of a trace.

use std::ops::RangeInclusive;

use asanoha_ring::{GaloisElement, Sampler, uniform_from_seed};
use web_time::{Duration, Instant};

use crate::{GaloisKey, Hoisted, KeyName, KeySwitchKey, Level, RlweCiphertext, RlweParams};

/// The time of a stage of a lazy trace, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageCost {
    /// The time of the decomposition and the mod-down, in seconds.
    pub stage_s: f64,
    /// The time of each automorphism, in seconds.
    pub image_s: f64,
}

/// The numbers of automorphisms of the two stages that are measured: such as occur in traces worth computing.
const FEW: usize = 3;
const MANY: usize = 15;
/// The number of automorphisms of the larger stage if the keys of `MANY` would take more than `KEY_BYTES` bytes.
const MANY_OF_LARGE: usize = 7;
const KEY_BYTES: usize = 256 << 20;
/// Bytes that are written before each stage, so that it reads its keys from memory, as in a program that does other
/// work in between. More than the caches of most processors hold.
const OTHER_BYTES: usize = 64 << 20;
/// The least and the greatest number of measurements of each stage.
const REPEATS: RangeInclusive<usize> = 3..=12;
/// The time after which only the least number of measurements is made.
const ENOUGH: Duration = Duration::from_millis(300);

/// Times of traces count as equal within this factor.
const ALIKE: f64 = 1.01;

impl StageCost {
    /// Measures two stages at a level on the threads of the current pool, with keys of random words. It takes a third
    /// of a second, or three rounds if these take longer.
    pub fn measure(params: &RlweParams, level: Level) -> Self {
        let mut sampler = Sampler::from_os();
        let n = params.ring_degree();
        let images = if MANY * params.key_bytes(level) <= KEY_BYTES { MANY } else { MANY_OF_LARGE };
        let random = KeySwitchKey::random(params, KeyName::Galois(GaloisElement(1)), level, &mut sampler);
        let keys: Vec<GaloisKey> = (0..=images as i64)
            .map(|k| GaloisKey::new(params, GaloisElement::rotation(n, k), random.clone()))
            .collect();
        let part = |sampler: &mut Sampler| uniform_from_seed(params.q(level), &sampler.seed());
        let ciphertext = RlweCiphertext { parts: vec![part(&mut sampler), part(&mut sampler)] };
        let mut other = vec![0_u64; OTHER_BYTES / size_of::<u64>()];
        let stage = |keys: &[GaloisKey]| {
            let keys: Vec<&GaloisKey> = keys.iter().collect();
            let start = Instant::now();
            let sum = Hoisted::new(params, &ciphertext).sum_of_images(params, &keys);
            let sum = sum.expect("the keys are of this level and in memory");
            std::hint::black_box(sum.mod_down(params));
            start.elapsed().as_secs_f64()
        };
        let mut after_others = |images: usize| {
            other.iter_mut().step_by(8).for_each(|word| *word = std::hint::black_box(*word + 1));
            // Tables are made at the first use, and stay in the caches from one stage to the next.
            stage(&keys[..1]);
            stage(&keys[1..=images])
        };
        let (mut many, mut few) = (f64::INFINITY, f64::INFINITY);
        let start = Instant::now();
        for repeat in 0..*REPEATS.end() {
            if repeat >= *REPEATS.start() && start.elapsed() >= ENOUGH {
                break;
            }
            many = many.min(after_others(images));
            few = few.min(after_others(FEW));
        }
        let image_s = ((many - few) / (images - FEW) as f64).max(f64::MIN_POSITIVE);
        Self { stage_s: (few - FEW as f64 * image_s).max(0.0), image_s }
    }

    /// The predicted time of a lazy trace with these factors, in seconds.
    pub fn seconds(&self, factors: &[usize]) -> f64 {
        factors.iter().map(|factor| self.stage_s + (factor - 1) as f64 * self.image_s).sum()
    }
}

/// The factors, the larger ones first, of the fastest trace over 2^M automorphisms whose keys, of `key_bytes` each, fit
/// a memory of `memory` bytes. Of the traces that are as fast, it's the one with the fewest keys. If none fits, it's
/// the one with the fewest keys of all.
///
/// A stage of factor x takes the time C + (x − 1)·I and x − 1 keys; if x needn't be a power of two, the best x solves
/// x·(ln x − 1) = C/I − 1. All ways to write M as a sum are tried: there are 297 for M = 17.
///
/// ```
/// use asanoha_lattice::{StageCost, choose_unrolling};
///
/// let cost = StageCost { stage_s: 5.0, image_s: 1.0 };
/// assert_eq!(choose_unrolling(7, cost, 1, u64::MAX), [8, 4, 4]);
/// assert_eq!(choose_unrolling(7, cost, 1, 9), [4, 4, 2, 2, 2]);
/// assert_eq!(choose_unrolling(7, cost, 1, 0), [2; 7]);
/// ```
pub fn choose_unrolling(log2_length: u32, cost: StageCost, key_bytes: u64, memory: u64) -> Vec<usize> {
    let keys = |factors: &[usize]| factors.iter().map(|factor| factor - 1).sum::<usize>();
    let fits = |factors: &&Vec<usize>| (keys(factors) as u64).saturating_mul(key_bytes) <= memory;
    let candidates = partitions(log2_length, log2_length);
    let fastest =
        candidates.iter().filter(fits).map(|factors| cost.seconds(factors)).fold(f64::INFINITY, f64::min);
    let fast = |factors: &&Vec<usize>| cost.seconds(factors) <= fastest * ALIKE;
    let order = |a: &&Vec<usize>, b: &&Vec<usize>| {
        keys(a).cmp(&keys(b)).then(cost.seconds(a).total_cmp(&cost.seconds(b)))
    };
    let chosen = candidates.iter().filter(fits).filter(fast).min_by(order);
    chosen.cloned().unwrap_or_else(|| vec![2; log2_length as usize])
}

/// All ways to write 2^`bits` as a product of powers of two above 1 in falling order, none above 2^`largest`.
fn partitions(bits: u32, largest: u32) -> Vec<Vec<usize>> {
    if bits == 0 {
        return vec![Vec::new()];
    }
    let first = |first: u32| {
        let rest = partitions(bits - first, first);
        rest.into_iter().map(move |rest| [vec![1 << first], rest].concat())
    };
    (1..=largest.min(bits)).rev().flat_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_products_are_looked_at() {
        let of_four = partitions(4, 4);
        assert_eq!(of_four, [vec![16], vec![8, 2], vec![4, 4], vec![4, 2, 2], vec![2; 4]]);
        assert_eq!(partitions(17, 17).len(), 297);
    }

    #[test]
    fn dear_stages_are_unrolled_and_cheap_ones_are_not() {
        let choice = |stage_s, memory| choose_unrolling(6, StageCost { stage_s, image_s: 1.0 }, 10, memory);
        assert_eq!(choice(0.0, u64::MAX), [2; 6]);
        assert_eq!(choice(1000.0, u64::MAX), [64]);
        assert_eq!(choice(1000.0, 10 * 14), [8, 8]);
        // 3·5.1 + 9 is as fast as 2·5.1 + 14 (within 1 %), and takes 9 keys in place of 14.
        assert_eq!(choice(5.1, u64::MAX), [4, 4, 4]);
        assert_eq!(choice(6.0, u64::MAX), [8, 8]);
    }
}
