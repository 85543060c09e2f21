//! Suites: claims that hold for every scheme, or for every exact one.
//!
//! `operations_suite!(Subject)` and its like make a test out of every claim of a suite.

#![allow(missing_docs, reason = "the names of claims say what they hold")]

pub mod circuits;
pub mod dependence;
pub mod encoding;
pub mod forms;
pub mod literals;
pub mod measured_noise;
pub mod operations;
pub mod other_parameters;
pub mod parameters;
pub mod reencryption;
pub mod refusals;
pub mod traces;

/// Tests of a subject, one for each claim.
#[doc(hidden)]
#[macro_export]
macro_rules! claims {
    ($subject:ty: $suite:ident { $($(#[$attribute:meta])* $claim:ident)* }) => {
        $(
            #[test]
            $(#[$attribute])*
            fn $claim() {
                $crate::suite::$suite::$claim::<$subject>();
            }
        )*
    };
}
