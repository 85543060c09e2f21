//! What functions mean: values, and the ranges of these.

use asanoha_lang::{
    Program, Range, evaluate_real,
    ops::{self, ENTRIES, Entry},
    ranges,
};
use asanoha_numeric::BinaryFunction;
use asanoha_table::{Column, ColumnValues, Schema, Table};
use num_rational::BigRational;

fn rational(value: i64) -> BigRational {
    BigRational::from_integer(value.into())
}

#[test]
fn ranges_hold_all_values_and_are_tight_for_quotients() {
    let ends = [-7i64, -3, -1, 0, 1, 2, 5];
    let ranges =
        || ends.iter().flat_map(|&lo| ends.iter().filter(move |hi| lo <= **hi).map(move |&hi| (lo, hi)));
    for ((al, ah), (bl, bh)) in ranges().flat_map(|a| ranges().map(move |b| (a, b))) {
        let of = [Range::whole(al, ah).unwrap(), Range::whole(bl, bh).unwrap()];
        for function in BinaryFunction::ALL {
            let range = ops::binary(function).range(&of).unwrap();
            let values: Vec<BigRational> = (al..=ah)
                .flat_map(|a| (bl..=bh).map(move |b| [rational(a), rational(b)]))
                .map(|arguments| ops::binary(function).value(&arguments).unwrap())
                .collect();
            assert!(values.iter().all(|value| range.contains(value)), "{function} on {of:?}");
            if function == BinaryFunction::Quotient {
                let least = values.iter().min().unwrap();
                assert!(range.lo() == least && range.hi() == values.iter().max().unwrap());
            }
        }
    }
}

#[test]
fn values_are_those_of_the_circuits() {
    for (a, b) in (-9..=9).flat_map(|a| (-4..=4).map(move |b| (a, b))) {
        for function in BinaryFunction::ALL {
            let value = ops::binary(function).value(&[rational(a), rational(b)]);
            assert_eq!(value, Some(rational(function.value(a, b))), "{function} of {a} and {b}");
            assert_eq!(ops::binary(function).word(&[a, b]), Some(function.value(a, b)));
            assert_eq!(ops::binary(function).double(&[a as f64, b as f64]), function.value(a, b) as f64);
        }
    }
}

#[test]
fn tables_hold_zero_outside() {
    let table = ops::table(vec![7, -2, 5]);
    for (place, expected) in [(-1, 0), (0, 7), (2, 5), (3, 0), (i64::MIN, 0), (i64::MAX, 0)] {
        assert_eq!(table.value(&[rational(place)]), Some(rational(expected)));
        assert_eq!(table.word(&[place]), Some(expected));
        let is_outside = !(0..3).contains(&place);
        assert_eq!(table.undefined_at(&[rational(place)]), is_outside.then_some(0));
    }
    assert_eq!(table.value(&[BigRational::new(1.into(), 2.into())]), Some(rational(0)));
    assert_eq!(table.range(&[Range::whole(0, 0).unwrap()]), Range::whole(-2, 7));
}

/// On intervals of every magnitude, the range of a smooth function holds its values, and is hardly wider than these.
#[test]
fn ranges_of_smooth_functions_hold_their_values_and_are_tight() {
    let functions = ENTRIES.into_iter().filter_map(Entry::smooth_function).chain([ops::RECIPROCAL]);
    for function in functions {
        let smooth = function.smooth().unwrap();
        for (lo, hi) in [(1e-6, 2e-5), (-8.0, 0.5), (-40.0, -0.25), (0.5, 40.0), (3e2, 1e6), (2.0, 2.0)] {
            let on =
                Range::between(BigRational::from_float(lo).unwrap(), BigRational::from_float(hi).unwrap());
            assert_eq!(function.takes(std::slice::from_ref(&on)).is_none(), smooth.is_defined_on((lo, hi)));
            if !smooth.is_defined_on((lo, hi)) {
                continue;
            }
            let Some(range) = function.range(&[on]) else {
                assert!(!smooth.value(hi).is_finite(), "{smooth:?} on {lo}..{hi}");
                continue;
            };
            let (least, most) = range.to_f64();
            let values: Vec<f64> =
                (0..=100).map(|at| smooth.value(lo + (hi - lo) * f64::from(at) / 100.0)).collect();
            let (low, high) = values
                .iter()
                .fold((f64::MAX, f64::MIN), |(low, high), &value| (low.min(value), high.max(value)));
            assert!(
                least <= low && high <= most,
                "{smooth:?} on {lo}..{hi}: {low}..{high} in {least}..{most}"
            );
            // The range of the tangent is no wider than what it's of, and than 1.
            if smooth.name() == "tanh" {
                continue;
            }
            let slack = 1e-9 * low.abs().max(high.abs()) + f64::MIN_POSITIVE * 2.0;
            assert!(
                low - least <= slack && most - high <= slack,
                "{smooth:?} on {lo}..{hi}: {least}..{most}"
            );
        }
    }
}

