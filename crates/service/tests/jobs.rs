//! Jobs: from submission to results, twice, in turns, and cancelled.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use asanoha_ring::Sampler;
use asanoha_service::{
    ContentKind, FaultPoint, JobState, Limits, RefusalKind, RequestError, Stop, Store, Submission, Whose,
};

use crate::common::{Fixture, OTHER, SMALL, Service, assert_says, client};

#[test]
fn a_job_goes_from_its_submission_to_its_results() {
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    let job = service.submit("alice", "").unwrap();
    assert_eq!(job.state, JobState::Waiting { ahead: 0, wait_s: 0.0 });
    assert!(job.predicted_s > 0.0);
    let second = service.submit("alice", "").unwrap();
    assert_eq!(second.state, JobState::Waiting { ahead: 1, wait_s: job.predicted_s });
    assert_says(service.store.results(&client("alice"), job.id), "has no results: it waits");
    let mut worker = service.worker();
    assert_eq!(worker.run_one().unwrap(), Some(job.id));
    let done = service.job("alice", job.id);
    assert!(
        matches!(done.state, JobState::Done { bytes, seconds, .. } if bytes > 0 && seconds > 0.0),
        "{done:?}"
    );
    assert_eq!(
        (done.attempts, done.started_unix_s, done.ended_unix_s),
        (1, done.started_unix_s, done.started_unix_s)
    );
    assert!(service.results("alice", job.id) == SMALL.results);
    // What a client has is nobody else's.
    let bob = client("bob");
    assert_says(service.store.job(&bob, job.id), "there is no job");
    assert_says(service.store.results(&bob, job.id), "there is no job");
    assert_says(service.store.cancel(&bob, second.id), "there is no job");
    assert_says(service.store.remove_job(&bob, job.id), "there is no job");
    assert_says(service.submit("bob", ""), "no keys");

    assert_eq!(worker.run_one().unwrap(), Some(second.id));
    assert_eq!(worker.run_one().unwrap(), None);
    service.store.remove_job(&client("alice"), second.id).unwrap();
    assert_says(service.store.job(&client("alice"), second.id), "there is no job");
    assert_eq!((service.files("blobs"), service.files("tmp")), (3, 0));
    // Predictions follow what jobs took.
    let third = service.submit("alice", "").unwrap();
    assert!(third.predicted_s != job.predicted_s);
    assert_says(service.store.remove_job(&client("alice"), third.id), "hasn't ended: cancel it");
    let metrics = service.store.metrics();
    assert_eq!((metrics.jobs_submitted, metrics.jobs_done, metrics.jobs_refused), (3, 2, 1));
    assert_eq!((metrics.jobs_waiting, metrics.jobs_running, metrics.clients), (1, 0, 1));
    assert_eq!(metrics.result_bytes, 2 * SMALL.results.len() as u64);
    assert_eq!(metrics.uploaded_bytes, (SMALL.keys.len() + SMALL.inputs.len()) as u64);
    let stored = SMALL.keys.len() + SMALL.inputs.len() + SMALL.results.len();
    assert_eq!(metrics.stored_bytes, stored as u64);
    let json = serde_json::to_value(&done).unwrap();
    assert_eq!((&json["state"], &json["id"]), (&"done".into(), &job.id.to_string().into()));
}

#[test]
fn a_submission_with_an_idempotency_key_is_computed_once() {
    let service = Service::new(Limits { client_queue: 1, ..Limits::default() });
    service.send_all("alice", &SMALL);
    service.send_all("bob", &SMALL);
    service.send_all("alice", &OTHER);
    let job = service.submit("alice", "order 7").unwrap();
    // Also with a full queue, and after its end.
    assert_eq!(service.submit("alice", "order 7").unwrap().id, job.id);
    assert!(service.submit("bob", "order 7").unwrap().id != job.id);
    let mut worker = service.worker();
    while worker.run_one().unwrap().is_some() {}
    assert_eq!(service.submit("alice", "order 7").unwrap(), service.job("alice", job.id));
    let key = "order 7".parse().unwrap();
    let error = service.store.submit(&client("alice"), &OTHER.submission(), Some(&key)).unwrap_err();
    assert_eq!(error.kind(), RefusalKind::Conflict);
    let says = format!("the idempotency key \"order 7\" is that of job {}", job.id);
    assert_says(Err::<(), _>(error), &says);
    assert_eq!(worker.run_one().unwrap(), None);
    assert_eq!(service.store.metrics().jobs_replayed, 2);
    // Keys outlast a restart, and are free once the job is removed.
    let service = service.snapshot();
    assert_eq!(service.submit("alice", "order 7").unwrap().id, job.id);
    service.store.remove_job(&client("alice"), job.id).unwrap();
    assert!(service.submit("alice", "order 7").unwrap().id != job.id);
}

