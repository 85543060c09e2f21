//! Private search of haplotypes: panels, and both sides of the search.

use std::{path::PathBuf, sync::Arc};

use asanoha::{
    genome::{
        self, PanelError,
        http::{SearchError, SentKeys, agreed_search},
        panel::{Policy, Variants, letters_at},
        protocol::{Client, ProtocolError, Search, Server, Window},
    },
    lattice::{EvaluationKeys, PublicKey, Source},
    scheme::Scheme,
};
use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyBytes};

use crate::{fault::Fault, work};

/// The search of so many letters, in panels of at most so many haplotypes.
fn search(letters: usize, haplotypes: usize) -> Result<Search, Fault> {
    Ok(agreed_search((letters, 1), haplotypes, None)?)
}

/// The letters of haplotypes of a panel.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct GenomePanel(Arc<genome::Panel>);

#[pymethods]
impl GenomePanel {
    /// Reads a panel's index, or a file of variants. Returns the numbers of the records that were left out with each reason too.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, skip_unusable: bool) -> PyResult<(Self, Vec<(String, usize)>)> {
        work::run(
            py,
            None,
            || (),
            move |_| {
                if genome::Panel::is_index(&path)? {
                    return Ok((Self(Arc::new(genome::Panel::read(&path)?)), Vec::new()));
                }
                let policy = if skip_unusable { Policy::Skip } else { Policy::Refuse };
                let Variants { panel, reasons, .. } = Variants::read(&path, policy)?;
                let reasons = reasons.into_iter().map(|(reason, records)| (reason.to_string(), records));
                Ok((Self(Arc::new(panel)), reasons.collect()))
            },
        )
    }

    #[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
    #[staticmethod]
    fn from_bytes(bytes: PyBackedBytes) -> PyResult<Self> {
        Ok(Self(Arc::new(genome::Panel::of_bytes(&bytes).map_err(Fault::from)?)))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// The chromosome, and the numbers of haplotypes and sites.
    fn about(&self) -> (String, usize, usize) {
        (self.0.chromosome().to_owned(), self.0.haplotypes(), self.0.sites())
    }

    /// The panel of some of the haplotypes.
    fn shard(&self, start: usize, end: usize) -> PyResult<Self> {
        if start >= end || end > self.0.haplotypes() {
            return Err(Fault::internal(format!("haplotypes {start} to {end}")).into());
        }
        Ok(Self(Arc::new(self.0.shard(start..end))))
    }

    /// The letters of all haplotypes of a file at a window of the panel, in the order of the file: names of samples, and bytes of 0
    /// and 1.
    fn letters<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        start: usize,
        length: usize,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let panel = self.0.clone();
        let found = work::run(
            py,
            None,
            || (),
            move |_| {
                let sites = panel.window_sites(start, length)?;
                Ok(letters_at(&path, panel.chromosome(), &sites)?)
            },
        )?;
        let bytes = |letters: &[bool]| letters.iter().map(|&letter| u8::from(letter)).collect::<Vec<u8>>();
        let named = found.into_iter().map(|found| {
            let letters = PyBytes::new(py, &bytes(&found.letters));
            (found.sample, letters)
        });
        Ok(named.collect())
    }
}

/// Who asks, with the secret key.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct GenomeClient {
    client: Arc<Client>,
    search: Search,
}

#[pymethods]
impl GenomeClient {
    #[staticmethod]
    fn generate(py: Python<'_>, letters: usize, haplotypes: usize) -> PyResult<Self> {
        work::run(
            py,
            None,
            || (),
            move |_| {
                let search = search(letters, haplotypes)?;
                Ok(Self { client: Arc::new(Client::new(&search)), search })
            },
        )
    }

    fn security_bits(&self) -> u32 {
        self.search.params().rlwe().security_bits()
    }

