//! Circuits that use their own values again and again.

use crate::common;

asanoha_testkit::dependence_suite!(common::Bgv);
