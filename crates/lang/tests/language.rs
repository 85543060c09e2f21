//! What programs mean: precedence, exactness, folding, printing.

use asanoha_lang::{
    BuildError, Node, Program, ProgramBuilder, Range, Shape, Term, Values, evaluate_exact, evaluate_real,
    first_undefined,
    ops::{self, CallError, ENTRIES, Entry, Lowered, Passed},
    ranges,
};
use asanoha_numeric::BinaryFunction;
use asanoha_table::advice::{Advice, Advised};
use asanoha_table::{Column, ColumnValues, Schema, Table};
use num_rational::BigRational;

fn whole(name: &str, values: &[i64]) -> Column {
    Column { name: name.into(), values: ColumnValues::Whole(values.to_vec()) }
}

fn table() -> Table {
    Table { columns: vec![whole("x", &[3, -2, 5]), whole("y", &[1, 4, -7])], rows: 3 }
}

fn rational(p: i64, q: i64) -> BigRational {
    BigRational::new(p.into(), q.into())
}

/// The value of `expression` in the first row, where x = 3 and y = 1.
fn first(expression: &str) -> BigRational {
    let program =
        Program::parse(&format!("z = {expression}")).unwrap_or_else(|e| panic!("{expression}: {e}"));
    let outputs = evaluate_exact(&program, &table()).unwrap().unwrap();
    outputs[0].1.as_slice()[0].clone()
}

#[test]
fn operators_bind_as_in_python() {
    for (expression, p, q) in [
        ("-x**2", -9, 1),
        ("(-x)**2", 9, 1),
        ("2*x**2", 18, 1),
        ("x**2**3", 6561, 1),
        ("(x**2)**3", 729, 1),
        ("x - y - 1", 1, 1),
        ("x - (y - 1)", 3, 1),
        ("x / 2 / 3", 1, 2),
        ("x * 12 / 2 * 3", 54, 1),
        ("1 + x * 2", 7, 1),
        ("--x", 3, 1),
        ("+-+x", -3, 1),
        ("x - -y", 4, 1),
        ("x*-2", -6, 1),
        ("x + 2**-1", 7, 2),
        ("x + -2**-1", 5, 2),
        ("x + 10**-3*1_000", 4, 1),
        ("x**0 + y", 2, 1),
        ("x * 0.1", 3, 10),
        ("x + 1e-3", 3001, 1000),
        ("x**(1+1)", 9, 1),
        ("-x // 2 * 2", -4, 1),
        ("-x % 2 + x // 2", 2, 1),
        ("7 // x % 2 + y", 1, 1),
        ("(x < y) - (x >= 3)", -1, 1),
        ("(x == 3) + (x != y) * 2", 3, 1),
        ("where(x > y, y - 5, x)", -4, 1),
        ("where(x - 3, 7, -x)", -3, 1),
        ("max(x, y, 2) - min(x, y, 2)", 2, 1),
        ("abs(y - x)", 2, 1),
        ("table(x, [4, 5, 6, -7])", -7, 1),
        ("table2(y, x - 1, [[0, 0, 0], [1, 2, 3]])", 3, 1),
        ("x // (y - 1) + 10 * (x % (y - 1))", 30, 1),
    ] {
        assert_eq!(first(expression), rational(p, q), "{expression}");
    }
}

#[test]
fn row_functions_give_one_number_that_stands_in_every_row() {
    let text = "s = sum(x)\nm = mean(y)\nv = var(x)\nd = dot(x, y)\nc = x - mean(x)\n";
    let program = Program::parse(text).unwrap();
    let outputs = evaluate_exact(&program, &table()).unwrap().unwrap();
    assert_eq!(outputs[0], ("s".into(), Values::Number(rational(6, 1))));
    assert_eq!(outputs[1], ("m".into(), Values::Number(rational(-2, 3))));
    assert_eq!(outputs[2], ("v".into(), Values::Number(rational(26, 3))));
    assert_eq!(outputs[3], ("d".into(), Values::Number(rational(-40, 1))));
    assert_eq!(
        outputs[4],
        ("c".into(), Values::Column(vec![rational(1, 1), rational(-4, 1), rational(3, 1)]))
    );
}

