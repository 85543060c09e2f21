//! Plaintexts.

use asanoha_lattice::Level;
use asanoha_ring::{Evaluation, Poly};
use asanoha_scheme::Plaintext;

use crate::{CkksParams, Scaled};

/// An encoded vector: the polynomial whose values at the slots' roots are scale·zⱼ, rounded.
#[derive(Clone, Debug)]
pub struct CkksPlaintext {
    pub(crate) poly: Poly<Evaluation>,
    scaled: Scaled,
    params: CkksParams,
}

impl CkksPlaintext {
    pub(crate) fn new(params: &CkksParams, poly: Poly<Evaluation>, scaled: Scaled) -> Self {
        Self { poly, scaled, params: params.clone() }
    }

    /// The polynomial, modulo the primes of its level.
    pub fn poly(&self) -> &Poly<Evaluation> {
        &self.poly
    }

    /// The factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        self.scaled.scale
    }

    /// Bound on the absolute values of the slots, as it was given to the encoder. Ciphertexts made from the plaintext
    /// say it to everyone.
    pub fn bound(&self) -> f64 {
        self.scaled.bound
    }

    /// Both.
    pub fn scaled(&self) -> Scaled {
        self.scaled
    }
}

impl Plaintext<CkksParams> for CkksPlaintext {
    fn scheme(&self) -> &CkksParams {
        &self.params
    }
    fn level(&self) -> Level {
        Level(self.poly.basis().len() - 1)
    }
    fn addend(&self) -> &Poly<Evaluation> {
        &self.poly
    }
    fn factor(&self) -> &Poly<Evaluation> {
        &self.poly
    }
    fn state(&self) -> Scaled {
        self.scaled
    }
}
