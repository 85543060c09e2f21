//! Packed words, without the zeros above them. Reading data once from memory, as key switching reads keys, takes time
//! in proportion to their bytes.

/// Words below 2^bits, packed without gaps: word i occupies `bits` bits from bit i·bits on, counted from the lowest bit
/// of the first word of the data.
///
/// ```
/// use asanoha_kernels::PackedWords;
/// let words = [5, 0, 7, 6];
/// let mut data = [0; 1];
/// PackedWords::pack(&mut data, &words, 3);
/// let mut out = [0; 2];
/// PackedWords::new(&data, 3, 4).unpack(2, &mut out);
/// assert_eq!(out, [7, 6]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PackedWords<'a> {
    data: &'a [u64],
    bits: u32,
    len: usize,
}

impl<'a> From<&'a [u64]> for PackedWords<'a> {
    /// Words of 64 bits, as they are.
    fn from(words: &'a [u64]) -> Self {
        Self { data: words, bits: u64::BITS, len: words.len() }
    }
}

impl<'a> PackedWords<'a> {
    /// The widest words, in bits, that lie within the eight bytes from their first byte on, wherever in it they begin.
    pub(crate) const MAX_BITS_OF_EIGHT_BYTES: u32 = 57;

    /// The number of 64-bit words of data that `len` words of `bits` bits take.
    pub const fn size(len: usize, bits: u32) -> usize {
        (len * bits as usize).div_ceil(u64::BITS as usize)
    }

    /// `len` words of `bits` bits, from data that [`PackedWords::pack`] wrote.
    ///
    /// # Panics
    /// Unless 1 ≤ bits ≤ 64 and the data are as long as [`PackedWords::size`] says.
    pub fn new(data: &'a [u64], bits: u32, len: usize) -> Self {
        assert!((1..=u64::BITS).contains(&bits) && data.len() == Self::size(len, bits));
        Self { data, bits, len }
    }

    /// Packs `words` into `data`.
    ///
    /// # Panics
    /// Unless 1 ≤ bits ≤ 64, all words are below 2^bits, and the data are as long as [`PackedWords::size`] says.
    pub fn pack(data: &mut [u64], words: &[u64], bits: u32) {
        assert!((1..=u64::BITS).contains(&bits) && data.len() == Self::size(words.len(), bits));
        assert!(words.iter().fold(0, |all, word| all | word) <= u64::MAX >> (u64::BITS - bits));
        let mut data = data.iter_mut();
        // The bits that don't fill a word of data yet, and their number.
        let (mut open, mut filled) = (0, 0);
        for &word in words {
            open |= u128::from(word) << filled;
            filled += bits;
            if filled >= u64::BITS {
                *data.next().expect("the size is right") = open as u64;
                open >>= u64::BITS;
                filled -= u64::BITS;
            }
        }
        if filled > 0 {
            *data.next().expect("the size is right") = open as u64;
        }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The width of a word in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The words from `start` on.
    ///
    /// # Panics
    /// If there are fewer than `out` takes.
    pub fn unpack(&self, start: usize, out: &mut [u64]) {
        assert!(start <= self.len && out.len() <= self.len - start);
        if self.bits == u64::BITS {
            return out.copy_from_slice(&self.data[start..start + out.len()]);
        }
        let mask = u64::MAX >> (u64::BITS - self.bits);
        let bits = self.bits as usize;
        let mut done = 0;
        if cfg!(target_endian = "little") && self.bits <= Self::MAX_BITS_OF_EIGHT_BYTES {
            let bytes = self.bytes();
            for out in &mut *out {
                let bit = (start + done) * bits;
                let Some(eight) = bytes[bit / 8..].first_chunk() else { break };
                *out = (u64::from_le_bytes(*eight) >> (bit % 8)) & mask;
                done += 1;
            }
        }
        for (i, out) in (start + done..).zip(&mut out[done..]) {
            let bit = i * bits;
            let (at, shift) = (bit / 64, bit % 64);
            // The last word ends with the data: no bit of `next` is kept then.
            let next = self.data[(at + 1).min(self.data.len() - 1)];
            *out = ((self.data[at] >> shift) | ((next << 1) << (63 - shift))) & mask;
        }
    }

    /// The data as bytes.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        // SAFETY: words may be read as bytes, and the length is their size in bytes.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr().cast(), size_of_val(self.data)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_come_back(bits in 1u32..=64, words in prop::collection::vec(any::<u64>(), 0..200), cut in 0.0..1.0) {
            let words: Vec<u64> = words.iter().map(|word| word >> (64 - bits)).collect();
            let mut data = vec![u64::MAX; PackedWords::size(words.len(), bits)];
            PackedWords::pack(&mut data, &words, bits);
            let packed = PackedWords::new(&data, bits, words.len());
            prop_assert_eq!((packed.len(), packed.bits(), packed.is_empty()), (words.len(), bits, words.is_empty()));
            let start = (words.len() as f64 * cut) as usize;
            let mut out = vec![0; words.len() - start];
            packed.unpack(start, &mut out);
            prop_assert_eq!(&out, &words[start..]);
            let bit = |i: usize| data[i / 64] >> (i % 64) & 1;
            for (i, word) in words.iter().enumerate() {
                prop_assert!((0..bits).all(|b| bit(i * bits as usize + b as usize) == word >> b & 1));
            }
        }
    }

    #[test]
    #[should_panic(expected = "all | word")]
    fn words_that_are_too_wide_are_refused() {
        PackedWords::pack(&mut [0], &[8], 3);
    }

    #[test]
    #[should_panic(expected = "size")]
    fn data_that_are_too_short_are_refused() {
        PackedWords::new(&[0], 33, 2);
    }
}
