//! The tables of `docs/json.md` have a row for every key that commands print, and commands print the key of every row. What
//! `inspect` says of every kind of file.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::{
    common::{Place, SMALL_RING, panel_place},
    json_page::{Keys, compare, rows, sections},
};
use asanoha::{
    execute,
    kernels::Backend,
    plan::{Plan, SecurityCheck},
    prelude::*,
};
use serde_json::Value;

/// The object of a call, whether it fails or not.
fn object(place: &Place, line: &str) -> Value {
    let output = place.call(line).args(["--json"]).output();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// The report of a call that fails after it.
fn report(place: &Place, line: &str) -> Value {
    let mut object = object(place, line);
    let error = object.as_object_mut().unwrap().remove("error");
    assert!(error.is_some(), "{line}: {object}");
    object
}

fn write(place: &Place, program: &str, data: &str) {
    place.write("p.asa", program);
    place.write("d.csv", data);
}

/// Real numbers.
const REALS: &str = "a\n5e-1\n-0.25\n0.75\n";
/// Decimals that are far from 0.
const FAR: &str = "t\n100000000.25\n99999999.75\n100000000.125\n";

#[test]
fn keys_of_run_are_documented() {
    let place = Place::new();
    let run = |program: &str, data: &str, flags: &str| {
        write(&place, program, data);
        place.call(&format!("run p.asa --data d.csv {flags}")).json()
    };
    let objects = [
        run("y = x / 3", "x\n1\n\n3\n", "--missing mask --out o.csv"),
        run("y = sqrt(2)", "x\n1\n", ""),
        run("y = x < 2", "x\n1\n3\n", "--scheme tfhe"),
        run("y = 3 * a * a", REALS, "--precision-bits 10 --publish 30"),
        run("m = mean_where(y, b > 5)", "y,b\n3,0\n-2,1\n", "--range b=0:7"),
    ];
    compare("asanoha run", &objects);
}

#[test]
fn keys_of_plan_are_documented() {
    let place = Place::new();
    let line = "plan p.asa --data d.csv";
    let plan = |program: &str, data: &str, flags: &str| {
        write(&place, program, data);
        place.call(&format!("{line} {flags}")).json()
    };
    let mut objects = vec![
        plan("n = sum(region == 'north')\ny = x * 0.5", "region,x\nnorth,1.5\nsouth,2\n", "--out plan.json"),
        plan("v = var(t)", FAR, "--scheme ckks"),
        plan("y = 3 * a", REALS, ""),
        plan("y = x * 2 + exp(-1)", "x\n1\n2\n", ""),
        plan(
            "n = count(day > 2026-01-01)",
            "day\n2026-11-23\n2025-11-23\n",
            "--range day=2025-01-01:2026-12-31",
        ),
    ];
    write(&place, "y = sigmoid(x)", "x\n1\n2\n");
    objects.push(report(&place, &format!("{line} --scheme bgv")));
    compare("asanoha plan", &objects);
}

/// The objects of key generation, encryption, evaluation and decryption, with flags for the plan, encryption and decryption.
fn steps(place: &Place, program: &str, data: &str, [plan, encrypt, decrypt]: [&str; 3]) -> [Value; 4] {
    write(place, program, data);
    place.call(&format!("plan p.asa --data d.csv {plan} --out plan.json")).text();
    [
        "keygen --no-passphrase --plan plan.json --out keys --force".to_owned(),
        format!("encrypt --plan plan.json --keys keys --data d.csv --out in {encrypt}"),
        "evaluate --plan plan.json --keys keys --in in --out results".to_owned(),
        format!("decrypt --plan plan.json --keys keys --in results {decrypt}"),
    ]
    .map(|line| place.call(&line).json())
}

#[test]
fn keys_of_the_four_steps_are_documented() {
    let place = Place::new();
    let exact = "y = x * 2 + log(2)\nnone = mean_where(x, x > 5)";
    let flags = [
        "--missing mask --range x=0:7 --rows 9",
        "--missing mask --canaries 3",
        "--in-of in --out o.csv --places 1",
    ];
    let exact = steps(&place, exact, "x\n1\n\n3\n", flags);
    let published = ["--scheme ckks --precision-bits 10 --publish 30", "", "--publish 30 --trust-server"];
    let published = steps(&place, "y = 3 * a", REALS, published);
    steps(&place, "y = a * a", REALS, ["--scheme ckks", "", ""]);
    let rotated = Some(place.call("keygen --no-passphrase --plan plan.json --rotate keys --out new").json());
    for (at, name) in ["keygen", "encrypt", "evaluate", "decrypt"].into_iter().enumerate() {
        let mut objects = vec![exact[at].clone(), published[at].clone()];
        objects.extend(rotated.clone().filter(|_| name == "keygen"));
        compare(&format!("asanoha {name}"), &objects);
    }
    let reencrypt = |file: &str| {
        place.call(&format!("reencrypt --plan plan.json --keys new --in {file} --out new-{file}"))
    };
    compare("asanoha reencrypt", &["in", "results"].map(|file| reencrypt(file).json()));
}

/// What `inspect` says of a file: as JSON, and as text that names its kind, its access, its use and these words.
fn inspect(place: &Place, file: &str, kind: &str, is_secret: bool, says: &[&str]) -> Value {
    let call = || place.call(&format!("inspect {file}")).env("COLUMNS", "1000");
    let (object, text) = (call().json(), call().text());
    assert_eq!((&object["kind"], &object["secret"]), (&kind.into(), &is_secret.into()), "{file}");
    let metadata = place.path(file).metadata().unwrap();
    assert!(metadata.is_dir() || object["bytes"] == metadata.len(), "{object}");
    let access = if is_secret { "secret" } else { "public" };
    let purpose = object["purpose"].as_str().unwrap();
    let head =
        [format!("kind        {kind} ("), format!("use         {purpose}"), format!("access      {access}")];
    for part in head.iter().map(String::as_str).chain(says.iter().copied()) {
        assert!(text.contains(part), "{file}: {part:?} isn't in {text}");
    }
    object
}

#[test]
fn inspect_says_what_the_files_of_a_program_are() {
    let place = Place::new();
    let planned = |name: &str, flags: &str, says: &[&str]| {
        place.call(&format!("plan p.asa --data d.csv {flags} --out {name}")).text();
        inspect(&place, name, "plan", false, says)
    };
    let encrypt = &steps(&place, "y = x * 2 + log(2)", "x\n1\n2\n", ["--rows 4", "", "--in-of in"])[1];
    let inputs = encrypt["inputs_digest"].as_str().unwrap();
    let mut plans = vec![
        inspect(&place, "plan.json", "plan", false, &["BGV", "x, 4 rows", "outputs     y", "1 to 4"]),
        planned("tfhe.json", "--scheme tfhe", &["TFHE", "x, 2 rows"]),
    ];
    let record = format!("keys/inputs-{inputs}.json");
    let mut records =
        vec![inspect(&place, &record, "record of encrypted inputs", true, &["2 rows", "decryption"])];
    let mut files = vec![
        inspect(&place, "keys/secret.safetensors", "secret key", true, &["decryption", "tensor      secret"]),
        inspect(&place, "keys/public.safetensors", "public key", false, &["encryption", "seeds       1,"]),
        inspect(&place, "keys/evaluation.safetensors", "evaluation keys", false, &["the server needs them"]),
        inspect(&place, "in", "encrypted inputs", false, &["holds       x, 2 rows", inputs]),
        inspect(&place, "results", "encrypted outputs", false, &["holds       y, 2 rows", inputs]),
    ];
    place.call("keygen --no-passphrase --plan tfhe.json --out tfhe").text();
    files.push(inspect(&place, "tfhe/secret.safetensors", "TFHE client key", true, &["decryption"]));
    files.push(inspect(&place, "tfhe/evaluation.safetensors", "TFHE server key", false, &["evaluation"]));

    steps(&place, "v = var(t)", FAR, ["--scheme ckks", "", ""]);
    files.push(inspect(&place, "in", "encrypted inputs", false, &["t, 3 rows"]));
    let contents = place.contents();
    let is_other = |path: &&PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("inputs-") && !record.ends_with(name)
    };
    let centred = contents.keys().find(is_other).expect("the constant is in a record");
    let centred = format!("keys/{}", centred.file_name().unwrap().to_str().unwrap());
    records.push(inspect(&place, &centred, "record of encrypted inputs", true, &["column t", "3 rows"]));
    assert!(!place.call(&format!("inspect {centred}")).text().contains("100000000"));

    let published = ["--scheme ckks --precision-bits 10 --publish 30", "", "--publish 30 --trust-server"];
    steps(&place, "y = 3 * a", REALS, published);
    plans.push(inspect(&place, "plan.json", "plan", false, &["CKKS", "statistical security"]));
    let text = "y = sum((region == 'north') * price * (day > 2026-01-01))";
    write(&place, text, "region,price,day\nnorth,100.25,2026-11-23\nsouth,101.5,2025-11-23\n");
    let says = ["column region", "2 places", "program     ", "sum("];
    plans.push(planned("sums.json", "--scheme ckks --center price=100", &says));

    let says = ["1 ciphertext", "--publish"];
    let counts = inspect(&place, "keys/published.json", "record of publications", true, &says);
    assert_eq!(counts["publications"], 1);

    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4).build().unwrap();
    let (_, public) = params.generate_keys();
    public.encrypt([3, -2, 5, 7]).unwrap().write(place.path("ciphertexts")).unwrap();
    files.push(inspect(&place, "ciphertexts", "ciphertexts", false, &["library"]));
    steps(&place, "y = a * a", REALS, ["--scheme ckks", "", ""]);
    place.call("keygen --no-passphrase --plan plan.json --rotate keys --out new").text();
    let says = ["reencrypt", "without the new secret key", "leads       from key generation"];
    files.push(inspect(&place, "new/reencryption.safetensors", "re-encryption key", false, &says));
    for (file, kind, says) in [
        ("in", "encrypted inputs", "1 re-encryption of inputs, 0 re-encryptions of results"),
        ("results", "encrypted outputs", "0 re-encryptions of inputs, 1 re-encryption of results"),
    ] {
        place.call(&format!("reencrypt --plan plan.json --keys new --in {file} --out new-{file}")).text();
        files.push(inspect(&place, &format!("new-{file}"), kind, false, &[says, "from the file of digest"]));
    }
    compare("asanoha inspect of a plan", &plans);
    compare("asanoha inspect of keys and ciphertexts", &files);
    compare("asanoha inspect of a record of encrypted inputs", &records);
    compare("asanoha inspect of a record of publications", &[counts]);
}

