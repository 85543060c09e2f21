//! Complex numbers in double precision: the values of slots.

use std::ops::{Add, Mul, Neg, Sub};

use asanoha_scheme::SchemeError;
use zeroize::Zeroize;

/// A complex number in double precision.
///
/// ```
/// use asanoha_ckks::Complex64;
/// assert_eq!(Complex64::new(0.0, 1.0) * Complex64::new(0.0, 1.0), Complex64::from(-1.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex64 {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Complex64 {
    /// Creates a complex number from its real and imaginary parts.
    pub const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    /// Returns the complex conjugate.
    pub fn conjugate(self) -> Self {
        Self { im: -self.im, ..self }
    }

    /// Returns the absolute value.
    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Returns whether both parts are finite.
    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

impl From<f64> for Complex64 {
    fn from(re: f64) -> Self {
        Self { re, im: 0.0 }
    }
}

impl From<[f64; 2]> for Complex64 {
    fn from([re, im]: [f64; 2]) -> Self {
        Self { re, im }
    }
}

impl Zeroize for Complex64 {
    fn zeroize(&mut self) {
        self.re.zeroize();
        self.im.zeroize();
    }
}

impl Add for Complex64 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex64 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex64 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Neg for Complex64 {
    type Output = Self;
    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
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
