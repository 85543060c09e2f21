//! Residues of several words, lane by lane: Montgomery's arithmetic in words of 52 bits.

/// Makes `WIDE` and the functions in it of one back-end, over the operations that its scope has on vectors: `load`, `store`, `splat`,
/// `zero`, `add`, `sub`, `and`, `shift_right` (of words), `carry` (a shift of signed words by 52), `sign` (all bits set where
/// negative), `low` and `high` (sums with the halves of products of 52-bit words).
macro_rules! wide_loops {
    ($name:literal, $(#[$attribute:meta])*) => {
        /// The table of this back-end: functions that are safe to call only where it's available.
        pub(crate) static WIDE: crate::WideKernels =
            crate::WideKernels { name: $name, weighted_sum, ntt_forward, ntt_inverse };

        /// Vectors of the eight lanes.
        const PARTS: usize = crate::WIDE_LANES / LANES;

        /// The constants of a modulus.
        struct Constants<const L: usize> {
            limbs: usize,
            modulus: [Vector; L],
            negative_inverse: Vector,
            mask: Vector,
        }

        impl<const L: usize> Constants<L> {
            #[inline]
            $(#[$attribute])*
            fn new(modulus: &crate::WideTable) -> Self {
                let limbs = if L == crate::MAX_WIDE_LIMBS { modulus.limbs() } else { L };
                Self {
                    limbs,
                    modulus: splat_all(modulus.words(), limbs),
                    negative_inverse: splat(modulus.negative_inverse()),
                    mask: splat((1 << 52) - 1),
                }
            }

            /// sum ← sum + a·b for a word a. The last word of the result goes to `top`.
            #[inline]
            $(#[$attribute])*
            fn add_product(&self, sum: &mut [Vector; L], top: &mut Vector, a: Vector, b: &[Vector; L]) {
                for j in 0..self.limbs {
                    sum[j] = low(sum[j], a, b[j]);
                }
                for j in 1..self.limbs {
                    sum[j] = high(sum[j], a, b[j - 1]);
                }
                *top = high(*top, a, b[self.limbs - 1]);
            }

            /// (sum + top·2^(52·limbs) + q·p)/2^52 for the q that clears the lowest word.
            #[inline]
            $(#[$attribute])*
            fn divide_word(&self, sum: &mut [Vector; L], mut top: Vector) {
                let quotient = low(zero(), sum[0], self.negative_inverse);
                self.add_product(sum, &mut top, quotient, &self.modulus);
                let carried = shift_right::<52>(sum[0]);
                for j in 1..self.limbs {
                    sum[j - 1] = sum[j];
                }
                sum[self.limbs - 1] = top;
                sum[0] = add(sum[0], carried);
            }

            /// a·b/R for R = 2^(52·limbs). In: words of 52 bits. Out: below p + a·b/R, in words of less than 2^60.
            #[inline]
            $(#[$attribute])*
            fn multiply(&self, a: &[Vector; L], b: &[Vector; L]) -> [Vector; L] {
                let mut sum = [zero(); L];
                for i in 0..self.limbs {
                    let mut top = zero();
                    self.add_product(&mut sum, &mut top, a[i], b);
                    self.divide_word(&mut sum, top);
                }
                sum
            }

            /// The same integer in words of 52 bits, of which the last one has the sign.
            #[inline]
            $(#[$attribute])*
            fn normalise(&self, a: &mut [Vector; L]) {
                for j in 1..self.limbs {
                    a[j] = add(a[j], carry(a[j - 1]));
                    a[j - 1] = and(a[j - 1], self.mask);
                }
            }

            /// a modulo p, in words of 52 bits. In: 0 ≤ a < 2p.
            #[inline]
            $(#[$attribute])*
            fn canonical(&self, a: &mut [Vector; L]) {
                for j in 0..self.limbs {
                    a[j] = sub(a[j], self.modulus[j]);
                }
                self.normalise(a);
                let negative = sign(a[self.limbs - 1]);
                for j in 0..self.limbs {
                    a[j] = add(a[j], and(self.modulus[j], negative));
                }
                self.normalise(a);
            }

            /// p·2^exponent.
            #[inline]
            $(#[$attribute])*
            fn multiple(&self, modulus: &crate::WideTable, exponent: u32) -> [Vector; L] {
                let words = modulus.words();
                let mut multiple = [zero(); L];
                for j in 0..self.limbs {
                    multiple[j] = splat((words[j] << exponent) & ((1 << 52) - 1));
                    if j > 0 {
                        multiple[j] = add(multiple[j], splat(words[j - 1] >> (52 - exponent)));
                    }
                }
                multiple
            }
        }

        #[inline]
        $(#[$attribute])*
        fn splat_all<const L: usize>(words: &[u64], limbs: usize) -> [Vector; L] {
            let mut vectors = [zero(); L];
            for (vector, word) in vectors.iter_mut().zip(&words[..limbs]) {
                *vector = splat(*word);
            }
            vectors
        }

        /// The words of one row of a strip.
        #[inline]
        $(#[$attribute])*
        fn load_row<const L: usize>(strip: &[Words], row: usize, part: usize, limbs: usize) -> [Vector; L] {
            let words = &strip[row * limbs * PARTS..(row + 1) * limbs * PARTS];
            let mut vectors = [zero(); L];
            for j in 0..limbs {
                vectors[j] = load(&words[j * PARTS + part]);
            }
            vectors
        }

        #[inline]
        $(#[$attribute])*
        fn store_row<const L: usize>(
            strip: &mut [Words], row: usize, part: usize, limbs: usize, vectors: &[Vector; L],
        ) {
            let words = &mut strip[row * limbs * PARTS..(row + 1) * limbs * PARTS];
            for j in 0..limbs {
                store(&mut words[j * PARTS + part], vectors[j]);
            }
        }

        fn weighted_sum(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], modulus: &crate::WideTable) {
            $(#[$attribute])*
            fn sum<const L: usize>(
                out: &mut [u64], inputs: &[&[u64]], weights: &[u64], modulus: &crate::WideTable,
            ) {
                let constants = Constants::<L>::new(modulus);
                let limbs = constants.limbs;
                let length = out.len() / limbs;
                for i in 0..length / LANES {
                    let (mut sum, mut top) = ([zero(); L], zero());
                    for (input, weight) in inputs.iter().zip(weights.chunks_exact(limbs)) {
                        let input = load(&input.as_chunks::<LANES>().0[i]);
                        for j in 0..limbs {
                            sum[j] = low(sum[j], input, splat(weight[j]));
                        }
                        for j in 1..limbs {
                            sum[j] = high(sum[j], input, splat(weight[j - 1]));
                        }
                        top = high(top, input, splat(weight[limbs - 1]));
                    }
                    constants.divide_word(&mut sum, top);
                    constants.normalise(&mut sum);
                    for (j, row) in out.chunks_exact_mut(length).enumerate() {
                        store(&mut row.as_chunks_mut::<LANES>().0[i], sum[j]);
                    }
                }
            }
            crate::wide::check_sum(out, inputs, weights, modulus);
            by_limbs!(modulus, sum, out, inputs, weights, modulus);
        }

        fn ntt_forward(strip: &mut [u64], roots: &[u64], modulus: &crate::WideTable) {
            $(#[$attribute])*
            fn transform<const L: usize>(strip: &mut [u64], roots: &[u64], modulus: &crate::WideTable) {
                let constants = Constants::<L>::new(modulus);
                let limbs = constants.limbs;
                let strip = strip.as_chunks_mut::<LANES>().0;
                let size = strip.len() / limbs / PARTS;
                let root = |index: usize| splat_all::<L>(&roots[index * limbs..], limbs);
                let positive = constants.multiple(modulus, crate::wide::SIGN_BITS);
                for (row, part) in (0..size).flat_map(|row| (0..PARTS).map(move |part| (row, part))) {
                    let mut a = load_row::<L>(strip, row, part, limbs);
                    for j in 0..limbs {
                        a[j] = add(a[j], positive[j]);
                    }
                    constants.normalise(&mut a);
                    store_row(strip, row, part, limbs, &a);
                }
                let double = constants.multiple(modulus, 1);
                let (mut blocks, mut half) = (1, size / 2);
                while half > 0 {
                    for block in 0..blocks {
                        let root = root(blocks + block);
                        for upper in 2 * half * block..2 * half * block + half {
                            for part in 0..PARTS {
                                let mut a = load_row::<L>(strip, upper, part, limbs);
                                let mut b = load_row::<L>(strip, upper + half, part, limbs);
                                constants.normalise(&mut b);
                                let product = constants.multiply(&b, &root);
                                for j in 0..limbs {
                                    b[j] = add(sub(a[j], product[j]), double[j]);
                                    a[j] = add(a[j], product[j]);
                                }
                                store_row(strip, upper, part, limbs, &a);
                                store_row(strip, upper + half, part, limbs, &b);
                            }
                        }
                    }
                    (blocks, half) = (2 * blocks, half / 2);
                }
                finish(strip, &constants, &root(0));
            }
            crate::wide::check_transform(strip, roots, modulus);
            by_limbs!(modulus, transform, strip, roots, modulus);
        }

        fn ntt_inverse(strip: &mut [u64], roots: &[u64], modulus: &crate::WideTable) {
            $(#[$attribute])*
            fn transform<const L: usize>(strip: &mut [u64], roots: &[u64], modulus: &crate::WideTable) {
                let constants = Constants::<L>::new(modulus);
                let limbs = constants.limbs;
                let strip = strip.as_chunks_mut::<LANES>().0;
                let size = strip.len() / limbs / PARTS;
                let root = |index: usize| splat_all::<L>(&roots[index * limbs..], limbs);
                let (mut blocks, mut half) = (size / 2, 1usize);
                while blocks > 0 {
                    // Rows are below 2p and double with every layer.
                    let positive = constants.multiple(modulus, 1 + half.trailing_zeros());
                    for block in 0..blocks {
                        let root = root(blocks + block);
                        for upper in 2 * half * block..2 * half * block + half {
                            for part in 0..PARTS {
                                let mut a = load_row::<L>(strip, upper, part, limbs);
                                let mut b = load_row::<L>(strip, upper + half, part, limbs);
                                for j in 0..limbs {
                                    let difference = add(sub(a[j], b[j]), positive[j]);
                                    a[j] = add(a[j], b[j]);
                                    b[j] = difference;
                                }
                                constants.normalise(&mut a);
                                constants.normalise(&mut b);
                                let product = constants.multiply(&b, &root);
                                store_row(strip, upper, part, limbs, &a);
                                store_row(strip, upper + half, part, limbs, &product);
                            }
                        }
                    }
                    (blocks, half) = (blocks / 2, 2 * half);
                }
                finish(strip, &constants, &root(0));
            }
            crate::wide::check_transform(strip, roots, modulus);
            by_limbs!(modulus, transform, strip, roots, modulus);
        }

        /// Multiplies every row by a factor and reduces it.
        #[inline]
        $(#[$attribute])*
        fn finish<const L: usize>(strip: &mut [Words], constants: &Constants<L>, factor: &[Vector; L]) {
            let limbs = constants.limbs;
            for row in 0..strip.len() / limbs / PARTS {
                for part in 0..PARTS {
                    let mut a = load_row::<L>(strip, row, part, limbs);
                    constants.normalise(&mut a);
                    let mut product = constants.multiply(&a, factor);
                    constants.canonical(&mut product);
                    store_row(strip, row, part, limbs, &product);
                }
            }
        }
    };
}

/// Calls a function that was compiled for the number of words if it's a usual one, so that its loops are unrolled.
macro_rules! by_limbs {
    ($modulus:expr, $function:ident, $($argument:expr),+) => {
        // SAFETY: the table of a back-end is handed out only after detection.
        #[allow(unused_unsafe)] // The portable functions are safe.
        unsafe {
            match $modulus.limbs() {
                1 => $function::<1>($($argument),+),
                2 => $function::<2>($($argument),+),
                3 => $function::<3>($($argument),+),
                4 => $function::<4>($($argument),+),
                5 => $function::<5>($($argument),+),
                6 => $function::<6>($($argument),+),
                _ => $function::<{ crate::MAX_WIDE_LIMBS }>($($argument),+),
            }
        }
    };
}
