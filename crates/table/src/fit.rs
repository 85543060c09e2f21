//! Columns of data frames and arrays as a plan has them.

use asanoha_numeric::number::parse_number;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Pow;
use thiserror::Error;

use crate::{
    schema::ColumnSchema,
    table::{ColumnValues, MAX_PLACES},
    typed_column::TypedColumn,
};

/// Whole numbers up to this size are doubles.
const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

/// Why a column doesn't fit that of a plan. Rows count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum Unfit {
    /// Text, where the plan has numbers.
    #[error("it is text, and the plan has numbers")]
    Text,
    /// Numbers, where the plan has text.
    #[error("it is numbers, and the plan has text")]
    Numbers,
    /// Numbers that may have a fraction, where the plan has whole ones.
    #[error("the plan has whole numbers")]
    Whole,
    /// Exact numbers, where the plan has real ones.
    #[error("the plan has real numbers")]
    Real,
    /// A whole number that no double is, where the plan has real ones.
    #[error("row {row} is {value}, which no double is")]
    NoDouble {
        /// The row.
        row: usize,
        /// The number.
        value: i64,
    },
    /// A double that isn't a decimal of the plan's places.
    #[error("row {row} is {value}, which isn't a decimal of at most {places} places")]
    NoDecimal {
        /// The row.
        row: usize,
        /// The number.
        value: f64,
        /// The places.
        places: u32,
    },
}

/// Why texts are no column of numbers. Rows count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoDigits {
    /// A text that isn't digits and a point.
    #[error("row {row} isn't a number of digits and a point")]
    Text {
        /// The row.
        row: usize,
    },
    /// A number of too many places after the point.
    #[error("row {row} has {places} places after the point, and up to {MAX_PLACES} are taken")]
    Places {
        /// The row.
        row: usize,
        /// Its places.
        places: usize,
    },
}

/// A column as a plan has it: doubles where it has real numbers, and decimals where it has decimals that the doubles are written as.
///
/// # Errors
/// What doesn't fit, of values that aren't missing.
pub fn fitted(column: &TypedColumn, planned: &ColumnSchema) -> Result<TypedColumn, Unfit> {
    let is_text = matches!(column.values, ColumnValues::Categories { .. });
    match (is_text, planned.categories.is_empty()) {
        (true, true) => return Err(Unfit::Text),
        (false, false) => return Err(Unfit::Numbers),
        _ => {}
    }
    let is_real = !is_text && !planned.whole && planned.places == 0;
    let values = match &column.values {
        ColumnValues::Real(_) | ColumnValues::Decimal { .. } | ColumnValues::WideDecimal { .. }
            if planned.whole =>
        {
            return Err(Unfit::Whole);
        }
        ColumnValues::Real(values) if planned.places > 0 => {
            decimals(values, planned.places, &column.missing)?
        }
        ColumnValues::Whole(values) if is_real => {
            let too_large = values.iter().position(|value| value.unsigned_abs() > EXACT);
            if let Some(row) = too_large {
                return Err(Unfit::NoDouble { row, value: values[row] });
            }
            ColumnValues::Real(values.iter().map(|&value| value as f64).collect())
        }
        ColumnValues::Integers(_) | ColumnValues::Decimal { .. } | ColumnValues::WideDecimal { .. }
            if is_real =>
        {
            return Err(Unfit::Real);
        }
        other => other.clone(),
    };
    Ok(TypedColumn { name: column.name.clone(), values, missing: column.missing.clone() })
}

/// Doubles that are decimals of so many places: their shortest decimals.
fn decimals(values: &[f64], places: u32, missing: &[usize]) -> Result<ColumnValues, Unfit> {
    let power: BigInt = Pow::pow(BigInt::from(10), places);
    let digits = |(row, &value): (usize, &f64)| {
        let exact = parse_number(&value.to_string()).map(|exact: BigRational| exact * &power);
        match exact.filter(BigRational::is_integer) {
            Some(digits) => Ok(digits.to_integer()),
            None if missing.binary_search(&row).is_ok() => Ok(BigInt::ZERO),
            None => Err(Unfit::NoDecimal { row, value, places }),
        }
    };
    let values = values.iter().enumerate().map(digits).collect::<Result<_, _>>()?;
    Ok(ColumnValues::WideDecimal { values, places })
}

/// Whole numbers or decimals out of texts, with as many places as the one that has most. Those in rows that are missing count as 0.
///
/// # Errors
/// The first text that isn't such a number.
pub fn from_digits(texts: &[String], missing: &[usize]) -> Result<ColumnValues, NoDigits> {
    let is_missing = |row: usize| missing.binary_search(&row).is_ok();
    let places = |text: &str| text.split_once('.').map_or(0, |(_, places)| places.len());
    let of_rows = texts.iter().enumerate().filter(|(row, _)| !is_missing(*row));
    let (row, most) = of_rows
        .map(|(row, text)| (row, places(text)))
        .max_by_key(|&(row, places)| (places, usize::MAX - row))
        .unwrap_or_default();
    if most > MAX_PLACES as usize {
        return Err(NoDigits::Places { row, places: most });
    }
    let value = |(row, text): (usize, &String)| {
        if is_missing(row) {
            return Ok(BigInt::ZERO);
        }
        // Of any size: what is too large for a plan is refused by its range.
        let exact = plain_digits(text)
            .map(|(digits, places)| digits * <BigInt as Pow<usize>>::pow(BigInt::from(10), most - places));
        exact.ok_or(NoDigits::Text { row })
    };
    let values: Vec<BigInt> = texts.iter().enumerate().map(value).collect::<Result<_, _>>()?;
    Ok(match most {
        0 => ColumnValues::Integers(values),
        places => ColumnValues::WideDecimal { values, places: places as u32 },
    })
}

