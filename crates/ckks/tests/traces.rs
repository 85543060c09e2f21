//! Traces: every way to compute one against plain sums.

mod common;

asanoha_testkit::traces_suite!(common::Ckks);
