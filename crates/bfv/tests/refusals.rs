//! What can't be done, and what the errors say.

mod common;

asanoha_testkit::refusals_suite!(common::Bfv);
