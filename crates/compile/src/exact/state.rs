//! What expansions for whole numbers know beside the graph.

use std::collections::HashMap;

use crate::{expander::Value, ir::Prepared};
use asanoha_lang::{NodeId, Operand};

/// Arithmetic on whole numbers modulo the plaintext modulus (BGV, BFV): functions are polynomials.
pub(crate) struct Exact<'a> {
    /// The plaintext modulus of functions.
    pub(super) modulus: u64,
    /// Tables that other expansions share.
    pub(super) prepared: &'a Prepared,
    /// Whether the client encrypts conditions of single columns.
    pub(super) views: bool,
    /// The quotients by long division.
    pub(super) quotients: HashMap<(NodeId, NodeId), Value>,
    /// The comparisons by digits.
    pub(super) compared: HashMap<(Operand, Operand), usize>,
}

impl<'a> Exact<'a> {
    /// For functions modulo a plaintext modulus.
    pub(crate) fn new(modulus: u64, prepared: &'a Prepared) -> Self {
        Self { modulus, prepared, views: false, quotients: HashMap::new(), compared: HashMap::new() }
    }
}
