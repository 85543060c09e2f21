//! Functions of numbers that aren't sums and products: which, and what their text gives them.
//!
//! What a function means is a [`Meaning`], one for each, in the files of [`ops`](crate::ops). A [`Function`] is a handle to one.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use asanoha_numeric::{BinaryFunction, Range, number};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::{
    date_part::Part,
    ids::{NodeId, Operand},
};

/// What stands in a call beside the numbers that the function is of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Given {
    /// Nothing.
    Nothing,
    /// How far numbers are apart that a comparison tells apart, above 0.
    Gap(BigRational),
    /// A text.
    Text(String),
    /// The entries of a table by texts.
    Texts(Vec<(String, i64)>),
    /// The entries of a table.
    Entries(Vec<i64>),
    /// The rows of a table of two places, all of the same length.
    Rows(Vec<Vec<i64>>),
    /// The exponent and the modulus of a power modulo a number.
    Power {
        /// The exponent: from 1 on, or −1.
        exponent: BigInt,
        /// The modulus, 2 or more.
        modulus: BigInt,
    },
}

/// How arithmetics go about a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Division, a comparison, a minimum or maximum, of two numbers.
    Binary(BinaryFunction),
    /// `less_than(a, b, gap)`: 1 where a < b, else 0; approximations tell numbers apart that differ by the gap or more.
    Less,
    /// The absolute value of a number.
    Absolute,
    /// `where(c, a, b)`: a where c is not 0, else b.
    Choice,
    /// The entry of a table, whose places are counted from 0.
    Lookup,
    /// The number rounded down. [`specialised`](crate::specialised) makes other operations of it.
    Floor,
    /// A part of a date. [`specialised`](crate::specialised) makes other operations of it.
    DatePart(Part),
    /// Whether a column of text is a text, or isn't it, by [`BinaryFunction::Equal`] or `NotEqual`; of a column itself only.
    /// [`specialised`](crate::specialised) makes comparisons of numbers of it.
    Text(BinaryFunction),
    /// The entry of a table by the text of a column of text. [`specialised`](crate::specialised) makes a [`Kind::Lookup`] of it.
    TextTable,
    /// `pow(a, e, p)`: a power modulo a constant.
    PowerModulo,
    /// A smooth function of a real number, which is approximated.
    Smooth,
}

/// What a function of one to three numbers means: a file for each in [`ops`](crate::ops).
pub trait Meaning: Sync {
    /// How it's written: a name, or an operator.
    fn name(&self) -> &'static str;

    /// How arithmetics go about it.
    fn kind(&self) -> Kind;

    /// The value; none where the function is approximate.
    fn value(&self, given: &Given, of: &[BigRational]) -> Option<BigRational>;

    /// The value in double precision.
    fn double(&self, given: &Given, of: &[f64]) -> f64 {
        let exact: Option<Vec<BigRational>> = of.iter().map(|&x| BigRational::from_float(x)).collect();
        exact.and_then(|of| self.value(given, &of)).map_or(f64::NAN, |value| number::to_f64(&value))
    }

    /// The value of words, if it's a word and known to be without larger numbers on the way.
    fn word(&self, given: &Given, of: &[i64]) -> Option<i64> {
        let _ = (given, of);
        None
    }

