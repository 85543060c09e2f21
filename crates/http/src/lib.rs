//! HTTP for servers that compute for many clients, and for these clients.
//!
//! A server is a [`Listener`], which takes connections, and an [`Admission`], which hands out what is scarce: places for requests'
//! bodies, turns at computing, and an hour's grants of requests and computing time. A [`Client`] is an address or a token; clients
//! with waiting requests take turns, whatever the number of their requests. [`Limits`] bound everything that comes from outside,
//! and every request that is refused gets a [`Refusal`]. The other side is an [`Endpoint`].
//!
//! ```
//! use std::time::Duration;
//!
//! use asanoha_http::{Admission, ClientAddress, Endpoint, Limits, Listener, Refusal};
//! use axum::{Router, body::Body, extract::State, routing::post};
//!
//! async fn sum(
//!     State(admission): State<Admission>,
//!     client: ClientAddress,
//!     body: Body,
//! ) -> Result<String, Refusal> {
//!     admission.admit(client)?;
//!     let body = admission.receive(client, body, 1 << 20).await?;
//!     let turn = admission.turn(client).await?;
//!     let work = move || Ok(body.json::<Vec<u32>>()?.iter().sum::<u32>().to_string());
//!     admission.compute(turn, work).await
//! }
//!
//! let limits = Limits::default();
//! let routes = Router::new().route("/sum", post(sum)).with_state(Admission::new(&limits, 1)?);
//! let listener = Listener::bind("127.0.0.1:0".parse()?, None)?;
//! let url = listener.url();
//! let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
//! let server = std::thread::spawn(move || {
//!     listener.run(routes, &limits, Duration::from_secs(5), async { _ = stopped.await })
//! });
//!
//! let endpoint = Endpoint::new(&url, None)?;
//! let answer = endpoint.post("/sum").send_json(&[3, 1, 4])?;
//! assert_eq!(answer.bytes(100)?, b"8");
//!
//! stop.send(()).map_err(|()| "the server has ended")?;
//! server.join().map_err(|_| "the server panicked")??;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Handlers take bodies as `axum::body::Body` and receive them by [`Admission::receive`] or [`Admission::receive_to`]. Extractors
//! that read a body themselves, such as `axum::Json`, know no places and no rates. A server with accounts takes a [`BearerToken`]
//! beside the address, looks it up by its digest, and hands [`Client::Token`] to the admission. [`FileBody`] answers with a file.

mod admission;
mod certificate;
mod client;
mod connections;
mod endpoint;
mod error;
mod file_body;
mod ledger;
mod limits;
mod listener;
mod pace;
mod places;
mod receive;
mod refusal;
mod signal;
mod token;
mod turns;

pub use admission::{Admission, Load};
pub use certificate::Identity;
pub use client::{Client, ClientAddress};
pub use endpoint::{Answer, Endpoint, Exchange};
pub use error::HttpError;
pub use file_body::FileBody;
pub use limits::Limits;
pub use listener::Listener;
pub use receive::{Received, Size, Stored};
pub use refusal::{Kind, Refusal};
pub use signal::stopped_by_signal;
pub use token::BearerToken;
pub use turns::Turn;
