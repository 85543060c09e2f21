//! `asanoha bench kernels`: every loop over words of every back-end, and the transforms at the same degrees.

use asanoha_kernels::{Kernels, Modulus, NttTable, primes_congruent_to_one};

use crate::{
    Machine, Operation, Report, Row, Settings, Tell,
    limit::Task,
    measure::measure,
    ntt::{modulus, own_widths},
    operation::{Operands, residues, transform},
};

const PRIME_BITS: [u32; 2] = [50, 60];

/// Two operands of these degrees have 16 KiB, within the first-level cache; 128 KiB, within the second-level cache; and
/// 512 KiB, about half within the second-level cache.
const DEGREES: [usize; 3] = [1 << 10, 1 << 13, 1 << 15];

/// The number of terms of sums: as many as a key has digits, and as a wide basis has primes.
const TERMS: [usize; 2] = [3, 15];

/// The numbers of primes through which transforms cycle. The words and roots of one prime stay in a near cache. A product at depth
/// 10 has about 15 primes, a bootstrapping 30 and more.
const CYCLES: [usize; 4] = [1, 15, 30, 60];

/// Measures all operations by degree and width.
pub fn kernels(settings: &Settings, tell: Tell<'_>) -> Report {
    let machine = Machine::this(&settings.backends);
    let degrees = if settings.quick { &DEGREES[..1] } else { &DEGREES };
    let mut cases = Vec::new();
    for &backend in &settings.backends {
        for prime_bits in own_widths(backend, &PRIME_BITS) {
            cases.extend(degrees.iter().map(|&length| (backend, prime_bits, length)));
        }
    }
    let mut rows = Vec::new();
    for (done, &(backend, prime_bits, length)) in cases.iter().enumerate() {
        let (modulus, kernels) = (modulus(prime_bits, length), backend.kernels(prime_bits));
        let mut row = |operation: Operation, terms: usize, work: &mut dyn FnMut()| {
            let figures = measure(settings.effort(), work);
            let task = Task { backend, operation, length, prime_bits, terms };
            rows.push(Row::new(&task, &machine, &figures));
        };
        for operation in Operation::WORDS {
            let terms = if operation.has_terms() { &TERMS[..] } else { &[1] };
            for &terms in terms {
                let mut operands = Operands::new(modulus, length, terms);
                row(operation, terms, &mut operands.call(kernels, operation));
            }
        }
        let mut cycle = Cycle::new(prime_bits, length);
        for operation in [Operation::NttForward, Operation::NttInverse] {
            for primes in CYCLES {
                let figures = measure(settings.effort(), cycle.call(kernels, operation, primes));
                let task = Task { backend, operation, length, prime_bits, terms: 0 };
                rows.push(Row { l: Some(primes), ..Row::new(&task, &machine, &figures) });
            }
        }
        tell(done + 1, cases.len());
    }
    Report { machine, rows }
}

/// Polynomials modulo primes that a transform takes one after another, as an operation on a wide modulus does.
struct Cycle {
    tables: Vec<NttTable>,
    words: Vec<Vec<u64>>,
}

impl Cycle {
    fn new(prime_bits: u32, length: usize) -> Self {
        let most = CYCLES[CYCLES.len() - 1];
        let moduli =
            primes_congruent_to_one(prime_bits, 2 * length as u64, most, &[]).expect("there are as many");
        let moduli: Vec<Modulus> = moduli
            .into_iter()
            .map(|prime| Modulus::new(prime).expect("primes of this width are moduli"))
            .collect();
        Self {
            tables: moduli
                .iter()
                .map(|modulus| NttTable::new(*modulus, length).expect("the prime is congruent to 1"))
                .collect(),
            words: moduli.iter().map(|modulus| residues(modulus, length, 0).to_vec()).collect(),
        }
    }

    /// The next transform at each call.
    fn call<'a>(
        &'a mut self,
        kernels: &'static Kernels,
        operation: Operation,
        primes: usize,
    ) -> impl FnMut() + 'a {
        let kernel = transform(kernels, operation);
        let mut next = 0;
        move || {
            kernel(&mut self.words[next], &self.tables[next]);
            next = (next + 1) % primes;
        }
    }
}
