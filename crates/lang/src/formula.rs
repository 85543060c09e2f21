//! Formulas that the holder of the secret key computes of decrypted values.

use asanoha_numeric::{
    number::{self, MAX_CONSTANT_BITS},
    uncertain::Uncertain,
};
use num_rational::BigRational;
use num_traits::{One, Signed};

/// The most parts, operations and characters of a formula, how deep its brackets are nested, and the highest power.
pub(crate) const MOST_PARTS: usize = 16;
const MOST_OPERATIONS: usize = 128;
const MOST_CHARACTERS: usize = 4096;
const MOST_NESTED: usize = 128;
pub(crate) const MOST_POWER: u32 = 4;

/// Sums, products, quotients, roots and roundings of parts, which are named `p1`, `p2`, …
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// The text in programs.
    text: String,
    value: Expression,
}

/// The reason why a formula has no value for some parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Undefined {
    pub(crate) reason: &'static str,
    /// True if more precise parts may have a value.
    pub(crate) is_imprecise: bool,
}

impl Undefined {
    fn exactly(reason: &'static str) -> Self {
        Self { reason, is_imprecise: false }
    }

    fn nearly(reason: &'static str) -> Self {
        Self { reason, is_imprecise: true }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression {
    /// Counted from 0.
    Part(usize),
    Constant(BigRational),
    Neg(Box<Expression>),
    /// The operator `+`, `-`, `*` or `/`.
    Two(char, Box<[Expression; 2]>),
    Power(Box<Expression>, u32),
    Sqrt(Box<Expression>),
    Floor(Box<Expression>),
}

impl Formula {
    /// The formula of a text with so many parts; `None` for what isn't one.
    pub(crate) fn parse(text: &str, parts: usize) -> Option<Self> {
        if text.len() > MOST_CHARACTERS || parts == 0 || parts > MOST_PARTS {
            return None;
        }
        let mut reader = Reader { rest: text, operations: 0, used: vec![false; parts] };
        let value = reader.sum(MOST_NESTED)?;
        let is_all = reader.rest.is_empty() && reader.used.iter().all(|used| *used);
        is_all.then(|| Self { text: text.to_owned(), value })
    }

    /// The text in programs.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same with constants in the place of some parts; those that are left are numbered anew.
    pub(crate) fn with_constants(&self, constants: &[Option<BigRational>]) -> String {
        let mut left = 0;
        let mut name = |constant: &Option<BigRational>| {
            if let Some(constant) = constant {
                return format!("({})", number::format(constant));
            }
            left += 1;
            part_name(left)
        };
        let names: Vec<String> = constants.iter().map(&mut name).collect();
        let (mut text, mut rest) = (String::new(), self.text.as_str());
        while let Some(at) = rest.find('p') {
            let end =
                rest[at + 1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| at + 1 + end);
            let name = rest[at + 1..end].parse().ok().and_then(|number: usize| names.get(number - 1));
            text.push_str(&rest[..at]);
            text.push_str(name.map_or(&rest[at..end], String::as_str));
            rest = &rest[end..];
        }
        text + rest
    }

    /// Returns true if the last operation makes every value a whole number.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.value, Expression::Floor(_))
    }

    /// The result of parts, in their order.
    pub(crate) fn value(&self, parts: &[Uncertain]) -> Result<Uncertain, Undefined> {
        self.value.of(parts)
    }
}

/// The name of a part in formulas, counted from 1.
pub(crate) fn part_name(number: usize) -> String {
    format!("p{number}")
}

impl Expression {
    fn of(&self, parts: &[Uncertain]) -> Result<Uncertain, Undefined> {
        Ok(match self {
            Self::Part(at) => parts[*at].clone(),
            Self::Constant(value) => Uncertain::exact(value.clone()),
            Self::Neg(a) => &Uncertain::exact(BigRational::from_integer(0.into())) - &a.of(parts)?,
            Self::Two(operator, of) => {
                let [a, b] = &**of;
                let (a, b) = (a.of(parts)?, b.of(parts)?);
                match operator {
                    '+' => &a + &b,
                    '-' => &a - &b,
                    '*' => &a * &b,
                    _ if !b.may_be_zero() => &a / &b,
                    _ if b.is_exact() => return Err(Undefined::exactly("the divisor is 0")),
                    _ => return Err(Undefined::nearly("the divisor can't be distinguished from 0")),
                }
            }
            Self::Power(a, exponent) => {
                let a = a.of(parts)?;
                (0..*exponent).fold(Uncertain::exact(BigRational::one()), |power, _| &power * &a)
            }
            Self::Sqrt(a) => {
                let a = a.of(parts)?;
                if (&a.value + &a.error).is_negative() {
                    return Err(Undefined::exactly("the root of a number below 0"));
                }
                a.sqrt()
            }
            Self::Floor(a) => rounded_down(&a.of(parts)?)?,
        })
    }
}

fn rounded_down(a: &Uncertain) -> Result<Uncertain, Undefined> {
    let (low, high) = ((&a.value - &a.error).floor(), (&a.value + &a.error).floor());
    if low == high {
        return Ok(Uncertain::exact(low));
    }
    Err(Undefined::nearly("it's too near to where its rounding jumps"))
}

/// Reads the text of a formula, of which some is left.
struct Reader<'a> {
    rest: &'a str,
    operations: usize,
    /// True for each part that was read.
    used: Vec<bool>,
}

