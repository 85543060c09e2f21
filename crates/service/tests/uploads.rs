//! Uploads: in pieces, over restarts, and of files that can't be used.

use std::sync::Arc;

use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::plan::SchemeName;
use asanoha_service::{
    Begun, ContentKind, Digest, FaultPoint, Limits, RefusalKind, RequestError, UploadView,
};

use crate::common::{Fixture, OTHER, SMALL, Service, announcement, assert_says, client, plan};

const BOTH: [ContentKind; 2] = [ContentKind::Keys, ContentKind::Inputs];

fn begin(service: &Service, kind: ContentKind, bytes: &[u8]) -> UploadView {
    match service.store.begin_upload(&client("alice"), &announcement(kind, SMALL.digest, bytes)).unwrap() {
        Begun::Upload(view) => view,
        Begun::Complete(view) => panic!("it's complete: {view:?}"),
    }
}

#[test]
fn files_arrive_in_pieces_over_connections_and_restarts() {
    let mut service = Service::new(Limits::default());
    for kind in BOTH {
        let bytes = SMALL.file(kind);
        let begun = begin(&service, kind, bytes);
        assert_eq!((begun.stored_bytes, begun.bytes), (0, bytes.len() as u64));
        let thirds = [0, bytes.len() / 3, 2 * bytes.len() / 3];
        let alice = client("alice");

        let mut upload = service.store.resume_upload(&alice, begun.id, 0).unwrap();
        upload.write(&bytes[..thirds[1] / 2]).unwrap();
        assert_says(service.store.resume_upload(&alice, begun.id, 0), "another request sends to upload");
        assert_says(service.store.upload(&alice, begun.id), "another request sends to upload");
        upload.write(&bytes[thirds[1] / 2..thirds[1]]).unwrap();
        // The connection breaks off.
        drop(upload);
        assert_eq!(begin(&service, kind, bytes).stored_bytes, thirds[1] as u64);
        let upload = service.store.resume_upload(&alice, begun.id, thirds[1] as u64).unwrap();
        assert_says(upload.complete(), &format!("has {} of its {} bytes", thirds[1], bytes.len()));

        // The service is killed.
        service = service.snapshot();
        assert_eq!(service.store.recovery().uploads, 1);
        let says = format!("has {} bytes, and these begin at 0: send those from {} on", thirds[1], thirds[1]);
        assert_says(service.store.resume_upload(&alice, begun.id, 0), &says);
        assert_says(
            service.store.resume_upload(&client("bob"), begun.id, thirds[1] as u64),
            "there is no upload",
        );
        let mut upload = service.store.resume_upload(&alice, begun.id, thirds[1] as u64).unwrap();
        upload.write(&bytes[thirds[1]..thirds[2]]).unwrap();
        drop(upload);
        let mut upload = service.store.resume_upload(&alice, begun.id, thirds[2] as u64).unwrap();
        upload.write(&bytes[thirds[2]..]).unwrap();
        assert_eq!(upload.missing_bytes(), 0);
        let view = upload.complete().unwrap();
        assert_eq!((view.kind, view.bytes), (kind, bytes.len() as u64));
        assert_eq!(view.key, SMALL.secret.evaluation.id().to_string());
        assert_says(service.store.upload(&alice, begun.id), "there is no upload");
        assert_eq!(service.files("uploads"), 0);
        // It's sent once.
        let again = announcement(kind, SMALL.digest, bytes);
        assert_eq!(service.store.begin_upload(&alice, &again).unwrap(), Begun::Complete(view.clone()));
        let found = service.store.content(&alice, kind, view.plan, view.digest).unwrap();
        assert_eq!(found, view);
        assert_says(
            service.store.content(&client("bob"), kind, view.plan, view.digest),
            "were never sent; send them",
        );
    }
    assert_eq!(service.files("blobs"), 2);
    let stored = service.snapshot();
    assert_eq!(stored.store.bytes_of(&client("alice")), (SMALL.keys.len() + SMALL.inputs.len()) as u64);
    assert_eq!(stored.files("blobs"), 2);
}