    /// The words of every row: as [`Self::word`], with one look at what the function is.
    fn words(&self, given: &Given, of: &[Lane<'_>], rows: usize) -> Option<Vec<i64>> {
        // Functions have up to three arguments.
        let mut arguments = [0; 3];
        let arguments = &mut arguments[..of.len()];
        let mut words = Vec::with_capacity(rows);
        for row in 0..rows {
            for (argument, lane) in arguments.iter_mut().zip(of) {
                *argument = match lane {
                    Lane::Column(values) => values[row],
                    Lane::Same(value) => *value,
                };
            }
            words.push(self.word(given, arguments)?);
        }
        Some(words)
    }

    /// The values on numbers of some ranges, rounded outward; none where they're too large.
    fn range(&self, given: &Given, of: &[Range]) -> Option<Range>;

    /// A d with all values whole multiples of 1/d, of the same for the arguments; none where there's none that's known.
    fn denominator(&self, given: &Given, of: &[Option<BigInt>]) -> Option<BigInt>;

    /// What it takes, in words, if it isn't defined on all numbers of a range.
    fn takes(&self, on: &[Range]) -> Option<String> {
        let _ = on;
        None
    }

    /// Whether there may be no value, or one that only circuits define, for some values of what it's of.
    fn is_partial(&self, of: &[Operand]) -> bool {
        let _ = of;
        false
    }

    /// Which argument, if any, makes the value one that only circuits define: a divisor of zero, a place outside of a table.
    fn undefined_at(&self, given: &Given, of: &[BigRational]) -> Option<usize> {
        let _ = (given, of);
        None
    }

    /// From which argument on they're what it chooses among, unchanged, by the arguments before.
    fn chosen_from(&self) -> Option<usize> {
        None
    }

    /// How it's written of some operands.
    fn written(&self, given: &Given, of: Vec<String>) -> String {
        let list = |entries: &[i64]| {
            let entries: Vec<String> = entries.iter().map(i64::to_string).collect();
            format!("[{}]", entries.join(", "))
        };
        let last = match given {
            Given::Nothing | Given::Text(_) | Given::Texts(_) | Given::Power { .. } => None,
            Given::Gap(gap) => Some(written_constant(gap)),
            Given::Entries(entries) => Some(list(entries)),
            Given::Rows(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| list(row)).collect();
                Some(format!("[{}]", rows.join(", ")))
            }
        };
        let arguments: Vec<String> = of.into_iter().chain(last).collect();
        format!("{}({})", self.name(), arguments.join(", "))
    }

    /// It as a smooth function, if it is one.
    fn smooth(&self) -> Option<&dyn Smooth> {
        None
    }
}

/// The words of an argument.
#[derive(Debug, Clone, Copy)]
pub enum Lane<'a> {
    /// One for each row.
    Column(&'a [i64]),
    /// The same in every row.
    Same(i64),
}

/// A smooth function of a real number. Encrypted, a polynomial that is fitted to it on an interval inside its domain stands for it.
pub trait Smooth: Sync {
    /// How it's written.
    fn name(&self) -> &'static str;

    /// Its value, the same on every machine; not a number, or infinite, where it's not defined.
    fn value(&self, x: f64) -> f64;

    /// Whether it's defined, with a finite slope, on all of \[lo, hi\].
    fn is_defined_on(&self, on: (f64, f64)) -> bool {
        let _ = on;
        true
    }

    /// The largest magnitude of its slope on \[lo, hi\], on all of which it's defined.
    fn slope(&self, on: (f64, f64)) -> f64;

    /// The largest magnitude of its slope on \[lo, hi\]; infinite where it's not defined on all of it.
    fn steepest(&self, on: (f64, f64)) -> f64 {
        if self.is_defined_on(on) { self.slope(on) } else { f64::INFINITY }
    }

    /// How far either end of an interval may be moved outward before that costs precision or degrees: by little where the
    /// function grows fast, or ceases to be defined.
    fn widest(&self, on: (f64, f64)) -> f64;

    /// The values on a range on all of which it's defined, rounded outward; `None` when an end would be above all `f64`s.
    fn range(&self, on: &Range) -> Option<Range>;

    /// What it takes, in words, if it isn't defined on all of a range.
    fn takes(&self, on: &Range) -> Option<String> {
        let _ = on;
        None
    }

    /// Whether there are numbers that it has no value of.
    fn is_partial(&self) -> bool {
        false
    }

    /// The value of a constant that it's told exactly of.
    fn exact(&self, of: &BigRational) -> Option<BigRational> {
        let _ = of;
        None
    }

    /// How it's written of an operand.
    fn written(&self, of: &str) -> String {
        format!("{}({of})", self.name())
    }
}

