//! One seed gives the same keys, encryptions and results as when these were written down.

use asanoha_bfv::BfvCiphertext;
use asanoha_lattice::{Hoisting, Level, Trace};
use asanoha_ring::Poly;
use asanoha_testkit::{KnownAnswers, TestIntegers};

use crate::common::{Fixture, LiteralShape};

#[test]
fn one_seed_gives_the_known_ciphertexts_of_every_operation() {
    let shape = LiteralShape {
        ring_degree: 1 << 6,
        prime_bits: 46,
        primes: 4,
        digits: 2,
        modulus: 65537.into(),
        encoding: None,
    };
    let mut fixture = Fixture::new(&shape, 13);
    let mut integers = TestIntegers(13);
    let values = [(); 3].map(|()| fixture.values(&mut integers));
    let plain = fixture.encode(&values[2], fixture.top());
    let [a, b] = [0, 1].map(|which| fixture.encrypt(&values[which]));
    let own = fixture.encryptor.encrypt_secret(&fixture.secret, &plain, &mut fixture.sampler).unwrap();
    let e = &fixture.evaluator;
    let product = e.multiply_exact(&a, &b).unwrap();
    let lower = e.switch_to(&product, Level(2)).unwrap();
    let other = e.switch_to(&e.square_exact(&own).unwrap(), Level(2)).unwrap();
    let trace = |hoisting| e.trace(&a, &Trace::new(1 << 6, &[2], hoisting)).unwrap();
    let mut answers = KnownAnswers::default();
    let mut add = |name: &str, c: &BfvCiphertext| answers.add(name, c.rlwe().parts.iter().map(Poly::words));
    add("public", &a);
    add("secret", &own);
    add("add", &e.add(&a, &b).unwrap());
    add("sub", &e.sub(&a, &b).unwrap());
    add("neg", &e.neg(&a));
    add("product", &product);
    add("square", &e.square_exact(&a).unwrap());
    add("tensor", &e.multiply_without_relinearise(&a, &b).unwrap());
    add("switch", &lower);
    add("add of two factors", &e.add(&lower, &e.mul_constant_exact(&other, 7).unwrap()).unwrap());
    add("settled", &e.multiply_settled(&a, &b).unwrap());
    add("rotate", &e.rotate(&a, 5).unwrap());
    e.rotate_many(&lower, &[1, 0, -3]).unwrap().iter().for_each(|c| add("rotate_many", c));
    add("swap", &e.swap_rows(&a).unwrap());
    add("trace", &trace(Hoisting::Lazy));
    add("hoisted trace", &trace(Hoisting::Hoisted));
    add("add_plain", &e.add_plain_exact(&a, &plain).unwrap());
    add("sub_plain", &e.sub_plain_exact(&a, &plain).unwrap());
    add("mul_plain", &e.mul_plain_exact(&a, &plain).unwrap());
    add("add_constant", &e.add_constant(&lower, -5).unwrap());
    add("mul_constant", &e.mul_constant_exact(&a, 65_540).unwrap());
    add("weighted_sum", &e.weighted_sum(&[&a, &b], &[3, 65_000]).unwrap());
    add("bilinear_form", &e.bilinear_form(&[&a, &b], &[1, 2, 3, 4], &[&a, &own]).unwrap());
    answers.expect(include_str!("known_answers.txt"));
}
