//! The requests, each with its limits and its answer.

use std::sync::Arc;

use asanoha_http::{ClientAddress, Kind, Refusal};
use axum::{
    Json, Router,
    body::Body,
    extract::{Path, Query, State},
    http::StatusCode,
    routing::{get, post},
};
use serde::Deserialize;

use super::{About, Ask, Limits, SearchError, Sites, keys::Digest, shared::Shared};

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
