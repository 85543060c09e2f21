//! Numbers in and out.

use asanoha_lattice::Level;
use asanoha_scheme::{Exact, Scheme};
use asanoha_testkit::TestIntegers;

use crate::common;
use crate::common::{Fixture, LiteralShape};

asanoha_testkit::encoding_suite!(common::Bgv);

fn shape(log2_degree: u32, plaintext_bits: u32) -> LiteralShape {
    LiteralShape { ring_degree: 1 << log2_degree, prime_bits: 46, primes: 3, digits: 3, plaintext_bits }
}

#[test]
fn fresh_and_switched_bounds_are_within_eight_bits_of_the_measured_norm() {
    for plaintext_bits in [17, 30, 60] {
        let mut fixture = Fixture::new(shape(10, plaintext_bits), 6);
        println!("seed 7");
        let values = fixture.values(&mut TestIntegers(7));
        let fresh = fixture.encrypt(&values);
        let switched = fixture.evaluator.switch_to(&fresh, Level(1)).unwrap();
        for ciphertext in [fresh, switched] {
            let slack = ciphertext.noise().log2() - fixture.norm_bits(&ciphertext);
            assert!((0.0..8.0).contains(&slack), "{plaintext_bits}: {slack}");
        }
    }
}

#[test]
fn norms_of_plaintexts_are_theirs_also_where_coefficients_line_up() {
    let fixture = Fixture::new(shape(6, 17), 8);
    let slots = fixture.params.slots();
    // One value everywhere is a constant polynomial.
    let constant = fixture.encoder.encode(&vec![-1234; slots], Level(0)).unwrap();
    assert!((constant.norm().to_f64() - 1234.0).abs() < 1e-3);
    println!("seed 9");
    let random = fixture.encoder.encode(&fixture.values(&mut TestIntegers(9)), Level(0)).unwrap();
    assert!(random.norm() <= fixture.params.largest_norm());
}
