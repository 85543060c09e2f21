//! What a client remembers of the inputs that it encrypted.

use std::path::Path;

use asanoha::{
    execute::{ClientRecord, ClientRecordError, ClientRecordProblem, Contents, Encrypted},
    lattice::{FileReader, KeyId, Source},
    plan::Plan,
};

use crate::fault::Fault;

/// What messages call the records.
const PLACE: &str = "the client";

/// The record of some inputs, and the rows that were left out of them, from 0.
#[derive(Clone, Debug)]
pub(crate) struct Remembered {
    pub(crate) record: ClientRecord,
    /// `None` of records that were loaded, which don't say.
    pub(crate) left_out: Option<Vec<usize>>,
}

/// Results that were read, with the plan for their rows and the rows that were left out of their inputs.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) plan: Plan,
    pub(crate) encrypted: Encrypted,
    pub(crate) left_out: Vec<usize>,
}

/// What the bytes that a caller gives are called in messages.
pub(crate) fn named<'a>(name: &'a str, bytes: &'a [u8]) -> Source<'a> {
    Source::Bytes { name, bytes }
}

/// Reads results of a plan. They must be of the inputs of the digest `of`, if it is given.
pub(crate) fn open(
    (all_rows, key): (&Plan, KeyId),
    remembered: &[Remembered],
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
    let records: Vec<ClientRecord> = remembered.iter().map(|known| known.record.clone()).collect();
    let known = remembered.iter().find(|known| known.record.is_of(stated));
    let mut encrypted;
    let (plan, left_out) = match known {
        // Inputs that the caller names, and of which nothing has to be known.
        None if of.is_some() && !ClientRecord::is_needed(all_rows, false) => {
            encrypted = Encrypted::read(all_rows, Contents::Outputs, results)?;
            (all_rows.clone(), Vec::new())
        }
        None if !ClientRecord::is_needed(all_rows, false) => {
            return Err(Fault::data(format!(
                "this client didn't encrypt the inputs that these results were computed from ({}…): decrypt with the client that did, or name the inputs with decrypt(results, {{ of: inputs }})",
                beginning(stated)
            )));
        }
        known => {
            let place = (Path::new(PLACE), records.as_slice());
            let record = ClientRecord::find_among(place, (all_rows, key), Some(stated), of.is_some())?;
            if let Some(known) = known.filter(|_| of.is_none()) {
                check_left_out(remembered, known)?;
            }
            let plan = all_rows.for_rows(record.rows)?;
            encrypted = Encrypted::read(&plan, Contents::Outputs, results)?;
            (encrypted.centres, encrypted.canaries) = (record.centres, record.canaries);
            (plan, known.and_then(|known| known.left_out.clone()).unwrap_or_default())
        }
    };
    Ok(Opened { plan, encrypted, left_out })
}

/// Refuses inputs that leave out other rows than others of as many, where only the results say which are meant.
fn check_left_out(all: &[Remembered], known: &Remembered) -> Result<(), Fault> {
    let differs =
        |other: &Remembered| other.record.rows == known.record.rows && other.left_out != known.left_out;
    if !all.iter().any(differs) {
        return Ok(());
    }
    Err(Fault::data(
        "this client encrypted inputs that leave out different rows, and only the results say which they belong to: name the inputs with decrypt(results, { of: inputs })",
    ))
}

/// Reads the record of a file.
pub(crate) fn read(plan: &Plan, key: KeyId, name: &str, bytes: &[u8]) -> Result<Remembered, Fault> {
    let record = ClientRecord::from_bytes(name, bytes)?;
    if !record.is_for(plan, key) {
        return Err(ClientRecordError { path: name.into(), problem: ClientRecordProblem::Other }.into());
    }
    Ok(Remembered { record, left_out: None })
}

/// The beginning of a digest, or of what results state instead.
fn beginning(digest: &str) -> String {
    digest.chars().filter(|c| !c.is_control()).take(16).collect()
}
