//! The tests of this crate.

mod calls;
mod examples;
mod programs;
mod security_page;
mod stored;
