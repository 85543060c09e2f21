//! Reals in fixed point: encrypted integers that count steps of a power of two, in a range that's known.
//!
//! The range of every result follows from those of the operands, and its integer is as wide as it needs, so nothing
//! overflows. A bound on the error goes along: of rounding at encryption, and of truncated products.

use super::{EncryptedInteger, add, layer::Layers, multiply, shift};
use crate::{IntegerType, TfheError};

/// The largest exponent of a step or of a range, so that products of a few are doubles.
const MOST_EXPONENT: i32 = 256;
/// The most bits: a double has no more.
const MOST_BITS: u32 = 53;
/// What the roundings of doubles may add to a bound.
const SLACK: f64 = 1.0 + 1e-9;

/// The range and the step of encrypted reals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedType {
    /// The least value, in steps.
    least: i128,
    /// The largest value, in steps.
    largest: i128,
    log2_step: i32,
}

impl FixedType {
    /// Reals from `least` to `largest` by the finest step with which they're integers of so many bits, with the sign's
    /// if there is one.
    ///
    /// # Errors
    /// If that's no range, its bounds aren't doubles of a size between 2^−256 and 2^256 or 0, or there are none or more
    /// than 53 bits.
    pub fn new(least: f64, largest: f64, bits: u32) -> Result<Self, TfheError> {
        let refused = TfheError::FixedRange { least, largest, bits };
        let size = least.abs().max(largest.abs());
        let exponent = if size > 0.0 { size.log2().ceil() } else { 0.0 };
        // Comparisons that NaN fails.
        if !(least <= largest && exponent.abs() <= f64::from(MOST_EXPONENT)) {
            return Err(refused);
        }
        if !(1..=MOST_BITS).contains(&bits) {
            return Err(refused);
        }
        let finest = exponent as i32 - bits as i32;
        let candidates = (finest..=finest + 3).map(|log2_step| {
            let step = 2f64.powi(log2_step);
            Self {
                least: (least / step).floor() as i128,
                largest: (largest / step).ceil() as i128,
                log2_step,
            }
        });
        candidates.into_iter().find(|candidate| candidate.bits() <= bits).ok_or(refused)
    }

    /// The distance of neighbours.
    pub fn step(self) -> f64 {
        2f64.powi(self.log2_step)
    }

    /// The least value.
    pub fn least(self) -> f64 {
        self.least as f64 * self.step()
    }

    /// The largest value.
    pub fn largest(self) -> f64 {
        self.largest as f64 * self.step()
    }

    /// The type of the integers of steps: signed if there are negative ones.
    pub fn integer_type(self) -> IntegerType {
        IntegerType { blocks: self.bits().div_ceil(2) as usize, signed: self.least < 0 }
    }

    /// Bits of the integers, with the sign's if there are negative ones.
    fn bits(self) -> u32 {
        let magnitude = |x: i128| u128::BITS - (if x < 0 { !x } else { x }).leading_zeros();
        (magnitude(self.least).max(magnitude(self.largest)) + u32::from(self.least < 0)).max(1)
    }

    /// The largest size of a value.
    fn size(self) -> f64 {
        self.least().abs().max(self.largest().abs())
    }
}

/// An encrypted real.
#[derive(Clone, Debug)]
pub struct EncryptedFixed {
    integer: EncryptedInteger,
    fixed_type: FixedType,
    error: f64,
}

impl EncryptedFixed {
    /// The steps next to a real, which is off by half a step at most.
    pub(crate) fn rounded(integer: EncryptedInteger, fixed_type: FixedType) -> Self {
        Self { integer, fixed_type, error: fixed_type.step() / 2.0 }
    }

    /// The integer of steps.
    pub fn integer(&self) -> &EncryptedInteger {
        &self.integer
    }

    /// Its range and step.
    pub fn fixed_type(&self) -> FixedType {
        self.fixed_type
    }

    /// A bound on how far it is from the result for the reals that were encrypted.
    pub fn error(&self) -> f64 {
        self.error
    }
}

/// [`super::Integers::add_fixed`].
pub(super) fn add_fixed(
    layers: &Layers<'_>,
    a: &EncryptedFixed,
    b: &EncryptedFixed,
) -> Result<EncryptedFixed, TfheError> {
    combine_fixed(layers, a, b, |a, b| [a[0].checked_add(b[0]), a[1].checked_add(b[1])], add::add)
}

