//! Changes of the journal that are made together.

use redb::TableDefinition;
use serde::Serialize;

use super::records::{ContentName, ContentRecord, JobRecord, end_name, key_name};
use crate::JobId;

/// The tables of the journal: from names to JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Uploads,
    Contents,
    /// For the file of each complete upload, the name of its contents.
    Blobs,
    Jobs,
    /// Jobs that have ended, by client and time.
    Ends,
    /// For each idempotency key of a client, its job.
    Keys,
}

impl Table {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uploads => "uploads",
            Self::Contents => "contents",
            Self::Blobs => "blobs",
            Self::Jobs => "jobs",
            Self::Ends => "ends",
            Self::Keys => "keys",
        }
    }

    pub(super) fn definition(self) -> TableDefinition<'static, &'static str, &'static [u8]> {
        TableDefinition::new(self.name())
    }
}

/// What is put under a name, or that nothing is left there.
pub(super) type Change = (Table, String, Option<Vec<u8>>);

/// Changes that are made together or not at all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch(pub(super) Vec<Change>);

impl Batch {
    /// With a record under a name.
    pub(crate) fn put(
        mut self,
        table: Table,
        name: &(impl ToString + ?Sized),
        record: &impl Serialize,
    ) -> Self {
        let json = serde_json::to_vec(record).expect("records are plain data");
        self.0.push((table, name.to_string(), Some(json)));
        self
    }

    /// Without a record.
    pub(crate) fn remove(mut self, table: Table, name: &(impl ToString + ?Sized)) -> Self {
        self.0.push((table, name.to_string(), None));
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The last change of a record.
    pub(super) fn find(&self, table: Table, name: &str) -> Option<&Change> {
        self.0.iter().rev().find(|(of, known, _)| *of == table && known == name)
    }
}

/// Records together with what finds them.
impl Batch {
    /// With a complete file that wasn't there.
    pub(crate) fn put_new_content(self, name: &ContentName, record: &ContentRecord) -> Self {
        self.put(Table::Contents, name, record).put(Table::Blobs, &record.blob, &name.to_string())
    }

    /// Without a complete file.
    pub(crate) fn remove_content(self, name: &ContentName, record: &ContentRecord) -> Self {
        self.remove(Table::Contents, name).remove(Table::Blobs, &record.blob)
    }

    /// With a job that wasn't there.
    pub(crate) fn put_new_job(self, id: &JobId, job: &JobRecord) -> Self {
        match &job.idempotency {
            Some(key) => self.put(Table::Keys, &key_name(&job.client, key), id),
            None => self,
        }
        .put_job(id, job)
    }

    /// With a job that was there and hadn't ended.
    pub(crate) fn put_job(self, id: &JobId, job: &JobRecord) -> Self {
        match job.ended {
            Some(ended) => self.put(Table::Ends, &end_name(&job.client, ended, id), &()),
            None => self,
        }
        .put(Table::Jobs, id, job)
    }

    /// Without a job.
    pub(crate) fn remove_job(mut self, id: &JobId, job: &JobRecord) -> Self {
        if let Some(ended) = job.ended {
            self = self.remove(Table::Ends, &end_name(&job.client, ended, id));
        }
        if let Some(key) = &job.idempotency {
            self = self.remove(Table::Keys, &key_name(&job.client, key));
        }
        self.remove(Table::Jobs, id)
    }
}
