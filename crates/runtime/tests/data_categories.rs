//! Columns of text: categories, and programs that compare them.

use asanoha_runtime::{
    data::{Column, ColumnValues, Data, Missing, Reading, Schema, Table, parse_range_override, read_csv},
    plan::{PlanOptions, SchemeName, choose},
    precision::Precision,
    program::{Program, Values, evaluate_exact, specialised},
};
use num_rational::BigRational;

use crate::oracle;

const DATA: &str = "region,sales\nsouth,3\nnorth,5\n\"north, east\",7\nnorth,9\n";

fn read(text: &str, wanted: &[&str], reading: &Reading) -> Result<Table, String> {
    Data::from_reader(text.as_bytes(), "d.csv", wanted, reading).map(|data| data.table).map_err(|error| {
        let message = error.to_string();
        assert_eq!(message.lines().count(), 1, "{message:?}");
        message
    })
}

fn table(program: &Program) -> Table {
    read_csv(DATA.as_bytes(), "d.csv", program.input_names()).unwrap()
}

fn categories(values: &[i64], names: &[&str]) -> ColumnValues {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    ColumnValues::Categories { values: values.to_vec(), names }
}

#[test]
fn texts_are_numbered_in_their_order() {
    let table = read(DATA, &["region"], &Reading::default()).unwrap();
    assert_eq!(table.columns[0].values, categories(&[2, 0, 1, 0], &["north", "north, east", "south"]));
    assert!(table.columns[0].is_whole());
    let schema = Schema::from_table(&table, &[]).unwrap();
    let column = &schema.columns[0];
    assert_eq!((column.whole, column.range.to_string().as_str()), (true, "0..2"));
    assert_eq!(column.categories, ["north", "north, east", "south"]);
    assert_eq!(column.to_string(), "text, of \"north\", \"north, east\", \"south\"");
    let json = serde_json::to_string(&schema).unwrap();
    assert_eq!(Schema::from_json(json.as_bytes(), "s.json").unwrap(), schema);
    let one = read("a\nx\n", &["a"], &Reading::default()).unwrap();
    assert_eq!(Schema::from_table(&one, &[]).unwrap().columns[0].range.to_string(), "0..1");
    let declared = parse_range_override("region=0:9").unwrap();
    let message = Schema::from_table(&table, &[declared]).unwrap_err().to_string();
    assert!(message.contains("column of text"), "{message}");
}

#[test]
fn a_column_is_all_text_or_none_and_of_few_texts() {
    let default = Reading::default();
    for (text, place, problem) in [
        ("a\nx\n1\n", "line 3", "\"1\" isn't text as in line 2"),
        ("a\n1\nx\n", "line 3", "\"x\" is not a number"),
        ("a\nx\ntrue\n", "line 3", "\"true\" isn't text"),
        ("a\ntrue\nx\n", "line 3", "\"x\" isn't true or false"),
        ("a\nx\n\"y\tz\"\n", "line 3", "control characters"),
    ] {
        let message = read(text, &["a"], &default).unwrap_err();
        assert!(message.contains(place) && message.contains(problem), "{message}");
    }
    let many = |count: usize| (0..count).map(|k| format!("t{k}")).collect::<Vec<_>>().join("\n");
    assert!(read(&format!("a\n{}", many(256)), &["a"], &default).is_ok());
    let message = read(&format!("a\n{}", many(257)), &["a"], &default).unwrap_err();
    assert!(message.contains("line 258") && message.contains("more than 256 different texts"), "{message}");
    let message = read(&format!("a\n{}\n", "x".repeat(300)), &["a"], &default).unwrap_err();
    assert!(message.contains("more than 256 bytes"), "{message}");
}

