//! Small inputs of the kinds that people publish: right answers, or errors that name the problem and its place.

use crate::common::Place;
use serde_json::{Value, json};

/// A place with one program and one table.
fn place(program: &str, name: &str, table: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write(name, table);
    place
}

fn outputs(program: &str, table: &str) -> Value {
    let report = place(program, "d.csv", table).call("run p.asa --data d.csv").json();
    assert_eq!(report["check"]["exact"], true, "{report}");
    report["outputs"].clone()
}

const PRICE: &str = "s = sum(price)";

#[test]
fn a_quoted_na_is_the_country_namibia() {
    let program = include_str!("field/country.asa");
    let expected = json!({"namibia": [12], "others": [23]});
    assert_eq!(outputs(program, include_str!("field/country.csv")), expected);
}

#[test]
fn decimals_of_thirty_digits_are_added_exactly() {
    let program = include_str!("field/wide.asa");
    let place = place(program, "d.csv", include_str!("field/wide.csv"));
    let report = place.call("run p.asa --data d.csv --out r.csv").json();
    assert_eq!(report["check"]["exact"], true, "{report}");
    let text = std::fs::read_to_string(place.path("r.csv")).unwrap();
    assert_eq!(text, "s\n-876543210987654321098765432.5\n");
}

#[test]
fn a_decimal_comma_is_named_with_its_line() {
    let place = place(PRICE, "comma.csv", include_str!("field/comma.csv"));
    let says = ["comma.csv, line 2, column 2 (price): \"1,20\"", "decimal comma", "--decimal-comma"];
    place.refuses("run p.asa --data comma.csv", 2, &says);
    let report = place.call("run p.asa --data comma.csv --decimal-comma").json();
    assert_eq!((&report["outputs"], &report["check"]["exact"]), (&json!({"s": [14.25]}), &json!(true)));
}

/// Columns of a price in two rows.
fn prices(first: &str, second: &str) -> Place {
    place(PRICE, "d.csv", &format!("item;price\na;{first}\nb;{second}\n"))
}

#[test]
fn numbers_are_read_as_the_flags_say() {
    for (first, second, flags, expected) in [
        ("1.299,99", "0,01", "--decimal-comma --thousands", 1300.0),
        ("12.345.678", "-1.000,5", "--decimal-comma --thousands", 12_344_677.5),
        ("\"1,299.99\"", "0.01", "--thousands", 1300.0),
        ("1 299,5", "1", "--decimal-comma --thousands", 1300.5),
        ("1'299.5", "1", "--thousands", 1300.5),
        ("\u{2212}3.5", "1", "", -2.5),
    ] {
        let report = prices(first, second).call(&format!("run p.asa --data d.csv {flags}")).json();
        assert_eq!(report["outputs"]["s"][0].as_f64(), Some(expected), "{first} {second} {flags}");
    }
}

#[test]
fn encryption_reads_numbers_as_its_flags_say() {
    let place = prices("1.299,99", "0,01");
    place.call("plan p.asa --data d.csv --decimal-comma --thousands --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let encrypt = "encrypt --plan plan.json --keys keys --data d.csv --out in";
    place.refuses(encrypt, 2, &["d.csv, line 2, column 2 (price): \"1.299,99\""]);
    place.call(&format!("{encrypt} --decimal-comma --thousands")).text();
    place.call("evaluate --plan plan.json --keys keys --in in --out out").text();
    let report = place.call("decrypt --plan plan.json --keys keys --in out").json();
    assert_eq!(report["outputs"], json!({"s": [1300]}));
}

#[test]
fn what_looks_like_a_number_is_refused_by_name_at_its_cell() {
    for (cell, flags, says) in [
        ("5%", "", "is a percentage"),
        ("$4", "", "the sign of a currency"),
        ("(3.50)", "", "is in brackets"),
        ("10:30", "", "is a time of day"),
        ("2026-11-25T10:30:00Z", "", "is a date with a time"),
        ("2026-11-25 10:30:00+01:00", "", "is a date with a time"),
        ("25.11.2026", "", "is a date in another order"),
        ("1,20", "", "--decimal-comma"),
        ("1,299", "", "--decimal-comma, or write a point, or read such separators with --thousands"),
        ("1.299,99", "", "--thousands"),
        ("1,20", "--thousands", "--decimal-comma"),
        ("1.20", "--decimal-comma", "leave --decimal-comma out"),
        ("1.299", "--decimal-comma", "leave --decimal-comma out"),
        ("1.5e3", "--decimal-comma", "leave --decimal-comma out"),
        ("0,125", "--thousands", "read commas with --decimal-comma"),
    ] {
        let line = format!("run p.asa --data d.csv {flags}");
        prices(cell, "1").refuses(&line, 2, &["d.csv, line 2, column 2 (price)", says]);
        prices("1", cell).refuses(&line, 2, &["d.csv, line 3, column 2 (price)", says]);
    }
    // In quotes it's a text, whose arithmetic is refused with what it looks like.
    prices("\"5%\"", "\"6%\"").refuses(
        "run p.asa --data d.csv",
        2,
        &["p.asa:1:5", "\"5%\"", "is a percentage"],
    );
    let place = place("early = count(t == '10:30')", "d.csv", "t\n\"10:30\"\n\"11:00\"\n");
    assert_eq!(place.call("run p.asa --data d.csv").json()["outputs"], json!({"early": [1]}));
}

#[test]
fn a_separator_at_the_end_of_rows_alone_is_named() {
    let place = place(PRICE, "d.csv", "item,price\na,1.2,\nb,3,\n");
    place.refuses("run p.asa --data d.csv", 2, &["d.csv, line 2, column 3", "ends with a separator"]);
}

#[test]
fn data_and_programs_are_read_from_the_standard_input() {
    let place = place(PRICE, "d.csv", include_str!("field/pipe.csv"));
    let report = place.call("run p.asa --data -").stdin(include_str!("field/pipe.csv")).json();
    assert_eq!(report["outputs"], json!({"s": [14.25]}));
    let report = place.call("run - --data d.csv").stdin("t = 2 * sum(price)").json();
    assert_eq!(report["outputs"], json!({"t": [28.5]}));
    let refused = place.call("run p.asa --data -").stdin("item,price\na,x\nb,1\n").output();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("standard input, line 3"));
    place.refuses("run - --data -", 2, &["the standard input", "the program and the data"]);
}

