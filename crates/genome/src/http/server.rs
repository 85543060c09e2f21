//! The server of a panel.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use asanoha_http::{Admission, HttpError, Identity, Listener};

use super::{Limits, handlers, shared::Shared};
use crate::Panel;

/// How a server serves.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens; port 0 is any that's free.
    pub listen: SocketAddr,
    /// Its certificate; without, it speaks plain HTTP, and on this machine's own addresses only.
    pub identity: Option<Identity>,
    /// The threads that it computes on.
    pub threads: usize,
    /// What it grants.
    pub limits: Limits,
    /// A small ring in which nothing is secret, for tests.
    pub insecure_ring: Option<usize>,
    /// How long it waits for requests that are under way when it's stopped.
    pub grace: Duration,
}

/// A server that listens and doesn't answer yet.
#[derive(Debug)]
pub struct HttpServer {
    listener: Listener,
    grace: Duration,
    pub(super) shared: Arc<Shared>,
}

impl HttpServer {
    /// A server of a panel.
    ///
    /// # Errors
    /// [`HttpError::Plain`], [`HttpError::Listen`], [`HttpError::System`].
    pub fn bind(panel: Panel, settings: Settings) -> Result<Self, HttpError> {
        let Settings { listen, identity, threads, limits, insecure_ring, grace } = settings;
        let listener = Listener::bind(listen, identity)?;
        let admission = Admission::new(&limits.general, threads)?;
        let shared = Shared { panel, limits, insecure_ring, keys: Mutex::default(), admission };
        Ok(Self { listener, grace, shared: Arc::new(shared) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Its address for clients.
    pub fn url(&self) -> String {
        self.listener.url()
    }

    /// Answers requests until `stop`; then it takes no more, and finishes those under way.
    ///
    /// # Errors
    /// [`HttpError::System`].
    pub fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), HttpError> {
        let limits = self.shared.limits.general;
        self.listener.run(handlers::routes(self.shared), &limits, self.grace, stop)
    }
}
