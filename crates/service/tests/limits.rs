//! Time and memory: what is refused before it begins, and what is stopped.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use asanoha_runtime::plan::Plan;
use asanoha_service::{JobState, JobView, Limits, RefusalKind};

use crate::common::{SMALL, Service, assert_says};

fn service(limits: Limits, plan: Plan) -> Service {
    let service = Service::of(limits, [plan]);
    service.send_all("alice", &SMALL);
    service
}

/// What a growing process is said to have.
static RESIDENT: AtomicU64 = AtomicU64::new(0);

fn failure(job: &JobView) -> &str {
    let JobState::Failed { message } = &job.state else { panic!("it hasn't failed: {job:?}") };
    message
}

#[test]
fn jobs_that_are_predicted_to_take_too_long_are_refused_and_those_that_do_are_stopped() {
    let granted = |seconds| Limits { job_seconds: Some(seconds), ..Limits::default() };
    let error = service(granted(60.0), SMALL.predicting(61.0)).submit("alice", "").unwrap_err();
    assert_eq!(error.kind(), RefusalKind::Unusable);
    assert_says(Err::<(), _>(error), "predicted to take 61.0 s, and at most 60.0 s are granted");
    // A wrong prediction.
    let service = service(granted(0.0), SMALL.predicting(0.0));
    let job = service.submit("alice", "").unwrap();
    service.worker().run_one().unwrap();
    let job = service.job("alice", job.id);
    assert!(
        failure(&job).contains("longer than the 0.0 s that are granted, though less was predicted"),
        "{job:?}"
    );
    assert_eq!(job.attempts, 1);
}

#[test]
fn jobs_that_are_predicted_to_need_too_much_memory_are_refused_and_those_that_do_are_stopped() {
    let needed = SMALL.plan.prediction.bytes;
    let keys = SMALL.secret.evaluation.bytes() as u64;
    let granted = |bytes| Limits { memory_bytes: Some(bytes), ..Limits::default() };
    let refused = service(granted(needed - keys - 1), SMALL.plan.clone());
    let says = format!("{} bytes of memory, and at most {}", needed - keys, needed - keys - 1);
    assert_says(refused.submit("alice", ""), &says);

    // Keys that don't fit stay on the disk.
    for (bytes, low_memory) in [(needed - keys, true), (needed - 1, true), (needed, false)] {
        let service = service(granted(bytes), SMALL.plan.clone());
        let job = service.submit("alice", "").unwrap();
        assert_eq!(job.low_memory, low_memory);
        service.worker().with_resident_bytes(|| Some(0)).run_one().unwrap();
        assert!(service.results("alice", job.id) == SMALL.results);
    }

    // A wrong prediction: the process grows from step to step.
    let service = service(granted(needed), SMALL.plan.clone());
    let job = service.submit("alice", "").unwrap();
    let grow = || Some(RESIDENT.fetch_add(SMALL.plan.prediction.bytes / 2, Ordering::Relaxed));
    let mut worker = service.worker().with_resident_bytes(grow);
    worker.run_one().unwrap();
    let job = service.job("alice", job.id);
    assert!(failure(&job).contains("bytes of memory during the job"), "{job:?}");
    // Others go on.
    let next = service.submit("alice", "").unwrap();
    worker.with_resident_bytes(|| None).run_one().unwrap();
    assert!(service.results("alice", next.id) == SMALL.results);
    let waited = service.store.wait_for_job(&crate::common::client("alice"), next.id, Duration::ZERO);
    assert!(waited.unwrap().is_over());
}

#[test]
fn a_client_without_space_submits_no_job() {
    let bytes = (SMALL.keys.len() + SMALL.inputs.len()) as u64;
    let service = service(Limits { client_bytes: bytes, ..Limits::default() }, SMALL.plan.clone());
    let job = service.submit("alice", "").unwrap();
    service.worker().run_one().unwrap();
    // The results exceed what the client may have, and are kept.
    assert!(service.results("alice", job.id) == SMALL.results);
    assert_says(service.submit("alice", ""), "remove keys, inputs or finished jobs");
}
