//! The folder of checkpoints: its lock, its files, and what is in them.

use std::{
    collections::BTreeMap,
    fs::{DirBuilder, File, Metadata, TryLockError},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use asanoha_lattice::{FileError, pause_at_file};
use thiserror::Error;
use web_time::Instant;

use super::pace::{Clock, Pace};
use super::part::Part;

/// The endings of the names of whole files, and of files that are being written.
const WHOLE: &str = "kept";
const NEW: &str = "new";

/// Why a folder can't be used for checkpoints.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// Another evaluation uses it.
    #[error("{}: another evaluation with this result is running: wait for it", .0.display())]
    Busy(PathBuf),
}

/// A folder that keeps what an evaluation has finished. It's made when there is something to keep, after some seconds, and is for one
/// evaluation at a time.
pub struct Checkpoints {
    folder: PathBuf,
    warn: Box<dyn Fn(&str) + Send + Sync>,
    state: Mutex<State>,
}

impl std::fmt::Debug for Checkpoints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checkpoints").field("folder", &self.folder).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct State {
    /// The folder, locked as long as this is open.
    lock: Option<File>,
    /// Whether the folder isn't used any more, or never was.
    closed: bool,
    /// What each file holds.
    files: BTreeMap<PathBuf, Vec<Part>>,
    kept: std::collections::BTreeSet<Part>,
    /// Files that aren't of this evaluation or are damaged.
    useless: Vec<PathBuf>,
    foreign: usize,
    next: u64,
    pace: Pace,
}

impl Checkpoints {
    /// Looks for a folder and locks it if it's there. `warn` hears, in words, of what can't be used or written.
    ///
    /// A folder with other files, of another owner, or that others may write to isn't used: the evaluation keeps nothing then.
    ///
    /// # Errors
    /// [`CheckpointError::Busy`].
    pub fn open(folder: &Path, warn: impl Fn(&str) + Send + Sync + 'static) -> Result<Self, CheckpointError> {
        // On other systems, folders can't be locked.
        let mut state = State { closed: cfg!(not(unix)), ..State::default() };
        match locked(folder) {
            Ok(lock) => state.lock = lock,
            Err(Unusable::Busy) => return Err(CheckpointError::Busy(folder.into())),
            Err(Unusable::Because(why)) => {
                warn(&format!("{}: {why}: it isn't used, and nothing is kept", folder.display()));
                state.closed = true;
            }
        }
        Ok(Self { folder: folder.into(), warn: Box::new(warn), state: Mutex::new(state) })
    }

