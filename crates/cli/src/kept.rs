//! What a stopped evaluation leaves beside its output, so that the next call goes on from it.

use std::{
    ffi::OsString,
    io::Write,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use asanoha::execute::Checkpoints;

use crate::error::Failure;

/// The end of the folder's name, after that of the output.
const ENDING: &str = ".unfinished";
/// In a debug build, set to `always`: what is finished is kept as often as possible, for tests.
const HOW_OFTEN: &str = "ASANOHA_KEEP";

/// The folder that this call uses.
static CURRENT: Mutex<Option<Arc<Checkpoints>>> = Mutex::new(None);

/// The folder of what is finished of an output. One call uses it at a time.
pub(crate) fn open(output: &Path) -> Result<Arc<Checkpoints>, Failure> {
    let mut name = OsString::from(output);
    name.push(ENDING);
    let warn = |message: &str| {
        // If stderr is closed, nobody reads warnings.
        let _ = writeln!(std::io::stderr(), "warning: {message}");
    };
    let opened = Checkpoints::open(name.as_ref(), warn).map_err(Failure::bad_input)?;
    let always = cfg!(debug_assertions) && std::env::var(HOW_OFTEN).is_ok_and(|often| often == "always");
    let opened = Arc::new(if always { opened.eager() } else { opened });
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&opened));
    Ok(opened)
}

/// What a message of a stop says in the end: where the next call goes on, if there is something to go on from.
pub(crate) fn note() -> String {
    let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    current.as_ref().filter(|current| current.is_kept()).map_or_else(String::new, |current| {
        let folder = current.folder().display();
        format!("; the same call goes on from what is finished, which is in {folder}")
    })
}
