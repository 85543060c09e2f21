//! The client: who holds the secret.

use std::{
    path::{Path, PathBuf},
    process,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use asanoha::{
    client::{Client as PlanClient, ClientRecord, ClientResults, Ground, OfInputs, RecordStore},
    execute::{
        self, ClientRecordError, DecryptionKey, EncryptionKey, EvaluationKey, ExecuteError, Keys,
        PublicationRecord, generate_keys_with_progress,
    },
    lattice::{FileReader, Source},
    ring::Sampler,
};
use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyBytes};

use crate::{
    columns::{Columns, missing},
    fault::Fault,
    plan::Plan,
    results::{Decrypted, Part},
    work,
};

/// The keys of a plan, the secret one among them, and what was encrypted with them. It can't be pickled, copied or printed.
#[pyclass(frozen, module = "_asanoha")]
pub(crate) struct Client {
    plan: Arc<asanoha::plan::Plan>,
    keys: Arc<Keys>,
    /// What this client encrypted.
    remembered: Arc<Mutex<Vec<ClientRecord>>>,
    /// The folder that the keys were saved to or read from.
    folder: Mutex<Option<PathBuf>>,
    process: u32,
}

/// Whether two paths are one folder.
fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Names the bytes that a caller gives, for messages.
fn named<'a>(name: &'a str, bytes: &'a [u8]) -> Source<'a> {
    Source::Bytes { name, bytes }
}

impl Client {
    fn new(plan: Arc<asanoha::plan::Plan>, keys: Keys, folder: Option<PathBuf>) -> Self {
        let (remembered, folder) = (Arc::default(), Mutex::new(folder));
        Self { plan, keys: Arc::new(keys), remembered, folder, process: process::id() }
    }

    /// Refuses a client that was made before a fork: both processes would draw the same randomness.
    fn check_process(&self) -> Result<(), Fault> {
        if self.process == process::id() {
            return Ok(());
        }
        Err(Fault::new(
            "ForkError",
            "this client was made before the process forked: save it and load it in the child, or start processes with the \"spawn\" method",
        ))
    }

    /// The client as another thread has it.
    fn known(&self) -> Result<Known, Fault> {
        self.check_process()?;
        let records = Records { remembered: self.remembered.clone(), folder: self.folder() };
        Ok(Known { plan: self.plan.clone(), keys: self.keys.clone(), records })
    }

    fn folder(&self) -> Option<PathBuf> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl Client {
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
    fn generate(py: Python<'_>, plan: &Plan, progress: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let plan = plan.plan.clone();
        work::run(
            py,
            progress.as_ref(),
            || (),
            move |watch| {
                let tell = |done, all| watch.tell(done, all);
                let keys = generate_keys_with_progress(&plan, &mut Sampler::from_os(), &tell)?;
                Ok(Self::new(plan, keys, None))
            },
        )
    }

    /// Writes all keys, and the records of what was encrypted, to a folder that is there; the secret key under a passphrase where
    /// there is one.
    fn save(&self, py: Python<'_>, folder: PathBuf, passphrase: Option<PyBackedBytes>) -> PyResult<()> {
        self.check_process()?;
        let (plan, keys, remembered) = (self.plan.clone(), self.keys.clone(), self.remembered.clone());
        let (place, before) = (folder.clone(), self.folder().filter(|before| !is_same(before, &folder)));
        work::run(
            py,
            None,
            || (),
            move |_| {
                match passphrase {
                    None => keys.write(&plan, &place)?,
                    Some(passphrase) => keys.write_sealed(&plan, &place, &passphrase)?,
                };
                if let Some(before) = before {
                    let key = keys.public.id();
                    ClientRecord::copy_all(&before, &place, [key, key])?;
                    if let Some(secret) = &keys.secret {
                        PublicationRecord::copy(&before, &place, secret).map_err(ExecuteError::from)?;
                    }
                }
                let remembered = remembered.lock().unwrap_or_else(PoisonError::into_inner);
                remembered.iter().try_for_each(|record| record.write(&place))?;
                Ok(())
            },
        )?;
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder);
        Ok(())
    }

