//! Files of panels.
//!
//! A file is the eight bytes `asagpan2`; the numbers of haplotypes and sites and the bytes of the chromosome's name; that name;
//! the sites' base pairs; their variants; their bits; and a BLAKE3 digest of everything before. Numbers are words of 64 bits, the lowest byte
//! first. A file is written beside its place, for its owner alone, and then renamed.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use asanoha_lattice::write_atomically;

use super::{
    PanelError,
    alleles::Alleles,
    limits::{MAX_HAPLOTYPES, MAX_NAME, MAX_SITES, MAX_WORDS},
};

/// The start of the file: its format and version.
const MAGIC: &[u8; 8] = b"asagpan2";
/// The bytes before the chromosome's name.
const START: usize = 4 * 8;
const DIGEST: usize = blake3::OUT_LEN;

/// Writes a file, and returns its length in bytes.
///
/// # Errors
/// [`PanelError::Write`].
pub(super) fn write(alleles: &Alleles, path: &Path) -> Result<u64, PanelError> {
    let bytes = to_bytes(alleles);
    write_atomically(path, true, |file: &mut File| file.write_all(&bytes))
        .map_err(|error| PanelError::Write { path: path.to_owned(), error })?;
    Ok(bytes.len() as u64)
}

/// The bytes of a file.
pub(super) fn to_bytes(alleles: &Alleles) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(file_bytes(alleles));
    bytes.extend_from_slice(MAGIC);
    for number in [alleles.haplotypes, alleles.positions.len(), alleles.chromosome.len()] {
        bytes.extend_from_slice(&(number as u64).to_le_bytes());
    }
    bytes.extend_from_slice(alleles.chromosome.as_bytes());
    for word in alleles.positions.iter().chain(&alleles.variants).chain(&alleles.words) {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    let digest = blake3::hash(&bytes);
    bytes.extend_from_slice(digest.as_bytes());
    bytes
}

/// The content of a file's bytes.
///
/// # Errors
/// [`PanelError::Malformed`].
pub(super) fn of_bytes(bytes: &[u8]) -> Result<Alleles, PanelError> {
    let malformed = |what: &str| PanelError::Malformed {
        place: "the bytes of a panel".to_owned(),
        what: what.to_owned(),
    };
    from_bytes(bytes).map_err(malformed)
}

/// Whether a file says of itself that it's a panel's, of any version.
///
/// # Errors
/// [`PanelError::Read`].
pub(super) fn is_index(path: &Path) -> Result<bool, PanelError> {
    let unreadable = |error: io::Error| PanelError::Read { path: path.to_owned(), error };
    let mut start = Vec::new();
    let kind = &MAGIC[..MAGIC.len() - 1];
    let file = File::open(path).map_err(unreadable)?;
    file.take(kind.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
    Ok(start == kind)
}

/// Reads a file. Nothing is allocated beyond its length, and nothing is used before its digest was checked.
///
/// # Errors
/// [`PanelError::Read`], [`PanelError::Malformed`].
pub(super) fn read(path: &Path) -> Result<Alleles, PanelError> {
    let unreadable = |error: io::Error| PanelError::Read { path: path.to_owned(), error };
    let file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let malformed =
        |what: &str| PanelError::Malformed { place: path.display().to_string(), what: what.to_owned() };
    if length < (START + DIGEST) as u64 || length > most_bytes() {
        return Err(malformed("no file of a panel has this length"));
    }
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(length).read_to_end(&mut bytes).map_err(unreadable)?;
    from_bytes(&bytes).map_err(malformed)
}

/// As [`of_bytes`].
///
/// # Errors
/// What's wrong with them.
fn from_bytes(bytes: &[u8]) -> Result<Alleles, &'static str> {
    let (content, digest) =
        bytes.split_at_checked(bytes.len().wrapping_sub(DIGEST)).ok_or("it's too short")?;
    if !content.starts_with(MAGIC) {
        return Err("it's no panel, or one of another version: import it again");
    }
    if blake3::hash(content).as_bytes() != digest {
        return Err("its digest doesn't match its contents: it's damaged; import it again");
    }
    let (start, rest) = content.split_at_checked(START).ok_or("it's too short")?;
    let numbers: Vec<u64> = words(&start[MAGIC.len()..]);
    let (haplotypes, sites, name) = (numbers[0], numbers[1], numbers[2]);
    let sound = (1..=MAX_HAPLOTYPES as u64).contains(&haplotypes)
        && sites <= MAX_SITES as u64
        && (1..=MAX_NAME as u64).contains(&name);
    if !sound {
        return Err("its dimensions are beyond those of panels");
    }
    let (sites, name) = (sites as usize, name as usize);
    let words_of_site = (haplotypes as usize).div_ceil(64);
    if rest.len() != name + 8 * (2 * sites + sites * words_of_site) {
        return Err("its length isn't that of its dimensions");
    }
    let (name, rest) = rest.split_at(name);
    let name = std::str::from_utf8(name).map_err(|_| "its chromosome's name isn't text")?;
    let mut alleles = Alleles::new(name, haplotypes as usize).map_err(|_| "its chromosome's name is none")?;
    let (positions, rest) = rest.split_at(8 * sites);
    let (variants, bits) = rest.split_at(8 * sites);
    (alleles.positions, alleles.variants, alleles.words) = (words(positions), words(variants), words(bits));
    if !alleles.positions.is_sorted() {
        return Err("its positions fall");
    }
    let unused = alleles.haplotypes % 64;
    let stray = |site: &[u64]| unused != 0 && site[words_of_site - 1] >> unused != 0;
    if alleles.words.chunks_exact(words_of_site).any(stray) {
        return Err("it has alleles of more haplotypes than it says");
    }
    Ok(alleles)
}

