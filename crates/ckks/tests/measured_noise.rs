//! Decryption notices another key, by values beyond their bound.

use crate::common;

asanoha_testkit::measured_noise_suite!(common::Ckks);