#[test]
fn inspect_says_what_parameters_and_schemas_are() {
    let place = Place::new();
    let bgv = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4).build().unwrap();
    bgv.write(place.path("bgv.json")).unwrap();
    let ckks = Ckks::parameters().depth(1).precision_bits(20).slots(4).build().unwrap();
    ckks.write(place.path("ckks.json")).unwrap();
    let parameters = [
        inspect(&place, "bgv.json", "parameters", false, &["BGV", "t = 65537", "bits classical"]),
        inspect(&place, "ckks.json", "parameters", false, &["CKKS", "scale 2^", "library"]),
    ];
    assert_eq!(parameters[0]["params_digest"].as_str().map(str::len), Some(64));
    compare("asanoha inspect of parameters", &parameters);
    let column = |name: &str, more: &str| {
        format!("{{\"name\": \"{name}\", {more}, \"range\": {{\"lo\": \"0\", \"hi\": \"1\"}}}}")
    };
    let columns = [
        column("region", "\"whole\": true, \"categories\": [\"north\", \"south\"]"),
        column("day", "\"whole\": true, \"date\": true"),
        column("price", "\"whole\": false, \"places\": 2, \"centre\": \"100\""),
    ];
    place.write("schema.json", format!("{{\"rows\": 7, \"columns\": [{}]}}", columns.join(",")));
    let says = ["rows        7", "column region", "column day", "column price", "--schema"];
    compare("asanoha inspect of a schema", &[inspect(&place, "schema.json", "schema", false, &says)]);
}

