//! `asanoha bench tfhe`, `product`, `dot` and `dram`.

use crate::{
    common::{Place, has_keys},
    json_page::documented,
};

const TFHE_KEYS: [&str; 10] = [
    "operation",
    "parameters",
    "batch",
    "threads",
    "ms_min",
    "ms_median",
    "key_bytes",
    "peak_bytes",
    "log2_failure",
    "insecure",
];

/// The first line of a peer.
const GREETING: &str = r#"{"version":"tfhe 1","sets":["A","B"]}"#;

/// A script in the peer's place that says that every operation takes 1000 ms.
#[cfg(unix)]
fn peer(place: &Place) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;

    let script = format!("#!/bin/sh\necho '{GREETING}'\nwhile read set operation; do echo 1000; done\n");
    let program = place.write("peer", script);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[cfg(unix)]
#[test]
#[ignore = "slow"]
fn tfhe_bootstraps_in_turns_with_the_peer() {
    let place = Place::new();
    let program = peer(&place);
    let report = documented("asanoha bench tfhe", place.call("bench tfhe --quick --peer").args([&program]));
    assert_eq!(report["peer"], "tfhe 1");
    let rows = report["rows"].as_array().unwrap();
    let found: Vec<_> = rows.iter().map(|row| row["parameters"].as_str().unwrap()).collect();
    assert_eq!(found, ["message_2_carry_2", "tfhe 1 A", "tfhe 1 B", "message_2_carry_2"]);
    for row in rows {
        assert!(row["operation"].as_str().unwrap().contains("bootstrap"), "{row}");
        assert!(row["ms_min"].as_f64() <= row["ms_median"].as_f64() && row["ms_min"].as_f64() > Some(0.0));
        assert_eq!(
            ["batch", "threads", "log2_failure"].map(|key| row[key].as_f64()),
            [1.0, 1.0, -128.0].map(Some)
        );
        assert!(row["insecure"] == false);
    }
    assert!(
        rows[0]["key_bytes"].as_u64() > Some(28_000_000) && rows[0]["peak_bytes"].as_u64() > Some(28_000_000)
    );
    assert!(rows[1]["key_bytes"].is_null() && rows[1]["peak_bytes"].is_null());
    for ratio in report["ratios"].as_array().unwrap() {
        assert_eq!(ratio["operation"], "bootstrap");
        for (key, ours) in [("ratio_min", "ms_min"), ("ratio_median", "ms_median")] {
            let expected = 1000.0 / rows[3][ours].as_f64().unwrap();
            assert!((ratio[key].as_f64().unwrap() / expected - 1.0).abs() < 1e-9);
        }
    }
    assert!(!report["published"].as_array().unwrap().is_empty());
    let call = format!("bench tfhe --quick --peer {}", program.display());
    let text = place.call(&call).text();
    assert!(text.contains("tfhe 1 B takes") && text.contains("TFHEpp"), "{text}");
    place.write("peer", format!("#!/bin/sh\necho '{GREETING}'\nread set\nexit 7\n"));
    place.refuses(&call, 1, &["--peer", "7"]);
    place.write("peer", format!("#!/bin/sh\necho '{GREETING}'\nread set\necho NaN\n"));
    place.refuses(&call, 1, &["--peer", "NaN"]);
}

