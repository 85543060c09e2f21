//! Forms of SQL, R, pandas and spreadsheets: each is one of the language, or refused where tools differ.

use asanoha_lang::{Program, specialised};
use asanoha_table::{Schema, read_csv};

/// Asserts that a program is read as another.
#[track_caller]
fn same(text: &str, expected: &str) {
    let parse = |text: &str| {
        let program = Program::parse(text);
        program.unwrap_or_else(|error| panic!("{}", error.render("p.asa"))).without_places()
    };
    assert_eq!(parse(text).to_string(), parse(expected).to_string(), "{text}");
}

#[track_caller]
fn refused(text: &str, message: &str) {
    match Program::parse(text) {
        Ok(program) => panic!("{text} was taken as\n{program}"),
        Err(error) => {
            let told = format!("{}: {}", error.message, error.help.clone().unwrap_or_default());
            assert!(told.contains(message), "{text}: {told}");
        }
    }
}

/// Asserts that data refuse a program.
#[track_caller]
fn refused_on_data(text: &str, message: &str) {
    let columns = ["flag", "mask", "x"];
    let table = read_csv("flag,mask,x\n1,0,7\n0,0,-3\n".as_bytes(), "t.csv", &columns).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{}", error.render("p.asa")));
    let error = specialised(&program, &schema, false)
        .and_then(|program| asanoha_lang::ranges(&program, &schema).map(|_| ()))
        .expect_err(text);
    assert!(error.to_string().contains(message), "{text}: {error}");
}

#[test]
fn signs_join_conditions() {
    same("n = sum((a > 3) & (b < 2))", "n = sum(a > 3 and b < 2)");
    same("n = sum((a > 3) | ~(b < 2))", "n = sum(a > 3 or not (b < 2))");
    same("n = sum(a > 3 && b < 2 || c == 1)", "n = sum(a > 3 and b < 2 or c == 1)");
    same("n = sum(!c | a < 2)", "n = sum(not c or a < 2)");
    same("n = sum(!c %in% c(2, 3))", "n = sum(not (c in [2, 3]))");
    same("n = count(!(a == 3) & b == 'x')", "n = count(not (a == 3) and b == 'x')");
}

#[test]
fn what_tools_read_differently_is_refused() {
    for text in [
        "n = sum(flag & x > 3)",
        "n = sum(~flag & x > 3)",
        "n = sum(flag & mask == mask)",
        "n = sum(not flag & mask)",
        "n = sum(a > 3 and b > 2 | c > 1)",
        "n = sum(a | b and c)",
    ] {
        refused(text, "tools differ in what `&` and `|` join here");
    }
    refused("n = sum(!x == 5)", "tools differ in what `!` before `==` turns around");
    refused("n = sum(~x > 5)", "tools differ in what `~` before `>` turns around");
    refused("n = sum((x > 1) & 2)", "`&` joins two conditions");
    refused("n = x ^ y", "`^` stands before a constant only");
    refused("n = (a > 1) ^ 1", "`^` stands before a constant only");
    refused("n = -x^2", "means different things in different tools");
    refused("n = 3 * -x^2", "means different things in different tools");
    refused("n = x^3^2", "means different things in different tools");
    refused("n = -(x + 1)^2", "means different things in different tools");
    refused("n = stddev(x)", "tools differ in what they divide by");
}

#[test]
fn bits_of_numbers_are_not_computed_with() {
    for text in ["n = sum(x & flag)", "n = sum(flag | x)", "n = sum(~x)", "n = sum(!x)"] {
        refused_on_data(text, "takes a condition, which is 0 or 1, and column `x` can be anything");
    }
}

#[test]
fn powers_are_read_as_spreadsheets_write_them() {
    same("d = a^2 + b^2", "d = a ** 2 + b ** 2");
    same("d = 3 - a^2", "d = 3 - a ** 2");
    same("d = (a - b)^2 * mean(a)^3", "d = (a - b) ** 2 * mean(a) ** 3");
    same("d = sum((a - 1)^2)", "d = sum((a - 1) ** 2)");
}

