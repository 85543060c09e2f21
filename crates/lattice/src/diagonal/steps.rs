//! The rotations that a sum of diagonals is computed with, and their cost.

use std::collections::{BTreeMap, BTreeSet};

use num_integer::Integer;

use crate::{Level, NoiseModel, RlweParams};

/// The Galois keys that the rotations of a sum use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKeys {
    /// A key for each baby step and each giant step: all rotations are hoisted.
    Each,
    /// One key for all baby steps and one for all giant steps: rotations are made by repeating the smallest one.
    Repeated,
}

/// The rotations of Σ_d diagonal_d ⊙ rot_d(v) in baby steps and giant steps: with d = g + j,
/// Σ_g rot_g(Σ_j rot_−g(diagonal_{g+j}) ⊙ rot_j(v)).
///
/// The offsets d are multiples of a stride. The baby steps j are 0, stride, 2·stride, … below the width of a giant
/// step, and the giant steps g are the multiples of that width. Steps that no offset needs are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagonalSteps {
    keys: StepKeys,
    /// The smallest giant step above 0.
    width: usize,
    /// The smallest baby step above 0.
    stride: usize,
    /// The baby steps, in rising order.
    babies: Vec<usize>,
    /// The giant steps, in rising order, each with the indices of its baby steps.
    giants: Vec<(usize, Vec<usize>)>,
}

/// The noise that a sum of diagonals adds, as norms in units of the noise factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiagonalNoise {
    /// The norm of the noise added to the image that each diagonal is multiplied by.
    pub image: f64,
    /// The norm of the noise added to the sum.
    pub sum: f64,
}

/// The operations and the memory that a sum of diagonals takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiagonalCost {
    /// Products with key-switching keys, one for each rotation.
    pub key_switches: usize,
    /// Digit decompositions of polynomials.
    pub decompositions: usize,
    /// Mod-downs: divisions of polynomials by P.
    pub mod_downs: usize,
    /// Products of a ciphertext with a diagonal.
    pub plain_products: usize,
    /// Key-switching keys.
    pub keys: usize,
    /// Bytes of the keys in memory, for the highest level that uses the same keys, without the tables of their
    /// permutations.
    pub key_bytes: usize,
    /// Bytes of a diagonal in memory if its slots don't repeat; those that repeat after n take 2n/N of them.
    pub plaintext_bytes: usize,
    /// Multiplications modulo a word of all operations together, which is roughly proportional to the time. If
    /// plaintexts and keys exceed the caches, reading them counts as much.
    pub word_products: f64,
}

impl DiagonalSteps {
    /// The steps for the given offsets, with `babies` baby steps for each giant step. One giant step is enough if there
    /// are more baby steps than the largest offset over the stride.
    ///
    /// # Panics
    /// If there are no baby steps.
    pub fn new(offsets: impl IntoIterator<Item = usize>, babies: usize, keys: StepKeys) -> Self {
        assert!(babies > 0);
        let offsets: BTreeSet<usize> = offsets.into_iter().collect();
        let stride = offsets.iter().fold(0, |gcd: usize, d| gcd.gcd(d)).max(1);
        let width = stride.saturating_mul(babies);
        let used: BTreeSet<usize> = offsets.iter().map(|d| d % width).collect();
        let babies: Vec<usize> = used.into_iter().collect();
        let place = |j: usize| babies.binary_search(&j).expect("it's one of them");
        let mut giants: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        offsets.iter().for_each(|d| giants.entry(d - d % width).or_default().push(place(d % width)));
        Self { keys, width, stride, babies, giants: giants.into_iter().collect() }
    }

