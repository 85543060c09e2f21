//! Constants that are taken away from columns before encryption, so that what is left is as small as the data are wide.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use serde::{Deserialize, Serialize};

use crate::{
    error::DataError,
    extremes::{extremes, power_of_ten},
    table::ColumnValues,
};
use asanoha_numeric::number::{self, MAX_CONSTANT_BITS};

/// A constant that the client takes away from every value of a column before encryption. In JSON it's text: `"secret"`, or a
/// number such as `"273.15"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Centre {
    /// One near the middle of the client's data, which no file has but the client's own record. It's added to results again, as
    /// far as it doesn't cancel in them.
    Secret,
    /// One that is public: the program adds it again, and may have it in the middle of its arithmetic.
    Public(BigRational),
}

/// What a secret constant is called in files.
const SECRET: &str = "secret";

impl TryFrom<String> for Centre {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == SECRET {
            return Ok(Self::Secret);
        }
        let value = number::parse_signed(&text, MAX_CONSTANT_BITS).ok_or_else(|| {
            let text: String = text.chars().take(40).collect();
            format!("a centre is a number or {SECRET:?}, and not {text:?}")
        })?;
        Ok(Self::Public(value))
    }
}

impl From<Centre> for String {
    fn from(centre: Centre) -> Self {
        match centre {
            Centre::Secret => SECRET.to_owned(),
            Centre::Public(value) => number::format(&value),
        }
    }
}

/// A public constant that was declared for a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicCentre {
    /// The column.
    pub column: String,
    /// The constant.
    pub value: BigRational,
}

/// Reads `name=value`, the value of `--center`.
///
/// ```
/// let declared = asanoha_table::parse_public_centre("kelvin=273.15")?;
/// assert_eq!(declared.column, "kelvin");
/// # Ok::<(), asanoha_table::DataError>(())
/// ```
///
/// # Errors
/// Text of another form.
pub fn parse_public_centre(text: &str) -> Result<PublicCentre, DataError> {
    let parts = text.rsplit_once('=').map(|(column, value)| (column.trim(), value));
    let parsed = parts.filter(|(column, _)| !column.is_empty()).and_then(|(column, value)| {
        let value = number::parse_signed(value, MAX_CONSTANT_BITS)?;
        Some(PublicCentre { column: column.to_owned(), value })
    });
    parsed.ok_or_else(|| DataError::BadCentre {
        text: text.chars().take(80).collect(),
        problem: "it isn't of that form".to_owned(),
    })
}

/// A constant of the kind of a column's values in the middle between the least and the largest; `None` where there's none,
/// as of text.
pub fn middle(values: &ColumnValues) -> Option<BigRational> {
    if !values.categories().is_empty() {
        return None;
    }
    let extremes = extremes(values);
    let (least, most) = (&extremes.first()?.value, &extremes.get(1)?.value);
    near(values, &((least + most) / BigInt::from(2)))
}

/// The constant of the kind of a column's values that is near a number: a double, or a decimal of as many places.
pub(crate) fn near(values: &ColumnValues, value: &BigRational) -> Option<BigRational> {
    if matches!(values, ColumnValues::Real(_)) {
        return BigRational::from_float(number::to_f64(value));
    }
    let power = BigRational::from_integer(power_of_ten(values.places()));
    Some((value * &power).round() / power)
}

/// How far the values of a column are from the middle of all at most, rounded up to a power of two; `None`
/// where all are the same, so that this isn't told.
pub(crate) fn half_width(values: &ColumnValues) -> Option<BigRational> {
    let middle = middle(values)?;
    less(values, &middle)?;
    number::log2_ceil(&deviation(values, &middle)).map(number::power_of_two)
}

/// How far the values are from a number at most.
pub(crate) fn deviation(values: &ColumnValues, from: &BigRational) -> BigRational {
    extremes(values)
        .iter()
        .map(|extreme| (&extreme.value - from).abs())
        .max()
        .unwrap_or_else(BigRational::zero)
}

/// The values less a constant of their kind; `None` where that isn't possible exactly.
pub fn less(values: &ColumnValues, centre: &BigRational) -> Option<ColumnValues> {
    let digits = centre * BigRational::from_integer(power_of_ten(values.places()));
    let digits = digits.is_integer().then(|| digits.to_integer());
    let words = |values: &[i64]| {
        let digits = digits.as_ref()?.to_i64()?;
        values.iter().map(|value| value.checked_sub(digits)).collect::<Option<Vec<i64>>>()
    };
    Some(match values {
        ColumnValues::Whole(values) => ColumnValues::Whole(words(values)?),
        ColumnValues::Decimal { values, places } => {
            ColumnValues::Decimal { values: words(values)?, places: *places }
        }
        ColumnValues::Integers(values) => {
            let digits = digits.as_ref()?;
            ColumnValues::Integers(values.iter().map(|value| value - digits).collect())
        }
        ColumnValues::WideDecimal { values, places } => {
            let digits = digits.as_ref()?;
            let values = values.iter().map(|value| value - digits).collect();
            ColumnValues::WideDecimal { values, places: *places }
        }
        ColumnValues::Real(values) => {
            let centre = BigRational::from_float(number::to_f64(centre)).filter(|it| it == centre)?;
            let centre = number::to_f64(&centre);
            let exactly = |value: &f64| {
                let difference = value - centre;
                // What the subtraction rounds off, exactly (Knuth's TwoSum).
                let back = difference - value;
                let lost = (value - (difference - back)) - (centre + back);
                (lost == 0.0).then_some(difference)
            };
            ColumnValues::Real(values.iter().map(exactly).collect::<Option<_>>()?)
        }
        ColumnValues::Categories { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_less_their_middle_are_exact_or_refused() {
        let real = |values: &[f64]| ColumnValues::Real(values.to_vec());
        let narrow = real(&[99_999_999.802_752, 100_000_000.155_635, 99_999_999.97]);
        let centre = middle(&narrow).unwrap();
        let left = less(&narrow, &centre).unwrap();
        let back = |left: f64| BigRational::from_float(left).unwrap() + &centre;
        for (left, value) in left.to_real().into_iter().zip(narrow.to_real()) {
            assert_eq!(back(left), BigRational::from_float(value).unwrap());
        }
        assert_eq!(half_width(&narrow), Some(number::power_of_two(-2)));
        assert_eq!(less(&real(&[0.1, 1e8]), &BigRational::from_integer(50_000_000.into())), None);
        assert!(half_width(&real(&[f64::MAX, -f64::MAX])).is_some());
        assert_eq!(half_width(&real(&[1e8, 1e8])), None);
        let decimals = ColumnValues::Decimal { values: vec![29_999, 30_002], places: 2 };
        assert_eq!(middle(&decimals), Some(BigRational::new(30_001.into(), 100.into())));
        assert_eq!(less(&decimals, &BigRational::new(1.into(), 1000.into())), None);
        let wide = ColumnValues::Whole(vec![i64::MIN, i64::MAX]);
        assert_eq!(less(&wide, &BigRational::from_integer(5.into())), None);
        let text = ColumnValues::Categories { values: vec![0, 1], names: vec!["a".into(), "b".into()] };
        assert_eq!((middle(&text), half_width(&text)), (None, None));
    }
}
