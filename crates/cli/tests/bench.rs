//! `asanoha bench`.

use crate::{
    common::{Place, has_keys},
    json_page::documented,
};

#[test]
fn fma_gives_the_sweep_with_its_ratios() {
    let report = documented("asanoha bench fma", Place::new().call("bench fma --quick --kernels scalar"));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 90);
    for row in rows {
        assert!(row["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0), "{row}");
    }
}

/// A scan under secure parameters.
#[test]
#[ignore = "slow"]
fn genome_gives_a_row_for_each_search() {
    let report = documented("asanoha bench genome", Place::new().call("bench genome --quick"));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    let number = |key: &str| rows[0][key].as_f64().unwrap();
    assert_eq!((rows[0]["protocol"].as_str(), number("length"), number("threads")), (Some("S"), 32.0, 1.0));
    assert!(rows[0]["correct"] == true && number("margin_bits") >= 10.0);
    let sum = |object: &serde_json::Value, keys: &[&str]| {
        let times = keys.iter().map(|key| object[key].as_f64().filter(|seconds| *seconds > 0.0));
        times.sum::<Option<f64>>().unwrap_or_else(|| panic!("a time is missing in {object}"))
    };
    sum(&rows[0]["phases"], &["keys_s", "window_s", "encrypt_s", "decrypt_s"]);
    let of_server = ["read_s", "expand_s", "check_s", "match_s", "blind_s", "pack_s", "write_s"];
    let operations = ["rotate_s", "multiply_s", "encode_s", "plain_s", "add_s", "switch_s"];
    // Little is in no phase, and only reading and writing are no operation.
    for (sum, least) in [(sum(&rows[0]["phases"], &of_server), 0.99), (sum(&rows[0], &operations), 0.8)] {
        assert!((least..=1.0).contains(&(sum / number("seconds"))), "{report}");
    }
    assert!(number("ntt_share") > 0.05 && number("ntt_share") < 1.0);
    Place::new().refuses("bench genome --quick --kernels scalar", 2, &["ASANOHA_KERNELS"]);
}

#[test]
fn forced_kernels_are_the_ones_measured() {
    let place = Place::new();
    let call = place.call("bench ntt --quick").env("ASANOHA_KERNELS", "scalar");
    let report = documented("asanoha bench ntt", call);
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["kernels"] == "scalar"));
    assert_eq!(report["machine"]["kernels"], "scalar");
}

#[test]
fn kernels_are_measured_and_tables_are_for_readers() {
    documented("asanoha bench kernels", Place::new().call("bench kernels --quick --kernels scalar"));
    let text = Place::new().call("bench ntt --quick --kernels scalar").text();
    assert!(text.contains("ntt_inverse") && text.contains("of limit"), "{text}");
}

#[test]
#[ignore = "slow"]
fn trace_gives_times_by_method_and_the_rotations() {
    let report = documented("asanoha bench trace", Place::new().call("bench trace --quick"));
    let rows = report["rows"].as_array().unwrap();
    for row in rows {
        assert_eq!((row["log2_n"].as_u64(), row["m"].as_u64()), (Some(15), Some(7)));
        assert!(row["ms_min"].as_f64() <= row["ms_median"].as_f64() && row["ms_min"].as_f64() > Some(0.0));
        assert!(row["key_bytes"].as_u64() > Some(0));
    }
    for method in ["repeated_doubling", "unrolled", "chosen"] {
        assert!(rows.iter().any(|row| row["method"] == method), "{method}");
    }
    let search = &report["search"];
    assert!(search["finds_nearest"] == true && search["documents"] == 1797, "{search}");
    assert!(search["largest_error"].as_f64() <= search["error_bound"].as_f64(), "{search}");
    let rotations = report["rotations"].as_array().unwrap();
    for operation in ["rotate", "hoisted", "sum", "sum_of_slots"] {
        assert!(rotations.iter().any(|row| row["operation"] == operation), "{operation}");
    }
}

#[test]
fn programs_on_tables_give_their_rows() {
    let place = Place::new();
    let report =
        documented("asanoha bench tables", place.call("bench tables --quick --table products,groups,prices"));
    let rows = report["rows"].as_array().unwrap();
    for row in rows {
        assert_eq!(row["rows"], 1000);
        assert!(row["evaluate_s"].as_f64() > Some(0.0), "{row}");
    }
    let schemes: Vec<&str> = rows.iter().map(|row| row["scheme"].as_str().unwrap()).collect();
    assert_eq!((schemes[1], rows[0]["largest_error"].as_f64()), ("ckks", Some(0.0)));
    assert!(schemes[0] != "ckks" && schemes[2] != "ckks", "{schemes:?}");
    place.refuses("bench trace --table prices", 2, &["--table", "tables"]);
    place.refuses("bench tables --table nothing", 2, &["nothing"]);
}

