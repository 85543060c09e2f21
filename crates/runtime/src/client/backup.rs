//! Backups of a folder of keys: one file with all that the client alone has.
//!
//! A backup holds the secret key as its file has it, the public key and the records beside them, but not the evaluation keys, which
//! are large and which the server has. It begins with a header, then come the files in a list of names and lengths, their contents,
//! and a BLAKE3 digest. Under a passphrase all that is encrypted as secret keys are.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use asanoha_lattice::{FileError, FileProblem};
use zeroize::Zeroizing;

use super::record::ClientRecord;
use crate::execute::{
    FolderError, Keys,
    files::{PUBLIC_FILE, SEALED_FILE, SECRET_FILE, read_whole, secret_file, write_sealed},
    record::RECORD_FILE,
    sealed::{self, MAX_SEALED_BYTES, Magic, SealError},
};

const SEALED: Magic = *b"asanoha backup s";
const READABLE: Magic = *b"asanoha backup r";
const DIGEST_BYTES: usize = 32;
/// The longest list of files.
const MOST_LIST_BYTES: usize = 16 << 20;

/// Whether a backup holds files of this name.
fn belongs(name: &str) -> bool {
    [SECRET_FILE, SEALED_FILE, PUBLIC_FILE, RECORD_FILE].contains(&name) || ClientRecord::is_record(name)
}

/// Makes a backup of a folder of keys, encrypted under a passphrase if one is given. A secret key that is encrypted needs its own
/// passphrase.
///
/// # Errors
/// A folder without a secret key, files that can't be read or are of two key generations, a passphrase that isn't given or isn't the
/// secret key's, and more than 64 MiB in all.
pub fn back_up(folder: &Path, passphrase: Option<&[u8]>) -> Result<Zeroizing<Vec<u8>>, FolderError> {
    Keys::headers(folder)?;
    let secret = secret_file(folder);
    if secret.ends_with(SEALED_FILE) {
        let Some(passphrase) = passphrase else {
            let problem = "the secret key is encrypted under a passphrase, which is needed here";
            return Err(FileError::content(&secret, problem).into());
        };
        sealed::open(&read_whole(&secret)?, passphrase)
            .map_err(|error| FileError::content(&secret, error.to_string()))?;
    }
    let mut files =
        vec![(secret.file_name().expect("it has one").to_string_lossy().into_owned(), read_whole(&secret)?)];
    let at = |error| FileError { path: folder.into(), problem: FileProblem::Io(error) };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(at)? {
        names.extend(entry.map_err(at)?.file_name().into_string().ok());
    }
    names.retain(|name| belongs(name) && ![SECRET_FILE, SEALED_FILE].contains(&&**name));
    names.sort();
    for name in names {
        let contents = read_whole(&folder.join(&name))?;
        files.push((name, contents));
    }
    let list: Vec<(&str, usize)> = files.iter().map(|(name, contents)| (&**name, contents.len())).collect();
    let list = serde_json::to_vec(&list).expect("plain data");
    let bytes =
        4 + list.len() + files.iter().map(|(_, contents)| contents.len()).sum::<usize>() + DIGEST_BYTES;
    if bytes as u64 + 1024 > MAX_SEALED_BYTES || list.len() > MOST_LIST_BYTES {
        let problem = format!("its keys and records have {bytes} bytes, more than the 64 MiB of a backup");
        return Err(FileError::content(folder, problem).into());
    }
    let mut body = Zeroizing::new(Vec::with_capacity(bytes));
    body.extend_from_slice(&(list.len() as u32).to_le_bytes());
    body.extend_from_slice(&list);
    files.iter().for_each(|(_, contents)| body.extend_from_slice(contents));
    let digest = blake3::hash(&body);
    body.extend_from_slice(digest.as_bytes());
    Ok(Zeroizing::new(match passphrase {
        Some(passphrase) => sealed::seal_as(&SEALED, &body, passphrase),
        None => [&READABLE[..], &body].concat(),
    }))
}

/// The contents of a backup.
#[derive(Debug)]
pub struct Backup {
    path: PathBuf,
    sealed: bool,
    contents: Zeroizing<Vec<u8>>,
}

impl Backup {
    /// Reads the file of a backup.
    ///
    /// # Errors
    /// A file that can't be read, or isn't a backup.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::of_bytes(path, std::mem::take(&mut *read_whole(path)?))
    }

    /// As [`Self::read`], of bytes that have a name.
    ///
    /// # Errors
    /// Bytes that aren't a backup.
    pub fn of_bytes(path: &Path, contents: Vec<u8>) -> Result<Self, FileError> {
        let contents = Zeroizing::new(contents);
        let sealed = match contents.first_chunk() {
            Some(&SEALED) => true,
            Some(&READABLE) => false,
            _ => return Err(FileError::content(path, "it isn't a backup of keys, or of another version")),
        };
        Ok(Self { path: path.into(), sealed, contents })
    }

    /// Whether it needs a passphrase.
    pub fn is_sealed(&self) -> bool {
        self.sealed
    }

    /// The files in it.
    ///
    /// # Errors
    /// Another passphrase or none where it needs one, and damage.
    pub fn open(&self, passphrase: Option<&[u8]>) -> Result<RestoredFiles, FileError> {
        let refused = |problem: &str| FileError::content(&self.path, problem);
        let sealed_by = |error: SealError| FileError::content(&self.path, error.to_string());
        let body = match passphrase {
            Some(passphrase) if self.sealed => {
                sealed::open_as(&SEALED, &self.contents, passphrase).map_err(sealed_by)?
            }
            _ if self.sealed => {
                return Err(refused("it is encrypted under a passphrase, which is needed here"));
            }
            _ => Zeroizing::new(self.contents[READABLE.len()..].to_vec()),
        };
        parse(&body).map(RestoredFiles).map_err(refused)
    }
}

