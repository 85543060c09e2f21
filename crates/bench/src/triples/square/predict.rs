//! Products that the memory doesn't suffice for, predicted phase by phase from smaller ones that were measured.

use asanoha_kernels::Backend;

use super::{
    super::{TripleError, TripleRow},
    Case, plan,
};

/// The dimension of the products that predictions are made from.
const BASE: usize = 256;
/// The dimension that tells how good predictions are: those of [`BASE`] from it are compared with what was measured.
const SMALLER: usize = 128;

/// How the time of a phase grows when matrices have k times the rows and columns: encryption, stored rotations, codes and
/// decryption by the blocks of a matrix; products, and rotations that are computed again for each of them, by the products of
/// blocks.
fn growth(phase: &str, k: f64) -> f64 {
    if phase.contains("multiply") { k * k * k } else { k * k }
}

/// The rows of products of more rows than [`BASE`] by the rows of smaller ones on the same threads, where these were measured.
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
    for case in cases.iter().filter(|case| case.dimension > BASE) {
        let bytes = plan::plan(&params, case, None)?.cost().bytes() as f64;
        let base = Case { dimension: BASE, ..*case };
        let base_bytes = plan::plan(&params, &base, None)?.cost().bytes() as f64;
        let method = case.method();
        let of = |dimension: usize| -> Vec<&TripleRow> {
            let is_base =
                |row: &&TripleRow| row.dim == dimension && row.threads == threads && row.method == method;
            let mut found: Vec<&TripleRow> = rows.iter().filter(is_base).collect();
            // The same product may stand in two tables.
            let table = found.first().map(|row| row.table);
            found.retain(|row| Some(row.table) == table && row.phase != "total");
            found
        };
        let (small, large) = (of(SMALLER), of(BASE));
        if large.is_empty() {
            continue;
        }
        let off = |measured: f64, predicted: f64| 100.0 * (predicted / measured - 1.0);
        let seconds = |rows: &[&TripleRow], k: f64| -> f64 {
            rows.iter().map(|row| row.seconds * growth(row.phase, k)).sum()
        };
        let k = BASE as f64 / SMALLER as f64;
        let time = if small.is_empty() {
            String::new()
        } else {
            let off = off(seconds(&large, 1.0), seconds(&small, k));
            format!(", which is {off:+.0} % off at {BASE} from {SMALLER}")
        };
        let memory = large[0].peak_bytes.map_or(String::new(), |measured| {
            format!(", {:+.0} % off at {BASE}", off(measured as f64, base_bytes))
        });
        let source = format!("time phase by phase from {BASE} rows{time}; memory by the plan's cost{memory}");
        let k = case.dimension as f64 / BASE as f64;
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
    use crate::triples::square::cases;

    fn row(case: &Case, phase: &'static str, seconds: f64) -> TripleRow {
        TripleRow {
            table: case.table,
            method: case.method(),
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

    fn larger() -> impl Iterator<Item = Case> {
        cases().into_iter().filter(|case| case.dimension > BASE && case.is_measured_on(1, 2))
    }

    #[test]
    fn larger_products_are_predicted_from_the_largest_that_is_measured() {
        predict(larger().filter(|case| case.table == 3 && case.dimension == 384));
    }

    #[test]
    #[ignore = "slow"]
    fn every_larger_product_is_predicted() {
        assert!(larger().any(|case| case.dimension == 512) && larger().count() >= 5);
        predict(larger());
    }

    #[test]
    fn a_product_is_left_unless_its_first_way_of_rotating_was_measured() {
        let case = cases().into_iter().find(|case| case.table == 2 && case.dimension == 512).unwrap();
        assert!(case.left(&[row(&case, "total", 1.0)]).is_none());
        assert_eq!(case.left(&[]).unwrap().table, 2);
        let fallback =
            TripleRow { method: "square of 128, Reused, Stored".to_owned(), ..row(&case, "total", 1.0) };
        let left = case.left(&[fallback]).unwrap();
        assert_eq!((left.table, left.method()), (3, case.method()));
    }

    fn predict(larger: impl IntoIterator<Item = Case>) {
        let is_measured = |case: &Case| case.dimension <= BASE && case.is_measured_on(1, 2);
        let measured: Vec<Case> = cases().into_iter().filter(is_measured).collect();
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
