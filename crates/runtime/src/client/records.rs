//! The place of a client's records of inputs, and the choice of the record that results are decrypted by.

use std::path::{Path, PathBuf};

use asanoha_lattice::KeyId;

use super::record::{ClientRecord, is_digest, path};
use crate::{
    execute::{Centres, ClientRecordError, ClientRecordProblem, ExecuteError},
    plan::Plan,
};

/// The place where a client keeps the records of its inputs.
pub trait RecordStore {
    /// Returns the name of the place, or of the place of one record in it, for messages.
    fn place(&self, inputs: Option<&str>) -> PathBuf;

    /// Returns the record of the inputs of a digest.
    ///
    /// # Errors
    /// A record that can't be read, or is of other inputs.
    fn get(&self, inputs: &str) -> Result<Option<ClientRecord>, ClientRecordError>;

    /// Returns all records.
    ///
    /// # Errors
    /// Records that can't be read.
    fn all(&self) -> Result<Vec<ClientRecord>, ClientRecordError>;

    /// Adds the record of new inputs.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn add(&mut self, record: ClientRecord) -> Result<(), ClientRecordError>;

    /// Keeps what the use of canaries changed in a record, beside what other users of the store changed.
    ///
    /// # Errors
    /// [`CanaryError::UsedUp`](crate::execute::CanaryError::UsedUp) if the canaries were used too often together, and what the operating
    /// system says.
    fn keep_use(&mut self, record: &mut ClientRecord) -> Result<(), ExecuteError>;
}

/// A folder of keys, which other processes use too.
impl RecordStore for &Path {
    fn place(&self, inputs: Option<&str>) -> PathBuf {
        inputs.map_or_else(|| self.to_path_buf(), |inputs| path(self, inputs))
    }

    fn get(&self, inputs: &str) -> Result<Option<ClientRecord>, ClientRecordError> {
        ClientRecord::of_inputs(self, inputs)
    }

    fn all(&self) -> Result<Vec<ClientRecord>, ClientRecordError> {
        ClientRecord::all(self)
    }

    fn add(&mut self, record: ClientRecord) -> Result<(), ClientRecordError> {
        record.write(self)
    }

    fn keep_use(&mut self, record: &mut ClientRecord) -> Result<(), ExecuteError> {
        record.keep_use(self)
    }
}

/// Memory.
impl RecordStore for Vec<ClientRecord> {
    fn place(&self, _: Option<&str>) -> PathBuf {
        "the client".into()
    }

    fn get(&self, inputs: &str) -> Result<Option<ClientRecord>, ClientRecordError> {
        Ok(self.iter().find(|record| record.is_of(inputs)).cloned())
    }

    fn all(&self) -> Result<Vec<ClientRecord>, ClientRecordError> {
        Ok(self.clone())
    }

    fn add(&mut self, record: ClientRecord) -> Result<(), ClientRecordError> {
        self.push(record);
        Ok(())
    }

    fn keep_use(&mut self, record: &mut ClientRecord) -> Result<(), ExecuteError> {
        record.keep_use_among(self)
    }
}

/// A store that somebody else owns.
impl<R: RecordStore> RecordStore for &mut R {
    fn place(&self, inputs: Option<&str>) -> PathBuf {
        (**self).place(inputs)
    }

    fn get(&self, inputs: &str) -> Result<Option<ClientRecord>, ClientRecordError> {
        (**self).get(inputs)
    }

    fn all(&self) -> Result<Vec<ClientRecord>, ClientRecordError> {
        (**self).all()
    }

    fn add(&mut self, record: ClientRecord) -> Result<(), ClientRecordError> {
        (**self).add(record)
    }

    fn keep_use(&mut self, record: &mut ClientRecord) -> Result<(), ExecuteError> {
        (**self).keep_use(record)
    }
}

/// The caller's word on the inputs that results are of.
#[derive(Clone, Copy, Debug, Default)]
pub struct OfInputs<'a> {
    /// Their digest, where the caller names them. Otherwise the results alone name them, and all inputs of the plan under the key must
    /// agree in what their records state.
    pub named: Option<&'a str>,
    /// The number of their rows. It takes a record's place where there is none, and answers for the rows being all of the data and nothing
    /// else.
    pub rows: Option<usize>,
    /// The number of times that the keys were replaced since, in a record's place.
    pub rotations: Option<u32>,
}

/// Finds the record that results must be decrypted by, or `None` if there is none and the caller states the rows. The results state the
/// inputs that they're of, where the caller doesn't name them.
///
/// # Errors
/// A missing or damaged record, one of another plan or other keys or of other rows than are stated, and records that differ where only
/// the results say which one is meant.
pub(super) fn find(
    records: &impl RecordStore,
    (plan, key): (&Plan, KeyId),
    stated: Option<&str>,
    of: &OfInputs<'_>,
) -> Result<Option<ClientRecord>, ClientRecordError> {
    let error = |problem| ClientRecordError { path: records.place(None), problem };
    let inputs = of.named.or(stated).filter(|inputs| is_digest(inputs));
    let record = inputs.map(|inputs| records.get(inputs)).transpose()?.flatten();
    let Some(record) = record else {
        return match Centres::columns(&plan.program, &plan.schema).next() {
            Some(column) => Err(error(ClientRecordProblem::NoCentres { column: column.clone() })),
            None if of.rows.is_none() => Err(error(ClientRecordProblem::Missing)),
            None if of.named.is_some() => Ok(None),
            None => check_rows_are_enough(records, (plan, key)).map(|()| None),
        };
    };
    let place = records.place(inputs);
    record.check_is_of(&place, plan, key)?;
    if let Some(stated) = of.rows.filter(|&stated| stated != record.rows) {
        let problem = ClientRecordProblem::OtherRows { recorded: record.rows, stated };
        return Err(ClientRecordError { path: place, problem });
    }
    if of.named.is_none() {
        record.check_others(&records.place(None), &records.all()?, of.rows)?;
    }
    Ok(Some(record))
}

/// Refuses to take the number of rows in a record's place where other inputs of the plan have canaries or left rows out.
fn check_rows_are_enough(
    records: &impl RecordStore,
    (plan, key): (&Plan, KeyId),
) -> Result<(), ClientRecordError> {
    let mut others = records.all()?;
    others.retain(|other| other.is_for(plan, key));
    let problem = if others.iter().any(|other| other.canaries() > 0) {
        ClientRecordProblem::AmbiguousCanaries
    } else if others.iter().any(|other| !other.left_out.is_empty()) {
        ClientRecordProblem::AmbiguousLeftOut
    } else {
        return Ok(());
    };
    Err(ClientRecordError { path: records.place(None), problem })
}
