//! Columns of numbers of one kind, operation by operation.

use std::borrow::Cow;

use asanoha_numeric::{BinaryFunction, date};
use asanoha_table::{Column, ColumnValues, Columns, Table};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use super::error::EvaluationError;
use crate::arithmetic::Arithmetic;
use crate::{
    domain::{Arg, Argument, Domain, Outcome},
    function::{Function, Given, Kind},
    ids::NodeId,
    node::Node,
    program::Program,
    shape::Shape,
    values::Values,
};

/// The most bits in the numerator or denominator of an exact value.
const MAX_VALUE_BITS: u64 = 1 << 16;

/// Why a program isn't computed in numbers of one kind.
pub(super) enum Stop {
    /// They don't have a column or an operation.
    OtherKind,
    /// What is wrong.
    Failed(EvaluationError),
}

impl<E: Into<EvaluationError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Sees operations before they're computed, with the values that they're of.
pub(super) trait Watch<T> {
    /// A function.
    fn function(&mut self, at: NodeId, function: &Function, of: &[Argument<'_, Values<T>>]) {
        let _ = (at, function, of);
    }

    /// What is assumed of values.
    fn assume(&mut self, values: &Values<T>, within: [&BigRational; 2]) {
        let _ = (values, within);
    }
}

impl<T> Watch<T> for () {}

/// The columns of a table in numbers of one kind.
pub(super) struct Plain<'a, W> {
    program: &'a Program,
    columns: Columns<'a, Column>,
    rows: usize,
    watch: W,
}

impl<'a, W> Plain<'a, W> {
    pub(super) fn new(program: &'a Program, table: &'a Table, watch: W) -> Self {
        let columns = Columns::new(&table.columns, |column| &column.name);
        Self { program, columns, rows: table.rows, watch }
    }

    /// What the watch saw.
    pub(super) fn into_watch(self) -> W {
        self.watch
    }

    /// The column of the data that an argument is.
    fn column<T>(&self, of: Argument<'_, Values<T>>) -> Result<Option<&'a ColumnValues>, Stop> {
        let Some(name) = of.node().and_then(|id| self.program.column(id)) else { return Ok(None) };
        Ok(Some(&self.columns.find(name)?.values))
    }
}

/// Columns of numbers of one kind: [`Plain`] for this kind.
pub(super) struct Kinded<'a, T, W>(pub(super) Plain<'a, W>, pub(super) std::marker::PhantomData<T>);

type Of<'v, T> = Arg<'v, Values<T>>;

fn total<T: Arithmetic>(a: Of<'_, T>) -> T {
    T::total(a.value.as_slice().iter().cloned())
}

