//! The journal: records that are on the disk as a whole or not at all.

use std::{
    fs::OpenOptions,
    io,
    ops::Bound,
    path::{Path, PathBuf},
};

use redb::{Database, ReadableDatabase, TableError, backends::FileBackend};
use serde::de::DeserializeOwned;

use super::batch::{Batch, Table};
use crate::{FaultPoint, Faults, StoreError, private_files::private_options};

/// The memory that the database may take for pages.
const CACHE_BYTES: usize = 4 << 20;

/// The open journal.
///
/// After a change that failed, as on a full disk, the database is opened again before the next one. As the failed change may be on
/// the disk all the same, it's undone then: nobody was told that it was made.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    database: Option<Database>,
    undo: Option<Batch>,
    faults: Faults,
}

impl Journal {
    pub(crate) fn open(path: &Path, faults: Faults) -> Result<Self, StoreError> {
        let mut journal = Self { path: path.to_owned(), database: None, undo: None, faults };
        let opened = open(path);
        journal.database = Some(opened.map_err(|error| journal.error(error))?);
        Ok(journal)
    }

    fn error(&self, error: impl Into<redb::Error>) -> StoreError {
        match error.into() {
            redb::Error::Io(error) => StoreError::io(&self.path, error),
            error => StoreError::Journal { path: self.path.clone(), error: Box::new(error) },
        }
    }

    fn parse<R: DeserializeOwned>(&self, table: Table, name: &str, json: &[u8]) -> Result<R, StoreError> {
        serde_json::from_slice(json).map_err(|error| StoreError::Damaged {
            path: self.path.clone(),
            record: format!("{}/{name}", table.name()),
            problem: error.to_string(),
        })
    }

    /// The record of a name, if there is one.
    pub(crate) fn get<R: DeserializeOwned>(
        &mut self,
        table: Table,
        name: &(impl ToString + ?Sized),
    ) -> Result<Option<R>, StoreError> {
        let name = name.to_string();
        let json = match self.undo.as_ref().and_then(|undo| undo.find(table, &name)) {
            Some((_, _, before)) => before.clone(),
            None => self.look_up(table, &name).map_err(|error| self.failed(error))?,
        };
        json.map(|json| self.parse(table, &name, &json)).transpose()
    }

