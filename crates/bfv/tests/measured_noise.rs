//! Decryption measures the noise that it rounds away: garbage is an error and never a number.

use crate::common;

asanoha_testkit::measured_noise_suite!(common::Bfv);
