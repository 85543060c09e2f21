//! Dates in programs: days since 1970-01-01, and never a subtraction that somebody didn't mean.

use asanoha_lang::{Program, evaluate_exact, specialised};
use asanoha_table::{Column, ColumnValues, Schema, Table};

fn table(days: &[i64]) -> Table {
    let column =
        |name: &str, values: Vec<i64>| Column { name: name.into(), values: ColumnValues::Whole(values) };
    let born = days.iter().map(|day| day - 10_000).collect();
    Table { columns: vec![column("day", days.to_vec()), column("born", born)], rows: days.len() }
}

fn values(text: &str, days: &[i64]) -> Vec<Vec<i64>> {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    // The printed text is read as the same program.
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program);
    let found = evaluate_exact(&program, &table(days)).unwrap().expect("exact");
    let whole = |value: &num_rational::BigRational| i64::try_from(value.to_integer()).unwrap();
    found.iter().map(|(_, values)| values.as_slice().iter().map(whole).collect()).collect()
}

#[test]
fn dates_are_compared_and_subtracted() {
    // 2024-01-30, 2024-01-31, 2024-02-01, 1969-12-31, 2026-12-31.
    let days = [19752, 19753, 19754, -1, 20818];
    assert_eq!(values("late = day >= 2024-01-31", &days), [[0, 1, 1, 0, 1]]);
    assert_eq!(values("late=day>=2024-01-31", &days), [[0, 1, 1, 0, 1]]);
    assert_eq!(values("n = count(2026-01-01 <= day <= 2026-12-31)", &days), [[1]]);
    assert_eq!(values("n = count(day < 1970-01-01)", &days), [[1]]);
    assert_eq!(values("age = 2024-02-29 - born", &days)[0][..2], [19782 - 9752, 19782 - 9753]);
    assert_eq!(values("age = 2024-02-29-born", &days)[0][..2], [19782 - 9752, 19782 - 9753]);
    assert_eq!(values("w = (day - 2000-03-01) // 7", &days)[0][0], (19752 - 11017) / 7);
    assert_eq!(
        values("d = where(day > 2024-01-31, day, 2024-01-31)", &days),
        [[19753, 19753, 19754, 19753, 20818]]
    );
    assert_eq!(values("d = clip(day, 2024-01-31, 2024-12-31)", &days), [[19753, 19753, 19754, 19753, 20088]]);
    assert_eq!(values("x = day * (2024-03-01 - 2024-02-01)", &[1]), [[29]]);
    // Subtractions have spaces, or other numbers than those of dates.
    assert_eq!(values("x = day + (2024 - 10 - 11)", &[0]), [[2003]]);
    assert_eq!(values("x = day + 2024 -10 -11", &[0]), [[2003]]);
    assert_eq!(values("x = day + 100-20-3", &[0]), [[77]]);
    assert_eq!(values("x = day + 12-5-1", &[0]), [[6]]);
    assert_eq!(values("x = day + 20-10", &[0]), [[10]]);
    assert_eq!(values("x = day + 10-1e2-10", &[0]), [[-100]]);
}

#[test]
fn what_is_no_date_or_takes_none_is_refused_with_what_to_write() {
    for (text, says, help) in [
        ("y = day >= 2024-02-30", "`2024-02-30` is no day of the calendar", "`2024 - 02 - 30`"),
        ("y = day >= 2023-02-29", "no day of the calendar", "spaces"),
        ("y = day >= 2024-13-01", "no day of the calendar", "spaces"),
        ("y = day >= 24-01-31", "`24-01-31` is no date as programs have them", "spaces"),
        ("y = day >= 31-01-2024", "year, month and day, such as 2026-11-23", "spaces"),
        ("y = day + 10-20-30", "no date as programs have them", "`10 - 20 - 30`"),
        ("y = day * 2024-10-11", "`*` takes numbers, and not dates", "`2026 - 11 - 23`"),
        ("y = 2024-10-11 / day", "`/` takes numbers", "spaces"),
        ("y = day ** 2024-10-11", "`**` takes numbers", "spaces"),
        ("y = day % 2024-10-11", "`%` takes numbers", "spaces"),
        ("y = day // 2024-10-11", "`//` takes numbers", "spaces"),
        ("y = day + (-2024-10-11)", "`-` takes numbers", "spaces"),
        ("y = day - (2024-10-11 + 2024-10-12)", "`+` takes numbers", "compared and subtracted"),
        ("y = day 2024-10-11", "expected", "a product needs its `*`"),
        ("y = day + 007", "`007` begins with a zero", "write `7`"),
        ("y = day - 01", "`01` begins with a zero", "write `1`"),
    ] {
        let error = Program::parse(text).expect_err(text);
        let found = (error.to_string(), error.help.clone().unwrap_or_default());
        assert!(found.0.contains(says) && found.1.contains(help), "{text}: {found:?}");
    }
    for (text, right) in
        [("y = day + 0", 5), ("y = day + 00", 5), ("y = day + 0.5 + 00.5", 6), ("y = day + 0x0a", 15)]
    {
        assert_eq!(values(text, &[5]), [[right]], "{text}");
    }
}

#[test]
fn a_date_in_quotes_is_a_date_beside_a_comparison() {
    let days = [19752, 19753, 19754];
    for (quoted, plain) in [
        ("a = day >= '2024-01-31'", "a = day >= 2024-01-31"),
        ("a = day == \"2024-02-01\"", "a = day == 2024-02-01"),
        ("a = day between '2024-01-30' and 2024-01-31", "a = day between 2024-01-30 and 2024-01-31"),
        ("a = between(day, 2024-01-30, '2024-01-31')", "a = day between 2024-01-30 and 2024-01-31"),
        ("a = days('2024-01-31', day)", "a = 2024-01-31 - day"),
        ("a = '2024-01-30' < day <= '2024-01-31'", "a = 2024-01-30 < day <= 2024-01-31"),
        ("n = count(day in ['2024-01-30', '2024-02-01'])", "n = count(day in [2024-01-30, 2024-02-01])"),
    ] {
        assert_eq!(values(quoted, &days), values(plain, &days), "{quoted}");
    }
    // What is no day is text, which has no order.
    assert!(Program::parse("a = day >= '2024-02-30'").unwrap_err().message.contains("text stands beside"));
}

#[test]
fn a_date_in_quotes_is_a_text_beside_a_column_of_text() {
    let program = Program::parse("a = day == '2024-01-31'\nb = day != '2024-02-30'").unwrap();
    let names = vec!["2024-01-31".to_owned(), "2024-02-30".to_owned()];
    let values = ColumnValues::Categories { values: vec![1, 0, 0], names };
    let table = Table { columns: vec![Column { name: "day".into(), values }], rows: 3 };
    let schema = Schema::from_table(&table, &[]).unwrap();
    for program in [&program, &specialised(&program, &schema, false).unwrap()] {
        let found = evaluate_exact(program, &table).unwrap().unwrap();
        let found = found.iter().map(|(_, values)| {
            format!("{:?}", values.as_slice().iter().map(ToString::to_string).collect::<Vec<_>>())
        });
        assert_eq!(found.collect::<Vec<_>>(), [r#"["0", "1", "1"]"#, r#"["0", "1", "1"]"#]);
    }
    // Only what is no date makes a column one of text.
    assert!(Program::parse("a = day in ['2024-01-31', '2023-02-01']").unwrap().text_columns().is_empty());
    assert_eq!(program.text_columns(), ["day"]);
}
