//! Tables from CSV and their schemas.

use asanoha_table::Range;
use asanoha_table::{
    ColumnValues, Data, Missing, Reading, Schema, Table, parse_range_override, read_csv, read_table,
};
use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::prelude::*;

fn read(text: impl AsRef<[u8]>, wanted: &[&str]) -> Result<Table, String> {
    read_csv(text.as_ref(), "d.csv", wanted).map_err(|error| {
        let message = error.to_string();
        assert_eq!(message.lines().count(), 1, "{message:?}");
        message
    })
}

#[test]
fn columns_are_whole_when_every_cell_is() {
    let table = read("a,b,c,name\n1, 2.5 ,-3,Ann\r\n2,3,+4,\"B, b\"\n", &["c", "a", "b"]).unwrap();
    assert_eq!(table.rows, 2);
    assert_eq!(table.column("a").unwrap().values, ColumnValues::Whole(vec![1, 2]));
    assert_eq!(table.column("b").unwrap().values, ColumnValues::Decimal { values: vec![25, 30], places: 1 });
    assert_eq!(table.columns[0].values, ColumnValues::Whole(vec![-3, 4]));
    let table = read("a,b\n1,7\n2.0,99999999999999999999\n", &["a", "b"]).unwrap();
    assert_eq!(table.columns[0].values, ColumnValues::Whole(vec![1, 2]));
    assert_eq!(
        table.columns[1].values,
        ColumnValues::Integers(vec![7.into(), 99_999_999_999_999_999_999u128.into()])
    );
}

#[test]
fn whole_numbers_have_any_size_and_either_base() {
    let wide = BigInt::from(1) << 300u32;
    let values =
        |text: &str| read(format!("a\n{text}\n"), &["a"]).map(|table| table.columns[0].values.clone());
    assert_eq!(values("0x10\n-0xfF\n7"), Ok(ColumnValues::Whole(vec![16, -255, 7])));
    let expected = ColumnValues::Integers(vec![5.into(), -&wide, &wide - 1, 0.into()]);
    assert_eq!(values(&format!("5\n-{wide}\n0x{:X}\n0", &wide - 1)), Ok(expected));
    // A real cell makes the column one of reals, whatever its place, if that can be.
    assert_eq!(values(&format!("{wide}\n5e-1")), Ok(ColumnValues::Real(vec![2f64.powi(300), 0.5])));
    assert_eq!(values("0.5\n0x10"), Ok(ColumnValues::Real(vec![0.5, 16.0])));
    let beyond = BigInt::from(1) << 1500u32;
    let message = values(&format!("1\n7\n0x{beyond:x}\n3\n5e-1")).unwrap_err();
    assert!(
        message.starts_with("d.csv, line 4, column 1 (a): \"0x1000")
            && message.contains("not a finite number"),
        "{message}"
    );
    let largest: BigInt = (BigInt::from(1) << 2048u32) - 1;
    assert_eq!(values(&largest.to_string()), Ok(ColumnValues::Integers(vec![largest.clone()])));
    for text in [format!("1\n{}", &largest + 1), format!("1\n-0x{:x}", &largest + 1)] {
        let message = values(&text).unwrap_err();
        assert!(
            message.starts_with("d.csv, line 3, column 1 (a): ") && message.contains("more than 2048 bits"),
            "{message}"
        );
    }
}

#[test]
fn ranges_hold_whole_numbers_beyond_words() {
    let wide = BigInt::from(1) << 300u32;
    assert_eq!(range_of(&format!("3\n{}", &wide - 1)), format!("2..{}", &wide - 1));
    assert_eq!(range_of(&format!("3\n-0x{wide:x}")), format!("-{wide}..{}", &wide - 1));
    assert_eq!(parse_range_override("a=-0x10:0xff").unwrap().range.to_string(), "-16..255");
}

