//! Products that are relinearised to a lower level.

use asanoha_ckks::Ckks;
use asanoha_lattice::Level;
use asanoha_scheme::{GenerateKeys, Scheme};

#[test]
fn a_product_at_a_lower_level_is_what_both_steps_give() {
    let params = Ckks::parameters().depth(2).precision_bits(20).slots(64).build().unwrap();
    let (secret, public) = params.generate_keys();
    let evaluator = params.evaluator(secret.evaluation_keys().relinearise().build().unwrap());
    let a = public.with_bound(4.0).encrypt([1.5, -2.0, 0.25]).unwrap();
    let product = evaluator.multiply_without_relinearise(&a, &a).unwrap();
    let both = evaluator.relinearise(product.clone()).unwrap();
    let below = Level(params.max_level().0 - 1);
    let both = evaluator.switch_to(&both, below).unwrap();
    let at_once = evaluator.relinearise_to(product, below).unwrap();
    assert_eq!((at_once.level(), at_once.scale()), (below, both.scale()));
    for result in [&at_once, &both] {
        for (found, expected) in secret.decrypt(result).unwrap().iter().zip([2.25, 4.0, 0.0625]) {
            assert!((found - expected).abs() <= result.error_bound());
        }
    }
}
