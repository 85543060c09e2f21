//! The message of a panic, which is always a bug of ours. It ends the module: JavaScript refuses further calls.

use std::sync::{Mutex, PoisonError};

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Keeps the message of a panic for [`last`].
pub(crate) fn keep() {
    std::panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic");
        let place = info.location().map_or_else(String::new, |place| {
            let file = place.file().rsplit("crates/").next().unwrap_or_default();
            format!(" at {file}:{}", place.line())
        });
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = format!("internal error{place}: {text}; please report this");
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
    }));
}

/// The message of the panic that ended the module, if one did.
pub(crate) fn last() -> Option<String> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
