//! Key tiers: how key switching decomposes ciphertexts, depending on their level.

use std::ops::RangeInclusive;

use asanoha_ring::Basis;
use serde::{Deserialize, Serialize};

use super::{error::ParamsError, level::Level};

/// The number of bits by which the special modulus P must exceed the largest digit.
pub const SPECIAL_MARGIN_BITS: f64 = 4.0;

/// The largest number of tiers that is chosen, since each needs keys of its own.
const MOST_TIERS: usize = 3;
/// A tier must save one part in this many of the work to be worth its keys.
const WORTH: u64 = 20;
/// The number of conversions, of one prime's residues to another prime, that take as long as one NTT and one product
/// with a key.
const CONVERSIONS_OF_A_TRANSFORM: usize = 5;

/// Keys for the ciphertexts of lower levels. These need fewer special primes and fewer digits; with the keys of the
/// highest level, a key switch costs several times as much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyTier {
    /// The highest level of the ciphertexts that its keys switch.
    pub level: Level,
    /// The number of special primes, from the first one on, that make up the tier's special modulus.
    pub special: usize,
    /// The number of ciphertext primes of a digit.
    pub digit_primes: usize,
}

/// How key switching decomposes ciphertexts of some levels: as a tier says or, above all tiers, as the literal does.
#[derive(Clone, Debug)]
pub(crate) struct TierLayout {
    pub(crate) levels: RangeInclusive<usize>,
    /// The special primes of the layout's keys.
    pub(crate) p: Basis,
    pub(crate) digit_primes: usize,
}

/// A tier whose special modulus is large enough, and the work of key switches at its levels.
#[derive(Clone, Copy)]
struct Candidate {
    work: u64,
    tier: KeyTier,
}

/// What of a literal decides how ciphertexts are decomposed.
#[derive(Clone, Copy)]
pub(super) struct Decomposition<'a> {
    pub(super) q_primes: &'a [u64],
    pub(super) p_primes: &'a [u64],
    pub(super) digits: usize,
    pub(super) tiers: &'a [KeyTier],
}

impl Decomposition<'_> {
    /// The number of ciphertext primes of a digit above all tiers; one where no key is switched.
    fn digit_primes(&self) -> usize {
        if self.digits == 0 { 1 } else { self.q_primes.len().div_ceil(self.digits) }
    }

    /// Checks the tiers one by one, and that every special modulus is large enough for its digits, if keys are switched.
    pub(super) fn check(&self) -> Result<(), ParamsError> {
        let highest = self.q_primes.len() - 1;
        let mut least = 0;
        for (tier, &KeyTier { level: Level(level), special, digit_primes }) in self.tiers.iter().enumerate() {
            if !(least..highest).contains(&level) {
                return Err(ParamsError::TierLevel { tier, level, least, highest });
            }
            if !(1..=self.p_primes.len()).contains(&special) {
                return Err(ParamsError::TierSpecial { tier, special, count: self.p_primes.len() });
            }
            if !(1..=level + 1).contains(&digit_primes) {
                return Err(ParamsError::TierDigits { tier, digit_primes, count: level + 1 });
            }
            let log2_p = log2(&self.p_primes[..special]).iter().sum();
            let log2_digit = largest_digit(&log2(&self.q_primes[..=level]), digit_primes);
            if log2_p < log2_digit + SPECIAL_MARGIN_BITS {
                return Err(ParamsError::TierModulus { tier, log2_p, log2_digit });
            }
            least = level + 1;
        }
        let log2_p = log2(self.p_primes).iter().sum();
        let log2_digit = largest_digit(&log2(self.q_primes), self.digit_primes());
        if self.digits > 0 && log2_p < log2_digit + SPECIAL_MARGIN_BITS {
            return Err(ParamsError::SpecialModulus { log2_p, log2_digit });
        }
        Ok(())
    }

    /// The layouts of the tiers in rising order of level, followed by the one above all tiers.
    pub(super) fn layouts(&self, p: &Basis) -> Vec<TierLayout> {
        let main = KeyTier {
            level: Level(self.q_primes.len() - 1),
            special: self.p_primes.len(),
            digit_primes: self.digit_primes(),
        };
        let mut least = 0;
        let layout = |tier: &KeyTier| {
            let levels = std::mem::replace(&mut least, tier.level.0 + 1)..=tier.level.0;
            TierLayout { levels, p: p.range(0..tier.special), digit_primes: tier.digit_primes }
        };
        self.tiers.iter().chain([&main]).map(layout).collect()
    }

    /// The work of one key switch at each of the given levels.
    pub(super) fn switch_work(&self, levels: impl IntoIterator<Item = Level>) -> u64 {
        let work = |Level(level)| {
            let tier = self.tiers.iter().find(|tier| level <= tier.level.0);
            let main = (self.p_primes.len(), self.digit_primes());
            let (special, digit_primes) = tier.map_or(main, |tier| (tier.special, tier.digit_primes));
            switch_work(level + 1, special, digit_primes)
        };
        levels.into_iter().map(work).sum()
    }
}

