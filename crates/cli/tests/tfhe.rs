//! Programs on TFHE: `run` and `plan`, and the steps through files.

use crate::common::{Place, SEED, example, has_keys};
use asanoha::{
    data::{Schema, read_csv},
    kernels::Backend,
    plan::{OnZero, PlanParts},
    precision::Precision,
    program::Program,
    search::ScheduleHints,
    tfhe::{GadgetLiteral, TfheLiteral},
};
use serde_json::{Value, json};

const PROGRAM: &str = "q = a // b\nless = a < b\ntotal = sum(max(a, 3))";
const DATA: &str = "a,b\n7,2\n1,3\n12,5\n";

/// Small and insecure.
pub(crate) fn tiny() -> TfheLiteral {
    TfheLiteral {
        lwe_dimension: 24,
        lwe_standard_deviation: 2f64.powi(-30),
        ring_degree: 512,
        rank: 1,
        glwe_standard_deviation: 2f64.powi(-48),
        bootstrap: GadgetLiteral { digit_bits: 12, levels: 2 },
        key_switch: GadgetLiteral { digit_bits: 4, levels: 5 },
        message_bits: 4,
        log2_failure: -128.0,
        insecure: true,
    }
}

/// A folder with a plan at these parameters and with data.
pub(crate) fn place(params: TfheLiteral) -> Place {
    let place = Place::new();
    let program = Program::parse(PROGRAM).unwrap();
    let table = read_csv(DATA.as_bytes(), "d.csv", program.input_names()).unwrap();
    let parts = PlanParts {
        schema: Schema::from_table(&table, &[]).unwrap(),
        program,
        security: 128,
        failure_bits: 96,
        precision: Precision::Relative { bits: 20 },
        params: params.into(),
        hints: ScheduleHints { threads: 1, ..ScheduleHints::default() },
        on_zero: OnZero::Error,
    };
    let plan = parts.plan(Backend::detect().unwrap(), 0.0, 0.0).unwrap();
    plan.write(&place.path("plan.json")).unwrap();
    place.write("d.csv", DATA);
    place
}

/// The steps up to the results.
fn steps(place: &Place) {
    for line in [
        "keygen --no-passphrase --plan plan.json --out keys --insecure",
        "encrypt --plan plan.json --keys keys --data d.csv --out in --insecure",
        "evaluate --plan plan.json --keys keys --in in --out results --insecure",
    ] {
        let _ = place.call(line).json();
    }
}

#[test]
fn the_steps_through_files_give_exact_results() {
    let place = place(tiny());
    let keygen = place.call("keygen --no-passphrase --plan plan.json --out keys --insecure").json();
    let files: Vec<&String> = keygen["files"].as_object().unwrap().keys().collect();
    assert_eq!(files, ["evaluation.safetensors", "published.json", "secret.safetensors"]);
    let encrypt = place.call("encrypt --plan plan.json --keys keys --data d.csv --out in --insecure").json();
    has_keys(&encrypt, &["file_bytes", "ciphertexts", "columns", "rows", "inputs_digest"]);
    // The server has no secret.
    std::fs::rename(place.path("keys/secret.safetensors"), place.path("secret")).unwrap();
    let evaluate =
        place.call("evaluate --plan plan.json --keys keys --in in --out results --insecure").json();
    assert_eq!(evaluate["inputs_digest"], encrypt["inputs_digest"]);
    // A key that stays in its file gives the same words.
    let stored = "evaluate --plan plan.json --keys keys --in in --out stored --low-memory --insecure";
    let _ = place.call(stored).json();
    assert!(std::fs::read(place.path("results")).unwrap() == std::fs::read(place.path("stored")).unwrap());
    std::fs::rename(place.path("secret"), place.path("keys/secret.safetensors")).unwrap();
    let decrypt =
        place.call("decrypt --plan plan.json --keys keys --in results --in-of in --insecure").json();
    assert_eq!(decrypt["outputs"], json!({"q": [3, 0, 2], "less": [0, 1, 0], "total": [22]}));
    assert!(decrypt["noise"]["budget_bits"].as_f64().unwrap() > 0.0);
    assert!(decrypt["error_bounds"].is_null() && decrypt["inputs"]["checked"] == true);
    for (file, kind) in [
        ("keys/secret.safetensors", "TFHE client key"),
        ("keys/evaluation.safetensors", "TFHE server key"),
        ("in", "encrypted inputs"),
        ("results", "encrypted outputs"),
    ] {
        let report = place.call(&format!("inspect {file}")).json();
        assert_eq!((&report["kind"], &report["insecure"]), (&kind.into(), &true.into()));
    }
    let plan = place.call("inspect plan.json").json();
    assert_eq!(
        (&plan["scheme"], &plan["keys"], &plan["insecure"]),
        (&json!("tfhe"), &json!(2), &json!(true))
    );
    // A seed gives the same bits twice, and marks them.
    let seed = SEED.join(" ");
    for folder in ["one", "two"] {
        let _ = place.call(&format!("keygen --no-passphrase --plan plan.json --out {folder} {seed}")).json();
    }
    let key = |folder: &str| std::fs::read(place.path(folder).join("secret.safetensors")).unwrap();
    assert!(key("one") == key("two") && key("one") != key("keys"));
    assert_eq!(place.call("inspect one/secret.safetensors").json()["seeded"], true);
}

