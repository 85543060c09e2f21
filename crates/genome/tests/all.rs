//! The tests of this crate.

mod haploid;
mod http;
mod panel;
mod thousands;
