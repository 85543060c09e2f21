//! What the last process left undone.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
};

use serde::Serialize;

use super::{
    ContentName, ContentRecord, Folder, JobRecord, PartialUpload, State, StateRecord, StoreError,
    UploadRecord,
    journal::{Batch, Journal, Table},
    records::job_name,
};
use crate::{JobId, Limits, UploadId, jobs::Queue};

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

/// The state that a journal and the files beside it give.
pub(super) fn recover(
    folder: &Folder,
    mut journal: Journal,
    limits: &Limits,
    now: u64,
) -> Result<(State, Recovery), StoreError> {
    let mut recovery = Recovery::default();
    let mut batch = Batch::default();
    let damaged = |table: &str, name: &str, problem: String| StoreError::Damaged {
        path: folder.journal(),
        record: format!("{table}/{name}"),
        problem,
    };

    let mut contents = BTreeMap::new();
    for (text, record) in journal.read::<ContentRecord>(Table::Contents)? {
        let name: ContentName = text.parse().map_err(|problem| damaged("contents", &text, problem))?;
        if has_length(folder, &record.blob, record.bytes) {
            contents.insert(name, record);
        } else {
            recovery.lost_files += 1;
            batch = batch.remove(Table::Contents, &text);
        }
    }

    let mut jobs = HashMap::new();
    for (text, mut job) in journal.read::<JobRecord>(Table::Jobs)? {
        let id: JobId = job_name(&text).map_err(|problem| damaged("jobs", &text, problem))?;
        if put_in_order(&mut job, folder, limits, now, &mut recovery) {
            batch = batch.put(Table::Jobs, &text, &job);
        }
        jobs.insert(id, job);
    }

    let mut blobs: HashSet<String> = contents.values().map(|record| record.blob.clone()).collect();
    for job in jobs.values() {
        if let StateRecord::Done { blob, .. } = &job.state {
            blobs.insert(blob.clone());
        }
    }
    let mut uploads = HashMap::new();
    for (text, record) in journal.read::<UploadRecord>(Table::Uploads)? {
        let problem = |error: crate::NameError| damaged("uploads", &text, error.to_string());
        let id: UploadId = text.parse().map_err(problem)?;
        // The last process was killed after the file got into its place, and before the journal said so.
        if !blobs.contains(&text) && folder.blob(&text).exists() {
            folder.reopen(&text).map_err(|error| StoreError::io(&folder.blob(&text), error))?;
        }
        uploads.insert(id, PartialUpload { record, stored: None, is_busy: false });
    }
    recovery.uploads = uploads.len();
    recovery.removed_files += folder.retain_blobs(&blobs)?;
    recovery.removed_files += folder.retain_uploads(&uploads.keys().map(UploadId::to_string).collect())?;
    journal.commit(&batch)?;

    let key = |(id, job): (&JobId, &JobRecord)| Some(((job.client.clone(), job.idempotency.clone()?), *id));
    let idempotency = jobs.iter().filter_map(key).collect();
    let next_number = jobs.values().map(|job| job.number + 1).max().unwrap_or(0);
    let waiting: Vec<JobId> =
        jobs.iter().filter(|(_, job)| job.state == StateRecord::Waiting).map(|(id, _)| *id).collect();
    let mut state = State {
        journal,
        uploads,
        contents,
        jobs,
        idempotency,
        queue: Queue::default(),
        running: HashMap::new(),
        pace: HashMap::new(),
        next_number,
        stop: None,
    };
    waiting.into_iter().for_each(|id| state.wait(id));
    Ok((state, recovery))
}

fn has_length(folder: &Folder, blob: &str, bytes: u64) -> bool {
    fs::metadata(folder.blob(blob)).is_ok_and(|metadata| metadata.len() == bytes)
}

/// Puts a job in order; whether that changes it.
fn put_in_order(
    job: &mut JobRecord,
    folder: &Folder,
    limits: &Limits,
    now: u64,
    recovery: &mut Recovery,
) -> bool {
    let ended = match &job.state {
        StateRecord::Running if job.is_cancelled => {
            recovery.cancelled += 1;
            StateRecord::Cancelled
        }
        StateRecord::Running if job.attempts >= limits.attempts => {
            recovery.failed += 1;
            StateRecord::Failed { message: exhausted(job) }
        }
        StateRecord::Running => {
            recovery.requeued += 1;
            job.state = StateRecord::Waiting;
            return true;
        }
        StateRecord::Done { blob, bytes, .. } if !has_length(folder, blob, *bytes) => {
            recovery.lost_files += 1;
            StateRecord::Failed {
                message: "its results were removed from the server: submit it again".to_owned(),
            }
        }
        _ => return false,
    };
    job.state = ended;
    job.ended = Some(now);
    true
}

/// What's said of a job that was begun as often as it may be.
pub(crate) fn exhausted(job: &JobRecord) -> String {
    let why = match &job.trouble {
        Some(trouble) => trouble.as_str(),
        None => "the server ended while it ran: it may need more memory than the server has",
    };
    format!("the job was begun {} times and had no end ({why})", job.attempts)
}
