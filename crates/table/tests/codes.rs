//! Columns of codes, which are text that looks like numbers, and slips among numbers.

use asanoha_table::{
    ColumnValues, Data, Missing, NumberFormat, Reading, Schema,
    advice::{Advice, Advised},
};

fn read(text: &str, wanted: &[&str], reading: &Reading) -> Result<Data, String> {
    Data::from_reader(text.as_bytes(), "d.csv", wanted, reading).map_err(|error| {
        let message = error.to_string();
        assert_eq!(message.lines().count(), 1, "{message:?}");
        message
    })
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The texts of a column that is compared with text.
fn codes(cells: &[&str]) -> Result<(Vec<i64>, Vec<String>), String> {
    let text = names(&["code"]);
    let reading = Reading { text: &text, ..Reading::default() };
    let data = read(&format!("code,x\n{}\n", cells.join(",1\n") + ",1"), &["x", "code"], &reading)?;
    assert_eq!(data.table.columns[0].values, ColumnValues::Whole(vec![1; cells.len()]));
    match &data.table.columns[1].values {
        ColumnValues::Categories { values, names } => Ok((values.clone(), names.clone())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn codes_that_are_compared_with_text_are_text_as_they_are_written() {
    for (cells, values, texts) in [
        (&["7", "3B", "7", "11"][..], vec![2, 1, 2, 0], &["11", "3B", "7"][..]),
        (&["3B", "7"], vec![0, 1], &["3B", "7"]),
        (&["7", "8"], vec![0, 1], &["7", "8"]),
        // Numbers that are equal are other texts.
        (&["1.1", "1.10", "1.1.2", "+1.1"], vec![1, 3, 2, 0], &["+1.1", "1.1", "1.1.2", "1.10"]),
        (&["007", "7", "7E2", "700"], vec![0, 1, 3, 2], &["007", "7", "700", "7E2"]),
        (&["0x1F", "31"], vec![0, 1], &["0x1F", "31"]),
        (&["true", "no", "True"], vec![2, 1, 0], &["True", "no", "true"]),
        (&["2026-11-28", "later"], vec![0, 1], &["2026-11-28", "later"]),
        (&["<18", "18-64", "65+"], vec![2, 0, 1], &["18-64", "65+", "<18"]),
        (&["5%", "10:30", "1_000", "$4", "n/a"], vec![3, 1, 2, 0, 4], &["$4", "10:30", "1_000", "5%", "n/a"]),
        (&["\"1,5\"", "\"NA\"", "2"], vec![0, 2, 1], &["1,5", "2", "NA"]),
        (&["99999999999999999999", "9"], vec![1, 0], &["9", "99999999999999999999"]),
    ] {
        assert_eq!(codes(cells), Ok((values, names(texts))), "{cells:?}");
    }
}

#[test]
fn codes_may_be_missing_and_are_no_more_than_categories_may_be() {
    let message = codes(&["4", "NA", "4C", "\"NA\""]).unwrap_err();
    assert!(message.starts_with("d.csv, line 3, column 1 (code): the text is missing"), "{message}");
    // A bare NA is missing after a quoted one too.
    assert!(codes(&["4", "\"NA\"", "4C", "NA"]).unwrap_err().starts_with("d.csv, line 5, "));
    let text = names(&["code"]);
    let masked = Reading { text: &text, missing: Missing::Mask, ..Reading::default() };
    let data = read("code,x\n6,1\n6D,\n5E,2\n,3\n", &["code", "x"], &masked).unwrap();
    assert_eq!(data.left_out, [1, 3]);
    // Texts of rows that are left out stay secret.
    assert_eq!(data.table.columns[0].values.categories(), ["5E", "6"]);
    let many: Vec<String> = (0..300).map(|code| code.to_string()).collect();
    let message = codes(&many.iter().map(String::as_str).collect::<Vec<_>>()).unwrap_err();
    assert!(message.starts_with("d.csv, line 258, column 1 (code): "), "{message}");
    assert!(message.contains("more than 256 different texts"), "{message}");
    let message = read("a\n1\n", &["a"], &Reading { text: &text, ..Reading::default() }).unwrap_err();
    assert_eq!(message, "columns of text: there is no column \"code\"; there are a");
}

#[test]
fn a_schema_and_real_columns_come_before_text() {
    let text = names(&["a"]);
    let real = Reading { text: &text, real: &text, ..Reading::default() };
    assert_eq!(read("a\n3\n", &["a"], &real).unwrap().table.columns[0].values, ColumnValues::Real(vec![3.0]));
    let planned = |cells: &str| {
        let data = read(&format!("a\n{cells}\n"), &["a"], &Reading::default()).unwrap();
        Schema::from_table(&data.table, &[]).unwrap()
    };
    let schema = planned("12");
    let reading = Reading { text: &text, schema: Some(&schema), ..Reading::default() };
    assert_eq!(
        read("a\n9\n", &["a"], &reading).unwrap().table.columns[0].values,
        ColumnValues::Whole(vec![9])
    );
    assert!(read("a\n9F\n", &["a"], &reading).unwrap_err().ends_with("\"9F\" is not a number"));
    let schema = planned("x\ny");
    let reading = Reading { text: &text, schema: Some(&schema), ..Reading::default() };
    assert!(read("a\n9F\n", &["a"], &reading).unwrap_err().contains("\"9F\" isn't a category"));
}

/// A refusal of the column `v`, which stands behind a column with a line break in its first cell.
fn refused(cells: &[&str]) -> (String, Vec<Advice>) {
    let rows: Vec<String> = cells.iter().map(|cell| format!("7,{cell}\n")).collect();
    let text = format!("note,v\n\"two\nlines\",{}\n{}", cells[0], rows[1..].concat());
    let error =
        Data::from_reader(text.as_bytes(), "d.csv", &["v"], &Reading::default()).expect_err("it is refused");
    (error.to_string(), error.advice())
}

#[test]
fn a_slip_among_numbers_is_named_by_its_own_line_wherever_it_stands() {
    for (slip, problem) in [
        ("2_500", "has underscores between groups of three digits"),
        ("<0.3", "is a bound or a rough value"),
        ("≥ 12", "is a bound or a rough value"),
        ("~4", "is a bound or a rough value"),
        ("85+", "is a bound or a rough value"),
        ("7%", "is a percentage"),
        ("n/a", "is not read as a missing value: write NA"),
        ("-", "is not read as a missing value: write NA"),
        ("#DIV/0!", "is not read as a missing value: write NA"),
        ("NULL", "is not read as a missing value: write NA"),
    ] {
        for quoted in [slip.to_owned(), format!("\"{slip}\"")] {
            for (cells, line) in [
                ([&quoted[..], "5", "6"], 2),
                (["5", &quoted, "6"], 4),
                (["0.5", "6", &quoted], 5),
                (["1e-3", "6", &quoted], 5),
                (["true", "false", &quoted], 5),
                (["2026-11-28", "2026-11-29", &quoted], 5),
            ] {
                let (message, _) = refused(&cells);
                let expected = format!("d.csv, line {line}, column 2 (v): {slip:?} {problem}");
                assert!(message.starts_with(&expected), "{cells:?}: {message}");
            }
        }
    }
    let (_, advice) = refused(&["2_500", "3"]);
    assert_eq!(advice, [Advice::Thousands]);
    let numbers = NumberFormat { thousands: true, ..NumberFormat::default() };
    let data = read("v\n2_500\n-3\n1_234_567.5\n", &["v"], &Reading { numbers, ..Reading::default() });
    let expected = ColumnValues::Decimal { values: vec![25_000, -30, 12_345_675], places: 1 };
    assert_eq!(data.unwrap().table.columns[0].values, expected);
}

#[test]
fn a_typo_among_numbers_is_no_text_where_a_program_compares_none() {
    assert!(refused(&["31", "4O", "5"]).0.ends_with("line 4, column 2 (v): \"4O\" is not a number"));
    let (message, _) = refused(&["8 kg", "31"]);
    assert!(message.contains("line 4, column 2 (v): \"31\" isn't text as in line 2 (\"8 kg\")"), "{message}");
    let (message, _) = refused(&["12", "007", "1.5"]);
    assert!(message.contains("line 5") && message.contains("as in line 4 (\"007\")"), "{message}");
}

#[test]
fn texts_that_resemble_bounds_and_missing_values_are_text_among_texts() {
    let values = |cells: &str| {
        let data = read(&format!("v\n{cells}\n"), &["v"], &Reading::default());
        data.map(|data| data.table.columns[0].values.categories().to_vec())
    };
    assert_eq!(values("<18\n18-64\n65+"), Ok(names(&["18-64", "65+", "<18"])));
    assert_eq!(values("none\nmild\n-"), Ok(names(&["-", "mild", "none"])));
    assert_eq!(values("mild\nunknown\n~5"), Ok(names(&["mild", "unknown", "~5"])));
}

#[test]
fn a_slip_where_a_schema_has_decimals_is_named() {
    let data = read("v\n0.25\n", &["v"], &Reading::default()).unwrap();
    let schema = Schema::from_table(&data.table, &[]).unwrap();
    let reading = Reading { schema: Some(&schema), ..Reading::default() };
    for (cell, problem) in [
        ("<0.25", "is a bound"),
        ("2_500", "has underscores"),
        ("1:30", "is a time of day"),
        ("..", "is not read as a missing value"),
        ("0.125", "isn't a decimal of at most 2 places"),
        ("x", "isn't a decimal of at most 2 places"),
    ] {
        let message = read(&format!("v\n{cell}\n"), &["v"], &reading).unwrap_err();
        assert!(
            message.starts_with(&format!("d.csv, line 2, column 1 (v): {cell:?} {problem}")),
            "{message}"
        );
    }
}
