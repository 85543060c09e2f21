//! Random circuits, modulo numbers and polynomials of every kind, against big integers.

mod common;

asanoha_testkit::circuits_suite!(common::Bfv);
