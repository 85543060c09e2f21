//! A folder of triples, by its manifest.

use std::path::{Path, PathBuf};

use asanoha_ring::WideModulus;

use super::{
    FORMAT, MANIFEST, Manifest, StoreError,
    place::{self, read_bounded},
};
use crate::{ModulusChoice, check_count, check_parties, check_shape};

/// The bytes that a manifest has at most.
const MAX_BYTES: u64 = 1 << 16;
/// The first bytes of a block file.
pub(super) const MAGIC: &[u8; 8] = b"asatrip1";
/// The bytes of its digests.
pub(super) const DIGEST: usize = blake3::OUT_LEN;

/// The bytes of a block file beside its triples.
fn frame_bytes(limbs: usize) -> u64 {
    (MAGIC.len() + DIGEST + 8 * limbs + DIGEST) as u64
}

/// A folder of triples that says what they are.
#[derive(Debug)]
pub struct Run {
    folder: PathBuf,
    manifest: Manifest,
    modulus: WideModulus,
    /// The digest of the manifest.
    digest: blake3::Hash,
}

impl Run {
    /// Reads the manifest of a folder and checks it. The triples aren't read.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Malformed`], and [`StoreError::Mpc`] for what can't be.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let bytes = read_bounded(&folder.join(MANIFEST), MAX_BYTES)?;
        Self::parse(folder, &bytes)
    }

    /// Reads the manifest of a folder that may be another machine's, and checks it.
    pub(super) fn parse(folder: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let path = folder.join(MANIFEST);
        let malformed = |what: String| StoreError::Malformed { path: path.clone(), what };
        let format = serde_json::from_slice::<serde_json::Value>(bytes)
            .ok()
            .and_then(|value| value.get("format")?.as_u64())
            .ok_or_else(|| malformed("isn't a manifest of triples".to_owned()))?;
        if format != u64::from(FORMAT) {
            return Err(malformed(format!("is of format {format}, and this program reads {FORMAT}")));
        }
        let manifest: Manifest =
            serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
        if manifest.block_size == 0 {
            return Err(malformed("has blocks of 0 triples".to_owned()));
        }
        Self::of(folder, manifest)
    }

    pub(super) fn of(folder: &Path, manifest: Manifest) -> Result<Self, StoreError> {
        check_shape(manifest.shape)?;
        check_parties(manifest.parties)?;
        check_count(manifest.count)?;
        let modulus = ModulusChoice::Prime(manifest.modulus.clone()).prime()?;
        let digest = blake3::hash(&manifest.bytes());
        let run = Self { folder: folder.to_owned(), manifest, modulus, digest };
        if run.checked_bytes().is_none() {
            let Manifest { shape, parties, count, .. } = run.manifest;
            let what = format!(
                "{count} triples of {shape} for {parties} parties have more than 2^64 bytes: take fewer or smaller ones"
            );
            return Err(StoreError::Malformed { path: run.folder, what });
        }
        Ok(run)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the triples are.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The prime t.
    pub(crate) fn modulus(&self) -> &WideModulus {
        &self.modulus
    }

    /// The folder of a party's blocks.
    pub(super) fn party_path(&self, party: usize) -> PathBuf {
        self.folder.join(format!("party-{party}"))
    }

    /// The place of a party's block.
    pub(super) fn block_path(&self, party: usize, block: u64) -> PathBuf {
        self.party_path(party).join(format!("block-{block:08}"))
    }

    /// The triples of a block.
    pub(super) fn triples_in(&self, block: u64) -> usize {
        let size = self.manifest.block_size as u64;
        (self.manifest.count - block * size).min(size) as usize
    }

    /// The bytes that a triple takes in a block.
    pub(crate) fn triple_bytes(&self) -> usize {
        16 * self.modulus.limbs() * self.manifest.shape.entries()
    }

    /// The bytes of a party's file of a block; all parties' are as long.
    pub fn block_bytes(&self, block: u64) -> u64 {
        let triples = self.triples_in(block) as u64 * self.triple_bytes() as u64;
        frame_bytes(self.modulus.limbs()) + triples
    }

    /// The bytes of all blocks of all parties.
    pub fn bytes(&self) -> u64 {
        self.checked_bytes().expect("runs of more bytes are refused")
    }

    /// The bytes of all blocks of all parties, if a word holds the number.
    fn checked_bytes(&self) -> Option<u64> {
        let Manifest { parties, count, .. } = self.manifest;
        let frames = self.manifest.blocks().checked_mul(frame_bytes(self.modulus.limbs()))?;
        let triples = count.checked_mul(self.triple_bytes() as u64)?;
        frames.checked_add(triples)?.checked_mul(parties as u64)
    }

    /// The digest of the manifest, a party and a block.
    pub(super) fn block_digest(&self, party: usize, block: u64) -> blake3::Hash {
        let mut hash = blake3::Hasher::new_derive_key("asanoha block of triples");
        hash.update(self.digest.as_bytes())
            .update(&(party as u64).to_le_bytes())
            .update(&block.to_le_bytes());
        hash.finalize()
    }

    /// Locks the folder, so that no other process works in it.
    pub(crate) fn lock(&self) -> Result<Option<std::fs::File>, StoreError> {
        place::lock(&self.folder)
    }

    /// Fails unless every party's every block is there.
    pub(crate) fn check_finished(&self) -> Result<(), StoreError> {
        for block in 0..self.manifest.blocks() {
            for party in 0..self.manifest.parties {
                let path = self.block_path(party, block);
                if !path.is_file() {
                    return Err(StoreError::Unfinished(path));
                }
            }
        }
        Ok(())
    }
}
