//! Runs plans: keys, encryption, evaluation, decryption, publication, and reports on all of these.
//!
//! [`execute`] carries out a [`plan::Plan`], which the crate `asanoha-planner` made; [`client`] remembers what it encrypted; [`report`] says in words what a plan and its
//! results are. Nothing is decided here.

pub mod client;
pub mod execute;
pub mod report;

pub use asanoha_backends as backends;
pub use asanoha_planner::{advice, compile, data, output, plan, precision, program, search, text};