    fn look_up(&mut self, table: Table, name: &str) -> Result<Option<Vec<u8>>, redb::Error> {
        let transaction = self.database()?.begin_read()?;
        match transaction.open_table(table.definition()) {
            Ok(table) => Ok(table.get(name)?.map(|record| record.value().to_vec())),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The next records of a table after a name, in the order of names: so many at most.
    pub(crate) fn after<R: DeserializeOwned>(
        &mut self,
        table: Table,
        name: &str,
        most: usize,
    ) -> Result<Vec<(String, R)>, StoreError> {
        let found = self.recover().and_then(|()| self.range(table, name, most));
        let found = found.map_err(|error| self.failed(error))?;
        let parse = |(name, json): (String, Vec<u8>)| {
            let record = self.parse(table, &name, &json)?;
            Ok((name, record))
        };
        found.into_iter().map(parse).collect()
    }

    /// The error of a failed access. The next one opens the database again.
    fn failed(&mut self, error: impl Into<redb::Error>) -> StoreError {
        self.database = None;
        self.error(error)
    }

    fn range(
        &mut self,
        table: Table,
        name: &str,
        most: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, redb::Error> {
        let transaction = self.database()?.begin_read()?;
        let table = match transaction.open_table(table.definition()) {
            Ok(table) => table,
            Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let entry = |entry: Result<(redb::AccessGuard<&str>, redb::AccessGuard<&[u8]>), _>| {
            let (name, record) = entry?;
            Ok((name.value().to_owned(), record.value().to_owned()))
        };
        let after = (Bound::Excluded(name), Bound::Unbounded);
        table.range::<&str>(after)?.take(most).map(entry).collect()
    }

    /// The database, which is opened again where a change failed.
    fn database(&mut self) -> Result<&Database, redb::Error> {
        let opened = match self.database.take() {
            Some(database) => database,
            None => open(&self.path)?,
        };
        Ok(self.database.insert(opened))
    }

    /// Makes changes, which are on the disk when this returns.
    pub(crate) fn commit(&mut self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let committed = self.recover().and_then(|()| self.write(batch));
        committed.map_err(|error| self.failed(error))?;
        // The change is made, whatever happens now.
        let _ = self.faults.at(FaultPoint::Committed);
        Ok(())
    }

    /// Opens the database where a change failed, and undoes that.
    fn recover(&mut self) -> Result<(), redb::Error> {
        self.database()?;
        if let Some(undo) = self.undo.take() {
            self.write(&undo).inspect_err(|_| self.undo = Some(undo))?;
        }
        Ok(())
    }

    fn write(&mut self, batch: &Batch) -> Result<(), redb::Error> {
        let database = self.database.as_ref().expect("opened before");
        let mut transaction = database.begin_write()?;
        // Names and texts come from clients: a torn commit is told from a whole one without trusting a checksum of them.
        transaction.set_two_phase_commit(true);
        let mut before = Batch::default();
        for (table, name, record) in &batch.0 {
            let mut open = transaction.open_table(table.definition())?;
            let replaced = match record {
                Some(record) => open.insert(name.as_str(), record.as_slice())?,
                None => open.remove(name.as_str())?,
            };
            before.0.push((*table, name.clone(), replaced.map(|record| record.value().to_owned())));
        }
        // In the order in which they have to be put back.
        before.0.reverse();
        self.faults.at(FaultPoint::Commit)?;
        transaction.commit().inspect_err(|_| self.undo = Some(before))?;
        Ok(())
    }
}

fn open(path: &Path) -> Result<Database, redb::Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = private_options(&mut options).open(path).map_err(|error: io::Error| redb::Error::Io(error))?;
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE_BYTES);
    Ok(builder.create_with_backend(FileBackend::new(file)?)?)
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    use super::*;

    #[test]
    fn changes_are_made_together_and_outlast_a_failed_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let full = Arc::new(AtomicBool::new(false));
        let is_full = full.clone();
        let faults = Faults::new(move |point| {
            let fails = point == FaultPoint::Commit && is_full.load(Ordering::Relaxed);
            if fails { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        });
        let mut journal = Journal::open(&path, faults).unwrap();
        let both = |number: u32| {
            Batch::default().put(Table::Jobs, "a", &number).put(Table::Uploads, "b", &(number + 1))
        };
        journal.commit(&both(1)).unwrap();
        full.store(true, Ordering::Relaxed);
        let error = journal.commit(&both(7)).unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert!(journal.commit(&both(8)).is_err());
        full.store(false, Ordering::Relaxed);
        journal.commit(&Batch::default().put(Table::Jobs, "c", &3)).unwrap();
        let read = |journal: &mut Journal, table| journal.after::<u32>(table, "", 9).unwrap();
        let expected = [("a".to_owned(), 1), ("c".to_owned(), 3)];
        assert_eq!(read(&mut journal, Table::Jobs), expected);
        drop(journal);
        let mut journal = Journal::open(&path, Faults::default()).unwrap();
        assert_eq!(read(&mut journal, Table::Jobs), expected);
        assert_eq!(read(&mut journal, Table::Uploads), [("b".to_owned(), 2)]);
        assert_eq!(read(&mut journal, Table::Contents), []);
        journal.commit(&Batch::default().remove(Table::Jobs, "a")).unwrap();
        assert_eq!(read(&mut journal, Table::Jobs), expected[1..]);
        let errors = [
            journal.after::<String>(Table::Jobs, "b", 1).unwrap_err(),
            journal.get::<String>(Table::Jobs, "c").unwrap_err(),
        ];
        for error in errors {
            assert!(error.to_string().contains("its record jobs/c is damaged"), "{error}");
        }
    }

    #[test]
    fn records_are_read_in_pieces_and_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(&folder.path().join("journal"), Faults::default()).unwrap();
        assert_eq!(journal.get::<u32>(Table::Keys, "7").unwrap(), None);
        let batch =
            (0..7_u32).fold(Batch::default(), |batch, number| batch.put(Table::Keys, &number, &number));
        journal.commit(&batch).unwrap();
        let (mut last, mut found) = (String::new(), Vec::new());
        loop {
            let piece = journal.after::<u32>(Table::Keys, &last, 3).unwrap();
            assert!(piece.len() <= 3);
            let Some((name, _)) = piece.last() else { break };
            last.clone_from(name);
            found.extend(piece.into_iter().map(|(_, number)| number));
        }
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(journal.get::<u32>(Table::Keys, &5).unwrap(), Some(5));
        assert_eq!(journal.get::<u32>(Table::Keys, &7).unwrap(), None);
        assert_eq!(journal.get::<u32>(Table::Jobs, &5).unwrap(), None);
    }

    #[test]
    fn a_change_that_may_be_on_the_disk_is_undone() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(&folder.path().join("journal"), Faults::default()).unwrap();
        journal.commit(&Batch::default().put(Table::Jobs, "a", &1)).unwrap();
        let mut before = Batch::default().put(Table::Jobs, "a", &1);
        before = before.remove(Table::Jobs, "b");
        // As after a commit of which nobody knows whether it was made.
        journal.commit(&Batch::default().put(Table::Jobs, "a", &2).put(Table::Jobs, "b", &2)).unwrap();
        (journal.undo, journal.database) = (Some(before), None);
        // It's read as it was, also while the disk is full and it can't be undone.
        assert_eq!(journal.get::<u32>(Table::Jobs, "a").unwrap(), Some(1));
        assert_eq!(journal.get::<u32>(Table::Jobs, "b").unwrap(), None);
        assert!(journal.undo.is_some());
        journal.commit(&Batch::default().put(Table::Jobs, "c", &3)).unwrap();
        let expected = [("a".to_owned(), 1), ("c".to_owned(), 3)];
        assert_eq!(journal.after::<u32>(Table::Jobs, "", 9).unwrap(), expected);
    }
}
