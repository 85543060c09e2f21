//! The requests, each with its limits and its answer.

use std::{
    fmt::Display,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Instant,
};

use axum::{
    Json, Router,
    body::{Body, Bytes, HttpBody, to_bytes},
    extract::{ConnectInfo, Path, Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{
    About, Ask, HttpError, Kind, Limits, Refusal, SentKeys, Sites, agreed_search,
    keys::{Digest, First, Held, KeyFiles, locked},
    server::Shared,
};
use crate::protocol::{ProtocolError, Search, Window};

type SharedState = State<Arc<Shared>>;
type Address = ConnectInfo<SocketAddr>;

pub(super) fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/health", get(|| async { "ok" }))
        .route("/v1/panel", get(about))
        .route("/v1/sites", get(sites))
        .route("/v1/keys/{digest}", get(has_keys).put(take_keys))
        .route("/v1/queries", post(answer))
        .fallback(|| async {
            refusal(Kind::UnknownPath, "there's nothing under this path; /v1/panel describes the panel")
        })
        .with_state(shared)
}

fn refusal(kind: Kind, message: impl Display) -> Refusal {
    Refusal { kind, message: message.to_string() }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self.kind {
            Kind::Malformed => StatusCode::BAD_REQUEST,
            Kind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Kind::UnknownKeys | Kind::UnknownPath => StatusCode::NOT_FOUND,
            Kind::Replayed => StatusCode::CONFLICT,
            Kind::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Kind::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(self)).into_response()
    }
}

impl From<HttpError> for Refusal {
    fn from(error: HttpError) -> Self {
        let kind = match &error {
            HttpError::System(_) | HttpError::Protocol(ProtocolError::Norm { .. }) => Kind::Internal,
            _ => Kind::Malformed,
        };
        match error {
            // The path is the server's own.
            HttpError::File(error) => refusal(kind, format!("the keys can't be read: {}", error.problem)),
            error => refusal(kind, error),
        }
    }
}

impl From<ProtocolError> for Refusal {
    fn from(error: ProtocolError) -> Self {
        HttpError::from(error).into()
    }
}

async fn about(State(shared): SharedState) -> Json<About> {
    let panel = &shared.panel;
    Json(About {
        chromosome: panel.chromosome().to_owned(),
        haplotypes: panel.haplotypes(),
        sites: panel.sites(),
        insecure_ring: shared.insecure_ring,
        most_letters: shared.limits.letters,
    })
}

/// A window of the panel.
#[derive(Deserialize)]
struct Asked {
    start: usize,
    letters: usize,
}

async fn sites(State(shared): SharedState, Query(asked): Query<Asked>) -> Result<Json<Sites>, Refusal> {
    shared.check_letters(asked.letters)?;
    let sites = shared.panel.window_sites(asked.start, asked.letters).map_err(HttpError::from)?;
    Ok(Json(Sites { sites }))
}

/// The digest that a path names.
fn digest(text: &str) -> Result<Digest, Refusal> {
    let digest = blake3::Hash::from_hex(text);
    Ok(*digest.map_err(|_| refusal(Kind::Malformed, "a digest is 64 hex digits"))?.as_bytes())
}

fn unknown_keys() -> Refusal {
    let message = "there are no keys of this digest, or none any more: the server was restarted or has dropped them; send them again, or others";
    refusal(Kind::UnknownKeys, message)
}

async fn has_keys(State(shared): SharedState, Path(named): Path<String>) -> Result<StatusCode, Refusal> {
    let held = locked(&shared.keys).get(&digest(&named)?);
    held.map(|_| StatusCode::NO_CONTENT).ok_or_else(unknown_keys)
}

async fn take_keys(
    State(shared): SharedState,
    ConnectInfo(from): Address,
    Path(named): Path<String>,
    body: Body,
) -> Result<StatusCode, Refusal> {
    let digest = digest(&named)?;
    shared.count(from.ip())?;
    let turn = shared.turn(&shared.uploads).await?;
    let bytes = shared.receive(body, shared.limits.key_bytes).await?;
    shared.compute(turn, move |shared| shared.hold(digest, bytes)).await?;
    Ok(StatusCode::CREATED)
}

async fn answer(
    State(shared): SharedState,
    ConnectInfo(from): Address,
    body: Body,
) -> Result<Vec<u8>, Refusal> {
    shared.count(from.ip())?;
    let bytes = shared.receive(body, Limits::QUERY_BYTES).await?;
    let keys = Ask::read(&bytes)?.keys;
    let held = locked(&shared.keys).get(&keys).ok_or_else(unknown_keys)?;
    let turn = shared.turn(&shared.answers).await?;
    shared.compute(turn, move |shared| shared.answer(&held, &bytes)).await
}