#[test]
fn hidden_names_continuations_comments_and_crlf_are_understood() {
    let text = "\u{feff}# a comment\r\n\r\n_t = (x +   # inside\r\n\t\ty\r\n)\r\nz = _t \\\r\n * 2\r\nw = dot(x,\n y,\n)";
    let program = Program::parse(text).unwrap();
    let names: Vec<_> = program.outputs().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["z", "w"]);
    assert_eq!(program.input_names(), ["x", "y"]);
}

#[test]
fn affine_chains_become_one_scale_and_one_offset() {
    let program = Program::parse("z = -(2 * (3 * (x - 1) + 4) / 6 - 0.5)").unwrap();
    assert_eq!(program.nodes().len(), 3);
    assert!(matches!(program.nodes()[1], Node::Neg(_)));
    assert!(matches!(&program.nodes()[2], Node::Offset(_, c) if *c == rational(1, 6)));
    let identity = Program::parse("z = (x * 4 + 2 - 2) / 4").unwrap();
    assert_eq!(identity.nodes(), [Node::Input("x".into())]);
}

#[test]
fn equal_expressions_are_one_node() {
    let program = Program::parse("a = x * y + y * x\nb = sum(x * x) + sum(x**2)\nc = y * x + x * y").unwrap();
    let products = program.nodes().iter().filter(|node| matches!(node, Node::Mul(..))).count();
    let squares = program.nodes().iter().filter(|node| matches!(node, Node::Power(..))).count();
    assert_eq!((products, squares), (1, 1));
    assert_eq!(program.outputs()[0].1, program.outputs()[2].1);
}

#[test]
fn what_no_output_needs_is_left_out() {
    let program = Program::parse("_unused = y**7\nz = x + 0 * y").unwrap();
    assert_eq!(program.input_names(), ["x"]);
    assert_eq!(program.nodes().len(), 1);
}

#[test]
fn an_output_may_be_a_column_or_another_output() {
    let program = Program::parse("a = x\nb = a\nc = b + y").unwrap();
    assert_eq!(program.outputs()[0].1, program.outputs()[1].1);
    assert_eq!(program.shape(program.outputs()[2].1), Shape::Column);
}

#[test]
fn printing_avoids_the_names_of_columns() {
    let program = Program::parse("z = _1 * __2 + 1/3").unwrap();
    assert_eq!(program.to_string(), "___2 = _1 * __2\n___3 = ___2 + (1/3)\nz = ___3\n");
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program);
}

#[test]
fn a_program_goes_through_json_unchanged() {
    let program = Program::parse("z = sigmoid(0.3 * x - y)**3\nw = mean(z)").unwrap();
    let json = serde_json::to_string(&program).unwrap();
    assert_eq!(serde_json::from_str::<Program>(&json).unwrap(), program);
    assert!(serde_json::from_str::<Program>("\"z = \"").is_err());
}

#[test]
fn exactness_needs_whole_columns_and_no_approximation() {
    let mut data = table();
    data.columns.push(Column { name: "r".into(), values: ColumnValues::Real(vec![0.5, 1.5, 2.0]) });
    let schema = Schema::from_table(&data, &[]).unwrap();
    for (text, exact) in [
        ("z = x * y / 3", true),
        ("z = mean(x)", true),
        ("z = x + r", false),
        ("z = exp(x)", false),
        ("z = sigmoid(x) + y", false),
        ("_r = r\nz = x", true),
    ] {
        let program = Program::parse(text).unwrap();
        assert_eq!(program.is_exact(&schema), exact, "{text}");
        assert_eq!(evaluate_exact(&program, &data).unwrap().is_some(), exact, "{text}");
        assert!(evaluate_real(&program, &data).is_ok());
    }
}

