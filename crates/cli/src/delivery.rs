//! A folder of keys, into which all files get together or none.

use std::{
    fs::{File, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use asanoha::output::{Unfinished, pause_at_file, sync_folder};

use crate::{
    error::Failure,
    files::{folder_of, unwritable},
    scratch::Scratch,
};

/// A folder of keys into which all files are moved together or none, by one call at a time.
pub(crate) struct Delivery {
    folder: PathBuf,
    /// Holds the files until they're moved.
    staging: Scratch,
    /// The folder if it's new.
    new: Option<Unfinished>,
    /// The folder, locked as long as this file is open; `None` where folders can't be locked.
    _lock: Option<File>,
}

impl Delivery {
    /// Opens the folder, and makes it if it isn't there. Unless `force` is set, none of the files may be there.
    pub(crate) fn open(folder: &Path, names: &[&str], force: bool) -> Result<Self, Failure> {
        let new = new_folder(folder).map_err(|error| unwritable(folder, error))?;
        let lock = locked(folder)?;
        let there = names.iter().map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_ok());
        if let Some(path) = there.filter(|_| !force) {
            return Err(Failure::bad_input(format!(
                "{}: there are keys already; choose another folder, or add --force to lose them",
                path.display()
            )));
        }
        let staging = Scratch::within(folder)?;
        Ok(Self { folder: folder.to_owned(), staging, new, _lock: lock })
    }

    /// The folder that files are written to before [`Delivery::close`] moves them.
    pub(crate) fn staging_folder(&self) -> &Path {
        self.staging.folder()
    }

    /// Moves the files into the folder, and removes those of keys that were there before. An interruption waits for it, and
    /// then comes too late, unless the call has more to do.
    pub(crate) fn close(self, names: &[&str], before: &[&str]) -> Result<(), Failure> {
        let Self { folder, staging, new, _lock: _until_the_end } = self;
        let from = staging.folder().to_owned();
        staging.finish(new, || {
            for name in names {
                let to = folder.join(name);
                pause_at_file("moving", &to);
                std::fs::rename(from.join(name), &to).map_err(|error| unwritable(&to, error))?;
            }
            for name in before.iter().filter(|name| !names.contains(name)) {
                let path = folder.join(name);
                match std::fs::remove_file(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(unwritable(&path, error));
                    }
                    _ => {}
                }
            }
            Ok(())
        })?;
        pause_at_file("delivered", &folder);
        [&*folder, folder_of(&folder)]
            .iter()
            .try_for_each(|folder| sync_folder(folder).map_err(|error| unwritable(folder, error)))
    }
}

/// Makes a folder if it isn't there: it goes again if nothing is put there.
fn new_folder(folder: &Path) -> std::io::Result<Option<Unfinished>> {
    let made = Unfinished::begin(|| {
        std::fs::create_dir(folder)?;
        let removed = folder.to_owned();
        // One that isn't empty stays.
        Ok(((), move || drop(std::fs::remove_dir(removed))))
    });
    match made {
        Ok(((), new)) => Ok(Some(new)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error),
    }
}

/// Locks a folder, so that no other call puts keys there; `None` where the file system has no locks for folders.
fn locked(folder: &Path) -> Result<Option<File>, Failure> {
    let Ok(lock) = File::open(folder) else { return Ok(None) };
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Err(Failure::bad_input(format!(
            "{}: another call is putting keys there; wait for it",
            folder.display()
        ))),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}