#[cfg(unix)]
#[test]
#[ignore = "slow"]
fn tfhe_gives_a_row_for_each_operation_batch_and_number_of_threads() {
    let place = Place::new();
    let report = place.call("bench tfhe --threads 2 --peer").args([&peer(&place)]).json();
    let rows = report["rows"].as_array().unwrap();
    let singles = ["secret key", "server key", "encrypt", "decrypt", "bootstrap", "and", "or", "xor", "nand"];
    for (parameters, insecure) in [
        ("message_2_carry_2", false),
        ("message_2_carry_2_failure_40", false),
        ("n = 500, N = 2048 (insecure)", true),
        ("n = 512, N = 2048, digits of 2^7 (insecure)", true),
        ("n = 500, N = 2048, digits of 2^6 (insecure)", true),
    ] {
        let of_set = || rows.iter().filter(|row| row["parameters"] == parameters);
        assert!(of_set().all(|row| row["insecure"] == insecure));
        for operation in singles {
            let one = |row: &&serde_json::Value| row["operation"] == operation && row["batch"] == 1;
            assert_eq!(of_set().filter(one).count(), 1, "{operation} at {parameters}");
        }
        for (batch, threads) in [(16, 1), (32, 1), (16, 2), (32, 2)] {
            let it = |row: &&serde_json::Value| row["batch"] == batch && row["threads"] == threads;
            assert_eq!(of_set().filter(it).count(), 1, "{batch} on {threads} threads");
        }
    }
    rows.iter().for_each(|row| has_keys(row, &TFHE_KEYS));
    let integers = ["add 8 bits", "multiply 8 bits", "compare 8 bits", "divide 8 bits"];
    for operation in [&["multiply 2 bits", "multiply 4 bits"], &integers[..]].concat() {
        assert_eq!(rows.iter().filter(|row| row["operation"] == operation).count(), 2, "{operation}");
    }
    let ratios = report["ratios"].as_array().unwrap();
    let found: Vec<_> = ratios.iter().map(|ratio| ratio["operation"].as_str().unwrap()).collect();
    let expected: Vec<_> = ["bootstrap"].iter().chain(&integers).flat_map(|name| [*name; 2]).collect();
    assert_eq!(found, expected);
}

#[test]
fn products_and_inner_products_give_a_row_for_each_scheme_length_and_method() {
    let product: &[(&str, &str, u64)] = &[
        ("tfhe", "tree", 2),
        ("fixed", "tree", 2),
        ("ckks", "tree", 2),
        ("ckks", "chain", 2),
        ("ckks", "tree", 20),
        ("ckks", "chain", 20),
    ];
    let dot: &[(&str, &str, u64)] =
        &[("tfhe", "sum", 2), ("fixed", "sum", 2), ("ckks", "sum", 2), ("ckks", "sum", 20)];
    for (heading, expected) in [("asanoha bench product", product), ("asanoha bench dot", dot)] {
        let name = heading.trim_start_matches("asanoha bench ");
        let report = documented(heading, Place::new().call(&format!("bench {name} --quick")));
        let rows = report["rows"].as_array().unwrap();
        let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
        let found: Vec<_> =
            rows.iter().map(|row| (text(row, "scheme"), text(row, "method"), row["n"].as_u64())).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(scheme, method, n)| ((*scheme).into(), (*method).into(), Some(*n)))
            .collect();
        assert_eq!(found, expected);
        for row in rows {
            assert_eq!((row["operation"].as_str(), row["threads"].as_u64()), (Some(name), Some(1)));
            assert!(row["ms_min"].as_f64() <= row["ms_median"].as_f64());
            assert!(row["ms_min"].as_f64() > Some(0.0) && row["key_bytes"].as_u64() > Some(0));
            if row["scheme"] == "ckks" {
                assert!(row["bits"].is_null() && row["layers"].is_null() && row["log2_failure"].is_null());
                assert!(row["bits_predicted"].as_f64() >= Some(12.0) && row["bootstraps"] == 0, "{row}");
                assert!(row["bits_worst"].as_f64() > row["bits_predicted"].as_f64(), "{row}");
            } else {
                let [worst, predicted] = ["bits_worst", "bits_predicted"].map(|key| row[key].as_f64());
                assert_eq!(row["bits"], 8);
                assert_eq!(worst.is_some(), row["scheme"] == "fixed");
                // Half a step of 1/64 for each number, and a step for each product.
                assert!(
                    worst >= predicted && predicted.is_none_or(|bits| (3.0..6.0).contains(&bits)),
                    "{row}"
                );
                assert!(
                    row["bootstraps"].as_u64() >= row["layers"].as_u64() && row["layers"].as_u64() > Some(0)
                );
                assert_eq!(row["log2_failure"].as_f64(), Some(-128.0));
            }
        }
    }
}

#[test]
fn products_are_measured_by_the_scheme_that_is_asked_for() {
    let place = Place::new();
    let report = place.call("bench dot --quick --scheme ckks").json();
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["scheme"] == "ckks"));
    let text = place.call("bench dot --quick --scheme ckks").text();
    assert!(text.contains("dot ckks sum    2") && text.contains("leveled, N = 2^"), "{text}");
    place.refuses("bench dot --scheme bgv", 2, &["bgv", "tfhe", "ckks"]);
    place.refuses("bench ntt --scheme ckks", 2, &["--scheme", "product", "dot"]);
}

