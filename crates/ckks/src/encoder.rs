//! Encoding: vectors of numbers to polynomials and back.

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level, diagonal_slots};
use asanoha_ring::Basis;
use asanoha_scheme::{
    EncodeTransform, Model, Plaintext, Scheme, SchemeError, Transform, not_above, same_parameters,
};
use zeroize::Zeroizing;

use crate::{
    CkksParams, CkksPlaintext, Complex64, Scaled, TransformState,
    complex::largest,
    embedding::{Slots, polynomial, primes_for},
    scaled::valid_scale,
};

/// An encoder: converts vectors of up to N/2 numbers to polynomials, and back.
///
/// Slot j is the value at ζ^(5^j), ζ = exp(πi/N), divided by the scale; so sums and products of polynomials are
/// those of the slots, X → X^(5^k) rotates slots by k places to the left and X → X^−1 conjugates them.
///
/// Noise: [`CkksParams::encoding_error`].
#[derive(Clone, Debug)]
pub struct Encoder {
    params: CkksParams,
}

impl Encoder {
    /// Creates the encoder of these parameters.
    pub fn new(params: &CkksParams) -> Self {
        Self { params: params.clone() }
    }

    /// Encodes real numbers up to a bound at a level; missing ones are zeros. The scale is usually the level's
    /// [`CkksParams::scale_at`].
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub fn encode_real(
        &self,
        values: &[f64],
        bound: f64,
        level: Level,
        scale: f64,
    ) -> Result<CkksPlaintext, SchemeError> {
        let values: Zeroizing<Vec<_>> =
            Zeroizing::new(values.iter().map(|&re| Complex64::from(re)).collect());
        self.encode(&values, bound, level, scale)
    }

    /// Encodes complex numbers of absolute values up to a bound at a level; missing ones are zeros.
    ///
    /// The bound is public in ciphertexts and in all results computed from them. Use a bound on the kind of data (2.5 metres),
    /// never the largest value in the data.
    ///
    /// # Errors
    /// More values than slots, a value that's not finite or beyond the bound, a bound that doesn't fit the level at the
    /// scale, a scale that's not positive, a level that's too high.
    pub fn encode(
        &self,
        values: &[Complex64],
        bound: f64,
        level: Level,
        scale: f64,
    ) -> Result<CkksPlaintext, SchemeError> {
        let slots = self.params.slots();
        if values.len() > slots {
            return Err(SchemeError::TooManyValues { values: values.len(), slots });
        }
        not_above(level, self.params.max_level())?;
        valid_scale(scale)?;
        let (index, largest) = largest(values)?;
        if !(bound.is_finite() && bound >= 0.0) {
            return Err(SchemeError::InvalidBound { bound });
        }
        if largest > bound {
            return Err(SchemeError::BeyondBound { index, bound });
        }
        self.check_size(bound, level, scale)?;
        let poly = polynomial(&self.params, values, self.params.rlwe().q(level), scale);
        Ok(CkksPlaintext::new(&self.params, poly, Scaled { scale, bound }))
    }

    /// Whether values up to a bound fit a level at a scale.
    fn check_size(&self, bound: f64, level: Level, scale: f64) -> Result<(), SchemeError> {
        let available_bits = Model::new(&self.params).available_bits(level);
        let fits = (bound * scale + 1.0).log2() < available_bits;
        if !fits {
            let log2_scale = scale.log2();
            return Err(SchemeError::BoundTooLarge { bound, log2_scale, level: level.0, available_bits });
        }
        Ok(())
    }

