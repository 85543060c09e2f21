//! Sums of many products with one reduction.

/// Defines `inner_product`, `weighted_sum` and `matrix_product` by digits of 31 bits. Its scope has `STRIP` (the number
/// of vectors summed side by side), what `word_residues` and `slice_loops` define, `and`, and `ShiftCount`.
macro_rules! digit_sums {
    (#[$feature:meta]) => {
        /// Bits of a digit of the sums: words of at most 61 bits have two, and four products of two digits, or two of
        /// one pair each and two of the other, leave a 64-bit word room for a carry.
        const DIGIT: ShiftCount = 31;

        /// The number of products summed before carries are passed on.
        const PRODUCTS_PER_CARRY: usize = 4;

        /// The number of products summed before the upper digit's carry is passed on.
        const PRODUCTS_PER_UPPER_CARRY: usize = 8;

        /// A word as its two digits.
        #[derive(Clone, Copy)]
        struct Digits {
            low: Vector,
            high: Vector,
        }

        impl Digits {
            #[inline]
            #[$feature]
            fn of(word: Vector) -> Self {
                Self { low: and(word, splat((1 << DIGIT) - 1)), high: shift_right::<DIGIT>(word) }
            }

            #[inline]
            #[$feature]
            fn splat(word: u64) -> Self {
                Self { low: splat(word & ((1 << DIGIT) - 1)), high: splat(word >> DIGIT) }
            }
        }

        /// low + 2^31·middle + 2^62·high + 2^93·top.
        #[derive(Clone, Copy)]
        struct Sum {
            low: Vector,
            middle: Vector,
            high: Vector,
            top: Vector,
        }

        /// Adds to `to` what exceeds a digit of `from`, and leaves the digit.
        #[inline]
        #[$feature]
        fn carry(from: &mut Vector, to: &mut Vector) {
            *to = add(*to, shift_right::<DIGIT>(*from));
            *from = and(*from, splat((1 << DIGIT) - 1));
        }

        impl Sum {
            #[inline]
            #[$feature]
            fn zero() -> Self {
                Self { low: zero(), middle: zero(), high: zero(), top: zero() }
            }

            #[inline]
            #[$feature]
            fn add_product(&mut self, a: Digits, b: Digits) {
                self.low = add(self.low, mul_halves(a.low, b.low));
                let cross = add(mul_halves(a.low, b.high), mul_halves(a.high, b.low));
                self.middle = add(self.middle, cross);
                self.high = add(self.high, mul_halves(a.high, b.high));
            }

            /// Out: low, middle < 2^31.
            #[inline]
            #[$feature]
            fn pass_carries(&mut self) {
                carry(&mut self.low, &mut self.middle);
                carry(&mut self.middle, &mut self.high);
            }
        }

        /// The reduction of a [`Sum`].
        struct Fold {
            prime: Prime,
            /// 1, 2^62 mod q and 2^93 mod q.
            one: Factor,
            high: Factor,
            top: Factor,
        }

        impl Fold {
            #[inline]
            #[$feature]
            fn new(q: &Modulus) -> Self {
                let power = |log2: u32| Factor::splat(q.shoup(q.reduce_u128(1 << log2)));
                Self { prime: Prime::new(q), one: power(0), high: power(62), top: power(93) }
            }

            /// The residue of a sum after [`Sum::pass_carries`].
            #[inline]
            #[$feature]
            fn reduce(&self, sum: &Sum, with_top: bool) -> Vector {
                let prime = &self.prime;
                let low = add(sum.low, shift_left::<DIGIT>(sum.middle));
                let lazy = add(prime.mul_lazy(low, self.one), prime.mul_lazy(sum.high, self.high));
                let reduced = prime.below_octuple(lazy);
                if with_top { prime.add(reduced, prime.mul(sum.top, self.top)) } else { reduced }
            }
        }

        /// Σ of products over any number of terms, given by their digits.
        #[inline]
        #[$feature]
        fn sum_products<const W: usize, T>(
            terms: &[T],
            factors: impl Fn(&T) -> ([Digits; W], [Digits; W]),
            fold: &Fold,
        ) -> [Vector; W] {
            let mut sums = [Sum::zero(); W];
            let with_top = terms.len() > PRODUCTS_PER_UPPER_CARRY;
            for group in terms.chunks(PRODUCTS_PER_UPPER_CARRY) {
                for group in group.chunks(PRODUCTS_PER_CARRY) {
                    for term in group {
                        let (a, b) = factors(term);
                        for i in 0..W {
                            sums[i].add_product(a[i], b[i]);
                        }
                    }
                    sums.iter_mut().for_each(|sum| sum.pass_carries());
                }
                if with_top {
                    sums.iter_mut().for_each(|sum| carry(&mut sum.high, &mut sum.top));
                }
            }
            let mut residues = [zero(); W];
            for (residue, sum) in residues.iter_mut().zip(&sums) {
                *residue = fold.reduce(sum, with_top);
            }
            residues
        }

        #[inline]
        #[$feature]
        fn digits<const W: usize>(words: [Vector; W]) -> [Digits; W] {
            let mut digits = [Digits::splat(0); W];
            for (digits, word) in digits.iter_mut().zip(words) {
                *digits = Digits::of(word);
            }
            digits
        }

        pub(crate) fn inner_product(out: &mut [u64], pairs: &[(&[u64], &[u64])], q: &Modulus) {
            #[$feature]
            fn vectors(out: &mut [u64], pairs: &[(&[u64], &[u64])], q: &Modulus) {
                let fold = &Fold::new(q);
                fill_with_sums!(out, |vectors| sum_products(
                    pairs,
                    |(a, b)| (digits(vectors(a)), digits(vectors(b))),
                    fold
                ));
            }
            assert!(pairs.iter().all(|(a, b)| a.len() == out.len() && b.len() == out.len()));
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(out, pairs, q) }
        }

        pub(crate) fn weighted_sum(
            out: &mut [u64],
            inputs: &[&[u64]],
            weights: &[crate::ShoupFactor],
            q: &Modulus,
        ) {
            #[$feature]
            fn vectors(out: &mut [u64], inputs: &[&[u64]], weights: &[crate::ShoupFactor], q: &Modulus) {
                let fold = &Fold::new(q);
                let terms: &Vec<(&[u64], u64)> =
                    &inputs.iter().copied().zip(weights.iter().map(|weight| weight.value)).collect();
                fill_with_sums!(out, |vectors| sum_products(
                    terms,
                    |(a, w)| (digits(vectors(a)), [Digits::splat(*w); _]),
                    fold
                ));
            }
            assert!(inputs.len() == weights.len() && inputs.iter().all(|input| input.len() == out.len()));
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(out, inputs, weights, q) }
        }

        pub(crate) fn matrix_product(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], q: &Modulus) {
            crate::matrix::by_rows(weighted_sum, out, inputs, weights, q);
        }
    };
}

