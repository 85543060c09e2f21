//! Panels from VCF, bgzipped VCF and BCF.
//!
//! Files are cut into records here, so that no record takes more memory than it may, and each is read by noodles.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use noodles_bcf as bcf;
use noodles_bgzf as bgzf;
use noodles_vcf::{
    self as vcf,
    variant::record::{
        AlternateBases as _, Record, ReferenceBases as _, Samples as _,
        samples::series::{Value, value::genotype::Phasing},
    },
};

use super::{MAX_HAPLOTYPES, Panel, PanelError, Site, Unusable};

/// The most bytes of a header, and of a record.
const MAX_BYTES: u64 = 1 << 28;
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The empty block at the end of every bgzipped file.
const GZIP_END: [u8; 28] = *b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
const BCF: &[u8] = b"BCF\x02";
/// The haplotypes of a sample.
const PLOIDY: usize = 2;

/// What becomes of records that a panel doesn't take: those without phased genotypes of two haplotypes and two alleles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// They're errors.
    #[default]
    Refuse,
    /// They're left out, and counted.
    Skip,
}

/// A panel out of a file of variants. Sample i has the haplotypes 2·i and 2·i + 1, in the order of its genotypes.
#[derive(Clone, Debug)]
pub struct Variants {
    /// The panel.
    pub panel: Panel,
    /// The samples' names.
    pub samples: Vec<String>,
    /// How many records were left out.
    pub skipped: usize,
}

impl Variants {
    /// Reads VCF, VCF compressed by bgzip, or BCF, whichever the file is. Allele 0 is the reference.
    ///
    /// A file that is cut short is refused, whatever the policy, unless it isn't compressed and ends right after a record:
    /// then nothing tells it from a whole one.
    ///
    /// # Errors
    /// [`PanelError::Record`] for what isn't taken, unless it's skipped; [`PanelError::Chromosome`] for a second chromosome;
    /// [`PanelError::Malformed`], [`PanelError::Empty`], [`PanelError::Order`], [`PanelError::Haplotypes`],
    /// [`PanelError::Sites`], [`PanelError::Read`].
    pub fn read(path: &Path, policy: Policy) -> Result<Self, PanelError> {
        Self::read_records(path, policy, None)
    }

    /// Reads the records of one chromosome, and passes over those of all others, whatever they are: of a file of somebody's
    /// whole genome, what a panel of that chromosome is asked about.
    ///
    /// # Errors
    /// [`PanelError::OtherChromosome`] of a file without records of that chromosome; those of [`Variants::read`].
    pub fn read_chromosome(path: &Path, policy: Policy, chromosome: &str) -> Result<Self, PanelError> {
        Self::read_records(path, policy, Some(chromosome))
    }

    fn read_records(path: &Path, policy: Policy, only: Option<&str>) -> Result<Self, PanelError> {
        let wanted = Wanted { path, policy, only };
        let unreadable = |error| PanelError::Read { path: path.to_owned(), error };
        let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
        let compressed = file.fill_buf().map_err(unreadable)?.starts_with(&GZIP);
        if compressed {
            let mut end = Vec::new();
            let length = file.get_ref().metadata().map_err(unreadable)?.len();
            let from = SeekFrom::Start(length.saturating_sub(GZIP_END.len() as u64));
            file.seek(from).and_then(|_| file.read_to_end(&mut end)).map_err(unreadable)?;
            if end != GZIP_END {
                let place = path.display().to_string();
                let what =
                    "it lacks the end of a bgzipped file: it's cut short, or compressed by another program";
                return Err(PanelError::Malformed { place, what: what.to_owned() });
            }
            file.rewind().map_err(unreadable)?;
            Self::read_plain(bgzf::io::Reader::new(file), wanted)
        } else {
            Self::read_plain(file, wanted)
        }
    }

    fn read_plain(mut input: impl BufRead, wanted: Wanted<'_>) -> Result<Self, PanelError> {
        let start = input.fill_buf().map_err(|error| unsound(wanted.path, "its start", &error))?;
        if start.starts_with(BCF) { Self::read_bcf(input, wanted) } else { Self::read_vcf(input, wanted) }
    }

