//! What can't be done, and what the errors say.

use crate::common;

asanoha_testkit::refusals_suite!(common::Bgv);
