//! `asanoha bench ntt`: the transforms of every back-end.

use asanoha_kernels::{Backend, Modulus, NttTable, primes_congruent_to_one};

use crate::{
    Machine, Operation, Report, Row, Settings, Tell,
    limit::Task,
    measure::measure,
    operation::{residues, transform},
};

/// The widths of primes, in bits, at which the laziness of the loops changes.
pub const PRIME_BITS: [u32; 4] = [46, 48, 50, 60];

const LOG2_DEGREES: std::ops::RangeInclusive<u32> = 10..=16;
const QUICK_LOG2_DEGREES: std::ops::RangeInclusive<u32> = 12..=13;

/// The widths for which a back-end has kernels of its own.
pub(crate) fn own_widths(backend: Backend, widths: &[u32]) -> Vec<u32> {
    widths.iter().copied().filter(|&bits| backend.kernels(bits).name == backend.name()).collect()
}

/// The largest prime of a width that has an NTT of a ring degree.
pub(crate) fn modulus(prime_bits: u32, ring_degree: usize) -> Modulus {
    let primes = primes_congruent_to_one(prime_bits, 2 * ring_degree as u64, 1, &[]);
    Modulus::new(primes.expect("there is one")[0]).expect("primes of this width are moduli")
}

/// Measures forward and inverse transforms by degree and width.
pub fn ntt(settings: &Settings, tell: Tell<'_>) -> Report {
    let machine = Machine::this(&settings.backends);
    let degrees = if settings.quick { QUICK_LOG2_DEGREES } else { LOG2_DEGREES };
    let mut cases = Vec::new();
    for &backend in &settings.backends {
        for prime_bits in own_widths(backend, &PRIME_BITS) {
            cases.extend(degrees.clone().map(|log2| (backend, prime_bits, 1usize << log2)));
        }
    }
    let mut rows = Vec::new();
    for (done, &(backend, prime_bits, length)) in cases.iter().enumerate() {
        let modulus = modulus(prime_bits, length);
        let table = NttTable::new(modulus, length).expect("the prime is congruent to 1");
        let mut words = residues(&modulus, length, 0);
        for operation in [Operation::NttForward, Operation::NttInverse] {
            let kernel = transform(backend.kernels(prime_bits), operation);
            let figures = measure(settings.effort(), || kernel(&mut words, &table));
            let task = Task { backend, operation, length, prime_bits, terms: 0 };
            rows.push(Row::new(&task, &machine, &figures));
        }
        tell(done + 1, cases.len());
    }
    Report { machine, rows }
}
