//! A client's queries at a server that may lose its keys.

use asanoha_http::Kind;

use super::{HttpClient, KeysDigest, SearchError};
use crate::protocol::{Client, Search};

/// A client whose server is elsewhere. Evaluation keys take hundreds of megabytes: they're made and sent only where the server
/// doesn't hold any of the client's.
#[derive(Debug)]
pub struct Remote<'a> {
    http: &'a HttpClient,
    search: &'a Search,
    client: &'a Client,
    sent: Option<KeysDigest>,
}

impl<'a> Remote<'a> {
    /// A client at a server; `sent` names keys of this client that were sent before.
    pub fn new(
        http: &'a HttpClient,
        search: &'a Search,
        client: &'a Client,
        sent: Option<KeysDigest>,
    ) -> Self {
        Self { http, search, client, sent }
    }

    /// The keys that were sent last.
    pub fn sent(&self) -> Option<KeysDigest> {
        self.sent
    }

    /// Sees to it that the server holds keys of this client, and returns their digest.
    ///
    /// # Errors
    /// Those of [`HttpClient::send_keys`].
    pub fn prepare(&mut self) -> Result<KeysDigest, SearchError> {
        if let Some(digest) = self.sent.take()
            && self.http.holds(digest)?
        {
            return Ok(*self.sent.insert(digest));
        }
        let (keys, public) = self.client.server_keys();
        Ok(*self.sent.insert(self.http.send_keys(self.search, (&keys, &public))?))
    }

    /// Sends a query of this client, and returns the answer. Where the server has dropped the keys or was restarted they're sent
    /// again.
    ///
    /// # Errors
    /// Those of [`HttpClient::send_keys`] and [`HttpClient::ask`].
    pub fn ask(&mut self, starts: &[usize], query: &[u8]) -> Result<Vec<u8>, SearchError> {
        let digest = match self.sent {
            Some(digest) => digest,
            None => self.prepare()?,
        };
        match self.http.ask(digest, starts, query) {
            Err(error) if error.refused_as(Kind::UnknownKeys) => {
                let digest = self.prepare()?;
                self.http.ask(digest, starts, query)
            }
            other => other,
        }
    }
}