impl Shared {
    fn check_letters(&self, letters: usize) -> Result<(), Refusal> {
        let most = self.limits.letters;
        let message = || format!("{letters} letters: this server takes from 1 to {most}");
        if (1..=most).contains(&letters) { Ok(()) } else { Err(refusal(Kind::TooLarge, message())) }
    }

    /// Counts a request of an address.
    fn count(&self, address: IpAddr) -> Result<(), Refusal> {
        let most = self.limits.requests;
        if locked(&self.requests).admit(address, most, Instant::now()) {
            return Ok(());
        }
        let minutes = Limits::PERIOD.as_secs() / 60;
        let message =
            format!("{most} queries and keys in {minutes} minutes are all that an address has: ask later");
        Err(refusal(Kind::TooMany, message))
    }

    /// A request's body, if it's of at most so many bytes and doesn't take too long.
    async fn receive(&self, body: Body, most: usize) -> Result<Bytes, Refusal> {
        // Before anything of it is asked for.
        let length = body.size_hint().lower();
        if length > most as u64 {
            return Err(refusal(
                Kind::TooLarge,
                format!("the request has {length} bytes, and may have {most} bytes"),
            ));
        }
        let received = timeout(self.limits.receive, to_bytes(body, most)).await;
        let seconds = self.limits.receive.as_secs();
        let late = |_| refusal(Kind::Busy, format!("the request took longer than {seconds} s to arrive"));
        let large = |_| {
            refusal(
                Kind::TooLarge,
                format!("the request has more than {most} bytes, or broke off before its end"),
            )
        };
        received.map_err(late)?.map_err(large)
    }

    /// Waits for a turn.
    async fn turn(&self, turns: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Refusal> {
        let turn = timeout(self.limits.wait, Arc::clone(turns).acquire_owned()).await;
        let busy = || refusal(Kind::Busy, "the server has too much to do: ask again later");
        turn.ok().and_then(Result::ok).ok_or_else(busy)
    }

    /// Works on the threads for computing. The turn ends with the work, even where the client doesn't wait for it.
    async fn compute<T: Send + 'static>(
        self: &Arc<Self>,
        turn: OwnedSemaphorePermit,
        work: impl FnOnce(&Self) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let shared = Arc::clone(self);
        let work = move || {
            let _turn = turn;
            shared.pool.install(|| work(&shared))
        };
        let failed = |_| Err(refusal(Kind::Internal, "the server failed; its own messages say why"));
        tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
    }

    /// Checks keys and holds them.
    fn hold(&self, digest: Digest, bytes: Bytes) -> Result<(), Refusal> {
        if blake3::hash(&bytes) != digest {
            return Err(refusal(
                Kind::Malformed,
                "the keys' digest isn't the path's: they were damaged on their way",
            ));
        }
        let sent = SentKeys::read(&bytes)?;
        let (search, files) = (self.search(&sent)?, KeyFiles::write(&sent)?);
        drop(bytes);
        let held = Held::read(search, &files)?;
        locked(&self.keys).insert(digest, held, self.limits.all_key_bytes);
        Ok(())
    }

    /// The search that keys are for.
    fn search(&self, sent: &SentKeys<'_>) -> Result<Search, Refusal> {
        self.check_letters(sent.letters)?;
        let (sizes, most) = ((sent.letters, sent.candidates), self.limits.candidates);
        if !(1..=most).contains(&sent.candidates) {
            let message = format!("{} starts: this server takes from 1 to {most}", sent.candidates);
            return Err(refusal(Kind::TooLarge, message));
        }
        if let Some(search) = locked(&self.keys).search(sizes) {
            return Ok(search);
        }
        let search = agreed_search(sizes, self.panel.haplotypes(), self.insecure_ring)?;
        locked(&self.keys).remember(sizes, &search);
        Ok(search)
    }

    /// Answers a query that comes for the first time.
    fn answer(&self, held: &Held, bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
        let ask = Ask::read(bytes)?;
        let window = Window::new(&self.panel, held.search.shape(), &ask.starts)?;
        match held.first(ask.query, self.limits.queries) {
            First::Yes => Ok(held.server.answer(&window, ask.query)?),
            First::Replayed => {
                Err(refusal(Kind::Replayed, "this query was answered before: encrypt it anew"))
            }
            First::TooMany => {
                locked(&self.keys).remove(&ask.keys);
                Err(unknown_keys())
            }
        }
    }
}
