//! What is refused on data, with its place in the program's text and in the words of that text.

use asanoha_runtime::{
    data::Schema,
    plan::{PlanOptions, PlanningError, choose},
    program::Program,
};

/// Columns of the kinds that messages differ on.
const SCHEMA: &str = r#"{"rows": 5, "columns": [
    {"name": "x", "whole": false, "range": {"lo": "-100", "hi": "100"}},
    {"name": "n", "whole": true, "range": {"lo": "0", "hi": "1000"}},
    {"name": "t", "whole": true, "range": {"lo": "0", "hi": "1"}, "categories": ["north", "south"]}
]}"#;

fn refused(text: &str) -> PlanningError {
    let schema = Schema::from_json(SCHEMA.as_bytes(), "schema").unwrap();
    let program = Program::parse(text).unwrap();
    match choose(&program, &schema, &PlanOptions::default()) {
        Ok(choice) => choice.into_plan(&PlanOptions::default()).map(|_| ()).expect_err(text),
        Err(error) => error,
    }
}

#[test]
fn refusals_have_the_place_and_the_words_of_the_text() {
    for (text, (line, column), says, never) in [
        ("a = n\ny = 3 + round(x)", (2, 9), "`round` of real numbers", "floor"),
        ("y = 3 +\\\n  floor(x)", (2, 3), "`floor` of real numbers", "//"),
        ("y = n + log(n - 5)", (1, 9), "`log` takes numbers above 0", "ln"),
        ("y = 1 / n", (1, 7), "a divisor must not be 0", "reciprocal"),
        ("y = n + t", (1, 7), "`+` has no meaning", "add"),
        ("y = quantile(n, 0.5)", (1, 5), "`quantile` counts", "less"),
        ("y = n + max(n)", (1, 9), "`max` counts", "quantile"),
        ("y = mean(n % x)", (1, 12), "`%` takes whole numbers", "remainder"),
        ("y = 2 * (x == n)", (1, 12), "`==`", "equal"),
    ] {
        let error = refused(text);
        let origin = error.origin().unwrap_or_else(|| panic!("{text}: {error}"));
        assert_eq!((origin.line(), origin.column()), (line, column), "{text}: {error}");
        let message = error.to_string();
        assert!(message.contains(says) && !message.contains(never), "{text}: {message}");
    }
}

#[test]
fn programs_are_equal_wherever_they_stand_and_those_of_files_have_no_place() {
    let (a, b) = (Program::parse("y = n + 1"), Program::parse("# above\ny  =  n+1"));
    assert_eq!(a, b);
    let program = a.unwrap();
    let at = program.origin_of_column("n").map(|origin| (origin.line(), origin.column()));
    assert_eq!((at, program.origin_of_column("m")), (Some((1, 5)), None));
    let read: Program = serde_json::from_str(&serde_json::to_string(&program).unwrap()).unwrap();
    assert_eq!((&read, read.origin_of_column("n")), (&program, None));
}
