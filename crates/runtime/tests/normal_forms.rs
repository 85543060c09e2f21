//! Programs that are written in several ways and are one: comparisons in normal form, and constants that are folded.

use asanoha_runtime::{
    data::{Schema, read_csv},
    plan::{PlanOptions, SchemeName, choose},
    program::{Program, Values, evaluate_exact, first_undefined},
};
use num_rational::BigRational;

use crate::oracle;

fn program(text: &str) -> Program {
    Program::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn comparisons_of_equal_sums_are_one_program() {
    for operator in ["<", "<=", ">", ">=", "==", "!="] {
        for (a, b, normal) in [
            ("x - a", "5", ["x", "a + 5"]),
            ("x - 5", "a", ["x", "a + 5"]),
            ("x + 5", "a + 10", ["x", "a + 5"]),
            ("2 * x - 2 * a", "10", ["x", "a + 5"]),
            ("x - a + b - b", "5", ["x", "a + 5"]),
            ("3 * (x - a) - x", "x - a + (x - 2 * a) + 5", ["0", "5"]),
            ("-x", "-a - 5", ["a + 5", "x"]),
            ("6 * x", "18", ["x", "3"]),
            ("0", "x + 3", ["-3", "x"]),
            ("x + a", "b - a + 3", ["x + 2 * a", "b + 3"]),
        ] {
            for frame in [
                |a: &str, o, b: &str| format!("f = x + ({a} {o} {b})"),
                |a: &str, o, b: &str| format!("f = where({a} {o} {b}, x, y)"),
            ] {
                let written = program(&frame(a, operator, b));
                assert_eq!(written, program(&frame(normal[0], operator, normal[1])), "{a} {operator} {b}");
                assert_eq!(program(&written.to_string()), written, "{a} {operator} {b}");
            }
        }
    }
}

#[test]
fn wide_columns_are_compared_whatever_side_their_terms_stand_on() {
    let csv = "x,a\n60000,59995\n100,7\n5,0\n0,65535\n";
    let expected = [1i64, 0, 1, 0].map(|bit| BigRational::from_integer(bit.into()));
    let plan = |text: &str| {
        let program = program(text);
        let table = read_csv(csv.as_bytes(), "d.csv", program.input_names()).unwrap();
        let schema = Schema::from_table(&table, &[]).unwrap();
        let options = PlanOptions { scheme: Some(SchemeName::Bgv), threads: 1, ..PlanOptions::default() };
        let choice = choose(&program, &schema, &options).unwrap();
        let plan = choice.into_plan(&options).unwrap_or_else(|error| panic!("{text}: {error}"));
        let found = evaluate_exact(&program, &table).unwrap().unwrap();
        assert_eq!(found[0].1.as_slice(), expected, "{text}");
        plan
    };
    let one = plan("f = (x - a) == 5");
    for text in ["f = x == a + 5", "f = x - 5 == a", "f = 2 * x == 2 * (a + 5)"] {
        assert_eq!(plan(text).circuit, one.circuit, "{text}");
    }
}

#[test]
fn constants_are_folded_and_may_be_outputs() {
    let text = "a = 2 + 3\nb = x - x\nc = 0 * x + 1/3\nd = sigmoid(0.5)\ne = abs(-3)\nf = where(1 < 2, 7, x)\n\
                g = x < x + 1\nh = mean(x - x)\ni = x**0\nj = sqrt(2.25) + log(1)\nk = x + where(x > x, 5, 6)\n\
                l = x + sqrt(5)";
    let (parsed, csv) = (program(text), "x\n3\n-4\n");
    assert_eq!(program(&parsed.to_string()), parsed);
    let table = read_csv(csv.as_bytes(), "d.csv", parsed.input_names()).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    let number = |p: i64, q: i64| Values::Number(BigRational::new(p.into(), q.into()));
    let column = |p: i64, q: i64| Values::Column(vec![BigRational::new(p.into(), q.into()); 2]);
    let sigmoid = BigRational::new(6_224_593_312_018_546i64.into(), 10i64.pow(16).into());
    let root = |whole: i64| {
        BigRational::new((whole * 10i64.pow(14) + 223_606_797_749_979).into(), 10i64.pow(14).into())
    };
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks, SchemeName::Tfhe] {
        let options = PlanOptions { scheme: Some(scheme), threads: 1, ..PlanOptions::default() };
        let plan = choose(&parsed, &schema, &options).unwrap().into_plan(&options).unwrap();
        let decrypted = oracle::run(&plan, &table, 1);
        assert_eq!(oracle::wrong(&plan, &table, options.precision, &decrypted), None);
        let Some(exact) = decrypted.exact else { continue };
        let of = |name: &str| exact.iter().find(|(it, _)| it == name).unwrap().1.clone();
        assert_eq!([of("a"), of("b"), of("c")], [number(5, 1), column(0, 1), column(1, 3)]);
        assert_eq!([of("d"), of("e")], [Values::Number(sigmoid.clone()), number(3, 1)]);
        assert_eq!([of("f"), of("g")], [column(7, 1), column(1, 1)]);
        assert_eq!([of("h"), of("i"), of("j")], [number(0, 1), column(1, 1), number(3, 2)]);
        assert_eq!(of("l").as_slice(), [root(3), root(-4)]);
        assert_eq!(of("k").as_slice(), [9i64, 2].map(|value| BigRational::from_integer(value.into())));
    }
}

