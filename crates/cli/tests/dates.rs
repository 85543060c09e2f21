//! Dates in programs and in results.

use crate::common::Place;
use serde_json::{Value, json};

const ORDERS: &str = "day,due,delay,code,pieces
2024-01-31,2024-02-29,30,20240131,2
2023-12-31,2024-01-01,1,20231231,5
2024-02-01,2026-11-29,400,20240201,1
1969-12-31,2024-02-01,0,19691231,9
";

fn place(program: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", ORDERS);
    place
}

fn outputs(program: &str) -> Value {
    let report = place(program).call("run p.asa --data d.csv").json();
    assert_eq!(report["check"]["exact"], true, "{report}");
    report["outputs"].clone()
}

#[test]
fn results_that_are_dates_are_printed_as_dates() {
    assert_eq!(
        outputs("late = where(day > 2024-01-01, day, due)\nnext = day + 30\nbefore = due - 1\n"),
        json!({
            "late": ["2024-01-31", "2024-01-01", "2024-02-01", "2024-02-01"],
            "next": ["2024-03-01", "2024-01-30", "2024-03-02", "1970-01-30"],
            "before": ["2024-02-28", "2023-12-31", "2026-11-28", "2024-01-31"],
        })
    );
    // Days between dates, truths and what is computed from days aren't dates.
    assert_eq!(
        outputs(
            "left = due - day\nage = 2026-11-29 - day\nn = count(day < 1970-01-01)\ns = sum(due - day)\ndouble = 2 * delay\n"
        ),
        json!({
            "left": [29, 1, 1032, 19755], "age": [1033, 1064, 1032, 20787], "n": [1], "s": [20817],
            "double": [60, 2, 800, 0],
        })
    );
    let place = place("d = max(day, 2024-01-31)\nn = d - 1\n");
    let shown = place.call("run p.asa --data d.csv --out r.csv").text();
    assert!(shown.contains("2024-02-01"), "{shown}");
    let cells = std::fs::read_to_string(place.path("r.csv")).unwrap();
    assert_eq!(
        cells,
        "d,n\n2024-01-31,2024-01-30\n2024-01-31,2024-01-30\n2024-02-01,2024-01-31\n2024-01-31,2024-01-30\n"
    );
}

#[test]
fn a_plan_keeps_which_results_are_dates() {
    let place = place("last = max(day)\nfirst = min(day)\nshift = due + 1\n");
    place.write("d.csv", "day,due\n2024-01-31,2024-02-28\n2024-02-03,2023-12-31\n");
    place.call("plan p.asa --data d.csv --range day=19750:19760 --out p.plan").json();
    place.call("keygen --no-passphrase --plan p.plan --out keys").json();
    place.call("encrypt --plan p.plan --keys keys --data d.csv --out inputs").json();
    place.call("evaluate --plan p.plan --keys keys --in inputs --out results").json();
    let report = place.call("decrypt --plan p.plan --keys keys --in results").json();
    assert_eq!(
        report["outputs"],
        json!({"last": ["2024-02-03"], "first": ["2024-01-31"], "shift": ["2024-02-29", "2024-01-01"]})
    );
}

#[test]
fn a_date_beside_numbers_and_a_number_beside_dates_are_refused() {
    for (program, column, line) in [
        ("n = count(code >= 2024-01-31)", "code", "p.asa:1:16"),
        ("n = count(code > '2024-01-31')", "code", "p.asa:1:16"),
        ("n = count(1 < delay == 2024-01-31)", "delay", "p.asa:1:21"),
        ("x = pieces\nn = count(2024-01-01 <= code <= 2024-12-31)", "code", "p.asa:2:22"),
        ("n = count(delay between 1 and 2024-12-31)", "delay", "p.asa:1:17"),
        ("n = count(delay in [2024-12-31])", "delay", "p.asa:1:17"),
        ("age = 2024-01-31 - code", "code", "p.asa:1:18"),
        ("late = delay + 3\nn = count(late > 2024-01-31)", "delay", "p.asa:2:16"),
        ("y = year(code)", "code", "p.asa:1:5"),
        ("n = count(day > code)", "code", "p.asa:1:15"),
        ("n = count(delay == due)", "delay", "p.asa:1:17"),
        ("d = min(day, due, code)", "code", "p.asa:1:5"),
        ("x = day + 7\nn = count(between(delay, x, due))", "delay", "p.asa:2:11"),
    ] {
        let says = [line, &format!("column `{column}` is whole, where dates are needed")];
        place(program).refuses("run p.asa --data d.csv", 2, &says);
    }
    for (program, line) in [
        ("n = count(day >= 20240131)", "p.asa:1:15"),
        ("n = count(day == 20240131)", "p.asa:1:15"),
        ("n = countif(day, '>=20240131')", "p.asa:1:18"),
        ("n = count(due in [1, 2])", "p.asa:1:15"),
        ("d = clip(day, 5, 10)", "p.asa:1:5"),
        ("d = GREATEST(due, 19000)", "p.asa:1:5"),
        ("next = day + 30\nn = count(next > 5)", "p.asa:2:16"),
    ] {
        let says = [line, "is of dates, and compared with a number", ">= 2026-11-23`"];
        place(program).refuses("run p.asa --data d.csv", 2, &says);
    }
    let says = ["`day >= 2026-11-23`, or `count()` for all rows"];
    place("n = count(day)").refuses("run p.asa --data d.csv", 2, &says);
    // Columns of one kind are compared, and advice that is followed.
    assert_eq!(outputs("n = count(due > day)\nm = count(code > pieces)"), json!({"n": [4], "m": [4]}));
    assert_eq!(outputs("n = count(day - 2024-01-01 > 29)"), json!({"n": [2]}));
    assert_eq!(outputs("n = count(code >= 19691231)"), json!({"n": [4]}));
}

#[test]
fn years_and_months_are_the_calendars() {
    assert_eq!(
        outputs("n = count(year(day) == 2024)\nm = count(month(due) = 2)"),
        json!({"n": [2], "m": [2]})
    );
    assert_eq!(outputs("n = count(year(day) < 1970 or year(due) in [2026, 1999])"), json!({"n": [2]}));
    assert_eq!(outputs("s = sum(pieces, year(due) == 2024 and month(due) <= 2)"), json!({"s": [16]}));
}
