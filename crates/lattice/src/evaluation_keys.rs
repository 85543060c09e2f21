//! The keys that a server evaluates with.

use std::{
    collections::BTreeMap,
    io,
    ops::ControlFlow,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use asanoha_ring::{GaloisElement, Sampler, Seed, SwitchKey};
use rayon::prelude::*;

use crate::{
    Destination, FileError, FileReader, GaloisKey, KeyId, KeyLevels, KeyName, KeySwitchKey, Level,
    MissingKey, RlweParams, SecretKey, Source,
    file::{FileStream, Index, StoredFile, write},
    key_file::{get, parse, put, shapes, tensor},
    new_keys::NewKeys,
    params::LevelParams,
};

const EVALUATION: &str = "evaluation keys";

/// Relinearisation and Galois keys: all that a server needs for evaluation. Under every name there is one key for each
/// tier of levels ([`crate::KeyTier`]) at which it's needed.
#[derive(Clone, Debug, Default)]
pub struct EvaluationKeys {
    /// The identifier of the key generation that the keys belong to.
    pub id: KeyId,
    /// The digest of the file that they were read from.
    digest: Option<String>,
    /// The relinearisation keys, by tier.
    relinearisation: BTreeMap<usize, KeySwitchKey>,
    /// The Galois keys for rotations and the conjugation, by automorphism and tier.
    galois: BTreeMap<(GaloisElement, usize), GaloisKey>,
    /// For products with images, by tier.
    image_products: BTreeMap<(GaloisElement, usize), KeySwitchKey>,
    /// To and from the sparse secret, by tier.
    encapsulation: BTreeMap<(KeyName, usize), KeySwitchKey>,
}

impl EvaluationKeys {
    /// Creates an empty set of keys of a key generation.
    pub fn of(id: KeyId) -> Self {
        Self { id, ..Self::default() }
    }

    /// Relinearisation keys, and Galois keys for the given automorphisms other than the identity, of every level.
    pub fn generate(
        params: &RlweParams,
        secret: &SecretKey,
        elements: impl IntoIterator<Item = GaloisElement>,
        relinearisation: bool,
        sampler: &mut Sampler,
    ) -> Self {
        let mut levels = KeyLevels::default();
        for element in elements {
            params.tier_levels().for_each(|level| levels.add_automorphism(params, element, level));
        }
        if relinearisation {
            params.tier_levels().for_each(|level| levels.add_relinearisation(params, level));
        }
        Self::generate_levels(params, secret, &levels, sampler)
    }

    /// The given keys up to the given levels, generated on all threads. Each key has a random stream of its own, which
    /// depends on its name and level.
    ///
    /// # Panics
    /// If a level is above [`RlweParams::max_level`].
    pub fn generate_levels(
        params: &RlweParams,
        secret: &SecretKey,
        levels: &KeyLevels,
        sampler: &mut Sampler,
    ) -> Self {
        let unwatched = |_, _| ControlFlow::Continue(());
        Self::generate_levels_with_progress(params, secret, levels, sampler, &unwatched)
            .expect("nothing stops it")
    }

    /// Generates keys as [`EvaluationKeys::generate_levels`] does, and reports its progress. `progress` receives the number of
    /// finished keys and the total, and may stop the generation, which then returns `None`.
    ///
    /// # Panics
    /// If a level is above [`RlweParams::max_level`].
    pub fn generate_levels_with_progress(
        params: &RlweParams,
        secret: &SecretKey,
        levels: &KeyLevels,
        sampler: &mut Sampler,
        progress: &(dyn Fn(usize, usize) -> ControlFlow<()> + Sync),
    ) -> Option<Self> {
        let (seed, levels): (Seed, Vec<_>) = (sampler.seed(), levels.iter().collect());
        let made = AtomicUsize::new(0);
        let key = |&(name, level): &(KeyName, Level)| {
            let key = KeySwitchKey::generate(params, name, level, secret, &mut Sampler::new(&seed));
            let made = made.fetch_add(1, Ordering::Relaxed) + 1;
            progress(made, levels.len()).is_continue().then_some(key)
        };
        let keys: Vec<KeySwitchKey> = levels.par_iter().map(key).collect::<Option<_>>()?;
        let mut all = Self::of(secret.id());
        keys.into_iter().for_each(|key| all.insert(params, key));
        Some(all)
    }

    /// Returns the digest of the file that these keys were read from, in hexadecimal digits.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// These keys, which are all that a file of a digest holds.
    pub(crate) fn of_file(self, digest: &str) -> Self {
        Self { digest: Some(digest.to_owned()), ..self }
    }

    /// Adds a key, and replaces one of the same name and tier.
    ///
    /// # Panics
    /// For a re-encryption key, which isn't used for evaluation.
    pub fn insert(&mut self, params: &RlweParams, key: KeySwitchKey) {
        self.digest = None;
        let tier = params.tier(key.level());
        match key.name() {
            KeyName::Relinearisation => _ = self.relinearisation.insert(tier, key),
            KeyName::Galois(g) => _ = self.galois.insert((g, tier), GaloisKey::new(params, g, key)),
            KeyName::ImageProduct(g) => _ = self.image_products.insert((g, tier), key),
            name @ (KeyName::ToSparse | KeyName::FromSparse) => {
                _ = self.encapsulation.insert((name, tier), key);
            }
            KeyName::Reencryption => panic!("a re-encryption key isn't used for evaluation"),
        }
    }

    /// Returns all keys, the relinearisation keys first.
    pub fn iter(&self) -> impl Iterator<Item = &KeySwitchKey> {
        let galois = self.galois.values().map(|key| &key.key);
        let others = self.image_products.values().chain(self.encapsulation.values());
        self.relinearisation.values().chain(galois).chain(others)
    }

    /// Reads every row of keys that stay in their file, one after another, and checks its words. Keys in memory were checked when they
    /// were read.
    ///
    /// # Errors
    /// Words that aren't below their prime, and a file that was changed since it was opened; the message names the file.
    pub fn check_rows(&self) -> io::Result<()> {
        let row = |key: &KeySwitchKey, digit, position| key.limb(digit, 0, position).map(drop);
        self.iter().filter(|key| !key.in_memory()).try_for_each(|key| {
            let positions = || 0..key.basis().len();
            (0..key.digits()).try_for_each(|digit| positions().try_for_each(|at| row(key, digit, at)))
        })
    }

    /// Returns the automorphisms that have a key at one level at least, in rising order of their exponents.
    pub fn elements(&self) -> Vec<GaloisElement> {
        let mut elements: Vec<GaloisElement> = self.galois.keys().map(|&(g, _)| g).collect();
        elements.dedup();
        elements
    }

    /// The relinearisation key for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Relinearisation`], [`MissingKey::Tier`].
    pub fn relinearisation(&self, params: &RlweParams, level: Level) -> Result<&KeySwitchKey, MissingKey> {
        self.relinearisation.get(&params.tier(level)).ok_or_else(|| {
            if self.relinearisation.is_empty() {
                MissingKey::Relinearisation
            } else {
                MissingKey::tier(params, KeyName::Relinearisation, level)
            }
        })
    }

    /// The key of an automorphism for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Rotation`], [`MissingKey::Conjugation`], [`MissingKey::Tier`].
    pub fn automorphism(
        &self,
        params: &RlweParams,
        g: GaloisElement,
        level: Level,
    ) -> Result<&GaloisKey, MissingKey> {
        let tier = params.tier(level);
        self.galois.get(&(g, tier)).ok_or_else(|| {
            if self.galois.range((g, 0)..=(g, usize::MAX)).next().is_some() {
                return MissingKey::tier(params, KeyName::Galois(g), level);
            }
            let n = params.ring_degree();
            let rotations = || 0..n as i64 / 2;
            let conjugation = GaloisElement::conjugation(n);
            if g == conjugation {
                return MissingKey::Conjugation;
            }
            let swapped = g.0 % 4 == 3;
            let element = |k| {
                let rotation = GaloisElement::rotation(n, k);
                if swapped { rotation.compose(conjugation, n) } else { rotation }
            };
            let present = rotations().filter(|&k| self.galois.contains_key(&(element(k), tier))).collect();
            let rotation = rotations().find(|&k| element(k) == g).expect("odd exponents are ±5^k");
            MissingKey::Rotation { rotation, swapped, present }
        })
    }

    /// The Galois key of a rotation by `rotation` slots to the left, for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Rotation`], [`MissingKey::Tier`].
    pub fn rotation(
        &self,
        params: &RlweParams,
        rotation: i64,
        level: Level,
    ) -> Result<&GaloisKey, MissingKey> {
        let g = GaloisElement::rotation(params.ring_degree(), rotation);
        self.automorphism(params, g, level).map_err(|missing| match missing {
            MissingKey::Rotation { swapped, present, .. } => {
                MissingKey::Rotation { rotation, swapped, present }
            }
            other => other,
        })
    }

    /// The Galois key of the conjugation (the row swap) for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Conjugation`], [`MissingKey::Tier`].
    pub fn conjugation(&self, params: &RlweParams, level: Level) -> Result<&GaloisKey, MissingKey> {
        self.automorphism(params, GaloisElement::conjugation(params.ring_degree()), level)
    }

    /// The key that switches from s·s(X^g) to s, for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Absent`], [`MissingKey::Tier`].
    pub fn image_product(
        &self,
        params: &RlweParams,
        g: GaloisElement,
        level: Level,
    ) -> Result<&KeySwitchKey, MissingKey> {
        let name = KeyName::ImageProduct(g);
        self.image_products.get(&(g, params.tier(level))).ok_or_else(|| {
            if self.image_products.range((g, 0)..=(g, usize::MAX)).next().is_some() {
                MissingKey::tier(params, name, level)
            } else {
                MissingKey::Absent(name)
            }
        })
    }

    /// The key to the sparse secret for ciphertexts of level 0, or the one from it for those of the highest.
    ///
    /// # Errors
    /// [`MissingKey::Absent`].
    pub(crate) fn encapsulation(
        &self,
        params: &RlweParams,
        name: KeyName,
        level: Level,
    ) -> Result<&KeySwitchKey, MissingKey> {
        self.encapsulation.get(&(name, params.tier(level))).ok_or(MissingKey::Absent(name))
    }

    /// Checks that the given keys are there, each of its level or a higher one.
    ///
    /// # Errors
    /// The error of the first key that is missing.
    pub fn require(&self, params: &RlweParams, levels: &KeyLevels) -> Result<(), MissingKey> {
        levels.iter().try_for_each(|(name, level)| {
            let key = match name {
                KeyName::Relinearisation => self.relinearisation(params, level)?,
                KeyName::Galois(g) => &self.automorphism(params, g, level)?.key,
                KeyName::ImageProduct(g) => self.image_product(params, g, level)?,
                KeyName::ToSparse | KeyName::FromSparse => self.encapsulation(params, name, level)?,
                KeyName::Reencryption => return Err(MissingKey::Absent(name)),
            };
            key.at(params, level).map(|_| ())
        })
    }

    /// Bytes of the keys, the uniform halves included, whether they are kept in memory or in a file.
    pub fn bytes(&self) -> usize {
        self.relinearisation.values().map(KeySwitchKey::bytes).sum::<usize>()
            + self.galois.values().map(GaloisKey::bytes).sum::<usize>()
            + self.image_products.values().map(KeySwitchKey::bytes).sum::<usize>()
            + self.encapsulation.values().map(KeySwitchKey::bytes).sum::<usize>()
    }

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
        let new = NewKeys::new(params, secret, levels, sampler);
        let header = params.file_header(digest, secret.id(), EVALUATION, serde_json::Value::Null);
        let write = || {
            let mut file = tempfile::tempfile_in(folder)?;
            FileStream::write(&mut file, &header, &new.shapes(), |stream| {
                new.put(stream, |_, _| ControlFlow::Continue(())).map(|_| ())
            })?;
            Ok(file)
        };
        let file = write().map_err(|error: io::Error| FileError::new(folder, error))?;
        Self::of_stored(params, StoredFile::check(file, folder, EVALUATION, digest)?)
    }

    /// As [`EvaluationKeys::generate_levels_with_progress`], bit for bit, but the keys are written to a file or to memory as soon as they
    /// are made, and few of them are in memory at once. Returns the length in bytes, or `None` if `progress` stopped the generation.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn generate_to<'d>(
        params: &RlweParams,
        secret: &SecretKey,
        levels: &KeyLevels,
        sampler: &mut Sampler,
        (digest, to): (&str, impl Into<Destination<'d>>),
        progress: &(dyn Fn(usize, usize) -> ControlFlow<()> + Sync),
    ) -> Result<Option<u64>, FileError> {
        let new = NewKeys::new(params, secret, levels, sampler);
        let header = params.file_header(digest, secret.id(), EVALUATION, serde_json::Value::Null);
        let mut flow = ControlFlow::Continue(());
        let written = write(to.into(), false, (&header, &new.shapes()), |stream| {
            flow = new.put(stream, progress)?;
            // Keys that were stopped have no file.
            if flow.is_break() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
        });
        if flow.is_break() { Ok(None) } else { written.map(Some) }
    }

    fn of_stored(params: &RlweParams, file: StoredFile) -> Result<Self, FileError> {
        let file = Arc::new(file);
        file.reads_at_random();
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
