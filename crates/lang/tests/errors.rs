//! What is refused, with its place.

use asanoha_lang::{Program, ProgramError, evaluate_exact, parse_traced, ranges};
use asanoha_table::{Column, ColumnValues, Schema, Table};

fn error(text: &str) -> ProgramError {
    match Program::parse(text) {
        Ok(program) => panic!("{text:?} was taken as\n{program}"),
        Err(error) => error,
    }
}

#[test]
fn every_mistake_is_named_at_its_place() {
    for (text, expected) in [
        ("", "line 1, column 1: the program has no outputs"),
        ("_a = x", "line 1, column 7: the program has no outputs"),
        ("z = ", "line 1, column 5: a value was expected here, not the end of the line"),
        ("z = x +\ny = 2", "line 1, column 8: a value was expected here, not the end of the line"),
        ("x + 1", "line 1, column 3: `=` was expected here, not `+`"),
        ("3 = x", "line 1, column 1: a name was expected here, not `3`"),
        ("z = x\n  z = y", "line 2, column 3: `z` is assigned twice"),
        (
            "z = x + 1\nx = y",
            "line 2, column 1: `x` is read as a column of the data in line 1, and assigned here",
        ),
        ("x = x + 1", "line 1, column 1: `x` is already a column of the data, read by this program"),
        ("for = x", "line 1, column 1: `for` is a word of Python and cannot name a value"),
        ("z = sum", "line 1, column 5: `sum` is a function, not a value"),
        ("z = x if y", "line 1, column 11: `else` was expected here, not the end of the line"),
        (
            "z = x else y",
            "line 1, column 7: an operator or the end of the line was expected here, not `else`",
        ),
        ("z = x and", "line 1, column 10: a value was expected here, not the end of the line"),
        ("z = x + not y", "line 1, column 9: a value was expected here, not `not`"),
        ("z = lambda", "line 1, column 5: `lambda` is not part of the language"),
        ("z = (x + 1", "line 1, column 11: `)` was expected here, not the end of the line"),
        ("z = x)", "line 1, column 6: `)` closes nothing"),
        ("z = 2x", "line 1, column 5: `2x` is not a number"),
        ("z = 2(x)", "line 1, column 6: an operator or the end of the line was expected here, not `(`"),
        ("z = x ^ y", "line 1, column 7: `^` stands before a constant only"),
        ("z = \"a\"", "line 1, column 1: text stands beside `==` or `!=` of a column only"),
        ("z = \"a", "line 1, column 5: this quote isn't closed on its line"),
        ("z = x = y", "line 1, column 7: a second `=` in one assignment"),
        ("z = x; y = x", "line 1, column 6: `;` is not used"),
        ("z = histogram(x, 0, 5) + 1", "line 1, column 24: this is done with a list, which is not a value"),
        (
            "z = dot([x, y], [1])",
            "line 1, column 5: `dot` takes lists of one length, and here are 2 and 1 items",
        ),
        (
            "z = dot([x, y], x)",
            "line 1, column 5: `dot` takes two columns or two lists, and here is one list",
        ),
        ("z = min(mean(x))", "line 1, column 5: `min` takes a column, and this is a number"),
        ("z = sigmod(x)", "line 1, column 5: there is no function `sigmod`"),
        ("z = mean(x, y, z)", "line 1, column 5: `mean` takes 1 or 2 arguments, and here are 3"),
        ("z = dot(x)", "line 1, column 5: `dot` takes 2 arguments, and here are 1"),
        ("z = min()", "line 1, column 5: `min` takes 1 argument or more, and here are 0"),
        ("z = sum(mean(x))", "line 1, column 5: `sum` takes a column, and this is a number"),
        ("z = dot(x, 3)", "line 1, column 5: `dot` takes a column, and this is a constant"),
        ("z = log(-2)", "line 1, column 5: `log` has no value in double precision at -2"),
        ("z = exp(x - x + 1000)", "line 1, column 5: `exp` has no value in double precision at 1000"),
        ("z = x / 0", "line 1, column 7: division by zero"),
        ("z = x / (2 - 2)", "line 1, column 7: division by zero"),
        ("z = 0**-1", "line 1, column 6: division by zero"),
        ("z = x ** y", "line 1, column 7: the exponent of `**` must be a constant"),
        ("z = x ** 0.5", "line 1, column 7: the exponent of `**` must be a whole number, and this is 0.5"),
        ("z = x ** 1025", "line 1, column 7: the exponent 1025 is above the limit of 1024"),
        (
            "z = 2 ** 99999",
            "line 1, column 7: a constant here needs more than 4096 bits as an exact fraction",
        ),
        (
            "z = 9**9**9**9",
            "line 1, column 9: a constant here needs more than 4096 bits as an exact fraction",
        ),
        ("z = 1e99999", "line 1, column 5: a number that needs more than 4096 bits as an exact fraction"),
        ("z = [1, 2] + x", "line 1, column 12: this is done with a list, which is not a value"),
        ("z = [x]", "line 1, column 1: this is done with a list, which is not a value"),
        ("y = a\nz = sum(0 * x)", "line 2, column 11: this is the same for all data: 0 in every row"),
    ] {
        assert_eq!(error(text).to_string(), expected, "{text:?}");
    }
}

