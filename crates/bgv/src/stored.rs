//! What files say of parameters and ciphertexts.

use asanoha_kernels::Backend;
use asanoha_scheme::{JsonInteger, Stored};
use num_bigint::BigUint;

use crate::{BgvLiteral, BgvParams};

impl Stored for BgvParams {
    type Literal = BgvLiteral;
    type StoredMessage = JsonInteger;

    fn to_literal(&self) -> &BgvLiteral {
        self.literal()
    }

    fn of_literal(literal: BgvLiteral, backend: Backend) -> Result<Self, String> {
        literal.check(backend).map_err(|error| error.to_string())
    }

    fn to_stored(factor: &BigUint) -> JsonInteger {
        factor.clone().into()
    }

    fn of_stored(factor: JsonInteger) -> BigUint {
        factor.0
    }
}