impl<T: Arithmetic, W: Watch<T>> Domain for Kinded<'_, T, W> {
    type Value = Values<T>;
    type Error = Stop;

    fn input(&mut self, _: NodeId, name: &str) -> Outcome<Self> {
        let values = &self.0.columns.find(name)?.values;
        T::column(values).map(Values::Column).ok_or(Stop::OtherKind)
    }

    fn add(&mut self, _: NodeId, a: Of<'_, T>, b: Of<'_, T>) -> Outcome<Self> {
        Ok(a.value.zip(b.value, T::add))
    }

    fn sub(&mut self, _: NodeId, a: Of<'_, T>, b: Of<'_, T>) -> Outcome<Self> {
        Ok(a.value.zip(b.value, T::sub))
    }

    fn neg(&mut self, _: NodeId, a: Of<'_, T>) -> Outcome<Self> {
        let zero = T::constant(&BigRational::zero());
        Ok(a.value.map(|a| T::sub(&zero, a)))
    }

    fn mul(&mut self, _: NodeId, a: Of<'_, T>, b: Of<'_, T>) -> Outcome<Self> {
        Ok(a.value.zip(b.value, T::mul))
    }

    fn scale(&mut self, _: NodeId, a: Of<'_, T>, k: &BigRational) -> Outcome<Self> {
        let k = T::constant(k);
        Ok(a.value.map(|a| T::mul(a, &k)))
    }

    fn offset(&mut self, _: NodeId, a: Of<'_, T>, c: &BigRational) -> Outcome<Self> {
        let c = T::constant(c);
        Ok(a.value.map(|a| T::add(a, &c)))
    }

    fn power(&mut self, _: NodeId, a: Of<'_, T>, exponent: u32) -> Outcome<Self> {
        check_bits(a.value.as_slice().iter().map(|a| T::bits_of_power(a, exponent)))?;
        Ok(a.value.map(|a| T::power(a, exponent)))
    }

    fn sum(&mut self, _: NodeId, a: Of<'_, T>) -> Outcome<Self> {
        Ok(Values::Number(total(a)))
    }

    fn mean(&mut self, _: NodeId, a: Of<'_, T>) -> Outcome<Self> {
        Ok(Values::Number(T::divide_by_count(&total(a), self.0.rows)))
    }

    fn cov(&mut self, _: NodeId, a: Of<'_, T>, b: Of<'_, T>) -> Outcome<Self> {
        let [mean_a, mean_b] = [a, b].map(|of| T::divide_by_count(&total(of), self.0.rows));
        let deviations = a.value.as_slice().iter().zip(b.value.as_slice());
        let products = deviations.map(|(a, b)| T::mul(&T::sub(a, &mean_a), &T::sub(b, &mean_b)));
        Ok(Values::Number(T::divide_by_count(&T::total(products), self.0.rows)))
    }

    fn dot(&mut self, _: NodeId, a: Of<'_, T>, b: Of<'_, T>) -> Outcome<Self> {
        let products = a.value.as_slice().iter().zip(b.value.as_slice()).map(|(a, b)| T::mul(a, b));
        Ok(Values::Number(T::total(products)))
    }

    fn assume(&mut self, _: NodeId, a: Of<'_, T>, within: [&BigRational; 2]) -> Outcome<Self> {
        self.0.watch.assume(a.value, within);
        Ok(a.value.clone())
    }

    fn quantile(&mut self, _: NodeId, a: Of<'_, T>, q: &BigRational) -> Outcome<Self> {
        let exact = a.value.as_slice().iter().map(T::to_exact).collect::<Option<Vec<_>>>();
        Ok(Values::Number(exact.map_or_else(T::not_a_number, |mut sorted| {
            sorted.sort();
            T::constant(&sorted[quantile_rank(q, self.0.rows) - 1])
        })))
    }

    fn function(&mut self, at: NodeId, function: &Function, of: &[Argument<'_, Values<T>>]) -> Outcome<Self> {
        self.0.watch.function(at, function, of);
        if let (Kind::Text(equality), Given::Text(text)) = (function.kind(), function.given()) {
            let column = self.0.column(of[0])?.ok_or(Stop::OtherKind)?;
            return Ok(is_text(equality, text, column));
        }
        if let Given::Texts(entries) = function.given() {
            let column = self.0.column(of[0])?.ok_or(Stop::OtherKind)?;
            return entries_of(entries, column).ok_or(Stop::OtherKind);
        }
        if function.is_equality()
            && let (Some(a), Some(b)) = (self.0.column(of[0])?, self.0.column(of[1])?)
            && [a, b].iter().all(|values| !values.categories().is_empty())
        {
            return Ok(texts_compared(function, [a, b]));
        }
        let arguments = Arguments::new(of);
        let mut values = arguments.rows().map(|arguments| T::function(function, &arguments));
        let values = match arguments.count {
            Some(_) => values.collect::<Option<_>>().map(Values::Column),
            None => values.next().flatten().map(Values::Number),
        };
        values.ok_or(Stop::OtherKind)
    }

    fn done(&mut self, _: NodeId, node: &Node, value: Values<T>) -> Outcome<Self> {
        if !matches!(node, Node::Input(_) | Node::Function(..)) {
            check_bits(value.as_slice().iter().map(|a| T::bits_of_power(a, 1)))?;
        }
        Ok(value)
    }
}

