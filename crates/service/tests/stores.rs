//! Folders of stores.

use std::{fs, sync::Arc};

use asanoha_runtime::plan::SecurityCheck;
use asanoha_service::{Limits, Plans, Settings, Store, StoreError, Tokens};
use tempfile::TempDir;

use crate::common::{SMALL, Service, assert_says, copy};

fn open(folder: &TempDir) -> Result<Arc<Store>, StoreError> {
    Store::open(folder.path(), Plans::of([SMALL.plan.clone()], SecurityCheck::Required), Settings::default())
}

#[test]
fn a_store_of_another_version_is_refused_and_stays_as_it_is() {
    let service = Service::new(Limits::default());
    let folder = copy(service.folder.path());
    let path = folder.path().join("version");
    for (text, says) in [
        ("asanoha service store, version 1\n", "is a store of version 1, and this program opens version 2"),
        ("asanoha service store, version 2.1\n", "open it with the program that made it"),
        ("something else", "there are other files than those of a store"),
    ] {
        fs::write(&path, text).unwrap();
        assert_says(open(&folder), says);
        assert_says(Store::prepare(folder.path()), says);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_folder_of_other_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "x").unwrap();
    assert_says(open(&folder), "there are other files than those of a store: choose an empty folder");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let file = folder.path().join("thesis.tex");
    assert_says(Store::prepare(&file), "cannot be read or written");
    assert_says(Store::prepare(&folder.path().join("a/b")), "cannot be read or written");
}

#[test]
fn one_process_at_a_time_has_a_store_open() {
    let folder = tempfile::tempdir().unwrap();
    Store::prepare(folder.path()).unwrap();
    let store = open(&folder).unwrap();
    assert_says(open(&folder), "another process has this store open");
    // Tokens are made beside it.
    Store::prepare(folder.path()).unwrap();
    let client = "alice".parse().unwrap();
    let (view, secret) =
        Tokens::open(folder.path(), asanoha_service::Clock::system()).create(&client, None).unwrap();
    assert_eq!(store.tokens().verify(secret.expose()).unwrap(), client);
    assert!(store.tokens().revoke(&view.id).unwrap());
    drop(store);
    open(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn what_is_stored_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    fn check(folder: &std::path::Path) -> usize {
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
        let mut files = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files += check(&path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
                files += 1;
            }
        }
        files
    }
    let service = Service::new(Limits::default());
    service.send_all("alice", &SMALL);
    service.submit("alice", "").unwrap();
    service.worker().run_one().unwrap();
    service.store.tokens().create(&"alice".parse().unwrap(), None).unwrap();
    // Version, lock, journal, tokens and their lock, keys, inputs, results.
    assert_eq!(check(service.folder.path()), 8);
    let folder = copy(service.folder.path());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o750)).unwrap();
    assert_says(open(&folder), "other users may read this folder");
    // An empty folder becomes private.
    let empty = tempfile::tempdir().unwrap();
    fs::set_permissions(empty.path(), fs::Permissions::from_mode(0o755)).unwrap();
    open(&empty).unwrap();
    assert_eq!(fs::metadata(empty.path()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_damaged_journal_is_named() {
    let service = Service::new(Limits::default());
    let folder = copy(service.folder.path());
    let path = folder.path().join("journal.redb");
    fs::write(&path, vec![7; 8192]).unwrap();
    assert_says(open(&folder), "journal.redb: ");
    // An opening that was killed before its version was in place leaves nothing that stops the next one.
    let fresh = tempfile::tempdir().unwrap();
    fs::write(fresh.path().join("lock"), "").unwrap();
    fs::write(fresh.path().join(".asanoha-unfinished-X"), "").unwrap();
    open(&fresh).unwrap();
}
