//! Loops over slices by vectors.

/// Defines the loops. Its scope has `Vector`, `Words`, `LANES`, `load`, `store` and `zero`.
macro_rules! slice_loops {
    (#[$feature:meta]) => {
        /// The words of a tail shorter than a vector, with zeros behind.
        #[inline]
        pub(crate) fn padded(tail: &[u64]) -> Words {
            let mut words = [0; LANES];
            words[..tail.len()].copy_from_slice(tail);
            words
        }

        /// a ← f(a).
        #[inline]
        #[$feature]
        pub(crate) fn update(a: &mut [u64], f: impl Fn(Vector) -> Vector) {
            let (vectors, tail) = a.as_chunks_mut::<LANES>();
            for a in vectors {
                store(a, f(load(a)));
            }
            if !tail.is_empty() {
                let mut last = padded(tail);
                let result = f(load(&last));
                store(&mut last, result);
                tail.copy_from_slice(&last[..tail.len()]);
            }
        }

        /// a ← f(a, b).
        #[inline]
        #[$feature]
        pub(crate) fn update_by(a: &mut [u64], b: &[u64], f: impl Fn(Vector, Vector) -> Vector) {
            let (a_vectors, a_tail) = a.as_chunks_mut::<LANES>();
            let (b_vectors, b_tail) = b.as_chunks::<LANES>();
            for (a, b) in a_vectors.iter_mut().zip(b_vectors) {
                store(a, f(load(a), load(b)));
            }
            if !a_tail.is_empty() {
                let mut last = padded(a_tail);
                let result = f(load(&last), load(&padded(b_tail)));
                store(&mut last, result);
                a_tail.copy_from_slice(&last[..a_tail.len()]);
            }
        }

        /// c ← f(c, a, b).
        #[inline]
        #[$feature]
        pub(crate) fn update_by_two(
            c: &mut [u64],
            a: &[u64],
            b: &[u64],
            f: impl Fn(Vector, Vector, Vector) -> Vector,
        ) {
            let (c_vectors, c_tail) = c.as_chunks_mut::<LANES>();
            let (a_vectors, a_tail) = a.as_chunks::<LANES>();
            let (b_vectors, b_tail) = b.as_chunks::<LANES>();
            for ((c, a), b) in c_vectors.iter_mut().zip(a_vectors).zip(b_vectors) {
                store(c, f(load(c), load(a), load(b)));
            }
            if !c_tail.is_empty() {
                let mut last = padded(c_tail);
                let result = f(load(&last), load(&padded(a_tail)), load(&padded(b_tail)));
                store(&mut last, result);
                c_tail.copy_from_slice(&last[..c_tail.len()]);
            }
        }

        /// out ← f(input), between words of different types.
        #[inline]
        #[$feature]
        pub(crate) fn map<A: Word, B: Word>(out: &mut [B], input: &[A], f: impl Fn(Vector) -> Vector) {
            #[inline]
            #[$feature]
            fn one<A: Word, B: Word>(
                out: &mut [B; LANES],
                input: &[A; LANES],
                f: &impl Fn(Vector) -> Vector,
            ) {
                // SAFETY (both): plain words of 64 bits, all patterns of which are valid.
                let result = f(load(unsafe { &*input.as_ptr().cast() }));
                store(unsafe { &mut *out.as_mut_ptr().cast() }, result);
            }
            let (out_vectors, out_tail) = out.as_chunks_mut::<LANES>();
            let (vectors, tail) = input.as_chunks::<LANES>();
            for (out, input) in out_vectors.iter_mut().zip(vectors) {
                one(out, input, &f);
            }
            if !tail.is_empty() {
                let (mut first, mut last) = ([A::default(); LANES], [B::default(); LANES]);
                first[..tail.len()].copy_from_slice(tail);
                one(&mut last, &first, &f);
                out_tail.copy_from_slice(&last[..tail.len()]);
            }
        }

        /// W vectors of `slice` from the word `start`.
        ///
        /// # Safety
        /// `start + W·LANES ≤ slice.len()`.
        #[inline]
        #[$feature]
        pub(crate) unsafe fn read<const W: usize>(slice: &[u64], start: usize) -> [Vector; W] {
            debug_assert!(start + W * LANES <= slice.len());
            let mut vectors = [zero(); W];
            for (i, vector) in vectors.iter_mut().enumerate() {
                // SAFETY: in bounds by the contract of this function; arrays of words are aligned like words.
                *vector = load(unsafe { &*slice.as_ptr().add(start + i * LANES).cast::<Words>() });
            }
            vectors
        }

        /// The last words of `slice`, from the word `start`, with zeros behind.
        #[inline]
        #[$feature]
        pub(crate) fn read_last(slice: &[u64], start: usize) -> [Vector; 1] {
            [load(&padded(&slice[start..]))]
        }

        /// Fills `out` by strips: `wide` and `single` make the vectors from a given word on, `last` the padded vector
        /// of the ragged end.
        #[inline]
        #[$feature]
        pub(crate) fn fill<const STRIP: usize>(
            out: &mut [u64],
            wide: impl Fn(usize) -> [Vector; STRIP],
            single: impl Fn(usize) -> [Vector; 1],
            last: impl Fn(usize) -> [Vector; 1],
        ) {
            let (vectors, tail) = out.as_chunks_mut::<LANES>();
            let mut start = 0;
            let (strips, rest) = vectors.as_chunks_mut::<STRIP>();
            for strip in strips {
                let sums = wide(start);
                for (words, sum) in strip.iter_mut().zip(sums) {
                    store(words, sum);
                }
                start += STRIP * LANES;
            }
            for words in rest {
                let [sum] = single(start);
                store(words, sum);
                start += LANES;
            }
            if !tail.is_empty() {
                let mut words = [0; LANES];
                let [sum] = last(start);
                store(&mut words, sum);
                tail.copy_from_slice(&words[..tail.len()]);
            }
        }
    };
}

/// `fill` by vectors that are sums over slices of one length: in the expression, `$vectors` makes the vectors of a
/// slice at the place that is filled. Its scope has `STRIP`, `fill`, `read` and `read_last`.
macro_rules! fill_with_sums {
    ($out:expr, |$vectors:ident| $sum:expr) => {
        fill::<STRIP>(
            $out,
            // SAFETY (both): `fill` asks for vectors inside `out`, and all slices are as long.
            |start| {
                let $vectors = |slice: &[u64]| unsafe { read(slice, start) };
                $sum
            },
            |start| {
                let $vectors = |slice: &[u64]| unsafe { read(slice, start) };
                $sum
            },
            |start| {
                let $vectors = |slice: &[u64]| read_last(slice, start);
                $sum
            },
        );
    };
}
