//! The transform between the slots of CKKS and coefficients, and coefficients as doubles.
//!
//! The loops are written for the compiler to vectorise, once for each back-end. Nothing is fused that isn't called so, and so
//! every back-end gives the same bits.
// Only what is inlined takes the features of its caller.
#![allow(clippy::inline_always)]

use std::f64::consts::TAU;

use libm::sincos;

/// Complex numbers that are worked on at once.
const LANES: usize = 8;

/// Numbers of a block whose layers are computed while it stays in the first-level cache.
const BLOCK: usize = 1 << 11;

/// The smallest number of slots with vectors in all layers.
const MIN_VECTORS: usize = LANES * LANES;

/// Real and imaginary parts, each as many.
type Parts<'a> = [&'a [f64]; 2];
type PartsMut<'a> = [&'a mut [f64]; 2];

type Vector = [f64; LANES];
type VectorsMut<'a> = [&'a mut [Vector]; 2];
type Tile = [Vector; LANES];

/// The roots of unity of the transform between n slots and coefficients: the values of a real polynomial of N = 2n
/// coefficients at ζ^(5^j), j = 0 … n − 1, where ζ = exp(πi/N).
///
/// With wₖ = cₖ + i·c_{k+n} the slots are zⱼ = Σₖ wₖ·ζ^(5^j·k), since ζ^(5^j·n) = i for every j: n complex numbers to n
/// complex numbers, in log2(n) layers.
/// Source: Cheon, Han, Kim, Kim, Song, "Bootstrapping for approximate homomorphic encryption" (2018), §4.
#[derive(Clone, Debug)]
pub struct SlotTable {
    /// At h + j, for h = 1, 2, 4, …, n/2 and j < h: exp(2πi·(5^j mod 8h)/8h).
    roots: [Vec<f64>; 2],
}

impl SlotTable {
    /// The table for a number of slots.
    ///
    /// # Panics
    /// Unless it's a power of two.
    pub fn new(slots: usize) -> Self {
        assert!(slots.is_power_of_two());
        let mut roots = [vec![0.0; slots], vec![0.0; slots]];
        let mut half = 1;
        while half < slots {
            let order = 8 * half;
            let mut exponent = 1;
            let [re, im] = &mut roots;
            for (re, im) in re[half..2 * half].iter_mut().zip(&mut im[half..2 * half]) {
                [*re, *im] = unit_root(exponent, order);
                exponent = 5 * exponent % order;
            }
            half *= 2;
        }
        Self { roots }
    }

    /// The number of slots.
    pub fn slots(&self) -> usize {
        self.roots[0].len()
    }

    fn root(&self, at: usize) -> Complex<f64> {
        Complex { re: self.roots[0][at], im: self.roots[1][at] }
    }

    /// # Panics
    /// Unless both transforms' parts have as many numbers as there are slots.
    fn check(&self, parts: [usize; 4]) {
        assert!(parts.iter().all(|&length| length == self.slots()));
    }
}

/// exp(2πi·exponent/order), for an order divisible by 8: the angle is taken into [0, π/4] first, where sine and
/// cosine lose nothing. They are the same bits on every platform, as those of C libraries aren't, and so are ciphertexts of one seed.
fn unit_root(exponent: usize, order: usize) -> [f64; 2] {
    let eighth = order / 8;
    let (octant, rest) = (exponent / eighth, exponent % eighth);
    let from_axis = if octant % 2 == 0 { rest } else { eighth - rest };
    let (sin, cos) = sincos(TAU * (from_axis as f64 / order as f64));
    match octant {
        0 => [cos, sin],
        1 => [sin, cos],
        2 => [-sin, cos],
        3 => [-cos, sin],
        4 => [-cos, -sin],
        5 => [-sin, -cos],
        6 => [sin, -cos],
        _ => [cos, -sin],
    }
}

/// Numbers in one lane or several.
trait Lanes: Copy {
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self;
    fn scaled(self, factor: f64) -> Self;
}

impl Lanes for f64 {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        f(self, other)
    }

    #[inline(always)]
    fn scaled(self, factor: f64) -> Self {
        self * factor
    }
}

impl Lanes for Vector {
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        for (a, b) in self.iter_mut().zip(other) {
            *a = f(*a, b);
        }
        self
    }

    #[inline(always)]
    fn scaled(self, factor: f64) -> Self {
        self.map(|x| x * factor)
    }
}

#[derive(Clone, Copy)]
struct Complex<L> {
    re: L,
    im: L,
}

