//! The memory that a Parquet file takes, from its footer and the headers of its pages, before any page is decompressed.
//!
//! `parquet` 60.1 allocates of a page what its header says (`uncompressed_page_size`); but it decompresses gzip and LZ4 frames to
//! their end before it compares, fills a dictionary with as many values as its header says, in delta encodings of text as many as the page
//! says, and copies a text of a dictionary as often as the rows of a batch repeat it. The headers are read here in the Thrift compact
//! protocol. Of each field that `parquet` reads without a look at its type, the type is checked, so that both read the same.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use arrow_schema::ArrowError;
use flate2::bufread::MultiGzDecoder;
use parquet::arrow::ProjectionMask;
use parquet::basic::{Compression, Type};
use parquet::file::metadata::{ColumnChunkMetaData, FooterTail, ParquetMetaData, RowGroupMetaData};

use super::damage::damaged;
use crate::limits::Limits;

/// The most rows of a batch.
const BATCH_ROWS: u64 = 8192;
/// The most bytes of a column's texts in a batch, unless one text is longer.
const BATCH_BYTES: u64 = 64 << 20;
/// The memory of a footer, at most, for each of its bytes.
const FOOTER_FACTOR: u64 = 32;
/// The bytes at the end of a file: the length of its footer, and `PAR1`.
const TAIL_BYTES: u64 = 8;

/// Refuses a footer that is too long.
pub(crate) fn check_footer(mut file: &File, limits: &Limits) -> Result<(), ArrowError> {
    let mut tail = [0; TAIL_BYTES as usize];
    let start = file.metadata()?.len().checked_sub(TAIL_BYTES).ok_or_else(|| damaged("no footer"))?;
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut tail)?;
    let length = FooterTail::try_new(&tail)?.metadata_length() as u64;
    if length > start {
        return Err(damaged("a footer longer than the file"));
    }
    Ok(limits.check_bytes(length.saturating_mul(FOOTER_FACTOR))?)
}

/// Refuses columns of too many rows or bytes, and returns how many rows a batch may have.
pub(crate) fn check(
    file: &File,
    metadata: &ParquetMetaData,
    columns: &ProjectionMask,
    limits: &Limits,
) -> Result<usize, ArrowError> {
    let groups = metadata.row_groups();
    let leaves = metadata.file_metadata().schema_descr().num_columns();
    let leaves: Vec<usize> = (0..leaves).filter(|&leaf| columns.leaf_included(leaf)).collect();
    limits.check_rows(total(groups.iter().map(RowGroupMetaData::num_rows))?)?;
    let stated =
        groups.iter().flat_map(|group| leaves.iter().map(|&leaf| group.column(leaf).uncompressed_size()));
    limits.check_bytes(total(stated)?)?;
    let mut pages = Pages { file, length: file.metadata()?.len(), limits, bytes: 0 };
    let mut of_a_row = 1;
    for leaf in leaves {
        let mut widest = 0;
        for group in groups {
            widest = widest.max(pages.add(group.column(leaf))?);
        }
        of_a_row += widest;
    }
    Ok((BATCH_BYTES.min(limits.bytes) / of_a_row).clamp(1, BATCH_ROWS) as usize)
}

/// The sum of numbers that aren't negative.
fn total(numbers: impl Iterator<Item = i64>) -> Result<u64, ArrowError> {
    let mut sum = 0u64;
    for number in numbers {
        let number = u64::try_from(number).map_err(|_| damaged("a negative number of rows or bytes"))?;
        sum = sum.saturating_add(number);
    }
    Ok(sum)
}

/// The pages of columns, as far as they are counted.
struct Pages<'a> {
    file: &'a File,
    /// The bytes of the file.
    length: u64,
    limits: &'a Limits,
    /// The bytes of the pages after decompression.
    bytes: u64,
}

impl Pages<'_> {
    /// Counts the pages of a column in a group of rows, and returns the most bytes that one of its texts can have.
    fn add(&mut self, chunk: &ColumnChunkMetaData) -> Result<u64, ArrowError> {
        let (mut at, length) = chunk.byte_range();
        let end = at.checked_add(length).filter(|&end| end <= self.length);
        let end = end.ok_or_else(|| damaged("a column beyond the end of the file"))?;
        let is_text = chunk.column_type() == Type::BYTE_ARRAY;
        // The bytes of each value of a dictionary; a text begins with its length.
        let width = match chunk.column_type() {
            Type::BOOLEAN => 1,
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => {
                u64::try_from(chunk.column_descr().type_length()).unwrap_or(0).max(1)
            }
        };
        self.limits.check_bytes(width)?;
        let (mut file, mut widest) = (self.file, width);
        while at < end {
            file.seek(SeekFrom::Start(at))?;
            let mut input = BufReader::with_capacity(1 << 10, file).take(end - at);
            let page = PageHeader::read(&mut input)?;
            let (decompressed, compressed) = (u64::from(page.decompressed), u64::from(page.compressed));
            let bytes = decompressed.max(compressed);
            self.bytes = self.bytes.saturating_add(bytes);
            self.limits.check_bytes(self.bytes)?;
            if compressed > input.limit() {
                return Err(damaged("a page beyond the end of its column"));
            }
            if u64::from(page.dictionary_values) * width > bytes {
                return Err(damaged("a dictionary of more values than bytes"));
            }
            if is_text {
                widest = widest.max(bytes);
            }
            at = end - input.limit() + compressed;
            // Levels of version 2 are not compressed.
            let levels = page.levels.map(u64::from).iter().sum::<u64>().min(compressed).min(decompressed);
            io::copy(&mut input.by_ref().take(levels), &mut io::sink())?;
            check_end(chunk.compression(), &mut input.take(compressed - levels), decompressed - levels)?;
        }
        Ok(widest)
    }
}

