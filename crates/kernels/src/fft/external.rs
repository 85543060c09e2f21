//! External products of 32-bit torus words by encrypted bits, and the step of a blind rotation.
//!
//! The words are cut into digits, the digits' polynomials transformed, multiplied with the key and transformed back,
//! where the last six layers of the one, the products and the first six of the other go tile by tile, so that a key is
//! read once, from its start to its end. While that's done the next key is fetched.

use super::{FftError, FftTable, LANES, TILE};

/// What an external product works with: GLWE ciphertexts of k + 1 polynomials of n words each, whose words are cut into
/// signed digits of the base 2^b, the `levels` most significant ones.
#[derive(Clone, Debug)]
pub struct ExternalProduct {
    pub(crate) table: FftTable,
    pub(crate) polys: usize,
    pub(crate) digit_bits: u32,
    pub(crate) levels: u32,
    /// Added to a word, so that every field of b bits holds its digit plus half the base.
    pub(crate) offset: u32,
    /// The upper bits of all fields: turned round, they make fields signed numbers.
    pub(crate) flip: u32,
}

/// Why there's no external product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExternalProductError {
    /// The degree isn't supported.
    #[error(transparent)]
    Degree(#[from] FftError),
    /// Too many polynomials, or too few.
    #[error("{0} polynomials in a ciphertext must be from 2 to {MAX_POLYS}")]
    Polys(usize),
    /// Digits that a word doesn't have.
    #[error("{levels} digits of {digit_bits} bits must have 1 to 32 bits together")]
    Digits {
        /// Bits of a digit.
        digit_bits: u32,
        /// The number of digits.
        levels: u32,
    },
}

/// The most polynomials in a GLWE ciphertext.
pub(crate) const MAX_POLYS: usize = 9;

impl ExternalProduct {
    /// For ciphertexts of `polys` = k + 1 polynomials modulo X^n + 1.
    pub fn new(
        ring_degree: usize,
        polys: usize,
        digit_bits: u32,
        levels: u32,
    ) -> Result<Self, ExternalProductError> {
        let table = FftTable::new(ring_degree)?;
        if !(2..=MAX_POLYS).contains(&polys) {
            return Err(ExternalProductError::Polys(polys));
        }
        let bits = digit_bits.checked_mul(levels).filter(|bits| (1..=u32::BITS).contains(bits));
        let bits = bits.ok_or(ExternalProductError::Digits { digit_bits, levels })?;
        let rounding = if bits == u32::BITS { 0 } else { 1 << (u32::BITS - 1 - bits) };
        let flip =
            (1..=levels).map(|level| 1 << (u32::BITS - level * digit_bits + digit_bits - 1)).sum::<u32>();
        Ok(Self { table, polys, digit_bits, levels, offset: flip.wrapping_add(rounding), flip })
    }

    /// The ring degree n.
    pub fn ring_degree(&self) -> usize {
        self.table.ring_degree
    }

    /// The polynomials k + 1 of a ciphertext.
    pub fn polys(&self) -> usize {
        self.polys
    }

    /// The digits of a word.
    pub fn levels(&self) -> usize {
        self.levels as usize
    }

    /// Rows of a key: the GLWE ciphertexts that it's made of, one for each digit of each polynomial.
    pub fn rows(&self) -> usize {
        self.polys * self.levels()
    }

    /// Words of a key.
    pub fn key_words(&self) -> usize {
        self.rows() * self.polys * self.ring_degree()
    }

    /// Words of 64 bits that [`ProductScratch::spectra`] has.
    pub fn spectra_words(&self) -> usize {
        self.rows() * self.ring_degree()
    }

    /// Words of 32 bits that [`ProductScratch::words`] has, which are those of a ciphertext.
    pub fn ciphertext_words(&self) -> usize {
        self.polys * self.ring_degree()
    }

