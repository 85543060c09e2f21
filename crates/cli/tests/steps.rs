//! The four steps apart, as client and server take them.

use crate::common::{Place, SEED, example, has_keys};

const SECRET: &str = "keys/secret.safetensors";

/// Plans, makes keys, encrypts; the secret is moved away, results are evaluated, the secret comes back.
fn results(program: &str, data: &str, more: &[&str]) -> Place {
    results_in("auto", program, data, more)
}

/// As [`results`], in a scheme.
fn results_in(scheme: &str, program: &str, data: &str, more: &[&str]) -> Place {
    let place = Place::new();
    std::fs::copy(example(program), place.path("p.asa")).unwrap();
    std::fs::copy(example("data").join(data), place.path("d.csv")).unwrap();
    place.call(&format!("plan p.asa --data d.csv --scheme {scheme} --out plan.json")).text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").args(more).text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").args(more).text();
    std::fs::rename(place.path(SECRET), place.path("away")).unwrap();
    let insecure = if more.is_empty() { "" } else { "--insecure" };
    place.call(&format!("evaluate --plan plan.json --keys keys --in in --out results {insecure}")).text();
    place.refuses(
        &format!("decrypt --plan plan.json --keys keys --in results --out o.csv {insecure}"),
        2,
        &["there is no secret key"],
    );
    std::fs::rename(place.path("away"), place.path(SECRET)).unwrap();
    place
}

#[test]
fn steps_apart_give_the_exact_results_of_a_run() {
    for scheme in ["bgv", "bfv"] {
        let place = results_in(scheme, "invoice.asa", "invoice.csv", &[]);
        let apart = place.call("decrypt --plan plan.json --keys keys --in results").json();
        let run = place.call(&format!("run p.asa --data d.csv --scheme {scheme}")).json();
        assert_eq!(apart["outputs"], run["outputs"]);
        assert_eq!((&run["scheme"], &run["check"]["exact"]), (&scheme.into(), &true.into()));
    }
}

#[test]
fn numbers_of_any_size_go_through_the_steps_in_full() {
    let place = Place::new();
    let wide = "1".repeat(39);
    place.write("p.asa", "y = x * 0x1_0000_0000_0000_0000 + z\ns = sum(x * z)\nsmall = z * 2");
    place.write("d.csv", format!("x,z\n{wide},1\n-0xff{},-3\n0,7\n", "0".repeat(28)));
    for scheme in ["bgv", "bfv"] {
        place.call(&format!("plan p.asa --data d.csv --scheme {scheme} --out plan.json")).text();
        place.call("keygen --no-passphrase --plan plan.json --out keys --force").text();
        place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
        place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
        let report = place.call("decrypt --plan plan.json --keys keys --in results --out o.csv").json();
        let y = [
            "2049638230412172401777777777777777777775728139547365605377",
            "-24424147682550103680086155745208052613923654759801159683",
            "7",
        ];
        let s = "115083218207890254246936940802964484551";
        assert_eq!(report["outputs"]["y"], serde_json::json!([y[0], y[1], 7]));
        assert_eq!(report["outputs"]["s"], serde_json::json!([s]));
        assert_eq!(report["outputs"]["small"], serde_json::json!([2, -6, 14]));
        let csv = format!("y,s,small\n{},{s},2\n{},,-6\n7,,14\n", y[0], y[1]);
        assert_eq!(std::fs::read_to_string(place.path("o.csv")).unwrap(), csv);
        let run = place.call(&format!("run p.asa --data d.csv --scheme {scheme}")).json();
        assert_eq!(run["outputs"], report["outputs"]);
        assert_eq!(run["check"]["exact"], true);
    }
}

#[test]
fn steps_apart_give_the_very_bits_of_a_run_from_the_same_seed() {
    let place = results("risk.asa", "diabetes.csv", &SEED);
    place.call("decrypt --plan plan.json --keys keys --in results --out apart.csv --insecure").text();
    place.call("run p.asa --data d.csv --out run.csv").args(SEED).text();
    let read = |name| std::fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(read("apart.csv"), read("run.csv"));
    assert_eq!(read("apart.csv").lines().count(), 443);
}

