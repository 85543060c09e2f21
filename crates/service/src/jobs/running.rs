//! Jobs from their beginning to their end.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use asanoha_runtime::plan::Plan;

use super::submit::planned_s;
use crate::{
    ClientName, Digest, FaultPoint, JobId, StoreError,
    metrics::add,
    state::{
        State, StoreCore,
        batch::{Batch, Table},
        exhausted,
        folder::remove,
        records::{ContentRecord, JobRecord, StateRecord},
    },
    watch::{Interruption, Watch},
};

/// How much a job counts for the pace of its plan, beside those before it.
const PACE_SHARE: f64 = 0.5;
/// How much faster or slower than predicted a plan is taken to be at most.
const PACE_RANGE: (f64, f64) = (1e-3, 1e3);

/// A job that a worker has begun.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) id: JobId,
    pub(crate) client: ClientName,
    pub(crate) plan: Arc<Plan>,
    pub(crate) keys: PathBuf,
    pub(crate) inputs: PathBuf,
    pub(crate) low_memory: bool,
    pub(crate) predicted_s: f64,
    pub(crate) watch: Arc<Watch>,
}

/// What a job needs: its plan, and the files of its keys and inputs.
type Needed = (Arc<Plan>, PathBuf, PathBuf);

/// How a worker ends a job.
#[derive(Debug)]
pub(crate) enum End {
    /// With results, which are on the disk in a temporary file.
    Done { file: PathBuf, bytes: u64, digest: Digest },
    /// Without, by the job's own fault.
    Failed(String),
    /// Before its end.
    Interrupted(Interruption),
    /// By the fault of the server's disk.
    Trouble(StoreError),
}

/// Begins the next job, if one waits and the service doesn't stop.
///
/// # Errors
/// What the disk says; the job waits then.
pub(crate) fn claim(core: &StoreCore) -> Result<Option<Claim>, StoreError> {
    let mut state = core.lock();
    while state.stop.is_none() {
        let Some((client, entry)) = state.queue.pop() else { break };
        let id = entry.job;
        let Some(mut job) = state.jobs.get(&id).cloned() else { continue };
        let ready = match ready(core, &mut state, &job) {
            Ok(ready) => ready,
            Err(error) => {
                state.queue.correct(&client, entry.predicted_s, 0.0);
                state.wait(id);
                return Err(error);
            }
        };
        match &ready {
            Ok(_) => {
                job.state = StateRecord::Running;
                job.attempts += 1;
                job.started = Some(core.clock.now_s());
                job.trouble = None;
            }
            Err(message) => {
                job.state = StateRecord::Failed { message: message.clone() };
                job.ended = Some(core.clock.now_s());
            }
        }
        if let Err(error) = core.commit(&mut state, &Batch::default().put_job(&id, &job)) {
            state.queue.correct(&client, entry.predicted_s, 0.0);
            state.wait(id);
            return Err(error);
        }
        let (low_memory, predicted_s) = (job.low_memory, job.predicted_s);
        let Ok((plan, keys, inputs)) = ready else {
            state.end_job(&id, &job);
            state.queue.correct(&client, entry.predicted_s, 0.0);
            add(&core.metrics.failed, 1);
            core.notify();
            continue;
        };
        state.jobs.insert(id, job);
        let watch = Arc::new(Watch::new());
        state.running.insert(id, Arc::clone(&watch));
        return Ok(Some(Claim { id, client, plan, keys, inputs, low_memory, predicted_s, watch }));
    }
    Ok(None)
}

/// What a job needs, or why it can't begin.
///
/// # Errors
/// What the disk says.
fn ready(core: &StoreCore, state: &mut State, job: &JobRecord) -> Result<Result<Needed, String>, StoreError> {
    if job.attempts >= core.limits.attempts {
        return Ok(Err(exhausted(job)));
    }
    let Some(plan) = core.plans.get(&job.plan).cloned() else {
        return Ok(Err(format!("its plan {} is no longer served here", job.plan)));
    };
    let mut files = Vec::new();
    for name in job.contents() {
        let Some(record) = state.journal.get::<ContentRecord>(Table::Contents, &name)? else {
            return Ok(Err(format!("its {} were removed from the server: send them again", name.kind)));
        };
        files.push(core.folder.blob(&record.blob));
    }
    let [keys, inputs] = files.try_into().expect("there are two");
    Ok(Ok((plan, keys, inputs)))
}

