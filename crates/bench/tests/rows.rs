//! What programs read of the benches.

use asanoha_bench::{Report, Settings, fma, kernels, ntt};
use asanoha_kernels::Backend;
use serde_json::Value;

const KEYS: [&str; 9] = [
    "kernels",
    "operation",
    "ring_degree",
    "prime_bits",
    "ns_min",
    "ns_median",
    "cycles_per_butterfly",
    "cycles_per_word",
    "share_of_limit",
];

fn settings() -> Settings {
    Settings { backends: Backend::available(), quick: true }
}

/// The rows, after a check of what all have in common: every key, and figures that are finite and positive, save the
/// butterflies of what has none.
fn checked_rows(report: &Report, more_keys: &[&str]) -> Vec<Value> {
    let json = serde_json::to_value(report).unwrap();
    for key in ["cpu", "kernels", "threads"] {
        assert!(json["machine"].get(key).is_some(), "no {key} in {}", json["machine"]);
    }
    let rows = json["rows"].as_array().unwrap().clone();
    for row in &rows {
        for key in KEYS.iter().chain(more_keys) {
            assert!(row.get(key).is_some(), "no {key} in {row}");
        }
        for (key, value) in row.as_object().unwrap() {
            let is_transform = row["operation"].as_str().unwrap().starts_with("ntt");
            let is_name = ["kernels", "operation"].contains(&key.as_str());
            if key == "cycles_per_butterfly" && !is_transform {
                assert!(value.is_null(), "{row}");
            } else if !is_name {
                // What isn't finite has no number in JSON.
                assert!(value.as_f64().is_some_and(|figure| figure > 0.0), "{key} in {row}");
            }
        }
        assert!(row["ns_min"].as_f64() <= row["ns_median"].as_f64(), "{row}");
    }
    for backend in Backend::available() {
        assert!(rows.iter().any(|row| row["kernels"] == backend.name()), "{}", backend.name());
        assert!(report.text().contains(backend.name()));
    }
    rows
}

#[test]
fn ntt_measures_both_directions_at_each_width() {
    let rows = checked_rows(&ntt(&settings(), &|_, _| ()), &[]);
    for operation in ["ntt_forward", "ntt_inverse"] {
        for bits in [46, 48, 50, 60] {
            assert!(rows.iter().any(|row| row["operation"] == operation && row["prime_bits"] == bits));
        }
    }
}

#[test]
fn fma_measures_all_points_of_the_sweep_on_every_back_end() {
    let rows =
        checked_rows(&fma(&settings(), &|_, _| ()), &["l", "ratio", "mul_add_ns_min", "mul_add_ns_median"]);
    assert_eq!(rows.len(), 90 * Backend::available().len());
    for backend in Backend::available() {
        for log2 in 10..=15 {
            for l in 1..=15 {
                let is_it = |row: &&Value| {
                    row["kernels"] == backend.name() && row["ring_degree"] == 1 << log2 && row["l"] == l
                };
                assert_eq!(rows.iter().filter(is_it).count(), 1);
            }
        }
    }
}

#[test]
fn kernels_measures_every_operation() {
    let rows = checked_rows(&kernels(&settings(), &|_, _| ()), &[]);
    for backend in Backend::available() {
        for operation in ["add", "mul", "fma", "fma_scalar", "inner_product", "weighted_sum", "ntt_inverse"] {
            let is_it = |row: &Value| row["kernels"] == backend.name() && row["operation"] == operation;
            assert!(rows.iter().any(is_it), "{operation} on {}", backend.name());
        }
    }
    for (operation, primes) in
        [("ntt_forward", 1), ("ntt_forward", 15), ("ntt_inverse", 30), ("ntt_inverse", 60)]
    {
        assert!(
            rows.iter().any(|row| row["operation"] == operation && row["l"] == primes),
            "{operation} {primes}"
        );
    }
    assert!(rows.iter().all(|row| row["l"].is_u64() == row["cycles_per_butterfly"].is_f64()));
    let sums: Vec<&Value> = rows.iter().filter(|row| row["operation"] == "inner_product").collect();
    assert!(sums.iter().all(|row| row["terms"].is_u64()));
}

#[test]
fn progress_is_told_up_to_the_end() {
    let last = std::cell::Cell::new((0, 1));
    let settings = Settings { backends: vec![Backend::Scalar], quick: true };
    ntt(&settings, &|done, all| {
        assert!(done == last.get().0 + 1 && done <= all);
        last.set((done, all));
    });
    assert_eq!(last.get().0, last.get().1);
}
