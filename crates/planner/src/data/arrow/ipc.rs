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

use super::MAX_FILE_BYTES;

/// The length of the footer, four bytes, and `ARROW1`.
const TAIL_BYTES: u64 = 10;

fn damaged(what: &str) -> ArrowError {
    ArrowError::IpcError(format!("damaged: {what}"))
}

/// The batches of an open file, in their order.
pub(super) struct Blocks {
    file: File,
    schema: SchemaRef,
    decoder: FileDecoder,
    remaining: std::vec::IntoIter<Block>,
}

impl Blocks {
    /// Reads the footer and the dictionaries.
    pub(super) fn open(mut file: File) -> Result<Self, ArrowError> {
        let all = file.metadata()?.len();
        let mut tail = [0; TAIL_BYTES as usize];
        let end = all.checked_sub(TAIL_BYTES).ok_or_else(|| damaged("no footer"))?;
        file.seek(SeekFrom::Start(end))?;
        file.read_exact(&mut tail)?;
        let length = read_footer_length(tail)?;
        let start = end.checked_sub(length as u64).ok_or_else(|| damaged("a footer longer than the file"))?;
        let footer = read_range(&mut file, start, length)?;
        let footer = root_as_footer(&footer).map_err(|error| damaged(&error.to_string()))?;
        let schema = footer.schema().ok_or_else(|| damaged("no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(damaged("words of the other byte order, which aren't read"));
        }
        let schema = Arc::new(try_fb_to_schema(schema)?);
        let mut decoder = FileDecoder::new(schema.clone(), footer.version());
        for block in footer.dictionaries().into_iter().flatten() {
            let message = read_block(&mut file, block)?;
            decoder.read_dictionary(block, &message)?;
        }
        let blocks: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
        Ok(Self { file, schema, decoder, remaining: blocks.into_iter() })
    }

    pub(super) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The same with the columns at these places alone.
    pub(super) fn project(mut self, places: &[usize]) -> Self {
        self.decoder = self.decoder.with_projection(places.to_vec());
        self
    }
}

impl Iterator for Blocks {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.remaining.next()?;
        let batch = read_block(&mut self.file, &block).and_then(|message| {
            let batch = self.decoder.read_record_batch(&block, &message)?;
            batch.ok_or_else(|| damaged("a batch of nothing"))
        });
        Some(batch)
    }
}

/// Bytes of a file, if it has them.
fn read_range(file: &mut File, start: u64, length: usize) -> Result<Buffer, ArrowError> {
    let end = start.checked_add(length as u64);
    if end.is_none_or(|end| end > MAX_FILE_BYTES) || end > Some(file.metadata()?.len()) {
        return Err(damaged("a part beyond the end of the file"));
    }
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = MutableBuffer::from_len_zeroed(length);
    file.read_exact(&mut bytes)?;
    Ok(bytes.into())
}

/// A message and its body, whose buffers lie in it.
fn read_block(file: &mut File, block: &Block) -> Result<Buffer, ArrowError> {
    let unsigned = |value: i64| usize::try_from(value).map_err(|_| damaged("a negative length"));
    let head = unsigned(block.metaDataLength().into())?;
    let length = head.saturating_add(unsigned(block.bodyLength())?);
    let bytes = read_range(file, unsigned(block.offset())? as u64, length)?;
    // Older files have the length alone before a message, others four bytes 0xff too.
    let prefix = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let message = bytes.get(prefix..head).ok_or_else(|| damaged("a message without a beginning"))?;
    let message = root_as_message(message).map_err(|error| damaged(&error.to_string()))?;
    check_buffers(&message, &bytes[head..])?;
    Ok(bytes)
}

/// Refuses buffers that don't lie in the body, and compressed ones that are too long.
fn check_buffers(message: &Message, body: &[u8]) -> Result<(), ArrowError> {
    let dictionary = message.header_as_dictionary_batch();
    let batch = message.header_as_record_batch().or_else(|| dictionary?.data());
    let batch = batch.ok_or_else(|| damaged("a message without a batch"))?;
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).ok();
        let length = usize::try_from(buffer.length()).ok();
        let bytes = start.zip(length).and_then(|(start, length)| body.get(start..)?.get(..length));
        let bytes = bytes.ok_or_else(|| damaged("a buffer beyond its message"))?;
        // A compressed buffer begins with its length before.
        if let (Some(_), Some(before)) = (batch.compression(), bytes.first_chunk())
            && i64::from_le_bytes(*before) > MAX_FILE_BYTES as i64
        {
            return Err(damaged("a compressed buffer of too many bytes"));
        }
    }
    Ok(())
}
