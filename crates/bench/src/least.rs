//! `asanoha bench schemes --limit`: the least time of products and rotations. It's counted how many transforms, rows of base
//! conversions, inner products and passes the best known algorithm needs, each at the speed of its kernel in near caches; and how
//! many bytes of keys are read, at the speed at which memory gives as many. The larger of the two times is the least.

use std::{collections::BTreeMap, fmt::Write, ops::Range};

use asanoha_kernels::{Backend, NttTable, PackedWords, SwitchTerm};
use asanoha_lattice::{Level, RlweParams};
use serde::Serialize;

use crate::{
    Operands, Operation, SchemeName,
    chain::{Measured, ROTATIONS},
    measure::{Effort, measure},
    ntt::modulus,
    operation::{residues, transform},
};

/// The part of N words that loops over words are measured on: operands stay in the second-level cache.
const PART: usize = 16;

/// The width of the primes that loops over words are measured with: back-ends have the same ones for all narrower primes.
const WORD_BITS: u32 = 50;

/// The most bytes of keys that are read to measure the memory.
const MOST_BYTES: usize = 1 << 28;

/// The least time of an operation, if the threads share it evenly, beside the taken one, in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct LeastRow {
    /// The scheme.
    pub scheme: SchemeName,
    /// The depth that the parameters are for.
    pub depth: usize,
    /// `product` (of two ciphertexts, relinearised and, in BGV and CKKS, switched or rescaled), `rotation`, or `hoisted`: one of
    /// 15 rotations of one ciphertext.
    pub operation: &'static str,
    /// The larger of the times for computing and for reading keys.
    pub least_ms: f64,
    /// The measured time.
    pub taken_ms: f64,
    /// The least time over the taken one.
    pub share: f64,
    /// The part of the transforms.
    pub transforms_ms: f64,
    /// The number of transforms of one prime that are needed.
    pub transforms: f64,
    /// The number of transforms that are computed.
    pub taken_transforms: f64,
    /// The part of base conversions.
    pub conversions_ms: f64,
    /// The part of inner products with keys.
    pub inner_products_ms: f64,
    /// The part of passes over words: products, sums, scaling.
    pub passes_ms: f64,
    /// The time for reading the keys.
    pub keys_ms: f64,
}

/// What is measured, each once: milliseconds for N words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kernel {
    /// A transform modulo a prime of so many bits.
    Forward(u32),
    Inverse(u32),
    /// A row of a base conversion from so many rows.
    Row(usize),
    /// The quotients of a base conversion from so many primes.
    Quotients(usize),
    /// Both sums of a key switch over so many digits.
    Switch(usize),
    /// A sum of so many products.
    Products(usize),
    MulScalar,
    FmaScalar,
    SubMulScalar,
    Add,
    /// Reading so many bytes.
    Read(usize),
}

/// The speeds of one back-end at one ring degree.
pub(crate) struct Speeds {
    backend: Backend,
    ring_degree: usize,
    effort: Effort,
    known: BTreeMap<Kernel, f64>,
}

impl Speeds {
    pub(crate) fn new(backend: Backend, ring_degree: usize, effort: Effort) -> Self {
        Self { backend, ring_degree, effort, known: BTreeMap::new() }
    }

    fn of(&mut self, kernel: Kernel) -> f64 {
        if let Some(known) = self.known.get(&kernel) {
            return *known;
        }
        let ms = self.measured(kernel);
        self.known.insert(kernel, ms);
        ms
    }

