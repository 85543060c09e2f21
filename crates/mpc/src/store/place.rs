//! Files and folders that are for their owner alone and get into their place whole.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, ErrorKind},
    iter,
    path::Path,
};

use asanoha_lattice::{Unfinished, pause_at_file, sync_folder};

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

/// Writes a private file beside its place, brings it to the disk and renames it. If it's the last file of some work, the
/// work is finished with it.
pub(super) fn write_atomically(
    path: &Path,
    work: Option<Unfinished>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), StoreError> {
    let part = path.with_added_extension(PART);
    let written = (|| {
        let (mut file, unfinished) = Unfinished::begin(|| {
            absent(std::fs::remove_file(&part))?;
            let (file, removed) = (private(&part)?, part.clone());
            Ok((file, move || drop(std::fs::remove_file(removed))))
        })?;
        write(&mut file)?;
        file.sync_all()?;
        pause_at_file("written", path);
        Unfinished::finish_all(iter::once(unfinished).chain(work).collect(), || {
            pause_at_file("moving", path);
            std::fs::rename(&part, path)
        })?;
        pause_at_file("delivered", path);
        sync_folder(folder_of(path))
    })();
    written.map_err(|error| StoreError::Write { path: path.to_owned(), error })
}

/// Fills a folder beside its place, and renames it. There may only be an empty one in its place.
pub(crate) fn write_folder_atomically<T>(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let unwritable = |error| StoreError::Write { path: path.to_owned(), error };
    if path.symlink_metadata().is_ok() && std::fs::read_dir(path).map_or(true, |mut all| all.next().is_some())
    {
        return Err(StoreError::Exists(path.to_owned()));
    }
    let part = path.with_added_extension(PART);
    let made = Unfinished::begin(|| {
        let is_new = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let above: Vec<_> = folder_of(path).ancestors().take_while(is_new).map(Path::to_owned).collect();
        std::fs::create_dir_all(folder_of(path))?;
        absent(std::fs::remove_dir_all(&part))?;
        std::fs::create_dir(&part)?;
        let part = part.clone();
        let remove = move || {
            let _ = std::fs::remove_dir_all(part);
            // One that isn't empty stays.
            above.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
        };
        Ok(((), remove))
    });
    let ((), unfinished) = made.map_err(unwritable)?;
    let filled = fill(&part)?;
    let delivered = (|| {
        sync_folder(&part)?;
        pause_at_file("written", path);
        unfinished.finish(|| {
            pause_at_file("moving", path);
            std::fs::rename(&part, path)
        })?;
        pause_at_file("delivered", path);
        sync_folder(folder_of(path))
    })();
    delivered.map_err(unwritable)?;
    Ok(filled)
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