    fn read_vcf(mut input: impl BufRead, wanted: Wanted<'_>) -> Result<Self, PanelError> {
        let path = wanted.path;
        let mut text = Vec::new();
        while input.fill_buf().map_err(|error| unsound(path, "its header", &error))?.starts_with(b"#") {
            read_line(&mut input, &mut text).map_err(|error| unsound(path, "its header", &error))?;
        }
        let text = essential(&text);
        let header = guarded(|| vcf::io::Reader::new(&text[..]).read_header());
        let header = header.map_err(|error| unsound(path, "its header", &error))?;
        let names = text.trim_ascii_end().rsplit(|&byte| byte == b'\n').next();
        let fields = names.map_or(0, count_fields);
        let mut columns = Columns::new(wanted, header)?;
        let (mut line, mut record) = (Vec::new(), vcf::Record::default());
        loop {
            line.clear();
            let place = columns.next();
            read_line(&mut input, &mut line).map_err(|error| unsound(path, place, &error))?;
            if line.is_empty() {
                return columns.finish();
            }
            check_line(&line, fields).map_err(|error| unsound(path, place, &error))?;
            let read = || vcf::io::Reader::new(&line[..]).read_record(&mut record);
            guarded(read).map_err(|error| unsound(path, place, &error))?;
            columns.take(&record)?;
        }
    }

    fn read_bcf(mut input: impl BufRead, wanted: Wanted<'_>) -> Result<Self, PanelError> {
        let path = wanted.path;
        let header = read_bcf_header(&mut input).map_err(|error| unsound(path, "its header", &error))?;
        let mut columns = Columns::new(wanted, header)?;
        let mut record = bcf::Record::default();
        loop {
            let place = columns.next();
            let frame = read_bcf_record(&mut input).map_err(|error| unsound(path, place, &error))?;
            if frame.is_empty() {
                return columns.finish();
            }
            let read = || bcf::io::Reader::from(&frame[..]).read_record(&mut record);
            guarded(read).map_err(|error| unsound(path, place, &error))?;
            columns.take(&record)?;
        }
    }
}

/// The lines of a header that genotypes depend on: the version, and the names of samples. All others are left out, as many
/// programs write what noodles refuses: lines that are there already, or that lack a description.
fn essential(header: &[u8]) -> Vec<u8> {
    let is_essential = |line: &&[u8]| line.starts_with(b"##fileformat=") || !line.starts_with(b"##");
    header.split_inclusive(|&byte| byte == b'\n').filter(is_essential).flatten().copied().collect()
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
    read_more(input, length.into(), &mut bytes)?;
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
fn guarded<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let panicked =
        |_| Err(io::Error::new(io::ErrorKind::InvalidData, "its fields are shorter than they say"));
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(panicked)
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it has more than {MAX_BYTES} bytes"))
}

/// The error of a place that can't be read.
fn unsound(path: &Path, place: impl fmt::Display, error: &io::Error) -> PanelError {
    PanelError::Malformed { place: format!("{}, {place}", path.display()), what: error.to_string() }
}

/// The number of a record, from 1.
#[derive(Clone, Copy, Debug)]
struct Number(usize);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}", self.0)
    }
}

/// What is read of which file.
#[derive(Clone, Copy)]
struct Wanted<'w> {
    path: &'w Path,
    policy: Policy,
    /// The only chromosome whose records count.
    only: Option<&'w str>,
}

/// A panel that grows record by record.
struct Columns<'w> {
    wanted: Wanted<'w>,
    header: vcf::Header,
    number: usize,
    skipped: usize,
    panel: Option<Panel>,
    /// Another chromosome than the one that counts.
    other: Option<String>,
}

impl<'w> Columns<'w> {
    fn new(wanted: Wanted<'w>, header: vcf::Header) -> Result<Self, PanelError> {
        let haplotypes = PLOIDY * header.sample_names().len();
        if haplotypes > MAX_HAPLOTYPES {
            return Err(PanelError::Haplotypes(haplotypes));
        }
        Ok(Self { wanted, header, number: 0, skipped: 0, panel: None, other: None })
    }

    /// The number of the next record.
    fn next(&mut self) -> Number {
        self.number += 1;
        Number(self.number)
    }

