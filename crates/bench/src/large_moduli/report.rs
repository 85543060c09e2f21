//! The report of the bench, with tables for human readers.

use std::{
    collections::BTreeSet,
    fmt::Write,
    path::{Path, PathBuf},
};

use asanoha_lattice::NoiseModel;
use serde::Serialize;

use super::{ChainRow, correction::CorrectionRow, plot::plot, uses::UseRow};
use crate::{Machine, chain::SchemeName};

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
    /// Programs modulo a number that is given from outside.
    pub uses: Vec<UseRow>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

/// The crossing of each plaintext modulus.
pub(super) fn crossings(rows: &[ChainRow]) -> Vec<Crossing> {
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

impl LevelCost {
    /// A level drops D = 4R for the noise R of the rounding (see the search): that is the least D for which
    /// B²/D + R = B has a solution.
    pub(super) fn new(ring_degree: usize, log2_t: u32) -> Self {
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
        let _ = writeln!(text, "\nprograms modulo a number");
        for row in &self.uses {
            let _ = writeln!(text, "{row}");
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }

    /// For each plaintext modulus, which scheme is faster at which depths and ciphertext moduli.
    pub(super) fn comparisons(&self) -> Vec<(u32, String)> {
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

    /// Draws, for every plaintext modulus, log2 of the ring degree and of the ciphertext modulus and the time of a
    /// multiplication over the depth, on logarithmic axes. Returns the files.
    ///
    /// # Errors
    /// If a file can't be written to the folder.
    pub fn plot(&self, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
        plot(&self.rows, folder)
    }
}