/// Ends a job that a worker began, once: its results are on the disk before the journal says so.
///
/// # Errors
/// What the disk says; the job waits then, and is begun again at most so often as the limits say.
pub(crate) fn finish(core: &StoreCore, claim: &Claim, end: End) -> Result<(), StoreError> {
    let &Claim { id, ref client, predicted_s, ref watch, .. } = claim;
    let seconds = watch.elapsed().as_secs_f64();
    let mut state = core.lock();
    let file = if let End::Done { file, .. } = &end { Some(file.clone()) } else { None };
    let Some(mut job) = state.jobs.get(&id).cloned() else { return Ok(()) };
    let mut trouble = None;
    job.state = match end {
        // What a client was told of its cancellation is kept.
        _ if job.is_cancelled => StateRecord::Cancelled,
        End::Done { file, bytes, digest } => match keep(core, &file, id) {
            Ok(blob) => StateRecord::Done { blob, bytes, digest, seconds },
            Err(error) => again(core, &mut job, trouble.insert(error)),
        },
        End::Failed(message) => StateRecord::Failed { message },
        End::Interrupted(why) => {
            if let Some(message) = why.message() {
                StateRecord::Failed { message }
            } else {
                job.attempts = job.attempts.saturating_sub(1);
                StateRecord::Waiting
            }
        }
        End::Trouble(error) => again(core, &mut job, trouble.insert(error)),
    };
    if job.state.is_over() {
        job.ended = Some(core.clock.now_s());
    }
    state.running.remove(&id);
    let committed = core.commit(&mut state, &Batch::default().put_job(&id, &job));
    if let Err(error) = committed {
        // The journal says that it runs, which is the same after the next start. If it was begun as often as it may be, it fails
        // when its turn comes: only then can the journal say so.
        job.trouble = Some(error.for_clients().to_owned());
        (job.state, job.ended) = (StateRecord::Waiting, None);
        trouble = Some(error);
    }
    count(core, &job.state, seconds);
    let taken_s = if job.state == StateRecord::Waiting { 0.0 } else { seconds };
    state.queue.correct(client, predicted_s, taken_s);
    if let StateRecord::Done { .. } = job.state {
        let ratio = seconds / planned_s(&claim.plan).max(1e-6);
        let ratio = ratio.clamp(PACE_RANGE.0, PACE_RANGE.1);
        let pace = state.pace.entry(job.plan).or_insert(ratio);
        *pace += PACE_SHARE * (ratio - *pace);
    }
    if job.state.is_over() {
        state.end_job(&id, &job);
    } else {
        state.jobs.insert(id, job);
        state.wait(id);
    }
    drop(state);
    // If it was kept, it isn't there any more.
    if let Some(file) = file {
        let _ = remove(&file);
    }
    core.notify();
    trouble.map_or(Ok(()), Err)
}

/// Puts results into their place; the name of the file.
fn keep(core: &StoreCore, file: &Path, id: JobId) -> Result<String, StoreError> {
    let blob = id.to_string();
    let kept = core.faults.at(FaultPoint::Move).and_then(|()| core.folder.complete(file, &blob));
    kept.map(|()| blob).map_err(|error| StoreError::io(file, error))
}

/// A job that the disk failed: it waits, or was begun as often as it may be.
fn again(core: &StoreCore, job: &mut JobRecord, error: &StoreError) -> StateRecord {
    job.trouble = Some(error.for_clients().to_owned());
    if job.attempts < core.limits.attempts {
        StateRecord::Waiting
    } else {
        StateRecord::Failed { message: exhausted(job) }
    }
}

fn count(core: &StoreCore, end: &StateRecord, seconds: f64) {
    match end {
        StateRecord::Done { bytes, .. } => {
            add(&core.metrics.done, 1);
            add(&core.metrics.result_bytes, *bytes);
            add(&core.metrics.evaluation_ms, (seconds * 1000.0) as u64);
        }
        StateRecord::Failed { .. } => add(&core.metrics.failed, 1),
        StateRecord::Cancelled => add(&core.metrics.cancelled, 1),
        StateRecord::Waiting | StateRecord::Running => add(&core.metrics.requeued, 1),
    }
}
