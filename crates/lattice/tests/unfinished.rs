//! What is being written: finished as a whole, or removed.

use std::{fs, io};

use asanoha_lattice::{Unfinished, write_atomically};

/// An unfinished file of a folder.
fn begun(folder: &std::path::Path, name: &str) -> io::Result<(std::path::PathBuf, Unfinished)> {
    Unfinished::begin(|| {
        let path = folder.join(name);
        fs::write(&path, name)?;
        let removed = path.clone();
        Ok((path, move || drop(fs::remove_file(removed))))
    })
}

#[test]
fn what_is_finished_stays_and_all_else_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (dropped, unfinished) = begun(folder.path(), "dropped").unwrap();
    assert!(dropped.exists());
    drop(unfinished);
    assert!(!dropped.exists());

    let (failed, unfinished) = begun(folder.path(), "failed").unwrap();
    let error = unfinished.finish(|| Err::<(), _>(io::Error::other("no room"))).unwrap_err();
    assert_eq!(error.to_string(), "no room");
    assert!(!failed.exists());

    let (finished, unfinished) = begun(folder.path(), "finished").unwrap();
    unfinished.finish(|| Ok::<_, io::Error>(())).unwrap();
    assert!(finished.exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_delivery_that_fails_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    write_atomically(&path, false, |file| io::Write::write_all(file, b"old")).unwrap();
    let failed = write_atomically(&path, false, |file| {
        io::Write::write_all(file, b"new")?;
        Err::<(), _>(io::Error::other("no room"))
    });
    assert!(failed.is_err());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_being_written_has_no_name_that_a_killed_process_could_leave() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let names = || fs::read_dir(folder.path()).unwrap().count();
    let path = folder.path().join("file");
    for (private, old) in [(true, 0), (true, 1), (false, 1)] {
        assert_eq!(names(), old);
        write_atomically(&path, private, |file| {
            assert_eq!(names(), old);
            io::Write::write_all(file, &[old as u8; 1000])
        })
        .unwrap();
        assert_eq!((names(), fs::read(&path).unwrap()), (1, vec![old as u8; 1000]));
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Neither does one that can't get into its place.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(write_atomically(&path, true, |file| io::Write::write_all(file, b"x")).is_err());
    assert_eq!(names(), 1);
}
