//! What every command shares: threads, kernels, randomness.

use std::{io::Write, path::Path, time::Instant};

use rayon::ThreadPool;

use asanoha::{
    kernels::Backend,
    plan::Plan,
    ring::{Sampler, Seed},
};

use crate::{args::Common, error::Failure};

/// The settings of this call.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) json: bool,
    pub(crate) threads: usize,
    /// As many as the call says, if it does.
    pub(crate) asked_threads: Option<usize>,
    pub(crate) backend: Backend,
    pool: ThreadPool,
    seed: Option<Seed>,
}

/// What randomness is for. Each purpose has a stream of its own, so that steps made apart give the same bits as in
/// one process from the same seed, and no secret is drawn twice.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Keys,
    Encryption,
    Publishing,
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
            // Where stderr is closed, nobody reads warnings.
            let _ = writeln!(std::io::stderr(), "{warning}");
        }
        let mut pool = rayon::ThreadPoolBuilder::new();
        if let Some(threads) = common.threads {
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
            seed: common.seed.map(Seed),
        })
    }

    /// Carries out a command on the threads of this call. Work that starts outside of them would wait for them to
    /// wake at every step.
    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    pub(crate) fn sampler(&self, purpose: Purpose) -> Sampler {
        let Some(seed) = &self.seed else { return Sampler::from_os() };
        let mut master = Sampler::new(seed);
        let [keys, encryption, publishing] = [master.seed(), master.seed(), master.seed()];
        Sampler::new(match purpose {
            Purpose::Keys => &keys,
            Purpose::Encryption => &encryption,
            Purpose::Publishing => &publishing,
        })
    }

    pub(crate) fn read_plan(&self, path: &Path) -> Result<Plan, Failure> {
        Ok(Plan::read(path, self.backend)?)
    }
}

/// The result of some work and the seconds it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}
