//! Signed words and torus words.

/// Defines `from_signed`. Its scope has `map`, and `residue(q)`, which makes the function from a vector of signed words
/// to their residues modulo a q of at least 14 bits.
macro_rules! signed_loops {
    (#[$feature:meta]) => {
        /// From this width on, quotients of signed words are below 2^50.
        const MIN_BITS: u32 = 14;

        pub(crate) fn from_signed(out: &mut [u64], input: &[i64], q: &Modulus) {
            #[$feature]
            fn vectors(out: &mut [u64], input: &[i64], q: &Modulus) {
                map(out, input, residue(q));
            }
            assert_eq!(out.len(), input.len());
            if q.bits() < MIN_BITS {
                scalar::from_signed(out, input, q);
            } else {
                // SAFETY: the table of this back-end is handed out only after detection.
                unsafe { vectors(out, input, q) }
            }
        }
    };
}

/// Defines `decompose`, `round_shift` and `round_to_torus`. Its scope has `map`, `splat`, `add`, `sub`, `and`,
/// `shift_count`, `shift_right_by`, and `torus_word()`, which makes the function from a vector of doubles to the words
/// ⌊x⌉ mod 2^64.
#[cfg(target_arch = "x86_64")]
macro_rules! torus_loops {
    (#[$feature:meta]) => {
        pub(crate) fn decompose(out: &mut [i64], input: &[u64], digit_bits: u32, levels: u32) {
            #[$feature]
            fn vectors(out: &mut [i64], input: &[u64], digits: &Digits, shift: u32) {
                let (offset, mask, half) = (splat(digits.offset), splat(digits.mask), splat(digits.half));
                let shift = shift_count(shift);
                map(out, input, |word| {
                    let fields = shift_right_by(add(word, offset), shift);
                    sub(and(fields, mask), half)
                });
            }
            let digits = Digits::new(digit_bits, levels);
            for (level, out) in Digits::rows(out, input.len(), levels) {
                // SAFETY: the table of this back-end is handed out only after detection.
                unsafe { vectors(out, input, &digits, digits.shift(level)) }
            }
        }

        pub(crate) fn round_shift(out: &mut [u64], input: &[u64], shift: u32) {
            #[$feature]
            fn vectors(out: &mut [u64], input: &[u64], half: u64, shift: u32) {
                let (half, shift) = (splat(half), shift_count(shift));
                map(out, input, |word| shift_right_by(add(word, half), shift));
            }
            assert_eq!(out.len(), input.len());
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(out, input, half_unit(shift), shift) }
        }

        pub(crate) fn round_to_torus(out: &mut [u64], input: &[f64]) {
            #[$feature]
            fn vectors(out: &mut [u64], input: &[f64]) {
                map(out, input, torus_word());
            }
            assert_eq!(out.len(), input.len());
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(out, input) }
        }
    };
}