    /// What a server needs, once for all queries.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (client, search) = (self.client.clone(), self.search.clone());
        let bytes = work::run(
            py,
            None,
            || (),
            move |_| {
                let (keys, public) = client.server_keys();
                let (params, digest) = (search.params().rlwe(), search.params().digest());
                let (mut of_public, mut of_keys) = (Vec::new(), Vec::new());
                public.write(params, digest, &mut of_public)?;
                keys.write_for(params, digest, &mut of_keys)?;
                let letters = search.shape().letters;
                Ok(SentKeys { letters, candidates: 1, public: &of_public, evaluation: &of_keys }.write())
            },
        )?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Encrypts a query of bytes of 0 and 1.
    #[expect(clippy::needless_pass_by_value, reason = "they come from Python")]
    fn query<'py>(&self, py: Python<'py>, letters: PyBackedBytes) -> PyResult<Bound<'py, PyBytes>> {
        let letters: Vec<bool> = letters.iter().map(|&letter| letter == 1).collect();
        let query = self.client.query(&letters, 0).map_err(Fault::from)?;
        Ok(PyBytes::new(py, &query))
    }

    /// Decrypts an answer: the length, and how many haplotypes agree so far.
    #[expect(clippy::needless_pass_by_value, reason = "they come from Python")]
    fn answer(&self, bytes: PyBackedBytes) -> PyResult<(usize, usize)> {
        let found = self.client.answer(&bytes).map_err(Fault::from)?;
        Ok((found.length, found.count.unwrap_or(0)))
    }
}

/// Who answers, without any secret of the client's.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct GenomeServer(Arc<Server>);

#[pymethods]
impl GenomeServer {
    /// For a client's keys, and panels of at most so many haplotypes.
    #[new]
    fn new(py: Python<'_>, keys: PyBackedBytes, haplotypes: usize) -> PyResult<Self> {
        work::run(
            py,
            None,
            || (),
            move |_| {
                let sent = SentKeys::read(&keys)?;
                let search = search(sent.letters, haplotypes)?;
                let (params, digest) = (search.params().rlwe(), search.params().digest());
                let source = |name, bytes| Source::Bytes { name, bytes };
                let public = PublicKey::read(params, digest, source("public key", sent.public))?;
                let evaluation =
                    EvaluationKeys::read_for(params, digest, source("evaluation keys", sent.evaluation))?;
                if sent.candidates != 1 || public.id() != evaluation.id {
                    let message = "these keys are of two key generations, or of another kind of search";
                    return Err(Fault::new("WrongKeysError", message));
                }
                Ok(Self(Arc::new(Server::new(&search, evaluation, public)?)))
            },
        )
    }

    /// The bytes of an answer.
    fn answer_bytes(&self) -> usize {
        self.0.search().answer_bytes()
    }

    /// Answers a query, held against a window of a panel.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        panel: &GenomePanel,
        start: usize,
        query: PyBackedBytes,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (server, panel) = (self.0.clone(), panel.0.clone());
        let bytes = work::run(
            py,
            None,
            || (),
            move |_| {
                let window = Window::new(&panel, server.search().shape(), &[start])?;
                Ok(server.answer(&window, &query)?)
            },
        )?;
        Ok(PyBytes::new(py, &bytes))
    }
}

impl From<PanelError> for Fault {
    fn from(error: PanelError) -> Self {
        let class = match error {
            PanelError::Read { .. } | PanelError::Write { .. } => "AsanohaError",
            PanelError::Malformed { .. } => "FormatError",
            _ => "DataError",
        };
        Self::new(class, error)
    }
}

impl From<ProtocolError> for Fault {
    fn from(error: ProtocolError) -> Self {
        let class = match error {
            ProtocolError::Panel(error) => return error.into(),
            ProtocolError::Shape { .. } | ProtocolError::NoParameters { .. } => "PlanError",
            ProtocolError::Message { .. } => "FormatError",
            ProtocolError::Noise { .. } => "CheckError",
            ProtocolError::MissingKey(_) | ProtocolError::Scheme(_) => "WrongKeysError",
            _ => "DataError",
        };
        Self::new(class, error)
    }
}

impl From<SearchError> for Fault {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::File(error) => error.into(),
            SearchError::Protocol(error) => error.into(),
            SearchError::Panel(error) => error.into(),
            error => Self::new("FormatError", error),
        }
    }
}
