//! Files of keys and ciphertexts. Uniform halves are stored as seeds.

use std::{collections::BTreeMap, io, path::Path, sync::Arc};

use asanoha_ring::{Basis, Evaluation, GaloisElement, Poly, Sampler, Seed, SwitchKey, uniform_from_seed};
use rayon::prelude::*;

use crate::{
    Destination, EvaluationKeys, FileError, FileHeader, FileReader, FileWriter, KeyId, KeyLevels, KeyName,
    KeySwitchKey, Level, PublicKey, RlweCiphertext, RlweParams, SecretKey, Source,
    file::{FileStream, Index, StoredFile, write},
    params::LevelParams,
    security_is_extrapolated,
};

const SECRET: &str = "secret key";
const PUBLIC: &str = "public key";
const EVALUATION: &str = "evaluation keys";

impl RlweParams {
    /// The header of a file of the given kind that belongs to these parameters. `digest` is that of the scheme's
    /// parameters.
    pub fn file_header(&self, digest: &str, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader {
        FileHeader {
            kind: kind.into(),
            params: digest.into(),
            key,
            security_bits: self.security_bits(),
            security_extrapolated: security_is_extrapolated(self.ring_degree()),
            insecure: self.literal().insecure,
            seeded: key.is_seeded(),
            fields,
        }
    }
}

impl SecretKey {
    /// Writes the secret key to a file that only its owner may read, and returns the file's length in bytes. `digest`
    /// is that of the scheme's parameters.
    pub fn write<'d>(
        &self,
        params: &RlweParams,
        digest: &str,
        to: impl Into<Destination<'d>>,
    ) -> Result<u64, FileError> {
        let words: &[u64] = bytemuck::cast_slice(self.coefficients());
        let mut file =
            FileWriter::new(params.file_header(digest, self.id(), SECRET, serde_json::Value::Null)).private();
        file.tensor("secret", &[words.len()], vec![words]);
        file.write(to)
    }

    /// Reads a secret key.
    pub fn read<'s>(
        params: &RlweParams,
        digest: &str,
        from: impl Into<Source<'s>>,
    ) -> Result<Self, FileError> {
        let file = FileReader::read(from, SECRET, digest)?;
        let coefficients = bytemuck::cast_slice(file.words("secret", &[params.ring_degree()])?);
        Self::from_checked_coefficients(params, file.header().key, coefficients).ok_or_else(|| {
            file.error("the secret isn't ternary, or larger at a root of unity than generated ones")
        })
    }
}

impl PublicKey {
    /// Writes the public key to a file and returns the file's length in bytes.
    pub fn write<'d>(
        &self,
        params: &RlweParams,
        digest: &str,
        to: impl Into<Destination<'d>>,
    ) -> Result<u64, FileError> {
        let mut file =
            FileWriter::new(params.file_header(digest, self.id(), PUBLIC, serde_json::Value::Null));
        let seed = self.seed().to_words();
        let b = self.body();
        file.tensor("b", &[b.basis().len(), params.ring_degree()], vec![b.words()]);
        file.tensor("seed", &[Seed::WORDS], vec![&seed]);
        file.write(to)
    }

    /// Reads a public key.
    pub fn read<'s>(
        params: &RlweParams,
        digest: &str,
        from: impl Into<Source<'s>>,
    ) -> Result<Self, FileError> {
        let file = FileReader::read(from, PUBLIC, digest)?;
        let b = file.polys("b", &params.public_key_basis(), 1)?.remove(0);
        let seed = Seed::from_words(file.words("seed", &[Seed::WORDS])?);
        Ok(Self::from_parts(params, file.header().key, b, seed))
    }
}

/// The text between a key's name and its tier in the names of tensors.
const TIER: &str = ".tier.";

/// The name of the tensors of a key for ciphertexts up to a level, without their endings: the name of the key, followed
/// by its tier if it has one.
pub(crate) fn tensor(params: &RlweParams, name: KeyName, level: Level) -> String {
    let name = match name {
        KeyName::Relinearisation => "relinearisation".into(),
        KeyName::Galois(g) => format!("galois.{}", g.0),
        KeyName::ImageProduct(g) => format!("image_product.{}", g.0),
        KeyName::ToSparse => "to_sparse".into(),
        KeyName::FromSparse => "from_sparse".into(),
        KeyName::Reencryption => "reencryption".into(),
    };
    let tier = params.tier(level);
    if tier + 1 == params.tier_levels().len() { name } else { format!("{name}{TIER}{tier}") }
}

