//! Powers and remainders modulo constants of any width, against big integers.

use asanoha_lang::{Outputs, Program, evaluate_exact};
use asanoha_table::read_csv;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;

/// 2^127 − 1, a prime.
const PRIME: &str = "170141183460469231731687303715884105727";
const CSV: &str = "x,y\n18446744073709551629,2\n-5,-9223372036854775809\n0,31\n";

fn exact(text: &str) -> Outputs<BigRational> {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{}", error.render("p.asa")));
    let written = program.to_string();
    assert_eq!(Program::parse(&written).unwrap(), program, "{written}");
    let table = read_csv(CSV.as_bytes(), "t.csv", program.input_names()).unwrap();
    evaluate_exact(&program, &table).unwrap().unwrap_or_else(|| panic!("{text} isn't exact"))
}

/// Asserts that a program gives, for every row, the values of a function of x and y.
#[track_caller]
fn gives(text: &str, right: impl Fn(&BigInt, &BigInt) -> BigInt) {
    let number = |text: &str| text.parse::<BigInt>().unwrap();
    let rows = CSV.lines().skip(1).map(|line| line.split_once(',').unwrap());
    let expected: Vec<BigRational> = rows.map(|(x, y)| right(&number(x), &number(y)).into()).collect();
    assert_eq!(exact(text)[0].1.as_slice(), expected, "{text}");
}

#[test]
fn powers_and_remainders_modulo_wide_numbers_are_those_of_big_integers() {
    let p: BigInt = PRIME.parse().unwrap();
    gives(&format!("r = x * y % {PRIME}"), |x, y| (x * y).mod_floor(&p));
    gives(&format!("r = (x**3 - 7*y + 1) % {PRIME}"), |x, y| BigInt::mod_floor(&(x * x * x - 7 * y + 1), &p));
    gives(&format!("r = pow(x + y, 65537, {PRIME})"), |x, y| (x + y).mod_floor(&p).modpow(&65537.into(), &p));
    // Exponents that `**` alone doesn't take have a meaning beside `%`.
    gives(&format!("r = x ** 65537 % {PRIME}"), |x, _| x.mod_floor(&p).modpow(&65537.into(), &p));
    gives(&format!("r = (x - y) ** -1 % {PRIME}"), |x, y| {
        (x - y).mod_floor(&p).modinv(&p).unwrap_or_default()
    });
    gives("r = x ** -1 % 1000", |x, _| x.mod_floor(&1000.into()).modinv(&1000.into()).unwrap_or_default());
    gives("r = pow(x, 2, 97)", |x, _| (x * x).mod_floor(&97.into()));
    gives("r = pow(x, 1, 97)", |x, _| x.mod_floor(&97.into()));
    // A modulus of two words, composite, and a power of two.
    gives("r = (x * x + y) % 18446744073709551616", |x, y| (x * x + y).mod_floor(&(BigInt::from(1) << 64)));
}

#[test]
fn inverses_are_computed_with() {
    gives("r = (3 * pow(x, -1, 11) + y) % 11", |x, y| {
        let inverse: BigInt = x.mod_floor(&11.into()).modinv(&11.into()).unwrap_or_default();
        BigInt::mod_floor(&(3 * inverse + y), &11.into())
    });
}

#[test]
fn what_is_no_power_modulo_a_number_says_what_is() {
    for (text, says) in [
        ("r = pow(x, -2, 97)", "an exponent of 1 or more, or -1"),
        ("r = pow(x, 0, 97)", "an exponent of 1 or more, or -1"),
        ("r = pow(x, 1/2, 97)", "an exponent of 1 or more, or -1"),
        ("r = pow(x, 2, 1)", "a modulus of 2 or more"),
        ("r = pow(x, 2, -97)", "a modulus of 2 or more"),
        ("r = pow(x, 2, 9.5)", "both whole constants"),
        ("r = pow(x, y, 97)", "a constant exponent and modulus"),
        ("r = pow(x, 2, y)", "a constant exponent and modulus"),
        ("r = pow(x, 2, 97, 1)", "`pow` takes 2 or 3 arguments"),
        ("r = x ** 65537", "above the limit of 1024"),
    ] {
        let error = Program::parse(text).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn the_line_modulo_reduces_every_value() {
    let p: BigInt = PRIME.parse().unwrap();
    let inverse = |x: &BigInt| x.mod_floor(&p).modinv(&p).unwrap_or_default();
    let lines = |text: &str| format!("# a curve\nmodulo {PRIME}\n\n{text}");
    gives(&lines("r = x * y - 7"), |x, y| (x * y - 7i32).mod_floor(&p));
    gives(&lines("r = 3 * x ** -1"), |x, _| BigInt::mod_floor(&(3 * inverse(x)), &p));
    gives(&lines("r = (x - y) / (x + 1)"), |x, y| ((x - y) * inverse(&(x + 1))).mod_floor(&p));
    gives(&lines("r = x ** 65537 + y ** 2"), |x, y| {
        (x.mod_floor(&p).modpow(&65537.into(), &p) + y * y).mod_floor(&p)
    });
    // A value of a name is reduced too, and so is what `==` compares.
    gives(&lines("r = -y"), |_, y| (-y).mod_floor(&p));
    gives(&lines(&format!("r = x * y == x * y + {PRIME}")), |_, _| 1.into());
    gives(&lines("r = x * y - 8 == -8 or x in [-5, 31]"), |x, y| {
        BigInt::from(i32::from((x * y).mod_floor(&p) == 0.into() || *x == BigInt::from(-5)))
    });
    // A column or a value may have the name.
    gives("modulo = x + 1\nr = modulo - y", |x, _| x + 1i32);
}

#[test]
fn a_line_modulo_that_is_none_says_what_is() {
    for (text, says) in [
        ("modulo 1\nr = x", "modulo 65537"),
        ("modulo x\nr = x", "modulo 65537"),
        ("modulo 2.5\nr = x", "modulo 65537"),
        ("modulo 7 r = x", "end of the line was expected"),
        ("modulo -7\nr = x", "modulo 65537"),
        ("modulo 7\nmodulo 11\nr = x", "line 1 has one already"),
        ("r = x\nmodulo 7\ns = x", "make it the first line"),
        ("modulo 7\nr = x ** -2", "an exponent of 1 or more, or -1"),
        ("modulo 7\nr = x ** y", "pow"),
    ] {
        let error = Program::parse(text).unwrap_err().render("p.asa");
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn residues_under_the_line_modulo_stand_where_their_values_do() {
    let program = Program::parse("modulo 97\nr = x\nm = mean(x) + 1").unwrap();
    let lines = program.outputs().iter().map(|(_, id)| program.origin(*id).unwrap().line());
    assert_eq!(lines.collect::<Vec<_>>(), [2, 3]);
}