#[test]
fn keys_and_inputs_of_two_generations_are_refused() {
    let service = Service::new(Limits::default());
    let renewed = Fixture::new(SMALL.plan.clone(), &mut Sampler::from_os());
    service.send("alice", ContentKind::Keys, SMALL.digest, &renewed.keys).unwrap();
    service.send("alice", ContentKind::Inputs, SMALL.digest, &SMALL.inputs).unwrap();
    let submission = Submission { keys: renewed.submission().keys, ..SMALL.submission() };
    let error = service.store.submit(&client("alice"), &submission, None).unwrap_err();
    assert_eq!(error.kind(), RefusalKind::Unusable);
    assert_says(Err::<(), _>(error), "use keys and ciphertexts of one key generation");
    let unknown = Submission { plan: renewed.submission().keys, ..submission };
    assert_says(service.store.submit(&client("alice"), &unknown, None), "no plan");
}

#[test]
fn inputs_that_are_damaged_behind_a_right_header_fail_with_a_message() {
    let service = Service::new(Limits::default());
    let mut damaged = SMALL.inputs.clone();
    *damaged.last_mut().unwrap() ^= 1;
    service.send("alice", ContentKind::Keys, SMALL.digest, &SMALL.keys).unwrap();
    service.send("alice", ContentKind::Inputs, SMALL.digest, &damaged).unwrap();
    let submission = Submission { inputs: blake3::hash(&damaged).into(), ..SMALL.submission() };
    let job = service.store.submit(&client("alice"), &submission, None).unwrap().job;
    service.worker().run_one().unwrap();
    let says = "its inputs can't be used: its digest doesn't match its contents: it's damaged";
    assert_eq!(service.job("alice", job.id).state, JobState::Failed { message: says.to_owned() });
    assert_says(service.store.results(&client("alice"), job.id), "has no results: it failed: its inputs");
}

#[test]
fn a_full_queue_says_when_to_come_back() {
    let limits = Limits { queue: 3, client_queue: 2, client_jobs: 3, ..Limits::default() };
    let service = Service::of(limits, [SMALL.predicting(90.5)]);
    for name in ["alice", "bob", "carol"] {
        service.send_all(name, &SMALL);
    }
    let first = service.submit("alice", "").unwrap();
    service.submit("alice", "").unwrap();
    let error = service.submit("alice", "").unwrap_err();
    assert!(
        matches!(error, RequestError::QueueFull { whose: Whose::Client, limit: 2, wait_s: 91 }),
        "{error}"
    );
    assert_eq!((error.kind(), error.retry_after()), (RefusalKind::Busy, Some(Duration::from_secs(91))));
    service.submit("bob", "").unwrap();
    let error = service.submit("carol", "").unwrap_err();
    assert!(matches!(error, RequestError::QueueFull { whose: Whose::All, limit: 3, .. }), "{error}");
    assert_says(Err::<(), _>(error), "all clients together have 3 jobs that wait or run");
    // Finished ones are remembered until they expire or are removed.
    let mut worker = service.worker();
    while worker.run_one().unwrap().is_some() {}
    service.submit("alice", "").unwrap();
    let error = service.submit("alice", "").unwrap_err();
    assert!(matches!(error, RequestError::TooManyJobs { limit: 3, .. }), "{error}");
    assert_eq!(error.retry_after(), Some(Duration::from_hours(24)));
    service.store.remove_job(&client("alice"), first.id).unwrap();
    service.submit("alice", "").unwrap();
}

#[test]
fn clients_take_turns_however_many_jobs_they_have() {
    let service = Service::new(Limits::default());
    service.send_all("greedy", &SMALL);
    service.send_all("honest", &SMALL);
    let greedy: Vec<_> = (0..6).map(|_| service.submit("greedy", "").unwrap().id).collect();
    let mut worker = service.worker();
    assert_eq!(worker.run_one().unwrap(), Some(greedy[0]));
    let honest = service.submit("honest", "").unwrap();
    assert!(matches!(honest.state, JobState::Waiting { ahead: 0 | 1, .. }), "{honest:?}");
    let next = [(); 2].map(|()| worker.run_one().unwrap().unwrap());
    assert!(next.contains(&honest.id), "{next:?}");
}

#[test]
fn a_cancelled_job_ends_as_cancelled_wherever_it_is() {
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    let alice = client("alice");
    let waiting = service.submit("alice", "").unwrap();
    assert_eq!(service.store.cancel(&alice, waiting.id).unwrap().state, JobState::Cancelled);
    let mut worker = service.worker();
    assert_eq!(worker.run_one().unwrap(), None);
    assert_says(service.store.results(&alice, waiting.id), "has no results: it was cancelled");

    // While it runs: its results were just computed.
    let running = service.submit("alice", "").unwrap();
    let store = Arc::clone(&service.store);
    let mut cancelled = None;
    let seen = Arc::new(std::sync::Mutex::new(None));
    let told = Arc::clone(&seen);
    service.disk.hook(move |point| {
        if point == FaultPoint::Write && cancelled.is_none() {
            cancelled = Some(store.cancel(&client("alice"), running.id).unwrap());
            *told.lock().unwrap() = cancelled.clone();
        }
    });
    assert_eq!(worker.run_one().unwrap(), Some(running.id));
    let seen = seen.lock().unwrap().take().unwrap();
    assert!(matches!(seen.state, JobState::Running { is_cancelled: true, .. }), "{seen:?}");
    assert_eq!(service.job("alice", running.id).state, JobState::Cancelled);
    assert_eq!((service.files("blobs"), service.files("tmp")), (2, 0));
    // One that has ended stays as it is.
    let done = service.submit("alice", "").unwrap();
    worker.run_one().unwrap();
    assert!(matches!(service.store.cancel(&alice, done.id).unwrap().state, JobState::Done { .. }));
    let metrics = service.store.metrics();
    assert_eq!((metrics.jobs_cancelled, metrics.jobs_done), (2, 1));
}

