//! Random circuits, modulo numbers of every kind, against big integers.

mod common;

asanoha_testkit::circuits_suite!(common::Bgv);
