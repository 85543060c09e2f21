//! How much each client has stored.

use std::collections::BTreeMap;

use super::records::{ContentRecord, JobRecord, UploadRecord};
use crate::ClientName;

/// What a client has stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// The bytes of its files and results, and of its uploads at the length that they will have.
    pub(crate) bytes: u64,
    /// Complete files of keys and inputs.
    pub(crate) contents: usize,
    /// Uploads that aren't complete.
    pub(crate) uploads: usize,
    /// Jobs, finished ones included.
    pub(crate) jobs: usize,
    /// Jobs that wait or run.
    pub(crate) active_jobs: usize,
}

impl Usage {
    pub(crate) fn add_content(&mut self, record: &ContentRecord) {
        self.contents += 1;
        self.bytes += record.bytes;
    }

    pub(crate) fn remove_content(&mut self, record: &ContentRecord) {
        self.contents -= 1;
        self.bytes -= record.bytes;
    }

    pub(crate) fn add_upload(&mut self, record: &UploadRecord) {
        self.uploads += 1;
        self.bytes += record.bytes;
    }

    pub(crate) fn remove_upload(&mut self, record: &UploadRecord) {
        self.uploads -= 1;
        self.bytes -= record.bytes;
    }

    pub(crate) fn add_job(&mut self, job: &JobRecord) {
        self.jobs += 1;
        self.active_jobs += usize::from(!job.state.is_over());
        self.bytes += job.bytes();
    }

    /// A job has ended that waited or ran.
    pub(crate) fn end_job(&mut self, job: &JobRecord) {
        self.active_jobs -= 1;
        self.bytes += job.bytes();
    }

    /// Without a job that had ended.
    pub(crate) fn remove_job(&mut self, job: &JobRecord) {
        self.jobs -= 1;
        self.bytes -= job.bytes();
    }
}

/// What each client has stored. Clients that have nothing take no memory.
#[derive(Debug, Default)]
pub(crate) struct Usages {
    clients: BTreeMap<ClientName, Usage>,
    bytes: u64,
}

impl Usages {
    /// What a client has stored.
    pub(crate) fn of(&self, client: &ClientName) -> Usage {
        self.clients.get(client).copied().unwrap_or_default()
    }

    /// The bytes of all clients.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The clients that have something stored.
    pub(crate) fn clients(&self) -> impl ExactSizeIterator<Item = &ClientName> {
        self.clients.keys()
    }

    /// Changes what a client has stored.
    pub(crate) fn change(&mut self, client: &ClientName, change: impl FnOnce(&mut Usage)) {
        let usage = self.clients.entry(client.clone()).or_default();
        self.bytes -= usage.bytes;
        change(usage);
        self.bytes += usage.bytes;
        if *usage == Usage::default() {
            self.clients.remove(client);
        }
    }
}
