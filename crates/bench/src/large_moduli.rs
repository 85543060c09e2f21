//! Plaintext moduli of 1 to 2048 bits in BGV and BFV: log2 of the ring degree and of the ciphertext modulus, and the
//! time of a multiplication, on this machine. The grid is that of Aguilar Melchor, Kilijian, Lefebvre, Ricosset, "A
//! Comparison of the Homomorphic Encryption Libraries HElib, SEAL and FV-NFLlib" (SecITC 2018).

mod correction;

use std::{collections::BTreeSet, fmt::Write};

use asanoha_lattice::{NoiseModel, security_bits, security_is_extrapolated};
use asanoha_scheme::MAX_PLAINTEXT_BITS;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use correction::CorrectionRow;

use crate::{
    Machine, Settings, Tell,
    chain::{Chain, SchemeName},
};

/// The depths of squaring chains by the size of the plaintext modulus in bits. They end where no ring of degree 2^18
/// holds the chain, or where the next depth would take minutes.
const GRID: [(u32, &[usize]); 4] = [
    (1, &[1, 2, 4, 8, 12, 16, 24, 32, 48, 60]),
    (64, &[1, 2, 4, 8, 16, 24, 32, 40]),
    (256, &[1, 2, 3, 4, 5, 6, 7, 8]),
    (2048, &[1]),
];
const QUICK_GRID: [(u32, &[usize]); 2] = [(1, &[1, 2]), (64, &[1, 2])];
/// The number of measurements of a chain, after a first multiplication that makes the tables.
const REPEATS: usize = 3;

/// The case that one row measures. As text it's "bgv,64,4": scheme, log2_t, depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainCase {
    /// The scheme.
    pub scheme: SchemeName,
    /// log2 of the plaintext modulus, rounded.
    pub log2_t: u32,
    /// The number of squarings one after another.
    pub depth: usize,
}

impl std::fmt::Display for ChainCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{},{}", self.scheme.name(), self.log2_t, self.depth)
    }
}

impl std::str::FromStr for ChainCase {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').collect();
        let case = match parts[..] {
            [name, log2_t, depth] => SchemeName::EXACT
                .into_iter()
                .find(|scheme| scheme.name() == name)
                .zip(log2_t.parse().ok().filter(|bits| (1..=MAX_PLAINTEXT_BITS as u32).contains(bits)))
                .zip(depth.parse().ok().filter(|depth| *depth > 0)),
            _ => None,
        };
        let ((scheme, log2_t), depth) =
            case.ok_or_else(|| format!("{text}: a chain is named as in bgv,64,4: scheme, log2 t, depth"))?;
        Ok(Self { scheme, log2_t, depth })
    }
}

/// The measurements of one chain of squarings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChainRow {
    /// The scheme.
    pub scheme: SchemeName,
    /// log2 of the plaintext modulus, rounded.
    pub log2_t: u32,
    /// The number of squarings one after another.
    pub depth: usize,
    /// The smallest ring degree that holds the chain at 128 bits of security; `None` if no ring does.
    pub ring_degree: Option<usize>,
    /// log2 of the ciphertext modulus.
    pub log2_q: Option<f64>,
    /// log2 of the whole modulus QP.
    pub log2_qp: Option<f64>,
    /// The time in milliseconds of a squaring with relinearisation and, in BGV, modulus switching: the chain's time
    /// over its depth.
    pub ms_per_multiplication: Option<f64>,
    /// The peak memory in bytes, keys included.
    pub peak_memory_bytes: Option<u64>,
    /// The security in bits, by the table of 2024.
    pub security_bits: Option<u32>,
    /// Whether the security is extrapolated beyond that table.
    pub security_extrapolated: bool,
}

/// The bits of modulus that a level of BGV takes.
#[derive(Clone, Debug, Serialize)]
pub struct LevelCost {
    /// The ring degree.
    pub ring_degree: usize,
    /// log2 of the plaintext modulus.
    pub log2_t: u32,
    /// Half the difference between log2(q) for two more squarings and for none, at a failure probability of 2^-128.
    pub bits: f64,
    /// The same for noise bounds of six standard deviations, which are usual in the literature.
    pub bits_at_six_deviations: f64,
    /// The formula log2(t) + ½·log2(N·(1 + 2N/3)/12) + 2.6.
    pub formula_bits: f64,
}