fn file_bytes(alleles: &Alleles) -> usize {
    START + alleles.chromosome.len() + 8 * (2 * alleles.positions.len() + alleles.words.len()) + DIGEST
}

/// The length of the largest file.
fn most_bytes() -> u64 {
    (START + MAX_NAME + 8 * (2 * MAX_SITES + MAX_WORDS) + DIGEST) as u64
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::{Panel, RandomPanel};
    use asanoha_ring::Seed;

    /// A panel's file with another content, under a digest that fits.
    fn sealed(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let shape = RandomPanel { haplotypes: 70, sites: 9, recombination: 0.1, mutation: 0.1 };
        let panel = shape.generate(&Seed([1; 32])).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("panel");
        let length = panel.write(&path).unwrap();
        assert_eq!(Panel::read(&path).unwrap(), panel);
        let mut bytes = std::fs::read(&path).unwrap();
        assert_eq!(length, file_bytes(&from_bytes(&bytes).unwrap()) as u64);
        bytes.truncate(bytes.len() - DIGEST);
        change(&mut bytes);
        let digest = blake3::hash(&bytes);
        bytes.extend_from_slice(digest.as_bytes());
        bytes
    }

    type Change = Box<dyn Fn(&mut Vec<u8>)>;

    #[test]
    fn files_that_no_panel_gives_are_refused_in_words() {
        let name = START + "random".len();
        let refused: [(&str, Change); 8] = [
            ("version", Box::new(|bytes| bytes[7] = b'1')),
            ("dimensions", Box::new(|bytes| bytes[8..16].fill(0))),
            ("dimensions", Box::new(|bytes| bytes[16..24].fill(255))),
            ("dimensions", Box::new(|bytes| bytes[24] = 0)),
            ("length", Box::new(|bytes| bytes.truncate(bytes.len() - 8))),
            ("text", Box::new(|bytes| bytes[START] = 255)),
            ("positions", Box::new(move |bytes| bytes[name] = 200)),
            ("haplotypes", Box::new(|bytes| *bytes.last_mut().unwrap() = 1)),
        ];
        for (word, change) in refused {
            let error = from_bytes(&sealed(change)).unwrap_err();
            assert!(error.contains(word), "{word}: {error}");
        }
        assert!(from_bytes(&sealed(|_| ())).is_ok());
    }

    #[test]
    fn no_byte_of_a_file_can_be_changed_or_left_out() {
        let bytes = sealed(|_| ());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(from_bytes(&changed).is_err(), "byte {at}");
            assert!(from_bytes(&bytes[..at]).is_err(), "{at} bytes");
        }
    }
}