#[test]
fn files_of_other_keys_and_parameters_and_damaged_ones_are_refused() {
    let place = place(tiny());
    steps(&place);
    let decrypt = "decrypt --plan plan.json --keys keys --in results --insecure";
    let evaluate = "evaluate --plan plan.json --keys keys --in in --out r --insecure";

    place.refuses("decrypt --plan plan.json --keys keys --in results", 2, &["--insecure"]);
    // Other keys of the same plan.
    let _ = place.call("keygen --no-passphrase --plan plan.json --out other --insecure").json();
    place.refuses(
        "decrypt --plan plan.json --keys other --in results --insecure",
        2,
        &["key generation", "use keys and ciphertexts of one key generation"],
    );
    place.refuses(
        "evaluate --plan plan.json --keys other --in in --out r --insecure",
        2,
        &["key generation"],
    );
    // Keys of two generations in a folder.
    let secret = std::fs::read(place.path("keys/secret.safetensors")).unwrap();
    std::fs::copy(place.path("other/secret.safetensors"), place.path("keys/secret.safetensors")).unwrap();
    place.refuses(decrypt, 2, &["put files of one key generation there"]);
    place.write("keys/secret.safetensors", &secret);
    // Other parameters.
    let strange = self::place(TfheLiteral { lwe_dimension: 32, ..tiny() });
    steps(&strange);
    for (file, line) in [
        ("keys/secret.safetensors", decrypt),
        ("results", decrypt),
        ("keys/evaluation.safetensors", evaluate),
        ("in", evaluate),
    ] {
        let own = std::fs::read(place.path(file)).unwrap();
        let of_other = std::fs::read(strange.path(file)).unwrap();
        place.write(file, &of_other);
        let output = place.call(line).output();
        assert_eq!(output.status.code(), Some(2), "{file}");
        // Cut off, and one bit changed.
        place.write(file, &own[..own.len() - 8]);
        place.refuses(line, 2, &["truncated or damaged"]);
        let mut altered = own.clone();
        *altered.last_mut().unwrap() ^= 1;
        place.write(file, altered);
        place.refuses(line, 2, &["damaged"]);
        place.write(file, own);
    }
    // Results in the place of inputs.
    place.refuses("evaluate --plan plan.json --keys keys --in results --out r --insecure", 2, &["encrypted"]);
    // Low-memory keys are the same keys.
    let _ = place.call(&format!("{evaluate} --low-memory")).json();
}

