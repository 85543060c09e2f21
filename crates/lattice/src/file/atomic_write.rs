//! Atomic writing of files: a file is written beside its place and renamed, so that no half-written file is ever seen
//! there, and none is left behind.

use std::{fs::File, io, path::Path};

use super::{Unfinished, pause_at_file};

/// Writes a file beside its place, renames it and returns what `write` returned. File and name are on the disk then. A
/// file that replaces another takes over its permissions. A new file has the permissions that the process gives to
/// files or, if it's private, is for its owner alone.
pub fn write_atomically<T>(
    path: &Path,
    private: bool,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let replaced = path.metadata().ok().filter(|_| !private);
    let is_shared = !private && replaced.is_none();
    let ((mut file, beside), unfinished) = Unfinished::begin(|| {
        let (file, beside) = temporary(is_shared, folder)?.keep()?;
        let removed = beside.clone();
        Ok(((file, beside), move || drop(std::fs::remove_file(removed))))
    })?;
    let written = write(&mut file)?;
    if let Some(replaced) = replaced {
        inherit(&file, &replaced)?;
    }
    file.sync_all()?;
    drop(file);
    pause_at_file("written", path);
    unfinished.finish(|| {
        pause_at_file("moving", path);
        std::fs::rename(beside, path)
    })?;
    pause_at_file("delivered", path);
    sync_folder(folder)?;
    Ok(written)
}

/// A new file in a folder, for its owner alone or with the permissions that the process gives to files.
#[cfg(unix)]
fn temporary(is_shared: bool, folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    if is_shared {
        // Less the bits that the process's umask removes.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(not(unix))]
fn temporary(_: bool, folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::NamedTempFile::new_in(folder)
}

/// Gives a file the permissions of the one that it replaces. If the caller can't give it to that file's group, it gets
/// no permissions for a group.
#[cfg(unix)]
fn inherit(file: &File, replaced: &std::fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let mut mode = replaced.mode() & 0o777;
    if file.metadata()?.gid() != replaced.gid() && fchown(file, None, Some(replaced.gid())).is_err() {
        mode &= 0o707;
    }
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn inherit(file: &File, replaced: &std::fs::Metadata) -> io::Result<()> {
    file.set_permissions(replaced.permissions())
}

/// Writes the names in a folder to the disk, so that they outlast a loss of power.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // On other systems folders can't be opened.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