#[test]
fn double_precision_agrees_with_exact_values() {
    let program = Program::parse("a = 0.1 * x**3 - y / 7\nb = var(x) + dot(x, y)\nc = mean(a)").unwrap();
    let exact = evaluate_exact(&program, &table()).unwrap().unwrap();
    let real = evaluate_real(&program, &table()).unwrap();
    for ((name, exact), (_, real)) in exact.iter().zip(&real) {
        for (exact, real) in exact.as_slice().iter().zip(real.as_slice()) {
            let exact = num_traits::ToPrimitive::to_f64(exact).unwrap();
            assert!((exact - real).abs() < 1e-12, "{name}: {exact} {real}");
        }
    }
}

#[test]
fn sums_in_double_precision_do_not_lose_small_values() {
    let mut values = vec![0.1; 1_000_000];
    values.push(1e16);
    let rows = values.len();
    let data = Table { columns: vec![Column { name: "x".into(), values: ColumnValues::Real(values) }], rows };
    let program = Program::parse("z = sum(x)").unwrap();
    let sum = evaluate_real(&program, &data).unwrap()[0].1.as_slice()[0];
    assert_eq!(sum, 1e16 + 100_000.0);
}

#[test]
fn sigmoid_and_exp_are_right_far_from_zero() {
    let data = Table { columns: vec![whole("x", &[-800, 0, 800])], rows: 3 };
    let program = Program::parse("s = sigmoid(x)\ne = exp(x - 800)").unwrap();
    let outputs = evaluate_real(&program, &data).unwrap();
    assert_eq!(outputs[0].1.as_slice(), [0.0, 0.5, 1.0]);
    assert_eq!(outputs[1].1.as_slice(), [0.0, 0.0, 1.0]);
}

#[test]
fn smooth_functions_are_those_of_double_precision_and_print_as_they_are_read() {
    let text =
        "a = log(x)\nb = sqrt(x + y)\nc = tanh(x / 3)\nd = x / y\ne = 2 / x\nf = x**-3\ng = 1 / (x - 100)";
    let program = Program::parse(text).unwrap();
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program);
    let columns = vec![whole("x", &[1, 5, 20]), whole("y", &[7, -2, 3])];
    let found = evaluate_real(&program, &Table { columns, rows: 3 }).unwrap();
    for (row, (x, y)) in [(1.0f64, 7.0), (5.0, -2.0), (20.0, 3.0)].into_iter().enumerate() {
        let expected =
            [x.ln(), (x + y).sqrt(), (x / 3.0).tanh(), x / y, 2.0 / x, x.powi(-3), 1.0 / (x - 100.0)];
        for ((name, found), expected) in found.iter().zip(expected) {
            let found = found.as_slice()[row];
            assert!((found - expected).abs() <= 1e-14 * expected.abs(), "{name}: {found} for {expected}");
        }
    }
}

#[test]
fn comparisons_and_choices_take_fractions_and_print_as_they_are_read() {
    let text = "a = x < 0.5\nb = 2.5 >= y\nc = max(x, 1/3)\nd = min(-0.25, y)\ne = where(x > 0, 0.5, y)\n\
                f = where(x, y, -0.5)\ng = where(x == 3, 0.5, 1.5)\nh = sign(y)\ni = relu(x)\n\
                j = less_than(x, y, 1e-3)\nk = sign(x - 2, 1/8)\nl = x * max(0.5, 0.25)\nm = max(x, 1e30)";
    let program = Program::parse(text).unwrap();
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program);
    let outputs = evaluate_exact(&program, &table()).unwrap().unwrap();
    for (row, (x, y)) in [(3.0f64, 1.0f64), (-2.0, 4.0), (5.0, -7.0)].into_iter().enumerate() {
        let bit = |holds: bool| f64::from(u8::from(holds));
        let signum = |x: f64| bit(x > 0.0) - bit(x < 0.0);
        let expected = [
            bit(x < 0.5),
            bit(y <= 2.5),
            x.max(1.0 / 3.0),
            y.min(-0.25),
            if x > 0.0 { 0.5 } else { y },
            y,
            if x == 3.0 { 0.5 } else { 1.5 },
            signum(y),
            x.max(0.0),
            bit(x < y),
            signum(x - 2.0),
            x * 0.5,
            1e30,
        ];
        for ((name, found), expected) in outputs.iter().zip(expected) {
            let found = num_traits::ToPrimitive::to_f64(&found.as_slice()[row]).unwrap();
            assert_eq!(found, expected, "{name} of {x} and {y}");
        }
    }
}

