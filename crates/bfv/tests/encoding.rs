//! Numbers in and out.

mod common;

asanoha_testkit::encoding_suite!(common::Bfv);
