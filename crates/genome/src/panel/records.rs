//! The records of VCF, bgzipped VCF and BCF, one after another.
//!
//! Files are cut into records here, so that no record takes more memory than it may, and each is read by noodles.

use std::{
    collections::HashSet,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use noodles_bcf as bcf;
use noodles_bgzf as bgzf;
use noodles_vcf::{self as vcf, variant::record::Record};

use super::{PanelError, Place};

/// The most bytes of a header, and of a record.
const MAX_BYTES: u64 = 1 << 28;
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The empty block at the end of every bgzipped file.
const GZIP_END: [u8; 28] = *b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
const BCF: &[u8] = b"BCF\x02";

/// Something made of records.
pub(super) trait Taker {
    /// Takes a record.
    fn take(&mut self, record: &dyn Record, place: Place) -> Result<(), PanelError>;
}

/// Reads VCF, VCF compressed by bgzip, or BCF, whichever the file is, record by record into what `begin` makes of the header.
///
/// A file that is cut short is refused unless it isn't compressed and ends right after a record: then nothing tells it from a
/// whole one.
///
/// # Errors
/// [`PanelError::Read`], [`PanelError::Malformed`], and those of what takes the records.
pub(super) fn read<T: Taker>(
    path: &Path,
    begin: impl FnOnce(vcf::Header) -> Result<T, PanelError>,
) -> Result<T, PanelError> {
    let unreadable = |error| PanelError::Read { path: path.to_owned(), error };
    let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
    let compressed = file.fill_buf().map_err(unreadable)?.starts_with(&GZIP);
    if !compressed {
        return read_plain(path, file, begin);
    }
    let mut end = Vec::new();
    let length = file.get_ref().metadata().map_err(unreadable)?.len();
    let from = SeekFrom::Start(length.saturating_sub(GZIP_END.len() as u64));
    file.seek(from).and_then(|_| file.read_to_end(&mut end)).map_err(unreadable)?;
    if end != GZIP_END {
        let place = path.display().to_string();
        let what = "it lacks the end of a bgzipped file: it's cut short, or compressed by another program";
        return Err(PanelError::Malformed { place, what: what.to_owned() });
    }
    file.rewind().map_err(unreadable)?;
    read_plain(path, bgzf::io::Reader::new(file), begin)
}

fn read_plain<T: Taker>(
    path: &Path,
    mut input: impl BufRead,
    begin: impl FnOnce(vcf::Header) -> Result<T, PanelError>,
) -> Result<T, PanelError> {
    let start = input.fill_buf().map_err(|error| unsound(path, "its start", &error))?;
    if start.starts_with(BCF) { read_bcf(path, input, begin) } else { read_vcf(path, input, begin) }
}

fn read_vcf<T: Taker>(
    path: &Path,
    mut input: impl BufRead,
    begin: impl FnOnce(vcf::Header) -> Result<T, PanelError>,
) -> Result<T, PanelError> {
    let mut text = Vec::new();
    while input.fill_buf().map_err(|error| unsound(path, "its header", &error))?.starts_with(b"#") {
        read_line(&mut input, &mut text).map_err(|error| unsound(path, "its header", &error))?;
    }
    let lines = text.split_inclusive(|&byte| byte == b'\n').count();
    let text = essential(&text, false);
    let header = guarded(|| vcf::io::Reader::new(&text[..]).read_header());
    let header = header.map_err(|error| unsound(path, "its header", &error))?;
    let names = text.trim_ascii_end().rsplit(|&byte| byte == b'\n').next();
    let fields = names.map_or(0, count_fields);
    let mut taker = begin(header)?;
    let (mut line, mut record) = (Vec::new(), vcf::Record::default());
    for number in 1.. {
        line.clear();
        let place = Place { record: number, line: Some(lines + number) };
        let unsound = |error| unsound(path, place, &error);
        read_line(&mut input, &mut line).map_err(unsound)?;
        if line.is_empty() {
            break;
        }
        // Blank lines may end a file.
        if line.trim_ascii().is_empty() && is_blank(&mut input).map_err(unsound)? {
            break;
        }
        check_line(&line, fields).map_err(unsound)?;
        let read = || vcf::io::Reader::new(&line[..]).read_record(&mut record);
        guarded(read).map_err(unsound)?;
        taker.take(&record, place)?;
    }
    Ok(taker)
}

fn read_bcf<T: Taker>(
    path: &Path,
    mut input: impl BufRead,
    begin: impl FnOnce(vcf::Header) -> Result<T, PanelError>,
) -> Result<T, PanelError> {
    let header = read_bcf_header(&mut input).map_err(|error| unsound(path, "its header", &error))?;
    let mut taker = begin(header)?;
    let mut record = bcf::Record::default();
    for number in 1.. {
        let place = Place { record: number, line: None };
        let frame = read_bcf_record(&mut input).map_err(|error| unsound(path, place, &error))?;
        if frame.is_empty() {
            break;
        }
        let read = || bcf::io::Reader::from(&frame[..]).read_record(&mut record);
        guarded(read).map_err(|error| unsound(path, place, &error))?;
        taker.take(&record, place)?;
    }
    Ok(taker)
}

/// Whether nothing but blank lines is left.
fn is_blank(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(true);
        }
        if !bytes.trim_ascii().is_empty() {
            return Ok(false);
        }
        let length = bytes.len();
        input.consume(length);
    }
}

