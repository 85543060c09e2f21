//! Restarts: what an earlier process left, at every point where it may have ended.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use asanoha_runtime::plan::SecurityCheck;
use asanoha_service::{FaultPoint, JobState, Limits, Plans, RefusalKind};
use tempfile::TempDir;

use crate::common::{OTHER, SMALL, Service, assert_says, client, copy};

/// Runs the next job, and copies the store when its results are about to be written: as if the process ended there.
fn ended_while_running(service: &Service) -> TempDir {
    let copied = Arc::new(Mutex::new(None));
    let (from, to) = (service.folder.path().to_owned(), Arc::clone(&copied));
    service.disk.hook(move |point| {
        if point == FaultPoint::Write {
            to.lock().unwrap().get_or_insert_with(|| copy(&from));
        }
    });
    service.worker().run_one().unwrap();
    copied.lock().unwrap().take().unwrap()
}

#[test]
fn a_job_that_ran_waits_again_and_fails_at_the_third_end() {
    let mut service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    let job = service.submit("alice", "").unwrap();
    let others = [(); 2].map(|()| service.submit("alice", "").unwrap().id);
    for attempts in 1..=2 {
        let folder = ended_while_running(&service);
        service = service.reopened(folder);
        assert_eq!(service.store.recovery().requeued, 1);
        let found = service.job("alice", job.id);
        assert!(matches!(found.state, JobState::Waiting { ahead: 0, .. }), "{found:?}");
        assert_eq!(found.attempts, attempts);
        // The order is that of arrival.
        let ahead = others.map(|id| match service.job("alice", id).state {
            JobState::Waiting { ahead, .. } => ahead,
            other => panic!("it doesn't wait: {other:?}"),
        });
        assert_eq!(ahead, [1, 2]);
    }
    let folder = ended_while_running(&service);
    let done = service.job("alice", job.id);
    assert!(matches!(done.state, JobState::Done { .. }) && done.attempts == 3, "{done:?}");
    service = service.reopened(folder);
    assert_eq!((service.store.recovery().requeued, service.store.recovery().failed), (0, 1));
    let JobState::Failed { message } = service.job("alice", job.id).state else { panic!("it hasn't failed") };
    assert!(message.starts_with("the job was begun 3 times and had no end"), "{message}");
    assert!(message.contains("it may need more memory than the server has"), "{message}");
    let mut worker = service.worker();
    assert_eq!([(); 3].map(|()| worker.run_one().unwrap()), [Some(others[0]), Some(others[1]), None]);
}

#[test]
fn a_cancellation_outlasts_the_process() {
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    let job = service.submit("alice", "").unwrap();
    let copied = Arc::new(Mutex::new(None));
    let (store, from, to) =
        (Arc::clone(&service.store), service.folder.path().to_owned(), Arc::clone(&copied));
    service.disk.hook(move |point| {
        if point == FaultPoint::Write {
            store.cancel(&client("alice"), job.id).unwrap();
            *to.lock().unwrap() = Some(copy(&from));
        }
    });
    service.worker().run_one().unwrap();
    let folder = copied.lock().unwrap().take().unwrap();
    let service = service.reopened(folder);
    assert_eq!(service.store.recovery().cancelled, 1);
    assert_eq!(service.job("alice", job.id).state, JobState::Cancelled);
}

#[test]
fn jobs_of_a_plan_that_is_no_longer_served_fail_with_a_message() {
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    let job = service.submit("alice", "").unwrap();
    let plans = Plans::of([OTHER.plan.clone()], SecurityCheck::Required);
    let service = service.reopened_with(copy(service.folder.path()), plans);
    assert_eq!(service.worker().run_one().unwrap(), None);
    let JobState::Failed { message } = service.job("alice", job.id).state else { panic!("it hasn't failed") };
    assert_eq!(message, format!("its plan {} is no longer served here", SMALL.digest));
    assert_says(service.submit("alice", ""), "is served here");
}

