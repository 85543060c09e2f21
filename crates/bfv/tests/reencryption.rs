//! Re-encryption: the same values under another secret.

use crate::common;

asanoha_testkit::reencryption_suite!(common::Bfv);
