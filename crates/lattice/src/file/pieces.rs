//! A file in memory, in pieces.

use std::io::{self, ErrorKind, Seek, SeekFrom, Write};

/// Bytes of each piece but the last.
const PIECE_BYTES: usize = 1 << 20;

/// The bytes of a file in memory, in pieces of 1 MiB: a long file needs no memory in one piece, as a vector does.
///
/// ```
/// use std::io::Write;
///
/// use asanoha_lattice::FilePieces;
///
/// let mut file = FilePieces::default();
/// file.write_all(&[7; 3 << 19])?;
/// assert_eq!(file.pieces().map(<[u8]>::len).collect::<Vec<_>>(), [1 << 20, 1 << 19]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct FilePieces {
    pieces: Vec<Vec<u8>>,
    /// The place of the next byte that is written.
    position: usize,
}

impl FilePieces {
    /// Returns the number of bytes.
    pub fn bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }

    /// The pieces, from front to back.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.pieces.iter().map(Vec::as_slice)
    }
}

impl Write for FilePieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (index, at) = (self.position / PIECE_BYTES, self.position % PIECE_BYTES);
        if index == self.pieces.len() {
            self.pieces.push(Vec::new());
        }
        let piece = &mut self.pieces[index];
        let written = bytes.len().min(PIECE_BYTES - at);
        let (over, after) = bytes[..written].split_at(written.min(piece.len() - at));
        piece[at..at + over.len()].copy_from_slice(over);
        piece.extend_from_slice(after);
        self.position += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for FilePieces {
    /// Goes to a place that was written before, or to the end.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let bytes = self.bytes();
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(offset) => bytes.checked_add_signed(offset),
            SeekFrom::Current(offset) => (self.position as u64).checked_add_signed(offset),
        };
        let place = place.filter(|&place| place <= bytes).ok_or(ErrorKind::InvalidInput)?;
        self.position = place as usize;
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put<W: Write + Seek>(mut to: W, place: usize, bytes: &[u8]) {
        assert_eq!(to.seek(SeekFrom::Start(place as u64)).unwrap(), place as u64);
        to.write_all(bytes).unwrap();
    }

    #[test]
    fn pieces_are_written_and_written_over_like_a_file() {
        let (mut file, mut expected) = (FilePieces::default(), io::Cursor::new(Vec::new()));
        let bytes: Vec<u8> = (0..5 * PIECE_BYTES / 2).map(|k| (k % 251) as u8).collect();
        for (place, length) in [(0, 100), (100, bytes.len()), (27, 64), (PIECE_BYTES - 5, 2 * PIECE_BYTES)] {
            put(&mut file, place, &bytes[..length]);
            put(&mut expected, place, &bytes[..length]);
        }
        assert_eq!(file.pieces().collect::<Vec<_>>().concat(), expected.into_inner());
        assert_eq!(file.bytes(), 3 * PIECE_BYTES as u64 - 5);
        assert!(file.seek(SeekFrom::End(1)).is_err());
    }
}
