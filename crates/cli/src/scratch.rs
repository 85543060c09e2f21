//! Folders of files that aren't in their place yet: for their owner alone, and removed however the call ends.

use std::{
    fs::{DirEntry, File, TryLockError},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use asanoha::output::{UNFINISHED_PREFIX, Unfinished};

use crate::{error::Failure, files::unwritable};

/// The most attempts to make a folder that no other call takes for one left behind.
const ATTEMPTS: usize = 16;

/// A folder for its owner alone. It goes with the call; if that is killed, the next call that makes one in the same place removes it.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    unfinished: Unfinished,
    /// Keeps the folder locked, so that no other call removes it; `None` where folders can't be locked.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes a folder in the system's folder of temporary files.
    pub(crate) fn new() -> Result<Self, Failure> {
        Self::within(&std::env::temp_dir())
    }

    /// Makes a folder in another one, so that a file in it can be moved there.
    pub(crate) fn within(place: &Path) -> Result<Self, Failure> {
        sweep(place);
        let made = Unfinished::begin(|| {
            let (folder, lock) = locked_folder(place)?;
            let removed = folder.clone();
            Ok(((folder, lock), move || drop(std::fs::remove_dir_all(removed))))
        });
        let ((folder, lock), unfinished) = made.map_err(|error| unwritable(place, error))?;
        Ok(Self { folder, unfinished, _lock: lock })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Moves what is wanted of it to its place, together with other unfinished work, and removes the folder.
    pub(crate) fn finish<E>(
        self,
        others: impl IntoIterator<Item = Unfinished>,
        put: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { folder, unfinished, _lock } = self;
        Unfinished::finish_all(std::iter::once(unfinished).chain(others).collect(), || {
            put()?;
            // If it can't be removed, the next call does that.
            let _ = std::fs::remove_dir_all(folder);
            Ok(())
        })
    }
}

/// Makes a folder for its owner alone, and locks it.
fn locked_folder(place: &Path) -> io::Result<(PathBuf, Option<File>)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED_PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    for _ in 0..ATTEMPTS {
        let folder = builder.tempdir_in(place)?.keep();
        match File::open(&folder).map(|lock| lock.try_lock().map(|()| lock)) {
            Ok(Ok(lock)) if folder.exists() => return Ok((folder, Some(lock))),
            // Another call sees it before it's locked, and removes it.
            Ok(Ok(_) | Err(TryLockError::WouldBlock)) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // Folders can't be opened or locked here, and no call removes any.
            Ok(Err(TryLockError::Error(_))) | Err(_) => return Ok((folder, None)),
        }
    }
    Err(io::Error::other("other calls remove every temporary folder: wait for them"))
}

/// Removes the files and folders that killed calls left in a folder: those of this user that nobody has locked.
pub(crate) fn sweep(place: &Path) {
    let Ok(entries) = std::fs::read_dir(place) else { return };
    let is_unfinished = |entry: &DirEntry| {
        entry.file_name().as_encoded_bytes().starts_with(UNFINISHED_PREFIX.as_bytes()) && is_own(entry)
    };
    for entry in entries.flatten().filter(is_unfinished) {
        let path = entry.path();
        // The next call removes the rest.
        if let Ok(lock) = open(&path)
            && lock.try_lock().is_ok()
        {
            let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
        }
    }
}

/// Whether it's a file or folder that this user made, and no link.
#[cfg(unix)]
fn is_own(entry: &DirEntry) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    // Links are not followed.
    entry.metadata().is_ok_and(|found| found.uid() == own && (found.is_dir() || found.is_file()))
}

#[cfg(not(unix))]
fn is_own(entry: &DirEntry) -> bool {
    entry.metadata().is_ok_and(|found| found.is_dir() || found.is_file())
}

/// Opens what may have become something else meanwhile, in a folder that others write to: no link is followed, and no pipe waited for.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