impl<L: Lanes> Complex<L> {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let add = |a, b| a + b;
        Self { re: self.re.zip(other.re, add), im: self.im.zip(other.im, add) }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        let sub = |a, b| a - b;
        Self { re: self.re.zip(other.re, sub), im: self.im.zip(other.im, sub) }
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        let (add, sub, mul) = (|a, b| a + b, |a, b| a - b, |a, b| a * b);
        let re = self.re.zip(other.re, mul).zip(self.im.zip(other.im, mul), sub);
        let im = self.re.zip(other.im, mul).zip(self.im.zip(other.re, mul), add);
        Self { re, im }
    }

    #[inline(always)]
    fn conjugate(self) -> Self {
        Self { im: self.im.scaled(-1.0), ..self }
    }
}

/// x, y → x + root·y, x − root·y; or back: x, y → x + y, (x − y)/root, twice as much.
#[inline(always)]
fn butterfly<L: Lanes, const BACK: bool>(x: &mut Complex<L>, y: &mut Complex<L>, root: Complex<L>) {
    if BACK {
        (*x, *y) = (x.plus(*y), x.minus(*y).times(root.conjugate()));
    } else {
        let product = y.times(root);
        (*x, *y) = (x.plus(product), x.minus(product));
    }
}

#[inline(always)]
fn vector([re, im]: &VectorsMut<'_>, at: usize) -> Complex<Vector> {
    Complex { re: re[at], im: im[at] }
}

#[inline(always)]
fn set([re, im]: &mut VectorsMut<'_>, at: usize, value: Complex<Vector>) {
    (re[at], im[at]) = (value.re, value.im);
}

