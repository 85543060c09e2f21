//! Sums of products of ciphertexts with images of others under the automorphisms that fix a power of X: products of many
//! matrices at once.

use asanoha_ring::{Evaluation, FixingAutomorphisms, GaloisElement, Poly, SwitchPart};
use rayon::prelude::*;

use crate::{Decomposed, EvaluationKeys, Level, MissingKey, NoiseModel, RlweCiphertext, RlweParams};

/// Sums Σₘ τₖ(leftₘ)·rightₘ of ciphertexts for every automorphism τₖ: X → X^(1 + 2k·N/d), of four parts each:
/// (Σ τₖ(a₀)·b₀, Σ τₖ(a₀)·b₁, Σ τₖ(a₁)·b₀, Σ τₖ(a₁)·b₁) over (1, s, τₖ(s), s·τₖ(s)).
#[derive(Debug)]
pub struct ImageSums {
    automorphisms: FixingAutomorphisms,
    parts: Vec<Vec<Poly<Evaluation>>>,
}

impl ImageSums {
    /// The sums of the products of these terms, added to those of earlier ones.
    ///
    /// # Panics
    /// Unless there are as many ciphertexts on both sides, at least one, all of two parts and one level, that of the
    /// earlier ones.
    pub fn new(
        automorphisms: FixingAutomorphisms,
        left: &[RlweCiphertext],
        right: &[RlweCiphertext],
        earlier: Option<Self>,
    ) -> Self {
        let ([a0, a1], [b0, b1]) = (components(left), components(right));
        let earlier = earlier.map(|earlier| earlier.parts);
        let parts = Poly::sums_of_image_products(&automorphisms, &[&a0, &a1], &[&b0, &b1], earlier);
        Self { automorphisms, parts }
    }

    /// The sums as ciphertexts of two parts at a level that is as low as the noise allows.
    ///
    /// They are divided by the primes above the level, which makes key switching cheap, and then the parts over τₖ(s) and s·τₖ(s)
    /// are switched to s, with one mod-down: two key switches for each k but the first, however many terms there are.
    ///
    /// The keys are those of [`crate::KeyLevels::add_image_product`] at the level. Noise: the sum of the products of the
    /// norms of the terms, divided; and [`RlweParams::image_product_noise`] in units of the noise factor.
    ///
    /// # Errors
    /// [`MissingKey`].
    ///
    /// # Panics
    /// If the level is above that of the terms.
    pub fn switch_to(
        self,
        params: &RlweParams,
        level: Level,
        keys: &EvaluationKeys,
    ) -> Result<Vec<RlweCiphertext>, MissingKey> {
        let Self { automorphisms, parts } = self;
        let switched = parts.into_par_iter().enumerate().map(|(k, parts)| {
            let parts = parts.into_iter().map(|part| params.divide(part, level)).collect();
            params.switch_image_product(automorphisms.element(k), parts, level, keys)
        });
        switched.collect()
    }
}

impl RlweParams {
    /// Four parts over (1, s, s(X^g), s·s(X^g)) as a ciphertext of two.
    fn switch_image_product(
        &self,
        element: GaloisElement,
        parts: Vec<Poly<Evaluation>>,
        level: Level,
        keys: &EvaluationKeys,
    ) -> Result<RlweCiphertext, MissingKey> {
        let [mut c0, mut c1, c2, c3]: [Poly<Evaluation>; 4] = parts.try_into().expect("there are four parts");
        if element == GaloisElement(1) {
            c1.add_assign(&c2);
            let product = RlweCiphertext { parts: vec![c0, c1, c3] };
            return self.relinearise(product, keys.relinearisation(self, level)?);
        }
        let from = [&keys.automorphism(self, element, level)?.key, keys.image_product(self, element, level)?];
        let digits = [&c2, &c3].map(|part| Decomposed::new(self, part).digits);
        let mut sum = Vec::with_capacity(2);
        for (place, key) in from.into_iter().enumerate() {
            let product = Some((place, key.at(self, level)?));
            sum.push(SwitchPart { permutation: None, addends: [None; 2], product });
        }
        let mut sums = self.switch_sums(level, &digits, &[sum])?;
        // Kept in the memory of the parts: that of the sums is larger.
        let switched = self.mod_down_ciphertext(sums.remove(0));
        c0.add_assign(&switched.parts[0]);
        c1.add_assign(&switched.parts[1]);
        Ok(RlweCiphertext { parts: vec![c0, c1] })
    }

    /// The norm of the noise that a sum of products with images has beside the terms', in units of the noise factor: the
    /// division's rounding, and two key switches' with one mod-down.
    pub fn image_product_noise(&self, model: &NoiseModel, to: Level) -> f64 {
        model.rounding_image_product() + self.switch_sum_noise(model, to, 2)
    }
}

/// The first parts, and the second ones.
fn components(side: &[RlweCiphertext]) -> [Vec<&Poly<Evaluation>>; 2] {
    assert!(
        side.iter().all(|ciphertext| ciphertext.parts.len() == 2),
        "products take ciphertexts of two parts"
    );
    [0, 1].map(|part| side.iter().map(|ciphertext| &ciphertext.parts[part]).collect())
}