    /// Takes the record of the current number.
    fn take(&mut self, record: &dyn Record) -> Result<(), PanelError> {
        let number = self.number;
        let unsound = |error: io::Error| unsound(self.wanted.path, Number(number), &error);
        let chromosome = guarded(|| record.reference_sequence_name(&self.header)).map_err(unsound)?;
        if self.wanted.only.is_some_and(|only| only != chromosome) {
            self.other.get_or_insert_with(|| chromosome.to_owned());
            return Ok(());
        }
        let fields = || {
            let position = record.variant_start().transpose()?.map_or(0, usize::from) as u64;
            let alleles = alleles(record, &self.header)?;
            let site = if alleles.is_ok() { site(record, position)? } else { Site { position, variant: 0 } };
            Ok((site, alleles))
        };
        let (site, alleles) = guarded(fields).map_err(unsound)?;
        let alleles = match (alleles, self.wanted.policy) {
            (Ok(alleles), _) => alleles,
            (Err(_), Policy::Skip) => {
                self.skipped += 1;
                return Ok(());
            }
            (Err(what), Policy::Refuse) => {
                let place = format!("{chromosome}:{}", site.position);
                return Err(PanelError::Record { number, place, what });
            }
        };
        let panel = match &mut self.panel {
            Some(panel) => panel,
            None => self.panel.insert(Panel::new(chromosome, alleles.len())?),
        };
        if panel.chromosome() != chromosome {
            let (found, expected) = (chromosome.to_owned(), panel.chromosome().to_owned());
            return Err(PanelError::Chromosome { number, found, expected });
        }
        panel.push_site(site, &alleles)
    }

    fn finish(self) -> Result<Variants, PanelError> {
        let panel = self.panel.ok_or_else(|| match (self.other, self.wanted.only) {
            (Some(found), Some(only)) if self.skipped == 0 => {
                PanelError::OtherChromosome { found, expected: only.to_owned() }
            }
            _ => PanelError::Empty(self.wanted.path.display().to_string()),
        })?;
        let samples = self.header.sample_names().iter().cloned().collect();
        Ok(Variants { panel, samples, skipped: self.skipped })
    }
}

/// The site of a record of one alternate allele.
fn site(record: &dyn Record, position: u64) -> io::Result<Site> {
    let reference = record.reference_bases().iter().collect::<io::Result<Vec<u8>>>()?;
    let alternates = record.alternate_bases();
    let alternate = alternates.iter().next().transpose()?.unwrap_or_default().to_owned();
    Ok(Site::new(position, &String::from_utf8_lossy(&reference), &alternate))
}

/// The haplotypes' alleles, or why a panel doesn't take them.
fn alleles(record: &dyn Record, header: &vcf::Header) -> io::Result<Result<Vec<bool>, Unusable>> {
    if record.alternate_bases().len() != 1 {
        return Ok(Err(Unusable::NotBiallelic));
    }
    let samples = record.samples()?;
    let expected = header.sample_names().len();
    let Some(series) = samples.select(header, "GT").transpose()?.filter(|_| expected > 0) else {
        return Ok(Err(Unusable::NoGenotypes));
    };
    let mut alleles = Vec::with_capacity(PLOIDY * expected);
    for value in series.iter(header) {
        let Some(Value::Genotype(genotype)) = value? else { return Ok(Err(Unusable::NoGenotypes)) };
        let (from, mut is_phased) = (alleles.len(), true);
        for allele in genotype.iter() {
            let (allele, phasing) = allele?;
            // The first allele's phasing is that of the others, or is given apart; it assigns nothing by itself.
            is_phased &= alleles.len() == from || phasing == Phasing::Phased;
            match allele {
                None => return Ok(Err(Unusable::MissingAllele)),
                Some(allele @ (0 | 1)) => alleles.push(allele == 1),
                Some(_) => return Ok(Err(Unusable::UnknownAllele)),
            }
        }
        let [first, second] = alleles[from..] else { return Ok(Err(Unusable::NotDiploid)) };
        // Equal alleles are those of either haplotype, phased or not.
        if !is_phased && first != second {
            return Ok(Err(Unusable::NotPhased));
        }
    }
    Ok(if alleles.len() == PLOIDY * expected { Ok(alleles) } else { Err(Unusable::NoGenotypes) })
}