/// [`super::Integers::sub_fixed`].
pub(super) fn sub_fixed(
    layers: &Layers<'_>,
    a: &EncryptedFixed,
    b: &EncryptedFixed,
) -> Result<EncryptedFixed, TfheError> {
    combine_fixed(layers, a, b, |a, b| [a[0].checked_sub(b[1]), a[1].checked_sub(b[0])], add::sub)
}

/// A sum or a difference of integers.
type Operation = fn(&Layers<'_>, &EncryptedInteger, &EncryptedInteger) -> Result<EncryptedInteger, TfheError>;

/// An operation in the steps of the finer one, with its result's range.
fn combine_fixed(
    layers: &Layers<'_>,
    a: &EncryptedFixed,
    b: &EncryptedFixed,
    range: impl Fn([i128; 2], [i128; 2]) -> [Option<i128>; 2],
    operation: Operation,
) -> Result<EncryptedFixed, TfheError> {
    let log2_step = a.fixed_type.log2_step.min(b.fixed_type.log2_step);
    let finer = |x: &EncryptedFixed| (x.fixed_type.log2_step - log2_step) as u32;
    let bounds = |x: &EncryptedFixed| {
        [x.fixed_type.least, x.fixed_type.largest]
            .map(|bound| bound.checked_mul(1i128.checked_shl(finer(x))?))
    };
    let bounds = [bounds(a), bounds(b)].map(whole);
    let [Some(first), Some(second)] = bounds else { return Err(TfheError::FixedWidth) };
    let fixed_type = fixed_type(range(first, second), log2_step)?;
    let aligned = |x: &EncryptedFixed| {
        shift::shift_left(layers, &add::cast(layers, &x.integer, fixed_type.integer_type())?, finer(x))
    };
    let integer = operation(layers, &aligned(a)?, &aligned(b)?)?;
    Ok(EncryptedFixed { integer, fixed_type, error: (a.error + b.error) * SLACK })
}

/// [`super::Integers::mul_fixed`].
pub(super) fn mul_fixed(
    layers: &Layers<'_>,
    a: &EncryptedFixed,
    b: &EncryptedFixed,
    bits: u32,
) -> Result<EncryptedFixed, TfheError> {
    let corners = [a.fixed_type.least, a.fixed_type.largest]
        .map(|x| [b.fixed_type.least, b.fixed_type.largest].map(|y| x.checked_mul(y)));
    let corners: Option<Vec<i128>> = corners.into_iter().flatten().collect();
    let corners = corners.ok_or(TfheError::FixedWidth)?;
    let range = [corners.iter().min().copied(), corners.iter().max().copied()];
    let whole = fixed_type(range, a.fixed_type.log2_step + b.fixed_type.log2_step)?;

    // Both signed, if one is: an unsigned one has a sign that is 0.
    let signed = a.integer.integer_type().signed || b.integer.integer_type().signed;
    let operand = |x: &EncryptedFixed| {
        let own = x.integer.integer_type();
        let blocks = own.blocks + usize::from(signed && !own.signed);
        add::cast(layers, &x.integer, IntegerType { blocks, signed })
    };
    let product = multiply::mul_wide(layers, &operand(a)?, &operand(b)?)?;
    // Whole digits are cut off for nothing.
    let cut = whole.bits().saturating_sub(bits.max(1)) / 2 * 2;
    let fixed_type = FixedType {
        least: whole.least >> cut,
        largest: whole.largest >> cut,
        log2_step: whole.log2_step + cut as i32,
    };
    let integer = add::cast(layers, &shift::shift_right(layers, &product, cut)?, fixed_type.integer_type())?;
    let of_operands = a.fixed_type.size() * b.error + b.fixed_type.size() * a.error + a.error * b.error;
    let of_cut = if cut > 0 { fixed_type.step() } else { 0.0 };
    Ok(EncryptedFixed { integer, fixed_type, error: (of_operands + of_cut) * SLACK })
}

fn whole(bounds: [Option<i128>; 2]) -> Option<[i128; 2]> {
    Some([bounds[0]?, bounds[1]?])
}

/// The type of a range of steps, which integers must hold with some room.
fn fixed_type(range: [Option<i128>; 2], log2_step: i32) -> Result<FixedType, TfheError> {
    let [least, largest] = whole(range).ok_or(TfheError::FixedWidth)?;
    let fixed_type = FixedType { least, largest, log2_step };
    if fixed_type.bits() <= 126 { Ok(fixed_type) } else { Err(TfheError::FixedWidth) }
}
