//! Plain computation, to hold encrypted results against.

use std::borrow::Cow;
use std::collections::BTreeMap;

use asanoha_numeric::BinaryFunction;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use super::fraction::Fraction;
use super::function::{Function, Operand};
use super::given::numbers_among;
use super::node::{Node, NodeId, Program, Shape};
use super::number;
use super::smooth::SmoothFunction;
use super::values::{Outputs, Values};
use asanoha_table::{Column, ColumnValues, Columns, Table, UnknownColumn};

/// Why a program was not computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// A column that the data do not have.
    #[error(transparent)]
    UnknownColumn(#[from] UnknownColumn),
    /// A table without rows.
    #[error("the data have no rows")]
    NoRows,
    /// A value too long to be computed exactly.
    #[error("an exact value of the program needs more than {limit_bits} bits")]
    TooLarge {
        /// The limit.
        limit_bits: u64,
    },
}

/// The most bits in the numerator or denominator of an exact value.
const MAX_VALUE_BITS: u64 = 1 << 16;

/// A kind of number that results are of.
pub trait Number: Clone {
    /// The nearest one.
    fn constant(value: &BigRational) -> Self;
    /// The exact value; `None` for what is no number.
    fn to_exact(&self) -> Option<BigRational>;
}

impl Number for f64 {
    fn constant(value: &BigRational) -> Self {
        number::to_f64(value)
    }
    fn to_exact(&self) -> Option<BigRational> {
        BigRational::from_float(*self)
    }
}

impl Number for BigRational {
    fn constant(value: &BigRational) -> Self {
        value.clone()
    }
    fn to_exact(&self) -> Option<BigRational> {
        Some(self.clone())
    }
}

/// Arithmetic of one kind of number.
pub(crate) trait Arithmetic: Number {
    /// The values of a column; `None` when they are not of this kind.
    fn column(values: &ColumnValues) -> Option<Vec<Self>>;
    fn add(a: &Self, b: &Self) -> Self;
    fn sub(a: &Self, b: &Self) -> Self;
    fn mul(a: &Self, b: &Self) -> Self;
    fn power(a: &Self, exponent: u32) -> Self;
    fn total(values: impl Iterator<Item = Self>) -> Self;
    fn divide_by_count(a: &Self, count: usize) -> Self;
    /// A smooth function; `None` when this kind of number has none.
    fn real(a: &Self, function: SmoothFunction) -> Option<Self>;
    /// A function; what has an argument that is no number is none.
    fn function(function: &Function, arguments: &[&Self]) -> Self;
    fn not_a_number() -> Self;
    /// About what a sum of such numbers is off by.
    fn rounding(&self) -> f64;
    /// A bound on the bits of `a^exponent`.
    fn bits_of_power(a: &Self, exponent: u32) -> u64;
}

impl Arithmetic for f64 {
    fn column(values: &ColumnValues) -> Option<Vec<Self>> {
        Some(values.to_real())
    }
    fn add(a: &Self, b: &Self) -> Self {
        a + b
    }
    fn sub(a: &Self, b: &Self) -> Self {
        a - b
    }
    fn mul(a: &Self, b: &Self) -> Self {
        a * b
    }
    fn power(a: &Self, exponent: u32) -> Self {
        a.powi(exponent as i32)
    }
    /// Neumaier's compensated sum: the error does not grow with the number of rows.
    fn total(values: impl Iterator<Item = Self>) -> Self {
        let (mut total, mut lost) = (0.0_f64, 0.0_f64);
        for value in values {
            let sum = total + value;
            lost += if total.abs() >= value.abs() { (total - sum) + value } else { (value - sum) + total };
            total = sum;
        }
        if lost.is_finite() { total + lost } else { total }
    }
    fn divide_by_count(a: &Self, count: usize) -> Self {
        a / count as Self
    }
    fn real(a: &Self, function: SmoothFunction) -> Option<Self> {
        Some(function.value(*a))
    }
    fn function(function: &Function, arguments: &[&Self]) -> Self {
        exact(arguments).map_or(Self::NAN, |exact| number::to_f64(&function.value(&exact)))
    }
    fn rounding(&self) -> f64 {
        4.0 * Self::EPSILON * self.abs()
    }
    fn not_a_number() -> Self {
        Self::NAN
    }
    fn bits_of_power(_: &Self, _: u32) -> u64 {
        64
    }
}

impl Program {
    /// The outputs as exact fractions, or `None` when a column used is of real numbers or the program approximates.
    pub fn evaluate_exact(&self, table: &Table) -> Result<Option<Outputs<BigRational>>, EvaluationError> {
        self.evaluate_exact_less(table, &BTreeMap::new())
    }

