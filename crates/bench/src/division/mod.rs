//! Encrypted division by three methods, and beside a peer: measures Table 3 of Okada, Cid, Hidano, Kiyomoto, "Linear
//! depth integer-wise homomorphic division" (2018) on this machine.

mod circuit;
mod counts;
mod paper;
mod peer;
mod report;
mod search;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use asanoha_bgv::{BgvCiphertext, BgvParams, Decryptor, Encoder, Encryptor, Evaluator, PublicKey, SecretKey};
use asanoha_circuits::division::quotient;
use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_scheme::{EvaluationKeysBuilder, Scheme};
use rayon::{ThreadPool, ThreadPoolBuilder};

use self::{
    circuit::{Circuit, PLAINTEXT_MODULUS},
    peer::Peer,
    search::search,
};
use crate::{Machine, Settings, Tell};

pub use circuit::DivisionMethod;
pub use counts::DivisionCount;
pub use report::{DivisionError, DivisionReport, DivisionRow, PeerRatio};

/// The widths of operands, in bits, that are measured unless others are asked for.
const BITS: [u32; 6] = [4, 5, 6, 7, 8, 16];
const QUICK_BITS: [u32; 1] = [4];
/// The number of runs of one division, as long as they take less than `PATIENCE` together. Each has other operands: four
/// batches of 16,384 are all pairs of eight bits.
const REPEATS: usize = 4;
const PATIENCE: Duration = Duration::from_secs(6);
const SEED: Seed = Seed([13; 32]);

/// The settings of the bench.
#[derive(Clone, Debug)]
pub struct DivisionSettings {
    /// The back-ends, of which the last one divides, and whether a quick look is enough.
    pub settings: Settings,
    /// The widths of the operands in bits: 2 to 8, or 16 with divisors of 8. If empty, the usual ones.
    pub bits: Vec<u32>,
    /// A number of threads to measure on, besides one.
    pub threads: usize,
    /// The program that measures the peer.
    pub peer: Option<PathBuf>,
}

/// Measures every method, on one thread and on the number of threads that was asked for, and then the peer's.
///
/// # Errors
/// [`DivisionError`], also for any result that isn't the plain quotient.
pub fn division(settings: &DivisionSettings, tell: Tell<'_>) -> Result<DivisionReport, DivisionError> {
    let start = Instant::now();
    let Settings { backends, quick } = &settings.settings;
    let backend = *backends.last().expect("at least one back-end is measured");
    let usual: &[u32] = if *quick { &QUICK_BITS } else { &BITS };
    let bits = if settings.bits.is_empty() { usual } else { &settings.bits };
    if let Some(&unknown) = bits.iter().find(|bits| !(2..=8).contains(*bits) && **bits != 16) {
        return Err(DivisionError::Bits(unknown));
    }
    let peer = settings.peer.as_deref().map(Peer::at).transpose()?;
    let tasks: Vec<(DivisionMethod, u32)> =
        [DivisionMethod::Bitwise, DivisionMethod::Paper, DivisionMethod::Ours]
            .into_iter()
            .flat_map(|method| bits.iter().map(move |&bits| (method, bits)))
            .filter(|&(method, bits)| DivisionMethod::of_bits(bits).contains(&method))
            .collect();
    let steps = tasks.len() + usize::from(peer.is_some());
    let mut rows = Vec::new();
    for (done, &(method, bits)) in tasks.iter().enumerate() {
        rows.extend(measured(method, bits, backend, &pools(settings.threads))?);
        tell(done + 1, steps);
    }
    let mut ratios = Vec::new();
    let peer = match peer {
        Some(peer) => {
            let report = peer.run(*quick)?;
            ratios = report.rows.iter().filter_map(|row| ratio(&rows, row)).collect();
            rows.extend(report.rows);
            tell(steps, steps);
            Some(report.version)
        }
        None => None,
    };
    let machine = Machine { threads: settings.threads, ..Machine::this(backends) };
    let narrow = bits.iter().filter(|bits| **bits <= 8);
    let counts: Vec<Vec<DivisionCount>> =
        narrow.map(|&bits| counts::counts(bits)).collect::<Result<_, _>>()?;
    let counts = counts.concat();
    Ok(DivisionReport { machine, rows, counts, peer, ratios, seconds: start.elapsed().as_secs_f64() })
}

/// A pool of one thread, and one of the number of threads that was asked for.
fn pools(threads: usize) -> Vec<ThreadPool> {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
    if threads == 1 { vec![pool(1)] } else { vec![pool(1), pool(threads)] }
}

fn ratio(ours: &[DivisionRow], peer: &DivisionRow) -> Option<PeerRatio> {
    let is_it = |row: &&DivisionRow| {
        row.method == DivisionMethod::Ours.name() && row.bits == peer.bits && row.threads == peer.threads
    };
    let ratio = peer.seconds_per_division / ours.iter().find(is_it)?.seconds_per_division;
    Some(PeerRatio { method: peer.method.clone(), bits: peer.bits, ratio })
}

