//! Plaintext moduli of 1 to 2048 bits in BGV and BFV: log2 of the ring degree and of the ciphertext modulus, and the
//! time of a multiplication, on this machine. The grid is that of Aguilar Melchor, Kilijian, Lefebvre, Ricosset, "A
//! Comparison of the Homomorphic Encryption Libraries HElib, SEAL and FV-NFLlib" (SecITC 2018).

mod chains;
mod correction;
mod plot;
mod report;
mod uses;

use crate::{Machine, Settings, TableError, Tell, chain::SchemeName};
pub use chains::{ChainCase, ChainRow, chain_row};
use correction::CorrectionRow;
use report::crossings;
pub use report::{Crossing, LargeModuliReport, LevelCost};
pub use uses::{Use, UseRow};

/// The depths of squaring chains by the size of the plaintext modulus in bits. They end where no ring of degree 2^18
/// holds the chain, or where the next depth would take minutes.
const GRID: [(u32, &[usize]); 4] = [
    (1, &[1, 2, 4, 8, 12, 16, 24, 32, 48, 60]),
    (64, &[1, 2, 4, 8, 16, 24, 32, 40]),
    (256, &[1, 2, 3, 4, 5, 6, 7, 8]),
    (2048, &[1, 2]),
];
const QUICK_GRID: [(u32, &[usize]); 2] = [(1, &[1, 2]), (64, &[1, 2])];
/// Measures chains of growing depth, the cost of a level, the cost of correcting the scaling factor, and uses. `row` measures
/// each chain: if it calls [`chain_row`] in a process of its own, the peak memory isn't that of earlier chains.
///
/// # Errors
/// The errors of `row`, and of a use that has no plan or wrong results.
pub fn large_moduli<E: From<TableError>>(
    settings: &Settings,
    row: impl Fn(ChainCase) -> Result<ChainRow, E>,
    tell: Tell<'_>,
) -> Result<LargeModuliReport, E> {
    let start = std::time::Instant::now();
    let grid: &[(u32, &[usize])] = if settings.quick { &QUICK_GRID } else { &GRID };
    let cases = correction::cases(settings.quick);
    let chains = grid.iter().map(|(_, depths)| depths.len()).sum::<usize>() * SchemeName::EXACT.len();
    let uses = uses::uses(settings.quick);
    let all = chains + cases.len() + uses.len();
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
    let mut used = Vec::new();
    for &case in uses {
        used.push(UseRow::measure(case, settings)?);
        tell(chains + correction.len() + used.len(), all);
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(LargeModuliReport { machine, rows, level_costs, crossings, correction, uses: used, seconds })
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
        let (crossings, correction, uses) = (Vec::new(), Vec::new(), Vec::new());
        let report =
            LargeModuliReport { machine, rows, level_costs, crossings, correction, uses, seconds: 0.0 };
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