#[test]
fn hypotenuses_are_exact_where_they_can_be_and_refused_where_both_sides_may_be_0() {
    let parse = |text: &str| Program::parse(text).unwrap();
    for (text, expected) in
        [("hypot(3, 4)", "5"), ("hypot(-0.3, 0.4)", "1/2"), ("hypot(0, -7)", "7"), ("hypot(0, 0)", "0")]
    {
        assert_eq!(parse(&format!("y = {text}")).constants()[0].value, expected.parse().unwrap(), "{text}");
    }
    assert_eq!(parse("z = hypot(1, 2)"), parse("z = sqrt(5)"));
    assert_eq!(parse("z = hypot(x, y)"), parse("z = sqrt(x * x + y * y)"));
    // Beside 0 it's the magnitude, which is exact and defined at 0.
    assert_eq!(parse("z = hypot(0, x)"), parse("z = abs(x)"));
    assert_eq!(parse("z = hypot(x, y - y)"), parse("z = abs(x + 0 * y)"));

    let column = |name: &str, values| Column { name: name.into(), values: ColumnValues::Real(values) };
    let columns = vec![column("x", vec![3.0, 0.0, -5.0]), column("y", vec![-4.0, 0.0, 12.0])];
    let table = Table { columns, rows: 3 };
    let program = parse("z = hypot(x, y)");
    assert_eq!(evaluate_real(&program, &table).unwrap()[0].1.as_slice(), [5.0, 0.0, 13.0]);
    let schema = Schema::from_table(&table, &[]).unwrap();
    let message = ranges(&program, &schema).unwrap_err().to_string();
    let expected = "line 1, column 5: `hypot` is computed by `sqrt`: `sqrt` takes numbers above 0, and here it can be anything in 0..";
    assert!(message.starts_with(expected), "{message}");
    let range = ranges(&parse("z = hypot(x, 1)"), &schema).unwrap().pop().unwrap();
    assert!(*range.lo() == rational(1) && *range.hi() > rational(8), "{range}");
}

#[test]
fn cube_roots_of_cubes_are_exact_on_either_side_of_zero() {
    let cbrt = ops::entry("cbrt").unwrap().smooth_function().unwrap();
    for (root, divisor) in [(3, 2), (-3, 2), (10, 1), (-1, 7)] {
        let root = BigRational::new(root.into(), divisor.into());
        let cube = &root * &root * &root;
        let range = cbrt.range(&[Range::between(cube.clone(), cube)]).unwrap();
        assert_eq!((range.lo(), range.hi()), (&root, &root));
    }
    let program = Program::parse("y = cbrt(x)").unwrap();
    let column = Column { name: "x".into(), values: ColumnValues::Real(vec![-8.0, 0.0, 27.0]) };
    let table = Table { columns: vec![column], rows: 3 };
    assert_eq!(evaluate_real(&program, &table).unwrap()[0].1.as_slice(), [-2.0, 0.0, 3.0]);
    let schema = Schema::from_table(&table, &[]).unwrap();
    let message = ranges(&program, &schema).unwrap_err().to_string();
    assert!(message.contains("`cbrt` takes numbers on one side of 0"), "{message}");
}

