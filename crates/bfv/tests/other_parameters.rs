//! Whatever was made with other parameters is refused.

mod common;

asanoha_testkit::other_parameters_suite!(common::Bfv);
