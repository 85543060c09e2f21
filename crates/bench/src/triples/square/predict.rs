//! Products of more rows than are measured, predicted phase by phase from those that are.

use asanoha_kernels::Backend;

use super::{
    super::{TripleError, TripleRow},
    Case,
    cases::LARGEST,
    plan,
};

/// The dimension that tells how good predictions are: those of [`LARGEST`] from it are compared with what was measured.
const SMALLER: usize = 128;

/// How the time of a phase grows when matrices have k times the rows and columns: encryption, stored rotations, codes and
/// decryption by the blocks of a matrix; products, and rotations that are computed again for each of them, by the products of
/// blocks.
fn growth(phase: &str, k: f64) -> f64 {
    if phase.contains("multiply") { k * k * k } else { k * k }
}

/// The rows of some products by the rows of smaller ones on the same threads, where these were measured.
///
/// # Errors
/// [`TripleError`] of a product that has no plan in any memory.
pub(in super::super) fn predicted(
    rows: &[TripleRow],
    cases: &[Case],
    threads: usize,
    backend: Backend,
) -> Result<Vec<TripleRow>, TripleError> {
    let params = plan::params(backend);
    let mut all = Vec::new();
    for case in cases {
        let bytes = plan::plan(&params, case, None)?.cost().bytes() as f64;
        let base = Case { dimension: LARGEST, ..*case };
        let base_bytes = plan::plan(&params, &base, None)?.cost().bytes() as f64;
        let rotations = case.rotations.first().expect("there is one");
        let method = format!("square of {}, {rotations:?}, {:?}", case.side, case.images);
        let of = |dimension: usize| -> Vec<&TripleRow> {
            let is_base =
                |row: &&TripleRow| row.dim == dimension && row.threads == threads && row.method == method;
            let mut found: Vec<&TripleRow> = rows.iter().filter(is_base).collect();
            // The same product may stand in two tables.
            let table = found.first().map(|row| row.table);
            found.retain(|row| Some(row.table) == table && row.phase != "total");
            found
        };
        let (small, large) = (of(SMALLER), of(LARGEST));
        if large.is_empty() {
            continue;
        }
        let off = |measured: f64, predicted: f64| 100.0 * (predicted / measured - 1.0);
        let seconds = |rows: &[&TripleRow], k: f64| -> f64 {
            rows.iter().map(|row| row.seconds * growth(row.phase, k)).sum()
        };
        let k = LARGEST as f64 / SMALLER as f64;
        let time = if small.is_empty() {
            String::new()
        } else {
            let off = off(seconds(&large, 1.0), seconds(&small, k));
            format!(", which is {off:+.0} % off at {LARGEST} from {SMALLER}")
        };
        let memory = large[0].peak_bytes.map_or(String::new(), |measured| {
            format!(", {:+.0} % off at {LARGEST}", off(measured as f64, base_bytes))
        });
        let source =
            format!("time phase by phase from {LARGEST} rows{time}; memory by the plan's cost{memory}");
        let k = case.dimension as f64 / LARGEST as f64;
        let total = seconds(&large, k);
        let phases = large.iter().map(|row| (row.phase, row.seconds * growth(row.phase, k)));
        for (phase, seconds) in phases.chain([("total", total)]) {
            all.push(TripleRow {
                table: case.table,
                phase,
                dim: case.dimension,
                seconds,
                seconds_per_triple: seconds / large[0].products as f64,
                peak_bytes: Some(bytes as u64),
                predicted: Some(source.clone()),
                ..large[0].clone()
            });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triples::square::{cases, larger};

    fn row(case: &Case, phase: &'static str, seconds: f64) -> TripleRow {
        let rotations = case.rotations[0];
        TripleRow {
            table: case.table,
            method: format!("square of {}, {rotations:?}, {:?}", case.side, case.images),
            phase,
            dim: case.dimension,
            modulus_bits: 128,
            threads: 1,
            products: 2,
            seconds,
            seconds_per_triple: seconds / 2.0,
            peak_bytes: Some(4 << 30),
            predicted: None,
        }
    }

    #[test]
    fn larger_products_are_predicted_from_the_largest_that_is_measured() {
        predict(larger(1, 2).into_iter().filter(|case| case.table == 3 && case.dimension == 384));
    }

    #[test]
    #[ignore = "slow"]
    fn every_larger_product_is_predicted() {
        let cases: Vec<Case> = larger(1, 2);
        assert!(cases.iter().any(|case| case.dimension == 512) && cases.len() >= 5);
        predict(cases);
    }

    fn predict(larger: impl IntoIterator<Item = Case>) {
        let measured: Vec<Case> = cases().into_iter().filter(|case| case.is_measured_on(1, 2)).collect();
        let of = |case: &Case| {
            let k = case.dimension as f64 / 128.0;
            // A tenth more than the growth says.
            let more = if case.dimension > 128 { 1.1 } else { 1.0 };
            [("encrypt", 1.0), ("multiply", 10.0)]
                .map(|(phase, seconds)| row(case, phase, seconds * growth(phase, k) * more))
        };
        let rows: Vec<TripleRow> = measured.iter().flat_map(of).collect();
        let cases: Vec<Case> = larger.into_iter().collect();
        let predicted = predicted(&rows, &cases, 1, Backend::Scalar).unwrap();
        assert_eq!(predicted.len(), 3 * cases.len());
        for row in &predicted {
            let k = row.dim as f64 / 128.0;
            let expected = match row.phase {
                "encrypt" => 1.1 * k * k,
                "multiply" => 11.0 * k * k * k,
                _ => 1.1 * k * k + 11.0 * k * k * k,
            };
            assert!((row.seconds / expected - 1.0).abs() < 1e-9, "{row:?}");
            let source = row.predicted.as_deref().unwrap();
            assert!(source.contains("-9 % off at 256 from 128"), "{source}");
        }
        assert!(super::predicted(&[], &cases, 1, Backend::Scalar).unwrap().is_empty());
    }
}
