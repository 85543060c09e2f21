//! The server: it listens, and its workers compute.

use std::{
    net::SocketAddr,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use asanoha_http::{Admission, HttpError, Identity, Limits, Listener};
use axum::{Router, middleware::from_fn};
use rayon::ThreadPoolBuilder;

use super::{
    Page,
    handlers::{self, Shared},
};
use crate::{Stop, Store, Worker};

/// How often what has expired is removed.
const SWEEP: Duration = Duration::from_mins(5);

/// How a server serves.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// Where it listens; port 0 is any that's free.
    pub listen: SocketAddr,
    /// Its certificate; without, it speaks plain HTTP, and on this machine's own addresses only.
    pub identity: Option<Identity>,
    /// The threads that each job is computed on.
    pub threads: usize,
    /// What it grants its clients.
    pub limits: Limits,
    /// How long it waits for requests and jobs that are under way when it's stopped. Jobs wait for the next start then.
    pub grace: Duration,
    /// The page for browsers, if there is one.
    pub page: Option<Page>,
}

impl ServerSettings {
    /// What a service grants its clients, unless it's told otherwise.
    pub fn limits() -> Limits {
        Limits { requests: 100_000, time: Duration::MAX, client_time: Duration::MAX, ..Limits::default() }
    }
}

/// A server that listens and doesn't answer yet.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    shared: Shared,
    settings: ServerSettings,
}

impl Server {
    /// A server of a store.
    ///
    /// # Errors
    /// [`HttpError::Plain`], [`HttpError::Listen`], [`HttpError::System`].
    pub fn bind(store: Arc<Store>, settings: ServerSettings) -> Result<Self, HttpError> {
        let listener = Listener::bind(settings.listen, settings.identity.clone())?;
        let admission = Admission::new(&settings.limits, settings.threads)?;
        let document = Arc::new(handlers::openapi_document());
        Ok(Self { listener, shared: Shared { store, admission, document }, settings })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Its address for clients.
    pub fn url(&self) -> String {
        self.listener.url()
    }

    /// Answers requests and computes jobs until `stop`. Then it takes no more, and finishes what is under way; jobs that take
    /// longer than the time for that wait for the next start.
    ///
    /// # Errors
    /// [`HttpError::System`].
    pub fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), HttpError> {
        let Self { listener, shared, settings } = self;
        let ServerSettings { threads, limits, grace, page, .. } = settings;
        let store = Arc::clone(&shared.store);
        let mut running = Vec::new();
        for at in 0..store.limits().workers.max(1) {
            let pool =
                ThreadPoolBuilder::new().num_threads(threads).build().map_err(std::io::Error::other)?;
            let mut worker = Worker::new(&store, Arc::new(pool));
            running.push(thread::Builder::new().name(format!("worker {at}")).spawn(move || worker.run())?);
        }
        let swept = Arc::clone(&store);
        let sweeper = thread::Builder::new().name("sweeper".to_owned()).spawn(move || sweep(&swept))?;

        let page = page.map_or_else(Router::new, Page::router);
        let routes: Router = handlers::routes()
            .router()
            .merge(page)
            .fallback(handlers::unknown_path)
            .method_not_allowed_fallback(handlers::unknown_method)
            .layer(from_fn(handlers::log))
            .with_state(shared);
        let stopping = Arc::clone(&store);
        let stopped = async move {
            stop.await;
            tracing::info!("stopping");
            stopping.stop(Stop::Finish);
        };
        let served = listener.run(routes, &limits, grace, stopped);
        let begun = Instant::now();
        // It may have ended by itself.
        store.stop(Stop::Finish);
        if !store.wait_until_idle(grace.saturating_sub(begun.elapsed())) {
            store.stop(Stop::Requeue);
        }
        for thread in running {
            let _ = thread.join();
        }
        let _ = sweeper.join();
        served
    }
}

/// Removes what has expired, until the service stops.
fn sweep(store: &Store) {
    loop {
        match store.sweep() {
            Ok(swept) if swept != crate::Swept::default() => {
                let crate::Swept { uploads, contents, jobs } = swept;
                tracing::info!(uploads, contents, jobs, "expired");
            }
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "what has expired can't be removed"),
        }
        if store.wait_for_stop(SWEEP) {
            return;
        }
    }
}
