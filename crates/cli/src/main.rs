//! The program asanoha
fn main() {}
