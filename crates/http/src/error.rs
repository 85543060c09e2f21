//! Why an exchange over HTTP fails.

use std::{io, net::SocketAddr, time::Duration};

use thiserror::Error;

use crate::Refusal;

/// The most characters of a token.
pub(crate) const MAX_TOKEN_LENGTH: usize = 512;

/// Why an exchange over HTTP fails, on either side.
#[derive(Debug, Error)]
pub enum HttpError {
    /// An address that can't be listened at.
    #[error("{address}: cannot be listened at: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// Plain HTTP where others could listen.
    #[error(
        "{0} isn't of this machine alone, and plain HTTP vouches for nobody: give the server a certificate, and clients https://"
    )]
    Plain(String),
    /// A certificate, or its key, that can't be used.
    #[error("{what}: {error}")]
    Certificate {
        /// Which.
        what: &'static str,
        /// Why.
        error: String,
    },
    /// What isn't a server's address.
    #[error("{0:?} is no server's address: it's https://HOST:PORT, or http://127.0.0.1:PORT on this machine")]
    Url(String),
    /// What isn't a token. It may be a secret all the same, so the message doesn't have it.
    #[error(
        "this is no token: a token has up to {max} characters: letters, digits and -._~+/ with = at the end only",
        max = MAX_TOKEN_LENGTH
    )]
    Token,
    /// A server that doesn't answer at all.
    #[error("{url}: cannot be reached: {error}")]
    Unreachable {
        /// The server.
        url: String,
        /// Why.
        error: String,
    },
    /// A connection that broke after the server had answered before.
    #[error("{url}: the connection broke off while {doing} ({error}): {}", cause(error))]
    Broken {
        /// The server.
        url: String,
        /// What was going on.
        doing: &'static str,
        /// Why.
        error: String,
    },
    /// What the server doesn't do.
    #[error("{url}: the server refuses ({status}): {}", refusal.message)]
    Refused {
        /// The server.
        url: String,
        /// The status code.
        status: u16,
        /// What it says.
        refusal: Refusal,
    },
    /// An answer that isn't one.
    #[error("{url}: its answer {what}: it's no server of this kind, or of another version")]
    Answer {
        /// The server.
        url: String,
        /// What's wrong with it.
        what: &'static str,
    },
    /// What is to be sent, and can't be read.
    #[error("what is to be sent cannot be read: {0}")]
    Source(io::Error),
    /// An answer that can't be stored.
    #[error("the answer cannot be stored: {0}")]
    Sink(io::Error),
    /// Threads or temporary files that can't be had.
    #[error("the system gives no threads or no temporary files: {0}")]
    System(#[from] io::Error),
}

impl HttpError {
    /// After what time the server may do what it refused, if it says so.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { refusal, .. } => refusal.retry_after_s.map(Duration::from_secs),
            _ => None,
        }
    }
}

/// The likely cause of a connection that broke off, by the text of the error, and what to do.
fn cause(error: &str) -> &'static str {
    let error = error.to_lowercase();
    if error.contains("timeout") || error.contains("timed out") {
        "nothing came for long, so the connection is too slow or the server hangs; ask again later"
    } else {
        "the server was stopped or restarted; ask again"
    }
}
