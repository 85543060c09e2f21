//! Reading programs, and what's said of files that can't be written.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

use asanoha::{
    advice::in_words,
    data::{Data, DataError, Reading},
    program::{MAX_SOURCE_BYTES, Program, Weights, parse_with},
};

use crate::{
    args::WeightsFile,
    error::{Failure, Place, words},
};

/// The standard input, in the place of a file.
const STDIN: &str = "-";

/// Refuses the standard input in the place of more than one file.
pub(crate) fn check_stdin(program: &Path, data: &Path) -> Result<(), Failure> {
    if [program, data].into_iter().all(|path| path == Path::new(STDIN)) {
        return Err(Failure::usage("the standard input can't be both the program and the data: name a file"));
    }
    Ok(())
}

/// Reads the files of weights that a program takes by name.
fn read_weights(files: &[WeightsFile]) -> Result<BTreeMap<String, Weights>, Failure> {
    let mut weights = BTreeMap::new();
    for WeightsFile { name, path } in files {
        let read = Weights::read(path)
            .map_err(|error| Failure::bad_input(error.to_string()).at(Place::file(path.display())))?;
        if weights.insert(name.clone(), read).is_some() {
            return Err(Failure::usage(format!("--weights {name} is given twice: give each name once")));
        }
    }
    Ok(weights)
}

/// Reads and parses a program, with the weights that it takes.
pub(crate) fn read_program(path: &Path, weights: &[WeightsFile]) -> Result<Program, Failure> {
    let weights = read_weights(weights)?;
    let file: Box<dyn Read> = if path == Path::new(STDIN) {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(|error| unreadable(path, error))?)
    };
    let mut bytes = Vec::new();
    file.take(MAX_SOURCE_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, error))?;
    let text =
        String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.split(|&byte| byte == b'\n').count();
            Failure::bad_input(format!("{}:{line}:1: the line is not UTF-8 text", path.display()))
                .at(Place::at(path.display(), line as u64, 1))
        })?;
    parse_with(&text, &weights).map_err(|mut error| {
        if let Some(advice) = in_words(&error.advice, words) {
            error.help = Some(advice);
        }
        let place = Place::at(path.display(), error.line as u64, error.column);
        Failure::bad_input(error.render(&path.display().to_string())).at(place)
    })
}

/// Reads columns of a file of data, or of the standard input, `-`.
pub(crate) fn read_data(path: &Path, wanted: &[String], reading: &Reading) -> Result<Data, DataError> {
    if path == Path::new(STDIN) {
        return Data::from_reader(std::io::stdin().lock(), "standard input", wanted, reading);
    }
    Data::from_path(path, wanted, reading)
}

/// Reads a small file, such as a certificate, of at most 1 MiB.
#[cfg(feature = "http")]
pub(crate) fn read_small(path: &Path) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 1 << 20;
    let mut bytes = Vec::new();
    File::open(path)
        .map_err(|error| unreadable(path, error))?
        .take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, error))?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::bad_input(format!("{}: it has more than {MOST} bytes", path.display())));
    }
    Ok(bytes)
}

/// The folder that contains a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The failure of reading a file.
pub(crate) fn unreadable(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::bad_input(format!("{}: cannot be read: {error}", path.display())).at(Place::file(path.display()))
}

/// The failure of writing a file.
pub(crate) fn unwritable(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::bad_input(format!("{}: cannot be written: {error}", path.display()))
        .at(Place::file(path.display()))
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
#[cfg(feature = "http")]
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    asanoha::output::write_whole(path, text.as_bytes()).map_err(|error| unwritable(path, error))
}
