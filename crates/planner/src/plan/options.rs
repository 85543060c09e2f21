//! What a plan is asked for.

use asanoha_kernels::Backend;

use super::SchemeName;
use crate::precision::Precision;

/// What a plan is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanOptions {
    /// A scheme, or the best.
    pub scheme: Option<SchemeName>,
    /// Security in bits: 128, 192 or 256. With 0, of tests only, rings are 32 times too small: such plans say that they're
    /// insecure, and can't be read from files.
    pub security: u32,
    /// A run may give a wrong result with a probability of at most 2^−`failure_bits`: from 40 to 128. With `None` a plan promises 128
    /// bits where it keeps them, and 96 elsewhere and in TFHE.
    pub failure_bits: Option<u32>,
    /// The precision of results that aren't exact.
    pub precision: Precision,
    /// The kernels to plan for.
    pub backend: Backend,
    /// The threads to plan for.
    pub threads: usize,
    /// The bits of statistical security that results are to be published with, to the precision. Exact results need none.
    pub publish: Option<u32>,
    /// Whether the plan is to serve any number of rows up to the schema's.
    pub fewer_rows: bool,
    /// Whether every scheme is planned, and not only those that the choice depends on.
    pub every_scheme: bool,
}

/// The best scheme at 128 bits, the promise of the scheme against failure, 20 bits of precision, the best kernels of this processor, and all its threads.
impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            scheme: None,
            security: 128,
            failure_bits: None,
            precision: Precision::Relative { bits: 20 },
            backend: Backend::detect().unwrap_or(Backend::Scalar),
            threads: rayon::current_num_threads(),
            publish: None,
            fewer_rows: false,
            every_scheme: true,
        }
    }
}