#[test]
fn approximate_results_agree_to_the_precision() {
    let place = results_in("ckks", "risk.asa", "diabetes.csv", &[]);
    let score = |line: &str| place.call(line).json()["outputs"]["score"][0].as_f64().unwrap();
    let run = score("run p.asa --data d.csv --scheme ckks");
    let apart = score("decrypt --plan plan.json --keys keys --in results");
    assert!((run - apart).abs() < 2f64.powi(-18));
    // Planned for twenty bits, there's no room for noise.
    place.refuses(
        "decrypt --plan plan.json --keys keys --in results --publish 30 --trust-server",
        1,
        &["leaves nothing"],
    );
}

#[test]
fn published_results_are_counted_beside_the_secret_key_by_every_process() {
    let place = Place::new();
    place.write("p.asa", "y = 3 * a");
    place.write("d.csv", "a\n5e-1\n-0.25\n");
    place.call("plan p.asa --data d.csv --scheme ckks --precision-bits 40 --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let evaluated = |out: &str| {
        place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
        place.call(&format!("evaluate --plan plan.json --keys keys --in in --out {out}")).text();
    };
    let decrypted = |results: &str, more: &str| {
        place.call(&format!("decrypt --plan plan.json --keys keys --in {results} {more}")).json()
    };
    evaluated("one");
    std::fs::remove_file(place.path("in")).unwrap();
    evaluated("two");
    let plain = decrypted("one", "");
    assert!(plain["publication"].is_null());
    let one = decrypted("one", "--publish 30 --trust-server");
    let [found, exact] = [&one, &plain].map(|report| report["outputs"]["y"][0].as_f64().unwrap());
    let [bound, bound_of_plain] = [&one, &plain].map(|report| report["error_bounds"][0].as_f64().unwrap());
    assert!((found - exact).abs() <= bound && bound > 4.0 * bound_of_plain);
    // The plan has no room for it.
    let publication = serde_json::json!({ "count": 1, "tau": 2.0, "within_precision": false });
    assert_eq!(one["publication"], publication);
    let two = decrypted("two", "--publish 30 --trust-server");
    assert!(two["publication"]["count"] == 2 && two["publication"]["tau"].as_f64().unwrap() > 2.0);
    let again = decrypted("one", "--publish 30 --trust-server");
    assert_eq!(again["outputs"], one["outputs"]);
    assert!(again["publication"]["count"] == 2 && again["publication"]["tau"] == 2.0);

    let line = "decrypt --plan plan.json --keys keys --in one --trust-server --publish";
    for bits in ["29", "8", "0", "129", "many"] {
        place.refuses(&format!("{line} {bits}"), 2, &["from 30 to 128"]);
    }
    let record = std::fs::read_to_string(place.path("keys/published.json")).unwrap();
    place.write("keys/published.json", record.replacen("\"published\":[\"", "\"published\":[\"0", 1));
    place.refuses(&format!("{line} 30"), 2, &["published.json", "damaged or was edited", "make new keys"]);
    std::fs::remove_file(place.path("keys/published.json")).unwrap();
    place.refuses(&format!("{line} 30"), 2, &["published.json", "no record"]);
    assert!(decrypted("one", "")["outputs"] == plain["outputs"]);
}

#[test]
fn every_step_reports_sizes_and_times() {
    let place = Place::new();
    place.write("p.asa", "total = dot(x, y)");
    place.write("d.csv", "x,y\n1,2\n3,4\n");
    has_keys(&place.call("plan p.asa --data d.csv --out plan.json").json(), &["candidates", "chosen"]);
    let keygen = place.call("keygen --no-passphrase --plan plan.json --out keys").json();
    has_keys(&keygen, &["files", "timings", "security_bits"]);
    for (name, bytes) in keygen["files"].as_object().unwrap() {
        let length = std::fs::metadata(place.path("keys").join(name)).unwrap().len();
        assert_eq!(bytes.as_u64(), Some(length));
    }
    let encrypt = place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").json();
    has_keys(&encrypt, &["file_bytes", "timings", "columns", "rows", "security_bits"]);
    let evaluate = place.call("evaluate --plan plan.json --keys keys --in in --out results").json();
    has_keys(
        &evaluate,
        &["file_bytes", "timings", "predicted_evaluate_s", "predicted_read_s", "security_bits"],
    );
    let decrypt = place.call("decrypt --plan plan.json --keys keys --in results").json();
    has_keys(&decrypt, &["outputs", "noise", "timings", "security_bits"]);
    assert_eq!(decrypt["outputs"]["total"], serde_json::json!([14]));
    // One digest, by which a result names its inputs.
    let inputs = encrypt["inputs_digest"].as_str().unwrap();
    assert!(
        inputs.len() == 64 && evaluate["inputs_digest"] == inputs && decrypt["inputs"]["digest"] == inputs
    );
    assert_eq!(place.call("inspect in").json()["digest"], inputs);
    assert_eq!(decrypt["inputs"]["checked"], false);
}

