//! BGV parameters.

use asanoha_bgv::{BgvError, BgvLiteral, BgvParams};
use asanoha_kernels::Backend;
use asanoha_lattice::RlweLiteral;
use num_bigint::BigUint;

use super::{
    GenerateError,
    exact::{ExactCandidate, ExactSearch, generate, schedule_at},
};
use crate::{
    circuit::{Arithmetic, Circuit, Layout, NoSchedule, schedule_exact},
    data::Schema,
    execute::BgvModel,
    program::Program,
};

/// The smallest BGV parameters that compute a program exactly.
pub fn generate_bgv(
    program: &Program,
    schema: &Schema,
    security: u32,
    backend: Backend,
) -> Result<ExactCandidate<BgvParams>, GenerateError> {
    generate::<Bgv>(program, schema, security, backend)
}

/// The schedule of a program at given parameters.
pub(super) fn schedule_bgv_at(
    program: &Program,
    schema: &Schema,
    params: &BgvParams,
) -> Result<Circuit, GenerateError> {
    schedule_at::<Bgv>(program, schema, params, params.plaintext_modulus())
}

struct Bgv;

impl ExactSearch for Bgv {
    type Params = BgvParams;
    type Error = BgvError;

    /// They keep all correction factors 1.
    const PRIMES_MODULO_T: bool = true;

    fn check(rlwe: RlweLiteral, t: &BigUint, backend: Backend) -> Result<BgvParams, String> {
        BgvLiteral::new(rlwe, t.clone()).check(backend).map_err(|error| error.to_string())
    }
    fn schedule(graph: &Arithmetic, params: &BgvParams) -> Result<Circuit, NoSchedule<BgvError>> {
        let layout = Layout::new(graph.rows, params.slots());
        schedule_exact(graph, &BgvModel::new(params, layout), layout)
    }
    fn is_out_of_modulus(error: &BgvError) -> bool {
        matches!(error, BgvError::OutOfModulus { .. })
    }
}
