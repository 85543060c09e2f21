//! Residues of several words, lane by lane.

type Vector = u64;
type Words = [u64; LANES];
const LANES: usize = 1;
const MASK: u64 = (1 << 52) - 1;

#[inline]
#[allow(clippy::trivially_copy_pass_by_ref)] // As vectors are loaded.
fn load(words: &Words) -> Vector {
    words[0]
}

#[inline]
fn store(words: &mut Words, v: Vector) {
    words[0] = v;
}

#[inline]
fn splat(word: u64) -> Vector {
    word
}

#[inline]
fn zero() -> Vector {
    0
}

#[inline]
fn add(a: Vector, b: Vector) -> Vector {
    a.wrapping_add(b)
}

#[inline]
fn sub(a: Vector, b: Vector) -> Vector {
    a.wrapping_sub(b)
}

#[inline]
fn and(a: Vector, b: Vector) -> Vector {
    a & b
}

#[inline]
fn shift_right<const BITS: u32>(a: Vector) -> Vector {
    a >> BITS
}

#[inline]
fn carry(a: Vector) -> Vector {
    (a.cast_signed() >> 52).cast_unsigned()
}

#[inline]
fn sign(a: Vector) -> Vector {
    (a.cast_signed() >> 63).cast_unsigned()
}

#[inline]
fn product(a: Vector, b: Vector) -> u128 {
    u128::from(a & MASK) * u128::from(b & MASK)
}

#[inline]
fn low(sum: Vector, a: Vector, b: Vector) -> Vector {
    sum.wrapping_add(product(a, b) as u64 & MASK)
}

#[inline]
fn high(sum: Vector, a: Vector, b: Vector) -> Vector {
    sum.wrapping_add((product(a, b) >> 52) as u64)
}

wide_loops!("scalar",);
