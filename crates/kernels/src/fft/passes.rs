//! The passes of the FFT over any vector type, as a macro: every back-end does the same operations in the same
//! order, so all give the same bits.

/// Defines the transforms in a back-end's module. Its scope has `Vector`, of which `PARTS` make eight words, the
/// functions `fetch`, `load`, `store`, `splat`, `from_integers`, `add`, `sub`, `mul`, `mul_add` (a·b + c), `mul_sub` (a·b − c) and
/// `mul_sub_from` (c − a·b) on it, and `forward_tile` and `inverse_tile`, the last six layers.
macro_rules! fft_passes {
    ($(#[$feature:meta])*) => {
        /// Complex numbers.
        #[derive(Clone, Copy)]
        struct Complex {
            re: Vector,
            im: Vector,
        }

        $(#[$feature])*
        #[inline]
        fn load_complex(block: &Block, part: usize) -> Complex {
            Complex { re: load(&block[0], part), im: load(&block[1], part) }
        }

        $(#[$feature])*
        #[inline]
        fn store_complex(block: &mut Block, part: usize, v: Complex) {
            store(&mut block[0], part, v.re);
            store(&mut block[1], part, v.im);
        }

        $(#[$feature])*
        #[inline]
        fn splat_root(w: Root) -> Complex {
            Complex { re: splat(w.re), im: splat(w.im) }
        }

        $(#[$feature])*
        #[inline]
        fn splat_two([w0, w1]: [Root; 2]) -> [Complex; 2] {
            [splat_root(w0), splat_root(w1)]
        }

        $(#[$feature])*
        #[inline]
        fn splat_four([w0, w1, w2, w3]: [Root; 4]) -> [Complex; 4] {
            [splat_root(w0), splat_root(w1), splat_root(w2), splat_root(w3)]
        }

        $(#[$feature])*
        #[inline]
        fn lane_root(w: &LaneRoots, part: usize) -> Complex {
            Complex { re: load(&w.re, part), im: load(&w.im, part) }
        }

        $(#[$feature])*
        #[inline]
        fn lane_roots(w: &[LaneRoots; 4], part: usize) -> [Complex; 4] {
            let [w0, w1, w2, w3] = w;
            [lane_root(w0, part), lane_root(w1, part), lane_root(w2, part), lane_root(w3, part)]
        }

        // Without closures: in functions of this size they aren't always inlined.
        $(#[$feature])*
        #[inline]
        fn load_tile(tile: &[Block; LANES], part: usize) -> [Complex; LANES] {
            let [b0, b1, b2, b3, b4, b5, b6, b7] = tile;
            [
                load_complex(b0, part),
                load_complex(b1, part),
                load_complex(b2, part),
                load_complex(b3, part),
                load_complex(b4, part),
                load_complex(b5, part),
                load_complex(b6, part),
                load_complex(b7, part),
            ]
        }

        $(#[$feature])*
        #[inline]
        fn product(x: Complex, w: Complex) -> Complex {
            Complex {
                re: mul_sub_from(x.im, w.im, mul(x.re, w.re)),
                im: mul_add(x.re, w.im, mul(x.im, w.re)),
            }
        }

        /// u, 2x − u.
        $(#[$feature])*
        #[inline]
        fn mirrored(x: Complex, u: Complex) -> (Complex, Complex) {
            let two = splat(2.0);
            (u, Complex { re: mul_sub(two, x.re, u.re), im: mul_sub(two, x.im, u.im) })
        }

        /// x + y, x − y.
        $(#[$feature])*
        #[inline]
        fn halves(x: Complex, y: Complex) -> (Complex, Complex) {
            (
                Complex { re: add(x.re, y.re), im: add(x.im, y.im) },
                Complex { re: sub(x.re, y.re), im: sub(x.im, y.im) },
            )
        }

        /// x − iy, x + iy.
        $(#[$feature])*
        #[inline]
        fn halves_turned(x: Complex, y: Complex) -> (Complex, Complex) {
            (
                Complex { re: add(x.re, y.im), im: sub(x.im, y.re) },
                Complex { re: sub(x.re, y.im), im: add(x.im, y.re) },
            )
        }

        /// x + wy, x − wy, by six fused operations.
        $(#[$feature])*
        #[inline]
        fn split(x: Complex, y: Complex, w: Complex) -> (Complex, Complex) {
            let u = Complex {
                re: mul_sub_from(y.im, w.im, mul_add(y.re, w.re, x.re)),
                im: mul_add(y.re, w.im, mul_add(y.im, w.re, x.im)),
            };
            mirrored(x, u)
        }

        /// x + iwy, x − iwy.
        $(#[$feature])*
        #[inline]
        fn split_turned(x: Complex, y: Complex, w: Complex) -> (Complex, Complex) {
            let u = Complex {
                re: mul_sub_from(y.re, w.im, mul_sub_from(y.im, w.re, x.re)),
                im: mul_sub_from(y.im, w.im, mul_add(y.re, w.re, x.im)),
            };
            mirrored(x, u)
        }

        /// x − iwy, x + iwy.
        $(#[$feature])*
        #[inline]
        fn split_turned_back(x: Complex, y: Complex, w: Complex) -> (Complex, Complex) {
            let (minus, plus) = split_turned(x, y, w);
            (plus, minus)
        }

        /// Two layers of butterflies.
        $(#[$feature])*
        #[inline]
        fn split_four(v: [Complex; 4], w: [Complex; 2]) -> [Complex; 4] {
            let [v0, v1, v2, v3] = v;
            let ((v0, v2), (v1, v3)) = (split(v0, v2, w[0]), split(v1, v3, w[0]));
            let ((v0, v1), (v2, v3)) = (split(v0, v1, w[1]), split_turned(v2, v3, w[1]));
            [v0, v1, v2, v3]
        }

        /// Three layers of butterflies.
        $(#[$feature])*
        #[inline]
        fn split_eight(v: [Complex; 8], w: [Complex; 4]) -> [Complex; 8] {
            let [v0, v1, v2, v3, v4, v5, v6, v7] = v;
            let ((v0, v4), (v1, v5)) = (split(v0, v4, w[0]), split(v1, v5, w[0]));
            let ((v2, v6), (v3, v7)) = (split(v2, v6, w[0]), split(v3, v7, w[0]));
            let ((v0, v2), (v1, v3)) = (split(v0, v2, w[1]), split(v1, v3, w[1]));
            let ((v4, v6), (v5, v7)) = (split_turned(v4, v6, w[1]), split_turned(v5, v7, w[1]));
            let ((v0, v1), (v2, v3)) = (split(v0, v1, w[2]), split_turned(v2, v3, w[2]));
            let ((v4, v5), (v6, v7)) = (split(v4, v5, w[3]), split_turned(v6, v7, w[3]));
            [v0, v1, v2, v3, v4, v5, v6, v7]
        }

        /// Two inverse layers, with the roots of the place.
        $(#[$feature])*
        #[inline]
        fn join_four(v: [Complex; 4], w: [Complex; 2]) -> [Complex; 4] {
            let [v0, v1, v2, v3] = v;
            let ((v0, v1), (v2, v3)) = (split(v0, v1, w[0]), split(v2, v3, w[0]));
            let ((v0, v2), (v1, v3)) = (split(v0, v2, w[1]), split_turned_back(v1, v3, w[1]));
            [v0, v1, v2, v3]
        }

        /// Three inverse layers, with the roots of the place.
        $(#[$feature])*
        #[inline]
        fn join_eight(v: [Complex; 8], w: [Complex; 4]) -> [Complex; 8] {
            let [v0, v1, v2, v3, v4, v5, v6, v7] = v;
            let ((v0, v1), (v2, v3)) = (split(v0, v1, w[0]), split(v2, v3, w[0]));
            let ((v4, v5), (v6, v7)) = (split(v4, v5, w[0]), split(v6, v7, w[0]));
            let ((v0, v2), (v1, v3)) = (split(v0, v2, w[1]), split_turned_back(v1, v3, w[1]));
            let ((v4, v6), (v5, v7)) = (split(v4, v6, w[1]), split_turned_back(v5, v7, w[1]));
            let ((v0, v4), (v1, v5)) = (split(v0, v4, w[2]), split(v1, v5, w[3]));
            let ((v2, v6), (v3, v7)) = (split_turned_back(v2, v6, w[2]), split_turned_back(v3, v7, w[3]));
            [v0, v1, v2, v3, v4, v5, v6, v7]
        }

        /// The first three inverse layers, whose roots are 1, −i, and the eighth ones; `w` is exp(−πi/4).
        $(#[$feature])*
        #[inline]
        fn join_first(v: [Complex; 8], w: Complex) -> [Complex; 8] {
            let [v0, v1, v2, v3, v4, v5, v6, v7] = v;
            let ((v0, v1), (v2, v3)) = (halves(v0, v1), halves(v2, v3));
            let ((v4, v5), (v6, v7)) = (halves(v4, v5), halves(v6, v7));
            let ((v0, v2), (v1, v3)) = (halves(v0, v2), halves_turned(v1, v3));
            let ((v4, v6), (v5, v7)) = (halves(v4, v6), halves_turned(v5, v7));
            let ((v0, v4), (v1, v5)) = (halves(v0, v4), split(v1, v5, w));
            let ((v2, v6), (v3, v7)) = (halves_turned(v2, v6), split_turned_back(v3, v7, w));
            [v0, v1, v2, v3, v4, v5, v6, v7]
        }

        /// The first layers, which combine `R` rows of the input; `input` gives part of vector i of folded integers.
        $(#[$feature])*
        #[inline]
        fn split_first<const R: usize>(
            out: &mut [Block],
            ahead: &mut Ahead<'_>,
            input: impl Fn(usize, usize) -> Complex,
            layers: impl Fn([Complex; R]) -> [Complex; R],
        ) {
            let mut out = rows_mut::<_, R>(out);
            let length = out[0].len();
            for i in 0..length {
                for part in 0..PARTS {
                    let v = layers(std::array::from_fn(|r| input(r * length + i, part)));
                    for (row, v) in out.iter_mut().zip(v) {
                        store_complex(&mut row[i], part, v);
                    }
                }
                ahead.turn(|line| fetch(line));
            }
        }

        /// The last inverse layers, which combine `R` rows, and the twist; `write` gets part of vector i
        /// of folded results.
        $(#[$feature])*
        #[inline]
        fn join_last<const R: usize, const ROOTS: usize>(
            spectrum: &[Block],
            last: &LastRoots,
            ahead: &mut Ahead<'_>,
            layers: impl Fn([Complex; R], [Complex; ROOTS]) -> [Complex; R],
            mut write: impl FnMut(usize, usize, Complex),
        ) {
            let (roots, twists) = (last.roots.as_chunks::<ROOTS>().0, last.twists.as_chunks::<R>().0);
            let length = spectrum.len() / R;
            let rows: [&[Block]; R] = std::array::from_fn(|r| &spectrum[r * length..][..length]);
            for i in 0..length {
                for part in 0..PARTS {
                    let w = std::array::from_fn(|k| lane_root(&roots[i][k], part));
                    let v = layers(std::array::from_fn(|r| load_complex(&rows[r][i], part)), w);
                    for r in 0..R {
                        write(r * length + i, part, product(v[r], lane_root(&twists[i][r], part)));
                    }
                }
                ahead.turn(|line| fetch(line));
            }
        }

        /// Two layers in place.
        $(#[$feature])*
        #[inline]
        fn pass(a: &mut [Block], ahead: &mut Ahead<'_>, layers: impl Fn([Complex; 4]) -> [Complex; 4]) {
            let rows = rows_mut::<_, 4>(a);
            for i in 0..rows[0].len() {
                for part in 0..PARTS {
                    let v = layers(std::array::from_fn(|r| load_complex(&rows[r][i], part)));
                    store_complex(&mut rows[0][i], part, v[0]);
                    store_complex(&mut rows[1][i], part, v[1]);
                    store_complex(&mut rows[2][i], part, v[2]);
                    store_complex(&mut rows[3][i], part, v[3]);
                }
                ahead.turn(|line| fetch(line));
            }
        }

        /// The forward transform but for its last six layers.
        $(#[$feature])*
        #[inline]
        fn forward_to_tiles(
            out: &mut [Block],
            table: &FftTable,
            ahead: &mut Ahead<'_>,
            input: impl Fn(usize, usize) -> Complex,
        ) {
            let tiles = out.len() / LANES;
            let mut nodes = table.inverse().last.rows;
            if nodes == 4 {
                let w = splat_two(table.family(1));
                split_first::<4>(out, ahead, input, |v| split_four(v, w));
            } else {
                let w = splat_four(table.family(1));
                split_first::<8>(out, ahead, input, |v| split_eight(v, w));
            }
            while nodes < tiles {
                for (node, a) in out.chunks_exact_mut(tiles * LANES / nodes).enumerate() {
                    let w = splat_two(table.family(nodes + node));
                    pass(a, ahead, |v| split_four(v, w));
                }
                nodes *= 4;
            }
        }

        $(#[$feature])*
        fn forward_within(out: &mut [f64], input: &[i64], table: &FftTable) {
            let out = blocks_mut(out);
            let tiles = out.len() / LANES;
            let (re, im) = input.split_at(input.len() / 2);
            let (re, im) = (re.as_chunks().0, im.as_chunks().0);
            forward_to_tiles(out, table, &mut Ahead::none(), |i, part| Complex {
                re: from_integers(&re[i], part),
                im: from_integers(&im[i], part),
            });
            for ((node, tile), lanes) in (tiles..).zip(out.as_chunks_mut().0).zip(table.lanes()) {
                forward_tile(tile, table.family(node), lanes);
            }
        }

        /// The inverse layers between the tiles' and the last ones.
        $(#[$feature])*
        #[inline]
        fn inverse_passes(spectrum: &mut [Block], table: &FftTable, ahead: &mut Ahead<'_>) {
            for roots in &table.inverse().passes {
                for a in spectrum.chunks_exact_mut(4 * roots.len()) {
                    join_pass(a, roots, ahead);
                }
            }
        }

        /// Two inverse layers in place.
        $(#[$feature])*
        #[inline]
        fn join_pass(a: &mut [Block], roots: &[[LaneRoots; 2]], ahead: &mut Ahead<'_>) {
            let rows = rows_mut::<_, 4>(a);
            for (i, w) in roots.iter().enumerate() {
                for part in 0..PARTS {
                    let v = std::array::from_fn(|r| load_complex(&rows[r][i], part));
                    let v = join_four(v, [lane_root(&w[0], part), lane_root(&w[1], part)]);
                    store_complex(&mut rows[0][i], part, v[0]);
                    store_complex(&mut rows[1][i], part, v[1]);
                    store_complex(&mut rows[2][i], part, v[2]);
                    store_complex(&mut rows[3][i], part, v[3]);
                }
                ahead.turn(|line| fetch(line));
            }
        }

        /// The last inverse layers and the twist; `write` gets part of vector i of folded results.
        $(#[$feature])*
        #[inline]
        fn inverse_last(
            spectrum: &[Block],
            table: &FftTable,
            ahead: &mut Ahead<'_>,
            write: impl FnMut(usize, usize, Complex),
        ) {
            let last = &table.inverse().last;
            if last.rows == 4 {
                join_last::<4, 2>(spectrum, last, ahead, |v, w| join_four(v, w), write);
            } else {
                join_last::<8, 4>(spectrum, last, ahead, |v, w| join_eight(v, w), write);
            }
        }

        $(#[$feature])*
        fn inverse_within(out: &mut [f64], spectrum: &mut [f64], table: &FftTable) {
            let spectrum = blocks_mut(spectrum);
            for tile in spectrum.as_chunks_mut().0 {
                let from = *tile;
                inverse_tile(tile, &from, &table.inverse().tile);
            }
            let ahead = &mut Ahead::none();
            inverse_passes(spectrum, table, ahead);
            let (re, im) = out.split_at_mut(out.len() / 2);
            let (re, im) = (re.as_chunks_mut().0, im.as_chunks_mut().0);
            inverse_last(spectrum, table, ahead, |i, part, v| {
                store(&mut re[i], part, v.re);
                store(&mut im[i], part, v.im);
            });
        }

        $(#[$feature])*
        fn mul_add_within(acc: &mut [f64], a: &[f64], b: &[f64]) {
            for ((acc, a), b) in blocks_mut(acc).iter_mut().zip(blocks(a)).zip(blocks(b)) {
                for part in 0..PARTS {
                    let (x, y, z) = (load_complex(a, part), load_complex(b, part), load_complex(acc, part));
                    let sum = Complex {
                        re: mul_sub_from(x.im, y.im, mul_add(x.re, y.re, z.re)),
                        im: mul_add(x.im, y.re, mul_add(x.re, y.im, z.im)),
                    };
                    store_complex(acc, part, sum);
                }
            }
        }
    };
}

/// Defines the functions that a vector back-end's table points to. Besides the scope of the transforms, its scope has
/// `vector`, the back-end's vectors of words, and `rounded`, from a `Vector` to the words ⌊x⌉ mod 2^64.
#[cfg(target_arch = "x86_64")]
macro_rules! fft_entries {
    (#[$feature:meta]) => {
        pub(crate) fn forward(out: &mut [f64], input: &[i64], table: &FftTable) {
            check_transform(out, input, table);
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { forward_within(out, input, table) }
        }

        pub(crate) fn inverse(out: &mut [f64], spectrum: &mut [f64], table: &FftTable) {
            check_transform(out, spectrum, table);
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { inverse_within(out, spectrum, table) }
        }

        pub(crate) fn mul_add_assign(acc: &mut [f64], a: &[f64], b: &[f64]) {
            check_lengths(acc, a, b);
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { mul_add_within(acc, a, b) }
        }

        #[$feature]
        fn round_add_within(out: &mut [[u64; LANES]], input: &[[f64; LANES]]) {
            for (out, x) in out.iter_mut().zip(input) {
                for (part, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                    vector::store(out, vector::add(vector::load(out), rounded(load(x, part))));
                }
            }
        }

        pub(crate) fn round_add_assign(out: &mut [u64], input: &[f64]) {
            assert_eq!(out.len(), input.len());
            let ((out, out_tail), (input, tail)) = (out.as_chunks_mut(), input.as_chunks());
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { round_add_within(out, input) };
            round_add_tail(out_tail, tail);
        }
    };
}

use super::Block;

/// The blocks of a polynomial in the Fourier domain.
#[inline]
pub(crate) fn blocks(words: &[f64]) -> &[Block] {
    words.as_chunks().0.as_chunks().0
}

/// The blocks of a polynomial in the Fourier domain.
#[inline]
pub(crate) fn blocks_mut(words: &mut [f64]) -> &mut [Block] {
    words.as_chunks_mut().0.as_chunks_mut().0
}

/// A slice as R rows of equal length.
#[inline]
pub(crate) fn rows_mut<T, const R: usize>(slice: &mut [T]) -> [&mut [T]; R] {
    let length = slice.len() / R;
    let mut rows = slice.chunks_exact_mut(length);
    std::array::from_fn(|_| rows.next().expect("the lengths are powers of two of at least R"))
}
