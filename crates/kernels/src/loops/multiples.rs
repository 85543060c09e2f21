//! Sums of rows of 32-bit torus words.

/// Defines `sub_multiples`, which the compiler makes vectors of. Its scope has `fetch`, which asks for a cache line.
macro_rules! multiples_loops {
    ($(#[$feature:meta])*) => {
        pub(crate) fn sub_multiples(out: &mut [u32], rows: &[u32], factors: &[i32]) {
            /// How many rows are read at a time.
            const ROWS: usize = 4;

            /// Words of a cache line.
            const LINE: usize = 16;

            /// While the rows are read those after them are fetched.
            $(#[$feature])*
            fn four_rows(out: &mut [u32], rows: &[u32], factors: [u32; ROWS]) {
                let width = out.len();
                let [f0, f1, f2, f3] = factors;
                let (r01, r23) = rows.split_at(2 * width);
                let ((r0, r1), (r2, r3)) = (r01.split_at(width), r23.split_at(width));
                let (out, out_tail) = out.as_chunks_mut::<LINE>();
                let [(r0, t0), (r1, t1), (r2, t2), (r3, t3)] = [r0, r1, r2, r3].map(|row| row.as_chunks::<LINE>());
                for ((((out, r0), r1), r2), r3) in out.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
                    for row in [r0, r1, r2, r3] {
                        fetch(row.as_ptr().wrapping_add(ROWS * width).cast());
                    }
                    for j in 0..LINE {
                        let two = r0[j].wrapping_mul(f0).wrapping_add(r1[j].wrapping_mul(f1));
                        let others = r2[j].wrapping_mul(f2).wrapping_add(r3[j].wrapping_mul(f3));
                        out[j] = out[j].wrapping_sub(two.wrapping_add(others));
                    }
                }
                for ((((out, r0), r1), r2), r3) in out_tail.iter_mut().zip(t0).zip(t1).zip(t2).zip(t3) {
                    let two = r0.wrapping_mul(f0).wrapping_add(r1.wrapping_mul(f1));
                    let others = r2.wrapping_mul(f2).wrapping_add(r3.wrapping_mul(f3));
                    *out = out.wrapping_sub(two.wrapping_add(others));
                }
            }

            let width = out.len();
            assert_eq!(Some(rows.len()), width.checked_mul(factors.len()));
            let (factors, tail) = factors.as_chunks::<ROWS>();
            let (rows, tail_rows) = rows.split_at(width * ROWS * factors.len());
            for (rows, factors) in rows.chunks_exact((ROWS * width).max(1)).zip(factors) {
                let factors = factors.map(i32::cast_unsigned);
                // SAFETY: the table of this back-end is handed out only after detection.
                #[allow(unused_unsafe)]
                unsafe {
                    four_rows(out, rows, factors);
                }
            }
            for (row, &factor) in tail_rows.chunks_exact(width.max(1)).zip(tail) {
                let factor = factor.cast_unsigned();
                out.iter_mut().zip(row).for_each(|(out, row)| *out = out.wrapping_sub(row.wrapping_mul(factor)));
            }
        }
    };
}
