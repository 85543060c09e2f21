//! Transforms modulo a prime, beside `tfhe-ntt`.

use std::fmt::Write;

use asanoha_bench::{Effort, Operation, Words, compare, residues, transform};
use asanoha_kernels::{Backend, Modulus, NttTable, primes_congruent_to_one};
use serde::Serialize;
use tfhe_ntt::prime64::Plan;

const PRIME_BITS: [u32; 4] = [46, 48, 50, 60];
const LOG2_DEGREES: std::ops::RangeInclusive<u32> = 12..=16;

/// One transform of both sides. Ratios are the peer's cycles over ours: above 1 ours is faster.
#[derive(Serialize)]
pub(crate) struct Row {
    operation: &'static str,
    ring_degree: usize,
    prime_bits: u32,
    kernels: &'static str,
    ns_min: f64,
    ns_median: f64,
    peer_ns_min: f64,
    peer_ns_median: f64,
    /// Of the fewest paired cycles.
    ratio: f64,
    /// Of the times in the middle.
    ratio_of_medians: f64,
    /// With the peer's own multiplication by 1/N in its time; of inverse transforms.
    ratio_normalised: Option<f64>,
}

pub(crate) fn rows(effort: Effort) -> Vec<Row> {
    let mut rows = Vec::new();
    for prime_bits in PRIME_BITS {
        for length in LOG2_DEGREES.map(|log2| 1usize << log2) {
            let both = Both::new(prime_bits, length);
            both.check();
            rows.push(both.forward(effort));
            rows.push(both.inverse(effort));
        }
    }
    rows
}

/// The same prime on both sides.
struct Both {
    backend: Backend,
    prime_bits: u32,
    length: usize,
    table: NttTable,
    peer: Plan,
}

impl Both {
    fn new(prime_bits: u32, length: usize) -> Self {
        let prime = primes_congruent_to_one(prime_bits, 2 * length as u64, 1, &[]).expect("there is one")[0];
        let modulus = Modulus::new(prime).expect("primes of this width are moduli");
        Self {
            backend: *Backend::available().last().expect("scalar is always available"),
            prime_bits,
            length,
            table: NttTable::new(modulus, length).expect("the prime is congruent to 1"),
            peer: Plan::try_new(length, prime).expect("the prime is congruent to 1"),
        }
    }

    fn words(&self) -> Words {
        residues(self.table.modulus(), self.length, 0)
    }

    /// Both sides go there and back, and give canonical residues on the way.
    fn check(&self) {
        let kernels = self.backend.kernels(self.prime_bits);
        let q = self.table.modulus();
        let (mut ours, mut theirs) = (self.words(), self.words());
        (kernels.ntt_forward)(&mut ours, &self.table);
        self.peer.fwd(&mut theirs);
        assert!(ours.iter().chain(theirs.iter()).all(|&word| word < q.value()));
        let (mut sorted, mut their_sorted) = (ours.to_vec(), theirs.to_vec());
        sorted.sort_unstable();
        their_sorted.sort_unstable();
        assert!(sorted == their_sorted, "the values at all points are the same, in whatever order");
        (kernels.ntt_inverse)(&mut ours, &self.table);
        self.peer.inv(&mut theirs);
        self.peer.normalize(&mut theirs);
        assert!(*ours == *self.words() && *theirs == *self.words());
    }

    fn forward(&self, effort: Effort) -> Row {
        let kernels = self.backend.kernels(self.prime_bits);
        let (mut ours, mut theirs) = (self.words(), self.words());
        let kernel = transform(kernels, Operation::NttForward);
        let mut our_work = || kernel(&mut ours, &self.table);
        let figures = compare(effort, [&mut our_work, &mut || self.peer.fwd(&mut theirs)]);
        self.row("forward", &figures)
    }

    fn inverse(&self, effort: Effort) -> Row {
        let kernels = self.backend.kernels(self.prime_bits);
        let (mut ours, mut theirs, mut scaled) = (self.words(), self.words(), self.words());
        let kernel = transform(kernels, Operation::NttInverse);
        let mut our_work = || kernel(&mut ours, &self.table);
        let figures = compare(
            effort,
            [&mut our_work, &mut || self.peer.inv(&mut theirs), &mut || {
                self.peer.inv(&mut scaled);
                self.peer.normalize(&mut scaled);
            }],
        );
        let normalised = Some(figures[2].cycles / figures[0].cycles);
        Row { ratio_normalised: normalised, ..self.row("inverse", &figures) }
    }

    fn row(&self, operation: &'static str, figures: &[asanoha_bench::Figures]) -> Row {
        let (ours, theirs) = (figures[0], figures[1]);
        Row {
            operation,
            ring_degree: self.length,
            prime_bits: self.prime_bits,
            kernels: self.backend.kernels(self.prime_bits).name,
            ns_min: ours.ns_min,
            ns_median: ours.ns_median,
            peer_ns_min: theirs.ns_min,
            peer_ns_median: theirs.ns_median,
            ratio: theirs.cycles / ours.cycles,
            ratio_of_medians: theirs.ns_median / ours.ns_median,
            ratio_normalised: None,
        }
    }
}

pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:8} {:>4} {:>6}  {:10} {:>10} {:>12} {:>7} {:>11} {:>14}\n",
        "NTT", "bits", "N", "kernels", "ours, µs", "tfhe-ntt, µs", "ratio", "of medians", "with their 1/N"
    );
    for row in rows {
        let normalised = row.ratio_normalised.map_or_else(String::new, |ratio| format!("{ratio:.3}"));
        let _ = writeln!(
            text,
            "{:8} {:>4} {:>6}  {:10} {:>10.2} {:>12.2} {:>7.3} {:>11.3} {normalised:>14}",
            row.operation,
            row.prime_bits,
            row.ring_degree,
            row.kernels,
            row.ns_min / 1e3,
            row.peer_ns_min / 1e3,
            row.ratio,
            row.ratio_of_medians
        );
    }
    text
}