    /// Reads the keys of a folder.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        plan: &Plan,
        folder: PathBuf,
        passphrase: Option<PyBackedBytes>,
    ) -> PyResult<Self> {
        let plan = plan.plan.clone();
        work::run(
            py,
            None,
            || (),
            move |_| {
                let keys = Keys::read(&plan, &folder, passphrase.as_deref())?;
                Ok(Self::new(plan, keys, Some(folder)))
            },
        )
    }

    /// The key generation.
    fn key_id(&self) -> String {
        self.keys.public.id().to_string()
    }

    /// The bytes of the keys that a server needs.
    fn evaluation_keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.check_process()?;
        let (plan, keys): (_, EvaluationKey) = (self.plan.clone(), self.keys.evaluation.clone());
        let bytes = work::run(
            py,
            None,
            || (),
            move |_| {
                let mut bytes = Vec::new();
                keys.write(&plan, &mut bytes)?;
                Ok(bytes)
            },
        )?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Encrypts the columns that the plan needs.
    #[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        columns: Py<Columns>,
        missing_as: &str,
        canaries: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (known, missing) = (self.known()?, missing(missing_as)?);
        let mut records = known.records.clone();
        let (bytes, record) = work::run(
            py,
            progress.as_ref(),
            || (),
            move |watch| {
                let data = columns.get().for_plan(&known.plan, missing)?;
                let tell = |done, all| watch.tell(done, all);
                let (key, mut sampler) = (EncryptionKey::from(known.secret()), Sampler::from_os());
                let inputs = known.client().encrypt(&key, &data, canaries, &mut sampler, &tell)?;
                let mut bytes = Vec::new();
                let (_, record) = inputs.write(&mut bytes)?;
                Ok((bytes, record))
            },
        )?;
        // Only inputs that the caller gets are remembered: results can't be of those that a signal or `progress` stopped.
        records.add(record).map_err(Fault::from)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Decrypts results, for the key holder.
    #[expect(clippy::needless_pass_by_value, reason = "they come from Python")]
    fn decrypt(
        &self,
        py: Python<'_>,
        results: PyBackedBytes,
        of: Option<Inputs>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Decrypted> {
        let known = self.known()?;
        work::run(
            py,
            progress.as_ref(),
            || (),
            move |watch| {
                let of = of.map(Inputs::digest).transpose()?;
                let of = OfInputs { named: of.as_deref(), ..OfInputs::default() };
                let tell = |done, all| watch.tell(done, all);
                let mut client = known.client();
                let opened = client.open(named("results", &results), &of)?;
                let found = client.decrypt(known.secret(), opened, &tell)?;
                Decrypted::new(&found.plan, found.decrypted, found.left_out)
            },
        )
    }

    /// Decrypts results that may be shown to others, on the ground of results of a second evaluation, of the data, or else of the
    /// caller's trust in the server.
    #[expect(clippy::too_many_arguments, reason = "they come from Python")]
    fn publish(
        &self,
        py: Python<'_>,
        results: PyBackedBytes,
        of: Option<Inputs>,
        statistical_bits: u32,
        same_as: Option<PyBackedBytes>,
        data: Option<Py<Columns>>,
        missing_as: &str,
    ) -> PyResult<Decrypted> {
        let (known, missing) = (self.known()?, missing(missing_as)?);
        work::run(
            py,
            None,
            || (),
            move |_| {
                if known.records.folder.is_none()
                    && (data.is_none() && same_as.is_none() || !known.plan.params.backend().is_exact())
                {
                    return Err(Fault::new(
                        "SecretError",
                        "results are published by a client that was saved or loaded, since its folder counts publications: call save(folder) first",
                    ));
                }
                let of = of.map(Inputs::digest).transpose()?;
                let of = OfInputs { named: of.as_deref(), ..OfInputs::default() };
                let data = data.map(|data| data.get().for_plan(&known.plan, missing)).transpose()?;
                let ground = match (&same_as, &data) {
                    (Some(second), _) => Ground::SecondEvaluation(named("same_as", second)),
                    (None, Some(data)) => Ground::PlainComputation(&data.table),
                    (None, None) => Ground::TrustedServer,
                };
                let mut client = known.client();
                let opened = client.open(named("results", &results), &of)?;
                let found = client.publish(opened, ground, |plan, results, confirmation| {
                    let (all_rows, secret) = (&known.plan, known.secret());
                    let shown = (Some(statistical_bits), confirmation);
                    match &known.records.folder {
                        Some(folder) => execute::publish(all_rows, plan, secret, results, shown, folder),
                        None => execute::publish_by(all_rows, plan, secret, results, shown, None),
                    }
                })?;
                Decrypted::new(&found.plan, found.decrypted, found.left_out)
            },
        )
    }

    /// Decrypts the results of a part of the rows, which a plan merges with others.
    #[expect(clippy::needless_pass_by_value, reason = "they come from Python")]
    fn decrypt_part(
        &self,
        py: Python<'_>,
        results: PyBackedBytes,
        of: PyBackedBytes,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Part> {
        let known = self.known()?;
        work::run(
            py,
            progress.as_ref(),
            || (),
            move |watch| {
                let of = Inputs::Bytes(of).digest()?;
                let of = OfInputs { named: Some(&of), ..OfInputs::default() };
                let tell = |done, all| watch.tell(done, all);
                let mut client = known.client();
                let opened = client.open(named("results", &results), &of)?;
                let ClientResults { plan, decrypted: part, .. } =
                    client.decrypt_part(known.secret(), opened, &tell)?;
                let is_full = part.rows() == known.plan.schema.rows;
                Ok(Part::new(if is_full { known.plan.clone() } else { Arc::new(plan) }, part))
            },
        )
    }
}

/// A client's plan, its keys, and its records.
struct Known {
    plan: Arc<asanoha::plan::Plan>,
    keys: Arc<Keys>,
    records: Records,
}

impl Known {
    fn secret(&self) -> &DecryptionKey {
        self.keys.secret.as_ref().expect("clients have it")
    }

    fn client(&self) -> PlanClient<'_, Records> {
        PlanClient::new(&self.plan, self.keys.public.id(), self.records.clone())
    }
}

