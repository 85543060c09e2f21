//! TFHE under limits of memory: numbers from key generation to decryption, each time in a process of its own that the
//! operating system confines.

mod confine;
mod counters;
mod run;
mod table;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::{Machine, Settings, Tell};

pub use confine::{CycleCount, DramCase, MemoryGroup};
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

/// One run under a limit of memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DramRow {
    /// The limit in bytes; `None` for a run without one.
    pub memory_limit_bytes: Option<u64>,
    /// What enforces it: `cgroup` for a control group of the process, `address space` for the process's limit of mapped
    /// memory beside its code, which is stricter.
    pub confined_by: Option<String>,
    /// Where the server key stands: in `memory` or in a `file`.
    pub key_place: String,
    /// The number of encrypted numbers.
    pub messages: usize,
    /// The number of threads.
    pub threads: usize,
    /// The time of everything, in seconds.
    pub seconds: f64,
    /// The time of making the keys, in seconds.
    pub key_seconds: f64,
    /// The time of encryption, in seconds.
    pub encrypt_seconds: f64,
    /// The time of the bootstrappings, in seconds.
    pub bootstrap_seconds: f64,
    /// The time of decryption, in seconds.
    pub decrypt_seconds: f64,
    /// The bytes that the process asked the system to read, from files or from what the system kept of them in memory.
    pub read_bytes: Option<u64>,
    /// The bytes that it asked the system to write.
    pub written_bytes: Option<u64>,
    /// The bytes that were read from the disk.
    pub disk_read_bytes: Option<u64>,
    /// The bytes that were sent to the disk.
    pub disk_written_bytes: Option<u64>,
    /// The bytes that were read from the disk while the keys were made.
    pub key_disk_read_bytes: Option<u64>,
    /// The bytes that were sent to the disk while the keys were made.
    pub key_disk_written_bytes: Option<u64>,
    /// The bytes that the bootstrappings read from the disk.
    pub bootstrap_disk_read_bytes: Option<u64>,
    /// The bytes that the bootstrappings sent to the disk.
    pub bootstrap_disk_written_bytes: Option<u64>,
    /// The page faults that waited for the disk.
    pub major_faults: Option<u64>,
    /// Instructions a cycle, where the system counts them.
    pub instructions_per_cycle: Option<f64>,
    /// The peak memory of the process, in bytes.
    pub peak_bytes: Option<u64>,
    /// The time of everything divided by that without a limit.
    pub time_ratio: Option<f64>,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct DramReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each limit, and one without.
    pub rows: Vec<DramRow>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
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
