//! Whole numbers of 2 to 128 bits in radix 4, each digit a number of 2 bits with 2 bits above for carries.
//!
//! Results wrap modulo 4^blocks, like those of machine words. Each layer of independent bootstrappings is one batch
//! ([`ServerKey::apply_many`]), and [`Integers::cost`] counts both. The noise of each digit is tracked: operands with more
//! noise than an operation allows are bootstrapped first.
//!
//! `docs/notes/tfhe.md` has the cost of each operation.

mod add;
mod bitwise;
mod carry;
mod client;
mod columns;
mod compare;
mod constant;
mod divide;
mod layer;
mod multiply;
mod select;
mod shift;
mod sum;
mod table;

use std::sync::atomic::{AtomicUsize, Ordering};

use asanoha_lattice::KeyId;

use crate::{Bootstrapper, Ciphertext, EncryptedBit, TfheError};

/// The radix.
const BASE: u64 = 4;
/// Bits of a digit.
const DIGIT_BITS: u32 = 2;

/// Bits of a digit and its carries.
const MESSAGE_BITS: u32 = 4;

/// The largest number of digits.
pub const MAX_BLOCKS: usize = 64;

/// The type of an encrypted integer: its width and signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerType {
    /// The number of digits, from 1 to [`MAX_BLOCKS`]. Each has two bits.
    pub blocks: usize,
    /// Whether the integer is signed, in two's complement.
    pub signed: bool,
}

impl IntegerType {
    /// The largest digit.
    pub const LARGEST_DIGIT: u64 = BASE - 1;

    /// Returns the unsigned type of so many digits.
    pub fn unsigned(blocks: usize) -> Self {
        Self { blocks, signed: false }
    }

    /// Returns the signed type of so many digits.
    pub fn signed(blocks: usize) -> Self {
        Self { blocks, signed: true }
    }

    /// Returns the width in bits.
    pub fn bits(self) -> u32 {
        self.blocks as u32 * DIGIT_BITS
    }

    /// Returns the least value.
    pub fn least(self) -> i128 {
        if self.signed { -1 << (self.bits() - 1) } else { 0 }
    }

    /// Returns the largest value, or the largest `i128` for unsigned integers of 128 bits.
    pub fn largest(self) -> i128 {
        let magnitude = self.bits().min(128 - u32::from(!self.signed)) - u32::from(self.signed);
        (u128::MAX.checked_shr(128 - magnitude).unwrap_or(0)).min(i128::MAX as u128).cast_signed()
    }

    /// Refuses widths that there aren't.
    fn check(self) -> Result<Self, TfheError> {
        if (1..=MAX_BLOCKS).contains(&self.blocks) {
            Ok(self)
        } else {
            Err(TfheError::Width { found: self.blocks })
        }
    }

    /// The digits of a value, least first.
    ///
    /// # Errors
    /// If it's out of range.
    fn digits(self, value: i128) -> Result<Vec<u64>, TfheError> {
        self.check()?;
        if (self.least()..=self.largest()).contains(&value) {
            Ok(digits(value.cast_unsigned(), self.blocks))
        } else {
            Err(TfheError::OutOfRange { found: value, least: self.least(), largest: self.largest() })
        }
    }

    /// The value of its lowest bits.
    fn value(self, bits: u128) -> i128 {
        let above = 128 - self.bits();
        let top = bits << above;
        if self.signed { top.cast_signed() >> above } else { (top >> above).cast_signed() }
    }
}

/// The lowest digits of a word in radix 4, least first.
fn digits(bits: u128, blocks: usize) -> Vec<u64> {
    (0..blocks as u32).map(|i| (bits >> (DIGIT_BITS * i)) as u64 % BASE).collect()
}

/// An encrypted integer: its digits, least first, each from 0 to 3.
#[derive(Clone, Debug)]
pub struct EncryptedInteger {
    blocks: Vec<Ciphertext>,
    signed: bool,
}

impl EncryptedInteger {
    /// Creates an integer from its digits, least first.
    ///
    /// # Errors
    /// If there are none or more than [`MAX_BLOCKS`], one may be above 3, or they belong to different keys.
    pub fn from_blocks(blocks: Vec<Ciphertext>, signed: bool) -> Result<Self, TfheError> {
        IntegerType { blocks: blocks.len(), signed }.check()?;
        for block in &blocks {
            block.check_key(&blocks[0].params, blocks[0].id)?;
            if block.largest >= BASE {
                return Err(TfheError::TooLarge { found: block.largest, messages: BASE });
            }
        }
        Ok(Self { blocks, signed })
    }

    /// An unsigned integer of one digit, which is below the radix.
    pub(crate) fn of_digit(digit: Ciphertext) -> Self {
        Self { blocks: vec![digit], signed: false }
    }

    /// Returns the digits, least first.
    pub fn blocks(&self) -> &[Ciphertext] {
        &self.blocks
    }

    /// Returns the type.
    pub fn integer_type(&self) -> IntegerType {
        IntegerType { blocks: self.blocks.len(), signed: self.signed }
    }

    /// Returns the identifier of the key generation that the integer belongs to.
    pub fn key_id(&self) -> KeyId {
        self.blocks[0].id
    }
}

/// The cost of a computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Blind rotations.
    pub bootstraps: usize,
    /// Consecutive batches of blind rotations.
    pub layers: usize,
}

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
    key: &'a dyn Bootstrapper,
    /// The threads that bootstrappings of a layer are taken to run on.
    threads: usize,
    bootstraps: AtomicUsize,
    layers: AtomicUsize,
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
        let (bootstraps, layers) = (AtomicUsize::new(0), AtomicUsize::new(0));
        match key.params().literal().message_bits {
            MESSAGE_BITS => Ok(Self { key, threads: threads.max(1), bootstraps, layers }),
            found => Err(TfheError::MessageBits { found }),
        }
    }

    /// Returns the cost so far. Results don't depend on it.
    pub fn cost(&self) -> Cost {
        Cost {
            bootstraps: self.bootstraps.load(Ordering::Relaxed),
            layers: self.layers.load(Ordering::Relaxed),
        }
    }

    /// Encodes a public value as an integer without noise, which hides nothing.
    ///
    /// # Errors
    /// If it's out of range.
    pub fn trivial(&self, value: i128, integer_type: IntegerType) -> Result<EncryptedInteger, TfheError> {
        let blocks = self.trivial_blocks(&integer_type.digits(value)?)?;
        Ok(EncryptedInteger { blocks, signed: integer_type.signed })
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

    fn trivial_blocks(&self, digits: &[u64]) -> Result<Vec<Ciphertext>, TfheError> {
        digits.iter().map(|&digit| self.key.trivial(digit)).collect()
    }
}

/// Refuses operands of different types.
fn same(a: &EncryptedInteger, b: &EncryptedInteger) -> Result<IntegerType, TfheError> {
    let (found, expected) = (b.integer_type(), a.integer_type());
    if found == expected { Ok(found) } else { Err(TfheError::OtherType { found, expected }) }
}

/// The integer of some digits.
fn integer(blocks: Vec<Ciphertext>, integer_type: IntegerType) -> Result<EncryptedInteger, TfheError> {
    EncryptedInteger::from_blocks(blocks, integer_type.signed)
}