#[test]
fn divisions_by_constants_stay_exact() {
    let program = Program::parse("a = x / 4 + 1/3\nb = (1/4) * x\nc = x * 2**-3").unwrap();
    assert!(program.nodes().iter().all(|node| !node.is_approximate()));
    let quarter = BigRational::new(1.into(), 4.into());
    assert!(program.nodes().iter().any(|node| matches!(node, Node::Scale(_, k) if *k == quarter)));
}

#[test]
fn ranges_of_smooth_functions_hold_their_values_and_little_else() {
    let function = |name: &str, argument: &str| {
        let program = Program::parse(&format!("z = {name}({argument})")).unwrap();
        move |lo: f64, hi: f64| {
            let column = Column { name: "x".into(), values: ColumnValues::Real(vec![lo, hi]) };
            let mut schema = Schema::from_table(&Table { columns: vec![column], rows: 2 }, &[]).unwrap();
            let end = |end: f64| BigRational::from_float(end).unwrap();
            schema.columns[0].range = Range::new(end(lo), end(hi)).unwrap();
            ranges(&program, &schema).unwrap().last().unwrap().to_f64()
        }
    };
    let ends = [1e-300, 1e-9, 0.3, 1.0, 4.0, 7.5, 1e6, 1e300];
    for (name, value) in [
        ("log", f64::ln as fn(f64) -> f64),
        ("sqrt", f64::sqrt),
        ("tanh", f64::tanh),
        ("1/", |x| 1.0 / x),
        ("1/", |x| 1.0 / -x),
    ] {
        let negated = value(1.0) == -1.0;
        let range = function(name, if negated { "-x" } else { "x" });
        for (at, &lo) in ends.iter().enumerate() {
            for &hi in &ends[at..] {
                let (found_lo, found_hi) = range(lo, hi);
                let (least, most) = (value(lo).min(value(hi)), value(lo).max(value(hi)));
                let slack = 1e-13 * least.abs().max(most.abs()).max(1e-300);
                assert!(found_lo <= least + slack && found_hi >= most - slack, "{name} on [{lo}, {hi}]");
                // Near 1 the logarithm is rounded as double precision rounds 1; the tangent is bounded by x and 1.
                let slack = slack
                    + match name {
                        "log" => 1e-12,
                        "tanh" => (lo.min(1.0) - value(lo)).max(hi.min(1.0) - value(hi)),
                        _ => 0.0,
                    };
                assert!(least - found_lo <= slack && found_hi - most <= slack, "{name} on [{lo}, {hi}]");
            }
        }
    }
    // Roots of squares have exact ranges.
    assert_eq!(function("sqrt", "x")(4.0, 256.0), (2.0, 16.0));
}

#[test]
fn functions_outside_of_their_domain_are_refused_with_the_range() {
    let schema = Schema::from_table(&table(), &[]).unwrap();
    let x = schema.column("x").unwrap().range.to_string();
    for (text, message) in [
        ("z = 1 / x", format!("a divisor must not be 0, and here column `x` can be anything in {x}: ")),
        ("z = y / (x * x)", "a divisor must not be 0, and here it can be anything in 0..".to_owned()),
        ("z = x ** -2", format!("a divisor must not be 0, and here column `x` can be anything in {x}: ")),
        ("z = log(x)", format!("`log` takes numbers above 0, and here column `x` can be anything in {x}: ")),
        (
            "z = exp(sqrt(var(x)))",
            "`sqrt` takes numbers above 0, and here it can be anything in 0..".to_owned(),
        ),
        ("z = log(exp(x) - 1)", "`log` takes numbers above 0, and here it can be anything in -".to_owned()),
    ] {
        let error = ranges(&Program::parse(text).unwrap(), &schema).unwrap_err();
        assert!(error.to_string().contains(message.trim_end_matches([':', ' '])), "{text}: {error}");
        assert_eq!(error.advice(), [Advice::NarrowRanges, Advice::Offset]);
    }
    ranges(
        &Program::parse("z = exp(sqrt(var(x) + 0.01)) + log(1.5 + tanh(x)) + 1 / (x * x + 1)").unwrap(),
        &schema,
    )
    .unwrap();
}

