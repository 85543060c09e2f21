//! The operations, each of which is in the file of its kind.

use super::{
    Cost, EncryptedFixed, EncryptedInteger, add, bitwise, compare, divide, fixed, layer::Layers, multiply,
    select, shift, shift_by, sum, table,
};
use crate::{Bootstrapper, EncryptedBit, IntegerType, TfheError};

/// Bits of a digit and its carries.
const MESSAGE_BITS: u32 = 4;

/// Operations on encrypted integers. Public operands are integers without noise ([`Integers::trivial`]), for which
/// operations take fewer bootstrappings.
///
/// ```no_run
/// use asanoha_kernels::Backend;
/// use asanoha_ring::Sampler;
/// use asanoha_tfhe::{ClientKey, IntegerType, Integers, TfheLiteral};
///
/// let params = TfheLiteral::message_2_carry_2().check(Backend::detect()?)?;
/// let client = ClientKey::generate(&params, &mut Sampler::from_os());
/// let server = client.server_key(&mut Sampler::from_os());
/// let integers = Integers::new(&server)?;
///
/// let eight_bits = IntegerType::signed(4);
/// let a = client.encrypt_integer(-100, eight_bits, &mut Sampler::from_os())?;
/// let b = client.encrypt_integer(7, eight_bits, &mut Sampler::from_os())?;
/// let (quotient, remainder) = integers.div_rem(&a, &b)?;
/// assert_eq!(client.decrypt_integer(&quotient)?, -15);
/// assert_eq!(client.decrypt_integer(&remainder)?, 5);
/// let smaller = integers.select(&integers.lt(&a, &b)?, &a, &integers.trivial(0, eight_bits)?)?;
/// assert_eq!(client.decrypt_integer(&smaller)?, -100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Integers<'a> {
    layers: Layers<'a>,
}

impl<'a> Integers<'a> {
    /// Creates the operations with a server's key, or another bootstrapper, on the threads of the caller's pool.
    ///
    /// # Errors
    /// If the parameters aren't for messages of 4 bits.
    pub fn new(key: &'a dyn Bootstrapper) -> Result<Self, TfheError> {
        Self::with_threads(key, rayon::current_num_threads())
    }

    /// Creates the operations for a given number of threads. With more than one, some operations take more bootstrappings in
    /// fewer layers. Results are the same, but for their noise.
    ///
    /// # Errors
    /// If the parameters aren't of numbers of 4 bits.
    pub fn with_threads(key: &'a dyn Bootstrapper, threads: usize) -> Result<Self, TfheError> {
        match key.params().literal().message_bits {
            MESSAGE_BITS => Ok(Self { layers: Layers::new(key, threads) }),
            found => Err(TfheError::MessageBits { found }),
        }
    }

    /// Returns the cost so far. Results don't depend on it.
    pub fn cost(&self) -> Cost {
        self.layers.cost()
    }

    /// Encodes a public value as an integer without noise, which hides nothing.
    ///
    /// # Errors
    /// If it's out of range.
    pub fn trivial(&self, value: i128, integer_type: IntegerType) -> Result<EncryptedInteger, TfheError> {
        self.layers.trivial(value, integer_type)
    }

