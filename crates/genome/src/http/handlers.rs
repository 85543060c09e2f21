//! The requests, each with its limits and its answer.

use std::{net::SocketAddr, sync::Arc, time::Instant};

use axum::{
    Json, Router,
    body::Body,
    extract::{ConnectInfo, Path, Query, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use tokio::time::timeout;

use super::{
    About, Ask, HttpError, Kind, Limits, Refusal, SentKeys, Sites,
    address::ClientAddress,
    agreed_search,
    keys::{Digest, First, Held, KeyFiles, locked},
    ledger::{Grant, Spent},
    places::Full,
    receive::{Received, refusal},
    server::Shared,
    turns::Turn,
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

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self.kind {
            Kind::Malformed => StatusCode::BAD_REQUEST,
            Kind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Kind::UnknownKeys | Kind::UnknownPath => StatusCode::NOT_FOUND,
            Kind::Replayed => StatusCode::CONFLICT,
            Kind::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Kind::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Kind::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let (is_slow, retry_after) = (self.kind == Kind::TooSlow, self.retry_after_s);
        let mut response = (status, Json(self)).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if is_slow {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
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
    shared.held(&digest(&named)?).map(|_| StatusCode::NO_CONTENT)
}

async fn take_keys(
    State(shared): SharedState,
    ConnectInfo(from): Address,
    Path(named): Path<String>,
    body: Body,
) -> Result<StatusCode, Refusal> {
    let (digest, client) = (digest(&named)?, from.ip().into());
    shared.admit(client)?;
    let body = shared.receive(client, body, shared.limits.key_bytes).await?;
    let turn = shared.turn(client).await?;
    shared.compute(client, turn, move |shared| shared.hold(digest, client, body)).await?;
    Ok(StatusCode::CREATED)
}

async fn answer(
    State(shared): SharedState,
    ConnectInfo(from): Address,
    body: Body,
) -> Result<Vec<u8>, Refusal> {
    let client = from.ip().into();
    shared.admit(client)?;
    let body = shared.receive(client, body, Limits::QUERY_BYTES).await?;
    // A query under unknown keys needs no turn.
    shared.held(&Ask::read(&body.bytes)?.keys)?;
    let turn = shared.turn(client).await?;
    shared.compute(client, turn, move |shared| shared.answer(&body)).await
}

/// Counts the time until it's dropped as a client's.
struct Metered<'s> {
    shared: &'s Shared,
    client: ClientAddress,
    begun: Instant,
}

impl Drop for Metered<'_> {
    fn drop(&mut self) {
        let now = Instant::now();
        locked(&self.shared.ledger).charge(self.client, now - self.begun, now);
    }
}

impl Shared {
    fn check_letters(&self, letters: usize) -> Result<(), Refusal> {
        let most = self.limits.letters;
        let message = || format!("{letters} letters: this server takes from 1 to {most}");
        if (1..=most).contains(&letters) { Ok(()) } else { Err(refusal(Kind::TooLarge, message())) }
    }

    /// Counts a request of a client.
    fn admit(&self, client: ClientAddress) -> Result<(), Refusal> {
        let admitted = locked(&self.ledger).admit(client, Instant::now());
        admitted.map_err(|spent| self.spent(spent))
    }

    fn spent(&self, Spent { grant, wait }: Spent) -> Refusal {
        let Limits { requests, client_time, time, .. } = self.limits;
        let [own, all] = [client_time, time].map(|time| time.as_secs());
        let (kind, what) = match grant {
            Grant::Requests => {
                (Kind::TooMany, format!("this client's address has used its {requests} queries and keys"))
            }
            Grant::Time => {
                (Kind::TooMany, format!("this client's address has used its {own} s of computing"))
            }
            Grant::TimeOfAll => {
                (Kind::Busy, format!("all clients together have used the server's {all} s of computing"))
            }
        };
        let refusal = refusal(kind, what).after(wait);
        let seconds = refusal.retry_after_s.unwrap_or(0);
        Refusal { message: format!("{} an hour: ask later, in {seconds} s", refusal.message), ..refusal }
    }

    /// Waits for a turn.
    async fn turn(&self, client: ClientAddress) -> Result<Turn, Refusal> {
        let turn = timeout(self.limits.wait, self.turns.take(client)).await;
        let turn = turn.unwrap_or(Err(Full::All))?;
        // Turns before this one may have used up the time.
        locked(&self.ledger).check(client, Instant::now()).map_err(|spent| self.spent(spent))?;
        Ok(turn)
    }

    /// Works on the threads for computing. The turn ends with the work, even where the client doesn't wait for it.
    async fn compute<T: Send + 'static>(
        self: &Arc<Self>,
        client: ClientAddress,
        turn: Turn,
        work: impl FnOnce(&Self) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let shared = Arc::clone(self);
        let work = move || {
            // The time is counted before the next turn begins.
            let _turn = turn;
            let _metered = Metered { shared: &shared, client, begun: Instant::now() };
            shared.pool.install(|| work(&shared))
        };
        let failed = |_| Err(refusal(Kind::Internal, "the server failed; its own messages say why"));
        tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
    }

    /// The keys of a digest.
    fn held(&self, digest: &Digest) -> Result<Arc<Held>, Refusal> {
        locked(&self.keys).get(digest).ok_or_else(unknown_keys)
    }

    /// Checks keys and holds them.
    fn hold(&self, digest: Digest, client: ClientAddress, body: Received) -> Result<(), Refusal> {
        if blake3::hash(&body.bytes) != digest {
            return Err(refusal(
                Kind::Malformed,
                "the keys' digest isn't the path's: they were damaged on their way",
            ));
        }
        let sent = SentKeys::read(&body.bytes)?;
        let (search, files) = (self.search(&sent)?, KeyFiles::write(&sent)?);
        drop(body);
        let held = Held::read(search, &files)?;
        locked(&self.keys).insert(digest, client, held, self.limits.all_key_bytes);
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
    fn answer(&self, body: &Received) -> Result<Vec<u8>, Refusal> {
        let ask = Ask::read(&body.bytes)?;
        let held = self.held(&ask.keys)?;
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
