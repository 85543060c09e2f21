//! The transform between slots and coefficients.

use rayon::prelude::*;

use crate::Complex64;

/// Blocks above this length are shared between threads.
const SERIAL_LENGTH: usize = 1 << 11;

/// Evaluation of a real polynomial of N coefficients at ζ^(5^j), j = 0 … N/2 − 1, where ζ = exp(πi/N).
///
/// With wₖ = cₖ + i·c_{k+N/2} the slots are zⱼ = Σₖ wₖ·ζ^(5^j·k), since ζ^(5^j·N/2) = i for every j: N/2 complex
/// numbers to N/2 complex numbers, in log2(N/2) layers.
/// Source: Cheon, Han, Kim, Kim, Song, "Bootstrapping for approximate homomorphic encryption" (2018), §4.
#[derive(Debug)]
pub(crate) struct SpecialFft {
    /// At h + j, for h = 1, 2, 4, …, N/4 and j < h: exp(2πi·(5^j mod 8h)/8h).
    roots: Vec<Complex64>,
}

impl SpecialFft {
    /// The tables for a number of slots, a power of two.
    pub(crate) fn new(slots: usize) -> Self {
        let mut roots = vec![Complex64::default(); slots.max(1)];
        let mut half = 1;
        while half < slots {
            let order = 8 * half;
            let mut exponent = 1;
            for root in &mut roots[half..2 * half] {
                *root = unit_root(exponent, order);
                exponent = 5 * exponent % order;
            }
            half *= 2;
        }
        Self { roots }
    }

    /// From the wₖ to the slots.
    pub(crate) fn to_slots(&self, values: &mut [Complex64]) {
        assert_eq!(values.len(), self.roots.len());
        reverse_bits(values);
        self.evaluate(values);
    }

    /// From the slots to the wₖ.
    pub(crate) fn to_coefficients(&self, values: &mut [Complex64]) {
        assert_eq!(values.len(), self.roots.len());
        self.interpolate(values);
        reverse_bits(values);
        let inverse = 1.0 / values.len() as f64;
        values.iter_mut().for_each(|value| *value = value.scaled(inverse));
    }

    fn evaluate(&self, values: &mut [Complex64]) {
        let length = values.len();
        if length == 1 {
            return;
        }
        let (lower, upper) = values.split_at_mut(length / 2);
        if length > SERIAL_LENGTH {
            rayon::join(|| self.evaluate(lower), || self.evaluate(upper));
        } else {
            self.evaluate(lower);
            self.evaluate(upper);
        }
        self.butterflies(lower, upper, |x, y, root| {
            let product = y * root;
            (x + product, x - product)
        });
    }

    fn interpolate(&self, values: &mut [Complex64]) {
        let length = values.len();
        if length == 1 {
            return;
        }
        let (lower, upper) = values.split_at_mut(length / 2);
        self.butterflies(lower, upper, |x, y, root| (x + y, (x - y) * root.conjugate()));
        if length > SERIAL_LENGTH {
            rayon::join(|| self.interpolate(lower), || self.interpolate(upper));
        } else {
            self.interpolate(lower);
            self.interpolate(upper);
        }
    }

    /// Applies a butterfly to every pair of the two halves.
    fn butterflies(
        &self,
        lower: &mut [Complex64],
        upper: &mut [Complex64],
        butterfly: impl Fn(Complex64, Complex64, Complex64) -> (Complex64, Complex64) + Send + Sync,
    ) {
        let half = lower.len();
        let layer = |lower: &mut [Complex64], upper: &mut [Complex64], roots: &[Complex64]| {
            for ((x, y), &root) in lower.iter_mut().zip(upper).zip(roots) {
                (*x, *y) = butterfly(*x, *y, root);
            }
        };
        let roots = &self.roots[half..2 * half];
        if half > SERIAL_LENGTH {
            lower
                .par_chunks_mut(SERIAL_LENGTH)
                .zip(upper.par_chunks_mut(SERIAL_LENGTH))
                .zip(roots.par_chunks(SERIAL_LENGTH))
                .for_each(|((lower, upper), roots)| layer(lower, upper, roots));
        } else {
            layer(lower, upper, roots);
        }
    }
}

/// exp(2πi·exponent/order), for an order divisible by 8: the angle is taken into [0, π/4] first, where sine and
/// cosine lose nothing.
fn unit_root(exponent: usize, order: usize) -> Complex64 {
    let eighth = order / 8;
    let (octant, rest) = (exponent / eighth, exponent % eighth);
    let from_axis = if octant % 2 == 0 { rest } else { eighth - rest };
    let (sin, cos) = (std::f64::consts::TAU * (from_axis as f64 / order as f64)).sin_cos();
    match octant {
        0 => Complex64::new(cos, sin),
        1 => Complex64::new(sin, cos),
        2 => Complex64::new(-sin, cos),
        3 => Complex64::new(-cos, sin),
        4 => Complex64::new(-cos, -sin),
        5 => Complex64::new(-sin, -cos),
        6 => Complex64::new(sin, -cos),
        _ => Complex64::new(cos, -sin),
    }
}

fn reverse_bits(values: &mut [Complex64]) {
    let bits = values.len().trailing_zeros();
    if bits == 0 {
        return;
    }
    for i in 0..values.len() {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            values.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Add;

    use asanoha_testkit::TestIntegers;

    use super::*;

    fn random(slots: usize, seed: u64) -> Vec<Complex64> {
        let mut integers = TestIntegers(seed);
        (0..slots).map(|_| Complex64::new(integers.real(), integers.real())).collect()
    }

    #[test]
    fn transform_evaluates_at_powers_of_five() {
        for log2_slots in 0..8 {
            let slots = 1 << log2_slots;
            let n = 2 * slots;
            println!("seed {log2_slots}");
            let packed = random(slots, log2_slots);
            let mut values = packed.clone();
            SpecialFft::new(slots).to_slots(&mut values);
            let mut exponent = 1;
            for value in values {
                let term = |(k, w): (usize, &Complex64)| {
                    let at = |power: usize| {
                        let angle = std::f64::consts::PI * (exponent * power % (2 * n)) as f64 / n as f64;
                        Complex64::new(angle.cos(), angle.sin())
                    };
                    at(k).scaled(w.re) + at(k + slots).scaled(w.im)
                };
                let naive = packed.iter().enumerate().map(term).fold(Complex64::default(), Add::add);
                assert!((naive - value).abs() < 1e-12 * slots as f64);
                exponent = exponent * 5 % (2 * n);
            }
        }
    }

    #[test]
    fn roundtrip_loses_less_than_eight_bits_at_the_largest_ring() {
        for slots in [1 << 5, 1 << 11, 1 << 15, 1 << 16] {
            println!("seed {slots}");
            let values = random(slots, slots as u64);
            let fft = SpecialFft::new(slots);
            let mut image = values.clone();
            fft.to_coefficients(&mut image);
            fft.to_slots(&mut image);
            let error = values.iter().zip(&image).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 2f64.powi(-45), "{error:e}");
        }
    }
}
