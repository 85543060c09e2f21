//! Automorphisms composed of a few of them.

use asanoha_ring::{FixingAutomorphisms, GaloisElement};

use crate::{KeyLevels, Level, NoiseModel, RlweParams};

/// How the automorphisms τₖ are composed of a few of them, the steps: a tree with the identity at its root, in which every τₖ
/// is its parent followed by a step, on a shortest way.
#[derive(Clone, Debug)]
pub struct ImageSteps {
    automorphisms: FixingAutomorphisms,
    steps: Vec<GaloisElement>,
    /// For every k but 0, the parent and the step from there.
    parents: Vec<(usize, GaloisElement)>,
    /// For every k, those whose parent it is, each with the step there.
    children: Vec<Vec<(usize, GaloisElement)>>,
}

impl ImageSteps {
    /// The steps τₖ for the given k.
    ///
    /// # Panics
    /// Unless every k is below the automorphisms' number, and they compose all automorphisms.
    pub fn new(automorphisms: FixingAutomorphisms, steps: &[usize]) -> Self {
        let count = automorphisms.count();
        assert!(steps.iter().all(|&k| k < count));
        let steps: Vec<GaloisElement> =
            steps.iter().filter(|&&k| k > 0).map(|&k| automorphisms.element(k)).collect();
        let mut parents = vec![(0, GaloisElement(1)); count];
        let mut children = vec![Vec::new(); count];
        // Breadth first, so that ways are shortest.
        let (mut reached, mut next) = (vec![0], 0);
        while next < reached.len() && reached.len() < count {
            let parent = reached[next];
            for &step in &steps {
                let k = automorphisms.composed(parent, step);
                if k != 0 && parents[k].1 == GaloisElement(1) {
                    parents[k] = (parent, step);
                    children[parent].push((k, step));
                    reached.push(k);
                }
            }
            next += 1;
        }
        assert!(reached.len() == count, "the steps compose all automorphisms");
        Self { automorphisms, steps, parents, children }
    }

    /// The multiples of every product of the first factors that are below the product with the next: with factors g₁, g₂, …
    /// whose product is d these are Σ (gᵢ − 1) steps, of which at most one for each factor compose an automorphism.
    ///
    /// A single factor d gives all automorphisms, two of about √d each some 2·√d steps, and factors of 2 give log2(d) steps.
    ///
    /// # Panics
    /// Unless the product of the factors is the automorphisms' number.
    pub fn of_factors(automorphisms: FixingAutomorphisms, factors: &[usize]) -> Self {
        assert_eq!(factors.iter().product::<usize>(), automorphisms.count());
        let mut stride = 1;
        let steps = factors.iter().flat_map(|factor| {
            let multiples = (1..*factor).map(move |multiple| multiple * stride);
            stride *= factor;
            multiples
        });
        Self::new(automorphisms, &steps.collect::<Vec<_>>())
    }

    /// The automorphisms.
    pub fn automorphisms(&self) -> FixingAutomorphisms {
        self.automorphisms
    }

    /// The steps.
    pub fn steps(&self) -> &[GaloisElement] {
        &self.steps
    }

    /// The steps that compose τₖ.
    pub fn path(&self, mut k: usize) -> Vec<GaloisElement> {
        let mut path = Vec::new();
        while k != 0 {
            let (parent, step) = self.parents[k];
            path.push(step);
            k = parent;
        }
        path
    }

    /// The most steps that compose an automorphism.
    pub fn depth(&self) -> usize {
        (0..self.parents.len()).map(|k| self.path(k).len()).max().expect("there's the identity")
    }

    /// The automorphisms whose parent is τₖ, each with the step there.
    pub(super) fn children(&self, k: usize) -> &[(usize, GaloisElement)] {
        &self.children[k]
    }

    /// The keys of [`super::ImageKeys::Composed`] at a level: those of the steps and the relinearisation key.
    pub fn keys(&self, params: &RlweParams, level: Level) -> KeyLevels {
        let mut levels = KeyLevels::default();
        levels.add_relinearisation(params, level);
        self.steps.iter().for_each(|&step| levels.add_automorphism(params, step, level));
        levels
    }

    /// The norm of the noise that a sum of products with images has beside the terms' if it's switched by steps, in units of
    /// the noise factor. An image has the noise of as many key switches as there are steps, which may use one key.
    pub fn noise(&self, params: &RlweParams, model: &NoiseModel, to: Level) -> f64 {
        let switches = self.depth().max(1) as f64;
        params.image_noise(model, to, switches * params.switch_sum_noise(model, to, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_of_steps_and_compose_every_automorphism() {
        for (n, d, factors, depth) in [
            (64, 8, &[8][..], 1),
            (64, 8, &[4, 2], 2),
            (64, 8, &[2, 2, 2], 3),
            (64, 16, &[4, 4], 2),
            (64, 64, &[8, 8], 2),
            (64, 1, &[], 0),
        ] {
            let steps = ImageSteps::of_factors(FixingAutomorphisms::new(n, d), factors);
            assert_eq!(steps.steps().len(), factors.iter().map(|factor| factor - 1).sum::<usize>());
            assert_eq!(steps.depth(), depth);
            check(&steps, n);
        }
        let chain = ImageSteps::new(FixingAutomorphisms::new(64, 16), &[1]);
        assert_eq!(chain.depth(), 15);
        check(&chain, 64);
    }

    fn check(steps: &ImageSteps, n: usize) {
        for k in 0..steps.automorphisms().count() {
            let path = steps.path(k);
            assert!(path.iter().all(|step| steps.steps().contains(step)));
            let composed = path.iter().fold(GaloisElement(1), |all, step| all.compose(*step, n));
            assert_eq!(composed, steps.automorphisms().element(k));
        }
    }

    #[test]
    #[should_panic(expected = "compose all")]
    fn steps_that_compose_some_automorphisms_only_are_refused() {
        ImageSteps::new(FixingAutomorphisms::new(64, 16), &[2, 4]);
    }
}
