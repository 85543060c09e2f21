//! Traces: sums of a ciphertext's images under many automorphisms, in stages.

use asanoha_ring::GaloisElement;

use crate::{
    EvaluationKeys, GaloisKey, Hoisted, Level, MissingKey, NoiseModel, RlweCiphertext, RlweParams,
    key_switch::{automorphism, automorphisms},
};

/// How the images of one stage are computed and summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hoisting {
    /// A key switch for each image, with a decomposition and a mod-down of its own.
    Separate,
    /// One decomposition for all images (hoisting), and one mod-down for each.
    Hoisted,
    /// One decomposition, one accumulator and one mod-down for all images.
    Lazy,
}

/// The trace Σ ψ(c) over 2^M automorphisms ψ, computed in stages: each replaces c by c + Σ g(c) over its elements g.
///
/// Automorphism number k < 2^M is the rotation by the lower log2(N/2) bits of k; if the next bit is set, the rows are
/// swapped too (in CKKS: conjugated). With 2^M = ∏ xᵢ, stage i sums the xᵢ multiples of x₀·…·xᵢ₋₁: it takes xᵢ − 1
/// keys, one decomposition and, with [`Hoisting::Lazy`], one mod-down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    stages: Vec<Vec<GaloisElement>>,
    hoisting: Hoisting,
}

impl Trace {
    /// The trace with the stages' factors xᵢ.
    ///
    /// # Panics
    /// Unless the factors are powers of two and their product at most N.
    pub fn new(ring_degree: usize, factors: &[usize], hoisting: Hoisting) -> Self {
        Self::strided(ring_degree, 1, factors, hoisting)
    }

    /// As [`Trace::new`], but over every `stride`-th automorphism only: sums of slots that are `stride` apart.
    ///
    /// # Panics
    /// Unless the stride and the factors are powers of two and their product at most N.
    pub fn strided(ring_degree: usize, stride: usize, factors: &[usize], hoisting: Hoisting) -> Self {
        Self::of_rows((ring_degree, ring_degree / 2), stride, factors, hoisting)
    }

    /// The trace for slots of which a row has fewer than N/2, as moduli of few slots have: automorphism number k is the rotation by k
    /// modulo the row, and beyond the row the rows are swapped too.
    ///
    /// # Panics
    /// Returns the sum of [`Trace::strided`] over rows of slots that are shorter than N/2: twice the row replaces N.
    pub fn of_rows(
        (ring_degree, row): (usize, usize),
        stride: usize,
        factors: &[usize],
        hoisting: Hoisting,
    ) -> Self {
        assert!(stride.is_power_of_two());
        assert!(factors.iter().all(|factor| factor.is_power_of_two()));
        let element = |k: usize| {
            let rotation = GaloisElement::rotation(ring_degree, (k % row) as i64);
            match k / row {
                0 => rotation,
                _ => rotation.compose(GaloisElement::conjugation(ring_degree), ring_degree),
            }
        };
        let mut stride = stride;
        let stage = |&factor: &usize| {
            let elements = (1..factor).map(|j| element(j * stride)).collect();
            stride *= factor;
            assert!(stride <= 2 * row);
            elements
        };
        let stages = factors.iter().filter(|factor| **factor > 1).map(stage).collect();
        Self { stages, hoisting }
    }

    /// Repeated doubling: M stages of one automorphism each, without hoisting.
    ///
    /// Source: Inoue, Suzuki, Yamana on trace-type functions with AVX-512 (DEIM Forum 2022, J41-4, in Japanese),
    /// Algorithm 2.2.
    pub fn repeated_doubling(ring_degree: usize, log2_length: u32) -> Self {
        Self::new(ring_degree, &vec![2; log2_length as usize], Hoisting::Separate)
    }

    /// The unrolled trace: h stages with factors as equal as possible, the larger ones first, hoisted with one lazy
    /// mod-down a stage.
    ///
    /// Sources: Ishimaki, Yamana, "Faster homomorphic trace-type function evaluation" (IEEE Access 9, 2021); Inoue,
    /// Suzuki, Yamana on trace-type functions with AVX-512 (DEIM Forum 2022, J41-4, in Japanese), Algorithms 3.1 and
    /// 3.2.
    ///
    /// # Panics
    /// If h is 0.
    pub fn unrolled(ring_degree: usize, log2_length: u32, h: u32) -> Self {
        Self::new(ring_degree, &even_factors(log2_length, h), Hoisting::Lazy)
    }