    /// As [`Self::evaluate_exact`], of columns that are less by constants.
    pub fn evaluate_exact_less(
        &self,
        table: &Table,
        centres: &BTreeMap<String, BigRational>,
    ) -> Result<Option<Outputs<BigRational>>, EvaluationError> {
        let outputs = evaluate(self, table, centres, &mut |_, _, _: &[Option<Values<Fraction>>]| ())?;
        let exact = |(name, values): (String, Values<Fraction>)| {
            (name, values.map(|value| value.to_exact().expect("fractions are")))
        };
        Ok(outputs.map(|outputs| outputs.into_iter().map(exact).collect()))
    }

    /// The outputs in double precision.
    pub fn evaluate_real(&self, table: &Table) -> Result<Outputs<f64>, EvaluationError> {
        self.evaluate_real_less(table, &BTreeMap::new())
    }

    /// As [`Self::evaluate_real`], of columns that are less by constants.
    pub fn evaluate_real_less(
        &self,
        table: &Table,
        centres: &BTreeMap<String, BigRational>,
    ) -> Result<Outputs<f64>, EvaluationError> {
        evaluate(self, table, centres, &mut |_, _, _| ()).map(Option::unwrap_or_default)
    }

    /// The values of the outputs that are computed encrypted, before any is finished: exact, or else those of double precision.
    /// `None` where one isn't a number.
    pub fn encrypted_values(
        &self,
        table: &Table,
    ) -> Result<Option<Vec<Vec<BigRational>>>, EvaluationError> {
        fn values<T: Number>(outputs: &Outputs<T>) -> Option<Vec<Vec<BigRational>>> {
            outputs.iter().map(|(_, values)| values.as_slice().iter().map(T::to_exact).collect()).collect()
        }
        let exact = encrypted_outputs(self, table, &mut |_, _, _: &[Option<Values<Fraction>>]| ())?;
        if let Some(exact) = exact {
            return Ok(values(&exact));
        }
        let real = encrypted_outputs(self, table, &mut |_, _, _: &[Option<Values<f64>>]| ())?;
        Ok(real.as_ref().and_then(values))
    }

    /// The first function in the program with a row on which only the circuits define it: a divisor of zero (unless
    /// `zero_divides`), or a place outside of a table. `None` when there's none, or a column used is not whole.
    pub fn first_undefined(
        &self,
        table: &Table,
        zero_divides: bool,
    ) -> Result<Option<Undefined>, EvaluationError> {
        let mut found = None;
        let matters =
            |function: &Function| function.may_be_undefined() && !(zero_divides && function.is_division());
        if !self.nodes().iter().any(|node| matches!(node, Node::Function(function, _) if matters(function))) {
            return Ok(None);
        }
        let mut look = |_: NodeId, node: &Node, values: &[Option<Values<Fraction>>]| {
            let Node::Function(function, operands) = node else { return };
            if found.is_some() || !matters(function) {
                return;
            }
            let Some(arguments) = Arguments::new(operands, values) else { return };
            found = arguments.rows().enumerate().find_map(|(row, arguments)| {
                let arguments = exact(&arguments)?;
                let at = function.undefined_at(&arguments)?;
                let column = operands[at].node().and_then(|id| match self.node(id) {
                    Node::Input(name) => Some(name.clone()),
                    _ => None,
                });
                let value = number::format(&arguments[at]);
                Some(Undefined { function: function.name(), row: row + 1, column, value })
            });
        };
        evaluate(self, table, &BTreeMap::new(), &mut look)?;
        Ok(found)
    }

    /// The first comparison in the program with a row whose numbers differ by less than its gap, of those that have one.
    pub fn first_undecided(
        &self,
        table: &Table,
        gaps: &[Option<f64>],
    ) -> Result<Option<Undecided>, EvaluationError> {
        if gaps.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut found = None;
        let mut look = |id: NodeId, node: &Node, values: &[Option<Values<f64>>]| {
            let (Node::Function(function, operands), Some(gap)) = (node, gaps[id.0]) else { return };
            if found.is_some() {
                return;
            }
            let Some(arguments) = Arguments::new(operands, values) else { return };
            found = arguments.rows().enumerate().find_map(|(row, arguments)| {
                let arguments = exact(&arguments)?;
                let difference = number::to_f64(&(&arguments[0] - &arguments[1])).abs();
                // What double precision loses of a gap is nothing beside what is left to noise.
                let is_near = difference < gap * (1.0 - 1e-9);
                is_near.then(|| Undecided { function: function.name(), row: row + 1, difference, gap })
            });
        };
        evaluate(self, table, &BTreeMap::new(), &mut look)?;
        Ok(found)
    }
}

