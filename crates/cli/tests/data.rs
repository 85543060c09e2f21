//! Data as they are: decimals, categories, missing values, compressed files.

mod common;

use common::Place;
use serde_json::json;

#[test]
fn plan_shows_what_becomes_public_of_each_column() {
    let place = Place::new();
    place.write("p.asa", "y = sum(price * pieces) + sum(weight)");
    place.write("d.csv", "name,price,pieces,weight\nA,12.50,3,1e-1\nB,7.00,2,0.25\n");
    let text = place.call("plan p.asa --data d.csv").text();
    for line in [
        "public      column price: decimal, 2 places, in 0..20.47\n",
        "            column pieces: whole, in 0..3\n",
        "            column weight: real, in 0..0.25\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let report = place.call("plan p.asa --data d.csv").json();
    let decimal = json!({"name": "price", "whole": false, "places": 2, "range": {"lo": "0", "hi": "20.47"}});
    let whole = json!({"name": "pieces", "whole": true, "range": {"lo": "0", "hi": "3"}});
    assert_eq!(report["columns"][0], decimal);
    assert_eq!(report["columns"][1], whole);
    let text = place.call("plan p.asa --data d.csv --real price").text();
    assert!(text.contains("column price: real, in 0..16\n"), "{text}");
    place.refuses(
        "plan p.asa --data d.csv --real name",
        2,
        &["there is no column \"name\"; there are price,"],
    );
}

#[test]
fn data_are_encrypted_as_the_plan_has_them() {
    let place = Place::new();
    place.write("p.asa", "y = price * 2");
    place.write("d.csv", "price\n12.50\n3\n");
    place.call("plan p.asa --data d.csv --scheme ckks --out plan.json").text();
    place.call("keygen --plan plan.json --out keys").text();
    place.write("d.csv", "price\n7\n2.5\n");
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.write("d.csv", "price\n7\n2.505\n");
    let says = ["d.csv, line 3, column 1 (price): \"2.505\" isn't a decimal of at most 2 places", "round it"];
    place.refuses("encrypt --plan plan.json --keys keys --data d.csv --out in2", 2, &says);
}
