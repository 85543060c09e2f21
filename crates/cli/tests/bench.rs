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
#[ignore = "slow"]
fn trace_gives_times_by_method_and_the_rotations() {
    let report = Place::new().call("bench trace --quick").json();
    has_keys(&report, &["machine", "rows", "rotations"]);
    let rows = report["rows"].as_array().unwrap();
    for row in rows {
        has_keys(
            row,
            &[
                "log2_n",
                "m",
                "k",
                "l",
                "h",
                "threads",
                "kernels",
                "ms_min",
                "ms_median",
                "key_bytes",
                "method",
                "factors",
            ],
        );
        assert_eq!((row["log2_n"].as_u64(), row["m"].as_u64()), (Some(15), Some(7)));
        assert!(row["ms_min"].as_f64() <= row["ms_median"].as_f64() && row["ms_min"].as_f64() > Some(0.0));
        assert!(row["key_bytes"].as_u64() > Some(0));
    }
    for method in ["repeated_doubling", "unrolled", "chosen"] {
        assert!(rows.iter().any(|row| row["method"] == method), "{method}");
    }
    let rotations = report["rotations"].as_array().unwrap();
    for row in rotations {
        has_keys(row, &["operation", "rotations", "threads", "kernels", "ms_min", "ms_median"]);
    }
    for operation in ["rotate", "hoisted", "sum", "sum_of_slots"] {
        assert!(rotations.iter().any(|row| row["operation"] == operation), "{operation}");
    }
}

#[test]
fn schemes_and_large_moduli_give_their_rows() {
    let place = Place::new();
    let report = place.call("bench schemes --quick --kernels scalar").json();
    has_keys(&report, &["machine", "rows", "wide"]);
    for row in report["rows"].as_array().unwrap() {
        has_keys(
            row,
            &[
                "scheme",
                "depth",
                "ring_degree",
                "log2_t",
                "log2_q",
                "log2_qp",
                "primes",
                "multiply_ms",
                "chain_ms",
                "ms_per_multiplication",
                "rotate_ms",
                "encrypt_ms",
                "decrypt_ms",
                "peak_memory_bytes",
                "security_bits",
            ],
        );
        assert!(
            row["security_bits"].as_u64() >= Some(128) && row["multiply_ms"].as_f64() > Some(0.0),
            "{row}"
        );
    }
    has_keys(
        &report["wide"],
        &[
            "log2_t",
            "ring_degree",
            "log2_q",
            "security_bits",
            "rotate_ms",
            "hoisted_rotation_ms",
            "multiply_ms",
            "switch_ms",
            "encrypt_ms",
            "encode_ms",
            "decrypt_ms",
        ],
    );

    let report = place.call("bench large-moduli --quick --svg figures").json();
    has_keys(&report, &["machine", "rows", "level_costs", "seconds"]);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        has_keys(
            row,
            &[
                "scheme",
                "log2_t",
                "depth",
                "ring_degree",
                "log2_q",
                "log2_qp",
                "ms_per_multiplication",
                "peak_memory_bytes",
                "security_bits",
                "security_extrapolated",
            ],
        );
        assert!(row["security_bits"].as_u64() >= Some(128), "{row}");
    }
    for cost in report["level_costs"].as_array().unwrap() {
        has_keys(cost, &["ring_degree", "log2_t", "bits", "bits_at_six_deviations", "formula_bits"]);
        let above = cost["bits_at_six_deviations"].as_f64().unwrap() - cost["formula_bits"].as_f64().unwrap();
        assert!(above.abs() <= 2.1, "{cost}");
    }
    let figure = std::fs::read_to_string(place.path("figures/time-log2-t-64.svg")).unwrap();
    assert!(figure.contains("BGV") && figure.contains("BFV"));
    place.refuses("bench ntt --svg figures", 2, &["--svg", "large-moduli"]);
}

#[test]
fn unknown_benches_and_kernels_are_refused_by_name() {
    let place = Place::new();
    place.refuses("bench nothing", 2, &["nothing"]);
    place.refuses("bench ntt --kernels abacus", 2, &["abacus", "scalar"]);
}