#[test]
fn data_under_a_schema_are_numbered_by_its_dictionary() {
    let schema = |categories: &str, hi: u32| {
        let text = format!(
            r#"{{"rows": 1, "columns": [{{"name": "a", "whole": true, "categories": {categories}, "range": {{"lo": 0, "hi": {hi}}}}}]}}"#
        );
        Schema::from_json(text.as_bytes(), "s.json").map_err(|error| error.to_string())
    };
    let own = schema(r#"["z", "NA", "7"]"#, 2).unwrap();
    let reading = Reading { schema: Some(&own), ..Reading::default() };
    assert_eq!(
        read("a\n7\nNA\nz\n7\n", &["a"], &reading).unwrap().columns[0].values,
        categories(&[2, 1, 0, 2], &["z", "NA", "7"])
    );
    let message = read("a\nz\ny\n", &["a"], &reading).unwrap_err();
    assert!(message.starts_with("d.csv, line 3, column 1 (a): \"y\" isn't a category"), "{message}");
    for (categories, hi, problem) in [
        (r#"["a", "a"]"#, 1, "stands twice"),
        (r#"["a", ""]"#, 1, "is empty"),
        (r#"["a", "b", "c"]"#, 1, "its categories are in 0..2"),
    ] {
        let message = schema(categories, hi).unwrap_err();
        assert!(message.contains(problem), "{message}");
    }
    let real = r#"{"rows": 1, "columns": [{"name": "a", "whole": false, "categories": ["x"], "range": {"lo": 0, "hi": 1}}]}"#;
    assert!(Schema::from_json(real.as_bytes(), "s.json").unwrap_err().to_string().contains("whole"));
    // Text where the schema has numbers.
    let numbers = r#"{"rows": 1, "columns": [{"name": "a", "whole": true, "range": {"lo": 0, "hi": 1}}]}"#;
    let numbers = Schema::from_json(numbers.as_bytes(), "s.json").unwrap();
    let message =
        read("a\nx\n", &["a"], &Reading { schema: Some(&numbers), ..Reading::default() }).unwrap_err();
    assert!(message.contains("\"x\" is not a number"), "{message}");
}

#[test]
fn programs_compare_columns_with_text() {
    let program = Program::parse(
        "north = count(region == 'north')\nother = sum(sales * (region != \"north, east\"))\nlast = 'south' == region",
    )
    .unwrap();
    let table = table(&program);
    let schema = Schema::from_table(&table, &[]).unwrap();
    let given = specialised(&program, &schema, false).unwrap();
    let expected = evaluate_exact(&program, &table).unwrap().unwrap();
    assert_eq!(evaluate_exact(&given, &table).unwrap().unwrap(), expected);
    let numbers: Vec<Vec<String>> = expected
        .iter()
        .map(|(_, values)| values.as_slice().iter().map(ToString::to_string).collect())
        .collect();
    assert_eq!(numbers, [vec!["2"], vec!["17"], vec!["1", "0", "0", "0"]]);
    assert!(matches!(expected[2].1, Values::Column(_)));
    let text = given.to_string();
    assert!(!text.contains('\'') && Program::parse(&text).unwrap() == given, "{text}");
    let choice = choose(&program, &schema, &PlanOptions::default()).unwrap();
    assert!(choice.chosen.is_some());
}

#[test]
fn programs_with_text_read_back_the_same() {
    for text in ["y = a == 'x'", r#"y = count(a != "it's \"so\" \\ ")"#, "y = sum(where(`a b` == 'é', 3, c))"]
    {
        let program = Program::parse(text).unwrap();
        assert_eq!(Program::parse(&program.to_string()).unwrap(), program, "{program}");
    }
    let program = Program::parse(r#"y = a == "it's""#).unwrap();
    assert!(program.to_string().contains(r"a == 'it\'s'"), "{program}");
}

#[test]
fn text_stands_beside_an_equality_of_a_column_only() {
    for text in [
        "y = 'x'",
        "y = a + 'x'",
        "y = a < 'x'",
        "y = a * 2 == 'x'",
        "y = 'x' == 'y'",
        "y = sum('x')",
        "y = -'x' == a",
        "y = mean(a) == 'x'",
    ] {
        let error = Program::parse(text).unwrap_err();
        assert!(
            error.message.contains("text stands beside `==` or `!=` of a column only"),
            "{text}: {error}"
        );
    }
    for text in ["y = a == 'x", "y = a == 'x\nz = 2'"] {
        let error = Program::parse(text).unwrap_err();
        assert!(error.message.contains("isn't closed on its line") && error.line == 1, "{error}");
    }
}

fn refused(text: &str) -> String {
    let program = Program::parse(text).unwrap();
    let schema = Schema::from_table(&table(&program), &[]).unwrap();
    specialised(&program, &schema, false).unwrap_err().to_string()
}

#[test]
fn unknown_categories_are_errors_that_offer_the_nearest() {
    let message = refused("y = count(region == 'nort')");
    assert!(message.contains("no category \"nort\"; the nearest are 'north', 'south'"), "{message}");
    let message = refused("y = count(sales == 'north')");
    assert!(message.contains("`sales` is compared with \"north\"") && message.contains("whole"), "{message}");
}

#[test]
fn nothing_is_computed_with_the_numbers_of_texts() {
    for text in [
        "y = sum(region)",
        "y = region + sales",
        "y = region * 2",
        "y = mean(region)",
        "y = region < sales",
        "y = -region",
        "y = where(region, sales, 1)",
        "y = region == 2",
        "y = region == sales",
        "y = max(region, sales)",
        "n = histogram(region, 0, 2)",
    ] {
        let message = refused(text);
        assert!(message.contains("column `region` is text, such as \"north\""), "{text}: {message}");
    }
    for text in ["y = region", "y = table(region, [4, 5, 6])"] {
        let program = Program::parse(text).unwrap();
        let schema = Schema::from_table(&table(&program), &[]).unwrap();
        assert!(specialised(&program, &schema, false).is_ok(), "{text}");
    }
}

#[test]
fn a_text_that_the_data_have_not_is_nowhere() {
    let column = Column { name: "a".into(), values: categories(&[0, 1], &["x", "y"]) };
    let table = Table { columns: vec![column], rows: 2 };
    let count = |text: &str| {
        let outputs = evaluate_exact(&Program::parse(text).unwrap(), &table).unwrap().unwrap();
        outputs[0].1.as_slice()[0].to_string()
    };
    assert_eq!([count("y = count(a == 'z')"), count("y = count(a != 'z')")], ["0", "2"]);
}

#[test]
fn digits_that_begin_with_zeros_are_text_and_keep_them() {
    let default = Reading::default();
    let one = |text: &str| read(text, &["id"], &default).map(|table| table.columns[0].values.clone());
    for text in ["id\n007\n12\n7\n12\n", "id\n12\n7\n007\n12\n", "id\n\"12\"\n007\n7\n"] {
        assert_eq!(one(text).unwrap().categories(), ["007", "12", "7"], "{text}");
    }
    let masked = Reading { missing: Missing::Mask, ..Reading::default() };
    let table = read("id\n12\nNA\n00\n12\n", &["id"], &masked).unwrap();
    assert_eq!(table.columns[0].values, categories(&[1, 0, 1], &["00", "12"]));
    let program = Program::parse("y = count(id == '007')").unwrap();
    let table = read("id\n7\n007\n07\n", &["id"], &default).unwrap();
    assert_eq!(evaluate_exact(&program, &table).unwrap().unwrap()[0].1.as_slice()[0].to_string(), "1");
    // Zeros before a point, a sign or nothing else are those of numbers, as are all where numbers are wanted.
    for (text, whole) in [("id\n0\n10\n", [0, 10]), ("id\n-01\n2\n", [-1, 2]), ("id\n1.0\n02\n", [1, 2])] {
        assert_eq!(one(text), Ok(ColumnValues::Whole(whole.to_vec())), "{text}");
    }
    let real = Reading { real: &["id".to_owned()], ..Reading::default() };
    let table = read("id\n007\n12\n", &["id"], &real).unwrap();
    assert_eq!(table.columns[0].values, ColumnValues::Real(vec![7.0, 12.0]));
    let schema = r#"{"rows": 2, "columns": [{"name": "id", "whole": true, "range": {"lo": 0, "hi": 99}}]}"#;
    let schema = Schema::from_json(schema.as_bytes(), "s.json").unwrap();
    let planned = Reading { schema: Some(&schema), ..Reading::default() };
    let table = read("id\n007\n12\n", &["id"], &planned).unwrap();
    assert_eq!(table.columns[0].values, ColumnValues::Whole(vec![7, 12]));
    // Mixed ones are refused by their line.
    let message = one("id\n007\n1.5\n").unwrap_err();
    assert!(message.contains("line 3") && message.contains("007, which is text"), "{message}");
    let padded: Vec<String> = (0..300).map(|number| format!("{number:05}")).collect();
    let message = one(&format!("id\n{}\n", padded.join("\n"))).unwrap_err();
    assert!(message.contains("line 258") && message.contains("begins with a zero"), "{message}");
    let plain: Vec<String> = (1..300).map(|number| number.to_string()).collect();
    let message = one(&format!("id\n{}\n00\n", plain.join("\n"))).unwrap_err();
    assert!(message.contains("line 301") && message.contains("begins with a zero"), "{message}");
}

/// Columns of text, each cell by its name.
fn texts(columns: &[(&str, &[&str])]) -> Table {
    let rows = columns[0].1.len();
    let csv: Vec<String> = (0..rows)
        .map(|row| columns.iter().map(|(_, cells)| cells[row]).collect::<Vec<_>>().join(","))
        .collect();
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let csv = format!("{}\n{}\n", names.join(","), csv.join("\n"));
    read(&csv, &names, &Reading::default()).unwrap()
}

#[test]
fn columns_of_text_are_compared_by_their_texts_whatever_their_numbers() {
    let three: &[(&str, &[&str])] = &[
        ("t", &["x", "y", "y", "z", "x", "w"]),
        ("u", &["x", "z", "y", "z", "q", "w"]),
        ("v", &["q", "z", "a", "z", "x", "w"]),
    ];
    let disjoint: &[(&str, &[&str])] =
        &[("t", &["a", "b", "a"]), ("u", &["c", "d", "d"]), ("v", &["b", "b", "a"])];
    for columns in [three, disjoint] {
        let table = texts(columns);
        let cell = |column: usize, row: usize| columns[column].1[row];
        let rows = || 0..columns[0].1.len();
        let schema = Schema::from_table(&table, &[]).unwrap();
        for (text, right) in [
            ("y = t == u", rows().map(|row| i64::from(cell(0, row) == cell(1, row))).collect::<Vec<_>>()),
            ("y = u == t", rows().map(|row| i64::from(cell(0, row) == cell(1, row))).collect()),
            ("y = v != t", rows().map(|row| i64::from(cell(2, row) != cell(0, row))).collect()),
            (
                "y = where(t == v, 5, 7)",
                rows().map(|row| if cell(0, row) == cell(2, row) { 5 } else { 7 }).collect(),
            ),
            (
                "y = t == u and u == v",
                rows().map(|row| i64::from(columns.iter().all(|of| of.1[row] == cell(0, row)))).collect(),
            ),
            ("y = count(t == u)", vec![rows().filter(|&row| cell(0, row) == cell(1, row)).count() as i64]),
            ("y = t == t", vec![1; columns[0].1.len()]),
        ] {
            let program = Program::parse(text).unwrap();
            let right: Vec<BigRational> =
                right.into_iter().map(|number| BigRational::from_integer(number.into())).collect();
            let plain = evaluate_exact(&program, &table).unwrap().unwrap();
            assert_eq!(plain[0].1.as_slice(), right, "{text}");
            for scheme in [
                None,
                Some(SchemeName::Bgv),
                Some(SchemeName::Bfv),
                Some(SchemeName::Tfhe),
                Some(SchemeName::Ckks),
            ] {
                let precision = Precision::Relative { bits: 10 };
                let options =
                    PlanOptions { scheme, security: 0, threads: 2, precision, ..PlanOptions::default() };
                let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
                let decrypted = oracle::run(&plan, &table, 3);
                assert_eq!(oracle::wrong(&plan, &table, precision, &decrypted), None, "{text} by {scheme:?}");
                let found = decrypted.outputs[0].1.as_slice().iter().map(|number| number.round());
                let found: Vec<BigRational> = found.map(|it| BigRational::from_float(it).unwrap()).collect();
                assert_eq!(found, right, "{text} by {scheme:?}");
            }
        }
        for text in ["y = t + 1", "y = max(t, u)", "y = t == 1", "y = t < u", "y = t == u + 1"] {
            let message =
                specialised(&Program::parse(text).unwrap(), &schema, false).unwrap_err().to_string();
            assert!(message.contains("is text, such as"), "{text}: {message}");
        }
    }
}

#[test]
fn texts_are_encrypted_by_the_numbers_that_the_plan_gives_them() {
    let program = Program::parse("north = region == 'north'\nsame = region == other").unwrap();
    let of = |region: &[&str], other: &[&str]| texts(&[("region", region), ("other", other)]);
    let planned_on = of(&["north", "east", "south"], &["south", "east", "west"]);
    let schema = Schema::from_table(&planned_on, &[]).unwrap();
    let options = PlanOptions { threads: 2, ..PlanOptions::default() };
    let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
    // The same texts, of which fewer occur: read on their own, they have other numbers.
    let later = of(&["south", "north", "south"], &["west", "south", "south"]);
    let found = oracle::run(&plan, &later, 3).exact.unwrap();
    let bits = |bits: [i64; 3]| bits.map(|bit| BigRational::from_integer(bit.into()));
    assert_eq!(found[0].1.as_slice(), bits([0, 1, 0]));
    assert_eq!(found[1].1.as_slice(), bits([0, 0, 1]));
    assert_eq!(plan.evaluate_exact(&later).unwrap().unwrap(), found);
    let refused = |table: &Table| oracle::try_run(&plan, table, 3).unwrap_err().to_string();
    let message = refused(&of(&["south", "nowhere", "south"], &["west", "south", "south"]));
    assert!(message.contains("row 2 of column `region` is \"nowhere\""), "{message}");
    let numbers = Column { name: "region".into(), values: ColumnValues::Whole(vec![0, 1, 2]) };
    let mixed = Table { columns: vec![numbers, later.columns[1].clone()], rows: 3 };
    let message = refused(&mixed);
    assert!(message.contains("column `region` is text in the plan, and no text in the data"), "{message}");
}
