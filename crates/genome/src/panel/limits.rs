//! What a panel holds at most.

/// The most haplotypes of a panel: counts of them are told apart modulo 65537.
pub const MAX_HAPLOTYPES: usize = 1 << 16;
/// The most sites of a panel.
pub const MAX_SITES: usize = 1 << 24;
/// The most words that a panel takes, eight gibibytes.
pub(super) const MAX_WORDS: usize = 1 << 30;
/// The longest name of a chromosome, in bytes.
pub(super) const MAX_NAME: usize = 255;
