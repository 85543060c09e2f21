//! Programs, noise and cost models, parameter generation, choice of scheme, execution

pub mod data;
pub mod program;
