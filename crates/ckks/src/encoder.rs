//! Encoding: vectors of numbers to polynomials and back.

use std::iter::successors;

use asanoha_lattice::Level;
use asanoha_ring::{Basis, Coefficient, Evaluation, Poly, Scalar, Words};
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use zeroize::Zeroizing;

use asanoha_scheme::{Plaintext, Scheme, SchemeError, not_above, same_parameters};

use crate::{CkksModel, CkksParams, CkksPlaintext, Complex64, Scaled, scheme::valid_scale};

/// Width in bits of the words that coefficients are cut into.
const WORD_BITS: u32 = 62;
const RADIX: f64 = (1u64 << WORD_BITS) as f64;

/// An encoder: converts vectors of up to N/2 numbers to polynomials, and back.
///
/// Slot j is the value at ζ^(5^j), ζ = exp(πi/N), divided by the scale; so sums and products of polynomials are
/// those of the slots, X → X^(5^k) rotates slots by k places to the left and X → X^−1 conjugates them.
///
/// Noise: [`CkksParams::encoding_error`].
#[derive(Clone, Debug)]
pub struct Encoder {
    pub(crate) params: CkksParams,
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
        let poly = self.polynomial(values, self.params.rlwe().q(level), scale);
        Ok(CkksPlaintext::new(&self.params, poly, Scaled { scale, bound }))
    }

    /// Whether values up to a bound fit a level at a scale.
    pub(crate) fn check_size(&self, bound: f64, level: Level, scale: f64) -> Result<(), SchemeError> {
        let available_bits = CkksModel::new(&self.params).available_bits(level);
        let fits = (bound * scale + 1.0).log2() < available_bits;
        if !fits {
            let log2_scale = scale.log2();
            return Err(SchemeError::BoundTooLarge { bound, log2_scale, level: level.0, available_bits });
        }
        Ok(())
    }

    /// The polynomial of finite values, at most as many as slots, modulo the primes of a basis.
    pub(crate) fn polynomial(&self, values: &[Complex64], basis: &Basis, scale: f64) -> Poly<Evaluation> {
        let (secret, slots) = (self.params.rlwe().q(Level(0)).secret(), self.params.slots());
        let (mut packed, mut coefficients) = (secret.words(), secret.words());
        let [re, im] = halves(packed.as_floats_mut(), slots);
        re.iter_mut().zip(values).for_each(|(re, value)| *re = value.re);
        im.iter_mut().zip(values).for_each(|(im, value)| *im = value.im);
        re[values.len()..].fill(0.0);
        im[values.len()..].fill(0.0);
        let coefficients = coefficients.as_floats_mut();
        let kernels = secret.limbs()[0].kernels();
        (kernels.to_coefficients)([re, im], halves(coefficients, slots), self.params.slot_table());
        coefficients.iter_mut().for_each(|c| *c = (*c * scale).round());
        whole_coefficients(basis, coefficients).into_evaluation()
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

/// The polynomial of coefficients that are whole numbers, which are used up. All words of a coefficient go through the
/// same loops.
///
/// # Panics
/// If they aren't finite.
fn whole_coefficients(basis: &Basis, coefficients: &mut [f64]) -> Poly<Coefficient> {
    let largest = coefficients.iter().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    assert!(largest.is_finite(), "who encodes has looked at the values and the scale");
    let units = successors(Some(RADIX), |unit| Some(unit * RADIX)).take_while(|unit| largest >= *unit);
    let units: Vec<f64> = std::iter::once(1.0).chain(units).collect();
    let radix = Scalar::new(basis, &(BigInt::from(1) << WORD_BITS));
    let mut higher: Option<Poly<Coefficient>> = None;
    for unit in units.into_iter().rev() {
        // Quotients, parts and what is left are bits of a double, and so exact.
        let part = |c: &mut f64| {
            let part = (*c / unit).trunc();
            *c -= part * unit;
            part as i64
        };
        let words = Zeroizing::new(coefficients.iter_mut().map(part).collect::<Vec<i64>>());
        let mut poly = Poly::from_small(basis, &words);
        if let Some(higher) = &higher {
            poly.fma_scalar_assign(higher, &radix);
        }
        higher = Some(poly);
    }
    higher.expect("1 is a unit")
}

/// The index of the largest absolute value, and that value; (0, 0) for none.
pub(crate) fn largest(values: &[Complex64]) -> Result<(usize, f64), SchemeError> {
    values.iter().enumerate().try_fold((0, 0.0), |largest: (usize, f64), (index, value)| {
        if value.is_finite() {
            let size = value.abs();
            Ok(if size > largest.1 { (index, size) } else { largest })
        } else {
            Err(SchemeError::NotFinite { value: if value.re.is_finite() { value.im } else { value.re } })
        }
    })
}

/// The integer that a double is.
///
/// # Panics
/// If it isn't finite: encoders and noise prediction have looked before.
pub(crate) fn integer(value: f64) -> BigInt {
    BigInt::from_f64(value).expect("finite")
}

/// How many of a level's primes hold coefficients of at most the given size: reading only those costs less.
pub(crate) fn primes_for(params: &CkksParams, level: Level, size: f64) -> usize {
    let noise = CkksModel::new(params);
    let enough = (0..level.0).find(|&lower| size.log2() < noise.available_bits(Level(lower)));
    enough.unwrap_or(level.0) + 1
}

/// Writes the centred coefficients, with integers added where given, rounded to doubles at the very end.
fn write_coefficients(poly: &Poly<Coefficient>, added: Option<&[i64]>, out: &mut [f64]) {
    let few = poly.basis().len() <= 2;
    match added {
        None if few => poly.write_floats(out),
        Some(added) if few => {
            let integers = Zeroizing::new(poly.to_i128());
            let sums = integers.iter().zip(added).map(|(&c, &added)| c + i128::from(added));
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum as f64);
        }
        _ => {
            let added = |j: usize| added.map_or(0, |added| added[j]);
            let integers = poly.to_integers().into_iter().enumerate();
            let floats = integers.map(|(j, c)| (c + added(j)).to_f64().unwrap_or(f64::INFINITY));
            out.iter_mut().zip(floats).for_each(|(out, float)| *out = float);
        }
    }
}

