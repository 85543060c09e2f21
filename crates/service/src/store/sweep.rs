//! What has expired.

use serde::Serialize;

use super::{
    CHUNK, ContentName, ContentRecord, JobRecord, State, StateRecord, Store,
    batch::{Batch, Table},
    folder::remove,
};
use crate::{ClientName, ContentKind, JobId, StoreError, UploadId, clock::after, metrics::add};

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
    /// Removes what has expired. To be called every few minutes. Requests are served meanwhile.
    ///
    /// # Errors
    /// What the disk or the journal says; nothing is lost that hasn't expired.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        let now = self.clock.now_s();
        let mut swept = Swept { uploads: self.sweep_uploads(now)?, ..Swept::default() };
        let clients: Vec<ClientName> = self.lock().usages.clients().cloned().collect();
        for client in &clients {
            loop {
                let jobs = self.sweep_jobs(client, now)?;
                swept.jobs += jobs;
                if jobs < CHUNK {
                    break;
                }
            }
        }
        let mut last = Some(String::new());
        while let Some(name) = last {
            let contents;
            (contents, last) = self.sweep_contents(&name, now)?;
            swept.contents += contents;
        }
        Ok(swept)
    }

    fn sweep_uploads(&self, now: u64) -> Result<usize, StoreError> {
        let mut state = self.lock();
        let uploads = state.uploads.iter().filter(|(_, upload)| {
            !upload.is_busy && after(upload.record.begun, self.limits.keep_uploads) <= now
        });
        let uploads: Vec<UploadId> = uploads.map(|(id, _)| *id).collect();
        let batch = uploads.iter().fold(Batch::default(), |batch, id| batch.remove(Table::Uploads, id));
        self.commit(&mut state, &batch)?;
        for id in &uploads {
            state.forget_upload(id);
            let _ = remove(&self.folder.upload(&id.to_string()));
        }
        add(&self.metrics.expired, uploads.len() as u64);
        Ok(uploads.len())
    }

    /// Removes the first jobs of a client, if they have expired; how many.
    fn sweep_jobs(&self, client: &ClientName, now: u64) -> Result<usize, StoreError> {
        let mut state = self.lock();
        let ends = state.first_ends(client, CHUNK)?;
        let expired = ends.iter().take_while(|(ended, _)| after(*ended, self.limits.keep_results) <= now);
        let mut jobs: Vec<(JobId, JobRecord)> = Vec::new();
        for (_, id) in expired {
            if let Some(job) = state.journal.get(Table::Jobs, id)? {
                jobs.push((*id, job));
            }
        }
        let batch = jobs.iter().fold(Batch::default(), |batch, (id, job)| batch.remove_job(id, job));
        self.commit(&mut state, &batch)?;
        jobs.iter().for_each(|(_, job)| self.forget(&mut state, job));
        add(&self.metrics.expired, jobs.len() as u64);
        Ok(jobs.len())
    }

    /// Removes those of the next files after a name that have expired; how many, and the name of the last one that was looked at.
    fn sweep_contents(&self, name: &str, now: u64) -> Result<(usize, Option<String>), StoreError> {
        let mut state = self.lock();
        let piece = state.journal.after::<ContentRecord>(Table::Contents, name, CHUNK)?;
        let last = piece.last().map(|(name, _)| name.clone());
        let mut contents: Vec<(ContentName, ContentRecord)> = Vec::new();
        for (name, record) in piece {
            // The opening found all names right.
            let Ok(name) = name.parse::<ContentName>() else { continue };
            let kept = match name.kind {
                ContentKind::Keys => self.limits.keep_keys,
                ContentKind::Inputs => self.limits.keep_inputs,
            };
            if after(record.used, kept) <= now && !state.needs(&name) {
                contents.push((name, record));
            }
        }
        let remove = |batch: Batch, (name, record): &(_, _)| batch.remove_content(name, record);
        self.commit(&mut state, &contents.iter().fold(Batch::default(), remove))?;
        for (name, record) in &contents {
            state.usages.change(&name.client, |usage| usage.remove_content(record));
            self.remove_blob(&record.blob);
        }
        add(&self.metrics.expired, contents.len() as u64);
        Ok((contents.len(), last))
    }

    /// Removes a file that no record names any more. If that fails, the next opening of the store removes it.
    pub(crate) fn remove_blob(&self, blob: &str) {
        let _ = remove(&self.folder.blob(blob));
    }

    /// Forgets a job that had ended, which the journal hasn't any more, and removes its results.
    pub(crate) fn forget(&self, state: &mut State, job: &JobRecord) {
        state.usages.change(&job.client, |usage| usage.remove_job(job));
        if let StateRecord::Done { blob, .. } = &job.state {
            self.remove_blob(blob);
        }
    }
}
