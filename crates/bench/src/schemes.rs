//! BGV and BFV at t = 65537 and CKKS side by side: chains of squarings and rotations at the ring degree at which other
//! libraries are measured too.

use std::fmt::Write;

use asanoha_lattice::security_bits;
use serde::Serialize;

use crate::{
    Machine, PLAINTEXT_MODULUS, RING_DEGREE, Settings, Tell,
    chain::{Chain, Measured, PRECISION_BITS, SchemeName},
    hoisted::{HoistedRow, hoisted},
    least::{Counter, LeastRow, Speeds, text as least_text},
    wide::{WideRow, wide},
};

const DEPTHS: std::ops::RangeInclusive<usize> = 2..=10;
const QUICK_DEPTHS: std::ops::RangeInclusive<usize> = 2..=2;
const REPEATS: usize = 9;

/// The measurements of one scheme at one depth.
#[derive(Clone, Debug, Serialize)]
pub struct SchemeRow {
    /// The scheme.
    pub scheme: SchemeName,
    /// The number of squarings one after another.
    pub depth: usize,
    /// The ring degree.
    pub ring_degree: usize,
    /// log2 of the plaintext modulus of exact schemes.
    pub log2_t: Option<f64>,
    /// The precision of CKKS's results, in bits.
    pub precision_bits: Option<f64>,
    /// log2 of the ciphertext modulus.
    pub log2_q: f64,
    /// log2 of the whole modulus QP.
    pub log2_qp: f64,
    /// The numbers of ciphertext primes and of special primes.
    pub primes: [usize; 2],
    /// A multiplication at the highest level, in milliseconds: relinearised, in BGV switched and in CKKS rescaled.
    pub multiply_ms: f64,
    /// Each multiplication of the chain, in milliseconds.
    pub multiplications_ms: Vec<f64>,
    /// All multiplications of the chain, in milliseconds.
    pub chain_ms: f64,
    /// The chain's time over its depth.
    pub ms_per_multiplication: f64,
    /// A product of two different ciphertexts at the highest level, as `multiply_ms`, in milliseconds.
    pub product_ms: f64,
    /// A rotation at the highest level, in milliseconds.
    pub rotate_ms: f64,
    /// One of 15 hoisted rotations at the highest level, in milliseconds.
    pub hoisted_rotation_ms: f64,
    /// The sum of 128 neighbouring slots at the highest level, in milliseconds.
    pub sum_ms: f64,
    /// A secret key and a public one, in milliseconds.
    pub key_pair_ms: f64,
    /// An encoding, in milliseconds.
    pub encode_ms: f64,
    /// An encryption, in milliseconds.
    pub encrypt_ms: f64,
    /// The decryption of the result, the fastest of several in a row, in milliseconds.
    pub decrypt_ms: f64,
    /// The peak memory in bytes, keys included.
    pub peak_memory_bytes: Option<u64>,
    /// The security in bits, by the table of 2024.
    pub security_bits: u32,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct SchemesReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each chain.
    pub rows: Vec<SchemeRow>,
    /// The rotations of one ciphertext, one by one and hoisted, at the sets of depth 10; none at another ring degree than
    /// [`RING_DEGREE`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hoisted: Vec<HoistedRow>,
    /// BGV with a plaintext modulus of 128 bits; nothing at another ring degree than [`RING_DEGREE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wide: Option<WideRow>,
    /// The least times of products and rotations, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub least: Vec<LeastRow>,
}

/// Measures chains at depths 2 to 10, products and rotations, on the threads of the current pool. With `least`, also how long
/// products and rotations take at least.
///
/// # Panics
/// If the ring degree is no power of two from [`RING_DEGREE`] to 2^17: smaller rings don't hold all chains.
pub fn schemes(settings: &Settings, ring_degree: usize, least: bool, tell: Tell<'_>) -> SchemesReport {
    let backend = *settings.backends.last().expect("at least one back-end is measured");
    let (depths, repeats) = if settings.quick { (QUICK_DEPTHS, 1) } else { (DEPTHS, REPEATS) };
    let all = depths.clone().count() * SchemeName::ALL.len();
    let (mut rows, mut least_rows) = (Vec::new(), Vec::new());
    let mut speeds = Speeds::new(backend, ring_degree, settings.effort());
    for scheme in SchemeName::ALL {
        for depth in depths.clone() {
            let chain = Chain {
                scheme,
                depth,
                plaintext_modulus: PLAINTEXT_MODULUS.into(),
                ring_degree: Some(ring_degree),
                backend,
                repeats,
                rotation: true,
            };
            let measured = chain.measure().expect("these rings hold ten levels");
            rows.push(row(&chain, &measured));
            if least {
                let level = measured.rlwe.max_level();
                least_rows.extend(
                    Counter::new(&mut speeds, &measured.rlwe, level).rows((scheme, depth), &measured),
                );
            }
            tell(rows.len(), all);
        }
    }
    let machine = Machine { threads: rayon::current_num_threads(), ..Machine::this(&settings.backends) };
    let has_sets = ring_degree == RING_DEGREE;
    let hoisted = if has_sets { hoisted(backend, repeats) } else { Vec::new() };
    let wide = has_sets.then(|| wide(backend, repeats));
    SchemesReport { machine, rows, hoisted, wide, least: least_rows }
}

