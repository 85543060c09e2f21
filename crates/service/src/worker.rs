//! The worker, which computes one job after another.

use std::{
    fs::File,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use asanoha_lattice::{FileError, FileProblem};
use asanoha_runtime::{
    execute::{self, Contents, Encrypted, EvaluationKey, ExecuteError, plan_of},
    plan::Plan,
};
use rayon::ThreadPool;

use crate::{
    Digest, FaultPoint, JobId, Store, StoreError,
    contents::without_path,
    jobs::{Claim, End, claim, finish},
    state::{State, StoreCore},
    watch::{Granted, Interruption, resident_bytes},
};

/// How long a worker waits after a failure of the disk, unless the service stops.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it waits for a job before it looks again.
const IDLE: Duration = Duration::from_mins(1);

/// Keys that were read for the last job.
#[derive(Debug)]
struct ReadKeys {
    path: PathBuf,
    low_memory: bool,
    keys: EvaluationKey,
}

/// Computes the jobs of a store, one after another, on the threads of a pool. Keys stay in memory until a job needs others.
///
/// A service has as many workers as [`crate::Limits::workers`], each in a thread of its own.
#[derive(Debug)]
pub struct Worker {
    core: Arc<StoreCore>,
    pool: Arc<ThreadPool>,
    resident_bytes: fn() -> Option<u64>,
    keys: Option<ReadKeys>,
}

/// Why an evaluation has no results.
enum Failure {
    Job(String),
    Interrupted,
    Disk(StoreError),
}

impl Worker {
    /// A worker of a store.
    pub fn new(store: &Store, pool: Arc<ThreadPool>) -> Self {
        Self { core: Arc::clone(&store.core), pool, resident_bytes, keys: None }
    }

    /// With another measure of the memory of this process in bytes, for tests.
    #[doc(hidden)]
    pub fn with_resident_bytes(self, resident_bytes: fn() -> Option<u64>) -> Self {
        Self { resident_bytes, ..self }
    }

    /// Computes jobs until the service stops.
    pub fn run(&mut self) {
        loop {
            match self.run_one() {
                Ok(Some(_)) => {}
                Ok(None) => {
                    let wait = |state: &mut State| match state.stop {
                        Some(_) => Some(true),
                        None => (state.queue.len() > 0).then_some(false),
                    };
                    if self.core.wait_for(IDLE, wait) == Some(true) {
                        return;
                    }
                }
                Err(_) => {
                    if self.core.wait_for(PATIENCE, |state| state.stop).is_some() {
                        return;
                    }
                }
            }
        }
    }

    /// Computes the next job to its end, and returns it; `None` if none waits or the service stops.
    ///
    /// # Errors
    /// A failure of the disk or the journal: the job waits again, or has failed if it was begun too often.
    pub fn run_one(&mut self) -> Result<Option<JobId>, StoreError> {
        let Some(claim) = claim(&self.core)? else { return Ok(None) };
        let core = Arc::clone(&self.core);
        let pool = Arc::clone(&self.pool);
        let computed = catch_unwind(AssertUnwindSafe(|| pool.install(|| self.compute(&claim))));
        let end = match computed {
            Ok(Ok(end)) => end,
            Ok(Err(Failure::Job(message))) => End::Failed(message),
            Ok(Err(Failure::Interrupted)) => {
                End::Interrupted(claim.watch.interruption().unwrap_or(Interruption::Stopping))
            }
            Ok(Err(Failure::Disk(error))) => {
                self.keys = None;
                End::Trouble(error)
            }
            Err(_) => {
                self.keys = None;
                End::Failed("the evaluation failed by an error of the server: tell its operator".to_owned())
            }
        };
        finish(&core, &claim, end)?;
        Ok(Some(claim.id))
    }

    fn compute(&mut self, claim: &Claim) -> Result<End, Failure> {
        let limits = &self.core.limits;
        let granted = Granted {
            seconds: limits.job_seconds,
            memory_bytes: limits.memory_bytes,
            resident_bytes: self.resident_bytes,
        };
        let tell = |fraction| claim.watch.tell(fraction, &granted);
        let interrupted = |flow: std::ops::ControlFlow<()>| {
            if flow.is_break() { Err(Failure::Interrupted) } else { Ok(()) }
        };
        interrupted(tell(0.0))?;
        let of_inputs = |error| unusable("inputs", error);
        let plan = plan_of(&claim.plan, &claim.inputs).map_err(of_inputs)?;
        let keys = self.read_keys(claim)?;
        interrupted(tell(0.0))?;
        let inputs = Encrypted::read(&plan, Contents::Inputs, &claim.inputs).map_err(of_inputs)?;
        interrupted(tell(0.0))?;
        let over = plan.progress();
        let progress =
            |done: usize, _| tell(done.checked_sub(1).and_then(|last| over.get(last)).map_or(0.0, |&f| f));
        let results = execute::evaluate(&plan, keys, inputs, &progress).map_err(|error| match error {
            ExecuteError::Stopped => Failure::Interrupted,
            error => {
                let message = without_path(&error.to_string(), &claim.keys, "the evaluation keys");
                Failure::Job(without_path(&message, &claim.inputs, "the inputs"))
            }
        })?;
        let file = self.core.folder.temporary(&claim.id.to_string());
        let written = self.write(&plan, &results, &file);
        let (bytes, digest) = written.map_err(|error| Failure::Disk(StoreError::io(&file, error)))?;
        Ok(End::Done { file, bytes, digest })
    }

    /// The keys of a job, read into memory or left in their file.
    fn read_keys(&mut self, claim: &Claim) -> Result<EvaluationKey, Failure> {
        let is_it = |read: &ReadKeys| read.path == claim.keys && read.low_memory == claim.low_memory;
        if let Some(read) = self.keys.as_ref().filter(|read| is_it(read)) {
            return Ok(read.keys.clone());
        }
        // Two sets of keys may not fit into memory.
        self.keys = None;
        let read = if claim.low_memory {
            EvaluationKey::open(&claim.plan, &claim.keys)
        } else {
            EvaluationKey::read(&claim.plan, &claim.keys)
        };
        let keys = read.map_err(|error| unusable("evaluation keys", error))?;
        let (path, low_memory) = (claim.keys.clone(), claim.low_memory);
        self.keys = Some(ReadKeys { path, low_memory, keys: keys.clone() });
        Ok(keys)
    }

    /// Writes results so that they outlast a loss of power; the file's length and digest.
    fn write(&self, plan: &Plan, results: &Encrypted, file: &Path) -> io::Result<(u64, Digest)> {
        self.core.faults.at(FaultPoint::Write)?;
        let bytes = results.write(plan, Contents::Outputs, file).map_err(|error| match error.problem {
            FileProblem::Io(error) => error,
            problem => io::Error::other(problem.to_string()),
        })?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600))?;
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(file)?)?;
        Ok((bytes, hasher.finalize().into()))
    }
}

/// What's wrong with a file of a job: its contents, or the disk.
fn unusable(what: &str, error: FileError) -> Failure {
    match error.problem {
        FileProblem::Io(problem) => Failure::Disk(StoreError::io(&error.path, problem)),
        problem => Failure::Job(format!("its {what} can't be used: {problem}")),
    }
}
