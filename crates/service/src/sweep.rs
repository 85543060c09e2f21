//! What has expired.

use serde::Serialize;

use crate::{
    ClientName, ContentKind, JobId, StoreError, UploadId,
    clock::after,
    metrics::add,
    state::{
        CHUNK, StoreCore,
        batch::{Batch, Table},
        folder::remove,
        records::{ContentName, ContentRecord, JobRecord},
    },
};

/// How much was removed as it had expired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// Uploads that weren't complete.
    pub uploads: usize,
    /// Files of keys and inputs.
    pub contents: usize,
    /// Finished jobs, with their results.
    pub jobs: usize,
}

/// Removes what has expired. To be called every few minutes. Requests are served meanwhile.
pub(crate) fn sweep(core: &StoreCore) -> Result<Swept, StoreError> {
    let now = core.clock.now_s();
    let mut swept = Swept { uploads: sweep_uploads(core, now)?, ..Swept::default() };
    let clients: Vec<ClientName> = core.lock().usages.clients().cloned().collect();
    for client in &clients {
        loop {
            let jobs = sweep_jobs(core, client, now)?;
            swept.jobs += jobs;
            if jobs < CHUNK {
                break;
            }
        }
    }
    let mut last = Some(String::new());
    while let Some(name) = last {
        let contents;
        (contents, last) = sweep_contents(core, &name, now)?;
        swept.contents += contents;
    }
    Ok(swept)
}

fn sweep_uploads(core: &StoreCore, now: u64) -> Result<usize, StoreError> {
    let mut state = core.lock();
    let uploads = state
        .uploads
        .iter()
        .filter(|(_, upload)| !upload.is_busy && after(upload.record.begun, core.limits.keep_uploads) <= now);
    let uploads: Vec<UploadId> = uploads.map(|(id, _)| *id).collect();
    let batch = uploads.iter().fold(Batch::default(), |batch, id| batch.remove(Table::Uploads, id));
    core.commit(&mut state, &batch)?;
    for id in &uploads {
        state.forget_upload(id);
        let _ = remove(&core.folder.upload(&id.to_string()));
    }
    add(&core.metrics.expired, uploads.len() as u64);
    Ok(uploads.len())
}

/// Removes the first jobs of a client, if they have expired; how many.
fn sweep_jobs(core: &StoreCore, client: &ClientName, now: u64) -> Result<usize, StoreError> {
    let mut state = core.lock();
    let ends = state.first_ends(client, CHUNK)?;
    let expired = ends.iter().take_while(|(ended, _)| after(*ended, core.limits.keep_results) <= now);
    let mut jobs: Vec<(JobId, JobRecord)> = Vec::new();
    for (_, id) in expired {
        if let Some(job) = state.journal.get(Table::Jobs, id)? {
            jobs.push((*id, job));
        }
    }
    let batch = jobs.iter().fold(Batch::default(), |batch, (id, job)| batch.remove_job(id, job));
    core.commit(&mut state, &batch)?;
    jobs.iter().for_each(|(_, job)| core.forget(&mut state, job));
    add(&core.metrics.expired, jobs.len() as u64);
    Ok(jobs.len())
}

/// Removes those of the next files after a name that have expired; how many, and the name of the last one that was looked at.
fn sweep_contents(core: &StoreCore, name: &str, now: u64) -> Result<(usize, Option<String>), StoreError> {
    let mut state = core.lock();
    let piece = state.journal.after::<ContentRecord>(Table::Contents, name, CHUNK)?;
    let last = piece.last().map(|(name, _)| name.clone());
    let mut contents: Vec<(ContentName, ContentRecord)> = Vec::new();
    for (name, record) in piece {
        // The opening found all names right.
        let Ok(name) = name.parse::<ContentName>() else { continue };
        let kept = match name.kind {
            ContentKind::Keys => core.limits.keep_keys,
            ContentKind::Inputs => core.limits.keep_inputs,
        };
        if after(record.used, kept) <= now && !state.needs(&name) {
            contents.push((name, record));
        }
    }
    let remove = |batch: Batch, (name, record): &(_, _)| batch.remove_content(name, record);
    core.commit(&mut state, &contents.iter().fold(Batch::default(), remove))?;
    for (name, record) in &contents {
        state.usages.change(&name.client, |usage| usage.remove_content(record));
        core.remove_blob(&record.blob);
    }
    add(&core.metrics.expired, contents.len() as u64);
    Ok((contents.len(), last))
}
