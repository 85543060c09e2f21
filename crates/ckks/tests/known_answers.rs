//! One seed gives the same keys, encryptions and results as when these were written down.

use asanoha_ckks::{CkksCiphertext, Encryptor};
use asanoha_lattice::{DiagonalSteps, Hoisting, Level, StepKeys, Trace};
use asanoha_ring::Poly;
use asanoha_scheme::Scheme;
use asanoha_testkit::KnownAnswers;

use crate::common::{Case, params};

#[test]
fn one_seed_gives_the_known_ciphertexts_of_every_operation() {
    let mut case = Case::new(params(1 << 6, 3, 40), &[1, 2, 5, -3], 13);
    let values = case.values();
    let plain = case.encode(&values, case.params.max_level());
    let [(_, a), (_, b)] = [(); 2].map(|()| case.random());
    let own = Encryptor::new(&case.params).encrypt_secret(&case.secret, &plain, &mut case.sampler).unwrap();
    let e = &case.evaluator;
    let product = e.multiply_exact(&a, &b).unwrap();
    let lower = e.rescale(&product).unwrap();
    let trace = |hoisting| e.trace(&a, &Trace::new(1 << 6, &[2], hoisting)).unwrap();
    let steps = DiagonalSteps::new([0, 1, 2], 3, StepKeys::Each);
    let transform = asanoha_ckks::Encoder::new(&case.params)
        .encode_transform(&steps, Level(2), 1e9, |d| vec![asanoha_ckks::Complex64::from(0.5 + d as f64)])
        .unwrap();
    let mut answers = KnownAnswers::default();
    let mut add = |name: &str, c: &CkksCiphertext| answers.add(name, c.rlwe().parts.iter().map(Poly::words));
    add("public", &a);
    add("secret", &own);
    add("add", &e.add(&a, &b).unwrap());
    add("sub", &e.sub(&a, &b).unwrap());
    add("neg", &e.neg(&a));
    add("product", &product);
    add("square", &e.square_exact(&a).unwrap());
    add("tensor", &e.multiply_without_relinearise(&a, &b).unwrap());
    add("rescale", &lower);
    add("rescale_to", &e.rescale_to(&e.multiply_exact(&product, &b).unwrap(), Level(1)).unwrap());
    add("drop_to", &e.switch_to(&a, Level(1)).unwrap());
    add("adjust_to", &e.adjust_to(&a, Level(1)).unwrap());
    add("rotate", &e.rotate(&a, 5).unwrap());
    e.rotate_many(&lower, &[1, 0, -3]).unwrap().iter().for_each(|c| add("rotate_many", c));
    add("conjugate", &e.conjugate(&a).unwrap());
    add("trace", &trace(Hoisting::Lazy));
    add("hoisted trace", &trace(Hoisting::Hoisted));
    add("transform", &e.transform(&lower, &transform).unwrap());
    add("add_plain", &e.add_plain_exact(&a, &plain).unwrap());
    add("sub_plain", &e.sub_plain_exact(&a, &plain).unwrap());
    add("mul_plain", &e.mul_plain_exact(&a, &plain).unwrap());
    add("add_constant", &e.add_constant(&lower, -1.25).unwrap());
    add("mul_constant", &e.mul_constant_exact(&a, (0.3, 1e6)).unwrap());
    answers.expect(include_str!("known_answers.txt"));
}
