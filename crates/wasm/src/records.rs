//! What a client remembers of the inputs that it encrypted.

use std::path::Path;

use asanoha::{
    execute::{ClientRecord, ClientRecordError, ClientRecordProblem, Contents, Encrypted},
    lattice::{FileReader, KeyId, Source},
    plan::Plan,
    text::without_steering,
};

use crate::fault::Fault;

/// What messages call the records.
const PLACE: &str = "the client";

/// Results that were read, with the plan for their rows and the record of their inputs.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) plan: Plan,
    pub(crate) encrypted: Encrypted,
    pub(crate) record: ClientRecord,
}

/// What the bytes that a caller gives are called in messages.
pub(crate) fn named<'a>(name: &'a str, bytes: &'a [u8]) -> Source<'a> {
    Source::Bytes { name, bytes }
}

/// Reads results of a plan. They must be of the inputs of the digest `of`, if it is given.
pub(crate) fn open(
    (all_rows, key): (&Plan, KeyId),
    records: &[ClientRecord],
    results: &[u8],
    of: Option<&str>,
) -> Result<Opened, Fault> {
    let results = named("results", results);
    let header = FileReader::summary(results)?.header;
    let stated = header.fields.get("inputs").and_then(|inputs| inputs.as_str()).unwrap_or_default();
    if let Some(digest) = of
        && digest != stated
    {
        return Err(Fault::data(format!(
            "results: these results were computed from other inputs ({}…) than those given ({}…): evaluate these and decrypt what that gives",
            beginning(stated),
            beginning(digest)
        ))
        .figure("found", stated)
        .figure("expected", digest));
    }
    if !records.iter().any(|record| record.is_of(stated)) {
        return Err(Fault::data(format!(
            "this client has no record of the inputs that these results were computed from ({}…), which alone says which rows were left out and which are canaries: decrypt with the client that encrypted them, or load its records",
            beginning(stated)
        )));
    }
    let place = (Path::new(PLACE), records);
    let record = ClientRecord::find_among(place, (all_rows, key), Some(stated), of.is_some())?;
    let plan = all_rows.for_rows(record.rows)?;
    let mut encrypted = Encrypted::read(&plan, Contents::Outputs, results)?;
    (encrypted.centres, encrypted.canaries) = (record.centres.clone(), record.canaries.clone());
    encrypted.rotations = record.rotations;
    Ok(Opened { plan, encrypted, record })
}

/// Reads the record of a file.
pub(crate) fn read(plan: &Plan, key: KeyId, name: &str, bytes: &[u8]) -> Result<ClientRecord, Fault> {
    let record = ClientRecord::from_bytes(name, bytes)?;
    if !record.is_for(plan, key) {
        return Err(ClientRecordError { path: name.into(), problem: ClientRecordProblem::Other }.into());
    }
    Ok(record)
}

/// The beginning of a digest, or of what results state instead.
fn beginning(digest: &str) -> String {
    without_steering(digest, 16)
}