/// All digits of a text of digits and perhaps a sign before and a point among them, and how many stand behind the point.
fn plain_digits(text: &str) -> Option<(BigInt, usize)> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, places) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(places) || whole.len() + places.len() == 0 {
        return None;
    }
    let value: BigInt = format!("{whole}{places}").parse().ok()?;
    Some((if text.starts_with('-') { -value } else { value }, places.len()))
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::{NoDigits, Unfit};
    use crate::{Column, ColumnSchema, ColumnValues, Schema, Table, TypedColumn};

    /// What a plan for such values has.
    fn planned(values: ColumnValues) -> ColumnSchema {
        let rows = values.len();
        let columns = vec![Column { name: "x".to_owned(), values }];
        Schema::from_table(&Table { columns, rows }, &[]).unwrap().columns.remove(0)
    }

    fn fitted(
        values: ColumnValues,
        missing: &[usize],
        planned: &ColumnSchema,
    ) -> Result<ColumnValues, Unfit> {
        let column = TypedColumn { name: "x".to_owned(), values, missing: missing.to_vec() };
        super::fitted(&column, planned).map(|column| column.values)
    }

    fn big(values: &[i64]) -> Vec<BigInt> {
        values.iter().map(|&value| value.into()).collect()
    }

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|&text| text.to_owned()).collect()
    }

    fn category() -> ColumnValues {
        ColumnValues::Categories { values: vec![0, 1], names: texts(&["a", "b"]) }
    }

    #[test]
    fn numbers_become_what_the_plan_has_or_are_refused() {
        use ColumnValues::{Integers, Real, Whole, WideDecimal};
        let real = planned(Real(vec![0.5, 0.1 + 0.2]));
        let whole = planned(Whole(vec![-3, 9]));
        let decimal = planned(WideDecimal { values: big(&[-125, 9999]), places: 2 });
        assert_eq!((real.whole, real.places, decimal.places), (false, 0, 2));
        let wide = |values: &[i64], places| WideDecimal { values: big(values), places };

        assert_eq!(
            fitted(Whole(vec![-7, 1 << 53]), &[], &real),
            Ok(Real(vec![-7.0, 9_007_199_254_740_992.0]))
        );
        let value = (1 << 53) + 1;
        assert_eq!(fitted(Whole(vec![1, value]), &[], &real), Err(Unfit::NoDouble { row: 1, value }));
        assert_eq!(fitted(Integers(big(&[1])), &[], &real), Err(Unfit::Real));
        assert_eq!(fitted(wide(&[1], 1), &[], &real), Err(Unfit::Real));
        assert_eq!(fitted(Real(vec![2.5]), &[], &real), Ok(Real(vec![2.5])));

        assert_eq!(fitted(Real(vec![1.25, -0.3, 7.0]), &[], &decimal), Ok(wide(&[125, -30, 700], 2)));
        let refused = |value, row| Err(Unfit::NoDecimal { row, value, places: 2 });
        assert_eq!(fitted(Real(vec![1.0, 0.125]), &[], &decimal), refused(0.125, 1));
        assert_eq!(fitted(Real(vec![1e300, 0.1 + 0.2]), &[], &decimal), refused(0.1 + 0.2, 1));
        assert!(matches!(fitted(Real(vec![f64::NAN]), &[], &decimal), Err(Unfit::NoDecimal { row: 0, .. })));
        assert_eq!(fitted(Real(vec![f64::NAN, 1.5]), &[0], &decimal), Ok(wide(&[0, 150], 2)));
        assert_eq!(fitted(Whole(vec![4]), &[], &decimal), Ok(Whole(vec![4])));

        for unfit in [Real(vec![1.0]), wide(&[10], 1)] {
            assert_eq!(fitted(unfit, &[], &whole), Err(Unfit::Whole));
        }
        assert_eq!(fitted(Integers(big(&[1])), &[], &whole), Ok(Integers(big(&[1]))));
        assert_eq!(fitted(category(), &[], &whole), Err(Unfit::Text));
        assert_eq!(fitted(Whole(vec![1]), &[], &planned(category())), Err(Unfit::Numbers));
        assert_eq!(fitted(category(), &[], &planned(category())), Ok(category()));
    }

    #[test]
    fn digits_are_exact_with_the_most_places_of_all() {
        let read = |values: &[&str], missing: &[usize]| super::from_digits(&texts(values), missing);
        let long = "-123456789012345678901234567890";
        assert_eq!(
            read(&[long, "7"], &[]),
            Ok(ColumnValues::Integers(vec![long.parse().unwrap(), 7.into()]))
        );
        let decimals = ColumnValues::WideDecimal { values: big(&[1250, -5, 0]), places: 3 };
        assert_eq!(read(&["1.25", "-0.005", "none"], &[2]), Ok(decimals));
        assert_eq!(read(&[], &[]), Ok(ColumnValues::Integers(Vec::new())));
        let huge = "9".repeat(5000);
        assert_eq!(read(&[&huge], &[]), Ok(ColumnValues::Integers(vec![huge.parse().unwrap()])));
        for wrong in
            ["", "-", "--1", "x", "1/3", "0x10", "1e3", "1e-3", ".", "1.2.3", " 1", "1,5", "1_000", "NaN"]
        {
            assert_eq!(read(&["1", wrong], &[]), Err(NoDigits::Text { row: 1 }), "{wrong}");
        }
        let places = "0".repeat(400);
        let long = format!("0.{places}");
        assert_eq!(read(&["1.5", &long, &long], &[]), Err(NoDigits::Places { row: 1, places: 400 }));
        assert_eq!(read(&["1", &long], &[1]), Ok(ColumnValues::Integers(big(&[1, 0]))));
    }
}
