//! Numbers of eight blocks as polynomials in X^(N/8).

use asanoha_ring::Modulus;

use super::shape::BLOCKS;

/// The way between the numbers of the blocks and the coefficients of Y = X^(N/8).
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    modulus: Modulus,
    /// The value of Y in each block.
    roots: [u64; BLOCKS],
}

impl Blocks {
    /// Of the values modulo t that X^(N/8) has in the blocks.
    pub(crate) fn new(modulus: Modulus, roots: [u64; BLOCKS]) -> Self {
        Self { modulus, roots }
    }

    /// The modulus t.
    pub(crate) fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The numbers modulo t of a polynomial's coefficients.
    pub(crate) fn values(&self, coefficients: &[u64]) -> [u64; BLOCKS] {
        let q = &self.modulus;
        self.roots.map(|root| coefficients.iter().rev().fold(0, |value, &c| q.add(q.mul(value, root), c)))
    }

    /// The coefficients modulo t of the polynomial that has these numbers: 8⁻¹·Σ_b value_b·root_b^(−k).
    pub(crate) fn coefficients(&self, values: &[u64; BLOCKS]) -> [u64; BLOCKS] {
        let q = &self.modulus;
        let eighth = inverse(q, BLOCKS as u64);
        std::array::from_fn(|k| {
            let term = |(&value, &root): (&u64, &u64)| q.mul(value, q.pow(inverse(q, root), k as u64));
            q.mul(eighth, values.iter().zip(&self.roots).map(term).fold(0, |sum, term| q.add(sum, term)))
        })
    }
}

/// a⁻¹ modulo a prime, of a public number.
pub(crate) fn inverse(q: &Modulus, a: u64) -> u64 {
    q.inverse(a).expect("not 0 modulo a prime")
}