#[test]
fn bytes_to_bytes_gives_a_row_for_each_case_with_half_the_bytes_of_the_public_key() {
    let report = documented("asanoha bench bytes", Place::new().call("bench bytes --quick"));
    let rows = report["rows"].as_array().unwrap();
    let cases: Vec<&str> = rows.iter().map(|row| row["case"].as_str().unwrap()).collect();
    assert_eq!(cases, ["risk", "logit", "probability", "selection"]);
    for row in rows {
        let [seeded, public] = ["input_bytes", "public_input_bytes"].map(|key| row[key].as_f64().unwrap());
        assert!(seeded < 0.52 * public && seeded > 0.49 * public, "{row}");
        assert!(row["evaluate_ms"].as_f64() > Some(0.0) && row["ratio"].as_f64() > Some(0.0));
    }
}

/// Costly-looking programs are planned exactly and cheaply.
#[test]
fn plan_gives_a_row_for_each_program() {
    let report = documented("asanoha bench plan", Place::new().call("bench plan --quick"));
    let rows = report["rows"].as_array().unwrap();
    let of = |name: &str| rows.iter().find(|row| row["case"] == name).unwrap_or_else(|| panic!("{name}"));
    for name in ["risk", "invoice", "mean of rounded", "mean of maximum", "share above", "division by few"] {
        assert_ne!(of(name)["scheme"], "ckks", "{name}");
    }
    // A product for each divisor, and not a long division.
    assert!(of("division by few")["steps"].as_u64() < Some(100), "{report}");
    let far = rows.iter().filter(|row| row["near"] == false).count();
    assert_eq!(report["far"], far);
}

fn least_times_are_sums_of_their_parts(least: &[serde_json::Value]) {
    assert_eq!(least.len(), 9);
    for row in least {
        let number = |key: &str| row[key].as_f64().unwrap();
        let parts = ["transforms_ms", "conversions_ms", "inner_products_ms", "passes_ms"].map(number);
        assert!(parts.iter().all(|&part| part > 0.0) && number("keys_ms") > 0.0, "{row}");
        let most = parts.iter().sum::<f64>().max(number("keys_ms"));
        assert!((number("least_ms") / most - 1.0).abs() < 1e-9, "{row}");
        assert!((number("share") * number("taken_ms") / most - 1.0).abs() < 1e-9, "{row}");
        if row["scheme"] != "bfv" {
            assert_eq!(row["transforms"], row["taken_transforms"], "{row}");
        }
    }
}

#[test]
fn schemes_are_measured_at_another_ring_degree() {
    let place = Place::new();
    place.refuses("bench ntt --ring-degree 65536", 2, &["--ring-degree", "schemes"]);
    place.refuses("bench schemes --ring-degree 16384", 2, &["16384", "32768, 65536, 131072"]);
    let report = place.call("bench schemes --quick --ring-degree 65536").json();
    has_keys(&report, &["machine", "rows"]);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["ring_degree"] == 65536 && row["product_ms"].as_f64() > Some(0.0)));
    assert!(report.get("hoisted").is_none() && report.get("wide").is_none(), "{report}");
}

