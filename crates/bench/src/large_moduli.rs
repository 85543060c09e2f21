//! Plaintext moduli of 1 to 2048 bits in BGV and BFV: the paper large-moduli's figures on this machine.

use std::fmt::Write;

use asanoha_lattice::{NoiseModel, security_bits, security_is_extrapolated};
use num_bigint::BigUint;
use serde::Serialize;

use crate::{
    Machine, Settings, Tell,
    chain::{Chain, ChainParty, ExactScheme, search},
    memory,
};

/// Depths of squaring chains by the size of the plaintext modulus; each goes on as far as a ring of 2^18 holds it or the
/// next would take minutes.
const GRID: [(u32, &[usize]); 4] =
    [(1, &[1, 2, 4, 8, 16, 32]), (64, &[1, 2, 4, 8, 16]), (256, &[1, 2, 4]), (2048, &[1])];
const QUICK_GRID: [(u32, &[usize]); 2] = [(1, &[1, 2]), (64, &[1, 2])];
/// Chains are measured this often, after a multiplication that makes the tables.
const REPEATS: usize = 1;

/// One chain of squarings.
#[derive(Clone, Debug, Serialize)]
pub struct ChainRow {
    /// The scheme.
    pub scheme: ExactScheme,
    /// log2 of the plaintext modulus, rounded.
    pub log2_t: u32,
    /// Squarings one after another.
    pub depth: usize,
    /// The smallest ring degree at 128 bits of security; none holds the chain if there is no number.
    pub ring_degree: Option<usize>,
    /// log2 of the ciphertext modulus.
    pub log2_q: Option<f64>,
    /// log2 of it and of the special modulus.
    pub log2_qp: Option<f64>,
    /// A squaring with relinearisation and, in BGV, modulus switching: the chain's time over its depth.
    pub ms_per_multiplication: Option<f64>,
    /// The most memory in use, keys included.
    pub peak_memory_bytes: Option<u64>,
    /// By the table of 2024.
    pub security_bits: Option<u32>,
    /// Whether that table had to be continued.
    pub security_extrapolated: bool,
}

/// What the modulus of BGV costs a level.
#[derive(Clone, Debug, Serialize)]
pub struct LevelCost {
    /// The ring degree.
    pub ring_degree: usize,
    /// log2 of the plaintext modulus.
    pub log2_t: u32,
    /// log2(q) of two more squarings less that of none, halved: at a failure probability of 2^-128.
    pub bits: f64,
    /// What noise needs with bounds of six standard deviations, which the paper takes.
    pub bits_at_six_deviations: f64,
    /// log2(t) + ½·log2(N·(1 + 2N/3)/12) + 2.6.
    pub formula_bits: f64,
}

/// What the bench has to say.
#[derive(Clone, Debug, Serialize)]
pub struct LargeModuliReport {
    /// Where.
    pub machine: Machine,
    /// Chains.
    pub rows: Vec<ChainRow>,
    /// Levels of BGV.
    pub level_costs: Vec<LevelCost>,
    /// Seconds that it all took.
    pub seconds: f64,
}

/// A modulus of so many bits: 2, or the next odd number above a power of two that isn't special.
fn modulus(log2_t: u32) -> BigUint {
    match log2_t {
        0 | 1 => BigUint::from(2u32),
        bits => (BigUint::from(1u32) << bits) - 59u32,
    }
}

/// Chains at growing depth, and what a level costs.
pub fn large_moduli(settings: &Settings, tell: Tell<'_>) -> LargeModuliReport {
    let start = std::time::Instant::now();
    let backend = *settings.backends.last().expect("at least one back-end is measured");
    let grid: &[(u32, &[usize])] = if settings.quick { &QUICK_GRID } else { &GRID };
    let all = grid.iter().map(|(_, depths)| depths.len()).sum::<usize>() * ExactScheme::ALL.len();
    let mut rows = Vec::new();
    for scheme in ExactScheme::ALL {
        for &(log2_t, depths) in grid {
            let mut smallest = 0;
            for &depth in depths {
                let chain = search(scheme, &modulus(log2_t), depth, smallest);
                smallest = chain.as_ref().map_or(smallest, |chain| chain.rlwe.ring_degree.ilog2());
                rows.push(match chain {
                    Some(chain) => measured(&chain, log2_t, &ChainParty::new(&chain, backend)),
                    None => ChainRow::impossible(scheme, log2_t, depth),
                });
                tell(rows.len(), all);
            }
        }
    }
    let machine = Machine { threads: rayon::current_num_threads(), ..Machine::this(&settings.backends) };
    let level_costs = [(1usize << 14, 64), (1 << 15, 64), (1 << 16, 64), (1 << 15, 256)]
        .map(|(ring_degree, log2_t)| LevelCost::new(ring_degree, log2_t))
        .into();
    LargeModuliReport { machine, rows, level_costs, seconds: start.elapsed().as_secs_f64() }
}

