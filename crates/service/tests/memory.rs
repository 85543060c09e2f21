//! What is in memory, however many jobs there were.

use asanoha_service::{ContentKind, JobId, JobState, Limits, Submission, Swept};

use crate::common::{SMALL, Service, client};

/// More than are read from the journal at a time.
const JOBS: u64 = 150;
const CLIENTS: u64 = 2;

fn name(number: u64) -> String {
    format!("client-{}", number % CLIENTS)
}

/// A job with inputs of its own, which is cancelled before it runs. Inputs are only checked beyond their headers when they're used.
fn submit_and_cancel(service: &Service, number: u64) -> JobId {
    let mut inputs = SMALL.inputs.clone();
    let end = inputs.len() - 8;
    inputs[end..].copy_from_slice(&number.to_be_bytes());
    let name = name(number);
    service.send(&name, ContentKind::Inputs, SMALL.digest, &inputs).unwrap();
    let submission = Submission { inputs: blake3::hash(&inputs).into(), ..SMALL.submission() };
    let key = format!("job/{number}").parse().unwrap();
    let job = service.store.submit(&client(&name), &submission, Some(&key)).unwrap();
    assert!(job.is_new);
    assert_eq!(service.store.metrics().jobs_held, 1);
    let cancelled = service.store.cancel(&client(&name), job.job.id).unwrap();
    assert_eq!(cancelled.state, JobState::Cancelled);
    job.job.id
}

#[test]
fn jobs_that_have_ended_are_in_the_journal_alone() {
    let service = Service::new(Limits::default());
    (0..CLIENTS).for_each(|number| service.send_all(&name(number), &SMALL));
    let done = service.submit(&name(0), "done").unwrap().id;
    service.worker().run_one().unwrap();
    let jobs: Vec<JobId> = (0..JOBS).map(|number| submit_and_cancel(&service, number)).collect();
    let waiting = service.submit(&name(1), "waiting").unwrap().id;

    // The journal alone gives what was counted.
    let again = service.snapshot();
    let metrics = [&service, &again].map(|service| {
        let metrics = service.store.metrics();
        (metrics.jobs_held, metrics.jobs_waiting, metrics.clients, metrics.stored_bytes)
    });
    let inputs = (JOBS + CLIENTS) * SMALL.inputs.len() as u64;
    let stored = CLIENTS * SMALL.keys.len() as u64 + inputs + SMALL.results.len() as u64;
    assert_eq!(metrics, [(1, 1, 2, stored); 2]);
    for number in 0..CLIENTS {
        let bytes = [&service, &again].map(|service| service.store.bytes_of(&client(&name(number))));
        assert_eq!(bytes[0], bytes[1]);
    }

    // Jobs that have ended are found, by their identifiers and by their idempotency keys.
    for service in [&service, &again] {
        for (number, &id) in (0..).zip(&jobs) {
            let job = service.job(&name(number), id);
            assert_eq!(job.state, JobState::Cancelled);
            let key = format!("job/{number}").parse().unwrap();
            let submission = Submission { inputs: job.inputs, ..SMALL.submission() };
            let known = service.store.submit(&client(&name(number)), &submission, Some(&key)).unwrap();
            assert_eq!((known.job.id, known.is_new), (id, false));
        }
        assert!(service.results(&name(0), done) == SMALL.results);
        assert_eq!(service.store.metrics().jobs_held, 1);
    }

    // They expire, and what a job needs that waits doesn't.
    let service = again;
    service.pass(8 * 24 * 3600);
    let swept = service.store.sweep().unwrap();
    let expected = Swept { uploads: 0, contents: (JOBS + CLIENTS - 1) as usize, jobs: JOBS as usize + 1 };
    assert_eq!(swept, expected);
    assert_eq!(service.store.sweep().unwrap(), Swept::default());
    assert!(matches!(service.job(&name(1), waiting).state, JobState::Waiting { ahead: 0, .. }));
    let left = [0, 1].map(|number| service.store.bytes_of(&client(&name(number))));
    assert_eq!(left, [SMALL.keys.len(), SMALL.keys.len() + SMALL.inputs.len()].map(|bytes| bytes as u64));
    assert_eq!(service.files("blobs"), 3);
    service.pass(30 * 24 * 3600);
    service.store.cancel(&client(&name(1)), waiting).unwrap();
    service.pass(8 * 24 * 3600);
    assert_eq!(service.store.sweep().unwrap(), Swept { uploads: 0, contents: 3, jobs: 1 });
    let metrics = service.store.metrics();
    assert_eq!((metrics.stored_bytes, metrics.clients, metrics.jobs_held), (0, 0, 0));
    assert_eq!(service.files("blobs"), 0);
}

/// The memory of this process in KiB.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow"]
fn memory_does_not_grow_with_thousands_of_jobs() {
    const TURN: u64 = 2000;
    let service = Service::new(Limits { client_jobs: 1 << 20, client_files: 1 << 20, ..Limits::default() });
    (0..CLIENTS).for_each(|number| service.send_all(&name(number), &SMALL));
    let mut found = vec![resident()];
    for turn in 0..6 {
        (turn * TURN..(turn + 1) * TURN).for_each(|number| _ = submit_and_cancel(&service, number));
        found.push(resident());
    }
    println!("KiB after each {TURN} jobs: {found:?}");
    // Its cache of the journal is full by then. With every job in memory, it would grow by 10 MiB and more.
    assert!(found[6] <= found[3] + (4 << 10), "memory grows: {found:?}");
}
