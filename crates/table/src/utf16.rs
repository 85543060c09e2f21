//! Text in UTF-16, read as UTF-8.

use std::io::{self, BufRead, Read};

/// The order of the bytes of UTF-16 text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// Returns the byte order of UTF-16 text by its first bytes: a byte order mark, or two ASCII letters with a NUL byte beside each.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        match *start {
            // The mark of UTF-32.
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] | [1..=0x7f, 0, 1..=0x7f, 0, ..] => Some(Self::Little),
            [0xfe, 0xff, ..] | [0, 1..=0x7f, 0, 1..=0x7f, ..] => Some(Self::Big),
            _ => None,
        }
    }

    fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }
}

/// The UTF-8 bytes of UTF-16 text, without its byte order mark.
pub(crate) struct Utf16<R> {
    inner: R,
    order: ByteOrder,
    is_start: bool,
    /// The first half of a surrogate pair whose second half is not read yet.
    half: Option<u16>,
    ready: Vec<u8>,
    taken: usize,
}

/// The code units that are decoded at once.
const UNITS: usize = 4096;
const HIGH_SURROGATES: std::ops::Range<u16> = 0xd800..0xdc00;
const BYTE_ORDER_MARK: char = '\u{feff}';

impl<R: BufRead> Utf16<R> {
    pub(crate) fn new(inner: R, order: ByteOrder) -> Self {
        Self { inner, order, is_start: true, half: None, ready: Vec::new(), taken: 0 }
    }

    /// Decodes the next code units; nothing is ready after it at the end of the text.
    fn decode(&mut self) -> io::Result<()> {
        let damaged = || io::Error::other("its UTF-16 text is damaged: write it anew as CSV in UTF-8");
        let mut bytes = Vec::with_capacity(2 * UNITS);
        self.inner.by_ref().take(2 * UNITS as u64).read_to_end(&mut bytes)?;
        let is_last = bytes.len() < 2 * UNITS;
        let (pairs, []) = bytes.as_chunks() else { return Err(damaged()) };
        let mut units: Vec<u16> = self.half.take().into_iter().collect();
        units.extend(pairs.iter().map(|&pair| self.order.unit(pair)));
        if !is_last {
            self.half = units.pop_if(|unit| HIGH_SURROGATES.contains(unit));
        }
        self.ready.clear();
        self.taken = 0;
        let mut text = String::with_capacity(units.len());
        for character in char::decode_utf16(units) {
            let character = character.map_err(|_| damaged())?;
            if !std::mem::take(&mut self.is_start) || character != BYTE_ORDER_MARK {
                text.push(character);
            }
        }
        self.ready = text.into_bytes();
        Ok(())
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            self.decode()?;
        }
        let count = buffer.len().min(self.ready.len() - self.taken);
        buffer[..count].copy_from_slice(&self.ready[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, order: ByteOrder) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| match order {
                ByteOrder::Little => unit.to_le_bytes(),
                ByteOrder::Big => unit.to_be_bytes(),
            })
            .collect()
    }

    #[test]
    fn pairs_of_surrogates_may_stand_anywhere() {
        for before in [0, 1, UNITS - 2, UNITS - 1, UNITS] {
            let text = format!("{}\u{1f375}é\n", "x".repeat(before));
            for order in [ByteOrder::Little, ByteOrder::Big] {
                let mut read = String::new();
                let encoded = bytes(&format!("\u{feff}{text}"), order);
                assert_eq!(ByteOrder::of(&encoded), Some(order));
                Utf16::new(&encoded[..], order).read_to_string(&mut read).unwrap();
                assert_eq!(read, text);
            }
        }
    }

    #[test]
    fn half_a_pair_and_half_a_unit_are_refused() {
        let mut halves = bytes("ab", ByteOrder::Little);
        halves.extend([0x3c, 0xd8]);
        for damaged in [&halves[..], &halves[..5], &[0x00, 0xdc]] {
            let error = Utf16::new(damaged, ByteOrder::Little).read_to_end(&mut Vec::new()).unwrap_err();
            assert!(error.to_string().contains("damaged"), "{damaged:?}");
        }
    }

    #[test]
    fn other_bytes_are_not_utf_16() {
        for start in [
            &b"a,b\n"[..],
            b"",
            b"a\0",
            b"a\0\0\0b\0\0\0",
            b"\xff\xfe\0\0a\0\0\0",
            b"\0\0\0\0",
            b"\xef\xbb\xbfa",
        ] {
            assert_eq!(ByteOrder::of(start), None, "{start:?}");
        }
    }
}