#[test]
fn inspect_says_what_other_files_are() {
    let place = panel_place();
    write(&place, "y = x * 2", "x\n1\n2\n");
    place.call("plan p.asa --data d.csv --out plan.json").text();
    let backend = Backend::detect().unwrap();
    let plan = Plan::read(&place.path("plan.json"), SecurityCheck::Required, backend).unwrap();
    let keys = execute::generate_keys(&plan, &mut Sampler::from_os());
    keys.write_sealed(&plan, &place.path(""), b"passphrase").unwrap();
    place.write("keys.backup", b"asanoha backup r and its files");
    place.write("query", b"asagque2 and its words");
    place.write("keys.sent", format!("{} {}\n", "0f".repeat(16), "5a".repeat(32)));
    compare(
        "asanoha inspect of other files",
        &[
            inspect(&place, "secret.sealed", "sealed secret key", true, &["passphrase"]),
            inspect(&place, "keys.backup", "backup of keys", true, &["restore"]),
            inspect(&place, "query", "genome message", false, &["private search"]),
            inspect(&place, "keys.sent", "record of sent genome keys", false, &["--keys"]),
        ],
    );
    let says = ["40 haplotypes at 64 sites of chromosome 20", "asanoha genome serve"];
    compare(
        "asanoha inspect of a genome panel",
        &[inspect(&place, "panel.idx", "genome panel", true, &says)],
    );

    place.write("empty", "");
    place.write("bytes", [0xff_u8; 64]);
    place.write("brace.json", "{}");
    place.write("data.gz", b"\x1f\x8b and more");
    std::fs::create_dir(place.path("folder")).unwrap();
    std::fs::create_dir(place.path("keys")).unwrap();
    place.write("keys/public.safetensors", "");
    let panel = std::fs::read(place.path("panel.idx")).unwrap();
    place.write("cut", &panel[..panel.len() - 1]);
    place.write("old", b"asagpan1".repeat(9));
    for (file, says) in [
        ("d.csv", "it is text"),
        ("p.asa", "it is text"),
        ("panel.vcf", "it is VCF"),
        ("data.gz", "gzip"),
        ("empty", "it is empty"),
        ("bytes", "not an asanoha file"),
        ("brace.json", "it has no version"),
        ("folder", "it is a folder without triples"),
        ("keys", "keys/public.safetensors"),
        ("cut", "cut short or damaged"),
        ("old", "another version"),
    ] {
        place.refuses(&format!("inspect {file}"), 2, &[file, says]);
    }
}

