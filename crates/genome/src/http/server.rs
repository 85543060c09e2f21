//! The server: it listens, and hands requests on.

use std::{
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum_server::{
    Handle,
    tls_rustls::{RustlsAcceptor, RustlsConfig},
};
use rayon::ThreadPool;

use super::{
    HttpError, Identity, Limits,
    connections::Connections,
    handlers,
    keys::KeyRing,
    ledger::Ledger,
    places::{Amount, Places},
    turns::Turns,
};
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

/// What all requests share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) panel: Panel,
    pub(super) limits: Limits,
    pub(super) insecure_ring: Option<usize>,
    pub(super) keys: Mutex<KeyRing>,
    pub(super) ledger: Mutex<Ledger>,
    /// Requests in memory.
    pub(super) bodies: Places,
    pub(super) turns: Arc<Turns>,
    pub(super) pool: ThreadPool,
}

/// A server that listens and doesn't answer yet.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    identity: Option<Identity>,
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
        if identity.is_none() && !listen.ip().is_loopback() {
            return Err(HttpError::Plain(listen.to_string()));
        }
        let unheard = |error| HttpError::Listen { address: listen, error };
        let listener = TcpListener::bind(listen).map_err(unheard)?;
        let address = listener.local_addr().map_err(unheard)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let shared = Shared {
            panel,
            limits,
            insecure_ring,
            keys: Mutex::default(),
            ledger: Mutex::new(Ledger::new(&limits, Instant::now())),
            bodies: Places::new(
                Amount { count: limits.client_bodies, bytes: limits.client_body_bytes },
                Amount { count: limits.bodies, bytes: limits.body_bytes },
            ),
            turns: Turns::new(limits.turns, [limits.client_waiting, limits.waiting]),
            pool: pool.map_err(std::io::Error::other)?,
        };
        Ok(Self { listener, address, identity, grace, shared: Arc::new(shared) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address for clients.
    pub fn url(&self) -> String {
        format!("{}://{}", if self.identity.is_some() { "https" } else { "http" }, self.address)
    }

    /// Answers requests until `stop`; then it takes no more, and finishes those under way.
    ///
    /// # Errors
    /// [`HttpError::System`].
    pub fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), HttpError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let service = handlers::routes(Arc::clone(&self.shared));
        let service = service.into_make_service_with_connect_info::<SocketAddr>();
        let handle = Handle::new();
        let (stopping, grace, limits) = (handle.clone(), self.grace, self.shared.limits);
        let served = runtime.block_on(async move {
            tokio::spawn(async move {
                stop.await;
                stopping.graceful_shutdown(Some(grace));
            });
            let connections = Connections::new(&limits);
            let mut server = axum_server::from_tcp(self.listener)?.http1_only().handle(handle);
            server = server.first_request_timeout(limits.head);
            let http = server.http_builder();
            http.http1().header_read_timeout(limits.head).max_buf_size(Limits::HEAD_BYTES);
            if let Some(Identity(config)) = self.identity {
                let acceptor = RustlsAcceptor::new(RustlsConfig::from_config(config)).acceptor(connections);
                server.acceptor(acceptor).serve(service).await
            } else {
                server.acceptor(connections).serve(service).await
            }
        });
        // Answers whose clients are gone aren't waited for.
        runtime.shutdown_background();
        Ok(served?)
    }
}

/// Until the system asks the program to end.
///
/// # Panics
/// If the system gives no notice of signals.
pub async fn stopped_by_signal() {
    let interrupted = async { tokio::signal::ctrl_c().await.expect("signals can be waited for") };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminated = signal(SignalKind::terminate()).expect("signals can be waited for");
        let mut interrupted = std::pin::pin!(interrupted);
        std::future::poll_fn(|context| {
            if interrupted.as_mut().poll(context).is_ready() {
                return std::task::Poll::Ready(());
            }
            terminated.poll_recv(context).map(|_| ())
        })
        .await;
    }
    #[cfg(not(unix))]
    interrupted.await;
}