#[test]
fn garbage_and_truncated_oversized_altered_and_foreign_files_are_refused() {
    let service = Service::new(Limits::default());
    let refused = |kind: ContentKind, bytes: &[u8], says: &str| {
        let error = service.send("alice", kind, SMALL.digest, bytes).unwrap_err();
        assert_eq!(error.kind(), RefusalKind::Unusable, "{error}");
        let message = error.to_string();
        assert!(message.starts_with(&format!("these {kind} can't be used: ")), "{message}");
        assert!(message.contains(says), "{message}\n  doesn't say: {says}");
        assert!(!message.contains(&*service.folder.path().to_string_lossy()), "{message}");
        assert_eq!((service.files("uploads"), service.store.bytes_of(&client("alice"))), (0, 0));
    };
    for kind in BOTH {
        let right = SMALL.file(kind);
        refused(kind, b"x", "not an asanoha file");
        refused(kind, &[b'{'; 4096], "not an asanoha file");
        refused(kind, &right[..right.len() - 8], "it's truncated or damaged");
        refused(kind, &[right, &[0; 8]].concat(), "it's truncated or damaged");
    }
    // Keys of the same parameters serve both plans.
    refused(
        ContentKind::Inputs,
        &OTHER.inputs,
        "it was made for another program or other data than the plan's",
    );
    let larger = plan("a = x * x * x * x * y", SchemeName::Ckks, 4);
    let larger = Fixture::new(larger, &mut Sampler::from_os());
    refused(ContentKind::Keys, &larger.keys, "belongs to other parameters");
    refused(ContentKind::Inputs, &larger.inputs, "belongs to other parameters");
    refused(ContentKind::Inputs, &SMALL.keys, "holds evaluation keys; encrypted inputs was expected here");
    refused(ContentKind::Keys, &SMALL.inputs, "holds encrypted inputs; evaluation keys was expected here");
    refused(
        ContentKind::Inputs,
        &SMALL.results,
        "holds encrypted outputs; encrypted inputs was expected here",
    );
    let mut altered = SMALL.keys.clone();
    let last = altered.len() - 1;
    altered[last] ^= 1;
    refused(ContentKind::Keys, &altered, "its digest doesn't match its contents");
    // One that its maker damaged: words above their prime under a right digest.
    let mut above = SMALL.keys.clone();
    above[last - 4096..].fill(0xff);
    seal(&mut above);
    refused(ContentKind::Keys, &above, "words above their prime");

    let fresh = plan("a = x + y", SchemeName::Bgv, 4);
    let unknown =
        service.send("alice", ContentKind::Keys, fresh.digest().parse().unwrap(), b"x").unwrap_err();
    assert_eq!(unknown.kind(), RefusalKind::Unknown);
    assert!(unknown.to_string().contains("is served here"), "{unknown}");
}

/// Puts the digest of a file's contents into its header.
fn seal(file: &mut [u8]) {
    let at = 8 + r#"{"__metadata__":{"digest":""#.len();
    file[at..at + 64].fill(b'0');
    let digest = blake3::hash(file).to_hex();
    file[at..at + 64].copy_from_slice(digest.as_bytes());
}