/// Where a column is a text, or isn't.
fn is_text<T: Arithmetic>(equality: BinaryFunction, text: &str, values: &ColumnValues) -> Values<T> {
    let bits = [false, true].map(|bit| T::constant(&BigRational::from_integer(u8::from(bit).into())));
    let number = match values.categories() {
        // A date in quotes beside a column of dates, which are days.
        [] => date::days(text),
        names => names.iter().position(|name| name == text).map(|number| number as i64),
    };
    let column = values.to_real();
    let is = |value: &f64| number.is_some_and(|number| *value == number as f64);
    let expected = equality == BinaryFunction::Equal;
    Values::Column(column.iter().map(|value| bits[usize::from(is(value) == expected)].clone()).collect())
}

/// The entries of a column's texts; `None` where a category has none.
fn entries_of<T: Arithmetic>(entries: &[(String, i64)], values: &ColumnValues) -> Option<Values<T>> {
    let entry = |name: &String| entries.iter().find(|(text, _)| text == name);
    let of_categories: Option<Vec<T>> = values
        .categories()
        .iter()
        .map(|name| Some(T::constant(&BigRational::from_integer(entry(name)?.1.into()))))
        .collect();
    let of_categories = of_categories?;
    let column: Option<Vec<T>> =
        values.to_real().into_iter().map(|number| of_categories.get(number as usize).cloned()).collect();
    column.map(Values::Column)
}

/// Whether the texts of two columns are equal, or aren't, row by row.
fn texts_compared<T: Arithmetic>(function: &Function, columns: [&ColumnValues; 2]) -> Values<T> {
    let numbers = numbers_among(columns[0].categories(), columns[1].categories());
    let [a, b] = columns.map(ColumnValues::to_real);
    let value = |(a, b): (f64, f64)| {
        let b = numbers.get(b as usize).map_or(f64::NAN, |&number| number as f64);
        let holds = (a == b) == (function.binary() == Some(BinaryFunction::Equal));
        T::constant(&BigRational::from_integer(u8::from(holds).into()))
    };
    Values::Column(a.into_iter().zip(b).map(value).collect())
}

/// The places of texts among others; beyond these where they aren't among them.
pub(crate) fn numbers_among(texts: &[String], of: &[String]) -> Vec<i64> {
    let place = |(at, text): (usize, &String)| {
        texts.iter().position(|other| other == text).unwrap_or(texts.len() + at)
    };
    of.iter().enumerate().map(|text| place(text) as i64).collect()
}

/// How many rows, from 1, are at or below a quantile.
pub(crate) fn quantile_rank(q: &BigRational, rows: usize) -> usize {
    let rank = (q * BigInt::from(rows)).ceil().to_integer().to_usize().unwrap_or(rows);
    rank.clamp(1, rows)
}

/// The arguments of a function.
pub(super) struct Arguments<'a, T: Clone> {
    columns: Vec<Cow<'a, [T]>>,
    /// How many rows there are; `None` if all of them are numbers.
    count: Option<usize>,
}

impl<'a, T: Arithmetic> Arguments<'a, T> {
    pub(super) fn new(of: &[Argument<'a, Values<T>>]) -> Self {
        let mut count = None;
        let column = |of: &Argument<'a, Values<T>>| match of {
            Argument::Value(arg) => {
                if arg.value.shape() == Shape::Column {
                    count = Some(arg.value.as_slice().len());
                }
                Cow::Borrowed(arg.value.as_slice())
            }
            Argument::Constant(constant) => {
                Cow::Owned(vec![T::constant(&BigRational::from_integer((*constant).into()))])
            }
        };
        let columns = of.iter().map(column).collect();
        Self { columns, count }
    }

    /// Every row's arguments.
    pub(super) fn rows(&self) -> impl Iterator<Item = Vec<&T>> {
        (0..self.count.unwrap_or(1)).map(|row| {
            self.columns.iter().map(|column| &column[if column.len() == 1 { 0 } else { row }]).collect()
        })
    }
}

/// Arguments as fractions; `None` where one is no number.
pub(super) fn exact<T: Arithmetic>(arguments: &[&T]) -> Option<Vec<BigRational>> {
    arguments.iter().map(|argument| argument.to_exact()).collect()
}

fn check_bits(mut bits: impl Iterator<Item = u64>) -> Result<(), EvaluationError> {
    if bits.any(|bits| bits > MAX_VALUE_BITS) {
        return Err(EvaluationError::TooLarge { limit_bits: MAX_VALUE_BITS });
    }
    Ok(())
}