/// The rows of a method at one width, with the same keys and operands for all numbers of threads.
fn measured(
    method: DivisionMethod,
    bits: u32,
    backend: Backend,
    pools: &[ThreadPool],
) -> Result<Vec<DivisionRow>, DivisionError> {
    let circuit = Circuit::new(method, bits)?;
    let params = search(&circuit, backend);
    let params = params.ok_or(DivisionError::NoParameters { method: method.name(), bits })?;
    let division = Division::new(method, circuit, &params);
    pools.iter().map(|pool| pool.install(|| division.row())).collect()
}

/// Well-mixed dividends and divisors of a batch, one of each for every slot. The batches go through all pairs, and then
/// again.
fn operands(batch: usize, slots: usize, bits: u32, divisor_bits: u32) -> (Vec<i64>, Vec<i64>) {
    (batch * slots..(batch + 1) * slots)
        .map(|pair| {
            // Odd, so that different pairs stay different.
            let mixed = (pair as i64 * 0x9E37_79B1) & ((1 << (bits + divisor_bits)) - 1);
            (mixed >> divisor_bits, mixed & ((1 << divisor_bits) - 1))
        })
        .unzip()
}

/// A circuit with the keys that it's measured with.
struct Division {
    method: DivisionMethod,
    circuit: Circuit,
    params: BgvParams,
    secret: SecretKey,
    public: PublicKey,
    evaluator: Evaluator,
}

impl Division {
    fn new(method: DivisionMethod, circuit: Circuit, params: &BgvParams) -> Self {
        let mut sampler = Sampler::new(&SEED);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys =
            EvaluationKeysBuilder::new(params, &secret).relinearise().build_with(&mut sampler).unwrap();
        let evaluator = Evaluator::new(params, Arc::new(keys));
        Self { method, circuit, params: params.clone(), secret, public, evaluator }
    }

    /// Encrypts the operands of a batch under the public key.
    fn encrypted(&self, dividends: &[i64], divisors: &[i64]) -> Result<Vec<BgvCiphertext>, DivisionError> {
        let (encoder, encryptor) = (Encoder::new(&self.params), Encryptor::new(&self.params));
        let mut sampler = Sampler::from_os();
        let t = PLAINTEXT_MODULUS as i64;
        let operands = self.circuit.operands(dividends, divisors).into_iter().map(|values| {
            let values: Vec<i64> = values.into_iter().map(|x| if 2 * x > t { x - t } else { x }).collect();
            let plain = encoder.encode(&values, self.params.max_level())?;
            Ok(encryptor.encrypt(&self.public, &plain, &mut sampler)?)
        });
        operands.collect()
    }

    /// Encrypts under the public key, divides, and compares with the plain quotients. The time is the shortest of a few
    /// runs.
    fn row(&self) -> Result<DivisionRow, DivisionError> {
        let (begin, mut seconds) = (Instant::now(), f64::INFINITY);
        for repeat in 0..REPEATS {
            if repeat > 0 && begin.elapsed() > PATIENCE {
                break;
            }
            let (dividends, divisors) =
                operands(repeat, self.params.slots(), self.circuit.bits, self.circuit.divisor_bits);
            let encrypted = self.encrypted(&dividends, &divisors)?;
            let start = Instant::now();
            let quotients = self.circuit.apply(&self.evaluator, &encrypted)?;
            seconds = seconds.min(start.elapsed().as_secs_f64());
            let decryptor = Decryptor::new(&self.params);
            let quotients = quotients.iter().map(|quotient| decryptor.decrypt(&self.secret, quotient));
            let quotients = quotients.collect::<Result<Vec<_>, _>>()?;
            self.check(&dividends, &divisors, &Circuit::quotients(&quotients))?;
        }
        let slots = self.params.slots();
        Ok(DivisionRow {
            method: self.method.name().to_owned(),
            encryption: "public_key".to_owned(),
            bits: self.circuit.bits,
            plaintext_modulus: Some(PLAINTEXT_MODULUS),
            levels: Some(self.circuit.depth()),
            slots,
            seconds,
            seconds_per_division: seconds / slots as f64,
            security_bits: self.params.rlwe().security_bits(),
            threads: rayon::current_num_threads(),
            ring_degree: Some(self.params.rlwe().ring_degree()),
            log2_qp: Some(self.params.rlwe().log2_qp()),
        })
    }

    fn check(&self, dividends: &[i64], divisors: &[i64], found: &[i64]) -> Result<(), DivisionError> {
        for ((&dividend, &divisor), &found) in dividends.iter().zip(divisors).zip(found) {
            let expected = quotient(dividend, divisor);
            if found != expected {
                let (method, bits) = (self.method.name(), self.circuit.bits);
                return Err(DivisionError::Wrong { method, bits, dividend, divisor, found, expected });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn batches_go_through_all_pairs_of_operands() {
        for (bits, divisor_bits, slots, batches) in [(4, 4, 256, 1), (6, 6, 1 << 11, 2), (8, 8, 1 << 14, 4)] {
            let pairs = (0..batches).flat_map(|batch| {
                let (a, d) = operands(batch, slots, bits, divisor_bits);
                a.into_iter().zip(d)
            });
            let pairs: BTreeSet<(i64, i64)> = pairs.collect();
            assert_eq!(pairs.len(), 1 << (bits + divisor_bits));
            assert!(
                pairs
                    .iter()
                    .all(|&(a, d)| (0..1 << bits).contains(&a) && (0..1 << divisor_bits).contains(&d))
            );
        }
    }
}