#[test]
fn functions_of_whole_numbers_say_what_they_take() {
    for (text, column, message) in [
        ("z = x // 0", 7, "division by zero"),
        ("z = x % (1 - 1)", 7, "division by zero"),
        ("z = x // 0.0", 7, "division by zero"),
        ("z = x // 1e30", 7, "`//` takes whole numbers of at most 63 bits, and this constant is 1"),
        ("z = less_than(x, y, 0)", 5, "the gap of `less_than` and `sign` is a constant above 0"),
        ("z = less_than(x, 2, -1)", 5, "the gap of `less_than` and `sign` is a constant above 0"),
        ("z = sign(x, y)", 5, "the gap of `less_than` and `sign` is a constant above 0"),
        ("z = assume(x, 3, 2)", 5, "`assume` takes two constants, the lower one first"),
        ("z = assume(x, 0, y)", 5, "`assume` takes two constants, the lower one first"),
        ("z = quantile(x, 1.5)", 5, "`quantile` takes a constant from 0 to 1"),
        ("z = std(x, 1)", 5, "`std` takes both ends of the deviations, or neither"),
        ("z = histogram(x, 5, 0)", 5, "`histogram` takes a column and two constant whole numbers"),
        ("z = table(x, y)", 5, "`table` takes a list of entries, all of them constant whole numbers"),
        ("z = table(x, [])", 5, "`table` takes a list of entries, all of them constant whole numbers"),
        ("z = table(x, [1, y])", 5, "`table` takes a list of entries, all of them constant whole numbers"),
        ("z = table2(x, y, [1])", 5, "`table2` takes a list of rows, all of them constant whole numbers"),
        (
            "z = table2(x, y, [[1, 2], [3]])",
            5,
            "`table2` takes a list of rows of one length, all of them constant whole numbers",
        ),
    ] {
        let error = error(text);
        assert!(error.message.starts_with(message), "{text}: {}", error.message);
        assert_eq!((error.line, error.column), (1, column), "{text}");
    }
}

#[test]
fn words_of_python_are_answered_with_what_to_write() {
    for (text, help) in [
        ("z = x and or y", "it stands between two conditions: `a < b and b < 3`"),
        ("z = 2 * not x", "it stands before a condition: `not (a < b)`"),
        ("z = x else 2", "a choice is written `a if condition else b`"),
        ("z = x if y", "a choice is written `a if condition else b`"),
        ("z = x y", "columns with spaces in their names stand in back-quotes, such as `body mass`"),
        ("z = 2 (x)", "a product needs its `*`"),
        ("z = x[0]", "results are of all rows"),
        ("z = x, y", "a line has one result: give the others lines of their own"),
        ("z = 5% * x", "a percentage is written as a number, 0.05 for 5%"),
        ("z = t == \u{201c}a\u{201d}", "text stands between straight quotes, such as 'north'"),
        ("z = np.mean(x)", "functions stand alone: `mean(x)`, without a module before them"),
        ("z = len(x)", "the number of rows is public; `count(condition)` counts rows of a condition"),
        ("z = Averge(x)", "did you mean `mean`?"),
        ("import numpy as np", "the functions are there without: leave the line out"),
        ("if x > 1: z = 2", "a choice is written `y = a if condition else b`"),
        ("body mass = x", "columns with spaces stand in back-quotes, on the right of the `=`"),
    ] {
        let rendered = error(text).render("p.asa");
        assert!(rendered.ends_with(help), "{rendered}");
    }
}

#[test]
fn the_caret_stands_under_the_place_after_tabs_and_wide_characters() {
    let rendered = error("_a = x\nz\t= 売上 + é * 2x").render("p.asa");
    let expected = "p.asa:2:14: `2x` is not a number\n\
                    2 | z    = 売上 + é * 2x\n  \
                      |                   ^\n  \
                      = help: numbers are written like `12`, `0.5`, `1e-3`, `1_000` or `0xff`; a product needs its `*`";
    assert_eq!(rendered, expected);
}

#[test]
fn long_lines_are_cut_around_the_place_and_control_characters_are_not_shown() {
    let text = format!("z = {}$ + {}\u{1b}[31m", "x + ".repeat(1000), "y + ".repeat(1000));
    let rendered = error(&text).render("p.asa");
    let lines: Vec<&str> = rendered.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|line| line.chars().count() < 140), "{rendered}");
    assert_eq!(lines[1].chars().position_of('$'), lines[2].chars().position_of('^'));
    assert!(!error("z = \u{1b}[31m").render("p.asa").contains('\u{1b}'));
    assert!(!error("z = x \u{202e} y").to_string().contains('\u{202e}'));
}

