//! Filling a folder with triples.

use std::{ffi::OsString, fs::File, io::Write, path::Path};

use asanoha_lattice::Unfinished;
use asanoha_ring::Seed;
use zeroize::Zeroizing;

use super::{
    MANIFEST, Manifest, Run, StoreError, block,
    place::{PART, deliver, lock, read_bounded},
};
use crate::{GeneratorSettings, MpcError, TripleSource, check_count};

/// The name of the file with the secret seed.
const SEED: &str = "secret-seed";

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The triples.
    pub settings: GeneratorSettings,
    /// How many.
    pub count: u64,
    /// A seed in place of a fresh one or the folder's own: for tests.
    pub seed: Option<Seed>,
}

/// What was done.
#[derive(Debug)]
pub struct Generated {
    /// The folder.
    pub run: Run,
    /// The blocks that were there before.
    pub blocks_found: u64,
    /// The blocks that were made.
    pub blocks_made: u64,
    /// The triples that were made.
    pub triples_made: u64,
}

/// Fills a folder with triples, or goes on where an earlier call was stopped: the blocks that aren't there are made. `source`
/// is called if there are any. `progress` is told how many blocks are done, of how many.
///
/// # Errors
/// [`StoreError::Other`] and [`StoreError::OtherSeed`] if the folder is for other triples, [`StoreError::Foreign`] if it
/// isn't for triples, [`StoreError::Busy`] if another process works in it, damaged blocks, what can't be written, and
/// what `source` and the blocks fail with. Finished blocks stay.
pub fn generate<S: TripleSource>(
    folder: &Path,
    request: &Request,
    source: impl FnOnce(&GeneratorSettings, Seed) -> Result<S, MpcError>,
    progress: &dyn Fn(usize, usize),
) -> Result<Generated, StoreError> {
    let modulus = request.settings.check()?;
    check_count(request.count)?;
    let mut place = Place::open(folder)?;
    let earlier = place.has_run.then(|| Run::open(folder)).transpose()?;
    if let Some(run) = &earlier {
        let GeneratorSettings { shape, parties, .. } = request.settings;
        let (modulus, count) = (modulus.value().clone(), request.count);
        compare(run, &Manifest { modulus, shape, parties, count, ..run.manifest().clone() })?;
        let given = request.seed.as_ref();
        if given.is_some_and(|given| read_seed(folder).is_ok_and(|seed| seed != *given)) {
            return Err(StoreError::OtherSeed(folder.join(SEED)));
        }
        if missing_blocks(run)?.is_empty() {
            let run = Run::open(folder)?;
            return Ok(Generated {
                blocks_found: run.manifest().blocks(),
                run,
                blocks_made: 0,
                triples_made: 0,
            });
        }
    }

    let seed = match (&earlier, &request.seed) {
        (Some(_), _) => read_seed(folder)?,
        (None, Some(seed)) => seed.clone(),
        (None, None) => Seed::from_os(),
    };
    let source = source(&request.settings, seed.clone())?;
    let seeded = earlier.as_ref().map_or(request.seed.is_some(), |run| run.manifest().seeded);
    let run = Run::of(folder, Manifest::new(&source, request.count, &seed, seeded))?;
    match &earlier {
        Some(earlier) => compare(earlier, run.manifest())?,
        None => place.begin(&seed, run.manifest())?,
    }
    for party in 0..run.manifest().parties {
        let path = run.party_path(party);
        std::fs::create_dir_all(&path).map_err(|error| StoreError::Write { path, error })?;
    }
    let (blocks, missing) = (run.manifest().blocks(), missing_blocks(&run)?);
    let blocks_found = blocks - missing.len() as u64;
    let mut triples_made = 0;
    progress(blocks_found as usize, blocks as usize);
    for (done, &block) in (1..).zip(&missing) {
        let parties = source.block(block)?;
        for (party, triples) in parties.iter().enumerate() {
            let is_last = done == missing.len() && party + 1 == parties.len();
            let work = if is_last { place.work.take() } else { None };
            block::write(&run, party, block, source.mac_key_share(party), triples, work)?;
        }
        triples_made += run.triples_in(block) as u64;
        progress(blocks_found as usize + done, blocks as usize);
    }
    Ok(Generated { run, blocks_found, blocks_made: missing.len() as u64, triples_made })
}

