//! The store: everything that outlasts the process.

use std::{path::Path, sync::Arc, time::Duration};

use crate::{
    Announcement, Begun, ClientName, ContentKind, ContentView, Digest, IdempotencyKey, JobId, JobView,
    Limits, MetricsView, Plans, Recovery, RequestError, ResultFile, Settings, Stop, StoreError, Submission,
    Submitted, Swept, Tokens, Upload, UploadId, UploadView, contents, jobs,
    state::{StoreCore, folder::Folder},
    sweep, upload,
    watch::Interruption,
};

/// The durable state of a service: keys, inputs, jobs and results of its clients, in a folder that one process at a time has open.
///
/// A call that returns has its effect on the disk. All calls may block on the disk, and may be made from several threads.
#[derive(Debug)]
pub struct Store {
    pub(crate) core: Arc<StoreCore>,
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
        let core = Arc::new(StoreCore::open(folder, plans, settings)?);
        Ok(Arc::new(Self { core }))
    }

    /// What the opening put in order.
    pub fn recovery(&self) -> &Recovery {
        &self.core.recovery
    }

    /// The plans that are served.
    pub fn plans(&self) -> &Plans {
        &self.core.plans
    }

    /// What the store grants its clients.
    pub fn limits(&self) -> &Limits {
        &self.core.limits
    }

    /// The tokens of its clients.
    pub fn tokens(&self) -> &Tokens {
        &self.core.tokens
    }

    /// Bytes that a client has stored, uploads that aren't complete included.
    pub fn bytes_of(&self, client: &ClientName) -> u64 {
        self.core.lock().usages.of(client).bytes
    }

    /// Counters, and what there is at the moment.
    pub fn metrics(&self) -> MetricsView {
        let state = self.core.lock();
        MetricsView {
            jobs_waiting: state.queue.len(),
            jobs_running: state.running.len(),
            jobs_held: state.jobs.len(),
            stored_bytes: state.usages.bytes(),
            clients: state.usages.clients().len(),
            ..self.core.metrics.view()
        }
    }

    /// Stops the service: from now on no job is accepted, and none begins. A [`Stop::Requeue`] may follow a [`Stop::Finish`].
    pub fn stop(&self, how: Stop) {
        let mut state = self.core.lock();
        state.stop = state.stop.max(Some(how));
        if how == Stop::Requeue {
            state.running.values().for_each(|watch| watch.interrupt(Interruption::Stopping));
        }
        drop(state);
        self.core.notify();
    }

    /// Waits until no job runs, and at most so long; whether none does.
    pub fn wait_until_idle(&self, most: Duration) -> bool {
        self.core.wait_for(most, |state| state.running.is_empty().then_some(())).is_some()
    }

    /// Waits until the service is told to stop, and at most so long; whether it is.
    pub fn wait_for_stop(&self, most: Duration) -> bool {
        self.core.wait_for(most, |state| state.stop).is_some()
    }

    /// Begins an upload, or finds the one that was begun before with the same announcement. Its bytes are reserved.
    ///
    /// # Errors
    /// [`RequestError::UnknownPlan`], [`RequestError::TooLarge`], [`RequestError::Empty`], [`RequestError::TooManyUploads`],
    /// [`RequestError::TooManyFiles`], [`RequestError::Quota`].
    pub fn begin_upload(&self, client: &ClientName, announced: &Announcement) -> Result<Begun, RequestError> {
        upload::begin_upload(&self.core, client, announced)
    }

    /// How far an upload is.
    ///
    /// # Errors
    /// [`RequestError::UnknownUpload`], and [`RequestError::UploadBusy`] while a request sends to it.
    pub fn upload(&self, client: &ClientName, id: UploadId) -> Result<UploadView, RequestError> {
        upload::upload(&self.core, client, id)
    }

    /// Goes on with an upload from the bytes that are stored. One request at a time sends to it.
    ///
    /// # Errors
    /// Those of [`Store::upload`], and [`RequestError::Offset`] if these bytes begin elsewhere.
    pub fn resume_upload(
        &self,
        client: &ClientName,
        id: UploadId,
        offset: u64,
    ) -> Result<Upload, RequestError> {
        upload::resume_upload(&self.core, client, id, offset)
    }

    /// Removes an upload that isn't complete.
    ///
    /// # Errors
    /// Those of [`Store::upload`].
    pub fn abandon_upload(&self, client: &ClientName, id: UploadId) -> Result<(), RequestError> {
        upload::abandon_upload(&self.core, client, id)
    }

    /// A client's complete file. Asking for it isn't a use of it.
    ///
    /// # Errors
    /// [`RequestError::UnknownContent`].
    pub fn content(
        &self,
        client: &ClientName,
        kind: ContentKind,
        plan: Digest,
        digest: Digest,
    ) -> Result<ContentView, RequestError> {
        contents::content(&self.core, client, kind, plan, digest)
    }

    /// Removes a client's complete file.
    ///
    /// # Errors
    /// [`RequestError::UnknownContent`], and [`RequestError::InUse`] while a job that waits or runs needs it.
    pub fn remove_content(
        &self,
        client: &ClientName,
        kind: ContentKind,
        plan: Digest,
        digest: Digest,
    ) -> Result<(), RequestError> {
        contents::remove_content(&self.core, client, kind, plan, digest)
    }

    /// Accepts a job, which is on the disk when this returns: it ends once, whatever happens to the process. With an idempotency key,
    /// the same submission of a client is accepted once.
    ///
    /// # Errors
    /// [`RequestError::UnknownPlan`], [`RequestError::UnknownContent`], keys and inputs of two key generations
    /// ([`RequestError::Execute`]), [`RequestError::OtherSubmission`], [`RequestError::TooSlow`], [`RequestError::TooMuchMemory`],
    /// [`RequestError::QueueFull`], [`RequestError::TooManyJobs`], [`RequestError::Quota`], [`RequestError::Stopping`].
    pub fn submit(
        &self,
        client: &ClientName,
        submission: &Submission,
        idempotency: Option<&IdempotencyKey>,
    ) -> Result<Submitted, RequestError> {
        jobs::submit(&self.core, client, submission, idempotency)
    }

    /// How a job stands.
    ///
    /// # Errors
    /// [`RequestError::UnknownJob`], and what the disk says.
    pub fn job(&self, client: &ClientName, id: JobId) -> Result<JobView, RequestError> {
        jobs::job(&self.core, client, id)
    }

    /// Waits until a job has ended, and at most so long; how it stands then.
    ///
    /// # Errors
    /// [`RequestError::UnknownJob`], and what the disk says.
    pub fn wait_for_job(
        &self,
        client: &ClientName,
        id: JobId,
        most: Duration,
    ) -> Result<JobView, RequestError> {
        jobs::wait_for_job(&self.core, client, id, most)
    }

    /// Cancels a job. One that waits ends at once, a running one after the step that's under way; one that has ended stays as it is.
    ///
    /// # Errors
    /// [`RequestError::UnknownJob`], and what the disk says.
    pub fn cancel(&self, client: &ClientName, id: JobId) -> Result<JobView, RequestError> {
        jobs::cancel(&self.core, client, id)
    }

    /// Removes a job that has ended, and its results. Its idempotency key is free then.
    ///
    /// # Errors
    /// [`RequestError::UnknownJob`], [`RequestError::NotOver`], and what the disk says.
    pub fn remove_job(&self, client: &ClientName, id: JobId) -> Result<(), RequestError> {
        jobs::remove_job(&self.core, client, id)
    }

    /// The results of a job.
    ///
    /// # Errors
    /// [`RequestError::UnknownJob`], [`RequestError::NoResult`], and what the disk says.
    pub fn results(&self, client: &ClientName, id: JobId) -> Result<ResultFile, RequestError> {
        jobs::results(&self.core, client, id)
    }

    /// Removes what has expired. To be called every few minutes. Requests are served meanwhile.
    ///
    /// # Errors
    /// What the disk or the journal says; nothing is lost that hasn't expired.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        sweep::sweep(&self.core)
    }
}