/// The lines of a header that genotypes depend on, as many programs write what noodles refuses: of VCF the version and the names
/// of samples; of BCF also those that records point to, each once, with the description that some programs leave out.
fn essential(header: &[u8], is_bcf: bool) -> Vec<u8> {
    const POINTED_TO: [&[u8]; 4] = [b"##contig=<", b"##INFO=<", b"##FORMAT=<", b"##FILTER=<"];
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for line in header.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b"##fileformat=") || !line.starts_with(b"##") {
            kept.extend(line);
            continue;
        }
        let Some(kind) = POINTED_TO.iter().find(|kind| line.starts_with(kind)).filter(|_| is_bcf) else {
            continue;
        };
        let fields = &line[kind.len()..];
        let id = fields.strip_prefix(b"ID=").unwrap_or(fields);
        let id = id.split(|byte| b",>".contains(byte)).next().unwrap_or_default();
        if !seen.insert((*kind, id.to_vec())) {
            continue;
        }
        let line = line.trim_ascii_end();
        let is_described = line.windows(13).any(|part| part == b",Description=");
        if *kind == POINTED_TO[0] || is_described || !line.ends_with(b">") {
            kept.extend(line);
        } else {
            kept.extend(&line[..line.len() - 1]);
            kept.extend(b",Description=\"\">");
        }
        kept.push(b'\n');
    }
    kept
}

/// Refuses what is left of a record where a file was cut, which would else count as one that can be skipped.
fn check_line(line: &[u8], fields: usize) -> io::Result<()> {
    let cut = |what| Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
    if !line.ends_with(b"\n") {
        return cut("its line has no end: the file is cut short, or the last line end is missing; if the record is whole, add one".to_owned());
    }
    let found = count_fields(line);
    if found < fields {
        return cut(format!(
            "it has {found} fields, and the header names {fields}: the file is cut short or damaged"
        ));
    }
    Ok(())
}

/// The number of a line's fields.
fn count_fields(line: &[u8]) -> usize {
    line.split(|&byte| byte == b'\t').count()
}

/// Appends a line with its end; nothing at the end of the input.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    let left = MAX_BYTES.saturating_sub(line.len() as u64);
    let read = input.by_ref().take(left).read_until(b'\n', line)?;
    if read as u64 == left && !line.ends_with(b"\n") {
        return Err(too_long());
    }
    Ok(())
}

/// The header of a BCF: magic number and version, the length of a VCF's header, and that.
fn read_bcf_header(input: &mut impl Read) -> io::Result<vcf::Header> {
    let mut bytes = vec![0; 9];
    input.read_exact(&mut bytes)?;
    let length = u32::from_le_bytes(bytes[5..].try_into().expect("four bytes"));
    let mut text = Vec::new();
    read_more(input, length.into(), &mut text)?;
    // A zero ends the text.
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    let mut text = essential(&text[..end], true);
    text.push(0);
    let length = u32::try_from(text.len()).map_err(|_| too_long())?;
    bytes[5..].copy_from_slice(&length.to_le_bytes());
    bytes.extend(text);
    guarded(|| bcf::io::Reader::from(&bytes[..]).read_header())
}

/// A record of a BCF: the lengths of its two halves, and these; nothing at the end of the input.
fn read_bcf_record(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    if input.fill_buf()?.is_empty() {
        return Ok(Vec::new());
    }
    let mut bytes = vec![0; 8];
    input.read_exact(&mut bytes)?;
    let halves = [0, 4].map(|at| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")));
    read_more(input, halves.map(u64::from).iter().sum(), &mut bytes)?;
    Ok(bytes)
}

/// Appends so many bytes, if they aren't too many and there are as many.
fn read_more(input: &mut impl Read, length: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    if length > MAX_BYTES {
        return Err(too_long());
    }
    let read = input.by_ref().take(length).read_to_end(bytes)?;
    if read as u64 == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// What noodles reads. In damaged BCF it indexes beyond fields that are shorter than they say, which is an error here.
pub(super) fn guarded<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let panicked =
        |_| Err(io::Error::new(io::ErrorKind::InvalidData, "its fields are shorter than they say"));
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(panicked)
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it has more than {MAX_BYTES} bytes"))
}

/// The error of a place that can't be read.
pub(super) fn unsound(path: &Path, place: impl fmt::Display, error: &io::Error) -> PanelError {
    PanelError::Malformed { place: format!("{}, {place}", path.display()), what: error.to_string() }
}
