//! The batches of an Arrow file. What its messages say of places and lengths is checked before it's used: the reader of the crate
//! `arrow-ipc` panics on what isn't so.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::{
    Block, Message,
    convert::try_fb_to_schema,
    reader::{FileDecoder, read_footer_length},
    root_as_footer, root_as_message,
};
use arrow_schema::{ArrowError, SchemaRef};

use super::damage::damaged;
use crate::limits::Limits;

/// The length of the footer, four bytes, and `ARROW1`.
const TAIL_BYTES: u64 = 10;

/// The batches of an open file, in their order.
pub(crate) struct Blocks {
    source: Source,
    schema: SchemaRef,
    decoder: FileDecoder,
    remaining: std::vec::IntoIter<Block>,
}

impl Blocks {
    /// Reads the footer and the dictionaries.
    pub(crate) fn open(file: File, limits: Limits) -> Result<Self, ArrowError> {
        let all = file.metadata()?.len();
        let mut source = Source { file, limits, dictionaries: 0, unread: all };
        let end = all.checked_sub(TAIL_BYTES).ok_or_else(|| damaged("no footer"))?;
        let tail = source.range(end, TAIL_BYTES as usize)?;
        let length = read_footer_length(tail[..].try_into().map_err(|_| damaged("no footer"))?)?;
        let start = end.checked_sub(length as u64).ok_or_else(|| damaged("a footer longer than the file"))?;
        let footer = source.range(start, length)?;
        let footer = root_as_footer(&footer).map_err(|error| damaged(&error.to_string()))?;
        let schema = footer.schema().ok_or_else(|| damaged("no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(damaged("words of the other byte order, which aren't read"));
        }
        let schema = Arc::new(try_fb_to_schema(schema)?);
        let mut decoder = FileDecoder::new(schema.clone(), footer.version());
        for block in footer.dictionaries().into_iter().flatten() {
            let (message, bytes) = source.block(block)?;
            source.dictionaries += bytes;
            decoder.read_dictionary(block, &message)?;
        }
        let blocks: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
        Ok(Self { source, schema, decoder, remaining: blocks.into_iter() })
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The same with the columns at these places alone.
    pub(crate) fn project(mut self, places: &[usize]) -> Self {
        self.decoder = self.decoder.with_projection(places.to_vec());
        self
    }
}

impl Iterator for Blocks {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.remaining.next()?;
        let batch = self.source.block(&block).and_then(|(message, _)| {
            let batch = self.decoder.read_record_batch(&block, &message)?;
            batch.ok_or_else(|| damaged("a batch of nothing"))
        });
        Some(batch)
    }
}

/// A file that is read within limits.
struct Source {
    file: File,
    limits: Limits,
    /// The bytes of all dictionaries, which stay in memory.
    dictionaries: u64,
    /// The bytes that no block has had yet. Blocks that share bytes would let a small file have many.
    unread: u64,
}

impl Source {
    /// Bytes of the file, if it has them.
    fn range(&mut self, start: u64, length: usize) -> Result<Buffer, ArrowError> {
        self.limits.check_bytes(self.dictionaries.saturating_add(length as u64))?;
        let (end, all) = (start.checked_add(length as u64), self.file.metadata()?.len());
        if end.is_none_or(|end| end > all) {
            return Err(damaged("a part beyond the end of the file"));
        }
        self.file.seek(SeekFrom::Start(start))?;
        let mut bytes = MutableBuffer::from_len_zeroed(length);
        self.file.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }

    /// A message and its body, whose buffers lie in it, and how many bytes they take after decompression.
    fn block(&mut self, block: &Block) -> Result<(Buffer, u64), ArrowError> {
        let unsigned = |value: i64| usize::try_from(value).map_err(|_| damaged("a negative length"));
        let head = unsigned(block.metaDataLength().into())?;
        let length = head.saturating_add(unsigned(block.bodyLength())?);
        let unread = self.unread.checked_sub(length as u64);
        self.unread = unread.ok_or_else(|| damaged("more blocks than the file has bytes"))?;
        let bytes = self.range(unsigned(block.offset())? as u64, length)?;
        // Older files have the length alone before a message, others four bytes 0xff too.
        let prefix = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
        let message = bytes.get(prefix..head).ok_or_else(|| damaged("a message without a beginning"))?;
        let message = root_as_message(message).map_err(|error| damaged(&error.to_string()))?;
        let decompressed = check_buffers(&message, &bytes[head..])?.saturating_add(length as u64);
        self.limits.check_bytes(self.dictionaries.saturating_add(decompressed))?;
        Ok((bytes, decompressed))
    }
}

/// Refuses buffers that don't lie in the body, and returns how many bytes the compressed ones take after decompression. `arrow-ipc`
/// allocates these lengths and decompresses no further.
fn check_buffers(message: &Message, body: &[u8]) -> Result<u64, ArrowError> {
    let dictionary = message.header_as_dictionary_batch();
    let batch = message.header_as_record_batch().or_else(|| dictionary?.data());
    let batch = batch.ok_or_else(|| damaged("a message without a batch"))?;
    let mut decompressed = 0u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).ok();
        let length = usize::try_from(buffer.length()).ok();
        let bytes = start.zip(length).and_then(|(start, length)| body.get(start..)?.get(..length));
        let bytes = bytes.ok_or_else(|| damaged("a buffer beyond its message"))?;
        // A compressed buffer begins with its length before, or -1 if it isn't compressed after all.
        if let (Some(_), Some(before)) = (batch.compression(), bytes.first_chunk()) {
            decompressed =
                decompressed.saturating_add(u64::try_from(i64::from_le_bytes(*before)).unwrap_or(0));
        }
    }
    Ok(decompressed)
}
