//! Folders of plans.

use std::fs;

use asanoha_kernels::Backend;
use asanoha_runtime::plan::SecurityCheck;
use asanoha_service::{Plans, PlansError};

use crate::common::{OTHER, SMALL, assert_says};

fn read(folder: &tempfile::TempDir) -> Result<Plans, PlansError> {
    Plans::read(folder.path(), SecurityCheck::Required, Backend::detect().unwrap())
}

#[test]
fn every_plan_of_a_folder_is_served_by_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    SMALL.plan.write(&folder.path().join("small.json")).unwrap();
    OTHER.plan.write(&folder.path().join("other.json")).unwrap();
    fs::write(folder.path().join("notes.txt"), "not a plan").unwrap();
    let plans = read(&folder).unwrap();
    assert_eq!(plans.digests().len(), 2);
    for fixture in [&*SMALL, &*OTHER] {
        assert_eq!(plans.get(&fixture.digest).unwrap().to_json(), fixture.plan.to_json());
    }
    assert!(plans.get(&[0; 32].into()).is_none());
    let list = plans.list();
    let names: Vec<Option<&str>> = list.iter().map(|view| view.name.as_deref()).collect();
    assert_eq!(names, [Some("other"), Some("small")]);
    assert_eq!(
        (list[1].digest, &*list[1].scheme, list[1].bytes),
        (SMALL.digest, "bgv", SMALL.plan.to_json().len() as u64)
    );
}

#[test]
fn what_is_not_a_plan_or_is_one_twice_is_named() {
    let folder = tempfile::tempdir().unwrap();
    assert_says(read(&folder), "has no plans: put at least one there");
    SMALL.plan.write(&folder.path().join("a.json")).unwrap();
    SMALL.plan.write(&folder.path().join("b.json")).unwrap();
    let error = read(&folder).unwrap_err().to_string();
    assert!(error.contains("b.json: is the same plan as") && error.contains("a.json"), "{error}");
    fs::write(folder.path().join("b.json"), "{").unwrap();
    assert_says(read(&folder), "b.json: not a plan");
    fs::remove_file(folder.path().join("b.json")).unwrap();
    fs::create_dir(folder.path().join("c.json")).unwrap();
    assert_says(read(&folder), "c.json");
    let missing = folder.path().join("missing");
    let read = Plans::read(&missing, SecurityCheck::Required, Backend::detect().unwrap());
    assert_says(read, "missing: cannot be read");
}
