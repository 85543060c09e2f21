//! What a folder of triples says about itself.

use std::path::{Path, PathBuf};

use asanoha_ring::{Seed, WideModulus};
use num_bigint::BigUint;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{
    StoreError,
    block::{BlockReader, frame_bytes},
    place::{self, read_bounded},
};
use crate::{ModulusChoice, Shape, TripleSource, check_count, check_parties, check_shape};

/// The version of the folder's format.
pub const FORMAT: u32 = 1;
/// The name of the file.
pub const MANIFEST: &str = "manifest.json";
/// The bytes that it has at most.
const MAX_BYTES: u64 = 1 << 16;

/// What a folder of triples says about itself. Nothing of it is secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the format: [`FORMAT`].
    pub format: u32,
    /// The prime t, in decimal.
    #[serde(serialize_with = "write_decimal", deserialize_with = "read_decimal")]
    pub modulus: BigUint,
    /// The dimensions.
    pub shape: Shape,
    /// The number of parties.
    pub parties: usize,
    /// The number of triples.
    pub count: u64,
    /// The number of triples in a block; the last may have fewer.
    pub block_size: usize,
    /// How the triples are made.
    pub generator: String,
    /// The digest of the generator's parameters.
    pub parameters: String,
    /// The security in bits of what parties see of each other.
    pub security_bits: u32,
    /// Whether the seed was given, so that whoever knows it knows everything.
    pub seeded: bool,
    /// Names the run: what follows from its seed and from everything above.
    pub run: String,
}

fn write_decimal<S: Serializer>(value: &BigUint, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

fn read_decimal<'de, D: Deserializer<'de>>(from: D) -> Result<BigUint, D::Error> {
    let text = String::deserialize(from)?;
    // More digits than a modulus has would take long to read.
    let digits = text.len() <= 200 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .then(|| text.parse().ok())
        .flatten()
        .ok_or_else(|| D::Error::custom("the modulus is a decimal number"))
}

impl Manifest {
    /// The manifest of `count` triples of a source with this seed.
    pub(super) fn new(source: &impl TripleSource, count: u64, seed: &Seed, seeded: bool) -> Self {
        let mut manifest = Self {
            format: FORMAT,
            modulus: source.modulus().value().clone(),
            shape: source.shape(),
            parties: source.parties(),
            count,
            block_size: source.block_size(),
            generator: source.name(),
            parameters: source.digest(),
            security_bits: source.security_bits(),
            seeded,
            run: String::new(),
        };
        let run = seed.derive("run of triples", &[&manifest.bytes()]);
        manifest.run = blake3::Hash::from_bytes(run.0).to_hex().to_string();
        manifest
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("it's plain data");
        bytes.push(b'\n');
        bytes
    }

    /// The security in bits of the codes, b: parties who alter a value that is opened pass the check of the codes with a probability of at
    /// most 2/t ≤ 2^−b, whatever they compute.
    ///
    /// Source: Damgård, Keller, Larraia, Pastro, Scholl, Smart, "Practical covertly secure MPC for dishonest majority" (ESORICS
    /// 2013), MACCheck.
    pub fn mac_security_bits(&self) -> u64 {
        // t has a bit more than log2 t, rounded down.
        self.modulus.bits().saturating_sub(2)
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        self.count.div_ceil(self.block_size as u64)
    }

    /// What is asked for and isn't what this is.
    pub(super) fn difference(&self, asked: &Self) -> Option<(&'static str, String, String)> {
        let parts = |manifest: &Self| {
            [
                ("modulus", manifest.modulus.to_string()),
                ("shape", manifest.shape.to_string()),
                ("parties", manifest.parties.to_string()),
                ("count", manifest.count.to_string()),
                ("generator", manifest.generator.clone()),
                ("block size", manifest.block_size.to_string()),
                ("parameters", manifest.parameters.clone()),
                ("seed and manifest", manifest.run.clone()),
            ]
        };
        let mut pairs = parts(self).into_iter().zip(parts(asked));
        pairs.find(|(own, other)| own != other).map(|((what, own), (_, other))| (what, own, other))
    }
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

    /// The bytes of a party's block.
    pub(super) fn block_bytes(&self, block: u64) -> u64 {
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

    /// Reads a party's block.
    pub(crate) fn read(&self, party: usize, block: u64) -> Result<BlockReader<'_>, StoreError> {
        BlockReader::open(self, party, block)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_passed_with_two_in_as_many_cases_as_the_modulus_says() {
        for (bits, modulus) in
            [(18, (1u64 << 19) + 21), (18, (1 << 20) - 3), (19, (1 << 20) + 7), (62, u64::MAX - 58)]
        {
            let text = format!(
                r#"{{"format": 1, "modulus": "{modulus}", "shape": {{"rows": 1, "inner": 1, "columns": 1}}, "parties": 2, "count": 1,
                "block_size": 1, "generator": "", "parameters": "", "security_bits": 128, "seeded": false, "run": ""}}"#
            );
            let found = serde_json::from_str::<Manifest>(&text).unwrap().mac_security_bits();
            assert_eq!(found, bits);
            assert!(2f64.powi(-(bits as i32)) >= 2.0 / modulus as f64);
        }
    }
}