fn measured(chain: &Chain, log2_t: u32, party: &ChainParty) -> ChainRow {
    memory::mark();
    let depth = chain.levels.len();
    let timings = party.run(REPEATS, false);
    let ring_degree = chain.rlwe.ring_degree;
    ChainRow {
        scheme: chain.scheme,
        log2_t,
        depth,
        ring_degree: Some(ring_degree),
        log2_q: Some(chain.log2_q),
        log2_qp: Some(chain.log2_qp),
        ms_per_multiplication: Some(timings.chain_ms / depth as f64),
        peak_memory_bytes: memory::peak_bytes(),
        security_bits: Some(security_bits(ring_degree, chain.log2_qp)),
        security_extrapolated: security_is_extrapolated(ring_degree),
    }
}

impl ChainRow {
    fn impossible(scheme: ExactScheme, log2_t: u32, depth: usize) -> Self {
        Self {
            scheme,
            log2_t,
            depth,
            ring_degree: None,
            log2_q: None,
            log2_qp: None,
            ms_per_multiplication: None,
            peak_memory_bytes: None,
            security_bits: None,
            security_extrapolated: false,
        }
    }
}

impl LevelCost {
    /// A level drops D = 4R for the rounding's noise R (see the search): B²/D + R = B has a solution from there on.
    fn new(ring_degree: usize, log2_t: u32) -> Self {
        let n = ring_degree as f64;
        let bits = |model: NoiseModel| f64::from(log2_t) + (model.rounding(2).norm() * 4.0).log2();
        Self {
            ring_degree,
            log2_t,
            bits: bits(NoiseModel::new(ring_degree)),
            bits_at_six_deviations: bits(NoiseModel::of_deviations(ring_degree, 6.0)),
            formula_bits: f64::from(log2_t) + 0.5 * (n * (1.0 + 2.0 * n / 3.0) / 12.0).log2() + 2.6,
        }
    }
}

impl LargeModuliReport {
    /// Tables for readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} threads\n", self.machine.cpu, self.machine.threads);
        let _ = writeln!(
            text,
            "{:6} {:>6} {:>6} {:>8} {:>8} {:>8} {:>14} {:>10} {:>8}",
            "scheme", "log2 t", "depth", "log2 N", "log2 q", "log2 QP", "ms/multiply", "peak MiB", "security"
        );
        for row in &self.rows {
            let _ = match (row.ring_degree, row.log2_q, row.log2_qp, row.ms_per_multiplication) {
                (Some(n), Some(q), Some(qp), Some(ms)) => writeln!(
                    text,
                    "{:6} {:>6} {:>6} {:>8} {q:>8.0} {qp:>8.0} {ms:>14.2} {:>10.0} {:>7}{}",
                    row.scheme.name(),
                    row.log2_t,
                    row.depth,
                    n.ilog2(),
                    row.peak_memory_bytes.unwrap_or(0) as f64 / (1 << 20) as f64,
                    row.security_bits.unwrap_or(0),
                    if row.security_extrapolated { "*" } else { "" },
                ),
                _ => writeln!(
                    text,
                    "{:6} {:>6} {:>6} no ring of at most 2^18 coefficients holds it",
                    row.scheme.name(),
                    row.log2_t,
                    row.depth
                ),
            };
        }
        let _ = writeln!(text, "* the security table of 2024 ends at 2^17 and is continued");
        let _ = writeln!(text, "\na level of BGV, in bits");
        for cost in &self.level_costs {
            let _ = writeln!(
                text,
                "log2 N {:>2}, log2 t {:>3}: {:.1} (failure 2^-128), {:.1} (six deviations), {:.1} by the formula",
                cost.ring_degree.ilog2(),
                cost.log2_t,
                cost.bits,
                cost.bits_at_six_deviations,
                cost.formula_bits
            );
        }
        text.push('\n');
        for (log2_t, line) in self.crossovers() {
            let _ = writeln!(text, "log2 t = {log2_t}: {line}");
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }

    /// For each plaintext modulus, from which depth and ciphertext modulus on BGV is faster than BFV.
    fn crossovers(&self) -> Vec<(u32, String)> {
        let mut sizes: Vec<u32> = self.rows.iter().map(|row| row.log2_t).collect();
        sizes.dedup();
        sizes.sort_unstable();
        sizes.dedup();
        let find = |scheme, log2_t, depth| {
            self.rows.iter().find(|row| (row.scheme, row.log2_t, row.depth) == (scheme, log2_t, depth))
        };
        let line = |log2_t: u32| {
            let bgv = self.rows.iter().filter(|row| row.scheme == ExactScheme::Bgv && row.log2_t == log2_t);
            let faster: Vec<(&ChainRow, bool)> = bgv
                .filter_map(|row| {
                    let other = find(ExactScheme::Bfv, log2_t, row.depth)?;
                    Some((row, row.ms_per_multiplication? < other.ms_per_multiplication?))
                })
                .collect();
            let from = faster.iter().rposition(|(_, faster)| !faster).map_or(0, |at| at + 1);
            match faster.get(from) {
                Some((row, _)) => format!(
                    "BGV is faster from depth {} (log2 q = {:.0}) on",
                    row.depth,
                    row.log2_q.unwrap_or(f64::NAN)
                ),
                None => "BFV is faster at the greatest depth measured".to_owned(),
            }
        };
        sizes.into_iter().map(|log2_t| (log2_t, line(log2_t))).collect()
    }
}
