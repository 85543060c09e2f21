//! Columns of decimals: exact numbers with a fixed number of places after the point.

use asanoha_table::{ColumnValues, Data, MAX_PLACES, Reading, Schema, parse_range_override, read_csv};
use proptest::prelude::*;

fn read_as(text: &str, reading: &Reading) -> Result<ColumnValues, String> {
    let text = format!("a\n{text}\n");
    let data = Data::from_reader(text.as_bytes(), "d.csv", &["a"], reading);
    data.map(|data| data.table.columns[0].values.clone()).map_err(|error| {
        let message = error.to_string();
        assert_eq!(message.lines().count(), 1, "{message:?}");
        message
    })
}

fn read(text: &str) -> Result<ColumnValues, String> {
    read_as(text, &Reading::default())
}

fn decimal(values: &[i64], places: u32) -> ColumnValues {
    ColumnValues::Decimal { values: values.to_vec(), places }
}

fn schema_of(text: &str) -> Schema {
    let table = read_csv(format!("a\n{text}\n").as_bytes(), "d.csv", &["a"]).unwrap();
    Schema::from_table(&table, &[]).unwrap()
}

#[test]
fn plain_decimals_of_few_places_are_exact() {
    for (text, values, places) in [
        ("12.50", &[1250][..], 2),
        ("1\n2.5\n-3.25", &[100, 250, -325], 2),
        ("12.0\n0.5", &[120, 5], 1),
        ("12.00\n0.5", &[1200, 50], 2),
        ("0.5\n12.00", &[50, 1200], 2),
        (".5\n-.25\n+1.\n-0.1", &[50, -25, 100, -10], 2),
        ("0.0001\n7", &[1, 70_000], 4),
        ("0.5\n0.00001", &[50_000, 1], 5),
        ("4.00000\n0.5", &[400_000, 50_000], 5),
        ("0.000000001", &[1], 9),
        ("-0.5\n922337203685477580.7", &[-5, i64::MAX], 1),
    ] {
        assert_eq!(read(text), Ok(decimal(values, places)), "{text}");
    }
    assert_eq!(MAX_PLACES, 9);
}

#[test]
fn whole_cells_make_a_whole_column_however_many_zeros_they_have() {
    assert_eq!(read("12.0\n3\n4.000000"), Ok(ColumnValues::Whole(vec![12, 3, 4])));
}

#[test]
fn columns_that_are_no_plain_decimals_stay_real() {
    for (text, values) in [
        ("0.5\n0.0000000001", [0.5, 0.0000000001]),
        ("0.5\n1e-1", [0.5, 0.1]),
        ("1e1\n0.5", [10.0, 0.5]),
        ("0x10\n0.5", [16.0, 0.5]),
        ("0.5\n0x10", [0.5, 16.0]),
        ("0.1\n0.12345678901234567890123", [0.1, 0.12345678901234568]),
    ] {
        assert_eq!(read(text), Ok(ColumnValues::Real(values.to_vec())), "{text}");
    }
}

#[test]
fn a_hint_takes_a_column_as_real_numbers() {
    let hint = ["a".to_owned()];
    let reading = Reading { real: &hint, ..Reading::default() };
    assert_eq!(read_as("12.5\n3", &reading), Ok(ColumnValues::Real(vec![12.5, 3.0])));
    assert_eq!(read_as("12\n3", &reading), Ok(ColumnValues::Real(vec![12.0, 3.0])));
    assert_eq!(read_as("true\nfalse", &reading), Ok(ColumnValues::Real(vec![1.0, 0.0])));
    let message = read_as(&format!("1\n{}", "9".repeat(400)), &reading).unwrap_err();
    assert!(message.contains("line 3") && message.contains("not a finite number"), "{message}");
    let other = ["b".to_owned()];
    let message = read_as("1", &Reading { real: &other, ..Reading::default() }).unwrap_err();
    assert_eq!(message, "real columns: there is no column \"b\"; there are a");
}

#[test]
fn a_schema_says_how_many_places_its_columns_have() {
    for (text, places, range) in [
        ("99.99", 2, "64..128"),
        ("-99.99\n1", 2, "-128..128"),
        ("0.1\n0.2", 1, "0.1..0.3"),
        ("42.2", 1, "32..51.1"),
        ("-0.5", 1, "-0.5..-0.2"),
    ] {
        let schema = schema_of(text);
        let column = &schema.columns[0];
        assert_eq!((column.whole, column.places, column.range.to_string().as_str()), (false, places, range));
        let json = serde_json::to_string(&schema).unwrap();
        assert!(json.contains(&format!("\"places\":{places}")), "{json}");
        assert_eq!(Schema::from_json(json.as_bytes(), "s.json").unwrap(), schema);
    }
    for text in ["1", "1e-9"] {
        assert!(!serde_json::to_string(&schema_of(text)).unwrap().contains("places"));
    }
}

