//! Linear and bilinear forms and settled products.

use crate::common;

asanoha_testkit::forms_suite!(common::Bgv);
