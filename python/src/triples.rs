//! Folders of matrix triples, and what makes their blocks.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use asanoha::{
    BigUint,
    mpc::{
        self, GeneratorSettings, ModulusChoice, Pieces, TripleShape,
        store::{self, BlockMaker, Filling, Request, Run, StoreError},
    },
    ring::Seed,
};
use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyBytes};
use serde_json::json;

use crate::{fault::Fault, work};

/// A folder that is being filled.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct TripleFolder(Arc<Mutex<Filling<Pieces>>>);

impl TripleFolder {
    fn filling(&self) -> MutexGuard<'_, Filling<Pieces>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is said of triples, as JSON.
fn about(run: &Run) -> String {
    let manifest = run.manifest();
    json!({
        "modulus": manifest.modulus.to_string(),
        "shape": [manifest.shape.rows, manifest.shape.inner, manifest.shape.columns],
        "parties": manifest.parties,
        "count": manifest.count,
        "block_size": manifest.block_size,
        "blocks": manifest.blocks(),
        "generator": manifest.generator,
        "security_bits": manifest.security_bits,
        "mac_security_bits": manifest.mac_security_bits(),
    })
    .to_string()
}

#[pymethods]
impl TripleFolder {
    /// Begins a folder, or goes on with one. The modulus is one of the numbers: a prime, or its bits.
    #[staticmethod]
    #[pyo3(signature = (folder, shape, modulus, bits, count, parties, memory_limit))]
    #[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
    fn begin(
        py: Python<'_>,
        folder: PathBuf,
        shape: [usize; 3],
        modulus: Option<String>,
        bits: u32,
        count: u64,
        parties: usize,
        memory_limit: Option<u64>,
    ) -> PyResult<Self> {
        let modulus = match modulus.map(|decimal| decimal.parse::<BigUint>()) {
            None => ModulusChoice::Bits(bits),
            Some(modulus) => ModulusChoice::Prime(modulus.map_err(Fault::internal)?),
        };
        let [rows, inner, columns] = shape;
        let shape = TripleShape { rows, inner, columns };
        let settings = GeneratorSettings { modulus, shape, parties, memory_limit };
        work::run(
            py,
            None,
            || (),
            move |_| {
                let request = Request { settings, count, seed: None };
                let source = |settings: &_, seed| mpc::source(settings, count, seed);
                Ok(Self(Arc::new(Mutex::new(Filling::begin(&folder, &request, source)?))))
            },
        )
    }

    fn about(&self) -> String {
        about(self.filling().run())
    }

    fn missing(&self) -> Vec<u64> {
        self.filling().missing().to_vec()
    }

    /// The manifest and the secret seed, if blocks are missing.
    fn parts<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let filling = self.filling();
        let seed = filling.seed()?;
        Some((PyBytes::new(py, &filling.run().manifest().bytes()), PyBytes::new(py, &seed.0)))
    }

    /// The bytes of each party's file of a block.
    fn block_bytes(&self, block: u64) -> u64 {
        self.filling().run().block_bytes(block)
    }

    /// Makes a block that is missing.
    fn make(&self, py: Python<'_>, block: u64) -> PyResult<()> {
        let filling = self.0.clone();
        work::run(
            py,
            None,
            || (),
            move |_| Ok(filling.lock().unwrap_or_else(PoisonError::into_inner).make(block)?),
        )
    }

    /// Writes a block that another machine made.
    fn put(&self, py: Python<'_>, block: u64, files: Vec<PyBackedBytes>) -> PyResult<()> {
        let filling = self.0.clone();
        work::run(
            py,
            None,
            || (),
            move |_| {
                let mut filling = filling.lock().unwrap_or_else(PoisonError::into_inner);
                let parties = filling.run().manifest().parties;
                if !filling.missing().contains(&block) || files.len() != parties {
                    return Err(Fault::internal(format!("{} files of block {block}", files.len())));
                }
                Ok(filling.put(block, &files)?)
            },
        )
    }
}

/// What makes blocks of a folder that another machine keeps.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct TripleBlocks(Arc<BlockMaker<Pieces>>);

#[pymethods]
impl TripleBlocks {
    #[new]
    fn new(
        py: Python<'_>,
        manifest: PyBackedBytes,
        seed: [u8; 32],
        memory_limit: Option<u64>,
    ) -> PyResult<Self> {
        work::run(
            py,
            None,
            || (),
            move |_| {
                let maker = BlockMaker::new(&manifest, &Seed(seed), memory_limit, mpc::source)?;
                Ok(Self(Arc::new(maker)))
            },
        )
    }

    /// The files of all parties.
    fn make<'py>(&self, py: Python<'py>, block: u64) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let maker = self.0.clone();
        let files = work::run(py, None, || (), move |_| Ok(maker.make(block)?))?;
        Ok(files.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
    }
}

/// Checks every triple of a folder, and says what triples they are.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
pub(crate) fn verify_triples(
    py: Python<'_>,
    folder: PathBuf,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    work::run(
        py,
        progress.as_ref(),
        || (),
        move |watch| {
            let run = Run::open(&folder)?;
            let verdict = store::verify(&run, &|done, all| {
                let _ = watch.tell(done, all);
            })?;
            if verdict.is_right() {
                return Ok(about(&run));
            }
            let told = || {
                let first = verdict.told.first().expect("something is wrong");
                format!("{}: triple {}: {}", folder.display(), first.triple, first.what)
            };
            let message = verdict.damaged.first().map_or_else(told, |damaged| in_python(damaged));
            Err(Fault::new("CheckError", message)
                .figure("wrong", verdict.wrong)
                .figure("damaged", verdict.damaged))
        },
    )
}

/// A message with the name that the generation has in Python.
fn in_python(message: &str) -> String {
    message.replace("`triples generate`", "`asanoha.triples.generate`")
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let class = match &error {
            StoreError::Mpc(_) => "PlanError",
            StoreError::Read { .. } | StoreError::Write { .. } | StoreError::Busy(_) => "AsanohaError",
            StoreError::Foreign(_)
            | StoreError::Exists(_)
            | StoreError::Other { .. }
            | StoreError::OtherSeed(_) => "DataError",
            _ => "FormatError",
        };
        Self::new(class, in_python(&error.to_string()))
    }
}
