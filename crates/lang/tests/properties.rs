//! Random programs against an evaluator that folds nothing.

use asanoha_lang::{Program, Values, evaluate_exact, evaluate_real, ranges};
use asanoha_table::{Column, ColumnValues, Schema, Table};
use num_rational::BigRational;
use num_traits::{One, Pow, Zero};
use proptest::prelude::*;

/// An expression as it would be written.
#[derive(Debug, Clone)]
enum Written {
    Column(usize),
    Constant(i64, u32),
    Binary(char, Box<Written>, Box<Written>),
    Negated(Box<Written>),
    Not(Box<Written>),
    Floor(Box<Written>),
    Power(Box<Written>, u32),
    Call(&'static str, Vec<Written>),
}

fn truth(holds: bool) -> BigRational {
    if holds { BigRational::one() } else { BigRational::zero() }
}

const COLUMNS: [&str; 3] = ["x", "y", "w"];

impl Written {
    fn text(&self) -> String {
        match self {
            Self::Column(index) => COLUMNS[*index].to_owned(),
            Self::Constant(mantissa, places) => format!("({mantissa}e-{places})"),
            Self::Binary(operator, a, b) => {
                let operator = match operator {
                    '=' => "==",
                    '&' => "and",
                    '|' => "or",
                    other => &other.to_string(),
                };
                format!("({} {operator} {})", a.text(), b.text())
            }
            Self::Not(a) => format!("(not {})", a.text()),
            Self::Floor(a) => format!("floor({})", a.text()),
            Self::Negated(a) => format!("(-{})", a.text()),
            Self::Power(a, exponent) => format!("({}**{exponent})", a.text()),
            Self::Call(name, arguments) => {
                format!("{name}({})", arguments.iter().map(Self::text).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The value, or `None` when a row function is given no column.
    fn value(&self, table: &[Vec<i64>]) -> Option<Naive> {
        Some(match self {
            Self::Column(index) => {
                Naive::Column(table[*index].iter().map(|&v| BigRational::from_integer(v.into())).collect())
            }
            Self::Constant(mantissa, places) => {
                Naive::Constant(BigRational::new((*mantissa).into(), 10u64.pow(*places).into()))
            }
            Self::Binary(operator, a, b) => a.value(table)?.zip(b.value(table)?, |a, b| match operator {
                '+' => a + b,
                '-' => a - b,
                '<' => truth(a < b),
                '=' => truth(a == b),
                '&' => truth(!a.is_zero() && !b.is_zero()),
                '|' => truth(!a.is_zero() || !b.is_zero()),
                _ => a * b,
            }),
            Self::Not(a) => a.value(table)?.map(|a| truth(a.is_zero())),
            Self::Floor(a) => a.value(table)?.map(|a| a.floor()),
            Self::Negated(a) => a.value(table)?.map(|a| -a),
            Self::Power(a, exponent) => a.value(table)?.map(|a| Pow::pow(a, *exponent)),
            Self::Call(name, arguments) => {
                let columns = arguments
                    .iter()
                    .map(|argument| match argument.value(table)? {
                        Naive::Column(values) => Some(values),
                        _ => None,
                    })
                    .collect::<Option<Vec<_>>>()?;
                let count = BigRational::from_integer(columns[0].len().into());
                let sum = |values: &[BigRational]| values.iter().fold(BigRational::zero(), |a, b| a + b);
                let mean = sum(&columns[0]) / &count;
                Naive::Number(match *name {
                    "sum" => sum(&columns[0]),
                    "mean" => mean,
                    "var" => {
                        let squares: Vec<_> = columns[0].iter().map(|v| v * v).collect();
                        sum(&squares) / &count - &mean * &mean
                    }
                    _ => columns[0]
                        .iter()
                        .zip(&columns[1])
                        .fold(BigRational::zero(), |sum, (a, b)| sum + a * b),
                })
            }
        })
    }
}

#[derive(Debug, Clone)]
enum Naive {
    Constant(BigRational),
    Number(BigRational),
    Column(Vec<BigRational>),
}

impl Naive {
    fn map(self, f: impl Fn(BigRational) -> BigRational) -> Self {
        match self {
            Self::Constant(a) => Self::Constant(f(a)),
            Self::Number(a) => Self::Number(f(a)),
            Self::Column(a) => Self::Column(a.into_iter().map(f).collect()),
        }
    }

    fn zip(self, other: Self, f: impl Fn(BigRational, BigRational) -> BigRational) -> Self {
        match (self, other) {
            (Self::Column(a), Self::Column(b)) => {
                Self::Column(a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect())
            }
            (a, Self::Constant(b) | Self::Number(b)) if matches!(a, Self::Column(_)) => {
                a.map(|a| f(a, b.clone()))
            }
            (Self::Constant(a) | Self::Number(a), b) if !matches!(b, Self::Constant(_)) => {
                b.map(|b| f(a.clone(), b))
            }
            (a, Self::Constant(b) | Self::Number(b)) => a.map(|a| f(a, b.clone())),
            (a, _) => a,
        }
    }
}

fn written() -> impl Strategy<Value = Written> {
    let leaf = prop_oneof![
        4 => (0..COLUMNS.len()).prop_map(Written::Column),
        3 => (-3i64..=3, 0u32..=1).prop_map(|(mantissa, places)| Written::Constant(mantissa, places)),
    ];
    leaf.prop_recursive(6, 48, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            6 => (prop::sample::select(vec!['+', '-', '*']), pair.clone())
                .prop_map(|(operator, (a, b))| Written::Binary(operator, Box::new(a), Box::new(b))),
            3 => (prop::sample::select(vec!['<', '=', '&', '|']), pair.clone())
                .prop_map(|(operator, (a, b))| Written::Binary(operator, Box::new(a), Box::new(b))),
            1 => inner.clone().prop_map(|a| Written::Not(Box::new(a))),
            1 => inner.clone().prop_map(|a| Written::Floor(Box::new(a))),
            2 => inner.clone().prop_map(|a| Written::Negated(Box::new(a))),
            1 => (inner.clone(), 0u32..=4).prop_map(|(a, exponent)| Written::Power(Box::new(a), exponent)),
            2 => (prop::sample::select(vec!["sum", "mean", "var"]), inner)
                .prop_map(|(name, a)| Written::Call(name, vec![a])),
            1 => pair.prop_map(|(a, b)| Written::Call("dot", vec![a, b])),
        ]
    })
}

fn columns() -> impl Strategy<Value = Vec<Vec<i64>>> {
    (1usize..5)
        .prop_flat_map(|rows| prop::collection::vec(prop::collection::vec(-9i64..=9, rows), COLUMNS.len()))
}

fn table(columns: &[Vec<i64>]) -> Table {
    let named = COLUMNS.iter().zip(columns);
    let columns: Vec<Column> = named
        .map(|(name, values)| Column {
            name: (*name).to_owned(),
            values: ColumnValues::Whole(values.clone()),
        })
        .collect();
    let rows = columns[0].values.len();
    Table { columns, rows }
}

/// The refusals that a random program may meet rightly.
fn is_rightly_refused(message: &str) -> bool {
    ["takes a column", "is the same for all data"].iter().any(|part| message.contains(part))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_folded_program_has_the_values_of_the_written_one(expression in written(), data in columns()) {
        let text = format!("z = {}", expression.text());
        let expected = expression.value(&data);
        match Program::parse(&text) {
            Err(error) => {
                prop_assert!(is_rightly_refused(&error.message), "{}: {}", text, error);
                if error.message.contains("takes a column") {
                    prop_assert!(expected.is_none());
                }
            }
            Ok(program) => {
                let outputs = evaluate_exact(&program, &table(&data)).unwrap().unwrap();
                match (expected, &outputs[0].1) {
                    (Some(Naive::Column(expected)), Values::Column(found)) => prop_assert_eq!(&expected, found),
                    (Some(Naive::Number(expected)), Values::Number(found)) => prop_assert_eq!(&expected, found),
                    (Some(Naive::Constant(expected)), Values::Number(found)) => prop_assert_eq!(&expected, found),
                    (expected, found) => prop_assert!(false, "{}: {:?} is not {:?}", text, found, expected),
                }
            }
        }
    }

    #[test]
    fn a_printed_program_reads_back_the_same(a in written(), b in written(), c in written()) {
        let text = format!("_a = {}\nb = {} + _a\nc = {} * b", a.text(), b.text(), c.text());
        if let Ok(program) = Program::parse(&text) {
            let printed = program.to_string();
            prop_assert_eq!(Program::parse(&printed).map_err(|error| error.render(&printed)), Ok(program));
        }
    }

    #[test]
    fn a_node_stands_in_the_promised_form(a in written(), b in written()) {
        use asanoha_lang::Node;
        let text = format!("a = {}\nb = {} - a", a.text(), b.text());
        if let Ok(program) = Program::parse(&text) {
            for (id, node) in program.iter() {
                prop_assert!(node.operands().all(|operand| operand < id));
                let of = |id: &asanoha_lang::NodeId| program.node(*id);
                match node {
                    Node::Scale(a, k) => {
                        prop_assert!(!k.is_zero() && !k.is_one() && !(-k).is_one());
                        prop_assert!(!matches!(of(a), Node::Scale(..) | Node::Offset(..) | Node::Neg(_)));
                    }
                    Node::Neg(a) => prop_assert!(!matches!(of(a), Node::Scale(..) | Node::Offset(..) | Node::Neg(_))),
                    Node::Offset(a, c) => prop_assert!(!c.is_zero() && !matches!(of(a), Node::Offset(..))),
                    Node::Power(_, e) => prop_assert!(*e >= 2),
                    Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => prop_assert!(a != b),
                    _ => {}
                }
            }
            let used = program.use_counts();
            prop_assert!(used.iter().all(|&count| count > 0));
            for (index, node) in program.nodes().iter().enumerate() {
                prop_assert!(!program.nodes()[..index].contains(node));
            }
        }
    }

    #[test]
    fn ranges_hold_every_value(a in written(), b in written(), data in columns()) {
        let text = format!("a = {}\nb = a * {}\nc = a**2 - b", a.text(), b.text());
        if let Ok(program) = Program::parse(&text) {
            let table = table(&data);
            let schema = Schema::from_table(&table, &[]).unwrap();
            let ranges = ranges(&program, &schema).unwrap();
            let outputs = evaluate_exact(&program, &table).unwrap().unwrap();
            for ((name, values), (_, id)) in outputs.iter().zip(program.shown_outputs()) {
                let range = &ranges[id.0];
                for value in values.as_slice() {
                    prop_assert!(range.contains(value), "{} = {} outside {}\n{}", name, value, range, program);
                }
            }
        }
    }

    #[test]
    fn ranges_hold_every_approximated_value(values in prop::collection::vec(-30.0f64..30.0, 1..6)) {
        let rows = values.len();
        let columns = vec![Column { name: "x".into(), values: ColumnValues::Real(values) }];
        let table = Table { columns, rows };
        let schema = Schema::from_table(&table, &[]).unwrap();
        let program = Program::parse("a = exp(x)\nb = exp(-3 * x) * sigmoid(x)\nc = sigmoid(x)**3").unwrap();
        let ranges = ranges(&program, &schema).unwrap();
        for ((_, values), (_, id)) in evaluate_real(&program, &table).unwrap().iter().zip(program.outputs()) {
            for value in values.as_slice() {
                prop_assert!(ranges[id.0].contains(&BigRational::from_float(*value).unwrap()));
            }
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        if let Err(error) = Program::parse(&text) {
            error.render("any");
        }
    }

    #[test]
    fn no_sequence_of_tokens_makes_the_parser_panic(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "x", "y", "_a", "z", "=", "=", "+", "-", "*", "**", "/", "//", "%", "<", "==", "(", ")", "[", "]", ",", "\n",
            "and", "or", "not", "else", "<=", "floor", "assume", "count", "histogram", "quantile", "corr", "min",
            "2", "0", "0.5", "1e3", "-1", "sum", "mean", "dot", "exp", "where", "table", "# c", "\\\n", "\t", "é", "if", "$",
        ]), 0..40),
    ) {
        let text = format!("z = {}", tokens.join(" "));
        match Program::parse(&text) {
            Ok(program) => prop_assert_eq!(Program::parse(&program.to_string()), Ok(program)),
            Err(error) => {
                prop_assert!(error.line >= 1 && error.column >= 1);
                prop_assert!(error.column <= error.source_line.chars().count() + 1, "{:?} {:?}", text, error);
                prop_assert_eq!(error.to_string().lines().count(), 1);
                error.render("any");
            }
        }
    }
}