#[test]
fn schemes_and_large_moduli_give_their_rows() {
    let place = Place::new();
    let call = place.call("bench schemes --quick --limit");
    let report = documented("asanoha bench schemes", call);
    least_times_are_sums_of_their_parts(report["least"].as_array().unwrap());
    for row in report["rows"].as_array().unwrap() {
        assert!(
            row["security_bits"].as_u64() >= Some(128) && row["multiply_ms"].as_f64() > Some(0.0),
            "{row}"
        );
    }
    for scheme in ["bgv", "bfv", "ckks"] {
        let rows = report["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["scheme"] == scheme).unwrap();
        assert_eq!(row["log2_t"].is_null(), scheme == "ckks");
        assert_eq!(row["precision_bits"].is_null(), scheme != "ckks");
        assert_eq!(
            row["multiplications_ms"].as_array().unwrap().len() as u64,
            row["depth"].as_u64().unwrap()
        );
        let hoisted = report["hoisted"].as_array().unwrap();
        let row = hoisted.iter().find(|row| row["scheme"] == scheme).unwrap();
        assert!(row["hoisted_rotation_ms"].as_f64() > Some(0.0) && row["sum_ms"].as_f64() > Some(0.0));
    }

    let report =
        documented("asanoha bench large-moduli", place.call("bench large-moduli --quick --svg figures"));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert!(row["security_bits"].as_u64() >= Some(128), "{row}");
    }
    let uses: Vec<_> =
        report["uses"].as_array().unwrap().iter().map(|row| row["modulus_bits"].as_u64()).collect();
    assert_eq!(uses, [Some(17), None]);
    for row in report["uses"].as_array().unwrap() {
        assert!(
            row["seconds"].as_f64() > row["evaluate_s"].as_f64() && row["rows"].as_u64() >= Some(1),
            "{row}"
        );
    }
    for cost in report["level_costs"].as_array().unwrap() {
        let above = cost["bits_at_six_deviations"].as_f64().unwrap() - cost["formula_bits"].as_f64().unwrap();
        assert!(above.abs() <= 2.1, "{cost}");
    }
    let figure = std::fs::read_to_string(place.path("figures/time-log2-t-64.svg")).unwrap();
    assert!(figure.contains("BGV") && figure.contains("BFV"));
    place.refuses("bench ntt --svg figures", 2, &["--svg", "large-moduli"]);
    place.refuses("bench ntt --limit", 2, &["--limit", "schemes"]);
    place.refuses("bench ntt --set a42", 2, &["--set", "bootstrap"]);
    place.refuses("bench bootstrap --set a43", 2, &["--set", "a42", "bits"]);
}

#[test]
fn division_gives_a_row_for_each_method_and_number_of_threads() {
    let place = Place::new();
    let report = place.call("bench division --bits 2 --threads 2").json();
    has_keys(&report, &["machine", "rows", "counts", "peer", "ratios", "seconds"]);
    assert!(report["peer"].is_null() && report["ratios"].as_array().unwrap().is_empty());
    let rows = report["rows"].as_array().unwrap();
    let expected = [("bit-wise", 1), ("bit-wise", 2), ("paper", 1), ("paper", 2), ("ours", 1), ("ours", 2)];
    let found = rows.iter().map(|row| (row["method"].as_str().unwrap(), row["threads"].as_u64().unwrap()));
    assert!(found.eq(expected), "{rows:?}");
    for row in rows {
        has_keys(
            row,
            &[
                "method",
                "encryption",
                "bits",
                "plaintext_modulus",
                "levels",
                "slots",
                "seconds",
                "seconds_per_division",
                "security_bits",
                "threads",
                "ring_degree",
                "log2_qp",
            ],
        );
        assert_eq!((row["bits"].as_u64(), row["encryption"].as_str()), (Some(2), Some("public_key")));
        assert!(row["security_bits"].as_u64() >= Some(128), "{row}");
        let (seconds, slots) = (row["seconds"].as_f64().unwrap(), row["slots"].as_f64().unwrap());
        let each = row["seconds_per_division"].as_f64().unwrap();
        assert!(seconds > 0.0 && (each * slots / seconds - 1.0).abs() < 1e-9, "{row}");
    }
    // The paper's method and ours are as deep, and have as many slots.
    for row in &rows[2..] {
        assert_eq!((row["plaintext_modulus"].as_u64(), row["levels"].as_u64()), (Some(65_537), Some(3)));
        assert_eq!(row["slots"].as_u64(), row["ring_degree"].as_u64(), "{row}");
    }
}

