//! The first bytes of files, which tell their kinds.

use std::{fs::File, io::Read, path::Path};

use super::about::{ACCEPTED_SITES, BACKUP, MESSAGE, SEALED, SHARES};
use crate::{error::Failure, files::unreadable};

/// The first bytes of files that have no header of ours, and their kinds.
pub(super) const STARTS: [(&[u8], &str); 8] = [
    (b"asanoha sealed ", SEALED),
    (b"asanoha backup ", BACKUP),
    (b"asatrip", SHARES),
    (b"asagque", MESSAGE),
    (b"asagans", MESSAGE),
    (b"asagkey", MESSAGE),
    (b"asagask", MESSAGE),
    (b"asagacc", ACCEPTED_SITES),
];

/// The first bytes of files of other programs, and what they are.
pub(super) const FOREIGN: [(&[u8], &str); 6] = [
    (b"##fileformat=VCF", "it is VCF: `asanoha genome index` makes a panel of it"),
    (b"BCF\x02", "it is BCF: `asanoha genome index` makes a panel of it"),
    (b"\x1f\x8b", "it is compressed by gzip"),
    (b"PAR1", "it is a Parquet file: give data to `asanoha run` or `asanoha plan` with --data"),
    (b"ARROW1", "it is an Arrow file: give data to `asanoha run` or `asanoha plan` with --data"),
    (b"PK\x03\x04", "it is a ZIP archive, such as the .npz of `asanoha triples export`"),
];

/// How many bytes are read of a file to tell its kind.
pub(super) const START_BYTES: u64 = 40;
/// The length of a record of sent keys: a key generation, a space, a digest, the end of the line.
pub(super) const SENT_KEYS_BYTES: u64 = 32 + 1 + 64 + 1;

/// The first bytes of a file, and no more than so many.
pub(super) fn read_start(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut start))
        .map_err(|error| unreadable(path, error))?;
    Ok(start)
}

/// Whether a file begins as text does. Our binary files begin with the length of their header as a word of 64 bits, which has a
/// zero in its first eight bytes.
pub(super) fn is_text(start: &[u8]) -> bool {
    // The last character may be cut.
    let is_utf8 = std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 && !start.contains(&0)
}

pub(super) fn is_json(start: &[u8]) -> bool {
    is_text(start) && start.trim_ascii_start().starts_with(b"{")
}

pub(super) fn is_sent_keys(text: &[u8]) -> bool {
    let parts: Vec<&[u8]> = text.trim_ascii_end().split(|byte| *byte == b' ').collect();
    parts.len() == 2 && parts[0].len() == 32 && parts.concat().iter().all(u8::is_ascii_hexdigit)
}