/// The key, and the highest level of its tier, that the name of a tensor states.
fn parse(params: &RlweParams, text: &str) -> Option<(KeyName, Level)> {
    let mut levels = params.tier_levels();
    let (key, level) = match text.split_once(TIER) {
        Some((key, tier)) => (key, levels.nth(tier.parse().ok()?)?),
        None => (text, levels.next_back()?),
    };
    let name = match key {
        "relinearisation" => KeyName::Relinearisation,
        "to_sparse" if params.literal().encapsulated => KeyName::ToSparse,
        "from_sparse" if params.literal().encapsulated => KeyName::FromSparse,
        _ => {
            let (kind, element) = key.split_once('.')?;
            let element = element.parse::<u32>().ok()?;
            let known = element % 2 == 1 && (element as usize) < 2 * params.ring_degree() && element != 1;
            match kind {
                "galois" if known => KeyName::Galois(GaloisElement(element)),
                "image_product" if known => KeyName::ImageProduct(GaloisElement(element)),
                _ => return None,
            }
        }
    };
    // Only the name that [`tensor`] gives is accepted, so that a key has one name.
    (tensor(params, name, level) == text).then_some((name, level))
}

impl EvaluationKeys {
    /// Writes the keys to a file and returns its length in bytes. A key of level l is stored modulo l + 1 + |P| primes,
    /// P being the special modulus of its tier, with as many digits as it needs.
    pub fn write_for<'d>(
        &self,
        params: &RlweParams,
        digest: &str,
        to: impl Into<Destination<'d>>,
    ) -> Result<u64, FileError> {
        let named: BTreeMap<String, &KeySwitchKey> =
            self.iter().map(|key| (tensor(params, key.name(), key.level()), key)).collect();
        let header = params.file_header(digest, self.id, EVALUATION, serde_json::Value::Null);
        let shapes = named.values().flat_map(|key| shapes(params, key.name(), key.level()));
        write(to.into(), false, (&header, &shapes.collect()), |stream| {
            named.values().try_for_each(|key| put(stream, key))
        })
    }

    /// Reads the keys into memory.
    pub fn read_for<'s>(
        params: &RlweParams,
        digest: &str,
        from: impl Into<Source<'s>>,
    ) -> Result<Self, FileError> {
        let file = FileReader::read(from, EVALUATION, digest)?;
        Self::of_index(params, file.index(), |name, level| get(params, &file, name, level))
    }

    /// Opens a file of keys that stay there: a key switch reads what it needs and expands the uniform halves then. The
    /// file is read once here, to check it.
    ///
    /// # Errors
    /// Those of [`EvaluationKeys::read_for`], except that words above their prime are found only when they're used.
    pub fn open_for(params: &RlweParams, digest: &str, path: &Path) -> Result<Self, FileError> {
        Self::of_stored(params, StoredFile::open(path, EVALUATION, digest)?)
    }

    /// As [`EvaluationKeys::generate_levels`], bit for bit, but the keys are kept in a file in a folder. The file has
    /// no name, nobody else can read it, and it's removed with the keys.
    ///
    /// # Errors
    /// An error of the operating system, under the folder's name.
    pub fn generate_stored(
        params: &RlweParams,
        secret: &SecretKey,
        levels: &KeyLevels,
        sampler: &mut Sampler,
        (digest, folder): (&str, &Path),
    ) -> Result<Self, FileError> {
        let seed = sampler.seed();
        let mut levels: Vec<(KeyName, Level)> = levels.iter().collect();
        levels.sort_by_cached_key(|&(name, level)| tensor(params, name, level));
        let key = |&(name, level): &(KeyName, Level)| {
            KeySwitchKey::generate(params, name, level, secret, &mut Sampler::new(&seed))
        };
        let header = params.file_header(digest, secret.id(), EVALUATION, serde_json::Value::Null);
        let write = || {
            let mut file = tempfile::tempfile_in(folder)?;
            let shapes = levels.iter().flat_map(|&(name, level)| shapes(params, name, level)).collect();
            FileStream::write(&mut file, &header, &shapes, |stream| {
                levels.chunks(rayon::current_num_threads()).try_for_each(|levels| {
                    let keys: Vec<_> = levels.par_iter().map(key).collect();
                    keys.iter().try_for_each(|key| put(stream, key))
                })
            })?;
            Ok(file)
        };
        let file = write().map_err(|error: io::Error| FileError::new(folder, error))?;
        Self::of_stored(params, StoredFile::check(file, folder, EVALUATION, digest)?)
    }

    fn of_stored(params: &RlweParams, file: StoredFile) -> Result<Self, FileError> {
        let file = Arc::new(file);
        Self::of_index(params, file.index(), |name, level| {
            let LevelParams { qp, digits, .. } = params.level(level.0);
            let tensor = tensor(params, name, level);
            let shape = [digits.len(), qp.len(), params.ring_degree()];
            let pairs = file.index().place(&format!("{tensor}.b"), &shape)?;
            let place = file.index().place(&format!("{tensor}.seeds"), &[digits.len(), Seed::WORDS])?;
            let mut words = vec![0; place.len()];
            file.read(place.start, &mut words).map_err(|error| file.index().error(error.to_string()))?;
            let seeds = words.chunks_exact(Seed::WORDS).map(Seed::from_words).collect();
            Ok(KeySwitchKey::stored(params, name, level, &file, (pairs.start, seeds)))
        })
    }

    /// The keys that a file names, each of a level that fits the dimensions of its tensors.
    fn of_index(
        params: &RlweParams,
        file: &Index,
        key: impl Fn(KeyName, Level) -> Result<KeySwitchKey, FileError>,
    ) -> Result<Self, FileError> {
        let mut keys = Self::of(file.header().key);
        for tensor in file.names().filter_map(|name| name.strip_suffix(".b")) {
            let parsed = parse(params, tensor);
            let (name, highest) =
                parsed.ok_or_else(|| file.error(format!("there's no key named {tensor}")))?;
            let (shape, _) = file.tensor(&format!("{tensor}.b"))?;
            let primes = shape.get(1).copied().unwrap_or(0);
            let level = primes.checked_sub(params.special(highest).len() + 1).map(Level);
            let levels = params.levels_of_keys(highest);
            let level = level.filter(|level| levels.contains(level)).ok_or_else(|| {
                file.error(format!(
                    "{tensor} has dimensions {shape:?}, which no level of these parameters gives it"
                ))
            })?;
            keys.insert(params, key(name, level)?);
        }
        Ok(keys.of_file(file.digest()))
    }
}

