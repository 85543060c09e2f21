//! The requests, each with its limits and its answer.

use std::sync::Arc;

use asanoha_http::{ClientAddress, HttpError, Kind, Received, Refusal};
use axum::{
    Json, Router,
    body::Body,
    extract::{Path, Query, State},
    http::StatusCode,
    routing::{get, post},
};
use serde::Deserialize;

use super::{
    About, Ask, Limits, SearchError, SentKeys, Sites, agreed_search,
    keys::{Digest, First, Held, KeyFiles, locked},
    server::Shared,
};
use crate::protocol::{ProtocolError, Search, Window};

type SharedState = State<Arc<Shared>>;

pub(super) fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/health", get(|| async { "ok" }))
        .route("/v1/panel", get(about))
        .route("/v1/sites", get(sites))
        .route("/v1/keys/{digest}", get(has_keys).put(take_keys))
        .route("/v1/queries", post(answer))
        .fallback(|| async {
            Refusal::new(Kind::UnknownPath, "there's nothing under this path; /v1/panel describes the panel")
        })
        .with_state(shared)
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
    let sites = shared.panel.window_sites(asked.start, asked.letters).map_err(SearchError::from)?;
    Ok(Json(Sites { sites }))
}

/// The digest that a path names.
fn digest(text: &str) -> Result<Digest, Refusal> {
    let digest = blake3::Hash::from_hex(text);
    Ok(*digest.map_err(|_| Refusal::new(Kind::Malformed, "a digest is 64 hex digits"))?.as_bytes())
}

fn unknown_keys() -> Refusal {
    let message = "there are no keys of this digest, or none any more: the server was restarted or has dropped them; send them again, or others";
    Refusal::new(Kind::UnknownKeys, message)
}

async fn has_keys(State(shared): SharedState, Path(named): Path<String>) -> Result<StatusCode, Refusal> {
    shared.held(&digest(&named)?).map(|_| StatusCode::NO_CONTENT)
}

async fn take_keys(
    State(shared): SharedState,
    client: ClientAddress,
    Path(named): Path<String>,
    body: Body,
) -> Result<StatusCode, Refusal> {
    let (digest, admission) = (digest(&named)?, shared.admission.clone());
    admission.admit(client)?;
    let body = admission.receive(client, body, shared.limits.key_bytes).await?;
    let turn = admission.turn(client).await?;
    admission.compute(turn, move || shared.hold(digest, client, body)).await?;
    Ok(StatusCode::CREATED)
}

async fn answer(State(shared): SharedState, client: ClientAddress, body: Body) -> Result<Vec<u8>, Refusal> {
    let admission = shared.admission.clone();
    admission.admit(client)?;
    let body = admission.receive(client, body, Limits::QUERY_BYTES).await?;
    // A query under unknown keys needs no turn.
    shared.held(&Ask::read(&body.bytes)?.keys)?;
    let turn = admission.turn(client).await?;
    admission.compute(turn, move || shared.answer(&body)).await
}

impl Shared {
    fn check_letters(&self, letters: usize) -> Result<(), Refusal> {
        let most = self.limits.letters;
        let message = || format!("{letters} letters: this server takes from 1 to {most}");
        if (1..=most).contains(&letters) { Ok(()) } else { Err(Refusal::new(Kind::TooLarge, message())) }
    }

    /// The keys of a digest.
    fn held(&self, digest: &Digest) -> Result<Arc<Held>, Refusal> {
        locked(&self.keys).get(digest).ok_or_else(unknown_keys)
    }

    /// Checks keys and holds them.
    fn hold(&self, digest: Digest, client: ClientAddress, body: Received) -> Result<(), Refusal> {
        if blake3::hash(&body.bytes) != digest {
            return Err(Refusal::new(
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
            return Err(Refusal::new(Kind::TooLarge, message));
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
                Err(Refusal::new(Kind::Replayed, "this query was answered before: encrypt it anew"))
            }
            First::TooMany => {
                locked(&self.keys).remove(&ask.keys);
                Err(unknown_keys())
            }
        }
    }
}
