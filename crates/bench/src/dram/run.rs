//! One run in the current process.

use std::time::Instant;

use asanoha_ring::Sampler;
use asanoha_tfhe::{Ciphertext, ClientKey, TfheError};

use super::{DramCase, DramRow, counters::Counters};
use crate::{
    Settings, memory,
    tfhe::{Server, Set, TfheBenchError},
};

/// One of the counts, if the system tells it.
type Count = fn(&Counters) -> Option<u64>;

/// The numbers that are encrypted, bootstrapped and decrypted.
const MESSAGES: usize = 100;

/// Confines this process and measures: keys, encryption, a table of every number in one batch, decryption. The server key
/// stays in a file if the limit asks for it.
///
/// # Errors
/// If the system refuses the limit, the server key's file can't be used, or a result is wrong.
///
/// # Panics
/// If the limit doesn't hold the run.
pub fn dram_row(settings: &Settings, case: &DramCase) -> Result<DramRow, TfheBenchError> {
    let confined_by = case.enter().map_err(TfheBenchError::Confine)?;
    let Set { params, name } = Set::standard(*settings.backends.last().expect("at least one is measured"))?;
    let function = |x: u64| (5 * x + 3) % params.messages();
    let table = params.table(function)?;
    let numbers: Vec<u64> = (0..MESSAGES as u64).map(|i| i % params.messages()).collect();
    let mut sampler = Sampler::from_os();
    let before = Counters::now();

    let start = Instant::now();
    let client = ClientKey::generate(&params, &mut sampler);
    let server = Server::new(&params, &client, case.memory_limit)?;
    let key_seconds = start.elapsed().as_secs_f64();
    let with_keys = Counters::now();
    let encrypted = numbers.iter().map(|&number| client.encrypt(number, &mut sampler));
    let encrypted: Vec<Ciphertext> = encrypted.collect::<Result<_, TfheError>>()?;
    let encrypted_at = start.elapsed().as_secs_f64();
    let with_numbers = Counters::now();
    let jobs: Vec<_> = encrypted.iter().map(|number| (&table, number)).collect();
    let results = server.apply_many(&jobs)?;
    let bootstrapped_at = start.elapsed().as_secs_f64();
    let bootstrapped = Counters::now();
    let found: Vec<u64> =
        results.iter().map(|result| client.decrypt(result)).collect::<Result<_, TfheError>>()?;
    let seconds = start.elapsed().as_secs_f64();

    if !found.into_iter().eq(numbers.iter().map(|&number| function(number))) {
        return Err(TfheBenchError::Wrong { operation: "bootstrap", parameters: name });
    }
    let after = Counters::now();
    let between =
        |from: &Counters, to: &Counters, count: fn(&Counters) -> Option<u64>| Some(count(to)? - count(from)?);
    let since = |count| between(&before, &after, count);
    let (read, written): (Count, Count) =
        (|counters| counters.disk_read_bytes, |counters| counters.disk_written_bytes);
    Ok(DramRow {
        memory_limit_bytes: case.memory_limit,
        confined_by: confined_by.map(str::to_owned),
        key_place: server.place().to_owned(),
        messages: MESSAGES,
        threads: rayon::current_num_threads(),
        seconds,
        key_seconds,
        encrypt_seconds: encrypted_at - key_seconds,
        bootstrap_seconds: bootstrapped_at - encrypted_at,
        decrypt_seconds: seconds - bootstrapped_at,
        read_bytes: since(|counters| counters.read_bytes),
        written_bytes: since(|counters| counters.written_bytes),
        disk_read_bytes: since(read),
        disk_written_bytes: since(written),
        key_disk_read_bytes: between(&before, &with_keys, read),
        key_disk_written_bytes: between(&before, &with_keys, written),
        bootstrap_disk_read_bytes: between(&with_numbers, &bootstrapped, read),
        bootstrap_disk_written_bytes: between(&with_numbers, &bootstrapped, written),
        major_faults: since(|counters| counters.major_faults),
        instructions_per_cycle: None,
        peak_bytes: memory::peak_bytes(),
        time_ratio: None,
    })
}
