//! The folder of a store: its version, its lock, and files that only their owner may read.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use asanoha_lattice::{UNFINISHED_PREFIX, sync_folder, write_atomically};

use crate::{STORE_VERSION, StoreError, private_files::private_options};

const VERSION_FILE: &str = "version";
const LOCK_FILE: &str = "lock";
const JOURNAL: &str = "journal.redb";
const BLOBS: &str = "blobs";
const UPLOADS: &str = "uploads";
const TEMPORARY: &str = "tmp";
/// What stands in the file of the version, before the number.
const FORMAT: &str = "asanoha service store, version ";

/// An open folder of a store, which no other process opens as long as this lives.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(unix)]
fn check_private(path: &Path, is_new: bool) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::metadata(path).map_err(|error| StoreError::io(path, error))?;
    let of_others = metadata.permissions().mode() & 0o077;
    if of_others == 0 {
        return Ok(());
    }
    if !is_new {
        return Err(StoreError::Readable { path: path.to_owned() });
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(|error| StoreError::io(path, error))
}

#[cfg(not(unix))]
fn check_private(_: &Path, _: bool) -> Result<(), StoreError> {
    Ok(())
}

/// Removes a file, if it's there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
        .or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// The version that a folder states; `None` if it states none.
fn version(path: &Path) -> Result<Option<String>, StoreError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io(path, error)),
    };
    let mut text = String::new();
    file.take(100).read_to_string(&mut text).map_err(|error| StoreError::io(path, error))?;
    let found = text.strip_prefix(FORMAT).map(|version| version.trim_end().to_owned());
    found.map(Some).ok_or_else(|| StoreError::NotAStore { path: path.to_owned() })
}

impl Folder {
    /// Opens the folder of a store, and makes it if it isn't there or is empty.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let at = |error| StoreError::io(path, error);
        match private_folder(path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(at(error)),
        }
        let found = version(&path.join(VERSION_FILE))?;
        match &found {
            Some(version) if *version == STORE_VERSION.to_string() => {}
            Some(version) => {
                return Err(StoreError::OtherVersion { path: path.to_owned(), found: version.clone() });
            }
            None => {
                // An opening that was killed leaves a lock, and a version that isn't in its place yet.
                let is_ours = |name: &str| name == LOCK_FILE || name.starts_with(UNFINISHED_PREFIX);
                let mut entries = fs::read_dir(path).map_err(at)?;
                if entries
                    .any(|entry| entry.map_or(true, |entry| !entry.file_name().to_str().is_some_and(is_ours)))
                {
                    return Err(StoreError::NotAStore { path: path.to_owned() });
                }
            }
        }
        check_private(path, found.is_none())?;
        let lock = lock(path)?;
        if found.is_none() {
            let text = format!("{FORMAT}{STORE_VERSION}\n");
            write_atomically(&path.join(VERSION_FILE), true, |file| file.write_all(text.as_bytes()))
                .map_err(at)?;
        }
        for name in [BLOBS, UPLOADS, TEMPORARY] {
            let folder = path.join(name);
            match private_folder(&folder) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(StoreError::io(&folder, error));
                }
                _ => {}
            }
        }
        let folder = Self { path: path.to_owned(), _lock: lock };
        folder.retain(TEMPORARY, |_| Ok(false))?;
        sync_folder(path).map_err(at)?;
        Ok(folder)
    }

    /// Makes the folder of a store if it isn't there, also while another process has it open.
    pub(crate) fn prepare(path: &Path) -> Result<(), StoreError> {
        match version(&path.join(VERSION_FILE))? {
            Some(version) if version == STORE_VERSION.to_string() => Ok(()),
            _ => Self::open(path).map(drop),
        }
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    /// The file of an upload that isn't complete.
    pub(crate) fn upload(&self, name: &str) -> PathBuf {
        self.path.join(UPLOADS).join(name)
    }

    /// A complete file.
    pub(crate) fn blob(&self, name: &str) -> PathBuf {
        self.path.join(BLOBS).join(name)
    }

    /// A file that goes when the store is opened again.
    pub(crate) fn temporary(&self, name: &str) -> PathBuf {
        self.path.join(TEMPORARY).join(name)
    }

    /// Moves a file to a complete one, so that it outlasts a loss of power.
    pub(crate) fn complete(&self, from: &Path, name: &str) -> io::Result<()> {
        fs::rename(from, self.blob(name))?;
        sync_folder(&self.path.join(BLOBS))
    }

    /// Moves a complete file back to the uploads.
    pub(crate) fn reopen(&self, name: &str) -> io::Result<()> {
        fs::rename(self.blob(name), self.upload(name))?;
        sync_folder(&self.path.join(UPLOADS))
    }

    /// Removes complete files but those that are kept; how many there were.
    pub(crate) fn retain_blobs(
        &self,
        is_kept: impl FnMut(&str) -> Result<bool, StoreError>,
    ) -> Result<usize, StoreError> {
        self.retain(BLOBS, is_kept)
    }

    /// Removes files of uploads but those that are kept; how many there were.
    pub(crate) fn retain_uploads(
        &self,
        is_kept: impl FnMut(&str) -> Result<bool, StoreError>,
    ) -> Result<usize, StoreError> {
        self.retain(UPLOADS, is_kept)
    }

    fn retain(
        &self,
        folder: &str,
        mut is_kept: impl FnMut(&str) -> Result<bool, StoreError>,
    ) -> Result<usize, StoreError> {
        let folder = self.path.join(folder);
        let at = |error| StoreError::io(&folder, error);
        let mut removed = 0;
        for entry in fs::read_dir(&folder).map_err(at)? {
            let entry = entry.map_err(at)?;
            let is_kept = match entry.file_name().to_str() {
                Some(name) => is_kept(name)?,
                None => false,
            };
            if !is_kept {
                remove(&entry.path()).map_err(at)?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK_FILE);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = private_options(&mut options).open(&path).map_err(|error| StoreError::io(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(StoreError::io(&path, error)),
    }
}
