//! The same of Parquet and Arrow files.

use std::{fs::File, sync::Arc};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::{
    CompressionType, root_as_footer,
    writer::{FileWriter, IpcWriteOptions},
};
use asanoha_table::{Amount, ColumnValues, Data, DataError, Limits};
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, Encoding, GzipLevel, ZstdLevel},
    file::{
        metadata::{ParquetMetaDataReader, ParquetMetaDataWriter},
        properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder},
    },
};
use tempfile::NamedTempFile;

use crate::{LIMITS, above, alone, within};

fn read(bytes: &[u8], limits: Limits) -> Result<Data, DataError> {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    within(limits, |reading| Data::from_path(file.path(), &["x"], reading))
}

fn table(values: impl arrow_array::Array + 'static) -> RecordBatch {
    RecordBatch::try_from_iter([("x", Arc::new(values) as ArrayRef)]).unwrap()
}

fn zeros(rows: usize) -> RecordBatch {
    table(Int64Array::from(vec![0; rows]))
}

fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_data_page_size_limit(64 << 20)
        .set_data_page_row_count_limit(usize::MAX)
        .set_dictionary_enabled(false)
}

fn parquet<'a>(
    batches: impl IntoIterator<Item = &'a RecordBatch>,
    properties: WriterPropertiesBuilder,
) -> Vec<u8> {
    let mut batches = batches.into_iter().peekable();
    let schema = batches.peek().unwrap().schema();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties.build())).unwrap();
    batches.for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
    bytes
}

fn arrow(batches: &[RecordBatch], compression: Option<CompressionType>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &batches[0].schema(), options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|window| window == from).expect("it is there");
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

/// A file of one column whose first page header has another number: the n-th one, from 0.
fn with_number(bytes: &[u8], n: usize, number: i32) -> Vec<u8> {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let file = File::open(file.path()).unwrap();
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).unwrap();
    let chunk = metadata.row_group(0).column(0);
    let (start, length) = chunk.byte_range();
    let (start, end) = (start as usize, (start + length) as usize);
    // Each number stands behind a byte for its place and type; those of a dictionary are in a structure.
    let length_at = |at: usize| 1 + bytes[at..].iter().position(|byte| *byte < 0x80).unwrap();
    let mut at = start;
    for _ in 0..=n {
        at += usize::from(bytes[at] == 0x4c);
        assert_eq!(bytes[at], 0x15);
        at += 1 + length_at(at + 1);
    }
    let from =
        (start..at).rev().find(|&from| from + length_at(from) == at && bytes[from - 1] == 0x15).unwrap();
    let mut rest = ((number << 1) ^ (number >> 31)) as u32;
    let mut varint = Vec::new();
    while rest >= 0x80 {
        varint.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    varint.push(rest as u8);
    let mut altered = [&bytes[..from], &varint, &bytes[at..end]].concat();
    let more = altered.len() as i64 - end as i64;
    let mut builder = chunk.clone().into_builder().set_total_compressed_size(length as i64 + more);
    if chunk.dictionary_page_offset().is_some() {
        builder = builder.set_data_page_offset(chunk.data_page_offset() + more);
    }
    let chunk = builder.set_total_uncompressed_size(100).build().unwrap();
    let group =
        metadata.row_group(0).clone().into_builder().set_column_metadata(vec![chunk]).build().unwrap();
    let metadata = metadata.into_builder().set_row_groups(vec![group]).build();
    ParquetMetaDataWriter::new(&mut altered, &metadata).finish().unwrap();
    altered
}

/// The number of a header that says the bytes after decompression, and of a dictionary's one that says its values.
const DECOMPRESSED: usize = 1;
const DICTIONARY_VALUES: usize = 3;

fn damaged(result: Result<Data, DataError>, what: &str) {
    let message = result.expect_err("it is refused").to_string();
    assert!(message.contains(what), "{message}");
}

#[test]
fn parquet_says_its_rows_before_they_are_read() {
    let _alone = alone();
    let batch = zeros(1 << 20);
    let file = parquet(std::iter::repeat_n(&batch, 16).chain([&zeros(1)]), WriterProperties::builder());
    assert!(file.len() < 1 << 20);
    let above = above(read(&file, LIMITS));
    assert_eq!((above.amount, above.found, above.limit), (Amount::Rows, (1 << 24) + 1, 1 << 24));
}

#[test]
fn equal_values_in_few_bytes_count_with_their_memory() {
    let _alone = alone();
    let rows = 100_000;
    for file in [
        parquet([&zeros(rows)], WriterProperties::builder()),
        arrow(&[zeros(rows)], Some(CompressionType::ZSTD)),
    ] {
        let limits = |bytes| Limits { bytes, ..LIMITS };
        assert!(file.len() < 1 << 14);
        assert_eq!(above(read(&file, limits(1 << 20))).amount, Amount::Bytes);
        let data = read(&file, limits(4 << 20)).unwrap();
        assert_eq!(data.table.columns[0].values, ColumnValues::Whole(vec![0; rows]));
    }
}

