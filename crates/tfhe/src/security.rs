//! The least noise of 128-bit security.

/// The dimensions for which [`least_log2_deviation`] holds.
pub(crate) const LEAST_DIMENSION: usize = 800;
pub(crate) const LARGEST_DIMENSION: usize = 2048;

/// log2 of the least standard deviation with 128-bit security for a binary secret of a dimension and a modulus 2^64: the line
/// through two published sets of that security, 2^−18.898 at 866 and 2^−48.321 at 2048 (tfhe-rs 1.4,
/// PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128). All along it the lattice estimator's best attack takes 2^132 to 2^133
/// operations (`docs/notes/tfhe.md`).
pub(crate) fn least_log2_deviation(dimension: usize) -> f64 {
    let (first, last) = ((866.0, 2.046151696979124e-6f64.log2()), (2048.0, 2.845267479601915e-15f64.log2()));
    first.1 + (dimension as f64 - first.0) * (last.1 - first.1) / (last.0 - first.0)
}

/// log2 of the least standard deviation of LWE errors: key switches have words of 32 bits, in which it's 4. Errors of less
/// than a word would be rounded away, and the secret with them.
pub(crate) const LEAST_LOG2_LWE_DEVIATION: f64 = -30.0;
