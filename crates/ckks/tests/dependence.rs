//! Circuits that use their own values again and again.

mod common;

asanoha_testkit::dependence_suite!(common::Ckks);
