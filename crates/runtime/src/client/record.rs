//! What the client keeps of the inputs that it encrypted: what decryption needs and a server must not decide.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use asanoha_lattice::{KeyId, write_atomically};
use serde::{Deserialize, Serialize};

use crate::{
    execute::{
        Canaries, CanaryError, Centres, ClientRecordError, ClientRecordProblem, ExecuteError, InputSecrets,
        MOST_CANARY_RESULTS, record::lock,
    },
    plan::Plan,
};

/// The version of records.
const VERSION: u32 = 2;

/// The longest record.
const MAX_BYTES: u64 = 64 << 20;

/// Names of records are these around the digest of the inputs.
const NAME: (&str, &str) = ("inputs-", ".json");

/// A client's record of one file of inputs.
///
/// It is a file of its owner alone in the folder of keys, named for the digest of the inputs, which results carry too.
/// It's only as trustworthy as that folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientRecord {
    version: u32,
    /// The key generation.
    key: String,
    /// The digest of the plan as its file states it, for the most rows.
    plan: String,
    /// The digest of the inputs.
    inputs: String,
    /// The number of rows that were encrypted.
    pub rows: usize,
    /// The constants that were taken away from columns before.
    #[serde(default, skip_serializing_if = "Centres::is_empty")]
    centres: Centres,
    /// The canaries among the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    canaries: Option<Canaries>,
    /// The results that were decrypted by its canaries.
    #[serde(default, skip_serializing_if = "CanaryUse::is_unused")]
    canary_use: CanaryUse,
    /// Number of times that the keys were replaced since the inputs were encrypted. Only as many re-encryptions are accepted of their
    /// results.
    #[serde(default, skip_serializing_if = "is_zero")]
    rotations: u32,
    /// The rows of the data, from 0, that weren't encrypted since they miss a value, where the client wants to know them again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<usize>,
}

/// The use of a record's canaries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CanaryUse {
    /// The digests of the results that were decrypted.
    results: BTreeSet<String>,
    /// Whether canaries had wrong results.
    spent: bool,
}

impl CanaryUse {
    fn is_unused(&self) -> bool {
        *self == Self::default()
    }

    /// Adds results before they're decrypted. Returns whether they are new.
    fn admit(&mut self, results: &str) -> Result<bool, CanaryError> {
        if self.spent {
            return Err(CanaryError::Spent);
        }
        let is_new = self.results.insert(results.to_owned());
        self.check()?;
        Ok(is_new)
    }

    /// Adds those of another process.
    fn merge(&mut self, other: Self) -> Result<(), CanaryError> {
        self.spent |= other.spent;
        self.results.extend(other.results);
        self.check()
    }

    fn check(&self) -> Result<(), CanaryError> {
        if self.results.len() > MOST_CANARY_RESULTS { Err(CanaryError::UsedUp) } else { Ok(()) }
    }
}

impl ClientRecord {
    /// The record of inputs of so many rows that were encrypted for a plan, which isn't narrowed to them ([`Plan::for_rows`]).
    pub fn new(plan: &Plan, key: KeyId, inputs: &str, rows: usize, secrets: InputSecrets) -> Self {
        let InputSecrets { centres, canaries, rotations } = secrets;
        Self {
            version: VERSION,
            key: key.to_string(),
            plan: plan.digest(),
            inputs: inputs.to_owned(),
            rows,
            centres,
            canaries,
            canary_use: CanaryUse::default(),
            rotations,
            left_out: Vec::new(),
        }
    }

    /// Returns the secrets of the inputs.
    pub fn secrets(&self) -> InputSecrets {
        let (centres, canaries) = (self.centres.clone(), self.canaries.clone());
        InputSecrets { centres, canaries, rotations: self.rotations }
    }

    /// Returns the number of canaries among the rows.
    pub fn canaries(&self) -> usize {
        self.canaries.as_ref().map_or(0, Canaries::count)
    }

    /// Decrypts results of the digest `results` by the record. Canaries are good for a few different results, and for none
    /// once they were wrong: a server that sees which answers are refused would find their places. `keep` keeps the record each time that it
    /// changes, before the results are returned.
    ///
    /// # Errors
    /// [`CanaryError::Spent`], [`CanaryError::UsedUp`], and those of `keep` and `decrypt`.
    pub(super) fn decrypt<T>(
        &mut self,
        results: &str,
        mut keep: impl FnMut(&mut Self) -> Result<(), ExecuteError>,
        decrypt: impl FnOnce() -> Result<T, ExecuteError>,
    ) -> Result<T, ExecuteError> {
        if self.canaries.is_none() {
            return decrypt();
        }
        if self.canary_use.admit(results)? {
            keep(self)?;
        }
        let decrypted = decrypt();
        if let Err(ExecuteError::Canaries(CanaryError::Wrong { .. })) = decrypted {
            self.canary_use.spent = true;
            keep(self)?;
        }
        decrypted
    }

