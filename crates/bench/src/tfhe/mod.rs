//! TFHE: keys, tables of encrypted numbers one by one and in batches, gates and products, at the standard parameters and
//! at the dimensions and digits of a published comparison, and beside a peer.

mod error;
mod peer;
mod report;
mod server;
mod sets;
mod subject;

use std::{path::PathBuf, time::Instant};

use rayon::ThreadPoolBuilder;

use self::{peer::Peer, subject::Subject};
use crate::{Machine, Settings, Tell};

pub use error::TfheBenchError;
pub use report::{TfheRatio, TfheReport, TfheRow};
pub(crate) use server::Server;
pub(crate) use sets::Set;
pub use sets::{TfhePublished, TfheSet};

/// The numbers of tables that are applied in one batch.
const BATCHES: [usize; 2] = [16, 32];
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
    let sets = sets.iter().map(Set::described).collect();
    Ok(TfheReport { machine, sets, rows, published, peer, ratios, seconds: start.elapsed().as_secs_f64() })
}
