//! Decryption's rounding.

use asanoha_ring::{Basis, Coefficient, Converter, Evaluation, Modulus, Poly, RelativeSize};
use asanoha_scheme::Space;

/// round(t/Q·v) for v modulo Q, modulo the primes of a basis that holds the result.
///
/// With δ = \[t·v\] centred modulo Q it's the integer (t·v − δ)/Q, v centred too: two conversions. That of δ is exact but
/// next to ±Q/2, within double precision; as t·v = Q·m + t·e, δ is t·e, and the noise bound keeps that away from there.
/// The conversion of v may take either end there, and changes m by t if it does.
#[derive(Debug)]
pub(crate) struct Rounding {
    /// t as a polynomial modulo Q and modulo the result's basis, if it's one.
    polynomial: Option<[Poly<Evaluation>; 2]>,
    /// v to v·t/Q with t's integer factor.
    whole: Converter,
    /// v (times t's polynomial) to −δ/Q.
    rest: Converter,
}

impl Rounding {
    pub(crate) fn new(q: &Basis, result: &Basis, space: &Space) -> Self {
        let t = |p: &Modulus| space.integer_factor(p.value());
        let inverse = |p: &Modulus| {
            let product = q.primes().fold(1, |product, q| p.mul(product, p.reduce(q)));
            p.inverse(product).expect("distinct primes")
        };
        let modulo =
            |basis: &Basis| space.polynomial_factor().map(|t| Poly::from_small(basis, &t).into_evaluation());
        // What v is turned into is secret too.
        let secret = &result.secret();
        Self {
            polynomial: modulo(q).zip(modulo(result)).map(Into::into),
            whole: Converter::scaled(q, secret, |_| 1, |p| p.mul(t(p), inverse(p))),
            rest: Converter::scaled(q, secret, t, |p| p.neg(inverse(p))),
        }
    }

    /// Rounds; and the size of δ = t·e beside Q.
    pub(crate) fn round(&self, v: Poly<Coefficient>, space: &Space) -> (Poly<Coefficient>, RelativeSize) {
        let mut whole = self.whole.convert(&v);
        let mut scaled = v;
        if let Some([modulo_q, modulo_result]) = &self.polynomial {
            let times = |x: Poly<Coefficient>, t: &Poly<Evaluation>| {
                let mut product = x.into_evaluation();
                product.mul_assign(t);
                product.into_coefficient()
            };
            whole = times(whole, modulo_result);
            scaled = times(scaled, modulo_q);
        }
        whole.add_assign(&self.rest.convert(&scaled));
        (whole, scaled.relative_size(|q| space.integer_factor(q.value())))
    }
}
