//! The server: it listens, and hands requests on.

use std::{
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use axum::Router;
use axum_server::{
    Handle,
    tls_rustls::{RustlsAcceptor, RustlsConfig},
};
use tokio::runtime::Builder;

use crate::{HttpError, Identity, Limits, connections::Connections};

/// A server that listens and doesn't answer yet.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    identity: Option<Identity>,
}

impl Listener {
    /// Listens at an address; port 0 is any that's free. Without a certificate it speaks plain HTTP, and at this machine's own
    /// addresses only.
    ///
    /// # Errors
    /// [`HttpError::Plain`], [`HttpError::Listen`].
    pub fn bind(address: SocketAddr, identity: Option<Identity>) -> Result<Self, HttpError> {
        if identity.is_none() && !address.ip().is_loopback() {
            return Err(HttpError::Plain(address.to_string()));
        }
        let unheard = |error| HttpError::Listen { address, error };
        let socket = TcpListener::bind(address).map_err(unheard)?;
        let address = socket.local_addr().map_err(unheard)?;
        Ok(Self { socket, address, identity })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address for clients.
    pub fn url(&self) -> String {
        format!("{}://{}", if self.identity.is_some() { "https" } else { "http" }, self.address)
    }

    /// Answers requests until `stop`; then it takes no more, and waits for those under way, at most as long as `grace`. Of the
    /// limits it uses those of connections, heads and rates.
    ///
    /// # Errors
    /// [`HttpError::System`].
    pub fn run(
        self,
        routes: Router,
        limits: &Limits,
        grace: Duration,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), HttpError> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let service = routes.into_make_service_with_connect_info::<SocketAddr>();
        let handle = Handle::new();
        let stopping = handle.clone();
        let served = runtime.block_on(async move {
            tokio::spawn(async move {
                stop.await;
                stopping.graceful_shutdown(Some(grace));
            });
            let connections = Connections::new(limits);
            let mut server = axum_server::from_tcp(self.socket)?.http1_only().handle(handle);
            server = server.first_request_timeout(limits.head);
            let mut http = server.http_builder().http1();
            http.header_read_timeout(limits.head);
            http.max_buf_size(Limits::HEAD_BYTES).max_headers(Limits::HEADERS);
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
