//! Bootstrapping of CKKS: times, precision and memory, with the keys in memory and in a file.

use std::{f64::consts::SQRT_2, fmt::Write, time::Instant};

use asanoha_circuits::bootstrap::{BootstrapError, Bootstrapper, SlotKind};
use asanoha_ckks::{
    BootstrapSet, Ckks, CkksCiphertext, CkksParamsError, Complex64, EvaluationKeys, Evaluator,
};
use asanoha_kernels::Backend;
use asanoha_lattice::{FileError, Level};
use asanoha_ring::{Sampler, Seed, keep_unused_memory};
use asanoha_scheme::{GenerateKeys, NoPrimes, PublicKey, Scheme, SchemeError, SecretKey};
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use thiserror::Error;

use crate::{Machine, Settings, Tell, memory};

/// The memory of dropped polynomials that is kept, in bytes: little where memory is what's looked at.
pub(crate) const KEPT: usize = 4 << 30;
const KEPT_LOW: usize = 512 << 20;
/// The seed of all randomness, fixed so that runs can be compared.
const SEED: Seed = Seed([7; 32]);

/// The passes of the set that is made for several.
const PASSES: u32 = 2;

/// What is measured.
#[derive(Clone, Debug)]
pub struct BootstrapSettings {
    /// The kernels, of which the last ones are measured, and whether one row is enough.
    pub settings: Settings,
    /// The parameter sets; all of them if none is named.
    pub sets: Vec<BootstrapSet>,
    /// Threads, beside one.
    pub threads: usize,
}