fn column(name: &str) -> Column {
    Column { name: name.to_owned(), values: ColumnValues::Whole(vec![1]) }
}

#[test]
fn missing_columns_are_named_with_those_there_are() {
    let program = Program::parse("z = bmi + x").unwrap();
    let message = "the program reads a column `bmi`, which the data don't have; there are x, y";
    assert_eq!(evaluate_real(&program, &table()).unwrap_err().to_string(), message);
    let schema = Schema::from_table(&table(), &[]).unwrap();
    assert_eq!(ranges(&program, &schema).unwrap_err().to_string(), format!("line 1, column 5: {message}"));
    let table = Table { columns: vec![column("Body Mass"), column("age")], rows: 1 };
    for (name, meant) in [("body_mass", "Body Mass"), ("agee", "age"), ("aeg", "age")] {
        let program = Program::parse(&format!("z = {name}")).unwrap();
        let message = evaluate_real(&program, &table).unwrap_err().to_string();
        assert!(message.ends_with(&format!("did you mean {meant:?}? There are Body Mass, age")), "{message}");
    }
}

#[test]
fn the_builder_makes_the_program_that_the_text_makes() {
    let mut builder = ProgramBuilder::new();
    let x = builder.input("x").unwrap();
    let two = builder.integer(2).unwrap();
    let doubled = builder.mul(two, x).unwrap();
    let squared = ops::power(&mut builder, doubled, two).unwrap();
    let mean = builder.mean(squared).unwrap();
    builder.output("m", mean).unwrap();
    assert_eq!(builder.finish().unwrap(), Program::parse("m = mean((x * 2)**2)").unwrap());
}

#[test]
fn the_builder_refuses_what_could_not_be_printed() {
    let mut builder = ProgramBuilder::new();
    let x = builder.input("x").unwrap();
    for name in ["", " a", "a ", "a`b", "a\nb", &"x".repeat(5000)] {
        assert!(matches!(builder.input(name), Err(BuildError::BadColumn { .. })), "{name:?}");
    }
    assert!(builder.clone().output("sum", x).is_ok());
    assert!(matches!(builder.output("lambda", x), Err(BuildError::ReservedName { .. })));
    assert!(matches!(builder.output("a b", x), Err(BuildError::BadName { .. })));
    assert!(matches!(builder.output("_z", x), Err(BuildError::HiddenOutput { .. })));
    assert!(matches!(builder.clone().finish(), Err(BuildError::NoOutputs)));
    builder.output("z", x).unwrap();
    assert!(matches!(builder.output("z", x), Err(BuildError::DuplicateOutput { .. })));
    builder.output("x", x).unwrap();
    assert!(matches!(builder.finish(), Err(BuildError::OutputIsInput { .. })));
}

/// An operation of a builder on terms, as many as it takes.
type Operation = (usize, fn(&mut ProgramBuilder, [Term; 3]) -> Result<(), BuildError>);

