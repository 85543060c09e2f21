//! Linear and bilinear forms of many ciphertexts, and relinearisation combined with division.

use asanoha_ring::{Evaluation, LinearPoly, Poly};

use crate::{Decomposed, KeySwitchKey, Level, MissingKey, RlweCiphertext, RlweParams};

impl RlweCiphertext {
    /// Σ wₖ·aₖ for integers wₖ, of ciphertexts of two parts and one level.
    ///
    /// # Panics
    /// If there are no ciphertexts, the number of weights differs from theirs, one has three parts, or the levels
    /// differ.
    pub fn weighted_sum(values: &[&Self], weights: &[i64]) -> Self {
        assert!(values.iter().all(|value| value.parts.len() == 2));
        let part = |part: usize| {
            let parts: Vec<&Poly<Evaluation>> = values.iter().map(|value| &value.parts[part]).collect();
            Poly::weighted_sum(&parts, weights)
        };
        Self { parts: vec![part(0), part(1)] }
    }

    /// Σⱼₖ wⱼₖ·leftⱼ·rightₖ for integers wⱼₖ, given row by row, in three parts. It takes one tensor product for each
    /// ciphertext of `left`; the products are summed before any relinearisation.
    ///
    /// # Panics
    /// If there are no ciphertexts, the number of weights isn't that of `left` times that of `right`, one has three
    /// parts, or the levels differ.
    pub fn bilinear_form(left: &[&Self], weights: &[i64], right: &[&Self]) -> Self {
        let left: Vec<LinearPoly> = left.iter().map(|value| value.linear()).collect();
        let right: Vec<LinearPoly> = right.iter().map(|value| value.linear()).collect();
        Self { parts: Poly::bilinear_form(&left, weights, &right).into() }
    }

    fn linear(&self) -> LinearPoly<'_> {
        let [c0, c1] = &self.parts[..] else { panic!("bilinear forms take ciphertexts of two parts") };
        [c0, c1]
    }
}

impl RlweCiphertext {
    /// As [`RlweCiphertext::divide_to`], but the operand is left unchanged and the result has memory of its own size.
    ///
    /// # Panics
    /// If `to` isn't below the level.
    pub fn quotient_to(&self, params: &RlweParams, to: Level) -> Self {
        let divider = params.divider(self.level(), to);
        Self { parts: self.parts.iter().map(|part| divider.quotient(part)).collect() }
    }
}

impl RlweParams {
    /// Relinearises a product of three parts and divides by the primes above level `to` in one step: the key switch
    /// leaves P·(c₀ + c₁·s + c₂·s²) modulo Q·P, which is divided by P and those primes at once. That saves one rounding
    /// and, for each part, one NTT of every prime kept and two of every prime dropped.
    ///
    /// It adds less noise than [`RlweParams::relinearise`] followed by [`RlweCiphertext::divide_to`].
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
    ///
    /// # Panics
    /// If `to` is above the level, or the ciphertext doesn't have three parts.
    pub fn relinearise_to(
        &self,
        product: RlweCiphertext,
        key: &KeySwitchKey,
        to: Level,
    ) -> Result<RlweCiphertext, MissingKey> {
        let level = product.level();
        if to == level {
            return self.relinearise(product, key);
        }
        let Ok([c0, c1, c2]) = <[Poly<Evaluation>; 3]>::try_from(product.parts) else {
            panic!("relinearisation takes a ciphertext of three parts")
        };
        let [u0, u1] = Decomposed::new(self, &c2).inner_product(self, key)?.parts;
        let (divider, special) = (self.special_divider(level, to), &self.tables(level.0).special);
        let parts =
            vec![divider.quotient_of_sum(u0, special, &c0), divider.quotient_of_sum(u1, special, &c1)];
        Ok(RlweCiphertext { parts })
    }
}
