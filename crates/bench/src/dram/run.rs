//! One run in the current process.

use super::{DramCase, DramError, DramRow, DramScheme, ckks, group, phases::Phases, tfhe};
use crate::{Settings, memory};

/// Confines this process and measures from key generation to decryption.
///
/// # Errors
/// A limit that the system refuses, a file of keys that can't be used, and a wrong result.
pub fn dram_row(settings: &Settings, case: &DramCase) -> Result<DramRow, DramError> {
    // First of all: memory that is there before may count elsewhere.
    let confined_by = case.enter().map_err(DramError::Confine)?;
    let mut phases = Phases::default();
    let subject = match case.scheme {
        DramScheme::Tfhe => tfhe::run(settings, case.memory_limit, &mut phases)?,
        DramScheme::Ckks => ckks::run(settings, case.memory_limit, &mut phases)?,
    };
    let (whole, [keys, encryption, bootstrapping, decryption]) = (phases.whole(), phases.each());
    Ok(DramRow {
        scheme: case.scheme,
        parameters: subject.parameters,
        memory_limit_bytes: case.memory_limit,
        confined_by: confined_by.map(str::to_owned),
        key_place: subject.key_place.to_owned(),
        key_bytes: subject.key_bytes,
        ciphertexts: subject.ciphertexts,
        threads: rayon::current_num_threads(),
        seconds: whole.seconds(),
        key_seconds: keys.seconds(),
        encrypt_seconds: encryption.seconds(),
        bootstrap_seconds: bootstrapping.seconds(),
        decrypt_seconds: decryption.seconds(),
        cpus_used: whole.cpus_used(),
        key_cpus_used: keys.cpus_used(),
        bootstrap_cpus_used: bootstrapping.cpus_used(),
        read_bytes: whole.of(|counters| counters.read_bytes),
        written_bytes: whole.of(|counters| counters.written_bytes),
        disk_read_bytes: whole.of(|counters| counters.disk_read_bytes),
        disk_written_bytes: whole.of(|counters| counters.disk_written_bytes),
        key_disk_read_bytes: keys.of(|counters| counters.disk_read_bytes),
        key_disk_written_bytes: keys.of(|counters| counters.disk_written_bytes),
        bootstrap_disk_read_bytes: bootstrapping.of(|counters| counters.disk_read_bytes),
        bootstrap_disk_written_bytes: bootstrapping.of(|counters| counters.disk_written_bytes),
        disk_read_bytes_per_second: whole.disk_read_bytes_per_second(),
        bootstrap_disk_read_bytes_per_second: bootstrapping.disk_read_bytes_per_second(),
        major_faults: whole.of(|counters| counters.major_faults),
        instructions_per_cycle: None,
        peak_bytes: memory::peak_bytes(),
        group_peak_bytes: case.group.as_deref().and_then(group::peak_bytes),
        time_ratio: None,
        bootstrap_time_ratio: None,
    })
}