#[test]
fn keys_of_triples_are_documented() {
    let place = Place::new();
    let generate = "triples generate --dim 2 --modulus 18446744073709551557 --count 5 --out t";
    compare("asanoha triples generate", &[place.call(generate).json(), place.call(generate).json()]);
    let export = |format: &str| place.call(&format!("triples export --format {format} t")).json();
    compare("asanoha triples export", &[export("npz"), export("mp-spdz")]);
    let says = ["5 of ", "a prime of 64 bits, for 2 parties"];
    let folder = inspect(&place, "t", "triples", true, &says);
    let manifest = inspect(&place, "t/manifest.json", "manifest of triples", false, &says);
    compare("asanoha inspect of triples", &[folder, manifest]);
    let says = ["it is for the party of its folder alone"];
    inspect(&place, "t/party-0/block-00000000", "triples of one party", true, &says);
    inspect(&place, "t/secret-seed", "seed of triples", true, &["all shares follow from it"]);
    place.refuses("inspect t/npz/party-0.npz", 2, &["ZIP"]);

    let right = place.call("triples verify t").json();
    let block = place.path("t/party-1/block-00000000");
    let mut altered = std::fs::read(&block).unwrap();
    altered[50] ^= 1;
    std::fs::write(&block, altered).unwrap();
    compare("asanoha triples verify", &[right, report(&place, "triples verify t")]);
}

#[test]
fn keys_of_genome_and_info_are_documented() {
    let place = panel_place();
    compare("asanoha genome index", &[place.call("genome index panel.vcf --out again.idx").json()]);
    let query = format!("genome query --local panel.idx --vcf me.vcf --start 0 --length 9 {SMALL_RING}");
    compare("asanoha genome query", &[place.call(&query).json()]);
    compare("asanoha info", &[place.call("info").json()]);
}