/// The files of an opened backup.
pub struct RestoredFiles(BTreeMap<String, Zeroizing<Vec<u8>>>);

/// Their names, and not their contents.
impl fmt::Debug for RestoredFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl RestoredFiles {
    /// Their names.
    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Writes them to a folder, for their owner alone; their lengths.
    ///
    /// # Errors
    /// What the operating system says, and files of two key generations.
    pub fn write(&self, folder: &Path) -> Result<BTreeMap<String, u64>, FolderError> {
        let mut written = BTreeMap::new();
        for (name, contents) in &self.0 {
            written.insert(name.clone(), write_sealed(&folder.join(name), contents)?);
        }
        Keys::headers(folder)?;
        Ok(written)
    }
}

/// The files that the body of a backup states.
fn parse(body: &[u8]) -> Result<BTreeMap<String, Zeroizing<Vec<u8>>>, &'static str> {
    let damaged = "it's damaged";
    let (body, digest) = body.split_last_chunk::<DIGEST_BYTES>().ok_or(damaged)?;
    if blake3::hash(body) != *digest {
        return Err("its digest doesn't match its contents: it's damaged");
    }
    let (length, rest) = body.split_first_chunk().ok_or(damaged)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (list, mut rest) =
        rest.split_at_checked(length).filter(|_| length <= MOST_LIST_BYTES).ok_or(damaged)?;
    let list: Vec<(String, usize)> = serde_json::from_slice(list).map_err(|_| damaged)?;
    let mut files = BTreeMap::new();
    for (name, bytes) in list {
        let (contents, after) = rest.split_at_checked(bytes).ok_or(damaged)?;
        rest = after;
        if !belongs(&name) || files.insert(name, Zeroizing::new(contents.to_vec())).is_some() {
            return Err("it has a file that no folder of keys has, or one twice");
        }
    }
    let has_one_secret = files.contains_key(SECRET_FILE) != files.contains_key(SEALED_FILE);
    if rest.is_empty() && has_one_secret { Ok(files) } else { Err(damaged) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body of a backup of these files.
    fn body(files: &[(&str, &[u8])], list: Option<&str>) -> Vec<u8> {
        let lengths: Vec<(&str, usize)> =
            files.iter().map(|(name, contents)| (*name, contents.len())).collect();
        let list =
            list.map_or_else(|| serde_json::to_vec(&lengths).unwrap(), |list| list.as_bytes().to_vec());
        let mut body = (list.len() as u32).to_le_bytes().to_vec();
        body.extend(list);
        files.iter().for_each(|(_, contents)| body.extend_from_slice(contents));
        let digest = blake3::hash(&body);
        body.extend_from_slice(digest.as_bytes());
        body
    }

    #[test]
    fn only_files_of_a_folder_of_keys_are_restored() {
        let record = format!("inputs-{}.json", "0a".repeat(32));
        let files = [(SECRET_FILE, &b"secret"[..]), (&record, b"{}"), (RECORD_FILE, b"")];
        let parsed = parse(&body(&files, None)).unwrap();
        assert_eq!(parsed.len(), 3);
        assert_eq!(**parsed[SECRET_FILE], *b"secret");
        for name in
            ["../secret.safetensors", "/etc/passwd", "inputs-x.json", "inputs-../a.json", "plan.json", ""]
        {
            let refused = parse(&body(&[(SECRET_FILE, b"x"), (name, b"y")], None)).unwrap_err();
            assert!(refused.contains("no folder of keys"), "{name}: {refused}");
        }
    }

    #[test]
    fn damaged_lists_are_refused() {
        let secret: [(&str, &[u8]); 1] = [(SECRET_FILE, b"x")];
        for list in [
            "",
            "[]",
            "[[\"secret.safetensors\",2]]",
            "[[\"secret.safetensors\",0]]",
            "[[\"secret.safetensors\",18446744073709551615]]",
            "[[\"secret.safetensors\",1],[\"secret.safetensors\",0]]",
            "[[\"secret.safetensors\",1],[\"secret.sealed\",0]]",
            "[[\"public.safetensors\",1]]",
        ] {
            assert!(parse(&body(&secret, Some(list))).is_err(), "{list}");
        }
        assert!(parse(&body(&secret, None)).is_ok());
        let whole = body(&secret, None);
        for at in 0..whole.len() {
            assert!(parse(&whole[..at]).is_err(), "{at}");
            let mut altered = whole.clone();
            altered[at] ^= 0x10;
            assert!(parse(&altered).is_err(), "{at}");
        }
    }
}