#[test]
fn what_may_be_undefined_is_not_folded_away() {
    for text in [
        "c = (x - x) / y",
        "c = 0 * (x // y)",
        "c = 0 * (x % y)",
        "c = (1 / x) ** 0",
        "c = table(x, [1, 2]) - table(x, [1, 2])",
        "c = sum(0 * log(x))",
        "c = dot(x - x, sqrt(y))",
        "c = where(x // y > 1, 5, 5)",
        "c = x // y == x // y",
        "c = x % y <= x % y + 1",
    ] {
        let error = Program::parse(text).unwrap_err();
        assert!(error.message.contains("only where `"), "{text}: {}", error.message);
    }
    for text in ["c = (x - x) / 3", "c = 0 * (x // 3)", "c = where(1 < 2, 7, x // y)", "c = 0 * exp(x)"] {
        assert_eq!(program(text).nodes().len(), 0, "{text}");
    }
    // A row without a value is still found.
    for text in ["c = x // y + x == x // y + 3", "c = where(1 < 2, x // y, 7)", "c = x * (x // y) > 2"] {
        let parsed = program(text);
        assert!(parsed.to_string().contains("//"), "{text}: {parsed}");
        let table = read_csv(&b"x,y\n3,2\n-4,0\n"[..], "d.csv", &["x", "y"]).unwrap();
        assert_eq!(first_undefined(&parsed, &table, false).unwrap().map(|it| it.row), Some(2), "{text}");
    }
}

#[test]
fn a_fraction_of_a_sum_meets_the_other_terms_once_it_is_whole() {
    for (text, same) in [
        ("c = 5 * x + 0.5 == 0.5 * (w + x)", "c = 9 * x + 1 == w"),
        ("c = (x + w) / 3 - x / 3 != w / 3 + 2", "c = x - x != 2 * (x - x) + 6"),
        ("c = (x - (w + v) / 2) / 5 == v / 10", "c = 2 * x == w + 2 * v"),
        ("c = 4 * x * 0.25 < 2 * (0.5 * (x + w))", "c = 0 < w"),
    ] {
        let parsed = program(text);
        let printed = parsed.to_string();
        assert_eq!(program(&printed), parsed, "{text}: {printed}");
        let table =
            read_csv(&b"x,w,v\n3,28,1\n0,1,2\n-4,0,-4\n5,-6,8\n"[..], "d.csv", &["x", "w", "v"]).unwrap();
        let values = |program: &Program| evaluate_exact(program, &table).unwrap().unwrap()[0].1.clone();
        assert_eq!(values(&parsed), values(&program(same)), "{text}");
    }
}

#[test]
fn a_reciprocal_of_what_is_always_the_same_is_the_fraction_itself() {
    let parsed = program("a = 1/(5 + 2*(v > v))\nb = 3/(7 - (v == v)*10)");
    let table = read_csv(&b"v\n3\n-4\n"[..], "d.csv", parsed.input_names()).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    let options = PlanOptions { threads: 1, ..PlanOptions::default() };
    let plan = choose(&parsed, &schema, &options).unwrap().into_plan(&options).unwrap();
    let exact = oracle::run(&plan, &table, 1).exact.expect("constants are exact");
    let column = |p: i64, q: i64| Values::Column(vec![BigRational::new(p.into(), q.into()); 2]);
    assert_eq!([&exact[0].1, &exact[1].1], [&column(1, 5), &column(-1, 1)]);
}

#[test]
fn programs_of_nothing_but_constants_run() {
    let parsed = program("a = 0 * x + 2\nb = exp(0)");
    let table = read_csv(&b"x\n3\n-4\n"[..], "d.csv", parsed.input_names()).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    for scheme in [None, Some(SchemeName::Bfv), Some(SchemeName::Ckks), Some(SchemeName::Tfhe)] {
        let options = PlanOptions { scheme, threads: 1, ..PlanOptions::default() };
        let plan = choose(&parsed, &schema, &options).unwrap().into_plan(&options).unwrap();
        let decrypted = oracle::run(&plan, &table, 1);
        let found: Vec<&[f64]> = decrypted.outputs.iter().map(|(_, values)| values.as_slice()).collect();
        assert_eq!(found, [&[2.0, 2.0][..], &[1.0]]);
    }
}

#[test]
fn a_choice_between_equal_constants_is_the_constant() {
    for (choice, constant) in [
        ("where(x > 1, 5, 5)", "5"),
        ("where(x > 1, 1/3, 2/6)", "1/3"),
        ("(x > 1 and x > x)", "0"),
        ("(x > 1 or x == x)", "1"),
    ] {
        assert_eq!(
            program(&format!("a = x + {choice}")),
            program(&format!("a = x + {constant}")),
            "{choice}"
        );
    }
}
