//! What the holder of the secret key computes from decrypted numbers.

use std::collections::HashMap;

use asanoha_numeric::{
    number,
    uncertain::{Singular, Uncertain, rounded_up, solve},
};
use asanoha_table::Schema;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::{
    arithmetic::Number,
    domain::denominators::whole_nodes,
    finished::Finish,
    formula::{Formula, Undefined},
    ids::NodeId,
    program::Program,
    values::{NoValue, Outputs, Values},
};

/// What a user is shown of all results, with the errors of these: the encrypted outputs but for the parts, what's finished,
/// and the constants. `errors` are those of `all`; whole parts that are off by less than a half are taken as exact.
/// `shifts` are added to the encrypted outputs: what these are less by than the right ones ([`shifts`](crate::shifts)).
pub fn finish<T: Number>(
    program: &Program,
    all: Outputs<T>,
    errors: &[f64],
    schema: &Schema,
    shifts: &[BigRational],
) -> (Outputs<T>, Vec<f64>) {
    let whole = whole_nodes(program, schema);
    finish_parts(program, all, errors, |id| whole[id.0], schema.rows, shifts)
}

/// As [`finish`], given which operations are whole and how many rows there are.
pub(crate) fn finish_parts<T: Number>(
    program: &Program,
    mut all: Outputs<T>,
    errors: &[f64],
    is_whole: impl Fn(NodeId) -> bool,
    rows: usize,
    shifts: &[BigRational],
) -> (Outputs<T>, Vec<f64>) {
    let mut errors = errors.to_vec();
    let constants = (all.split_off(program.outputs.len()), errors.split_off(program.outputs.len()));
    let shown = program.shown_outputs().len();
    let (shown_shifts, hidden_shifts) = shifts.split_at(shown);
    let hidden = all.split_off(shown).into_iter().zip(errors.split_off(shown));
    let parts: HashMap<String, (Part, &BigRational)> = hidden
        .zip(program.outputs[shown..].iter().zip(hidden_shifts))
        .map(|(((name, values), error), ((_, id), shift))| {
            (name, (Part::new(&values, error, is_whole(*id)), shift))
        })
        .collect();
    for (((_, values), error), shift) in all.iter_mut().zip(&mut errors).zip(shown_shifts) {
        *error += shift_all(values, shift);
    }
    for finished in &program.finished {
        let of: Vec<(&Part, &BigRational)> =
            finished.parts.iter().map(|part| (&parts[part].0, parts[part].1)).collect();
        if let Finish::Formula(formula) = &finished.function {
            let (values, error) = by_formula(formula, &of);
            all.push((finished.results[0].clone(), values));
            errors.push(error);
            continue;
        }
        let shifts: Vec<&BigRational> = of.iter().map(|(_, shift)| *shift).collect();
        let numbers = of.iter().map(|(part, _)| part.numbers[0].clone()).collect::<Option<Vec<_>>>();
        let results = numbers
            .ok_or_else(|| NoValue::from(BEYOND))
            .and_then(|parts| compute(&finished.function, parts, &shifts, rows));
        for (at, name) in finished.results.iter().enumerate() {
            let result = results.as_ref().map_err(Clone::clone).and_then(|results| told(&results[at]));
            let (values, error) = match result {
                Ok((value, error)) => (Values::Number(value), error),
                Err(reason) => (Values::Missing(reason), f64::NAN),
            };
            all.push((name.clone(), values));
            errors.push(error);
        }
    }
    all.extend(constants.0);
    errors.extend(constants.1);
    (all, errors)
}

