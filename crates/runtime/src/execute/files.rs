//! The files of a folder of keys.

use std::{
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use asanoha_lattice::{FileError, FileProblem};
use zeroize::Zeroizing;

use super::sealed;

/// Names of the files of a key directory.
pub(crate) const SECRET_FILE: &str = "secret.safetensors";
/// The secret file, encrypted under a passphrase.
pub(crate) const SEALED_FILE: &str = "secret.sealed";
pub(crate) const PUBLIC_FILE: &str = "public.safetensors";
pub(crate) const EVALUATION_FILE: &str = "evaluation.safetensors";
/// The key that re-encrypts what is under the keys before these.
pub(crate) const REENCRYPTION_FILE: &str = "reencryption.safetensors";

/// The file of a folder's secret key.
pub(crate) fn secret_file(folder: &Path) -> PathBuf {
    let [plain, sealed] = [SECRET_FILE, SEALED_FILE].map(|name| folder.join(name));
    if sealed.exists() && !plain.exists() { sealed } else { plain }
}

/// Writes the bytes of a sealed file, which only their owner may read; the length.
pub(crate) fn write_sealed(path: &Path, sealed: &[u8]) -> Result<u64, FileError> {
    asanoha_lattice::write_atomically(path, true, |file| file.write_all(sealed))
        .map_err(|error| FileError { path: path.into(), problem: FileProblem::Io(error) })?;
    Ok(sealed.len() as u64)
}

/// Reads a file whole, if it isn't longer than any of these should be.
pub(crate) fn read_whole(path: &Path) -> Result<Zeroizing<Vec<u8>>, FileError> {
    let at = |error| FileError { path: path.into(), problem: FileProblem::Io(error) };
    let file = File::open(path).map_err(at)?;
    let bytes = file.metadata().map_err(at)?.len();
    if bytes > sealed::MAX_SEALED_BYTES {
        return Err(FileError::content(
            path,
            format!("it has {bytes} bytes, more than such a file can have"),
        ));
    }
    let mut contents = Zeroizing::new(Vec::with_capacity(bytes as usize));
    file.take(sealed::MAX_SEALED_BYTES).read_to_end(&mut contents).map_err(at)?;
    Ok(contents)
}
