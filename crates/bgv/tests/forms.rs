//! Linear and bilinear forms and settled products.

mod common;

asanoha_testkit::forms_suite!(common::Bgv);