impl Reader<'_> {
    /// Takes a symbol that stands next, after blanks.
    fn take(&mut self, symbol: &str) -> bool {
        let rest = self.rest.trim_start_matches(' ').strip_prefix(symbol);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes the characters of a kind that stand next.
    fn run(&mut self, of: impl Fn(char) -> bool) -> &str {
        let rest = self.rest.trim_start_matches(' ');
        let (run, rest) = rest.split_at(rest.find(|c| !of(c)).unwrap_or(rest.len()));
        self.rest = rest;
        run
    }

    fn count(&mut self, made: Expression) -> Option<Expression> {
        self.operations += 1;
        (self.operations <= MOST_OPERATIONS).then_some(made)
    }

    fn sum(&mut self, nested: usize) -> Option<Expression> {
        let mut value = self.product(nested)?;
        loop {
            let operator = if self.take("+") {
                '+'
            } else if self.take("-") {
                '-'
            } else {
                return Some(value);
            };
            let other = self.product(nested)?;
            value = self.count(Expression::Two(operator, Box::new([value, other])))?;
        }
    }

    fn product(&mut self, nested: usize) -> Option<Expression> {
        let mut value = self.power(nested)?;
        loop {
            let operator = if self.take("*") {
                '*'
            } else if self.take("/") {
                '/'
            } else {
                return Some(value);
            };
            let other = self.power(nested)?;
            value = self.count(Expression::Two(operator, Box::new([value, other])))?;
        }
    }

    fn power(&mut self, nested: usize) -> Option<Expression> {
        if self.take("-") {
            let value = self.power(nested.checked_sub(1)?)?;
            return self.count(Expression::Neg(Box::new(value)));
        }
        let base = self.atom(nested)?;
        if !self.take("**") {
            return Some(base);
        }
        let exponent: u32 = self.run(|c| c.is_ascii_digit()).parse().ok()?;
        let is_power = (1..=MOST_POWER).contains(&exponent);
        self.count(Expression::Power(Box::new(base), exponent)).filter(|_| is_power)
    }

    fn atom(&mut self, nested: usize) -> Option<Expression> {
        for (name, function) in
            [("sqrt(", Expression::Sqrt as fn(Box<Expression>) -> Expression), ("floor(", Expression::Floor)]
        {
            if self.take(name) {
                let value = self.bracketed(nested)?;
                return self.count(function(Box::new(value)));
            }
        }
        if self.take("(") {
            return self.bracketed(nested);
        }
        if self.take("p") {
            let number: usize = Some(self.run(|c| c.is_ascii_digit()))
                .filter(|digits| !digits.starts_with('0'))
                .and_then(|digits| digits.parse().ok())?;
            *self.used.get_mut(number - 1)? = true;
            return Some(Expression::Part(number - 1));
        }
        let digits = self.run(|c| c.is_ascii_digit() || c == '.');
        number::parse_literal(digits, MAX_CONSTANT_BITS).ok().map(Expression::Constant)
    }

    /// Reads the rest of an open bracket.
    fn bracketed(&mut self, nested: usize) -> Option<Expression> {
        let value = self.sum(nested.checked_sub(1)?)?;
        self.take(")").then_some(value)
    }
}