    fn measured(&self, kernel: Kernel) -> f64 {
        let (n, part) = (self.ring_degree, self.ring_degree / PART);
        let words = |operation, terms| {
            let mut operands = Operands::new(modulus(WORD_BITS, n), part, terms);
            let kernels = self.backend.kernels(WORD_BITS);
            measure(self.effort, operands.call(kernels, operation)).ns_min * PART as f64
        };
        let ns = match kernel {
            Kernel::Forward(bits) => self.transform(Operation::NttForward, bits),
            Kernel::Inverse(bits) => self.transform(Operation::NttInverse, bits),
            Kernel::Row(rows) => words(Operation::WeightedSum, rows),
            Kernel::Quotients(rows) => words(Operation::RoundedSum, rows),
            Kernel::Products(pairs) => words(Operation::InnerProduct, pairs),
            Kernel::MulScalar => words(Operation::MulScalar, 1),
            Kernel::FmaScalar => words(Operation::FmaScalar, 1),
            Kernel::SubMulScalar => words(Operation::SubMulScalar, 1),
            Kernel::Add => words(Operation::Add, 1),
            Kernel::Switch(digits) => self.switch(digits) * PART as f64,
            Kernel::Read(bytes) => self.read(bytes),
        };
        ns / 1e6
    }

    fn transform(&self, operation: Operation, bits: u32) -> f64 {
        let modulus = modulus(bits, self.ring_degree);
        let table = NttTable::new(modulus, self.ring_degree).expect("the prime is congruent to 1");
        let mut words = residues(&modulus, self.ring_degree, 0);
        let kernel = transform(self.backend.kernels(bits), operation);
        measure(self.effort, || kernel(&mut words, &table)).ns_min
    }

    fn switch(&self, digits: usize) -> f64 {
        let (modulus, part) = (modulus(WORD_BITS, self.ring_degree), self.ring_degree / PART);
        let words: Vec<_> = (0..3 * digits as u64 + 2).map(|salt| residues(&modulus, part, salt)).collect();
        let (digits, keys) = words[2..].split_at(digits);
        let digits: Vec<&[u64]> = digits.iter().map(|digit| &**digit).collect();
        let keys: Vec<[PackedWords<'_>; 2]> =
            keys.chunks_exact(2).map(|pair| [0, 1].map(|half| PackedWords::from(&*pair[half]))).collect();
        let [mut first, mut second] = [0, 1].map(|half| words[half].to_vec());
        let term = SwitchTerm { permutation: None, addends: [None; 2], digits: &digits, keys: &keys };
        let kernels = self.backend.kernels(WORD_BITS);
        measure(self.effort, || (kernels.switch_sum)([&mut first, &mut second], &[term], &modulus)).ns_min
    }

    /// Nanoseconds for reading so many bytes, over and over: from the cache that holds them.
    fn read(&self, bytes: usize) -> f64 {
        let words = vec![1u64; bytes.min(MOST_BYTES) / size_of::<u64>()];
        let read = || {
            let lanes = words.chunks_exact(8).fold([0u64; 8], |mut sums, words| {
                sums.iter_mut().zip(words).for_each(|(sum, word)| *sum ^= word);
                sums
            });
            std::hint::black_box(lanes);
        };
        measure(self.effort, read).ns_min * bytes as f64 / (words.len() * size_of::<u64>()).max(1) as f64
    }
}

/// What an operation takes at least.
#[derive(Clone, Copy, Debug, Default)]
struct Least {
    transforms: f64,
    transforms_ms: f64,
    conversions_ms: f64,
    inner_products_ms: f64,
    passes_ms: f64,
    key_bytes: f64,
}

impl Least {
    /// The times on the threads of the current pool, if they share the work evenly.
    fn shared(self) -> Self {
        Self::default().plus(self, 1.0 / rayon::current_num_threads() as f64)
    }

    fn plus(self, other: Self, factor: f64) -> Self {
        Self {
            transforms: self.transforms + factor * other.transforms,
            transforms_ms: self.transforms_ms + factor * other.transforms_ms,
            conversions_ms: self.conversions_ms + factor * other.conversions_ms,
            inner_products_ms: self.inner_products_ms + factor * other.inner_products_ms,
            passes_ms: self.passes_ms + factor * other.passes_ms,
            key_bytes: self.key_bytes + factor * other.key_bytes,
        }
    }
}

/// The counts at one level of parameters.
pub(crate) struct Counter<'a> {
    speeds: &'a mut Speeds,
    /// The widths of the ciphertext primes and of the special ones.
    q: Vec<u32>,
    p: Vec<u32>,
    digits: Vec<Range<usize>>,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(speeds: &'a mut Speeds, rlwe: &RlweParams, level: Level) -> Self {
        let widths =
            |basis: &asanoha_ring::Basis| basis.primes().map(|q| q.ilog2() + 1).collect::<Vec<u32>>();
        let (q, p) = (widths(rlwe.q(level)), widths(rlwe.special(level)));
        let width = rlwe.digit_primes(level);
        let digits = (0..q.len()).step_by(width).map(|start| start..(start + width).min(q.len())).collect();
        Self { speeds, q, p, digits }
    }