    /// The steps with the least work at a level, by [`DiagonalCost::word_products`]. The numbers of baby steps
    /// that are tried are 1, 2, 3, 4, 6, 8, 12, …
    pub fn choose(params: &RlweParams, level: Level, offsets: &[usize], keys: StepKeys) -> Self {
        let most = offsets.iter().max().map_or(1, |largest| largest + 1).next_power_of_two();
        let powers = (0..=most.ilog2()).map(|log2| 1 << log2);
        let counts = powers.flat_map(|power: usize| [power, power + power / 2]);
        let steps = counts.map(|babies| Self::new(offsets.iter().copied(), babies, keys));
        let cost = |steps: &Self| steps.cost(params, level).word_products;
        steps.min_by(|a, b| cost(a).total_cmp(&cost(b))).expect("one baby step is among them")
    }

    /// The Galois keys that the rotations use.
    pub fn keys(&self) -> StepKeys {
        self.keys
    }

    /// The baby steps, in rising order.
    pub fn babies(&self) -> &[usize] {
        &self.babies
    }

    /// The giant steps, in rising order, each with the indices of its baby steps.
    pub fn giants(&self) -> &[(usize, Vec<usize>)] {
        &self.giants
    }

    /// The smallest baby step above 0; its key makes all other baby steps if keys are repeated.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// The smallest giant step above 0; its key makes all other giant steps if keys are repeated.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The number of diagonals.
    pub fn diagonals(&self) -> usize {
        self.giants.iter().map(|(_, babies)| babies.len()).sum()
    }

    /// The largest offset, or 0 if there's none.
    pub(crate) fn largest(&self) -> usize {
        let last =
            |(g, places): &(usize, Vec<usize>)| g + places.last().map_or(0, |place| self.babies[*place]);
        self.giants.last().map_or(0, last)
    }

    /// The numbers of baby steps and of giant steps that take a key switch.
    pub(crate) fn switches(&self) -> [usize; 2] {
        let giants = || self.giants.iter().map(|(g, _)| *g);
        match self.keys {
            StepKeys::Each => {
                [self.babies.iter().filter(|j| **j > 0).count(), giants().filter(|g| *g > 0).count()]
            }
            StepKeys::Repeated => {
                let times = |largest: Option<usize>, step| largest.unwrap_or(0) / step;
                [times(self.babies.last().copied(), self.stride), times(giants().next_back(), self.width)]
            }
        }
    }

    /// The rotations that keys are needed for, in slots to the left.
    pub fn rotations(&self) -> Vec<i64> {
        let rotations: BTreeSet<usize> = match self.keys {
            StepKeys::Each => {
                self.babies.iter().copied().chain(self.giants.iter().map(|(g, _)| *g)).collect()
            }
            StepKeys::Repeated => {
                let [babies, giants] = self.switches();
                [(babies, self.stride), (giants, self.width)]
                    .iter()
                    .map(|&(n, step)| step * n.min(1))
                    .collect()
            }
        };
        rotations.into_iter().filter(|step| *step > 0).map(|step| step as i64).collect()
    }

    /// The noise that the sum adds at a level, by a noise model.
    ///
    /// With a key for each step, the images are multiplied before their mod-down: each brings only the noise of its
    /// digits, and these noises add up as the diagonals' norms do, however they depend on one another. A giant step's
    /// key is independent of the others', so the norm of its errors grows with the square root of the number of steps.
    /// So do the norms of the remainders that the giant steps' mod-downs round away: even if all round the same
    /// polynomial, for equal diagonals, their rotations take its values at different roots, no two of which are
    /// conjugates. One mod-down of both parts follows. With repeated key switches the norms add up, since they share
    /// one key.
    pub fn noise_growth(&self, params: &RlweParams, model: &NoiseModel, level: Level) -> DiagonalNoise {
        let [babies, giants] = self.switches();
        match self.keys {
            StepKeys::Each => {
                let image = params.extended_switch_noise(model, level, babies.min(1));
                let rounding = model.rounding(2) * (giants as f64).sqrt();
                let sum = params.switch_sum_noise(model, level, giants) + rounding;
                DiagonalNoise { image, sum }
            }
            StepKeys::Repeated => {
                let noise = params.switch_sum_noise(model, level, 1);
                DiagonalNoise { image: noise * babies as f64, sum: noise * giants as f64 }
            }
        }
    }

