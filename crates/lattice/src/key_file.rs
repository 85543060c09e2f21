//! Keys and ciphertexts in files. Uniform halves are stored as seeds.

use std::{collections::BTreeMap, path::Path};

use asanoha_ring::{Basis, Evaluation, GaloisElement, Poly, Seed};
use zeroize::Zeroizing;

use crate::{
    EvaluationKeys, FileError, FileHeader, FileReader, FileWriter, GaloisKey, KeyId, KeySwitchKey, Level,
    PublicKey, RlweCiphertext, RlweParams, SecretKey,
};

const SECRET: &str = "secret key";
const PUBLIC: &str = "public key";
const EVALUATION: &str = "evaluation keys";
const SEED_WORDS: usize = 4;

impl RlweParams {
    /// The header of a file of a kind that belongs to these parameters, under the digest of the scheme's.
    pub fn file_header(&self, digest: &str, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader {
        FileHeader {
            kind: kind.into(),
            params: digest.into(),
            key,
            security_bits: self.security_bits(),
            insecure: self.literal().insecure,
            fields,
        }
    }
}

impl SecretKey {
    /// Writes the secret to a file that only its owner may read. `digest` is that of the scheme's parameters.
    pub fn write(&self, params: &RlweParams, digest: &str, path: &Path) -> Result<u64, FileError> {
        let words = Zeroizing::new(self.coefficients().iter().map(|&c| c as u64).collect::<Vec<_>>());
        let mut file =
            FileWriter::new(params.file_header(digest, self.id(), SECRET, serde_json::Value::Null)).private();
        file.tensor("secret", &[words.len()], vec![&words]);
        file.write(path)
    }

    /// Reads a secret.
    pub fn read(params: &RlweParams, digest: &str, path: &Path) -> Result<Self, FileError> {
        let mut file = FileReader::read(path, SECRET, digest)?;
        let words = file.words("secret", &[params.ring_degree()])?;
        let coefficients = words.iter().map(|&word| word as i64).collect();
        let secret = Self::from_checked_coefficients(params, file.header().key, coefficients);
        file.erase();
        secret.ok_or_else(|| file.error("the secret isn't ternary"))
    }
}

impl PublicKey {
    /// Writes the key to a file.
    pub fn write(&self, params: &RlweParams, digest: &str, path: &Path) -> Result<u64, FileError> {
        let mut file =
            FileWriter::new(params.file_header(digest, self.id(), PUBLIC, serde_json::Value::Null));
        let seed = seed_words(self.seed());
        let b = self.body();
        file.tensor("b", &[b.basis().len(), params.ring_degree()], vec![b.words()]);
        file.tensor("seed", &[SEED_WORDS], vec![&seed]);
        file.write(path)
    }

    /// Reads a key.
    pub fn read(params: &RlweParams, digest: &str, path: &Path) -> Result<Self, FileError> {
        let file = FileReader::read(path, PUBLIC, digest)?;
        let b = file.polys("b", params.q(params.max_level()), 1)?.remove(0);
        let seed = seed_from(file.words("seed", &[SEED_WORDS])?);
        Ok(Self::from_parts(params, file.header().key, b, seed))
    }
}

impl EvaluationKeys {
    /// Writes the keys to a file.
    pub fn write(&self, params: &RlweParams, digest: &str, path: &Path) -> Result<u64, FileError> {
        let keys: Vec<(String, &KeySwitchKey)> = self
            .relinearisation
            .iter()
            .map(|key| ("relinearisation".to_owned(), key))
            .chain(self.galois.iter().map(|(g, key)| (format!("galois.{}", g.0), &key.key)))
            .collect();
        let seeds: Vec<Vec<u64>> = keys
            .iter()
            .map(|(_, key)| key.digits.iter().flat_map(|pair| seed_words(&pair.seed)).collect())
            .collect();
        let mut file =
            FileWriter::new(params.file_header(digest, self.id, EVALUATION, serde_json::Value::Null));
        for ((name, key), seeds) in keys.iter().zip(&seeds) {
            let digits = key.digits.len();
            let shape = [digits, params.qp().len(), params.ring_degree()];
            file.tensor(format!("{name}.b"), &shape, key.digits.iter().map(|pair| pair.b.words()).collect());
            file.tensor(format!("{name}.seeds"), &[digits, SEED_WORDS], vec![seeds]);
        }
        file.write(path)
    }

