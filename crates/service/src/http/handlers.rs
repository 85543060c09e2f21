//! What each route does.

use std::{io::Seek, sync::Arc, time::Duration};

use asanoha_http::{Admission, BearerToken, Client, ClientAddress, FileBody, Kind, Refusal, Size};
use axum::{
    Json,
    body::Body,
    extract::{FromRequestParts, MatchedPath, Path, Query, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::{
    error::{no_name, refusal},
    exposition::exposition,
    openapi::document,
    route::{BodyType, Operation, Routes},
};
use crate::{
    Announcement, Begun, ClientName, ContentKind, ContentView, Digest, IdempotencyKey, JobId, JobView,
    PlanView, RequestError, Store, Submission, UploadId, UploadView,
};

/// The most bytes of a request in JSON.
const MAX_JSON: usize = 4 << 10;
/// The longest that a request waits for a job's end, in seconds.
pub(super) const MOST_WAIT_S: u64 = 30;
/// The header of a submission's idempotency key.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The header of the digest of results.
pub(super) const DIGEST: HeaderName = HeaderName::from_static("asanoha-digest");

/// What all requests share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) store: Arc<Store>,
    pub(super) admission: Admission,
    pub(super) document: Arc<Value>,
}

/// The client whose token a request has.
#[derive(Debug)]
pub(super) struct Authenticated {
    name: ClientName,
    client: Client,
}

impl FromRequestParts<Shared> for Authenticated {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Refusal> {
        // Guesses of tokens are counted as requests of their address.
        let address = ClientAddress::from_request_parts(parts, shared).await?;
        let token = BearerToken::from_headers(&parts.headers)?;
        let name = match shared.store.tokens().verify(token.expose()) {
            Ok(name) => name,
            Err(error) => {
                shared.admission.admit(address)?;
                return Err(refusal(&RequestError::from(error)));
            }
        };
        let number = blake3::hash(name.as_str().as_bytes());
        let number = u64::from_le_bytes(*number.as_bytes().first_chunk().expect("a digest has 32 bytes"));
        let client = Client::Token(number);
        shared.admission.admit(client)?;
        parts.extensions.insert(name.clone());
        Ok(Self { name, client })
    }
}

/// The query of a request for bytes.
const OFFSET: &[(&str, &str)] = &[("offset", "the place of the first byte [default: 0]")];

/// The routes.
pub(super) fn routes() -> Routes<Shared> {
    job_routes(content_routes(open_routes()))
}

/// Those that need no token, and the plans.
fn open_routes() -> Routes<Shared> {
    let open = |path, summary, gives| Operation {
        needs_token: false,
        gives,
        ..Operation::new(Method::GET, path, summary)
    };
    Routes::new()
        .with(open("/healthz", "Whether it answers", &[(200, BodyType::Text)]), health)
        .with(open("/metrics", "Counters for Prometheus", &[(200, BodyType::Text)]), metrics)
        .with(open("/v1/openapi.json", "This document", &[(200, BodyType::Json("Document"))]), openapi)
        .with(
            Operation {
                gives: &[(200, BodyType::Json("Plans"))],
                ..Operation::new(Method::GET, "/v1/plans", "The plans that are served")
            },
            plans,
        )
        .with(
            Operation {
                gives: &[(200, BodyType::Json("Plan"))],
                refuses: &[400, 404],
                ..Operation::new(Method::GET, "/v1/plans/{plan}", "A plan")
            },
            plan,
        )
}

/// Those of uploads and of complete files.
fn content_routes(routes: Routes<Shared>) -> Routes<Shared> {
    const UPLOAD: &str = "/v1/uploads/{upload}";
    const CONTENT: &str = "/v1/plans/{plan}/{kind}/{digest}";
    let new = Operation::new;
    routes
        .with(
            Operation {
                takes: BodyType::Json("Announcement"),
                gives: &[(200, BodyType::Json("Begun"))],
                refuses: &[400, 404, 409, 413, 429, 507],
                ..new(
                    Method::POST,
                    "/v1/uploads",
                    "Begins an upload of keys or inputs, or finds them complete",
                )
            },
            begin_upload,
        )
        .with(
            Operation {
                gives: &[(200, BodyType::Json("Upload"))],
                refuses: &[400, 404, 409],
                ..new(Method::GET, UPLOAD, "How much of an upload is stored")
            },
            upload,
        )
        .with(
            Operation {
                query: OFFSET,
                takes: BodyType::Bytes,
                gives: &[(200, BodyType::Json("Upload")), (201, BodyType::Json("Content"))],
                refuses: &[400, 404, 408, 409, 413, 429, 503, 507],
                ..new(Method::PUT, UPLOAD, "Sends bytes of an upload; with the last ones the file is checked")
            },
            send,
        )
        .with(
            Operation {
                gives: &[(204, BodyType::Nothing)],
                refuses: &[400, 404, 409],
                ..new(Method::DELETE, UPLOAD, "Abandons an upload")
            },
            abandon,
        )
        .with(
            Operation {
                gives: &[(200, BodyType::Json("Content"))],
                refuses: &[400, 404],
                ..new(Method::GET, CONTENT, "What is known of complete keys or inputs")
            },
            content,
        )
        .with(
            Operation {
                gives: &[(204, BodyType::Nothing)],
                refuses: &[400, 404, 409],
                ..new(Method::DELETE, CONTENT, "Removes complete keys or inputs")
            },
            remove_content,
        )
}

/// Those of jobs.
fn job_routes(routes: Routes<Shared>) -> Routes<Shared> {
    const JOB: &str = "/v1/jobs/{job}";
    let new = Operation::new;
    routes
        .with(
            Operation {
                headers: &[(
                    "idempotency-key",
                    "the same key and job give the same answer, and one computation",
                )],
                takes: BodyType::Json("Submission"),
                gives: &[(200, BodyType::Json("Job")), (201, BodyType::Json("Job"))],
                refuses: &[400, 404, 409, 413, 429, 503, 507],
                ..new(Method::POST, "/v1/jobs", "Submits a job; the answer has its predicted time")
            },
            submit,
        )
        .with(
            Operation {
                query: &[("wait", "seconds to wait for its end, at most 30 [default: 0]")],
                gives: &[(200, BodyType::Json("Job"))],
                refuses: &[400, 404],
                ..new(Method::GET, JOB, "How a job stands")
            },
            job,
        )
        .with(
            Operation {
                gives: &[(204, BodyType::Nothing)],
                refuses: &[400, 404, 409],
                ..new(Method::DELETE, JOB, "Removes a job that has ended, and its results")
            },
            remove_job,
        )
        .with(
            Operation {
                gives: &[(200, BodyType::Json("Job"))],
                refuses: &[400, 404],
                ..new(Method::POST, "/v1/jobs/{job}/cancel", "Cancels a job")
            },
            cancel,
        )
        .with(
            Operation {
                query: OFFSET,
                gives: &[(200, BodyType::Bytes)],
                refuses: &[400, 404],
                ..new(Method::GET, "/v1/jobs/{job}/results", "The results of a job")
            },
            results,
        )
}

/// The OpenAPI document.
pub(super) fn openapi_document() -> Value {
    document(routes().operations())
}

/// Writes a line of the log for each request: its route, not its path, and nothing of its contents.
pub(super) async fn log(request: Request, next: Next) -> Response {
    let begun = std::time::Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let response = next.run(request).await;
    let (status, milliseconds) = (response.status().as_u16(), begun.elapsed().as_secs_f64() * 1e3);
    tracing::info!(%method, route = route.unwrap_or_default(), status, milliseconds, "request");
    response
}

/// What there's nothing under.
pub(super) async fn unknown_path() -> Refusal {
    Refusal::new(Kind::UnknownPath, "there's nothing under this path: /v1/openapi.json describes the service")
}

pub(super) async fn unknown_method() -> Response {
    let message = "this path has no such method: /v1/openapi.json describes the service";
    let mut response = Refusal::new(Kind::UnknownPath, message).into_response();
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response
}

/// Calls the store, which may wait for the disk.
async fn on_store<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce(&Arc<Store>) -> Result<T, RequestError> + Send + 'static,
) -> Result<T, Refusal> {
    let store = Arc::clone(&shared.store);
    let done = spawn_blocking(move || work(&store)).await;
    let done =
        done.map_err(|_| Refusal::new(Kind::Internal, "the server failed; its own messages say why"))?;
    done.map_err(|error| {
        if matches!(error, RequestError::Store(_)) {
            tracing::error!(%error, "the store failed");
        }
        refusal(&error)
    })
}