/// The first half of as many doubles, and the second one.
fn halves(floats: &mut [f64], slots: usize) -> [&mut [f64]; 2] {
    floats.split_at_mut(slots).into()
}

/// The slots of a polynomial, in secret memory: all real parts, then all imaginary ones.
pub(crate) struct Slots(Words);

impl Slots {
    /// Those of a polynomial with a scale, to whose coefficients integers are added where given.
    pub(crate) fn new(
        params: &CkksParams,
        poly: &Poly<Coefficient>,
        added: Option<&[i64]>,
        scale: f64,
    ) -> Self {
        let (secret, slots) = (poly.basis().secret(), params.slots());
        let (mut coefficients, mut values) = (secret.words(), secret.words());
        let coefficients = coefficients.as_floats_mut();
        write_coefficients(poly, added, coefficients);
        // By a public factor: a division takes a time that depends on the coefficient.
        let unit = scale.recip();
        coefficients.iter_mut().for_each(|c| *c *= unit);
        let [re, im] = halves(coefficients, slots);
        let to = halves(values.as_floats_mut(), slots);
        (secret.limbs()[0].kernels().to_slots)([re, im], to, params.slot_table());
        Self(values)
    }

    /// The real and imaginary parts.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (f64, f64)> {
        let (re, im) = self.0.as_floats().split_at(self.0.len() / 2);
        re.iter().copied().zip(im.iter().copied())
    }

    pub(crate) fn numbers(&self) -> Vec<Complex64> {
        self.parts().map(|(re, im)| Complex64::new(re, im)).collect()
    }

    pub(crate) fn reals(&self) -> Vec<f64> {
        self.0.as_floats()[..self.0.len() / 2].to_vec()
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

        #[test]
        fn coefficients_of_any_size_are_whole_numbers_modulo_every_prime(
            values in prop::collection::vec((any::<i64>(), 0i32..900), 16),
            largest in 0i32..900,
        ) {
            let basis = Basis::new(16, &[97, 193, 1_125_899_906_842_273], Backend::detect().unwrap()).unwrap();
            let mut doubles: Vec<f64> = values
                .iter()
                .map(|&(value, exponent)| (value as f64 * 2f64.powi(exponent.min(largest) - 63)).round())
                .collect();
            let integers: Vec<BigInt> = doubles.iter().map(|&double| integer(double)).collect();
            let expected = Poly::<Coefficient>::from_integers(&basis, &integers);
            let found = whole_coefficients(&basis, &mut doubles);
            prop_assert_eq!(found.words(), expected.words());
            prop_assert!(doubles.iter().all(|&left| left == 0.0));
        }
    }

    #[test]
    #[should_panic(expected = "has looked")]
    fn coefficients_that_are_no_numbers_panic() {
        let basis = Basis::new(16, &[97], Backend::Scalar).unwrap();
        whole_coefficients(&basis, &mut [f64::INFINITY; 16]);
    }
}
