//! What all schemes are measured with.

use std::time::{Duration, Instant};

use asanoha_kernels::Backend;
use rayon::ThreadPool;

use super::VectorRow;
use crate::{
    measure::{shortest_and_median, steadiest},
    memory,
};

/// Samples are taken until they have taken this long, but at most three.
const PATIENCE: Duration = Duration::from_secs(4);
const MOST_SAMPLES: usize = 3;

/// What the rows of all schemes have in common.
pub(super) struct Bench<'b> {
    pub(super) backend: Backend,
    /// One for each number of threads.
    pub(super) pools: Vec<ThreadPool>,
    /// What becomes of a row.
    pub(super) push: &'b mut dyn FnMut(VectorRow),
}

/// The times of an operation.
pub(super) struct Times {
    pub(super) ms_min: f64,
    pub(super) ms_median: f64,
    pub(super) peak_bytes: Option<u64>,
}

impl Times {
    /// Of some runs, each of which looks at its result, and tells what it took before that.
    pub(super) fn of<E>(mut run: impl FnMut() -> Result<Duration, E>) -> Result<Self, E> {
        memory::mark();
        let round = || {
            let (begun, mut times) = (Instant::now(), Vec::new());
            while times.is_empty() || (times.len() < MOST_SAMPLES && begun.elapsed() < PATIENCE) {
                times.push(run()?.as_secs_f64() * 1e3);
            }
            Ok(shortest_and_median(times))
        };
        let (ms_min, ms_median) = steadiest(round, |(shortest, median)| median / shortest)?;
        Ok(Self { ms_min, ms_median, peak_bytes: memory::peak_bytes() })
    }
}
