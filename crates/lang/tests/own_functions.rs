//! Functions of a program's own, which stand outside of the language.

use std::collections::BTreeMap;

use asanoha_lang::{
    BuildError, Functions, FunctionsError, Program, ProgramError, evaluate_real,
    ops::{self, ABSOLUTE, Call, CallError, Entry, Line, Lowered, Passed},
    parse_with_functions, ranges,
};
use asanoha_numeric::Range;
use asanoha_table::{Column, ColumnValues, Schema, Table};
use num_bigint::BigInt;
use num_rational::BigRational;

const LINES: [Line; 1] =
    [Line { written: &["distance(x, y)"], operands: "any numbers", result: "how far they are apart" }];

/// `distance(x, y, …)`: the sum of the distances of neighbours.
fn distance(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let values = call.arguments.iter().map(Passed::value).collect::<Result<Vec<_>, _>>()?;
    let mut sum = call.terms.integer(0)?;
    for pair in values.windows(2) {
        let difference = call.terms.sub(pair[0], pair[1])?;
        let apart = ops::apply(call.terms, ABSOLUTE, &[difference])?;
        sum = call.terms.add(sum, apart)?;
    }
    Ok(sum.into())
}

static DISTANCE: Entry =
    Entry::new("distance", (2, 3), &LINES, distance).help("write `distance(x, y)` or `distance(x, y, z)`");

fn parsed(text: &str) -> Result<Program, ProgramError> {
    let functions = Functions::new(&[&DISTANCE]).unwrap();
    parse_with_functions(text, &BTreeMap::new(), &functions)
}

#[test]
fn a_function_becomes_operations_of_the_language() {
    let program = parsed("y = 2 * distance(a, b, 3)\n_hidden = y\ntotal = sum(y)").unwrap();
    let written = Program::parse("y = 2 * (abs(a - b) + abs(b - 3))\ntotal = sum(y)").unwrap();
    assert_eq!(program, written);
    // The text holds the operations alone, and is read without the list.
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program);

    let column = |name: &str, values| Column { name: name.into(), values: ColumnValues::Real(values) };
    let table = Table { columns: vec![column("a", vec![1.5, -2.0]), column("b", vec![4.0, 3.5])], rows: 2 };
    let outputs = evaluate_real(&program, &table).unwrap();
    assert_eq!(outputs[0].1.as_slice(), [7.0, 12.0]);
    assert_eq!(outputs[1].1.as_slice(), [19.0]);
    let ranges = ranges(&program, &Schema::from_table(&table, &[]).unwrap()).unwrap();
    assert!(ranges.iter().all(|range| range.lo() <= range.hi()));
}

#[test]
fn refusals_name_the_place_and_the_function() {
    let error = parsed("y = 1 + distance(a)").unwrap_err();
    assert_eq!((error.line, error.column), (1, 9));
    assert_eq!(error.message, "`distance` takes 2 or 3 arguments, and here are 1");
    assert_eq!(error.help.as_deref(), Some("write `distance(x, y)` or `distance(x, y, z)`"));
    assert_eq!(
        parsed("y = distance(a, 'north')").unwrap_err().message,
        BuildError::MisplacedText.to_string()
    );
    let help = parsed("y = quaternion(a)").unwrap_err().help.unwrap();
    assert!(help.starts_with("there are where, ") && help.ends_with(", distance"), "{help}");
    assert!(Program::parse("y = distance(a, b)").is_err());
}

#[test]
fn names_of_the_language_and_names_that_programs_cannot_call_are_refused() {
    static SQRT: Entry = Entry::new("sqrt", (1, 1), &LINES, distance);
    static LAMBDA: Entry = Entry::new("lambda", (1, 1), &LINES, distance);
    static SPACED: Entry = Entry::new("far away", (1, 1), &LINES, distance);
    let refused = |entries: &[&'static Entry]| Functions::new(entries).unwrap_err();
    assert_eq!(refused(&[&DISTANCE, &SQRT]), FunctionsError::OfLanguage { name: "sqrt" });
    assert_eq!(refused(&[&DISTANCE, &DISTANCE]), FunctionsError::Twice { name: "distance" });
    assert_eq!(refused(&[&LAMBDA]), FunctionsError::BadName { name: "lambda" });
    assert_eq!(refused(&[&SPACED]), FunctionsError::BadName { name: "far away" });
    assert!(refused(&[&SQRT]).to_string().contains("`sqrt` is a function of the language"));
}

/// A meaning that the language doesn't have.
struct Halved;

impl asanoha_lang::Meaning for Halved {
    fn name(&self) -> &'static str {
        "halved"
    }

    fn kind(&self) -> asanoha_lang::Kind {
        asanoha_lang::Kind::Absolute
    }

    fn value(&self, _: &asanoha_lang::Given, of: &[BigRational]) -> Option<BigRational> {
        Some(&of[0] / BigInt::from(2))
    }

    fn range(&self, _: &asanoha_lang::Given, of: &[Range]) -> Option<Range> {
        Some(of[0].clone())
    }

    fn denominator(&self, _: &asanoha_lang::Given, _: &[Option<BigInt>]) -> Option<BigInt> {
        None
    }
}

#[test]
fn a_function_that_becomes_an_operation_of_its_own_is_refused() {
    fn halved(call: &mut Call<'_>) -> Result<Lowered, CallError> {
        let x = call.value(0)?;
        Ok(ops::apply(call.terms, asanoha_lang::Function::of(&Halved), &[x])?.into())
    }
    static HALF: Entry = Entry::new("half", (1, 1), &LINES, halved);
    let functions = Functions::new(&[&HALF]).unwrap();
    let error = parse_with_functions("y = half(x)", &BTreeMap::new(), &functions).unwrap_err();
    assert!(error.message.contains("becomes an operation that the language doesn't have"), "{error}");
}