    /// Encodes the diagonals of Σ_d diagonal_d ⊙ rot_d(v), for all offsets d that the steps make, at a scale of their
    /// own. A diagonal is repeated over the slots.
    ///
    /// The matrix is the evaluating side's: the bounds of what it's multiplied with tell everyone the largest sum of
    /// absolute values of a row.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`]; [`SchemeError::TooManyValues`] too for a diagonal whose length doesn't divide N/2.
    pub fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        scale: f64,
        diagonal: impl Fn(usize) -> Vec<Complex64> + Sync,
    ) -> Result<Transform<CkksParams>, SchemeError> {
        not_above(level, self.params.rlwe().max_level())?;
        valid_scale(scale)?;
        let params = &self.params;
        let encode = |basis: &Basis, giant, baby| {
            let diagonal = diagonal(giant + baby);
            let (values, slots) = (diagonal.len(), params.slots());
            if values == 0 || !slots.is_multiple_of(values) {
                return Err(SchemeError::TooManyValues { values, slots });
            }
            let (_, bound) = largest(&diagonal)?;
            self.check_size(bound, level, scale)?;
            let values = diagonal_slots(&diagonal, giant, slots);
            Ok::<_, SchemeError>((polynomial(params, &values, basis, scale), diagonal))
        };
        let (sum, diagonals) = DiagonalSum::encode(params.rlwe(), steps, level, encode)?;
        Ok(Transform::new(params, sum, TransformState::of_diagonals(params.slots(), scale, &diagonals)?))
    }

    /// Decodes the N/2 slots of a plaintext.
    ///
    /// # Errors
    /// [`SchemeError::OtherParameters`].
    pub fn decode(&self, plaintext: &CkksPlaintext) -> Result<Vec<Complex64>, SchemeError> {
        self.slots(plaintext).map(|slots| slots.numbers())
    }

    /// Decodes the real parts of the N/2 slots of a plaintext.
    ///
    /// # Errors
    /// [`SchemeError::OtherParameters`].
    pub fn decode_real(&self, plaintext: &CkksPlaintext) -> Result<Vec<f64>, SchemeError> {
        self.slots(plaintext).map(|slots| slots.reals())
    }

    fn slots(&self, plaintext: &CkksPlaintext) -> Result<Slots, SchemeError> {
        same_parameters(&self.params, plaintext.scheme())?;
        let plain = plaintext.scaled();
        let size = plain.bound * plain.scale + self.params.encoding_error(plain);
        let count = primes_for(&self.params, plaintext.level(), size);
        let poly = plaintext.poly.clone().truncate(count).into_coefficient();
        Ok(Slots::new(&self.params, &poly, None, plain.scale))
    }
}

/// The result has the product of the scales: the caller rescales it. Diagonals at the scale of the prime that this divides by
/// leave the ciphertext's scale as it was.
impl EncodeTransform for CkksParams {
    type Entry = Complex64;
    type EntryScale = f64;

    fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        scale: f64,
        diagonal: impl Fn(usize) -> Vec<Complex64> + Sync,
    ) -> Result<Transform<Self>, SchemeError> {
        Encoder::new(self).encode_transform(steps, level, scale, diagonal)
    }
}

#[cfg(test)]
mod tests {
    use asanoha_kernels::primes_congruent_to_one;
    use asanoha_lattice::RlweLiteral;
    use asanoha_ring::{Backend, GaloisElement};
    use asanoha_testkit::TestIntegers;
    use proptest::prelude::*;

    use super::*;
    use crate::CkksLiteral;

    fn params(ring_degree: usize) -> CkksParams {
        let primes = |bits, count| primes_congruent_to_one(bits, 2 * ring_degree as u64, count, &[]).unwrap();
        let rlwe = RlweLiteral::new(ring_degree, primes(45, 2), primes(50, 1), 2).insecure();
        CkksLiteral::new(rlwe, 40.0).check(Backend::detect().unwrap()).unwrap()
    }

    fn largest_error(found: &[Complex64], expected: impl Fn(usize) -> Complex64) -> f64 {
        found.iter().enumerate().map(|(j, &z)| (z - expected(j)).abs()).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn automorphisms_rotate_left_and_conjugate_slots(
            seed: u64, log2_degree in 3u32..9, places in -300i64..300,
        ) {
            println!("seed {seed}");
            let params = params(1 << log2_degree);
            let (n, slots) = (params.rlwe().ring_degree(), params.slots());
            let mut integers = TestIntegers(seed);
            let values: Vec<_> =
                (0..slots).map(|_| Complex64::new(integers.real(), integers.real())).collect();
            let encoder = Encoder::new(&params);
            let plain = encoder.encode(&values, 1.5, Level(1), 2f64.powi(40)).unwrap();
            let image = |g: GaloisElement| {
                let poly = plain.poly.to_coefficient().automorphism(g).into_evaluation();
                encoder.decode(&CkksPlaintext::new(&params, poly, plain.scaled())).unwrap()
            };
            let from = |j: usize| (j as i64 + places).rem_euclid(slots as i64) as usize;
            let rotation = image(GaloisElement::rotation(n, places));
            prop_assert!(largest_error(&rotation, |j| values[from(j)]) < 1e-8);
            let conjugate = image(GaloisElement::conjugation(n));
            prop_assert!(largest_error(&conjugate, |j| values[j].conjugate()) < 1e-8);
        }
    }
}