#[test]
fn finished_jobs_expire_with_their_results() {
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    let job = service.submit("alice", "once").unwrap();
    service.worker().run_one().unwrap();
    let expires = service.job("alice", job.id).expires_unix_s.unwrap();
    assert_eq!(expires, crate::common::START + 7 * 24 * 3600);
    let mut results = service.store.results(&client("alice"), job.id).unwrap();
    service.pass(7 * 24 * 3600);
    assert_eq!(service.store.sweep().unwrap().jobs, 1);
    assert_says(service.store.job(&client("alice"), job.id), "it has expired, or was never submitted");
    // A download that's under way ends.
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut results.file, &mut bytes).unwrap();
    assert!(bytes == SMALL.results);
}

#[test]
fn a_service_that_stops_finishes_or_requeues_what_runs() {
    for how in [Stop::Finish, Stop::Requeue] {
        let service = Service::new(Limits::default());
        service.send_all("alice", &SMALL);
        let jobs = [(); 2].map(|()| service.submit("alice", "").unwrap().id);
        let store = Arc::clone(&service.store);
        let mut stopped = false;
        // The first job is claimed, and hears of the stop before it begins to compute.
        service.disk.hook(move |point| {
            if point == FaultPoint::Committed && !std::mem::replace(&mut stopped, true) {
                let store = Arc::clone(&store);
                std::thread::spawn(move || store.stop(how));
            }
        });
        service.worker().run();
        assert!(service.store.wait_until_idle(Duration::ZERO));
        assert_says(service.submit("alice", "late"), "the service is about to stop");
        let first = service.job("alice", jobs[0]);
        match how {
            Stop::Finish => assert!(matches!(first.state, JobState::Done { .. }), "{first:?}"),
            // It may have come too late to be stopped.
            Stop::Requeue => assert!(
                matches!(first.state, JobState::Done { .. } | JobState::Waiting { ahead: 0, .. }),
                "{first:?}"
            ),
        }
        let service = service.snapshot();
        let mut worker = service.worker();
        while worker.run_one().unwrap().is_some() {}
        for job in jobs {
            assert!(service.results("alice", job) == SMALL.results);
            assert_eq!(service.job("alice", job).attempts, 1);
        }
    }
}

/// A service that stops while a job runs.
static STOPPING: OnceLock<Arc<Store>> = OnceLock::new();

#[test]
fn a_running_job_that_is_stopped_waits_again_as_if_it_had_not_begun() {
    let service = Service::new(Limits { memory_bytes: Some(u64::MAX), ..Limits::default() });
    service.send_all("alice", &SMALL);
    let job = service.submit("alice", "").unwrap();
    assert!(STOPPING.set(Arc::clone(&service.store)).is_ok());
    // It's asked between the steps of the job.
    let mut worker = service.worker().with_resident_bytes(|| {
        STOPPING.get().unwrap().stop(Stop::Requeue);
        None
    });
    worker.run();
    let stopped = service.job("alice", job.id);
    assert!(matches!(stopped.state, JobState::Waiting { ahead: 0, .. }), "{stopped:?}");
    assert_eq!((stopped.attempts, service.store.metrics().jobs_requeued), (0, 1));
    let service = service.snapshot();
    assert_eq!(service.store.recovery().requeued, 0);
    assert_eq!(service.worker().run_one().unwrap(), Some(job.id));
    assert!(service.results("alice", job.id) == SMALL.results);
}

#[test]
fn workers_take_jobs_as_they_come_and_clients_wait_for_them() {
    let service = Service::new(Limits { workers: 2, ..Limits::default() });
    service.send_all("alice", &SMALL);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| service.worker().run());
        }
        let jobs = [(); 4].map(|()| service.submit("alice", "").unwrap().id);
        for job in jobs {
            let job = service.store.wait_for_job(&client("alice"), job, Duration::from_hours(1)).unwrap();
            assert!(job.is_over(), "{job:?}");
            assert!(service.results("alice", job.id) == SMALL.results);
        }
        service.store.stop(Stop::Finish);
        assert!(service.store.wait_until_idle(Duration::from_hours(1)));
    });
    assert_says(
        service.store.wait_for_job(&client("bob"), [0; 16].into(), Duration::ZERO),
        "there is no job",
    );
}