fn parse<T: std::str::FromStr<Err = crate::NameError>>(text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|error| no_name(&error))
}

async fn health() -> &'static str {
    "ok\n"
}

async fn metrics(State(shared): State<Shared>) -> impl IntoResponse {
    let text = exposition(&shared.store.metrics(), &shared.admission.load());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
}

async fn openapi(State(shared): State<Shared>) -> Json<Value> {
    Json((*shared.document).clone())
}

/// The answer to a request for the list of plans.
#[derive(Serialize, Deserialize)]
pub(super) struct PlanList {
    pub(super) plans: Vec<PlanView>,
}

async fn plans(State(shared): State<Shared>, _: Authenticated) -> Json<PlanList> {
    Json(PlanList { plans: shared.store.plans().list() })
}

async fn plan(
    State(shared): State<Shared>,
    _: Authenticated,
    Path(plan): Path<String>,
) -> Result<impl IntoResponse, Refusal> {
    let digest: Digest = parse(&plan)?;
    let plan = shared.store.plans().get(&digest);
    let plan = plan.ok_or_else(|| refusal(&RequestError::UnknownPlan(digest)))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], plan.to_json()))
}

async fn begin_upload(
    State(shared): State<Shared>,
    Authenticated { name, client }: Authenticated,
    body: Body,
) -> Result<Json<Begun>, Refusal> {
    let announced: Announcement = shared.admission.receive(client, body, MAX_JSON).await?.json()?;
    on_store(&shared, move |store| store.begin_upload(&name, &announced)).await.map(Json)
}

