//! Everything CI runs.
fn main() {}