impl Program {
    /// The first value in the program that isn't what's assumed of it. Where doubles are computed with, it may be off by what
    /// they round.
    pub fn first_outside(&self, table: &Table) -> Result<Option<OutsideAssumed>, EvaluationError> {
        if !self.nodes().iter().any(|node| matches!(node, Node::Assume(..))) {
            return Ok(None);
        }
        let mut found = None;
        let is_exact =
            evaluate(self, table, &BTreeMap::new(), &mut |_, node, values: &[Option<Values<Fraction>>]| {
                found = found.take().or_else(|| outside(node, values, 0.0));
            })?;
        if is_exact.is_none() {
            evaluate(self, table, &BTreeMap::new(), &mut |_, node, values: &[Option<Values<f64>>]| {
                found = found.take().or_else(|| outside(node, values, ROUNDING));
            })?;
        }
        Ok(found)
    }
}

/// What doubles may be off by from assumed ends, relative to these.
const ROUNDING: f64 = 1e-9;

fn outside<T: Arithmetic>(node: &Node, values: &[Option<Values<T>>], slack: f64) -> Option<OutsideAssumed> {
    let Node::Assume(a, lo, hi) = node else { return None };
    let slack = lo.abs().max(hi.abs()) * BigRational::from_float(slack)?;
    let (least, most) = (lo - &slack, hi + slack);
    let rows = values[a.0].as_ref()?.as_slice().iter().map(T::to_exact);
    let is_outside =
        |value: &Option<BigRational>| !value.as_ref().is_some_and(|it| *it >= least && *it <= most);
    let (row, value) = rows.enumerate().find(|(_, value)| is_outside(value))?;
    let value = value.map_or_else(|| "no number".to_owned(), |value| number::to_f64(&value).to_string());
    Some(OutsideAssumed {
        row: row + 1,
        value,
        assumed: format!("{}..{}", number::format(lo), number::format(hi)),
    })
}

/// A row with a value that isn't what's assumed of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideAssumed {
    /// The row, from 1.
    pub row: usize,
    /// The value.
    pub value: String,
    /// The range that's assumed.
    pub assumed: String,
}

/// A row on which a comparison of approximate numbers doesn't tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Undecided {
    /// The comparison.
    pub function: &'static str,
    /// The row, from 1.
    pub row: usize,
    /// How far the numbers are apart.
    pub difference: f64,
    /// How far they have to be.
    pub gap: f64,
}

/// A row on which a function has no value but what the circuits define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undefined {
    /// The function.
    pub function: &'static str,
    /// The row, from 1.
    pub row: usize,
    /// The column that is its argument; `None` when the argument is computed.
    pub column: Option<String>,
    /// The argument's value.
    pub value: String,
}

/// Hears of every operation before it's done, with the values that there are.
type Observer<'a, T> = &'a mut dyn FnMut(NodeId, &Node, &[Option<Values<T>>]);

fn evaluate<T: Arithmetic>(
    program: &Program,
    table: &Table,
    centres: &BTreeMap<String, BigRational>,
    observe: Observer<'_, T>,
) -> Result<Option<Outputs<T>>, EvaluationError> {
    let Some(computed) = encrypted_outputs(program, table, observe)? else { return Ok(None) };
    let constants = program.constants().iter().map(|constant| constant.output(table.rows, T::constant));
    let all: Outputs<T> = computed.into_iter().chain(constants).collect();
    let error = |values: &Values<T>| values.as_slice().first().map_or(0.0, T::rounding);
    let errors: Vec<f64> = all.iter().map(|(_, values)| error(values)).collect();
    let shifts = program.shifts(centres, table.rows);
    Ok(Some(program.finish_parts(all, &errors, |_| false, table.rows, &shifts).0))
}

