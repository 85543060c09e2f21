//! The service over HTTPS: its routes, and the other side.
//!
//! | request | gives |
//! |---|---|
//! | `GET /healthz` | `ok` |
//! | `GET /metrics` | counters in the text format of Prometheus |
//! | `GET /v1/openapi.json` | the OpenAPI document of these routes |
//! | `GET /v1/plans` | digest, name, scheme and length of each plan that is served |
//! | `GET /v1/plans/{plan}` | the plan, by its digest |
//! | `POST /v1/uploads` | begins an [`Announcement`](crate::Announcement) of keys or inputs, or finds it complete |
//! | `GET`, `DELETE /v1/uploads/{upload}` | how much of it is stored; abandons it |
//! | `PUT /v1/uploads/{upload}?offset=N` | bytes from there on; with the last ones the file is checked |
//! | `GET`, `DELETE /v1/plans/{plan}/{kind}/{digest}` | a complete file's facts; removes it |
//! | `POST /v1/jobs` | submits a job |
//! | `GET`, `DELETE /v1/jobs/{job}` | how it stands, at once or when it has ended; removes one that has ended |
//! | `POST /v1/jobs/{job}/cancel` | cancels it |
//! | `GET /v1/jobs/{job}/results?offset=N` | its results, from there on |
//!
//! All but the first three need a token. A server with a [`Page`] answers `GET /` and `GET /page/…` with its files, to anyone.
//! Refusals are a [`Refusal`](asanoha_http::Refusal) as JSON, under a status of 400 and above.

mod client;
mod error;
mod exposition;
mod handlers;
mod openapi;
mod page;
mod route;
mod server;

pub use client::{FetchLimits, Fetched, RemoteClient, RemoteError, Sent, Tell};
pub use page::{Page, PageError};
pub use server::{Server, ServerSettings};
