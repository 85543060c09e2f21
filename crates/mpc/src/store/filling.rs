//! A folder that is being filled, with blocks that are made here or by other machines.

use std::{
    ffi::OsString,
    fmt,
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use asanoha_lattice::Unfinished;
use asanoha_ring::Seed;
use zeroize::Zeroizing;

use super::{
    MANIFEST, Manifest, Run, StoreError,
    block::{BlockReader, Shares, write_bytes_atomically},
    place::{PART, lock, read_bounded, write_atomically},
};
use crate::{GeneratorSettings, ModulusChoice, MpcError, TripleSource, check_count};

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

/// A folder that is being filled with triples, which this process alone writes to.
pub struct Filling<S> {
    run: Run,
    place: Place,
    /// What makes blocks, and its seed; `None` if all of them were there.
    maker: Option<(S, Seed)>,
    missing: Vec<u64>,
}

/// Without the seed.
impl<S> fmt::Debug for Filling<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, missing, .. } = self;
        f.debug_struct("Filling").field("run", run).field("missing", missing).finish_non_exhaustive()
    }
}

impl<S: TripleSource> Filling<S> {
    /// Begins a folder, or goes on with one where an earlier call was stopped. `source` is called if blocks are missing.
    ///
    /// # Errors
    /// [`StoreError::Other`] and [`StoreError::OtherSeed`] if the folder is for other triples, [`StoreError::Foreign`] if it
    /// isn't for triples, [`StoreError::Busy`] if another process works in it, damaged blocks, what can't be written, and
    /// what `source` fails with.
    pub fn begin(
        folder: &Path,
        request: &Request,
        source: impl FnOnce(&GeneratorSettings, Seed) -> Result<S, MpcError>,
    ) -> Result<Self, StoreError> {
        let modulus = request.settings.check()?;
        check_count(request.count)?;
        let place = Place::open(folder)?;
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
                return Ok(Self { run: Run::open(folder)?, place, maker: None, missing: Vec::new() });
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
        let missing = missing_blocks(&run)?;
        Ok(Self { run, place, maker: Some((source, seed)), missing })
    }

    /// Makes a block that is missing, and writes it.
    ///
    /// # Errors
    /// What the source fails with, and what can't be written.
    ///
    /// # Panics
    /// If the block isn't one of the missing ones.
    pub fn make(&mut self, block: u64) -> Result<(), StoreError> {
        let Self { run, place, maker, missing } = self;
        let (source, _) = maker.as_ref().expect("a source makes what is missing");
        let parties = source.block(block)?;
        assert!(missing.contains(&block));
        for (party, triples) in parties.iter().enumerate() {
            let is_last = *missing == [block] && party + 1 == parties.len();
            let work = if is_last { place.work.take() } else { None };
            Shares { party, block, mac_key: source.mac_key_share(party), triples }
                .write_atomically(run, work)?;
        }
        missing.retain(|&other| other != block);
        Ok(())
    }
}

impl<S> Filling<S> {
    /// The folder.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The folder, which others may write to again.
    pub fn into_run(self) -> Run {
        self.run
    }

    /// The blocks that aren't there yet.
    pub fn missing(&self) -> &[u64] {
        &self.missing
    }

    /// The secret seed, which a [`BlockMaker`] needs; `None` if all blocks were there.
    pub fn seed(&self) -> Option<&Seed> {
        self.maker.as_ref().map(|(_, seed)| seed)
    }

