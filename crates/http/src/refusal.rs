//! Why a server refuses a request.

use std::{fmt::Display, time::Duration};

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};

/// The longest wait that a refusal names, and that a client takes from one, in seconds.
pub(crate) const MAX_RETRY: u64 = 24 * 3600;

/// Why a request is refused, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The request isn't what it should be.
    Malformed,
    /// The request has no token, or one that the server does not know.
    Unauthorized,
    /// The token does not permit the request.
    Forbidden,
    /// It's larger than the server takes.
    TooLarge,
    /// The server doesn't hold the keys that it names.
    UnknownKeys,
    /// The server doesn't hold what it names.
    Unknown,
    /// There's nothing under this path.
    UnknownPath,
    /// The request was answered before.
    Replayed,
    /// It contradicts what the server holds.
    Conflict,
    /// The client has too many requests at a time, or has used up its requests or its computing time.
    TooMany,
    /// The request arrives too slowly.
    TooSlow,
    /// The server has too much to do.
    Busy,
    /// The server has no storage left, or none for this client.
    Full,
    /// The server failed.
    Internal,
    /// A kind that this version doesn't know. Servers don't send it.
    #[serde(other)]
    Other,
}

impl Kind {
    /// The status of a refusal.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnknownKeys | Self::Unknown | Self::UnknownPath => StatusCode::NOT_FOUND,
            Self::Replayed | Self::Conflict => StatusCode::CONFLICT,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Full => StatusCode::INSUFFICIENT_STORAGE,
            Self::Internal | Self::Other => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// Why a request is refused. As an answer it's JSON, under a status of 400 and above.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// For programs.
    pub kind: Kind,
    /// For people: what is wrong, and what to do.
    pub message: String,
    /// After how many seconds another attempt may succeed; the header `Retry-After` too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

impl Refusal {
    /// A refusal that names no time.
    pub fn new(kind: Kind, message: impl Display) -> Self {
        Self { kind, message: message.to_string(), retry_after_s: None }
    }

    /// Adds the time after which another attempt may succeed: whole seconds, from one to a day.
    pub fn after(self, wait: Duration) -> Self {
        let whole = Duration::from_secs(wait.as_secs());
        let seconds = whole.as_secs().saturating_add(u64::from(whole < wait));
        Self { retry_after_s: Some(seconds.clamp(1, MAX_RETRY)), ..self }
    }

    /// For a failure of the server that only its operator can look into.
    pub(crate) fn failed() -> Self {
        Self::new(Kind::Internal, "the server failed; its own messages say why")
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (kind, retry_after) = (self.kind, self.retry_after_s);
        let mut response = (kind.status(), Json(self)).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        match kind {
            // What is left of the request isn't waited for.
            Kind::TooSlow => headers.insert(header::CONNECTION, HeaderValue::from_static("close")),
            Kind::Unauthorized => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
            }
            _ => None,
        };
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_whole_seconds_of_a_day_at_most() {
        let after = |wait| Refusal::new(Kind::Busy, "").after(wait).retry_after_s;
        let waits = [Duration::ZERO, Duration::from_millis(1500), Duration::from_secs(2), Duration::MAX];
        assert_eq!(waits.map(after), [1, 2, 2, MAX_RETRY].map(Some));
    }

    #[test]
    fn refusals_of_unknown_kinds_keep_their_message() {
        let text = r#"{"kind":"of_tomorrow","message":"wait"}"#;
        let refusal: Refusal = serde_json::from_str(text).unwrap();
        assert_eq!(refusal, Refusal::new(Kind::Other, "wait"));
    }

    #[test]
    fn answers_have_the_status_of_their_kind_and_its_headers() {
        let answer = |kind| Refusal::new(kind, "").after(Duration::from_secs(7)).into_response();
        for (kind, status) in [
            (Kind::Unauthorized, 401),
            (Kind::Forbidden, 403),
            (Kind::Conflict, 409),
            (Kind::TooMany, 429),
            (Kind::Full, 507),
        ] {
            let response = answer(kind);
            assert_eq!(response.status().as_u16(), status);
            assert_eq!(response.headers()[header::RETRY_AFTER], "7");
            let asks_for_token = response.headers().contains_key(header::WWW_AUTHENTICATE);
            assert_eq!(asks_for_token, kind == Kind::Unauthorized);
        }
    }
}
