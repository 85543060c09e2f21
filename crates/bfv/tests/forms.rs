//! Linear and bilinear forms and settled products.

use asanoha_scheme::SchemeError;

use crate::common;
use crate::common::{Fixture, binomial, roomy};

asanoha_testkit::forms_suite!(common::Bfv);

#[test]
fn polynomial_moduli_have_no_forms() {
    let fixture = Fixture::new(&roomy(binomial(16, 1000)), 7);
    let constant = fixture.evaluator.constant(3, fixture.top()).unwrap();
    let refused = fixture.evaluator.weighted_sum(&[&constant], &[1]).unwrap_err();
    assert!(matches!(refused, SchemeError::FormModulus { most: 63, .. }), "{refused}");
}
