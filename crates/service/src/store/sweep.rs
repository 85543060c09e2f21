//! What has expired.

use serde::Serialize;

use super::{
    ContentName, JobRecord, State, StateRecord, Store, StoreError,
    folder::remove,
    journal::{Batch, Table},
};
use crate::{ContentKind, JobId, UploadId, clock::after, metrics::add};

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

impl Store {
    /// Removes what has expired. To be called every few minutes.
    ///
    /// # Errors
    /// What the disk or the journal says; nothing is lost that hasn't expired.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        let now = self.clock.now_s();
        let mut state = self.lock();
        let expired = |used, kept| after(used, kept) <= now;
        let keep_uploads = self.limits.keep_uploads;
        let uploads = state.uploads.iter();
        let uploads =
            uploads.filter(|(_, upload)| !upload.is_busy && expired(upload.record.begun, keep_uploads));
        let uploads: Vec<UploadId> = uploads.map(|(id, _)| *id).collect();
        let jobs = state.jobs.iter();
        let jobs =
            jobs.filter(|(_, job)| job.ended.is_some_and(|ended| expired(ended, self.limits.keep_results)));
        let jobs: Vec<JobId> = jobs.map(|(id, _)| *id).collect();
        let contents = state.contents.iter();
        let contents = contents.filter(|(name, record)| {
            let kept = match name.kind {
                ContentKind::Keys => self.limits.keep_keys,
                ContentKind::Inputs => self.limits.keep_inputs,
            };
            expired(record.used, kept) && !state.needs(name)
        });
        let contents: Vec<ContentName> = contents.map(|(name, _)| name.clone()).collect();

        let swept = Swept { uploads: uploads.len(), contents: contents.len(), jobs: jobs.len() };
        let mut batch = Batch::default();
        batch = uploads.iter().fold(batch, |batch, id| batch.remove(Table::Uploads, id));
        batch = contents.iter().fold(batch, |batch, name| batch.remove(Table::Contents, name));
        batch = jobs.iter().fold(batch, |batch, id| batch.remove(Table::Jobs, id));
        self.commit(&mut state, &batch)?;
        for id in &uploads {
            state.uploads.remove(id);
            let _ = remove(&self.folder.upload(&id.to_string()));
        }
        for name in &contents {
            if let Some(record) = state.contents.remove(name) {
                self.remove_blob(&record.blob);
            }
        }
        jobs.iter().for_each(|id| self.forget(&mut state, id));
        add(&self.metrics.expired, (uploads.len() + contents.len() + jobs.len()) as u64);
        Ok(swept)
    }

    /// Removes a file that no record names any more. If that fails, the next opening of the store removes it.
    pub(crate) fn remove_blob(&self, blob: &str) {
        let _ = remove(&self.folder.blob(blob));
    }

    /// Removes a job, which the journal hasn't any more, and its results.
    pub(crate) fn forget(&self, state: &mut State, id: &JobId) {
        let Some(JobRecord { client, idempotency, state: end, .. }) = state.jobs.remove(id) else { return };
        if let Some(key) = idempotency {
            state.idempotency.remove(&(client, key));
        }
        if let StateRecord::Done { blob, .. } = end {
            self.remove_blob(&blob);
        }
    }
}
