//! Sums of sets of values that share their parts.

use crate::{ExactArithmetic, parallel::try_map};

/// Sums over sets of indices, in stages. A set of a later stage is summed from those of the stage before that it
/// consists of, if there are any.
#[derive(Clone, Debug)]
pub(super) struct SharedSums {
    /// The sets: first the single indices, then those of every stage.
    sets: Vec<Vec<usize>>,
    /// The positions in `sets` of the parts of each sum, stage by stage.
    stages: Vec<Vec<Vec<usize>>>,
    /// The positions of the sets of the last stage.
    latest: Vec<usize>,
}

impl SharedSums {
    /// No sums, of 0 … count − 1.
    pub(super) fn new(count: usize) -> Self {
        Self { sets: (0..count).map(|i| vec![i]).collect(), stages: Vec::new(), latest: Vec::new() }
    }

    /// Adds a stage of disjoint sets, each in ascending order. Returns their positions among the values of
    /// [`SharedSums::evaluate`].
    pub(super) fn add_stage(&mut self, sets: Vec<Vec<usize>>) -> Vec<usize> {
        let mut stage = Vec::new();
        let mut positions = Vec::with_capacity(sets.len());
        let end = self.sets.len();
        for set in sets {
            let known = self.sets[..end].iter().position(|known| *known == set);
            positions.push(known.unwrap_or_else(|| {
                stage.push(self.parts(&set));
                self.sets.push(set);
                self.sets.len() - 1
            }));
        }
        self.stages.push(stage);
        self.latest.clone_from(&positions);
        positions
    }

    /// The sets of the last stage that make up a set, or its single indices.
    fn parts(&self, set: &[usize]) -> Vec<usize> {
        let is_part = |&position: &usize| {
            let part: &[usize] = &self.sets[position];
            part.iter().all(|index| set.binary_search(index).is_ok())
        };
        let parts: Vec<usize> = self.latest.iter().copied().filter(is_part).collect();
        let covered: usize = parts.iter().map(|&position| self.sets[position].len()).sum();
        if covered == set.len() { parts } else { set.to_vec() }
    }

    /// The values, followed by all sums.
    pub(super) fn evaluate<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        mut values: Vec<A::Value>,
    ) -> Result<Vec<A::Value>, A::Error> {
        for stage in &self.stages {
            let sums = try_map(stage.len(), &|i| {
                let parts: Vec<&A::Value> = stage[i].iter().map(|&position| &values[position]).collect();
                arithmetic.weighted_sum(&parts, &vec![1; parts.len()])
            })?;
            values.extend(sums);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use asanoha_ring::Modulus;

    use super::*;
    use crate::{CostCounter, PlainArithmetic};

    #[test]
    fn sums_are_right_and_made_of_the_sums_before_them() {
        let mut sums = SharedSums::new(8);
        let stages = [
            vec![vec![1], vec![2, 3], vec![4, 5], vec![6, 7]],
            vec![vec![2, 3], vec![4, 5, 6, 7]],
            vec![vec![0, 2, 3]],
        ];
        let positions: Vec<Vec<usize>> = stages.iter().map(|stage| sums.add_stage(stage.clone())).collect();
        assert_eq!(positions, [vec![1, 8, 9, 10], vec![8, 11], vec![12]]);
        let plain = PlainArithmetic::new(Modulus::new(65537).unwrap(), 1);
        let values = (0..8).map(|i| plain.value(&[1 << i], 0)).collect();
        let found = sums.evaluate(&plain, values).unwrap();
        for (set, position) in stages.iter().flatten().zip(positions.iter().flatten()) {
            assert_eq!(found[*position].slots[0], set.iter().map(|i| 1 << i).sum::<u64>(), "{set:?}");
        }
        let counter = CostCounter::new(65537u32);
        let Ok(_) = sums.evaluate(&counter, vec![counter.input(); 8]);
        assert_eq!(counter.cost().total().additions, 3 + 1 + 2);
    }
}