/// The names and dimensions of a key's tensors.
pub(crate) fn shapes(params: &RlweParams, name: KeyName, level: Level) -> [(String, Vec<usize>); 2] {
    let LevelParams { qp, digits, .. } = params.level(level.0);
    let tensor = tensor(params, name, level);
    [
        (format!("{tensor}.b"), vec![digits.len(), qp.len(), params.ring_degree()]),
        (format!("{tensor}.seeds"), vec![digits.len(), Seed::WORDS]),
    ]
}

/// Reads the tensors of a key.
pub(crate) fn get(
    params: &RlweParams,
    file: &FileReader<'_>,
    name: KeyName,
    level: Level,
) -> Result<KeySwitchKey, FileError> {
    let LevelParams { qp, digits, .. } = params.level(level.0);
    let tensor = tensor(params, name, level);
    let polys = file.polys(&format!("{tensor}.b"), qp, digits.len())?;
    let seeds = file.words(&format!("{tensor}.seeds"), &[digits.len(), Seed::WORDS])?;
    let parts = polys.into_iter().zip(seeds.chunks_exact(Seed::WORDS).map(Seed::from_words));
    Ok(KeySwitchKey::from_parts(params, name, level, parts.collect()))
}

/// Writes the tensors of a key.
pub(crate) fn put(stream: &mut FileStream<'_>, key: &KeySwitchKey) -> io::Result<()> {
    let mut words = key.basis().words();
    for digit in 0..key.digits() {
        for position in 0..key.basis().len() {
            key.limb(digit, 0, position)?.packed().unpack(0, &mut words);
            stream.words(&words)?;
        }
    }
    (0..key.digits()).try_for_each(|digit| stream.words(&key.seed(digit).to_words()))
}

impl RlweCiphertext {
    /// Adds this ciphertext to a file under a name. The caller writes the noise bound.
    pub fn put<'a>(&'a self, file: &mut FileWriter<'a>, name: &str) {
        let basis = self.parts[0].basis();
        let shape = [self.parts.len(), basis.len(), basis.ring_degree()];
        file.tensor(name, &shape, self.parts.iter().map(Poly::words).collect());
    }

    /// As [`RlweCiphertext::put`], with the words of the seed that the second part expands to
    /// ([`SecretKey::encrypt_seeded`], [`Seed::to_words`]) in place of that part.
    pub fn put_seeded<'a>(&'a self, seed: &'a [u64; Seed::WORDS], file: &mut FileWriter<'a>, name: &str) {
        let basis = self.parts[0].basis();
        file.tensor(name, &[1, basis.len(), basis.ring_degree()], vec![self.parts[0].words()]);
        file.tensor(seed_tensor(name), &[Seed::WORDS], vec![seed]);
    }

    /// Reads the ciphertext of two parts under a name, and the seed of its second part where the file has that. The caller reads
    /// the noise bound.
    pub fn get(
        params: &RlweParams,
        file: &FileReader<'_>,
        name: &str,
    ) -> Result<(Self, Option<Seed>), FileError> {
        let (shape, _) = file.tensor(name)?;
        let primes =
            shape.get(1).copied().filter(|&primes| primes >= 1 && primes <= params.max_level().0 + 1);
        let primes =
            primes.ok_or_else(|| file.error(format!("{name} isn't a ciphertext of these parameters")))?;
        let basis = params.q(Level(primes - 1));
        if shape.first() != Some(&1) {
            return Ok((Self { parts: file.polys(name, basis, 2)? }, None));
        }
        let mut parts = file.polys(name, basis, 1)?;
        let seed = Seed::from_words(file.words(&seed_tensor(name), &[Seed::WORDS])?);
        parts.push(uniform_from_seed(basis, &seed));
        Ok((Self { parts }, Some(seed)))
    }
}

/// The name of the tensor of a ciphertext's seed.
fn seed_tensor(name: &str) -> String {
    format!("{name}.seed")
}

impl FileReader<'_> {
    /// Reads `count` polynomials from one tensor and checks every word against its prime.
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
