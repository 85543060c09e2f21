//! The tests of this crate.

mod http;
mod panel;
mod thousands;