#[test]
fn a_byte_order_mark_and_blank_lines_around_the_rows_are_passed_over() {
    let table = read("\u{feff}a,b\n1,2\n3,4\n\n\n", &["a"]).unwrap();
    assert_eq!(table.columns[0].values, ColumnValues::Whole(vec![1, 3]));
    let table = read("\n\n\u{feff}a,b\n1,2", &["b"]).unwrap();
    assert_eq!(table.columns[0].values, ColumnValues::Whole(vec![2]));
}

#[test]
fn a_blank_line_between_rows_of_several_cells_is_named() {
    for (text, line) in [("a,b\n1,2\n\n3,4\n", 3), ("a;b\n\n1;2\n", 2), ("a\tb\r\n1\t2\r\n\r\n\r\n3\t4", 3)] {
        let message = read(text, &["b"]).unwrap_err();
        assert!(
            message.starts_with(&format!("d.csv, line {line}, column 1: the line is blank")),
            "{message}"
        );
    }
}

#[test]
fn a_blank_line_of_a_table_of_one_column_misses_a_value() {
    let zeros = |text: &str| {
        let reading = Reading { missing: Missing::Zero, ..Reading::default() };
        Data::from_reader(text.as_bytes(), "d.csv", &["x"], &reading)
            .map(|data| data.table.columns[0].values.clone())
    };
    for text in ["x\n1\n\n3\n", "x\r\n1\r\n\r\n3", "\n\nx\n1\n\n3\n", "x\n1\n\"\"\n3\n"] {
        assert_eq!(zeros(text).unwrap(), ColumnValues::Whole(vec![1, 0, 3]), "{text:?}");
    }
    assert_eq!(zeros("x\n\n7\n\n").unwrap(), ColumnValues::Whole(vec![0, 7, 0]));
    let message = read("x\n1\n\n3\n", &["x"]).unwrap_err();
    assert!(message.starts_with("d.csv, line 3, column 1 (x): the value is missing"), "{message}");
}

#[test]
fn a_quote_that_is_never_closed_is_named_by_the_line_where_it_opens() {
    for (text, line) in [
        ("a,b\n1,\"two\n3,4\n5,6\n", 2),
        ("a,b\n\"1\",\"x\"\"y\"\n\"3,4\n", 3),
        ("a,b\n1,\"two\nlines\"\n2,\"\"\"\n", 4),
    ] {
        let message = read(text, &["a"]).unwrap_err();
        assert!(
            message.starts_with(&format!("d.csv, line {line}, column 1: a quote")),
            "{text:?}: {message}"
        );
    }
    // Quotes inside of a cell are its letters.
    let table = read("a,b\n1,5\" pipe\n2,\"say \"\"no\"\"\"\n", &["a"]).unwrap();
    assert_eq!(table.columns[0].values, ColumnValues::Whole(vec![1, 2]));
}

#[test]
fn decimals_of_any_size_stay_exact() {
    let values = |text: &str| read(text, &["x"]).unwrap().columns[0].values.clone();
    let wide = |values: &[&str], places| ColumnValues::WideDecimal {
        values: values.iter().map(|digits| digits.parse().unwrap()).collect(),
        places,
    };
    assert_eq!(
        values("x\n123456789012345678901234567.25\n0.75\n-1000000000000000000000000000.50\n"),
        wide(&["12345678901234567890123456725", "75", "-100000000000000000000000000050"], 2)
    );
    // Whichever cell comes first.
    assert_eq!(values("x\n-7\n0.5\n99999999999999999999\n"), wide(&["-70", "5", "999999999999999999990"], 1));
    assert_eq!(values("x\n99999999999999999999\n-0.125"), wide(&["99999999999999999999000", "-125"], 3));
    assert_eq!(
        values("x\n9223372036854775807\n0.000000001\n"),
        wide(&["9223372036854775807000000000", "1"], 9)
    );
    assert_eq!(
        values("x\n1.123456\n2\n"),
        ColumnValues::Decimal { values: vec![1_123_456, 2_000_000], places: 6 }
    );
}