/// What went wrong.
#[derive(Debug, Error)]
pub enum BootstrapBenchError {
    /// A set without primes.
    #[error(transparent)]
    Primes(#[from] NoPrimes),
    /// A set that is refused.
    #[error(transparent)]
    Params(#[from] CkksParamsError),
    /// A bootstrapping that can't be prepared.
    #[error(transparent)]
    Prepare(#[from] BootstrapError),
    /// An operation that is refused.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A file of keys that can't be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// No threads.
    #[error("no threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A result that is off by more than was predicted.
    #[error("a value of set {set} is off by 2^{found:.1}, and 2^{predicted:.1} was predicted")]
    Wrong {
        /// The set.
        set: &'static str,
        /// log2 of the error.
        found: f64,
        /// log2 of the bound on it.
        predicted: f64,
    },
}

/// What a row bootstraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BootstrapKind {
    /// One ciphertext of complex slots.
    Complex,
    /// One ciphertext of real slots.
    Real,
    /// Two ciphertexts of real slots at a time.
    Pair,
}

/// One way of bootstrapping.
#[derive(Clone, Debug, Serialize)]
pub struct BootstrapRow {
    /// The parameter set.
    pub set: &'static str,
    /// What is bootstrapped.
    pub kind: BootstrapKind,
    /// The ring degree.
    pub ring_degree: usize,
    /// The slots of a ciphertext whose values differ.
    pub slots: usize,
    /// The number of threads.
    pub threads: usize,
    /// Whether the keys stay in a file.
    pub low_memory: bool,
    /// The shortest time of three, all passes included: random, constant and alternating values.
    pub seconds: f64,
    /// The median time.
    pub seconds_median: f64,
    /// Bits of the largest error of a part of a slot, of values whose parts are at most 0.7, or bits.
    pub bits_worst: f64,
    /// Bits of the mean error.
    pub bits_mean: f64,
    /// Bits of the error that was predicted.
    pub bits_predicted: f64,
    /// The levels that products can take before the next bootstrapping.
    pub levels_left: usize,
    /// log2 of the primes of these levels.
    pub modulus_bits_left: f64,
    /// Slots · levels · mean bits, a second: of complex slots each part counts.
    pub throughput: f64,
    /// The bytes of all keys, the uniform halves included.
    pub key_bytes: usize,
    /// The time of making the keys, on all threads, in seconds.
    pub key_seconds: f64,
    /// The peak memory in bytes, keys included.
    pub peak_bytes: Option<u64>,
    /// log2 of the probability that a bootstrapping fails, for any value.
    pub log2_failure: f64,
    /// The security in bits.
    pub security_bits: u32,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct BootstrapReport {
    /// The machine.
    pub machine: Machine,
    /// The measurements.
    pub rows: Vec<BootstrapRow>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

/// Measures bootstrapping; quickly, of one set on one thread.
///
/// # Errors
/// [`BootstrapBenchError`].
pub fn bootstrap(
    settings: &BootstrapSettings,
    tell: Tell<'_>,
) -> Result<BootstrapReport, BootstrapBenchError> {
    bootstrap_at(settings, BootstrapSet::ring_degree, tell)
}

fn bootstrap_at(
    settings: &BootstrapSettings,
    ring_degree: impl Fn(BootstrapSet) -> usize,
    tell: Tell<'_>,
) -> Result<BootstrapReport, BootstrapBenchError> {
    let start = Instant::now();
    let BootstrapSettings { settings: Settings { backends, quick }, sets, threads } = settings;
    let backend = *backends.last().expect("there are kernels");
    let mut rows = Vec::new();
    let sets = if sets.is_empty() { &BootstrapSet::ALL[..] } else { sets };
    let sets = if *quick { &sets[..1] } else { sets };
    let kinds = &[BootstrapKind::Complex, BootstrapKind::Real, BootstrapKind::Pair];
    let kinds = if *quick { &kinds[..1] } else { kinds };
    let counts: Vec<usize> = if *threads > 1 && !quick { vec![1, *threads] } else { vec![1] };
    let steps = sets.len() * (kinds.len() * counts.len() + usize::from(!quick));
    for &set in sets {
        // The keys in the file come first: what was resident before would count as theirs.
        for low_memory in [true, false].into_iter().filter(|low| !(*low && *quick)) {
            keep_unused_memory(if low_memory { KEPT_LOW } else { KEPT });
            memory::mark();
            let mut fixture = Fixture::new(set, ring_degree(set), backend, low_memory)?;
            let (kinds, counts) = if low_memory { (&kinds[..1], &counts[..1]) } else { (kinds, &counts[..]) };
            for &kind in kinds {
                for &threads in counts {
                    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
                    rows.push(pool.install(|| fixture.row(kind, threads))?);
                    tell(rows.len(), steps);
                }
            }
        }
    }
    let machine = Machine::this(&[backend]);
    Ok(BootstrapReport { machine, rows, seconds: start.elapsed().as_secs_f64() })
}

/// Keys of a set, in memory or in a file, and what bootstraps with them.
pub(crate) struct Fixture {
    set: BootstrapSet,
    /// The number of slots after which values repeat.
    slots: usize,
    params: Ckks,
    secret: SecretKey<Ckks>,
    public: PublicKey<Ckks>,
    sampler: Sampler,
    bootstrapper: Bootstrapper<Ckks>,
    evaluator: Evaluator,
    low_memory: bool,
    key_seconds: f64,
}

/// An encryption at the level that bootstrapping starts from.
pub(crate) struct Low {
    ciphertext: CkksCiphertext,
    /// The content of its slots, with its noise; of bits without.
    held: Vec<Complex64>,
}

/// The errors of bootstrapped values.
pub(crate) struct Errors {
    /// The error of each part of a slot.
    parts: Vec<f64>,
    /// The bound that was predicted.
    predicted: f64,
}

impl Errors {
    fn worst(&self) -> f64 {
        self.parts.iter().copied().fold(0.0, f64::max)
    }

    /// Adds those of another ciphertext.
    fn join(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        Self { predicted: self.predicted.max(other.predicted), ..self }
    }

    /// Refuses errors above their bound.
    pub(crate) fn check(&self, set: BootstrapSet) -> Result<(), BootstrapBenchError> {
        let worst = self.worst();
        let is_within = worst <= self.predicted;
        if is_within {
            return Ok(());
        }
        let (found, predicted) = (worst.log2(), self.predicted.log2());
        Err(BootstrapBenchError::Wrong { set: set.name(), found, predicted })
    }
}

impl Fixture {
    /// Fresh keys; those in a file are in the folder for temporary ones.
    pub(crate) fn new(
        set: BootstrapSet,
        ring_degree: usize,
        backend: Backend,
        low_memory: bool,
    ) -> Result<Self, BootstrapBenchError> {
        let params = set.with_ring_degree(ring_degree)?.check(backend)?;
        let mut sampler = Sampler::new(&SEED);
        let (secret, public) = params.generate_keys_with(&mut sampler);
        let slots = set.slots(params.slots());
        let bootstrapper = match set {
            BootstrapSet::Bits => Bootstrapper::for_bits(&params, slots)?,
            BootstrapSet::D60 => Bootstrapper::new(&params, slots, 1.0)?.with_passes(PASSES)?,
            _ => Bootstrapper::new(&params, slots, 1.0)?,
        };
        bootstrapper.prepare()?;
        let (rlwe, levels, start) = (params.rlwe(), bootstrapper.keys(), Instant::now());
        let keys = if low_memory {
            let place = (params.digest(), std::env::temp_dir());
            let place = (place.0, place.1.as_path());
            EvaluationKeys::generate_stored(rlwe, secret.key(), &levels, &mut sampler, place)?
        } else {
            EvaluationKeys::generate_levels(rlwe, secret.key(), &levels, &mut sampler)
        };
        let key_seconds = start.elapsed().as_secs_f64();
        let evaluator = params.evaluator(keys);
        Ok(Self {
            set,
            slots,
            params,
            secret,
            public,
            sampler,
            bootstrapper,
            evaluator,
            low_memory,
            key_seconds,
        })
    }

    /// The number of slots that differ.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// The bytes of all keys, the uniform halves included.
    pub(crate) fn key_bytes(&self) -> usize {
        self.evaluator.keys().bytes()
    }

    /// An encryption of values of slots, at the level that bootstrapping starts from.
    pub(crate) fn low(
        &mut self,
        value: impl Fn(f64) -> Complex64,
        bound: f64,
    ) -> Result<Low, BootstrapBenchError> {
        let values: Vec<Complex64> =
            (0..self.params.slots()).map(|j| value((j % self.slots) as f64)).collect();
        let fresh = self.public.with_bound(bound).encrypt_with(&values, &mut self.sampler)?;
        let shape = self.params.literal().bootstrap.as_ref().expect("the sets have one");
        let ciphertext = self.evaluator.adjust_to(&fresh, shape.lowest_level())?;
        let held =
            if self.set == BootstrapSet::Bits { values } else { self.secret.decrypt_as(&ciphertext)? };
        Ok(Low { ciphertext, held })
    }

    /// The results of bootstrapping: two of a pair.
    pub(crate) fn bootstrap(
        &self,
        low: &Low,
        kind: BootstrapKind,
    ) -> Result<Vec<CkksCiphertext>, BootstrapBenchError> {
        let (evaluator, bootstrapper, low) = (&self.evaluator, &self.bootstrapper, &low.ciphertext);
        Ok(match kind {
            BootstrapKind::Complex => vec![bootstrapper.bootstrap(evaluator, low, SlotKind::Complex)?],
            BootstrapKind::Real => vec![bootstrapper.bootstrap(evaluator, low, SlotKind::Real)?],
            BootstrapKind::Pair => bootstrapper.bootstrap_pair(evaluator, low, low)?.into(),
        })
    }

    /// Decrypts results and compares them with what was bootstrapped.
    pub(crate) fn errors(
        &self,
        results: &[CkksCiphertext],
        low: &Low,
        kind: BootstrapKind,
    ) -> Result<Errors, BootstrapBenchError> {
        let mut errors = Errors { parts: Vec::new(), predicted: 0.0 };
        for result in results {
            errors.predicted = errors.predicted.max(result.error_bound());
            let found: Vec<Complex64> = self.secret.decrypt_as(result)?;
            for (found, held) in found.into_iter().zip(&low.held) {
                errors.parts.push((found.re - held.re).abs());
                if kind == BootstrapKind::Complex {
                    errors.parts.push((found.im - held.im).abs());
                }
            }
        }
        Ok(errors)
    }

    fn row(&mut self, kind: BootstrapKind, threads: usize) -> Result<BootstrapRow, BootstrapBenchError> {
        let imaginary = if kind == BootstrapKind::Complex { 1.0 } else { 0.0 };
        let is_bits = self.set == BootstrapSet::Bits;
        let part = |x: f64| if is_bits { f64::from(u8::from(x > 0.0)) } else { 0.7 * x };
        let z = |re: f64, im: f64| Complex64::new(part(re), part(im) * imaginary);
        let bound = if is_bits && kind == BootstrapKind::Complex { SQRT_2 } else { 1.0 };
        let sign = |j: f64| if j % 2.0 == 0.0 { 1.0 } else { -1.0 };
        let messages: [&dyn Fn(f64) -> Complex64; 3] =
            [&|j| z((j * j * 1.7).sin(), (j * j * 0.31).cos()), &|_| z(1.0, 1.0), &|j| z(sign(j), -sign(j))];
        let mut seconds = Vec::new();
        let mut errors = Errors { parts: Vec::new(), predicted: 0.0 };
        for message in messages {
            let low = self.low(message, bound)?;
            let start = Instant::now();
            let results = self.bootstrap(&low, kind)?;
            seconds.push(start.elapsed().as_secs_f64());
            errors = errors.join(self.errors(&results, &low, kind)?);
        }
        errors.check(self.set)?;
        let (worst, predicted) = (errors.worst(), errors.predicted);
        let mean = errors.parts.iter().sum::<f64>() / errors.parts.len() as f64;
        seconds.sort_by(f64::total_cmp);
        let rlwe = self.params.rlwe();
        let shape = self.params.literal().bootstrap.as_ref().expect("the sets have one");
        let (lowest, Level(highest)) = (shape.lowest_level(), self.params.max_level());
        let levels_left = highest - lowest.0;
        let modulus_bits_left = rlwe.q(Level(highest)).range(lowest.0 + 1..highest + 1).log2_product();
        let parts = match kind {
            BootstrapKind::Real => 1.0,
            BootstrapKind::Complex | BootstrapKind::Pair => 2.0,
        };
        let bits_mean = -mean.log2();
        let throughput = parts * self.slots as f64 * levels_left as f64 * bits_mean / seconds[0];
        Ok(BootstrapRow {
            set: self.set.name(),
            kind,
            ring_degree: rlwe.ring_degree(),
            slots: self.slots,
            threads,
            low_memory: self.low_memory,
            seconds: seconds[0],
            seconds_median: seconds[1],
            bits_worst: -worst.log2(),
            bits_mean,
            bits_predicted: -predicted.log2(),
            levels_left,
            modulus_bits_left,
            throughput,
            key_bytes: self.key_bytes(),
            key_seconds: self.key_seconds,
            peak_bytes: memory::peak_bytes(),
            log2_failure: self.bootstrapper.log2_failure(),
            security_bits: rlwe.security_bits(),
        })
    }
}

impl BootstrapReport {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {}\n\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:4} {:8} {:>6} {:>7} {:>7} {:>8} {:>6} {:>6} {:>9} {:>7} {:>10} {:>8} {:>9} {:>8}",
            "set",
            "kind",
            "slots",
            "threads",
            "keys in",
            "seconds",
            "worst",
            "mean",
            "predicted",
            "levels",
            "bits left",
            "GB keys",
            "GB peak",
            "failure"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:4} {:8} {:>6} {:>7} {:>7} {:>8.2} {:>6.1} {:>6.1} {:>9.1} {:>7} {:>10.0} {:>8.2} {:>9} {:>8}",
                row.set,
                format!("{:?}", row.kind).to_lowercase(),
                row.slots,
                row.threads,
                if row.low_memory { "file" } else { "memory" },
                row.seconds,
                row.bits_worst,
                row.bits_mean,
                row.bits_predicted,
                row.levels_left,
                row.modulus_bits_left,
                row.key_bytes as f64 / 1e9,
                row.peak_bytes.map_or("?".into(), |bytes| format!("{:.2}", bytes as f64 / 1e9)),
                format!("2^{:.0}", row.log2_failure)
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "slow"]
    fn every_way_of_bootstrapping_gives_its_row() {
        let settings = Settings { backends: vec![Backend::detect().unwrap()], quick: false };
        let told = std::cell::Cell::new((0, 0));
        let settings = BootstrapSettings { settings, sets: Vec::new(), threads: 2 };
        let report = bootstrap_at(&settings, |_| 1 << 10, &|done, all| told.set((done, all))).unwrap();
        assert_eq!((report.rows.len(), told.get()), (42, (42, 42)));
        for row in &report.rows {
            assert!(row.bits_worst > row.bits_predicted && row.bits_mean > row.bits_worst, "{row:?}");
            let least = match row.set {
                "n15" => (4, 127.0),
                "bits" => (24, 815.0),
                "d60" => (8, 479.0),
                "s40" => (17, 688.0),
                _ => (10, 440.0),
            };
            assert!(row.levels_left >= least.0 && row.modulus_bits_left > least.1 && row.seconds > 0.0);
            assert!(row.log2_failure < -132.0 && row.key_bytes > 1 << 20 && row.security_bits < 128);
        }
        assert_eq!(report.text().lines().count(), 3 + report.rows.len());
    }

    #[test]
    fn a_quick_look_at_bootstrapping_gives_a_row_of_the_set_asked_for() {
        let quick = Settings { backends: vec![Backend::detect().unwrap()], quick: true };
        for (sets, first) in [(Vec::new(), "a42"), (vec![BootstrapSet::N15], "n15")] {
            let settings = BootstrapSettings { settings: quick.clone(), sets, threads: 2 };
            let report = bootstrap_at(&settings, |_| 1 << 10, &|_, _| ()).unwrap();
            let row = &report.rows[0];
            assert_eq!((report.rows.len(), row.set, row.threads, row.low_memory), (1, first, 1, false));
        }
    }
}
