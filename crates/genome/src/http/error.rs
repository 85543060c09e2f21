//! Why a search over HTTPS fails.

use std::{io, net::SocketAddr};

use asanoha_lattice::FileError;
use thiserror::Error;

use super::wire::Refusal;
use crate::{PanelError, protocol::ProtocolError};

/// Why a search over HTTPS fails, on either side.
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
    /// A server that doesn't answer at all.
    #[error("{url}: cannot be reached: {error}")]
    Unreachable {
        /// The server.
        url: String,
        /// Why.
        error: String,
    },
    /// A connection that broke after the server had answered before.
    #[error(
        "{url}: the connection broke off while {doing} ({error}): the server was stopped or restarted, or the connection is too slow; ask again"
    )]
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
    /// Threads or temporary files that can't be had.
    #[error("the system gives no threads or no temporary files: {0}")]
    System(#[from] io::Error),
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