/// At most three tiers that take most of the work off key switching at lower levels, if ciphertexts of all levels are
/// switched equally often. Each tier saves at least a twentieth of the whole work. The result depends on the arguments
/// alone.
///
/// ```
/// use asanoha_lattice::{KeyTier, Level, choose_tiers};
///
/// // Twelve primes in one digit take eleven special ones; digits of three take three, below the top too.
/// let (q, p) = (vec![1 << 40; 12], vec![1 << 48; 11]);
/// assert_eq!(choose_tiers(&q, &p, 1), [KeyTier { level: Level(10), special: 3, digit_primes: 3 }]);
/// // In such digits from the start, few ciphertexts would be switched faster.
/// assert!(choose_tiers(&q, &p[..3], 4).is_empty());
/// ```
///
/// # Panics
/// If there are no ciphertext primes or no digits.
pub fn choose_tiers(q_primes: &[u64], p_primes: &[u64], digits: usize) -> Vec<KeyTier> {
    let highest = q_primes.len() - 1;
    let digit_primes = q_primes.len().div_ceil(digits);
    let main = |level: usize| switch_work(level + 1, p_primes.len(), digit_primes);
    let (log2_q, log2_p) = (log2(q_primes), log2(p_primes));
    let last_tiers: Vec<Vec<Option<Candidate>>> =
        (0..highest).map(|level| last_tiers(&log2_q[..=level], &log2_p)).collect();
    // For each level, the least work of all levels up to it, with tiers up to it of which the last ends there.
    let mut best: Vec<Option<(u64, Vec<KeyTier>)>> = vec![None; highest];
    let mut chosen: (u64, Vec<KeyTier>) = ((0..=highest).map(main).sum(), Vec::new());
    for count in 1..=MOST_TIERS {
        let with = |level: usize| {
            let options = last_tiers[level].iter().enumerate().filter_map(|(least, candidate)| {
                let Candidate { work, tier } = (*candidate)?;
                let (below, tiers) = match least {
                    0 if count == 1 => (0, &[][..]),
                    0 => return None,
                    _ => best[least - 1].as_ref().map(|(work, tiers)| (*work, &tiers[..]))?,
                };
                Some((below + work, tiers, tier))
            });
            let (work, tiers, tier) = options.min_by_key(|(work, ..)| *work)?;
            Some((work, [tiers, &[tier]].concat()))
        };
        best = (0..highest).map(with).collect();
        let all = best.iter().enumerate().filter_map(|(level, best)| {
            let (below, tiers) = best.as_ref()?;
            Some((below + (level + 1..=highest).map(main).sum::<u64>(), tiers))
        });
        match all.min_by_key(|(work, _)| *work) {
            Some((work, tiers)) if work + chosen.0 / WORTH <= chosen.0 => chosen = (work, tiers.clone()),
            _ => break,
        }
    }
    chosen.1
}

/// For each lowest level, the best tier from there up to the level of `log2_q`'s primes; `None` if the special primes
/// allow none.
fn last_tiers(log2_q: &[f64], log2_p: &[f64]) -> Vec<Option<Candidate>> {
    let level = log2_q.len() - 1;
    let mut best: Vec<Option<Candidate>> = vec![None; level + 1];
    for digit_primes in 1..=level + 1 {
        let needed = largest_digit(log2_q, digit_primes) + SPECIAL_MARGIN_BITS;
        let fits = |special: &usize| log2_p[..*special].iter().sum::<f64>() >= needed;
        let Some(special) = (1..=log2_p.len()).find(fits) else { continue };
        let tier = KeyTier { level: Level(level), special, digit_primes };
        let mut work = 0;
        for least in (0..=level).rev() {
            work += switch_work(least + 1, special, digit_primes);
            if best[least].is_none_or(|best| work < best.work) {
                best[least] = Some(Candidate { work, tier });
            }
        }
    }
    best
}

/// The work of a key switch with `primes` ciphertext primes, in conversions: digits are extended and multiplied by a
/// key, and two polynomials are divided by P. At N = 2^15 it's within a sixth of the times measured for 2 to 11 primes
/// in digits of all sizes.
fn switch_work(primes: usize, special: usize, digit_primes: usize) -> u64 {
    let (extended, digits) = (primes + special, primes.div_ceil(digit_primes));
    let transforms = (digits + 2) * extended;
    let conversions = digits * extended * digit_primes.min(primes) + 2 * primes * special;
    (transforms * CONVERSIONS_OF_A_TRANSFORM + conversions) as u64
}

fn largest_digit(log2_primes: &[f64], digit_primes: usize) -> f64 {
    log2_primes.chunks(digit_primes).map(|digit| digit.iter().sum()).fold(0.0, f64::max)
}

fn log2(primes: &[u64]) -> Vec<f64> {
    primes.iter().map(|&prime| (prime as f64).log2()).collect()
}
