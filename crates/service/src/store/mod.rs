//! The store: everything that outlasts the process.

pub(crate) mod batch;
mod contents;
pub(crate) mod folder;
mod journal;
pub(crate) mod records;
mod recovery;
mod sweep;
mod usage;

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use asanoha_runtime::plan::Plan;

pub use contents::ContentView;
pub(crate) use contents::{check, without_path};
pub use recovery::Recovery;
pub(crate) use recovery::exhausted;
pub use sweep::Swept;

use crate::{
    ClientName, Clock, Digest, Faults, JobId, Limits, Metrics, MetricsView, Plans, RequestError, StoreError,
    Tokens, UploadId,
    jobs::{Entry, Interruption, Queue, Watch},
    locked::locked,
};
use batch::{Batch, Table};
use folder::Folder;
use journal::Journal;
use records::{ContentName, ContentRecord, JobRecord, StateRecord, UploadRecord, end, ends_of};
use usage::Usages;

/// How many records are read from the journal at a time.
const CHUNK: usize = 64;

/// What a store grants, and what it goes by.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What it grants its clients.
    pub limits: Limits,
    /// The time by which things expire.
    pub clock: Clock,
    /// Failures of the disk, for tests.
    #[doc(hidden)]
    pub faults: Faults,
}

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

/// The durable state of a service: keys, inputs, jobs and results of its clients, in a folder that one process at a time has open.
///
/// A call that returns has its effect on the disk. All calls may block on the disk, and may be made from several threads.
#[derive(Debug)]
pub struct Store {
    pub(crate) folder: Folder,
    pub(crate) plans: Plans,
    pub(crate) limits: Limits,
    pub(crate) clock: Clock,
    pub(crate) faults: Faults,
    pub(crate) metrics: Metrics,
    tokens: Tokens,
    recovery: Recovery,
    state: Mutex<State>,
    /// Is notified of every change of a job, and of a stop.
    changed: Condvar,
}

impl Store {
    /// Makes the folder of a store if it isn't there or is empty, for its tokens. The store may be open meanwhile.
    ///
    /// # Errors
    /// A folder of other files, or of a store of another version.
    pub fn prepare(folder: &Path) -> Result<(), StoreError> {
        Folder::prepare(folder)
    }

    /// Opens the store in a folder, which is made if it isn't there or is empty. What the last process left undone is put in order:
    /// jobs that ran wait again, and files that no record names are removed ([`Store::recovery`]).
    ///
    /// # Errors
    /// A folder of other files, or that other users may read; a store of another version, or that another process has open; a
    /// damaged journal; what the operating system says.
    pub fn open(folder: &Path, plans: Plans, settings: Settings) -> Result<Arc<Self>, StoreError> {
        let Settings { limits, clock, faults } = settings;
        let tokens = Tokens::open(folder, clock.clone());
        let folder = Folder::open(folder)?;
        let journal = Journal::open(&folder.journal(), faults.clone())?;
        let (state, recovery) = recovery::recover(&folder, journal, &limits, clock.now_s())?;
        Ok(Arc::new(Self {
            folder,
            plans,
            limits,
            clock,
            faults,
            metrics: Metrics::default(),
            tokens,
            recovery,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }))
    }

    /// What the opening put in order.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// The plans that are served.
    pub fn plans(&self) -> &Plans {
        &self.plans
    }

    /// What the store grants its clients.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The tokens of its clients.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Bytes that a client has stored, uploads that aren't complete included.
    pub fn bytes_of(&self, client: &ClientName) -> u64 {
        locked(&self.state).usages.of(client).bytes
    }

    /// Counters, and what there is at the moment.
    pub fn metrics(&self) -> MetricsView {
        let state = locked(&self.state);
        MetricsView {
            jobs_waiting: state.queue.len(),
            jobs_running: state.running.len(),
            jobs_held: state.jobs.len(),
            stored_bytes: state.usages.bytes(),
            clients: state.usages.clients().len(),
            ..self.metrics.view()
        }
    }

    /// Stops the service: from now on no job is accepted, and none begins. A [`Stop::Requeue`] may follow a [`Stop::Finish`].
    pub fn stop(&self, how: Stop) {
        let mut state = locked(&self.state);
        state.stop = state.stop.max(Some(how));
        if how == Stop::Requeue {
            state.running.values().for_each(|watch| watch.interrupt(Interruption::Stopping));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until no job runs, and at most so long; whether none does.
    pub fn wait_until_idle(&self, most: Duration) -> bool {
        self.wait_for(most, |state| state.running.is_empty().then_some(())).is_some()
    }

    /// Waits until the service is told to stop, and at most so long; whether it is.
    pub fn wait_for_stop(&self, most: Duration) -> bool {
        self.wait_for(most, |state| state.stop).is_some()
    }

    pub(crate) fn plan(&self, digest: &Digest) -> Result<&Arc<Plan>, RequestError> {
        self.plans.get(digest).ok_or(RequestError::UnknownPlan(*digest))
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// Tells all that wait that something changed.
    pub(crate) fn notify(&self) {
        self.changed.notify_all();
    }

    /// Waits until something is found, and at most so long.
    pub(crate) fn wait_for<T>(
        &self,
        most: Duration,
        mut found: impl FnMut(&mut State) -> Option<T>,
    ) -> Option<T> {
        let start = Instant::now();
        let mut state = locked(&self.state);
        loop {
            if let Some(found) = found(&mut state) {
                return Some(found);
            }
            let left = most.checked_sub(start.elapsed()).filter(|left| !left.is_zero())?;
            (state, _) = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Commits changes to the journal, and counts a failure.
    pub(crate) fn commit(&self, state: &mut State, batch: &Batch) -> Result<(), StoreError> {
        state.journal.commit(batch).inspect_err(|_| crate::metrics::add(&self.metrics.store_errors, 1))
    }
}