/// Refuses a page that decompresses to more bytes than its header says, where `parquet` doesn't.
fn check_end(compression: Compression, page: &mut impl io::BufRead, stated: u64) -> Result<(), ArrowError> {
    /// Counts what is written.
    struct Count(u64);

    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    match compression {
        Compression::GZIP(_) => {
            let mut count = Count(0);
            // An error is one for `parquet` too, after as many bytes.
            let _ = io::copy(&mut MultiGzDecoder::new(page).take(stated.saturating_add(1)), &mut count);
            if count.0 > stated {
                return Err(damaged("a page of more bytes than it says"));
            }
        }
        // Files that were written before this codec had a frame of its own.
        Compression::LZ4 => {
            const FRAMES: [[u8; 4]; 2] = [0x184d_2204u32.to_le_bytes(), 0x184c_2102u32.to_le_bytes()];
            let mut start = Vec::new();
            page.take(4).read_to_end(&mut start)?;
            if FRAMES.iter().any(|frame| *frame == start[..]) {
                return Err(ArrowError::NotYetImplemented("pages in LZ4 frames".to_owned()));
            }
        }
        _ => {}
    }
    Ok(())
}

/// What a page's header says of the page's memory.
#[derive(Debug, Default, PartialEq)]
struct PageHeader {
    /// A bit for each of the first three fields, which every header has.
    given: u8,
    decompressed: u32,
    compressed: u32,
    dictionary_values: u32,
    /// The bytes of levels before the values of a page of version 2.
    levels: [u32; 2],
}

/// The structures of a header.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Page,
    Data,
    Dictionary,
    DataV2,
    /// All that `parquet` skips.
    Other,
}

/// Types of the Thrift compact protocol.
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const STRUCT: u8 = 12;

/// How deep structures are in each other, at most: a header, statistics, and two more.
const MAX_DEPTH: usize = 4;

/// The encodings of data that take no more memory than their pages and batches: `PLAIN`, `PLAIN_DICTIONARY`, `RLE`,
/// `DELTA_BINARY_PACKED`, `RLE_DICTIONARY` and `BYTE_STREAM_SPLIT`.
const ENCODINGS: [u32; 6] = [0, 2, 3, 5, 8, 9];

impl PageHeader {
    fn read(input: &mut impl Read) -> Result<Self, ArrowError> {
        let mut header = Self::default();
        header.read_part(input, Part::Page, 0)?;
        if header.given == 0b111 { Ok(header) } else { Err(damaged("a page header")) }
    }

    fn read_part<R: Read>(&mut self, input: &mut R, part: Part, depth: usize) -> Result<(), ArrowError> {
        let mut id = 0i16;
        loop {
            let [head] = bytes(input)?;
            let (step, kind) = (head >> 4, head & 0xf);
            if kind == STOP {
                return Ok(());
            }
            let next =
                if step == 0 { i16::try_from(integer(input)?).ok() } else { id.checked_add(step.into()) };
            id = next.ok_or_else(|| damaged("a page header"))?;
            let is_number = match part {
                Part::Page | Part::Data => (1..=4).contains(&id),
                Part::Dictionary => (1..=2).contains(&id),
                Part::DataV2 => (1..=6).contains(&id),
                Part::Other => false,
            };
            let is_struct = part == Part::Page && (5..=8).contains(&id);
            let inner = match (part, id) {
                (Part::Page, 5) => Part::Data,
                (Part::Page, 7) => Part::Dictionary,
                (Part::Page, 8) => Part::DataV2,
                _ => Part::Other,
            };
            match kind {
                I32 if is_number => {
                    let number = i32::try_from(integer(input)?).map_err(|_| damaged("a page header"))?;
                    self.set(part, id, number)?;
                }
                STRUCT if !is_number && depth < MAX_DEPTH => self.read_part(input, inner, depth + 1)?,
                _ if is_number || is_struct => return Err(damaged("a page header")),
                TRUE | FALSE => {}
                BYTE => skip(input, 1)?,
                I16 | I32 | I64 => {
                    varint(input)?;
                }
                DOUBLE => skip(input, 8)?,
                BINARY => {
                    let length = varint(input)?;
                    skip(input, length)?;
                }
                _ => return Err(damaged("a page header")),
            }
        }
    }