    /// Returns whether an integer isn't 0.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn is_not_zero(&self, a: &EncryptedInteger) -> Result<EncryptedBit, TfheError> {
        match &a.blocks[..] {
            [bit] if bit.largest <= 1 => Ok(EncryptedBit(bit.clone())),
            _ => self.ne(a, &self.trivial(0, a.integer_type())?),
        }
    }

    /// Adds two integers: a + b modulo 4^blocks.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn add(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        add::add(&self.layers, a, b)
    }

    /// Subtracts two integers: a − b modulo 4^blocks, as a + (4^blocks − 1 − b) + 1.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn sub(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        add::sub(&self.layers, a, b)
    }

    /// Negates an integer: −a modulo 4^blocks.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn neg(&self, a: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        add::neg(&self.layers, a)
    }

    /// Converts an integer to another type: drops the upper digits, or extends by zero or sign.
    ///
    /// # Errors
    /// If there's no such type.
    pub fn cast(
        &self,
        a: &EncryptedInteger,
        integer_type: IntegerType,
    ) -> Result<EncryptedInteger, TfheError> {
        add::cast(&self.layers, a, integer_type)
    }

    /// Returns the bitwise and.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn and(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        bitwise::and(&self.layers, a, b)
    }

    /// Returns the bitwise or.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn or(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        bitwise::or(&self.layers, a, b)
    }

    /// Returns the bitwise exclusive or.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn xor(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        bitwise::xor(&self.layers, a, b)
    }

    /// Inverts all bits, without any bootstrapping.
    ///
    /// # Errors
    /// None for integers that were made by these operations.
    pub fn not(&self, a: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        bitwise::not(a)
    }

    /// Returns whether a = b.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn eq(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedBit, TfheError> {
        compare::eq(&self.layers, a, b)
    }

    /// Returns whether a ≠ b.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn ne(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedBit, TfheError> {
        compare::ne(&self.layers, a, b)
    }

    /// Returns whether a < b.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn lt(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedBit, TfheError> {
        compare::lt(&self.layers, a, b)
    }

    /// Returns whether a ≤ b.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn le(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedBit, TfheError> {
        compare::le(&self.layers, a, b)
    }

    /// Returns whether a > b.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn gt(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedBit, TfheError> {
        compare::gt(&self.layers, a, b)
    }

    /// Returns whether a ≥ b.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn ge(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedBit, TfheError> {
        compare::ge(&self.layers, a, b)
    }

    /// Returns the minimum of a and b.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn min(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        compare::min(&self.layers, a, b)
    }

    /// Returns the maximum of a and b.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn max(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        compare::max(&self.layers, a, b)
    }

    /// Returns the quotient ⌊a/b⌋, or 0 if b is 0. The least signed integer divided by −1 wraps to itself. A public divisor
    /// costs less.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn div(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        divide::div(&self.layers, a, b)
    }

    /// Returns the remainder a − b·⌊a/b⌋, which has the sign of b, or a if b is 0. A public divisor costs less.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn rem(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        divide::rem(&self.layers, a, b)
    }

    /// Returns the quotient and the remainder, as [`Integers::div`] and [`Integers::rem`] do.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn div_rem(
        &self,
        a: &EncryptedInteger,
        b: &EncryptedInteger,
    ) -> Result<(EncryptedInteger, EncryptedInteger), TfheError> {
        divide::div_rem(&self.layers, a, b)
    }

    /// Multiplies two integers: a·b modulo 4^blocks. A public factor costs less.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn mul(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        multiply::mul(&self.layers, a, b)
    }

    /// Returns the full product, with as many digits as both factors together.
    ///
    /// A negative a counts as a + 4^blocks in the products of digits, so b·4^blocks is subtracted where a is negative, and
    /// the other way round.
    ///
    /// # Errors
    /// If one is signed and the other isn't, the result would have too many digits, or the keys differ.
    pub fn mul_wide(
        &self,
        a: &EncryptedInteger,
        b: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        multiply::mul_wide(&self.layers, a, b)
    }

    /// Returns a if the condition is 1, otherwise b.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn select(
        &self,
        condition: &EncryptedBit,
        a: &EncryptedInteger,
        b: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        select::select(&self.layers, condition, a, b)
    }

    /// Shifts to the left: a·2^places modulo 4^blocks.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn shift_left(&self, a: &EncryptedInteger, places: u32) -> Result<EncryptedInteger, TfheError> {
        shift::shift_left(&self.layers, a, places)
    }

    /// Shifts to the right: ⌊a/2^places⌋, which shifts in zeros, or the sign of a signed integer.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn shift_right(&self, a: &EncryptedInteger, places: u32) -> Result<EncryptedInteger, TfheError> {
        shift::shift_right(&self.layers, a, places)
    }

    /// Rotates the bits to the left: bits that leave at the top enter at the bottom.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn rotate_left(&self, a: &EncryptedInteger, places: u32) -> Result<EncryptedInteger, TfheError> {
        shift::rotate_left(&self.layers, a, places)
    }

    /// Rotates the bits to the right: bits that leave at the bottom enter at the top.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn rotate_right(&self, a: &EncryptedInteger, places: u32) -> Result<EncryptedInteger, TfheError> {
        shift::rotate_right(&self.layers, a, places)
    }

    /// Shifts to the left by an encrypted number of places, as [`Integers::shift_left`] does for every number.
    ///
    /// An amount of at least the width in bits shifts out all bits. Negative amounts count as the unsigned integers of their
    /// bits.
    ///
    /// # Errors
    /// If the keys differ.
    pub fn shift_left_by(
        &self,
        a: &EncryptedInteger,
        places: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        shift_by::shift_left_by(&self.layers, a, places)
    }

    /// Shifts to the right by an encrypted number of places, as [`Integers::shift_right`] does. Amounts count as in
    /// [`Integers::shift_left_by`].
    ///
    /// # Errors
    /// If the keys differ.
    pub fn shift_right_by(
        &self,
        a: &EncryptedInteger,
        places: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        shift_by::shift_right_by(&self.layers, a, places)
    }

    /// Rotates the bits to the left by an encrypted number of places, modulo the width in bits. Negative amounts count as the
    /// unsigned integers of their bits.
    ///
    /// # Errors
    /// If the keys differ.
    pub fn rotate_left_by(
        &self,
        a: &EncryptedInteger,
        places: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        shift_by::rotate_left_by(&self.layers, a, places)
    }

    /// Rotates the bits to the right by an encrypted number of places, modulo the width in bits. Negative amounts count as the
    /// unsigned integers of their bits.
    ///
    /// # Errors
    /// If the keys differ.
    pub fn rotate_right_by(
        &self,
        a: &EncryptedInteger,
        places: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        shift_by::rotate_right_by(&self.layers, a, places)
    }

    /// Sums integers of any types, modulo 4^blocks of the result's type. The sum is exact if the result's type is wide enough.
    ///
    /// # Errors
    /// If there are none, there's no such type, or the keys differ.
    pub fn sum(
        &self,
        summands: &[&EncryptedInteger],
        integer_type: IntegerType,
    ) -> Result<EncryptedInteger, TfheError> {
        sum::sum(&self.layers, summands, integer_type)
    }

    /// Evaluates any function of an integer of up to 16 bits.
    ///
    /// An argument of one or two digits takes one table for each digit of the result. For more digits, tables of the lowest two
    /// are evaluated for all values of the upper digits, and selected digit by digit; equal tables are evaluated once.
    ///
    /// # Errors
    /// If it has more than 16 bits, or a value is out of the result's range.
    pub fn table(
        &self,
        a: &EncryptedInteger,
        result: IntegerType,
        function: impl Fn(i128) -> i128,
    ) -> Result<EncryptedInteger, TfheError> {
        table::table(&self.layers, a, result, function)
    }

    /// Evaluates any function of two integers of up to 16 bits together, as [`Integers::table`] does.
    ///
    /// # Errors
    /// If they have more than 16 bits, a value is out of the result's range, or the keys differ.
    pub fn table2(
        &self,
        a: &EncryptedInteger,
        b: &EncryptedInteger,
        result: IntegerType,
        function: impl Fn(i128, i128) -> i128,
    ) -> Result<EncryptedInteger, TfheError> {
        table::table2(&self.layers, a, b, result, function)
    }

    /// The sum, in the finer one's steps, without an error of its own.
    ///
    /// # Errors
    /// If the range needs more than 126 bits, or the keys differ.
    pub fn add_fixed(&self, a: &EncryptedFixed, b: &EncryptedFixed) -> Result<EncryptedFixed, TfheError> {
        fixed::add_fixed(&self.layers, a, b)
    }

    /// The difference, as [`Integers::add_fixed`].
    ///
    /// # Errors
    /// If the range needs more than 126 bits, or the keys differ.
    pub fn sub_fixed(&self, a: &EncryptedFixed, b: &EncryptedFixed) -> Result<EncryptedFixed, TfheError> {
        fixed::sub_fixed(&self.layers, a, b)
    }

    /// The product, truncated to integers of about so many bits: one more is kept where digits of two bits would need a
    /// bootstrapping to be split.
    ///
    /// Its error is that of the operands, Σ size·error of the other, and a step of the result for what's cut off.
    ///
    /// # Errors
    /// If the whole product needs more than 126 bits, or the keys differ.
    pub fn mul_fixed(
        &self,
        a: &EncryptedFixed,
        b: &EncryptedFixed,
        bits: u32,
    ) -> Result<EncryptedFixed, TfheError> {
        fixed::mul_fixed(&self.layers, a, b, bits)
    }
}