    /// Writes one polynomial of a key, which is polynomial `poly` of the GLWE ciphertext of row `row`: its Fourier form,
    /// as [`crate::Kernels::fft_forward`] gives it, in turns: a word w is w/2^64. The row for digit `level` of polynomial p has the number
    /// p·levels + `level`.
    ///
    /// A key stands tile by tile, each a part of 64 complex values of every polynomial, row by row.
    ///
    /// # Panics
    /// Unless there are such a row and polynomial, and the slices have [`ExternalProduct::key_words`] and n words.
    pub fn write_key(&self, key: &mut [f64], row: usize, poly: usize, fourier: &[f64]) {
        assert!(row < self.rows() && poly < self.polys);
        assert_eq!((key.len(), fourier.len()), (self.key_words(), self.ring_degree()));
        let turns = 2f64.powi(-64);
        let tiles = key.chunks_exact_mut(self.rows() * self.polys * 2 * TILE);
        for (tile, values) in tiles.zip(fourier.chunks_exact(2 * TILE)) {
            let out = &mut tile[(row * self.polys + poly) * 2 * TILE..][..2 * TILE];
            out.iter_mut().zip(values).for_each(|(out, value)| *out = value * turns);
        }
    }

    /// Turns of [`Ahead`] in a product.
    pub(crate) fn turns(&self) -> usize {
        let blocks = self.ring_degree() / (2 * LANES);
        let inverse = self.table.inverse();
        let of_transform = blocks / inverse.last.rows + inverse.passes.len() * blocks / 4;
        (self.rows() + self.polys) * (of_transform + blocks / LANES * TILE_TURNS)
    }

    /// Panics unless the slices have the lengths that a product takes.
    pub(crate) fn check(&self, out: &[u32], key: &[f64], scratch: &ProductScratch<'_>) {
        assert_eq!(out.len(), self.ciphertext_words());
        assert_eq!(key.len(), self.key_words());
        assert_eq!(scratch.words.len(), self.ciphertext_words());
        assert_eq!(scratch.spectra.len(), self.spectra_words());
    }
}

/// The memory that an external product works in. Its contents are unspecified before and afterwards.
#[derive(Debug)]
pub struct ProductScratch<'a> {
    /// As many words as a ciphertext has.
    pub words: &'a mut [u32],
    /// A polynomial for each row of a key.
    pub spectra: &'a mut [f64],
}

/// Where a digit stands in a word that's made ready: the word is shifted left, and then right as a signed number.
#[derive(Clone, Copy)]
pub(crate) struct Digit {
    pub(crate) left: u32,
    pub(crate) right: u32,
}

/// Words that will be read next, fetched a few lines at a time.
pub(crate) struct Ahead<'a> {
    lines: std::slice::Chunks<'a, f64>,
    /// Lines at each turn.
    each: usize,
}

/// Added to a number of less than 2^51, it leaves the nearest whole number as its lowest bits.
pub(crate) const NEAREST_TURN: f64 = 1.5 * (1u64 << 52) as f64;
/// Added to a number from −½ to ½, it leaves the nearest multiple of 2^−32 as its lowest bits: a torus word.
pub(crate) const NEAREST_WORD: f64 = 1.5 * (1u64 << 20) as f64;

/// Turns for each row and each output of a tile.
pub(crate) const TILE_TURNS: usize = 4;

/// Words of a cache line.
const LINE: usize = 8;

impl<'a> Ahead<'a> {
    /// Fetches nothing.
    pub(crate) fn none() -> Self {
        Self { lines: [].chunks(LINE), each: 0 }
    }

    /// Spreads the fetching over a number of turns.
    pub(crate) fn new(words: &'a [f64], turns: usize) -> Self {
        Self { lines: words.chunks(LINE), each: words.len().div_ceil(LINE * turns) }
    }

    /// The lines of the next turn.
    #[inline]
    pub(crate) fn turn(&mut self, fetch: impl Fn(*const f64)) {
        for _ in 0..self.each {
            match self.lines.next() {
                Some(line) => fetch(line.as_ptr()),
                None => break,
            }
        }
    }
}

