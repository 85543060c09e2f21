//! Traces: every way to compute one against plain sums.

use crate::common;

asanoha_testkit::traces_suite!(common::Ckks);
