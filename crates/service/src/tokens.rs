//! Bearer tokens, of which only hashes are stored.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, SystemTime},
};

use asanoha_lattice::write_atomically;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::{
    ClientName, Clock, Digest, TokenId, clock::after, locked::locked, names::random,
    private_files::private_options,
};

/// The version of the file of tokens.
const VERSION: u32 = 1;
const FILE: &str = "tokens.json";
/// Is locked by a process that changes the file.
const LOCK: &str = "tokens.lock";
/// The most bytes of the file.
const MAX_BYTES: u64 = 8 << 20;
/// The beginning of every token, by which it's recognised where it shouldn't stand.
const PREFIX: &str = "asanoha_";
const HASH_CONTEXT: &str = "asanoha service: hash of a bearer token";

/// Why a token isn't accepted, or can't be made.
#[derive(Debug, Error)]
pub enum TokenError {
    /// No token of this service, or one that was revoked.
    #[error("this token isn't one of this service: ask its operator for a token")]
    Unknown,
    /// A token that has expired.
    #[error("this token of {client} expired {ago_s} seconds ago: ask the service's operator for another")]
    Expired {
        /// Whose it is.
        client: ClientName,
        /// For how many seconds it has expired.
        ago_s: u64,
    },
    /// There are too many.
    #[error("there are {} tokens, the most that there may be: revoke those that aren't used", Tokens::MOST)]
    Full,
    /// The file of tokens can't be read or written.
    #[error("{}: cannot be read or written: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file of tokens isn't what was written.
    #[error("{}: isn't a file of tokens of version {VERSION}: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What's wrong.
        problem: String,
    },
}

/// A token, which its client sends with every request. It's told once, when it's made, and erased on drop.
pub struct TokenSecret(Zeroizing<String>);

impl TokenSecret {
    /// The text that the client sends.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSecret(…)")
    }
}

/// What is known of a token without knowing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenView {
    /// Names it.
    pub id: TokenId,
    /// Whom it stands for.
    pub client: ClientName,
    /// When it was made, in seconds since 1970.
    pub created_unix_s: u64,
    /// When it expires, in seconds since 1970, if it does.
    pub expires_unix_s: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    hash: Digest,
    client: ClientName,
    created: u64,
    expires: Option<u64>,
}

impl Token {
    fn id(&self) -> TokenId {
        let mut id = [0; 8];
        id.copy_from_slice(&self.hash.as_bytes()[..8]);
        id.into()
    }

    fn view(&self) -> TokenView {
        let Self { client, created, expires, .. } = self;
        let client = client.clone();
        TokenView { id: self.id(), client, created_unix_s: *created, expires_unix_s: *expires }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenFile {
    version: u32,
    tokens: Vec<Token>,
}

/// By what a change of the file is noticed: every change is a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    bytes: u64,
    inode: u64,
}

impl Stamp {
    fn of(metadata: &fs::Metadata) -> io::Result<Self> {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Ok(Self { modified: metadata.modified()?, bytes: metadata.len(), inode })
    }
}

/// The bearer tokens of a service's clients. They're in a file of the store's folder that another process may change while the service
/// runs: a new token counts at once, and so does a revocation.
#[derive(Debug)]
pub struct Tokens {
    path: PathBuf,
    lock: PathBuf,
    clock: Clock,
    read: Mutex<Option<(Stamp, Vec<Token>)>>,
}

impl Tokens {
    /// The most tokens that there may be.
    pub const MOST: usize = 16384;

    /// The tokens in the folder of a store, which has to be there.
    pub fn open(folder: &Path, clock: Clock) -> Self {
        Self { path: folder.join(FILE), lock: folder.join(LOCK), clock, read: Mutex::default() }
    }

    /// Makes a token of 256 random bits for a client. A client may have several.
    ///
    /// # Errors
    /// [`TokenError::Full`], and a file that can't be read or written.
    pub fn create(
        &self,
        client: &ClientName,
        lifetime: Option<Duration>,
    ) -> Result<(TokenView, TokenSecret), TokenError> {
        let bytes = Zeroizing::new(random::<32>());
        let mut text = Zeroizing::new(String::with_capacity(PREFIX.len() + 2 * bytes.len()));
        text.push_str(PREFIX);
        let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).expect("of four bits");
        bytes.iter().for_each(|byte| text.extend([digit(byte >> 4), digit(byte & 15)]));
        let created = self.clock.now_s();
        let expires = lifetime.map(|lifetime| after(created, lifetime));
        let token = Token { hash: hash(&text).into(), client: client.clone(), created, expires };
        let view = token.view();
        self.change(|tokens| {
            if tokens.len() >= Self::MOST {
                return Err(TokenError::Full);
            }
            tokens.push(token);
            Ok(())
        })?;
        Ok((view, TokenSecret(text)))
    }

    /// Whom a token stands for. All tokens are compared, each in constant time.
    ///
    /// # Errors
    /// [`TokenError::Unknown`], [`TokenError::Expired`], and a file that can't be read.
    pub fn verify(&self, secret: &str) -> Result<ClientName, TokenError> {
        let found = hash(secret);
        let now = self.clock.now_s();
        self.with(|tokens| {
            let mut right = None;
            for token in tokens {
                // Hashes are compared in constant time.
                if blake3::Hash::from(*token.hash.as_bytes()) == found {
                    right = Some(token);
                }
            }
            let Token { client, expires, .. } = right.ok_or(TokenError::Unknown)?;
            match expires {
                Some(expires) if *expires <= now => {
                    Err(TokenError::Expired { client: client.clone(), ago_s: now - expires })
                }
                _ => Ok(client.clone()),
            }
        })?
    }

