//! The client's side of the connection.

use std::fmt;

use asanoha_http::{Endpoint, HttpError, Kind};
use asanoha_lattice::{EvaluationKeys, PublicKey};
use asanoha_scheme::Scheme;

use super::{About, Ask, Limits, SearchError, SentKeys, Sites};
use crate::{
    Panel,
    panel::{MAX_SITES, Site},
    protocol::Search,
};

/// What a server knows a client's keys by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysDigest(pub [u8; 32]);

/// As 64 hex digits.
impl fmt::Display for KeysDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl KeysDigest {
    /// Parses the text that `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

/// A connection to a server.
#[derive(Debug)]
pub struct HttpClient(Endpoint);

impl HttpClient {
    /// For a server's address, and certificates to trust, as [`Endpoint::new`] takes them.
    ///
    /// # Errors
    /// Those of [`Endpoint::new`].
    pub fn new(url: &str, certificates: Option<&[u8]>) -> Result<Self, HttpError> {
        Endpoint::new(url, certificates).map(Self)
    }

    /// What the server says of itself.
    ///
    /// # Errors
    /// [`HttpError::Unreachable`], [`HttpError::Refused`], [`SearchError::Answer`].
    pub fn about(&self) -> Result<About, SearchError> {
        let about: About = self.0.get("/v1/panel").call()?.json()?;
        // Its name goes to a terminal too.
        if Panel::new(&about.chromosome, about.haplotypes).is_ok() && about.sites <= MAX_SITES {
            Ok(about)
        } else {
            Err(self.0.wrong("describes no panel").into())
        }
    }

    /// A window of the panel.
    ///
    /// # Errors
    /// [`HttpError::Broken`], [`HttpError::Refused`], [`SearchError::Answer`].
    pub fn sites(&self, start: usize, letters: usize) -> Result<Vec<Site>, SearchError> {
        let path = format!("/v1/sites?start={start}&letters={letters}");
        let Sites { sites } = self.0.get(&path).doing("asking for the sites").call()?.json()?;
        if sites.len() == letters && sites.is_sorted_by_key(|site| site.position) {
            Ok(sites)
        } else {
            Err(self.0.wrong("has other sites than were asked for").into())
        }
    }

    /// Sends keys, unless the server holds them, and returns their digest.
    ///
    /// # Errors
    /// [`SearchError::File`], [`HttpError::System`], [`HttpError::Broken`], [`HttpError::Refused`], [`SearchError::Answer`].
    pub fn send_keys(
        &self,
        search: &Search,
        (keys, public): (&EvaluationKeys, &PublicKey),
    ) -> Result<KeysDigest, SearchError> {
        let folder = tempfile::tempdir()?;
        let (params, digest) = (search.params().rlwe(), search.params().digest());
        let [of_public, of_keys] = ["public-key", "evaluation-keys"].map(|name| folder.path().join(name));
        public.write(params, digest, &of_public)?;
        keys.write_for(params, digest, &of_keys)?;
        let shape = search.shape();
        let sent = SentKeys {
            letters: shape.letters,
            candidates: shape.candidates,
            public: &std::fs::read(of_public)?,
            evaluation: &std::fs::read(of_keys)?,
        };
        self.send_key_bytes(&sent.write())
    }

    /// As [`HttpClient::send_keys`], with [`SentKeys`]' bytes.
    ///
    /// # Errors
    /// Those of [`HttpClient::send_keys`].
    pub fn send_key_bytes(&self, bytes: &[u8]) -> Result<KeysDigest, SearchError> {
        let digest = KeysDigest(*blake3::hash(bytes).as_bytes());
        if !self.holds(digest)? {
            self.0.put(&keys_path(digest)).doing("sending the keys").send(bytes)?;
        }
        Ok(digest)
    }

    /// Whether the server holds keys.
    ///
    /// # Errors
    /// [`HttpError::Broken`], [`HttpError::Refused`], [`SearchError::Answer`].
    pub fn holds(&self, digest: KeysDigest) -> Result<bool, SearchError> {
        match self.0.get(&keys_path(digest)).doing("asking for keys").call() {
            Ok(_) => Ok(true),
            Err(HttpError::Refused { refusal, .. }) if refusal.kind == Kind::UnknownKeys => Ok(false),
            Err(other) => Err(other.into()),
        }
    }

    /// Sends a query under keys that were sent, and returns the answer.
    ///
    /// # Errors
    /// [`HttpError::Broken`], [`HttpError::Refused`], [`SearchError::Answer`].
    pub fn ask(&self, keys: KeysDigest, starts: &[usize], query: &[u8]) -> Result<Vec<u8>, SearchError> {
        let ask = Ask { keys: keys.0, starts: starts.to_vec(), query };
        self.ask_bytes(&ask.write())
    }

    /// As [`HttpClient::ask`], with [`Ask`]'s bytes.
    ///
    /// # Errors
    /// Those of [`HttpClient::ask`].
    pub fn ask_bytes(&self, bytes: &[u8]) -> Result<Vec<u8>, SearchError> {
        let answer = self.0.post("/v1/queries").doing("waiting for an answer").send(bytes)?;
        Ok(answer.bytes(Limits::QUERY_BYTES as u64)?)
    }
}

fn keys_path(digest: KeysDigest) -> String {
    format!("/v1/keys/{digest}")
}
