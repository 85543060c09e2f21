//! The canonical embedding: from slots to polynomials and back.

use std::iter::successors;

use asanoha_lattice::Level;
use asanoha_ring::{Basis, Coefficient, Evaluation, Poly, Scalar, Words};
use asanoha_scheme::{Model, Scheme};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use zeroize::Zeroizing;

use crate::{CkksParams, Complex64};

/// Width in bits of the words that coefficients are cut into.
const WORD_BITS: u32 = 62;
const RADIX: f64 = (1u64 << WORD_BITS) as f64;

/// The polynomial of finite values, at most as many as slots, modulo the primes of a basis.
pub(crate) fn polynomial(
    params: &CkksParams,
    values: &[Complex64],
    basis: &Basis,
    scale: f64,
) -> Poly<Evaluation> {
    let (secret, slots) = (params.rlwe().q(Level(0)).secret(), params.slots());
    let (mut packed, mut coefficients) = (secret.words(), secret.words());
    let [re, im] = halves(packed.as_floats_mut(), slots);
    re.iter_mut().zip(values).for_each(|(re, value)| *re = value.re);
    im.iter_mut().zip(values).for_each(|(im, value)| *im = value.im);
    re[values.len()..].fill(0.0);
    im[values.len()..].fill(0.0);
    let coefficients = coefficients.as_floats_mut();
    let kernels = secret.limbs()[0].kernels();
    (kernels.to_coefficients)([re, im], halves(coefficients, slots), params.slot_table());
    coefficients.iter_mut().for_each(|c| *c = (*c * scale).round());
    whole_coefficients(basis, coefficients).into_evaluation()
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

/// How many of a level's primes hold coefficients of at most the given size: reading only those costs less.
pub(crate) fn primes_for(params: &CkksParams, level: Level, size: f64) -> usize {
    let noise = Model::new(params);
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
    use asanoha_ring::Backend;
    use num_traits::FromPrimitive;
    use proptest::prelude::*;

    use super::*;

    proptest! {
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
            let integers: Vec<BigInt> = doubles.iter().map(|&double| BigInt::from_f64(double).unwrap()).collect();
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
