//! Traces: every way to compute one against plain sums.

use asanoha_lattice::{Hoisting, Trace};

use crate::common;

asanoha_testkit::traces_suite!(common::Bgv);

#[test]
fn the_corners_are_repeated_doubling_and_the_unrolled_trace() {
    assert_eq!(Trace::repeated_doubling(64, 5), Trace::new(64, &[2; 5], Hoisting::Separate));
    assert_eq!(Trace::unrolled(64, 5, 2), Trace::new(64, &[8, 4], Hoisting::Lazy));
}
