//! TFHE under limits of memory: numbers from key generation to decryption, each time in a process of its own that the
//! operating system confines.

mod confine;
mod counters;
mod report;
mod run;

use std::time::Instant;

use crate::{Machine, Settings, Tell};

pub use confine::{CycleCount, DramCase, MemoryGroup};
pub use report::{DramReport, DramRow};
pub use run::dram_row;

/// The limits in bytes, beside none.
const LIMITS: [u64; 5] = [100_000_000, 500_000_000, 1_000_000_000, 2_000_000_000, 3_000_000_000];
/// The rounds over all limits; the fastest run under each counts.
const ROUNDS: usize = 3;

/// The settings of the bench.
#[derive(Clone, Debug)]
pub struct DramSettings {
    /// The back-ends, of which the last one is measured, and whether a quick look is enough: one round under the
    /// smallest limit and none.
    pub settings: Settings,
    /// The number of threads.
    pub threads: usize,
    /// A limit in bytes to measure in place of the usual ones.
    pub memory_limit: Option<u64>,
}

/// Measures each limit, in turns with the others. `row` calls [`dram_row`] in a process of its own.
///
/// # Errors
/// Those of `row`.
pub fn dram<E>(
    settings: &DramSettings,
    row: impl Fn(&DramCase) -> Result<DramRow, E>,
    tell: Tell<'_>,
) -> Result<DramReport, E> {
    let start = Instant::now();
    let quick = settings.settings.quick;
    let usual = if quick { &LIMITS[..1] } else { &LIMITS };
    let limits = settings.memory_limit.as_ref().map_or(usual, std::slice::from_ref);
    let limits: Vec<Option<u64>> = limits.iter().copied().map(Some).chain([None]).collect();
    let rounds = if quick { 1 } else { ROUNDS };
    let mut fastest: Vec<Option<DramRow>> = vec![None; limits.len()];
    for round in 0..rounds {
        for (at, (&limit, fastest)) in limits.iter().zip(&mut fastest).enumerate() {
            let group = limit.and_then(MemoryGroup::new);
            let case = DramCase { memory_limit: limit, group: group.as_ref().map(MemoryGroup::path) };
            let row = row(&case)?;
            if fastest.as_ref().is_none_or(|fastest| row.seconds < fastest.seconds) {
                *fastest = Some(row);
            }
            tell(round * limits.len() + at + 1, rounds * limits.len());
        }
    }
    let mut rows: Vec<DramRow> = fastest.into_iter().flatten().collect();
    let unlimited = rows.last().map(|row| row.seconds);
    rows.iter_mut().for_each(|row| row.time_ratio = unlimited.map(|unlimited| row.seconds / unlimited));
    let machine = Machine { threads: settings.threads, ..Machine::this(&settings.settings.backends) };
    Ok(DramReport { machine, rows, seconds: start.elapsed().as_secs_f64() })
}
