//! Decryption measures what it decrypts: garbage is an error and never a number.

use crate::common;

asanoha_testkit::measured_noise_suite!(common::Bgv);
