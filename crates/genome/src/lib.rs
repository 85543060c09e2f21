//! Private search of haplotypes: how far an encrypted query agrees with any haplotype of a panel, from a site on, and with how
//! many.
//!
//! A [`Panel`] comes from VCF, BCF or text, and answers queries in the clear: its matches, and its positional
//! Burrows–Wheeler transform.

pub mod panel;

pub use panel::{Panel, PanelError};
