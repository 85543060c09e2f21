//! Data above a limit are refused with the flag that raises it, and read with a higher one.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use crate::common::Place;

/// A program and a compressed table of so many rows.
fn place(rows: usize) -> Place {
    let place = Place::new();
    place.write("p.asa", "y = sum(x)");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(["x\n".to_owned(), "1\n".repeat(rows)].concat().as_bytes()).unwrap();
    place.write("d.csv.gz", encoder.finish().unwrap());
    place
}

#[test]
fn data_that_expand_beyond_a_limit_name_the_flag_that_raises_it() {
    let place = place(2000);
    let says = "d.csv.gz: the data take 32001 bytes or more after decompression, above the limit of 32000: allow more with --max-data";
    place.refuses("run p.asa --data d.csv.gz --max-data 32000B", 2, &[says]);
    place.refuses("plan p.asa --data d.csv.gz --max-data 32000B", 2, &[says]);
    place.refuses(
        "run p.asa --data d.csv.gz --max-data 1KiB",
        2,
        &["above the limit of 1024: allow more with --max-data"],
    );
    let says =
        "d.csv.gz: the data have 2000 rows or more, above the limit of 1999: allow more with --max-rows";
    place.refuses("run p.asa --data d.csv.gz --max-rows 1999", 2, &[says]);
    let report = place.call("run p.asa --data d.csv.gz --max-rows 2000 --max-data 33KiB").json();
    assert_eq!(report["outputs"]["y"], json!([2000]));
    let output = place.call("run p.asa --data d.csv.gz --max-rows 1999 --json").output();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["error"]["figures"], json!({"found": 2000, "limit": 1999}));
    for bad in ["--max-data 5", "--max-rows 0", "--max-rows 268435457"] {
        place.refuses(&format!("run p.asa --data d.csv.gz {bad}"), 2, &["it's a"]);
    }
}

#[test]
fn encryption_has_the_same_limits() {
    let place = place(100);
    place.call("plan p.asa --data d.csv.gz --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let line = "encrypt --plan plan.json --keys keys --data d.csv.gz --out in";
    place.refuses(&format!("{line} --max-data 1KiB"), 2, &["allow more with --max-data"]);
    place.refuses(&format!("{line} --max-rows 99"), 2, &["allow more with --max-rows"]);
    place.call(line).text();
}

#[cfg(feature = "arrow")]
#[test]
fn parquet_and_arrow_files_have_them_too() {
    let place = Place::new();
    place.write("p.asa", "y = sum(sales)");
    place.write("shop.parquet", include_bytes!("data/shop.parquet"));
    place.write("shop.arrow", include_bytes!("data/shop.arrow"));
    for file in ["shop.parquet", "shop.arrow"] {
        let line = format!("run p.asa --data {file} --missing mask");
        place.refuses(&format!("{line} --max-data 100B"), 2, &[file, "allow more with --max-data"]);
        place.refuses(&format!("{line} --max-rows 2"), 2, &[file, "allow more with --max-rows"]);
        place.call(&line).text();
    }
}
