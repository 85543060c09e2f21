//! Circuits of operations as noise sees them.

use thiserror::Error;

/// An operation on ciphertexts. Operands are positions of earlier operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitNode {
    /// A fresh encryption, of the highest level.
    Fresh,
    /// A sum or difference.
    Add(usize, usize),
    /// A product of two ciphertexts, of three parts.
    Multiply(usize, usize),
    /// A product with a plaintext.
    MultiplyPlain(usize),
    /// A key switch: a rotation, or the relinearisation of a product.
    SwitchKey(usize),
    /// The flooding of a decryption that is distributed among parties.
    Flood(usize),
    /// A place where the modulus may be switched: a ciphertext, and the candidate's number. Places of one number drop as many
    /// primes; numbers count from 0 and rise along every way through the circuit.
    Candidate(usize, usize),
}

impl CircuitNode {
    /// The positions of the operands.
    pub(super) fn operands(self) -> impl Iterator<Item = usize> {
        let (first, second) = match self {
            Self::Fresh => (None, None),
            Self::Add(a, b) | Self::Multiply(a, b) => (Some(a), Some(b)),
            Self::MultiplyPlain(a) | Self::SwitchKey(a) | Self::Flood(a) | Self::Candidate(a, _) => {
                (Some(a), None)
            }
        };
        first.into_iter().chain(second)
    }
}

/// A circuit, each operation after its operands, cut into segments by its candidates: segment 0 before all of them, segment
/// k + 1 after candidate k.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateCircuit {
    pub(super) nodes: Vec<CircuitNode>,
    /// The segment of every operation.
    pub(super) segments: Vec<usize>,
}

/// Why a list of operations is no circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CircuitError {
    /// Nothing to compute.
    #[error("the circuit has no operations: list at least one encryption")]
    Empty,
    /// An operand that stands later, as in a cycle, or nowhere.
    #[error(
        "operation {node} works on operation {operand}, which doesn't stand before it: list operands first, without cycles"
    )]
    NotBefore {
        /// The operation.
        node: usize,
        /// Its operand.
        operand: usize,
    },
    /// Candidates out of order.
    #[error(
        "operation {node} is candidate {candidate}, and comes after candidate {after}: number them from 0 in the order in which ciphertexts meet them"
    )]
    Order {
        /// The operation.
        node: usize,
        /// Its number.
        candidate: usize,
        /// A number that comes before.
        after: usize,
    },
    /// An operation on a product of three parts that takes two.
    #[error("operation {node} works on product {operand}, which has three parts: switch keys before")]
    NotRelinearised {
        /// The operation.
        node: usize,
        /// Its operand.
        operand: usize,
    },
}

impl CandidateCircuit {
    /// Checks a list of operations.
    ///
    /// # Errors
    /// [`CircuitError`].
    pub fn new(nodes: Vec<CircuitNode>) -> Result<Self, CircuitError> {
        if nodes.is_empty() {
            return Err(CircuitError::Empty);
        }
        let mut segments: Vec<usize> = Vec::with_capacity(nodes.len());
        let mut is_product = Vec::with_capacity(nodes.len());
        for (node, operation) in nodes.iter().enumerate() {
            if let Some(operand) = operation.operands().find(|&operand| operand >= node) {
                return Err(CircuitError::NotBefore { node, operand });
            }
            let product = operation.operands().find(|&operand| is_product[operand]);
            let segment = operation.operands().map(|operand| segments[operand]).max().unwrap_or(0);
            let takes_two_parts = matches!(operation, CircuitNode::Multiply(..) | CircuitNode::Candidate(..));
            if let Some(operand) = product.filter(|_| takes_two_parts) {
                return Err(CircuitError::NotRelinearised { node, operand });
            }
            is_product.push(match operation {
                CircuitNode::Multiply(..) => true,
                CircuitNode::SwitchKey(_) => false,
                _ => product.is_some(),
            });
            segments.push(match *operation {
                CircuitNode::Candidate(_, candidate) if candidate < segment => {
                    return Err(CircuitError::Order { node, candidate, after: segment - 1 });
                }
                CircuitNode::Candidate(_, candidate) => candidate + 1,
                _ => segment,
            });
        }
        Ok(Self { nodes, segments })
    }

    /// How many candidates there are.
    pub fn candidates(&self) -> usize {
        self.segments.iter().copied().max().unwrap_or(0)
    }
}
