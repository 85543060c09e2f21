//! Jobs as their clients see them.

use std::{fs::File, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    ClientName, Digest, JobId, RequestError, StoreError,
    clock::after,
    metrics::add,
    state::{
        State, StoreCore,
        batch::Batch,
        records::{JobRecord, StateRecord},
    },
    watch::{Interruption, Watch},
};

/// How a job stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum JobState {
    /// It waits.
    Waiting {
        /// How many jobs begin before it, if no others arrive.
        ahead: usize,
        /// Predicted seconds until it begins.
        wait_s: f64,
    },
    /// It runs.
    Running {
        /// How much is done, from 0 to 1.
        fraction: f64,
        /// Predicted seconds until it ends.
        remaining_s: f64,
        /// Whether it was cancelled, and ends after the step that's under way.
        is_cancelled: bool,
    },
    /// It has results.
    Done {
        /// The length of the file of results.
        bytes: u64,
        /// The BLAKE3 digest of that file.
        digest: Digest,
        /// Seconds that it took, reading and writing included.
        seconds: f64,
    },
    /// It has none.
    Failed {
        /// Why.
        message: String,
    },
    /// Its client cancelled it.
    Cancelled,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobView {
    /// Names it.
    pub id: JobId,
    /// The digest of its plan.
    pub plan: Digest,
    /// The digest of its evaluation keys.
    pub keys: Digest,
    /// The digest of its inputs.
    pub inputs: Digest,
    /// How it stands.
    #[serde(flatten)]
    pub state: JobState,
    /// How often it was begun.
    pub attempts: u32,
    /// Seconds that it's predicted to take.
    pub predicted_s: f64,
    /// Whether its keys stay on the disk while it runs, as they don't fit into memory.
    pub low_memory: bool,
    /// When it was accepted, in seconds since 1970.
    pub submitted_unix_s: u64,
    /// When it was begun last, in seconds since 1970.
    pub started_unix_s: Option<u64>,
    /// When it ended, in seconds since 1970.
    pub ended_unix_s: Option<u64>,
    /// When it's removed together with its results, in seconds since 1970.
    pub expires_unix_s: Option<u64>,
}

impl JobView {
    /// Whether it has ended: its state doesn't change any more.
    pub fn is_over(&self) -> bool {
        !matches!(self.state, JobState::Waiting { .. } | JobState::Running { .. })
    }
}

/// The file of a job's results. It can be read to its end even if the job is removed meanwhile.
#[derive(Debug)]
pub struct ResultFile {
    /// The open file, at its beginning.
    pub file: File,
    /// Its length.
    pub bytes: u64,
    /// The BLAKE3 digest of its bytes.
    pub digest: Digest,
}

/// Predicted seconds until a running job ends: by what is done, once that's enough to tell.
pub(super) fn remaining_s(job: &JobRecord, watch: &Watch) -> f64 {
    const ENOUGH: f64 = 0.05;
    let (elapsed, fraction) = (watch.elapsed().as_secs_f64(), watch.fraction());
    if fraction >= ENOUGH { elapsed * (1.0 / fraction - 1.0) } else { (job.predicted_s - elapsed).max(0.0) }
}

/// Predicted seconds until a job begins before which others are predicted to take so many.
pub(crate) fn begins_s(core: &StoreCore, state: &State, before_s: f64) -> f64 {
    let workers = core.limits.workers.max(1);
    let running = state.running.iter();
    let running: f64 = running.filter_map(|(id, watch)| Some(remaining_s(state.jobs.get(id)?, watch))).sum();
    if state.running.len() < workers && before_s == 0.0 {
        return 0.0;
    }
    (running + before_s) / workers as f64
}