#[test]
fn bytes_other_than_announced_are_refused() {
    let service = Service::new(Limits::default());
    let alice = client("alice");
    let bytes = &SMALL.inputs;
    let begun = begin(&service, ContentKind::Inputs, bytes);
    let mut upload = service.store.resume_upload(&alice, begun.id, 0).unwrap();
    upload.write(&bytes[..100]).unwrap();
    let error = upload.write(&vec![0; bytes.len()]).unwrap_err();
    assert_eq!(error.kind(), RefusalKind::TooLarge);
    assert!(error.to_string().contains("those beyond are dropped"), "{error}");
    assert_eq!(upload.stored_bytes(), 100);
    upload.write(&vec![7; bytes.len() - 100]).unwrap();
    let error = upload.complete().unwrap_err();
    assert!(matches!(error, RequestError::OtherDigest { .. }), "{error}");
    assert!(error.to_string().contains("it's removed, send it again"), "{error}");
    assert_says(service.store.upload(&alice, begun.id), "there is no upload");
    // Replayed, it's another upload.
    let again = begin(&service, ContentKind::Inputs, bytes);
    assert!(again.id != begun.id && again.stored_bytes == 0);
    assert_says(service.store.abandon_upload(&client("bob"), again.id), "there is no upload");
    service.store.abandon_upload(&alice, again.id).unwrap();
    assert_eq!((service.files("uploads"), service.store.bytes_of(&alice)), (0, 0));
    // The same digest with another length.
    let first = begin(&service, ContentKind::Inputs, bytes);
    let mut other = announcement(ContentKind::Inputs, SMALL.digest, bytes);
    other.bytes += 1;
    let Begun::Upload(second) = service.store.begin_upload(&alice, &other).unwrap() else {
        panic!("not sent")
    };
    assert!(first.id != second.id);
    assert_says(service.store.upload(&alice, first.id), "there is no upload");
}

#[test]
fn keys_and_inputs_of_a_given_seed_are_refused() {
    let seeded = Fixture::new(SMALL.plan.clone(), &mut Sampler::new(&Seed([5; 32])));
    let service = Service::new(Limits::default());
    for kind in BOTH {
        assert_says(
            service.send("alice", kind, seeded.digest, seeded.file(kind)),
            "made from a given seed, and anyone who knows the seed knows the secrets",
        );
    }
}

#[test]
fn a_full_disk_refuses_bytes_and_loses_none() {
    let service = Service::new(Limits::default());
    let alice = client("alice");
    let bytes = &SMALL.keys;
    let full = |error: RequestError| {
        assert_eq!(error.kind(), RefusalKind::Storage);
        assert!(error.to_string().contains("the disk is full"), "{error}");
        assert_eq!(error.for_client(), "the server's disk is full: try again later");
    };
    service.disk.fails_at(&[FaultPoint::Commit]);
    let announced = announcement(ContentKind::Keys, SMALL.digest, bytes);
    full(service.store.begin_upload(&alice, &announced).unwrap_err());
    assert_eq!(service.store.bytes_of(&alice), 0);
    service.disk.fails_at(&[]);
    let begun = begin(&service, ContentKind::Keys, bytes);
    let mut upload = service.store.resume_upload(&alice, begun.id, 0).unwrap();
    upload.write(&bytes[..1000]).unwrap();
    service.disk.fails_at(&[FaultPoint::Write]);
    full(upload.write(&bytes[1000..]).unwrap_err());
    assert_eq!(upload.stored_bytes(), 1000);
    service.disk.fails_at(&[]);
    upload.write(&bytes[1000..]).unwrap();
    drop(upload);
    for point in [FaultPoint::Sync, FaultPoint::Move, FaultPoint::Commit] {
        service.disk.fails_at(&[point]);
        let upload = service.store.resume_upload(&alice, begun.id, bytes.len() as u64).unwrap();
        full(upload.complete().unwrap_err());
        assert_eq!((service.files("uploads"), service.files("blobs")), (1, 0), "{point:?}");
        service.disk.fails_at(&[]);
        let after = service.snapshot();
        let upload = after.store.resume_upload(&alice, begun.id, bytes.len() as u64).unwrap();
        upload.complete().unwrap();
    }
    let upload = service.store.resume_upload(&alice, begun.id, bytes.len() as u64).unwrap();
    upload.complete().unwrap();
    assert_eq!(service.store.metrics().store_errors, 5);
}