#[test]
fn functions_of_constants_are_exact_where_they_can_be_and_the_others_are_named() {
    let exact = [
        ("sqrt(2.25)", "1.5"),
        ("sqrt(4/9)", "2/3"),
        ("sqrt(0)", "0"),
        ("sqrt(10000000000000000000000000000000000000000)", "100000000000000000000"),
        ("cbrt(-27)", "-3"),
        ("cbrt(8/125)", "0.4"),
        ("exp(0)", "1"),
        ("exp(2 - 2)", "1"),
        ("log(1)", "0"),
        ("tanh(0)", "0"),
        ("sigmoid(0)", "0.5"),
        ("1 / 3", "1/3"),
    ];
    for (text, value) in exact {
        let program = Program::parse(&format!("y = x * 0 + {text}")).unwrap();
        let same = Program::parse(&format!("y = x * 0 + {value}")).unwrap();
        assert_eq!((program.constants(), program.rounded_constants().len()), (same.constants(), 0), "{text}");
    }
    let rounded = |text: &str| -> Vec<(String, Option<f64>)> {
        let program = Program::parse(text).unwrap();
        // They follow from the text, which is printed again as it was.
        let again = Program::parse(&program.to_string()).unwrap();
        assert_eq!(again, program);
        assert_eq!(again.to_string(), program.to_string());
        assert_eq!(again.rounded_constants(), program.rounded_constants());
        program.rounded_constants().clone().into_iter().collect()
    };
    let named = |text: &str, value: f64| (text.to_owned(), Some(value));
    assert_eq!(rounded("y = x * sqrt(2)"), [named("sqrt(2)", 2f64.sqrt())]);
    assert_eq!(rounded("y = x\nz = sqrt(2) * sqrt(2) + exp(-0.5)").len(), 2);
    let root = 5f64.sqrt();
    assert_eq!(
        rounded("y = where(x > cbrt(1/7), exp(sqrt(5)), log(log(3)))"),
        [
            named("cbrt(1/7)", libm::cbrt(1.0 / 7.0)),
            named("exp(2.23606797749979)", libm::exp(root)),
            named(&format!("log({:?})", libm::log(3.0)), libm::log(libm::log(3.0))),
            named("log(3)", libm::log(3.0)),
            named("sqrt(5)", root),
        ]
    );
    // Doubles can't hold these, and would make 0 of them, or infinities.
    for function in ["sqrt", "cbrt", "log"] {
        for power in [-320, -400, 400] {
            let zeros = "0".repeat(usize::try_from(i32::abs(power)).unwrap());
            let constant = if power < 0 { format!("3/1{zeros}") } else { format!("3{zeros}") };
            let error = Program::parse(&format!("y = x * {function}({constant})")).unwrap_err();
            assert!(error.message.contains("has no value in double precision at"), "{}", error.message);
        }
    }
    let tiny = "1".to_owned() + &"0".repeat(400);
    let root = Program::parse(&format!("y = x * 0 + sqrt(1/{tiny})")).unwrap();
    let exact = Program::parse(&format!("y = x * 0 + 1/1{}", "0".repeat(200))).unwrap();
    assert_eq!(root.constants(), exact.constants());
}