#[test]
fn every_mistake_is_named_at_its_place() {
    let cases: [(&[u8], &str); 14] = [
        (b"", "d.csv, line 1, column 1: the file is empty; its first line should name the columns"),
        (b"\n\n", "d.csv, line 1, column 1: the file is empty; its first line should name the columns"),
        (b"a,b\n", "d.csv, line 2, column 1: there are no rows below the line of column names"),
        (b"a,b", "d.csv, line 2, column 1: there are no rows below the line of column names"),
        (b"a,b\n1,2\n3\n", "d.csv, line 3, column 2: the row has 1 cells, and the first line names 2"),
        (b"a,b\n1,2,3\n", "d.csv, line 2, column 3: the row has 3 cells, and the first line names 2"),
        (b"a,b\n1,7\n2,two\n", "d.csv, line 3, column 2 (b): \"two\" is not a number"),
        (b"\n\na,b\n1,2\n3,0x1g\n", "d.csv, line 5, column 2 (b): \"0x1g\" is not a number"),
        (b"a,b\n1,NAN\n", "d.csv, line 2, column 2 (b): \"NAN\" is not a finite number of double precision"),
        (
            b"a,b\n1,1e999\n",
            "d.csv, line 2, column 2 (b): \"1e999\" is not a finite number of double precision",
        ),
        (b"b,a,b\n1,2,3\n", "d.csv, line 1, column 3: the name \"b\" stands at column 1 already"),
        (b"\nb,a,a,b,b\n1,2,3,4,5\n", "d.csv, line 2, column 4: the name \"b\" stands at column 1 already"),
        (b"a,c\n1,2\n", "d.csv: there is no column \"b\"; there are a, c"),
        (
            b"a,b\n\xff\xfe,2\n",
            "d.csv, line 2, column 1: \"\u{fffd}\u{fffd}\" is not UTF-8 text: convert a file from Windows or in Latin-1 with `iconv -f WINDOWS-1252 -t UTF-8 in.csv > out.csv`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text, &["b"]).unwrap_err(), expected, "{:?}", String::from_utf8_lossy(text));
    }
}

#[test]
fn lines_are_counted_the_same_whatever_ends_them() {
    let text = "\n\na,b\n1,\"two\nlines\"\n2,x\n3,y\nbad,z";
    for end in ["\n", "\r\n", "\r"] {
        let message = read(text.replace('\n', end), &["a"]).unwrap_err();
        assert_eq!(message, "d.csv, line 8, column 1 (a): \"bad\" is not a number", "{end:?}");
    }
}

#[test]
fn text_in_other_columns_is_no_mistake() {
    assert!(read("a,b\nhello,2\n,3\n", &["b"]).is_ok());
    // Nor are their names: repeated ones, and none.
    assert!(read("a,b,,a,\nhello,2,,,\n,3,1,2,\n", &["b"]).is_ok());
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("none.csv"), folder.path().to_owned()] {
        let message = read_table(&path, &["a"]).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{}: cannot be read: ", path.display())), "{message}");
    }
    let path = folder.path().join("d.csv");
    std::fs::write(&path, "a\n1\n").unwrap();
    assert_eq!(read_table(&path, &["a"]).unwrap().rows, 1);
}

fn range_of(cells: &str) -> String {
    let table = read(format!("a\n{cells}\n"), &["a"]).unwrap();
    Schema::from_table(&table, &[]).unwrap().columns[0].range.to_string()
}