    /// Does the same as [`Self::keep_use`] in the record of the same inputs among some in memory.
    pub(super) fn keep_use_among(&mut self, records: &mut [Self]) -> Result<(), ExecuteError> {
        if let Some(other) = records.iter_mut().find(|other| other.inputs == self.inputs) {
            self.canary_use.merge(other.canary_use.clone())?;
            other.canary_use = self.canary_use.clone();
        }
        Ok(())
    }

    /// Writes to a folder of keys which results were decrypted by the record's canaries, beside those that other processes
    /// decrypted by it.
    ///
    /// # Errors
    /// [`CanaryError::UsedUp`] if there are too many together, and those of reading and writing records.
    pub(super) fn keep_use(&mut self, folder: &Path) -> Result<(), ExecuteError> {
        let _lock = lock(folder)?;
        if let Some(other) = Self::read(&path(folder, &self.inputs))? {
            self.canary_use.merge(other.canary_use)?;
        }
        Ok(self.write(folder)?)
    }

    /// Writes the records of all inputs under one key to another folder of keys, as those of inputs under another key: of the
    /// same inputs, re-encrypted once more. Returns the files' names.
    ///
    /// # Errors
    /// Records that are damaged, and what the operating system says.
    pub fn copy_all(
        from: &Path,
        to: &Path,
        [old, new]: [KeyId; 2],
    ) -> Result<Vec<String>, ClientRecordError> {
        let (old, new) = (old.to_string(), new.to_string());
        let records = Self::all(from)?.into_iter().filter(|record| record.key == old);
        let copy = |record: Self| {
            if !is_digest(&record.inputs) {
                let problem = ClientRecordProblem::Damaged("it names no inputs");
                return Err(ClientRecordError { path: from.to_owned(), problem });
            }
            let rotations = record.rotations.saturating_add(1);
            Self { key: new.clone(), rotations, ..record.clone() }.write(to)?;
            Ok(format!("{}{}{}", NAME.0, record.inputs, NAME.1))
        };
        records.map(copy).collect()
    }

    /// Writes the record to a folder of keys, as a whole.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn write(&self, folder: &Path) -> Result<(), ClientRecordError> {
        let path = path(folder, &self.inputs);
        write_atomically(&path, true, |file| file.write_all(&self.to_bytes()))
            .map_err(|error| ClientRecordError { path, problem: error.into() })
    }

    /// Whether a file of this name in a folder of keys is a record.
    pub fn is_record(name: &str) -> bool {
        name.strip_prefix(NAME.0).and_then(|rest| rest.strip_suffix(NAME.1)).is_some_and(is_digest)
    }

    /// The names of the records in a folder of keys.
    ///
    /// # Errors
    /// A folder that can't be read.
    pub fn names(folder: &Path) -> Result<Vec<String>, ClientRecordError> {
        let error = |io: io::Error| ClientRecordError { path: folder.to_owned(), problem: io.into() };
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).map_err(error)? {
            names.extend(entry.map_err(error)?.file_name().into_string().ok());
        }
        names.retain(|name| Self::is_record(name));
        Ok(names)
    }

    /// Returns the digest of the inputs.
    pub fn inputs(&self) -> &str {
        &self.inputs
    }

    /// Whether it's of the inputs of a digest.
    pub fn is_of(&self, inputs: &str) -> bool {
        self.inputs == inputs
    }

    /// Whether it's of inputs for a plan, under a key.
    pub fn is_for(&self, plan: &Plan, key: KeyId) -> bool {
        self.key == key.to_string() && self.plan == plan.digest()
    }

    /// The name of its file in a folder of keys.
    pub fn file_name(&self) -> String {
        format!("{}{}{}", NAME.0, self.inputs, NAME.1)
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data")
    }

    /// The record whose file has these bytes and this name.
    ///
    /// # Errors
    /// One that is damaged, of another version, or under another name than [`Self::file_name`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ClientRecordError> {
        let error = |why| ClientRecordError { path: name.into(), problem: ClientRecordProblem::Damaged(why) };
        let record = parse(bytes).map_err(error)?;
        if record.file_name() == name { Ok(record) } else { Err(error("its name is that of other inputs")) }
    }

    /// Refuses a record of another plan or other keys.
    pub(super) fn check_is_of(&self, place: &Path, plan: &Plan, key: KeyId) -> Result<(), ClientRecordError> {
        if self.is_for(plan, key) {
            return Ok(());
        }
        Err(ClientRecordError { path: place.to_owned(), problem: ClientRecordProblem::Other })
    }

    /// Refuses records of which one of the same plan and keys states anything else.
    pub(super) fn check_others(
        &self,
        place: &Path,
        records: &[Self],
        stated: Option<usize>,
    ) -> Result<(), ClientRecordError> {
        let error = |problem| ClientRecordError { path: place.to_owned(), problem };
        let is_of_same = |other: &&Self| other.plan == self.plan && other.key == self.key;
        for other in records.iter().filter(is_of_same) {
            if stated.is_none() && other.rows != self.rows {
                return Err(error(ClientRecordProblem::Ambiguous { rows: [self.rows, other.rows] }));
            }
            if other.rows == self.rows && other.centres != self.centres {
                return Err(error(ClientRecordProblem::AmbiguousCentres));
            }
            if other.rows == self.rows && other.canaries != self.canaries {
                return Err(error(ClientRecordProblem::AmbiguousCanaries));
            }
            if other.rotations != self.rotations {
                return Err(error(ClientRecordProblem::AmbiguousRotations));
            }
            if other.rows == self.rows && other.left_out != self.left_out {
                return Err(error(ClientRecordProblem::AmbiguousLeftOut));
            }
        }
        Ok(())
    }

    /// All records in a folder.
    pub(super) fn all(folder: &Path) -> Result<Vec<Self>, ClientRecordError> {
        let mut records = Vec::new();
        for name in Self::names(folder)? {
            records.extend(Self::read(&folder.join(name))?);
        }
        Ok(records)
    }

    /// The record of the inputs of a digest in a folder; `None` if there is none.
    pub(super) fn of_inputs(folder: &Path, inputs: &str) -> Result<Option<Self>, ClientRecordError> {
        let path = path(folder, inputs);
        let Some(record) = Self::read(&path)? else { return Ok(None) };
        if record.is_of(inputs) {
            return Ok(Some(record));
        }
        Err(ClientRecordError { path, problem: ClientRecordProblem::Other })
    }

    /// The record in a file; `None` if there's no file.
    fn read(path: &Path) -> Result<Option<Self>, ClientRecordError> {
        let error = |problem| ClientRecordError { path: path.to_owned(), problem };
        let damaged = |why| error(ClientRecordProblem::Damaged(why));
        let file = match File::open(path) {
            Ok(file) => file,
            Err(io) if io.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(io) => return Err(error(io.into())),
        };
        let mut text = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(|io| error(io.into()))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(damaged("it is longer than any record"));
        }
        parse(&text).map(Some).map_err(damaged)
    }
}