#[test]
fn inspect_tells_what_a_file_is() {
    let place = results("risk.asa", "diabetes.csv", &[]);
    for (file, kind) in [
        ("plan.json", "plan"),
        ("keys/secret.safetensors", "secret key"),
        ("keys/public.safetensors", "public key"),
        ("keys/evaluation.safetensors", "evaluation keys"),
        ("in", "encrypted inputs"),
        ("results", "encrypted outputs"),
    ] {
        let report = place.call(&format!("inspect {file}")).json();
        has_keys(&report, &["kind", "params", "security_bits", "security_quantum_bits", "tensors"]);
        assert_eq!(report["kind"], kind);
        assert!(report["security_bits"].as_u64().unwrap() >= 128);
        assert!(report["security_quantum_bits"].as_u64().unwrap() >= 116);
        let text = place.call(&format!("inspect {file}")).text();
        assert!(text.contains(kind), "{text}");
        assert!(text.contains("bits classical (2024 guidelines), about "), "{text}");
    }
    let plan = place.call("inspect plan.json").json();
    assert!(plan["log2_failure"].as_f64().unwrap() <= -128.0);
    assert!(plan["security_asked"] == 128 && plan["insecure"] == false);
    assert_eq!(plan["failure_bits_asked"], 128);
    assert!(place.call("inspect plan.json").text().contains("of all noise bounds together"));
    let keys = place.call("inspect keys/evaluation.safetensors").json();
    assert!(keys["seeds"].as_u64().unwrap() >= 1 && keys["security_extrapolated"] == false);
}

/// What stands in the header of a file of the largest ring, for which making keys would take long.
#[test]
fn inspect_says_where_security_is_extrapolated() {
    let place = Place::new();
    // Sorted by name, the digest is the first.
    let header = serde_json::json!({ "__metadata__": {
        "format": "asanoha", "version": "3", "kind": "public key", "params": "p", "digest": "0".repeat(64),
        "fields": "null", "key": "0".repeat(32), "insecure": "false", "seeded": "false", "security_bits": "128",
        "security_extrapolated": "true",
    } });
    let mut header = header.to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    place.write("key", [&(header.len() as u64).to_le_bytes()[..], &header].concat());
    assert_eq!(place.call("inspect key").json()["security_extrapolated"], true);
    assert!(
        place
            .call("inspect key")
            .text()
            .contains("128 bits classical (extrapolated from the 2024 guidelines)")
    );
}

#[test]
fn every_back_end_and_any_number_of_threads_write_the_same_files() {
    let place = Place::new();
    std::fs::copy(example("risk.asa"), place.path("p.asa")).unwrap();
    std::fs::copy(example("data/diabetes.csv"), place.path("d.csv")).unwrap();
    place.call("plan p.asa --data d.csv --out plan.json").text();
    let available = place.call("info").json()["kernels"]["available"].clone();
    let mut made: Vec<Vec<Vec<u8>>> = Vec::new();
    for (at, kernels) in available.as_array().unwrap().iter().enumerate() {
        let step = |line: String| {
            let call = place.call(&line).args(SEED).args(["--threads", if at == 0 { "1" } else { "2" }]);
            call.env("ASANOHA_KERNELS", kernels.as_str().unwrap()).text()
        };
        step(format!("keygen --no-passphrase --plan plan.json --out keys{at}"));
        step(format!("encrypt --plan plan.json --keys keys{at} --data d.csv --out in{at}"));
        step(format!("evaluate --plan plan.json --keys keys{at} --in in{at} --out results{at}"));
        let names = ["keys#/evaluation.safetensors", "keys#/public.safetensors", "in#", "results#"];
        let read = |name: &str| std::fs::read(place.path(&name.replace('#', &at.to_string()))).unwrap();
        made.push(names.into_iter().map(read).collect());
    }
    assert!(made.iter().all(|files| *files == made[0]));
}

