//! Modulus raising, and what else bootstrapping asks of a scheme.

use std::borrow::Borrow;

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level, Norm, RlweCiphertext, raise};
use asanoha_ring::{Coefficient, Poly};

use crate::{Bootstrappable, Model, Operand, Operations, SchemeError, State, checks::same_level};

/// What the caller of a raise knows of the polynomial that is raised.
#[derive(Clone, Copy, Debug)]
pub struct Coefficients {
    /// Bound on how far its coefficients' values are from those that are looked for: from 0, or from bits.
    pub bound: f64,
    /// What these are off by, beside the noise that the ciphertext says.
    pub error: f64,
    /// How far coefficients may be from these, in parts of q₀.
    pub most: f64,
}

impl<S: Bootstrappable, V: Operand<S>> Operations<S, V> {
    /// The last matrix from slots to coefficients, and the raise: of a ciphertext of level 1 the product with a transform
    /// ([`Operations::transform_known`]) whose result has the given coefficients, at level 0, and then m/q₀ + I at the highest level, for that result m and small
    /// integers I. The values of the new ciphertext count in units of q₀.
    ///
    /// It's one operation because the bound on slots, which all other states have, is far above the coefficients here.
    ///
    /// Noise: that of the transform and of two key switches.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`] for another level, [`SchemeError::OutOfModulus`] if coefficients may be too large, [`SchemeError::MissingKey`], [`SchemeError::NotRelinearised`], [`SchemeError::OtherParameters`].
    ///
    /// # Panics
    /// If the diagonals are of level 0.
    pub fn raise<D: Borrow<DiagonalSum>>(
        &self,
        a: &V,
        steps: &DiagonalSteps,
        known: &S::TransformState,
        coefficients: Coefficients,
        encode: impl FnOnce() -> Result<D, SchemeError>,
    ) -> Result<V, SchemeError> {
        same_level(self.two_parts(a)?.level, Level(1))?;
        let state = raised(self.model(), &self.transformed(a, steps, known)?, coefficients)?;
        let rlwe = self.params().rlwe();
        V::produce(&self.means, &[a], state, |a, keys| {
            let product = encode()?.borrow().apply(rlwe, &a[0].rlwe, keys, Level(0))?;
            Ok(raise(rlwe, &product, keys)?)
        })
    }

    /// The complex slots times i, which costs nothing. Noise: unchanged.
    ///
    /// # Errors
    /// [`SchemeError::OtherParameters`].
    pub fn multiply_by_i(&self, a: &V) -> Result<V, SchemeError> {
        let state = self.state(a)?.clone();
        V::produce(&self.means, &[a], state, |a, _| {
            let basis = self.params().rlwe().q(a[0].level());
            // ζ^(5^j·N/2) is i for every j, since 5^j is 1 modulo 4.
            let mut monomial = vec![0; basis.ring_degree()];
            monomial[basis.ring_degree() / 2] = 1;
            let i = Poly::<Coefficient>::from_small(basis, &monomial).into_evaluation();
            let mut product: RlweCiphertext = a[0].rlwe.clone();
            product.mul_plain_assign(&i);
            Ok(product)
        })
    }

    /// The same ciphertext with another bound on its noise, which the caller proves: a smaller one that follows from how the
    /// noise arose, or a larger one that counts an approximation's error too.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`], [`SchemeError::OtherParameters`].
    pub fn with_noise(&self, mut a: V, noise: Norm) -> Result<V, SchemeError> {
        let state = self.model().check(self.state(&a)?.with_noise(noise))?;
        self.set_state(&mut a, state);
        Ok(a)
    }
}

/// What is known of a raised ciphertext.
fn raised<S: Bootstrappable>(
    model: &Model<S>,
    product: &State<S>,
    Coefficients { bound, error, most }: Coefficients,
) -> Result<State<S>, SchemeError> {
    let (scheme, lattice) = (model.scheme(), model.lattice());
    let rlwe = scheme.rlwe();
    let dropped = rlwe.q(Level(1)).range(1..2);
    let lowest = S::scale(&scheme.divided(&product.message, &dropped));
    let noise = product.noise / dropped.modulus(0).value() as f64
        + model.rounding(2)
        + model.noise(rlwe.switch_sum_noise(lattice, Level(0), 1));
    let q0 = rlwe.q(Level(0)).modulus(0).value() as f64;
    let coefficient = (bound + error) * lowest + noise.to_f64() * lattice.coefficient();
    let largest = most * q0;
    let fits = coefficient <= largest;
    if !fits {
        return Err(SchemeError::OutOfModulus {
            needed_bits: coefficient.log2(),
            available_bits: largest.log2(),
            level: 0,
        });
    }
    let highest = rlwe.max_level();
    let noise = noise + model.noise(rlwe.switch_sum_noise(lattice, highest, 1));
    model.check(State { level: highest, noise, message: scheme.raised(lattice) })
}