/// Defines the external product in a back-end's module. Besides the scope of the transforms, its scope has
/// `from_digits`, from words that are made ready to a `Vector` of their digits; `add_turns`, which adds a `Vector`,
/// in turns, to torus words; and `fetch`, which asks for a cache line.
macro_rules! external_product {
    ($(#[$feature:meta])*) => {
        /// Writes words made ready for their digits: of (X^`exponent` − 1)·a, poly by poly.
        $(#[$feature])*
        #[inline]
        fn ready_difference(out: &mut [u32], a: &[u32], exponent: usize, product: &ExternalProduct) {
            let n = product.ring_degree();
            let (shift, minus) = (exponent % n, exponent / n % 2 == 1);
            for (out, a) in out.chunks_exact_mut(n).zip(a.chunks_exact(n)) {
                let (low, high) = out.split_at_mut(shift);
                // X^n is −1.
                ready(low, &a[n - shift..], &a[..shift], !minus, product);
                ready(high, &a[..n - shift], &a[shift..], minus, product);
            }
        }

        /// Writes words made ready for their digits: of ±a − b.
        $(#[$feature])*
        #[inline]
        fn ready(out: &mut [u32], a: &[u32], b: &[u32], minus: bool, product: &ExternalProduct) {
            // −a is the complement of a, plus one.
            let (sign, one) = if minus { (u32::MAX, 1) } else { (0, 0) };
            let (offset, flip) = (product.offset.wrapping_add(one), product.flip);
            out.iter_mut()
                .zip(a.iter().zip(b))
                .for_each(|(out, (&a, &b))| *out = (a ^ sign).wrapping_add(offset).wrapping_sub(b) ^ flip);
        }

        /// Writes words made ready for their digits.
        $(#[$feature])*
        #[inline]
        fn ready_words(out: &mut [u32], a: &[u32], product: &ExternalProduct) {
            let (offset, flip) = (product.offset, product.flip);
            out.iter_mut().zip(a).for_each(|(out, &a)| *out = a.wrapping_add(offset) ^ flip);
        }

        /// a·b + c.
        $(#[$feature])*
        #[inline]
        fn product_add(a: Complex, b: Complex, c: Complex) -> Complex {
            Complex {
                re: mul_sub_from(a.im, b.im, mul_add(a.re, b.re, c.re)),
                im: mul_add(a.im, b.re, mul_add(a.re, b.im, c.im)),
            }
        }

        /// The sums of `R` rows' tiles times those of the key, for `P` outputs: they're added to what stands there unless
        /// these are the first rows.
        $(#[$feature])*
        #[inline]
        fn sum_rows<const R: usize, const P: usize>(
            out: &mut [Tile; P],
            rows: [&Tile; R],
            key: [&[Tile; P]; R],
            first: bool,
        ) {
            for block in 0..LANES {
                for part in 0..PARTS {
                    let x: [Complex; R] = std::array::from_fn(|row| load_complex(&rows[row][block], part));
                    for (poly, out) in out.iter_mut().enumerate() {
                        let of_key = |row: usize| load_complex(&key[row][poly][block], part);
                        let mut sum = if first {
                            product(x[0], of_key(0))
                        } else {
                            product_add(x[0], of_key(0), load_complex(&out[block], part))
                        };
                        for row in 1..R {
                            sum = product_add(x[row], of_key(row), sum);
                        }
                        store_complex(&mut out[block], part, sum);
                    }
                }
            }
        }

        /// The sums for `P` outputs of a tile, from number `poly` on, over all rows, two at a time.
        $(#[$feature])*
        #[inline]
        fn sum_tiles<const P: usize>(
            out: &mut [Tile; P],
            spectra: &[Tile],
            tile: usize,
            key: &[Tile],
            poly: usize,
            shape: &ExternalProduct,
        ) {
            let tiles = spectra.len() / shape.rows();
            let row_tile = |row: usize| &spectra[row * tiles + tile];
            let row_key = |row: usize| key[row * shape.polys + poly..].first_chunk().expect("a key has all outputs");
            let mut row = 0;
            while row + 1 < shape.rows() {
                sum_rows(out, [row_tile(row), row_tile(row + 1)], [row_key(row), row_key(row + 1)], row == 0);
                row += 2;
            }
            if row < shape.rows() {
                sum_rows(out, [row_tile(row)], [row_key(row)], row == 0);
            }
        }

        /// out ← out + the key's bit times the words that are ready in the scratch memory.
        $(#[$feature])*
        #[inline]
        fn add_product(
            out: &mut [u32],
            key: &[f64],
            next: &[f64],
            scratch: &mut ProductScratch<'_>,
            shape: &ExternalProduct,
        ) {
            let (table, n) = (&shape.table, shape.ring_degree());
            let row_blocks = n / (2 * LANES);
            let tiles = row_blocks / LANES;
            let spectra = blocks_mut(scratch.spectra);
            let mut ahead = Ahead::new(next, shape.turns());

            let words = scratch.words.chunks_exact(n);
            let mut rows = spectra.chunks_exact_mut(row_blocks);
            for words in words {
                let (re, im) = words.split_at(n / 2);
                let (re, im) = (re.as_chunks().0, im.as_chunks().0);
                for level in 0..shape.levels {
                    let digit = Digit { left: level * shape.digit_bits, right: u32::BITS - shape.digit_bits };
                    let row = rows.next().expect("there is a row for each level of each polynomial");
                    forward_to_tiles(row, table, &mut ahead, |i, part| Complex {
                        re: from_digits(&re[i], part, digit),
                        im: from_digits(&im[i], part, digit),
                    });
                }
            }

            let keys = blocks(key).as_chunks().0.chunks_exact(shape.rows() * shape.polys);
            let mut sums = [[[[0.0; LANES]; 2]; LANES]; MAX_POLYS];
            for (tile, key) in keys.enumerate() {
                for row in spectra.chunks_exact_mut(row_blocks) {
                    let row = &mut row.as_chunks_mut().0[tile];
                    forward_tile(row, table.family(tiles + tile), &table.lanes()[tile]);
                    tile_turns(&mut ahead);
                }
                let (pairs, last) = sums[..shape.polys].as_chunks_mut();
                let spectrum = spectra.as_chunks().0;
                for (pair, sums) in pairs.iter_mut().enumerate() {
                    sum_tiles::<2>(sums, spectrum, tile, key, 2 * pair, shape);
                }
                for sum in last {
                    sum_tiles(std::array::from_mut(sum), spectrum, tile, key, shape.polys - 1, shape);
                }
                for (row, sum) in spectra.chunks_exact_mut(row_blocks).zip(&sums[..shape.polys]) {
                    inverse_tile(&mut row.as_chunks_mut().0[tile], sum, &table.inverse().tile);
                    tile_turns(&mut ahead);
                }
            }

            for (spectrum, out) in spectra.chunks_exact_mut(row_blocks).zip(out.chunks_exact_mut(n)) {
                inverse_passes(spectrum, table, &mut ahead);
                let (re, im) = out.split_at_mut(n / 2);
                let (re, im) = (re.as_chunks_mut().0, im.as_chunks_mut().0);
                inverse_last(spectrum, table, &mut ahead, |i, part, v| {
                    add_turns(&mut re[i], part, v.re);
                    add_turns(&mut im[i], part, v.im);
                });
            }
        }

        $(#[$feature])*
        #[inline]
        fn tile_turns(ahead: &mut Ahead<'_>) {
            for _ in 0..TILE_TURNS {
                ahead.turn(|line| fetch(line));
            }
        }

        $(#[$feature])*
        fn external_product_within(
            out: &mut [u32],
            input: &[u32],
            key: &[f64],
            scratch: &mut ProductScratch<'_>,
            shape: &ExternalProduct,
        ) {
            ready_words(scratch.words, input, shape);
            add_product(out, key, &[], scratch, shape);
        }

        $(#[$feature])*
        fn rotate_within(
            acc: &mut [u32],
            exponent: usize,
            key: &[f64],
            next: &[f64],
            scratch: &mut ProductScratch<'_>,
            shape: &ExternalProduct,
        ) {
            ready_difference(scratch.words, acc, exponent, shape);
            add_product(acc, key, next, scratch, shape);
        }

        pub(crate) fn external_product(
            out: &mut [u32],
            input: &[u32],
            key: &[f64],
            scratch: &mut ProductScratch<'_>,
            shape: &ExternalProduct,
        ) {
            shape.check(out, key, scratch);
            assert_eq!(input.len(), out.len());
            // SAFETY: the table of this back-end is handed out only after detection.
            #[allow(unused_unsafe)]
            unsafe {
                external_product_within(out, input, key, scratch, shape);
            }
        }

        pub(crate) fn rotate(
            acc: &mut [u32],
            exponent: usize,
            key: &[f64],
            next: &[f64],
            scratch: &mut ProductScratch<'_>,
            shape: &ExternalProduct,
        ) {
            shape.check(acc, key, scratch);
            // SAFETY: the table of this back-end is handed out only after detection.
            #[allow(unused_unsafe)]
            unsafe {
                rotate_within(acc, exponent, key, next, scratch, shape);
            }
        }
    };
}