/// The outputs that are computed encrypted; `None` when numbers of this kind do not have an operation.
fn encrypted_outputs<T: Arithmetic>(
    program: &Program,
    table: &Table,
    observe: Observer<'_, T>,
) -> Result<Option<Outputs<T>>, EvaluationError> {
    if table.rows == 0 {
        return Err(EvaluationError::NoRows);
    }
    let columns = Columns::new(&table.columns, |column| &column.name);
    let mut uses = program.use_counts();
    let mut values: Vec<Option<Values<T>>> = vec![None; program.nodes().len()];
    for (id, node) in program.iter() {
        observe(id, node, &values);
        let computed = match node {
            Node::Input(name) => T::column(&columns.find(name)?.values).map(Values::Column),
            Node::Function(Function::Category(function, text), operands) => {
                let Some(Node::Input(name)) = operands[0].node().map(|id| program.node(id)) else {
                    return Ok(None);
                };
                Some(categories::<T>(*function, text, &columns.find(name)?.values))
            }
            Node::Function(function, operands) if function.is_equality() => {
                match program.texts_of(operands, &columns)? {
                    Some(texts) => Some(texts_compared(function, texts)),
                    None => operation(node, &values, table.rows)?,
                }
            }
            _ => operation(node, &values, table.rows)?,
        };
        let Some(computed) = computed else { return Ok(None) };
        values[id.0] = Some(computed);
        for operand in node.operands() {
            uses[operand.0] -= 1;
            if uses[operand.0] == 0 {
                values[operand.0] = None;
            }
        }
    }
    let output = |(name, id): &(String, NodeId)| Some((name.clone(), values[id.0].clone()?));
    Ok(program.outputs().iter().map(output).collect())
}

/// Where a column is a text, or isn't.
fn categories<T: Arithmetic>(function: BinaryFunction, text: &str, values: &ColumnValues) -> Values<T> {
    let bits = [false, true].map(|bit| T::constant(&BigRational::from_integer(u8::from(bit).into())));
    let number = values.categories().iter().position(|name| name == text);
    let column = values.to_real();
    let is = |value: &f64| number.is_some_and(|number| *value == number as f64);
    let expected = function == BinaryFunction::Equal;
    Values::Column(column.iter().map(|value| bits[usize::from(is(value) == expected)].clone()).collect())
}

impl Program {
    /// The two columns of text that are operands, if they are such.
    fn texts_of<'a>(
        &self,
        operands: &[Operand],
        columns: &Columns<'a, Column>,
    ) -> Result<Option<[&'a ColumnValues; 2]>, EvaluationError> {
        let mut texts = Vec::with_capacity(2);
        for operand in operands {
            let Some(Node::Input(name)) = operand.node().map(|id| self.node(id)) else { return Ok(None) };
            texts.push(&columns.find(name)?.values);
        }
        let are_text = texts.iter().all(|values| !values.categories().is_empty());
        Ok(<[_; 2]>::try_from(texts).ok().filter(|_| are_text))
    }
}

/// Whether the texts of two columns are equal, or aren't, row by row.
fn texts_compared<T: Arithmetic>(function: &Function, columns: [&ColumnValues; 2]) -> Values<T> {
    let numbers = numbers_among(columns[0].categories(), columns[1].categories());
    let [a, b] = columns.map(ColumnValues::to_real);
    let value = |(a, b): (f64, f64)| {
        let b = numbers.get(b as usize).map_or(f64::NAN, |&number| number as f64);
        let holds = (a == b) == (*function == Function::Binary(BinaryFunction::Equal));
        T::constant(&BigRational::from_integer(u8::from(holds).into()))
    };
    Values::Column(a.into_iter().zip(b).map(value).collect())
}

