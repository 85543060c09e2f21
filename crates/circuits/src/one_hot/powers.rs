//! Powers of encrypted values, with little depth and at low levels.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    ExactArithmetic,
    level::lowered,
    parallel::{try_map, try_map_owned},
};

/// Some powers of a value, all at one level.
#[derive(Clone, Debug)]
pub struct Powers<V> {
    powers: Vec<V>,
}

impl<V: Clone + Send + Sync> Powers<V> {
    /// x⁰ … x^(count−1), all at the level of the last: ⌈log2(count − 1)⌉ products deep, count − 2 products.
    ///
    /// Products cost less at lower levels, and most powers are asked for only at the end. So the last stage makes
    /// all of them but a few, chosen such that every other is a product of two of those; the stage before makes
    /// those in the same way, and so on. For 256 powers the last stage makes 210 and the one before 22.
    ///
    /// # Panics
    /// If count is 0.
    pub fn new<A: ExactArithmetic<Value = V>>(arithmetic: &A, x: &V, count: usize) -> Result<Self, A::Error> {
        assert!(count > 0);
        let exponents: Vec<usize> = (1..count).collect();
        let mut powers = powers(arithmetic, x, &exponents)?;
        let level = powers.first().map_or(arithmetic.level(x), |power| arithmetic.level(power));
        powers.insert(0, arithmetic.constant(1, level)?);
        Ok(Self { powers })
    }

    /// x⁰, x¹, …
    pub fn values(&self) -> &[V] {
        &self.powers
    }

    /// References to the first `count` powers.
    pub(crate) fn first(&self, count: usize) -> Vec<&V> {
        self.powers[..count].iter().collect()
    }

    /// The level of all of them.
    pub fn level<A: ExactArithmetic<Value = V>>(&self, arithmetic: &A) -> usize {
        arithmetic.level(&self.powers[0])
    }

    /// The same powers at a level, if theirs is above it.
    pub fn lowered<A: ExactArithmetic<Value = V>>(
        &self,
        arithmetic: &A,
        level: usize,
    ) -> Result<Self, A::Error> {
        let lowered = |i: usize| Ok(arithmetic.lowered(&self.powers[i], level)?.into_owned());
        Ok(Self { powers: try_map(self.powers.len(), &lowered)? })
    }
}

/// The powers of x with the given exponents (at least 1), all at the level of the deepest.
pub(crate) fn powers<A: ExactArithmetic>(
    arithmetic: &A,
    x: &A::Value,
    exponents: &[usize],
) -> Result<Vec<A::Value>, A::Error> {
    let mut known = BTreeMap::from([(1, x.clone())]);
    let mut level = arithmetic.level(x);
    for stage in stages(exponents) {
        // Operands come down once, however many products they take part in.
        let operands: BTreeSet<usize> = stage.iter().flat_map(|&(_, a, b)| [a, b]).collect();
        let operands: Vec<usize> = operands.into_iter().collect();
        let lowered = try_map(operands.len(), &|i| arithmetic.lowered(&known[&operands[i]], level))?;
        let lowered: BTreeMap<usize, _> = operands.into_iter().zip(lowered).collect();
        let products = try_map(stage.len(), &|i| {
            let (_, a, b) = stage[i];
            arithmetic.multiply(&lowered[&a], &lowered[&b])
        })?;
        level = products.iter().map(|product| arithmetic.level(product)).fold(level, usize::min);
        known.extend(stage.iter().map(|&(k, ..)| k).zip(products));
    }
    let asked: Vec<A::Value> =
        exponents.iter().map(|k| known.remove(k).expect("the stages make it")).collect();
    try_map_owned(asked, &|_, power| lowered(arithmetic, power, level))
}

/// The products (k, a, b), x^k = x^a·x^b, of every stage, where those of a stage only take what the stages before
/// made: ⌈log2⌉ of the largest exponent stages.
fn stages(exponents: &[usize]) -> Vec<Vec<(usize, usize, usize)>> {
    let Some(largest) = exponents.iter().max() else { return Vec::new() };
    // What must be there after every stage, from the last stage back.
    let mut needed: Vec<BTreeSet<usize>> = vec![exponents.iter().copied().collect()];
    for stage in (1..=largest.next_power_of_two().ilog2()).rev() {
        let operands = operands(&needed[needed.len() - 1], 1 << (stage - 1));
        needed.push(operands);
    }
    let mut made = BTreeSet::from([1]);
    needed
        .into_iter()
        .rev()
        .skip(1)
        .map(|needed| {
            let new = needed.difference(&made).map(|&k| {
                let a = made.iter().rev().copied().find(|&a| a < k && made.contains(&(k - a)));
                let a = a.expect("operands cover what the next stage needs");
                (k, a, k - a)
            });
            let new: Vec<_> = new.collect();
            made.extend(new.iter().map(|&(k, ..)| k));
            new
        })
        .collect()
}

