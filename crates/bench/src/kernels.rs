//! `asanoha bench kernels`: every loop over words of every back-end, and the transforms at the same degrees.

use asanoha_kernels::NttTable;

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
        let table = NttTable::new(modulus, length).expect("the prime is congruent to 1");
        let mut words = residues(&modulus, length, 0);
        for operation in [Operation::NttForward, Operation::NttInverse] {
            row(operation, 0, &mut transform(&mut words, kernels, &table, operation));
        }
        tell(done + 1, cases.len());
    }
    Report { machine, rows }
}