#[test]
#[ignore = "slow"]
fn triples_give_a_row_for_each_phase_and_the_published_parameters() {
    let place = Place::new();
    let report = documented("asanoha bench triples", place.call("bench triples --quick"));
    let columns = report["table_1"].as_array().unwrap();
    let published = ["ring_degree", "log2_q", "log2_p", "modulus_bits"].map(|key| columns[0][key].as_f64());
    assert_eq!(published, [32768.0, 600.0, 240.0, 128.0].map(Some));
    assert_eq!(columns[0]["switches"], serde_json::json!([0, 1, 1]));
    let rows = report["rows"].as_array().unwrap();
    let phases: Vec<&str> = rows.iter().map(|row| row["phase"].as_str().unwrap()).collect();
    let expected =
        ["draw", "encrypt", "multiply", "switch keys", "codes of A, B", "decrypt", "total", "one party"];
    assert_eq!(phases, expected);
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap();
        assert_eq!(["dim", "modulus_bits", "threads", "products"].map(number), [128.0, 128.0, 1.0, 256.0]);
        assert!((number("seconds_per_triple") * number("products") / number("seconds") - 1.0).abs() < 1e-9);
    }
    let total: f64 = rows[..6].iter().map(|row| row["seconds"].as_f64().unwrap()).sum();
    assert!((total / rows[6]["seconds"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    // A party does more than half of what two do, as products are computed once.
    let one_party = rows[7]["seconds"].as_f64().unwrap() / total;
    assert!(one_party > 0.5 && one_party < 1.0);
}

/// In the peer's place stands a script that prints what it would.
#[cfg(unix)]
#[test]
#[ignore = "slow"]
fn division_sets_the_peer_s_rows_beside_ours() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    let row = r#"{"method":"tfhe FheUint4","encryption":"client_key","bits":2,"plaintext_modulus":null,"levels":null,
        "slots":1,"seconds":1.5,"seconds_per_division":1.5,"security_bits":128,"threads":1}"#;
    let script = format!(
        "#!/bin/sh\n[ \"$*\" = 'division --json --quick' ] && echo '{{\"version\":\"tfhe 1\",\"rows\":[{row}]}}'\n"
    );
    let program = place.write("peer", script);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let call = || place.call("bench division --quick --bits 2 --peer").args([&program]);
    let report = documented("asanoha bench division", call());
    let rows = report["rows"].as_array().unwrap();
    assert_eq!((rows.len(), report["peer"].as_str()), (4, Some("tfhe 1")));
    assert_eq!((rows[3]["method"].as_str(), rows[3]["seconds"].as_f64()), (Some("tfhe FheUint4"), Some(1.5)));
    let ratio = &report["ratios"][0];
    let expected = 1.5 / rows[2]["seconds_per_division"].as_f64().unwrap();
    assert!((ratio["ratio"].as_f64().unwrap() / expected - 1.0).abs() < 1e-9);
    let text = call().text();
    assert!(text.contains("nslots") && text.contains("bit-wise") && text.contains("tfhe 1"), "{text}");

    place.write("peer", "#!/bin/sh\nexit 7\n");
    place.refuses(
        &format!("bench division --quick --bits 2 --peer {}", program.display()),
        1,
        &["--peer", "7"],
    );
}

#[test]
fn divisions_of_other_sizes_and_missing_peers_are_refused() {
    let place = Place::new();
    place.refuses("bench division --bits 9", 2, &["--bits 9", "2 to 8", "16"]);
    place.refuses("bench division --peer", 2, &["bench/peers/target/release/peers", "cargo build --release"]);
    place.refuses("bench division --peer nowhere", 2, &["nowhere", "bench/peers"]);
    place.refuses("bench ntt --bits 4", 2, &["--bits", "division"]);
    place.refuses("bench ntt --memory-limit 1GiB", 2, &["--memory-limit", "tfhe", "dram"]);
    place.refuses("bench dram --memory-limit much", 2, &["--memory-limit", "8GiB"]);
    place.refuses("bench ntt --confined tfhe,none", 2, &["--confined", "dram"]);
    place.refuses("bench ntt --peer", 2, &["--peer", "division", "tfhe"]);
    place.refuses("bench tfhe --peer nowhere", 2, &["nowhere", "bench/peers"]);
    place.refuses("bench ntt --dim 128", 2, &["--dim", "triples"]);
    place.refuses("bench triples --dim 100", 2, &["--dim 100", "128, 192, 256, 384, 512, 1024"]);
    place.refuses("bench triples --quick --dim 256", 2, &["--dim 256", "has 128 rows"]);
}

#[test]
fn unknown_benches_and_kernels_are_refused_by_name() {
    let place = Place::new();
    place.refuses("bench nothing", 2, &["nothing"]);
    place.refuses("bench ntt --kernels abacus", 2, &["abacus", "scalar"]);
}

#[test]
#[ignore = "slow"]
fn bootstrap_gives_its_row() {
    let place = Place::new();
    let report = documented("asanoha bench bootstrap", place.call("bench bootstrap --quick"));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0]["ring_degree"].as_u64(), rows[0]["slots"].as_u64()), (Some(1 << 16), Some(1 << 15)));
    assert!(rows[0]["bits_worst"].as_f64() >= Some(24.0) && rows[0]["levels_left"].as_u64() >= Some(10));
    assert!(
        rows[0]["log2_failure"].as_f64() < Some(-128.0) && rows[0]["security_bits"].as_u64() >= Some(128)
    );
}