#[test]
fn equality_in_brackets_is_one_sign_too() {
    same("n = count(a = 25)", "n = count(a == 25)");
    same("n = sum(status = 'open')", "n = sum(status == 'open')");
    same("f = if(a = 1, b * 2, b)", "f = where(a == 1, b * 2, b)");
    refused("n = a = 25", "a second `=` in one assignment");
}

#[test]
fn cases_of_sql_are_choices() {
    same("y = case when a >= 18 then 1 else 0 end", "y = where(a >= 18, 1, 0)");
    same(
        "y = CASE WHEN a >= 85 THEN 1\n  WHEN a >= 70 THEN 2\n  ELSE 3\nEND\nz = a + 1",
        "y = case_when(a >= 85, 1, a >= 70, 2, 3)\nz = a + 1",
    );
    same("y = sum(case when a = 3 then b else 0 end)", "y = sum(where(a == 3, b, 0))");
    same("y = end + when", "y = `end` + `when`");
    refused("y = case when a > 3 then 1 end", "no value for rows in which no condition holds");
    refused("y = case when a > 3 then 1 else 0", "`case` is not ended");
    same("y = case_when(a < 0 ~ -1, a == 0 ~ 0, TRUE ~ 1)", "y = case_when(a < 0, -1, a == 0, 0, 1)");
    same("y = ifs(a >= 85, 1, a >= 70, 2, true, 5)", "y = case_when(a >= 85, 1, a >= 70, 2, 5)");
    refused("y = ifs(a >= 85, 1, true, 2, a > 3, 4)", "no condition after it decides");
    refused("y = case_when(TRUE ~ 1, a > 3 ~ 4)", "no condition after it decides");
    same("y = ifs(a > 3, true, b)", "y = case_when(a > 3, `true`, b)");
    same("m = max(true, a)", "m = max(`true`, a)");
}

#[test]
fn rows_are_picked_beside_what_is_added_up() {
    same("m = mean(fare[class = 1])", "m = mean(fare, class == 1)");
    same("m = sum(`a fare`[(class == 1) & (b > 2)])", "m = sum(`a fare`, class == 1 and b > 2)");
    same("s = sum(price) where pieces = 1 and b > 3", "s = sum(price, pieces == 1 and b > 3)");
    same("n = count(*) WHERE status = 'open'\nm = mean(a)", "n = count(status == 'open')\nm = mean(a)");
    refused("m = mean(fare[class == 1] * 2)", "rows are picked by a condition beside the column");
    refused("m = 2 * sum(price) where a == 1", "an operator or the end of the line was expected");
    refused("m = max(fare[class == 1])", "rows are picked by a condition beside the column");
}

#[test]
fn arguments_have_the_names_of_pandas() {
    same("c = clip(a, upper=60)", "c = min(a, 60)");
    same("c = clip(a, lower=3)", "c = max(a, 3)");
    same("c = clip(a, lower=3, upper=60)", "c = clip(a, 3, 60)");
    refused("c = clip(a, upper=60, lower=3)", "`upper` stands in another place of `clip`");
    same("v = var(a, ddof=0)", "v = var(a)");
    same("v = var(a, ddof=1)", "v = var_samp(a)");
    same("s = std(a, ddof=1)", "s = stdev(a)");
    refused("s = std(a, ddof=2)", "`ddof` is 0 or 1 here");
    refused("s = std(a, ddof=b)", "`ddof` is 0 or 1 here");
    same("r = round(a / 8, digits=1)", "r = round(a / 8, 1)");
    same("q = quantile(a, q=0.25)", "q = quantile(a, 0.25)");
}

#[test]
fn dates_are_called_so() {
    same("n = count(day == as.Date('2013-12-25'))", "n = count(day == '2013-12-25')");
    same("n = count(day >= DATE '2013-12-25')", "n = count(day >= '2013-12-25')");
    same("n = count(day >= date('2013-12-25'))", "n = count(day >= '2013-12-25')");
    same("d = datediff(end, start)", "d = end - start");
    refused("n = count(day >= date('2013-12-32'))", "there is no function `date`");
    refused("n = as.Dates(x)", "unexpected character `.`");
}

