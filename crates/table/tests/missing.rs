//! Missing values, and files compressed by gzip.

use asanoha_table::{ColumnValues, Data, Missing, Reading, advice::Advised};
use proptest::prelude::*;
use std::io::Write;

fn read(text: impl AsRef<[u8]>, wanted: &[&str], missing: Missing) -> Result<Data, String> {
    let reading = Reading { missing, ..Reading::default() };
    Data::from_reader(text.as_ref(), "d.csv", wanted, &reading).map_err(|error| {
        let message = error.in_words(|advice| Some(advice.to_string()));
        assert_eq!(message.lines().count(), 1, "{message:?}");
        message
    })
}

fn column(cells: &str, missing: Missing) -> Result<ColumnValues, String> {
    let lines: Vec<&str> = cells.split(' ').map(|cell| if cell == "_" { "" } else { cell }).collect();
    read(format!("a\n{}\n", lines.join("\n")), &["a"], missing)
        .map(|data| data.table.columns[0].values.clone())
}

#[test]
fn missing_values_are_refused_with_their_number_and_what_can_be_done() {
    for cell in ["", "  ", "NA", "N/A", "NaN", "nan", "null", "None", "?"] {
        let message =
            read(format!("a,b\n1,2\n3,{cell}\n4,5\n6,NA\n"), &["a", "b"], Missing::Refuse).unwrap_err();
        assert_eq!(
            message,
            "d.csv, line 3, column 2 (b): the value is missing, as 2 of the column's 4 rows are: leave out rows that miss a value, or put the mean or zero in the place of missing values"
        );
    }
    // The first of them all is named, whatever the order of the columns.
    let message = read("a,b\n1,?\n?,2\n", &["a", "b"], Missing::Refuse).unwrap_err();
    assert!(message.starts_with("d.csv, line 2, column 2 (b)"), "{message}");
    assert!(read("a,b\n1,?\n2,?\n", &["a"], Missing::Refuse).is_ok());
}

#[test]
fn zeros_and_means_are_of_the_columns_kind() {
    use ColumnValues::{Decimal, Real, Whole};
    for (cells, zero, mean) in [
        ("1 _ 2", Whole(vec![1, 0, 2]), Whole(vec![1, 2, 2])),
        ("-1 NA -2", Whole(vec![-1, 0, -2]), Whole(vec![-1, -2, -2])),
        ("? 1 1 2", Whole(vec![0, 1, 1, 2]), Whole(vec![1, 1, 1, 2])),
        ("true _ false true", Whole(vec![1, 0, 0, 1]), Whole(vec![1, 1, 0, 1])),
        (
            "_ 0.25 0.5",
            Decimal { values: vec![0, 25, 50], places: 2 },
            Decimal { values: vec![38, 25, 50], places: 2 },
        ),
        ("1e-1 null 0.3", Real(vec![0.1, 0.0, 0.3]), Real(vec![0.1, 0.2, 0.3])),
    ] {
        assert_eq!(column(cells, Missing::Zero), Ok(zero), "{cells}");
        assert_eq!(column(cells, Missing::Mean), Ok(mean), "{cells}");
    }
    let wide = num_bigint::BigInt::from(1) << 100u32;
    let expected = ColumnValues::Integers(vec![wide.clone(), (&wide + 2u8) / 2u8, 1.into()]);
    assert_eq!(column(&format!("{wide} _ 1"), Missing::Mean), Ok(expected));
    assert_eq!(column("_ NA", Missing::Zero), Ok(Whole(vec![0, 0])));
    let message = column("_ NA", Missing::Mean).unwrap_err();
    assert_eq!(message, "d.csv, line 2, column 1 (a): the column has no values at all, and so no mean");
}

#[test]
fn means_of_the_largest_doubles_are_finite() {
    let ColumnValues::Real(values) = column("1.7e308 _ 1.6e308 1e-1", Missing::Mean).unwrap() else {
        panic!("they're real")
    };
    assert!((values[1] / 1.1e308 - 1.0).abs() < 1e-12, "{values:?}");
}

#[test]
fn rows_that_miss_a_value_of_any_wanted_column_are_left_out() {
    let text = "a,b,c\n1,2,?\n?,3,1\n4,5,1\n6,NA,1\n7,8,1\n";
    let data = read(text, &["b", "a"], Missing::Mask).unwrap();
    assert_eq!((data.table.rows, data.left_out), (3, vec![1, 3]));
    assert_eq!(data.table.columns[0].values, ColumnValues::Whole(vec![2, 5, 8]));
    assert_eq!(data.table.columns[1].values, ColumnValues::Whole(vec![1, 4, 7]));
    let data = read(text, &["c"], Missing::Mask).unwrap();
    assert_eq!((data.table.rows, data.left_out), (4, vec![0]));
    let message = read("a,b\n1,?\n?,2\n", &["a", "b"], Missing::Mask).unwrap_err();
    assert_eq!(
        message,
        "d.csv, line 2, column 2: every row misses a value, so that leaving them out leaves none"
    );
}

