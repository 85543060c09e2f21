//! Reading programs, and writing files so that nothing half-written is ever seen.

use std::{
    ffi::OsStr,
    fs::{File, TryLockError},
    io::Read,
    path::{Path, PathBuf},
};

use asanoha::{
    output::{sync_folder, write_whole},
    program::{MAX_SOURCE_BYTES, Program},
};
use tempfile::TempDir;

use crate::error::Failure;

/// Reads and parses a program.
pub(crate) fn read_program(path: &Path) -> Result<Program, Failure> {
    let unreadable =
        |error: std::io::Error| Failure::bad_input(format!("{}: cannot be read: {error}", path.display()));
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_SOURCE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count();
        Failure::bad_input(format!("{}:{line}:1: the line is not UTF-8 text", path.display()))
    })?;
    Program::parse(&text).map_err(|error| Failure::bad_input(error.render(&path.display().to_string())))
}

/// Reads a small file, such as a certificate, of at most 1 MiB.
#[cfg(feature = "http")]
pub(crate) fn read_small(path: &Path) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 1 << 20;
    let unreadable =
        |error: std::io::Error| Failure::bad_input(format!("{}: cannot be read: {error}", path.display()));
    let mut bytes = Vec::new();
    File::open(path).map_err(unreadable)?.take(MOST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::bad_input(format!("{}: it has more than {MOST} bytes", path.display())));
    }
    Ok(bytes)
}

/// The folder that contains a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn unwritable(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::bad_input(format!("{}: cannot be written: {error}", path.display()))
}

/// Fails now if a file couldn't be written after a long computation. Leaves no file behind.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(unwritable(path, "it is a folder")),
        Ok(found) if !found.is_file() => return Err(unwritable(path, "it is not a plain file")),
        _ => {}
    }
    if path.file_name().is_none() {
        return Err(unwritable(path, "it names no file"));
    }
    let folder = folder_of(path);
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => Err(unwritable(path, error)),
    }
}

/// Writes text to a file as a whole.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    write_whole(path, text.as_bytes()).map_err(|error| unwritable(path, error))
}

/// A folder of keys into which all files are moved together or none, by one call at a time.
pub(crate) struct Delivery {
    folder: PathBuf,
    is_new: bool,
    waiting: Option<TempDir>,
    /// The folder, locked as long as this file is open; `None` where folders can't be locked.
    _lock: Option<File>,
}

/// The beginning of the names of the folders that hold files until they're moved.
const WAITING: &str = ".keys-";

impl Delivery {
    /// Opens the folder, and makes it if it isn't there. Unless `force` is set, none of the files may be there.
    pub(crate) fn open(folder: &Path, names: &[&str], force: bool) -> Result<Self, Failure> {
        let is_new = !folder.exists();
        if is_new {
            std::fs::create_dir(folder).map_err(|error| unwritable(folder, error))?;
        }
        let lock = locked(folder)?;
        let mut delivery = Self { folder: folder.to_owned(), is_new, waiting: None, _lock: lock };
        let there = names.iter().map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_ok());
        if let Some(path) = there.filter(|_| !force) {
            return Err(Failure::bad_input(format!(
                "{}: there are keys already; choose another folder, or add --force to lose them",
                path.display()
            )));
        }
        delivery.remove_leftovers();
        let waiting = tempfile::Builder::new().prefix(WAITING).tempdir_in(folder);
        delivery.waiting = Some(waiting.map_err(|error| unwritable(folder, error))?);
        Ok(delivery)
    }

    /// Removes the files of earlier calls that were killed: there may be secrets among them.
    fn remove_leftovers(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let leftover = |name: &OsStr| name.as_encoded_bytes().starts_with(WAITING.as_bytes());
        for entry in entries.flatten().filter(|entry| leftover(&entry.file_name())) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }

    /// The folder that files are written to before [`Delivery::close`] moves them.
    pub(crate) fn waiting_room(&self) -> &Path {
        self.waiting.as_ref().expect("it's there until the delivery is closed").path()
    }

    /// Moves the files into the folder.
    pub(crate) fn close<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Result<(), Failure> {
        for name in names {
            let to = self.folder.join(name);
            std::fs::rename(self.waiting_room().join(name), &to).map_err(|error| unwritable(&to, error))?;
        }
        self.is_new = false;
        let parent = folder_of(&self.folder);
        [&self.folder, parent]
            .iter()
            .try_for_each(|folder| sync_folder(folder).map_err(|error| unwritable(folder, error)))
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

impl Drop for Delivery {
    fn drop(&mut self) {
        self.waiting = None;
        if self.is_new {
            // Another program may have put something into the folder: then it stays.
            let _ = std::fs::remove_dir(&self.folder);
        }
    }
}