    /// Reads keys.
    pub fn read(params: &RlweParams, digest: &str, path: &Path) -> Result<Self, FileError> {
        let file = FileReader::read(path, EVALUATION, digest)?;
        let digits = params.level(params.max_level().0).digits.len();
        let key = |name: &str| -> Result<KeySwitchKey, FileError> {
            let polys = file.polys(&format!("{name}.b"), params.qp(), digits)?;
            let seeds = file.words(&format!("{name}.seeds"), &[digits, SEED_WORDS])?;
            let parts = polys.into_iter().zip(seeds.chunks_exact(SEED_WORDS).map(seed_from));
            Ok(KeySwitchKey::from_parts(params, parts.collect()))
        };
        let names: Vec<&str> = file.names().filter_map(|name| name.strip_suffix(".b")).collect();
        let mut keys = Self { id: file.header().key, relinearisation: None, galois: BTreeMap::new() };
        for name in names {
            if name == "relinearisation" {
                keys.relinearisation = Some(key(name)?);
            } else {
                let element = name.strip_prefix("galois.").and_then(|g| g.parse::<u32>().ok());
                let element = element.filter(|&g| g % 2 == 1 && (g as usize) < 2 * params.ring_degree());
                let g =
                    GaloisElement(element.ok_or_else(|| file.error(format!("there's no key named {name}")))?);
                keys.galois.insert(g, GaloisKey::new(params, g, key(name)?));
            }
        }
        Ok(keys)
    }
}

impl RlweCiphertext {
    /// Adds this ciphertext to a file under a name. The noise bound is the caller's to write.
    pub fn put<'a>(&'a self, file: &mut FileWriter<'a>, name: &str) {
        let basis = self.parts[0].basis();
        let shape = [self.parts.len(), basis.len(), basis.ring_degree()];
        file.tensor(name, &shape, self.parts.iter().map(Poly::words).collect());
    }

    /// The ciphertext of two parts under a name, whose noise bound is the caller's to read.
    pub fn get(params: &RlweParams, file: &FileReader, name: &str) -> Result<Self, FileError> {
        let (shape, _) = file.tensor(name)?;
        let primes =
            shape.get(1).copied().filter(|&primes| primes >= 1 && primes <= params.max_level().0 + 1);
        let primes =
            primes.ok_or_else(|| file.error(format!("{name} isn't a ciphertext of these parameters")))?;
        Ok(Self { parts: file.polys(name, params.q(Level(primes - 1)), 2)? })
    }
}

impl FileReader {
    /// `count` polynomials out of one tensor, every word checked against its prime.
    fn polys(&self, name: &str, basis: &Basis, count: usize) -> Result<Vec<Poly<Evaluation>>, FileError> {
        let words = match self.tensor(name)?.0 {
            [_, _] if count == 1 => self.words(name, &[basis.len(), basis.ring_degree()])?,
            _ => self.words(name, &[count, basis.len(), basis.ring_degree()])?,
        };
        let size = basis.len() * basis.ring_degree();
        let poly = |words: &[u64]| Poly::from_checked_words(basis, words);
        words
            .chunks_exact(size)
            .map(|words| poly(words).ok_or_else(|| self.error(format!("{name} has words above their prime"))))
            .collect()
    }
}

fn seed_words(seed: &Seed) -> [u64; SEED_WORDS] {
    std::array::from_fn(|i| u64::from_le_bytes(seed.0[8 * i..8 * i + 8].try_into().expect("eight bytes")))
}

fn seed_from(words: &[u64]) -> Seed {
    let mut bytes = [0; 32];
    bytes.chunks_exact_mut(8).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
    Seed(bytes)
}