/// The operations that aren't called by a name.
const OPERATIONS: &[Operation] = &[
    (2, |b, [x, y, _]| b.add(x, y).map(drop)),
    (2, |b, [x, y, _]| b.sub(x, y).map(drop)),
    (1, |b, [x, ..]| b.neg(x).map(drop)),
    (2, |b, [x, y, _]| b.mul(x, y).map(drop)),
    (2, |b, [x, y, _]| ops::div(b, x, y).map(drop)),
    (1, |b, [x, ..]| b.integer(3).and_then(|three| ops::power(b, x, three)).map(drop)),
    (1, |b, [x, ..]| b.input("x").and_then(|base| ops::power(b, base, x)).map(drop)),
    (1, |b, [x, ..]| b.power_whole(x, 3).map(drop)),
    (1, |b, [x, ..]| b.output("z", x)),
    (1, |b, [x, ..]| ops::category(b, x, "north", true).map(drop)),
    (2, |b, [x, y, _]| ops::both(b, x, y).map(drop)),
    (2, |b, [x, y, _]| ops::either(b, x, y).map(drop)),
    (1, |b, [x, ..]| ops::neither(b, x).map(drop)),
    (2, |b, [x, y, _]| ops::apply(b, ops::binary(BinaryFunction::Less), &[x, y]).map(drop)),
    (2, |b, [x, y, _]| ops::apply(b, ops::binary(BinaryFunction::Quotient), &[x, y]).map(drop)),
    (1, |b, [x, ..]| ops::apply(b, ops::table(vec![1, 2]), &[x]).map(drop)),
    (1, |b, [x, ..]| b.quantile(x, &rational(1, 2)).map(drop)),
];

/// A call of a function of the language with values and lists of them, at least three arguments, where it takes so many.
fn called(
    builder: &mut ProgramBuilder,
    entry: &Entry,
    given: [Term; 3],
    lists: bool,
) -> Result<(), BuildError> {
    let count = entry.arguments.0.max(entry.arguments.1.min(3));
    let passed = |at: usize| match Passed::Value(given[at.min(2)]) {
        value if lists && at > 0 => Passed::List(vec![value]),
        value => value,
    };
    match entry.call(builder, (0..count).map(passed).collect()) {
        Ok(Lowered::Finished(unfinished, _)) => builder.finish_output("z", unfinished),
        Ok(_) => Ok(()),
        Err(CallError::Build(error)) => Err(error),
        Err(error) => Err(BuildError::BadConstants {
            function: entry.name,
            wanted: if error.to_string().is_empty() { "" } else { "other arguments" },
        }),
    }
}

/// A builder of the columns `x` and `y` and the constants 1 and 2.
fn four_terms() -> (ProgramBuilder, [Term; 4]) {
    let mut builder = ProgramBuilder::new();
    let (x, y) = (builder.input("x").unwrap(), builder.input("y").unwrap());
    let (one, two) = (builder.integer(1).unwrap(), builder.integer(2).unwrap());
    (builder, [x, y, one, two])
}