    fn transforms(&mut self, kernel: impl Fn(u32) -> Kernel, widths: &[u32]) -> Least {
        let ms = widths.iter().map(|&bits| self.speeds.of(kernel(bits))).sum();
        Least { transforms: widths.len() as f64, transforms_ms: ms, ..Least::default() }
    }

    fn passes(&mut self, kernel: Kernel, count: usize) -> Least {
        Least { passes_ms: self.speeds.of(kernel) * count as f64, ..Least::default() }
    }

    /// The yᵢ and v of the residues modulo some primes, and rows of the conversion.
    fn conversion(&mut self, from: &[u32], rows: usize) -> Least {
        let prepared = self.speeds.of(Kernel::MulScalar) * from.len() as f64
            + self.speeds.of(Kernel::Quotients(from.len()));
        let rows = self.speeds.of(Kernel::Row(from.len() + 1)) * rows as f64;
        Least { conversions_ms: prepared + rows, ..Least::default() }
    }

    /// Digits, extended to all primes.
    fn decomposition(&mut self) -> Least {
        let (q, p) = (self.q.clone(), self.p.clone());
        let mut least = self.transforms(Kernel::Inverse, &q);
        for own in self.digits.clone() {
            let others: Vec<u32> = [&q[..own.start], &q[own.end..], &p].concat();
            least = least.plus(self.conversion(&q[own], others.len()), 1.0);
            least = least.plus(self.transforms(Kernel::Forward, &others), 1.0);
        }
        least
    }

    /// The products of the digits with a key.
    fn inner_product(&mut self) -> Least {
        let primes = self.q.len() + self.p.len();
        let bits: u32 = self.q.iter().chain(&self.p).sum();
        let bytes = 2 * self.digits.len() * bits as usize * self.speeds.ring_degree / 8;
        let ms = self.speeds.of(Kernel::Switch(self.digits.len())) * primes as f64;
        Least { inner_products_ms: ms, key_bytes: bytes as f64, ..Least::default() }
    }

    /// The division of both sums by P and by the last `dropped` primes, and the addition of a polynomial to each of `added` sums.
    fn division(&mut self, dropped: usize, added: usize) -> Least {
        let kept = self.q.len() - dropped;
        let from: Vec<u32> = [&self.q[kept..], &self.p].concat();
        let kept_widths = self.q[..kept].to_vec();
        let one = self
            .transforms(Kernel::Inverse, &from)
            .plus(self.conversion(&from, kept), 1.0)
            .plus(self.transforms(Kernel::Forward, &kept_widths), 1.0)
            .plus(self.passes(Kernel::SubMulScalar, kept), 1.0);
        let kernel = if dropped == 0 { Kernel::Add } else { Kernel::FmaScalar };
        let addition = self.passes(kernel, if dropped == 0 { kept } else { kept + dropped });
        Least::default().plus(one, 2.0).plus(addition, added as f64)
    }

    /// The tensor product of two ciphertexts.
    fn tensor(&mut self) -> Least {
        let primes = self.q.len();
        let outer = self.passes(Kernel::Products(1), 2 * primes);
        outer.plus(self.passes(Kernel::Products(2), primes), 1.0)
    }

