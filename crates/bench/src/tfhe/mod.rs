//! TFHE: keys, tables of encrypted numbers one by one and in batches, gates and products, at the standard parameters and
//! at the dimensions of a published comparison, and beside a peer.

mod peer;
mod server;
mod sets;
mod subject;
mod table;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use asanoha_lattice::FileError;
use asanoha_tfhe::{TfheError, TfheParamsError};
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use thiserror::Error;

use self::{peer::Peer, subject::Subject};
use crate::{Machine, Settings, Tell};

pub(crate) use server::Server;
pub(crate) use sets::Set;
pub use sets::TfhePublished;

/// The numbers of tables that are applied in one batch.
const BATCHES: [usize; 2] = [16, 32];
/// The samples of an operation: at least `LEAST_SAMPLES`, then as many as `PATIENCE` allows, up to `MOST_SAMPLES`.
const LEAST_SAMPLES: usize = 3;
const MOST_SAMPLES: usize = 50;
const PATIENCE: Duration = Duration::from_secs(2);

/// The settings of the bench.
#[derive(Clone, Debug)]
pub struct TfheSettings {
    /// The back-ends, of which the last one is measured, and whether a quick look is enough.
    pub settings: Settings,
    /// A number of threads to measure batches on, besides one.
    pub threads: usize,
    /// The program that measures the peer.
    pub peer: Option<PathBuf>,
    /// The bytes of memory that the keys have to do with. A server key that doesn't fit stays in a file.
    pub memory_limit: Option<u64>,
}

/// One operation.
#[derive(Clone, Debug, Serialize)]
pub struct TfheRow {
    /// The operation: a key that is made, `bootstrap` (a key switch and a programmable bootstrapping), a gate, …
    pub operation: String,
    /// The name of the parameters.
    pub parameters: String,
    /// The number of operations at once.
    pub batch: usize,
    /// The number of threads.
    pub threads: usize,
    /// The shortest time of the whole batch, in milliseconds.
    pub ms_min: f64,
    /// The median time of the whole batch, in milliseconds.
    pub ms_median: f64,
    /// The bytes of the server key as it's stored.
    pub key_bytes: Option<usize>,
    /// The peak memory of the process during the operation, in bytes, keys included.
    pub peak_bytes: Option<u64>,
    /// log2 of the largest probability that the parameters allow one operation to be wrong with.
    pub log2_failure: f64,
    /// Whether the parameters have less than 128-bit security.
    pub insecure: bool,
}

/// One of our operations compared with the peer's, on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct TfheRatio {
    /// The operation.
    pub operation: String,
    /// The peer's parameters.
    pub parameters: String,
    /// The peer's shortest time divided by ours.
    pub ratio_min: f64,
    /// The peer's median time divided by ours.
    pub ratio_median: f64,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct TfheReport {
    /// The machine.
    pub machine: Machine,
    /// The measurements.
    pub rows: Vec<TfheRow>,
    /// Published times at the dimensions of the insecure set.
    pub published: &'static [TfhePublished],
    /// The peer's name and version.
    pub peer: Option<String>,
    /// Our operations compared with the peer's.
    pub ratios: Vec<TfheRatio>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

/// The error of a bench of TFHE.
#[derive(Debug, Error)]
pub enum TfheBenchError {
    /// The parameters can't be made.
    #[error(transparent)]
    Params(#[from] TfheParamsError),
    /// An operation was refused.
    #[error(transparent)]
    Tfhe(#[from] TfheError),
    /// A file of keys can't be written or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// No file can be made in the folder for temporary ones.
    #[error("no file can be made for the server key: {0}; TMPDIR names the folder for it")]
    Temporary(#[from] std::io::Error),
    /// The system doesn't confine the process.
    #[error("this process can't be confined: {0}")]
    Confine(std::io::Error),
    /// A result is wrong: a bug, or the failure that has the stated probability.
    #[error("{operation} at {parameters} gave a wrong result")]
    Wrong {
        /// The operation.
        operation: &'static str,
        /// The name of the parameters.
        parameters: &'static str,
    },
    /// There is no program at the peer's path.
    #[error(
        "--peer {0}: there's no such program; build it with `cargo build --release` in bench/peers, or tell where it is"
    )]
    NoPeer(PathBuf),
    /// The peer failed.
    #[error("--peer {path}: {why}")]
    Peer {
        /// The program.
        path: PathBuf,
        /// The cause.
        why: String,
    },
}

/// Measures every operation, the batches on one thread and on the number of threads that was asked for, and
/// bootstrapping and integers of 8 bits in turns with the peer's. A quick look is one bootstrapping at the standard parameters.
///
/// # Errors
/// [`TfheBenchError`], also for any wrong result.
///
/// # Panics
/// If the system has no threads.
pub fn tfhe(settings: &TfheSettings, tell: Tell<'_>) -> Result<TfheReport, TfheBenchError> {
    let start = Instant::now();
    let Settings { backends, quick } = &settings.settings;
    let backend = *backends.last().expect("at least one back-end is measured");
    let mut peer = settings.peer.as_deref().map(Peer::start).transpose()?;
    let sets = Set::all(backend)?;
    let sets = if *quick { &sets[..1] } else { &sets[..] };
    let memory_limit = settings.memory_limit;
    let threads = [1, settings.threads].into_iter().take(if settings.threads > 1 { 2 } else { 1 });
    let batches = if *quick { &[][..] } else { &BATCHES[..] };
    let batches: Vec<(usize, usize)> =
        threads.flat_map(|threads| batches.iter().map(move |&batch| (threads, batch))).collect();
    let operations = |set: &Set| Subject::operations(&set.params, memory_limit, *quick);
    let singles: usize = sets.iter().map(|set| operations(set).len()).sum();
    let steps = singles + sets.len() * batches.len() + usize::from(peer.is_some());
    let mut done = 0;
    let mut step = || {
        done += 1;
        tell(done, steps);
    };
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
    let one = pool(1);
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    for set in sets {
        let subject = one.install(|| Subject::new(set, memory_limit))?;
        for &(operation, sample) in operations(set) {
            rows.push(one.install(|| subject.row(operation, 1, sample))?);
            step();
        }
        for &(threads, batch) in &batches {
            let row = || subject.row("bootstrap", batch, |subject| subject.bootstrap(batch));
            rows.push(pool(threads).install(row)?);
            step();
        }
        if let Some(peer) = peer.as_mut().filter(|_| set.is_standard()) {
            for &(operation, rounds) in subject.in_turns(*quick) {
                let turns = || peer.in_turns(&subject, operation, rounds, &mut rows);
                ratios.extend(one.install(turns)?);
            }
            step();
        }
    }
    let machine = Machine { threads: settings.threads, ..Machine::this(backends) };
    let peer = peer.map(|peer| peer.version().to_owned());
    let published = sets::PUBLISHED;
    Ok(TfheReport { machine, rows, published, peer, ratios, seconds: start.elapsed().as_secs_f64() })
}

/// The shortest and the median of some times.
pub(crate) fn shortest_and_median(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}
