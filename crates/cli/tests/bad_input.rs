//! Bad input: the right exit code, one line that says what is wrong, nothing half-written.

use crate::common::Place;

const DATA: &str = "x,y,name\n1,2,a\n3,4,b\n5,6,c\n";

/// A program and data that fit.
fn place() -> Place {
    let place = Place::new();
    place.write("p.asa", "total = dot(x, y)");
    place.write("d.csv", DATA);
    place
}

/// With a plan, keys, encrypted columns and results.
fn place_with_files() -> Place {
    let place = place();
    place.call("plan p.asa --data d.csv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    // Of somebody who may encrypt only.
    std::fs::create_dir(place.path("public")).unwrap();
    std::fs::copy(place.path("keys/public.safetensors"), place.path("public/public.safetensors")).unwrap();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    place
}

/// Each file with a call that reads it.
const READERS: [(&str, &str); 7] = [
    ("keys/secret.safetensors", "decrypt --plan plan.json --keys keys --in results --out new"),
    ("public/public.safetensors", "encrypt --plan plan.json --keys public --data d.csv --out new"),
    ("keys/evaluation.safetensors", "evaluate --plan plan.json --keys keys --in in --out new"),
    ("in", "evaluate --plan plan.json --keys keys --in in --out new"),
    ("results", "decrypt --plan plan.json --keys keys --in results --out new"),
    ("keys/evaluation.safetensors", "evaluate --plan plan.json --keys keys --in in --out new --low-memory"),
    ("keys/secret.safetensors", "encrypt --plan plan.json --keys keys --data d.csv --out new"),
];

#[test]
fn bad_data_are_refused_with_their_place() {
    let place = place();
    place.refuses("run p.asa --data missing.csv", 2, &["missing.csv"]);
    for (contents, says) in [
        ("", "line 1"),
        ("x,y\n", "no rows"),
        ("x,z\n1,2\n", "no column \"y\""),
        ("x,y\n1,2\n3,four\n", "line 3, column 2 (y): \"four\" is not a number"),
        ("x,y\n1,2\n3\n", "line 3"),
        ("x,y\n1,2,3\n", "line 2"),
        ("x,y\n1,\n", "line 2, column 2"),
        ("x,y\n1,inf\n", "line 2, column 2"),
    ] {
        place.write("bad.csv", contents);
        place.refuses("run p.asa --data bad.csv --out new", 2, &["bad.csv", says]);
        place.refuses("plan p.asa --data bad.csv --out new", 2, &["bad.csv", says]);
    }
    place.write("s.json", "{\"rows\": 0, \"columns\": []}");
    place.refuses("plan p.asa --schema s.json", 2, &["s.json", "rows"]);
}

#[test]
fn bad_programs_are_refused_with_their_place() {
    let place = place();
    place.refuses("run missing.asa --data d.csv", 2, &["missing.asa"]);
    for (program, says) in [
        ("total = sum(x)\nhalf = x // 0", "bad.asa:2:10: division by zero"),
        ("total = sun(x)", "bad.asa:1:9: there is no function `sun`"),
        ("total = (x", "bad.asa:1:"),
        ("", "bad.asa:1:1"),
    ] {
        place.write("bad.asa", program);
        let before = place.contents();
        let output = place.call("run bad.asa --data d.csv --out new").output();
        assert_eq!(output.status.code(), Some(2), "{program}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        // The first line says all; the lines below show the place.
        assert!(stderr.lines().next().unwrap().contains(says), "{stderr}");
        assert!(place.contents() == before);
    }
    place.write("bad.asa", b"total = sum(x)\n# \xff\n");
    place.refuses("run bad.asa --data d.csv", 2, &["bad.asa:2:1"]);
}

#[test]
fn what_cannot_be_computed_is_told_with_what_would_be_enough() {
    let place = place();
    place.write("r.csv", "x\n5e-1\n1\n");
    place.write("deep.asa", format!("y = {}x{}", "(".repeat(6), "**1024 - 1)".repeat(6)));
    let too_deep = ["256-bit security", "2^17", "narrow the ranges"];
    place.refuses("run deep.asa --data r.csv --security 256 --precision-bits 35 --out new", 1, &too_deep);
    place.refuses("plan deep.asa --data r.csv --security 256 --precision-bits 35 --out new", 1, &too_deep);

    place.write("large.asa", "y = x**1024");
    place.refuses("run large.asa --data d.csv --scheme bgv", 1, &["bits", "--scheme ckks"]);
    place.refuses("run large.asa --data d.csv --scheme ckks", 1, &["2^1023"]);
    place.write("wide.csv", format!("x,y\n1{},2\n", "0".repeat(700)));
    place.refuses("run p.asa --data wide.csv", 2, &["wide.csv, line 2, column 1 (x)", "more than 2048 bits"]);
    place.write("wide.csv", format!("x,y\n0x{},2\n", "f".repeat(500)));
    place.write("deep.asa", "z = (x * y) * (x + y)");
    place.refuses("run deep.asa --data wide.csv --scheme bgv", 1, &["bits", "narrow the ranges"]);
    place.write("huge.asa", "_a = (x + 1)**1024\ny = _a**1024");
    place.refuses("run huge.asa --data d.csv", 1, &["narrower range"]);

    place.write("real.asa", "y = x * x");
    place.refuses(
        "run real.asa --data r.csv --scheme bgv",
        1,
        &["bgv can't run this program: column `x`", "row 1 of column `x` is 0.5"],
    );
    place.refuses("run real.asa --data r.csv --scheme bfv", 1, &["bfv can't run this program: column `x`"]);
    place.refuses("run real.asa --data r.csv --precision-bits 50", 1, &["precision"]);

    // Whole numbers are exact, or it's said how they can't be.
    place.write("power.asa", "y = x**60");
    // More rows than are encrypted one by one.
    place.write("power.csv", format!("x\n{}", "3\n1000\n7\n".repeat(400)));
    let narrower = "tfhe: a value between takes 160 bits, and TFHE's integers have up to 126: narrow the ranges with --range";
    let not_exact =
        ["of whole numbers exactly (bgv, bfv: ", narrower, "): take --scheme ckks, which approximates"];
    place.refuses("run power.asa --data power.csv --out new", 1, &not_exact);
    place.refuses("plan power.asa --data power.csv --out new", 1, &not_exact);
    // One fraction among what pandas writes for whole numbers.
    place.write("floats.csv", "x\n127.0\n-0.0\n2.5\n1e3\n");
    place.write("half.asa", "y = x // 2");
    place.refuses("run half.asa --data floats.csv", 1, &["row 3 of column `x` is 2.5"]);
}

#[test]
fn wrong_usage_is_one_line() {
    let place = place();
    place.refuses("--threads 2", 2, &["--help"]);
    place.refuses("fly", 2, &["fly"]);
    place.refuses("run p.asa", 2, &["--data"]);
    place.refuses("plan p.asa", 2, &["--data"]);
    place.refuses("run p.asa --data d.csv --scheme rsa", 2, &["rsa"]);
    place.refuses("run p.asa --data d.csv --security 80", 2, &["128, 192 and 256"]);
    place.refuses("run p.asa --data d.csv --precision-bits 51", 2, &["51"]);
    for wrong in ["0.5", "abs=", "abs=-1", "abs=0", "abs=nan", "abs=inf", "abs=1e-400", "rel=3"] {
        place.refuses(&format!("run p.asa --data d.csv --precision {wrong}"), 2, &["precision", "abs="]);
    }
    place.refuses("run p.asa --data d.csv --precision-bits 9 --precision abs=1", 2, &["cannot be used with"]);
    place.refuses("run p.asa --data d.csv --range x", 2, &["name=lo:hi"]);
    place.refuses("run p.asa --data d.csv --range x=0:2", 2, &["row 3", "outside"]);
    place.refuses("run p.asa --data d.csv --range w=0:2", 2, &["no column \"w\""]);
    place.refuses("info --threads 0", 2, &["--threads"]);
    place.refuses("info --seed 12", 2, &["--insecure"]);
    place.refuses("info --seed xyz --insecure", 2, &["hex"]);
    let kernels = place.call("info").env("ASANOHA_KERNELS", "abacus").output();
    assert_eq!(kernels.status.code(), Some(2));
}

#[test]
fn places_that_cannot_be_written_are_refused_before_the_work() {
    let place = place_with_files();
    std::fs::create_dir(place.path("folder")).unwrap();
    for out in ["missing/out", "folder", "d.csv/out"] {
        for line in [
            "run p.asa --data d.csv",
            "plan p.asa --data d.csv",
            "encrypt --plan plan.json --keys keys --data d.csv",
            "evaluate --plan plan.json --keys keys --in in",
            "decrypt --plan plan.json --keys keys --in results",
        ] {
            place.refuses(&format!("{line} --out {out}"), 2, &[out, "cannot be written"]);
        }
    }
    place.refuses("keygen --no-passphrase --plan plan.json --out missing/keys", 2, &["missing/keys"]);
    place.refuses("keygen --no-passphrase --plan plan.json --out d.csv", 2, &["d.csv"]);
}

#[test]
fn a_flipped_bit_anywhere_is_found() {
    let place = place_with_files();
    for (file, line) in READERS {
        let good = std::fs::read(place.path(file)).unwrap();
        let header = u64::from_le_bytes(good[..8].try_into().unwrap()) as usize + 8;
        // The length, the header, the first and last words (seeds among them), and the middle.
        let header_places = (0..header).step_by(header / 12);
        let body_places =
            [header, header + 31, usize::midpoint(header, good.len()), good.len() - 33, good.len() - 1];
        for (at, place_of_flip) in header_places.chain(body_places).enumerate() {
            let mut bad = good.clone();
            bad[place_of_flip] ^= 1 << (at % 8);
            place.write(file, &bad);
            place.refuses(line, 2, &[file]);
        }
        place.write(file, &good);
    }
}

#[test]
fn flipped_seeds_are_found() {
    let place = place_with_files();
    for (file, tensor, line) in [
        ("public/public.safetensors", "seed", READERS[1].1),
        ("keys/evaluation.safetensors", "relinearisation.seeds", READERS[2].1),
    ] {
        let mut bytes = std::fs::read(place.path(file)).unwrap();
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
        let offset = header[tensor]["data_offsets"][0].as_u64().unwrap() as usize;
        bytes[8 + length + offset] ^= 1;
        place.write(file, &bytes);
        place.refuses(line, 2, &[file, "digest"]);
    }
}

#[test]
fn truncated_files_are_found() {
    let place = place_with_files();
    for (file, line) in READERS {
        let good = std::fs::read(place.path(file)).unwrap();
        for length in [0, 5, 100, good.len() / 2, good.len() - 1] {
            place.write(file, &good[..length]);
            place.refuses(line, 2, &[file]);
            place.refuses(&format!("inspect {file}"), 2, &[file]);
        }
        place.write(file, &good);
    }
    let plan = std::fs::read(place.path("plan.json")).unwrap();
    place.write("plan.json", &plan[..plan.len() / 2]);
    for (_, line) in READERS {
        place.refuses(line, 2, &["plan.json", "not a plan"]);
    }
    place.refuses("keygen --no-passphrase --plan plan.json --out new", 2, &["plan.json"]);
}

#[test]
fn files_of_another_version_are_refused() {
    let place = place_with_files();
    let with_version = |file: &str, from: &str, to: &str| {
        let good = std::fs::read(place.path(file)).unwrap();
        let found = good.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        let mut bad = good.clone();
        bad[found..found + to.len()].copy_from_slice(to.as_bytes());
        place.write(file, bad);
        good
    };
    for (file, line) in READERS {
        let good = with_version(file, r#""version":"4""#, r#""version":"7""#);
        place.refuses(line, 2, &[file, "version 7"]);
        place.refuses(&format!("inspect {file}"), 2, &[file, "version 7"]);
        place.write(file, good);
    }
    with_version("plan.json", r#""version": 6"#, r#""version": 7"#);
    place.refuses(READERS[0].1, 2, &["plan.json", "version 7"]);
}

#[test]
fn files_of_other_parameters_or_another_plan_are_refused() {
    let place = place_with_files();
    place.write("q.asa", "total = sum(x * y * x * y)");
    place.call("plan q.asa --data d.csv --out other.json").text();
    for (file, line) in READERS {
        let line = line.replace("plan.json", "other.json");
        // Ciphertexts are read before keys.
        let named = match file {
            "keys/evaluation.safetensors" => "in",
            "keys/secret.safetensors" if line.starts_with("decrypt") => "results",
            other => other,
        };
        place.refuses(&line, 2, &[named, "other parameters"]);
    }
    place.call("keygen --no-passphrase --plan other.json --out other").text();
    place.refuses(
        "evaluate --plan plan.json --keys other --in in --out new",
        2,
        &["other/evaluation.safetensors", "other parameters"],
    );
    place.refuses("evaluate --plan plan.json --keys keys --in results --out new", 2, &["results", "holds"]);
    place.write("d2.csv", "x,y\n1,2\n3,4\n");
    place.refuses("encrypt --plan plan.json --keys keys --data d2.csv --out new", 2, &["2 rows"]);
    place.write("d2.csv", "x,y\n1,2\n3,4\n5,60\n");
    place.refuses("encrypt --plan plan.json --keys keys --data d2.csv --out new", 2, &["row 3", "`y`"]);
}

#[test]
fn a_folder_that_cannot_hold_temporary_keys_is_named() {
    let place = place();
    let call = place.call("run p.asa --data d.csv --low-memory").env("TMPDIR", "nowhere/to/be/found");
    let output = call.output();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.lines().count()), (Some(2), 1), "{stderr}");
    assert!(stderr.starts_with("error: nowhere/to/be/found: "), "{stderr}");
}

#[test]
fn what_is_not_ours_is_refused() {
    let place = place();
    place.refuses("inspect d.csv", 2, &["d.csv"]);
    place.refuses("inspect missing", 2, &["missing"]);
    place.write("brace.json", "{}");
    place.refuses("inspect brace.json", 2, &["brace.json", "version"]);
    place.refuses("keygen --no-passphrase --plan d.csv --out new", 2, &["d.csv", "not a plan"]);
}