#[test]
fn cells_between_vertical_bars_are_read() {
    assert_eq!(outputs(PRICE, include_str!("field/pipe.csv")), json!({"s": [14.25]}));
}

#[test]
fn a_first_line_that_names_the_separator_is_taken() {
    assert_eq!(outputs(PRICE, include_str!("field/excel.csv")), json!({"s": [14.25]}));
}

#[test]
fn a_separator_at_the_end_of_every_line_adds_no_column() {
    assert_eq!(outputs(PRICE, include_str!("field/trailing.csv")), json!({"s": [14.25]}));
}

#[test]
fn products_of_decimals_are_compared_exactly() {
    let program = include_str!("field/squares.asa");
    let expected = json!({"below": [1, 0, 1, 1, 0], "twice": [0, 0, 0, 1, 1]});
    assert_eq!(outputs(program, include_str!("field/squares.csv")), expected);
    let place = place(program, "d.csv", include_str!("field/squares.csv"));
    let report = place.call("run p.asa --data d.csv --scheme bgv").json();
    assert_eq!((&report["outputs"], &report["check"]["exact"]), (&expected, &json!(true)));
}

#[test]
fn what_people_write_first_is_right_at_once() {
    // Dates, divisions by decimals and beyond words, divisors at a threshold, codes, time stamps.
    for (program, table, expected) in [
        (
            "new = day >= 2024-07-01\nn = count('2024-01-01' <= day < '2024-07-02')",
            "day\n2023-07-09\n2024-07-01\n2024-06-30\n2026-01-01\n",
            json!({"new": [0, 1, 0, 1], "n": [2]}),
        ),
        (
            "q = a // b\nr = a % b",
            "a,b\n20000000000000000000009,7\n-9223372036854775808,-1\n11,-4\n",
            json!({"q": ["2857142857142857142858", "9223372036854775808", -3], "r": [3, 0, -1]}),
        ),
        (
            "n = cost // 0.2\nr = cost % 2.5",
            "cost\n44.96\n-0.30\n10.00\n",
            json!({"n": [224, -2, 50], "r": [2.46, 2.2, 0]}),
        ),
        (
            "low = p / f < 250\nat = p / f == 250",
            "p,f\n50,0.20\n175,0.70\n174.9,0.7\n",
            json!({"low": [0, 0, 1], "at": [1, 1, 0]}),
        ),
        (
            "s = sum(x, code == '3B')\nn = count(code in ['3', '4'])",
            "code,x\n3,4\n3B,5\n4,6\n3B,7\n",
            json!({"s": [12], "n": [2]}),
        ),
        (
            "m = mean(t)",
            "t\n1690002667.633\n1690002857.058\n1690003000.009\n",
            json!({"m": ["50700085247/30"]}),
        ),
    ] {
        assert_eq!(outputs(program, table), expected, "{program}");
    }
}

#[test]
fn a_scheme_is_not_told_to_be_for_whole_numbers_where_a_column_is_of_real_ones() {
    let place = place("n = count(x >= 0.25)", "d.csv", "x\n2.5e-1\n0.2499999999\n-7e3\n");
    let text = place.call("run p.asa --data d.csv").text();
    let says = "BGV: exact: all columns are whole numbers, decimals or in conditions only and nothing is approximated";
    assert!(text.contains(says) && text.contains("n = 1"), "{text}");
}
