//! Products against big integers, plans against what happens.

use asanoha_ckks::{CkksCiphertext, CkksPredictor, Scaled};
use asanoha_lattice::Level;
use asanoha_scheme::Scheme;
use asanoha_testkit::{centred, max_norm, negacyclic_product};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use proptest::prelude::*;

use crate::common::{BOUND, Case, params};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_product_decrypts_to_the_big_integer_product_up_to_the_noise(seed: u64) {
        let mut case = Case::new(params(1 << 6, 2, 40), &[], seed);
        let ((_, a), (_, b)) = (case.random(), case.random());
        let decrypted = |ciphertext: &CkksCiphertext| case.secret.decrypt(ciphertext.rlwe()).to_integers();
        let expected = negacyclic_product(&decrypted(&a), &decrypted(&b));
        let product = case.evaluator.multiply_exact(&a, &b).unwrap();
        let q = BigInt::from(case.params.rlwe().q(Level(2)).product());
        let difference: Vec<_> =
            decrypted(&product).iter().zip(&expected).map(|(p, e)| centred(&(p - e), &q)).collect();
        // The oracle multiplies the noises too, so that only the key switch's is left.
        let error = max_norm(&difference).to_f64().unwrap();
        prop_assert!(error <= case.params.rlwe().key_switch_noise(Level(2)), "{error:e}");
        let exact = case.evaluator.multiply_without_relinearise(&a, &b).unwrap();
        prop_assert_eq!(decrypted(&exact), expected);
    }
}

#[test]
fn a_plan_predicts_the_state_of_every_ciphertext_exactly() {
    let params = params(1 << 8, 3, 40);
    let predictor = CkksPredictor::new(&params);
    let plain = Scaled { scale: params.scale_at(Level(3)), bound: BOUND };
    let fresh = predictor.model().fresh_public(Level(3), &plain).unwrap();
    let product = predictor.rescale(&predictor.multiply_exact(&fresh, &fresh).unwrap()).unwrap();
    let rotated = predictor.model().key_switch(&product).unwrap();
    let adjusted = predictor.adjust_to(&fresh, Level(2)).unwrap();
    let sum = predictor.add(&rotated, &adjusted).unwrap();
    let scaled = predictor
        .mul_constant_exact(&predictor.add_constant(&sum, -0.25).unwrap(), (1.7, 2f64.powi(40)))
        .unwrap();
    let planned = predictor.rescale(&scaled).unwrap();

    let mut case = Case::new(params, &[1], 5);
    let (_, a) = case.random();
    let evaluator = &case.evaluator;
    let product = evaluator.rescale(&evaluator.square_exact(&a).unwrap()).unwrap();
    let rotated = evaluator.rotate(&product, 1).unwrap();
    let sum = evaluator.add(&rotated, &evaluator.adjust_to(&a, Level(2)).unwrap()).unwrap();
    let scaled = evaluator
        .mul_constant_exact(&evaluator.add_constant(&sum, -0.25).unwrap(), (1.7, 2f64.powi(40)))
        .unwrap();
    assert_eq!(*evaluator.rescale(&scaled).unwrap().state(), planned);
}