trait PositionOf {
    fn position_of(self, wanted: char) -> Option<usize>;
}

impl<I: Iterator<Item = char>> PositionOf for I {
    fn position_of(mut self, wanted: char) -> Option<usize> {
        self.position(|c| c == wanted)
    }
}

/// The beginning of messages of a traced program.
#[test]
fn operations_of_traced_programs_are_named_without_the_lines_that_stay_inside() {
    let columns = vec![Column { name: "x".into(), values: ColumnValues::Whole(vec![-3, 7]) }];
    let schema = Schema::from_table(&Table { columns, rows: 2 }, &[]).unwrap();
    for (text, expected) in [
        (
            "_t1 = x + 2 * (x - 1)\nfirst = _t1\nscore = 1 - -log(_t1)**3",
            "`log(x + 2 * (x - 1))` in output `score`: `log` takes",
        ),
        (
            "_t1 = x - 1\n_t2 = sqrt(_t1)\nfirst = x\nlast = _t2 * _t2 + _t1",
            "`sqrt(x - 1)` in output `last`: `sqrt` takes",
        ),
        ("share = x / (x - 2)", "`x / (x - 2)` in output `share`: "),
        (
            "s = exp(std(x + 1))",
            "`std(x + 1)` in output `s`: `std` is computed by `sqrt`: `sqrt` takes numbers above 0, and here it can be anything in 0..",
        ),
        (
            "long = log(x + 1000 * x + 10000 * x + 100000 * x - 1000000 * x)",
            "`log(x + 1000 * x + 10000 * x + 100000 * ...` in output `long`: ",
        ),
    ] {
        let message = ranges(&parse_traced(text).unwrap(), &schema).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
    let message = parse_traced("y = x\n_t1 = x - x\nzero = sum(_t1)").unwrap_err().message;
    assert!(message.starts_with("`x - x` in output `zero`: this is the same for all data"), "{message}");
    // Plans know neither text nor expression.
    let program = parse_traced("y = log(x)").unwrap().without_places();
    assert!(ranges(&program, &schema).unwrap_err().to_string().starts_with("`log` takes"));
}

#[test]
fn every_error_is_one_line() {
    for text in ["z = \u{85}", "z = \u{2028}", "z = (\n\n", "z = '\n'", "z = \u{b}"] {
        assert_eq!(error(text).to_string().lines().count(), 1, "{text:?}");
    }
}

#[test]
fn deep_nesting_is_refused_without_deep_recursion() {
    const DEPTH: usize = 100_000;
    for (open, close) in
        [("(", ")"), ("-", ""), ("2**", ""), ("sum(", ")"), ("[", "]"), ("-(", ")"), ("x**-", "")]
    {
        let text = format!("z = {}x{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let error = error(&text);
        assert_eq!(error.message, "expressions are nested more than 200 deep", "{open}");
    }
    assert!(Program::parse(&format!("z = {}x{}", "(".repeat(200), ")".repeat(200))).is_ok());
}

#[test]
fn long_chains_are_taken_and_longer_ones_refused() {
    let chain = |terms: usize| format!("z = x{}", " * y + x".repeat(terms));
    let program = Program::parse(&chain(50_000)).unwrap();
    assert!(program.nodes().len() > 50_000);
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program);
    assert!(error(&chain(200_000)).message.starts_with("the program has more than"));
}

#[test]
fn values_that_explode_are_refused_quickly() {
    let columns = vec![Column { name: "x".into(), values: ColumnValues::Whole(vec![3, -1000]) }];
    let data = Table { columns, rows: 2 };
    let schema = Schema::from_table(&data, &[]).unwrap();
    let program = Program::parse("z = ((x**1024)**1024)**1024").unwrap();
    assert!(ranges(&program, &schema).unwrap_err().to_string().contains("can be above 2^16384"));
    assert!(evaluate_exact(&program, &data).unwrap_err().to_string().contains("more than 65536 bits"));
    let program = Program::parse("z = exp(x)").unwrap();
    assert!(ranges(&program, &schema).is_err());
}

#[test]
fn tiny_values_of_many_bits_have_ranges() {
    let columns = vec![Column { name: "x".into(), values: ColumnValues::Whole(vec![1, 0]) }];
    let schema = Schema::from_table(&Table { columns, rows: 2 }, &[]).unwrap();
    let text = "_a = (x * 0.123456789012345 + 1/3)**1024\n_b = _a**1024 + _a\nz = _b**1024 - _a * _b";
    let ranges = ranges(&Program::parse(text).unwrap(), &schema).unwrap();
    assert!(ranges.iter().all(|range| range.lo() <= range.hi()));
}