#[test]
fn assignments_may_have_an_arrow() {
    same("a <- b * 2\nc <- a + 1", "a = b * 2\nc = a + 1");
    same("a = b < -2", "a = b < (-2)");
    refused("a < - b", "`=` was expected here, not `<`");
}

#[test]
fn functions_of_spreadsheets_take_the_condition_first() {
    same("s = sumif(a > 3, b)", "s = sum(b, a > 3)");
    same("s = averageif(r == 'x', b)", "s = mean(b, r == 'x')");
    same("s = sumproduct(a, b, c)", "s = sum(a * b * c)");
    refused("s = sumif(a, 3)", "what comes first here is no condition");
    refused("s = sumif(a, b)", "what comes first here is no condition");
}

#[test]
fn long_texts_of_these_forms_are_read_in_time_that_grows_with_them() {
    let nested = format!("a = {}x{}", "(".repeat(20_000), ")^2".repeat(20_000));
    assert!(Program::parse(&nested).is_err());
    let picked = format!("a = {}", "sum(x[".repeat(50_000));
    assert!(Program::parse(&picked).is_err());
    let cases = format!("a = {}", "case when x then ".repeat(20_000));
    assert!(Program::parse(&cases).is_err());
}

#[test]
fn criteria_of_spreadsheets_are_conditions() {
    same("n = countif(math, '>50')", "n = count(math > 50)");
    same("n = COUNTIF(math, \">= -2.5\")", "n = count(math >= -2.5)");
    same("n = countif(math, '<>7')", "n = count(math != 7)");
    same("n = countif(math, '7')", "n = count(math == 7)");
    same("n = countif(2 * math + 1, '=7')", "n = count(2 * math + 1 == 7)");
    same("n = countifs(a, '>1', b, '<=2')", "n = count(a > 1 and b <= 2)");
    same("s = sumif(a, '>1', b)", "s = sum(b, a > 1)");
    same("s = sumif(a, '>1')", "s = sum(a, a > 1)");
    same("s = averageif(a, '<0.5', b * c)", "s = mean(b * c, a < 0.5)");
    same(
        "s = sumif(a, '>1', where(b > 2, b, 0)) + countif(c, '<3')",
        "s = sum(where(b > 2, b, 0), a > 1) + count(c < 3)",
    );
    same("s = sumif(a > 1, b)", "s = sum(b, a > 1)");
    // Texts are compared in any case there, and with `*` for any letters; 1/2 is a date.
    for text in [
        "n = countif(region, 'north')",
        "n = countif(region, 'n*')",
        "n = countif(a, '>1/2')",
        "n = countif(a, '>')",
    ] {
        refused(text, "");
    }
    refused("n = countif(a, '>1', b)", "text stands beside `==` or `!=` of a column only");
    refused("n = countif(day >= 2024-01-31, '>20240131', day, '>20240131'", "is not closed");
}

#[test]
fn semicolons_separate_arguments_where_nothing_else_does() {
    same("p = if(math >= 50; 1; 0)", "p = where(math >= 50, 1, 0)");
    same("p = max(min(a; b); 3)\nq = a", "p = max(min(a, b), 3)\nq = a");
    refused("p = if(math >= 50,5; 1; 0)", "");
    refused("p = max(min(0,5; b); 3)", "");
    refused("a = x; b = y", "`;` is not used");
}

#[test]
fn results_have_names_that_are_words_of_python_elsewhere() {
    for name in ["pass", "class", "from", "return", "global"] {
        let program = Program::parse(&format!("{name} = x > 3\ny = 2 * {name}")).unwrap();
        assert_eq!(program.result_names(), [name, "y"]);
        assert_eq!(Program::parse(&program.to_string()).unwrap(), program);
    }
    refused("if = x", "cannot name a value");
    refused("import numpy", "the functions are there without");
    refused("return x", "every line is an assignment");
}
