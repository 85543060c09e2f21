//! Refusals of the store, as answers.

use asanoha_http::{Kind, Refusal};

use crate::{NameError, RefusalKind, RequestError};

/// The refusal that a client gets.
pub(super) fn refusal(error: &RequestError) -> Refusal {
    let kind = match error.kind() {
        RefusalKind::Malformed | RefusalKind::Unusable => Kind::Malformed,
        RefusalKind::Unauthorised => Kind::Unauthorized,
        RefusalKind::Unknown => Kind::Unknown,
        RefusalKind::Conflict => Kind::Conflict,
        RefusalKind::TooLarge => Kind::TooLarge,
        RefusalKind::Busy => Kind::TooMany,
        RefusalKind::Stopping => Kind::Busy,
        RefusalKind::Storage => Kind::Full,
    };
    let refusal = Refusal::new(kind, error.for_client());
    match error.retry_after() {
        Some(wait) => refusal.after(wait),
        None => refusal,
    }
}

/// The refusal of what isn't a name.
pub(super) fn no_name(error: &NameError) -> Refusal {
    Refusal::new(Kind::Malformed, error)
}
