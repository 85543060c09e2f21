//! Parts of sums of products with images, switched to the secret key.

use asanoha_ring::{Evaluation, EvaluationPermutation, GaloisElement, Poly, SwitchKey, SwitchPart};

use crate::{
    Decomposed, EvaluationKeys, ExtendedCiphertext, GaloisKey, KeySwitchKey, Level, MissingKey,
    RlweCiphertext, RlweParams,
    key_switch::{mod_down, relinearise, switch_sums},
};

/// Parts over (1, s, s(X^g), s·s(X^g)).
pub(super) type Parts = [Poly<Evaluation>; 4];

/// Relinearises the parts of the identity.
pub(super) fn switch_identity(
    params: &RlweParams,
    [c0, mut c1, c2, c3]: Parts,
    level: Level,
    keys: &EvaluationKeys,
) -> Result<RlweCiphertext, MissingKey> {
    c1.add_assign(&c2);
    relinearise(params, RlweCiphertext { parts: vec![c0, c1, c3] }, keys.relinearisation(params, level)?)
}

/// Switches the last two parts, each with a key of its own and both with one mod-down.
pub(super) fn switch_by_two_keys(
    params: &RlweParams,
    element: GaloisElement,
    [c0, c1, c2, c3]: Parts,
    level: Level,
    keys: &EvaluationKeys,
) -> Result<RlweCiphertext, MissingKey> {
    let from = [&keys.automorphism(params, element, level)?.key, keys.image_product(params, element, level)?];
    let digits = [&c2, &c3].map(|part| Decomposed::new(params, part).digits);
    let mut sum = Vec::with_capacity(2);
    for (place, key) in from.into_iter().enumerate() {
        let product = Some((place, key.at(params, level)?));
        sum.push(SwitchPart { permutation: None, addends: [None; 2], product });
    }
    let mut sums = switch_sums(params, level, &digits, &[sum])?;
    Ok(settle(params, [c0, c1], sums.remove(0)))
}

/// Switches the last two parts by what switches an image: `image(c)` is c·s(X^g) under s, before the mod-down.
///
/// The last part's image u₀ + u₁·s is multiplied by s: u₀ joins what is over s before the mod-down, and u₁ is over s²
/// and relinearised, for which it alone takes a mod-down.
pub(super) fn switch_by_images(
    params: &RlweParams,
    [c0, c1, c2, c3]: Parts,
    level: Level,
    relinearisation: &KeySwitchKey,
    image: impl Fn(&Poly<Evaluation>) -> Result<ExtendedCiphertext, MissingKey>,
) -> Result<RlweCiphertext, MissingKey> {
    let [u0, u1] = image(&c3)?.parts;
    let square = mod_down(params, u1, level);
    let [v0, v1] = image(&c2)?.parts;
    let addends = |addends| SwitchPart { permutation: None, addends, product: None };
    let product = Some((0, relinearisation.at(params, level)?));
    let sum = vec![SwitchPart { product, ..addends([Some(&v0), Some(&v1)]) }, addends([None, Some(&u0)])];
    let mut sums = switch_sums(params, level, &[Decomposed::new(params, &square).digits], &[sum])?;
    Ok(settle(params, [c0, c1], sums.remove(0)))
}

/// Switches the last two parts by the keys of the automorphisms that compose theirs.
pub(super) fn switch_by_steps(
    params: &RlweParams,
    path: &[GaloisElement],
    parts: Parts,
    level: Level,
    keys: &EvaluationKeys,
) -> Result<RlweCiphertext, MissingKey> {
    let Some((first, others)) = path.split_first() else {
        return switch_identity(params, parts, level, keys);
    };
    let first = keys.automorphism(params, *first, level)?;
    let keys_of_others: Vec<&GaloisKey> =
        others.iter().map(|&step| keys.automorphism(params, step, level)).collect::<Result<_, _>>()?;
    let n = params.ring_degree();
    let before = others.iter().map(|step| step.inverse(n)).reduce(|all, step| all.compose(step, n));
    let before = before.map(|before| EvaluationPermutation::new(n, before));
    // For τ = σ₁·…·σₘ, c·τ(s) is the image of τ⁻¹(c)·s under one σ after the other, each of which takes a key switch.
    // σ₁ of τ⁻¹(c) is the inverse of the others, which is applied to the digits.
    switch_by_images(params, parts, level, keys.relinearisation(params, level)?, |c| {
        let mut image = switched_image(params, c, level, before.as_ref(), first.key.at(params, level)?)?;
        for key in &keys_of_others {
            let [u0, u1] = image.parts;
            let u1 = mod_down(params, u1, level);
            let part = key.part(params, [Some(&u0), None], 0, level)?;
            image =
                switch_sums(params, level, &[Decomposed::new(params, &u1).digits], &[vec![part]])?.remove(0);
        }
        Ok(image)
    })
}

/// The key switch of the image of c under a permutation, before the mod-down.
pub(super) fn switched_image(
    params: &RlweParams,
    c: &Poly<Evaluation>,
    level: Level,
    permutation: Option<&EvaluationPermutation>,
    key: &dyn SwitchKey,
) -> Result<ExtendedCiphertext, MissingKey> {
    let part = SwitchPart { permutation, addends: [None; 2], product: Some((0, key)) };
    Ok(switch_sums(params, level, &[Decomposed::new(params, c).digits], &[vec![part]])?.remove(0))
}

/// The mod-down of a sum, and the first two parts added.
fn settle(
    params: &RlweParams,
    [mut c0, mut c1]: [Poly<Evaluation>; 2],
    sum: ExtendedCiphertext,
) -> RlweCiphertext {
    // Kept in the memory of the parts: that of the sum is larger.
    let switched = sum.mod_down(params);
    c0.add_assign(&switched.parts[0]);
    c1.add_assign(&switched.parts[1]);
    RlweCiphertext { parts: vec![c0, c1] }
}