impl<S: Smooth> Meaning for S {
    fn name(&self) -> &'static str {
        Smooth::name(self)
    }

    fn kind(&self) -> Kind {
        Kind::Smooth
    }

    fn value(&self, _: &Given, _: &[BigRational]) -> Option<BigRational> {
        None
    }

    fn double(&self, _: &Given, of: &[f64]) -> f64 {
        Smooth::value(self, of[0])
    }

    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        Smooth::range(self, &of[0])
    }

    fn denominator(&self, _: &Given, _: &[Option<BigInt>]) -> Option<BigInt> {
        None
    }

    fn takes(&self, on: &[Range]) -> Option<String> {
        Smooth::takes(self, &on[0])
    }

    fn is_partial(&self, _: &[Operand]) -> bool {
        Smooth::is_partial(self)
    }

    fn written(&self, _: &Given, of: Vec<String>) -> String {
        Smooth::written(self, &of[0])
    }

    fn smooth(&self) -> Option<&dyn Smooth> {
        Some(self)
    }
}

impl fmt::Debug for dyn Smooth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A function of one to three numbers. Functions of one name that are given the same are the same.
#[derive(Clone)]
pub struct Function {
    meaning: &'static dyn Meaning,
    given: Given,
}

impl Function {
    /// The function of a meaning, of nothing but numbers.
    pub const fn of(meaning: &'static dyn Meaning) -> Self {
        Self::new(meaning, Given::Nothing)
    }

    /// The function of a meaning and what its text gives it.
    pub const fn new(meaning: &'static dyn Meaning, given: Given) -> Self {
        Self { meaning, given }
    }

