//! Files of keys and inputs: what is checked of them before they count.

use std::path::Path;

use asanoha_lattice::{FileError, FileHeader, FileReader};
use asanoha_runtime::{
    execute::{Contents, Encrypted, EvaluationKey, plan_of},
    plan::{Plan, SecurityCheck},
};
use serde::{Deserialize, Serialize};

use crate::{
    ClientName, ContentKind, Digest, RequestError,
    clock::after,
    state::{
        StoreCore,
        batch::{Batch, Table},
        records::{ContentName, ContentRecord},
    },
};

/// A complete file of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentView {
    /// What it is.
    pub kind: ContentKind,
    /// The plan that it's for.
    pub plan: Digest,
    /// The BLAKE3 digest of its bytes.
    pub digest: Digest,
    /// Its length.
    pub bytes: u64,
    /// The identifier of its key generation.
    pub key: String,
    /// When it expires if it isn't used before, in seconds since 1970.
    pub expires_unix_s: u64,
}

/// What is known of a file that was checked.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) key: String,
    pub(crate) memory_bytes: u64,
}

/// Checks a file of keys, row by row, or the header of a file of inputs, whose values are checked when they're evaluated. Little
/// of it is in memory at a time.
///
/// # Errors
/// What's wrong with it, without its path.
pub(crate) fn check(
    kind: ContentKind,
    (plan, security): (&Plan, SecurityCheck),
    path: &Path,
) -> Result<Checked, String> {
    let problem = |error: FileError| error.problem.to_string();
    let header = FileReader::summary(path).map_err(problem)?.header;
    let memory_bytes = match kind {
        ContentKind::Keys => {
            let keys = EvaluationKey::open(plan, path).map_err(problem)?;
            keys.check_rows().map_err(|error| without_path(&error.to_string(), path, "the file"))?;
            keys.memory_bytes() as u64
        }
        ContentKind::Inputs => {
            let plan = plan_of(plan, path).map_err(problem)?;
            Encrypted::check_header(&plan, Contents::Inputs, path).map_err(problem)?;
            plan.prediction.bytes
        }
    };
    if security == SecurityCheck::Required {
        admit(&header)?;
    }
    Ok(Checked { key: header.key.to_string(), memory_bytes })
}

/// Refuses what its header says isn't secret.
fn admit(header: &FileHeader) -> Result<(), String> {
    let why = match (header.seeded, header.insecure) {
        (true, _) => "made from a given seed, and anyone who knows the seed knows the secrets",
        (_, true) => "made with parameters below 128 bits of security",
        _ => return Ok(()),
    };
    Err(format!("they were {why}: make them anew without that"))
}

/// A message with other words for the path of a file.
pub(crate) fn without_path(message: &str, path: &Path, words: &str) -> String {
    message.replace(&*path.to_string_lossy(), words)
}

/// A client's complete file. Asking for it isn't a use of it.
pub(crate) fn content(
    core: &StoreCore,
    client: &ClientName,
    kind: ContentKind,
    plan: Digest,
    digest: Digest,
) -> Result<ContentView, RequestError> {
    let name = ContentName { client: client.clone(), kind, plan, digest };
    let record = core.lock().content(&name)?;
    Ok(content_view(core, &name, &record))
}

/// Removes a client's complete file.
pub(crate) fn remove_content(
    core: &StoreCore,
    client: &ClientName,
    kind: ContentKind,
    plan: Digest,
    digest: Digest,
) -> Result<(), RequestError> {
    let name = ContentName { client: client.clone(), kind, plan, digest };
    let mut state = core.lock();
    let record = state.content(&name)?;
    if state.needs(&name) {
        return Err(RequestError::InUse(kind));
    }
    core.commit(&mut state, &Batch::default().remove_content(&name, &record))?;
    state.usages.change(client, |usage| usage.remove_content(&record));
    core.remove_blob(&record.blob);
    Ok(())
}

pub(crate) fn content_view(core: &StoreCore, name: &ContentName, record: &ContentRecord) -> ContentView {
    let &ContentName { kind, plan, digest, .. } = name;
    let kept = match kind {
        ContentKind::Keys => core.limits.keep_keys,
        ContentKind::Inputs => core.limits.keep_inputs,
    };
    let expires_unix_s = after(record.used, kept);
    ContentView { kind, plan, digest, bytes: record.bytes, key: record.key.clone(), expires_unix_s }
}

/// A file is used now; the journal says so with the changes.
pub(crate) fn use_content(
    core: &StoreCore,
    batch: Batch,
    name: &ContentName,
    record: &mut ContentRecord,
) -> Batch {
    record.used = record.used.max(core.clock.now_s());
    batch.put(Table::Contents, name, record)
}