#[test]
fn an_edited_plan_is_refused() {
    let place = place(tiny());
    let text = std::fs::read_to_string(place.path("plan.json")).unwrap();
    let plan: Value = serde_json::from_str(&text).unwrap();
    let edits: [(&str, Value); 5] = [
        ("/params/lwe_dimension", json!(0)),
        ("/params/message_bits", json!(3)),
        ("/derivation/threads", json!(0)),
        ("/circuit/steps/0/width/blocks", json!(1)),
        ("/circuit/steps/2/bootstraps", json!(1)),
    ];
    for (at, value) in edits {
        let mut edited = plan.clone();
        *edited.pointer_mut(at).unwrap_or_else(|| panic!("{at} is in {text}")) = value;
        place.write("edited.json", edited.to_string());
        place.refuses(
            "keygen --no-passphrase --plan edited.json --out k --insecure",
            2,
            &["edited.json", "make it anew with `asanoha plan`"],
        );
    }
    place.refuses("keygen --no-passphrase --plan plan.json --out k", 2, &["it says that it is insecure"]);
}

#[test]
fn plans_say_why_tfhe_cannot() {
    let place = Place::new();
    place.write("d.csv", "x,w\n1.5e0,3\n2,300000\n");
    for (program, says) in [
        ("y = x + 1", "aren't whole numbers"),
        ("y = sigmoid(w)", "approximated"),
        ("y = w**9", "narrow the ranges"),
    ] {
        place.write("p.asa", program);
        place.refuses("run p.asa --data d.csv --scheme tfhe", 1, &["tfhe can't run this program", says]);
    }
    place.write("p.asa", "y = w + 1");
    place.refuses("run p.asa --data d.csv --scheme tfhe --security 192", 1, &["128-bit security"]);
}

#[test]
fn run_has_the_keys_of_its_contract() {
    let place = Place::new();
    place.write("p.asa", "y = x % 2");
    place.write("d.csv", "x\n3\n");
    let report = place.call("run p.asa --data d.csv --scheme tfhe").json();
    assert_eq!((&report["scheme"], &report["outputs"]), (&json!("tfhe"), &json!({"y": [1]})));
    let params = &report["params"];
    assert_eq!((&params["ring_degree"], &params["lwe_dimension"]), (&json!(2048), &json!(870)));
    assert_eq!((&params["log2_q"], &params["log2_p"]), (&json!(64.0), &json!(0.0)));
    assert!(params["plaintext_modulus"].is_null() && params["primes"] == json!([]));
    assert_eq!((&report["security_bits"], &report["check"]["exact"]), (&json!(128), &json!(true)));
    let noise = &report["noise"];
    assert!(noise["measured_bits"].as_f64().unwrap() < noise["predicted_bits"].as_f64().unwrap());
    assert!(noise["budget_bits"].as_f64().unwrap() > 0.0);
    has_keys(&report["timings"], &["plan_s", "keygen_s", "encrypt_s", "evaluate_s", "decrypt_s"]);
    let sizes = &report["sizes"];
    assert!(sizes["evaluation_key_bytes"].as_u64().unwrap() > 20 << 20);
    // One digit for x, one for y: 2049 words each.
    assert_eq!((&sizes["ciphertext_bytes"], &sizes["result_bytes"]), (&json!(2049 * 8), &json!(2049 * 8)));

    let plan = place.call("plan p.asa --data d.csv").json();
    let candidate = &plan["candidates"][2];
    assert_eq!((&candidate["scheme"], &candidate["feasible"]), (&json!("tfhe"), &json!(true)));
    let bootstraps = candidate["bootstraps"].as_f64().unwrap();
    assert!((1.0..=4.0).contains(&bootstraps));
    let log2_failure = candidate["log2_failure"].as_f64().unwrap();
    assert!((log2_failure - (bootstraps.log2() - 128.0)).abs() < 1e-9);
}

#[test]
#[ignore = "slow"]
fn the_points_example_is_given_to_tfhe_and_is_exact() {
    let (program, data) = (example("points.asa"), example("data/patients.csv"));
    let line = format!("run {} --data {}", program.display(), data.display());
    let report = Place::new().call(&line).json();
    assert_eq!((&report["scheme"], &report["check"]["exact"]), (&json!("tfhe"), &json!(true)));
    assert_eq!(report["outputs"]["points"], json!([5, 5, 7, 10]));
    assert_eq!(report["outputs"]["band"], json!([1, 1, 1, 2]));
    assert_eq!(report["outputs"]["high"], json!([1]));
}
