//! The types of words that the vector loops read and write.

/// A plain type of 64 bits.
///
/// # Safety
/// It has the size of `u64`, and every pattern of bits is a value of it.
pub(crate) unsafe trait Word: Copy + Default {}

// SAFETY (all): 64 bits, all patterns valid.
unsafe impl Word for u64 {}
unsafe impl Word for i64 {}
unsafe impl Word for f64 {}