/// One operation; `Ok(None)` when numbers of this kind do not have it.
fn operation<T: Arithmetic>(
    node: &Node,
    values: &[Option<Values<T>>],
    rows: usize,
) -> Result<Option<Values<T>>, EvaluationError> {
    if let Node::Function(function, operands) = node {
        return Ok(function_of(function, operands, values));
    }
    let mut operands = node.operands().map(|id| values[id.0].as_ref());
    let Some(a) = operands.next().flatten() else { return Ok(None) };
    let b = operands.next().flatten().unwrap_or(a);
    let total = |a: &Values<T>| T::total(a.as_slice().iter().cloned());
    let mean = |a: &Values<T>| T::divide_by_count(&total(a), rows);
    let real = |f: SmoothFunction| match a {
        Values::Column(values) => {
            values.iter().map(|a| T::real(a, f)).collect::<Option<_>>().map(Values::Column)
        }
        Values::Number(value) => T::real(value, f).map(Values::Number),
        Values::Missing(_) => None,
    };
    let result = match node {
        Node::Input(_) | Node::Function(..) => return Ok(None),
        Node::Add(..) => a.zip(b, T::add),
        Node::Sub(..) => a.zip(b, T::sub),
        Node::Mul(..) => a.zip(b, T::mul),
        Node::Neg(_) => {
            let zero = T::constant(&BigRational::zero());
            a.map(|a| T::sub(&zero, a))
        }
        Node::Scale(_, factor) => {
            let factor = T::constant(factor);
            a.map(|a| T::mul(a, &factor))
        }
        Node::Offset(_, constant) => {
            let constant = T::constant(constant);
            a.map(|a| T::add(a, &constant))
        }
        Node::Power(_, exponent) => {
            check_bits(a.as_slice().iter().map(|a| T::bits_of_power(a, *exponent)))?;
            a.map(|a| T::power(a, *exponent))
        }
        Node::Sum(_) => Values::Number(total(a)),
        Node::Mean(_) => Values::Number(mean(a)),
        Node::Var(_) => {
            let mean = mean(a);
            let squares = a.as_slice().iter().map(|a| T::power(&T::sub(a, &mean), 2));
            Values::Number(T::divide_by_count(&T::total(squares), rows))
        }
        Node::Cov(..) => {
            let (mean_a, mean_b) = (mean(a), mean(b));
            let deviations = a.as_slice().iter().zip(b.as_slice());
            let products = deviations.map(|(a, b)| T::mul(&T::sub(a, &mean_a), &T::sub(b, &mean_b)));
            Values::Number(T::divide_by_count(&T::total(products), rows))
        }
        Node::Dot(..) => {
            Values::Number(T::total(a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| T::mul(a, b))))
        }
        Node::Smooth(function, _) => return Ok(real(*function)),
        Node::Assume(..) => a.clone(),
        Node::Quantile(_, q) => {
            let Some(mut sorted) = a.as_slice().iter().map(T::to_exact).collect::<Option<Vec<_>>>() else {
                return Ok(Some(Values::Number(T::not_a_number())));
            };
            sorted.sort();
            Values::Number(T::constant(&sorted[quantile_rank(q, rows) - 1]))
        }
    };
    check_bits(result.as_slice().iter().map(|a| T::bits_of_power(a, 1)))?;
    Ok(Some(result))
}

/// How many rows, from 1, are at or below a quantile.
pub(super) fn quantile_rank(q: &BigRational, rows: usize) -> usize {
    let rank = (q * BigInt::from(rows)).ceil().to_integer().to_usize().unwrap_or(rows);
    rank.clamp(1, rows)
}

/// A function row by row.
fn function_of<T: Arithmetic>(
    function: &Function,
    operands: &[Operand],
    values: &[Option<Values<T>>],
) -> Option<Values<T>> {
    let arguments = Arguments::new(operands, values)?;
    let mut values = arguments.rows().map(|arguments| T::function(function, &arguments));
    match arguments.count {
        Some(_) => Some(Values::Column(values.collect())),
        None => values.next().map(Values::Number),
    }
}

/// The arguments of a function.
struct Arguments<'a, T: Clone> {
    columns: Vec<Cow<'a, [T]>>,
    /// How many rows there are; `None` if all of them are numbers.
    count: Option<usize>,
}

impl<'a, T: Arithmetic> Arguments<'a, T> {
    fn new(operands: &[Operand], values: &'a [Option<Values<T>>]) -> Option<Self> {
        let mut count = None;
        let column = |operand: &Operand| match operand {
            Operand::Value(id) => {
                let values = values[id.0].as_ref()?;
                if values.shape() == Shape::Column {
                    count = Some(values.as_slice().len());
                }
                Some(Cow::Borrowed(values.as_slice()))
            }
            Operand::Constant(constant) => {
                Some(Cow::Owned(vec![T::constant(&BigRational::from_integer((*constant).into()))]))
            }
        };
        let columns = operands.iter().map(column).collect::<Option<_>>()?;
        Some(Self { columns, count })
    }

    /// Every row's arguments.
    fn rows(&self) -> impl Iterator<Item = Vec<&T>> {
        (0..self.count.unwrap_or(1)).map(|row| {
            self.columns.iter().map(|column| &column[if column.len() == 1 { 0 } else { row }]).collect()
        })
    }
}

/// Arguments as fractions; `None` where one is no number.
fn exact<T: Arithmetic>(arguments: &[&T]) -> Option<Vec<BigRational>> {
    arguments.iter().map(|argument| argument.to_exact()).collect()
}

fn check_bits(mut bits: impl Iterator<Item = u64>) -> Result<(), EvaluationError> {
    if bits.any(|bits| bits > MAX_VALUE_BITS) {
        return Err(EvaluationError::TooLarge { limit_bits: MAX_VALUE_BITS });
    }
    Ok(())
}
