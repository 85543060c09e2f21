//! `asanoha inspect`: says what a file is, what it is for and whether it is secret, by its header.

mod about;
mod file;
mod panel;
mod plan;
mod records;
mod start;
mod triples;

use std::path::Path;

use asanoha::{
    execute::Keys,
    lattice::FileReader,
    mpc::store::{MANIFEST, Run},
    plan::{Plan, SecurityCheck},
};
use serde_json::Value;

use self::{
    about::{About, MANIFEST_FILE, SENT_KEYS, TRIPLES, TRIPLES_SEED, foreign},
    start::{FOREIGN, SENT_KEYS_BYTES, START_BYTES, STARTS, is_json, is_sent_keys, is_text, read_start},
};
use crate::{
    args::InspectArgs,
    error::Failure,
    files::{folder_of, unreadable},
    report::Report,
    session::Session,
};

/// The largest JSON file that is read to tell its kind; only plans are larger.
const MOST_JSON_BYTES: u64 = 64 << 20;

pub(crate) fn inspect(session: &Session, args: &InspectArgs) -> Result<Report, Failure> {
    let path = &*args.file;
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, error))?;
    if metadata.is_dir() {
        return inspect_folder(path);
    }
    let bytes = metadata.len();
    // The seed needn't be read.
    if path.ends_with("secret-seed") && folder_of(path).join(MANIFEST).is_file() {
        return Ok(inspect_whole(TRIPLES_SEED, bytes));
    }
    let start = read_start(path, START_BYTES)?;
    if is_json(&start) {
        return inspect_json(session, path, bytes);
    }
    if start.starts_with(b"asagpan") {
        return panel::inspect(path, bytes);
    }
    if let Some((_, kind)) = STARTS.iter().find(|(first, _)| start.starts_with(first)) {
        return Ok(inspect_whole(kind, bytes));
    }
    if let Some((_, what)) = FOREIGN.iter().find(|(first, _)| start.starts_with(first)) {
        return Err(foreign(path, what));
    }
    if start.is_empty() {
        return Err(foreign(path, "it is empty"));
    }
    if is_text(&start) {
        if bytes == SENT_KEYS_BYTES && is_sent_keys(&read_start(path, bytes)?) {
            return Ok(inspect_whole(SENT_KEYS, bytes));
        }
        return Err(foreign(path, "it is text: give a program or a table of data to `asanoha run`"));
    }
    Ok(file::inspect(FileReader::summary(path)?))
}

/// A file of which only the kind is known.
fn inspect_whole(kind: &str, bytes: u64) -> Report {
    let about = About::new(kind, bytes);
    Report::new(&about, about.lines().text())
}

fn inspect_folder(path: &Path) -> Result<Report, Failure> {
    if path.join(MANIFEST).is_file() {
        let run = Run::open(path)?;
        return Ok(triples::inspect(About::new(TRIPLES, run.bytes()), run.manifest()));
    }
    let names = [Keys::SEALED].into_iter().chain(Keys::FILES).chain([Keys::REENCRYPTION]);
    let keys = names.map(|name| path.join(name)).filter(|file| file.is_file());
    let keys: Vec<String> = keys.map(|file| file.display().to_string()).collect();
    let what = match &keys[..] {
        [] => "it is a folder without triples: name a file".to_owned(),
        keys => format!("it is a folder of keys: inspect one of {}", keys.join(", ")),
    };
    Err(foreign(path, &what))
}

fn inspect_json(session: &Session, path: &Path, bytes: u64) -> Result<Report, Failure> {
    let plan = || -> Result<Report, Failure> {
        Ok(plan::inspect(&Plan::read(path, SecurityCheck::Waived, session.backend)?, bytes))
    };
    if bytes > MOST_JSON_BYTES {
        return plan();
    }
    // What isn't JSON is refused as a plan, with the place of the error.
    let Ok(value) = serde_json::from_slice::<Value>(&read_start(path, bytes)?) else { return plan() };
    let has = |names: &[&str]| names.iter().all(|name| value.get(*name).is_some());
    if value["format"] == "asanoha parameters" {
        records::parameters(path, &value, bytes)
    } else if has(&["key", "published"]) {
        Ok(records::publications(&value, bytes))
    } else if has(&["key", "inputs", "rows"]) {
        records::inputs(path, &value, bytes)
    } else if has(&["run", "parties", "block_size"]) && path.ends_with(MANIFEST) {
        let run = Run::open(folder_of(path))?;
        Ok(triples::inspect(About::new(MANIFEST_FILE, bytes), run.manifest()))
    } else if has(&["rows", "columns"]) {
        records::schema(path, bytes)
    } else if has(&["version"]) {
        plan()
    } else {
        Err(foreign(path, "it is JSON, but neither a schema nor a plan nor a record: it has no version"))
    }
}
