//! Atomic writing of files: a file is written without a name, or beside its place, so that no half-written file is ever seen
//! there, and none is left behind.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use tempfile::Builder;

use super::{Unfinished, pause_at_file};

/// The beginning of the names of files and folders that aren't in their place yet. Whoever writes one keeps it locked: what isn't
/// locked is left of a killed process.
pub const UNFINISHED_PREFIX: &str = ".asanoha-unfinished-";

/// Writes a file, moves it to its place and returns what `write` returned. File and name are on the disk then. A
/// file that replaces another takes over its permissions. A new file has the permissions that the process gives to
/// files or, if it's private, is for its owner alone.
///
/// On Linux the file has no name before it is complete, so a killed process leaves nothing of it.
pub fn write_atomically<T>(
    path: &Path,
    private: bool,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let replaced = path.metadata().ok().filter(|_| !private);
    let is_shared = !private && replaced.is_none();
    let ((mut file, beside), unfinished) = Unfinished::begin(|| {
        let (file, beside) = begin(is_shared, folder)?;
        let removed = beside.clone();
        Ok(((file, beside), move || drop(removed.map(std::fs::remove_file))))
    })?;
    // On systems without locks, nobody removes unfinished files either.
    let _ = file.try_lock();
    let written = write(&mut file)?;
    if let Some(replaced) = replaced {
        inherit(&file, &replaced)?;
    }
    file.sync_all()?;
    pause_at_file("written", path);
    unfinished.finish(|| {
        pause_at_file("moving", path);
        match beside {
            Some(beside) => std::fs::rename(beside, path),
            None => name(&file, folder, path),
        }
    })?;
    drop(file);
    pause_at_file("delivered", path);
    sync_folder(folder)?;
    Ok(written)
}

/// A new file in a folder, for its owner alone or with the permissions that the process gives to files, and its name if it needs one.
fn begin(is_shared: bool, folder: &Path) -> io::Result<(File, Option<PathBuf>)> {
    if let Some(file) = unnamed(is_shared, folder) {
        return Ok((file, None));
    }
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED_PREFIX);
    #[cfg(unix)]
    if is_shared {
        // Less the bits that the process's umask removes.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let (file, beside) = builder.tempfile_in(folder)?.keep()?;
    Ok((file, Some(beside)))
}

/// A new file of a folder without a name; `None` where the system has no such files or can't name them later.
#[cfg(target_os = "linux")]
fn unnamed(is_shared: bool, folder: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = File::options();
    options.read(true).write(true).mode(if is_shared { 0o666 } else { 0o600 });
    let flags = rustix::fs::OFlags::TMPFILE.bits();
    let file = options.custom_flags(flags.cast_signed()).open(folder).ok()?;
    opened(&file).symlink_metadata().is_ok().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: bool, _: &Path) -> Option<File> {
    None
}

/// The path of an open file, whether it has a name or not.
#[cfg(target_os = "linux")]
fn opened(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives an unnamed file a name, in place of the file that has it.
#[cfg(target_os = "linux")]
fn name(file: &File, folder: &Path, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let link = |path: &Path| -> io::Result<()> {
        Ok(linkat(CWD, opened(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    };
    match link(path) {
        // Only another name can take a name's place.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let beside = Builder::new().prefix(UNFINISHED_PREFIX).make_in(folder, link)?;
            Ok(beside.persist(path)?)
        }
        other => other,
    }
}

#[cfg(not(target_os = "linux"))]
fn name(_: &File, _: &Path, _: &Path) -> io::Result<()> {
    unreachable!("every file has a name")
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
