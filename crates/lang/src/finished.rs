//! Outputs that the holder of the secret key finishes: cheap in the clear and costly under encryption.

use crate::{
    formula::Formula,
    ids::{NodeId, Term},
};

/// How outputs are finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// One number divided by another.
    Ratio,
    /// The root of one number divided by another.
    RatioRoot,
    /// The root of a variance.
    Std,
    /// A covariance divided by the root of two variances.
    Corr,
    /// The intercept and the coefficients of columns that come nearest to another column, by least squares.
    LeastSquares,
    /// A formula, of every row where a part is a column.
    Formula(Box<Formula>),
}

/// Outputs that the holder of the secret key computes from decrypted numbers of the same program, its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// What it was assigned to.
    pub name: String,
    /// How it's computed.
    pub function: Finish,
    /// The names of the outputs that it gives.
    pub results: Vec<String>,
    /// The names of its parts among [`Program::outputs`](crate::Program::outputs), each with a dot, which no other output has.
    pub parts: Vec<String>,
}

/// The parts of outputs before they have names; see [`ProgramBuilder::finish_output`](crate::ProgramBuilder::finish_output).
#[derive(Debug, Clone)]
pub struct Unfinished {
    pub(crate) function: Finish,
    /// What follows the name in the outputs' names; nothing for the one output that has the name itself.
    pub(crate) results: Vec<String>,
    /// Each with what follows the name and a dot in its own name.
    pub(crate) parts: Vec<(String, Term)>,
}

impl Unfinished {
    /// One output of some parts.
    pub(crate) fn one<const N: usize>(function: Finish, parts: [(&str, Term); N]) -> Self {
        let parts = parts.into_iter().map(|(name, term)| (name.to_owned(), term)).collect();
        Self { function, results: vec![String::new()], parts }
    }
}

/// The operands of a call in a program's text.
pub(crate) enum Call {
    /// `formula('…', [..])`
    Formula(String, Vec<NodeId>),
    /// `ratio(a, b)`
    Ratio(NodeId, NodeId),
    /// `ratio_root(a, b)`
    RatioRoot(NodeId, NodeId),
    /// `std(a)`
    Std(NodeId),
    /// `corr(a, b)`
    Corr(NodeId, NodeId),
    /// `least_squares(y, [..])`
    LeastSquares(NodeId, Vec<NodeId>),
}