/// Where BGV becomes the faster scheme.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Crossing {
    /// log2 of the plaintext modulus.
    pub log2_t: u32,
    /// The smallest measured depth from which on BGV is faster at all measured depths.
    pub depth: Option<usize>,
    /// log2 of BGV's ciphertext modulus there.
    pub log2_q: Option<f64>,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct LargeModuliReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each chain.
    pub rows: Vec<ChainRow>,
    /// The costs of levels of BGV.
    pub level_costs: Vec<LevelCost>,
    /// The crossings, one for each plaintext modulus.
    pub crossings: Vec<Crossing>,
    /// The costs of correcting the scaling factor at each product.
    pub correction: Vec<CorrectionRow>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

/// A plaintext modulus of `log2_t` bits: 2, or the odd number 2^`log2_t` − 59, which isn't a special one.
fn modulus(log2_t: u32) -> BigUint {
    match log2_t {
        0 | 1 => BigUint::from(2u32),
        bits => (BigUint::from(1u32) << bits) - 59u32,
    }
}

/// Measures chains of growing depth, the cost of a level, and the cost of correcting the scaling factor. `row` measures
/// each chain: if it calls [`chain_row`] in a process of its own, the peak memory isn't that of earlier chains.
///
/// # Errors
/// Those of `row`.
pub fn large_moduli<E>(
    settings: &Settings,
    row: impl Fn(ChainCase) -> Result<ChainRow, E>,
    tell: Tell<'_>,
) -> Result<LargeModuliReport, E> {
    let start = std::time::Instant::now();
    let grid: &[(u32, &[usize])] = if settings.quick { &QUICK_GRID } else { &GRID };
    let cases = correction::cases(settings.quick);
    let chains = grid.iter().map(|(_, depths)| depths.len()).sum::<usize>() * SchemeName::EXACT.len();
    let all = chains + cases.len();
    let mut rows = Vec::new();
    for scheme in SchemeName::EXACT {
        for &(log2_t, depths) in grid {
            for &depth in depths {
                rows.push(row(ChainCase { scheme, log2_t, depth })?);
                tell(rows.len(), all);
            }
        }
    }
    let machine = Machine { threads: rayon::current_num_threads(), ..Machine::this(&settings.backends) };
    let level_costs = [(1usize << 14, 64), (1 << 15, 64), (1 << 16, 64), (1 << 15, 256)]
        .map(|(ring_degree, log2_t)| LevelCost::new(ring_degree, log2_t))
        .into();
    let crossings = crossings(&rows);
    let backend = *settings.backends.last().expect("at least one back-end is measured");
    let mut correction = Vec::new();
    for &case in cases {
        correction.push(CorrectionRow::measure(case, backend));
        tell(chains + correction.len(), all);
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(LargeModuliReport { machine, rows, level_costs, crossings, correction, seconds })
}

/// Measures one chain in the smallest ring that holds it, on the threads of the current pool. The peak memory is that
/// of the process.
pub fn chain_row(settings: &Settings, case: ChainCase) -> ChainRow {
    let backend = *settings.backends.last().expect("at least one back-end is measured");
    let ChainCase { scheme, log2_t, depth } = case;
    let chain = Chain {
        scheme,
        depth,
        plaintext_modulus: modulus(log2_t),
        ring_degree: None,
        backend,
        repeats: REPEATS,
        rotation: false,
    };
    let Ok(measured) = chain.measure() else { return ChainRow::impossible(case) };
    let ring_degree = measured.ring_degree;
    ChainRow {
        scheme,
        log2_t,
        depth,
        ring_degree: Some(ring_degree),
        log2_q: Some(measured.log2_q),
        log2_qp: Some(measured.log2_qp),
        ms_per_multiplication: Some(measured.timings.chain_ms / depth as f64),
        peak_memory_bytes: measured.peak_memory_bytes,
        security_bits: Some(security_bits(ring_degree, measured.log2_qp)),
        security_extrapolated: security_is_extrapolated(ring_degree),
    }
}

/// The crossing of each plaintext modulus.
fn crossings(rows: &[ChainRow]) -> Vec<Crossing> {
    let sizes: BTreeSet<u32> = rows.iter().map(|row| row.log2_t).collect();
    let [bgv, bfv] = SchemeName::EXACT;
    let crossing = |log2_t| {
        let of = |scheme| rows.iter().filter(move |row| row.scheme == scheme && row.log2_t == log2_t);
        // A chain that only one scheme holds counts for that scheme.
        let wins = |row: &&ChainRow| {
            let other = of(bfv).find(|other| other.depth == row.depth);
            let other = other.and_then(|other| other.ms_per_multiplication);
            row.ms_per_multiplication.is_some_and(|ms| other.is_none_or(|other| ms < other))
        };
        let mut chains: Vec<&ChainRow> = of(bgv).filter(|row| row.ms_per_multiplication.is_some()).collect();
        chains.sort_by_key(|row| row.depth);
        let first = chains.iter().rev().take_while(|row| wins(row)).last();
        Crossing { log2_t, depth: first.map(|row| row.depth), log2_q: first.and_then(|row| row.log2_q) }
    };
    sizes.into_iter().map(crossing).collect()
}

impl ChainRow {
    fn impossible(ChainCase { scheme, log2_t, depth }: ChainCase) -> Self {
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
    /// A level drops D = 4R for the noise R of the rounding (see the search): that is the least D for which
    /// B²/D + R = B has a solution.
    fn new(ring_degree: usize, log2_t: u32) -> Self {
        let n = ring_degree as f64;
        let bits = |model: NoiseModel| f64::from(log2_t) + (model.rounding(2) * 4.0).log2();
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
    /// Tables for human readers.
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
        for (log2_t, line) in self.comparisons() {
            let _ = writeln!(text, "log2 t = {log2_t}: {line}");
        }
        let _ = writeln!(
            text,
            "\nBGV with each product multiplied by q^-1 modulo t, as in HElib-MP, beside ours"
        );
        for row in &self.correction {
            let _ = writeln!(text, "{row}");
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }

    /// For each plaintext modulus, which scheme is faster at which depths and ciphertext moduli.
    fn comparisons(&self) -> Vec<(u32, String)> {
        let sizes: BTreeSet<u32> = self.rows.iter().map(|row| row.log2_t).collect();
        let line = |log2_t| {
            let of =
                |scheme| self.rows.iter().filter(move |row| row.scheme == scheme && row.log2_t == log2_t);
            let faster = |winner, loser| {
                let depths: Vec<String> = of(winner)
                    .filter_map(|row| {
                        let other = of(loser).find(|other| other.depth == row.depth)?;
                        let wins = row.ms_per_multiplication? < other.ms_per_multiplication?;
                        wins.then_some(format!("{} ({:.0}, {:.0})", row.depth, row.log2_q?, other.log2_q?))
                    })
                    .collect();
                (!depths.is_empty()).then(|| {
                    let name = |scheme: SchemeName| scheme.name().to_uppercase();
                    format!(
                        "{} is faster at depth (log2 q, {}'s) {}",
                        name(winner),
                        name(loser),
                        depths.join(", ")
                    )
                })
            };
            let [bgv, bfv] = SchemeName::EXACT;
            [faster(bgv, bfv), faster(bfv, bgv)].into_iter().flatten().collect::<Vec<_>>().join("; ")
        };
        sizes.into_iter().map(|log2_t| (log2_t, line(log2_t))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_scheme_is_named_at_every_depth() {
        let row = |scheme, depth, ms| ChainRow {
            log2_q: Some(40.0 + depth as f64),
            ms_per_multiplication: ms,
            ..ChainRow::impossible(ChainCase { scheme, log2_t: 1, depth })
        };
        let [bgv, bfv] = SchemeName::EXACT;
        let mut rows = Vec::new();
        for (depth, times) in [(1, [1.0, 2.0]), (2, [3.0, 2.0]), (4, [4.0, 5.0])] {
            rows.extend([bgv, bfv].into_iter().zip(times).map(|(scheme, ms)| row(scheme, depth, Some(ms))));
        }
        rows.extend([row(bgv, 8, Some(1.0)), row(bfv, 8, None)]);
        // BFV is faster at depth 2, and doesn't hold depth 8.
        let crossing = Crossing { log2_t: 1, depth: Some(4), log2_q: Some(44.0) };
        assert_eq!(crossings(&rows), [crossing]);
        let never = [row(bgv, 1, Some(2.0)), row(bfv, 1, Some(1.0))];
        assert_eq!(crossings(&never), [Crossing { log2_t: 1, depth: None, log2_q: None }]);
        let (machine, level_costs) = (Machine::this(&[]), Vec::new());
        let (crossings, correction) = (Vec::new(), Vec::new());
        let report = LargeModuliReport { machine, rows, level_costs, crossings, correction, seconds: 0.0 };
        let expected = "BGV is faster at depth (log2 q, BFV's) 1 (41, 41), 4 (44, 44); \
                        BFV is faster at depth (log2 q, BGV's) 2 (42, 42)";
        assert_eq!(report.comparisons(), [(1, expected.to_owned())]);
    }

    #[test]
    fn cases_are_read_as_they_are_written() {
        for case in ["bgv,1,32", "bfv,2048,1"] {
            assert_eq!(case.parse::<ChainCase>().unwrap().to_string(), case);
        }
        for bad in ["", "bgv", "ckks,1,1", "bgv,0,1", "bgv,1,0", "bgv,99999,1", "bgv,1,1,1"] {
            assert!(bad.parse::<ChainCase>().unwrap_err().contains("bgv,64,4"));
        }
    }
}