    /// Takes a number of a part.
    fn set(&mut self, part: Part, id: i16, number: i32) -> Result<(), ArrowError> {
        let unsigned = || u32::try_from(number).map_err(|_| damaged("a page of a negative length"));
        if part == Part::Page && id <= 3 {
            self.given |= 1 << (id - 1);
        }
        match (part, id) {
            (Part::Page, 2) => self.decompressed = unsigned()?,
            (Part::Page, 3) => self.compressed = unsigned()?,
            (Part::Dictionary, 1) => self.dictionary_values = unsigned()?,
            (Part::DataV2, 5) => self.levels[0] = unsigned()?,
            (Part::DataV2, 6) => self.levels[1] = unsigned()?,
            (Part::Data, 2) | (Part::DataV2, 4) if !ENCODINGS.contains(&unsigned()?) => {
                return Err(ArrowError::NotYetImplemented("text in a delta encoding".to_owned()));
            }
            _ => {}
        }
        Ok(())
    }
}

fn bytes<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Skips bytes, all of which must be there.
fn skip(input: &mut impl Read, count: u64) -> io::Result<()> {
    let skipped = io::copy(&mut input.take(count), &mut io::sink())?;
    if skipped == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Seven bits a byte, the lowest first; the highest bit of a byte says that another follows.
fn varint(input: &mut impl Read) -> io::Result<u64> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let [byte] = bytes(input)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(io::ErrorKind::InvalidData.into())
}

/// A signed integer, whose lowest bit is the sign.
fn integer(input: &mut impl Read) -> io::Result<i64> {
    let value = varint(input)?;
    Ok((value >> 1) as i64 ^ -((value & 1) as i64))
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::PageHeader;

    /// A page of 20 bytes, 10 of them compressed.
    const SIZES: [u8; 6] = [0x15, 0x00, 0x15, 0x28, 0x15, 0x14];

    fn read(parts: &[&[u8]]) -> Option<PageHeader> {
        PageHeader::read(&mut &parts.concat()[..]).ok()
    }

    #[test]
    fn headers_are_read_as_the_format_has_them() {
        let sizes = PageHeader { given: 7, decompressed: 20, compressed: 10, ..PageHeader::default() };
        // Checksum and data header: values, encoding, encodings of levels; statistics; a field of no meaning.
        let statistics = [0x1c, 0x18, 0x01, 0x61, 0x36, 0x02, 0x00];
        let data =
            [&[0x15, 0x01, 0x1c, 0x15, 0x04, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06][..], &statistics, &[0x00]];
        assert_eq!(read(&[&SIZES, &data.concat(), &[0xc1, 0x00]]), Some(sizes));
        let dictionary = read(&[&SIZES, &[0x4c, 0x15, 0x0e, 0x15, 0x00, 0x11, 0x00, 0x00]]).unwrap();
        assert_eq!(dictionary.dictionary_values, 7);
        let version_2 =
            [0x5c, 0x15, 0x02, 0x15, 0x00, 0x15, 0x02, 0x15, 0x00, 0x15, 0x04, 0x15, 0x06, 0x00, 0x00];
        assert_eq!(read(&[&SIZES, &version_2]).unwrap().levels, [2, 3]);
        // A later field is the one that counts, as for `parquet`.
        assert_eq!(read(&[&SIZES, &[0x05, 0x04, 0x50, 0x00]]).unwrap().decompressed, 40);
    }

    #[test]
    fn headers_that_two_readers_might_read_differently_are_refused() {
        for bad in [
            // A size as 64 bits, as bytes, beyond 32 bits, and below 0.
            &[0x06, 0x04, 0x50, 0x00][..],
            &[0x08, 0x04, 0x01, 0x00, 0x00],
            &[0x05, 0x04, 0xfe, 0xff, 0xff, 0xff, 0x7f, 0x00],
            &[0x05, 0x04, 0x01, 0x00],
            // A data header and an index header that are numbers.
            &[0x25, 0x00, 0x00],
            &[0x35, 0x00, 0x00],
            // Lists, and an encoding of a delta.
            &[0xc9, 0x01, 0x00],
            &[0x2c, 0x25, 0x0c, 0x00, 0x00],
            // No end.
            &[],
        ] {
            assert_eq!(read(&[&SIZES, bad]), None, "{bad:?}");
        }
        assert_eq!(read(&[&SIZES[..4], &[0x00]]), None);
        assert_eq!(read(&[&SIZES, &[0xcc; 1000]]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
            let _ = PageHeader::read(&mut &bytes[..]);
            let _ = read(&[&SIZES, &bytes]);
        }
    }
}
