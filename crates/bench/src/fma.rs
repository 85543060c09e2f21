//! `asanoha bench fma`: c + a·b in one call against a multiplication and an addition, by ring degree and number of
//! primes.
//!
//! The sweep is that of Figure 1 of Inoue, Suzuki, Yamana on trace-type functions with AVX-512 (DEIM Forum 2022, J41-4,
//! in Japanese): log2(N) from 10 to 15 and 1 to 15 primes, with a call for each prime. Multiplication and addition are
//! done as fast as possible: in place, without a temporary or a copy, and each prime's addition right after its
//! multiplication, while its words are still in the cache.

use asanoha_kernels::{Backend, Kernels, Modulus, primes_congruent_to_one};

use crate::{
    Figures, Machine, Operation, Report, Row, Settings, Tell,
    limit::Task,
    measure::compare,
    operation::{Words, residues},
    report::Comparison,
};

const LOG2_DEGREES: std::ops::RangeInclusive<u32> = 10..=15;
const MAX_PRIMES: usize = 15;

/// The width in bits of the paper's primes; back-ends that don't support it take their widest.
const PRIME_BITS: u32 = 60;

/// The operands for all points: a, b and c of every prime, one after another.
struct Operands {
    moduli: Vec<Modulus>,
    a: Words,
    b: Words,
    c: Words,
    /// The sum that the two calls compute; the fused call has `c`, so that both work on equally many bytes.
    product: Words,
}

impl Operands {
    fn new(prime_bits: u32) -> Self {
        let length = 1 << LOG2_DEGREES.end();
        let primes = primes_congruent_to_one(prime_bits, 2 * length as u64, MAX_PRIMES, &[]);
        let primes = primes.expect("there are enough of this width");
        let moduli: Vec<Modulus> = primes
            .into_iter()
            .map(|prime| Modulus::new(prime).expect("primes of this width are moduli"))
            .collect();
        // Residues below every prime, so that any part of the words is valid modulo any prime.
        let smallest = moduli.last().expect("there are some");
        let words = |salt| residues(smallest, length * MAX_PRIMES, salt);
        let (a, b, c, product) = (words(0), words(1), words(2), words(3));
        Self { moduli, a, b, c, product }
    }

    /// Measures the fused operation and the two plain ones, in turns.
    fn compare(&mut self, settings: &Settings, kernels: &Kernels, degree: usize, l: usize) -> [Figures; 2] {
        let Self { moduli, a, b, c, product } = self;
        let (moduli, words) = (&moduli[..l], degree * l);
        let (a, b) = (&a[..words], &b[..words]);
        let mut fused = || {
            let limbs =
                c[..words].chunks_exact_mut(degree).zip(a.chunks_exact(degree)).zip(b.chunks_exact(degree));
            for (((c, a), b), q) in limbs.zip(moduli) {
                (kernels.fma_assign)(c, a, b, q);
            }
        };
        let mut plain = || {
            let limbs = product[..words]
                .chunks_exact_mut(degree)
                .zip(a.chunks_exact(degree))
                .zip(b.chunks_exact(degree));
            for (((product, a), b), q) in limbs.zip(moduli) {
                (kernels.mul_assign)(product, b, q);
                (kernels.add_assign)(product, a, q);
            }
        };
        compare(settings.effort(), [&mut fused, &mut plain])
    }
}

fn prime_bits(backend: Backend) -> u32 {
    if backend.kernels(PRIME_BITS).name == backend.name() { PRIME_BITS } else { backend.kernels(50).max_bits }
}

/// Measures the sweep on every back-end.
pub fn fma(settings: &Settings, tell: Tell<'_>) -> Report {
    let machine = Machine::this(&settings.backends);
    let degrees: Vec<usize> = LOG2_DEGREES.map(|log2| 1 << log2).collect();
    let all = settings.backends.len() * degrees.len() * MAX_PRIMES;
    let mut rows = Vec::new();
    for &backend in &settings.backends {
        let prime_bits = prime_bits(backend);
        let mut operands = Operands::new(prime_bits);
        for &degree in &degrees {
            for l in 1..=MAX_PRIMES {
                let [fused, plain] = operands.compare(settings, backend.kernels(prime_bits), degree, l);
                let task =
                    Task { backend, operation: Operation::Fma, length: degree * l, prime_bits, terms: 1 };
                let comparison = Comparison {
                    mul_add_ns_min: plain.ns_min,
                    mul_add_ns_median: plain.ns_median,
                    ratio: fused.cycles / plain.cycles,
                };
                rows.push(Row {
                    ring_degree: degree,
                    l: Some(l),
                    comparison: Some(comparison),
                    ..Row::new(&task, &machine, &fused)
                });
                tell(rows.len(), all);
            }
        }
    }
    Report { machine, rows }
}
