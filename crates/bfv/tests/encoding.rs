//! Numbers in and out.

use crate::common;

asanoha_testkit::encoding_suite!(common::Bfv);
