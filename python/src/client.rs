//! The client: who holds the secret.

use std::{
    path::{Path, PathBuf},
    process,
    sync::{Arc, Mutex, PoisonError},
};

use asanoha::{
    execute::{
        self, Canaries, ClientRecord, Confirmation, Contents, DecryptionKey, Encrypted, EncryptionKey,
        EvaluationKey, ExecuteError, Keys, PublicationRecord, decrypt_part, decrypt_with_progress,
        encrypt_with_progress, generate_keys_with_progress,
    },
    lattice::{FileReader, Source},
    ring::Sampler,
    text::without_steering,
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

/// What the bytes that a caller gives are called in messages.
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
        let (plan, keys, remembered) = (self.plan.clone(), self.keys.clone(), self.remembered.clone());
        Ok(Known { plan, keys, folder: self.folder(), remembered })
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
        self.check_process()?;
        let (all_rows, keys, missing) = (self.plan.clone(), self.keys.clone(), missing(missing_as)?);
        let (bytes, record) = work::run(
            py,
            progress.as_ref(),
            || (),
            move |watch| {
                let data = columns.get().for_plan(&all_rows, missing)?;
                let mut sampler = Sampler::from_os();
                let (plan, table, canaries) = match canaries {
                    None => (all_rows.for_rows(data.table.rows)?, data.table, None),
                    Some(count) => {
                        let (plan, table, canaries) =
                            Canaries::insert(&all_rows, &data.table, count, &mut sampler)?;
                        (plan, table, Some(canaries))
                    }
                };
                let tell = |done, all| watch.tell(done, all);
                let key = EncryptionKey::from(keys.secret.as_ref().expect("clients have it"));
                let encrypted = encrypt_with_progress(&plan, &key, &table, &mut sampler, &tell)?;
                let mut bytes = Vec::new();
                encrypted.write(&plan, Contents::Inputs, &mut bytes)?;
                let digest = FileReader::summary(named("inputs", &bytes))?.digest;
                let centres = encrypted.centres.clone();
                let mut record = ClientRecord::new(&all_rows, keys.public.id(), &digest, table.rows, centres);
                (record.canaries, record.left_out) = (canaries, data.left_out);
                Ok((bytes, record))
            },
        )?;
        // Only inputs that the caller gets are remembered: results can't be of those that a signal or `progress` stopped.
        if let Some(folder) = self.folder() {
            record.write(&folder).map_err(Fault::from)?;
        }
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner).push(record);
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
                let tell = |done, all| watch.tell(done, all);
                let decrypt =
                    |plan: &_, encrypted: &_| decrypt_with_progress(plan, known.secret(), encrypted, &tell);
                let (plan, decrypted, left_out) = known.decrypted(&results, of.as_deref(), decrypt)?;
                Decrypted::new(&plan, decrypted, left_out)
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
                let of = of.map(Inputs::digest).transpose()?;
                let data = data.map(|data| data.get().for_plan(&known.plan, missing)).transpose()?;
                let publish = |plan: &_, encrypted: &_| {
                    let second = same_as.as_deref().map(|bytes| {
                        Encrypted::read(plan, Contents::Outputs, named("same_as", bytes))
                            .map_err(|error| ExecuteError::Backend(Box::new(error)))
                    });
                    let second = second.transpose()?.and_then(|second| second.digest);
                    let confirmation = match (&second, &data) {
                        (Some(digest), _) => Confirmation::SecondEvaluation(digest),
                        (None, Some(data)) => Confirmation::PlainComputation(&data.table),
                        (None, None) => Confirmation::TrustedServer,
                    };
                    let bits = Some(statistical_bits);
                    if let Some(folder) = &known.folder {
                        let (all_rows, secret) = (&known.plan, known.secret());
                        execute::publish(all_rows, plan, secret, encrypted, bits, confirmation, folder)
                    } else {
                        let shown = (bits, confirmation);
                        execute::publish_by(&known.plan, plan, known.secret(), encrypted, shown, None)
                    }
                };
                if known.folder.is_none()
                    && (data.is_none() && same_as.is_none() || !known.plan.params.backend().is_exact())
                {
                    return Err(Fault::new(
                        "SecretError",
                        "results are published by a client that was saved or loaded, since its folder counts publications: call save(folder) first",
                    ));
                }
                let (plan, decrypted, left_out) = known.decrypted(&results, of.as_deref(), publish)?;
                Decrypted::new(&plan, decrypted, left_out)
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
                let tell = |done, all| watch.tell(done, all);
                let decrypt = |plan: &_, encrypted: &_| decrypt_part(plan, known.secret(), encrypted, &tell);
                let (plan, part, _) = known.decrypted(&results, Some(&of), decrypt)?;
                let is_full = part.rows() == known.plan.schema.rows;
                Ok(Part::new(if is_full { known.plan.clone() } else { Arc::new(plan) }, part))
            },
        )
    }
}