#[test]
fn ranges_are_powers_of_two_or_widths_in_bits_around_the_data_without_0_where_they_have_one_sign() {
    for (cells, range) in [
        ("0", "0..1"),
        ("1", "0..1"),
        ("2", "1..3"),
        ("3", "2..3"),
        ("4", "2..7"),
        ("42.2e0", "32..64"),
        ("64.0", "32..127"),
        ("64.5e0", "64..128"),
        ("3e-1", "0.25..0.5"),
        ("0.25e0", "0.125..0.25"),
        ("2500001e-7", "0.25..0.5"),
        ("0.0", "0..1"),
        ("-1", "-1..0"),
        ("-9", "-16..-8"),
        ("-5\n3", "-8..7"),
        ("-8\n8", "-16..15"),
        ("-0.1\n5e-2", "-0.125..0.125"),
        ("-9223372036854775808", "-9223372036854775808..-4611686018427387904"),
        ("9223372036854775807", "4611686018427387904..9223372036854775807"),
        ("1.0e0\n3.67e0", "0.5..4"),
        ("1.0\n3.67", "0.5..4"),
        ("0\n3.67", "0..4"),
        ("-3.67e0\n-1", "-4..-0.5"),
        ("5\n9\n0", "0..15"),
    ] {
        assert_eq!(range_of(cells), range, "{cells}");
    }
}

#[test]
fn a_declared_range_takes_the_place_of_the_data_and_holds_it() {
    let table = read("a,b\n1,2\n62.5,3\n-1,4\n", &["a", "b"]).unwrap();
    let declared = |texts: &[&str]| {
        let overrides: Vec<_> = texts.iter().map(|text| parse_range_override(text).unwrap()).collect();
        Schema::from_table(&table, &overrides).map_err(|error| error.to_string())
    };
    let schema = declared(&["a=-1:62.5"]).unwrap();
    assert_eq!(schema.column("a").unwrap().range.to_string(), "-1..62.5");
    assert_eq!(schema.column("b").unwrap().range.to_string(), "1..7");
    for (texts, message) in [
        (&["a=-1:62"][..], "row 2, column \"a\": 62.5 is outside the declared range -1..62"),
        (&["a=0:100"], "row 3, column \"a\": -1 is outside the declared range 0..100"),
        (&["c=0:1"], "declared ranges: there is no column \"c\"; there are a, b"),
        (&["b=0:9", "b=0:8"], "range of column \"b\": declared twice"),
    ] {
        assert_eq!(declared(texts).unwrap_err(), message);
    }
}

#[test]
fn the_ends_of_a_range_may_be_dates() {
    let range = |text| parse_range_override(text).unwrap().range;
    assert_eq!(range("day=2026-01-01:2026-12-31"), range("day=20454:20818"));
    assert_eq!(range("day=1969-12-31: 1970-01-01"), range("day=-1:0"));
    assert!(parse_range_override("day=2026-02-29:2026-12-31").is_err());
}

#[test]
fn a_range_that_cannot_be_read_says_how_it_is_written() {
    for (text, problem) in [
        ("bmi", "there is no `=`"),
        ("=0:1", "there is no column before `=`"),
        ("bmi=0", "there is no `:` between the two ends"),
        ("bmi=a:1", "\"a\" is neither a number nor a date such as 2026-11-23"),
        ("bmi=:1", "\"\" is neither a number nor a date such as 2026-11-23"),
        ("bmi=0:1:2", "\"1:2\" is neither a number nor a date such as 2026-11-23"),
        ("bmi=0:inf", "\"inf\" is neither a number nor a date such as 2026-11-23"),
        ("bmi=1/0:3", "\"1/0\" is neither a number nor a date such as 2026-11-23"),
        ("bmi=2:1", "the lower end is above the upper end"),
        ("bmi=0:1e99999999", "\"1e99999999\" is neither a number nor a date such as 2026-11-23"),
    ] {
        let message = parse_range_override(text).unwrap_err().to_string();
        assert_eq!(
            message,
            format!("range {text:?}: {problem}; a range is written name=lo:hi, such as bmi=0:64")
        );
    }
    let third = parse_range_override(" x = -1/3 : 1e-1 ").unwrap();
    assert_eq!(third.column, "x");
    assert_eq!(third.range.lo(), &BigRational::new((-1).into(), 3.into()));
}

