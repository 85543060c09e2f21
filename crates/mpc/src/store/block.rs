//! One party's shares of a block of triples, in a file.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::PathBuf,
};

use asanoha_circuits::matrix::MatrixBatch;
use asanoha_lattice::Unfinished;
use asanoha_ring::WideModulus;
use zeroize::Zeroizing;

use super::{
    Run, StoreError,
    place::write_atomically,
    run::{DIGEST, MAGIC},
};
use crate::{PartyTriples, SharedMatrices};

/// About the bytes that are read or written at a time.
const CHUNK: usize = 1 << 20;

/// Appends a party's shares of one triple: the entries of A, B and C row by row, of each the value and the code.
pub(crate) fn append_triple(bytes: &mut Vec<u8>, triples: &PartyTriples, index: usize) {
    for SharedMatrices { values, codes } in &triples.matrices {
        let [rows, columns] = values.shape();
        for place in 0..rows * columns {
            let (row, column) = (place / columns, place % columns);
            let words = values.entry(index, row, column).iter().chain(codes.entry(index, row, column));
            words.for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        }
    }
}

/// A party's shares of a block, of which the first are written: so many as the run has in it.
#[derive(Clone, Copy)]
pub(super) struct Shares<'a> {
    pub(super) party: usize,
    pub(super) block: u64,
    pub(super) mac_key: &'a [u64],
    pub(super) triples: &'a PartyTriples,
}

impl Shares<'_> {
    /// Writes the file to its place. The last block finishes the work.
    pub(super) fn write_atomically(&self, run: &Run, work: Option<Unfinished>) -> Result<(), StoreError> {
        write_atomically(&run.block_path(self.party, self.block), work, |file| self.write(run, file))
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self, run: &Run) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(run.block_bytes(self.block) as usize));
        self.write(run, &mut *bytes).expect("memory takes all bytes");
        bytes
    }

    fn write(&self, run: &Run, file: &mut impl Write) -> io::Result<()> {
        let mut hash = blake3::Hasher::new();
        let mut bytes = Zeroizing::new(Vec::with_capacity(CHUNK + run.triple_bytes()));
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(run.block_digest(self.party, self.block).as_bytes());
        self.mac_key.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        for index in 0..run.triples_in(self.block) {
            append_triple(&mut bytes, self.triples, index);
            if bytes.len() >= CHUNK {
                hash.update(&bytes);
                file.write_all(&bytes)?;
                bytes.clear();
            }
        }
        hash.update(&bytes);
        bytes.extend_from_slice(hash.finalize().as_bytes());
        file.write_all(&bytes)
    }
}

/// Writes the bytes of a block file that another machine made to their place, once they are found to be those of this run, party and
/// block. The last block finishes the work.
pub(super) fn write_bytes_atomically(
    run: &Run,
    (party, block): (usize, u64),
    bytes: &[u8],
    work: Option<Unfinished>,
) -> Result<(), StoreError> {
    let path = run.block_path(party, block);
    let mut reader = BlockReader::begin(run, (party, block), path.clone(), bytes.len() as u64, bytes)?;
    while reader.next()?.is_some() {}
    write_atomically(&path, work, |file| file.write_all(bytes))
}

/// A block file that is read from its start to its end.
pub(crate) struct BlockReader<'a, R = File> {
    run: &'a Run,
    path: PathBuf,
    file: R,
    hash: blake3::Hasher,
    mac_key: Zeroizing<Vec<u64>>,
    /// The triples that are still to come.
    left: usize,
}

impl<'a> BlockReader<'a> {
    /// Opens a party's block and checks its length and header.
    pub(crate) fn open(run: &'a Run, party: usize, block: u64) -> Result<Self, StoreError> {
        let path = run.block_path(party, block);
        let opened = File::open(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
        match opened {
            Ok((found, file)) => Self::begin(run, (party, block), path, found, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::Unfinished(path)),
            Err(error) => Err(StoreError::Read { path, error }),
        }
    }
}

impl<'a, R: Read> BlockReader<'a, R> {
    /// Checks the length, `found`, and the header of what will be or is at a path.
    fn begin(
        run: &'a Run,
        (party, block): (usize, u64),
        path: PathBuf,
        found: u64,
        mut file: R,
    ) -> Result<Self, StoreError> {
        let (expected, left) = (run.block_bytes(block), run.triples_in(block));
        if found != expected {
            return Err(StoreError::Length { path, expected, found });
        }
        let mut header = Zeroizing::new(vec![0; MAGIC.len() + DIGEST + 8 * run.modulus().limbs()]);
        if let Err(error) = file.read_exact(&mut header) {
            return Err(StoreError::Read { path, error });
        }
        let (start, key) = header.split_at(MAGIC.len() + DIGEST);
        if start[..MAGIC.len()] != *MAGIC
            || start[MAGIC.len()..] != *run.block_digest(party, block).as_bytes()
        {
            return Err(StoreError::Mixed(path));
        }
        let mut hash = blake3::Hasher::new();
        hash.update(&header);
        let mac_key = Zeroizing::new(key.chunks_exact(8).map(word).collect::<Vec<_>>());
        if !is_reduced(run.modulus(), &mac_key) {
            return Err(StoreError::Altered(path));
        }
        Ok(Self { run, path, file, hash, mac_key, left })
    }

    /// The party's share of the MAC key, as a row.
    pub(crate) fn mac_key(&self) -> &Zeroizing<Vec<u64>> {
        &self.mac_key
    }

    /// Some of the next triples, and `None` after the last, if the file's digest is right.
    pub(crate) fn next(&mut self) -> Result<Option<PartyTriples>, StoreError> {
        let (modulus, size) = (self.run.modulus(), self.run.triple_bytes());
        let unreadable = |error| StoreError::Read { path: self.path.clone(), error };
        let count = self.left.min((CHUNK / size).max(1));
        self.left -= count;
        if count == 0 {
            let mut digest = [0; DIGEST];
            self.file.read_exact(&mut digest).map_err(unreadable)?;
            let is_right = self.hash.finalize() == digest;
            return if is_right { Ok(None) } else { Err(StoreError::Altered(self.path.clone())) };
        }
        let mut bytes = Zeroizing::new(vec![0; count * size]);
        self.file.read_exact(&mut bytes).map_err(unreadable)?;
        self.hash.update(&bytes);
        let matrices = self.run.manifest().shape.matrices().map(|shape| {
            let zero = || MatrixBatch::zero(modulus, shape, count);
            SharedMatrices { values: zero(), codes: zero() }
        });
        let mut triples = PartyTriples { matrices };
        let mut rows = bytes.chunks_exact(8 * modulus.limbs());
        for index in 0..count {
            for SharedMatrices { values, codes } in &mut triples.matrices {
                let [height, width] = values.shape();
                for place in 0..height * width {
                    for batch in [&mut *values, &mut *codes] {
                        let entry = batch.entry_mut(index, place / width, place % width);
                        let row = rows.next().expect("the bytes are those of the entries");
                        entry.iter_mut().zip(row.chunks_exact(8)).for_each(|(to, from)| *to = word(from));
                        if !is_reduced(modulus, entry) {
                            return Err(StoreError::Altered(self.path.clone()));
                        }
                    }
                }
            }
        }
        Ok(Some(triples))
    }
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("pieces of eight bytes"))
}

/// Whether a row is below the modulus.
fn is_reduced(modulus: &WideModulus, row: &[u64]) -> bool {
    row.iter().rev().lt(modulus.words().iter().rev())
}
