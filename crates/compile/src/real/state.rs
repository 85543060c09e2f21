//! What expansions for real numbers know beside the graph.

use std::collections::HashMap;

use asanoha_circuits::polynomial::Sign;
use asanoha_lang::{Analysed, Operand};
use asanoha_numeric::precision::Precision;
use num_rational::BigRational;

use super::{errors::approximation_errors, fitted::Fitted};
use crate::expander::Value;

/// Arithmetic on real numbers (CKKS).
pub(crate) struct Real<'a> {
    /// log2 of the largest error of every approximated function's polynomial, in the program's order.
    pub(super) fit_bits: &'a [i32],
    /// What is known of every function before it's fitted.
    pub(super) fitted: Fitted,
    /// How far approximations put every operation's value off.
    pub(super) errors: Vec<f64>,
    /// The signs of differences, with their gaps and errors.
    pub(super) signs: HashMap<(Operand, Operand), (f64, f64, Value)>,
    /// The polynomials of signs, by the bits of their gap and their error.
    pub(super) sign_polynomials: HashMap<[u64; 2], Sign>,
    /// The multiples of nodes.
    pub(super) multiples: HashMap<(usize, BigRational), usize>,
}

impl<'a> Real<'a> {
    /// For polynomials that are off by so much at most, and outputs of a precision.
    pub(crate) fn new(analysed: &Analysed<'_>, fit_bits: &'a [i32], precision: Precision) -> Self {
        let fitted = Fitted::new(analysed, precision);
        let errors = approximation_errors(analysed, &fitted, fit_bits);
        let (signs, sign_polynomials, multiples) = Default::default();
        Self { fit_bits, fitted, errors, signs, sign_polynomials, multiples }
    }
}