/// Programs whose constants are computed from rounded ones in all ways that there are.
#[test]
fn rounded_constants_follow_from_the_text_of_a_program_however_they_are_folded() {
    let list = |text: &str| -> Vec<String> {
        let program = Program::parse(text).unwrap();
        let printed = program.to_string();
        let again = Program::parse(&printed).unwrap();
        assert_eq!(again, program, "{text}: {printed}");
        assert_eq!(again.to_string(), printed, "{text}");
        assert_eq!(again.rounded_constants(), program.rounded_constants(), "{text}: {printed}");
        program.rounded_constants().keys().cloned().collect()
    };
    for text in [
        "y = 2 * exp(1) * x + 1",
        "y = x * exp(1) / 3 - 0.5",
        "y = (x + exp(1)) * 3 + (x - exp(1))",
        "y = x - exp(1)",
        "y = exp(1) - x",
        "y = x / exp(1)",
        "y = 3 / (x + exp(1))",
        "y = x * exp(1)**3",
        "y = (x * exp(1) + 2) * (-exp(1))",
        "y = x > exp(1)",
        "y = 2 * x - exp(1) > 3 * z + exp(1) / 2",
        "y = 2 * x * exp(1) == z + 5",
        "y = min(x, exp(1)) + where(x > 1, exp(1), 2)",
        "y = abs(-exp(1)) * x",
        "y = mean(x) * exp(1) + sum(x * exp(1))",
        "y = assume(x, -exp(1), exp(1) + 1) * 2",
        "y = x\nc = exp(1) * exp(1) - 1",
        "y = 0 * x + exp(1)",
        "y = x + floor(exp(1)) + 2 * z",
        "y = x * floor(2 * exp(1) / 2)",
        "y = x * (7 // floor(exp(1)))",
        "y = _a * exp(1)\n_b = 2\nz = `_c0` + exp(1) * _b",
    ] {
        assert_eq!(list(text), ["exp(1)"], "{text}");
    }
    assert_eq!(list("y = x * exp(2 * sqrt(3)) - log(7)"), ["exp(3.4641016151377544)", "log(7)", "sqrt(3)"]);
    // A logarithm of 1000 to the base 10 that is rounded is below 3.
    assert_eq!(list("y = x * floor(log(1000) / log(10))"), ["log(10)", "log(1000)"]);
    assert_eq!(list("y = x * floor(exp(1)) * 2 * exp(1)"), ["exp(1)"]);
    // Nothing is left of these, and constants 0 and 1 have no source.
    for text in ["y = x + 0 * exp(1)", "y = x * (exp(1) - exp(1))", "y = x * (exp(1) < 3)"] {
        assert_eq!(list(text), [""; 0], "{text}");
    }
    // The same sums, however often they're doubled, take a line each.
    let doubled: Vec<String> = (1..60).map(|k| format!("_d{k} = _d{} + _d{}\n", k - 1, k - 1)).collect();
    let doubled = doubled.concat();
    let text = format!("_d0 = log(3)\n{doubled}y = x * _d59");
    assert_eq!(list(&text), ["log(3)"]);
    assert!(Program::parse(&text).unwrap().to_string().len() < 5000);
}

#[test]
fn a_file_that_states_other_rounded_constants_than_its_program_has_is_refused() {
    let with = |text: &str, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        Program::parse(text).unwrap().with_rounded_constants(&names)
    };
    let text = Program::parse("y = x * exp(2) + sqrt(3) * 2").unwrap().to_string();
    let both = with(&text, &["exp(2)", "sqrt(3)"]).unwrap();
    assert_eq!(both.rounded_constants()["exp(2)"], Some(libm::exp(2.0)));
    let edited: [&[&str]; 7] = [
        &["exp(1)", "sqrt(3)"],
        &["exp(2)"],
        &["sqrt(3)"],
        &[],
        &["exp(2)", "log(5)", "sqrt(3)"],
        &["exp(2)", "sqrt(3) "],
        &["exp(2)", "sqrt(5)"],
    ];
    for names in edited {
        let refused = with(&text, names).unwrap_err();
        assert!(refused.contains("its program has exp(2), sqrt(3)"), "{names:?}: {refused}");
    }
    // Texts of former versions have the numbers alone. One that isn't among them is told without a number.
    let text = format!("y = x * {:?} + {:?}", libm::exp(2.0), 2.0 * 3f64.sqrt());
    for names in [&["exp(2)"][..], &["exp(1)", "exp(2)", "sqrt(3)"]] {
        let kept = with(&text, names).unwrap();
        let told: Vec<_> =
            names.iter().map(|&name| (name, (name == "exp(2)").then(|| libm::exp(2.0)))).collect();
        let numbers = kept.rounded_constants().iter().map(|(name, number)| (name.as_str(), *number));
        assert_eq!(numbers.collect::<Vec<_>>(), told);
        assert_eq!(kept.to_string(), Program::parse(&text).unwrap().to_string());
    }
    for name in
        ["sqrt(4)", "x", "sqrt(2)\nd = x", "sqrt(2) ", "2", "", "sqrt(x)", "ln(2)", "sqrt(2) + 1", "sqrt(-1)"]
    {
        let refused = with(&text, &["exp(2)", name]).unwrap_err();
        assert!(refused.starts_with(&format!("{name:?} is no function")), "{name}: {refused}");
    }
}
