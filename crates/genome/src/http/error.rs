//! Why a search over HTTPS fails.

use std::io;

use asanoha_http::{HttpError, Kind, Refusal};
use asanoha_lattice::FileError;
use thiserror::Error;

use crate::{PanelError, protocol::ProtocolError};

/// Why a search over HTTPS fails, on either side.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The exchange, whatever is exchanged.
    #[error(transparent)]
    Http(HttpError),
    /// An answer that isn't one.
    #[error("{url}: its answer {what}: it's no server of this search, or of another version")]
    Answer {
        /// The server.
        url: String,
        /// What's wrong with it.
        what: &'static str,
    },
    /// A request that isn't one.
    #[error("this is no request of a search: {0}")]
    Malformed(&'static str),
    /// A file of keys.
    #[error(transparent)]
    File(#[from] FileError),
    /// The search itself.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// A window that isn't in the panel.
    #[error(transparent)]
    Panel(#[from] PanelError),
}

impl SearchError {
    /// Whether the server refuses a request for this reason.
    pub(super) fn refused_as(&self, kind: Kind) -> bool {
        matches!(self, Self::Http(HttpError::Refused { refusal, .. }) if refusal.kind == kind)
    }
}

impl From<HttpError> for SearchError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Answer { url, what } => Self::Answer { url, what },
            error => Self::Http(error),
        }
    }
}

impl From<io::Error> for SearchError {
    fn from(error: io::Error) -> Self {
        HttpError::from(error).into()
    }
}

impl From<SearchError> for Refusal {
    fn from(error: SearchError) -> Self {
        let kind = match &error {
            SearchError::Http(HttpError::System(_)) | SearchError::Protocol(ProtocolError::Norm { .. }) => {
                Kind::Internal
            }
            _ => Kind::Malformed,
        };
        match error {
            // The path is the server's own.
            SearchError::File(error) => Self::new(kind, format!("the keys can't be read: {}", error.problem)),
            error => Self::new(kind, error),
        }
    }
}

impl From<ProtocolError> for Refusal {
    fn from(error: ProtocolError) -> Self {
        SearchError::from(error).into()
    }
}