async fn upload(
    State(shared): State<Shared>,
    Authenticated { name, .. }: Authenticated,
    Path(id): Path<String>,
) -> Result<Json<UploadView>, Refusal> {
    let id: UploadId = parse(&id)?;
    on_store(&shared, move |store| store.upload(&name, id)).await.map(Json)
}

/// Where bytes begin.
#[derive(Deserialize)]
pub(super) struct Offset {
    #[serde(default)]
    offset: u64,
}

fn query<T>(query: Result<Query<T>, axum::extract::rejection::QueryRejection>) -> Result<T, Refusal> {
    query.map(|Query(query)| query).map_err(|error| Refusal::new(Kind::Malformed, error.body_text()))
}

async fn send(
    State(shared): State<Shared>,
    Authenticated { name, client }: Authenticated,
    Path(id): Path<String>,
    offset: Result<Query<Offset>, axum::extract::rejection::QueryRejection>,
    body: Body,
) -> Result<Response, Refusal> {
    let (id, Offset { offset }): (UploadId, _) = (parse(&id)?, query(offset)?);
    let owner = name.clone();
    let upload = on_store(&shared, move |store| store.resume_upload(&owner, id, offset)).await?;
    let most = Size::AtMost(upload.missing_bytes());
    // What arrived stays if the rest doesn't.
    let received = shared.admission.receive_to(client, body, upload, most).await?;
    if received.sink.missing_bytes() > 0 {
        drop(received);
        let view = on_store(&shared, move |store| store.upload(&name, id)).await?;
        return Ok(Json(view).into_response());
    }
    let turn = shared.admission.turn(client).await?;
    let check = move || received.sink.complete().map_err(|error| refusal(&error));
    let view: ContentView = shared.admission.compute(turn, check).await?;
    Ok((StatusCode::CREATED, Json(view)).into_response())
}

async fn abandon(
    State(shared): State<Shared>,
    Authenticated { name, .. }: Authenticated,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    let id: UploadId = parse(&id)?;
    on_store(&shared, move |store| store.abandon_upload(&name, id)).await.map(|()| StatusCode::NO_CONTENT)
}

