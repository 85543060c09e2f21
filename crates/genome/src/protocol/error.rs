//! Why a search can't be carried out.

use asanoha_lattice::MissingKey;
use asanoha_scheme::SchemeError;
use thiserror::Error;

use crate::PanelError;

/// Why a search can't be carried out.
#[derive(Debug, Error)]
pub enum ProtocolError {
    /// A size of a search that is 0 or too large.
    #[error("a search of {found} {what}: take from 1 to {most}, or a larger ring")]
    Shape {
        /// Which size.
        what: &'static str,
        /// What it was.
        found: usize,
        /// The most.
        most: usize,
    },
    /// No modulus within the security table's bound is large enough.
    #[error("no secure parameters at ring degree {ring_degree} carry {letters} letters: {reason}")]
    NoParameters {
        /// The ring degree.
        ring_degree: usize,
        /// The letters.
        letters: usize,
        /// What the last ones tried lack.
        reason: String,
    },
    /// A query of another number of letters than the search's.
    #[error("a query of {found} letters in a search of {expected}")]
    Letters {
        /// The query's letters.
        found: usize,
        /// The search's.
        expected: usize,
    },
    /// A start that isn't among the candidates.
    #[error("candidate start {found} of {candidates}: count them from 0")]
    Start {
        /// The number of the start.
        found: usize,
        /// How many there are.
        candidates: usize,
    },
    /// A window of another number of starts than the search's.
    #[error("a window of {found} starts in a search of {expected}")]
    Starts {
        /// The window's starts.
        found: usize,
        /// The search's.
        expected: usize,
    },
    /// A window in which more haplotypes differ than the search allows.
    #[error(
        "{found} haplotypes differ in the window, and the search is for {most}: agree on a search for more"
    )]
    Distinct {
        /// How many differ.
        found: usize,
        /// The search's.
        most: usize,
    },
    /// Bytes that are no query or no answer of this search.
    #[error("these bytes are no {kind} of this search: {what}")]
    Message {
        /// What they should be.
        kind: &'static str,
        /// What's wrong with them.
        what: &'static str,
    },
    /// An answer whose noise is above what an honest one has.
    #[error(
        "the answer's noise is above the bound of 2^{bound_bits:.1}: it's damaged, or made with other keys than the client's"
    )]
    Noise {
        /// log2 of the largest value found.
        found_bits: f64,
        /// log2 of the largest one possible.
        bound_bits: f64,
    },
    /// A plaintext whose norm is above what was foreseen of all panels.
    #[error(
        "the panel's letters make a plaintext of norm 2^{found_bits:.1}, above 2^{bound_bits:.1}: reorder its haplotypes"
    )]
    Norm {
        /// log2 of the norm.
        found_bits: f64,
        /// log2 of the bound.
        bound_bits: f64,
    },
    /// A window that isn't in the panel.
    #[error(transparent)]
    Panel(#[from] PanelError),
    /// An evaluation key that isn't there.
    #[error(transparent)]
    MissingKey(#[from] MissingKey),
    /// An operation on ciphertexts.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
}