#[test]
fn a_footer_that_says_many_bytes_is_believed() {
    let _alone = alone();
    let file = parquet([&zeros(1 << 18)], plain().set_compression(Compression::SNAPPY));
    let above = above(read(&file, LIMITS));
    assert!(above.amount == Amount::Bytes && above.found > 2 << 20, "{above}");
}

#[test]
fn pages_that_lie_about_their_bytes_are_refused() {
    let _alone = alone();
    let gzip = || Compression::GZIP(GzipLevel::default());
    for compression in
        [Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default()), Compression::LZ4_RAW, gzip()]
    {
        // It says 100 in the footer, and its header more than the limit.
        let file = parquet([&zeros(1 << 18)], plain().set_compression(compression));
        for says in [2 << 20, i32::MAX] {
            let above = above(read(&with_number(&file, DECOMPRESSED, says), LIMITS));
            assert_eq!((above.amount, above.found), (Amount::Bytes, says as u64), "{compression:?}");
        }
        damaged(read(&with_number(&file, DECOMPRESSED, -1), LIMITS), "negative");
        // It says less than it has: 16 MiB.
        let file = parquet([&zeros(1 << 21)], plain().set_compression(compression));
        damaged(read(&with_number(&file, DECOMPRESSED, 100), LIMITS), "cannot be read: as a Parquet file");
    }
    let version_2 = plain().set_writer_version(parquet::file::properties::WriterVersion::PARQUET_2_0);
    let file = parquet([&zeros(1 << 21)], version_2.set_encoding(Encoding::PLAIN).set_compression(gzip()));
    damaged(read(&with_number(&file, DECOMPRESSED, 100), LIMITS), "more bytes than it says");
}

#[test]
fn dictionaries_that_lie_about_their_values_are_refused() {
    let _alone = alone();
    let texts = StringArray::from(vec!["north", "south"]);
    for (batch, honest) in [(zeros(2), 1), (table(texts), 2)] {
        let file = parquet([&batch], plain().set_dictionary_enabled(true));
        assert_eq!(read(&with_number(&file, DICTIONARY_VALUES, honest), LIMITS).unwrap().table.rows, 2);
        for says in [1 << 20, i32::MAX] {
            damaged(read(&with_number(&file, DICTIONARY_VALUES, says), LIMITS), "more values than bytes");
        }
    }
}

#[test]
fn a_long_text_is_not_copied_for_every_row() {
    let _alone = alone();
    let text = "a".repeat(1 << 18);
    let texts = StringArray::from(vec![&text[..]; 3000]);
    let file = parquet([&table(texts)], plain().set_dictionary_enabled(true));
    assert!(file.len() < 1 << 20);
    damaged(read(&file, LIMITS), "has more than 256 bytes");
}

#[test]
fn text_in_delta_encodings_is_refused() {
    let _alone = alone();
    for encoding in [Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
        let file = parquet([&table(StringArray::from(vec!["a", "b"]))], plain().set_encoding(encoding));
        damaged(read(&file, LIMITS), "text in a delta encoding; write it anew");
    }
}

#[test]
fn buffers_of_arrow_files_are_held_against_the_limit() {
    const BYTES: i64 = 8 << 20;
    let _alone = alone();
    for compression in [CompressionType::ZSTD, CompressionType::LZ4_FRAME] {
        let file = arrow(&[zeros(1 << 20)], Some(compression));
        let above_limit = above(read(&file, LIMITS));
        assert!(above_limit.amount == Amount::Bytes && above_limit.found > BYTES as u64, "{above_limit}");
        let says = |bytes: i64| replaced(&file, &BYTES.to_le_bytes(), &bytes.to_le_bytes());
        assert_eq!(above(read(&says(i64::MAX), LIMITS)).amount, Amount::Bytes);
        damaged(read(&says(64), LIMITS), "cannot be read: as an Arrow file");
    }
    let file = arrow(&[zeros(1 << 18)], None);
    assert_eq!(above(read(&file, LIMITS)).amount, Amount::Bytes);
}

#[test]
fn blocks_of_an_arrow_file_share_no_bytes() {
    let _alone = alone();
    let file = arrow(&[zeros(10_000), zeros(10)], None);
    assert_eq!(read(&file, LIMITS).unwrap().table.rows, 10_010);
    let length = u32::from_le_bytes(file[file.len() - 10..file.len() - 6].try_into().unwrap()) as usize;
    let footer = &file[file.len() - 10 - length..file.len() - 10];
    let blocks = root_as_footer(footer).unwrap().recordBatches().unwrap();
    let [first, second] = [0, 1].map(|at| blocks.get(at).0);
    damaged(read(&replaced(&file, &second, &first), LIMITS), "more blocks than the file has bytes");
}