#[test]
fn announcements_beyond_the_limits_are_refused() {
    let bytes = SMALL.keys.len() as u64;
    let inputs = SMALL.inputs.len() as u64;
    let limits = Limits {
        key_bytes: bytes,
        input_bytes: inputs,
        client_bytes: bytes + inputs,
        store_bytes: 2 * bytes + inputs,
        client_uploads: 2,
        ..Limits::default()
    };
    let service = Service::new(limits);
    let announce = |name: &str, kind, number: u8, bytes| {
        let mut announced = announcement(kind, SMALL.digest, &[number]);
        announced.bytes = bytes;
        service.store.begin_upload(&client(name), &announced)
    };
    let (keys, values) = (ContentKind::Keys, ContentKind::Inputs);
    let error = announce("alice", keys, 0, bytes + 1).unwrap_err();
    assert_eq!(error.kind(), RefusalKind::TooLarge);
    assert_says(Err::<(), _>(error), &format!("are more than the {bytes} that one file may have here"));
    assert_says(announce("alice", values, 0, inputs + 1), "that one file may have here");
    assert_says(announce("alice", values, 0, u64::MAX), "that one file may have here");
    assert_says(announce("alice", values, 0, 0), "a file of no bytes is no file of inputs");
    announce("alice", keys, 1, bytes).unwrap();
    let error =
        announce("alice", values, 2, inputs).map(|_| announce("alice", keys, 3, 1)).unwrap().unwrap_err();
    assert_eq!(error.kind(), RefusalKind::Busy);
    assert_says(Err::<(), _>(error), "you have 2 uploads that aren't complete");
    assert_says(
        announce("bob", keys, 1, bytes).and_then(|_| announce("bob", values, 2, 1)),
        "all clients together",
    );
    let two = Service::new(Limits { client_files: 2, ..Limits::default() });
    two.send_all("alice", &SMALL);
    let third = two.send("alice", values, OTHER.digest, &OTHER.inputs);
    assert_says(third, "you have 2 files of keys and inputs, the most that you may have");
    two.send_all("alice", &SMALL);
    let few = Service::new(Limits { client_bytes: 1000, ..Limits::default() });
    few.store.begin_upload(&client("alice"), &announcement(values, SMALL.digest, &[0; 600])).unwrap();
    let error =
        few.store.begin_upload(&client("alice"), &announcement(values, SMALL.digest, &[1; 600])).unwrap_err();
    assert_says(
        Err::<(), _>(error),
        "you have 600 bytes stored here of at most 1000, and 600 more don't fit",
    );
}

#[test]
fn files_that_nobody_uses_expire_and_needed_ones_stay() {
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    let bytes = &OTHER.keys;
    let announced = announcement(ContentKind::Keys, OTHER.digest, bytes);
    let Begun::Upload(begun) = service.store.begin_upload(&client("alice"), &announced).unwrap() else {
        panic!()
    };
    let day = 24 * 3600;
    service.pass(2 * day - 1);
    assert_eq!(service.store.sweep().unwrap(), asanoha_service::Swept::default());
    service.pass(1);
    assert_eq!(service.store.sweep().unwrap().uploads, 1);
    assert_says(service.store.upload(&client("alice"), begun.id), "it has expired");
    let digest = |kind| -> Digest { blake3::hash(SMALL.file(kind)).into() };
    let job = service.submit("alice", "").unwrap();
    for kind in BOTH {
        let removed = service.store.remove_content(&client("alice"), kind, SMALL.digest, digest(kind));
        assert_says(removed, "are needed by a job that waits or runs");
    }
    service.pass(40 * day);
    assert_eq!(service.store.sweep().unwrap().contents, 0);
    service.store.cancel(&client("alice"), job.id).unwrap();
    assert_eq!(service.store.sweep().unwrap().contents, 2);
    assert_eq!((service.files("blobs"), service.store.bytes_of(&client("alice"))), (0, 0));
    assert_says(service.submit("alice", ""), "they have expired, or were never sent; send them");
    service.send_all("alice", &SMALL);
    service
        .store
        .remove_content(&client("alice"), ContentKind::Keys, SMALL.digest, digest(ContentKind::Keys))
        .unwrap();
    assert_eq!(service.files("blobs"), 1);
    let same = Arc::clone(&service.store);
    drop(service);
    assert_eq!(same.metrics().expired, 3);
}
