//! Small inputs of the kinds that people publish: right answers, or errors that name the problem and its place.

mod common;

use common::Place;
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
    assert_eq!(text, "s\n-1753086421975308642197530865/2\n");
}

#[test]
fn a_decimal_comma_is_named_with_its_line() {
    let place = place(PRICE, "comma.csv", include_str!("field/comma.csv"));
    let says = ["comma.csv, line 2, column 2 (price): \"1,20\"", "decimal comma", "1.20"];
    place.refuses("run p.asa --data comma.csv", 2, &says);
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