#[test]
fn a_full_disk_loses_no_job() {
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    service.disk.fails_at(&[FaultPoint::Commit]);
    let error = service.submit("alice", "once").unwrap_err();
    assert_eq!(
        (error.kind(), error.for_client()),
        (RefusalKind::Storage, "the server's disk is full: try again later".into())
    );
    service.disk.fails_at(&[]);
    let job = service.submit("alice", "once").unwrap();
    // It can't be begun, its results can't be written, they can't get into their place, and the journal can't say so.
    let mut worker = service.worker();
    service.disk.fails_at(&[FaultPoint::Commit]);
    assert_says(worker.run_one(), "the disk is full");
    assert_eq!(service.job("alice", job.id).attempts, 0);
    for (attempts, point) in [(1, FaultPoint::Write), (2, FaultPoint::Move)] {
        service.disk.fails_at(&[point]);
        assert_says(worker.run_one(), "make space, and nothing that was accepted is lost");
        let found = service.job("alice", job.id);
        assert!(matches!(found.state, JobState::Waiting { .. }), "{found:?}");
        assert_eq!(found.attempts, attempts);
        assert_eq!((service.files("tmp"), service.files("blobs")), (0, 2));
    }
    service.disk.fails_at(&[]);
    let full = service.snapshot();
    assert_eq!(worker.run_one().unwrap(), Some(job.id));
    assert!(service.results("alice", job.id) == SMALL.results);

    // The third failure is the last one.
    full.disk.fails_at(&[FaultPoint::Write]);
    assert_says(full.worker().run_one(), "the disk is full");
    let JobState::Failed { message } = full.job("alice", job.id).state else { panic!("it hasn't failed") };
    assert_eq!(message, "the job was begun 3 times and had no end (the server's disk is full)");
}

#[test]
fn an_end_that_the_journal_does_not_know_comes_again() {
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    let job = service.submit("alice", "").unwrap();
    // From the moment when the results are in their place, the journal fails.
    let disk = service.disk.clone();
    service.disk.hook(move |point| {
        if point == FaultPoint::Move {
            disk.fails_at(&[FaultPoint::Commit]);
        }
    });
    let mut worker = service.worker();
    assert_says(worker.run_one(), "the disk is full");
    assert!(matches!(service.job("alice", job.id).state, JobState::Waiting { .. }));
    let killed = service.snapshot();
    assert_eq!((killed.store.recovery().requeued, killed.store.recovery().removed_files), (1, 1));
    service.disk.hook(|_| ());
    service.disk.fails_at(&[]);
    for service in [&service, &killed] {
        assert_eq!(service.worker().run_one().unwrap(), Some(job.id));
        assert!(service.results("alice", job.id) == SMALL.results);
        assert_eq!(service.job("alice", job.id).attempts, 2);
        assert_eq!(service.files("blobs"), 3);
    }
}

#[test]
fn files_that_no_record_names_go_and_records_without_files_too() {
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    let job = service.submit("alice", "").unwrap();
    service.worker().run_one().unwrap();
    let folder = copy(service.folder.path());
    for name in ["blobs/stray", "uploads/stray", "tmp/stray"] {
        fs::write(folder.path().join(name), "x").unwrap();
    }
    fs::remove_file(folder.path().join("blobs").join(job.id.to_string())).unwrap();
    let again = service.reopened(folder);
    let recovery = again.store.recovery();
    assert_eq!((recovery.removed_files, recovery.lost_files), (2, 1));
    assert_eq!((again.files("blobs"), again.files("uploads"), again.files("tmp")), (2, 0, 0));
    let JobState::Failed { message } = again.job("alice", job.id).state else { panic!("it hasn't failed") };
    assert_eq!(message, "its results were removed from the server: submit it again");

    let folder = copy(service.folder.path());
    for entry in fs::read_dir(folder.path().join("blobs")).unwrap() {
        fs::write(entry.unwrap().path(), "x").unwrap();
    }
    let again = service.reopened(folder);
    assert_eq!((again.store.recovery().lost_files, again.files("blobs")), (3, 0));
    assert_says(again.submit("alice", ""), "they have expired, or were never sent; send them");
}

#[test]
fn a_file_that_got_into_its_place_before_the_journal_knew_is_not_sent_again() {
    let service = Service::new(Limits::default());
    let copied = Arc::new(Mutex::new(None));
    let (from, to) = (service.folder.path().to_owned(), Arc::clone(&copied));
    let mut moved = false;
    service.disk.hook(move |point| {
        moved |= point == FaultPoint::Move;
        if moved && point == FaultPoint::Commit {
            to.lock().unwrap().get_or_insert_with(|| copy(&from));
        }
    });
    let kind = asanoha_service::ContentKind::Keys;
    service.send("alice", kind, SMALL.digest, &SMALL.keys).unwrap();
    let folder = copied.lock().unwrap().take().unwrap();
    assert_eq!(fs::read_dir(folder.path().join("uploads")).unwrap().count(), 0);
    let again = service.reopened(folder);
    assert_eq!((again.files("uploads"), again.files("blobs")), (1, 0));
    let announced = crate::common::announcement(kind, SMALL.digest, &SMALL.keys);
    let begun = again.store.begin_upload(&client("alice"), &announced).unwrap();
    let asanoha_service::Begun::Upload(begun) = begun else { panic!("it's complete") };
    assert_eq!(begun.stored_bytes, begun.bytes);
    again.store.resume_upload(&client("alice"), begun.id, begun.bytes).unwrap().complete().unwrap();
}