    /// How it is written in the language.
    pub fn name(&self) -> &'static str {
        self.meaning.name()
    }

    /// How arithmetics go about it.
    pub fn kind(&self) -> Kind {
        self.meaning.kind()
    }

    /// What its text gives it beside numbers.
    pub fn given(&self) -> &Given {
        &self.given
    }

    /// Its value: ⌊a/0⌋ is 0, a % 0 is a, and entries outside of a table are 0; none where it's approximate.
    pub fn value(&self, of: &[BigRational]) -> Option<BigRational> {
        self.meaning.value(&self.given, of)
    }

    /// Its value in double precision; not a number where an argument isn't one.
    pub fn double(&self, of: &[f64]) -> f64 {
        self.meaning.double(&self.given, of)
    }

    /// [`Self::value`] of words, if that's a word.
    pub fn word(&self, of: &[i64]) -> Option<i64> {
        self.meaning.word(&self.given, of)
    }

    /// [`Self::word`] of every row; none where one isn't a word.
    pub fn words(&self, of: &[Lane<'_>], rows: usize) -> Option<Vec<i64>> {
        self.meaning.words(&self.given, of, rows)
    }

    /// The values on numbers of some ranges, whole ones where it takes no others.
    pub fn range(&self, of: &[Range]) -> Option<Range> {
        self.meaning.range(&self.given, of)
    }

    /// A d with all values whole multiples of 1/d, of the same for the arguments.
    pub fn denominator(&self, of: &[Option<BigInt>]) -> Option<BigInt> {
        self.meaning.denominator(&self.given, of)
    }

    /// What it takes, in words, if it isn't defined on all numbers of some ranges.
    pub fn takes(&self, on: &[Range]) -> Option<String> {
        self.meaning.takes(on)
    }

    /// Whether there may be no value, or one that only circuits define ([`Self::undefined_at`]), for some values of what it's of.
    pub fn is_partial(&self, of: &[Operand]) -> bool {
        self.meaning.is_partial(of)
    }

    /// Which argument, if any, makes the value one that only circuits define: a divisor of zero, a place outside of a table.
    pub fn undefined_at(&self, of: &[BigRational]) -> Option<usize> {
        self.meaning.undefined_at(&self.given, of)
    }

    /// From which argument on they're what it chooses among, unchanged, by the arguments before.
    pub(crate) fn chosen_from(&self) -> Option<usize> {
        self.meaning.chosen_from()
    }

    /// Whether its values are 0 and 1 by the way it's made: those of a comparison, or of a choice among such.
    pub(crate) fn is_truth(&self, of: &[Operand], is_truth: impl Fn(NodeId) -> bool) -> bool {
        match self.chosen_from() {
            Some(from) => of[from..].iter().all(|operand| match *operand {
                Operand::Constant(constant) => constant == 0 || constant == 1,
                Operand::Value(id) => is_truth(id),
            }),
            None => self.is_comparison(),
        }
    }

    /// The same with a gap, if it has one, that is so many times as large.
    #[must_use]
    pub(crate) fn with_gap_times(&self, factor: &BigRational) -> Self {
        match &self.given {
            Given::Gap(gap) => Self::new(self.meaning, Given::Gap(gap * factor)),
            _ => self.clone(),
        }
    }

    /// How it's written of some operands.
    pub(crate) fn written(&self, of: Vec<String>) -> String {
        self.meaning.written(&self.given, of)
    }

    /// It as a smooth function, if it is one.
    pub fn smooth(&self) -> Option<&'static dyn Smooth> {
        self.meaning.smooth()
    }

    /// Whether this is computed by approximation, even from whole numbers.
    pub fn is_approximate(&self) -> bool {
        self.kind() == Kind::Smooth
    }

    /// The function of two numbers that it is, if it's a plain one.
    pub fn binary(&self) -> Option<BinaryFunction> {
        if let Kind::Binary(function) = self.kind() { Some(function) } else { None }
    }

    /// Whether this is `//` or `%`.
    pub fn is_division(&self) -> bool {
        self.binary().is_some_and(BinaryFunction::is_division)
    }

    /// Whether this is `%`.
    pub fn is_remainder(&self) -> bool {
        self.binary() == Some(BinaryFunction::Remainder)
    }

    /// Which comparison it is of two numbers, of which it says the order.
    pub fn order(&self) -> Option<BinaryFunction> {
        match self.kind() {
            Kind::Less => Some(BinaryFunction::Less),
            Kind::Binary(
                order @ (BinaryFunction::Less
                | BinaryFunction::LessOrEqual
                | BinaryFunction::Greater
                | BinaryFunction::GreaterOrEqual),
            ) => Some(order),
            _ => None,
        }
    }

    /// Whether its values are 0 and 1, whatever it's of.
    pub fn is_comparison(&self) -> bool {
        self.is_equality() || self.order().is_some()
    }

    /// Whether it says of two values, numbers or texts, whether they're the same.
    pub fn is_equality(&self) -> bool {
        matches!(self.kind(), Kind::Text(_) | Kind::Binary(BinaryFunction::Equal | BinaryFunction::NotEqual))
    }

    /// Whether it takes whole numbers only where arithmetic is real, and is computed there by its values of them.
    pub fn is_by_values(&self) -> bool {
        self.is_equality() || !self.takes_fractions()
    }

    /// Whether it's approximated on real numbers, by the sign of a difference.
    pub fn is_by_sign(&self) -> bool {
        let is_extreme = matches!(
            self.kind(),
            Kind::Binary(BinaryFunction::Minimum | BinaryFunction::Maximum) | Kind::Absolute
        );
        is_extreme || self.order().is_some()
    }

    /// Whether it takes fractions, too, where it's computed approximately.
    pub fn takes_fractions(&self) -> bool {
        !self.is_division() && !matches!(self.kind(), Kind::Lookup | Kind::PowerModulo)
    }

    /// Whether there are arguments for which only circuits define it ([`Self::undefined_at`]).
    pub fn may_be_undefined(&self) -> bool {
        self.is_division() || self.kind() == Kind::Lookup
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.given == other.given
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
        self.given.hash(state);
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.given {
            Given::Nothing => f.write_str(self.name()),
            given => write!(f, "{} {given:?}", self.name()),
        }
    }
}

/// A constant as programs write it.
pub(crate) fn written_constant(value: &BigRational) -> String {
    let text = number::format(value);
    if text.contains('/') { format!("({text})") } else { text }
}