fn row(chain: &Chain, measured: &Measured) -> SchemeRow {
    let timings = measured.timings.clone();
    let operations = measured.operations.as_ref().expect("chains of this bench have rotations");
    let is_exact = SchemeName::EXACT.contains(&chain.scheme);
    SchemeRow {
        scheme: chain.scheme,
        depth: chain.depth,
        ring_degree: measured.ring_degree,
        log2_t: is_exact.then_some((PLAINTEXT_MODULUS as f64).log2()),
        precision_bits: (!is_exact).then_some(PRECISION_BITS),
        log2_q: measured.log2_q,
        log2_qp: measured.log2_qp,
        primes: measured.primes,
        multiply_ms: timings.multiply_ms[0],
        chain_ms: timings.chain_ms,
        ms_per_multiplication: timings.chain_ms / chain.depth as f64,
        multiplications_ms: timings.multiply_ms,
        product_ms: operations.product_ms,
        rotate_ms: timings.rotate_ms,
        hoisted_rotation_ms: operations.hoisted_rotation_ms,
        sum_ms: operations.sum_ms,
        key_pair_ms: operations.key_pair_ms,
        encode_ms: operations.encode_ms,
        encrypt_ms: timings.encrypt_ms,
        decrypt_ms: timings.decrypt_ms,
        peak_memory_bytes: measured.peak_memory_bytes,
        security_bits: security_bits(measured.ring_degree, measured.log2_qp),
    }
}

impl SchemesReport {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}, {} threads; t = {PLAINTEXT_MODULUS}, or {PRECISION_BITS} bits of precision in CKKS\n",
            self.machine.cpu, self.machine.threads
        );
        let heads = [
            "multiply", "chain", "product", "rotate", "hoisted", "sum 128", "key pair", "encode", "encrypt",
            "decrypt", "peak MiB",
        ];
        let _ = write!(
            text,
            "{:6} {:>5} {:>6} {:>7} {:>7} {:>7}",
            "scheme", "depth", "log2 N", "primes", "log2 q", "log2 QP"
        );
        heads.iter().for_each(|head| {
            let _ = write!(text, " {head:>8}");
        });
        text.push('\n');
        for row in &self.rows {
            let _ = write!(
                text,
                "{:6} {:>5} {:>6} {:>7} {:>7.0} {:>7.0}",
                row.scheme.name(),
                row.depth,
                row.ring_degree.ilog2(),
                format!("{}+{}", row.primes[0], row.primes[1]),
                row.log2_q,
                row.log2_qp
            );
            let times = [
                row.multiply_ms,
                row.chain_ms,
                row.product_ms,
                row.rotate_ms,
                row.hoisted_rotation_ms,
                row.sum_ms,
                row.key_pair_ms,
                row.encode_ms,
                row.encrypt_ms,
                row.decrypt_ms,
            ];
            times.iter().for_each(|ms| {
                let _ = write!(text, " {ms:>8.2}");
            });
            let _ = writeln!(text, " {:>8.0}", row.peak_memory_bytes.unwrap_or(0) as f64 / (1 << 20) as f64);
        }
        text.push('\n');
        for row in &self.hoisted {
            let _ = writeln!(
                text,
                "{}, log2 N = {}, log2 q = {:.0}: rotate {:.2}, one of {} hoisted rotations {:.2}, sum of all slots {:.2}",
                row.scheme.name(),
                row.ring_degree.ilog2(),
                row.log2_q,
                row.rotate_ms,
                row.rotations,
                row.hoisted_rotation_ms,
                row.sum_ms
            );
        }
        if let Some(wide) = &self.wide {
            let _ = writeln!(
                text,
                "\nBGV, log2 t = {}, log2 N = {}, log2 q = {:.0}: rotate {:.2}, one of 15 hoisted rotations {:.2}, multiply {:.2}, switch {:.2}, encode {:.2}, encrypt {:.2}, decrypt {:.2}",
                wide.log2_t,
                wide.ring_degree.ilog2(),
                wide.log2_q,
                wide.rotate_ms,
                wide.hoisted_rotation_ms,
                wide.multiply_ms,
                wide.switch_ms,
                wide.encode_ms,
                wide.encrypt_ms,
                wide.decrypt_ms
            );
        }
        text.push_str("times in milliseconds\n");
        if !self.least.is_empty() {
            text.push_str(&least_text(&self.least));
        }
        text
    }
}
