//! What files say of parameters and ciphertexts.

use asanoha_kernels::Backend;
use asanoha_scheme::Stored;

use crate::{BfvLiteral, BfvParams};

impl Stored for BfvParams {
    type Literal = BfvLiteral;
    type StoredMessage = ();

    fn to_literal(&self) -> &BfvLiteral {
        self.literal()
    }

    fn of_literal(literal: BfvLiteral, backend: Backend) -> Result<Self, String> {
        literal.check(backend).map_err(|error| error.to_string())
    }

    fn to_stored((): &()) {}

    fn of_stored((): ()) {}
}
