//! What files say of parameters and ciphertexts.

use asanoha_kernels::Backend;
use asanoha_scheme::Stored;

use crate::{CkksLiteral, CkksParams, Scaled};

impl Stored for CkksParams {
    type Literal = CkksLiteral;
    type StoredMessage = Scaled;

    fn to_literal(&self) -> &CkksLiteral {
        self.literal()
    }

    fn of_literal(literal: CkksLiteral, backend: Backend) -> Result<Self, String> {
        literal.check(backend).map_err(|error| error.to_string())
    }

    fn to_stored(scaled: &Scaled) -> Scaled {
        *scaled
    }

    fn of_stored(scaled: Scaled) -> Scaled {
        scaled
    }
}
