//! What stands for an operation of a program, and for a value of a program that is being built.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The index of an operation in [`Program::nodes`](crate::Program::nodes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub usize);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// What a function is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Something computed from the data.
    Value(NodeId),
    /// A whole constant.
    Constant(i64),
}

impl Operand {
    /// The operation that gives the value, if it's no constant.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Self::Value(id) => Some(id),
            Self::Constant(_) => None,
        }
    }
}

/// A value inside a [`ProgramBuilder`](crate::ProgramBuilder): a constant, or something computed from the data. No other builder takes
/// it, but copies of this one that were made when it was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Term {
    pub(crate) id: NodeId,
    /// No two terms of a process have the same.
    pub(crate) stamp: u64,
}

impl Term {
    /// Terms are numbered in the order of their making.
    pub(crate) fn index(self) -> usize {
        self.id.0
    }
}