impl SlotTable {
    /// The layer that joins halves of `half` vectors, and the next one where `TWO`.
    #[inline(always)]
    fn layers<const BACK: bool, const TWO: bool>(&self, [re, im]: VectorsMut<'_>, half: usize) {
        let rows = if TWO { 4 } else { 2 };
        let root = |at: usize| {
            let [re, im] = self.roots.each_ref().map(|part| &part.as_chunks::<LANES>().0[at]);
            Complex { re: *re, im: *im }
        };
        for (re, im) in re.chunks_exact_mut(rows * half).zip(im.chunks_exact_mut(rows * half)) {
            let (mut re, mut im) = (re.chunks_exact_mut(half), im.chunks_exact_mut(half));
            let mut row = || -> VectorsMut<'_> {
                [re.next().expect("there are as many rows"), im.next().expect("there are as many rows")]
            };
            if TWO {
                let (mut a, mut b, mut c, mut d) = (row(), row(), row(), row());
                for at in 0..half {
                    let (one, near, far) = (root(half + at), root(2 * half + at), root(3 * half + at));
                    let (mut w, mut x) = (vector(&a, at), vector(&b, at));
                    let (mut y, mut z) = (vector(&c, at), vector(&d, at));
                    if BACK {
                        butterfly::<_, BACK>(&mut w, &mut y, near);
                        butterfly::<_, BACK>(&mut x, &mut z, far);
                        butterfly::<_, BACK>(&mut w, &mut x, one);
                        butterfly::<_, BACK>(&mut y, &mut z, one);
                    } else {
                        butterfly::<_, BACK>(&mut w, &mut x, one);
                        butterfly::<_, BACK>(&mut y, &mut z, one);
                        butterfly::<_, BACK>(&mut w, &mut y, near);
                        butterfly::<_, BACK>(&mut x, &mut z, far);
                    }
                    set(&mut a, at, w);
                    set(&mut b, at, x);
                    set(&mut c, at, y);
                    set(&mut d, at, z);
                }
            } else {
                let (mut a, mut b) = (row(), row());
                for at in 0..half {
                    let (mut x, mut y) = (vector(&a, at), vector(&b, at));
                    butterfly::<_, BACK>(&mut x, &mut y, root(half + at));
                    set(&mut a, at, x);
                    set(&mut b, at, y);
                }
            }
        }
    }

    /// The layers that join halves of `from` vectors, of twice as many …, to wholes of all vectors; or back.
    #[inline(always)]
    fn passes<const BACK: bool>(&self, [re, im]: VectorsMut<'_>, from: usize) {
        let length = re.len();
        let layers = (length / from).trailing_zeros();
        let mut half = if BACK { length / 4 } else { from };
        for _ in 0..layers / 2 {
            self.layers::<BACK, true>([re, im], half);
            half = if BACK { half / 4 } else { half * 4 };
        }
        if layers % 2 == 1 {
            self.layers::<BACK, false>([re, im], if BACK { from } else { half });
        }
    }

    /// The three layers that join single numbers, by vectors of eight columns. A column's numbers are in bit-reversed order.
    #[inline(always)]
    fn column_layers<const BACK: bool>(&self, x: &mut [Complex<Vector>; LANES]) {
        let all = |at: usize| {
            let Complex { re, im } = self.root(at);
            Complex { re: [re; LANES], im: [im; LANES] }
        };
        for layer in 0..3 {
            let half = if BACK { 4 >> layer } else { 1 << layer };
            for group in x.chunks_exact_mut(2 * half) {
                let (lower, upper) = group.split_at_mut(half);
                for (at, (x, y)) in lower.iter_mut().zip(upper).enumerate() {
                    butterfly::<_, BACK>(x, y, all(half + at));
                }
            }
        }
    }

    #[inline(always)]
    fn to_slots_loops(&self, from: Parts<'_>, to: PartsMut<'_>, transposed: impl Fn(&Tile) -> Tile) {
        self.check([from[0].len(), from[1].len(), to[0].len(), to[1].len()]);
        let n = self.slots();
        if n < MIN_VECTORS {
            return self.few_to_slots(from, to);
        }
        let from: [&[Vector]; 2] = from.map(|part| part.as_chunks().0);
        let mut to: VectorsMut<'_> = to.map(|part| part.as_chunks_mut().0);
        let columns = n / LANES;
        for first in (0..columns).step_by(LANES) {
            let mut x: [_; LANES] = std::array::from_fn(|p| {
                let at = (reversed(p, LANES) * columns + first) / LANES;
                Complex { re: from[0][at], im: from[1][at] }
            });
            self.column_layers::<false>(&mut x);
            let (re, im) = (transposed(&x.map(|x| x.re)), transposed(&x.map(|x| x.im)));
            for lane in 0..LANES {
                let at = reversed(first + lane, columns);
                (to[0][at], to[1][at]) = (re[lane], im[lane]);
            }
        }
        let [re, im] = &mut to;
        let block = BLOCK.min(n) / LANES;
        for (re, im) in re.chunks_exact_mut(block).zip(im.chunks_exact_mut(block)) {
            self.passes::<false>([re, im], 1);
        }
        self.passes::<false>(to, block);
    }

    #[inline(always)]
    fn to_coefficients_loops(
        &self,
        from: PartsMut<'_>,
        to: PartsMut<'_>,
        transposed: impl Fn(&Tile) -> Tile,
    ) {
        self.check([from[0].len(), from[1].len(), to[0].len(), to[1].len()]);
        let n = self.slots();
        let inverse = 1.0 / n as f64;
        if n < MIN_VECTORS {
            return self.few_to_coefficients(from, to, inverse);
        }
        let [re, im]: VectorsMut<'_> = from.map(|part| part.as_chunks_mut().0);
        let to: VectorsMut<'_> = to.map(|part| part.as_chunks_mut().0);
        let block = BLOCK.min(n) / LANES;
        self.passes::<true>([&mut *re, &mut *im], block);
        for (re, im) in re.chunks_exact_mut(block).zip(im.chunks_exact_mut(block)) {
            self.passes::<true>([re, im], 1);
        }
        let columns = n / LANES;
        for first in (0..columns).step_by(LANES) {
            let column = |lane: usize| reversed(first + lane, columns);
            let re = transposed(&std::array::from_fn(|lane| re[column(lane)]));
            let im = transposed(&std::array::from_fn(|lane| im[column(lane)]));
            let mut x: [_; LANES] = std::array::from_fn(|p| Complex { re: re[p], im: im[p] });
            self.column_layers::<true>(&mut x);
            for (p, x) in x.iter().enumerate() {
                let at = (reversed(p, LANES) * columns + first) / LANES;
                to[0][at] = x.re.scaled(inverse);
                to[1][at] = x.im.scaled(inverse);
            }
        }
    }

    /// One number at a time, layer by layer.
    fn few_to_slots(&self, from: Parts<'_>, [re, im]: PartsMut<'_>) {
        reverse(from[0], re, 1.0);
        reverse(from[1], im, 1.0);
        let layers = (0..self.slots().trailing_zeros()).map(|layer| 1 << layer);
        self.few::<false>([re, im], layers);
    }

    fn few_to_coefficients(&self, [from_re, from_im]: PartsMut<'_>, [re, im]: PartsMut<'_>, inverse: f64) {
        let layers = (0..self.slots().trailing_zeros()).rev().map(|layer| 1 << layer);
        self.few::<true>([&mut *from_re, &mut *from_im], layers);
        reverse(from_re, re, inverse);
        reverse(from_im, im, inverse);
    }

    fn few<const BACK: bool>(&self, [re, im]: PartsMut<'_>, layers: impl Iterator<Item = usize>) {
        for half in layers {
            for start in (0..self.slots()).step_by(2 * half) {
                for at in start..start + half {
                    let mut x = Complex { re: re[at], im: im[at] };
                    let mut y = Complex { re: re[at + half], im: im[at + half] };
                    butterfly::<_, BACK>(&mut x, &mut y, self.root(half + at - start));
                    (re[at], im[at], re[at + half], im[at + half]) = (x.re, x.im, y.re, y.im);
                }
            }
        }
    }
}

/// Number j of row i becomes number i of row j.
fn transposed(rows: &Tile) -> Tile {
    std::array::from_fn(|i| rows.map(|row| row[i]))
}

