//! `asanoha bench`.

mod common;

use common::{Place, has_keys};

#[test]
fn fma_gives_the_sweep_with_its_ratios() {
    let report = Place::new().call("bench fma --quick --kernels scalar").json();
    has_keys(&report, &["machine", "rows"]);
    has_keys(&report["machine"], &["cpu", "kernels", "threads"]);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 90);
    for row in rows {
        has_keys(
            row,
            &[
                "kernels",
                "operation",
                "ring_degree",
                "prime_bits",
                "l",
                "ns_min",
                "ns_median",
                "cycles_per_butterfly",
                "share_of_limit",
                "ratio",
            ],
        );
        assert!(row["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0), "{row}");
    }
}

#[test]
fn forced_kernels_are_the_ones_measured() {
    let report = Place::new().call("bench ntt --quick").env("ASANOHA_KERNELS", "scalar").json();
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["kernels"] == "scalar"));
    assert_eq!(report["machine"]["kernels"], "scalar");
}

#[test]
fn the_table_is_for_readers() {
    let text = Place::new().call("bench kernels --quick --kernels scalar").text();
    assert!(text.contains("inner_product") && text.contains("of limit"), "{text}");
}

#[test]
fn unknown_benches_and_kernels_are_refused_by_name() {
    let place = Place::new();
    place.refuses("bench nothing", 2, &["nothing"]);
    place.refuses("bench ntt --kernels abacus", 2, &["abacus", "scalar"]);
}