/// The records of what a client encrypted, in memory, and in the folder of its keys if there is one: there are those of what other
/// processes encrypted with these keys, too.
#[derive(Clone)]
struct Records {
    remembered: Arc<Mutex<Vec<ClientRecord>>>,
    folder: Option<PathBuf>,
}

impl Records {
    fn remembered(&self) -> MutexGuard<'_, Vec<ClientRecord>> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordStore for Records {
    fn place(&self, inputs: Option<&str>) -> PathBuf {
        match &self.folder {
            Some(folder) => (&**folder).place(inputs),
            None => self.remembered().place(inputs),
        }
    }

    fn get(&self, inputs: &str) -> Result<Option<ClientRecord>, ClientRecordError> {
        match &self.folder {
            Some(folder) => (&**folder).get(inputs),
            None => self.remembered().get(inputs),
        }
    }

    fn all(&self) -> Result<Vec<ClientRecord>, ClientRecordError> {
        match &self.folder {
            Some(folder) => (&**folder).all(),
            None => self.remembered().all(),
        }
    }

    fn add(&mut self, record: ClientRecord) -> Result<(), ClientRecordError> {
        if let Some(folder) = &self.folder {
            record.write(folder)?;
        }
        self.remembered().add(record)
    }

    fn keep_use(&mut self, record: &mut ClientRecord) -> Result<(), ExecuteError> {
        match &self.folder {
            Some(folder) => (&mut &**folder).keep_use(record),
            None => self.remembered().keep_use(record),
        }
    }
}

/// Encrypted inputs, or their digest.
#[derive(Debug, FromPyObject)]
enum Inputs {
    Digest(String),
    Bytes(PyBackedBytes),
}

impl Inputs {
    fn digest(self) -> Result<String, Fault> {
        match self {
            Self::Digest(digest) => Ok(digest),
            Self::Bytes(bytes) => Ok(FileReader::summary(named("inputs", &bytes))?.digest),
        }
    }
}

/// The digest that results name inputs by.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
pub(crate) fn digest_of(inputs: PyBackedBytes) -> PyResult<String> {
    Ok(FileReader::summary(named("inputs", &inputs)).map_err(Fault::from)?.digest)
}