#[test]
fn a_schema_goes_through_json_and_is_checked() {
    let table = read("a,b\n1,-0.3\n", &["a", "b"]).unwrap();
    let mut schema = Schema::from_table(&table, &[]).unwrap();
    schema.columns[0].range =
        Range::new(BigRational::new(1.into(), 3.into()), BigRational::from_integer(2.into())).unwrap();
    let json = serde_json::to_string(&schema).unwrap();
    assert!(json.contains(r#""range":{"lo":"1/3","hi":"2"}"#), "{json}");
    assert_eq!(Schema::from_json(json.as_bytes(), "s.json").unwrap(), schema);

    let by_hand =
        r#"{"rows": 3, "columns": [{"name": "a", "whole": false, "range": {"lo": -0.1, "hi": 1e2}}]}"#;
    let schema = Schema::from_json(by_hand.as_bytes(), "s.json").unwrap();
    assert_eq!(schema.columns[0].range.to_string(), "-0.1..100");

    for (text, part) in [
        ("", "s.json, line 1, column 1: EOF"),
        ("{\"rows\": 3,\n \"cols\": []}", "s.json, line 2, column 7: unknown field `cols`"),
        (r#"{"rows": 0, "columns": []}"#, "rows is 0"),
        (r#"{"rows": -1, "columns": []}"#, "invalid value"),
        (
            r#"{"rows": 1, "columns": [{"name": "a", "whole": true, "range": {"lo": 2, "hi": 1}}]}"#,
            "above its upper end",
        ),
        (
            r#"{"rows": 1, "columns": [{"name": "a", "whole": true, "range": {"lo": "x", "hi": 1}}]}"#,
            "`x` is not a number",
        ),
        (
            r#"{"rows": 1, "columns": [{"name": "a", "whole": true, "range": {"lo": 0, "hi": 1}},
                {"name": "a", "whole": true, "range": {"lo": 0, "hi": 1}}]}"#,
            "column \"a\" stands twice",
        ),
    ] {
        let message = Schema::from_json(text.as_bytes(), "s.json").unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
        assert_eq!(message.lines().count(), 1);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes, &["a"]);
        let _ = read([b"a,b\n".as_slice(), &bytes].concat(), &["a"]);
        let _ = Schema::from_json(&bytes, "s.json");
    }

    #[test]
    fn ranges_hold_the_data_and_are_least(values in prop::collection::vec(-1e6f64..1e6, 1..20)) {
        let cells: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        let table = read(format!("a\n{}\n", cells.join("\n")), &["a"]).unwrap();
        let schema = Schema::from_table(&table, &[]).unwrap();
        let range = &schema.columns[0].range;
        let half = range.hi() / BigInt::from(2);
        let exact: Vec<_> = values.iter().map(|&value| BigRational::from_float(value).unwrap()).collect();
        prop_assert!(exact.iter().all(|value| range.contains(value)));
        prop_assert!(exact.iter().any(|value| *value > half || *value < -&half));
    }
}

#[test]
fn whole_numbers_are_whole_however_they_are_written() {
    let column = |text: &str| {
        let table = read_csv(format!("a\n{text}").as_bytes(), "d.csv", &["a"]).unwrap();
        table.columns[0].values.clone()
    };
    assert_eq!(
        column("127.0\n1e3\n-0.0\n+5.\n-12.50e1\n0x10\n"),
        ColumnValues::Whole(vec![127, 1000, 0, 5, -125, 16])
    );
    let ColumnValues::Integers(values) = column("1\n1e30\n") else { panic!("they're whole") };
    assert_eq!(values[1].to_string(), format!("1{}", "0".repeat(30)));
    assert_eq!(column("127.0\n2.5\n1e3\n"), ColumnValues::Real(vec![127.0, 2.5, 1000.0]));
    assert_eq!(column("127.0\n2.5\n").first_fraction(), Some((2, 2.5)));
    assert_eq!(column("1e-3\n").first_fraction(), Some((1, 0.001)));
    assert_eq!(column("127.0\n").first_fraction(), None);
}

#[test]
fn semicolons_and_tabs_separate_where_the_first_line_has_most_of_them() {
    for (text, separator) in [("a,b\n1,2\n", ','), ("a;b\n1;2\n", ';'), ("\n\r\na\tb\r\n1\t2", '\t')] {
        let table = read(text, &["b", "a"]).unwrap();
        assert_eq!(table.columns[0].values, ColumnValues::Whole(vec![2]), "{separator}");
        assert_eq!(table.columns[1].values, ColumnValues::Whole(vec![1]), "{separator}");
    }
    // Separators in quotes are text; as many of two are commas.
    let table = read("\"a;b;c\",d\n1,2\n", &["a;b;c", "d"]).unwrap();
    assert_eq!(table.columns[0].values, ColumnValues::Whole(vec![1]));
    let message = read("a;b,c\n1;2,3\n", &["a"]).unwrap_err();
    assert!(message.contains("there are a;b, c"), "{message}");
    // A decimal comma isn't taken for a separator of thousands, nor for a point.
    let message = read("a;b\n1;2\n1,5;2\n", &["a"]).unwrap_err();
    assert!(
        message.contains("line 3, column 1 (a)") && message.contains("\"1,5\" has a decimal comma"),
        "{message}"
    );
    // A file of one column, and one that is larger than what is looked at.
    assert_eq!(read("a\n1\n2", &["a"]).unwrap().rows, 2);
    let wide: Vec<String> = (0..60_000).map(|k| format!("column_of_some_length_{k}")).collect();
    let text = format!("{}\n{}\n", wide.join(";"), vec!["7"; wide.len()].join(";"));
    assert_eq!(read(text, &[&wide[59_999]]).unwrap().columns[0].values, ColumnValues::Whole(vec![7]));
}

#[test]
fn truths_and_dates_are_whole_numbers_in_columns_of_their_own() {
    let values =
        |text: &str| read(format!("a\n{text}\n"), &["a"]).map(|table| table.columns[0].values.clone());
    assert_eq!(values("true\nFALSE\nTrue"), Ok(ColumnValues::Whole(vec![1, 0, 1])));
    assert_eq!(values("1970-01-02\n 1969-12-31 "), Ok(ColumnValues::Whole(vec![1, -1])));
    for (text, line, what) in [
        ("true\n1", 3, "true or false as in line 2"),
        ("0\n1\nfalse", 4, "a number as in line 2"),
        ("2026-01-01\n20260102", 3, "a date as in line 2"),
        ("0.5\n2026-01-01", 3, "a number as in line 2"),
        ("2026-01-01\ntrue", 3, "a date as in line 2"),
    ] {
        let message = values(text).unwrap_err();
        assert!(message.contains(&format!("line {line}, ")) && message.contains(what), "{message}");
    }
    for text in ["2026-02-30", "2026-1-5", "yes", "t"] {
        assert!(values(&format!("1\n{text}")).unwrap_err().contains("is not a number"), "{text}");
    }
    assert!(values("true\n\"\"").unwrap_err().contains("the value is missing"));
}

/// With the feature such files are read, and refused only as part of something else.
#[test]
fn files_of_columns_are_refused_as_text_with_what_to_do() {
    let advice = if cfg!(feature = "arrow") {
        "which is read only as an uncompressed file, not through a pipe"
    } else {
        "which this build doesn't read: write the data as CSV, or build with the feature `arrow`"
    };
    for (bytes, what) in
        [(&b"PAR1\x15\x04\x15\x80\n"[..], "a Parquet file"), (b"ARROW1\0\0\xff\xff\xff\xff", "an Arrow file")]
    {
        let message = read_csv(bytes, "d.csv", &["a"]).unwrap_err().to_string();
        assert_eq!(message, format!("d.csv: cannot be read: it's {what}, {advice}"));
    }
    for header in ["PAR1", "ARROW1", "PAR1,b", "ARROW10"] {
        let name = header.split(',').next().unwrap();
        let rows = if header.contains(',') { "1,2" } else { "1" };
        let text = format!("{header}\n{rows}\n");
        assert_eq!(read_csv(text.as_bytes(), "d.csv", &[name]).unwrap().rows, 1, "{header}");
    }
}
