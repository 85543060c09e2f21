//! Plaintexts.

use std::{borrow::Cow, sync::Arc};

use asanoha_lattice::Level;
use asanoha_ring::{Evaluation, Poly};
use asanoha_scheme::{Plaintext, Scheme};

use crate::{CkksParams, Complex64, Scaled, embedding::polynomial};

/// An encoded vector: the polynomial whose values at the slots' roots are scale·zⱼ, rounded.
#[derive(Clone, Debug)]
pub struct CkksPlaintext {
    pub(crate) poly: Poly<Evaluation>,
    scaled: Scaled,
    params: CkksParams,
    /// What it was encoded from, of public numbers that are used at several levels.
    values: Option<Arc<[Complex64]>>,
}

impl CkksPlaintext {
    pub(crate) fn new(params: &CkksParams, poly: Poly<Evaluation>, scaled: Scaled) -> Self {
        Self { poly, scaled, params: params.clone(), values: None }
    }

    /// The same, which is encoded anew for each lower level, at the scale of fresh ciphertexts there.
    pub(crate) fn with_values(self, values: &[Complex64]) -> Self {
        Self { values: Some(values.into()), ..self }
    }

    /// Returns the polynomial, modulo the primes of its level.
    pub fn poly(&self) -> &Poly<Evaluation> {
        &self.poly
    }

    /// Returns the scale: the factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        self.scaled.scale
    }

    /// Returns the encoder's bound on the absolute values of the slots. Ciphertexts of the plaintext make it public.
    pub fn bound(&self) -> f64 {
        self.scaled.bound
    }

    /// Returns the scale and the bound.
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
    /// Encoded anew at the level's own scale where the numbers are known; else the primes above are forgotten, and the scale stays.
    fn lowered(&self, level: Level) -> Cow<'_, Self> {
        if level >= self.level() {
            return Cow::Borrowed(self);
        }
        let Some(values) = &self.values else {
            return Cow::Owned(Self { poly: self.poly.clone().truncate(level.0 + 1), ..self.clone() });
        };
        let scaled = Scaled { scale: self.params.scale_at(level), ..self.scaled };
        let poly = polynomial(&self.params, values, self.params.rlwe().q(level), scaled.scale);
        Cow::Owned(Self { poly, scaled, ..self.clone() })
    }
}