    /// How the images of a stage are computed and summed.
    pub fn hoisting(&self) -> Hoisting {
        self.hoisting
    }

    /// The automorphisms of every stage, without the identity.
    pub fn stages(&self) -> &[Vec<GaloisElement>] {
        &self.stages
    }

    /// The automorphisms that keys are needed for.
    pub fn elements(&self) -> impl Iterator<Item = GaloisElement> + '_ {
        self.stages.iter().flatten().copied()
    }

    /// The growth of a noise bound at a level, by a noise model. For each stage: the number of noises that add up, and
    /// the norm that is added to their sum, in units of the noise factor.
    pub fn noise_growth(&self, params: &RlweParams, model: &NoiseModel, level: Level) -> Vec<(usize, f64)> {
        let added = |switches: usize| match self.hoisting {
            Hoisting::Lazy => params.switch_sum_noise(model, level, switches),
            _ => params.switch_sum_noise(model, level, 1) * switches as f64,
        };
        self.stages.iter().map(|stage| (stage.len() + 1, added(stage.len()))).collect()
    }

    /// The trace of a ciphertext of two parts. The noise grows as [`Trace::noise_growth`] says.
    ///
    /// # Errors
    /// If a key is missing or of a lower level than the ciphertext, before anything is computed;
    /// [`MissingKey::Unreadable`].
    pub fn apply(
        &self,
        params: &RlweParams,
        ciphertext: &RlweCiphertext,
        keys: &EvaluationKeys,
    ) -> Result<RlweCiphertext, MissingKey> {
        let key = |&g: &GaloisElement| {
            let key = keys.automorphism(params, g, ciphertext.level())?;
            key.key.at(params, ciphertext.level())?;
            Ok(key)
        };
        let stages: Vec<Vec<&GaloisKey>> =
            self.stages.iter().map(|stage| stage.iter().map(key).collect()).collect::<Result<_, _>>()?;
        let mut sum = ciphertext.clone();
        for stage in stages {
            match self.hoisting {
                Hoisting::Separate => {
                    let images: Vec<_> =
                        stage.iter().map(|key| automorphism(params, &sum, key)).collect::<Result<_, _>>()?;
                    images.iter().for_each(|image| sum.add_assign(image));
                }
                Hoisting::Hoisted => {
                    let images = automorphisms(params, &sum, &stage)?;
                    images.iter().for_each(|image| sum.add_assign(image));
                }
                Hoisting::Lazy => {
                    let images = Hoisted::new(params, &sum).sum_of_images(params, &stage)?;
                    sum.add_assign(&images.mod_down(params));
                }
            }
        }
        Ok(sum)
    }
}

/// 2^M as a product of h powers of two as equal as possible, the larger ones first; if h > M, the last ones are 1.
pub(crate) fn even_factors(log2_length: u32, h: u32) -> Vec<usize> {
    (0..h).map(|i| 1 << (log2_length / h + u32::from(i < log2_length % h))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_cover_every_automorphism_once() {
        let n = 32;
        for (factors, rows) in [(&[2, 2, 2][..], 1), (&[8], 1), (&[4, 1, 8], 2), (&[2, 16], 2), (&[32], 2)] {
            let trace = Trace::new(n, factors, Hoisting::Lazy);
            let mut all = vec![GaloisElement(1)];
            for stage in trace.stages() {
                let images = stage.iter().flat_map(|&g| all.iter().map(move |h| h.compose(g, n)));
                all = all.iter().copied().chain(images).collect();
            }
            let row = all.len() / rows;
            let rotation = |k| GaloisElement::rotation(n, k as i64);
            let swapped = |k| rotation(k).compose(GaloisElement::conjugation(n), n);
            let expected: Vec<_> = (0..row).map(rotation).chain((0..row * (rows - 1)).map(swapped)).collect();
            all.sort();
            let mut expected = expected;
            expected.sort();
            assert_eq!(all, expected, "{factors:?}");
        }
    }

    #[test]
    fn factors_are_even_and_multiply_to_the_length() {
        assert_eq!(even_factors(7, 1), [128]);
        assert_eq!(even_factors(7, 3), [8, 4, 4]);
        assert_eq!(even_factors(7, 7), [2; 7]);
        assert_eq!(even_factors(2, 3), [2, 2, 1]);
    }
}