/// Adds what results are less by than the right ones; what they're off by more, as numbers of their kind.
pub fn shift_all<T: Number>(values: &mut Values<T>, shift: &BigRational) -> f64 {
    if shift.is_zero() {
        return 0.0;
    }
    let values = match values {
        Values::Column(values) => values.as_mut_slice(),
        Values::Number(value) => std::slice::from_mut(value),
        Values::Missing(_) => &mut [],
    };
    let mut largest = BigRational::zero();
    for value in values {
        // What is no number stays none.
        let Some(right) = value.to_exact().map(|value| value + shift) else { continue };
        *value = T::constant(&right);
        let off = value.to_exact().map(|value| (value - right).abs());
        largest = largest.max(off.unwrap_or_default());
    }
    rounded_up(&largest).map_or(f64::INFINITY, |off| number::to_f64(&off))
}

/// The reason for a result without its parts.
const BEYOND: &str = "a number that it's made of is beyond all doubles";

/// A part as it's known: a number for every row, or one.
struct Part {
    is_column: bool,
    /// `None` for what is no number.
    numbers: Vec<Option<Uncertain>>,
}

impl Part {
    fn new<T: Number>(values: &Values<T>, error: f64, is_whole: bool) -> Self {
        let error = BigRational::from_float(error);
        let half = BigRational::new(1.into(), 2.into());
        let known = |value: &T| {
            let (value, error) = (value.to_exact()?, error.clone()?);
            Some(if is_whole && error < half {
                Uncertain::exact(value.round())
            } else {
                Uncertain { value, error }
            })
        };
        let numbers: Vec<_> = values.as_slice().iter().map(known).collect();
        let is_column = matches!(values, Values::Column(_));
        Self { is_column, numbers: if numbers.is_empty() && !is_column { vec![None] } else { numbers } }
    }
}

/// A formula's values of parts that are less than the right ones by shifts, and what they're off by at most.
fn by_formula<T: Number>(formula: &Formula, parts: &[(&Part, &BigRational)]) -> (Values<T>, f64) {
    let rows = parts.iter().filter(|(part, _)| part.is_column).map(|(part, _)| part.numbers.len()).min();
    let value = |row: usize| {
        let part = |(part, shift): &(&Part, &BigRational)| {
            let mut number = part.numbers[if part.is_column { row } else { 0 }].clone()?;
            number.value += *shift;
            Some(number)
        };
        let of = parts.iter().map(part).collect::<Option<Vec<_>>>().ok_or(BEYOND)?;
        let result = formula.value(&of).map_err(no_value)?;
        told(&rounded(result, &of))
    };
    let all: Result<Vec<(T, f64)>, NoValue> = (0..rows.unwrap_or(1)).map(value).collect();
    match all {
        Ok(mut all) => {
            let error = all.iter().fold(0.0, |largest: f64, (_, error)| largest.max(*error));
            let values = match rows {
                Some(_) => Values::Column(all.into_iter().map(|(value, _)| value).collect()),
                None => Values::Number(all.swap_remove(0).0),
            };
            (values, error)
        }
        Err(reason) => (Values::Missing(NoValue { rows, ..reason }), f64::NAN),
    }
}

fn no_value(undefined: Undefined) -> NoValue {
    if undefined.is_imprecise { NoValue::imprecise(undefined.reason) } else { undefined.reason.into() }
}

/// A result as a number of a kind, and its error, which is above 0 unless it's exact.
fn told<T: Number>(result: &Uncertain) -> Result<(T, f64), NoValue> {
    let value = T::constant(&result.value);
    let told = value.to_exact().and_then(|told| rounded_up(&(&result.error + (&result.value - told).abs())));
    let error = told.ok_or("it's beyond all doubles")?;
    Ok((value, number::to_f64(&error)))
}