    /// Writes a block that is missing, of the files of all parties that a [`BlockMaker`] made.
    ///
    /// # Errors
    /// [`StoreError::Length`], [`StoreError::Mixed`] and [`StoreError::Altered`] for the files of another block, run or party, or damaged
    /// ones: nothing of them is written, unless those of an earlier party. What can't be written.
    ///
    /// # Panics
    /// If the block isn't one of the missing ones, or the files aren't as many as parties.
    pub fn put(&mut self, block: u64, files: &[impl AsRef<[u8]>]) -> Result<(), StoreError> {
        let Self { run, place, missing, .. } = self;
        assert!(missing.contains(&block) && files.len() == run.manifest().parties);
        for (party, bytes) in files.iter().enumerate() {
            let is_last = *missing == [block] && party + 1 == files.len();
            let work = if is_last { place.work.take() } else { None };
            write_bytes_atomically(run, (party, block), bytes.as_ref(), work)?;
        }
        missing.retain(|&other| other != block);
        Ok(())
    }
}

/// Makes blocks of a run whose folder another machine keeps, the same ones as there. It holds the secret seed: all shares of all parties
/// follow from it.
pub struct BlockMaker<S> {
    run: Run,
    source: S,
}

impl<S> fmt::Debug for BlockMaker<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockMaker").field("run", &self.run).finish_non_exhaustive()
    }
}

impl<S: TripleSource> BlockMaker<S> {
    /// For the bytes of a manifest, its seed, and the memory limit of the settings that the folder was begun with. `source` gets these
    /// settings and the number of triples.
    ///
    /// # Errors
    /// [`StoreError::Malformed`] and [`StoreError::Mpc`] for what is no manifest, [`StoreError::Other`] if these settings or this version
    /// of the program would make other triples, and what `source` fails with.
    pub fn new(
        manifest: &[u8],
        seed: &Seed,
        memory_limit: Option<u64>,
        source: impl FnOnce(&GeneratorSettings, u64, Seed) -> Result<S, MpcError>,
    ) -> Result<Self, StoreError> {
        let run = Run::parse(Path::new(""), manifest)?;
        let Manifest { ref modulus, shape, parties, count, seeded, .. } = *run.manifest();
        let modulus = ModulusChoice::Prime(modulus.clone());
        let settings = GeneratorSettings { modulus, shape, parties, memory_limit };
        let source = source(&settings, count, seed.clone())?;
        compare(&run, &Manifest::new(&source, count, seed, seeded))?;
        Ok(Self { run, source })
    }

    /// The block files of all parties.
    ///
    /// # Errors
    /// [`StoreError::Mpc`] if there is no such block, or it can't be computed.
    pub fn make(&self, block: u64) -> Result<Vec<Zeroizing<Vec<u8>>>, StoreError> {
        let blocks = self.run.manifest().blocks();
        if block >= blocks {
            return Err(MpcError::Block { found: block, blocks }.into());
        }
        let parties = self.source.block(block)?;
        let bytes = |(party, triples)| {
            Shares { party, block, mac_key: self.source.mac_key_share(party), triples }.bytes(&self.run)
        };
        Ok(parties.iter().enumerate().map(bytes).collect())
    }
}

/// The blocks of which a party's shares aren't there. Of the others, lengths and headers are checked.
fn missing_blocks(run: &Run) -> Result<Vec<u64>, StoreError> {
    let mut missing = Vec::new();
    for block in 0..run.manifest().blocks() {
        for party in 0..run.manifest().parties {
            match BlockReader::open(run, party, block) {
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
#[derive(Debug)]
struct Place {
    folder: PathBuf,
    /// What is finished with the last block. A new folder into which nothing gets is removed again.
    work: Option<Unfinished>,
    /// Whether an earlier call got as far as a manifest.
    has_run: bool,
    _lock: Option<File>,
}

impl Place {
    fn open(folder: &Path) -> Result<Self, StoreError> {
        let work = if folder.exists() { Unfinished::work() } else { new_folder(folder)? };
        let mut place =
            Self { folder: folder.to_owned(), work: Some(work), has_run: false, _lock: lock(folder)? };
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
        write_atomically(&self.folder.join(SEED), None, |file| {
            file.write_all(digits.as_bytes())?;
            file.write_all(b"\n")
        })?;
        write_atomically(&self.folder.join(MANIFEST), None, |file| file.write_all(&manifest.bytes()))
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