/// A client's plan, its keys, the folder that they were saved to, and the records of what it encrypted.
struct Known {
    plan: Arc<asanoha::plan::Plan>,
    keys: Arc<Keys>,
    folder: Option<PathBuf>,
    remembered: Arc<Mutex<Vec<ClientRecord>>>,
}

impl Known {
    fn secret(&self) -> &DecryptionKey {
        self.keys.secret.as_ref().expect("clients have it")
    }

    /// Decrypts results by the record of their inputs. Returns the plan for their rows and the rows that were left out, too.
    fn decrypted<T>(
        &self,
        results: &[u8],
        of: Option<&str>,
        decrypt: impl FnOnce(&asanoha::plan::Plan, &Encrypted) -> Result<T, ExecuteError>,
    ) -> Result<(asanoha::plan::Plan, T, Vec<usize>), Fault> {
        let (plan, encrypted, mut record) = opened(self, results, of)?;
        let keep = |record: &mut ClientRecord| match &self.folder {
            Some(folder) => record.keep_use(folder),
            None => {
                record.keep_use_among(&mut self.remembered.lock().unwrap_or_else(PoisonError::into_inner))
            }
        };
        let digest = encrypted.digest.as_deref().unwrap_or_default();
        let decrypted = record.decrypt(digest, keep, || decrypt(&plan, &encrypted))?;
        Ok((plan, decrypted, record.left_out))
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

/// Reads results: the plan for their rows, the results, and the record of their inputs. They must be of the inputs of the digest
/// `of`, if there is one.
fn opened(
    Known { plan: all_rows, keys, folder, remembered }: &Known,
    results: &[u8],
    of: Option<&str>,
) -> Result<(asanoha::plan::Plan, Encrypted, ClientRecord), Fault> {
    let results = named("results", results);
    let header = FileReader::summary(results)?.header;
    let stated = header.fields.get("inputs").and_then(|inputs| inputs.as_str()).unwrap_or_default();
    if let Some(digest) = of
        && digest != stated
    {
        return Err(Fault::data(format!(
            "these results state that they were computed from other inputs ({}…) than those given ({}…)",
            beginning(stated),
            beginning(digest)
        )));
    }
    let (of_client, is_named) = ((&**all_rows, keys.public.id()), of.is_some());
    let record = if let Some(folder) = folder {
        // It has what other processes encrypted with these keys, too.
        ClientRecord::find(folder, of_client, Some(stated), (is_named, None))?
    } else {
        let all = remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.iter().any(|record| record.is_of(stated)) {
            return Err(unknown(stated));
        }
        ClientRecord::find_among((Path::new("the client"), &all), of_client, Some(stated), is_named)?
    };
    let plan = all_rows.for_rows(record.rows)?;
    let mut encrypted = Encrypted::read(&plan, Contents::Outputs, results)?;
    (encrypted.centres, encrypted.canaries) = (record.centres.clone(), record.canaries.clone());
    encrypted.rotations = record.rotations;
    Ok((plan, encrypted, record))
}

/// The beginning of a digest, or of what results state instead.
fn beginning(digest: &str) -> String {
    without_steering(digest, 16)
}

fn unknown(stated: &str) -> Fault {
    Fault::data(format!(
        "this client didn't encrypt the inputs that these results were computed from ({}…): decrypt with the client that did",
        beginning(stated)
    ))
}