/// The blocks of which a party's shares aren't there. Of the others, lengths and headers are checked.
fn missing_blocks(run: &Run) -> Result<Vec<u64>, StoreError> {
    let mut missing = Vec::new();
    for block in 0..run.manifest().blocks() {
        for party in 0..run.manifest().parties {
            match run.read(party, block) {
                Err(StoreError::Unfinished(_)) => {
                    missing.push(block);
                    break;
                }
                other => drop(other?),
            }
        }
    }
    Ok(missing)
}

/// Fails unless a folder's triples are those that are asked for.
fn compare(run: &Run, asked: &Manifest) -> Result<(), StoreError> {
    let Some((what, found, asked)) = run.manifest().difference(asked) else { return Ok(()) };
    Err(StoreError::Other { path: run.folder().to_owned(), what, found, asked })
}

fn read_seed(folder: &Path) -> Result<Seed, StoreError> {
    let path = folder.join(SEED);
    let text = read_bounded(&path, 2 * size_of::<Seed>() as u64 + 1)?;
    let digits = text.strip_suffix(b"\n").and_then(|digits| blake3::Hash::from_hex(digits).ok());
    let malformed =
        || StoreError::Malformed { path, what: "isn't a seed of 64 hexadecimal digits".to_owned() };
    digits.map(|digits| Seed(*digits.as_bytes())).ok_or_else(malformed)
}

/// A folder that this process alone writes to.
struct Place<'a> {
    folder: &'a Path,
    /// What is finished with the last block. A new folder into which nothing gets is removed again.
    work: Option<Unfinished>,
    /// Whether an earlier call got as far as a manifest.
    has_run: bool,
    _lock: Option<File>,
}

impl<'a> Place<'a> {
    fn open(folder: &'a Path) -> Result<Self, StoreError> {
        let work = if folder.exists() { Unfinished::work() } else { new_folder(folder)? };
        let mut place = Self { folder, work: Some(work), has_run: false, _lock: lock(folder)? };
        place.has_run = folder.join(MANIFEST).is_file();
        if !place.has_run {
            // An earlier call may have been killed before its manifest was in its place.
            let own = [SEED, &format!("{SEED}.{PART}"), &format!("{MANIFEST}.{PART}")].map(OsString::from);
            let unreadable = |error| StoreError::Read { path: folder.to_owned(), error };
            for entry in std::fs::read_dir(folder).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                if !own.contains(&entry.file_name()) {
                    return Err(StoreError::Foreign(entry.path()));
                }
            }
        }
        Ok(place)
    }

    /// Writes the seed and then the manifest.
    fn begin(&self, seed: &Seed, manifest: &Manifest) -> Result<(), StoreError> {
        let digits = Zeroizing::new(blake3::Hash::from_bytes(seed.0).to_hex());
        deliver(&self.folder.join(SEED), None, |file| {
            file.write_all(digits.as_bytes())?;
            file.write_all(b"\n")
        })?;
        deliver(&self.folder.join(MANIFEST), None, |file| file.write_all(&manifest.bytes()))
    }
}

/// Makes a folder, which goes again if nothing is put there.
fn new_folder(folder: &Path) -> Result<Unfinished, StoreError> {
    let made = Unfinished::begin(|| {
        std::fs::create_dir(folder)?;
        let removed = folder.to_owned();
        // Fails where something got into it.
        Ok(((), move || drop(std::fs::remove_dir(removed))))
    });
    made.map(|((), new)| new).map_err(|error| StoreError::Write { path: folder.to_owned(), error })
}