/// A small set of numbers up to `largest` such that everything needed is one of them or the sum of two: greedily, the
/// number that serves the most first, and of those the largest.
///
/// Only what serves something is counted: a number that's missing, its half, and what it is above an operand. So a step takes as
/// many counts as there are missing numbers times operands, however large these are.
fn operands(needed: &BTreeSet<usize>, largest: usize) -> BTreeSet<usize> {
    let mut operands = BTreeSet::from([largest]);
    let mut missing: Vec<usize> =
        needed.iter().copied().filter(|k| *k != largest && *k != 2 * largest).collect();
    // How much every number serves, and the last that it was found to serve: it may serve that twice over.
    let mut served = vec![(0usize, 0usize); largest + 1];
    while !missing.is_empty() {
        served.fill((0, 0));
        let mut best = (0, 0);
        for &k in &missing {
            let half = k.is_multiple_of(2).then_some(k / 2);
            let rests = operands.range(..k).map(|operand| k - operand);
            for c in rests.chain([k]).chain(half).filter(|c| *c <= largest && !operands.contains(c)) {
                let (count, last) = &mut served[c];
                if *last != k {
                    (*count, *last) = (*count + 1, k);
                    best = best.max((*count, c));
                }
            }
        }
        let (_, best) = best;
        missing.retain(|&k| k != best && k != 2 * best && !(k > best && operands.contains(&(k - best))));
        operands.insert(best);
    }
    operands
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds the schedule to its promises and gives the number of products of every stage.
    fn hold(exponents: &[usize]) -> Vec<usize> {
        let mut made = BTreeSet::from([1]);
        let stages = stages(exponents);
        let largest = exponents.iter().max().copied().unwrap_or(1);
        assert_eq!(stages.len(), largest.next_power_of_two().ilog2() as usize);
        for stage in &stages {
            let before = made.clone();
            for &(k, a, b) in stage {
                assert!(a + b == k && before.contains(&a) && before.contains(&b) && made.insert(k));
            }
        }
        assert!(exponents.iter().all(|k| made.contains(k)));
        stages.iter().map(Vec::len).collect()
    }

    #[test]
    fn powers_are_made_once_in_logarithmic_depth_and_mostly_at_the_end() {
        for count in 2..130 {
            let products: usize = hold(&(1..count).collect::<Vec<_>>()).iter().sum();
            assert_eq!(products, count - 2, "{count}");
        }
        assert_eq!(hold(&(1..256).collect::<Vec<_>>()), [1, 2, 3, 3, 5, 8, 22, 210]);
    }

    /// The same by the definition: every number up to the largest is held against all that's missing.
    fn plain_operands(needed: &BTreeSet<usize>, largest: usize) -> BTreeSet<usize> {
        let mut operands = BTreeSet::from([largest]);
        let mut missing = needed.clone();
        let serves = |operands: &BTreeSet<usize>, c: usize, k: usize| {
            k == c || k == 2 * c || k > c && operands.contains(&(k - c))
        };
        missing.retain(|k| *k != largest && *k != 2 * largest);
        while !missing.is_empty() {
            let served = |c: usize| missing.iter().filter(|&&k| serves(&operands, c, k)).count();
            let others = (1..=largest).filter(|c| !operands.contains(c));
            let best = others.max_by_key(|&c| (served(c), c)).unwrap();
            missing.retain(|&k| !serves(&operands, best, k));
            operands.insert(best);
        }
        operands
    }

    #[test]
    fn operands_are_the_greedy_ones() {
        for largest in [1, 2, 4, 16, 64] {
            for (step, offset) in [(1, 0), (2, 0), (3, 1), (5, 2), (7, 7), (16, 0)] {
                let needed: BTreeSet<usize> =
                    (1..=2 * largest).filter(|k| k % step == offset % step).collect();
                assert_eq!(operands(&needed, largest), plain_operands(&needed, largest), "{needed:?}");
            }
        }
    }

    #[test]
    fn scattered_exponents_cost_little_more_than_themselves() {
        let exponents: Vec<usize> = (1..256).chain((1..256).map(|k| k * 256)).collect();
        let stages = hold(&exponents);
        assert_eq!(stages.len(), 16);
        assert!(stages.iter().sum::<usize>() < exponents.len() + 20, "{stages:?}");
        assert!(hold(&[]).is_empty() && hold(&[1]).is_empty());
        assert_eq!(hold(&[7]).len(), 3);
    }
}
