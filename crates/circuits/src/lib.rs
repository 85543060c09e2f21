//! What is built out of scheme operations: sums, polynomials, and more