#[test]
fn schemas_with_impossible_places_are_refused() {
    for (text, part) in [
        (
            r#""whole": false, "places": 10"#,
            "column \"a\" has 10 places after the point, and up to 9 are taken",
        ),
        (
            r#""whole": true, "places": 1"#,
            "column \"a\" is whole and has 1 place after the point: one of the two",
        ),
        (r#""whole": false, "places": -1"#, "invalid value"),
    ] {
        let text =
            format!(r#"{{"rows": 1, "columns": [{{"name": "a", {text}, "range": {{"lo": 0, "hi": 1}}}}]}}"#);
        let message = Schema::from_json(text.as_bytes(), "s.json").unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn the_ends_of_ranges_of_decimals_are_rounded_outward() {
    let table = read_csv(&b"a\n0.25\n1.00\n"[..], "d.csv", &["a"]).unwrap();
    let declared = |text: &str| {
        let schema = Schema::from_table(&table, &[parse_range_override(text).unwrap()]);
        schema.map(|schema| schema.columns[0].range.to_string()).map_err(|error| error.to_string())
    };
    assert_eq!(declared("a=0.25:1"), Ok("0.25..1".to_owned()));
    assert_eq!(declared("a=-0.001:1.001"), Ok("-0.01..1.01".to_owned()));
    assert_eq!(
        declared("a=1/3:1").unwrap_err(),
        "row 1, column \"a\": 0.25 is outside the declared range 1/3..1"
    );
    let by_hand = r#"{"rows": 1, "columns": [{"name": "a", "whole": false, "places": 1, "range": {"lo": "-1/3", "hi": 0.25}}]}"#;
    let schema = Schema::from_json(by_hand.as_bytes(), "s.json").unwrap();
    assert_eq!(schema.columns[0].range.to_string(), "-0.4..0.3");
}

#[test]
fn data_under_a_schema_have_its_places_or_are_refused() {
    let schema = schema_of("1.25\n-7.5");
    let reading = Reading { schema: Some(&schema), ..Reading::default() };
    for (text, values) in
        [("1.5\n2", &[150, 200][..]), ("7", &[700]), ("1.2500\n3e1\n5e-1", &[125, 3000, 50]), ("0x2", &[200])]
    {
        assert_eq!(read_as(text, &reading), Ok(decimal(values, 2)), "{text}");
    }
    for (text, line, problem) in [
        (
            "1.5\n1.255",
            3,
            "\"1.255\" isn't a decimal of at most 2 places, which is what the schema says: round it, or plan for these data",
        ),
        ("1e-3", 2, "\"1e-3\" isn't a decimal of at most 2 places"),
        ("true", 2, "\"true\" isn't a decimal of at most 2 places"),
        ("2026-01-01", 2, "isn't a decimal of at most 2 places"),
        ("inf", 2, "isn't a decimal of at most 2 places"),
    ] {
        let message = read_as(text, &reading).unwrap_err();
        let place = format!("d.csv, line {line}, column 1 (a): ");
        assert!(message.starts_with(&place) && message.contains(problem), "{message}");
    }
}

#[test]
fn a_schema_without_places_takes_decimals_as_real_numbers() {
    let schema = br#"{"rows": 1, "columns": [{"name": "a", "whole": false, "range": {"lo": 0, "hi": 64}}]}"#;
    let schema = Schema::from_json(schema, "s.json").unwrap();
    let reading = Reading { schema: Some(&schema), ..Reading::default() };
    assert_eq!(read_as("1.25\n3", &reading), Ok(ColumnValues::Real(vec![1.25, 3.0])));
    assert_eq!(read_as("4\n3", &reading), Ok(ColumnValues::Whole(vec![4, 3])));
}

#[test]
fn the_first_fraction_of_decimals_is_found() {
    assert_eq!(read("3\n1.50\n2.5").unwrap().first_fraction(), Some((2, 1.5)));
    assert_eq!(decimal(&[300, 400], 2).first_fraction(), None);
}

proptest! {
    #[test]
    fn decimals_are_the_doubles_that_their_text_is_read_as(
        cells in prop::collection::vec((any::<bool>(), 0i64..i64::MAX / 20_000, 1usize..=4, any::<u64>()), 1..20)
    ) {
        let texts: Vec<String> = cells
            .iter()
            .map(|&(negative, whole, places, fraction)| {
                let fraction = fraction % 10u64.pow(places as u32);
                // The last is no zero.
                let fraction = if fraction.is_multiple_of(10) { fraction + 1 } else { fraction };
                format!("{}{whole}.{fraction:0places$}", if negative { "-" } else { "" })
            })
            .collect();
        let values = read(&texts.join("\n")).unwrap();
        let most = cells.iter().map(|cell| cell.2 as u32).max().unwrap();
        let is_decimal = matches!(values, ColumnValues::Decimal { places, .. } if places == most);
        prop_assert!(is_decimal);
        let expected: Vec<f64> = texts.iter().map(|text| text.parse().unwrap()).collect();
        prop_assert_eq!(values.to_real(), expected);
    }
}