/// The results, or why there are none, of parts that are less than the right ones by shifts.
fn compute(
    function: &Finish,
    mut parts: Vec<Uncertain>,
    shifts: &[&BigRational],
    rows: usize,
) -> Result<Vec<Uncertain>, NoValue> {
    if *function == Finish::LeastSquares {
        return least_squares(&parts, shifts, rows);
    }
    parts.iter_mut().zip(shifts).for_each(|(part, shift)| part.value += *shift);
    match function {
        Finish::Ratio | Finish::RatioRoot => match &parts[1] {
            divisor if !divisor.may_be_zero() => {
                let ratio = &parts[0] / divisor;
                Ok(vec![if *function == Finish::Ratio { ratio } else { rounded(ratio.sqrt(), &parts) }])
            }
            divisor if divisor.is_exact() => Err("the divisor is 0".into()),
            _ => Err(NoValue::imprecise("the divisor can't be distinguished from 0")),
        },
        Finish::Std => Ok(vec![rounded(parts[0].sqrt(), &parts)]),
        Finish::Corr => {
            let root = (&parts[1] * &parts[2]).sqrt();
            if root.may_be_zero() {
                let is_exact = parts.iter().all(Uncertain::is_exact);
                let reason = "a column is the same in every row";
                return Err(if is_exact {
                    reason.into()
                } else {
                    NoValue::imprecise(format!("{reason}, or can't be told from such"))
                });
            }
            let mut correlation = &parts[0] / &root;
            let one = BigRational::one();
            correlation.value = correlation.value.clamp(-one.clone(), one);
            Ok(vec![rounded(correlation, &parts)])
        }
        Finish::LeastSquares | Finish::Formula(_) => unreachable!("they're computed above"),
    }
}

/// A root of exact numbers as the decimal number that is written for the nearest double, unless it's exact itself.
fn rounded(root: Uncertain, parts: &[Uncertain]) -> Uncertain {
    if root.is_exact() || !parts.iter().all(Uncertain::is_exact) {
        return root;
    }
    Uncertain::exact(number::written_decimal(number::to_f64(&root.value)).unwrap_or(root.value))
}

/// The intercept and the coefficients that minimise the sum of squares of y − intercept − Σ coefficientᵢ·xᵢ, from the sums of y
/// and of every column, and their products: `parts` in the order of [`least_squares`](crate::ops::least_squares()).
///
/// The means are taken away first, so that two equations in as many unknowns as columns are left with covariances in them.
/// Columns that are less by constants have the same covariances; the shifts of their sums give the intercept of the right ones.
fn least_squares(
    parts: &[Uncertain],
    shifts: &[&BigRational],
    rows: usize,
) -> Result<Vec<Uncertain>, NoValue> {
    // n columns have n + 1 sums, n products with y and n(n + 1)/2 with each other.
    let columns =
        (1..parts.len()).find(|n| 1 + n * (n + 5) / 2 >= parts.len()).expect("there are so many parts");
    let rows = Uncertain::exact(BigInt::from(rows).into());
    let (sums, products) = parts.split_at(columns + 1);
    let mut products = products.iter();
    let mut centred = |a: &Uncertain, b: &Uncertain| {
        let product = products.next().expect("one for each pair");
        product - &(&(a * b) / &rows)
    };
    let right: Vec<Uncertain> = sums[1..].iter().map(|sum| centred(sum, &sums[0])).collect();
    let mut matrix = vec![vec![Uncertain::exact(BigRational::zero()); columns]; columns];
    for i in 0..columns {
        for j in i..columns {
            matrix[i][j] = centred(&sums[i + 1], &sums[j + 1]);
            matrix[j][i] = matrix[i][j].clone();
        }
    }
    let coefficients = solve(&matrix, &right).map_err(|singular| match singular {
        Singular::Surely => {
            "a column is a combination of the others on these rows, or the same in every row".into()
        }
        Singular::Perhaps => {
            NoValue::imprecise("the columns can't be told from combinations of one another or from constants")
        }
    })?;
    let mut right_sums = sums.to_vec();
    right_sums.iter_mut().zip(shifts).for_each(|(sum, shift)| sum.value += *shift);
    let explained = coefficients.iter().zip(&right_sums[1..]).map(|(coefficient, sum)| coefficient * sum);
    let rest = explained.fold(right_sums[0].clone(), |rest, part| &rest - &part);
    Ok([&rest / &rows].into_iter().chain(coefficients).collect())
}