#[test]
fn terms_of_another_builder_are_refused_by_every_operation() {
    let (own, terms) = four_terms();
    // As many as there are here, with others of the same places; none; and more than there are.
    let (_, alike) = four_terms();
    let mut longer = own.clone();
    let beyond = longer.input("z").unwrap();
    let mut copy = own.clone();
    let copied = copy.input("w").unwrap();
    let strangers = alike.into_iter().chain([beyond, copied]);
    for foreign in strangers {
        let named = ENTRIES.into_iter().flat_map(|entry| [false, true].map(|lists| (entry, lists)));
        for (entry, lists) in named {
            for place in 0..3 {
                let mut given = [terms[0], terms[2], terms[3]];
                let refused_before = called(&mut own.clone(), entry, given, lists);
                given[place] = foreign;
                let found = called(&mut own.clone(), entry, given, lists);
                let is_unused = place >= entry.arguments.1 || lists && place > 0;
                let is_refused = matches!(found, Err(BuildError::ForeignTerm));
                assert!(
                    is_refused || found == refused_before && (found.is_err() || is_unused),
                    "{}, argument {place}: {found:?}",
                    entry.name
                );
            }
        }
        for (at, (count, operation)) in OPERATIONS.iter().enumerate() {
            for place in 0..*count {
                let mut given = [terms[0], terms[2], terms[3]];
                given[place] = foreign;
                let found = operation(&mut own.clone(), given);
                // Others of its arguments may be refused before it's looked at.
                let refused_before = operation(&mut own.clone(), [terms[0], terms[2], terms[3]]);
                let is_refused = matches!(found, Err(BuildError::ForeignTerm));
                assert!(
                    is_refused || found.is_err() && found == refused_before,
                    "operation {at}, argument {place}: {found:?}"
                );
                assert!(operation(&mut ProgramBuilder::new(), given).is_err(), "operation {at}");
            }
        }
        let mut given = four_terms();
        assert!(matches!(given.0.neg(foreign), Err(BuildError::ForeignTerm)));
    }
    // Copies of a builder take what was there when they were made.
    let sum = longer.add(terms[0], beyond).unwrap();
    longer.output("s", sum).unwrap();
    assert_eq!(longer.finish().unwrap(), Program::parse("s = x + z").unwrap());
    let (mut own, mut other) = (own.clone(), own);
    let unfinished = {
        let (sum, rows) = (own.sum(terms[0]).unwrap(), ops::count(&mut own, terms[1]).unwrap());
        ops::ratio(&mut own, sum, rows).unwrap()
    };
    assert!(matches!(other.finish_output("r", unfinished), Err(BuildError::ForeignTerm)));
}

#[test]
fn functions_print_and_read_back_the_same() {
    let text = "_q = x // -3\n_r = 200 % y\na = where(_q <= _r, _q, 7)\nb = max(min(_q, y), -2)\nc = abs(_q)\n\
                d = table(x, [1, -2])\ne = table2(x, 1, [[1, 2], [3, 4]])\nf = x != y";
    let program = Program::parse(text).unwrap();
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program);
}

#[test]
fn rows_that_only_the_circuits_define_are_found() {
    let undefined = |text: &str, zero_divides| {
        first_undefined(&Program::parse(text).unwrap(), &table(), zero_divides).unwrap()
    };
    assert_eq!(undefined("z = x // y", false), None);
    let found = undefined("z = x // (y - 4)", false).unwrap();
    assert_eq!((found.function, found.row, found.column), ("//", 2, None));
    assert_eq!(undefined("z = x // (y - 4)", true), None);
    let found = undefined("z = table(x, [1, 2, 3, 4])", true).unwrap();
    assert_eq!((found.row, found.column.as_deref(), found.value.as_str()), (2, Some("x"), "-2"));
}

#[test]
fn columns_of_any_name_stand_in_back_quotes() {
    let text = "y = `body mass` * 2 + `kg/m²` - `sum` + `if` + ` age `\nz = sum(`body mass` > age)\n";
    let program = Program::parse(text).unwrap();
    let names: Vec<&str> = program.input_names().iter().map(AsRef::as_ref).collect();
    assert_eq!(names, ["body mass", "kg/m²", "sum", "if", "age"]);
    // Printing and reading again changes nothing.
    let printed = program.to_string();
    assert_eq!(Program::parse(&printed).unwrap(), program);
    assert!(printed.contains("`body mass`") && printed.contains("`kg/m²`") && printed.contains("`sum`"));
    assert!(printed.contains(" age") && !printed.contains("`age`"));

    for (text, part) in [
        ("y = `a", "isn't closed"),
        ("y = `a\nb`", "isn't closed"),
        ("y = ``", "a column's name has"),
        ("y = `  `", "a column's name has"),
        ("y = `a\u{7}b`", "a column's name has"),
        ("`a b` = 3", "a name was expected"),
        ("y = `a` `b`", "an operator or the end"),
        ("a = x\ny = `a`", "was assigned"),
        ("y = `f`(3)", "an operator or the end"),
    ] {
        let message = Program::parse(text).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
    // A column that is used can't be assigned afterwards, however it's written.
    assert!(Program::parse("y = `a`\na = 3").is_err() == Program::parse("y = a\na = 3").is_err());
}