#[test]
fn keys_of_errors_are_documented() {
    let place = Place::new();
    let error = |line: &str| serde_json::json!({ "error": object(&place, line)["error"] });
    let run = |program: &str, data: &str, flags: &str| {
        write(&place, program, data);
        error(&format!("run p.asa --data d.csv {flags}"))
    };
    let mut objects = vec![
        error("run"),
        error("inspect none"),
        run("y = z", "x\n1\n", ""),
        run("y = x", "x\nmany\n1\n", ""),
        run("y = x * 2", "x\n1\n2000\n", "--range x=0:7"),
        run("y = table(x, [1, 2])", "x\n1\n2\n", ""),
        run("y = sigmoid(x)\nz = x // 3", "x\n1.5\n7\n", ""),
        run("y = sigmoid(x)", "x\n1\n2\n", "--scheme bgv"),
        run("y = x * x * 0.3", "x\n1.5\n7\n", "--precision-bits 50 --scheme ckks"),
        run("y = x ** 60", "x\n1\n2000\n", "--scheme bgv"),
        run("y = exp(x)", "x\n3000\n", ""),
        run("y = a < b", "a,b\n5e-1,0.5000000001\n", "--scheme ckks"),
        run(
            "y = b - a",
            "a,b\n1700000000.25,1700000005.50\n",
            "--scheme ckks --range a=0:2147483648 --range b=0:2147483648",
        ),
    ];
    let flags = ["--scheme ckks", "", ""];
    steps(&place, "y = 3 * a * a", REALS, flags);
    objects.push(error("decrypt --plan plan.json --keys keys --in results --publish 30 --trust-server"));
    for flags in ["", "--rows 2"] {
        steps(&place, "y = x * 2", "x\n1\n2\n", [flags, "", ""]);
        place.write("three.csv", "x\n1\n2\n3\n");
        objects.push(error("encrypt --plan plan.json --keys keys --data three.csv --out o"));
    }
    let plan = std::fs::read_to_string(place.path("plan.json")).unwrap();
    place.write("plan.json", plan.replace("\"security\": 128", "\"security\": 256"));
    objects.push(error("keygen --no-passphrase --plan plan.json --out other"));
    // Too long to be read; it takes no room.
    std::fs::File::create(place.path("schema.json")).unwrap().set_len(65 << 20).unwrap();
    objects.push(error("plan p.asa --schema schema.json"));
    compare("Errors", &objects);
}

/// The commands below a command; the names to measure of `bench`.
fn commands(command: &str) -> Vec<String> {
    let help = Place::new().call(&format!("{command} --help")).env("COLUMNS", "200").text();
    let lines = help.lines().skip_while(|line| *line != "Commands:").take_while(|line| !line.is_empty());
    let of_bench = help.lines().take_while(|line| command == "bench" && *line != "Options:");
    let of_bench = of_bench.filter_map(|line| line.trim().strip_prefix("- ")?.split_once(':'));
    // Longer lines go on further to the right.
    let lines = lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let named = lines.filter_map(|line| line.split_whitespace().next());
    let names = named.chain(of_bench.map(|(name, _)| name)).filter(|name| *name != "help");
    names.map(|name| format!("{command} {name}").trim().to_owned()).collect()
}

#[test]
fn every_command_has_a_section_and_every_section_of_a_command_a_test() {
    let sections = sections();
    for command in commands("") {
        let below = commands(&command);
        let all = if below.is_empty() { vec![command] } else { below };
        for command in all.iter().filter(|command| !["completions", "man"].contains(&command.as_str())) {
            assert!(
                sections.contains_key(&format!("asanoha {command}")),
                "json.md has no section of {command}"
            );
        }
    }
    let tests = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")).unwrap();
    let tests =
        tests.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let tests: String = tests.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let here = include_str!("json_keys.rs");
    for (heading, section) in &sections {
        let rows = rows(&sections, heading);
        let keys: BTreeSet<&Keys> = rows.iter().map(|row| &row.keys).collect();
        assert_eq!(keys.len(), rows.len(), "{heading} has a key twice");
        let is_command =
            heading.starts_with("asanoha ") && !(section.rows.is_empty() && section.also.is_empty());
        let short = heading.trim_start_matches("asanoha ").trim_start_matches("bench ");
        let is_compared = here.contains(&format!("\"{short}\"")) || tests.contains(&format!("\"{heading}\""));
        assert!(!is_command || is_compared, "no test compares {heading}");
    }
}
