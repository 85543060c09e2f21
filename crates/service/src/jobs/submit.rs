//! What is accepted as a job.

use asanoha_runtime::{execute::ExecuteError, plan::Plan};
use serde::{Deserialize, Serialize};

use super::view::{JobView, begins_s, remaining_s, view};
use crate::{
    ClientName, Digest, IdempotencyKey, JobId, RequestError, Whose,
    clock::after,
    contents::use_content,
    metrics::add,
    names::random,
    state::{
        State, StoreCore,
        batch::{Batch, Table},
        records::{ContentRecord, JobRecord, StateRecord, key_name},
    },
};

/// What is to be computed: the results of a plan on inputs, with keys. Both were uploaded for this plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// The digest of the plan.
    pub plan: Digest,
    /// The digest of the file of evaluation keys.
    pub keys: Digest,
    /// The digest of the file of inputs.
    pub inputs: Digest,
}

/// How a submission is answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Submitted {
    /// The job.
    pub job: JobView,
    /// Whether it was accepted now, and not by an earlier submission with the same idempotency key.
    pub is_new: bool,
}

/// Seconds that a plan predicts, reading included.
pub(crate) fn planned_s(plan: &Plan) -> f64 {
    plan.prediction.evaluate_s + plan.prediction.read_s
}

/// Accepts a job, which is on the disk when this returns: it ends once, whatever happens to the process. With an idempotency key,
/// the same submission of a client is accepted once.
pub(crate) fn submit(
    core: &StoreCore,
    client: &ClientName,
    submission: &Submission,
    idempotency: Option<&IdempotencyKey>,
) -> Result<Submitted, RequestError> {
    let submitted = accept(core, client, submission, idempotency);
    add(
        match &submitted {
            Ok(Submitted { is_new: true, .. }) => &core.metrics.submitted,
            Ok(_) => &core.metrics.replayed,
            Err(_) => &core.metrics.refused,
        },
        1,
    );
    submitted
}

fn accept(
    core: &StoreCore,
    client: &ClientName,
    submission: &Submission,
    idempotency: Option<&IdempotencyKey>,
) -> Result<Submitted, RequestError> {
    let mut state = core.lock();
    if let Some(key) = idempotency
        && let Some(job) = state.journal.get(Table::Keys, &key_name(client, key))?
    {
        let record = state.job(client, job)?;
        let same = Submission { plan: record.plan, keys: record.keys, inputs: record.inputs };
        if same != *submission {
            return Err(RequestError::OtherSubmission { key: key.clone(), job });
        }
        return Ok(Submitted { job: view(core, &state, job, &record), is_new: false });
    }
    if state.stop.is_some() {
        return Err(RequestError::Stopping);
    }
    let plan = core.plan(&submission.plan)?;
    let mut record = JobRecord {
        client: client.clone(),
        number: state.next_number,
        plan: submission.plan,
        keys: submission.keys,
        inputs: submission.inputs,
        idempotency: idempotency.cloned(),
        state: StateRecord::Waiting,
        attempts: 0,
        is_cancelled: false,
        trouble: None,
        predicted_s: planned_s(plan) * state.pace.get(&submission.plan).copied().unwrap_or(1.0),
        low_memory: false,
        submitted: core.clock.now_s(),
        started: None,
        ended: None,
    };
    let names = record.contents();
    let [keys, inputs] = names.each_ref().map(|name| state.content(name));
    let (mut keys, mut inputs) = (keys?, inputs?);
    check_generation(&keys, &inputs)?;
    record.low_memory = admit(core, plan, &keys, &inputs)?;
    check_queue(core, &mut state, client)?;
    core.check_space(&state, client, 0)?;

    let id = JobId::from(random());
    let mut batch = Batch::default();
    for (name, record) in names.iter().zip([&mut keys, &mut inputs]) {
        batch = use_content(core, batch, name, record);
    }
    core.commit(&mut state, &batch.put_new_job(&id, &record))?;
    state.next_number += 1;
    state.usages.change(client, |usage| usage.add_job(&record));
    state.jobs.insert(id, record.clone());
    state.wait(id);
    let job = view(core, &state, id, &record);
    drop(state);
    core.notify();
    Ok(Submitted { job, is_new: true })
}

/// Whether keys have to stay on the disk for a job to fit into memory.
fn admit(
    core: &StoreCore,
    plan: &Plan,
    keys: &ContentRecord,
    inputs: &ContentRecord,
) -> Result<bool, RequestError> {
    let predicted_s = planned_s(plan);
    if let Some(limit_s) = core.limits.job_seconds.filter(|&limit_s| predicted_s > limit_s) {
        return Err(RequestError::TooSlow { predicted_s, limit_s });
    }
    let Some(limit) = core.limits.memory_bytes else { return Ok(false) };
    let whole = inputs.memory_bytes;
    let without_keys = whole.saturating_sub(keys.memory_bytes);
    if without_keys > limit {
        return Err(RequestError::TooMuchMemory { predicted: without_keys, limit });
    }
    Ok(whole > limit)
}

fn check_queue(core: &StoreCore, state: &mut State, client: &ClientName) -> Result<(), RequestError> {
    let own = state.usages.of(client);
    let limit = core.limits.client_queue;
    if own.active_jobs >= limit {
        let wait_s = wait_s(core, state, Some(client));
        return Err(RequestError::QueueFull { whose: Whose::Client, limit, wait_s });
    }
    let limit = core.limits.queue;
    if state.queue.len() >= limit {
        let wait_s = wait_s(core, state, None);
        return Err(RequestError::QueueFull { whose: Whose::All, limit, wait_s });
    }
    let limit = core.limits.client_jobs;
    if own.jobs >= limit {
        let first = state.first_end(client)?;
        let expires = first.map_or(u64::MAX, |(ended, _)| after(ended, core.limits.keep_results));
        let wait_s = expires.saturating_sub(core.clock.now_s()).clamp(1, 24 * 3600);
        return Err(RequestError::TooManyJobs { limit, wait_s });
    }
    Ok(())
}

/// Predicted seconds until a job of a client ends, or until one of all begins.
fn wait_s(core: &StoreCore, state: &State, client: Option<&ClientName>) -> u64 {
    let running = state.running.iter().filter_map(|(id, watch)| {
        let job = state.jobs.get(id)?;
        let is_counted = client.is_none_or(|client| job.client == *client);
        is_counted.then(|| remaining_s(job, watch))
    });
    let first = running.min_by(f64::total_cmp);
    let seconds = first.unwrap_or_else(|| match client {
        None => 0.0,
        // It's one that waits.
        Some(client) => {
            let order = state.queue.order();
            let own = state.jobs.iter().filter(|(_, job)| job.client == *client);
            let ends =
                own.filter_map(|(id, job)| Some(begins_s(core, state, order.get(id)?.1) + job.predicted_s));
            ends.min_by(f64::total_cmp).unwrap_or(0.0)
        }
    });
    (seconds.ceil() as u64).clamp(1, 24 * 3600)
}

/// Refuses keys and inputs of two key generations.
fn check_generation(keys: &ContentRecord, inputs: &ContentRecord) -> Result<(), RequestError> {
    if keys.key == inputs.key {
        return Ok(());
    }
    let parse = |record: &ContentRecord| asanoha_lattice::KeyId::parse(&record.key).unwrap_or_default();
    let (key, ciphertexts) = (parse(keys), parse(inputs));
    Err(ExecuteError::OtherKeys { which: "evaluation keys", key, ciphertexts }.into())
}
