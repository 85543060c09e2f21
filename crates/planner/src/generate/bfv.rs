//! BFV parameters.

use asanoha_bfv::{BfvError, BfvLiteral, BfvParams};
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
    execute::BfvModel,
    program::Program,
};

/// The smallest BFV parameters that compute a program exactly.
pub fn generate_bfv(
    program: &Program,
    schema: &Schema,
    security: u32,
    backend: Backend,
) -> Result<ExactCandidate<BfvParams>, GenerateError> {
    generate::<Bfv>(program, schema, security, backend)
}

/// The schedule of a program at given parameters.
pub(super) fn schedule_bfv_at(
    program: &Program,
    schema: &Schema,
    params: &BfvParams,
) -> Result<Circuit, GenerateError> {
    schedule_at::<Bfv>(program, schema, params, params.value_modulus())
}

struct Bfv;

impl ExactSearch for Bfv {
    type Params = BfvParams;
    type Error = BfvError;

    const PRIMES_MODULO_T: bool = false;

    fn check(rlwe: RlweLiteral, t: &BigUint, backend: Backend) -> Result<BfvParams, String> {
        BfvLiteral::new(rlwe, t.clone()).check(backend).map_err(|error| error.to_string())
    }
    fn schedule(graph: &Arithmetic, params: &BfvParams) -> Result<Circuit, NoSchedule<BfvError>> {
        let layout = Layout::new(graph.rows, params.values());
        schedule_exact(graph, &BfvModel::new(params, layout), layout)
    }
    fn is_out_of_modulus(error: &BfvError) -> bool {
        matches!(error, BfvError::OutOfModulus { .. })
    }
}
