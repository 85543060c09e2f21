//! What the last process left undone.

use std::{collections::HashMap, fs};

use serde::Serialize;

use super::{
    batch::{Batch, Table},
    folder::Folder,
    journal::Journal,
    memory::{CHUNK, PartialUpload, State},
    records::{ContentName, ContentRecord, JobRecord, StateRecord, UploadRecord, job_name},
    usage::Usages,
};
use crate::{JobId, Limits, StoreError, UploadId, queue::Queue};

/// What the opening of a store put in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// Jobs that ran when the last process ended, and wait again.
    pub requeued: usize,
    /// Jobs that ran too often when a process ended, and have failed.
    pub failed: usize,
    /// Jobs that were cancelled while they ran.
    pub cancelled: usize,
    /// Uploads that go on where they were.
    pub uploads: usize,
    /// Files that no record names, which are removed.
    pub removed_files: usize,
    /// Records whose file isn't there, which are removed: somebody else removed the file.
    pub lost_files: usize,
}

/// The state that a journal and the files beside it give. Records are read in pieces, so that the memory for it doesn't grow with
/// them.
pub(super) fn recover(
    folder: &Folder,
    journal: Journal,
    limits: &Limits,
    now: u64,
) -> Result<(State, Recovery), StoreError> {
    let state = State {
        journal,
        uploads: HashMap::new(),
        jobs: HashMap::new(),
        usages: Usages::default(),
        queue: Queue::default(),
        running: HashMap::new(),
        pace: HashMap::new(),
        next_number: 0,
        stop: None,
    };
    let mut opening = Opening { folder, limits, now, state, recovery: Recovery::default() };
    opening.read_contents()?;
    opening.read_jobs()?;
    opening.read_uploads()?;
    opening.remove_files()?;
    let Opening { mut state, recovery, .. } = opening;
    let waiting = state.jobs.iter().filter(|(_, job)| job.state == StateRecord::Waiting);
    let waiting: Vec<JobId> = waiting.map(|(id, _)| *id).collect();
    waiting.into_iter().for_each(|id| state.wait(id));
    Ok((state, recovery))
}

/// A store that is being opened.
struct Opening<'s> {
    folder: &'s Folder,
    limits: &'s Limits,
    now: u64,
    state: State,
    recovery: Recovery,
}

impl Opening<'_> {
    fn damaged(&self, table: &str, name: &str, problem: String) -> StoreError {
        StoreError::Damaged { path: self.folder.journal(), record: format!("{table}/{name}"), problem }
    }

    fn has_length(&self, blob: &str, bytes: u64) -> bool {
        fs::metadata(self.folder.blob(blob)).is_ok_and(|metadata| metadata.len() == bytes)
    }

    fn read_contents(&mut self) -> Result<(), StoreError> {
        let mut last = String::new();
        loop {
            let piece = self.state.journal.after::<ContentRecord>(Table::Contents, &last, CHUNK)?;
            let Some((name, _)) = piece.last() else { return Ok(()) };
            last.clone_from(name);
            let mut batch = Batch::default();
            for (text, record) in piece {
                let name = text.parse().map_err(|problem| self.damaged("contents", &text, problem))?;
                if self.has_length(&record.blob, record.bytes) {
                    let ContentName { client, .. } = &name;
                    self.state.usages.change(client, |usage| usage.add_content(&record));
                } else {
                    self.recovery.lost_files += 1;
                    batch = batch.remove_content(&name, &record);
                }
            }
            self.state.journal.commit(&batch)?;
        }
    }

    fn read_jobs(&mut self) -> Result<(), StoreError> {
        let mut last = String::new();
        loop {
            let piece = self.state.journal.after::<JobRecord>(Table::Jobs, &last, CHUNK)?;
            let Some((name, _)) = piece.last() else { return Ok(()) };
            last.clone_from(name);
            let mut batch = Batch::default();
            for (text, mut job) in piece {
                let id = job_name(&text).map_err(|problem| self.damaged("jobs", &text, problem))?;
                if self.put_in_order(&mut job) {
                    batch = batch.put_job(&id, &job);
                }
                self.state.usages.change(&job.client, |usage| usage.add_job(&job));
                self.state.next_number = self.state.next_number.max(job.number + 1);
                if !job.state.is_over() {
                    self.state.jobs.insert(id, job);
                }
            }
            self.state.journal.commit(&batch)?;
        }
    }

    /// Puts a job in order; whether that changes it.
    fn put_in_order(&mut self, job: &mut JobRecord) -> bool {
        let ended = match &job.state {
            StateRecord::Running if job.is_cancelled => {
                self.recovery.cancelled += 1;
                StateRecord::Cancelled
            }
            StateRecord::Running if job.attempts >= self.limits.attempts => {
                self.recovery.failed += 1;
                StateRecord::Failed { message: exhausted(job) }
            }
            StateRecord::Running => {
                self.recovery.requeued += 1;
                job.state = StateRecord::Waiting;
                return true;
            }
            StateRecord::Done { blob, bytes, .. } if !self.has_length(blob, *bytes) => {
                self.recovery.lost_files += 1;
                StateRecord::Failed {
                    message: "its results were removed from the server: submit it again".to_owned(),
                }
            }
            _ => return false,
        };
        job.state = ended;
        // One that had ended keeps its place among those.
        job.ended.get_or_insert(self.now);
        true
    }

    fn read_uploads(&mut self) -> Result<(), StoreError> {
        let mut last = String::new();
        loop {
            let piece = self.state.journal.after::<UploadRecord>(Table::Uploads, &last, CHUNK)?;
            let Some((name, _)) = piece.last() else { return Ok(()) };
            last.clone_from(name);
            for (text, record) in piece {
                let problem = |error: crate::NameError| self.damaged("uploads", &text, error.to_string());
                let id: UploadId = text.parse().map_err(problem)?;
                // The last process was killed after the file got into its place, and before the journal said so.
                if !is_named(&mut self.state.journal, &text)? && self.folder.blob(&text).exists() {
                    let reopened = self.folder.reopen(&text);
                    reopened.map_err(|error| StoreError::io(&self.folder.blob(&text), error))?;
                }
                self.state.usages.change(&record.client, |usage| usage.add_upload(&record));
                self.state.uploads.insert(id, PartialUpload { record, stored: None, is_busy: false });
                self.recovery.uploads += 1;
            }
        }
    }

    /// Removes files that no record names.
    fn remove_files(&mut self) -> Result<(), StoreError> {
        let State { journal, uploads, .. } = &mut self.state;
        let blobs = self.folder.retain_blobs(|name| is_named(journal, name))?;
        let is_upload = |name: &str| Ok(name.parse::<UploadId>().is_ok_and(|id| uploads.contains_key(&id)));
        self.recovery.removed_files += blobs + self.folder.retain_uploads(is_upload)?;
        Ok(())
    }
}

/// Whether a record names a complete file: contents, or a job with results.
fn is_named(journal: &mut Journal, file: &str) -> Result<bool, StoreError> {
    if journal.get::<String>(Table::Blobs, file)?.is_some() {
        return Ok(true);
    }
    let job = journal.get::<JobRecord>(Table::Jobs, file)?;
    Ok(job.is_some_and(|job| matches!(job.state, StateRecord::Done { blob, .. } if blob == file)))
}

/// What's said of a job that was begun as often as it may be.
pub(crate) fn exhausted(job: &JobRecord) -> String {
    let why = match &job.trouble {
        Some(trouble) => trouble.as_str(),
        None => "the server ended while it ran: it may need more memory than the server has",
    };
    format!("the job was begun {} times and had no end ({why})", job.attempts)
}
