//! Files that numpy reads.

use std::{fs::File, io::Write, path::Path};

use zeroize::Zeroizing;
use zip::{CompressionMethod, ZipWriter, result::ZipError, write::SimpleFileOptions};

use super::Exported;
use crate::store::{BlockReader, Run, StoreError, private, write_folder_atomically};

/// The bytes of an array before its header: the kind, the version, and the header's length.
const START: usize = 10;
/// What shares of matrices are called.
const NAMES: [&str; 3] = ["A", "B", "C"];

/// Writes a file `party-<i>.npz` for each party into a new folder. `numpy.load` gives arrays of little-endian 64-bit words,
/// the lowest first, l words a residue:
///
/// | name | shape | holds shares of |
/// |---|---|---|
/// | `A`, `B`, `C` | count × rows × columns × l | the entries |
/// | `A_codes`, `B_codes`, `C_codes` | count × rows × columns × l | the MAC key times them |
/// | `mac_key` | l | the MAC key |
/// | `modulus` | l | (the prime itself) |
///
/// # Errors
/// [`StoreError::Exists`] if the folder isn't empty, [`StoreError::Unfinished`], damaged blocks, and what can't be read or
/// written.
pub fn npz(run: &Run, out: &Path, progress: &dyn Fn(usize, usize)) -> Result<Exported, StoreError> {
    let _lock = run.lock()?;
    run.check_finished()?;
    let parties = run.manifest().parties;
    let files = write_folder_atomically(out, |part| {
        (0..parties)
            .map(|party| {
                let name = format!("party-{party}.npz");
                let path = part.join(&name);
                let bytes = write_party(run, party, &path, &|done, all| {
                    progress(party * all + done, parties * all);
                })?;
                Ok((name, bytes))
            })
            .collect()
    })?;
    Ok(Exported { folder: out.to_owned(), files })
}

/// Writes a party's file, and returns its bytes.
fn write_party(
    run: &Run,
    party: usize,
    path: &Path,
    progress: &dyn Fn(usize, usize),
) -> Result<u64, StoreError> {
    let unwritable = |error| StoreError::Write { path: path.to_owned(), error };
    let zip_unwritable = |error: ZipError| unwritable(error.into());
    let mut zip = ZipWriter::new(private(path).map_err(unwritable)?);
    let (limbs, count) = (run.modulus().limbs(), run.manifest().count as usize);
    begin(&mut zip, "modulus", &[limbs]).map_err(zip_unwritable)?;
    zip.write_all(&bytes_of(run.modulus().words())).map_err(unwritable)?;
    begin(&mut zip, "mac_key", &[limbs]).map_err(zip_unwritable)?;
    zip.write_all(&bytes_of(BlockReader::open(run, party, 0)?.mac_key())).map_err(unwritable)?;
    // A file holds one array after another, so blocks are read once for each.
    for (pass, (which, name)) in NAMES.iter().enumerate().flat_map(|named| [named, named]).enumerate() {
        let is_codes = pass % 2 == 1;
        let [rows, columns] = run.manifest().shape.matrices()[which];
        let name = format!("{name}{}", if is_codes { "_codes" } else { "" });
        begin(&mut zip, &name, &[count, rows, columns, limbs]).map_err(zip_unwritable)?;
        let blocks = run.manifest().blocks();
        for block in 0..blocks {
            let mut reader = BlockReader::open(run, party, block)?;
            while let Some(triples) = reader.next()? {
                let matrices = &triples.matrices[which];
                let batch = if is_codes { &matrices.codes } else { &matrices.values };
                let mut words = Zeroizing::new(Vec::with_capacity(batch.words().len()));
                for index in 0..triples.count() {
                    for row in 0..rows {
                        (0..columns)
                            .for_each(|column| words.extend_from_slice(batch.entry(index, row, column)));
                    }
                }
                zip.write_all(&bytes_of(&words)).map_err(unwritable)?;
            }
            progress(pass * blocks as usize + block as usize + 1, 2 * NAMES.len() * blocks as usize);
        }
    }
    let file = zip.finish().map_err(zip_unwritable)?;
    file.sync_all().and_then(|()| file.metadata()).map(|about| about.len()).map_err(unwritable)
}

fn bytes_of(words: &[u64]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Begins an array of words: the header of numpy's format 1.0, which is padded to a multiple of 64 bytes.
fn begin(zip: &mut ZipWriter<File>, name: &str, shape: &[usize]) -> Result<(), ZipError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .unix_permissions(0o600)
        .large_file(true);
    zip.start_file(format!("{name}.npy"), options)?;
    let shape = format!("{shape:?}");
    let shape = shape.trim_matches(['[', ']']);
    let mut about = format!("{{'descr': '<u8', 'fortran_order': False, 'shape': ({shape},), }}");
    let padded = (START + about.len() + 1).next_multiple_of(64) - START;
    about = format!("{about:<width$}\n", width = padded - 1);
    zip.write_all(b"\x93NUMPY\x01\x00")?;
    zip.write_all(&(padded as u16).to_le_bytes())?;
    zip.write_all(about.as_bytes())?;
    Ok(())
}
