//! Random circuits, modulo numbers and polynomials of every kind, against big integers.

use crate::common;

asanoha_testkit::circuits_suite!(common::Bfv);