    /// Multiplications in an NTT of one limb, in units of its N coefficients: log2(N)/2.
    fn transform(params: &RlweParams) -> f64 {
        f64::from(params.ring_degree().ilog2()) / 2.0
    }

    /// The cost of the sum for a ciphertext at a level.
    pub fn cost(&self, params: &RlweParams, level: Level) -> DiagonalCost {
        let [babies, giants] = self.switches();
        let (q, p) = (params.q(level).len(), params.special(level).len());
        let qp = q + p;
        let digits = params.level(level.0).digits.len();
        let (hoisted, mod_downs, limbs) = match self.keys() {
            StepKeys::Each => (usize::from(babies > 0), giants + 2, qp),
            StepKeys::Repeated => (babies, 2 * (babies + giants), q),
        };
        let decompositions = hoisted + giants;
        let keys = self.rotations().len();
        let plain_products = self.diagonals();
        let n = params.ring_degree();
        let word = size_of::<u64>();
        // Each digit is extended from its own limbs to all others.
        let transforms = decompositions * (q + digits * qp - q) + mod_downs * qp;
        let products = 2 * ((babies + giants) * digits * qp + plain_products * limbs);
        let word_products = n as f64 * (transforms as f64 * Self::transform(params) + products as f64);
        DiagonalCost {
            key_switches: babies + giants,
            decompositions,
            mod_downs,
            plain_products,
            keys,
            key_bytes: keys * params.key_bytes(*params.levels_of_keys(level).end()),
            plaintext_bytes: limbs * n * word,
            word_products,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(steps: &DiagonalSteps) -> Vec<usize> {
        let of = |(g, places): &(usize, Vec<usize>)| {
            places.iter().map(|place| g + steps.babies()[*place]).collect::<Vec<_>>()
        };
        steps.giants().iter().flat_map(of).collect()
    }

    #[test]
    fn steps_make_every_offset_once_and_leave_out_what_none_needs() {
        let all: Vec<usize> = (0..16).collect();
        for wanted in [&all[..], &[0], &[], &[3], &[1, 2, 15], &[4, 8, 12, 36], &[0, 1000]] {
            for babies in [1, 2, 3, 7, 100] {
                for keys in [StepKeys::Each, StepKeys::Repeated] {
                    let steps = DiagonalSteps::new(wanted.iter().copied(), babies, keys);
                    assert_eq!(offsets(&steps), wanted, "{babies}");
                    assert_eq!(steps.diagonals(), wanted.len());
                    assert_eq!(Some(steps.largest()), wanted.last().copied().or(Some(0)));
                }
            }
        }
    }

    #[test]
    fn repeated_keys_are_two_at_most_and_step_over_common_gaps() {
        let steps = |offsets: &[usize], babies| {
            DiagonalSteps::new(offsets.iter().copied(), babies, StepKeys::Repeated)
        };
        let all: Vec<usize> = (0..16).collect();
        assert_eq!((steps(&all, 4).rotations(), steps(&all, 4).switches()), (vec![1, 4], [3, 3]));
        assert_eq!((steps(&all, 1).rotations(), steps(&all, 1).switches()), (vec![1], [0, 15]));
        assert_eq!((steps(&all, 16).rotations(), steps(&all, 16).switches()), (vec![1], [15, 0]));
        assert_eq!((steps(&[8, 24], 1).rotations(), steps(&[8, 24], 1).switches()), (vec![8], [0, 3]));
        assert_eq!((steps(&[0], 4).rotations(), steps(&[], 4).switches()), (vec![], [0, 0]));
        let each = DiagonalSteps::new([0, 1, 5, 6], 4, StepKeys::Each);
        assert_eq!((each.rotations(), each.switches()), (vec![1, 2, 4], [2, 1]));
    }
}
