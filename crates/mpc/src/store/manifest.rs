//! What a folder of triples says about itself.

use asanoha_ring::Seed;
use num_bigint::BigUint;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{TripleShape, TripleSource};

/// The version of the folder's format.
pub const FORMAT: u32 = 1;
/// The name of the file.
pub const MANIFEST: &str = "manifest.json";

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
    pub shape: TripleShape,
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