/// The record in a text, or what's wrong with it.
fn parse(text: &[u8]) -> Result<ClientRecord, &'static str> {
    let record: ClientRecord = serde_json::from_slice(text).map_err(|_| "it isn't the JSON of a record")?;
    if record.version != VERSION {
        return Err("it is of another version");
    }
    if !record.left_out.is_sorted_by(|a, b| a < b) {
        return Err("the rows that it leaves out aren't in order");
    }
    let canaries = record.canaries.as_ref().map_or(0, Canaries::count);
    let rows = record.rows.saturating_sub(canaries).saturating_add(record.left_out.len());
    if record.left_out.last().is_some_and(|&last| last >= rows) {
        return Err("the data had no such rows as it leaves out");
    }
    Ok(record)
}

/// Where a folder of keys has the record of inputs.
pub(super) fn path(folder: &Path, inputs: &str) -> PathBuf {
    folder.join(format!("{}{inputs}{}", NAME.0, NAME.1))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(rotations: &u32) -> bool {
    *rotations == 0
}

pub(super) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::{ClientRecord, ClientRecordProblem};

    fn read(left_out: &str) -> Result<ClientRecord, &'static str> {
        let digest = "ab".repeat(32);
        let text = format!(r#"{{"version":2,"key":"k","plan":"p","inputs":"{digest}","rows":3{left_out}}}"#);
        ClientRecord::from_bytes(&format!("inputs-{digest}.json"), text.as_bytes()).map_err(|error| {
            match error.problem {
                ClientRecordProblem::Damaged(why) => why,
                _ => "",
            }
        })
    }

    #[test]
    fn rows_that_are_left_out_are_kept_in_order() {
        // Records had none once.
        assert!(read("").unwrap().left_out.is_empty());
        let record = read(r#","left_out":[0,1,5]"#).unwrap();
        assert_eq!(record.left_out, [0, 1, 5]);
        assert_eq!(ClientRecord::from_bytes(&record.file_name(), &record.to_bytes()).unwrap(), record);
        for edited in ["[1,1]", "[7,0]"] {
            let found = read(&format!(r#","left_out":{edited}"#));
            assert_eq!(found, Err("the rows that it leaves out aren't in order"));
        }
        // The data had three rows and those left out.
        for edited in ["[3,18446744073709551615]", "[0,1,6]", "[4]"] {
            let found = read(&format!(r#","left_out":{edited}"#));
            assert_eq!(found, Err("the data had no such rows as it leaves out"));
        }
        assert_eq!(read(r#","left_out":[-1]"#), Err("it isn't the JSON of a record"));
    }
}
