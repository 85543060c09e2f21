//! Files and folders that are for their owner alone and get into their place whole.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, ErrorKind},
    path::Path,
};

use asanoha_lattice::sync_folder;

use super::StoreError;

/// The end of the names of files and folders that aren't in their place yet. One process writes at a time, so what a
/// killed one left is overwritten by the next.
pub(super) const PART: &str = "part";

/// A new file for its owner alone.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Succeeds if what should be removed isn't there.
fn absent(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Writes a private file beside its place, brings it to the disk and renames it.
pub(super) fn deliver(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), StoreError> {
    let part = path.with_added_extension(PART);
    let written = (|| {
        absent(std::fs::remove_file(&part))?;
        let mut file = private(&part)?;
        write(&mut file)?;
        file.sync_all()?;
        std::fs::rename(&part, path)?;
        sync_folder(folder_of(path))
    })();
    written.map_err(|error| {
        let _ = std::fs::remove_file(&part);
        StoreError::Write { path: path.to_owned(), error }
    })
}

/// Fills a folder beside its place, and renames it. There may only be an empty one in its place.
pub(crate) fn deliver_folder<T>(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let unwritable = |error| StoreError::Write { path: path.to_owned(), error };
    if path.symlink_metadata().is_ok() && std::fs::read_dir(path).map_or(true, |mut all| all.next().is_some())
    {
        return Err(StoreError::Exists(path.to_owned()));
    }
    let part = path.with_added_extension(PART);
    let made = std::fs::create_dir_all(folder_of(path))
        .and_then(|()| absent(std::fs::remove_dir_all(&part)))
        .and_then(|()| std::fs::create_dir(&part));
    let delivered = made.map_err(unwritable).and_then(|()| fill(&part)).and_then(|filled| {
        let renamed = sync_folder(&part).and_then(|()| std::fs::rename(&part, path));
        renamed.and_then(|()| sync_folder(folder_of(path))).map_err(unwritable)?;
        Ok(filled)
    });
    delivered.inspect_err(|_| {
        let _ = std::fs::remove_dir_all(&part);
    })
}

/// Locks a folder for as long as the file is open; `None` where the file system has no locks for folders.
pub(crate) fn lock(folder: &Path) -> Result<Option<File>, StoreError> {
    let Ok(file) = File::open(folder) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy(folder.to_owned())),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// The contents of a file of at most `limit` bytes.
pub(super) fn read_bounded(path: &Path, limit: u64) -> Result<zeroize::Zeroizing<Vec<u8>>, StoreError> {
    use io::Read;
    let unreadable = |error| StoreError::Read { path: path.to_owned(), error };
    let mut bytes = zeroize::Zeroizing::new(Vec::with_capacity(limit as usize + 1));
    File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        let what = format!("has more than the {limit} bytes that it could have");
        return Err(StoreError::Malformed { path: path.to_owned(), what });
    }
    Ok(bytes)
}
