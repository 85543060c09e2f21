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
mod columns;
mod compare;
mod constant;
mod divide;
mod encrypted;
mod integer_type;
mod layer;
mod multiply;
mod restoring;
mod select;
mod shift;
mod signs;
mod sum;
mod table;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Bootstrapper, Ciphertext, EncryptedBit, TfheError};

pub use encrypted::EncryptedInteger;
pub(crate) use encrypted::{check_width, digits_of_value};
pub(crate) use integer_type::{DIGIT_BITS, digits};
pub use integer_type::{IntegerType, MAX_BLOCKS};

use encrypted::{integer, same};
use integer_type::BASE;

/// Bits of a digit and its carries.
const MESSAGE_BITS: u32 = 4;

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
        let blocks = self.trivial_blocks(&digits_of_value(value, integer_type)?)?;
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