/// The places of what a program and data lead to, up to the keys.
fn planned() -> Place {
    let place = Place::new();
    place.write("p.asa", "y = 2 * x");
    place.write("d.csv", "x\n1\n2\n");
    place.call("plan p.asa --data d.csv --out plan.json").text();
    place
}

#[test]
fn what_comes_from_a_seed_says_so_for_ever_and_is_refused() {
    let place = planned();
    place.call("keygen --no-passphrase --plan plan.json --out keys").args(SEED).text();
    let encrypt = "encrypt --plan plan.json --keys keys --data d.csv --out in";
    let evaluate = "evaluate --plan plan.json --keys keys --in in --out results";
    let decrypt = "decrypt --plan plan.json --keys keys --in results";
    for line in [encrypt, evaluate, decrypt] {
        if line == evaluate {
            // Keys of no seed beside them don't help columns that come from one.
            std::fs::rename(place.path("keys"), place.path("away")).unwrap();
            place.refuses(line, 2, &["in: encrypted inputs, made from a given seed", "--insecure"]);
            std::fs::rename(place.path("away"), place.path("keys")).unwrap();
        }
        place.refuses(line, 2, &["given seed", "--insecure"]);
        place.call(line).args(["--insecure"]).text();
    }
    for file in ["keys/secret.safetensors", "keys/evaluation.safetensors", "in", "results"] {
        assert_eq!(place.call(&format!("inspect {file}")).json()["seeded"], true);
        assert!(place.call(&format!("inspect {file}")).text().contains("given seed"));
    }
}

#[test]
fn columns_encrypted_from_a_seed_under_fresh_keys_say_so_too_and_so_do_their_results() {
    let place = planned();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").args(SEED).text();
    place.refuses("evaluate --plan plan.json --keys keys --in in --out results", 2, &["in: ", "given seed"]);
    place.call("evaluate --plan plan.json --keys keys --in in --out results --insecure").text();
    place.refuses("decrypt --plan plan.json --keys keys --in results", 2, &["results: ", "given seed"]);
    let seeded = |file| place.call(&format!("inspect {file}")).json()["seeded"].clone();
    assert!(seeded("keys/public.safetensors") == false && seeded("results") == true);
}

#[test]
fn a_folder_of_two_key_generations_is_refused_by_every_command() {
    let place = planned();
    for folder in ["keys", "other"] {
        place.call(&format!("keygen --no-passphrase --plan plan.json --out {folder}")).text();
    }
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    std::fs::copy(place.path("other/public.safetensors"), place.path("keys/public.safetensors")).unwrap();
    let says = ["public.safetensors", "secret.safetensors", "key generation", "--force"];
    place.refuses("encrypt --plan plan.json --keys keys --data d.csv --out new", 2, &says);
    place.refuses("evaluate --plan plan.json --keys keys --in in --out new", 2, &says);
    place.refuses("decrypt --plan plan.json --keys keys --in results", 2, &says);
}

#[test]
fn keys_are_overwritten_only_by_force() {
    let place = planned();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.refuses(
        "keygen --no-passphrase --plan plan.json --out keys",
        2,
        &["there are keys already", "--force"],
    );
    let old = std::fs::read(place.path(SECRET)).unwrap();
    place.call("keygen --no-passphrase --plan plan.json --out keys --force").text();
    assert_ne!(old, std::fs::read(place.path(SECRET)).unwrap());
    assert_eq!(std::fs::read_dir(place.path("keys")).unwrap().count(), 4);
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_the_secret() {
    use std::os::unix::fs::PermissionsExt;
    let place = planned();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let mode = std::fs::metadata(place.path(SECRET)).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}
