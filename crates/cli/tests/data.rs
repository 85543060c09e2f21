//! Data as they are: decimals, categories, missing values, compressed files.

use crate::common::Place;
use serde_json::{Value, json};

#[test]
fn plan_shows_what_becomes_public_of_each_column() {
    let place = Place::new();
    place.write("p.asa", "y = sum(price * pieces) + sum(weight)");
    place.write("d.csv", "name,price,pieces,weight\nA,12.50,3,1e-1\nB,7.00,2,0.25\n");
    let text = place.call("plan p.asa --data d.csv").text();
    for line in [
        "public      column price: decimal, 2 places, in 4..16\n",
        "            column pieces: whole, in 1..3\n",
        "            column weight: real, in 0.0625..0.25 (as line 2 has \"1e-1\")\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let report = place.call("plan p.asa --data d.csv").json();
    let decimal = json!({"name": "price", "whole": false, "places": 2, "range": {"lo": "4", "hi": "16"}});
    let whole = json!({"name": "pieces", "whole": true, "range": {"lo": "1", "hi": "3"}});
    assert_eq!(report["columns"][0], decimal);
    assert_eq!(report["columns"][1], whole);
    let decides = json!([{"column": "weight", "line": 2, "cell": "1e-1"}]);
    assert_eq!(report["real_since"], decides);
    let text = place.call("plan p.asa --data d.csv --real price").text();
    assert!(text.contains("column price: real, in 4..16\n"), "{text}");
    let report = place.call("run p.asa --data d.csv").json();
    assert_eq!(report["real_since"], decides);
    let text = place.call("run p.asa --data d.csv").text();
    assert!(text.contains("column weight is of real numbers, as line 2 has \"1e-1\"\n"), "{text}");
    let text = place.call("run p.asa --data d.csv --real price --real weight").text();
    assert!(!text.contains("of real numbers, as line"), "{text}");
    place.refuses(
        "plan p.asa --data d.csv --real name",
        2,
        &["there is no column \"name\"; there are price,"],
    );
}

#[test]
fn constants_that_are_rounded_are_named_wherever_results_or_plans_are_shown() {
    let place = Place::new();
    place.write("p.asa", "r = x * sqrt(2) - exp(-30)\ns = sqrt(2.25) + sum(where(x > log(20), 1, 0))");
    place.write("d.csv", "x\n3\n-4\n");
    let numbers =
        json!({"exp(-30)": 9.357622968840175e-14, "log(20)": 2.995732273553991, "sqrt(2)": 2f64.sqrt()});
    let line = "rounded     exp(-30) to 9.357622968840175e-14, log(20) to 2.995732273553991, sqrt(2) to 1.4142135623730951: \
                results are those of these numbers\n";
    let shows = |call: &str| {
        let text = place.call(call).text();
        assert!(text.contains(line), "{text}");
        assert_eq!(place.call(call).json()["rounded_constants"], numbers, "{call}");
    };
    shows("plan p.asa --data d.csv --scheme bgv");
    shows("run p.asa --data d.csv --scheme bgv");
    place.call("plan p.asa --data d.csv --scheme bgv --out plan.json").text();
    shows("inspect plan.json");
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    shows("decrypt --plan plan.json --keys keys --in results");
    // A file that states others than its program computes with is refused.
    let plan: Value = serde_json::from_slice(&std::fs::read(place.path("plan.json")).unwrap()).unwrap();
    assert_eq!(plan["rounded_constants"], json!(["exp(-30)", "log(20)", "sqrt(2)"]));
    for stated in [
        json!(["exp(-30)", "log(20)", "sqrt(3)"]),
        json!(["exp(-30)", "log(20)", "sqrt(2)\nd = x"]),
        json!(["exp(-30)", "log(20)"]),
        json!(["exp(-30)", "exp(1)", "log(20)", "sqrt(2)"]),
        json!([]),
        Value::Null,
    ] {
        let mut edited = plan.clone();
        match &stated {
            Value::Null => drop(edited.as_object_mut().unwrap().remove("rounded_constants")),
            stated => edited["rounded_constants"] = stated.clone(),
        }
        place.write("edited.json", edited.to_string());
        for call in ["inspect edited.json", "keygen --no-passphrase --plan edited.json --out other"] {
            place.refuses(call, 2, &["edited.json", "its program has exp(-30), log(20), sqrt(2)"]);
        }
    }
    // One with another function in the program is another plan, whose schedule isn't this one.
    let mut edited = plan.clone();
    edited["program"] = plan["program"].as_str().unwrap().replace("sqrt(2)", "sqrt(3)").into();
    edited["rounded_constants"] = json!(["exp(-30)", "log(20)", "sqrt(3)"]);
    place.write("edited.json", edited.to_string());
    place.refuses("inspect edited.json", 2, &["edited.json"]);
    // One of before has the number alone, and no other function is believed of it.
    place.write("k.asa", format!("r = x * {:?}", 7.0f64.sqrt()));
    place.call("plan k.asa --data d.csv --scheme bgv --out k.json").text();
    let mut kept: Value = serde_json::from_slice(&std::fs::read(place.path("k.json")).unwrap()).unwrap();
    kept["rounded_constants"] = json!(["sqrt(7)"]);
    place.write("k.json", kept.to_string());
    assert_eq!(place.call("inspect k.json").json()["rounded_constants"], json!({ "sqrt(7)": 7f64.sqrt() }));
    kept["rounded_constants"] = json!(["sqrt(8)"]);
    place.write("k.json", kept.to_string());
    assert_eq!(place.call("inspect k.json").json()["rounded_constants"], json!({ "sqrt(8)": null }));
    let line = "rounded     sqrt(8) (by its file; the program's text doesn't show it): results are those of this number";
    let text = place.call("inspect k.json").text();
    assert!(text.contains(line), "{text}");
    // Such a plan still computes, and its results say the same.
    place.call("keygen --no-passphrase --plan k.json --out kept-keys").text();
    place.call("encrypt --plan k.json --keys kept-keys --data d.csv --out kept-in").text();
    place.call("evaluate --plan k.json --keys kept-keys --in kept-in --out kept-results").text();
    let text = place.call("decrypt --plan k.json --keys kept-keys --in kept-results").text();
    assert!(text.contains(line), "{text}");
    kept["rounded_constants"] = json!(["sqrt(9)"]);
    place.write("k.json", kept.to_string());
    place.refuses(
        "inspect k.json",
        2,
        &["k.json", "\"sqrt(9)\" is no function of a constant that is rounded"],
    );
    place.write("p.asa", "r = x * 1.4142135623730951 + sqrt(2.25)");
    let report = place.call("run p.asa --data d.csv").json();
    assert_eq!(report["rounded_constants"], json!({}));
    let text = place.call("run p.asa --data d.csv").text();
    assert!(!text.contains("rounded"), "{text}");
    // More than a reader wants to see.
    place.write("p.asa", "r = x * (sqrt(2) + sqrt(3) + sqrt(5) + sqrt(6) + sqrt(7))");
    let text = place.call("run p.asa --data d.csv").text();
    assert!(
        text.contains("sqrt(5) to 2.23606797749979, 2 more: results are those of these numbers\n"),
        "{text}"
    );
    let digits = "123456789".repeat(9);
    place.write("p.asa", format!("r = x * log({digits})"));
    let text = place.call("run p.asa --data d.csv").text();
    assert!(text.contains(&format!("rounded     log({}… to 184.4", &digits[..36])), "{text}");
    place.write("p.asa", "r = x * tanh(1/3)");
    let text = place.call("run p.asa --data d.csv").text();
    assert!(
        text.contains("rounded     tanh(1/3) to 0.32151273753163434: results are those of this number\n"),
        "{text}"
    );
}

#[test]
fn data_are_encrypted_as_the_plan_has_them() {
    let place = Place::new();
    place.write("p.asa", "y = price * 2");
    place.write("d.csv", "price\n12.50\n3\n");
    place.call("plan p.asa --data d.csv --scheme ckks --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.write("d.csv", "price\n7\n2.5\n");
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.write("d.csv", "price\n7\n2.505\n");
    let says = ["d.csv, line 3, column 1 (price): \"2.505\" isn't a decimal of at most 2 places", "round it"];
    place.refuses("encrypt --plan plan.json --keys keys --data d.csv --out in2", 2, &says);
}

#[test]
fn columns_of_text_are_compared_and_their_texts_are_public() {
    let place = Place::new();
    place.write("p.asa", "n = sum(sales * (region == 'north'))\ny = region");
    place.write("d.csv", "region,sales\nsouth,3\nnorth,5\nnorth,9\n");
    let report = place.call("run p.asa --data d.csv --scheme bgv").json();
    assert_eq!(report["outputs"], json!({"n": [14], "y": [1, 0, 0]}));
    assert_eq!(report["check"]["exact"], true);
    let text = place.call("plan p.asa --data d.csv --scheme bgv --out plan.json").text();
    assert!(text.contains("column region: text, of \"north\", \"south\", in 0..1\n"), "{text}");
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.write("d.csv", "region,sales\nsouth,3\nsouth,4\nnorth,2\n");
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    let report = place.call("decrypt --plan plan.json --keys keys --in results --in-of in").json();
    assert_eq!(report["outputs"], json!({"n": [2], "y": [1, 1, 0]}));
    place.write("d.csv", "region,sales\nsouth,3\neast,1\nnorth,2\n");
    let says = ["d.csv, line 3, column 1 (region): \"east\" isn't a category that the schema lists"];
    place.refuses("encrypt --plan plan.json --keys keys --data d.csv --out in2", 2, &says);
    place.write("p.asa", "n = count(region == 'est')");
    place.refuses("run p.asa --data d.csv", 2, &["no category \"est\"; the nearest are 'east'"]);
    place.write("p.asa", "n = sum(region)");
    place.refuses("run p.asa --data d.csv", 2, &["column `region` is text, such as \"east\""]);
}

#[test]
fn rows_that_miss_values_count_nowhere_and_have_empty_results() {
    let place = Place::new();
    place.write("p.asa", "y = x + z\ns = sum(x)\nn = count(x > 1)\nm = mean(z)\nl = min(x)");
    place.write("d.csv", "x,z,w\n1,2,?\n?,3,1\n4,NA,1\n6,1,1\n");
    place.refuses(
        "run p.asa --data d.csv",
        2,
        &["line 3, column 1 (x): the value is missing, as 1 of the column's 4 rows"],
    );
    let report = place.call("run p.asa --data d.csv --scheme bgv --missing mask --out r.csv").json();
    assert_eq!(report["outputs"], json!({"y": [3, null, null, 7], "s": [7], "n": [1], "m": [1.5], "l": [1]}));
    assert_eq!(report["left_out"], json!([2, 3]));
    assert_eq!(
        std::fs::read_to_string(place.path("r.csv")).unwrap(),
        "y,s,n,m,l\n3,7,1,3/2,1\n,,,,\n,,,,\n7,,,,\n".replace("3/2", "1.5")
    );
    place.write("one.asa", "y = x + z");
    place.call("run one.asa --data d.csv --missing mask --out one.csv").text();
    let one = std::fs::read_to_string(place.path("one.csv")).unwrap();
    assert_eq!(one, "y\n3\n\"\"\n\"\"\n7\n", "a reader passes over empty lines");
    let report = place.call("run p.asa --data d.csv --scheme bgv --missing zero").json();
    assert_eq!(report["outputs"]["y"], json!([3, 3, 4, 7]));
    let report = place.call("run p.asa --data d.csv --scheme bgv --missing mean").json();
    assert_eq!(report["outputs"]["y"], json!([3, 7, 6, 7]));
    place.write("q.asa", "y = table(x, [0, 5])");
    let says = ["row 2 of column `x` is 6", "rows are counted without the 1 that miss a value"];
    place.write("d.csv", "x\n1\n?\n6\n");
    place.refuses("run q.asa --data d.csv --missing mask", 2, &says[1..]);
}

#[test]
fn steps_apart_leave_the_same_rows_out() {
    let place = Place::new();
    place.write("p.asa", "y = x + 1");
    place.write("d.csv", "x\n1\n\"\"\n4\n");
    place.call("plan p.asa --data d.csv --scheme bgv --missing mask --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.refuses(
        "encrypt --plan plan.json --keys keys --data d.csv --out in",
        2,
        &["line 3, column 1 (x): the value is missing"],
    );
    let report =
        place.call("encrypt --plan plan.json --keys keys --data d.csv --missing mask --out in").json();
    assert_eq!((&report["rows"], &report["left_out"]), (&json!(2), &json!([2])));
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    let report = place.call("decrypt --plan plan.json --keys keys --in results --in-of in").json();
    assert_eq!(report["outputs"], json!({"y": [2, null, 5]}));
    assert_eq!(report["left_out"], json!([2]));
    let text = place.call("decrypt --plan plan.json --keys keys --in results").text();
    assert!(text.contains("1 row that missed a value"), "{text}");
    let record = std::fs::read_dir(place.path("keys")).unwrap().map(|file| file.unwrap().file_name());
    let record =
        record.map(|name| name.into_string().unwrap()).find(|name| name.starts_with("inputs-")).unwrap();
    assert_eq!(place.call(&format!("inspect keys/{record}")).json()["left_out"], 1);
    let text = place.call(&format!("inspect keys/{record}")).text();
    assert!(text.contains("1 row that missed a value"), "{text}");
    place.call("decrypt --plan plan.json --keys keys --in results --out o.csv").text();
    assert_eq!(std::fs::read_to_string(place.path("o.csv")).unwrap(), "y\n2\n\"\"\n5\n");
    // Results of inputs that leave other rows out, or none, aren't taken for these.
    place.write("d.csv", "x\n7\n3\n");
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out whole").text();
    place.call("evaluate --plan plan.json --keys keys --in whole --out results").text();
    let says = ["inputs that leave out different rows were encrypted for this plan", "--in-of"];
    place.refuses("decrypt --plan plan.json --keys keys --in results", 2, &says);
    let report = place.call("decrypt --plan plan.json --keys keys --in results --in-of whole").json();
    assert_eq!((&report["outputs"], &report["left_out"]), (&json!({"y": [8, 4]}), &json!([])));
    place.write("d.csv", "x\n1\n\"\"\n4\n");
    // Zeros in their places are one row too many for this plan.
    place.refuses(
        "encrypt --plan plan.json --keys keys --data d.csv --missing zero --out in2",
        2,
        &["3 rows"],
    );
}

/// The folder with one file of another one.
fn folder_with(place: &Place, folder: &str, file: &str) {
    std::fs::create_dir_all(place.path(folder)).unwrap();
    std::fs::copy(place.path("keys").join(file), place.path(folder).join(file)).unwrap();
}

#[test]
fn a_copy_of_the_keys_knows_the_rows_by_the_record_alone() {
    let data = "x\n1000\n\"\"\n-7\n\"\"\n12\n";
    let (plain, right) = (json!([1001, -6, 13]), json!([1001, null, -6, null, 13]));
    let exactly = "the data have 5 rows and the plan is for 3";
    for (scheme, more, says_of_five) in [
        ("bgv", "", exactly),
        ("bfv", "--rows 9", "results: it states 3 rows, and it should have 5"),
        ("tfhe", "", exactly),
    ] {
        let place = Place::new();
        place.write("p.asa", "y = x + 1");
        place.write("d.csv", data);
        let plan = format!("plan p.asa --data d.csv --scheme {scheme} {more} --missing mask --out plan.json");
        place.call(&plan).text();
        place.call("keygen --no-passphrase --plan plan.json --out keys").text();
        folder_with(&place, "copy", "secret.safetensors");
        let line = "encrypt --plan plan.json --keys keys --data d.csv --missing mask --out in";
        let record = place.call(line).json()["record"].as_str().unwrap().to_owned();
        place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
        let decrypt = "decrypt --plan plan.json --keys copy --in results";
        for more in ["", " --in-of in", " --out o.csv"] {
            let says = ["copy: it holds no record of the inputs", "left out", "canaries", "--rows"];
            place.refuses(&format!("{decrypt}{more}"), 2, &says);
        }
        place.refuses(&format!("{decrypt} --rows 5"), 2, &[says_of_five]);
        // Whoever states the rows is told what that leaves open.
        let report = place.call(&format!("{decrypt} --rows 3")).json();
        assert_eq!((&report["outputs"]["y"], &report["inputs"]["recorded"]), (&plain, &json!(false)));
        let text = place.call(&format!("{decrypt} --rows 3 --in-of in")).text();
        assert!(text.contains("3 rows, as you state: the folder of keys has no record"), "{text}");
        folder_with(&place, "copy", &record);
        for more in ["", " --in-of in", " --rows 3"] {
            let report = place.call(&format!("{decrypt}{more}")).json();
            assert_eq!((&report["outputs"]["y"], &report["inputs"]["recorded"]), (&right, &json!(true)));
            assert_eq!(report["left_out"], json!([2, 4]));
        }
        assert!(!place.call(decrypt).text().contains("as you state"));
    }
}

#[test]
fn whoever_encrypts_with_the_public_key_sends_the_record() {
    let place = Place::new();
    place.write("p.asa", "y = x * x\ns = sum(x)");
    place.write("d.csv", "x\n-31\n400\nNA\n77\n");
    place.call("plan p.asa --data d.csv --scheme bgv --rows 8 --missing mask --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    folder_with(&place, "other", "public.safetensors");
    let line = "encrypt --plan plan.json --keys other --data d.csv --missing mask --canaries 3 --out in";
    let record = place.call(line).json()["record"].as_str().unwrap().to_owned();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    let decrypt = "decrypt --plan plan.json --keys keys --in results --in-of in";
    place.refuses(decrypt, 2, &["keys: it holds no record of the inputs"]);
    let report = place.call(&format!("{decrypt} --rows 6")).json();
    assert_eq!(report["outputs"]["y"].as_array().unwrap().len(), 6, "the canaries are among them");
    std::fs::copy(place.path("other").join(&record), place.path("keys").join(&record)).unwrap();
    let report = place.call(decrypt).json();
    assert_eq!(report["outputs"], json!({ "y": [961, 160_000, null, 5929], "s": [446] }));
    assert_eq!((&report["canaries"]["rows"], &report["canaries"]["wrong"]), (&json!(3), &json!(0)));
    // Where the record can't be, the inputs aren't either.
    let seeded =
        "encrypt --plan plan.json --keys other --data d.csv --seed 1f --insecure --missing mask --out";
    let unwritten = place.call(&format!("{seeded} in")).json()["record"].as_str().unwrap().to_owned();
    let path = place.path("other").join(&unwritten);
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let output = place.call(&format!("{seeded} new")).output();
    let told = String::from_utf8(output.stderr).unwrap();
    let says = format!("{unwritten}: the record of encrypted inputs can't be");
    assert!(output.status.code() == Some(2) && told.contains(&says), "{told}");
    assert!(!place.path("new").exists());
    std::fs::remove_dir(&path).unwrap();
    place.call(&format!("{seeded} new")).text();
    assert_eq!(std::fs::read(place.path("new")).unwrap(), std::fs::read(place.path("in")).unwrap());
    // Records go with the key that they belong to, and nothing else does.
    place.write("keys/inputs-of-mine.json", "{}");
    assert!(place.path("keys").join(&record).exists());
    place.call("keygen --no-passphrase --plan plan.json --out keys --force").text();
    assert!(!place.path("keys").join(&record).exists() && place.path("keys/inputs-of-mine.json").exists());
}

/// The same table as written by Arrow's own library: Parquet compressed by Snappy, and Feather by LZ4. It has columns that are of no
/// use here, a timestamp and lists.
#[cfg(feature = "arrow")]
#[test]
fn parquet_and_arrow_files_are_data_as_csv_files_are() {
    let place = Place::new();
    place.write("p.asa", "n = sum(sales * (region == 'north'))\nprices = price * 2\ndays = sum(day)");
    place.write("shop.csv", "region,sales,price,day\nsouth,3,12.50,2026-11-23\nnorth,5,3.00,1970-01-01\n");
    let expected = place.call("run p.asa --data shop.csv").json()["outputs"].clone();
    place.write("shop.parquet", include_bytes!("data/shop.parquet"));
    place.write("shop.arrow", include_bytes!("data/shop.arrow"));
    for file in ["shop.parquet", "shop.arrow"] {
        let line = format!("run p.asa --data {file}");
        let says = [file, ", line 3, column 1 (region): the text is missing"];
        place.refuses(&line, 2, &says);
        let report = place.call(&format!("{line} --missing mask")).json();
        let outputs = &report["outputs"];
        assert_eq!(outputs["n"], expected["n"], "{file}");
        assert_eq!(outputs["days"], expected["days"], "{file}");
        let prices = &expected["prices"];
        assert_eq!(outputs["prices"], json!([prices[0], prices[1], null, null]), "{file}");
    }
    place.write("p.asa", "y = sum(when)");
    place.refuses(
        "run p.asa --data shop.parquet",
        2,
        &["column 6 (when): the type is Timestamp", "to a date"],
    );
}

/// What the reader of the format does about it is no matter of the user's.
#[cfg(feature = "arrow")]
#[test]
fn a_damaged_parquet_file_is_one_line_of_error() {
    let place = Place::new();
    place.write("p.asa", "y = sum(price)");
    let whole = include_bytes!("data/shop.parquet");
    let mut told = 0;
    for at in (8..whole.len() - 8).step_by(97) {
        let mut damaged = whole.to_vec();
        damaged[at] ^= 0xff;
        place.write("d.parquet", &damaged);
        let output = place.call("plan p.asa --data d.parquet").output();
        let text = String::from_utf8(output.stderr).unwrap();
        if !output.status.success() {
            assert_eq!(output.status.code(), Some(2), "{at}: {text}");
            assert!(text.starts_with("error: d.parquet") && text.lines().count() == 1, "{at}: {text}");
            told += 1;
        }
    }
    assert!(told > 5);
}

#[test]
fn files_of_results_have_decimals_that_spreadsheets_read_and_say_which_are_rounded() {
    let place = Place::new();
    place.write("p.asa", "third = x / 3\nwhole = 3 * x\nshare = ratio(sum(x), sum(y))\ncost = x * 0.25");
    place.write("d.csv", "x,y\n1,5\n-4,7\n6,1\n");
    let run = |flags: &str| {
        let text = place.call(&format!("run p.asa --data d.csv --scheme bgv --out o.csv {flags}")).text();
        (text, std::fs::read_to_string(place.path("o.csv")).unwrap())
    };
    let (text, csv) = run("");
    let lines = "third,whole,share,cost\n0.33333333333333333,3,0.23076923076923077,0.25\n-1.3333333333333333,-12,,-1\n2,18,,1.5\n";
    assert_eq!(csv, lines);
    let told = "`third`, `share` with 17 digits of fractions whose decimals do not end; --exact-fractions writes p/q";
    assert!(text.contains(told), "{text}");
    let (text, csv) = run("--exact-fractions");
    assert_eq!(csv, "third,whole,share,cost\n1/3,3,3/13,0.25\n-4/3,-12,,-1\n2,18,,1.5\n");
    assert!(!text.contains("fractions"), "{text}");
    let (text, csv) = run("--places 1 --errors");
    let lines = "third,third_error,whole,whole_error,share,share_error,cost,cost_error\n\
                 0.3,0.034,3,0,0.2,0.031,0.3,0.05\n-1.3,0.034,-12,0,,,-1,0\n2,0,18,0,,,1.5,0\n";
    assert_eq!(csv, lines);
    assert!(text.contains("`third`, `share`, `cost` rounded to 1 place"), "{text}");
    let report = place.call("run p.asa --data d.csv --scheme bgv --out o.csv").json();
    assert_eq!(report["rounded_in_file"], json!(["third", "share"]));
    assert_eq!(report["outputs"]["third"], json!(["1/3", "-4/3", 2]));
    assert_eq!(place.call("run p.asa --data d.csv --scheme bgv").json()["rounded_in_file"], Value::Null);
    place.refuses("run p.asa --data d.csv --out o.csv --places 61", 2, &["--places"]);
    place.refuses("run p.asa --data d.csv --places 2", 2, &["--out"]);
    place.refuses(
        "run p.asa --data d.csv --out o.csv --places 2 --exact-fractions",
        2,
        &["--exact-fractions"],
    );
    // asanoha reads them as the numbers that they are.
    run("");
    place.write("again.asa", "t = 3 * third");
    let again = place.call("run again.asa --data o.csv").json();
    let near = |found: &Value, right: f64| (found.as_f64().unwrap() - right).abs() < 1e-4;
    assert!(
        [1.0, -4.0, 6.0]
            .iter()
            .zip(again["outputs"]["t"].as_array().unwrap())
            .all(|(right, found)| near(found, *right))
    );
}