pub(crate) fn view(core: &StoreCore, state: &State, id: JobId, job: &JobRecord) -> JobView {
    let shown = match &job.state {
        StateRecord::Waiting => {
            let (ahead, before_s) = state.queue.order().get(&id).copied().unwrap_or_default();
            JobState::Waiting { ahead, wait_s: begins_s(core, state, before_s) }
        }
        StateRecord::Running => {
            let watch = state.running.get(&id);
            JobState::Running {
                fraction: watch.map_or(0.0, |watch| watch.fraction()),
                remaining_s: watch.map_or(job.predicted_s, |watch| remaining_s(job, watch)),
                is_cancelled: job.is_cancelled,
            }
        }
        &StateRecord::Done { bytes, digest, seconds, .. } => JobState::Done { bytes, digest, seconds },
        StateRecord::Failed { message } => JobState::Failed { message: message.clone() },
        StateRecord::Cancelled => JobState::Cancelled,
    };
    JobView {
        id,
        plan: job.plan,
        keys: job.keys,
        inputs: job.inputs,
        state: shown,
        attempts: job.attempts,
        predicted_s: job.predicted_s,
        low_memory: job.low_memory,
        submitted_unix_s: job.submitted,
        started_unix_s: job.started,
        ended_unix_s: job.ended,
        expires_unix_s: job.ended.map(|ended| after(ended, core.limits.keep_results)),
    }
}

/// How a job stands.
pub(crate) fn job(core: &StoreCore, client: &ClientName, id: JobId) -> Result<JobView, RequestError> {
    let mut state = core.lock();
    let job = state.job(client, id)?;
    Ok(view(core, &state, id, &job))
}

/// Waits until a job has ended, and at most so long; how it stands then.
pub(crate) fn wait_for_job(
    core: &StoreCore,
    client: &ClientName,
    id: JobId,
    most: Duration,
) -> Result<JobView, RequestError> {
    let waits = |job: &JobRecord| job.client == *client;
    core.wait_for(most, |state| match state.jobs.get(&id) {
        Some(job) if waits(job) && state.stop.is_none() => None,
        _ => Some(()),
    });
    job(core, client, id)
}

/// Cancels a job. One that waits ends at once, a running one after the step that's under way; one that has ended stays as it is.
pub(crate) fn cancel(core: &StoreCore, client: &ClientName, id: JobId) -> Result<JobView, RequestError> {
    let mut state = core.lock();
    let mut job = state.job(client, id)?;
    match job.state {
        StateRecord::Waiting => {
            job.state = StateRecord::Cancelled;
            job.ended = Some(core.clock.now_s());
        }
        StateRecord::Running if !job.is_cancelled => job.is_cancelled = true,
        _ => return Ok(view(core, &state, id, &job)),
    }
    core.commit(&mut state, &Batch::default().put_job(&id, &job))?;
    if let Some(watch) = state.running.get(&id) {
        watch.interrupt(Interruption::Cancelled);
    }
    if job.state.is_over() {
        state.queue.remove(client, &id);
        state.end_job(&id, &job);
        add(&core.metrics.cancelled, 1);
    } else {
        state.jobs.insert(id, job.clone());
    }
    let view = view(core, &state, id, &job);
    drop(state);
    core.notify();
    Ok(view)
}

/// Removes a job that has ended, and its results. Its idempotency key is free then.
pub(crate) fn remove_job(core: &StoreCore, client: &ClientName, id: JobId) -> Result<(), RequestError> {
    let mut state = core.lock();
    let job = state.job(client, id)?;
    if !job.state.is_over() {
        return Err(RequestError::NotOver(id));
    }
    core.commit(&mut state, &Batch::default().remove_job(&id, &job))?;
    core.forget(&mut state, &job);
    Ok(())
}

/// The results of a job.
pub(crate) fn results(core: &StoreCore, client: &ClientName, id: JobId) -> Result<ResultFile, RequestError> {
    // While nobody removes them.
    let mut state = core.lock();
    let why = match state.job(client, id)?.state {
        StateRecord::Done { blob, bytes, digest, .. } => {
            let path = core.folder.blob(&blob);
            let file = File::open(&path).map_err(|error| StoreError::io(&path, error))?;
            return Ok(ResultFile { file, bytes, digest });
        }
        StateRecord::Waiting => "waits".to_owned(),
        StateRecord::Running => "runs".to_owned(),
        StateRecord::Cancelled => "was cancelled".to_owned(),
        StateRecord::Failed { message } => format!("failed: {message}"),
    };
    Err(RequestError::NoResult { job: id, state: why })
}