/// The numbers in bit-reversed order, times a factor.
fn reverse(from: &[f64], to: &mut [f64], factor: f64) {
    for (at, to) in to.iter_mut().enumerate() {
        *to = from[reversed(at, from.len())] * factor;
    }
}

fn reversed(index: usize, count: usize) -> usize {
    index.reverse_bits().unbounded_shr(usize::BITS - count.trailing_zeros())
}

/// 2^52: the lower bits of its sum with a smaller non-negative integer are that integer.
#[cfg(target_arch = "x86_64")]
const SHIFT: f64 = (1u64 << 52) as f64;

/// The widest words whose doubles [`float_loops`] takes from their bits.
#[cfg(target_arch = "x86_64")]
const FLOAT_BITS: u32 = 52;

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn to_float(word: u64) -> f64 {
    f64::from_bits(word | SHIFT.to_bits()) - SHIFT
}

/// low + q₀·digit, centred modulo q₀·q₁: one rounding, by a fused multiply-add that the processor has.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn float_loops(out: &mut [f64], low: &[u64], digits: &[u64], [q0, q1]: [u64; 2]) {
    assert!(low.len() == out.len() && digits.len() == out.len());
    let (half0, half1) = ((q0 - 1) / 2, (q1 - 1) / 2);
    let (radix, modulus) = (q0 as f64, q1 as f64);
    for ((out, &low), &digit) in out.iter_mut().zip(low).zip(digits) {
        // Above half the product: a larger digit, or the same one with a larger low part.
        let wraps = digit + u64::from(low > half0) > half1;
        let digit = to_float(digit) - if wraps { modulus } else { 0.0 };
        *out = radix.mul_add(digit, to_float(low));
    }
}

/// low + q₀·digit, centred modulo q₀·q₁, for words of any width.
pub(crate) fn to_floats(out: &mut [f64], low: &[u64], digits: &[u64], [q0, q1]: [u64; 2]) {
    assert!(low.len() == out.len() && digits.len() == out.len());
    let product = i128::from(q0) * i128::from(q1);
    for ((out, &low), &digit) in out.iter_mut().zip(low).zip(digits) {
        let x = i128::from(low) + i128::from(q0) * i128::from(digit);
        // The sign of what is left is that of x in the upper half: all ones take the product off.
        *out = (x - (product & ((product / 2 - x) >> 127))) as f64;
    }
}

pub(crate) fn to_slots(from: Parts<'_>, to: PartsMut<'_>, table: &SlotTable) {
    table.to_slots_loops(from, to, transposed);
}

pub(crate) fn to_coefficients(from: PartsMut<'_>, to: PartsMut<'_>, table: &SlotTable) {
    table.to_coefficients_loops(from, to, transposed);
}

/// Defines the loops for processors with a feature that includes fused multiply-adds.
#[cfg(target_arch = "x86_64")]
macro_rules! loops_with {
    ($module:ident, $feature:literal) => {
        pub(crate) mod $module {
            use super::{FLOAT_BITS, Parts, PartsMut, SlotTable};
            use crate::$module::fft::transposed_rows as transposed;

            pub(crate) fn to_slots(from: Parts<'_>, to: PartsMut<'_>, table: &SlotTable) {
                #[target_feature(enable = $feature)]
                fn vectors(from: Parts<'_>, to: PartsMut<'_>, table: &SlotTable) {
                    table.to_slots_loops(from, to, |rows| transposed(rows));
                }
                // SAFETY: the table of this back-end is handed out only after detection.
                unsafe { vectors(from, to, table) }
            }

            pub(crate) fn to_coefficients(from: PartsMut<'_>, to: PartsMut<'_>, table: &SlotTable) {
                #[target_feature(enable = $feature)]
                fn vectors(from: PartsMut<'_>, to: PartsMut<'_>, table: &SlotTable) {
                    table.to_coefficients_loops(from, to, |rows| transposed(rows));
                }
                // SAFETY: the table of this back-end is handed out only after detection.
                unsafe { vectors(from, to, table) }
            }

            pub(crate) fn to_floats(out: &mut [f64], low: &[u64], digits: &[u64], primes: [u64; 2]) {
                #[target_feature(enable = $feature)]
                fn vectors(out: &mut [f64], low: &[u64], digits: &[u64], primes: [u64; 2]) {
                    super::float_loops(out, low, digits, primes);
                }
                if primes.iter().all(|&q| q >> FLOAT_BITS == 0) {
                    // SAFETY: the table of this back-end is handed out only after detection.
                    unsafe { vectors(out, low, digits, primes) }
                } else {
                    super::to_floats(out, low, digits, primes);
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
loops_with!(avx2, "avx2,fma");
#[cfg(target_arch = "x86_64")]
loops_with!(avx512, "avx512f,avx512dq,avx512vl");