#[test]
fn tfhe_keeps_its_key_in_a_file_under_a_memory_limit() {
    let report = Place::new().call("bench tfhe --quick --memory-limit 100MiB").json();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    has_keys(&rows[0], &TFHE_KEYS);
    assert_eq!((rows[0]["operation"].as_str(), rows[0]["batch"].as_u64()), (Some("bootstrap"), Some(1)));
    #[cfg(target_os = "linux")]
    assert!(rows[0]["peak_bytes"].as_u64() < Some(100 << 20), "{}", rows[0]);
}

/// The row under a limit, if one can be enforced here; the report refuses a limit that can't.
#[cfg(target_os = "linux")]
fn dram_limited(report: &serde_json::Value) -> Option<&serde_json::Value> {
    let rows = report["rows"].as_array().unwrap();
    let refused = report["refused"].as_array().unwrap();
    assert_eq!((rows.len() + refused.len(), rows.last().unwrap()["memory_limit_bytes"].is_null()), (2, true));
    for refusal in refused {
        assert!(refusal["why"].as_str().unwrap().contains("control group"), "{refusal}");
    }
    rows.iter().find(|row| !row["memory_limit_bytes"].is_null())
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow"]
fn dram_bootstraps_under_a_limit_that_binds_and_without_one() {
    let report = documented("asanoha bench dram", Place::new().call("bench dram --quick"));
    for row in report["rows"].as_array().unwrap() {
        assert_eq!((row["ciphertexts"].as_u64(), row["threads"].as_u64()), (Some(100), Some(1)));
        let number = |key: &str| row[key].as_f64().unwrap();
        let parts = ["key_seconds", "encrypt_seconds", "bootstrap_seconds", "decrypt_seconds"].map(number);
        assert!((parts.iter().sum::<f64>() / number("seconds") - 1.0).abs() < 1e-9);
        assert!(parts.into_iter().all(|part| part > 0.0) && number("major_faults") >= 0.0);
        for key in ["cpus_used", "key_cpus_used", "bootstrap_cpus_used"] {
            assert!(number(key) > 0.0 && number(key) < 1.2, "{key} of one thread: {row}");
        }
        assert_eq!(
            (row["scheme"].as_str(), row["key_bytes"].as_u64() > Some(28_000_000)),
            (Some("tfhe"), true)
        );
    }
    let free = report["rows"].as_array().unwrap().last().unwrap();
    assert!(free["confined_by"].is_null() && free["group_peak_bytes"].is_null());
    assert_eq!((free["key_place"].as_str(), free["time_ratio"].as_f64()), (Some("memory"), Some(1.0)));
    let Some(limited) = dram_limited(&report) else { return };
    assert_eq!(
        (limited["memory_limit_bytes"].as_u64(), limited["key_place"].as_str()),
        (Some(50_000_000), Some("file"))
    );
    assert!(limited["confined_by"] == "cgroup v1" || limited["confined_by"] == "cgroup v2", "{limited}");
    // It binds: without it, the process takes more, and its key file stands in the page cache.
    let peak = limited["group_peak_bytes"].as_u64().unwrap();
    assert!(peak <= 50_000_000 && peak > 45_000_000, "{limited}");
    assert!(free["peak_bytes"].as_u64() > Some(50_000_000), "{free}");
    // The key is written, read once to check it and once to use it.
    let key_bytes = 28_000_000;
    assert!(limited["written_bytes"].as_u64() > Some(key_bytes), "{limited}");
    assert!(limited["read_bytes"].as_u64() > Some(2 * key_bytes), "{limited}");
}

#[cfg(target_os = "linux")]
#[test]
fn dram_says_that_a_limit_is_too_small() {
    let output = Place::new().call("bench dram --quick --json --memory-limit 20MiB").output();
    if output.status.success() {
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(dram_limited(&report).is_none(), "the limit is refused, or it is too small: {report}");
        return;
    }
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("under the limit tfhe,20971520,") && told.contains("more memory"), "{told}");
}