/// A complete file's name.
fn named([plan, kind, digest]: [String; 3]) -> Result<(ContentKind, Digest, Digest), Refusal> {
    let kind = match &*kind {
        "keys" => ContentKind::Keys,
        "inputs" => ContentKind::Inputs,
        _ => return Err(Refusal::new(Kind::UnknownPath, "a plan has keys and inputs, and nothing else")),
    };
    Ok((kind, parse(&plan)?, parse(&digest)?))
}

async fn content(
    State(shared): State<Shared>,
    Authenticated { name, .. }: Authenticated,
    Path((plan, kind, digest)): Path<(String, String, String)>,
) -> Result<Json<ContentView>, Refusal> {
    let (kind, plan, digest) = named([plan, kind, digest])?;
    on_store(&shared, move |store| store.content(&name, kind, plan, digest)).await.map(Json)
}

async fn remove_content(
    State(shared): State<Shared>,
    Authenticated { name, .. }: Authenticated,
    Path((plan, kind, digest)): Path<(String, String, String)>,
) -> Result<StatusCode, Refusal> {
    let (kind, plan, digest) = named([plan, kind, digest])?;
    let removed = on_store(&shared, move |store| store.remove_content(&name, kind, plan, digest)).await;
    removed.map(|()| StatusCode::NO_CONTENT)
}

async fn submit(
    State(shared): State<Shared>,
    Authenticated { name, client }: Authenticated,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<JobView>), Refusal> {
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    let key =
        keys.next().map(|value| parse::<IdempotencyKey>(value.to_str().unwrap_or_default())).transpose()?;
    if keys.next().is_some() {
        return Err(Refusal::new(Kind::Malformed, "the request has two idempotency keys: send one"));
    }
    let submission: Submission = shared.admission.receive(client, body, MAX_JSON).await?.json()?;
    let submitted = on_store(&shared, move |store| store.submit(&name, &submission, key.as_ref())).await?;
    let status = if submitted.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(submitted.job)))
}

/// How long a request waits.
#[derive(Deserialize)]
pub(super) struct Wait {
    #[serde(default)]
    wait: u64,
}

async fn job(
    State(shared): State<Shared>,
    Authenticated { name, .. }: Authenticated,
    Path(id): Path<String>,
    wait: Result<Query<Wait>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<JobView>, Refusal> {
    let (id, Wait { wait }): (JobId, _) = (parse(&id)?, query(wait)?);
    let most = Duration::from_secs(wait.min(MOST_WAIT_S));
    on_store(&shared, move |store| store.wait_for_job(&name, id, most)).await.map(Json)
}

async fn cancel(
    State(shared): State<Shared>,
    Authenticated { name, .. }: Authenticated,
    Path(id): Path<String>,
) -> Result<Json<JobView>, Refusal> {
    let id: JobId = parse(&id)?;
    on_store(&shared, move |store| store.cancel(&name, id)).await.map(Json)
}

async fn remove_job(
    State(shared): State<Shared>,
    Authenticated { name, .. }: Authenticated,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    let id: JobId = parse(&id)?;
    on_store(&shared, move |store| store.remove_job(&name, id)).await.map(|()| StatusCode::NO_CONTENT)
}

async fn results(
    State(shared): State<Shared>,
    Authenticated { name, .. }: Authenticated,
    Path(id): Path<String>,
    offset: Result<Query<Offset>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Refusal> {
    let (id, Offset { offset }): (JobId, _) = (parse(&id)?, query(offset)?);
    let failed = |error: std::io::Error| {
        tracing::error!(%error, "results can't be read");
        Refusal::new(Kind::Internal, "the server failed; its own messages say why")
    };
    let mut found = on_store(&shared, move |store| store.results(&name, id)).await?;
    if offset > found.bytes {
        let message = format!("the results have {} bytes: ask from there on at most", found.bytes);
        return Err(Refusal::new(Kind::Malformed, message));
    }
    found.file.seek(std::io::SeekFrom::Start(offset)).map_err(failed)?;
    let mut response = FileBody::new(found.file).map_err(failed)?.into_response();
    let digest = HeaderValue::from_str(&found.digest.to_string()).expect("hexadecimal digits");
    response.headers_mut().insert(DIGEST, digest);
    Ok(response)
}
