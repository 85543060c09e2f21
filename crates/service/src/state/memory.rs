//! What of the journal is in memory.

use std::{collections::HashMap, sync::Arc};

use super::{
    batch::Table,
    journal::Journal,
    records::{ContentName, ContentRecord, JobRecord, UploadRecord, end, ends_of},
    usage::Usages,
};
use crate::{
    ClientName, Digest, JobId, RequestError, StoreError, UploadId,
    queue::{Entry, Queue},
    watch::Watch,
};

/// How many records are read from the journal at a time.
pub(crate) const CHUNK: usize = 64;

/// How a service stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Running jobs are finished; no others begin.
    Finish,
    /// Running jobs are stopped at their next step and wait again, which doesn't count as an attempt.
    Requeue,
}

/// An upload that isn't complete, while the process runs.
#[derive(Debug)]
pub(crate) struct PartialUpload {
    pub(crate) record: UploadRecord,
    /// The bytes that are stored, and the state of their digest; `None` until they're read after a start.
    pub(crate) stored: Option<(u64, Box<blake3::Hasher>)>,
    /// Whether a request sends to it.
    pub(crate) is_busy: bool,
}

/// What is in memory of what the journal holds: uploads that aren't complete, jobs that wait or run, and sums. Files and jobs that
/// have ended are in the journal alone. Changes are committed to the journal before they're made here.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) journal: Journal,
    pub(crate) uploads: HashMap<UploadId, PartialUpload>,
    /// Jobs that wait or run.
    pub(crate) jobs: HashMap<JobId, JobRecord>,
    pub(crate) usages: Usages,
    pub(crate) queue: Queue,
    pub(crate) running: HashMap<JobId, Arc<Watch>>,
    /// For plans that were evaluated, how much longer than predicted that took.
    pub(crate) pace: HashMap<Digest, f64>,
    pub(crate) next_number: u64,
    pub(crate) stop: Option<Stop>,
}

impl State {
    /// A client's job, wherever it is.
    pub(crate) fn job(&mut self, client: &ClientName, id: JobId) -> Result<JobRecord, RequestError> {
        let found = match self.jobs.get(&id) {
            Some(job) => Some(job.clone()),
            None => self.journal.get(Table::Jobs, &id)?,
        };
        found.filter(|job: &JobRecord| job.client == *client).ok_or(RequestError::UnknownJob(id))
    }

    /// A client's complete file.
    pub(crate) fn content(&mut self, name: &ContentName) -> Result<ContentRecord, RequestError> {
        let &ContentName { kind, plan, digest, .. } = name;
        let found = self.journal.get(Table::Contents, name)?;
        found.ok_or(RequestError::UnknownContent { kind, plan, digest })
    }

    /// When the first of a client's jobs ended that have, and which that is.
    pub(crate) fn first_end(&mut self, client: &ClientName) -> Result<Option<(u64, JobId)>, StoreError> {
        Ok(self.first_ends(client, 1)?.first().copied())
    }

    /// The first of a client's jobs that have ended, and when they did: so many at most.
    pub(crate) fn first_ends(
        &mut self,
        client: &ClientName,
        most: usize,
    ) -> Result<Vec<(u64, JobId)>, StoreError> {
        let ends = ends_of(client);
        let found = self.journal.after::<()>(Table::Ends, &ends, most)?;
        let of_client = found.iter().take_while(|(name, ())| name.starts_with(&ends));
        Ok(of_client.filter_map(|(name, ())| end(name)).collect())
    }

    /// A client's upload to which no request sends.
    pub(crate) fn idle_upload(
        &self,
        client: &ClientName,
        id: UploadId,
    ) -> Result<&PartialUpload, RequestError> {
        let found = self.uploads.get(&id).filter(|upload| upload.record.client == *client);
        let upload = found.ok_or(RequestError::UnknownUpload(id))?;
        if upload.is_busy { Err(RequestError::UploadBusy(id)) } else { Ok(upload) }
    }

    /// Forgets an upload, which the journal hasn't any more.
    pub(crate) fn forget_upload(&mut self, id: &UploadId) {
        if let Some(PartialUpload { record, .. }) = self.uploads.remove(id) {
            self.usages.change(&record.client, |usage| usage.remove_upload(&record));
        }
    }

    /// Forgets a job that waited or ran and has ended, as the journal says.
    pub(crate) fn end_job(&mut self, id: &JobId, job: &JobRecord) {
        self.jobs.remove(id);
        self.usages.change(&job.client, |usage| usage.end_job(job));
    }

    /// Whether a job that waits or runs needs a file.
    pub(crate) fn needs(&self, name: &ContentName) -> bool {
        let active = self.jobs.values();
        active.filter(|job| job.client == name.client).any(|job| job.contents().contains(name))
    }

    /// Puts a job into the queue.
    pub(crate) fn wait(&mut self, id: JobId) {
        let Some(job) = self.jobs.get(&id) else { return };
        let entry = Entry { job: id, number: job.number, predicted_s: job.predicted_s };
        self.queue.push(&job.client, entry);
    }
}
