//! Where a command writes its file: never over what it reads.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use asanoha::{
    execute::Keys,
    output::{Unfinished, pause, write_whole},
};

use crate::{
    error::Failure,
    files::{check_writable, folder_of, unwritable},
    session::Session,
};

/// The name by which `--out` means stdout.
const STDOUT: &str = "-";

/// Where a command's one file goes.
#[derive(Debug)]
pub(crate) struct Target {
    path: PathBuf,
    /// The folder that holds the file until it's printed, if it's for stdout.
    scratch: Option<Unfinished>,
}

impl Target {
    /// Fails now if the file couldn't be written after a long computation, or is one of those that the command reads, under
    /// whatever name. Leaves no file behind.
    pub(crate) fn open(session: &Session, out: &Path, reads: &[&Path]) -> Result<Self, Failure> {
        if is_stdout(out) {
            return Self::stdout(session.json);
        }
        check_writable(out)?;
        check_apart(out, reads)?;
        Ok(Self { path: out.to_owned(), scratch: None })
    }

    /// As [`Target::open`], if there's a file to write.
    pub(crate) fn open_any(
        session: &Session,
        out: Option<&Path>,
        reads: &[&Path],
    ) -> Result<Option<Self>, Failure> {
        out.map(|out| Self::open(session, out, reads)).transpose()
    }

    fn stdout(json: bool) -> Result<Self, Failure> {
        if json {
            return Err(Failure::bad_input(
                "--out -: stdout can't take both the file and the object of --json: name a file, or leave out --json",
            ));
        }
        // What is written may be large, and is written in no order.
        let made = Unfinished::begin(|| {
            let folder = tempfile::Builder::new().prefix("asanoha-").tempdir()?.keep();
            let path = folder.join("out");
            Ok((path, move || drop(std::fs::remove_dir_all(folder))))
        });
        let (path, scratch) = made.map_err(|error| unwritable(&std::env::temp_dir(), error))?;
        Ok(Self { path, scratch: Some(scratch) })
    }

    /// The path to write to.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes text as a whole.
    pub(crate) fn write_text(&self, text: &str) -> Result<(), Failure> {
        write_whole(&self.path, text.as_bytes()).map_err(|error| unwritable(&self.path, error))
    }

    /// Whether it's stdout.
    pub(crate) fn is_stdout(&self) -> bool {
        self.scratch.is_some()
    }

    /// The name of the file for a human reader.
    pub(crate) fn name(&self) -> String {
        if self.is_stdout() { "standard output".to_owned() } else { self.path.display().to_string() }
    }

    /// Prints a written file that is for stdout. An interruption comes too late after that.
    pub(crate) fn print(self) -> Result<(), Failure> {
        let Some(scratch) = self.scratch else { return Ok(()) };
        let mut stdout = io::stdout().lock();
        let printed = File::open(&self.path).and_then(|mut file| io::copy(&mut file, &mut stdout));
        printed
            .and_then(|_| stdout.flush())
            .map_err(|error| Failure::bad_input(format!("standard output: cannot be written: {error}")))?;
        pause(|| "printed".to_owned());
        // The folder of temporary files is the system's to clean.
        let _ = scratch.finish(|| std::fs::remove_dir_all(folder_of(&self.path)));
        Ok(())
    }
}

/// Whether a path stands for stdout.
pub(crate) fn is_stdout(out: &Path) -> bool {
    out == Path::new(STDOUT)
}

/// Refuses to write over a file that is read, by whatever path or link.
pub(crate) fn check_apart(out: &Path, reads: &[&Path]) -> Result<(), Failure> {
    // What isn't there can't be one of them.
    match reads.iter().find(|read| same_file::is_same_file(out, read).unwrap_or(false)) {
        Some(read) => Err(Failure::bad_input(format!(
            "{}: it is {}, which this command reads: choose another name for what it writes",
            out.display(),
            read.display()
        ))),
        None => Ok(()),
    }
}

/// Borrowed paths.
pub(crate) fn paths(paths: &[PathBuf]) -> Vec<&Path> {
    paths.iter().map(PathBuf::as_path).collect()
}

/// The files of a folder of keys.
pub(crate) fn key_files(folder: &Path) -> Vec<PathBuf> {
    Keys::FILES
        .iter()
        .chain([&Keys::SEALED, &Keys::RECORD, &Keys::REENCRYPTION])
        .map(|name| folder.join(name))
        .collect()
}