#[test]
fn missing_text_is_left_out_and_has_no_number() {
    let data = read("a\nx\nNA\ny\n", &["a"], Missing::Mask).unwrap();
    let names = vec!["x".to_owned(), "y".to_owned()];
    assert_eq!(data.table.columns[0].values, ColumnValues::Categories { values: vec![0, 1], names });
    for missing in [Missing::Zero, Missing::Mean] {
        let message = read("a\nx\nNA\n", &["a"], missing).unwrap_err();
        assert!(message.contains("line 3") && message.contains("leave out rows"), "{message}");
    }
    for text in ["a\nx\nNA\n", "a\nNA\nx\n", "a\n\n007\n", "a\n\"null\"\nnull\n"] {
        let message = read(text, &["a"], Missing::Refuse).unwrap_err();
        for part in
            ["the text is missing", "1 of the column's 2 rows", "leave out rows", "quotes", "categories"]
        {
            assert!(message.contains(part), "{text}: {message}");
        }
        assert!(!message.contains("mean"), "{message}");
    }
    for text in ["a\n1\nNA\n", "a\n\n2026-11-25\n", "a\ntrue\nnull\n"] {
        let message = read(text, &["a"], Missing::Refuse).unwrap_err();
        assert!(message.contains("mean or zero"), "{text}: {message}");
    }
}

proptest! {
    #[test]
    fn what_is_left_is_what_was_there(cells in prop::collection::vec(prop::array::uniform2(prop::option::of(-50i64..50)), 1..30)) {
        let cell = |cell: &Option<i64>| cell.map_or_else(|| "?".to_owned(), |cell| cell.to_string());
        let rows: Vec<String> = cells.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(",")).collect();
        let text = format!("a,b\n{}\n", rows.join("\n"));
        let complete: Vec<[i64; 2]> = cells.iter().filter_map(|row| Some([row[0]?, row[1]?])).collect();
        let read = read(&text, &["a", "b"], Missing::Mask);
        prop_assert_eq!(read.is_ok(), !complete.is_empty());
        if let Ok(data) = read {
            prop_assert_eq!(data.table.rows, complete.len());
            for at in 0..2 {
                let expected = complete.iter().map(|row| row[at]).collect();
                prop_assert_eq!(&data.table.columns[at].values, &ColumnValues::Whole(expected));
            }
            let left_out: Vec<usize> = (0..cells.len()).filter(|&row| cells[row].contains(&None)).collect();
            prop_assert_eq!(data.left_out, left_out);
        }
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_files_are_read_as_what_they_hold() {
    let text = b"\na,b\n1,2\n3,x\n\n";
    let plain = read(text, &["a"], Missing::Refuse);
    assert_eq!(read(gzip(text), &["a"], Missing::Refuse), plain);
    // Several files one behind the other are one, as gzip has it.
    assert_eq!(read([gzip(&text[..5]), gzip(&text[5..])].concat(), &["a"], Missing::Refuse), plain);
    let message = read(gzip(text), &["b"], Missing::Refuse).unwrap_err();
    assert!(message.starts_with("d.csv, line 4, column 2 (b): \"x\" is not a number"), "{message}");
}

#[test]
fn broken_compressed_files_are_refused() {
    let whole = gzip(b"a\n1\n2\n3\n");
    for end in 2..whole.len() {
        let message = read(&whole[..end], &["a"], Missing::Refuse).unwrap_err();
        assert!(message.starts_with("d.csv: cannot be read: "), "{end}: {message}");
    }
    let mut other = whole.clone();
    let at = whole.len() - 6;
    other[at] ^= 1;
    assert!(read(&other, &["a"], Missing::Refuse).is_err());
}

#[test]
fn what_becomes_public_under_a_mask_is_of_the_rows_that_count() {
    let text = "t,x,y,z\nb,1.5,2,7\nSECRET,0.125,,99999999999999999999\nc,2.5,3,8\na,100.123,,5\n";
    let data = read(text, &["t", "x", "y", "z"], Missing::Mask).unwrap();
    let names = vec!["b".to_owned(), "c".to_owned()];
    let values: Vec<&ColumnValues> = data.table.columns.iter().map(|column| &column.values).collect();
    assert_eq!(values[0], &ColumnValues::Categories { values: vec![0, 1], names });
    assert_eq!(values[1], &ColumnValues::Decimal { values: vec![15, 25], places: 1 });
    assert_eq!(values[3], &ColumnValues::Whole(vec![7, 8]));
    let schema = asanoha_table::Schema::from_table(&data.table, &[]).unwrap();
    assert_eq!(schema.column("x").unwrap().range.to_string(), "1..3.1");
    assert!(!serde_json::to_string(&schema).unwrap().contains("SECRET"));
}

#[test]
fn quoted_words_are_text_and_bare_ones_miss() {
    let text = "country,value\n\"NA\",7\nSE,20\n\"NA\",5\n\"ZA\",3\n";
    let data = read(text, &["country"], Missing::Refuse).unwrap();
    let names = ["NA", "SE", "ZA"].map(str::to_owned).to_vec();
    assert_eq!(data.table.columns[0].values, ColumnValues::Categories { values: vec![0, 1, 0, 2], names });
    let message = read(text.replace('"', ""), &["country"], Missing::Refuse).unwrap_err();
    assert!(message.contains("line 2, column 1 (country): the text is missing"), "{message}");
    // In a column of numbers they are no text.
    for cells in ["1\n\"NA\"\n3", "1\n\"nan\"\n3"] {
        assert_eq!(column(&cells.replace('\n', " "), Missing::Zero), Ok(ColumnValues::Whole(vec![1, 0, 3])));
    }
}
