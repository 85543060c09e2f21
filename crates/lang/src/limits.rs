//! How large programs may be.

/// The longest text of a program.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;
/// The longest name.
pub const MAX_NAME_LENGTH: usize = 256;
/// The most expressions in a text.
pub const MAX_EXPRESSIONS: usize = 1 << 18;
/// The deepest nesting of brackets, signs and powers in a text.
pub const MAX_NESTING: usize = 200;
/// The most operations of a program.
pub const MAX_NODES: usize = 1 << 18;
/// The largest exponent of `**` on data.
pub const MAX_EXPONENT: u32 = 1024;
/// The most values of a histogram.
pub const MAX_BINS: u64 = 256;
/// The most columns that `least_squares` takes beside y.
pub const MAX_LEAST_SQUARES: usize = 8;
