//! Files that MP-SPDZ reads in place of preprocessing.

use std::{fs::File, io::Write, path::Path};

use asanoha_ring::WideModulus;
use num_bigint::BigUint;
use zeroize::Zeroizing;

use super::Exported;
use crate::store::{BlockReader, Run, StoreError, append_triple, private, write_folder_atomically};

/// Writes the folder `Player-Data/<parties>-p-<bits>` below `out`: the parameters, every party's share of the MAC key, and
/// its shares of the triples, as MP-SPDZ 0.4.2 reads them with `-F -o force_matrix_triples`. Residues are in Montgomery form.
///
/// MP-SPDZ doesn't mark what it has used: an export is to be used once, and by one thread.
///
/// # Errors
/// [`StoreError::Exists`] if there is such a folder, [`StoreError::Unfinished`], damaged blocks, and what can't be read or
/// written.
pub fn mp_spdz(run: &Run, out: &Path, progress: &dyn Fn(usize, usize)) -> Result<Exported, StoreError> {
    let _lock = run.lock()?;
    run.check_finished()?;
    let (parties, shape, t) = (run.manifest().parties, run.manifest().shape, run.modulus().value());
    let folder = out.join("Player-Data").join(format!("{parties}-p-{}", t.bits()));
    let files = write_folder_atomically(&folder, |part| {
        let write = |name: String, contents: &[u8]| {
            let mut file = Output::create(part, name)?;
            file.write(contents)?;
            file.finish()
        };
        let mut files = vec![write("Params-Data".to_owned(), format!("{t}\n1\n").as_bytes())?];
        for party in 0..parties {
            let reader = BlockReader::open(run, party, 0)?;
            let key = Zeroizing::new(format!("{parties} {}\n", run.modulus().integer(reader.mac_key())));
            files.push(write(format!("Player-MAC-Keys-p-P{party}"), key.as_bytes())?);
            let file = Output::create(part, format!("Matrix-{shape}-P{party}"))?;
            files.push(write_shares(run, party, file, progress)?);
        }
        Ok(files)
    })?;
    Ok(Exported { folder, files })
}

/// Writes a party's shares of all triples.
fn write_shares(
    run: &Run,
    party: usize,
    mut file: Output,
    progress: &dyn Fn(usize, usize),
) -> Result<(String, u64), StoreError> {
    let (modulus, blocks) = (run.modulus(), run.manifest().blocks());
    // The residue of 1 in Montgomery form.
    let one = (BigUint::from(1u32) << (64 * modulus.limbs())) % modulus.value();
    let mut mac_key = BlockReader::open(run, party, 0)?.mac_key().clone();
    modulus.scale(&mut mac_key, &one);
    file.write(&header(modulus, &mac_key))?;
    for block in 0..blocks {
        let mut reader = BlockReader::open(run, party, block)?;
        while let Some(mut triples) = reader.next()? {
            for matrices in &mut triples.matrices {
                modulus.scale(matrices.values.words_mut(), &one);
                modulus.scale(matrices.codes.words_mut(), &one);
            }
            let mut bytes = Zeroizing::new(Vec::with_capacity(triples.count() * run.triple_bytes()));
            (0..triples.count()).for_each(|index| append_triple(&mut bytes, &triples, index));
            file.write(&bytes)?;
        }
        progress(party * blocks as usize + block as usize + 1, run.manifest().parties * blocks as usize);
    }
    file.finish()
}

/// The header of a binary file: the length of the rest, the kind, the modulus (its sign, its bytes' number, and these from the
/// highest), 1 for Montgomery form, and the party's share of the MAC key in it.
fn header(modulus: &WideModulus, mac_key: &[u64]) -> Zeroizing<Vec<u8>> {
    let t = modulus.value().to_bytes_be();
    let mut rest = Zeroizing::new(Vec::with_capacity(32 + 2 * 8 * mac_key.len()));
    rest.extend_from_slice(b"SPDZ gfp\0");
    rest.extend_from_slice(&(t.len() as u32).to_le_bytes());
    rest.extend_from_slice(&t);
    rest.extend_from_slice(&1u32.to_le_bytes());
    mac_key.iter().for_each(|word| rest.extend_from_slice(&word.to_le_bytes()));
    let mut header = Zeroizing::new(Vec::with_capacity(8 + rest.len()));
    header.extend_from_slice(&(rest.len() as u64).to_le_bytes());
    header.extend_from_slice(&rest);
    header
}

/// A file that is written to from its start to its end.
struct Output<'a> {
    folder: &'a Path,
    name: String,
    file: File,
    bytes: u64,
}

impl<'a> Output<'a> {
    fn create(folder: &'a Path, name: String) -> Result<Self, StoreError> {
        let path = folder.join(&name);
        let file = private(&path).map_err(|error| StoreError::Write { path, error })?;
        Ok(Self { folder, name, file, bytes: 0 })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| self.unwritable(error))
    }

    /// Brings the file to the disk, and returns its name and length.
    fn finish(self) -> Result<(String, u64), StoreError> {
        self.file.sync_all().map_err(|error| self.unwritable(error))?;
        Ok((self.name, self.bytes))
    }

    fn unwritable(&self, error: std::io::Error) -> StoreError {
        StoreError::Write { path: self.folder.join(&self.name), error }
    }
}
