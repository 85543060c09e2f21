//! Where a command writes its file: never over what it reads.

use std::{
    cell::OnceCell,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use asanoha::{
    execute::Keys,
    lattice::write_atomically,
    output::{Unfinished, pause},
};
use zeroize::Zeroizing;

use crate::{
    error::Failure,
    files::{check_writable, folder_of, unwritable},
    scratch::{Scratch, sweep},
    session::Session,
};

/// The name by which `--out` means stdout.
const STDOUT: &str = "-";

/// Where a command's one file goes.
pub(crate) struct Target {
    /// The file, or its name until it's printed.
    path: PathBuf,
    stdout: Option<Stdout>,
}

/// Content for stdout, until it is printed.
enum Stdout {
    /// A file that is written in pieces, in no order, and may be large: ciphertexts and other public content.
    File(Scratch),
    /// Bytes that are written at once. They may be secret, and no disk sees them.
    Memory(OnceCell<Zeroizing<Vec<u8>>>, Unfinished),
}

impl Target {
    /// Fails now if the file couldn't be written after a long computation, or is one of those that the command reads, under
    /// whatever name. Leaves no file behind.
    pub(crate) fn open(session: &Session, out: &Path, reads: &[&Path]) -> Result<Self, Failure> {
        if !is_stdout(out) {
            return Self::file(out, reads);
        }
        check_no_json(session)?;
        let scratch = Scratch::new()?;
        Ok(Self { path: scratch.path("out"), stdout: Some(Stdout::File(scratch)) })
    }

    /// Opens a target like [`Target::open`], for bytes that [`Target::write`] writes as a whole.
    pub(crate) fn open_whole(session: &Session, out: &Path, reads: &[&Path]) -> Result<Self, Failure> {
        if !is_stdout(out) {
            return Self::file(out, reads);
        }
        check_no_json(session)?;
        Ok(Self { path: out.to_owned(), stdout: Some(Stdout::Memory(OnceCell::new(), Unfinished::work())) })
    }

    /// Opens a target like [`Target::open_whole`] if there's a file to write.
    pub(crate) fn open_any(
        session: &Session,
        out: Option<&Path>,
        reads: &[&Path],
    ) -> Result<Option<Self>, Failure> {
        out.map(|out| Self::open_whole(session, out, reads)).transpose()
    }

    fn file(out: &Path, reads: &[&Path]) -> Result<Self, Failure> {
        check_writable(out)?;
        check_apart(out, reads)?;
        sweep(folder_of(out));
        Ok(Self { path: out.to_owned(), stdout: None })
    }

    /// The path to write to.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes text as a whole.
    pub(crate) fn write_text(&self, text: &str) -> Result<(), Failure> {
        self.write(text.as_bytes(), false)
    }

    /// Writes bytes as a whole: to memory if they are for stdout, else to a file, which may be for its owner alone.
    pub(crate) fn write(&self, bytes: &[u8], private: bool) -> Result<(), Failure> {
        if let Some(Stdout::Memory(memory, _)) = &self.stdout {
            memory.set(Zeroizing::new(bytes.to_vec())).expect("a call writes one file");
            return Ok(());
        }
        write_atomically(&self.path, private, |file| file.write_all(bytes))
            .map_err(|error| unwritable(&self.path, error))
    }

    /// Whether it's stdout.
    pub(crate) fn is_stdout(&self) -> bool {
        self.stdout.is_some()
    }

    /// The name of the file for a human reader.
    pub(crate) fn name(&self) -> String {
        if self.is_stdout() { "standard output".to_owned() } else { self.path.display().to_string() }
    }

    /// Prints what is for stdout. An interruption comes too late after that.
    pub(crate) fn print(self) -> Result<(), Failure> {
        let Some(target) = self.stdout else { return Ok(()) };
        let mut stdout = io::stdout().lock();
        let printed = match &target {
            Stdout::Memory(memory, _) => memory.get().map_or(Ok(()), |bytes| stdout.write_all(bytes)),
            Stdout::File(scratch) => File::open(&self.path).and_then(|mut file| {
                // Most systems remove an open file's name: nothing is left if the call is killed from now on.
                let _ = std::fs::remove_dir_all(scratch.folder());
                io::copy(&mut file, &mut stdout).map(drop)
            }),
        };
        printed
            .and_then(|()| stdout.flush())
            .map_err(|error| Failure::bad_input(format!("standard output: cannot be written: {error}")))?;
        pause(|| "printed".to_owned());
        let done = || Ok::<_, Failure>(());
        match target {
            Stdout::Memory(_, work) => work.finish(done),
            Stdout::File(scratch) => scratch.finish(None, done),
        }
    }
}

fn check_no_json(session: &Session) -> Result<(), Failure> {
    if session.json {
        return Err(Failure::bad_input(
            "--out -: stdout can't take both the file and the object of --json: name a file, or leave out --json",
        ));
    }
    Ok(())
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
