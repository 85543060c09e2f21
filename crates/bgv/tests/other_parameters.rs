//! Whatever was made with other parameters is refused.

use crate::common;

asanoha_testkit::other_parameters_suite!(common::Bgv);