    /// Removes a token, which no request is accepted with from now on. Returns false if there is none.
    ///
    /// # Errors
    /// A file that can't be read or written.
    pub fn revoke(&self, id: &TokenId) -> Result<bool, TokenError> {
        self.change(|tokens| {
            let before = tokens.len();
            tokens.retain(|token| token.id() != *id);
            Ok(tokens.len() < before)
        })
    }

    /// All tokens, by client, for the operator.
    ///
    /// # Errors
    /// A file that can't be read.
    pub fn list(&self) -> Result<Vec<TokenView>, TokenError> {
        let mut views = self.with(|tokens| tokens.iter().map(Token::view).collect::<Vec<_>>())?;
        views.sort_by(|a, b| (&a.client, a.created_unix_s).cmp(&(&b.client, b.created_unix_s)));
        Ok(views)
    }

    fn io(&self, error: io::Error) -> TokenError {
        TokenError::Io { path: self.path.clone(), error }
    }

    /// Takes the tokens of the file, which is read where it was changed.
    fn with<T>(&self, take: impl FnOnce(&[Token]) -> T) -> Result<T, TokenError> {
        let mut read = locked(&self.read);
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(take(&[])),
            Err(error) => return Err(self.io(error)),
        };
        let stamp = file.metadata().and_then(|metadata| Stamp::of(&metadata)).map_err(|e| self.io(e))?;
        match &*read {
            Some((of, tokens)) if *of == stamp => Ok(take(tokens)),
            _ => {
                let tokens = self.parse(file)?;
                let (_, tokens) = read.insert((stamp, tokens));
                Ok(take(tokens))
            }
        }
    }

    fn parse(&self, file: File) -> Result<Vec<Token>, TokenError> {
        let mut text = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(|error| self.io(error))?;
        let damaged = |problem: String| TokenError::Damaged { path: self.path.clone(), problem };
        if text.len() as u64 > MAX_BYTES {
            return Err(damaged(format!("it has more than {MAX_BYTES} bytes")));
        }
        let parsed = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        let TokenFile { version, tokens } = parsed;
        if version == VERSION { Ok(tokens) } else { Err(damaged(format!("its version is {version}"))) }
    }

    /// Changes the tokens while no other process does.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<Token>) -> Result<T, TokenError>,
    ) -> Result<T, TokenError> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let lock = private_options(&mut options).open(&self.lock);
        let lock = lock.and_then(|lock| lock.lock().map(|()| lock)).map_err(|error| self.io(error))?;
        let mut tokens = self.with(<[Token]>::to_vec)?;
        let changed = change(&mut tokens)?;
        let text = serde_json::to_vec(&TokenFile { version: VERSION, tokens }).expect("plain data");
        write_atomically(&self.path, true, |file| file.write_all(&text)).map_err(|error| self.io(error))?;
        drop(lock);
        Ok(changed)
    }
}

fn hash(secret: &str) -> blake3::Hash {
    blake3::derive_key(HASH_CONTEXT, secret.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    };

    use super::*;

    #[test]
    fn a_token_stands_for_its_client_until_it_expires_or_is_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let now = Arc::new(AtomicU64::new(1000));
        let service = Tokens::open(folder.path(), Clock::manual(now.clone()));
        assert!(service.list().unwrap().is_empty());
        let [alice, bob] = ["alice", "bob"].map(|name| name.parse::<ClientName>().unwrap());
        // Another process makes and revokes them.
        let operator = Tokens::open(folder.path(), Clock::manual(now.clone()));
        let (view, secret) = operator.create(&alice, Some(Duration::from_mins(1))).unwrap();
        let (lasting, other) = operator.create(&bob, None).unwrap();
        assert_eq!(service.verify(secret.expose()).unwrap(), alice);
        assert_eq!(service.verify(other.expose()).unwrap(), bob);
        assert_eq!(service.list().unwrap(), [view.clone(), lasting.clone()]);
        now.store(1060, Ordering::Relaxed);
        let error = service.verify(secret.expose()).unwrap_err().to_string();
        assert!(error.starts_with("this token of alice expired 0 seconds ago"), "{error}");
        assert_eq!(service.verify(other.expose()).unwrap(), bob);
        assert!(operator.revoke(&lasting.id).unwrap() && !operator.revoke(&lasting.id).unwrap());
        for wrong in [other.expose(), "", PREFIX, &secret.expose()[..70], "asanoha_é"] {
            let error = service.verify(wrong).unwrap_err().to_string();
            assert!(error.starts_with("this token isn't one of this service"), "{error}");
        }
    }

    #[test]
    fn secrets_are_neither_stored_nor_printed() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::open(folder.path(), Clock::system());
        let (view, secret) = tokens.create(&"alice".parse().unwrap(), None).unwrap();
        assert_eq!(secret.expose().len(), PREFIX.len() + 64);
        let digits = &secret.expose()[PREFIX.len()..];
        let stored = fs::read_to_string(folder.path().join(FILE)).unwrap();
        for text in [stored, format!("{secret:?} {tokens:?} {view:?}")] {
            assert!(!text.contains(&digits[..16]), "{text}");
        }
        #[cfg(unix)]
        for name in [FILE, LOCK] {
            let mode = fs::metadata(folder.path().join(name)).unwrap();
            assert_eq!(std::os::unix::fs::MetadataExt::mode(&mode) & 0o777, 0o600);
        }
    }

    #[test]
    fn a_damaged_file_of_tokens_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::open(folder.path(), Clock::system());
        for text in ["", "{}", r#"{"version":2,"tokens":[]}"#] {
            fs::write(folder.path().join(FILE), text).unwrap();
            let error = tokens.verify("x").unwrap_err().to_string();
            assert!(error.contains("tokens.json: isn't a file of tokens of version 1"), "{error}");
        }
    }
}
