//! Random circuits, modulo numbers of every kind, against big integers.

use crate::common;

asanoha_testkit::circuits_suite!(common::Bgv);