/// Defines `rounded_sum` and `fraction_size`. Its scope has `STRIP`, what `slice_loops` defines, and on vectors of doubles `splat_float`,
/// `zero_float`, `add_floats`, `sub_floats`, `mul_floats`, `max_floats`, `to_floats` (of words, rounded as a cast in Rust does),
/// `floors` (as words) and `bits` (of doubles, as words).
macro_rules! rounded_sums {
    (#[$feature:meta]) => {
        /// ⌊Σ aₖ·rₖ + ½⌋, rounded after every operation as in the portable code.
        #[inline]
        #[$feature]
        fn sum_rounded<const W: usize>(
            inputs: &[&[u64]],
            reciprocals: &[f64],
            vectors: impl Fn(&[u64]) -> [Vector; W],
        ) -> [Vector; W] {
            let mut sums = [zero_float(); W];
            for (input, &reciprocal) in inputs.iter().zip(reciprocals) {
                let words = vectors(input);
                for i in 0..W {
                    sums[i] = add_floats(sums[i], mul_floats(to_floats(words[i]), splat_float(reciprocal)));
                }
            }
            let mut rounded = [zero(); W];
            for i in 0..W {
                // A negative sum or none at all gives zero, as a cast in Rust does.
                rounded[i] = floors(max_floats(add_floats(sums[i], splat_float(0.5)), zero_float()));
            }
            rounded
        }

        pub(crate) fn rounded_sum(out: &mut [u64], inputs: &[&[u64]], reciprocals: &[f64]) {
            #[$feature]
            fn vectors(out: &mut [u64], inputs: &[&[u64]], reciprocals: &[f64]) {
                fill_with_sums!(out, |vectors| sum_rounded(inputs, reciprocals, vectors));
            }
            assert!(inputs.len() == reciprocals.len() && inputs.iter().all(|input| input.len() == out.len()));
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(out, inputs, reciprocals) }
        }

        /// The largest fractions and the sums of squares, of every eighth word apart.
        #[$feature]
        fn fractions(
            inputs: &[&[u64]],
            reciprocals: &[f64],
            length: usize,
        ) -> ([f64; crate::fraction::GROUP], [f64; crate::fraction::GROUP]) {
            use crate::fraction::{GROUP, TO_INTEGER};
            const PARTS: usize = GROUP / LANES;
            let magic = splat_float(TO_INTEGER);
            let (mut largest, mut squares) = ([zero_float(); PARTS], [zero_float(); PARTS]);
            for start in (0..length).step_by(GROUP) {
                for part in 0..PARTS {
                    let mut sum = zero_float();
                    for (input, &reciprocal) in inputs.iter().zip(reciprocals) {
                        let words = load(input[start + part * LANES..].first_chunk().expect("a whole group"));
                        sum = add_floats(sum, mul_floats(to_floats(words), splat_float(reciprocal)));
                    }
                    let fraction = sub_floats(sum, sub_floats(add_floats(sum, magic), magic));
                    let size = max_floats(fraction, sub_floats(zero_float(), fraction));
                    largest[part] = max_floats(largest[part], size);
                    squares[part] = add_floats(squares[part], mul_floats(fraction, fraction));
                }
            }
            let mut groups = ([0.0; GROUP], [0.0; GROUP]);
            for part in 0..PARTS {
                let mut words = [[0; LANES]; 2];
                store(&mut words[0], bits(largest[part]));
                store(&mut words[1], bits(squares[part]));
                for lane in 0..LANES {
                    groups.0[part * LANES + lane] = f64::from_bits(words[0][lane]);
                    groups.1[part * LANES + lane] = f64::from_bits(words[1][lane]);
                }
            }
            groups
        }

        pub(crate) fn fraction_size(inputs: &[&[u64]], reciprocals: &[f64]) -> (f64, f64) {
            let length = crate::fraction::checked_length(inputs, reciprocals);
            // SAFETY: the table of this back-end is handed out only after detection.
            let (largest, squares) = unsafe { fractions(inputs, reciprocals, length) };
            crate::fraction::size_of_groups(&largest, &squares)
        }
    };
}