    /// The tensor product scaled by t/Q, by way of as many auxiliary primes (Kim, Polyakov, Zucca 2021).
    fn scaled_tensor(&mut self) -> Least {
        let (q, primes) = (self.q.clone(), self.q.len());
        let inverse = self.transforms(Kernel::Inverse, &q);
        let forward = self.transforms(Kernel::Forward, &q);
        let conversion = self.conversion(&q, primes);
        let products = self.passes(Kernel::Products(1), 6 * primes);
        // Four polynomials to coefficients, four to the auxiliary primes, three products back, two operands and three products to Q.
        Least::default()
            .plus(inverse, 4.0 + 3.0)
            .plus(forward, 4.0 + 2.0 + 3.0)
            .plus(conversion, 9.0)
            .plus(products, 1.0)
            .plus(self.passes(Kernel::Products(2), 2 * primes), 1.0)
    }

    /// A product that drops so many primes.
    fn product(&mut self, scheme: SchemeName, dropped: usize) -> Least {
        let tensor = if scheme == SchemeName::Bfv { self.scaled_tensor() } else { self.tensor() };
        let switch = self.decomposition().plus(self.inner_product(), 1.0);
        tensor.plus(switch, 1.0).plus(self.division(dropped, 2), 1.0)
    }

    /// One of so many rotations of one ciphertext.
    fn rotation(&mut self, hoisted: usize) -> Least {
        let each = self.inner_product().plus(self.division(0, 1), 1.0);
        each.plus(self.decomposition(), 1.0 / hoisted as f64)
    }

    /// The rows of all operations.
    pub(crate) fn rows(
        &mut self,
        (scheme, depth): (SchemeName, usize),
        measured: &Measured,
    ) -> Vec<LeastRow> {
        let taken = measured.operations.as_ref().expect("they were measured");
        let [product, rotation, hoisted] = taken.transforms;
        let operations = [
            ("product", self.product(scheme, measured.dropped), taken.product_ms, product, 1),
            ("rotation", self.rotation(1), measured.timings.rotate_ms, rotation, 1),
            ("hoisted", self.rotation(ROTATIONS), taken.hoisted_rotation_ms, hoisted, ROTATIONS),
        ];
        operations
            .map(|(operation, least, taken_ms, taken_transforms, keys)| {
                // All keys of a group are read before the first of them is read again.
                let least =
                    Least { transforms: least.transforms, key_bytes: least.key_bytes, ..least.shared() };
                let keys_ms = self.speeds.of(Kernel::Read(least.key_bytes as usize * keys)) / keys as f64;
                let computing =
                    least.transforms_ms + least.conversions_ms + least.inner_products_ms + least.passes_ms;
                let least_ms = computing.max(keys_ms);
                LeastRow {
                    scheme,
                    depth,
                    operation,
                    least_ms,
                    taken_ms,
                    share: least_ms / taken_ms,
                    transforms_ms: least.transforms_ms,
                    transforms: least.transforms,
                    taken_transforms,
                    conversions_ms: least.conversions_ms,
                    inner_products_ms: least.inner_products_ms,
                    passes_ms: least.passes_ms,
                    keys_ms,
                }
            })
            .into()
    }
}

/// A table for human readers.
pub(crate) fn text(rows: &[LeastRow]) -> String {
    let mut text = format!(
        "\n{:6} {:>5} {:9} {:>8} {:>8} {:>6} {:>18} {:>12} {:>15} {:>7} {:>7}\n",
        "scheme",
        "depth",
        "operation",
        "least",
        "taken",
        "share",
        "transforms",
        "conversions",
        "inner products",
        "passes",
        "keys"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "{:6} {:>5} {:9} {:>8.2} {:>8.2} {:>6.2} {:>18} {:>12.2} {:>15.2} {:>7.2} {:>7.2}",
            row.scheme.name(),
            row.depth,
            row.operation,
            row.least_ms,
            row.taken_ms,
            row.share,
            format!("{:.2} ({:.0}, {:.0})", row.transforms_ms, row.transforms, row.taken_transforms),
            row.conversions_ms,
            row.inner_products_ms,
            row.passes_ms,
            row.keys_ms
        );
    }
    text
}