    /// The same, keeping as often as it can, for tests.
    #[doc(hidden)]
    pub fn eager(self) -> Self {
        self.state().pace = Pace::always();
        self
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether there is something that a later evaluation can go on from.
    pub fn is_kept(&self) -> bool {
        !self.state().files.is_empty()
    }

    /// Removes all files, and the folder: after the results are where they belong.
    pub fn remove(&self) {
        let mut state = self.state();
        if state.lock.is_none() {
            return;
        }
        state.closed = true;
        state.files.clear();
        for path in numbered(&self.folder).into_iter().flatten().map(|(_, path)| path) {
            let _ = std::fs::remove_file(path);
        }
        // One that isn't empty stays.
        let _ = std::fs::remove_dir(&self.folder);
        state.lock = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The whole files of earlier evaluations, the oldest first.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let mut state = self.state();
        if state.lock.is_none() {
            return Vec::new();
        }
        let mut files = numbered(&self.folder).unwrap_or_default();
        files.sort();
        state.next = files.last().map_or(0, |(number, _)| number.saturating_add(1));
        let (whole, new): (Vec<_>, Vec<_>) = files
            .into_iter()
            .map(|(_, path)| path)
            .partition(|path| path.extension().is_some_and(|of| of == WHOLE));
        state.useless = new;
        whole
    }

    /// A leftover holds parts of this evaluation.
    pub(crate) fn found(&self, path: PathBuf, parts: &[Part]) {
        let mut state = self.state();
        state.kept.extend(parts);
        state.files.insert(path, parts.to_vec());
    }

    /// A leftover is of another evaluation.
    pub(crate) fn foreign(&self, path: PathBuf) {
        let mut state = self.state();
        state.foreign += 1;
        state.useless.push(path);
    }

    /// A leftover can't be used.
    pub(crate) fn damaged(&self, path: PathBuf, error: &FileError) {
        (self.warn)(&format!("{error}; it isn't used, and what it held is computed again"));
        self.state().useless.push(path);
    }

    /// All leftovers were looked at.
    pub(crate) fn looked_through(&self) {
        if self.state().foreign > 0 {
            let folder = self.folder.display();
            (self.warn)(&format!(
                "{folder}: it holds what an evaluation of another plan or of other keys or inputs finished: it isn't used"
            ));
        }
    }

    /// Whether so much time is over that something may be kept.
    pub(crate) fn is_time(&self, clock: &Clock) -> bool {
        let state = self.state();
        !state.closed && state.pace.is_time(clock)
    }

    /// Whether a part isn't kept yet.
    pub(crate) fn is_new(&self, part: Part) -> bool {
        !self.state().kept.contains(&part)
    }

    /// Whether writing so many bytes takes a small part of the time since the last writing.
    pub(crate) fn pays(&self, clock: &Clock, bytes: u64) -> bool {
        bytes > 0 && self.state().pace.pays(clock, bytes)
    }

    /// Writes files of so many bytes. If that fails, nothing more is kept.
    pub(crate) fn keep(&self, bytes: u64, write: impl FnOnce() -> Result<(), FileError>) {
        let begin = Instant::now();
        match self.made().and_then(|()| write().map_err(|error| Unusable::Because(error.to_string()))) {
            Ok(()) => self.state().pace.wrote(bytes, begin.elapsed()),
            Err(error) => {
                self.state().closed = true;
                let why = match error {
                    Unusable::Busy => "another evaluation uses it".to_owned(),
                    Unusable::Because(why) => why,
                };
                (self.warn)(&format!(
                    "{}: what is finished can't be kept there: {why}; the evaluation goes on without",
                    self.folder.display()
                ));
            }
        }
    }

    /// Makes the folder and locks it, if it isn't there.
    fn made(&self) -> Result<(), Unusable> {
        let mut state = self.state();
        if state.closed || state.lock.is_some() {
            return Ok(());
        }
        match private_folders().create(&self.folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(Unusable::Busy),
            made => made.map_err(|error| Unusable::Because(error.to_string()))?,
        }
        state.lock = locked(&self.folder)?;
        if state.lock.is_some() { Ok(()) } else { Err(Unusable::Because("it's gone".to_owned())) }
    }

    /// Writes a file of parts. It's whole once it has its name; nothing waits for the disk, as damaged files are found out.
    pub(crate) fn write(&self, parts: &[Part], bytes: &[u8]) -> Result<(), FileError> {
        let number = {
            let mut state = self.state();
            if state.closed {
                return Ok(());
            }
            state.next += 1;
            state.next - 1
        };
        let path = |ending: &str| self.folder.join(format!("{number}.{ending}"));
        let (new, whole) = (path(NEW), path(WHOLE));
        let write = || -> io::Result<()> {
            File::create_new(&new)?.write_all(bytes)?;
            std::fs::rename(&new, &whole)
        };
        if let Err(error) = write() {
            let _ = std::fs::remove_file(&new);
            return Err(FileError { path: whole, problem: error.into() });
        }
        let useless = {
            let mut state = self.state();
            state.kept.extend(parts);
            state.files.insert(whole.clone(), parts.to_vec());
            std::mem::take(&mut state.useless)
        };
        for path in useless {
            let _ = std::fs::remove_file(path);
        }
        pause_at_file("kept", &whole);
        Ok(())
    }

    /// Removes files of which nothing is needed any more. The parts that they had were used for something that is kept.
    pub(crate) fn remove_dead(&self, is_live: &dyn Fn(Part) -> bool) {
        let mut state = self.state();
        if state.closed {
            return;
        }
        let dead = |(path, parts): (&PathBuf, &Vec<Part>)| {
            (!parts.iter().any(|&part| is_live(part))).then(|| path.clone())
        };
        for path in state.files.iter().filter_map(dead).collect::<Vec<_>>() {
            let parts = state.files.remove(&path).unwrap_or_default();
            parts.iter().for_each(|part| _ = state.kept.remove(part));
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Why a folder isn't used.
#[derive(Debug)]
enum Unusable {
    Busy,
    Because(String),
}

/// The files of a folder, with the numbers that their names begin with; an error if there are others.
fn numbered(folder: &Path) -> Option<Vec<(u64, PathBuf)>> {
    let number = |path: &Path| {
        let ending = path.extension()?.to_str()?;
        let stem = path.file_stem()?.to_str()?;
        let is_ours = [WHOLE, NEW].contains(&ending) && stem.bytes().all(|byte| byte.is_ascii_digit());
        stem.parse().ok().filter(|_| is_ours)
    };
    let entries = std::fs::read_dir(folder).ok()?;
    entries
        .map(|entry| entry.ok().map(|entry| entry.path()).and_then(|path| Some((number(&path)?, path))))
        .collect()
}

/// Locks a folder of checkpoints; `None` if there's none.
fn locked(folder: &Path) -> Result<Option<File>, Unusable> {
    let because = |error: io::Error| Unusable::Because(error.to_string());
    match std::fs::symlink_metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(because(error)),
        Ok(found) if !found.is_dir() => {
            return Err(Unusable::Because("it's no folder".to_owned()));
        }
        Ok(_) => {}
    }
    let lock = File::open(folder).map_err(because)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Unusable::Busy),
        Err(TryLockError::Error(error)) => return Err(because(error)),
    }
    let locked = lock.metadata().map_err(because)?;
    match std::fs::symlink_metadata(folder) {
        Ok(found) if is_same(&found, &locked) => {}
        // Whoever had it locked has removed it.
        _ => return Ok(None),
    }
    if !is_private(folder, &locked).map_err(because)? {
        return Err(Unusable::Because("it isn't for its owner alone, who runs this, to write to".to_owned()));
    }
    if numbered(folder).is_none() {
        return Err(Unusable::Because("there are other files than of an unfinished evaluation".to_owned()));
    }
    Ok(Some(lock))
}

/// Makes folders for their owner alone.
#[cfg(unix)]
fn private_folders() -> DirBuilder {
    let mut builder = DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

#[cfg(not(unix))]
fn private_folders() -> DirBuilder {
    DirBuilder::new()
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Whether nobody but whoever runs this can have put files there.
#[cfg(unix)]
fn is_private(folder: &Path, found: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = tempfile::tempfile_in(folder)?.metadata()?.uid();
    Ok(found.uid() == own && found.mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_private(_: &Path, _: &Metadata) -> io::Result<bool> {
    Ok(true)
}
