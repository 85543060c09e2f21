//! What all commands share: threads, kernels and randomness.

use std::{io::Write, path::Path, time::Instant};

use rayon::ThreadPool;

use asanoha::{
    execute::Keys,
    kernels::Backend,
    lattice::{FileHeader, FileReader},
    mpc::store::Run,
    plan::{Plan, SecurityCheck},
    ring::{Sampler, Seed},
};

use crate::{
    args::Common,
    error::{Failure, Place},
    limits::Limits,
    scratch::sweep,
};

/// The settings of this call.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) json: bool,
    pub(crate) threads: usize,
    /// The number of threads that the call asks for, if it does.
    pub(crate) asked_threads: Option<usize>,
    pub(crate) backend: Backend,
    /// What this call may take.
    pub(crate) limits: Limits,
    pool: ThreadPool,
    seed: Option<Seed>,
    insecure: bool,
}

/// The purposes of randomness. Each purpose has a stream of its own, so that steps that are made separately give the
/// same bits as in one process from the same seed, and no secret is drawn twice. Parameters, plan, key and data also
/// decide the stream: other ones give other values ([`Sampler::branch`]).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Keys,
    Encryption,
}

impl Session {
    pub(crate) fn open(common: &Common) -> Result<Self, Failure> {
        if common.seed.is_some() && !common.insecure {
            return Err(Failure::bad_input(
                "--seed makes secrets that anyone with the seed knows: add --insecure if this is a test",
            ));
        }
        if common.seed.is_some() {
            let warning =
                "warning: --seed is in use: anyone who knows the seed knows all secrets of this call";
            // If stderr is closed, nobody reads warnings.
            let _ = writeln!(std::io::stderr(), "{warning}");
        }
        let mut pool = rayon::ThreadPoolBuilder::new();
        if let Some(threads) = common.threads {
            let cores = std::thread::available_parallelism().map_or(usize::MAX, usize::from);
            if usize::from(threads) > cores {
                let faster = "more threads make nothing faster";
                let _ = writeln!(
                    std::io::stderr(),
                    "warning: --threads {threads} is more than the {cores} cores there are: {faster}"
                );
            }
            pool = pool.num_threads(usize::from(threads));
        }
        let pool = pool
            .build()
            .map_err(|error| Failure::impossible(format!("threads can't be started: {error}")))?;
        Ok(Self {
            json: common.json,
            threads: pool.current_num_threads(),
            asked_threads: common.threads.map(usize::from),
            pool,
            backend: Backend::detect()?,
            limits: Limits::new(common)?,
            seed: common.seed.map(Seed),
            insecure: common.insecure,
        })
    }

    /// Runs a command on the threads of this call. Work that starts outside of them would wait for them to wake at
    /// every step.
    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    pub(crate) fn sampler(&self, purpose: Purpose) -> Sampler {
        let Some(seed) = &self.seed else { return Sampler::from_os() };
        let purpose = match purpose {
            Purpose::Keys => "keys",
            Purpose::Encryption => "encryption",
        };
        Sampler::new(&seed.derive(purpose, &[]))
    }

    /// The given seed, if there is one, for a folder of triples.
    pub(crate) fn triples_seed(&self) -> Option<Seed> {
        self.seed.as_ref().map(|seed| seed.derive("triples", &[]))
    }

    /// Refuses a file whose header says that its secrets aren't secret, unless the call allows that.
    pub(crate) fn admit(&self, path: &Path) -> Result<(), Failure> {
        self.admit_header(path, &FileReader::summary(path)?.header)
    }

    /// Admits a folder of keys like [`Session::admit`]. All of them must be of one key generation. Files that a killed call left there are
    /// removed first: there may be secret keys among them.
    pub(crate) fn admit_keys(&self, folder: &Path) -> Result<(), Failure> {
        if !folder.exists() {
            return Err(Failure::bad_input(format!(
                "{}: there is no such folder: make keys with `asanoha keygen`, or name the folder that it made",
                folder.display()
            ))
            .at(Place::file(folder.display())));
        }
        sweep(folder);
        Keys::headers(folder)?.iter().try_for_each(|header| self.admit_header(folder, header))
    }

    /// As [`Session::admit`], for a folder of triples.
    pub(crate) fn admit_triples(&self, run: &Run) -> Result<(), Failure> {
        let (manifest, what) = (run.manifest(), "triples");
        self.admit_marked(run.folder(), what, manifest.seeded, manifest.security_bits < 128)
    }

    fn admit_header(&self, path: &Path, header: &FileHeader) -> Result<(), Failure> {
        self.admit_marked(path, &header.kind, header.seeded, header.insecure)
    }

    fn admit_marked(&self, path: &Path, kind: &str, seeded: bool, insecure: bool) -> Result<(), Failure> {
        let why = match (seeded, insecure) {
            (true, _) => "made from a given seed, so anyone who knows the seed knows its secrets",
            (_, true) => "made with parameters below 128 bits of security",
            _ => return Ok(()),
        };
        if self.insecure {
            return Ok(());
        }
        Err(Failure::bad_input(format!(
            "{}: {}, {why}: add --insecure if this is a test, or make them anew without it",
            path.display(),
            kind
        )))
    }

    /// Refuses a ring in which nothing is secret, unless the call allows that.
    pub(crate) fn admit_ring(&self, ring_degree: Option<usize>) -> Result<(), Failure> {
        match ring_degree {
            Some(degree) if !self.insecure => Err(Failure::bad_input(format!(
                "--ring-degree {degree} keeps nothing secret: add --insecure if this is a test, or leave it out"
            ))),
            _ => Ok(()),
        }
    }

    pub(crate) fn read_plan(&self, path: &Path) -> Result<Plan, Failure> {
        Ok(Plan::read(path, self.security_check(), self.backend)?)
    }

    /// Whether plans of less than 128 bits are taken.
    pub(crate) fn security_check(&self) -> SecurityCheck {
        if self.insecure { SecurityCheck::Waived } else { SecurityCheck::Required }
    }
}

/// The result of some work and the seconds it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}
